// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/eh-frame-hdr.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_SIZE 12 /* before the table */

/* LSB Core 5.0, chapter 10.6.2, in the form that all linkers write. */
int eh_frame_hdr__read(struct eh_frame_hdr *hdr, struct elf_file *file)
{
	static const u8 usual[] = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4, DW_EH_PE_datarel | DW_EH_PE_sdata4 };
	u8 head[HEAD_SIZE];
	GElf_Phdr phdr;
	size_t size;
	u32 nr;

	*hdr = (struct eh_frame_hdr){};
	if (!elf_file__phdr(file, PT_GNU_EH_FRAME, &phdr) || phdr.p_filesz < HEAD_SIZE ||
	    !elf_file__read(file, phdr.p_offset, head, sizeof(head)) || memcmp(head, usual, sizeof(usual)))
		return -ENODATA;
	memcpy(&nr, head + 8, sizeof(nr));
	nr = le32toh(nr);
	size = (size_t)nr * sizeof(*hdr->entry);
	if (!nr || size > phdr.p_filesz - HEAD_SIZE)
		return -ENODATA;
	if (!elf_budget__take(&file->budget, size, "the table in .eh_frame_hdr"))
		return -E2BIG;
	hdr->entry = malloc(size);
	if (!hdr->entry)
		return -ENOMEM;
	hdr->nr = nr;
	hdr->vaddr = phdr.p_vaddr;
	return elf_file__read(file, phdr.p_offset + HEAD_SIZE, hdr->entry, size) ? 0 : -ENODATA;
}

void eh_frame_hdr__exit(struct eh_frame_hdr *hdr)
{
	free(hdr->entry);
	*hdr = (struct eh_frame_hdr){};
}

u32 eh_frame_hdr__nr_before(const struct eh_frame_hdr *hdr, u64 vaddr)
{
	u32 low = 0, high = hdr->nr;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (eh_frame_hdr__code(hdr, mid) <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/elf-frames.h"

#include <dwarf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/symbol/elf-unpack.h"

#define HDR_SIZE 8 /* of .eh_frame_hdr up to the address of .eh_frame, and that */

/* elf_rawdata() would return what an unpacked section was before. */
static void of_section(Elf_Scn *scn, struct elf_bytes *bytes)
{
	Elf_Data *data = elf_getdata(scn, NULL);

	if (data && data->d_buf) {
		bytes->data = data->d_buf;
		bytes->size = data->d_size;
	}
}

int elf_frames__debug(struct elf_file *file, struct elf_bytes *bytes)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(file, ".debug_frame", &shdr);

	*bytes = (struct elf_bytes){};
	if (!scn || shdr.sh_type == SHT_NOBITS)
		return 0;
	if (shdr.sh_flags & SHF_COMPRESSED && elf_file__unpack(file, scn)) {
		if (!elf_file__may_unpack(file, scn))
			return -E2BIG;
		if (elf_compress(scn, 0, 0) < 0)
			return 0;
	}
	of_section(scn, bytes);
	return bytes->size > UINT32_MAX ? -E2BIG : 0;
}

/* The address of .eh_frame in .eh_frame_hdr (LSB Core 5.0, chapter 10.6.2), as all linkers write it */
static bool eh_frame_address(const struct elf_file *file, u64 *vaddr)
{
	u8 hdr[HDR_SIZE];
	GElf_Phdr phdr;
	s32 distance;

	if (!elf_file__phdr(file, PT_GNU_EH_FRAME, &phdr) || !elf_file__read(file, phdr.p_offset, hdr, sizeof(hdr)) ||
	    hdr[0] != 1 || hdr[1] != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
		return false;
	memcpy(&distance, hdr + 4, sizeof(distance));
	*vaddr = phdr.p_vaddr + 4 + (u64)(s64)(s32)le32toh(distance);
	return true;
}

static int of_segment(struct elf_file *file, u64 vaddr, struct elf_bytes *bytes)
{
	for (u32 i = 0; i < file->nr_load; i++) {
		const struct elf_load *load = &file->load[i];
		u64 skip = vaddr - load->vaddr, size = load->file_size - skip;

		if (vaddr < load->vaddr || skip >= load->file_size)
			continue;
		if (size > UINT32_MAX || !elf_budget__take(&file->budget, size, "its segment with .eh_frame"))
			return -E2BIG;
		bytes->own = malloc(size);
		if (!bytes->own)
			return -ENOMEM;
		if (!elf_file__read(file, load->offset + skip, bytes->own, size))
			return 0;
		bytes->data = bytes->own;
		bytes->size = size;
		bytes->vaddr = vaddr;
		return 0;
	}
	return 0;
}

int elf_frames__eh(struct elf_file *file, struct elf_bytes *bytes)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(file, ".eh_frame", &shdr);
	u64 vaddr;

	*bytes = (struct elf_bytes){};
	if (!scn)
		return !file->section_names.size && eh_frame_address(file, &vaddr) ? of_segment(file, vaddr, bytes) : 0;
	if (shdr.sh_type == SHT_NOBITS)
		return file->budget.left_out[0] ? -E2BIG : 0;
	of_section(scn, bytes);
	bytes->vaddr = shdr.sh_addr;
	return bytes->size > UINT32_MAX ? -E2BIG : 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* The sorted table of .eh_frame_hdr: where each function's code begins, and where .eh_frame describes it (its FDE). */
#ifndef PERF_SYMBOL_EH_FRAME_HDR_H
#define PERF_SYMBOL_EH_FRAME_HDR_H

#include <endian.h>
#include "util/symbol/elf-file.h"

struct eh_frame_hdr {
	u64 vaddr; /* of the section; entries count from there */
	struct eh_frame_entry {
		s32 code, fde; /* in the file's byte order */
	} *entry;
	u32 nr;
};

/* Read it by its program header. -ENODATA: there is none in the form that all linkers write; -E2BIG, -ENOMEM. Exit it afterwards. */
int eh_frame_hdr__read(struct eh_frame_hdr *hdr, struct elf_file *file);
void eh_frame_hdr__exit(struct eh_frame_hdr *hdr);

/* How many begin at vaddr, or before. */
u32 eh_frame_hdr__nr_before(const struct eh_frame_hdr *hdr, u64 vaddr);

/* The addresses of an entry's code, and of its FDE. */
static inline u64 eh_frame_hdr__code(const struct eh_frame_hdr *hdr, u32 i)
{
	return hdr->vaddr + (u64)(s64)(s32)le32toh(hdr->entry[i].code);
}

static inline u64 eh_frame_hdr__fde(const struct eh_frame_hdr *hdr, u32 i)
{
	return hdr->vaddr + (u64)(s64)(s32)le32toh(hdr->entry[i].fde);
}

#endif

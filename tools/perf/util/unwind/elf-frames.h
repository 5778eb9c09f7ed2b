/* SPDX-License-Identifier: GPL-2.0 */
/* Where an ELF file has its call frame information and its code. */
#ifndef PERF_UNWIND_ELF_FRAMES_H
#define PERF_UNWIND_ELF_FRAMES_H

#include "util/symbol/elf-file.h"

struct elf_bytes { /* of a file */
	const u8 *data; /* NULL: there are none */
	size_t size;
	u64 vaddr;
	void *own; /* to free, or NULL */
};

/*
 * .eh_frame, or, in a file without section headers, all of its segment from there on. It is valid until the file is closed and own is
 * freed. 0, also if there is none, -E2BIG or -ENOMEM.
 */
int elf_frames__eh(struct elf_file *file, struct elf_bytes *bytes);
/* .debug_frame; it counts from 0. As above. */
int elf_frames__debug(struct elf_file *file, struct elf_bytes *bytes);

#endif

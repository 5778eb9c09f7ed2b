/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unpacks compressed sections (SHF_COMPRESSED, elf(5)) of zlib's and zstd's formats. libelf and libdw use zlib for the first, which takes longer
 * than everything they do otherwise, and libdeflate takes a third of the time; they know the second since elfutils 0.189.
 */
#ifndef PERF_SYMBOL_ELF_UNPACK_H
#define PERF_SYMBOL_ELF_UNPACK_H

#include "util/symbol/elf-file.h"

/*
 * Replace the section's contents by the unpacked ones, for libelf, too; the file owns them. -ENOTSUP: not compressed, or in
 * another format; -EBADMSG: damaged; -EFBIG: exceeds the file's budget; -ENOMEM. After an error the section is unchanged.
 */
int elf_file__unpack(struct elf_file *file, Elf_Scn *scn);
/* May libelf unpack the section, if it is compressed in any way? Takes the unpacked size from the file's budget. */
bool elf_file__may_unpack(struct elf_file *file, Elf_Scn *scn);
void elf_unpacked__delete(struct elf_unpacked *first); /* called by elf_file__close() */

#endif

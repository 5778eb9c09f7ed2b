/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contents of compressed sections (SHF_COMPRESSED, elf(5)). libelf and libdw unpack them with zlib, and wait for that longer than for all
 * else; libdeflate needs a third of the time.
 */
#ifndef PERF_SYMBOL_ELF_UNPACK_H
#define PERF_SYMBOL_ELF_UNPACK_H

#include "util/symbol/elf-file.h"

/*
 * From now on to libelf the section was never compressed; the file owns the contents. -ENOTSUP: it is not, or not by zlib's format;
 * -EBADMSG: damaged; -EFBIG: the file's budget has no room for it; -ENOMEM. Then it is as it was.
 */
int elf_file__unpack(struct elf_file *file, Elf_Scn *scn);
/* Whether libelf may unpack it, if it is compressed in any way: then that is taken from the file's budget. */
bool elf_file__may_unpack(struct elf_file *file, Elf_Scn *scn);
void elf_unpacked__delete(struct elf_unpacked *first); /* elf_file__close() does */

#endif

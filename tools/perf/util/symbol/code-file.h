/* SPDX-License-Identifier: GPL-2.0 */
/* Single instructions of a program's or library's file, as they were mapped when it was recorded. Of x86-64, see insn.h. */
#ifndef PERF_SYMBOL_CODE_FILE_H
#define PERF_SYMBOL_CODE_FILE_H

#include "util/symbol/insn.h"
#include "util/symbol/recorded-file.h"

struct code_file;

/* 0; as recorded_file__open() and disasm__new(). */
int code_file__open(const char *path, const struct build_id *want, const struct file_places *places, struct code_file **file);
/* The same of an ELF image in memory, which must outlive the file; -ESTALE: it has another build-id than want. */
int code_file__open_image(const void *image, size_t size, const struct build_id *want, struct code_file **file);
void code_file__delete(struct code_file *file);

/* The bytes of the instruction at offset in the file; returns how many, 0: there is none that is known. */
u32 code_file__insn(const struct code_file *file, u64 offset, u8 code[INSN_MAX_SIZE]);

#endif

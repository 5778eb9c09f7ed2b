/* SPDX-License-Identifier: GPL-2.0 */
/* Single instructions of the file of a program or library that was mapped in the recording. x86-64 only, see insn.h. */
#ifndef PERF_SYMBOL_CODE_FILE_H
#define PERF_SYMBOL_CODE_FILE_H

#include "util/symbol/insn.h"
#include "util/symbol/recorded-file.h"

struct code_file;

/* 0; errors as recorded_file__open(), -ENOMEM. */
int code_file__open(const char *path, const struct build_id *want, const struct file_places *places, struct code_file **file);
/* The same for an ELF image in memory, which must outlive the file; -ESTALE: its build-id is not want. */
int code_file__open_image(const void *image, size_t size, const struct build_id *want, struct code_file **file);
void code_file__delete(struct code_file *file);

/* Copy up to size bytes from offset of x86-64 code; returns their number. */
size_t code_file__read(const struct code_file *file, u64 offset, u8 *code, size_t size);
/* Copy the instruction at offset in the file; returns its size in bytes, 0: unknown instruction. */
u32 code_file__insn(const struct code_file *file, u64 offset, u8 code[INSN_MAX_SIZE]);

#endif

// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/code-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/symbol/symtab.h"

struct code_file {
	struct elf_file elf;
	const u8 *image; /* NULL: read from a file */
	size_t image_size;
	struct disasm *disasm;
};

/* Takes ownership of file, whose elf is open. */
static int code_file__begin(struct code_file *file, struct code_file **result)
{
	int ret = disasm__new(file->elf.ehdr.e_machine, &file->disasm);

	if (ret == -ENOMEM) {
		code_file__delete(file);
		return ret;
	}
	if (ret) /* no libcapstone, or another machine: bytes can still be read */
		file->disasm = NULL;
	*result = file;
	return 0;
}

int code_file__open(const char *path, const struct build_id *want, const struct file_places *places, struct code_file **file)
{
	struct code_file *new = calloc(1, sizeof(*new));
	int ret = new ? recorded_file__open(&new->elf, path, want, places, NULL) : -ENOMEM;

	if (!ret)
		return code_file__begin(new, file);
	free(new);
	return ret;
}

int code_file__open_image(const void *image, size_t size, const struct build_id *want, struct code_file **file)
{
	struct code_file *new = calloc(1, sizeof(*new));
	int ret = new ? elf_file__open_memory(&new->elf, image, size) : -ENOMEM;
	struct build_id id;

	if (ret) {
		free(new);
		return ret;
	}
	if (want && want->size && (elf_file__build_id(&new->elf, &id) || !build_id__equal(&id, want))) {
		code_file__delete(new);
		return -ESTALE;
	}
	new->image = image;
	new->image_size = size;
	return code_file__begin(new, file);
}

void code_file__delete(struct code_file *file)
{
	if (!file)
		return;
	disasm__delete(file->disasm);
	elf_file__close(&file->elf);
	free(file);
}

size_t code_file__read(const struct code_file *file, u64 offset, u8 *code, size_t size)
{
	size_t left = offset < file->image_size ? file->image_size - offset : 0;
	ssize_t len;

	if (file->elf.ehdr.e_machine != EM_X86_64)
		return 0;
	if (file->image) {
		left = left < size ? left : size;
		memcpy(code, file->image + (left ? offset : 0), left);
		return left;
	}
	len = offset <= INT64_MAX ? pread(file->elf.fd, code, size, offset) : 0;
	return len > 0 ? len : 0;
}

u32 code_file__insn(const struct code_file *file, u64 offset, u8 code[INSN_MAX_SIZE])
{
	size_t size = code_file__read(file, offset, code, INSN_MAX_SIZE);

	return file->disasm ? disasm__length(file->disasm, code, size) : 0;
}

// SPDX-License-Identifier: GPL-2.0
/* A jitdump file: its code and the table of its names. */
#include "tests/fuzz/fuzz.h"
#include "util/symbol/jitdump.h"
#include "util/symbol/recorded-file.h"

static int check_code(void *data, const struct jit_code *code)
{
	u64 file_size = *(u64 *)data;

	/* What the maps rely on */
	if (!code->size || code->offset > file_size || code->size > file_size - code->offset || code->addr + code->size < code->addr)
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct jitdump_head head;
	struct elf_budget budget;
	struct symtab *tab;
	struct errmsg err;
	u64 file_size = size;
	char path[] = "/tmp/fuzz-jitdump-XXXXXX"; /* links, as in /proc/self/fd, are not followed */
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	elf_budget__init(&budget, fd);
	jitdump__read(fd, &budget, &head, check_code, &file_size, &err);
	if (!symtab__load_jitdump(path, &(struct file_places){}, &tab, &err)) {
		for (u64 offset = 0; offset < size; offset += 8)
			symtab__find(tab, offset);
		symtab__delete(tab);
	}
	close(fd);
	unlink(path);
	return 0;
}

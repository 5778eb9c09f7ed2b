// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/unnamed-functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/array.h"
#include "util/lib/printable.h"
#include "util/symbol/eh-frame-hdr.h"

#define FDE_BEGIN 8 /* where an FDE has its code's address, relative to that place, and behind it the code's size */
#define FDE_HEAD 16

struct unnamed_functions {
	struct elf_file file; /* without contents */
	struct eh_frame_hdr hdr;
	u32 *size; /* of each function in hdr, in bytes */
	u32 *number; /* index in sym, plus 1; 0: it was not asked for yet */
	struct symbol **sym;
	u32 nr, room;
	char *name;
};

static u32 le32_at(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

/*
 * The size is in the FDE, and its form in the CIE. The usual one is known without that: then the address is the one of the table. A function with
 * another form ends where the next one begins.
 */
static u32 size_of(const struct unnamed_functions *f, u32 i, const u8 *fde)
{
	const u64 code = eh_frame_hdr__code(&f->hdr, i);
	const u64 next = i + 1 < f->hdr.nr ? eh_frame_hdr__code(&f->hdr, i + 1) - code : 1;

	if (fde && eh_frame_hdr__fde(&f->hdr, i) + FDE_BEGIN + (u64)(s64)(s32)le32_at(fde + FDE_BEGIN) == code)
		return le32_at(fde + FDE_BEGIN + 4);
	return next < UINT32_MAX ? next : 1;
}

/* The FDEs from the first to the last one in the file; NULL: there is no room for them. */
static u8 *read_fdes(struct unnamed_functions *f, u64 *begin, u64 *size)
{
	u64 low = UINT64_MAX, high = 0, offset;
	u8 *data;

	for (u32 i = 0; i < f->hdr.nr; i++) {
		const u64 fde = eh_frame_hdr__fde(&f->hdr, i);

		low = fde < low ? fde : low;
		high = fde > high ? fde : high;
	}
	*begin = low;
	*size = high - low + FDE_HEAD;
	if (high - low > UINT32_MAX || !elf_file__offset(&f->file, low, &offset) || !elf_budget__take(&f->file.budget, *size, "its .eh_frame"))
		return NULL;
	data = malloc(*size);
	if (data && elf_file__read(&f->file, offset, data, *size))
		return data;
	free(data);
	return NULL;
}

static int read_sizes(struct unnamed_functions *f)
{
	u64 begin, size, room = (u64)f->hdr.nr * (sizeof(*f->size) + sizeof(*f->number));
	u8 *fdes;

	if (!elf_budget__take(&f->file.budget, room, "the sizes of its functions"))
		return -E2BIG;
	f->size = malloc(f->hdr.nr * sizeof(*f->size));
	f->number = calloc(f->hdr.nr, sizeof(*f->number));
	if (!f->size || !f->number)
		return -ENOMEM;
	fdes = read_fdes(f, &begin, &size);
	for (u32 i = 0; i < f->hdr.nr; i++)
		f->size[i] = size_of(f, i, fdes ? fdes + (eh_frame_hdr__fde(&f->hdr, i) - begin) : NULL);
	free(fdes);
	return 0;
}

int unnamed_functions__open(const char *path, const struct build_id *want, const struct file_places *places, const char *name,
			    struct unnamed_functions **functions)
{
	struct unnamed_functions *f = calloc(1, sizeof(*f));
	int err = f ? recorded_file__open(&f->file, path, want, places, NULL) : -ENOMEM;

	if (err) {
		free(f);
		return err;
	}
	f->name = strdup(name);
	err = f->name ? eh_frame_hdr__read(&f->hdr, &f->file) ?: read_sizes(f) : -ENOMEM;
	elf_file__close_contents(&f->file);
	if (err)
		unnamed_functions__delete(f);
	else
		*functions = f;
	return err;
}

void unnamed_functions__delete(struct unnamed_functions *f)
{
	if (!f)
		return;
	for (u32 i = 0; i < f->nr; i++)
		free(f->sym[i]);
	free(f->sym);
	free(f->size);
	free(f->number);
	free(f->name);
	eh_frame_hdr__exit(&f->hdr);
	elf_file__close(&f->file);
	free(f);
}

static struct symbol *new_symbol(const struct unnamed_functions *f, u64 vaddr, u64 start, u32 size)
{
	const size_t name_size = strlen(f->name) + sizeof("+0x0123456789abcdef");
	struct symbol *sym = malloc(sizeof(*sym) + name_size);
	char *name;

	if (!sym)
		return NULL;
	name = (char *)(sym + 1);
	snprintf(name, name_size, "%s+0x%llx", f->name, (unsigned long long)vaddr);
	*sym = (struct symbol){ .start = start, .end = start + size, .name = printable__clean(name), .binding = 'l', .is_unnamed = true };
	return sym;
}

static const struct symbol *add_symbol(struct unnamed_functions *f, u32 i)
{
	const u64 vaddr = eh_frame_hdr__code(&f->hdr, i);
	struct symbol *sym;
	u64 start;

	if (array__grow(f->sym, f->nr, f->room))
		return NULL;
	sym = elf_file__offset(&f->file, vaddr, &start) ? new_symbol(f, vaddr, start, f->size[i]) : NULL;
	if (!sym)
		return NULL;
	f->sym[f->nr++] = sym;
	f->number[i] = f->nr;
	return sym;
}

const struct symbol *unnamed_functions__find(struct unnamed_functions *f, u64 offset)
{
	u64 vaddr;
	u32 before = elf_file__vaddr(&f->file, offset, &vaddr) ? eh_frame_hdr__nr_before(&f->hdr, vaddr) : 0, i = before - 1;

	if (!before || vaddr - eh_frame_hdr__code(&f->hdr, i) >= f->size[i])
		return NULL;
	return f->number[i] ? f->sym[f->number[i] - 1] : add_symbol(f, i);
}

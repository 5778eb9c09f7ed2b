// SPDX-License-Identifier: GPL-2.0
/*
 * Stripped files have no symbol for the cold part. But it is a function to the call frame information, and jumps from the hot part go into its
 * inside, while all others are called or jumped to at their begin. So the jumps are counted: the bytes of the hot part that look like one.
 */
#include "util/interp/python-loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/unwind/cfi-section.h"
#include "util/unwind/cfi-state.h"
#include "util/unwind/elf-frames.h"

#define MAX_LOOP (1 << 20) /* bytes; those of Debian have 60,000 */
#define MIN_JUMPS 16	   /* known files have 300 and more; bytes that look like a jump by chance hit one at most */

/* Targets of jumps, ascending */
struct jumps {
	u64 *to;
	size_t nr;
};

static int compare_targets(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* jmp rel32, and jcc rel32, whose second byte is 0x8x */
static bool is_jump(const u8 *code)
{
	return *code == 0xe9 || (code[-1] == 0x0f && (*code & 0xf0) == 0x80);
}

static int find_jumps(const u8 *code, u64 vaddr, u64 size, struct jumps *jumps)
{
	jumps->to = calloc(size, sizeof(*jumps->to));
	if (!jumps->to)
		return -ENOMEM;
	for (u64 i = 1; i + 5 <= size; i++) {
		s32 distance;
		u64 to;

		if (!is_jump(code + i))
			continue;
		memcpy(&distance, code + i + 1, sizeof(distance));
		to = vaddr + i + 5 + (s64)distance;
		if (to - vaddr >= size)
			jumps->to[jumps->nr++] = to;
	}
	qsort(jumps->to, jumps->nr, sizeof(*jumps->to), compare_targets);
	return 0;
}

static size_t first_above(const struct jumps *jumps, u64 address)
{
	size_t low = 0, high = jumps->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (jumps->to[middle] > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct search {
	struct jumps jumps;
	u64 begin, size; /* of the function that most go into */
	size_t most;
};

static int look_at(void *context, const struct cfi_fde *fde, u32 position)
{
	struct search *s = context;
	const size_t nr = first_above(&s->jumps, fde->begin + fde->size - 1) - first_above(&s->jumps, fde->begin);

	if (nr <= s->most)
		return 0;
	s->most = nr;
	s->begin = fde->begin;
	s->size = fde->size;
	return 0;
}

static int scan(struct elf_file *elf, struct search *s)
{
	struct elf_bytes bytes;
	struct cfi_section section;
	int ret = elf_frames__eh(elf, &bytes);

	if (ret || !bytes.data)
		return ret;
	section = (struct cfi_section){ .data = bytes.data, .size = bytes.size, .vaddr = bytes.vaddr, .machine = cfi_machine__of_elf(elf->ehdr.e_machine) };
	ret = cfi_section__scan(&section, &elf->budget, look_at, s);
	cfi_section__exit(&section);
	free(bytes.own);
	return ret;
}

static int search(struct elf_file *elf, const GElf_Sym *loop, const u8 *code, struct search *s)
{
	int ret = find_jumps(code, loop->st_value, loop->st_size, &s->jumps);

	if (!ret)
		ret = scan(elf, s);
	free(s->jumps.to);
	return ret;
}

int python_loop__find_cold(struct elf_file *elf, const GElf_Sym *loop, struct interp_file *file)
{
	struct search s = { 0 };
	u64 begin;
	u8 *code;
	int ret;

	if (!loop->st_size || loop->st_size > MAX_LOOP || !elf_budget__take(&elf->budget, 9 * loop->st_size, "the jumps of the interpreter's loop"))
		return 0;
	code = malloc(loop->st_size);
	if (!code)
		return -ENOMEM;
	ret = elf_file__read(elf, file->loop[0].begin, code, loop->st_size) ? search(elf, loop, code, &s) : 0;
	free(code);
	if (!ret && s.most >= MIN_JUMPS && elf_file__offset(elf, s.begin, &begin)) {
		file->loop[1].begin = begin;
		file->loop[1].size = s.size;
	}
	return ret;
}

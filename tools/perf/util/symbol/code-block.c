// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/code-block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/lib/array.h"
#include "util/lib/hash.h"

#define MAX_CODE (1U << 20) /* bytes of one function */
#define MAX_KEPT (1U << 19) /* limit of cached instructions of all functions */

struct range { /* a disassembled range of a function */
	UT_hash_handle hh;
	struct dwarf_code code;
	struct insn *insn;
	bool *is_target;
	u32 nr;
	bool jumps_anywhere, is_broken;
	/* is_complete: the jumps of the function's other ranges are included in is_target and function_jumps_anywhere */
	bool is_complete, function_jumps_anywhere;
};

struct code_functions {
	struct disasm *disasm;
	const struct elf_file *file;
	struct range *ranges;
	u32 nr_kept;
};

struct code_functions *code_functions__new(struct disasm *disasm, const struct elf_file *file)
{
	struct code_functions *functions = calloc(1, sizeof(*functions));

	if (!functions)
		return NULL;
	functions->disasm = disasm;
	functions->file = file;
	return functions;
}

static void range__delete(struct range *range)
{
	free(range->insn);
	free(range->is_target);
	free(range);
}

static void functions__drop_all(struct code_functions *functions)
{
	struct range *range, *next;

	HASH_ITER(hh, functions->ranges, range, next) {
		HASH_DEL(functions->ranges, range);
		range__delete(range);
	}
	functions->nr_kept = 0;
}

void code_functions__delete(struct code_functions *functions)
{
	if (!functions)
		return;
	functions__drop_all(functions);
	free(functions);
}

size_t elf_file__read_code(const struct elf_file *file, u64 vaddr, u8 *code, size_t size)
{
	size_t done = 0;
	ssize_t len;
	u64 offset;

	if (!elf_file__offset(file, vaddr, &offset) || offset > INT64_MAX - size)
		return 0;
	while (done < size && (len = pread(file->fd, code + done, size - done, offset + done)) > 0)
		done += len;
	return done;
}

static int range__decode(struct range *range, struct disasm *disasm, const u8 *code)
{
	u64 size = range->code.end - range->code.start, at = 0;
	u32 alloc = 0;

	while (at < size) {
		if (array__grow(range->insn, range->nr, alloc))
			return -ENOMEM;
		if (!disasm__decode(disasm, code + at, size - at, range->code.start + at, &range->insn[range->nr])) {
			range->is_broken = true;
			break;
		}
		range->jumps_anywhere |= range->insn[range->nr].is_indirect;
		at += range->insn[range->nr++].size;
	}
	range->is_target = calloc(range->nr + 1, sizeof(*range->is_target));
	return range->is_target ? 0 : -ENOMEM;
}

static int range__read(struct range *range, const struct code_functions *functions)
{
	u64 size = range->code.end - range->code.start;
	u8 *code;
	int ret;

	if (range->code.end < range->code.start || size > MAX_CODE)
		return -EFBIG;
	code = malloc(size + 1);
	if (!code)
		return -ENOMEM;
	ret = elf_file__read_code(functions->file, range->code.start, code, size) == size ? 0 : -ENOENT;
	ret = ret ?: range__decode(range, functions->disasm, code);
	free(code);
	return ret;
}

static int functions__range(struct code_functions *functions, const struct dwarf_code *code, struct range **found)
{
	struct range *range;
	int ret;

	HASH_FIND(hh, functions->ranges, code, sizeof(*code), range);
	if (range) {
		*found = range;
		return 0;
	}
	range = calloc(1, sizeof(*range));
	if (!range)
		return -ENOMEM;
	range->code = *code;
	ret = range__read(range, functions);
	if (!ret) {
		HASH_ADD(hh, functions->ranges, code, sizeof(range->code), range);
		ret = hash_added(range) ? 0 : -ENOMEM;
	}
	if (ret) {
		range__delete(range);
		return ret;
	}
	functions->nr_kept += range->nr;
	*found = range;
	return 0;
}

static int insn_at(const struct insn *insn, u32 nr, u64 vaddr)
{
	u32 lo = 0, hi = nr;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (insn[mid].addr < vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < nr && insn[lo].addr == vaddr ? (int)lo : -1;
}

int code_function__at(const struct code_function *function, u64 vaddr)
{
	return insn_at(function->insn, function->nr, vaddr);
}

/* Mark jumps from another range: separate parts of a function jump back into the others. */
static void mark_targets(struct range *to, const struct range *from)
{
	for (u32 i = 0; i < from->nr; i++) {
		int at = from->insn[i].has_target ? insn_at(to->insn, to->nr, from->insn[i].target) : -1;

		if (at >= 0)
			to->is_target[at] = true;
	}
}

/* Do it once: a large function may be looked up for each of its instructions. */
static int range__complete(struct range *own, struct code_functions *functions, const struct dwarf_code *range, u32 nr)
{
	struct range *other;
	int ret;

	for (u32 i = 0; i < nr && !own->is_complete; i++) {
		ret = functions__range(functions, &range[i], &other);
		if (ret)
			return ret;
		own->function_jumps_anywhere |= other->jumps_anywhere || other->is_broken;
		mark_targets(own, other);
	}
	own->is_complete = true;
	return 0;
}

int code_functions__find(struct code_functions *functions, const struct dwarf_code *range, u32 nr, u64 vaddr,
			 struct code_function *function)
{
	struct range *own = NULL;
	int ret;

	if (functions->nr_kept > MAX_KEPT)
		functions__drop_all(functions);
	for (u32 i = 0; i < nr && !own; i++) {
		if (vaddr - range[i].start >= range[i].end - range[i].start)
			continue;
		ret = functions__range(functions, &range[i], &own);
		if (ret)
			return ret;
	}
	if (!own)
		return -ENOENT;
	ret = range__complete(own, functions, range, nr);
	if (!ret)
		*function = (struct code_function){ own->insn, own->is_target, own->nr, own->function_jumps_anywhere };
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/table.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "util/unwind/cfi-section.h"
#include "util/unwind/elf-frames.h"
#include "util/unwind/known-code.h"
#include "util/unwind/rows.h"

#define FUNCTION_ALIGNMENT 16

struct range { /* the code of an FDE */
	u64 key; /* offset in the file, twice, and 1 more in .debug_frame: what is in .eh_frame comes first */
	u32 size;
	u32 position; /* in its section */
};

enum { EH_FRAME, DEBUG_FRAME, NR_SECTIONS };

struct builder {
	struct elf_file *file;
	const struct cfi_machine *machine;
	struct unwind_rules *rules;
	struct elf_bytes bytes[NR_SECTIONS];
	struct cfi_section section[NR_SECTIONS];
	struct known_code known;
	struct range *range;
	u32 nr, room;
	struct rows rows;
	u32 none; /* the rule for code that the file says nothing about */
	/* while one section is scanned, or one FDE is run */
	const struct elf_load *load; /* the segment of the code; a guess at the next one's */
	const struct cfi_section *of;
	struct cfi_fde fde;
};

static u64 begin_of(const struct range *range)
{
	return range->key >> 1;
}

/* The offset of code in the file; false: it is in no segment with code. */
static bool place_code(struct builder *b, u64 vaddr, u64 size, u64 *offset)
{
	const struct elf_file *file = b->file;
	const struct elf_load *load = b->load;

	for (u32 i = 0; !load || vaddr - load->vaddr >= load->file_size; i++) {
		if (i == file->nr_load)
			return false;
		load = file->load[i].flags & PF_X ? &file->load[i] : NULL;
	}
	b->load = load;
	*offset = vaddr - load->vaddr + load->offset;
	return size <= load->file_size - (vaddr - load->vaddr) && size <= UINT32_MAX && *offset <= INT64_MAX;
}

static int add_range(void *context, const struct cfi_fde *fde, u32 position)
{
	struct builder *b = context;
	u64 offset;

	if (!place_code(b, fde->begin, fde->size, &offset))
		return 0;
	if (b->nr == b->room) {
		u32 room = b->room ? 2 * b->room : 256;
		struct range *bigger;

		if (!elf_budget__take(&b->file->budget, (room - b->room) * sizeof(*bigger), "the functions of its unwinding table"))
			return -E2BIG;
		bigger = reallocarray(b->range, room, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		b->range = bigger;
		b->room = room;
	}
	b->range[b->nr++] = (struct range){ .key = offset << 1 | b->of->is_debug, .size = fde->size, .position = position };
	return 0;
}

static int scan(struct builder *b, int which)
{
	struct elf_bytes *bytes = &b->bytes[which];
	struct cfi_section *section = &b->section[which];
	int err = which == DEBUG_FRAME ? elf_frames__debug(b->file, bytes) : elf_frames__eh(b->file, bytes);

	if (err || !bytes->data)
		return err;
	*section = (struct cfi_section){
		.data = bytes->data, .size = bytes->size, .vaddr = bytes->vaddr, .is_debug = which == DEBUG_FRAME, .machine = b->machine,
	};
	b->of = section;
	return cfi_section__scan(section, &b->file->budget, add_range, b);
}

static int by_key(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

#define DIGIT_BITS 11
#define NR_DIGITS (1 << DIGIT_BITS)

/* Move the ranges from one array to the other, by one digit of their keys; those with equal digits stay in their order. */
static void sort_by_digit(const struct range *from, struct range *to, u32 nr, int shift)
{
	u32 place[NR_DIGITS] = { 0 }, next = 0;

	for (u32 i = 0; i < nr; i++)
		place[from[i].key >> shift & (NR_DIGITS - 1)]++;
	for (u32 digit = 0; digit < NR_DIGITS; digit++) {
		u32 count = place[digit];

		place[digit] = next;
		next += count;
	}
	for (u32 i = 0; i < nr; i++)
		to[place[from[i].key >> shift & (NR_DIGITS - 1)]++] = from[i];
}

/* Faster than qsort(), which calls a function for each comparison. false: no memory is left. */
static bool sort_by_digits(struct builder *b, u64 max_key)
{
	struct range *other = malloc(b->nr * sizeof(*other)); /* as much as the budget had for b->range */

	if (!other)
		return false;
	for (int shift = 0; shift < 64 && max_key >> shift; shift += DIGIT_BITS) {
		struct range *sorted = other;

		sort_by_digit(b->range, sorted, b->nr, shift);
		other = b->range;
		b->range = sorted;
	}
	b->room = b->nr; /* of the other array */
	free(other);
	return true;
}

/* Mostly they are sorted already, or in a few runs; always by position where their keys are equal. */
static void sort_ranges(struct builder *b)
{
	bool sorted = true;
	u64 max_key = 0;

	for (u32 i = 0; i < b->nr; i++) {
		sorted &= b->range[i].key >= max_key;
		max_key = b->range[i].key > max_key ? b->range[i].key : max_key;
	}
	if (!sorted && !sort_by_digits(b, max_key))
		qsort(b->range, b->nr, sizeof(*b->range), by_key);
}

/*
 * Functions without call frame information are some in assembly, which may do anything. So much of it comes from a compiler that writes none,
 * as node's built-in functions do: it may keep frame pointers for its debugger, and else the stack ends there anyway.
 */
#define MUCH_CODE 65536

static void add_none(struct builder *b, u64 begin, u64 end)
{
	const u32 none = end - begin < MUCH_CODE ? b->none : UNWIND_RULE_FP;
	u64 done = begin;

	rows__add(&b->rows, begin, none);
	for (u32 i = 0; i < b->known.nr; i++) {
		const struct known_block *block = &b->known.block[i];

		if (block->begin < done || block->begin >= end)
			continue;
		done = block->end;
		for (u32 k = 0; k < block->nr && block->begin + block->row[k].at < end; k++)
			rows__add(&b->rows, block->begin + block->row[k].at, unwind_rules__id(b->rules, &block->row[k].rule));
		if (block->end < end)
			rows__add(&b->rows, block->end, none);
	}
}

/* From an address of the FDE that is being run to an offset in the file */
static u64 offset_of(const struct builder *b, u64 vaddr)
{
	return vaddr - b->load->vaddr + b->load->offset;
}

/* What Go says in .debug_frame; see unwind_rule__has_pointers() */
static struct unwind_rule with_pointers(const struct builder *b, struct unwind_rule rule)
{
	if (rule.cfa != UNWIND_CFA_SP || rule.ra != UNWIND_RA_CFA || rule.ra_off != -1 || rule.bp != UNWIND_BP_SAME)
		return unwind_rules__array(b->rules)[UNWIND_RULE_FP];
	rule.reg = UNWIND_X86_BP;
	rule.bx = UNWIND_BX_LOST;
	return rule;
}

static void add_state(void *context, u64 at, const struct cfi_state *state)
{
	struct builder *b = context;
	struct unwind_rule rule = cfi_state__rule(state, b->machine, b->fde.cie->is_signal);

	if (b->known.is_go && b->of->is_debug)
		rule = with_pointers(b, rule);
	rows__add(&b->rows, offset_of(b, at), unwind_rules__id(b->rules, &rule));
}

static void add_unknown(void *context, u64 at)
{
	struct builder *b = context;

	rows__add(&b->rows, offset_of(b, at), UNWIND_RULE_HARD);
}

static bool read_address(void *context, struct bytes *program, u64 *at)
{
	const struct builder *b = context;

	return cfi_section__address(b->of, b->fde.cie->encoding, program, at);
}

/* The rows of a range, up to end */
static void add_range_rows(struct builder *b, const struct range *range, u64 end)
{
	struct cfi_run run = { .machine = b->machine, .changed = add_state, .unknown = add_unknown, .address = read_address, .context = b };
	struct cfi_state state;
	u64 offset;

	b->of = &b->section[range->key & 1 ? DEBUG_FRAME : EH_FRAME];
	if (begin_of(range) == b->known.entry || begin_of(range) == b->known.context) {
		rows__add(&b->rows, begin_of(range), UNWIND_RULE_END);
		return;
	}
	if (!cfi_section__fde(b->of, range->position, &b->fde) || !place_code(b, b->fde.begin, b->fde.size, &offset))
		return;
	run.cie = b->fde.cie;
	run.at = b->fde.begin;
	run.end = b->fde.begin + (end - begin_of(range));
	state = run.cie->initial;
	cfi_run__program(&run, b->fde.program, &state);
}

/* Between functions that are aligned to 16 bytes: no code, so the rule before it may hold on. Saves a row in seven. */
static bool is_padding(u64 begin, u64 end)
{
	return end - begin < FUNCTION_ALIGNMENT && !(end % FUNCTION_ALIGNMENT);
}

static void add_rows(struct builder *b, u64 begin, u64 end)
{
	u64 done = begin;
	u32 next;

	for (u32 i = 0; i < b->nr && !b->rows.err; i = next) {
		const struct range *range = &b->range[i];
		u64 from = begin_of(range), to = from + range->size;

		for (next = i + 1; next < b->nr && begin_of(&b->range[next]) == from;) /* the same code again */
			next++;
		if (next < b->nr && begin_of(&b->range[next]) < to) /* overlapping: the later one is right from its begin on */
			to = begin_of(&b->range[next]);
		if (from > done && !is_padding(done, from))
			add_none(b, done, from);
		if (from == b->known.context && from > done) /* a return address is looked up by the byte before it */
			rows__add(&b->rows, from - 1, UNWIND_RULE_END);
		add_range_rows(b, range, to);
		done = to;
	}
	if (done < end)
		add_none(b, done, end);
}

/* Where the file has code: [*begin, *end) */
static bool find_code(const struct elf_file *file, u64 *begin, u64 *end)
{
	*begin = UINT64_MAX;
	*end = 0;
	for (u32 i = 0; i < file->nr_load; i++) {
		const struct elf_load *load = &file->load[i];

		if (!(load->flags & PF_X) || !load->file_size || load->offset + load->file_size < load->offset)
			continue;
		*begin = load->offset < *begin ? load->offset : *begin;
		*end = load->offset + load->file_size > *end ? load->offset + load->file_size : *end;
	}
	return *begin < *end;
}

static int build(struct builder *b)
{
	int err = scan(b, EH_FRAME);
	u64 begin, end;

	known_code__find(&b->known, b->file);
	if (!err && (!b->known.is_go || unwind_rules__machine(b->rules) == EM_X86_64))
		err = scan(b, DEBUG_FRAME);
	if (err)
		return err;
	if ((!b->nr && !b->known.has_sigreturn) || !find_code(b->file, &begin, &end))
		return -ENODATA;
	sort_ranges(b);
	b->none = b->known.is_go || !b->nr ? UNWIND_RULE_FP : UNWIND_RULE_NONE;
	unwind_rules__begin_file(b->rules);
	err = rows__init(&b->rows, begin, end, &b->file->budget);
	if (err)
		return err;
	add_rows(b, begin, end);
	return rows__finish(&b->rows);
}

static int explain(const struct builder *b, int err, const char *path, struct errmsg *msg)
{
	const char *left_out = b->file->budget.left_out;

	switch (err) {
	case 0:
		return 0;
	case -ENODATA:
		return errmsg__set(msg, ENODATA, "%s: it has no call frame information", path);
	case -E2BIG:
		return errmsg__set(msg, E2BIG, "%s: %s", path, *left_out ? left_out : "its code or its call frame information has more than 4 GiB");
	default:
		return errmsg__set(msg, ENOMEM, "%s: out of memory", path);
	}
}

static void builder__exit(struct builder *b)
{
	for (int i = 0; i < NR_SECTIONS; i++) {
		cfi_section__exit(&b->section[i]);
		free(b->bytes[i].own);
	}
	free(b->range);
	rows__exit(&b->rows);
}

static int finish(struct builder *b, struct unwind_table **table)
{
	*table = malloc(sizeof(**table));
	if (!*table)
		return -ENOMEM;
	**table = (struct unwind_table){ b->rows.first_page, b->rows.nr_pages, b->rows.nr, b->rows.index, b->rows.row };
	b->rows = (struct rows){};
	return 0;
}

static bool is_for(const struct elf_file *file, const struct unwind_rules *rules)
{
	return file->ehdr.e_machine == unwind_rules__machine(rules) && file->ehdr.e_ident[EI_CLASS] == ELFCLASS64 &&
	       file->ehdr.e_ident[EI_DATA] == ELFDATA2LSB;
}

/* Closes the file. */
static int load(struct elf_file *file, const char *path, struct unwind_rules *rules, struct unwind_table **table, struct errmsg *msg)
{
	struct builder b = { .file = file, .rules = rules, .machine = cfi_machine__of_elf(unwind_rules__machine(rules)) };
	int err;

	*table = NULL;
	if (!b.machine || !is_for(file, rules)) {
		elf_file__close(file);
		return errmsg__set(msg, ENOTSUP, "%s: it is for another machine", path);
	}
	err = build(&b);
	if (!err)
		err = finish(&b, table);
	err = explain(&b, err, path, msg);
	builder__exit(&b);
	elf_file__close(file);
	return err;
}

int unwind_table__load(const char *path, struct unwind_rules *rules, struct unwind_table **table, struct errmsg *err)
{
	struct elf_file file;
	int rc = elf_file__open(&file, path, err);

	*table = NULL;
	return rc ? rc : load(&file, path, rules, table, err);
}

int unwind_table__load_fd(int fd, const char *path, struct unwind_rules *rules, struct unwind_table **table, struct errmsg *err)
{
	struct elf_file file;
	int rc = elf_file__open_fd(&file, fd, path, err);

	*table = NULL;
	return rc ? rc : load(&file, path, rules, table, err);
}

int unwind_table__load_memory(const void *image, size_t size, const char *name, struct unwind_rules *rules, struct unwind_table **table,
			      struct errmsg *err)
{
	struct elf_file file;
	int rc = elf_file__open_memory(&file, image, size);

	*table = NULL;
	return rc ? errmsg__set(err, -rc, "%s: not an ELF file, or a damaged one", name) : load(&file, name, rules, table, err);
}

void unwind_table__delete(struct unwind_table *table)
{
	if (!table)
		return;
	free((void *)table->index);
	free((void *)table->rows);
	free(table);
}

u32 unwind_table__rule(const struct unwind_table *table, u64 offset)
{
	u64 page = (offset >> UNWIND_PAGE_SHIFT) - table->first_page;
	u32 low = offset & UNWIND_PAGE_MASK, from, to;

	if (page >= table->nr_pages)
		return UNWIND_RULE_NONE;
	from = table->index[page];
	to = table->index[page + 1];
	while (from < to) { /* the first row that begins behind offset */
		u32 middle = from + (to - from) / 2;

		if (table->rows[middle].low <= low)
			from = middle + 1;
		else
			to = middle;
	}
	return table->rows[from - 1].rule;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols nest and overlap: labels within functions, PLT entries within what a symbol without a size was stretched to. A
 * settled table is therefore cut into spans, each with the one symbol that a look-up there finds: of all that cover an address,
 * the one that starts last.
 */
#include "util/symbol/symtab.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/printable.h"
#include "util/symbol/symtab-build.h"

#define NO_SYMBOL UINT32_MAX
#define PAGE 4096
#define NR_BUCKETS 4096

struct span { /* up to the next one's start */
	u64 start;
	u32 sym; /* index or NO_SYMBOL */
};

struct symtab {
	struct symbol *sym;
	u32 nr, nr_span;
	struct span *span;
	u32 *bucket; /* [i]: how many spans start before the i-th part of the addresses; NR_BUCKETS + 1 of them */
	u64 begin;
	u8 bucket_shift;
	char *names;
};

static int grow(void *array_ptr, size_t *alloc, size_t need, size_t elem_size)
{
	void **array = array_ptr, *bigger;
	size_t new_alloc = *alloc ? *alloc : 64;

	if (need <= *alloc)
		return 0;
	while (new_alloc < need)
		new_alloc *= 2;
	bigger = reallocarray(*array, new_alloc, elem_size);
	if (!bigger)
		return -ENOMEM;
	*array = bigger;
	*alloc = new_alloc;
	return 0;
}

static int symtab_builder__add_name(struct symtab_builder *b, const char *name)
{
	size_t size = strlen(name) + 1;

	if (b->names_size + size > UINT32_MAX)
		return -E2BIG;
	if (grow(&b->names, &b->names_alloc, b->names_size + size, 1))
		return -ENOMEM;
	memcpy(b->names + b->names_size, name, size);
	printable__clean_bytes(b->names + b->names_size, size - 1);
	b->names_size += size;
	return 0;
}

int symtab_builder__add(struct symtab_builder *b, u64 start, u64 size, u8 binding, u8 type, const char *name)
{
	char *demangled = b->demangle ? demangle(name, b->short_names) : NULL;
	struct raw_symbol sym = {
		.start = start, .end = start + size < start ? UINT64_MAX : start + size,
		.name = b->names_size, .seq = b->nr, .binding = binding, .type = type,
	};
	int err = symtab_builder__add_name(b, demangled ? demangled : name);

	free(demangled);
	if (err)
		return err;
	if (b->nr == NO_SYMBOL)
		return -E2BIG;
	err = grow(&b->sym, &b->alloc, b->nr + 1, sizeof(b->sym[0]));
	if (!err)
		b->sym[b->nr++] = sym;
	return err;
}

static int by_start(const void *a, const void *b)
{
	const struct raw_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void symtab_builder__sort(struct symtab_builder *b)
{
	u32 i = 1;

	while (i < b->nr && by_start(&b->sym[i - 1], &b->sym[i]) < 0) /* kallsyms is in order */
		i++;
	if (i < b->nr)
		qsort(b->sym, b->nr, sizeof(b->sym[0]), by_start);
}

/* Assembly code often lacks sizes: such a symbol reaches to the next one, the last one to the end of the next page. */
static void symtab_builder__fix_ends(struct symtab_builder *b)
{
	for (u32 i = 0; i < b->nr; i++) {
		struct raw_symbol *sym = &b->sym[i];

		if (sym->end > sym->start)
			continue;
		if (i + 1 < b->nr)
			sym->end = b->sym[i + 1].start;
		else
			sym->end = sym->start > UINT64_MAX - 2 * PAGE ? UINT64_MAX : ALIGN_UP(sym->start, PAGE) + PAGE;
	}
}

static int leading_underscores(const char *name)
{
	return strspn(name, "_");
}

/* Which of two symbols with the same start is shown? The same one as in stock perf: > 0: x, < 0: y. */
static int symtab_builder__compare(const struct symtab_builder *b, const struct raw_symbol *x, const struct raw_symbol *y)
{
	const char *x_name = b->names + x->name, *y_name = b->names + y->name;
	int diff;

	diff = (x->end > x->start) - (y->end > y->start);
	if (!diff)
		diff = (x->type != STT_NOTYPE) - (y->type != STT_NOTYPE);
	if (!diff)
		diff = (x->binding != STB_WEAK) - (y->binding != STB_WEAK);
	if (!diff)
		diff = (x->binding == STB_GLOBAL) - (y->binding == STB_GLOBAL);
	if (!diff)
		diff = leading_underscores(y_name) - leading_underscores(x_name);
	if (!diff)
		diff = (strlen(x_name) > strlen(y_name)) - (strlen(x_name) < strlen(y_name));
	return diff ? diff : 1;
}

static void symtab_builder__drop_duplicates(struct symtab_builder *b)
{
	u32 nr = 0;

	for (u32 i = 0; i < b->nr; i++) {
		if (nr && b->sym[nr - 1].start == b->sym[i].start) {
			if (symtab_builder__compare(b, &b->sym[nr - 1], &b->sym[i]) < 0)
				b->sym[nr - 1] = b->sym[i];
		} else {
			b->sym[nr++] = b->sym[i];
		}
	}
	b->nr = nr;
}

void symtab_builder__settle(struct symtab_builder *b)
{
	symtab_builder__sort(b);
	symtab_builder__fix_ends(b);
	symtab_builder__drop_duplicates(b);
	b->nr_settled = b->nr;
}

const char *symtab_builder__name_at(const struct symtab_builder *b, u64 start)
{
	u32 lo = 0, hi = b->nr_settled;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (b->sym[mid].start < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < b->nr_settled && b->sym[lo].start == start ? b->names + b->sym[lo].name : NULL;
}

void symtab_builder__move(struct symtab_builder *b, u64 by)
{
	for (u32 i = 0; i < b->nr; i++) {
		b->sym[i].start += by;
		b->sym[i].end += by;
	}
}

void symtab_builder__exit(struct symtab_builder *b)
{
	free(b->sym);
	free(b->names);
	*b = (struct symtab_builder){};
}

static void symtab__add_span(struct symtab *tab, u64 start, u32 sym)
{
	if (tab->nr_span && tab->span[tab->nr_span - 1].start == start)
		tab->nr_span--;
	if (!tab->nr_span || tab->span[tab->nr_span - 1].sym != sym)
		tab->span[tab->nr_span++] = (struct span){ start, sym };
}

/* Each symbol opens one span, and each end of one another: twice as many spans as symbols are enough. */
static int symtab__make_spans(struct symtab *tab)
{
	u32 *open = malloc((size_t)tab->nr * sizeof(*open) + 1), nr_open = 0; /* by start; the last one is found */

	tab->span = malloc(2 * (size_t)tab->nr * sizeof(*tab->span) + 1);
	if (!open || !tab->span) {
		free(open);
		return -ENOMEM;
	}
	for (u32 i = 0; i <= tab->nr; i++) {
		u64 start = i < tab->nr ? tab->sym[i].start : UINT64_MAX;

		while (nr_open && tab->sym[open[nr_open - 1]].end <= start) {
			u64 end = tab->sym[open[--nr_open]].end;

			while (nr_open && tab->sym[open[nr_open - 1]].end <= end)
				nr_open--;
			symtab__add_span(tab, end, nr_open ? open[nr_open - 1] : NO_SYMBOL);
		}
		if (i < tab->nr) {
			open[nr_open++] = i;
			symtab__add_span(tab, start, i);
		}
	}
	free(open);
	return 0;
}

/* Searches begin in the part of the table that an address is in, which takes few looks at memory. */
static int symtab__make_buckets(struct symtab *tab)
{
	u64 range = tab->nr_span ? tab->span[tab->nr_span - 1].start - tab->span[0].start : 0;
	u32 span = 0;

	tab->bucket = malloc((NR_BUCKETS + 1) * sizeof(*tab->bucket));
	if (!tab->bucket)
		return -ENOMEM;
	tab->begin = tab->nr_span ? tab->span[0].start : 0;
	while (range >> tab->bucket_shift >= NR_BUCKETS)
		tab->bucket_shift++;
	for (u32 i = 0; i <= NR_BUCKETS; i++) {
		while (span < tab->nr_span && (tab->span[span].start - tab->begin) >> tab->bucket_shift < i)
			span++;
		tab->bucket[i] = span;
	}
	return 0;
}

static char binding_char(u8 binding)
{
	return binding == STB_GLOBAL ? 'g' : binding == STB_LOCAL ? 'l' : 'w';
}

int symtab_builder__finish(struct symtab_builder *b, struct symtab **tabp)
{
	struct symtab *tab = calloc(1, sizeof(*tab));

	if (!tab)
		return -ENOMEM;
	tab->nr = b->nr;
	tab->names = b->names;
	b->names = NULL;
	tab->sym = malloc((size_t)tab->nr * sizeof(*tab->sym) + 1);
	for (u32 i = 0; tab->sym && i < tab->nr; i++) {
		const struct raw_symbol *raw = &b->sym[i];

		tab->sym[i] = (struct symbol){
			.start = raw->start, .end = raw->end, .name = tab->names + raw->name,
			.binding = binding_char(raw->binding), .is_data = raw->type == STT_OBJECT, .index = i,
		};
	}
	symtab_builder__exit(b);
	if (!tab->sym || symtab__make_spans(tab) || symtab__make_buckets(tab)) {
		symtab__delete(tab);
		return -ENOMEM;
	}
	*tabp = tab;
	return 0;
}

void symtab__delete(struct symtab *tab)
{
	if (!tab)
		return;
	free(tab->sym);
	free(tab->span);
	free(tab->bucket);
	free(tab->names);
	free(tab);
}

const struct symbol *symtab__find(const struct symtab *tab, u64 addr)
{
	u64 part = (addr - tab->begin) >> tab->bucket_shift;
	u32 lo, hi;

	if (addr < tab->begin)
		return NULL;
	if (part >= NR_BUCKETS) /* behind all starts */
		part = NR_BUCKETS - 1;
	lo = tab->bucket[part];
	hi = tab->bucket[part + 1];
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (tab->span[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && tab->span[lo - 1].sym != NO_SYMBOL ? &tab->sym[tab->span[lo - 1].sym] : NULL;
}

const struct symbol *symtab__find_name(const struct symtab *tab, const char *name)
{
	for (u32 i = 0; i < tab->nr; i++) {
		if (!strcmp(tab->sym[i].name, name))
			return &tab->sym[i];
	}
	return NULL;
}

u32 symtab__nr(const struct symtab *tab)
{
	return tab->nr;
}

const struct symbol *symtab__at(const struct symtab *tab, u32 index)
{
	return index < tab->nr ? &tab->sym[index] : NULL;
}

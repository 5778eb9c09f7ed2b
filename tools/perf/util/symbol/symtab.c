// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols nest and overlap: labels within functions, PLT entries within a symbol without a size that was extended. A settled table
 * is therefore cut into spans, each with the one symbol that a look-up there returns: of all that cover an address, the one that
 * starts last.
 */
#include "util/symbol/symtab.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/printable.h"
#include "util/symbol/symtab-build.h"

#define NO_SYMBOL UINT32_MAX
#define PAGE 4096
#define MIN_BUCKETS 64
#define MAX_BUCKETS (1 << 17)
/*
 * Memory for one symbol while it is sorted: in the builder (doubled, as its array may be half empty), its place and span, and in the
 * table.
 */
#define MEMORY_PER_SYMBOL 144

struct span { /* ends at the start of the next one */
	u64 start;
	u32 sym; /* index or NO_SYMBOL */
};

struct demangled { /* cache of names that were looked up */
	bool short_names;
	u64 left; /* bytes of memory left */
	char **name;
	size_t nr, alloc;
};

struct symtab {
	struct symbol *sym;
	u32 nr, nr_span;
	struct span *span;
	u32 *bucket; /* [i]: number of spans that start before part i of the addresses; nr_buckets + 1 of them */
	u32 nr_buckets;
	u64 begin;
	u8 bucket_shift;
	char *names;
	struct demangled *demangled; /* NULL: names are shown as they are */
	char *left_out; /* see symtab__left_out(); NULL: nothing */
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

	if (b->names_size + size > UINT32_MAX || (b->budget && !elf_budget__take(b->budget, size, "the names of its symbols")))
		return -E2BIG;
	if (grow(&b->names, &b->names_alloc, b->names_size + size, 1))
		return -ENOMEM;
	memcpy(b->names + b->names_size, name, size);
	b->names_size += size;
	return 0;
}

int symtab_builder__add(struct symtab_builder *b, u64 start, u64 size, u8 binding, u8 type, const char *name)
{
	struct raw_symbol sym = {
		.start = start, .end = start + size < start ? UINT64_MAX : start + size,
		.name = b->names_size, .binding = binding, .type = type, .mangled = b->demangle && demangle__may(name),
	};
	int err;

	if (b->budget && !elf_budget__take(b->budget, MEMORY_PER_SYMBOL, "the table of its symbols"))
		return -E2BIG;
	err = symtab_builder__add_name(b, name);
	if (err)
		return err;
	if (!sym.mangled)
		printable__clean_bytes(b->names + sym.name, b->names_size - sym.name - 1);
	if (b->nr == NO_SYMBOL)
		return -E2BIG;
	err = grow(&b->sym, &b->alloc, b->nr + 1, sizeof(b->sym[0]));
	if (!err)
		b->sym[b->nr++] = sym;
	return err;
}

struct place {
	u64 start;
	u32 at; /* index in the builder */
};

/* Radix sort by the bytes of start, lowest first; skips bytes that are equal in all. Returns the array with the result. */
static struct place *sort_places(struct place *from, struct place *to, u32 nr)
{
	for (u32 shift = 0; shift < 64; shift += 8) {
		u32 next[257] = {};
		struct place *other = to;

		for (u32 i = 0; i < nr; i++)
			next[(from[i].start >> shift & 0xff) + 1]++;
		if (next[(from[0].start >> shift & 0xff) + 1] == nr)
			continue;
		for (u32 i = 1; i < 256; i++)
			next[i] += next[i - 1];
		for (u32 i = 0; i < nr; i++)
			to[next[from[i].start >> shift & 0xff]++] = from[i];
		to = from;
		from = other;
	}
	return from;
}

static int symtab_builder__reorder(struct symtab_builder *b)
{
	struct place *places = malloc(2 * (size_t)b->nr * sizeof(*places)), *sorted;
	struct raw_symbol *sym = malloc(b->nr * sizeof(*sym));

	if (!places || !sym) {
		free(places);
		free(sym);
		return -ENOMEM;
	}
	for (u32 i = 0; i < b->nr; i++)
		places[i] = (struct place){ b->sym[i].start, i };
	sorted = sort_places(places, places + b->nr, b->nr);
	for (u32 i = 0; i < b->nr; i++)
		sym[i] = b->sym[sorted[i].at];
	free(places);
	free(b->sym);
	b->sym = sym;
	b->alloc = b->nr;
	return 0;
}

/* Stable: symbols with the same start stay in the order of their source. */
static int symtab_builder__sort(struct symtab_builder *b)
{
	u32 i = 1;

	while (i < b->nr && b->sym[i - 1].start <= b->sym[i].start) /* kallsyms is already sorted */
		i++;
	return i < b->nr ? symtab_builder__reorder(b) : 0;
}

/* Assembly code often lacks sizes: extend such a symbol to the next one, the last one to the end of the next page. */
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

/* Demangle early only if several symbols share a start: the shown names decide between them. */
static void symtab_builder__demangle(struct symtab_builder *b, struct raw_symbol *sym)
{
	/* without space for the result, demangling would be repeated in vain */
	bool has_room = !b->budget || b->budget->left >= MAX_DEMANGLED;
	char *demangled = sym->mangled && has_room ? demangle(b->names + sym->name, b->short_names) : NULL;
	u32 name = b->names_size;

	if (demangled && !symtab_builder__add_name(b, demangled)) {
		sym->name = name;
		sym->mangled = false;
		printable__clean(b->names + name);
	}
	free(demangled);
}

/* Variants of one constructor or destructor, such as _ZN1AC1Ev and _ZN1AC2Ev: their demangled names are equal. */
static bool are_variants(const char *x, const char *y)
{
	size_t i = 0;

	while (x[i] && x[i] == y[i])
		i++;
	return i && (x[i - 1] == 'C' || x[i - 1] == 'D') && isdigit((unsigned char)x[i]) && isdigit((unsigned char)y[i]) && x[i + 1] == 'E' &&
	       !strcmp(x + i + 1, y + i + 1);
}

static int symtab_builder__compare_names(struct symtab_builder *b, struct raw_symbol *x, struct raw_symbol *y)
{
	const char *x_name, *y_name;
	int diff;

	if (x->mangled == y->mangled && !strcmp(b->names + x->name, b->names + y->name)) /* in both .symtab and .dynsym */
		return 0;
	if (x->mangled && y->mangled && are_variants(b->names + x->name, b->names + y->name))
		return 0;
	symtab_builder__demangle(b, x);
	symtab_builder__demangle(b, y);
	x_name = b->names + x->name;
	y_name = b->names + y->name;
	diff = leading_underscores(y_name) - leading_underscores(x_name);
	return diff ?: (strlen(x_name) > strlen(y_name)) - (strlen(x_name) < strlen(y_name));
}

/* Choose between two symbols with the same start, as stock perf does: > 0: x, < 0: y. */
static int symtab_builder__compare(struct symtab_builder *b, struct raw_symbol *x, struct raw_symbol *y)
{
	int diff;

	diff = (x->end > x->start) - (y->end > y->start);
	if (!diff)
		diff = (x->type != STT_NOTYPE) - (y->type != STT_NOTYPE);
	if (!diff)
		diff = (x->binding != STB_WEAK) - (y->binding != STB_WEAK);
	if (!diff)
		diff = (x->binding == STB_GLOBAL) - (y->binding == STB_GLOBAL);
	if (!diff)
		diff = symtab_builder__compare_names(b, x, y);
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
	if (symtab_builder__sort(b))
		b->error = -ENOMEM;
	symtab_builder__fix_ends(b);
	symtab_builder__drop_duplicates(b);
	b->nr_settled = b->nr;
}

const char *symtab_builder__name_at(struct symtab_builder *b, u64 start)
{
	u32 lo = 0, hi = b->nr_settled;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (b->sym[mid].start < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == b->nr_settled || b->sym[lo].start != start)
		return NULL;
	symtab_builder__demangle(b, &b->sym[lo]);
	return b->names + b->sym[lo].name;
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

/* Each symbol starts one span, and each end of a symbol another: twice as many spans as symbols suffice. */
static int symtab__make_spans(struct symtab *tab)
{
	u32 *open = malloc((size_t)tab->nr * sizeof(*open) + 1), nr_open = 0; /* open symbols, by start; the last one covers the address */

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

/* Bucket starts: a search begins in the address's part of the table, mostly with one or two spans, and reads little memory. */
static int symtab__make_buckets(struct symtab *tab)
{
	u64 range = tab->nr_span ? tab->span[tab->nr_span - 1].start - tab->span[0].start : 0;
	u32 span = 0;

	tab->nr_buckets = MIN_BUCKETS;
	while (tab->nr_buckets < tab->nr_span && tab->nr_buckets < MAX_BUCKETS)
		tab->nr_buckets *= 2;
	tab->bucket = malloc((tab->nr_buckets + 1) * sizeof(*tab->bucket));
	if (!tab->bucket)
		return -ENOMEM;
	tab->begin = tab->nr_span ? tab->span[0].start : 0;
	while (range >> tab->bucket_shift >= tab->nr_buckets)
		tab->bucket_shift++;
	for (u32 i = 0; i <= tab->nr_buckets; i++) {
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

static void symtab__take_symbols(struct symtab *tab, const struct symtab_builder *b)
{
	for (u32 i = 0; i < tab->nr; i++) {
		const struct raw_symbol *raw = &b->sym[i];

		tab->sym[i] = (struct symbol){
			.start = raw->start, .end = raw->end, .name = tab->names + raw->name, .mangled = raw->mangled,
			.binding = binding_char(raw->binding), .is_data = raw->type == STT_OBJECT, .index = i,
		};
	}
}

int symtab_builder__finish(struct symtab_builder *b, struct symtab **tabp)
{
	struct symtab *tab = b->error ? NULL : calloc(1, sizeof(*tab));

	if (!tab)
		return -ENOMEM;
	tab->nr = b->nr;
	tab->names = b->names;
	b->names = NULL;
	tab->sym = malloc((size_t)tab->nr * sizeof(*tab->sym) + 1);
	if (b->demangle)
		tab->demangled = calloc(1, sizeof(*tab->demangled));
	if (!tab->sym || (b->demangle && !tab->demangled)) {
		symtab__delete(tab);
		return -ENOMEM;
	}
	if (tab->demangled)
		*tab->demangled = (struct demangled){ .short_names = b->short_names, .left = b->budget ? b->budget->left : UINT64_MAX };
	symtab__take_symbols(tab, b);
	symtab_builder__exit(b);
	if (symtab__make_spans(tab) || symtab__make_buckets(tab)) {
		symtab__delete(tab);
		return -ENOMEM;
	}
	*tabp = tab;
	return 0;
}

static void demangled__delete(struct demangled *d)
{
	for (size_t i = 0; d && i < d->nr; i++)
		free(d->name[i]);
	if (d)
		free(d->name);
	free(d);
}

void symtab__delete(struct symtab *tab)
{
	if (!tab)
		return;
	demangled__delete(tab->demangled);
	free(tab->sym);
	free(tab->span);
	free(tab->bucket);
	free(tab->names);
	free(tab->left_out);
	free(tab);
}

/* Without memory the name stays mangled. */
static void demangled__add(struct demangled *d, struct symbol *sym)
{
	char *name = demangle(sym->name, d->short_names);
	size_t size = name ? strlen(name) + sizeof(*d->name) : 0;

	if (name && size <= d->left && !grow(&d->name, &d->alloc, d->nr + 1, sizeof(*d->name))) {
		sym->name = d->name[d->nr++] = name;
		d->left -= size;
	} else {
		free(name);
	}
}

/* Demangle on look-up only: most symbols are never looked up, and demangling takes longer than the rest of loading. */
static const struct symbol *symtab__shown(const struct symtab *tab, u32 index)
{
	struct symbol *sym = &tab->sym[index];

	if (sym->mangled) {
		demangled__add(tab->demangled, sym);
		printable__clean((char *)sym->name);
		sym->mangled = false;
	}
	return sym;
}

const struct symbol *symtab__find(const struct symtab *tab, u64 addr)
{
	u64 part = (addr - tab->begin) >> tab->bucket_shift;
	u32 lo, hi;

	if (addr < tab->begin)
		return NULL;
	if (part >= tab->nr_buckets) /* after all starts */
		part = tab->nr_buckets - 1;
	lo = tab->bucket[part];
	hi = tab->bucket[part + 1];
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (tab->span[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && tab->span[lo - 1].sym != NO_SYMBOL ? symtab__shown(tab, tab->span[lo - 1].sym) : NULL;
}

const struct symbol *symtab__find_name(const struct symtab *tab, const char *name)
{
	for (u32 i = 0; i < tab->nr; i++) {
		const struct symbol *sym = symtab__shown(tab, i);

		if (!strcmp(sym->name, name))
			return sym;
	}
	return NULL;
}

void symtab__set_left_out(struct symtab *tab, const char *what)
{
	if (*what && !tab->left_out)
		tab->left_out = strdup(what);
}

const char *symtab__left_out(const struct symtab *tab)
{
	return tab->left_out;
}

u32 symtab__nr(const struct symtab *tab)
{
	return tab->nr;
}

const struct symbol *symtab__at(const struct symtab *tab, u32 index)
{
	return index < tab->nr ? symtab__shown(tab, index) : NULL;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols nest and overlap: labels within functions, PLT entries within a symbol without a size that was extended. A look-up returns, of
 * all that cover an address, the one that starts last. Mostly that is the last one that starts before the address; where it has ended,
 * and another one goes on behind it, the table has a rest.
 *
 * Few symbols of a table are ever looked up, so loading does as little as possible for each: names stay where the file's string tables
 * have them, and only a symbol that is looked up gets its struct symbol, with a name that can be shown.
 */
#include "util/symbol/symtab.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/pages.h"
#include "util/lib/printable.h"
#include "util/symbol/symtab-build.h"

#define NO_SYMBOL UINT32_MAX
#define PAGE 4096
#define MIN_BUCKETS 64
#define MAX_BUCKETS (1 << 17)
/* Memory for one symbol, at most: in the builder (doubled, as its array may be half empty), while it is sorted, and in the table. */
#define MEMORY_PER_SYMBOL 144

struct rest { /* of a symbol, behind one that started within it; ends with the symbol or where the next rest or symbol starts */
	u64 start;
	u32 sym; /* index */
};

struct made_names { /* of symbols that were looked up */
	u64 left; /* bytes of memory left */
	char **name;
	size_t nr, alloc;
};

struct symtab {
	struct raw_symbol *raw;
	struct symbol *sym; /* zeroed until they are looked up */
	u32 nr, nr_rests;
	struct rest *rest;
	u32 *bucket; /* [i]: number of symbols that start before part i of the addresses; nr_buckets + 1 of them */
	u32 nr_buckets;
	u64 begin;
	u8 bucket_shift;
	bool short_names;
	char *names;
	struct made_names made;
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

static bool take(struct symtab_builder *b, u64 bytes, const char *what)
{
	return !b->budget || elf_budget__take(b->budget, bytes, what);
}

int symtab_builder__add_room(struct symtab_builder *b, size_t size, u32 *at)
{
	if (size > UINT32_MAX - b->names_size || !take(b, size, "the names of its symbols"))
		return -E2BIG;
	if (grow(&b->names, &b->names_alloc, b->names_size + size, 1))
		return -ENOMEM;
	*at = b->names_size;
	b->names_size += size;
	return 0;
}

static int add_text(struct symtab_builder *b, const char *text, u32 *at)
{
	size_t size = strlen(text) + 1;
	int err = symtab_builder__add_room(b, size, at);

	if (!err)
		memcpy(b->names + *at, text, size);
	return err;
}

/* Without memory for that, it grows step by step. */
void symtab_builder__expect(struct symtab_builder *b, size_t nr, size_t names)
{
	if (nr < NO_SYMBOL - b->nr)
		grow(&b->sym, &b->alloc, b->nr + nr, sizeof(b->sym[0]));
	if (names < UINT32_MAX - b->names_size)
		grow(&b->names, &b->names_alloc, b->names_size + names, 1);
}

static int symtab_builder__add_raw(struct symtab_builder *b, const struct raw_symbol *sym)
{
	int err;

	if (!take(b, MEMORY_PER_SYMBOL, "the table of its symbols") || b->nr == NO_SYMBOL)
		return -E2BIG;
	err = grow(&b->sym, &b->alloc, b->nr + 1, sizeof(b->sym[0]));
	if (!err)
		b->sym[b->nr++] = *sym;
	return err;
}

static struct raw_symbol raw_symbol(const struct symtab_builder *b, const struct symbol_place *place, u32 name)
{
	return (struct raw_symbol){
		.start = place->start, .end = place->start + place->size < place->start ? UINT64_MAX : place->start + place->size,
		.name = name, .binding = place->binding, .type = place->type, .mangled = b->demangle && demangle__may(b->names + name),
	};
}

/* Names may share a part of a string table, but each of them is shown: take memory for each. */
int symtab_builder__add_at(struct symtab_builder *b, const struct symbol_place *place, u32 name)
{
	const struct raw_symbol sym = raw_symbol(b, place, name);

	return take(b, strlen(b->names + name) + 1, "the names of its symbols") ? symtab_builder__add_raw(b, &sym) : -E2BIG;
}

int symtab_builder__add(struct symtab_builder *b, u64 start, u64 size, u8 binding, u8 type, const char *name)
{
	const struct symbol_place place = { start, size, binding, type };
	struct raw_symbol sym;
	u32 at;
	int err = add_text(b, name, &at);

	if (err)
		return err;
	sym = raw_symbol(b, &place, at);
	return symtab_builder__add_raw(b, &sym);
}

int symtab_builder__add_stub(struct symtab_builder *b, u64 start, u64 size, const char *name)
{
	int err = symtab_builder__add(b, start, size, STB_GLOBAL, STT_FUNC, name);

	if (!err)
		b->sym[b->nr - 1].stub = true;
	return err;
}

struct place {
	u64 start;
	u32 at; /* index in the builder */
};

#define DIGIT 11 /* bits */

/* Radix sort by start, lowest digit first. Returns the array with the result. */
static struct place *sort_places(struct place *from, struct place *to, u32 nr)
{
	u64 all = 0, first = from[0].start; /* all: bits in which they differ */

	for (u32 i = 1; i < nr; i++)
		all |= from[i].start ^ first;
	for (u32 shift = 0; shift < 64 && all >> shift; shift += DIGIT) {
		u32 next[(1 << DIGIT) + 1] = {}, mask = (1 << DIGIT) - 1;
		struct place *other = to;

		if (!(all >> shift & mask))
			continue;
		for (u32 i = 0; i < nr; i++)
			next[(from[i].start >> shift & mask) + 1]++;
		for (u32 i = 1; i <= mask; i++)
			next[i] += next[i - 1];
		for (u32 i = 0; i < nr; i++)
			to[next[from[i].start >> shift & mask]++] = from[i];
		to = from;
		from = other;
	}
	return from;
}

/*
 * The symbols from this one on, sorted, with room for *alloc; NULL: no memory. They take the memory of the places: the sorted places are
 * moved to its end, where each symbol overwrites only places that were read before.
 */
static struct raw_symbol *sorted_from(const struct symtab_builder *b, u32 first, size_t *alloc)
{
	size_t nr = b->nr - first, size = 2 * nr * sizeof(struct place);
	struct place *places = malloc(size), *sorted;
	struct raw_symbol *sym = (struct raw_symbol *)places;

	_Static_assert(sizeof(*sym) <= 2 * sizeof(*places), "a symbol overwrites places that are not read yet");
	if (!places)
		return NULL;
	for (size_t i = 0; i < nr; i++)
		places[i] = (struct place){ b->sym[first + i].start, i };
	sorted = sort_places(places, places + nr, nr);
	if (sorted == places)
		sorted = memcpy(places + nr, places, nr * sizeof(*places));
	for (size_t i = 0; i < nr; i++)
		sym[i] = b->sym[first + sorted[i].at];
	*alloc = size / sizeof(*sym);
	return sym;
}

/* Stable: symbols with the same start stay in the order of their source. Only those that are not settled yet are out of order. */
static int symtab_builder__sort(struct symtab_builder *b)
{
	u32 i = b->nr_settled ?: 1, left, nr, to;
	struct raw_symbol *tail;
	size_t alloc;

	while (i < b->nr && b->sym[i - 1].start <= b->sym[i].start) /* kallsyms is already sorted */
		i++;
	if (i >= b->nr)
		return 0;
	tail = sorted_from(b, b->nr_settled, &alloc);
	if (!tail)
		return -ENOMEM;
	if (!b->nr_settled) {
		free(b->sym);
		b->sym = tail;
		b->alloc = alloc;
		return 0;
	}
	left = b->nr_settled;
	nr = b->nr - left;
	for (to = b->nr; nr;)
		b->sym[--to] = left && b->sym[left - 1].start > tail[nr - 1].start ? b->sym[--left] : tail[--nr];
	free(tail);
	return 0;
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

/* The text that is shown of a name from a file, not cleaned; NULL: the name itself, also if there is no memory. */
static char *shown_text(const struct raw_symbol *sym, const char *name, bool short_names, u64 *left)
{
	char *demangled = sym->mangled ? demangle(name, short_names) : NULL, *text;
	size_t size = demangled ? strlen(demangled) + sizeof(demangled) : 0;

	if (size > *left) {
		free(demangled);
		demangled = NULL;
		size = 0;
	}
	*left -= size;
	if (!sym->stub)
		return demangled;
	if (asprintf(&text, "%s@plt", demangled ?: name) < 0)
		text = NULL;
	free(demangled);
	return text;
}

/* Make the shown name early only if several symbols share a start: these names decide between them. */
static void symtab_builder__show(struct symtab_builder *b, struct raw_symbol *sym)
{
	/* without space for the result, demangling would be repeated in vain */
	bool has_room = !b->budget || b->budget->left >= MAX_DEMANGLED;
	u64 left = UINT64_MAX; /* __add_room takes from what is left */
	char *text = (sym->mangled || sym->stub) && has_room ? shown_text(sym, b->names + sym->name, b->short_names, &left) : NULL;
	u32 name;

	if (text && !add_text(b, text, &name)) {
		sym->name = name;
		sym->mangled = sym->stub = false;
		printable__clean(b->names + name);
	}
	free(text);
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

	if (x->mangled == y->mangled && x->stub == y->stub && !strcmp(b->names + x->name, b->names + y->name)) /* in both .symtab and .dynsym */
		return 0;
	if (x->mangled && y->mangled && !x->stub && !y->stub && are_variants(b->names + x->name, b->names + y->name))
		return 0;
	symtab_builder__show(b, x);
	symtab_builder__show(b, y);
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
			if (nr != i)
				b->sym[nr] = b->sym[i];
			nr++;
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
	symtab_builder__show(b, &b->sym[lo]);
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

static int symtab__add_rest(struct symtab *tab, size_t *alloc, u64 start, u32 sym)
{
	if (tab->nr_rests && tab->rest[tab->nr_rests - 1].start == start)
		tab->nr_rests--;
	if (grow(&tab->rest, alloc, tab->nr_rests + 1, sizeof(*tab->rest)))
		return -ENOMEM;
	tab->rest[tab->nr_rests++] = (struct rest){ start, sym };
	return 0;
}

static int symtab__make_rests(struct symtab *tab)
{
	u32 *open = malloc((size_t)tab->nr * sizeof(*open) + 1), nr_open = 0; /* open symbols, by start; the last one covers the address */
	size_t alloc = 0;
	int err = open ? 0 : -ENOMEM;

	for (u32 i = 0; i <= tab->nr && !err; i++) {
		u64 start = i < tab->nr ? tab->raw[i].start : UINT64_MAX;

		while (nr_open && tab->raw[open[nr_open - 1]].end <= start && !err) {
			u64 end = tab->raw[open[--nr_open]].end;

			while (nr_open && tab->raw[open[nr_open - 1]].end <= end)
				nr_open--;
			if (nr_open && end < start)
				err = symtab__add_rest(tab, &alloc, end, open[nr_open - 1]);
		}
		if (i < tab->nr && !err)
			open[nr_open++] = i;
	}
	free(open);
	return err;
}

/* Bucket starts: a search begins in the address's part of the table, mostly with one or two symbols, and reads little memory. */
static int symtab__make_buckets(struct symtab *tab)
{
	u64 range = tab->nr ? tab->raw[tab->nr - 1].start - tab->raw[0].start : 0;
	u32 sym = 0;

	tab->nr_buckets = MIN_BUCKETS;
	while (tab->nr_buckets < tab->nr && tab->nr_buckets < MAX_BUCKETS)
		tab->nr_buckets *= 2;
	tab->bucket = malloc((tab->nr_buckets + 1) * sizeof(*tab->bucket));
	if (!tab->bucket)
		return -ENOMEM;
	tab->begin = tab->nr ? tab->raw[0].start : 0;
	while (range >> tab->bucket_shift >= tab->nr_buckets)
		tab->bucket_shift++;
	for (u32 i = 0; i <= tab->nr_buckets; i++) {
		while (sym < tab->nr && (tab->raw[sym].start - tab->begin) >> tab->bucket_shift < i)
			sym++;
		tab->bucket[i] = sym;
	}
	return 0;
}

static char binding_char(u8 binding)
{
	return binding == STB_GLOBAL ? 'g' : binding == STB_LOCAL ? 'l' : 'w';
}

/* Take over what the builder has, without its unused memory. */
static void symtab__take(struct symtab *tab, struct symtab_builder *b)
{
	struct raw_symbol *raw = reallocarray(b->sym, b->nr ?: 1, sizeof(*raw));

	tab->nr = b->nr;
	tab->raw = raw ?: b->sym;
	tab->names = b->names;
	tab->short_names = b->short_names;
	tab->made.left = b->budget ? b->budget->left : UINT64_MAX;
	*b = (struct symtab_builder){};
}

int symtab_builder__finish(struct symtab_builder *b, struct symtab **tabp)
{
	struct symtab *tab = b->error ? NULL : calloc(1, sizeof(*tab));

	if (!tab)
		return -ENOMEM;
	symtab__take(tab, b);
	tab->sym = pages__new_sparse(tab->nr * sizeof(*tab->sym) + 1);
	if (!tab->sym || symtab__make_rests(tab) || symtab__make_buckets(tab)) {
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
	for (size_t i = 0; i < tab->made.nr; i++)
		free(tab->made.name[i]);
	free(tab->made.name);
	pages__delete_sparse(tab->sym, tab->nr * sizeof(*tab->sym) + 1);
	free(tab->raw);
	free(tab->rest);
	free(tab->bucket);
	free(tab->names);
	free(tab->left_out);
	free(tab);
}

/* Takes over the text, which is of one symbol only. */
static const char *made_names__add(struct made_names *made, char *text)
{
	if (!text || grow(&made->name, &made->alloc, made->nr + 1, sizeof(*made->name))) {
		free(text);
		return "[out of memory]";
	}
	made->name[made->nr++] = text;
	return printable__clean(text);
}

/*
 * The name that is shown. Names from the file are not cleaned where they are: they may be within names of other symbols, and begin in
 * the middle of a character. Memory for a copy was taken with the symbol.
 */
static const char *symtab__make_name(struct symtab *tab, const struct raw_symbol *raw)
{
	const char *name = tab->names + raw->name;
	char *text = raw->mangled || raw->stub ? shown_text(raw, name, tab->short_names, &tab->made.left) : NULL;

	if (!text && printable__is_clean(name))
		return name;
	return made_names__add(&tab->made, text ?: strdup(name));
}

/* On look-up only: most symbols are never looked up, and demangling takes longer than the rest of loading. */
static const struct symbol *symtab__shown(const struct symtab *tab, u32 index)
{
	struct symbol *sym = &tab->sym[index];
	const struct raw_symbol *raw = &tab->raw[index];

	if (!sym->name)
		*sym = (struct symbol){
			.start = raw->start, .end = raw->end, .name = symtab__make_name((struct symtab *)tab, raw),
			.binding = binding_char(raw->binding), .is_data = raw->type == STT_OBJECT, .index = index,
		};
	return sym;
}

/* The bucket of an address that is not before all symbols. */
static const u32 *symtab__bucket(const struct symtab *tab, u64 addr)
{
	u64 part = (addr - tab->begin) >> tab->bucket_shift;

	return &tab->bucket[part < tab->nr_buckets ? part : tab->nr_buckets - 1]; /* after all starts: the last one */
}

void symtab__prefetch_bucket(const struct symtab *tab, u64 addr)
{
	if (addr >= tab->begin)
		__builtin_prefetch(symtab__bucket(tab, addr));
}

/* Those in the middle: most buckets have one or two. */
void symtab__prefetch_symbols(const struct symtab *tab, u64 addr)
{
	const u32 *bucket = addr < tab->begin ? NULL : symtab__bucket(tab, addr);
	u32 mid = bucket ? bucket[0] + (bucket[1] - bucket[0]) / 2 : 0, before = mid ? mid - 1 : 0;

	__builtin_prefetch(tab->raw + mid);
	__builtin_prefetch(tab->raw + before);
	__builtin_prefetch(tab->sym + mid);
	__builtin_prefetch(tab->sym + before);
}

/* Number of symbols that start at addr or before. */
static u32 symtab__nr_before(const struct symtab *tab, u64 addr)
{
	const u32 *bucket;
	u32 lo, hi;

	if (addr < tab->begin)
		return 0;
	bucket = symtab__bucket(tab, addr);
	lo = bucket[0];
	hi = bucket[1];
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (tab->raw[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The last rest that starts at addr or before; NULL: none */
static const struct rest *symtab__last_rest(const struct symtab *tab, u64 addr)
{
	u32 lo = 0, hi = tab->nr_rests;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (tab->rest[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &tab->rest[lo - 1] : NULL;
}

const struct symbol *symtab__find(const struct symtab *tab, u64 addr)
{
	u32 before = symtab__nr_before(tab, addr);
	const struct rest *rest;

	if (!before)
		return NULL;
	if (addr < tab->raw[before - 1].end)
		return symtab__shown(tab, before - 1);
	rest = symtab__last_rest(tab, addr);
	return rest && rest->start > tab->raw[before - 1].start && addr < tab->raw[rest->sym].end ? symtab__shown(tab, rest->sym) : NULL;
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

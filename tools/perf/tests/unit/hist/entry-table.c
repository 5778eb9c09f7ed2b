// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/hist/entry-cmp.h"
#include "util/hist/entry-table.h"
#include "util/hist/hist.h"

#define NR_ENTRIES 1000

static struct hist_layout layout;
static struct hists hists;

static int begin(void **state)
{
	static struct entry_table table;
	struct errmsg err;

	if (hist_layout__init(&layout, &(struct hist_layout_opts){ .default_sort = "comm,cpu" }, &err))
		return -1;
	hists.opts.layout = &layout;
	table = (struct entry_table){};
	*state = &table;
	return 0;
}

static int end(void **state)
{
	entry_table__exit(*state);
	return 0;
}

static struct hist_entry *make(const char *comm, s32 cpu)
{
	struct hist_entry *entry = calloc(1, hist_entry__size(&hists));

	assert_non_null(entry);
	entry->hists = &hists;
	entry->comm = comm;
	entry->cpu = cpu;
	return entry;
}

static const struct hist_entry *find(struct entry_table *table, const char *comm, s32 cpu)
{
	struct hist_entry *key = make(comm, cpu);
	const struct hist_entry *found = entry_table__find(table, key);

	free(key);
	return found;
}

/* Equal names need not be at one address. */
static void entries_are_found_by_their_keys(void **state)
{
	struct hist_entry *a = make("a", 1), *b = make("b", 1);
	char copy[] = "a";

	assert_null(find(*state, "a", 1));
	assert_int_equal(entry_table__add(*state, a), 0);
	assert_int_equal(entry_table__add(*state, b), 0);
	assert_ptr_equal(find(*state, copy, 1), a);
	assert_ptr_equal(find(*state, "b", 1), b);
	assert_null(find(*state, "a", 2));
}

static void sorting_keeps_all(void **state)
{
	struct entry_table *table = *state;

	for (s32 i = 0; i < NR_ENTRIES; i++)
		assert_int_equal(entry_table__add(table, make(i % 2 ? "odd" : "even", NR_ENTRIES - i)), 0);
	entry_table__sort(table);
	assert_int_equal(table->nr, NR_ENTRIES);
	for (u32 i = 1; i < table->nr; i++) {
		const struct hist_entry *before = table->entry[i - 1], *entry = table->entry[i];
		int order = strcmp(before->comm, entry->comm);

		assert_true(order < 0 || (!order && before->cpu < entry->cpu));
	}
	for (s32 i = 0; i < NR_ENTRIES; i++)
		assert_non_null(find(table, i % 2 ? "odd" : "even", NR_ENTRIES - i));
}

static int cmp_hashes(const void *pa, const void *pb)
{
	const u32 a = *(const u32 *)pa, b = *(const u32 *)pb;

	return (a > b) - (a < b);
}

/* Most functions of a file have one of a few sizes, and begin at multiples of them. */
static void functions_of_one_size_differ_in_their_hashes(void **state)
{
	struct hist_layout by_symbol;
	struct hists of_symbols = { .opts.layout = &by_symbol };
	static struct symbol sym[NR_ENTRIES];
	u32 hash[NR_ENTRIES], nr_equal = 0;
	struct errmsg err;

	assert_int_equal(hist_layout__init(&by_symbol, &(struct hist_layout_opts){ .default_sort = "symbol" }, &err), 0);
	for (u32 i = 0; i < NR_ENTRIES; i++) {
		const struct hist_entry entry = { .hists = &of_symbols, .sym = &sym[i] };

		sym[i] = (struct symbol){ .start = 64 * i, .end = 64 * i + 64, .name = "f" };
		hash[i] = hist_entry__hash(&entry);
	}
	qsort(hash, NR_ENTRIES, sizeof(*hash), cmp_hashes);
	for (u32 i = 1; i < NR_ENTRIES; i++)
		nr_equal += hash[i] == hash[i - 1];
	assert_true(nr_equal < NR_ENTRIES / 100);
}

static void taken_entries_are_forgotten(void **state)
{
	struct hist_entry *a = make("a", 1), **all;
	u32 nr;

	assert_int_equal(entry_table__add(*state, a), 0);
	all = entry_table__take_all(*state, &nr);
	assert_int_equal(nr, 1);
	assert_ptr_equal(all[0], a);
	assert_null(find(*state, "a", 1));
	entry_table__sort(*state);
	free(all);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(entries_are_found_by_their_keys, begin, end),
		cmocka_unit_test_setup_teardown(sorting_keeps_all, begin, end),
		cmocka_unit_test_setup_teardown(functions_of_one_size_differ_in_their_hashes, begin, end),
		cmocka_unit_test_setup_teardown(taken_entries_are_forgotten, begin, end),
	};

	return cmocka_run_group_tests_name("hist/entry-table", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/symbol/symtab-build.h"

#define SPACE 2048

static struct symtab *finish(struct symtab_builder *b)
{
	struct symtab *tab;

	symtab_builder__settle(b);
	assert_int_equal(symtab_builder__finish(b, &tab), 0);
	return tab;
}

static void add(struct symtab_builder *b, u64 start, u64 size, int binding, int type, const char *name)
{
	assert_int_equal(symtab_builder__add(b, start, size, binding, type, name), 0);
}

static const char *name_at(const struct symtab *tab, u64 addr)
{
	const struct symbol *sym = symtab__find(tab, addr);

	return sym ? sym->name : "none";
}

static void test_empty(void **state)
{
	struct symtab_builder b = {};
	struct symtab *tab = finish(&b);

	assert_int_equal(symtab__nr(tab), 0);
	assert_null(symtab__find(tab, 0));
	assert_null(symtab__find(tab, UINT64_MAX));
	assert_null(symtab__at(tab, 0));
	assert_null(symtab__find_name(tab, "x"));
	symtab__delete(tab);
	symtab__delete(NULL);
}

/* More symbols than a table has parts for searches, in groups far from each other. */
static void test_many(void **state)
{
	const u32 nr = 300000, in_group = 1000;
	struct symtab_builder b = {};
	struct symtab *tab;

	for (u32 i = 0; i < nr; i++)
		add(&b, (u64)(i / in_group) * 0x10000000 + i * 0x20, 0x10, STB_GLOBAL, STT_FUNC, "a");
	tab = finish(&b);
	for (u32 i = 0; i < nr; i++) {
		const u64 start = (u64)(i / in_group) * 0x10000000 + i * 0x20;

		assert_int_equal(symtab__find(tab, start)->index, i);
		assert_int_equal(symtab__find(tab, start + 0xf)->index, i);
		assert_null(symtab__find(tab, start + 0x10));
	}
	symtab__delete(tab);
}

static void test_ends(void **state)
{
	struct symtab_builder b = {};
	struct symtab *tab;

	add(&b, 0x1000, 0x10, STB_GLOBAL, STT_FUNC, "sized");
	add(&b, 0x1020, 0, STB_GLOBAL, STT_FUNC, "to_next");
	add(&b, 0x1100, 0, STB_LOCAL, STT_FUNC, "to_page_end");
	tab = finish(&b);
	assert_string_equal(name_at(tab, 0xfff), "none");
	assert_string_equal(name_at(tab, 0x100f), "sized");
	assert_string_equal(name_at(tab, 0x1010), "none");
	assert_string_equal(name_at(tab, 0x1020), "to_next");
	assert_string_equal(name_at(tab, 0x10ff), "to_next");
	assert_string_equal(name_at(tab, 0x2fff), "to_page_end");
	assert_string_equal(name_at(tab, 0x3000), "none");
	assert_int_equal(symtab__find_name(tab, "to_page_end")->binding, 'l');
	symtab__delete(tab);
}

static void test_last_addresses(void **state)
{
	struct symtab_builder b = {};
	struct symtab *tab;

	add(&b, UINT64_MAX - 100, 1000, STB_GLOBAL, STT_FUNC, "beyond");
	add(&b, UINT64_MAX - 10, 0, STB_GLOBAL, STT_FUNC, "last");
	tab = finish(&b);
	assert_string_equal(name_at(tab, UINT64_MAX - 11), "beyond");
	assert_string_equal(name_at(tab, UINT64_MAX - 1), "last");
	symtab__delete(tab);
}

struct candidate {
	int binding, type;
	const char *name;
};

/* Two symbols at one address: the winner is chosen, whoever comes first. */
static void assert_chosen(const struct candidate *winner, const struct candidate *loser)
{
	for (int winner_first = 0; winner_first < 2; winner_first++) {
		const struct candidate *first = winner_first ? winner : loser, *second = winner_first ? loser : winner;
		struct symtab_builder b = {};
		struct symtab *tab;

		add(&b, 64, 8, first->binding, first->type, first->name);
		add(&b, 64, 8, second->binding, second->type, second->name);
		tab = finish(&b);
		assert_int_equal(symtab__nr(tab), 1);
		assert_string_equal(name_at(tab, 64), winner->name);
		symtab__delete(tab);
	}
}

static void test_choice(void **state)
{
	static const struct candidate better_first[] = { /* each wins over the one after it */
		{ STB_GLOBAL, STT_FUNC, "longer_name" },
		{ STB_GLOBAL, STT_FUNC, "name" },
		{ STB_GLOBAL, STT_FUNC, "_name_with_underscore" },
		{ STB_GLOBAL, STT_FUNC, "__name_with_two_underscores" },
		{ STB_LOCAL, STT_FUNC, "local_name" },
		{ STB_WEAK, STT_FUNC, "weak_but_with_a_longer_name" },
		{ STB_GLOBAL, STT_NOTYPE, "label" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(better_first); i++) {
		for (size_t j = i + 1; j < ARRAY_SIZE(better_first); j++)
			assert_chosen(&better_first[i], &better_first[j]);
	}
}

static void test_sized_beats_unsized(void **state)
{
	struct symtab_builder b = {};
	struct symtab *tab;

	add(&b, 64, 0, STB_GLOBAL, STT_FUNC, "unsized_with_longer_name");
	add(&b, 64, 4, STB_WEAK, STT_NOTYPE, "sized");
	tab = finish(&b);
	assert_string_equal(name_at(tab, 64), "sized");
	symtab__delete(tab);
}

static void test_settle_twice(void **state)
{
	struct symtab_builder b = {};
	struct symtab *tab;

	add(&b, 100, 0, STB_GLOBAL, STT_FUNC, "stretched");
	add(&b, 200, 10, STB_GLOBAL, STT_FUNC, "next");
	symtab_builder__settle(&b);
	add(&b, 120, 16, STB_GLOBAL, STT_FUNC, "stub");
	assert_null(symtab_builder__name_at(&b, 120)); /* not settled yet */
	assert_string_equal(symtab_builder__name_at(&b, 200), "next");
	assert_null(symtab_builder__name_at(&b, 101));
	tab = finish(&b);
	assert_string_equal(name_at(tab, 119), "stretched");
	assert_string_equal(name_at(tab, 120), "stub");
	assert_string_equal(name_at(tab, 136), "stretched");
	symtab__delete(tab);
}

/* Of all that cover an address, the one that starts last: in the plain way. */
static const struct symbol *find_plainly(const struct symtab *tab, u64 addr)
{
	const struct symbol *best = NULL;

	for (u32 i = 0; i < symtab__nr(tab); i++) {
		const struct symbol *sym = symtab__at(tab, i);

		assert_int_equal(sym->index, i);
		if (sym->start <= addr && addr < sym->end)
			best = sym;
	}
	return best;
}

static void test_nesting(void **state)
{
	srand(1);
	for (int round = 0; round < 50; round++) {
		struct symtab_builder b = {};
		struct symtab *tab;
		char name[16];

		for (int i = 0; i < round * 2; i++) {
			snprintf(name, sizeof(name), "s%d", i);
			add(&b, rand() % SPACE, rand() % (rand() % 4 ? 50 : SPACE), STB_GLOBAL, STT_FUNC, name);
		}
		tab = finish(&b);
		for (u64 addr = 0; addr < SPACE; addr++)
			assert_ptr_equal(symtab__find(tab, addr), find_plainly(tab, addr));
		symtab__delete(tab);
	}
}

static void test_order(void **state)
{
	struct symtab_builder b = {};
	struct symtab *tab;
	u64 random = 1;
	char name[16];

	for (u32 i = 0; i < 5000; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		snprintf(name, sizeof(name), "s%u", i);
		add(&b, random >> (i % 60), 1, STB_GLOBAL, STT_FUNC, name);
	}
	tab = finish(&b);
	assert_in_range(symtab__nr(tab), 4000, 5000);
	for (u32 i = 1; i < symtab__nr(tab); i++)
		assert_true(symtab__at(tab, i - 1)->start < symtab__at(tab, i)->start);
	symtab__delete(tab);
}

/* Whoever finds a symbol, and however, sees the name of the source; that of an alias is chosen by it. */
static void test_mangled(void **state)
{
	struct symtab_builder b = { .demangle = true };
	struct symtab *tab;

	add(&b, 0x10, 8, STB_GLOBAL, STT_FUNC, "_Z3onev");
	add(&b, 0x20, 8, STB_GLOBAL, STT_FUNC, "_Z3twoi");
	add(&b, 0x30, 8, STB_GLOBAL, STT_FUNC, "_Z5threec");
	add(&b, 0x40, 8, STB_GLOBAL, STT_FUNC, "_Znot\x01mangled");
	add(&b, 0x50, 8, STB_WEAK, STT_FUNC, "a_name_of_c_that_is_long");
	add(&b, 0x50, 8, STB_WEAK, STT_FUNC, "_Z1xN1a1bE"); /* longer, but not when it is shown */
	add(&b, 0x50, 8, STB_WEAK, STT_FUNC, "_Z1xN1a1bE");
	symtab_builder__settle(&b);
	assert_string_equal(symtab_builder__name_at(&b, 0x30), "three(char)");
	tab = finish(&b);
	assert_string_equal(name_at(tab, 0x12), "one()");
	assert_string_equal(name_at(tab, 0x12), "one()");
	assert_string_equal(symtab__at(tab, 1)->name, "two(int)");
	assert_int_equal(symtab__find_name(tab, "three(char)")->start, 0x30);
	assert_string_equal(name_at(tab, 0x40), "_Znot?mangled");
	assert_string_equal(name_at(tab, 0x50), "a_name_of_c_that_is_long");
	symtab__delete(tab);
}

static void add_table(struct symtab_builder *b, const char *texts, size_t size, u32 *at)
{
	assert_int_equal(symtab_builder__add_room(b, size, at), 0);
	memcpy(b->names + *at, texts, size);
}

/* Names within one string table, of which some are the ends of others, and PLT entries, which are named after functions. */
static void test_shared_names(void **state)
{
	static const char texts[] = "\0a_long\x01name\0_Z3onev";
	struct symtab_builder b = { .demangle = true };
	struct symtab *tab;
	u32 at;

	add(&b, 0x90, 8, STB_GLOBAL, STT_FUNC, "single");
	add_table(&b, texts, sizeof(texts), &at);
	assert_int_equal(symtab_builder__add_at(&b, &(struct symbol_place){ 0x20, 8, STB_LOCAL, STT_OBJECT }, at + 3), 0);
	assert_int_equal(symtab_builder__add_at(&b, &(struct symbol_place){ 0x10, 8, STB_GLOBAL, STT_FUNC }, at + 1), 0);
	assert_int_equal(symtab_builder__add_at(&b, &(struct symbol_place){ 0x30, 8, STB_GLOBAL, STT_FUNC }, at + 13), 0);
	symtab_builder__settle(&b);
	assert_int_equal(symtab_builder__add_stub(&b, 0x40, 8, "exit"), 0);
	assert_int_equal(symtab_builder__add_stub(&b, 0x28, 8, "_Z3twoi"), 0);
	assert_int_equal(symtab_builder__add_stub(&b, 0x40, 8, "_Z1xN1a1bE"), 0); /* its shown name is the longer one */
	tab = finish(&b);
	assert_string_equal(name_at(tab, 0x20), "long?name");
	assert_string_equal(name_at(tab, 0x10), "a_long?name");
	assert_string_equal(name_at(tab, 0x28), "two(int)@plt");
	assert_string_equal(name_at(tab, 0x30), "one()");
	assert_string_equal(name_at(tab, 0x40), "x(a::b)@plt");
	assert_string_equal(name_at(tab, 0x90), "single");
	assert_true(symtab__find(tab, 0x20)->is_data);
	assert_int_equal(symtab__find(tab, 0x20)->binding, 'l');
	symtab__delete(tab);
}

/* A name that begins in the middle of a character of another one is cleaned alone, whichever is looked up first. */
static void test_parts_of_characters(void **state)
{
	static const char texts[] = "\0a\xe2\x82\xac_z";

	for (int part_first = 0; part_first < 2; part_first++) {
		struct symtab_builder b = {};
		const char *whole;
		struct symtab *tab;
		u32 at;

		add_table(&b, texts, sizeof(texts), &at);
		assert_int_equal(symtab_builder__add_at(&b, &(struct symbol_place){ 0x10, 8, STB_GLOBAL, STT_FUNC }, at + 1), 0);
		assert_int_equal(symtab_builder__add_at(&b, &(struct symbol_place){ 0x20, 8, STB_GLOBAL, STT_FUNC }, at + 3), 0);
		tab = finish(&b);
		if (part_first)
			assert_string_equal(name_at(tab, 0x20), "??_z");
		whole = name_at(tab, 0x10);
		assert_string_equal(name_at(tab, 0x20), "??_z");
		assert_string_equal(whole, "a\xe2\x82\xac_z");
		symtab__delete(tab);
	}
}

/* A PLT entry is no function, also where there is no memory for its demangled name. */
static void test_stubs_beyond_the_budget(void **state)
{
	struct elf_budget budget = { .left = 1000 };
	struct symtab_builder b = { .demangle = true, .budget = &budget };
	struct symtab *tab;

	assert_int_equal(symtab_builder__add_stub(&b, 0x10, 8, "_Z3onev"), 0);
	assert_int_equal(symtab_builder__add_stub(&b, 0x20, 8, "exit"), 0);
	budget.left = 0;
	tab = finish(&b);
	assert_string_equal(name_at(tab, 0x10), "_Z3onev@plt");
	assert_string_equal(name_at(tab, 0x20), "exit@plt");
	symtab__delete(tab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_last_addresses),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_sized_beats_unsized),
		cmocka_unit_test(test_settle_twice),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_mangled),
		cmocka_unit_test(test_shared_names),
		cmocka_unit_test(test_parts_of_characters),
		cmocka_unit_test(test_stubs_beyond_the_budget),
	};

	return cmocka_run_group_tests_name("symbol/symtab", tests, NULL, NULL);
}

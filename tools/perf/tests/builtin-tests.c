// SPDX-License-Identifier: GPL-2.0
#include "tests/builtin-tests.h"

#include <stdbool.h>
#include <string.h>

#include "util/symbol/symtab.h"

static void print_check(FILE *out, bool passed, unsigned int number, const char *what)
{
	fprintf(out, "%s %u - %s\n", passed ? "ok" : "not ok", number, what);
}

/* Symbols lie in the order of their addresses, none ends before it begins, and each is found by an address inside it. */
static void check_symbols(FILE *out, const struct symtab *tab, bool print)
{
	bool in_order = true, have_length = true, are_found = true;
	const struct symbol *last = NULL;

	for (u32 i = 0; i < symtab__nr(tab); i++) {
		const struct symbol *sym = symtab__at(tab, i);

		if (print)
			fprintf(out, "# %#llx-%#llx %c %s\n", (unsigned long long)sym->start, (unsigned long long)sym->end, sym->binding, sym->name);
		if (last && last->start > sym->start)
			in_order = false;
		if (sym->end < sym->start)
			have_length = false;
		if (sym->end > sym->start && !symtab__find(tab, sym->start))
			are_found = false;
		last = sym;
	}
	print_check(out, last, 2, "there are symbols");
	print_check(out, in_order, 3, "in the order of their addresses");
	print_check(out, have_length, 4, "none of which ends before it begins");
	print_check(out, are_found, 5, "each is found by its address");
}

static void test_symbols(FILE *out, const struct builtin_test_opts *opts)
{
	const char *path = opts->dso ?: "/proc/self/exe";
	const struct symtab_opts how = {};
	struct errmsg err = {};
	struct symtab *tab;

	if (symtab__load_elf(path, NULL, &how, &tab, &err)) {
		fprintf(out, "1..1\n");
		print_check(out, false, 1, "the file is read");
		fprintf(out, "# %s: %s\n", path, err.text);
		return;
	}
	fprintf(out, "1..5\n");
	print_check(out, true, 1, "the file is read");
	check_symbols(out, tab, opts->verbose > 1);
	symtab__delete(tab);
}

const struct builtin_test builtin_tests[] = {
	{ "Symbols", test_symbols },
	{ NULL, NULL },
};

// SPDX-License-Identifier: GPL-2.0
/*
 * What unwinding tables cost: for each file named, or for some that many systems have, its rows, bytes and the time to make its table, and for
 * all together the number of rules. "all" stands for the programs and libraries of this machine's PATH, up to NR_ALL: their sum, without
 * those that have no call frame information.
 */
#include <dirent.h>
#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "util/unwind/table.h"

#define NR_ALL 200
#define ROUNDS 5

struct sum {
	u32 files, rows;
	size_t bytes;
	double ms;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* Make the table some times, and keep the shortest time. */
static bool measure(const char *path, struct unwind_rules *rules, int rounds, struct sum *sum)
{
	struct unwind_table *table;
	double best = 0;

	for (int i = 0; i < rounds; i++) {
		double begin = now_ms(), ms;

		if (unwind_table__load(path, rules, &table, NULL))
			return false;
		ms = now_ms() - begin;
		best = i && best < ms ? best : ms;
		if (!i) {
			sum->rows += table->nr_rows;
			sum->bytes += unwind_table__index_size(table) + unwind_table__rows_size(table);
		}
		unwind_table__delete(table);
	}
	sum->files++;
	sum->ms += best;
	return true;
}

static void print(const char *name, const struct sum *sum)
{
	printf("%-44s %9u rows  %7.2f MB  %5.2f bytes/row  %8.2f ms  %6.1f ns/row\n", name, sum->rows, sum->bytes / 1e6,
	       (double)sum->bytes / sum->rows, sum->ms, sum->ms * 1e6 / sum->rows);
}

static void measure_dir(const char *dir, struct unwind_rules *rules, struct sum *sum)
{
	struct dirent **entry;
	int nr = scandir(dir, &entry, NULL, alphasort);
	char path[PATH_MAX];

	for (int i = 0; i < nr; i++) {
		if (sum->files < NR_ALL && entry[i]->d_type == DT_REG) {
			snprintf(path, sizeof(path), "%s/%s", dir, entry[i]->d_name);
			measure(path, rules, 2, sum); /* the first time it may have to be read from disk */
		}
		free(entry[i]);
	}
	if (nr >= 0)
		free(entry);
}

int main(int argc, char **argv)
{
	static const char *const known[] = {
		"/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6", "/usr/bin/python3", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus",
		"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/usr/bin/node", "all",
	};
	const char *const *path = argc > 1 ? (const char *const *)argv + 1 : known;
	int nr = argc > 1 ? argc - 1 : (int)ARRAY_SIZE(known);
#ifdef __aarch64__
	struct unwind_rules *rules = unwind_rules__new(EM_AARCH64);
#else
	struct unwind_rules *rules = unwind_rules__new(EM_X86_64);
#endif

	if (!rules)
		return 1;
	for (int i = 0; i < nr; i++) {
		struct sum sum = {};

		if (strcmp(path[i], "all")) {
			measure(path[i], rules, ROUNDS, &sum);
		} else {
			measure_dir("/usr/bin", rules, &sum);
			measure_dir("/usr/sbin", rules, &sum);
		}
		if (sum.rows)
			print(path[i], &sum);
	}
	printf("%u rules, %u refused\n", unwind_rules__nr(rules), unwind_rules__nr_refused(rules));
	unwind_rules__delete(rules);
	return 0;
}

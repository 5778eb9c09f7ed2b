// SPDX-License-Identifier: GPL-2.0
/* perf list: the events for -e on this machine. */
#define LOG_DOMAIN "list"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin.h"
#include "cmd/common/config-defaults.h"
#include "ui/pager.h"
#include "util/bpf/kernel-features.h"
#include "util/event/pmu.h"
#include "util/event/symbols.h"
#include "util/event/tracepoint.h"
#include "util/lib/log.h"
#include "util/lib/options.h"

#define MAX_SYMBOLS 64 /* limit of hardware, software or cache events */

struct listing {
	const char *glob;	/* NULL: all */
	bool headings;		/* for people: with blank lines between the kinds */
	unsigned int nr;	/* lines printed */
};

struct symbol_row {
	char text[80];
};

static bool matches(const struct listing *list, const char *name)
{
	return !list->glob || !fnmatch(list->glob, name, FNM_CASEFOLD);
}

static void print_row(struct listing *list, const char *name, const char *kind)
{
	printf("  %-50s [%s]\n", name, kind);
	list->nr++;
}

static void end_kind(const struct listing *list, unsigned int nr_before)
{
	if (list->headings && list->nr > nr_before)
		putchar('\n');
}

/* Does the kernel have the event at all, even if this user may not use it? */
static bool exists(u32 type, u64 config)
{
	struct perf_event_attr attr = { .type = type, .size = sizeof(attr), .config = config, .disabled = 1, .exclude_kernel = 1 };
	int fd = sys_perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno == EACCES || errno == EPERM || errno == EBUSY;
}

static int compare_rows(const void *a, const void *b)
{
	return strcmp(((const struct symbol_row *)a)->text, ((const struct symbol_row *)b)->text);
}

static void print_sorted(struct listing *list, struct symbol_row *rows, unsigned int nr, const char *kind)
{
	unsigned int nr_before = list->nr;

	qsort(rows, nr, sizeof(*rows), compare_rows);
	for (unsigned int i = 0; i < nr; i++)
		print_row(list, rows[i].text, kind);
	end_kind(list, nr_before);
}

static int list_symbols(struct listing *list, u32 type, const struct event_symbol *symbols, size_t nr_symbols, const char *kind)
{
	struct symbol_row rows[MAX_SYMBOLS];
	unsigned int nr = 0;

	for (size_t i = 0; i < nr_symbols && nr < MAX_SYMBOLS; i++) {
		const char *name = symbols[i].name, *alias = symbols[i].alias;

		if (!(matches(list, name) || (alias && matches(list, alias))) || !exists(type, i))
			continue;
		if (!alias)
			snprintf(rows[nr++].text, sizeof(rows->text), "%s", name);
		else if (strlen(name) > strlen(alias))
			snprintf(rows[nr++].text, sizeof(rows->text), "%s OR %s", name, alias);
		else
			snprintf(rows[nr++].text, sizeof(rows->text), "%s OR %s", alias, name);
	}
	print_sorted(list, rows, nr, kind);
	return 0;
}

static int list_hw(struct listing *list)
{
	return list_symbols(list, PERF_TYPE_HARDWARE, event_symbols_hw, PERF_COUNT_HW_MAX, "Hardware event");
}

static int list_sw(struct listing *list)
{
	return list_symbols(list, PERF_TYPE_SOFTWARE, event_symbols_sw, PERF_COUNT_SW_MAX, "Software event");
}

static int list_cache(struct listing *list)
{
	struct symbol_row rows[MAX_SYMBOLS];
	unsigned int nr = 0;

	for (u64 config = 0; config < PERF_COUNT_HW_CACHE_RESULT_MAX << 16 && nr < MAX_SYMBOLS; config++) {
		if (!cache_event__valid(config))
			continue;
		cache_event__name(config, rows[nr].text, sizeof(rows->text));
		if (matches(list, rows[nr].text) && exists(PERF_TYPE_HW_CACHE, config))
			nr++;
	}
	print_sorted(list, rows, nr, "Hardware cache event");
	return 0;
}

static int print_pmu_event(void *data, const char *pmu, const char *event)
{
	struct listing *list = data;
	char *name;

	if (asprintf(&name, "%s/%s/", pmu, event) < 0)
		return -ENOMEM;
	if (matches(list, name) || matches(list, event))
		print_row(list, name, "Kernel PMU event");
	free(name);
	return 0;
}

static int list_pmu(struct listing *list)
{
	unsigned int nr_before = list->nr;
	int ret = pmu__for_each_event(PMU_ROOT, print_pmu_event, list);

	if (ret)
		pr_err("the PMUs in " PMU_ROOT " cannot be listed: %s\n", strerror(-ret));
	end_kind(list, nr_before);
	return ret;
}

static void list_raw(struct listing *list)
{
	print_row(list, "rNNN", "Raw hardware event descriptor");
	print_row(list, "cpu/t1=v1[,t2=v2,t3 ...]/modifier", "Raw hardware event descriptor");
	end_kind(list, list->nr - 2);
}

static int print_tracepoint(void *data, const char *sys, const char *name)
{
	struct listing *list = data;
	char *full;

	if (asprintf(&full, "%s:%s", sys, name) < 0)
		return -ENOMEM;
	if (matches(list, full))
		print_row(list, full, "Tracepoint event");
	free(full);
	return 0;
}

static int list_tracepoints(struct listing *list)
{
	struct errmsg err = { .text = "out of memory" };
	int ret = tracepoint__for_each("*", "*", print_tracepoint, list, &err);

	if (ret < 0)
		pr_warn("%s\n", err.text);
	return ret < 0 ? ret : 0;
}

static const struct {
	const char *word;
	int (*list)(struct listing *list);
} kinds[] = {
	{ "hw", list_hw }, { "sw", list_sw }, { "cache", list_cache }, { "pmu", list_pmu }, { "tracepoint", list_tracepoints },
};

/* Without words: everything that this user may read. */
static int list_all(struct listing *list)
{
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		int failed = kinds[i].list(list);

		if (failed && failed != -EACCES)
			ret = failed;
		if (kinds[i].list == list_pmu && !list->glob)
			list_raw(list);
	}
	return ret;
}

static int list_glob(struct listing *list, const char *word)
{
	unsigned int nr_before = list->nr;
	char *wide = NULL;
	int ret;

	/* As in perf: a word without wildcards may be anywhere in a name. */
	if (!word[strcspn(word, "*?[")] && asprintf(&wide, "*%s*", word) < 0)
		return -ENOMEM;
	list->glob = wide ? wide : word;
	ret = list_all(list);
	list->glob = NULL;
	free(wide);
	if (!ret && list->nr == nr_before)
		pr_warn("no event matches '%s'\n", word);
	return ret;
}

static int list_word(struct listing *list, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(word, kinds[i].word))
			return kinds[i].list(list);
	}
	return list_glob(list, word);
}

int cmd_list(int argc, char **argv)
{
	static const char *const usages[] = { "perf list [hw|sw|cache|pmu|tracepoint|<glob>]...", NULL };
	static const struct option_row options[] = { OPT_END() };
	struct listing list = { .headings = isatty(STDOUT_FILENO) };
	int ret = 0;

	argc = options__parse(argc, argv, options, usages, false);
	pager__start(config_defaults__get((const char *const[]){ "pager.list", NULL }));
	if (list.headings)
		puts("\nList of pre-defined events (to be used in -e or -M):\n");
	if (!argc)
		ret = list_all(&list);
	for (int i = 0; i < argc; i++) {
		int failed = list_word(&list, argv[i]);

		if (failed)
			ret = failed;
	}
	return ret ? EXIT_SETUP : 0;
}

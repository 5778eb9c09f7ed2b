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
#include "cmd/common/lost-output.h"
#include "cmd/list/output.h"
#include "cmd/list/types.h"
#include "ui/pager.h"
#include "util/bpf/kernel-features.h"
#include "util/counter/metrics.h"
#include "util/event/pmu.h"
#include "util/event/symbols.h"
#include "util/event/tracepoint.h"
#include "util/lib/comma-list.h"
#include "util/lib/log.h"
#include "util/lib/options.h"

#define MAX_SYMBOLS 64 /* limit of hardware, software or cache events */

struct listing {
	const char *glob;	/* NULL: all */
	const char *unit;	/* --unit; NULL: of all */
	bool names;		/* --raw-dump */
	bool arguments;		/* show those of tracepoints */
	struct list_output *out;
	unsigned int nr;	/* events printed */
};

/* A hardware, software or cache event */
struct symbol_row {
	char text[80], encoding[48];
	struct list_event event;
};

static bool matches(const struct listing *list, const char *name)
{
	return !list->glob || !fnmatch(list->glob, name, FNM_CASEFOLD);
}

static bool has_unit(const struct listing *list, const char *unit)
{
	return !list->unit || !strcmp(list->unit, unit);
}

static void put_event(struct listing *list, const struct list_event *event)
{
	list_output__put(list->out, event);
	list->nr++;
}

static void end_kind(const struct listing *list, unsigned int nr_before)
{
	if (list->nr > nr_before)
		list_output__end_kind(list->out);
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

static void put_sorted(struct listing *list, struct symbol_row *rows, unsigned int nr, const char *kind, const char *unit)
{
	unsigned int nr_before = list->nr;

	qsort(rows, nr, sizeof(*rows), compare_rows);
	for (unsigned int i = 0; i < nr; i++) {
		struct list_event *event = &rows[i].event;

		event->name = rows[i].text;
		event->kind = kind;
		event->unit = unit;
		event->encoding = rows[i].encoding;
		put_event(list, event);
	}
	end_kind(list, nr_before);
}

static void set_encoding(struct symbol_row *row, u32 type, u64 config)
{
	snprintf(row->encoding, sizeof(row->encoding), "type=%u config=%#llx", type, (unsigned long long)config);
}

static int list_symbols(struct listing *list, u32 type, const struct event_symbol *symbols, size_t nr_symbols, const char *kind,
			const char *unit)
{
	struct symbol_row rows[MAX_SYMBOLS] = {};
	unsigned int nr = 0;

	for (size_t i = 0; i < nr_symbols && nr < MAX_SYMBOLS && has_unit(list, unit); i++) {
		const char *name = symbols[i].name, *alias = symbols[i].alias;
		bool alias_first = alias && strlen(alias) >= strlen(name);

		if (!(matches(list, name) || (alias && matches(list, alias))) || !exists(type, i))
			continue;
		snprintf(rows[nr].text, sizeof(rows->text), "%s", alias_first ? alias : name);
		rows[nr].event.alias = alias_first ? name : alias;
		rows[nr].event.help = symbols[i].help;
		set_encoding(&rows[nr++], type, i);
	}
	put_sorted(list, rows, nr, kind, unit);
	return 0;
}

static int list_hw(struct listing *list)
{
	return list_symbols(list, PERF_TYPE_HARDWARE, event_symbols_hw, PERF_COUNT_HW_MAX, "Hardware event", "cpu");
}

static int list_sw(struct listing *list)
{
	return list_symbols(list, PERF_TYPE_SOFTWARE, event_symbols_sw, PERF_COUNT_SW_MAX, "Software event", "software");
}

static int list_tool(struct listing *list)
{
	const unsigned int nr_before = list->nr;

	for (enum evsel_tool tool = TOOL_NONE + 1; tool < NR_TOOLS && has_unit(list, "tool"); tool++) {
		const struct event_symbol *symbol = &event_symbols_tool[tool];

		if (matches(list, symbol->name))
			put_event(list, &(struct list_event){ .name = symbol->name, .kind = "Tool event", .unit = "tool", .help = symbol->help });
	}
	end_kind(list, nr_before);
	return 0;
}

static int list_cache(struct listing *list)
{
	struct symbol_row rows[MAX_SYMBOLS] = {};
	unsigned int nr = 0;

	for (u64 config = 0; config < PERF_COUNT_HW_CACHE_RESULT_MAX << 16 && nr < MAX_SYMBOLS && has_unit(list, "cpu"); config++) {
		if (!cache_event__valid(config))
			continue;
		cache_event__name(config, rows[nr].text, sizeof(rows->text));
		if (matches(list, rows[nr].text) && exists(PERF_TYPE_HW_CACHE, config))
			set_encoding(&rows[nr++], PERF_TYPE_HW_CACHE, config);
	}
	put_sorted(list, rows, nr, "Hardware cache event", "cpu");
	return 0;
}

/* "cpu/event=0x3c/"; NULL: the terms cannot be read. The caller frees it. */
static char *pmu_encoding(const char *pmu_name, const char *event)
{
	char *terms = NULL, *text = NULL;
	struct errmsg err;
	struct pmu *pmu;

	if (pmu__new(PMU_ROOT, pmu_name, &pmu, &err))
		return NULL;
	terms = pmu__event_terms(pmu, event);
	if (terms && asprintf(&text, "%s/%s/", pmu_name, terms) < 0)
		text = NULL;
	free(terms);
	pmu__delete(pmu);
	return text;
}

static int put_pmu_event(void *data, const char *pmu, const char *event)
{
	struct listing *list = data;
	char *name, *encoding;

	if (!has_unit(list, pmu))
		return 0;
	if (asprintf(&name, "%s/%s/", pmu, event) < 0)
		return -ENOMEM;
	if (matches(list, name) || matches(list, event)) {
		encoding = pmu_encoding(pmu, event);
		put_event(list, &(struct list_event){ name, NULL, "Kernel PMU event", pmu, NULL, encoding });
		free(encoding);
	}
	free(name);
	return 0;
}

static int list_pmu(struct listing *list)
{
	unsigned int nr_before = list->nr;
	int ret = pmu__for_each_event(PMU_ROOT, put_pmu_event, list);

	if (ret)
		pr_err("the PMUs in " PMU_ROOT " cannot be listed: %s\n", strerror(-ret));
	end_kind(list, nr_before);
	return ret;
}

static void list_raw(struct listing *list)
{
	static const char *const forms[] = { "rNNN", "cpu/t1=v1[,t2=v2,t3 ...]/modifier" };

	if (!has_unit(list, "cpu"))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		put_event(list, &(struct list_event){ .name = forms[i], .kind = "Raw hardware event descriptor", .unit = "cpu" });
	end_kind(list, list->nr - ARRAY_SIZE(forms));
}

static int put_tracepoint(void *data, const char *sys, const char *name)
{
	struct listing *list = data;
	char *full, *arguments = NULL;

	if (asprintf(&full, "%s:%s", sys, name) < 0)
		return -ENOMEM;
	if (matches(list, full)) {
		if (list->arguments && list->glob && strcmp(sys, "syscalls")) /* they take a millisecond each */
			arguments = list_types__arguments(name);
		put_event(list, &(struct list_event){ .name = full, .kind = "Tracepoint event", .unit = "tracepoint", .help = arguments });
	}
	free(arguments);
	free(full);
	return 0;
}

static int list_tracepoints(struct listing *list)
{
	struct errmsg err = { .text = "out of memory" };
	int ret = 0;

	if (has_unit(list, "tracepoint"))
		ret = tracepoint__for_each("*", "*", put_tracepoint, list, &err);
	if (ret < 0)
		pr_warn("%s\n", err.text);
	return ret < 0 ? ret : 0;
}

static const struct {
	const char *word;
	int (*list)(struct listing *list);
} kinds[] = {
	{ "hw", list_hw }, { "sw", list_sw }, { "tool", list_tool }, { "cache", list_cache }, { "pmu", list_pmu }, { "tracepoint", list_tracepoints },
};

/* Without words: everything that this user may read. */
static int list_all(struct listing *list)
{
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		int failed = kinds[i].list(list);

		if (failed && failed != -EACCES)
			ret = failed;
		if (kinds[i].list == list_pmu && !list->glob && !list->names)
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
	if (list_types__is_type(word)) {
		int nr = list_types__members(list->out, word);

		list->nr += nr > 0 ? nr : 0;
		return nr < 0 ? nr : 0;
	}
	return list_glob(list, word);
}

/* Metrics are what perf stat computes. A completion of -M asks for their names; they belong to no groups. */
static int list_metrics(struct listing *list, const char *word)
{
	if (list->names) {
		for (unsigned int i = 0; !strcmp(word, "metric") && counter_metric__name(i); i++)
			put_event(list, &(struct list_event){ .name = counter_metric__name(i), .kind = "Metric" });
		return 0;
	}
	pr_err("'%s': metrics are no events: perf stat --list-values --metrics shows those of this perf\n", word);
	return -EOPNOTSUPP;
}

static int list_words(struct listing *list, int argc, char **argv)
{
	int ret = argc ? 0 : list_all(list);

	if (!argc && list->unit && !ret && !list->nr)
		pr_warn("no event is of the PMU '%s'\n", list->unit);
	for (int i = 0; i < argc; i++) {
		bool is_metric = !strcmp(argv[i], "metric") || !strcmp(argv[i], "metricgroup");
		int failed = is_metric ? list_metrics(list, argv[i]) : list_word(list, argv[i]);

		if (failed)
			ret = failed;
	}
	return ret;
}

int cmd_list(int argc, char **argv)
{
	static const char *const usages[] = { "perf list [<options>] [hw|sw|tool|cache|pmu|tracepoint|<glob>|'struct <name>']...", NULL };
	static struct list_output_opts opts;
	static struct listing list;
	static bool both, deprecated;
	static const struct option_row options[] = {
		OPT_BOOL('d', "desc", &opts.help, "show what software and hardware events count, and the arguments of tracepoints"),
		OPT_BOOL(0, "details", &opts.encoding, "show what the kernel is given for an event: type and config, or the terms of its PMU"),
		OPT_BOOL('v', "long-desc", &both, "show both"),
		OPT_STRING(0, "unit", &list.unit, "pmu", "show only events of this PMU: cpu, software, tracepoint, msr, ..."),
		OPT_STRING(0, "cputype", &list.unit, "pmu", "do the same"),
		OPT_BOOL(0, "deprecated", &deprecated, "do nothing: no event listed here is deprecated"),
		OPT_BOOL('j', "json", &opts.json, "write JSON"),
		OPT_BOOL(0, "raw-dump", &opts.names, "write names only, in one line, for completion in shells"),
		OPT_STRING('o', "output", &opts.path, "file", "write to this file"),
		OPT_END(),
	};
	int ret, err;

	argc = options__parse(argc, argv, options, usages, false);
	if (opts.names && opts.json)
		options__refuse_exit("  Error: --raw-dump and --json exclude each other\n");
	list.names = opts.names;
	list.arguments = (opts.help || both || opts.json) && !opts.names;
	log__set_quiet(opts.names);
	if (!opts.path && !opts.names)
		pager__start(config_defaults__get((const char *const[]){ "pager.list", NULL }));
	opts.help |= both;
	opts.encoding |= both;
	opts.headings = !opts.path && !opts.names && isatty(STDOUT_FILENO);
	list.out = list_output__new(&opts);
	if (!list.out) {
		pr_err("cannot write %s: %s\n", opts.path ?: "the list", strerror(errno));
		return EXIT_SETUP;
	}
	ret = list_words(&list, argc, argv);
	err = list_output__delete(list.out);
	if (err && opts.path) /* perf tells of the standard output at its end */
		lost_output__tell(opts.path, -err);
	return ret || err ? EXIT_SETUP : 0;
}

// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read-options.h"
#include "report-profile.h"
#include "ui/browser.h"
#include "ui/header-stdio.h"
#include "ui/hist-stdio.h"
#include "ui/session-stdio.h"
#include "ui/stats-stdio.h"
#include "util/hist/hist.h"
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/session/session.h"

struct report {
	struct session *session;
	struct hists *hists; /* one for each event of the session */
	struct hist_env env;
};

static struct read_options reading = READ_OPTIONS_INIT;
static struct report_profile profile;
static const char *sort_order, *field_order;
static bool children = true, show_samples, show_period, show_header, header_only, show_stats, quiet;
static bool stdio, tui;
static double min_percent;

static struct {
	enum hist_chain_mode mode;
	bool asked, caller_first, order_given;
	double min_percent;
} chains = { .mode = HIST_CHAIN_GRAPH, .min_percent = 0.5 };

/* One word of -g: a mode, an order, a limit, or one of the defaults of what cannot be chosen. */
static int parse_chain_word(const char *word)
{
	char *end;
	double limit = strtod(word, &end);

	if (*word && !*end && limit >= 0 && limit <= 100)
		chains.min_percent = limit;
	else if (!strcmp(word, "graph"))
		chains.mode = HIST_CHAIN_GRAPH;
	else if (!strcmp(word, "fractal"))
		chains.mode = HIST_CHAIN_FRACTAL;
	else if (!strcmp(word, "none"))
		chains.mode = HIST_CHAIN_NONE;
	else if (!strcmp(word, "caller") || !strcmp(word, "callee"))
		chains.order_given = true, chains.caller_first = !strcmp(word, "caller");
	else if (strcmp(word, "function") && strcmp(word, "percent"))
		return -1;
	return 0;
}

static int parse_chains(const struct option_row *row, const char *arg, bool unset)
{
	char *text, *word, *rest;
	int ret = 0;

	chains.asked = !unset;
	if (unset) {
		chains.mode = HIST_CHAIN_NONE;
		return 0;
	}
	text = strdup(arg ?: "graph,0.5,caller");
	if (!text) {
		pr_err("out of memory\n");
		return -1;
	}
	for (word = strtok_r(text, ",", &rest); word && !ret; word = strtok_r(NULL, ",", &rest)) {
		ret = parse_chain_word(word);
		if (ret)
			pr_err("  Error: -g %s: '%s' is none of graph, fractal, none, caller, callee, a limit in percent\n", arg,
			       word);
	}
	free(text);
	return ret;
}

static int parse_percent_limit(const struct option_row *row, const char *arg, bool unset)
{
	char *end;

	if (unset) {
		min_percent = chains.min_percent = 0;
		return 0;
	}
	min_percent = strtod(arg, &end);
	if (end == arg || (*end && strcmp(end, "%")) || !isfinite(min_percent)) {
		pr_err("  Error: --percent-limit %s: not a number\n", arg);
		return -1;
	}
	chains.min_percent = min_percent;
	return 0;
}

static const char *const report_usage[] = {
	"perf report [<options>]",
	NULL,
};

static const struct option_row report_options[] = {
	READ_OPTIONS(reading),
	OPT_BOOL(0, "stdio", &stdio, "print text; the default where the output is no terminal"),
	OPT_BOOL(0, "tui", &tui, "walk through the rows on the terminal; the default there"),
	OPT_STRING('s', "sort", &sort_order, "key[,key...]", "group samples by: comm, dso, symbol, pid, cpu, trace (comm,dso,symbol)"),
	OPT_STRING('F', "fields", &field_order, "key[,key...]",
		   "columns: overhead, overhead_children, sample, period, and the keys of -s"),
	OPT_CALLBACK_FLAGS('g', "call-graph", NULL, "mode,limit,order",
			   "callchains: graph, fractal or none; least percentage; caller or callee first (graph,0.5,caller)",
			   parse_chains, OPTION_OPTARG_NEXT),
	OPT_BOOL(0, "children", &children, "count samples for all functions on their callchains, too (default)"),
	OPT_BOOL('n', "show-nr-samples", &show_samples, "show a column with the number of samples"),
	OPT_BOOL(0, "show-total-period", &show_period, "show a column with the sum of the periods"),
	OPT_CALLBACK(0, "percent-limit", NULL, "percent", "leave out entries and branches below", parse_percent_limit),
	REPORT_PROFILE_OPTIONS(profile),
	OPT_BOOL(0, "stats", &show_stats, "show how many records of each type there are, no more"),
	OPT_BOOL(0, "header", &show_header, "show the facts about the recording first"),
	OPT_BOOL(0, "header-only", &header_only, "show the facts about the recording, no more"),
	OPT_BOOL('q', "quiet", &quiet, "rows only, no comments and no warnings"),
	OPT_END(),
};

static int process_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct report *report = data;
	const struct perf_sample *raw = sample->sample;
	struct hist_sample hs = {
		.thread = sample->thread,
		.loc = &sample->loc,
		.chain = sample->chain,
		.cpu = raw->sample_type & PERF_SAMPLE_CPU ? (s32)raw->cpu : -1,
		.period = raw->period,
		.nr = raw->count,
		.raw = raw,
	};

	return hists__add(&report->hists[sample->evsel->idx], &hs);
}

static bool any_event_has_chains(struct session *s)
{
	for (u32 i = 0; i < session__nr_events(s); i++) {
		if (session__event(s, i)->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	}
	return false;
}

struct event_fields { /* for layouts */
	const struct tp_formats *formats;
	const char *event;
};

static int field_width(void *data, const char *event, const char *field)
{
	return tp_formats__field_width(data, event, field);
}

static bool all_are_tracepoints(struct session *s)
{
	for (u32 i = 0; i < session__nr_events(s); i++) {
		if (session__event(s, i)->event->attr.type != PERF_TYPE_TRACEPOINT)
			return false;
	}
	return true;
}

static int own_field_width(void *data, const char *event, const char *field)
{
	const struct event_fields *fields = data;

	return *event && strcmp(event, fields->event) ? -1 : tp_formats__field_width(fields->formats, fields->event, field);
}

/* Of several events each has the columns that are its tracepoint's fields. */
static void init_event(struct hists *hists, struct session *s, u32 i, struct hist_opts opts, struct hist_layout_opts layout)
{
	struct event_fields fields = { session__formats(s), session__event(s, i)->name };

	if (fields.formats) {
		layout.field_width = own_field_width;
		layout.data = &fields;
		hist_layout__drop_fields(&opts.layout, &layout);
	}
	hists__init(hists, &opts);
}

/* What the options and the recording together ask for. */
static int setup_hists(struct report *report, struct errmsg *err)
{
	struct session *s = report->session;
	bool has_chains = any_event_has_chains(s);
	struct hist_layout_opts layout = {
		.sort = sort_order,
		.fields = field_order,
		.default_sort = !has_chains && all_are_tracepoints(s) ? "trace" : "comm,dso,symbol",
		.children = children && has_chains,
		.show_samples = show_samples,
		.show_period = show_period,
		.field_width = session__formats(s) ? field_width : NULL,
		.data = session__formats(s),
	};
	struct hist_opts opts = {
		.env = &report->env,
		.children = layout.children,
		.chain_mode = has_chains ? chains.mode : HIST_CHAIN_NONE,
		.caller_first = chains.order_given ? chains.caller_first : layout.children,
		.chain_min_percent = chains.min_percent,
	};
	int ret = hist_layout__init(&opts.layout, &layout, err);

	if (ret)
		return ret;
	report->env = (struct hist_env){
		.resolver = session__resolver(s),
		.machine = session__machine(s),
		.formats = session__formats(s),
		.features = perfdata_reader__features(session__reader(s)),
	};
	if (chains.asked && chains.mode != HIST_CHAIN_NONE && !has_chains)
		pr_warn("Warning:\n-g was given, but %s has no callchains: record with -g to have them.\n", reading.input);
	report->hists = calloc(session__nr_events(s), sizeof(*report->hists));
	if (!report->hists)
		return errmsg__set(err, ENOMEM, "out of memory");
	for (u32 i = 0; i < session__nr_events(s); i++)
		init_event(&report->hists[i], s, i, opts, layout);
	return 0;
}

/* No samples at all is worth a reason if we know one. */
static void explain_no_samples(struct session *s)
{
	u64 dropped = session__stats(s)->dropped_samples;

	if (!dropped) {
		pr_err("Error:\nThe %s data has no samples!\n", reading.input);
		return;
	}
	pr_err("Error:\nThe %s data has no samples: the filter dropped all %llu:\n", reading.input, (unsigned long long)dropped);
	for (u32 i = 0; i < session__nr_events(s); i++) {
		const struct session_event *event = session__event(s, i);

		if (event->dropped_samples)
			pr_err("\t%llu of event '%s'\n", (unsigned long long)event->dropped_samples, event->name);
	}
}

static int print_hists(struct report *report)
{
	struct hist_stdio_opts opts = {
		.min_percent = min_percent,
		.no_header = quiet,
		/* Entries of nothing but a symbol show it already. */
		.skip_first_frame = !field_order && sort_order && !strncmp(sort_order, "sym", 3),
	};

	if (!quiet)
		printf("#\n# Total Lost Samples: %llu\n#\n", (unsigned long long)session__stats(report->session)->lost_samples);
	for (u32 i = 0; i < session__nr_events(report->session); i++) {
		struct hists *hists = &report->hists[i];
		char unit;
		u64 nr = count_in_units(hists->nr_samples, &unit);

		if (!hists->nr_samples)
			continue;
		if (hists__sort(hists))
			return -ENOMEM;
		if (!quiet)
			printf("# Samples: %llu%c of event '%s'\n# Event count (approx.): %llu\n#\n", (unsigned long long)nr, unit,
			       session__event(report->session, i)->name, (unsigned long long)hists->total_period);
		hists__fprintf(hists, stdout, &opts);
		fputs("\n\n", stdout);
	}
	if (!quiet) /* the frame of perf's tip of the day */
		fputs("#\n#\n", stdout);
	return 0;
}

/* On a terminal the rows are for walking through, unless text was asked for. */
static bool use_browser(void)
{
	return tui || (!stdio && !quiet && !show_header && browser__can_run());
}

static int browse_hists(struct report *report)
{
	struct session *s = report->session;
	struct browser_event *events = calloc(session__nr_events(s), sizeof(*events));
	struct errmsg err;
	u32 nr = 0;
	int ret = events ? 0 : errmsg__set(&err, ENOMEM, "out of memory");

	for (u32 i = 0; i < session__nr_events(s) && !ret; i++) {
		if (!report->hists[i].nr_samples)
			continue;
		if (hists__sort(&report->hists[i]))
			ret = errmsg__set(&err, ENOMEM, "out of memory");
		events[nr++] = (struct browser_event){ .name = session__event(s, i)->name, .hists = &report->hists[i] };
	}
	if (!ret)
		ret = browser__run(events, nr, min_percent, &err);
	free(events);
	if (ret)
		pr_err("%s\n", err.text);
	return ret ? EXIT_SETUP : 0;
}

static int print_report(struct report *report)
{
	struct session *s = report->session;

	session__warn(s, reading.input);
	if (show_stats) {
		stats__fprintf(stdout, s);
		return 0;
	}
	if (!session__stats(s)->nr_samples) {
		explain_no_samples(s);
		return 0;
	}
	if (use_browser())
		return browse_hists(report);
	if (show_header)
		header__fprintf(stdout, session__reader(s), reading.input);
	else if (!quiet)
		printf("# To display the perf.data header info, please use --header/--header-only options.\n#\n");
	if (print_hists(report)) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	return 0;
}

static int add_to_profile(struct session *s, const struct session_sample *sample, void *data)
{
	return report_profile__add(&profile, sample);
}

/* Whole stacks take the place of rows. Returns the exit status. */
static int run_profile(struct session *s)
{
	static const struct session_ops ops = { .sample = add_to_profile };
	struct errmsg err;
	int ret = report_profile__begin(&profile, s) ? errmsg__set(&err, ENOMEM, "out of memory") : 0;

	if (!ret)
		ret = session__run(s, &ops, NULL, &err);
	if (ret) {
		pr_err("%s\n", err.text);
		ret = EXIT_SETUP;
	} else {
		session__warn(s, reading.input);
		ret = report_profile__write(&profile, s);
	}
	report_profile__exit(&profile, s);
	return ret;
}

/* Read the recording and print it. Returns the exit status. */
static int run(struct report *report)
{
	static const struct session_ops ops = { .sample = process_sample }, stats_ops = {};
	struct errmsg err;
	int ret = setup_hists(report, &err);

	if (ret) {
		pr_err("%s\n", err.text);
		return ret == -EINVAL ? EXIT_USAGE : EXIT_SETUP;
	}
	if (session__run(report->session, show_stats ? &stats_ops : &ops, report, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	return print_report(report);
}

static int print_header_only(void)
{
	struct perfdata_reader *reader;
	struct errmsg err;
	int ret = perfdata_reader__open(reading.input, &reader, &err);

	if (ret) {
		session__explain_open(reading.input, ret, &err);
		return EXIT_SETUP;
	}
	header__fprintf(stdout, reader, reading.input);
	perfdata_reader__delete(reader);
	return 0;
}

static void report__exit(struct report *report)
{
	for (u32 i = 0; report->hists && i < session__nr_events(report->session); i++)
		hists__exit(&report->hists[i]);
	free(report->hists);
	session__delete(report->session);
}

int cmd_report(int argc, char **argv)
{
	struct report report = {};
	int ret;

	argc = options__parse(argc, argv, report_options, report_usage, false);
	if (argc)
		options__usage_exit(report_options, report_usage, "  Error: unexpected argument `%s'\n", argv[0]);
	log__set_quiet(quiet);
	if (header_only)
		return print_header_only();
	report.session = read_options__open(&reading, show_stats);
	if (!report.session)
		return EXIT_SETUP;
	ret = report_profile__wanted(&profile) ? run_profile(report.session) : run(&report);
	report__exit(&report);
	return ret;
}

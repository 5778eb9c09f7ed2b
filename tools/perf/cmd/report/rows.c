// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "report"
#include "cmd/report/rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/branches.h"
#include "cmd/report/groups.h"
#include "cmd/report/lost-names.h"
#include "cmd/report/parallelism.h"
#include "ui/tui/browser.h"
#include "ui/report/stdio.h"
#include "util/event/kind.h"
#include "util/lib/array.h"
#include "util/lib/cpumap.h"
#include "util/lib/log.h"
#include "util/lib/text.h"
#include "util/perfdata/key-texts.h"

#define MEMORY_SORT "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat,local_p_stage_cyc"

static bool any_event_has(struct session *s, u64 sample_type)
{
	for (u32 i = 0; i < session__nr_events(s); i++) {
		if (session__event(s, i)->event->attr.sample_type & sample_type)
			return true;
	}
	return false;
}

static bool any_event_is(struct session *s, const struct event_kind *kind)
{
	for (u32 i = 0; i < session__nr_events(s); i++) {
		if (event_kind__of_name(session__event(s, i)->name) == kind)
			return true;
	}
	return false;
}

static bool all_are_tracepoints(struct session *s)
{
	for (u32 i = 0; i < session__nr_events(s); i++) {
		if (session__event(s, i)->event->attr.type != PERF_TYPE_TRACEPOINT)
			return false;
	}
	return true;
}

/* Was it counted by values that users name? They are the text of a tracepoint of perf's own. */
static bool has_key_texts(struct session *s)
{
	for (u32 i = 0; i < session__nr_events(s); i++) {
		const struct perf_event_attr *attr = &session__event(s, i)->event->attr;

		if (attr->type == PERF_TYPE_TRACEPOINT && attr->config == KEY_TEXTS_ID)
			return true;
	}
	return false;
}

static const char *default_sort(const struct report_rows *rows, bool has_chains)
{
	if (rows->options->comparison)
		return "dso,symbol";
	if (rows->options->mem_mode)
		return MEMORY_SORT;
	if (rows->branches)
		return BRANCH_SORT;
	if (any_event_is(rows->session, &wall_kind))
		return "comm,state,dso,symbol";
	if (has_key_texts(rows->session))
		return has_chains ? "comm,trace,dso,symbol" : "comm,trace";
	return !has_chains && all_are_tracepoints(rows->session) ? "trace" : "comm,dso,symbol";
}

struct event_fields { /* arguments for layouts */
	const struct tp_formats *formats;
	const char *event;
};

static int field_width(void *data, const char *event, const char *field)
{
	return tp_formats__field_width(data, event, field);
}

static int own_field_width(void *data, const char *event, const char *field)
{
	const struct event_fields *fields = data;

	return *event && strcmp(event, fields->event) ? -1 : tp_formats__field_width(fields->formats, fields->event, field);
}

struct rows_layout {
	struct rows_layout *next;
	struct hist_layout layout;
};

/* Store a copy of layout, if it is new; NULL: no memory. */
static const struct hist_layout *keep_layout(struct report_rows *rows, const struct hist_layout *layout)
{
	struct rows_layout *kept;

	for (kept = rows->layouts; kept; kept = kept->next) {
		if (!memcmp(&kept->layout, layout, sizeof(*layout)))
			return &kept->layout;
	}
	kept = malloc(sizeof(*kept));
	if (!kept)
		return NULL;
	kept->next = rows->layouts;
	memcpy(&kept->layout, layout, sizeof(*layout));
	rows->layouts = kept;
	return &kept->layout;
}

/* The name of its format: that of counted samples is none of the event's. */
static const char *format_of(struct session *s, u32 i)
{
	const struct perf_event_attr *attr = &session__event(s, i)->event->attr;
	const struct tp_formats *formats = session__formats(s);
	const char *name = formats && attr->type == PERF_TYPE_TRACEPOINT ? tp_formats__name(formats, attr->config) : NULL;

	return name ?: session__event(s, i)->name;
}

/* With several events each one has the columns for its tracepoint's fields, but events in one table have the same. */
static int init_event(struct hists *hists, struct report_rows *rows, u32 i, const struct hist_opts *opts,
		      const struct hist_layout_opts *layout)
{
	struct session *s = rows->session;
	struct event_fields fields = { session__formats(s), format_of(s, i) };
	struct hist_layout_opts own_layout = *layout;
	struct hist_opts own = *opts;
	struct hist_layout columns;

	if (fields.formats && !report_groups__wanted(s, rows->options)) {
		own_layout.field_width = own_field_width;
		own_layout.data = &fields;
		memcpy(&columns, own.layout, sizeof(columns)); /* including padding */
		hist_layout__drop_fields(&columns, &own_layout);
		own.layout = keep_layout(rows, &columns);
	}
	hists__init(hists, &own);
	return own.layout ? 0 : -ENOMEM;
}

/* A key with a single value because of a filter is printed once, above the rows. */
static const struct {
	const char *title, *key;
	size_t option; /* in struct selection */
} single[] = {
	{ "dso", "dso", offsetof(struct selection, dsos) },
	{ "comm", "comm", offsetof(struct selection, comms) },
	{ "symbol", "symbol", offsetof(struct selection, symbols) },
};

/* The single value of a column; NULL: there may be more. */
static const char *single_value(const struct selection *f, const struct hist_column *column, const char **title)
{
	for (size_t i = 0; i < ARRAY_SIZE(single); i++) {
		const char *list = *(const char *const *)((const char *)f + single[i].option);

		if (strcmp(column->key->name, single[i].key))
			continue;
		*title = single[i].title;
		return list && *list && !strchr(list, ',') ? list : NULL;
	}
	return NULL;
}

/* As in perf all keys stay if no other key were left. */
static void drop_single_columns(struct hist_layout *layout, const struct selection *f)
{
	const struct hist_column_list *sort = &layout->sort;
	const char *title;
	u32 left = 0;

	for (u32 i = 0; i < sort->nr; i++)
		left += sort->at[i].key->kind != HIST_KEY_SUM && !single_value(f, &sort->at[i], &title);
	for (u32 i = 0; left && i < sort->nr; i++) {
		if (single_value(f, &sort->at[i], &title))
			hist_layout__hide(layout, sort->at[i].key->name);
	}
}

static int make_hists(struct report_rows *rows, struct hist_opts *opts, const struct hist_layout_opts *layout, struct errmsg *err)
{
	struct session *s = rows->session;
	int ret = 0;

	opts->layout = keep_layout(rows, opts->layout);
	rows->hists = calloc(session__nr_events(s), sizeof(*rows->hists));
	rows->shared = opts->shared = opts->layout ? hist_shared__new(opts) : NULL;
	if (!rows->hists || !rows->shared || report_options__compile_parent(rows->options))
		return errmsg__set(err, ENOMEM, "out of memory");
	rows->env = (struct hist_env){
		.resolver = session__resolver(s),
		.machine = session__machine(s),
		.formats = session__formats(s),
		.features = session__features(s),
		.parent = &rows->options->parent.compiled,
	};
	for (u32 i = 0; i < session__nr_events(s) && !ret; i++)
		ret = init_event(&rows->hists[i], rows, i, opts, layout);
	return ret ? errmsg__set(err, ENOMEM, "out of memory") : 0;
}

static int check_modes(const struct report_rows *rows, struct errmsg *err)
{
	const struct report_options *o = rows->options;

	if (o->branches == REPORT_BRANCHES_ALWAYS && !rows->branches)
		return errmsg__set(err, EINVAL, "-b: the file has no branches: record with -b or -j, which needs hardware that keeps them.");
	if (o->mem_mode && rows->branches)
		return errmsg__set(err, EINVAL, "--mem-mode shows memory accesses, not branches: add --no-branch-stack.");
	if (o->mem_mode && !any_event_has(rows->session, PERF_SAMPLE_DATA_SRC))
		return errmsg__set(err, EINVAL, "--mem-mode: the file has no memory accesses: record them with -d or --data-src.");
	return 0;
}

static enum hist_latency latency_column(const struct report_rows *rows)
{
	if (rows->options->latency)
		return HIST_LATENCY_FIRST;
	return parallelism__is_recorded(rows->session) && !rows->branches && !rows->options->comparison ? HIST_LATENCY_SHOWN : HIST_LATENCY_NONE;
}

static struct hist_layout_opts layout_opts(const struct report_rows *rows, bool has_chains)
{
	const struct report_options *o = rows->options;
	struct session *s = rows->session;

	return (struct hist_layout_opts){
		.default_sort = default_sort(rows, has_chains),
		.sort = o->sort,
		.fields = o->fields,
		.children = o->children && has_chains && !o->hierarchy,
		.latency = latency_column(rows),
		.show_samples = o->show_samples,
		.show_period = o->show_period,
		.show_modes = o->show_modes,
		.nanoseconds = o->nanoseconds,
		.memory = o->mem_mode,
		.branches = rows->branches,
		.comparison = o->comparison,
		.arch = session__features(s)->arch,
		.field_width = session__formats(s) ? field_width : NULL,
		.data = session__formats(s),
	};
}

static struct hist_opts hist_opts(struct report_rows *rows, bool has_chains, bool children)
{
	const struct report_options *o = rows->options;

	return (struct hist_opts){
		.env = &rows->env,
		.children = children,
		.chain_mode = has_chains ? o->chains.mode : HIST_CHAIN_NONE,
		.chain_value = o->chains.value,
		.frame_key = o->chains.key,
		.caller_first = o->chains.order_given ? o->chains.caller_first : children,
		.chain_min_percent = o->chains.min_percent,
		.chain_max_branches = o->chains.max_branches,
		.symbol_filter = o->symbol_filter,
		.dsos_chosen = o->selection.dsos,
		.comparison = o->comparison,
		.relative = o->relative,
		.time_quantum = o->time_quantum,
		.full_paths = o->full_paths,
		.nanoseconds = o->nanoseconds,
	};
}

static int make_layout(struct hist_layout *layout, const struct hist_layout_opts *opts, const struct report_options *o, bool has_chains,
		       struct errmsg *err)
{
	int ret = hist_layout__init(layout, opts, err);

	if (!ret && o->parent.text)
		ret = hist_layout__add_key(layout, "parent", err);
	if (ret)
		return ret;
	if (!has_chains && hist_column_list__has(&layout->sort, "parent"))
		return errmsg__set(err, EINVAL, "The key parent needs callchains, and the file has none: record with -g to have them.");
	if (o->chains.asked && o->chains.mode != HIST_CHAIN_NONE && !has_chains)
		pr_warn("Warning:\n-g was given, but the file has no callchains: record with -g to have them.\n");
	hist_layout__set_widths(layout, o->widths.at, o->widths.nr);
	if (!o->hierarchy)
		drop_single_columns(layout, &o->selection);
	return 0;
}

/* Counting who runs takes each sample, so it is done only for who looks at it. */
static int init_parallelism(struct report_rows *rows, const struct hist_layout *layout, struct errmsg *err)
{
	const char *shown = rows->options->parallelism;

	if (!shown && !hist_column_list__has(&layout->sort, "latency") && !hist_column_list__has(&layout->sort, "latency_children") &&
	    !hist_column_list__has(&layout->sort, "parallelism"))
		return 0;
	if (rows->branches)
		return errmsg__set(err, EINVAL, "Branches have no latency and no parallelism: add --no-branch-stack.");
	if (shown) {
		rows->parallelism_shown = cpumap__parse(shown, err);
		if (!rows->parallelism_shown)
			return errmsg__set(err, EINVAL, "--parallelism %s: not a list of numbers such as 1,4-8", shown);
	}
	return parallelism__new(rows->session, &rows->parallelism, err);
}

static bool has_key_of_place(const struct hist_layout *layout)
{
	for (u32 i = 0; i < layout->sort.nr; i++) {
		if (!(layout->sort.at[i].key->flags & HIST_KEY_ANYWHERE))
			return true;
	}
	return false;
}

/* What the rows read of samples. */
static enum session_detail detail(const struct report_rows *rows, const struct hist_opts *opts)
{
	const struct report_options *o = rows->options;
	const struct selection *selection = &o->selection;

	if (rows->branches || o->mem_mode || o->exclude_other || hist_opts__have_chains(opts) ||
	    hist_column_list__has(&opts->layout->sort, "parent"))
		return SESSION_CHAINS;
	if (has_key_of_place(opts->layout) || o->symbol_filter || selection->dsos || selection->symbols || selection->named_only)
		return SESSION_PLACES;
	return SESSION_ADDRESSES;
}

struct rows_place { /* where samples of one kind are counted */
	u32 place; /* in the event's hists */
	u32 hit;
};

static void count_more(u64 where, u64 nr, u64 period, void *data)
{
	const struct report_rows *rows = data;
	u32 event = where >> 32, place = where;

	if (rows->hits) {
		const struct rows_place *at = &rows->place[place - 1];

		code_hits__add_more(rows->hits, at->hit, nr, period);
		place = at->place;
	}
	hists__add_more(&rows->hists[event], place, &(struct hist_stat){ .period = period, .nr = nr });
}

/* Then frames of callers depend on the others. */
static bool drops_frames(const struct read_options *o)
{
	return o->skip_frames || o->hide_unresolved || o->ignore_callees;
}

/* Count samples by their ids if nothing is looked at that differs between samples with the same ones. */
static int init_kinds(struct report_rows *rows, const struct hist_opts *opts, struct errmsg *err)
{
	const struct report_options *o = rows->options;
	bool has_chains = hist_opts__have_chains(opts), by_ids = rows->kinds && !rows->branches && !rows->parallelism && !o->mem_mode &&
		      selection__ignores_rest(&o->selection);
	bool by_function = !o->selection.symbols && !rows->hits && (!has_chains || opts->frame_key == FRAME_BY_FUNCTION); /* symbols may be addresses */
	bool by_numbers = !rows->has_frames && !rows->branches && !o->exclude_other && !hist_column_list__has(&opts->layout->sort, "parent");
	bool with_raw = false;

	for (u32 i = 0; i < session__nr_events(rows->session); i++) {
		by_ids &= hists__can_add_more(&rows->hists[i], true);
		with_raw |= !hists__can_add_more(&rows->hists[i], false);
		by_function &= !rows->hists[i].opts.layout->by_place;
	}
	session__want(rows->session, detail(rows, opts), !by_ids ? SESSION_NO_IDS : with_raw ? SESSION_IDS_OF_RAW : SESSION_IDS_BUT_RAW);
	if (by_numbers)
		session__want_numbers(rows->session, false);
	rows->by_callers = by_ids && by_numbers && has_chains && !rows->hits && !drops_frames(&o->reading);
	return by_ids && report_kinds__init(rows->kinds, by_function, count_more, rows) ? errmsg__set(err, ENOMEM, "out of memory") : 0;
}

int report_rows__init(struct report_rows *rows, struct errmsg *err)
{
	const struct report_options *o = rows->options;
	struct session *s = rows->session;
	bool branches = report_branches__wanted(s, o), has_chains = any_event_has(s, PERF_SAMPLE_CALLCHAIN) && !branches;
	struct hist_layout_opts layout;
	struct hist_layout columns = {};
	struct hist_opts opts;
	int ret;

	rows->branches = branches;
	layout = layout_opts(rows, has_chains);
	opts = hist_opts(rows, has_chains, layout.children);
	opts.layout = &columns;
	ret = check_modes(rows, err) ?: make_layout(&columns, &layout, o, has_chains, err);
	ret = ret ?: init_parallelism(rows, &columns, err);
	ret = ret ?: make_hists(rows, &opts, &layout, err);
	if (ret)
		return ret;
	return init_kinds(rows, &opts, err);
}

void report_rows__exit(struct report_rows *rows)
{
	for (u32 i = 0; rows->hists && i < session__nr_events(rows->session); i++)
		hists__exit(&rows->hists[i]);
	free(rows->hists);
	free(rows->place);
	hist_shared__delete(rows->shared);
	parallelism__delete(rows->parallelism);
	free(rows->parallelism_shown);
	while (rows->layouts) {
		struct rows_layout *next = rows->layouts->next;

		free(rows->layouts);
		rows->layouts = next;
	}
}

static bool has_parent(const struct report_rows *rows, const struct callchain *chain)
{
	for (u32 i = 0; chain && i < chain->nr; i++) {
		const struct symbol *sym = chain->frame[i].sym;

		if (sym && !regexec(rows->env.parent, sym->name, 0, NULL, 0))
			return true;
	}
	return false;
}

/* In its mode a memory access counts its cost; unknown costs are 1, as in perf. */
static u64 sample_period(const struct report_rows *rows, const struct perf_sample *raw)
{
	u64 weight = raw->sample_type & PERF_SAMPLE_WEIGHT ? raw->weight : (u32)raw->weight;

	return rows->options->mem_mode ? weight ?: 1 : raw->period;
}

void report_rows__take_record(struct report_rows *rows, const union perf_record *record, const struct perf_sample *id)
{
	if (rows->parallelism)
		parallelism__take_record(rows->parallelism, record, id);
}

static bool is_hidden(const struct report_rows *rows, const struct hist_sample *hs)
{
	if (rows->parallelism_shown && !cpumap__has(rows->parallelism_shown, hs->parallelism))
		return true;
	return rows->options->exclude_other && !has_parent(rows, hs->chain);
}

/* The number of a place together with the last hit, plus 1; 0: no memory */
static u32 number_place(struct report_rows *rows, u32 place)
{
	if (array__grow(rows->place, rows->nr_places, rows->alloc_places))
		return 0;
	rows->place[rows->nr_places++] = (struct rows_place){ place, code_hits__last(rows->hits) };
	return rows->nr_places;
}

static void keep_place(struct report_rows *rows, const struct session_sample *sample)
{
	u32 event = sample->evsel->idx, place = hists__last_place(&rows->hists[event]);

	if (place && rows->kinds && rows->hits)
		place = number_place(rows, place);
	if (place && rows->kinds)
		report_kinds__keep(rows->kinds, sample, (u64)event << 32 | place);
}

int report_rows__add(struct report_rows *rows, const struct session_sample *sample)
{
	struct report_options *o = rows->options;
	const struct perf_sample *raw = sample->sample;
	struct hists *hists = &rows->hists[sample->evsel->idx];
	struct hist_sample hs = {
		.thread = sample->thread,
		.loc = &sample->loc,
		.chain = sample->chain,
		.callers = rows->by_callers ? sample->ids.callers : 0,
		.place = rows->by_callers ? sample->ids.place : 0,
		.cpu = raw->sample_type & PERF_SAMPLE_CPU ? (s32)raw->cpu : -1,
		.period = sample_period(rows, raw),
		.nr = raw->count,
		.parallelism = rows->parallelism ? parallelism__take_sample(rows->parallelism, sample) : 0,
		.raw = raw,
	};
	enum sample_verdict verdict = selection__judge(&o->selection, sample);

	if (verdict == SAMPLE_LEFT_OUT)
		return 0;
	if (rows->branches)
		return report_branches__add(hists, rows->session, sample, &hs, verdict == SAMPLE_SHOWN, o->selection.named_only);
	if (verdict == SAMPLE_HIDDEN || is_hidden(rows, &hs)) {
		hists__count_hidden(hists, &hs);
		return 0;
	}
	rows->nr_shown++;
	rows->nr_alone += hs.parallelism == 1;
	if (hists__add(hists, &hs) || (rows->hits && code_hits__add(rows->hits, sample)))
		return -ENOMEM;
	if (sample->ids.place)
		keep_place(rows, sample);
	return 0;
}

/* 1: added; 0: it is not known where; or -ENOMEM */
static int add_known(struct report_rows *rows, struct hists *hists, const struct session_brief *brief)
{
	const struct location loc = { .cpumode = brief->parts->cpumode };
	const struct hist_sample hs = { .thread = brief->thread, .loc = &loc, .callers = brief->ids.callers, .place = brief->ids.place,
					.period = brief->period, .nr = 1 };
	int ret = hists__add_known(hists, &hs);

	if (ret <= 0)
		return ret;
	rows->nr_shown++;
	report_kinds__keep_seen(rows->kinds, (u64)brief->evsel->idx << 32 | hists__last_place(hists));
	return 1;
}

int report_rows__see(struct report_rows *rows, const struct session_brief *brief)
{
	struct hists *hists = &rows->hists[brief->evsel->idx];
	int ret;

	if (!rows->by_callers || !hists__know_callers(hists, brief->ids.callers))
		return SESSION_NEEDS_ALL;
	ret = add_known(rows, hists, brief);
	if (ret < 0)
		return ret;
	return ret ? SESSION_NEEDS_NOTHING : SESSION_NEEDS_PLACE;
}

void report_rows__look_ahead(const struct report_rows *rows, struct session_brief *const *brief, size_t nr)
{
	for (size_t i = 0; rows->by_callers && i < nr; i++) {
		if (brief[i]->need != SESSION_NEEDS_NOTHING)
			hists__fetch_ids(&rows->hists[brief[i]->evsel->idx], brief[i]->ids.place, brief[i]->ids.callers);
	}
	for (size_t i = 0; rows->by_callers && i < nr; i++) {
		if (brief[i]->need != SESSION_NEEDS_NOTHING &&
		    hists__fetch_known(&rows->hists[brief[i]->evsel->idx], brief[i]->ids.place, brief[i]->ids.callers))
			brief[i]->need = SESSION_NEEDS_NOTHING;
	}
}

void report_rows__forget_ids(struct report_rows *rows)
{
	hist_shared__forget_ids(rows->shared);
}

int report_rows__hide(struct report_rows *rows, const struct session_sample *sample)
{
	const struct hist_sample hs = { .thread = sample->thread, .loc = &sample->loc, .period = sample->sample->period, .nr = sample->sample->count };

	hists__count_hidden(&rows->hists[sample->evsel->idx], &hs);
	return 0;
}

bool report_rows__any_samples(const struct report_rows *rows)
{
	for (u32 i = 0; i < session__nr_events(rows->session); i++) {
		if (rows->hists[i].any_samples)
			return true;
	}
	return false;
}

static void print_single_values(const struct report_rows *rows, FILE *fp, const char *before, const char *behind)
{
	const struct hist_column_list *sort = &rows->hists[0].opts.layout->sort;
	const char *title, *value;

	for (u32 i = 0; i < sort->nr; i++) {
		value = single_value(&rows->options->selection, &sort->at[i], &title);
		if (value)
			fprintf(fp, "%s%s: %s%s", before, title, value, behind);
	}
}

/* Counts for the events of a group together. Returns their sum of periods. */
static u64 print_samples(const struct report_rows *rows, FILE *fp, const struct report_group *group)
{
	u64 nr = 0, period = 0;
	char unit;

	for (u32 i = 0; i < group->nr; i++) {
		nr += rows->hists[group->event[i]].nr_samples;
		period += rows->hists[group->event[i]].total_period;
	}
	nr = count_in_units(nr, &unit);
	fprintf(fp, "Samples: %llu%c of event%s ", (unsigned long long)nr, unit, group->nr_all > 1 ? "s" : "");
	report_group__fprintf_name(group, rows->session, fp);
	return period;
}

static void print_group_header(const struct report_rows *rows, FILE *fp, const struct report_group *group)
{
	const struct report_options *o = rows->options;
	u64 period;

	fputs("# ", fp);
	period = print_samples(rows, fp, group);
	if (o->selection.times)
		fprintf(fp, " (time slices: %s)", o->selection.times);
	if (o->mem_mode)
		fprintf(fp, "\n# Total weight : %llu\n# Sort order   : %s", (unsigned long long)period, o->sort ?: MEMORY_SORT);
	else
		fprintf(fp, "\n# Event count (approx.): %llu", (unsigned long long)period);
	if (o->selection.socket)
		fprintf(fp, "\n# Processor Socket: %s", o->selection.socket);
	fputs("\n#\n", fp);
}

int report_rows__sort_group(struct report_rows *rows, const struct report_group *group)
{
	if (group->nr > 1 && report_group__join(group, rows->hists, rows->options->group_sort))
		return -ENOMEM;
	return hists__sort(&rows->hists[group->event[0]]);
}

/* With many events, only one at a time has the entries of callers. */
static void end_group(struct report_rows *rows, const struct report_group *group)
{
	for (u32 i = 0; i < group->nr; i++)
		hists__exit(&rows->hists[group->event[i]]);
}

static int print_groups(struct report_rows *rows, const struct report_groups *groups, FILE *fp, struct lost_names *lost)
{
	const struct report_options *o = rows->options;
	const struct hist_stdio_opts opts = {
		.min_percent = o->min_percent,
		.no_header = o->quiet,
		.separator = o->separator,
		.hierarchy = o->hierarchy,
		.full = o->full || o->widths.nr,
		/* Entries with only a symbol already show it. */
		.skip_first_frame = !o->fields && o->sort && !strncmp(o->sort, "sym", 3),
	};

	for (u32 i = 0; i < groups->nr; i++) {
		const struct report_group *group = &groups->group[i];

		if (report_rows__sort_group(rows, group))
			return -ENOMEM;
		if (!o->quiet)
			print_group_header(rows, fp, group);
		if (hists__fprintf(&rows->hists[group->event[0]], fp, &opts))
			return -ENOMEM;
		lost_names__count(lost, &rows->hists[group->event[0]], rows->env.resolver);
		end_group(rows, group);
		fputs("\n\n", fp);
	}
	return 0;
}

/* As in perf: where tasks ran alone, latency is overhead, and is shown only to who asks for it. */
static void hide_latency(struct report_rows *rows)
{
	const struct report_options *o = rows->options;

	if (o->latency || o->fields || (o->sort && strstr(o->sort, "latency")))
		return;
	if (!rows->nr_shown || rows->nr_alone * 100 / rows->nr_shown < 99)
		return;
	for (struct rows_layout *l = rows->layouts; l; l = l->next) {
		hist_layout__hide(&l->layout, "latency");
		hist_layout__hide(&l->layout, "latency_children");
	}
}

int report_rows__print(struct report_rows *rows, FILE *fp)
{
	struct report_groups groups;
	struct lost_names lost = {};
	int ret = report_groups__init(&groups, rows->session, rows->hists, rows->options);

	hide_latency(rows);
	if (!ret && !rows->options->quiet) {
		print_single_values(rows, fp, "# ", "\n");
		fprintf(fp, "#\n# Total Lost Samples: %llu\n#\n", (unsigned long long)session__stats(rows->session)->lost_samples);
	}
	ret = ret ?: print_groups(rows, &groups, fp, &lost);
	report_groups__exit(&groups);
	if (ret || rows->options->quiet)
		return ret;
	fputs("#\n", fp); /* perf prints its tip of the day between these */
	lost_names__fprintf(&lost, fp);
	fputs("#\n", fp);
	return ret;
}

char *report_rows__title(const struct report_rows *rows, const struct report_group *group)
{
	char *title = NULL;
	size_t size;
	FILE *fp = open_memstream(&title, &size);

	if (!fp)
		return NULL;
	fprintf(fp, ", Event count (approx.): %llu", (unsigned long long)print_samples(rows, fp, group));
	print_single_values(rows, fp, ", ", "");
	text__close_stream(fp, &title);
	return title;
}

static int browse_groups(struct report_rows *rows, const struct report_groups *groups, u32 nr_warnings, struct errmsg *err)
{
	const struct annotate_view_opts view = { .full_paths = rows->options->full_paths };
	const struct annotate_source source = { session__resolver(rows->session), rows->hits, &rows->options->code, &view };
	const struct browser_opts opts = {
		.min_percent = rows->options->min_percent,
		.input = rows->options->reading.input,
		.code = rows->hits ? &source : NULL,
		.nr_warnings = nr_warnings,
	};
	struct browser_event *events = calloc(groups->nr ?: 1, sizeof(*events));
	int ret = events ? 0 : -ENOMEM;

	for (u32 i = 0; i < groups->nr && !ret; i++) {
		const struct report_group *group = &groups->group[i];

		ret = report_rows__sort_group(rows, group);
		events[i] = (struct browser_event){ .title = report_rows__title(rows, group), .hists = &rows->hists[group->event[0]],
						    .hits_event = group->event, .nr_hits_events = rows->hits ? group->nr : 0 };
		if (!events[i].title)
			ret = -ENOMEM;
	}
	if (ret)
		errmsg__set(err, ENOMEM, "out of memory");
	else
		ret = browser__run(events, groups->nr, &opts, &rows->options->next_input, err);
	for (u32 i = 0; events && i < groups->nr; i++)
		free(events[i].title);
	free(events);
	return ret;
}

int report_rows__browse(struct report_rows *rows, u32 nr_warnings)
{
	struct report_groups groups;
	struct errmsg err;
	int ret = report_groups__init(&groups, rows->session, rows->hists, rows->options);

	hide_latency(rows);
	ret = ret ? errmsg__set(&err, ENOMEM, "out of memory") : browse_groups(rows, &groups, nr_warnings, &err);
	report_groups__exit(&groups);
	if (ret)
		pr_err("%s\n", err.text);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/source/histogram-opts.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include "util/event/function-name.h"
#include "util/event/probe.h"
#include "util/event/tracepoint.h"
#include "util/filter/filter.h"
#include "util/judge/tp-fields.h"
#include "util/symbol/probe-finder.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-> .*()[]" /* those of walks, too */

static int out_of_memory(struct errmsg *err)
{
	return errmsg__set(err, ENOMEM, "out of memory for a histogram");
}

static int parse_step(struct histogram_opts *opts, const char *text, struct errmsg *err)
{
	if (filter__parse_amount(text, &opts->step) && opts->step)
		return 0;
	return errmsg__set(err, EINVAL, "linear takes the width of its buckets, 1 or more, as in linear,100 or linear,4K or linear,10ms: "
			   "not \"%s\"", text);
}

static int parse_kind(struct histogram_opts *opts, const char *text, struct errmsg *err)
{
	static const char linear[] = "linear";
	const size_t len = sizeof(linear) - 1;

	opts->kind = HISTOGRAM_LOG2;
	opts->step = 1;
	if (!strcmp(text, "log2"))
		return 0;
	if (strncmp(text, linear, len) || (text[len] && text[len] != ','))
		return errmsg__set(err, EINVAL, "buckets are log2 or linear,STEP, as in %s:linear,100: not \"%s\"", opts->number, text);
	opts->kind = HISTOGRAM_LINEAR;
	return text[len] ? parse_step(opts, text + len + 1, err) : 0;
}

int histogram_opts__parse_number(struct histogram_opts *opts, const char *text, struct errmsg *err)
{
	size_t len = strcspn(text, ":");

	if (!len || text[strspn(text, NAME_CHARACTERS)] != (len == strlen(text) ? '\0' : ':'))
		return errmsg__set(err, EINVAL, "a histogram is of one number, a filter term, a field of a tracepoint or data of the kernel, as in "
				   "--hist period or --hist bytes_req:linear,64, or --hist 'skb->len': not \"%.*s\"", (int)len, text);
	opts->number = strndup(text, len);
	if (!opts->number)
		return out_of_memory(err);
	return parse_kind(opts, text[len] ? text + len + 1 : "log2", err);
}

#define LATENCY_FORM "EVENT,EVENT[:KEY]"

/* Where the keys begin: behind the second colon. An event on a function has colons of its own. */
static const char *find_keys(const char *text)
{
	static const struct {
		const char *word;
		int nr_colons;
	} kinds[] = { { "uprobe:", 2 }, { "uretprobe:", 2 }, { "uretprobe-force:", 2 }, { "sdt:", 3 } };
	int nr = 1;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		nr = strncmp(text, kinds[i].word, strlen(kinds[i].word)) ? nr : kinds[i].nr_colons;
	for (; nr && text; nr--) {
		text = strchr(text, ':');
		text += !!text;
	}
	return text ? function_name__find(text, ":") : NULL;
}

/* sys:name[:keys] */
static int parse_end(struct histogram_opts *opts, const char *text, struct errmsg *err)
{
	const char *colon = strchr(text, ':');
	const char *keys = find_keys(text);
	char *event;
	int ret;

	if (!colon)
		return errmsg__set(err, EINVAL, "times are taken between two tracepoints, " LATENCY_FORM ": not \"%s\"", text);
	if (keys) {
		opts->keys = strdup(keys + 1);
		if (!opts->keys)
			return out_of_memory(err);
	}
	event = keys ? strndup(text, keys - text) : strdup(text);
	opts->end = evlist__new();
	if (opts->end)
		opts->end->find_probe = probe_finder__find;
	ret = event && opts->end ? evlist__parse(opts->end, event, NULL, err) : out_of_memory(err);
	free(event);
	if (!ret && (opts->end->nr != 1 || !opts->end->evsel[0]->tp))
		ret = errmsg__set(err, EINVAL, "times are taken from one tracepoint to one other, " LATENCY_FORM);
	return ret;
}

int histogram_opts__parse_latency(struct histogram_opts *opts, const char *text, char **start, struct errmsg *err)
{
	const char *comma = function_name__find(text, ",");

	opts->kind = HISTOGRAM_LOG2;
	opts->step = 1;
	if (!comma)
		return errmsg__set(err, EINVAL, "times are taken from one tracepoint to another, " LATENCY_FORM ": not \"%s\"", text);
	*start = strndup(text, comma - text);
	return *start ? parse_end(opts, comma + 1, err) : out_of_memory(err);
}

void histogram_opts__exit(struct histogram_opts *opts)
{
	free(opts->number);
	free(opts->keys);
	evlist__delete(opts->end);
	*opts = (struct histogram_opts){ 0 };
}

/* For one event */

static int find_number(const char *option, const char *name, const struct evsel *evsel, struct histogram_number *number, u64 *sample_type,
		       struct errmsg *err)
{
	const struct filter_env env = tp_fields__env(evsel->tp, false);
	int ret = filter__find_number(option, name, evsel->tp ? &env : NULL, number, sample_type, err);

	if (ret == -EINVAL)
		errmsg__prefix(err, "%s", evsel->name);
	return ret;
}

void histogram_opts__fill(const struct histogram_opts *opts, struct histogram_config *config)
{
	*config = (struct histogram_config){ .kind = opts->kind, .step = opts->step, .origin = opts->origin };
}

int histogram_opts__configure(const struct histogram_opts *opts, struct evsel *evsel, struct histogram_config *config, struct errmsg *err)
{
	u64 sample_type = 0;
	int ret = 0;

	histogram_opts__fill(opts, config);
	if (opts->number)
		ret = find_number("--hist", opts->number, evsel, &config->number, &sample_type, err);
	if (ret)
		return ret;
	config->is_signed = config->number.is_signed || config->number.offset < 0;
	if (!evsel->tp)
		evsel->attr.sample_type |= sample_type;
	return 0;
}

static int add_key(struct latency_config *config, char *text, const struct evsel *start, const struct evsel *end, struct errmsg *err)
{
	const char *in_start = strsep(&text, "=");
	const char *in_end = text ?: in_start;
	u64 unused;
	int ret;

	if (!*in_start || !*in_end)
		return errmsg__set(err, EINVAL, "--latency: behind the second ':' stand the names of keys, as in tid or dev+sector or "
				   "pid=next_pid");
	if (config->nr_keys == LATENCY_MAX_KEYS)
		return errmsg__set(err, EINVAL, "--latency: an end finds its start by at most %d keys", LATENCY_MAX_KEYS);
	ret = find_number("--latency", in_start, start, &config->start[config->nr_keys], &unused, err);
	if (!ret)
		ret = find_number("--latency", in_end, end, &config->end[config->nr_keys], &unused, err);
	config->nr_keys++;
	return ret;
}

static bool has_field(const struct evsel *evsel, const char *name)
{
	struct filter_field_desc desc;

	return !tracepoint__find_field(evsel->tp, name, &desc);
}

/*
 * Of nested calls each ends where it began on the stack. A request to a block device may complete in any task that is interrupted, a task that is
 * woken up is another one than its waker, and interrupts end on the CPU where they began, on top of any task. Other actions mostly end in the task
 * that began them.
 */
static const struct {
	const char *start[2], *end[2]; /* fields that the events have; the second may be NULL */
	const char *keys;
} usual_keys[] = {
	{ { "dev", "sector" }, { "dev", "sector" }, "dev+sector" },
	{ { "pid" }, { "next_pid" }, "pid=next_pid" },
	{ { "irq" }, { "irq" }, "irq+cpu" },
	{ { "vec" }, { "vec" }, "vec+cpu" },
	{ { "work" }, { "work" }, "work" },
};

static bool has_fields(const struct evsel *evsel, const char *const names[2])
{
	return has_field(evsel, names[0]) && (!names[1] || has_field(evsel, names[1]));
}

const char *histogram_opts__keys(const struct histogram_opts *opts, const struct evsel *start)
{
	const struct evsel *end = opts->end->evsel[0];

	if (opts->keys)
		return opts->keys;
	if (probe_place__returns(tracepoint__probe(start->tp), tracepoint__probe(end->tp)))
		return "tid+" PROBE_FRAME;
	if (tracepoint__probe(start->tp) || tracepoint__probe(end->tp)) /* their fields have names that others choose */
		return "tid";
	for (size_t i = 0; i < ARRAY_SIZE(usual_keys); i++) {
		if (has_fields(start, usual_keys[i].start) && has_fields(end, usual_keys[i].end))
			return usual_keys[i].keys;
	}
	return "tid";
}

int histogram_opts__configure_latency(const struct histogram_opts *opts, const struct evsel *start, struct latency_config *config,
				 struct errmsg *err)
{
	const struct evsel *end = opts->end->evsel[0];
	char *keys = strdup(histogram_opts__keys(opts, start)), *rest = keys, *key;
	int ret = 0;

	*config = (struct latency_config){ .stack_over = opts->stack_over };
	if (!keys)
		return out_of_memory(err);
	while (!ret && (key = strsep(&rest, "+")))
		ret = add_key(config, key, start, end, err);
	free(keys);
	for (u32 i = 0; i < config->nr_keys; i++) {
		u32 len = histogram_number__record_len(&config->end[i]);

		config->end_len = len > config->end_len ? len : config->end_len;
	}
	return ret;
}

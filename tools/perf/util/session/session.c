// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "session"
#include "util/session/session-state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/bpf/kernel-btf.h"
#include "util/lib/log.h"
#include "util/symbol/mapped-files.h"
#include "util/symbol/running-kernel.h"

#define DEFAULT_MAX_STACK 127

/* Without a build-id the recorded kernel may be another one, whose enumerators may have other values. */
static bool find_constant(void *data, const char *name, u64 *value)
{
	const struct session *s = data;
	const struct dso *kernel = machine__kernel(s->machine);

	return kernel && kernel->build_id.size && running_kernel__is_recorded(s->machine) && kernel_btf__enumerator(name, value);
}

static int load_formats(struct session *s, const struct perfdata_features *features)
{
	if (!features->nr_tracing)
		return 0;
	s->formats = tp_formats__new(features->tracing_bigendian, features->tracing_long_size);
	if (!s->formats)
		return -ENOMEM;
	tp_formats__set_constants(s->formats, find_constant, s);
	for (u32 i = 0; i < features->nr_tracing; i++) {
		const struct perfdata_tracing *t = &features->tracing[i];
		int ret = tp_formats__add(s->formats, t->sys, t->format, t->size);

		if (ret == -ENOMEM)
			return ret;
		if (ret) /* its samples are printed without fields; other events are not affected */
			pr_debug("format of an event of %s cannot be read\n", t->sys);
	}
	if (!features->printk_formats)
		return 0;
	return tp_formats__add_printk_formats(s->formats, features->printk_formats) == -ENOMEM ? -ENOMEM : 0;
}

#define LAST_OFFSET 4096 /* bytes into a variable */

/*
 * kallsyms has no sizes, and may list only some of the data: the last variable that it has seems to reach over all the others that follow. Variables
 * that tracepoints point to are small.
 */
static bool is_beyond(const struct location *loc)
{
	return loc->sym->is_data && loc->sym_addr - loc->sym->start > LAST_OFFSET;
}

/* Resolves the names of kernel functions that tracepoints print; libtraceevent calls it and wants no const. */
static char *name_function(void *data, unsigned long long *addr, char **module)
{
	struct session *s = data;
	struct location loc;

	resolver__resolve(s->resolver, NULL, PERF_RECORD_MISC_KERNEL, *addr, &loc);
	if (!loc.sym || is_beyond(&loc))
		return NULL;
	*addr -= loc.sym_addr - loc.sym->start;
	*module = loc.dso->kind == DSO_MODULE ? loc.dso->short_name : NULL;
	return (char *)loc.sym->name;
}

static int set_build_ids(struct session *s, const struct perfdata_features *features)
{
	for (u32 i = 0; i < features->nr_build_id; i++) {
		if (machine__set_build_id(s->machine, features->build_id[i].filename, &features->build_id[i].id))
			return -ENOMEM;
	}
	return 0;
}

static int init_machine(struct session *s, const struct session_opts *opts)
{
	struct resolver_opts resolver_opts = opts->resolver;

	s->max_stack = opts->max_stack ?: DEFAULT_MAX_STACK;
	s->skip_frames = opts->skip_frames;
	s->hide_unresolved = opts->hide_unresolved;
	s->ignore_callees = opts->ignore_callees;
	s->detail = SESSION_CHAINS;
	s->which_ids = SESSION_IDS;
	s->mapped = mapped_files__new();
	s->places = (struct file_places){ opts->resolver.symtab.symfs, opts->resolver.symtab.cache, s->bundle, NULL, s->mapped };
	s->machine = machine__new(resolver__free_dso);
	if (!opts->no_merge_callchains)
		s->deferred = deferred__new();
	if (!s->mapped || !s->machine || (!s->deferred && !opts->no_merge_callchains))
		return -ENOMEM;
	if (opts->no_resolve)
		return 0;
	resolver_opts.symtab.bundle = s->bundle;
	resolver_opts.symtab.mapped = s->mapped;
	s->resolver = resolver__new(s->machine, &resolver_opts);
	if (!s->resolver)
		return -ENOMEM;
	return s->formats ? tp_formats__set_resolver(s->formats, name_function, s) : 0;
}

static int init_jit(struct session *s)
{
	if (!s->resolver)
		return 0;
	s->jit = jit_maps__new(&s->events, &s->places, perfdata_reader__features(s->reader));
	return s->jit ? 0 : -ENOMEM;
}

int session__open(const struct session_opts *opts, struct session **sp, struct errmsg *err)
{
	const struct perfdata_features *features;
	const struct perfdata_event *event;
	struct session *s = calloc(1, sizeof(*s));
	u32 nr_events;
	int ret;

	if (!s)
		return errmsg__set(err, ENOMEM, "out of memory");
	ret = perfdata_reader__open(opts->input, &s->reader, err) ?: bundle__open(opts->input, &s->bundle, err);
	if (ret)
		goto err_out;
	features = perfdata_reader__features(s->reader);
	if (load_formats(s, features) || init_machine(s, opts) || set_build_ids(s, features) || init_jit(s)) {
		ret = errmsg__set(err, ENOMEM, "out of memory");
		goto err_out;
	}
	event = perfdata_reader__events(s->reader, &nr_events);
	ret = session_events__init(&s->events, event, nr_events, s->formats, err);
	if (ret) {
		errmsg__prefix(err, "%s", opts->input);
		goto err_out;
	}
	*sp = s;
	return 0;
err_out:
	session__delete(s);
	return ret;
}

int session__open_live(const struct session_opts *opts, const struct perfdata_event *event, u32 nr_events, struct session **sp,
		       struct errmsg *err)
{
	struct session *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return errmsg__set(err, ENOMEM, "out of memory");
	s->order = order__new();
	ret = !s->order || init_machine(s, opts) ? errmsg__set(err, ENOMEM, "out of memory") : 0;
	if (!ret)
		ret = session_events__init(&s->events, event, nr_events, NULL, err);
	if (ret) {
		session__delete(s);
		return ret;
	}
	*sp = s;
	return 0;
}

int session__forget(struct session *s, const struct session_opts *opts, bool (*is_wanted)(const struct thread *thread, void *data), void *data)
{
	struct machine *machine = machine__new(resolver__free_dso);
	struct resolver *resolver = machine ? resolver__new(machine, &opts->resolver) : NULL;

	if (!resolver || machine__copy(machine, s->machine, is_wanted, data)) {
		resolver__delete(resolver);
		machine__delete(machine);
		return -ENOMEM;
	}
	callchain__exit(&s->chain);
	s->chain = (struct callchain){ 0 };
	unwinder__delete(s->unwinder);
	s->unwinder = NULL;
	resolver__delete(s->resolver);
	machine__delete(s->machine);
	s->machine = machine;
	s->resolver = resolver;
	memset(s->recent_thread, 0, sizeof(s->recent_thread));
	memset(s->ahead, 0, sizeof(s->ahead));
	s->state++;
	return 0;
}

/* A live session owns copies of its records; those of a file are in the file. */
static int free_copies(const struct order_item *item, size_t nr, void *data)
{
	for (size_t i = 0; i < nr; i++)
		free((void *)item[i].record);
	return 0;
}

/* Free what only reading needs: it may be as large as its results. */
static void end_reading(struct session *s)
{
	callchain__exit(&s->chain);
	if (s->resolver)
		resolver__release(s->resolver);
	unwinder__delete(s->unwinder);
	stack_index__delete(s->ids);
	sample_numbers__delete(s->numbers);
	deferred__delete(s->deferred);
	read_values__exit(&s->values);
	s->unwinder = NULL;
	s->ids = NULL;
	s->numbers = NULL;
	s->deferred = NULL;
}

void session__delete(struct session *s)
{
	if (!s)
		return;
	if (s->order)
		order__flush(s->order, free_copies, NULL);
	end_reading(s);
	order__delete(s->order);
	jit_maps__delete(s->jit);
	session_events__exit(&s->events);
	resolver__delete(s->resolver);
	machine__delete(s->machine);
	tp_formats__delete(s->formats);
	perfdata_reader__delete(s->reader);
	bundle__delete(s->bundle);
	mapped_files__delete(s->mapped);
	free(s);
}

static void note_damage(struct session *s)
{
	s->stopped_early = s->damage.text[0] != '\0';
	if (s->stopped_early)
		return;
	if (perfdata_reader__truncated(s->reader))
		errmsg__set(&s->damage, EINVAL,
			    "the file ends in the middle of a record (the recording was killed, or the disk was full)");
	else if (perfdata_reader__unfinished(s->reader))
		errmsg__set(&s->damage, EINVAL, "the file was not finished (the recording was killed, or the disk was full)");
}

static void release(u64 pos, void *data)
{
	perfdata_reader__release(((struct session *)data)->reader, pos);
}

/* A negative return of a callback takes precedence over the reader's result. */
static int run_file(struct session *s)
{
	const struct read_sink sink = { session__deliver_items, release, NULL, s };
	struct read_ahead *ahead = read_ahead__start(s->reader, &s->events, s->jit, s->numbers, &s->damage);
	struct read_batch batch;
	int ret = 0, ended;

	if (!ahead)
		return read_in_order(s->reader, &s->events, s->jit, &sink, &s->damage);
	s->to_widen = s->numbers ? ahead : NULL; /* a consumer that takes every sample never catches up */
	while (!ret && read_ahead__next(ahead, &batch))
		ret = session__deliver_batch(s, &batch);
	if (s->resolver)
		resolver__end_notice(s->resolver);
	ended = read_ahead__end(ahead);
	return ret ?: ended;
}

void session__want(struct session *s, enum session_detail detail, enum session_ids ids)
{
	bool drops_frames = s->skip_frames || s->ignore_callees;

	s->detail = detail == SESSION_PLACES && drops_frames ? SESSION_CHAINS : detail;
	s->which_ids = ids;
}

void session__want_numbers(struct session *s, bool cache_callers)
{
	s->caches_callers = cache_callers;
	s->by_numbers = true;
}

int session__run(struct session *s, const struct session_ops *ops, void *data, struct errmsg *err)
{
	int ret;

	s->ops = ops;
	s->data = data;
	for (u32 i = 0; i < s->events.nr; i++)
		s->has_chains |= s->events.event[i].callchain_pos >= 0;
	ret = session__prepare_numbers(s) ?: run_file(s);
	if (!ret && s->deferred)
		ret = deferred__flush(s->deferred, session__deliver_deferred, s);
	if (!ret)
		note_damage(s);
	end_reading(s);
	if (ret == -ENOMEM)
		errmsg__set(err, ENOMEM, "out of memory");
	return ret;
}

static int deliver_copies(const struct order_item *item, size_t nr, void *data)
{
	int ret = session__deliver_items(item, nr, data);

	free_copies(item, nr, NULL);
	return ret;
}

/* Keep a record until its time comes. Records without a time are synthesized and describe earlier state: deliver them at once. */
static int keep_copy(struct session *s, const union perf_record *record)
{
	struct order_item item = { .record = record, .time = session_events__time(&s->events, record) };
	union perf_record *copy;
	int ret;

	if (!item.time)
		return session__deliver(s, &item);
	copy = malloc(record->header.size);
	if (!copy)
		return -ENOMEM;
	item.record = memcpy(copy, record, record->header.size);
	ret = order__add(s->order, &item);
	if (ret)
		free(copy);
	else if (record->header.type == PERF_RECORD_SAMPLE && item.time > s->last_sample)
		s->last_sample = item.time;
	return ret;
}

int session__feed(struct session *s, const void *records, size_t size, const struct session_ops *ops, void *data,
		  struct errmsg *err)
{
	const char *at = records, *end = at + size;
	int ret = 0;

	s->ops = ops;
	s->data = data;
	for (; at < end && !ret; at += ((const struct perf_event_header *)at)->size) {
		const union perf_record *record = (const void *)at;

		if (record->header.type == PERF_RECORD_FINISHED_ROUND)
			ret = order__end_round(s->order, s->last_sample, deliver_copies, s);
		else
			ret = keep_copy(s, record);
	}
	if (ret == -ENOMEM)
		errmsg__set(err, ENOMEM, "out of memory");
	return ret;
}

const struct callchain *session__resolve_deferred(struct session *s, struct thread *thread,
						  const struct record_callchain_deferred *record)
{
	const struct perf_sample sample = { .cpumode = PERF_RECORD_MISC_USER, .callchain = record->ips, .nr_callchain = record->nr };

	if (!s->resolver || callchain__resolve(&s->chain, s->resolver, thread, &sample, s->max_stack))
		return NULL;
	return &s->chain;
}

bool session__is_damaged(const struct session *s)
{
	return s->stopped_early || s->stats.nr_invalid || s->stats.nr_unknown_id || (s->reader && perfdata_reader__damaged(s->reader));
}

const char *session__jit_notes(const struct session *s)
{
	return s->jit ? jit_maps__notes(s->jit) : NULL;
}

const char *session__damage(const struct session *s)
{
	return s->damage.text[0] ? s->damage.text : NULL;
}

struct perfdata_reader *session__reader(struct session *s)
{
	return s->reader;
}

const struct perfdata_features *session__features(struct session *s)
{
	static const struct perfdata_features none;

	return session__reader(s) ? perfdata_reader__features(session__reader(s)) : &none;
}

struct machine *session__machine(struct session *s)
{
	return s->machine;
}

struct resolver *session__resolver(struct session *s)
{
	return s->resolver;
}

const struct session_stats *session__stats(struct session *s)
{
	return &s->stats;
}

struct tp_formats *session__formats(struct session *s)
{
	return s->formats;
}

u32 session__nr_events(struct session *s)
{
	return s->events.nr;
}

struct session_event *session__event(struct session *s, u32 idx)
{
	return &s->events.event[idx];
}

struct session_event *session__event_of(struct session *s, const struct perf_sample *id)
{
	return session_events__of_id(&s->events, id->id);
}

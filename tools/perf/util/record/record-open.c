// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "callchains"
#include "util/record/record-state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/log.h"
#include "util/record/attrs.h"

#define MAX_OPENINGS 10 /* limit for a target that keeps changing */

/* Why the kernel copies no stacks for the event; NULL: it does */
static const char *record__refuse_copies(const struct record *rec, const struct evsel *evsel)
{
	if (rec->no_copies)
		return "this kernel copies no stacks";
	if (rec->opts->count)
		return "samples are counted";
	if (rec->readers)
		return "--threads writes what is in the rings as it is";
	return copied_stacks__refuse(evsel);
}

static struct copied_stacks *record__new_copies(struct record *rec)
{
	const struct record_opts *opts = rec->opts;

	return copied_stacks__new(&(struct copied_stacks_opts){
		.evlist = rec->evlist, .mmap_pages = opts->mmap_pages, .cache = opts->build_id_cache,
		.write = record__put, .write_data = rec, .note = opts->run.note, .note_data = opts->run.note_data,
	});
}

static int record__choose_copies_of(struct record *rec, struct evsel *evsel, const char *no_tables)
{
	const char *why = record__refuse_copies(rec, evsel);

	if (why) {
		pr_debug("%s: by frame pointers: %s; no copies of stacks: %s\n", evsel->name, no_tables, why);
		return 0;
	}
	rec->copies = rec->copies ?: record__new_copies(rec);
	if (!rec->copies)
		return -ENOMEM;
	copied_stacks__add_event(rec->copies, evsel);
	return 0;
}

static void record__size_copies(const struct record *rec)
{
	copied_stacks__share_rings(rec->copies);
	for (unsigned int i = 0; i < rec->evlist->nr; i++) {
		const struct evsel *evsel = rec->evlist->evsel[i];

		if (copied_stacks__has_event(rec->copies, i))
			pr_debug("%s: the kernel copies up to %u bytes of user stacks, and perf unwinds them: %s\n", evsel->name,
				 evsel->attr.sample_stack_user, sampler__no_unwinding(rec->sampler, i));
	}
}

/* Stacks that no program unwinds, although perf could choose so */
static int record__choose_copies(struct record *rec, struct errmsg *err)
{
	for (unsigned int i = 0; i < rec->evlist->nr; i++) {
		struct evsel *evsel = rec->evlist->evsel[i];
		const char *no_tables = sampler__no_unwinding(rec->sampler, i);

		if (no_tables && evsel->attr.sample_type & PERF_SAMPLE_CALLCHAIN && record__choose_copies_of(rec, evsel, no_tables))
			return errmsg__set(err, ENOMEM, "out of memory");
	}
	if (rec->copies)
		record__size_copies(rec);
	return 0;
}

int record__choose_sources(struct record *rec, struct errmsg *err)
{
	const struct interp_choice interp = { .mode = rec->opts->interp, .names = rec->names };
	const struct sampler_scope scope = {
		.program = rec->opts->run.argv ? rec->opts->run.argv[0] : NULL,
		.pids = run__target(rec->run)->pids,
		.nr_pids = run__target(rec->run)->nr_pids,
		.follows_tasks = !rec->opts->run.system_wide,
		.inherits = evlist__inherits(rec->evlist),
		.waits = run__follows_command(rec->run),
		.clock = rec->opts->clock,
		.note = rec->opts->run.note,
		.note_data = rec->opts->run.note_data,
		.explain = rec->opts->explain,
		.count = rec->opts->count,
		.histogram = rec->opts->histogram,
		.callgraph = &rec->opts->attr.callgraph,
		.no_unwinding = *rec->no_unwinding.text ? rec->no_unwinding.text : rec->readers ? "--threads shares out the rings of the kernel" : NULL,
		.unwind_memory = rec->opts->unwind_mb << 20,
		.unwind_cache = rec->opts->unwind_cache,
		.interp = rec->names ? &interp : NULL,
	};

	return sampler__new_scoped(rec->evlist, &scope, &rec->sampler, err) ?: record__choose_copies(rec, err);
}

static int record__open_target(struct record *rec)
{
	const struct record_opts *opts = rec->opts;
	struct sampler_target target = {
		.system_wide = opts->run.system_wide,
		.cpus = run__target(rec->run)->cpus,
		.inherit = evlist__inherits(rec->evlist),
		.waits = run__follows_command(rec->run),
	};
	struct sampler_opts sampler_opts = {
		.mmap_pages = opts->mmap_pages,
		.note = opts->run.note,
		.note_data = opts->run.note_data,
	};

	if (rec->copies && !opts->mmap_pages) {
		sampler_opts.mmap_pages = copied_stacks__pages(rec->copies);
		sampler_opts.fewer_pages = true;
	}
	record__set_readers(rec, &sampler_opts);
	target.tids = run__tids(rec->run, &target.nr_tids);
	return sampler__open(rec->sampler, &target, &sampler_opts, rec->err) ?: record__open_trigger(rec, &target);
}

/*
 * A thread that starts while events are opened inherits them, unless its parent had none yet; and there is no way to find out. So
 * list the threads again after everything is open: if there is no new one, each thread has its events, and future threads will
 * inherit them. Otherwise open everything anew.
 */
static int record__open_processes(struct record *rec)
{
	int tries, ret = 0;

	for (tries = 1; ret >= 0; tries++) {
		ret = record__open_target(rec);
		if (!ret)
			ret = run_target__update(run__target(rec->run), rec->err);
		if (ret <= 0)
			return ret;
		if (tries == MAX_OPENINGS)
			break;
		sampler__close(rec->sampler);
	}
	if (rec->opts->run.note)
		rec->opts->run.note(rec->opts->run.note_data, "The processes start threads faster than events can be opened on them: some threads "
				"may not be recorded. Take -a with --filter 'pid == ...'");
	return 0;
}

static int record__try_open(struct record *rec)
{
	if (rec->opts->run.pids && evlist__inherits(rec->evlist))
		return record__open_processes(rec);
	return record__open_target(rec);
}

/* What was chosen cannot be opened: leave it out. */
static void record__drop_copies(struct record *rec)
{
	if (!rec->copies)
		return;
	copied_stacks__give_up(rec->copies);
	copied_stacks__delete(rec->copies);
	rec->copies = NULL;
}

/* Back to copies or frame pointers, with what the events were asked for. */
static int record__leave_unwinding(struct record *rec)
{
	if (sampler__chose_unwinding(rec->sampler))
		rec->no_unwinding = *rec->err;
	else
		rec->no_copies = true;
	record__drop_copies(rec);
	sampler__delete(rec->sampler);
	rec->sampler = NULL;
	for (unsigned int i = 0; i < rec->evlist->nr; i++) {
		struct perf_event_attr *attr = &rec->evlist->evsel[i]->attr;

		attr->use_clockid = rec->opts->attr.use_clockid;
		attr->clockid = rec->opts->attr.clockid;
	}
	return record__choose_sources(rec, rec->err);
}

/* Nobody has asked for programs that unwind stacks, or for copies of them: what these cannot do, frame pointers still can. */
int record__open_events(struct record *rec)
{
	int ret = record__try_open(rec);

	while (ret && (sampler__chose_unwinding(rec->sampler) || (rec->copies && ret != -EACCES && ret != -EPERM)))
		ret = record__leave_unwinding(rec) ?: record__try_open(rec);
	if (!ret && rec->copies)
		copied_stacks__note_rates(rec->copies);
	return ret;
}

/* Takes ownership of name. */
static int record__describe_event(struct record *rec, const struct perf_event_attr *attr, const u64 *ids, u32 nr_ids, char *name)
{
	struct perfdata_event *event = &rec->features.event_desc[rec->features.nr_event_desc++];

	event->attr = *attr;
	event->name = name;
	event->ids = malloc(nr_ids * sizeof(*ids));
	if (!event->ids || !name)
		return -ENOMEM;
	memcpy(event->ids, ids, nr_ids * sizeof(*ids));
	event->nr_ids = nr_ids;
	return 0;
}

/* If each sample is both written and counted, the counts are a separate event in the file. */
static int record__describe_counted(struct record *rec)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < rec->evlist->nr && !ret; i++) {
		const struct evsel *evsel = rec->evlist->evsel[i];
		struct perf_event_attr attr = evsel->attr;
		const u64 id = COUNTED_ID(i);
		char *name;

		if (!record__counts_event(rec, evsel))
			continue;
		if (asprintf(&name, "%s (counted)", evsel->name) < 0)
			return -ENOMEM;
		counted_samples__describe(rec->counted, i, id, &attr);
		ret = record__describe_event(rec, &attr, &id, 1, name);
	}
	return ret;
}

/* EVENT_DESC in the header repeats the attrs at the beginning of the file, and has the names, too. */
static int record__describe_events(struct record *rec)
{
	unsigned int i;
	int ret = 0;

	rec->features.event_desc = calloc(2 * rec->evlist->nr, sizeof(*rec->features.event_desc));
	if (!rec->features.event_desc)
		return -ENOMEM;
	for (i = 0; i < rec->evlist->nr && !ret; i++) {
		const struct evsel *evsel = rec->evlist->evsel[i];
		struct perf_event_attr attr = copied_stacks__written(rec->copies, evsel);
		u32 nr_ids;
		const u64 *ids = sampler__ids(rec->sampler, i, &nr_ids);

		if (!record__writes_each(rec) && record__counts_event(rec, evsel))
			counted_samples__describe(rec->counted, i, ids[0], &attr);
		ret = record__describe_event(rec, &attr, ids, nr_ids, strdup(evsel->name));
	}
	if (!ret && rec->counted && record__writes_each(rec))
		ret = record__describe_counted(rec);
	return ret;
}

static int record__describe_groups(struct record *rec)
{
	struct perfdata_features *f = &rec->features;
	unsigned int i;

	f->group = calloc(rec->evlist->nr, sizeof(*f->group));
	if (!f->group)
		return -ENOMEM;
	for (i = 0; i < rec->evlist->nr; i++) {
		const struct evsel *leader = rec->evlist->evsel[i];
		struct perfdata_group *group = &f->group[f->nr_group];

		if (leader->nr_members < 2)
			continue;
		*group = (struct perfdata_group){
			.name = strdup(leader->group_name ?: PERFDATA_ANON_GROUP),
			.leader = i,
			.nr_members = leader->nr_members,
		};
		if (!group->name)
			return -ENOMEM;
		f->nr_group++;
	}
	return 0;
}

int record__open_output(struct record *rec)
{
	const struct record_sink *sink = rec->opts->sink;
	int ret = record_stream__init(&rec->main, rec, &rec->err);

	if (ret)
		return ret;
	if (record__describe_events(rec) || record__describe_groups(rec))
		return errmsg__set(rec->err, ENOMEM, "out of memory");
	ret = sink ? sink->begin(sink->data, rec->features.event_desc, rec->features.nr_event_desc, rec->err) : 0;
	return ret ? ret : record__begin_file(rec) ?: record__open_readers(rec);
}

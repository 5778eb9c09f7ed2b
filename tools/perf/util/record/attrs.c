// SPDX-License-Identifier: GPL-2.0
#include "util/record/attrs.h"

#include "util/event/attr-flags.h"
#include "util/perfdata/reg-name.h"

/* Every event has these: the reader sorts by time, and all reports need a sample's place and task. */
#define SAMPLE_ALWAYS (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/* The mode in which a processor records the branches of calls that have not returned. */
#define LBR_CALLS (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_CYCLES | \
		   PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_HW_INDEX)

static void config_rate(struct evsel *evsel, const struct attr_opts *opts)
{
	struct perf_event_attr *attr = &evsel->attr;

	if (opts->no_samples) {
		attr->freq = 0;
		attr->sample_period = 0;
		return;
	}
	if (evsel->has_period || evsel->has_freq || evsel__is_sampled_by_leader(evsel))
		return;
	if ((evsel->tp || attr->type == PERF_TYPE_BREAKPOINT) && !opts->rate_set) {
		attr->sample_period = 1; /* sample every hit */
	} else if (opts->period) {
		attr->sample_period = opts->period;
	} else {
		attr->freq = 1;
		attr->sample_freq = opts->freq;
	}
}

/* The reader unwinds: leave out the frames that the kernel would find by frame pointers. */
static void config_stack_dump(struct perf_event_attr *attr, u32 size)
{
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = regs_of_user();
	attr->sample_stack_user = size;
	attr->exclude_callchain_user = 1;
}

static struct callgraph choose_callgraph(const struct evsel *evsel, const struct attr_opts *opts)
{
	struct callgraph callgraph = evsel__callgraph(evsel, &opts->callgraph);

	if (opts->no_chains || evsel->side_band)
		callgraph.mode = CALLGRAPH_NONE;
	return callgraph;
}

static void config_callchain(struct evsel *evsel, const struct attr_opts *opts)
{
	const struct callgraph callgraph = choose_callgraph(evsel, opts);
	struct perf_event_attr *attr = &evsel->attr;

	if (callgraph.mode == CALLGRAPH_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->sample_max_stack = evsel->terms.max_stack;
	if (!attr->sample_max_stack && !(callgraph.mode == CALLGRAPH_BPF && (evsel->tp || evsel__has_own_contents(evsel)))) /* whose programs have their own limit */
		attr->sample_max_stack = opts->max_stack;
	attr->exclude_callchain_kernel = opts->no_kernel_callchain;
	attr->exclude_callchain_user = opts->no_user_callchain;
	if (evsel__has_own_contents(evsel))
		return;
	if (callgraph.defer)
		attr__set_flags(attr, ATTR_FLAG_DEFER_CALLCHAIN);
	if (callgraph.mode == CALLGRAPH_DWARF)
		config_stack_dump(attr, callgraph.stack_dump);
	if (callgraph.mode == CALLGRAPH_LBR) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = LBR_CALLS;
	}
}

/* Not for samples that have contents of their own. */
static void config_contents(struct evsel *evsel, const struct attr_opts *opts)
{
	struct perf_event_attr *attr = &evsel->attr;

	attr->sample_type |= opts->sample_type;
	if (opts->addr)
		attr->sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	if (opts->sample_type & PERF_SAMPLE_RAW)
		attr->sample_type |= PERF_SAMPLE_CPU;
	if (opts->sample_type & PERF_SAMPLE_REGS_USER)
		attr->sample_regs_user |= opts->user_regs;
	if (opts->sample_type & PERF_SAMPLE_REGS_INTR)
		attr->sample_regs_intr = opts->intr_regs;
	if (opts->sample_type & PERF_SAMPLE_BRANCH_STACK)
		attr->branch_sample_type = opts->branches;
	if (evsel->terms.branch_types) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = evsel->terms.branch_types;
	}
	if (evsel->retire_latency)
		attr->sample_type |= PERF_SAMPLE_WEIGHT_STRUCT;
}

/* :S: samples of the leader hold the counts of all events in its group; a group of one is the event itself. */
static void config_read(struct evsel *evsel, const struct attr_opts *opts)
{
	const struct evsel *leader = evsel->leader ?: evsel;
	struct perf_event_attr *attr = &evsel->attr;

	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	if (opts->running_time || opts->stat)
		attr->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->inherit_stat = opts->stat;
	if (!evsel->sample_read && !leader->sample_read)
		return;
	attr->sample_type |= PERF_SAMPLE_READ;
	if (leader->nr_members > 1)
		attr->read_format |= PERF_FORMAT_GROUP;
}

static void config_levels(struct evsel *evsel, const struct attr_opts *opts)
{
	evsel->attr.exclude_user |= opts->all_kernel && !evsel->side_band;
	evsel->attr.exclude_kernel |= opts->all_user;
	evsel->exact_modifier |= opts->all_kernel || opts->all_user;
}

static void config_sample(struct evsel *evsel, const struct attr_opts *opts, bool several)
{
	struct perf_event_attr *attr = &evsel->attr;

	attr->sample_type |= SAMPLE_ALWAYS;
	if (evsel->kind)
		attr->sample_type |= evsel->kind->sample_type;
	if (attr->freq || opts->sample_period ||
	    (evsel__is_sampled_by_leader(evsel) && evsel->leader->attr.sample_type & PERF_SAMPLE_PERIOD))
		attr->sample_type |= PERF_SAMPLE_PERIOD;
	if (evsel->tp)
		attr->sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	if (opts->cpu)
		attr->sample_type |= PERF_SAMPLE_CPU;
	config_callchain(evsel, opts);
	if (!evsel__has_own_contents(evsel) && !evsel->side_band)
		config_contents(evsel, opts);
	/* At a fixed position in every record, so that a reader can find the event before it knows the layout. */
	if (several)
		attr->sample_type |= PERF_SAMPLE_IDENTIFIER;
	attr->sample_id_all = 1;
	config_read(evsel, opts);
	config_levels(evsel, opts);
}

/* For every event */
static bool has_stack_dumps(const struct evlist *evlist)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		if (evlist->evsel[i]->attr.sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	}
	return false;
}

static bool has_deferred(const struct evlist *evlist)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		if (attr__flags(&evlist->evsel[i]->attr) & ATTR_FLAG_DEFER_CALLCHAIN)
			return true;
	}
	return false;
}

static void config_tracking(struct perf_event_attr *attr, const struct evlist *evlist, const struct attr_opts *opts)
{
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->mmap_data = opts->addr || opts->data_maps || has_stack_dumps(evlist);
	attr->ksymbol = !opts->no_bpf;
	attr->bpf_event = !opts->no_bpf;
	attr->cgroup = opts->cgroups;
	attr->namespaces = opts->namespaces;
	attr->context_switch = opts->switches;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	if (has_deferred(evlist))
		attr__set_flags(attr, ATTR_FLAG_DEFER_OUTPUT);
}

struct evsel *evlist__tracking(const struct evlist *evlist)
{
	unsigned int i;

	for (i = 0; i < evlist->nr; i++) {
		if (evlist->evsel[i]->side_band)
			return evlist->evsel[i];
	}
	/* An event of a PMU that counts on few CPUs would record only tasks on these CPUs. */
	for (i = 0; i < evlist->nr; i++) {
		if (!evlist->evsel[i]->cpus)
			return evlist->evsel[i];
	}
	return evlist->evsel[0];
}

/*
 * Nothing counts before all filters are attached. In a group only the leader is enabled later: a member that is enabled later than
 * its leader may never be scheduled (kernel 6.18, task-clock on a CPU).
 */
static void config_start(struct evsel *evsel, const struct attr_opts *opts)
{
	evsel->attr.disabled = !evsel->leader;
	evsel->attr.enable_on_exec = !evsel->leader && opts->enable_on_exec && (evsel->side_band || !opts->delayed);
}

static bool evsel__inherits(const struct evsel *evsel, const struct attr_opts *opts)
{
	return evsel->terms.inherit == WISH_NONE ? opts->inherit : evsel->terms.inherit == WISH_YES;
}

static bool has_sample_read(const struct evlist *evlist)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		if (evlist->evsel[i]->sample_read)
			return true;
	}
	return false;
}

void evlist__config_attrs(struct evlist *evlist, const struct attr_opts *opts)
{
	/* Ids identify the values that are read, also for one event on several CPUs. */
	const bool identifier = evlist->nr > 1 || opts->identifier || has_sample_read(evlist);
	unsigned int i;

	for (i = 0; i < evlist->nr; i++) {
		struct perf_event_attr *attr = &evlist->evsel[i]->attr;

		config_rate(evlist->evsel[i], opts);
		config_sample(evlist->evsel[i], opts, identifier);
		config_start(evlist->evsel[i], opts);
		attr->size = sizeof(*attr);
		attr->inherit = evsel__inherits(evlist->evsel[i], opts);
		attr->wakeup_events = opts->no_buffering;
		attr->write_backward = opts->overwrite && !evlist->evsel[i]->side_band;
		attr->use_clockid = opts->use_clockid;
		attr->clockid = opts->clockid;
	}
	config_tracking(&evlist__tracking(evlist)->attr, evlist, opts);
}

bool evlist__inherits(const struct evlist *evlist)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		if (evlist->evsel[i]->attr.inherit)
			return true;
	}
	return false;
}

unsigned int evlist__time_pos(const struct evlist *evlist)
{
	/* [identifier,] ip, pid and tid, time (perf_event_open(2), PERF_RECORD_SAMPLE): SAMPLE_ALWAYS makes them the same in all events */
	return evlist->evsel[0]->attr.sample_type & PERF_SAMPLE_IDENTIFIER ? 3 : 2;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/record/copied-stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "util/callchain/unwind.h"
#include "util/lib/capability.h"
#include "util/lib/clock.h"
#include "util/perfdata/order.h"
#include "util/perfdata/reg-name.h"
#include "util/perfdata/sample.h"
#include "util/sampler/rings.h"

#define MIN_COPY (8 << 10)
#define MAX_COPY (32 << 10)
#define RING_MS 100 /* that a ring has room for: perf may have to wait for a CPU, */
#define WAKE_SHARE 8 /* and is woken when this part of it is full */
#define LARGE_RING (4 << 20)
#define MANY_ENDED 4096 /* tasks: forget them */
#define MAX_TID (1 << 22)
#define DWARF_GRACE_NS 1000000000ULL /* as in source/unwind-finish.c: libdwfl gets a part of the time only */
#define DWARF_SHARE 4

struct copied_event {
	bool has_copies;
	u32 max_frames;
	u64 wished_rate; /* attr.sample_freq, before it was lowered */
	struct unwind_totals totals;
};

struct copied_stacks {
	struct copied_stacks_opts opts;
	struct copied_event *event; /* by evsel->idx */
	struct machine *machine;
	struct unwinder *unwinder;
	struct order *order;	/* copies of records, which it owns by malloc() */
	u64 began, dwarf_ns;
	u64 *ended;		/* bits by tid: its EXIT came */
	unsigned int nr_ended;	/* since tasks were forgotten */
	_Alignas(u64) char sample[UINT16_MAX + 1]; /* that is written */
};

static int copied_stacks__new_unwinder(struct copied_stacks *c)
{
	const struct file_places places = { .cache = c->opts.cache };

	unwinder__delete(c->unwinder);
	c->unwinder = unwinder__new(c->machine, &places);
	if (!c->unwinder)
		return -ENOMEM;
	unwinder__keep_returns(c->unwinder);
	unwinder__assume_frame_pointers(c->unwinder);
	return 0;
}

struct copied_stacks *copied_stacks__new(const struct copied_stacks_opts *opts)
{
	struct copied_stacks *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->opts = *opts;
	c->event = calloc(opts->evlist->nr, sizeof(*c->event));
	c->machine = machine__new(NULL);
	c->order = order__new();
	c->ended = calloc(MAX_TID / 64, sizeof(*c->ended));
	if (c->event && c->machine && c->order && c->ended && !copied_stacks__new_unwinder(c))
		return c;
	copied_stacks__delete(c);
	return NULL;
}

static int free_items(const struct order_item *item, size_t nr, void *data)
{
	for (size_t i = 0; i < nr; i++)
		free((void *)item[i].record);
	return 0;
}

void copied_stacks__delete(struct copied_stacks *c)
{
	if (!c)
		return;
	if (c->order)
		order__flush(c->order, free_items, NULL);
	order__delete(c->order);
	unwinder__delete(c->unwinder);
	machine__delete(c->machine);
	free(c->ended);
	free(c->event);
	free(c);
}

/* The choice */

/* Samples in a second at most, on a CPU; 0: nothing limits them */
static u64 rate_of(const struct perf_event_attr *attr)
{
	if (attr->freq)
		return attr->sample_freq;
	return attr__is_clock(attr) && attr->sample_period ? 1000000000ULL / attr->sample_period : 0;
}

const char *copied_stacks__refuse(const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr;

#if !defined(__x86_64__)
	return "perf unwinds copies of stacks while it records on x86-64 only";
#endif
	if (evsel__has_own_contents(evsel))
		return "programs make the samples";
	if (attr->sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER))
		return "samples are to hold the user's registers";
	if (attr->write_backward)
		return "only the latest samples are to be kept";
	if (attr->exclude_callchain_user || attr->exclude_user)
		return "there are no user stacks";
	if (!rate_of(attr))
		return "without a frequency (-F) there may be too many samples to copy stacks";
	if (!attr->freq && rate_of(attr) > 1000)
		return "there are too many samples to copy stacks";
	return NULL;
}

/* Bytes that this user may lock for rings, beside what anyone may */
static u64 may_lock(void)
{
	struct rlimit limit;

	if (capability__has(CAP_IPC_LOCK))
		return UINT64_MAX;
	return getrlimit(RLIMIT_MEMLOCK, &limit) ? 0 : limit.rlim_cur;
}

/* Half of it is left to other recordings. Anyone may lock rings of the default size. */
static unsigned int default_pages(void)
{
	const long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const u64 page = sysconf(_SC_PAGESIZE), more = may_lock() / 2 / (nr_cpus > 0 ? nr_cpus : 1);
	const unsigned int least = ring__default_pages();
	u64 pages = least;

	while (pages * 2 * page <= LARGE_RING && (pages * 2 - least) * page <= more)
		pages *= 2;
	return pages;
}

unsigned int copied_stacks__pages(const struct copied_stacks *c)
{
	return c->opts.mmap_pages ?: default_pages();
}

void copied_stacks__add_event(struct copied_stacks *c, struct evsel *evsel)
{
	struct perf_event_attr *attr = &evsel->attr;
	struct copied_event *event = &c->event[evsel->idx];

	event->wished_rate = attr->sample_freq;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = regs_of_user();
	event->has_copies = true;
	event->max_frames = attr->sample_max_stack ?: unwind_tables__max_stack();
	if (event->max_frames > UNWIND_MAX_FRAMES)
		event->max_frames = UNWIND_MAX_FRAMES;
}

/* What an event may take of the rings: size, of each of them, and per_second */
static void fit(struct perf_event_attr *attr, u64 size, u64 per_second)
{
	const u64 most = per_second / MIN_COPY ?: 1, least = attr->freq ? MIN_COPY : 1024; /* a period stays as it is */
	u64 copy;

	if (attr->freq && attr->sample_freq > most)
		attr->sample_freq = most;
	copy = per_second / rate_of(attr) / 1024 * 1024;
	attr->sample_stack_user = copy < least ? least : copy > MAX_COPY ? MAX_COPY : copy;
	if (attr->wakeup_events)
		return;
	attr->watermark = 1;
	attr->wakeup_watermark = size / WAKE_SHARE;
}

void copied_stacks__share_rings(struct copied_stacks *c)
{
	const u64 size = copied_stacks__pages(c) * (u64)sysconf(_SC_PAGESIZE);
	u64 nr = 0;

	for (unsigned int i = 0; i < c->opts.evlist->nr; i++)
		nr += c->event[i].has_copies;
	for (unsigned int i = 0; i < c->opts.evlist->nr; i++) {
		if (c->event[i].has_copies)
			fit(&c->opts.evlist->evsel[i]->attr, size, size * 1000 / RING_MS / nr);
	}
}

void copied_stacks__note_rates(const struct copied_stacks *c)
{
	for (unsigned int i = 0; i < c->opts.evlist->nr && c->opts.note; i++) {
		const struct evsel *evsel = c->opts.evlist->evsel[i];
		struct errmsg text;

		if (!c->event[i].has_copies || c->event[i].wished_rate == evsel->attr.sample_freq)
			continue;
		errmsg__set(&text, ERANGE, "%s: -F is lowered from %" PRIu64 " to %" PRIu64 ", as BPF programs cannot unwind here, and the ring buffer has no "
			    "room for more copies of stacks: take a larger one (-m), or --call-graph fp", evsel->name, c->event[i].wished_rate,
			    (u64)evsel->attr.sample_freq);
		c->opts.note(c->opts.note_data, text.text);
	}
}

bool copied_stacks__has_event(const struct copied_stacks *c, unsigned int event)
{
	return c && c->event[event].has_copies;
}

static void leave_out(struct perf_event_attr *attr)
{
	attr->sample_type &= ~(u64)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	attr->sample_regs_user = 0;
	attr->sample_stack_user = 0;
	if (attr->watermark)
		attr->wakeup_watermark = 0;
	attr->watermark = 0;
}

void copied_stacks__give_up(struct copied_stacks *c)
{
	for (unsigned int i = 0; i < c->opts.evlist->nr; i++) {
		struct perf_event_attr *attr = &c->opts.evlist->evsel[i]->attr;

		if (c->event[i].has_copies) {
			leave_out(attr);
			attr->sample_freq = c->event[i].wished_rate;
		}
		c->event[i] = (struct copied_event){ 0 };
	}
}

struct perf_event_attr copied_stacks__written(const struct copied_stacks *c, const struct evsel *evsel)
{
	struct perf_event_attr attr = evsel->attr;

	if (copied_stacks__has_event(c, evsel->idx))
		leave_out(&attr);
	return attr;
}

/* Writing */

/* libdwfl reads files that any user may have made costly. */
static bool may_take_dwarf(const struct copied_stacks *c, u64 now)
{
	return c->dwarf_ns <= DWARF_GRACE_NS + (now - c->began) / DWARF_SHARE;
}

static int copied_stacks__unwind(struct copied_stacks *c, struct copied_event *event, struct thread *thread, struct perf_sample *sample)
{
	const u64 now = clock__ns(CLOCK_MONOTONIC), began = clock__ns(CLOCK_THREAD_CPUTIME_ID);
	const bool may = may_take_dwarf(c, c->began ? now : (c->began = now));
	enum unwind_end end = UNWIND_MEMORY;
	int ret;

	if (!sample->user_regs) /* a thread of the kernel, or a task at its end */
		return 0;
	unwinder__let_dwarf(c->unwinder, may);
	ret = unwinder__unwind(c->unwinder, thread, sample, event->max_frames);
	if (sample->user_stack_size)
		end = unwinder__end(c->unwinder);
	if (unwinder__took_dwarf(c->unwinder))
		c->dwarf_ns += clock__ns(CLOCK_THREAD_CPUTIME_ID) - began;
	event->totals.finished.no_time += end == UNWIND_HARD && !may;
	event->totals.ended[end]++;
	event->totals.frames += sample->nr_callchain;
	return ret;
}

static void put(char **to, const void *from, const void *end)
{
	const size_t size = (const char *)end - (const char *)from;

	memcpy(*to, from, size);
	*to += size;
}

/* The record with that callchain, and without what the kernel has copied. A sample has at least PERF_CONTEXT_USER or _KERNEL in its callchain. */
static size_t put_sample(char *to, const union perf_record *record, const struct perf_sample *before, const struct perf_sample *after)
{
	const char *rest = (const char *)before->user_state + before->user_state_size;
	const u64 *chain = before->callchain;
	const void *from = record;
	char *at = to;
	u16 size;

	if (chain) {
		put(&at, from, chain - 1);
		put(&at, &after->nr_callchain, &after->nr_callchain + 1);
		put(&at, after->callchain, after->callchain + after->nr_callchain);
		from = chain + before->nr_callchain;
	}
	put(&at, from, before->user_state);
	put(&at, rest, (const char *)record + record->header.size);
	size = at - to;
	memcpy(to + offsetof(struct perf_event_header, size), &size, sizeof(size));
	return size;
}

static int copied_stacks__write(struct copied_stacks *c, const void *records, size_t size)
{
	const int ret = c->opts.write(c->opts.write_data, records, size);

	return ret < 0 ? ret : 0;
}

static int copied_stacks__write_sample(struct copied_stacks *c, const union perf_record *record, u64 event)
{
	const struct evsel *evsel = c->opts.evlist->evsel[event];
	struct perf_sample before, after;
	struct thread *thread;

	if (!c->event[event].has_copies || perf_sample__decode(&before, &evsel->attr, record) < 0)
		return copied_stacks__write(c, record, record->header.size);
	after = before;
	thread = machine__thread(c->machine, before.pid, before.tid);
	if (!thread || copied_stacks__unwind(c, &c->event[event], thread, &after))
		return -ENOMEM;
	return copied_stacks__write(c, c->sample, put_sample(c->sample, record, &before, &after));
}

static void note_task(struct copied_stacks *c, const union perf_record *record)
{
	u64 *word;
	u32 tid;

	if (perf_record__check(record))
		return;
	tid = record->fork.tid;
	if (tid >= MAX_TID)
		return;
	word = &c->ended[tid / 64];
	if (record->header.type == PERF_RECORD_FORK)
		*word &= ~(1ULL << tid % 64);
	if (record->header.type != PERF_RECORD_EXIT)
		return;
	*word |= 1ULL << tid % 64;
	c->nr_ended++;
}

/* A malformed record changes nothing, and is for the reader to judge. */
static int copied_stacks__learn(struct copied_stacks *c, const union perf_record *record)
{
	const u32 type = record->header.type;

	if (type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT)
		note_task(c, record);
	return !perf_record__check(record) && machine__process(c->machine, record) == -ENOMEM ? -ENOMEM : 0;
}

static int write_items(const struct order_item *item, size_t nr, void *data)
{
	struct copied_stacks *c = data;
	int ret = 0;

	for (size_t i = 0; i < nr; i++) {
		const union perf_record *record = item[i].record;

		if (!ret && order_item__is_sample(&item[i]))
			ret = copied_stacks__write_sample(c, record, item[i].file_offset);
		else if (!ret)
			ret = copied_stacks__learn(c, record) ?: copied_stacks__write(c, record, record->header.size);
		free((void *)record);
	}
	return ret;
}

static bool is_wanted(const struct thread *thread, void *data)
{
	const struct copied_stacks *c = data;

	return thread->tid >= MAX_TID || !(c->ended[thread->tid / 64] >> thread->tid % 64 & 1);
}

/* A machine keeps all tasks and maps that it has heard of. */
static int copied_stacks__forget_ended(struct copied_stacks *c)
{
	struct machine *machine;

	if (c->nr_ended < MANY_ENDED)
		return 0;
	c->nr_ended = 0;
	machine = machine__new(NULL);
	if (!machine || machine__copy(machine, c->machine, is_wanted, c)) {
		machine__delete(machine);
		return -ENOMEM;
	}
	unwinder__delete(c->unwinder);
	c->unwinder = NULL;
	machine__delete(c->machine);
	c->machine = machine;
	return copied_stacks__new_unwinder(c);
}

int copied_stacks__end_round(struct copied_stacks *c)
{
	return order__end_round(c->order, 0, write_items, c) ?: copied_stacks__forget_ended(c);
}

int copied_stacks__flush(struct copied_stacks *c)
{
	return order__flush(c->order, write_items, c);
}

/* Taking */

static unsigned int event_of(const struct copied_stacks *c, const struct sampler *s, const u64 *id)
{
	const struct evlist *evlist = c->opts.evlist;
	const unsigned int event = evlist->nr == 1 ? 0 : sampler__event_of(s, *id);

	return event < evlist->nr ? event : 0;
}

/* Ids come first in samples, and last in other records: if there are several events, all have PERF_SAMPLE_IDENTIFIER. */
static u64 time_of(const struct copied_stacks *c, const struct sampler *s, const union perf_record *record, unsigned int *event)
{
	const u64 *first = (const u64 *)(&record->header + 1), *end = (const u64 *)((const char *)record + record->header.size);
	const struct perf_event_attr *attr;
	struct perf_sample id;

	*event = 0;
	if (end <= first)
		return 0;
	*event = event_of(c, s, record->header.type == PERF_RECORD_SAMPLE ? first : end - 1);
	attr = &c->opts.evlist->evsel[*event]->attr;
	if (record->header.type == PERF_RECORD_SAMPLE)
		return end - first > sample__time_pos(attr) ? first[sample__time_pos(attr)] : 0;
	return perf_sample__decode_id(&id, attr, record) ? 0 : id.time;
}

/* file_offset is the index of the event. */
static int copied_stacks__keep(struct copied_stacks *c, const union perf_record *record, u64 time, unsigned int event)
{
	const struct order_item item = { .time = time, .file_offset = event, .record = malloc(record->header.size) };

	if (!item.record)
		return -ENOMEM;
	memcpy((void *)item.record, record, record->header.size);
	if (!order__add(c->order, &item))
		return 0;
	free((void *)item.record);
	return -ENOMEM;
}

int copied_stacks__take(struct copied_stacks *c, const struct sampler *s, const void *records, size_t size)
{
	const char *at = records, *end = at + size;
	int ret = 0;

	for (; at < end && !ret; at += ((const struct perf_event_header *)at)->size) {
		const union perf_record *record = (const void *)at;
		unsigned int event;
		const u64 time = time_of(c, s, record, &event);

		if (time)
			ret = copied_stacks__keep(c, record, time, event);
		else
			ret = copied_stacks__learn(c, record) ?: copied_stacks__write(c, record, record->header.size);
	}
	return ret;
}

const struct unwind_totals *copied_stacks__totals(const struct copied_stacks *c, unsigned int event)
{
	return copied_stacks__has_event(c, event) ? &c->event[event].totals : NULL;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that were offline and are back. The kernel has closed their events, so they are opened again, and write to the rings that there are. The
 * kernel gives them other ids, which the recording does not have: records get those of the descriptors that were closed.
 */
#include "util/sampler/sampler-state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include "util/lib/array.h"
#include "util/perfdata/sample.h"

/* The ids of records */

struct renaming {
	const struct sampler *s;
	struct perf_event_header *record;
};

static void rename_id(struct renaming *r, size_t offset)
{
	u64 *id = (u64 *)((char *)r->record + offset);

	*id = sampler__known_id(r->s, *id);
}

/* The values of a group have ids, too. */
static void rename_values(struct renaming *r, const struct perf_event_attr *attr)
{
	const u64 format = attr->read_format;
	const unsigned int nr_times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	const bool group = format & PERF_FORMAT_GROUP, has_lost = format & PERF_FORMAT_LOST;
	struct perf_sample sample;

	if (!(attr->sample_type & PERF_SAMPLE_READ) || !(format & PERF_FORMAT_ID) ||
	    perf_sample__decode(&sample, attr, (const union perf_record *)r->record) < 0)
		return;
	for (u64 i = group + nr_times + 1; i < sample.nr_read; i += 2 + has_lost)
		rename_id(r, (const char *)&sample.read[i] - (const char *)r->record);
}

static void rename_sample(struct renaming *r)
{
	const size_t at = sizeof(*r->record); /* PERF_SAMPLE_IDENTIFIER comes first */
	unsigned int event;

	if (r->record->size < at + sizeof(u64))
		return;
	event = sampler__event_of(r->s, *(const u64 *)((const char *)r->record + at));
	rename_id(r, at);
	if (event != NO_OWNER)
		rename_values(r, &r->s->evlist->evsel[event]->attr);
}

/* Others end with the id of the event that has written them; some are about an event. */
static void rename_others(struct renaming *r)
{
	const u32 type = r->record->type;
	const size_t size = r->record->size, body = sizeof(*r->record);
	const size_t about = type == PERF_RECORD_LOST ? body : type == PERF_RECORD_THROTTLE || type == PERF_RECORD_UNTHROTTLE ? body + 8 : 0;

	if (size < body + sizeof(u64))
		return;
	rename_id(r, size - sizeof(u64));
	for (unsigned int i = 0; about && i <= (about > body); i++) { /* with the id of the stream */
		if (about + (i + 2) * sizeof(u64) <= size)
			rename_id(r, about + i * sizeof(u64));
	}
}

static void rename_record(const struct sampler *s, struct perf_event_header *record)
{
	struct renaming r = { .s = s, .record = record };

	if (record->type == PERF_RECORD_SAMPLE)
		rename_sample(&r);
	else
		rename_others(&r);
}

/* Runs come from a ring that may not be written to. */
int sampler__rename(void *data, const void *records, size_t size)
{
	const struct renamed *to = data;
	char *copy = malloc(size);
	size_t at = 0;
	int ret;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, records, size);
	while (size - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header *record = (void *)(copy + at);

		if (record->size < sizeof(*record) || record->size > size - at)
			break;
		rename_record(to->s, record);
		at += record->size;
	}
	ret = to->cb(to->data, copy, size);
	free(copy);
	return ret;
}

/* Opening again */

static int event__bury(struct sampler_event *event, int fd)
{
	if (array__extend(event->dead, event->nr_dead))
		return -ENOMEM;
	event->dead[event->nr_dead++] = fd;
	return 0;
}

/* The old descriptor stays: it may hold the ring, and has counts. */
static int sampler__replace(struct sampler *s, struct evsel *evsel, unsigned int slot, int *place, int fd, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	const int old = *place;
	u64 id, old_id;

	if (event__bury(event, old)) {
		close(fd);
		return sampler__out_of_memory(err);
	}
	*place = fd;
	ioctl(old, PERF_EVENT_IOC_DISABLE, 0);
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) || ioctl(old, PERF_EVENT_IOC_ID, &old_id))
		return errmsg__set(err, errno, "cannot read the id of event %s: %s", evsel->name, strerror(errno));
	if (sampler__add_id_of(s, id, old_id))
		return sampler__out_of_memory(err);
	if (s->slot[slot].watched_fd == old) {
		epoll_ctl(s->reader[s->reader_of[s->slot[slot].ring]].epfd, EPOLL_CTL_DEL, old, NULL);
		s->slot[slot].watched_fd = -1;
	}
	return sampler__connect(s, evsel, slot, fd, err);
}

static int sampler__reopen_slot(struct sampler *s, struct event_opener *opener, struct evsel *evsel, unsigned int i, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];
	int fd;

	if (event->fd[i] < 0)
		return 0;
	__atomic_store_n(&s->slot[i].ended, false, __ATOMIC_RELAXED);
	fd = sampler__open_in_slot(s, opener, evsel, i, err);
	return fd < 0 ? fd : sampler__replace(s, evsel, i, &event->fd[i], fd, err) ?: 1;
}

/* A clock that is opened on each CPU for a target of tasks */
static int sampler__reopen_clock(struct sampler *s, struct event_opener *opener, struct evsel *evsel, int cpu, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel->idx];

	/* The slots of the first task have one ring each. */
	for (unsigned int i = 0; event->cpu_fd && i < s->nr_rings; i++) {
		int *place = &event->cpu_fd[s->slot[i].ring], fd;

		if (s->slot[i].cpu != cpu || *place < 0)
			continue;
		fd = sampler__open_on_cpu(s, opener, evsel, cpu, err);
		return fd < 0 ? fd : sampler__replace(s, evsel, i, place, fd, err) ?: 1;
	}
	return 0;
}

static int sampler__reopen_event(struct sampler *s, struct event_opener *opener, struct evsel *evsel, int cpu, struct errmsg *err)
{
	struct source *source = s->event[evsel->idx].source;
	int ret = 0, done = 0;

	for (unsigned int i = 0; i < s->nr_slots && ret >= 0; i++) {
		if (s->slot[i].cpu != cpu || s->slot[i].tid >= 0)
			continue;
		ret = sampler__reopen_slot(s, opener, evsel, i, err);
		done |= ret > 0;
	}
	if (ret >= 0) {
		ret = sampler__reopen_clock(s, opener, evsel, cpu, err);
		done |= ret > 0;
	}
	if (ret >= 0 && source->ops->reopen_cpu) {
		ret = source->ops->reopen_cpu(source, cpu, err);
		done |= ret > 0;
	}
	return ret < 0 ? ret : done;
}

/* Leaders last: groups are complete when they begin. Clocks on CPUs do not wait for an exec. */
static int sampler__enable_slots(const struct sampler *s, int cpu, struct errmsg *err)
{
	for (unsigned int i = s->evlist->nr; i-- > 0;) {
		const struct sampler_event *event = &s->event[i];

		if (event->on || s->evlist->evsel[i]->attr.enable_on_exec)
			sampler__switch_cpus(s, i, PERF_EVENT_IOC_ENABLE);
		for (unsigned int j = 0; event->on && j < s->nr_slots; j++) {
			if (s->slot[j].cpu == cpu && s->slot[j].tid < 0 && event->fd[j] >= 0 && ioctl(event->fd[j], PERF_EVENT_IOC_ENABLE, 0))
				return errmsg__set(err, errno, "cannot enable event %s: %s", s->evlist->evsel[i]->name, strerror(errno));
		}
	}
	return 0;
}

int sampler__reopen_cpu(struct sampler *s, int cpu, struct errmsg *err)
{
	const struct sampler_opts opts = { 0 };
	struct event_opener opener = { .opts = &opts };
	int ret = 0, done = 0;

	for (unsigned int i = 0; i < s->evlist->nr && ret >= 0; i++) {
		ret = sampler__reopen_event(s, &opener, s->evlist->evsel[i], cpu, err);
		done |= ret > 0;
	}
	if (ret >= 0 && done)
		ret = sampler__enable_slots(s, cpu, err);
	return ret < 0 ? ret : done;
}

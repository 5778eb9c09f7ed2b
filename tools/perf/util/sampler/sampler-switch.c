// SPDX-License-Identifier: GPL-2.0
/*
 * Switches events on and off, in all of a target's tasks and in those that they start in the meantime.
 *
 * The kernel switches an inherited event in each task that has it, but a task that forks at that time has read its own event's state
 * before it waits for the lock that the switch holds (inherit_event() in kernel/events/core.c): its child starts with the event in
 * the old state. When the kernel schedules child after parent it lets them exchange their events, as long as all of them are
 * inherited: then the parent soon has the child's state, and so have all further children: on that CPU nothing is recorded any more.
 * So while events are switched each thread has one more that is not inherited, an anchor: parents keep their events. Then it is
 * closed, which waits for a fork in progress, and events are switched once more: by now such a child is known.
 */
#include "util/sampler/sampler-state.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "util/bpf/kernel-features.h"

struct anchors {
	int *fd;
	unsigned int nr;
};

enum switched {
	SWITCH_ALL,
	SWITCH_SIDE_BAND,
	SWITCH_SAMPLES, /* all but the side-band */
	SWITCH_ONE,
};

struct switching {
	enum switched what;
	unsigned int event; /* for SWITCH_ONE */
	unsigned long request;
};

/* Software events share a context of the task with tracepoints and breakpoints; before Linux 6.2 hardware events have another one. */
static bool is_software(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT || attr->type == PERF_TYPE_BREAKPOINT;
}

/* An anchor for an earlier event serves this one, too. */
static bool sampler__has_anchor(const struct sampler *s, unsigned int event)
{
	const struct perf_event_attr *attr = &s->evlist->evsel[event]->attr;

	for (unsigned int i = 0; i < event; i++) {
		const struct perf_event_attr *other = &s->evlist->evsel[i]->attr;

		if (other->inherit && (is_software(attr) ? is_software(other) : other->type == attr->type))
			return true;
	}
	return false;
}

/*
 * Open one in each thread. Failures are ignored: at worst a task is missed that forks right now. The thread ended, or too many files
 * are open.
 */
static void anchors__open_like(struct anchors *anchors, const struct sampler *s, const struct perf_event_attr *like)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .size = PERF_ATTR_SIZE_VER1,
					.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1 };
	pid_t last = -1;

	if (!is_software(like)) {
		attr.type = like->type;
		attr.config = like->config;
		attr.config1 = like->config1;
		attr.config2 = like->config2;
	}
	for (unsigned int i = 0; i < s->nr_slots; i++) {
		if (s->slot[i].tid == last || s->slot[i].ended) /* slots of one thread, for several CPUs, are consecutive */
			continue;
		last = s->slot[i].tid;
		anchors->fd[anchors->nr] = sys_perf_event_open(&attr, last, -1, -1, PERF_FLAG_FD_CLOEXEC);
		anchors->nr += anchors->fd[anchors->nr] >= 0;
	}
}

/* false: no event is inherited, so no anchor is needed. Call anchors__close() in any case. */
static bool anchors__open(struct anchors *anchors, const struct sampler *s)
{
	bool inherited = false;

	*anchors = (struct anchors){};
	if (!s->nr_slots || s->slot[0].tid < 0)
		return false;
	anchors->fd = calloc((size_t)s->nr_slots * s->evlist->nr, sizeof(*anchors->fd));
	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		const struct perf_event_attr *attr = &s->evlist->evsel[i]->attr;

		if (!attr->inherit)
			continue;
		inherited = true;
		if (anchors->fd && !sampler__has_anchor(s, i))
			anchors__open_like(anchors, s, attr);
	}
	return inherited;
}

static void anchors__close(struct anchors *anchors)
{
	for (unsigned int i = 0; i < anchors->nr; i++)
		close(anchors->fd[i]);
	free(anchors->fd);
}

static bool is_switched(const struct sampler *s, unsigned int event, const struct switching *switching)
{
	bool side_band = s->evlist->evsel[event]->side_band;

	switch (switching->what) {
	case SWITCH_SIDE_BAND:
		return side_band;
	case SWITCH_SAMPLES:
		return !side_band;
	case SWITCH_ONE:
		return event == switching->event;
	default:
		return true;
	}
}

static int sampler__switch_slots(const struct sampler *s, unsigned int event, unsigned long request)
{
	const bool on_cpus = s->nr_slots && s->slot[0].tid < 0;

	return switch_in_turns(&s->evlist->evsel[event]->attr, s->event[event].fd, s->nr_slots, on_cpus, request);
}

/* Try all; *failed is the first that could not be switched. */
static int sampler__switch_once(struct sampler *s, const struct switching *switching, unsigned int *failed)
{
	int ret = 0;

	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		int of_slots, of_cpus;

		if (!is_switched(s, i, switching))
			continue;
		s->event[i].on = switching->request == PERF_EVENT_IOC_ENABLE;
		of_slots = sampler__switch_slots(s, i, switching->request);
		of_cpus = sampler__switch_cpus(s, i, switching->request);
		if (ret || !(of_slots || of_cpus))
			continue;
		ret = of_slots ?: of_cpus;
		*failed = i;
	}
	return ret;
}

static int sampler__switch(struct sampler *s, struct switching switching, unsigned int *failed)
{
	struct anchors anchors;
	bool again = anchors__open(&anchors, s);
	int ret = sampler__switch_once(s, &switching, failed);

	anchors__close(&anchors);
	return again && !ret ? sampler__switch_once(s, &switching, failed) : ret;
}

static int sampler__switch_on(struct sampler *s, struct switching switching, struct errmsg *err)
{
	unsigned int failed;
	int ret;

	switching.request = PERF_EVENT_IOC_ENABLE;
	ret = sampler__switch(s, switching, &failed);
	return ret ? errmsg__set(err, -ret, "cannot enable event %s: %s", s->evlist->evsel[failed]->name, strerror(-ret)) : 0;
}

static int sampler__switch_off(struct sampler *s, struct switching switching)
{
	unsigned int failed;

	switching.request = PERF_EVENT_IOC_DISABLE;
	return sampler__switch(s, switching, &failed);
}

/* Sources: programs that make samples in place of the kernel */

int sampler__enable_source(struct sampler *s, unsigned int event, struct errmsg *err)
{
	struct source *source = s->event[event].source;

	return source->ops->enable ? source->ops->enable(source, err) : 0;
}

void sampler__let_source_run(struct sampler *s, unsigned int event, bool on)
{
	struct source *source = s->event[event].source;

	if (source && source->ops->let_run)
		source->ops->let_run(source, on);
}

int sampler__disable_source(struct sampler *s, unsigned int event)
{
	struct source *source = s->event[event].source;

	return source && source->ops->disable ? source->ops->disable(source) : 0;
}

static int sampler__disable_sources(struct sampler *s)
{
	int ret = 0;

	for (unsigned int i = 0; i < s->evlist->nr; i++)
		sampler__let_source_run(s, i, false);
	for (unsigned int i = 0; i < s->evlist->nr; i++)
		ret = sampler__disable_source(s, i) ?: ret;
	return ret;
}

/* Enable the side-band first: it names the tasks and the code of samples. */
int sampler__enable(struct sampler *s, struct errmsg *err)
{
	int ret = sampler__switch_on(s, (struct switching){ .what = SWITCH_ALL }, err);

	for (unsigned int i = 0; i < s->evlist->nr && !ret; i++)
		ret = sampler__enable_source(s, i, err);
	for (unsigned int i = 0; i < s->evlist->nr && !ret; i++)
		sampler__let_source_run(s, i, true);
	return ret;
}

/* Disable it last. */
int sampler__disable(struct sampler *s)
{
	int ret;

	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		if (s->event[i].source)
			s->event[i].source->ended = true;
	}
	ret = sampler__disable_sources(s);
	return sampler__switch_off(s, (struct switching){ .what = SWITCH_ALL }) ?: ret;
}

int sampler__enable_side_band(struct sampler *s, struct errmsg *err)
{
	return sampler__switch_on(s, (struct switching){ .what = SWITCH_SIDE_BAND }, err);
}

int sampler__pause(struct sampler *s)
{
	int ret = sampler__disable_sources(s);

	return sampler__switch_off(s, (struct switching){ .what = SWITCH_SAMPLES }) ?: ret;
}

int sampler__enable_event(struct sampler *s, unsigned int event, struct errmsg *err)
{
	int ret = sampler__switch_on(s, (struct switching){ .what = SWITCH_ONE, .event = event }, err) ?: sampler__enable_source(s, event, err);

	if (!ret)
		sampler__let_source_run(s, event, true);
	return ret;
}

int sampler__disable_event(struct sampler *s, unsigned int event)
{
	int ret;

	sampler__let_source_run(s, event, false);
	ret = sampler__disable_source(s, event);
	return sampler__switch_off(s, (struct switching){ .what = SWITCH_ONE, .event = event }) ?: ret;
}

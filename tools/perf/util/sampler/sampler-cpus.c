// SPDX-License-Identifier: GPL-2.0
/*
 * Clocks of tasks, and software events with a period, that are opened on each CPU. The kernel begins the period of each new task anew
 * (kernel/events/core.c, inherit_event()), so that tasks which live for less than a period have hardly any samples. An event of a CPU goes on
 * whatever runs there; a program takes the samples of the target's tasks. On the tasks the same event counts without samples: it has the
 * side-band, the CPU time and the hang-up.
 */
#define LOG_DOMAIN "clock"
#include "util/sampler/sampler-state.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "util/bpf/first-namespace.h"
#include "util/bpf/kernel-features.h"
#include "util/judge/bpf-filter.h"
#include "util/lib/clock.h"
#include "util/lib/log.h"

/* Would a clock on all tasks of a CPU be allowed? Not where a user or a container has rights over its own tasks only. */
static bool may_open_cpus(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = PERF_ATTR_SIZE_VER1,
					.disabled = 1 };
	int fd = sys_perf_event_open(&attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno != EACCES && errno != EPERM;
	close(fd);
	return true;
}

/* Why not on this system? NULL: it can be done. */
static const char *refuse_system(void)
{
	if (*bpf_filter__missing_capabilities() || !user_namespace__is_first() || !may_open_cpus())
		return geteuid() ? "it takes CAP_BPF and CAP_PERFMON: run perf as root" :
				   "it takes CAP_BPF and CAP_PERFMON: run perf outside of the container or user namespace";
	if (!pid_namespace__is_first())
		return "BPF programs see other process ids than perf in this PID namespace";
	return NULL;
}

static const char *refuse_event(const struct evsel *evsel)
{
	const struct evsel *leader = evsel->leader ?: evsel;

	if (leader->sample_read)
		return "samples hold the counts of a group";
	if (evsel->attr.write_backward)
		return "only the latest samples are to be kept";
	return NULL;
}

/* Clocks, and software events that the kernel counts */
static bool may_have_period(const struct evsel *evsel)
{
	return attr__is_clock(&evsel->attr) || evsel__shares_samples(evsel);
}

/*
 * Why does the event miss no short run of a task, or would it be worse on each CPU? NULL: it misses some on tasks, as the kernel begins its
 * period anew in each of them.
 */
static const char *refuse_as_complete(const struct sampler_scope *scope, const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr;

	if (!scope->inherits || !attr->inherit)
		return "it does not follow new tasks";
	if (attr__is_clock(attr))
		return attr->sample_period ? NULL : "it has no samples";
	if (attr__counts_switches(attr))
		return "of two tasks that take turns, an even period would always hit the same one";
	if (!may_have_period(evsel))
		return "it is neither a clock nor a software event with a period";
	if (attr->freq)
		return "with a frequency, what other tasks do would set its period (take -c)";
	return attr->sample_period > 1 ? NULL : "with a period of 1 it misses nothing";
}

static struct task_marks *new_marks(const struct sampler_scope *scope, struct errmsg *err)
{
	const struct sampler_target target = { .waits = scope->waits, .inherit = true, .opened_at = clock__ns(CLOCK_BOOTTIME) };

	return task_marks__new(&target, err);
}

/* Events of perf itself have no place to choose, and those of a cgroup are on each CPU. */
static bool has_choice(const struct sampler_scope *scope, const struct evsel *evsel)
{
	return scope->follows_tasks && !evsel->side_band && !evsel->cgroup;
}

int sampler__choose_place(struct sampler *s, const struct sampler_scope *scope, struct source_wish *wish, struct errmsg *err)
{
	const struct sampler_opts opts = { .note = scope->note, .note_data = scope->note_data };
	struct event_opener opener = { .opts = &opts };
	struct evsel *evsel = wish->evsel;
	const char *why;

	if (!has_choice(scope, evsel))
		return 0;
	event_opener__settle_clock(&opener, evsel); /* programs must know whether the event is a clock */
	if (scope->clock == CLOCK_ON_TASKS)
		return 0;
	why = refuse_as_complete(scope, evsel);
	if (why) {
		if (may_have_period(evsel))
			pr_debug("%s: opened on tasks: %s\n", evsel->name, why);
		return 0;
	}
	why = refuse_event(evsel) ?: refuse_system();
	if (!why && !s->marks) {
		s->marks = new_marks(scope, err);
		why = s->marks ? NULL : err->text;
	}
	if (why && scope->clock == CLOCK_ON_CPUS)
		return errmsg__set(err, EINVAL, "--clock cpu: %s cannot be opened on each CPU: %s", evsel->name, why);
	if (why) {
		pr_debug("%s: opened on tasks, which misses short runs: %s\n", evsel->name, why);
		return 0;
	}
	pr_debug("%s: opened on each CPU; a BPF program takes the samples of the target\n", evsel->name);
	wish->marks = task_marks__programs(s->marks);
	return 0;
}

int sampler__check_place(const struct sampler *s, const struct sampler_scope *scope, struct errmsg *err)
{
	if (scope->clock == CLOCK_ON_TASKS && !scope->follows_tasks)
		return errmsg__set(err, EINVAL, "--clock task: events that record all tasks are opened on each CPU. Leave out --clock");
	if (scope->clock != CLOCK_ON_CPUS || s->marks)
		return 0;
	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		const struct evsel *evsel = s->evlist->evsel[i];

		if (has_choice(scope, evsel))
			return errmsg__set(err, EINVAL, "--clock cpu: %s is opened on tasks: %s", evsel->name, refuse_as_complete(scope, evsel));
	}
	return 0;
}

int sampler__switch_cpus(const struct sampler *s, unsigned int event, unsigned long request)
{
	const int *fd = s->event[event].cpu_fd;

	return fd ? switch_in_turns(&s->evlist->evsel[event]->attr, fd, s->nr_rings, true, request) : 0;
}

void sampler__close_cpus(struct sampler *s, struct sampler_event *event)
{
	for (unsigned int i = 0; i < s->nr_rings && event->cpu_fd; i++)
		close_fd(&event->cpu_fd[i]);
	free(event->cpu_fd);
	event->cpu_fd = NULL;
}

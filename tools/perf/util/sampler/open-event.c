// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/open-event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "util/bpf/inherit-check.h"
#include "util/lib/advice.h"
#include "util/lib/fs.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define INTERRUPT_TRIES 100 /* the kernel also refuses probes that ftrace has enabled with EINTR */
#define GROUP_TRIES 3 /* a group that moved to another task may move back soon */

static void note(const struct event_opener *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void note(const struct event_opener *o, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (!o->opts->note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	o->opts->note(o->opts->note_data, text);
}

void event_opener__raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_at(struct perf_event_attr *attr, const struct evsel *evsel, const struct event_place *at)
{
	unsigned long flags = PERF_FLAG_FD_CLOEXEC | (evsel->cgroup ? PERF_FLAG_PID_CGROUP : 0);
	struct perf_event_attr marked = *attr;

	marked.sig_data = at->mark;
	return sys_perf_event_open(&marked, at->pid, at->cpu, at->group_fd, flags);
}

/* Fallbacks. Each changes evsel->attr for another try, or returns false. None can undo another one, so trying ends. */

static bool lower_precise_ip(struct event_opener *o, struct evsel *evsel, int error, const struct event_place *at)
{
	if (!evsel->precise_max || !evsel->attr.precise_ip || error == EACCES || error == EPERM)
		return false;
	evsel->attr.precise_ip--;
	return true;
}

static bool strip_kernel_features(struct event_opener *o, struct evsel *evsel, int error, const struct event_place *at)
{
	return error == EINVAL && kernel_features__strip(&o->kernel, &evsel->attr);
}

/* Before Linux 6.12 samples of inherited events cannot hold counts. */
static bool stay_with_task(struct event_opener *o, struct evsel *evsel, int error, const struct event_place *at)
{
	struct perf_event_attr attr = evsel->attr;
	int fd;

	if (error != EINVAL || !attr.inherit || !(attr.sample_type & PERF_SAMPLE_READ))
		return false;
	attr.inherit = 0;
	fd = open_at(&attr, evsel, at);
	if (fd < 0)
		return false;
	close(fd);
	evsel->attr.inherit = 0;
	note(o, "This kernel has no %s with the counts of a group for children: new threads and processes are not recorded",
	     evsel->name);
	return true;
}

/* A PMU that cannot distinguish guest and host (PERF_PMU_CAP_NO_EXCLUDE) refuses the bit that we set by default. */
static bool include_guest(struct event_opener *o, struct evsel *evsel, int error, const struct event_place *at)
{
	struct perf_event_attr attr = evsel->attr;
	int fd;

	if (error != EINVAL || !attr.exclude_guest || attr.exclude_host)
		return false;
	attr.exclude_guest = 0;
	fd = open_at(&attr, evsel, at);
	if (fd < 0)
		return false;
	close(fd);
	evsel->attr.exclude_guest = 0;
	return true;
}

static bool use_cpu_clock(struct event_opener *o, struct evsel *evsel, int error, const struct event_place *at)
{
	char was[128];

	if (o->counts)
		return false;
	if (error != ENOENT && error != EOPNOTSUPP && error != ENODEV && error != ENXIO)
		return false;
	if (evsel->attr.sample_type & PERF_SAMPLE_BRANCH_STACK) /* no software event supports that */
		return false;
	snprintf(was, sizeof(was), "%s", evsel->name);
	if (!evsel__fall_back_to_cpu_clock(evsel))
		return false;
	evsel->attr.precise_ip = 0; /* a software clock has no skid to choose */
	evsel->precise_max = false;
	if (evsel->attr.freq)
		note(o, "The %s event is not supported here (no hardware counters): using %s instead", was, evsel->name);
	else
		note(o, "The %s event is not supported here (no hardware counters): using %s instead, whose period of %" PRIu64 " is nanoseconds",
		     was, evsel->name, (u64)evsel->attr.sample_period);
	return true;
}

void event_opener__settle_clock(struct event_opener *o, struct evsel *evsel)
{
	struct perf_event_attr attr = { .type = evsel->attr.type, .config = evsel->attr.config, .size = PERF_ATTR_SIZE_VER1, .disabled = 1 };
	int fd;

	if (attr.type != PERF_TYPE_HARDWARE)
		return;
	fd = sys_perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		use_cpu_clock(o, evsel, errno, NULL);
	else
		close(fd);
}

/* As upstream: a user who may only sample user space gets that, and sees it in the event's name. */
static bool exclude_kernel(struct event_opener *o, struct evsel *evsel, int error, const struct event_place *at)
{
	int paranoid;
	char *name;

	if (error != EACCES || evsel->exact_modifier || evsel->attr.exclude_kernel || evsel->tp)
		return false;
	if (fs__read_int(PARANOID, &paranoid) || paranoid < 2)
		return false;
	if (asprintf(&name, "%s%su", evsel->name, strpbrk(evsel->name, ":/") ? "" : ":") < 0)
		return false;
	free(evsel->name);
	evsel->name = name;
	evsel->attr.exclude_kernel = 1;
	evsel->attr.exclude_hv = 1;
	return true;
}

typedef bool (*fallback_fn)(struct event_opener *o, struct evsel *evsel, int error, const struct event_place *at);
static const fallback_fn fallbacks[] = {
	lower_precise_ip, strip_kernel_features, stay_with_task, include_guest, use_cpu_clock, exclude_kernel,
};

static bool fall_back(struct event_opener *o, struct evsel *evsel, int error, const struct event_place *at)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fallbacks); i++) {
		if (fallbacks[i](o, evsel, error, at))
			return true;
	}
	return false;
}

static int explain_permission(const struct evsel *evsel, int error, const struct event_place *at, struct errmsg *err)
{
	bool all_tasks = at->pid < 0 || evsel->cgroup;
	char self[160];
	int paranoid;

	snprintf(self, sizeof(self), "%s, or give it CAP_PERFMON (setcap cap_perfmon,cap_bpf+ep on its file)", advice__root());
	if (fs__read_int(PARANOID, &paranoid))
		return errmsg__set(err, error, "no permission to open event %s: %s\n%s", evsel->name, strerror(error), self);
	if (all_tasks && paranoid > 0)
		return errmsg__set(err, error, "no permission to open event %s for all tasks: kernel.perf_event_paranoid is %d\n"
				   "%s,\nor allow it to everyone: sysctl kernel.perf_event_paranoid=%d", evsel->name, paranoid, self,
				   evsel->tp ? -1 : 0);
	if (evsel->tp && paranoid > -1)
		return errmsg__set(err, error, "no permission to open tracepoint %s: kernel.perf_event_paranoid is %d\n"
				   "%s,\nor allow it to everyone: sysctl kernel.perf_event_paranoid=-1", evsel->name, paranoid, self);
	if (paranoid > 2 || (paranoid == 2 && !evsel->attr.exclude_kernel))
		return errmsg__set(err, error, "no permission to open event %s%s: kernel.perf_event_paranoid is %d\n"
				   "%s,\nor allow it to everyone: sysctl kernel.perf_event_paranoid=%d", evsel->name,
				   paranoid > 2 ? "" : " with the kernel's part", paranoid, self, paranoid > 2 ? 2 : 1);
	return errmsg__set(err, error, "no permission to open event %s on task %d: it belongs to another user or is protected\n%s",
			   evsel->name, at->pid, self);
}

static int explain_nofile(const struct evsel *evsel, int error, struct errmsg *err)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	return errmsg__set(err, error, "too many open files for event %s: every event takes a descriptor for each thread on each CPU, "
			   "and the limit is %llu\nRaise it (ulimit -n, also its hard limit), or take fewer events, threads or "
			   "CPUs (-C), or --no-inherit", evsel->name, (unsigned long long)limit.rlim_cur);
}

static int explain_invalid(const struct evsel *evsel, int error, const struct event_place *at, struct errmsg *err)
{
	if (!evsel->attr.freq && evsel->attr.sample_period > INT64_MAX)
		return errmsg__set(err, error, "event %s: the kernel counts up to %" PRId64 ", so there can be no sample every %" PRIu64
				   "\nTake a smaller -c or period=", evsel->name, INT64_MAX, (u64)evsel->attr.sample_period);
	if (at->group_fd >= 0)
		return errmsg__set(err, error, "event %s cannot be in the group of %s (%s): there are not enough counters, or the two cannot "
					       "count together\nTake a smaller group, or none", evsel->name, evsel->leader->name,
				   strerror(error));
	if (evsel->attr.type == PERF_TYPE_BREAKPOINT)
		return errmsg__set(err, error, "breakpoint %s cannot be set here (%s): processors know e.g. mem:0x1000/8:rw at a multiple of "
				   "the length, and mem:0x1000:x", evsel->name, strerror(error));
	return errmsg__set(err, error, "the kernel refuses the settings of event %s (%s): try it without modifiers, terms and -d, or with a "
			   "smaller -F", evsel->name, strerror(error));
}

static int explain(const struct evsel *evsel, int error, const struct event_place *at, struct errmsg *err)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return explain_permission(evsel, error, at, err);
	case EMFILE:
		return explain_nofile(evsel, error, err);
	case ENODEV:
	case ENOENT:
	case ENXIO:
	case EOPNOTSUPP:
		if (evsel->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return errmsg__set(err, error, "event %s cannot be sampled with branches (-b, -j, lbr): %s\nOnly events of processors that "
					   "record branches can", evsel->name, strerror(error));
		return errmsg__set(err, error, "event %s is not supported by this machine or cannot sample (%s)\n"
				   "Take another one, e.g. -e cpu-clock", evsel->name, strerror(error));
	case EBUSY:
		return errmsg__set(err, error, "event %s needs a counter that another user of the PMU holds: end the other one, "
				   "or take -e cpu-clock", evsel->name);
	case EBADF:
		return errmsg__set(err, error, "event %s: \"%s\" is a directory, but not a cgroup that perf events can use", evsel->name,
				   evsel->cgroup ?: "");
	case ENOSYS:
		if (evsel->attr.sample_regs_user)
			return errmsg__set(err, error, "event %s: the kernel cannot record registers and stacks of user space on this "
						       "machine\nTake callchains by frame pointers: --call-graph fp", evsel->name);
		return errmsg__set(err, error, "cannot open event %s: %s", evsel->name, strerror(error));
	case EINTR:
		return errmsg__set(err, error, "event %s is enabled in tracefs, and a probe serves either ftrace or perf\nSwitch it off there, or make another "
				   "probe at the same place", evsel->name);
	case EINVAL:
		return explain_invalid(evsel, error, at, err);
	case ENOSPC:
		if (evsel->attr.type != PERF_TYPE_BREAKPOINT)
			return errmsg__set(err, error, "cannot open event %s: %s", evsel->name, strerror(error));
		return errmsg__set(err, error, "event %s: all of the processor's breakpoints are taken: take fewer at a time", evsel->name);
	case EOVERFLOW:
		if (evsel->attr.sample_max_stack)
			return errmsg__set(err, error, "event %s: the kernel takes fewer than %u frames of a stack: lower max-stack, or raise the limit "
					   "(sysctl kernel.perf_event_max_stack=%u)", evsel->name, evsel->attr.sample_max_stack, evsel->attr.sample_max_stack);
		return errmsg__set(err, error, "cannot open event %s: %s", evsel->name, strerror(error));
	default:
		return errmsg__set(err, error, "cannot open event %s: %s", evsel->name, strerror(error));
	}
}

/* Does the kernel refuse a member this way if its leader has moved to another task, as parent and child exchange their events? */
static bool may_have_moved(const struct evsel *evsel, const struct event_place *at, int error)
{
	return at->group_moves && at->group_fd >= 0 && evsel->attr.inherit && (error == EINVAL || error == ENODEV);
}

int event_opener__open(struct event_opener *o, struct evsel *evsel, const struct event_place *at, bool may_change,
		       struct errmsg *err)
{
	int nr_refused = 0, nr_interrupted = 0;

	for (;;) {
		int fd, error;

		fd = open_at(&evsel->attr, evsel, at);
		if (fd >= 0)
			return fd;
		error = errno;
		if (error == ESRCH)
			return -ESRCH;
		if (error == EINTR && nr_interrupted++ < INTERRUPT_TRIES)
			continue;
		if (may_have_moved(evsel, at, error)) {
			if (inherit_check__is_refused(&evsel->leader->attr, at->pid, at->cpu, at->group_fd))
				return -ECHILD;
			if (nr_refused++ < GROUP_TRIES)
				continue;
		}
		if (may_change && fall_back(o, evsel, error, at))
			continue;
		return explain(evsel, error, at, err);
	}
}

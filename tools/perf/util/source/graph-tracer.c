// SPDX-License-Identifier: GPL-2.0
#include "util/source/graph-tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "util/bpf/first-namespace.h"
#include "util/event/tracefs.h"
#include "util/event/tracepoint.h"
#include "util/lib/clock.h"
#include "util/lib/fs.h"
#include "util/lib/types.h"

#define MAX_SETTINGS 13
#define BUFFER_KB 1408 /* for each CPU: what kernels give to the first user of a tracer. Linux 6.1 leaves it at 7 */

struct graph_setting {
	const char *file;
	bool needed;  /* older or newer kernels may lack the others */
	const char *new; /* NULL: it stays */
	bool grows; /* to that of choose_size() */
	char *old;    /* NULL: not changed; owned */
};

struct graph_tracer {
	int root; /* of tracefs; not owned */
	int dir;  /* an instance, owned, or the root */
	char instance[64]; /* its path; "": none */
	int pipe; /* trace_pipe */
	int alive; /* closed: the helper sets everything back */
	pid_t helper;
	char mask[2400]; /* for 8192 CPUs */
	char size[24];	 /* of the buffer */
	struct graph_setting settings[MAX_SETTINGS];
};

/* Lists that choose what is traced: empty without a user. The first ones are for all instances. */
static const char *const lists[] = { "set_graph_function", "set_graph_notrace", "set_ftrace_filter", "set_ftrace_notrace", "set_ftrace_pid" };
#define NR_LISTS_OF_ALL 2

static const char exec_event[] = "events/sched/sched_process_exec/enable";

static int write_file(int dir, const char *file, const char *text, int flags)
{
	const size_t len = strlen(text);
	int fd = openat(dir, file, O_WRONLY | O_CLOEXEC | flags), error = 0;

	if (fd < 0)
		return -errno;
	if (len && write(fd, text, len) != (ssize_t)len)
		error = errno ?: EIO;
	if (close(fd) && !error)
		error = errno;
	return -error;
}

static bool has_tracer(int dir)
{
	char *all = fs__read_file(dir, "available_tracers", NULL), *rest = all, *word;
	bool has = false;

	while (all && (word = strsep(&rest, " \n")))
		has |= !strcmp(word, "function_graph");
	free(all);
	return has;
}

bool graph_tracer__exists(void)
{
	const int root = tracefs__root(NULL);

	return root >= 0 && has_tracer(root);
}

/* Other users */

static int in_use(struct errmsg *err, const char *why)
{
	return errmsg__set(err, EBUSY, "the kernel's function tracer has another user: %s", why);
}

static bool reads_as(int dir, const char *file, const char *begin)
{
	char *text = fs__read_file(dir, file, NULL);
	const bool same = text && !strncmp(text, begin, strlen(begin));

	free(text);
	return same;
}

static int check_lists(int root, size_t nr, struct errmsg *err)
{
	char why[64], *list;
	bool is_free;

	for (size_t i = 0; i < nr; i++) {
		list = fs__read_file(root, lists[i], NULL);
		is_free = !list || !*list || *list == '#' || !strncmp(list, "no pid", 6);
		free(list);
		snprintf(why, sizeof(why), "%s in tracefs is not empty", lists[i]);
		if (!is_free)
			return in_use(err, why);
	}
	return 0;
}

/* All instances share the options of the tracer (before Linux 6.19), so only one of them can have it. */
static int check_instances(int root, struct errmsg *err)
{
	struct fs_names *names = fs_names__read(root, "instances");
	char file[300], why[300];
	int ret = 0;

	for (size_t i = 0; names && i < names->nr && !ret; i++) {
		snprintf(file, sizeof(file), "instances/%s/current_tracer", names->name[i]);
		snprintf(why, sizeof(why), "instances/%s in tracefs", names->name[i]);
		if (reads_as(root, file, "function_graph"))
			ret = in_use(err, why);
	}
	fs_names__delete(names);
	return ret;
}

/* Comments begin the file, and without entries they are all. */
static bool has_entries(int root)
{
	int fd = openat(root, "trace", O_RDONLY | O_CLOEXEC);
	char buf[8192];
	size_t size = 0;
	ssize_t nr;

	while (fd >= 0 && size < sizeof(buf) - 1 && (nr = read(fd, buf + size, sizeof(buf) - 1 - size)) > 0)
		size += nr;
	if (fd >= 0)
		close(fd);
	buf[size] = '\0';
	for (const char *line = buf; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (*line != '#' && *line != '\n')
			return true;
	}
	return false;
}

/* What an instance cannot keep apart from others, and without an instance all that perf would change or empty. */
static int check_free(int root, bool instance, struct errmsg *err)
{
	int ret;

	if (instance ? reads_as(root, "current_tracer", "function_graph") : !reads_as(root, "current_tracer", "nop"))
		return in_use(err, "current_tracer in tracefs is not nop");
	ret = check_lists(root, instance ? NR_LISTS_OF_ALL : ARRAY_SIZE(lists), err) ?: check_instances(root, err);
	if (!ret && !instance && !reads_as(root, "events/enable", "0"))
		ret = in_use(err, "events are enabled in tracefs");
	if (!ret && !instance && has_entries(root))
		ret = in_use(err, "its buffer, trace in tracefs, is not empty.\nIf nobody needs it, empty it: echo > /sys/kernel/tracing/trace");
	return ret;
}

/* Settings */

static void put_mask(const struct cpumap *cpus, char *buf, size_t size)
{
	u32 word[256] = { 0 };
	size_t at = 0;
	int nr = 0;

	for (int i = 0; i < cpus->nr; i++) {
		if (cpus->cpu[i] / 32 < (int)ARRAY_SIZE(word))
			word[cpus->cpu[i] / 32] |= 1U << cpus->cpu[i] % 32;
		nr = cpus->cpu[i] / 32 >= nr ? cpus->cpu[i] / 32 + 1 : nr;
	}
	for (int i = nr; i-- && at < size;)
		at += snprintf(buf + at, size - at, i ? "%x," : "%x", word[i]);
}

static void choose_settings(struct graph_tracer *t, const struct sampler_target *target)
{
	const struct graph_setting all[MAX_SETTINGS] = {
		{ .file = "tracing_on", .needed = true, .new = "0" }, /* first to be set, last to be set back */
		{ .file = "buffer_size_kb", .new = "", .grows = true },
		{ .file = "tracing_cpumask", .needed = true, .new = target->cpus ? t->mask : NULL },
		{ .file = "options/function-fork", .needed = !target->system_wide && target->inherit, .new = target->inherit ? "1" : "0" },
		{ .file = "options/funcgraph-duration", .new = "1" },
		{ .file = "options/funcgraph-irqs", .new = "1" }, /* 0 would leave out calls in interrupts */
		{ .file = "options/sleep-time", .new = "1" },
		{ .file = "options/funcgraph-cpu", .new = "0" },
		{ .file = "options/funcgraph-proc", .new = "0" },
		{ .file = "options/funcgraph-abstime", .new = "0" },
		{ .file = "options/funcgraph-overhead", .new = "0" },
		{ .file = "options/latency-format", .new = "0" },
		{ .file = exec_event, .needed = target->waits, .new = target->waits ? "1" : NULL },
	};

	memcpy(t->settings, all, sizeof(all));
	if (target->cpus)
		put_mask(target->cpus, t->mask, sizeof(t->mask));
}

/*
 * "7 (expanded: 1408)": nobody has used the buffer so far. The first user gets the larger one, which stays. "X": each CPU has another size,
 * which somebody has chosen.
 */
static void choose_size(struct graph_tracer *t, struct graph_setting *s)
{
	const unsigned long now = strtoul(s->old, NULL, 10);
	unsigned long expanded = 0, size = BUFFER_KB;

	sscanf(s->old, "%*u (expanded: %lu", &expanded);
	if (size < expanded)
		size = expanded;
	snprintf(t->size, sizeof(t->size), "%lu", size);
	s->new = t->size;
	if (!now || now >= size) {
		free(s->old);
		s->old = NULL;
	} else if (expanded) {
		sprintf(s->old, "%lu", expanded); /* which the text held */
	}
}

/* Before anything is changed, so that the helper knows it. */
static int read_old(struct graph_tracer *t, struct errmsg *err)
{
	for (size_t i = 0; i < MAX_SETTINGS; i++) {
		struct graph_setting *s = &t->settings[i];

		if (!s->new)
			continue;
		s->old = fs__read_file(t->dir, s->file, NULL);
		if (!s->old && s->needed)
			return errmsg__set(err, errno, "the kernel's function tracer cannot be used: %s in tracefs: %s", s->file, strerror(errno));
		if (s->old)
			s->old[strcspn(s->old, "*\n")] = '\0'; /* "1*": the event is on for other users, too */
		if (s->old && s->grows)
			choose_size(t, s);
	}
	return 0;
}

static int set_all(const struct graph_tracer *t, struct errmsg *err)
{
	for (size_t i = 0; i < MAX_SETTINGS; i++) {
		const struct graph_setting *s = &t->settings[i];
		const int ret = s->old ? write_file(t->dir, s->file, s->new, 0) : 0;

		if (ret && s->needed)
			return errmsg__set(err, -ret, "cannot set up the kernel's function tracer: %s in tracefs: %s", s->file, strerror(-ret));
	}
	return 0;
}

static int set_pids(const struct graph_tracer *t, const struct sampler_target *target, struct errmsg *err)
{
	char buf[16];
	int ret = 0;

	for (int i = 0; i < target->nr_tids && !target->system_wide && !ret; i++) {
		snprintf(buf, sizeof(buf), "%d\n", target->tids[i]);
		ret = write_file(t->dir, "set_ftrace_pid", buf, i ? O_APPEND : O_TRUNC);
		if (ret)
			errmsg__set(err, -ret, "cannot trace thread %d: set_ftrace_pid in tracefs: %s", target->tids[i], strerror(-ret));
	}
	return ret;
}

/* The helper */

/* For a moment the kernel may refuse: while perf ends, it still reads trace_pipe. */
static void stop_tracer(int dir)
{
	for (int i = 0; i < 500 && write_file(dir, "current_tracer", "nop", 0) == -EBUSY; i++)
		usleep(10000);
}

/* It takes its settings with it. If perf was killed before it made the instance, there is none. */
static void remove_instance(const struct graph_tracer *t)
{
	const int dir = openat(t->dir, t->instance, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return;
	stop_tracer(dir);
	close(dir);
	for (int i = 0; i < 500 && unlinkat(t->dir, t->instance, AT_REMOVEDIR) && errno == EBUSY; i++) /* as in stop_tracer() */
		usleep(10000);
}

static void set_back(const struct graph_tracer *t)
{
	write_file(t->dir, "tracing_on", "0", 0);
	stop_tracer(t->dir);
	write_file(t->dir, "set_ftrace_filter", "", O_TRUNC);
	write_file(t->dir, "set_ftrace_pid", "", O_TRUNC);
	write_file(t->dir, "trace", "", O_TRUNC);
	for (size_t i = MAX_SETTINGS; i--;) {
		if (t->settings[i].old)
			write_file(t->dir, t->settings[i].file, t->settings[i].old, 0);
	}
}

static void __attribute__((noreturn)) help(struct graph_tracer *t, int perf)
{
	const int dir = 4;
	sigset_t all;
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	/* Descriptors that stay open would keep alive what perf has attached, and its output. */
	if (perf != 3 && t->dir == 3)
		t->dir = fcntl(t->dir, F_DUPFD, 5);
	if (dup2(perf, 3) < 0 || dup2(t->dir, dir) < 0)
		_exit(1);
	close_range(0, 2, 0);
	close_range(5, ~0U, 0);
	t->dir = dir;
	while (read(3, &byte, 1) < 0 && errno == EINTR)
		;
	if (*t->instance)
		remove_instance(t);
	else
		set_back(t);
	_exit(0);
}

static int start_helper(struct graph_tracer *t, struct errmsg *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return errmsg__set(err, errno, "cannot make a pipe: %s", strerror(errno));
	t->helper = fork();
	if (!t->helper) {
		close(ends[1]);
		help(t, ends[0]);
	}
	close(ends[0]);
	if (t->helper < 0) {
		close(ends[1]);
		return errmsg__set(err, errno, "cannot start a process: %s", strerror(errno));
	}
	t->alive = ends[1];
	return 0;
}

static void end_helper(struct graph_tracer *t)
{
	if (t->alive < 0)
		return;
	close(t->alive);
	t->alive = -1;
	while (waitpid(t->helper, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Setting up */

static int choose_function(const struct graph_tracer *t, const char *function, struct errmsg *err)
{
	char *line; /* without its end the kernel would look at it when the file is closed, and tell no error */
	int ret;

	if (asprintf(&line, "%s\n", function) < 0)
		return errmsg__set(err, ENOMEM, "out of memory");
	ret = write_file(t->dir, "set_ftrace_filter", line, O_TRUNC);
	free(line);

	if (ret == -EINVAL)
		return errmsg__set(err, EINVAL, "the kernel's function tracer knows no function '%s'", function);
	return ret ? errmsg__set(err, -ret, "cannot trace '%s': set_ftrace_filter in tracefs: %s", function, strerror(-ret)) : 0;
}

static int begin(struct graph_tracer *t, struct errmsg *err)
{
	int ret = write_file(t->dir, "trace", "", O_TRUNC) ?: write_file(t->dir, "current_tracer", "function_graph", 0);

	if (ret)
		return errmsg__set(err, -ret, "cannot start the kernel's function_graph tracer: %s", strerror(-ret));
	t->pipe = openat(t->dir, "trace_pipe", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return t->pipe < 0 ? errmsg__set(err, errno, "cannot open trace_pipe in tracefs: %s", strerror(errno)) : 0;
}

/*
 * From Linux 6.11 on an instance can have the tracer: with settings and a buffer of its own it disturbs nobody who uses tracefs. The helper starts
 * before the instance is made, so that it is removed whenever perf is killed. The name is unique, even among PID namespaces.
 */
static int open_instance(struct graph_tracer *t, struct errmsg *err)
{
	int ret;

	snprintf(t->instance, sizeof(t->instance), "instances/perf-ftrace-%d-%" PRIx64, getpid(), clock__ns(CLOCK_BOOTTIME));
	ret = start_helper(t, err);
	if (ret)
		return ret;
	if (!mkdirat(t->root, t->instance, 0700)) {
		t->dir = openat(t->root, t->instance, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (t->dir >= 0 && has_tracer(t->dir))
			return 0;
		if (t->dir >= 0)
			close(t->dir);
		t->dir = t->root;
	}
	end_helper(t);
	t->instance[0] = '\0';
	return 0;
}

static struct graph_tracer *tracer__new(int root, const struct sampler_target *target)
{
	struct graph_tracer *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->root = t->dir = root;
	t->pipe = t->alive = -1;
	choose_settings(t, target);
	return t;
}

int graph_tracer__open(struct graph_tracer **tracer, const char *function, const struct sampler_target *target, struct errmsg *err)
{
	struct graph_tracer *t;
	int ret, root = tracefs__root(err);

	if (root < 0)
		return root;
	if (!graph_tracer__exists())
		return errmsg__set(err, EOPNOTSUPP, "this kernel has no function_graph tracer (CONFIG_FUNCTION_GRAPH_TRACER)");
	if ((!target->system_wide || target->waits) && !pid_namespace__is_first())
		return errmsg__set(err, EOPNOTSUPP, "the kernel's function tracer does not know the process ids of this namespace: take -a and no command");
	t = tracer__new(root, target);
	if (!t)
		return errmsg__set(err, ENOMEM, "out of memory");
	ret = open_instance(t, err) ?: check_free(root, *t->instance, err) ?: read_old(t, err);
	if (!ret && !*t->instance)
		ret = start_helper(t, err);
	ret = ret ?: set_all(t, err) ?: choose_function(t, function, err) ?: set_pids(t, target, err) ?: begin(t, err);
	if (ret)
		graph_tracer__close(t);
	else
		*tracer = t;
	return ret;
}

int graph_tracer__switch(struct graph_tracer *t, bool on)
{
	return write_file(t->dir, "tracing_on", on ? "1" : "0", 0);
}

static int add_stats(const struct graph_tracer *t, const char *cpu, u64 *nr)
{
	char file[300], *text, *at;

	snprintf(file, sizeof(file), "per_cpu/%s/stats", cpu);
	text = fs__read_file(t->dir, file, NULL);
	if (!text)
		return -errno;
	at = strstr(text, "\noverrun: ");
	*nr += at ? strtoull(at + strlen("\noverrun: "), NULL, 10) : 0;
	at = strstr(text, "\ndropped events: ");
	*nr += at ? strtoull(at + strlen("\ndropped events: "), NULL, 10) : 0;
	free(text);
	return 0;
}

int graph_tracer__lost(const struct graph_tracer *t, u64 *nr)
{
	struct fs_names *cpus = fs_names__read(t->dir, "per_cpu");
	int ret = cpus ? 0 : -errno;

	*nr = 0;
	for (size_t i = 0; cpus && i < cpus->nr && !ret; i++)
		ret = add_stats(t, cpus->name[i], nr);
	fs_names__delete(cpus);
	return ret;
}

int graph_tracer__fd(const struct graph_tracer *t)
{
	return t->pipe;
}

void graph_tracer__close(struct graph_tracer *t)
{
	if (!t)
		return;
	if (t->pipe >= 0)
		close(t->pipe);
	end_helper(t);
	if (t->dir != t->root)
		close(t->dir);
	for (size_t i = 0; i < MAX_SETTINGS; i++)
		free(t->settings[i].old);
	free(t);
}

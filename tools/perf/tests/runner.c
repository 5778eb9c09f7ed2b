// SPDX-License-Identifier: GPL-2.0
#include "tests/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/lib/types.h"

/* Finding */

/* path is NULL for one that is builtin */
static int test_list__add(struct test_list *list, const char *path, const char *name, const struct builtin_test *builtin)
{
	struct test *grown = reallocarray(list->test, list->nr + 1, sizeof(*grown));
	struct test *test;

	if (!grown)
		return -ENOMEM;
	list->test = grown;
	test = &grown[list->nr];
	test->path = path ? strdup(path) : NULL;
	test->name = strdup(name);
	test->builtin = builtin;
	if ((path && !test->path) || !test->name) {
		free(test->path);
		free(test->name);
		return -ENOMEM;
	}
	test->number = ++list->nr;
	test->chosen = false;
	return 0;
}

/* "<dir>/filter/parse" and "<dir>/cmd/basics.sh" -> "filter parse", "cmd basics" */
static int test_list__add_path(struct test_list *list, const char *path)
{
	const char *file = strrchr(path, '/') + 1, *folder = file - 1;
	char name[256];

	while (folder > path && folder[-1] != '/')
		folder--;
	snprintf(name, sizeof(name), "%.*s %.*s", (int)(file - 1 - folder), folder, (int)strcspn(file, "."), file);
	return test_list__add(list, path, name, NULL);
}

static bool is_unit(const char *path)
{
	struct stat st;

	/* Their objects and dependency files lie beside them. */
	return !strchr(strrchr(path, '/'), '.') && !stat(path, &st) && S_ISREG(st.st_mode) && st.st_mode & S_IXUSR;
}

static bool is_script(const char *path)
{
	return strcmp(strrchr(path, '/'), "/lib.sh");
}

static int find_pattern(struct test_list *list, const char *dir, const char *pattern, bool (*is_test)(const char *path))
{
	char *full;
	glob_t found;
	int err = 0;
	size_t i;

	if (asprintf(&full, "%s/%s", dir, pattern) < 0)
		return -ENOMEM;
	switch (glob(full, 0, NULL, &found)) {
	case 0:
		for (i = 0; i < found.gl_pathc && !err; i++) {
			if (is_test(found.gl_pathv[i]))
				err = test_list__add_path(list, found.gl_pathv[i]);
		}
		globfree(&found);
		break;
	case GLOB_NOMATCH:
		break;
	default:
		err = -ENOMEM;
	}
	free(full);
	return err;
}

int test_list__find(struct test_list *list, const char *dir)
{
	int err;

	memset(list, 0, sizeof(*list));
	err = find_pattern(list, dir, "unit/*/*", is_unit);
	if (!err)
		err = find_pattern(list, dir, "cmd/*.sh", is_script);
	if (!err)
		err = find_pattern(list, dir, "source/*.sh", is_script);
	return err;
}

int test_list__add_builtin(struct test_list *list)
{
	int err = 0;

	for (const struct builtin_test *test = builtin_tests; test->name && !err; test++)
		err = test_list__add(list, NULL, test->name, test);
	return err;
}

void test_list__exit(struct test_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		free(list->test[i].path);
		free(list->test[i].name);
	}
	free(list->test);
	memset(list, 0, sizeof(*list));
}

/* Running. Output is cut into lines as it comes. */

struct output {
	int fd;
	struct tap *tap;
	const struct test_run_opts *opts;
	char *line; /* the one that has no end yet */
	size_t len, size;
};

static volatile pid_t running_groups[MAX_JOBS]; /* for the signal handler; 0: none */

/* The groups of tests do not get the terminal's signals, so take them along. */
static void kill_groups_and_die(int sig)
{
	int i;

	for (i = 0; i < MAX_JOBS; i++) {
		if (running_groups[i])
			kill(-running_groups[i], SIGKILL);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static void output__flush_line(struct output *out)
{
	out->line[out->len] = '\0';
	tap__line(out->tap, out->line);
	if (out->opts->echo)
		printf("      %s\n", out->line);
	out->len = 0;
}

static int output__add(struct output *out, const char *data, size_t len)
{
	for (; len; data++, len--) {
		if (out->len + 1 >= out->size) {
			size_t size = out->size ? 2 * out->size : 256;
			char *line = realloc(out->line, size);

			if (!line)
				return -ENOMEM;
			out->line = line;
			out->size = size;
		}
		if (*data == '\n')
			output__flush_line(out);
		else
			out->line[out->len++] = *data;
	}
	return 0;
}

/* Take what is there. 1: there may be more later, 0: the end, or -errno. */
static int output__read(struct output *out)
{
	char data[4096];
	ssize_t len;
	int err;

	while ((len = read(out->fd, data, sizeof(data))) > 0) {
		err = output__add(out, data, len);
		if (err)
			return err;
	}
	if (len < 0 && errno == EINTR)
		return 1;
	return len < 0 ? (errno == EAGAIN ? 1 : -errno) : 0;
}

static s64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (s64)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Read until the test's first process is gone; a descendant that keeps the pipe open must not hold us up. -ETIME: too long. */
static int read_until_exit(struct output *out, int pidfd)
{
	struct pollfd fds[] = { { .fd = pidfd, .events = POLLIN }, { .fd = out->fd, .events = POLLIN } };
	s64 end = now_ms() + out->opts->seconds * 1000ll;
	int err;

	for (;;) {
		s64 left = end - now_ms();

		if (left <= 0)
			return -ETIME;
		if (poll(fds, ARRAY_SIZE(fds), left < INT_MAX ? left : INT_MAX) < 0 && errno != EINTR)
			return -errno;
		err = output__read(out);
		if (err < 0)
			return err;
		if (!err)
			fds[1].fd = -1;
		/* What was written before the exit was read after poll() saw the exit. */
		if (fds[0].revents)
			return 0;
	}
}

static void __attribute__((noreturn)) exec_builtin(const struct test *test, const struct test_run_opts *opts)
{
	test->builtin->run(stdout, &opts->builtin);
	_exit(fflush(stdout) ? 127 : 0);
}

static void __attribute__((noreturn)) exec_test(const struct test *test, const struct test_run_opts *opts, int out_fd)
{
	int null_fd = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 || dup2(out_fd, STDOUT_FILENO) < 0 ||
	    dup2(out_fd, STDERR_FILENO) < 0)
		_exit(127);
	if (test->builtin)
		exec_builtin(test, opts);
	execl(test->path, test->path, (char *)NULL);
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", test->path, strerror(errno));
	_exit(127);
}

static int prepare_environment(void)
{
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len < 0)
		return -errno;
	self[len] = '\0';
	if (setenv("PERF", self, true) || setenv("CMOCKA_MESSAGE_OUTPUT", "TAP", true))
		return -errno;
	return 0;
}

/* Reap the test and tell what was wrong with its end: NULL, or a text in buf. */
static const char *reap(pid_t pid, int err, const struct output *out, char *buf, size_t size)
{
	int status;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (err == -ETIME)
		snprintf(buf, size, "killed: no end after %u s", out->opts->seconds);
	else if (err)
		snprintf(buf, size, "killed: cannot read its output: %s", strerror(-err));
	else if (WIFSIGNALED(status))
		snprintf(buf, size, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) && !out->tap->failed)
		snprintf(buf, size, "exit status %d", WEXITSTATUS(status));
	else
		return NULL;
	return buf;
}

static void watch(pid_t pid, struct output *out)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0);
	int err = pidfd < 0 ? -errno : read_until_exit(out, pidfd);
	char problem[128];

	/* Not yet reaped, so the group's number cannot have been given to someone else. */
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	if (out->len)
		output__flush_line(out);
	tap__finish(out->tap, reap(pid, err, out, problem, sizeof(problem)));
	if (pidfd >= 0)
		close(pidfd);
}

static int run_in_process(const struct test *test, struct tap *tap, const struct test_run_opts *opts)
{
	struct output out = { .tap = tap, .opts = opts };
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	int err;

	if (!stream)
		return -errno;
	test->builtin->run(stream, &opts->builtin);
	err = fclose(stream) ? -ENOMEM : output__add(&out, text, size);
	tap__finish(tap, NULL);
	free(text);
	free(out.line);
	return err;
}

/* Read the output of one test into *tap, which is finished then. 0, or -errno if it could not be run at all. */
static int run_test(const struct test *test, struct tap *tap, const struct test_run_opts *opts, volatile pid_t *group)
{
	struct output out = { .tap = tap, .opts = opts };
	int fds[2], err;
	pid_t pid;

	if (opts->no_fork)
		return test->builtin ? run_in_process(test, tap, opts) : -EINVAL;
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		exec_test(test, opts, fds[1]);
	err = pid < 0 ? -errno : 0;
	close(fds[1]);
	if (!err) {
		setpgid(pid, pid); /* also here: whoever comes first; fails once the test has been exec'ed, with its group set */
		*group = pid;
		out.fd = fds[0];
		fcntl(fds[0], F_SETFL, O_NONBLOCK);
		watch(pid, &out);
		*group = 0;
	}
	close(fds[0]);
	free(out.line);
	return err;
}

/* What the threads share that each run one test after the other */
struct run {
	const struct test_list *list;
	const struct test_run_opts *opts;
	pthread_mutex_t lock; /* of what follows, and held while the callbacks run */
	unsigned int next, nr_jobs;
	int err;
};

static const struct test *run__begin_test(struct run *run)
{
	const struct test *test = NULL;

	pthread_mutex_lock(&run->lock);
	while (!run->err && run->next < run->list->nr && !test) {
		test = &run->list->test[run->next++];
		if (!test->chosen)
			test = NULL;
	}
	if (test) {
		run->opts->started(test, run->opts->arg);
		fflush(NULL); /* the child must not print it again */
	}
	pthread_mutex_unlock(&run->lock);
	return test;
}

static void run__end_test(struct run *run, const struct test *test, const struct tap *tap, s64 ms, int err)
{
	pthread_mutex_lock(&run->lock);
	if (err)
		run->err = err;
	else
		run->opts->ended(test, tap, ms, run->opts->arg);
	pthread_mutex_unlock(&run->lock);
}

static void *run__work(void *arg)
{
	struct run *run = arg;
	const struct test *test;
	volatile pid_t *group;
	struct tap tap;
	int err;

	pthread_mutex_lock(&run->lock);
	group = &running_groups[run->nr_jobs++];
	pthread_mutex_unlock(&run->lock);
	while ((test = run__begin_test(run))) {
		s64 begin = now_ms();

		err = tap__init(&tap, test->path);
		if (!err)
			err = run_test(test, &tap, run->opts, group);
		run__end_test(run, test, &tap, now_ms() - begin, err);
		tap__exit(&tap);
	}
	return NULL;
}

int test_list__run(const struct test_list *list, const struct test_run_opts *opts)
{
	struct run run = { .list = list, .opts = opts, .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t threads[MAX_JOBS];
	unsigned int i, nr = 0;
	int err;

	err = prepare_environment();
	if (err)
		return err;
	signal(SIGINT, kill_groups_and_die);
	signal(SIGTERM, kill_groups_and_die);
	/* Without memory for a thread there are fewer. */
	while (nr + 1 < opts->jobs && !pthread_create(&threads[nr], NULL, run__work, &run))
		nr++;
	run__work(&run);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return run.err;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/lib/regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* root/ plays the root directory of another process; what lies beside it, the rest of the machine. */
static char scratch[] = "/tmp/perf-regular-XXXXXX";

static void put(const char *path, const char *text)
{
	FILE *fp = fopen(path, "we");

	assert_non_null(fp);
	assert_true(fputs(text, fp) >= 0);
	assert_int_equal(fclose(fp), 0);
}

static int make_scratch(void **state)
{
	if (!mkdtemp(scratch) || chdir(scratch) || mkdir("root", 0700) || mkdir("root/lib", 0700) || mkdir("root/tmp", 0700))
		return -1;
	put("file", "ours");
	put("root/lib/file", "theirs");
	return 0;
}

static int remove_scratch(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", scratch);
	return chdir("/") || system(command) ? -1 : 0;
}

/* Closes fd. */
static void check_text(int fd, const char *want)
{
	char text[16] = "";

	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, want);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void opens_files_and_follows_links(void **state)
{
	assert_int_equal(symlink("file", "link"), 0);
	check_text(regular_file__open("file", 0), "ours");
	check_text(regular_file__open("link", 0), "ours");
	assert_int_equal(regular_file__open("link", O_NOFOLLOW), -EINVAL);
	check_text(regular_file__open("file", O_NOFOLLOW), "ours");
	assert_int_equal(regular_file__open("missing", 0), -ENOENT);
	assert_int_equal(regular_file__open(".", 0), -EINVAL);
}

/* Refused, and not so much as opened: an inotify(7) watch sees nothing. */
static void check_untouched(const char *path)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), fd;
	char event[512];

	assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
	alarm(100); /* to wait for a FIFO's writer would take for ever */
	assert_int_equal(regular_file__open(path, 0), -EINVAL);
	assert_int_equal(regular_file__open_in(".", path, 0), -EINVAL);
	alarm(0);
	assert_int_equal(read(watch, event, sizeof(event)), -1);
	assert_int_equal(errno, EAGAIN);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* which it would have seen */
	assert_true(fd >= 0 && read(watch, event, sizeof(event)) > 0);
	close(fd);
	close(watch);
}

static void opens_nothing_else(void **state)
{
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(symlink("fifo", "to-fifo"), 0);
	check_untouched("fifo");
	check_untouched("to-fifo");
	if (mknod("device", S_IFCHR | 0600, makedev(1, 3)))
		return; /* not root */
	check_untouched("device");
}

/* Another process holds a lease on the file, and does not give it back when it is asked to. The pipe: it ends when the test does. */
static pid_t hold_lease(const char *path, int *end)
{
	int has[2], fds[2];
	char done = 'n';
	pid_t pid;

	assert_true(!pipe(has) && !pipe(fds));
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		close(fds[1]);
		signal(SIGIO, SIG_IGN);
		done = fd >= 0 && !fcntl(fd, F_SETLEASE, F_WRLCK) ? 'y' : 'n';
		if (write(has[1], &done, 1) == 1 && !read(fds[0], &done, 1))
			_exit(0);
		_exit(1);
	}
	close(fds[0]);
	*end = fds[1];
	assert_int_equal(read(has[0], &done, 1), 1);
	close(has[0]);
	close(has[1]);
	return done == 'y' ? pid : -1;
}

/* The kernel gives the holder 45 s: nobody waits for that. */
static void a_lease_does_not_block(void **state)
{
	int end;
	pid_t pid;

	put("leased", "theirs");
	pid = hold_lease("leased", &end);
	if (pid >= 0)
		assert_int_equal(regular_file__open("leased", 0), -EAGAIN);
	close(end);
	if (pid < 0)
		skip(); /* a file system without leases */
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	check_text(regular_file__open("leased", 0), "theirs");
}

static void links_end_at_the_root(void **state)
{
	char target[128];

	snprintf(target, sizeof(target), "%s/file", scratch);
	assert_int_equal(symlink(target, "root/out"), 0);
	assert_int_equal(symlink("../../../file", "root/lib/up"), 0);
	assert_int_equal(symlink("/lib/file", "root/inside"), 0);
	assert_int_equal(symlink("/proc/self/exe", "root/tmp/magic"), 0);
	check_text(regular_file__open_in("root", "/lib/file", 0), "theirs");
	check_text(regular_file__open_in("root", "/inside", 0), "theirs");
	check_text(regular_file__open_in("root", "/tmp/../../../lib/file", 0), "theirs");
	assert_int_equal(regular_file__open_in("root", "/inside", O_NOFOLLOW), -EINVAL);
	assert_int_equal(regular_file__open_in("root", "/out", 0), -ENOENT);
	assert_int_equal(regular_file__open_in("root", "/lib/up", 0), -ENOENT);
	assert_int_equal(regular_file__open_in("root", "/tmp/magic", 0), -ENOENT);
	check_text(open("root/out", O_RDONLY | O_CLOEXEC), "ours"); /* where a plain open would have come to */
	assert_int_equal(regular_file__open_in("missing", "/lib/file", 0), -ENOENT);
	assert_int_equal(regular_file__open_in("/", "/proc/self/exe", 0), -ELOOP); /* magic links lead anywhere */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_files_and_follows_links),
		cmocka_unit_test(opens_nothing_else),
		cmocka_unit_test(a_lease_does_not_block),
		cmocka_unit_test(links_end_at_the_root),
	};

	return cmocka_run_group_tests_name("lib/regular-file", tests, make_scratch, remove_scratch);
}

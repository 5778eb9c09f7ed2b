// SPDX-License-Identifier: GPL-2.0
/* Maps of code that a process has made. Anybody may write files of these names in /tmp. */
#include "util/symbol/perf-map.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/symbol/symtab.h"

static char path[] = "perf-map.XXXXXX";

static int make_file(void **state)
{
	int fd;

	if (chdir("/tmp"))
		return -1;
	strcpy(path, "perf-map.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	return unlink(path);
}

static void write_map(const char *text)
{
	FILE *fp = fopen(path, "w");

	assert_non_null(fp);
	assert_true(fputs(text, fp) >= 0);
	assert_int_equal(fclose(fp), 0);
}

static void assert_refused(const char *name, int ret, const char *why)
{
	struct symtab *tab = NULL;
	struct errmsg err = { "" };

	assert_int_equal(symtab__load_perf_map(name, NULL, &tab, &err), ret);
	assert_null(tab);
	if (!strstr(err.text, why))
		fail_msg("%s: wants: %s", err.text, why);
}

static void names_are_of_one_process(void **state)
{
	assert_true(perf_map__is_name("/tmp/perf-1.map"));
	assert_false(perf_map__is_name("/tmp/perf-.map"));
	assert_false(perf_map__is_name("/tmp/perf-1.map.old"));
	assert_false(perf_map__is_name("/tmp/x/perf-1.map"));
}

static void lines_that_are_none_are_left_out(void **state)
{
	struct symtab *tab;
	struct errmsg err;

	write_map("1000 10 first\nx\n2000 0 empty\n3000 10\n4000 10 \n5000 10 a name with blanks\n10000000000000000 10 too_far\n6000 8 last");
	assert_int_equal(symtab__load_perf_map(path, NULL, &tab, &err), 0);
	assert_int_equal(symtab__nr(tab), 3);
	assert_string_equal(symtab__find(tab, 0x100f)->name, "first");
	assert_string_equal(symtab__find(tab, 0x5000)->name, "a name with blanks");
	assert_string_equal(symtab__find(tab, 0x6007)->name, "last");
	assert_null(symtab__find(tab, 0x6008));
	symtab__delete(tab);
}

static void those_of_others_are_not_read(void **state)
{
	struct symtab *tab;
	struct errmsg err;

	write_map("1000 10 first\n");
	if (geteuid())
		skip();
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_refused(path, -EPERM, "is not read: it belongs to neither you nor root nor its process. chown root perf-map.");
	assert_int_equal(chown(path, 0, 65534), 0);
	assert_int_equal(symtab__load_perf_map(path, NULL, &tab, &err), 0);
	symtab__delete(tab);
	/* A user reads their own and root's. */
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(seteuid(65533), 0);
	assert_int_equal(symtab__load_perf_map(path, NULL, &tab, &err), 0);
	symtab__delete(tab);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(chown(path, 65533, 65534), 0);
	assert_int_equal(seteuid(65533), 0);
	assert_int_equal(symtab__load_perf_map(path, NULL, &tab, &err), 0);
	symtab__delete(tab);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(seteuid(65532), 0);
	assert_refused(path, -EPERM, "is not read");
	assert_int_equal(seteuid(0), 0);
}

/* A process of another user, until the pipe is closed. Its pid. */
static pid_t start_process(int pipe_fd[2])
{
	char byte = 0;
	int ready[2];
	pid_t pid;

	assert_int_equal(pipe(pipe_fd), 0);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		close(pipe_fd[1]);
		/* /proc/PID would belong to root without the second. */
		if (setresuid(65534, 65534, 65534) || prctl(PR_SET_DUMPABLE, 1) || write(ready[1], &byte, 1) != 1)
			_exit(1);
		while (read(pipe_fd[0], &byte, 1) > 0)
			;
		_exit(0);
	}
	assert_true(pid > 0);
	close(pipe_fd[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void those_of_a_process_are_read_while_it_lives(void **state)
{
	char of_process[64];
	struct symtab *tab;
	struct errmsg err;
	int pipe_fd[2];
	pid_t pid;

	if (geteuid())
		skip();
	pid = start_process(pipe_fd);
	snprintf(of_process, sizeof(of_process), "/tmp/perf-%d.map", pid);
	write_map("1000 10 first\n");
	assert_int_equal(rename(path, of_process), 0);
	assert_int_equal(chown(of_process, 65534, 65534), 0);
	assert_int_equal(symtab__load_perf_map(of_process, NULL, &tab, &err), 0);
	assert_int_equal(symtab__nr(tab), 1);
	symtab__delete(tab);
	assert_int_equal(chown(of_process, 65533, 65534), 0);
	assert_refused(of_process, -EPERM, "is not read");
	assert_int_equal(chown(of_process, 65534, 65534), 0);
	close(pipe_fd[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_refused(of_process, -EPERM, "is not read");
	assert_int_equal(rename(of_process, path), 0);
}

static void only_files_are_read(void **state)
{
	char other[sizeof(path) + 2];

	snprintf(other, sizeof(other), "%s.x", path);
	assert_int_equal(symlink(path, other), 0);
	assert_refused(other, -EPERM, "is not read");
	assert_int_equal(unlink(other), 0);
	assert_int_equal(mkfifo(other, 0600), 0);
	assert_refused(other, -EPERM, "is not read");
	assert_int_equal(unlink(other), 0);
	assert_refused(other, -ENOENT, other);
}

static void its_first_line_tells_what_it_is(void **state)
{
	static const struct {
		const char *text;
		bool is_one;
	} files[] = {
		{ "7f0000 20 name\n", true }, { "0x7f0000 0x20 a name\n", true }, { "", false }, { "root:x:0:0:root:/root:/bin/sh\n", false },
		{ "-----BEGIN KEY-----\nabc 12 x\n", false }, { "abc 12\n", false }, { "ffffffff81000000 T _text\n", false },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int fd = memfd_create("map", MFD_CLOEXEC);

		assert_int_equal(write(fd, files[i].text, strlen(files[i].text)), strlen(files[i].text));
		assert_int_equal(perf_map__is_one(fd), files[i].is_one);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_of_one_process),
		cmocka_unit_test(its_first_line_tells_what_it_is),
		cmocka_unit_test_setup_teardown(lines_that_are_none_are_left_out, make_file, remove_file),
		cmocka_unit_test_setup_teardown(those_of_others_are_not_read, make_file, remove_file),
		cmocka_unit_test_setup_teardown(those_of_a_process_are_read_while_it_lives, make_file, remove_file),
		cmocka_unit_test_setup_teardown(only_files_are_read, make_file, remove_file),
	};

	return cmocka_run_group_tests_name("symbol/perf-map", tests, NULL, NULL);
}

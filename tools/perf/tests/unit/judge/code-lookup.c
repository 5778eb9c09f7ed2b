// SPDX-License-Identifier: GPL-2.0
/* Functions and files as filters name them, looked up in this system and in this test's own program. */
#include "util/judge/code-lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "util/judge/code-files.h"
#include "util/symbol/symtab.h"

struct wanted {
	const char *name;
	unsigned int nr;	    /* symbols of that name */
	unsigned int nr_all;
	struct filter_symbol found; /* the last one */
	struct filter_file_id file;
};

static int note(void *arg, const struct filter_symbol *sym)
{
	struct wanted *w = arg;

	w->nr_all++;
	assert_true(sym->last >= sym->first);
	if (strcmp(sym->name, w->name))
		return 0;
	w->nr++;
	w->found = *sym;
	if (sym->file)
		w->file = *sym->file;
	return 0;
}

static const struct code_scope nowhere;

static struct wanted look(const struct code_scope *scope, const char *dso, const char *name)
{
	struct code_lookup *l = code_lookup__new(scope);
	struct wanted w = { .name = name };
	struct errmsg err = { "" };
	const char *text = NULL;

	assert_non_null(l);
	if (code_lookup__for_each_symbol(l, dso, note, &w, &text, &err))
		fail_msg("%s: %s", dso ? dso : "(none)", err.text);
	assert_non_null(text);
	code_lookup__delete(l);
	return w;
}

static char *own_path(void)
{
	static char path[PATH_MAX];

	assert_in_range(readlink("/proc/self/exe", memset(path, 0, sizeof(path)), sizeof(path) - 1), 1, sizeof(path) - 2);
	return path;
}

/* Where in its file the byte at p is. */
static u64 file_offset(const void *p)
{
	unsigned long start, end, offset;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[PATH_MAX + 100];
	u64 at = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && (u64)p >= start && (u64)p < end)
			at = (u64)p - start + offset;
	}
	fclose(maps);
	return at;
}

static void kernel_functions(void **state)
{
	static const char *const names[] = { "vfs_read", "_text" };
	struct wanted w = look(&nowhere, NULL, "vfs_read");
	u64 addrs[2];

	assert_int_equal(kallsyms__lookup(NULL, names, addrs, 2), 2);
	assert_int_equal(w.nr, 1);
	assert_null(w.found.file);
	assert_true(w.found.first == addrs[0]);
	assert_in_range(w.found.last - w.found.first, 16, 1 << 16);
	assert_true(w.nr_all > 10000);
	w = look(&nowhere, "[kernel.kallsyms]", "vfs_read");
	assert_int_equal(w.nr, 1);
	w = look(&nowhere, "[no_such_module]", "vfs_read");
	assert_int_equal(w.nr_all, 0);
	w = look(&nowhere, NULL, "jiffies"); /* data */
	assert_int_equal(w.nr, 0);
}

static void check_own_function(struct wanted w)
{
	struct stat st;

	assert_int_equal(stat(own_path(), &st), 0);
	assert_int_equal(w.nr, 1);
	assert_true(w.found.first == file_offset(own_path));
	assert_true(w.file.ino == st.st_ino);
	assert_true(!w.file.dev || w.file.dev == ((u64)major(st.st_dev) << 20 | minor(st.st_dev)));
	assert_string_equal(w.file.name, "code-lookup");
}

static void functions_of_files(void **state)
{
	const pid_t self = getpid();
	const struct code_scope program = { .program = own_path() }, process = { .pids = &self, .nr_pids = 1 };
	char copy[PATH_MAX];

	check_own_function(look(&nowhere, own_path(), "own_path"));
	check_own_function(look(&nowhere, "code-lookup", "own_path")); /* this process has it mapped */
	check_own_function(look(&process, "code-lookup", "own_path"));
	check_own_function(look(&process, NULL, "own_path"));
	snprintf(copy, sizeof(copy), "%s", own_path());
	check_own_function(look(&program, NULL, "own_path"));
	assert_int_equal(look(&nowhere, NULL, "own_path").nr, 0);
	assert_true(look(&nowhere, "libc.so.6", "malloc").nr >= 1);
}

static void check_fails_in(const struct code_scope *in, const char *dso, int error, const char *text)
{
	struct code_lookup *l = code_lookup__new(in);
	struct wanted w = { .name = "" };
	struct errmsg err = { "" };
	const char *scope;

	assert_int_equal(code_lookup__for_each_symbol(l, dso, note, &w, &scope, &err), error);
	if (!strstr(err.text, text))
		fail_msg("%s: wants: %s", err.text, text);
	code_lookup__delete(l);
}

static void check_fails(const char *dso, int error, const char *text)
{
	check_fails_in(&nowhere, dso, error, text);
}

static struct rlimit old_limit;

static int note_limit(void **state)
{
	return getrlimit(RLIMIT_NOFILE, &old_limit);
}

static int restore_limit(void **state)
{
	return setrlimit(RLIMIT_NOFILE, &old_limit);
}

/* Else a filter would be for some of the files only, or for none, and nobody would know. */
static void what_cannot_be_read_is_not_taken_for_empty(void **state)
{
	const pid_t self = getpid();
	const struct code_scope process = { .pids = &self, .nr_pids = 1 };

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, old_limit.rlim_max }), 0);
	check_fails("no-such-file.so", -EMFILE, "cannot list the processes in /proc: Too many open files");
	check_fails_in(&process, "no-such-file.so", -EMFILE, "/maps: Too many open files");
}

static void what_is_not_there(void **state)
{
	check_fails("no-such-file.so", -ENOENT, "no process has mapped a file with the name no-such-file.so");
	check_fails("/no/such/file", -ENOENT, "/no/such/file: No such file");
	check_fails("/", -EISDIR, "/: Is a directory");
	check_fails("/proc/self/maps", -ENOEXEC, "/proc/self/maps");
}

/* Callbacks stop the search with their value. */
static int stop(void *arg, const struct filter_symbol *sym)
{
	return -EXDEV;
}

static void callers_may_stop(void **state)
{
	struct code_lookup *l = code_lookup__new(&nowhere);
	const char *scope;

	assert_int_equal(code_lookup__for_each_symbol(l, NULL, stop, NULL, &scope, NULL), -EXDEV);
	assert_int_equal(code_lookup__for_each_symbol(l, own_path(), stop, NULL, &scope, NULL), -EXDEV);
	assert_int_equal(code_lookup__for_each_symbol(l, "code-lookup", stop, NULL, &scope, NULL), -EXDEV);
	code_lookup__delete(l);
	code_lookup__delete(NULL);
}

static void identity_of_files(void **state)
{
	char dir[] = "/tmp/perf-unit-XXXXXX", file[PATH_MAX], link[PATH_MAX];
	struct filter_file_id id, other;
	int fd;

	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/%s", dir, "a-name-that-is-longer-than-the-sixty-three-bytes-that-are-kept-of-it");
	snprintf(link, sizeof(link), "%s/link", dir);
	fd = open(file, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(symlink(file, link), 0);
	assert_int_equal(code_lookup__identify_file(NULL, file, &id, NULL), 0);
	assert_int_equal(code_lookup__identify_file(NULL, link, &other, NULL), 0);
	assert_memory_equal(&id, &other, sizeof(id));
	assert_int_equal(strlen(id.name), FILTER_FILE_LEN - 1);
	assert_int_equal(code_lookup__identify_file(NULL, dir, &id, NULL), -EISDIR);
	unlink(link);
	unlink(file);
	rmdir(dir);
}

static void programs_are_found_as_by_exec(void **state)
{
	char path[PATH_MAX];

	assert_int_equal(code_files__program("ls", path, sizeof(path)), 0);
	assert_int_equal(path[0], '/');
	assert_int_equal(code_files__program(own_path(), path, sizeof(path)), 0);
	assert_string_equal(path, own_path());
	assert_int_equal(code_files__program("no-such-program", path, sizeof(path)), -ENOENT);
	assert_int_equal(code_files__program("./no-such-program", path, sizeof(path)), -ENOENT);
	assert_int_equal(code_files__program("ls", path, 4), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_functions),
		cmocka_unit_test(functions_of_files),
		cmocka_unit_test(what_is_not_there),
		cmocka_unit_test_setup_teardown(what_cannot_be_read_is_not_taken_for_empty, note_limit, restore_limit),
		cmocka_unit_test(callers_may_stop),
		cmocka_unit_test(identity_of_files),
		cmocka_unit_test(programs_are_found_as_by_exec),
	};

	return cmocka_run_group_tests_name("code-lookup", tests, NULL, NULL);
}

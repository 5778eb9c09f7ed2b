// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "tests/unit/symbol/fixture.h"
#include "util/symbol/build-id-cache.h"
#include "util/symbol/symtab.h"

static struct build_id prog_id;
static struct errmsg why;
static u64 nr_bytes;
static unsigned int nr_steps; /* of the latest copy */
static const char *to_grow; /* NULL: none */
static bool no_tmpfile;
static int ends_with; /* a signal, or EXITS */
#define EXITS (-1)
static bool is_hidden; /* from perf: the next ones go to "kept" */

static int setup(void **state)
{
	if (scratch_setup(state))
		return -1;
	write_text("prog.c", "int main(void) { return 0; }\n");
	run("gcc -Wl,--build-id -o prog prog.c");
	return build_id__read("prog", &prog_id);
}

static int clean(void **state)
{
	no_tmpfile = is_hidden = false;
	run("rm -rf cache elsewhere; mkdir elsewhere");
	return 0;
}

/* As on a file system without O_TMPFILE, if one is asked for: in place of the C library's. */
int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode;
	va_list args;

	va_start(args, flags);
	mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return syscall(SYS_openat, dir, path, flags, mode);
}

/* After the first part of the copy the file to grow does, or the process ends. */
static void note_step(void *data)
{
	if (nr_steps == 0 && ends_with == EXITS)
		exit(0);
	if (nr_steps == 0 && ends_with)
		raise(ends_with);
	if (!nr_steps++ && to_grow)
		assert_int_equal(truncate(to_grow, 2 << 20), 0);
}

static int add_file_to(const char *cache, const char *file, const char *path)
{
	struct build_id_copy copy = { .id = &prog_id, .path = path, .fd = open(file, O_RDONLY), .is_seen = !is_hidden,
				      .max_bytes = 400 << 20, .progress = note_step };
	int ret;

	assert_true(copy.fd >= 0);
	why.text[0] = '\0';
	nr_steps = 0;
	ret = build_id_cache__add(cache, &copy, &nr_bytes, &why);
	close(copy.fd);
	return ret;
}

static int add_file(const char *file, const char *path)
{
	return add_file_to("cache", file, path);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 0777;
}

static void a_copy_is_found_by_its_build_id(void **state)
{
	char hex[41], path[256], *found;

	assert_null(build_id_cache__find("cache", &prog_id, "elf"));
	assert_int_equal(add_file("prog", "/opt/app/prog"), 0);
	found = build_id_cache__find("cache", &prog_id, "elf");
	assert_non_null(found);
	run("cmp prog %s", found);
	assert_int_equal(mode_of(found), 0700); /* a program: its mode is 0755 */
	free(found);
	build_id__str(&prog_id, hex);
	snprintf(path, sizeof(path), "cache/opt/app/prog/%s", hex);
	run("cmp prog %s/elf", path);
	run("[ \"$(ls -A %s)\" = elf ]", path);
	assert_int_equal(mode_of(path), 0700);
	assert_int_equal(mode_of("cache"), 0700);
	run("[ \"$(readlink cache/.build-id/%.2s/%s)\" = ../../opt/app/prog/%s ]", hex, hex + 2, hex);
	run("[ \"$(stat -c %%s prog)\" = %llu ]", (unsigned long long)nr_bytes);
	/* The copy was removed, and the link stayed. */
	run("rm -r cache/opt");
	assert_int_equal(add_file("prog", "/usr/prog (deleted)"), 0);
	run("cmp prog cache/.build-id/%.2s/%s/elf; cmp prog cache/usr/prog/%s/elf", hex, hex + 2, hex);
}

/* Whoever made it chose its build-id: it is no answer to the question for one. */
static void what_perf_does_not_see_counts_for_its_path_alone(void **state)
{
	char hex[41], *found;

	build_id__str(&prog_id, hex);
	is_hidden = true;
	assert_int_equal(add_file("prog", "/box/prog (deleted)"), 0);
	assert_null(build_id_cache__find("cache", &prog_id, "elf"));
	assert_null(build_id_cache__find_kept("cache", &prog_id, "/prog"));
	assert_null(build_id_cache__find_kept("cache", &prog_id, "/../kept/box/prog"));
	assert_null(build_id_cache__find_kept(NULL, &prog_id, "/box/prog"));
	run("[ \"$(ls -A cache)\" = kept ]; cmp prog cache/kept/box/prog/%s/elf; cmp prog cache/kept/.build-id/%.2s/%s/elf", hex, hex, hex + 2);
	found = build_id_cache__find_kept("cache", &prog_id, "/box/prog");
	assert_non_null(found);
	free(found);
	/* The link leads to the first one. */
	assert_int_equal(add_file("prog", "/other"), 0);
	run("[ cache/kept/.build-id/%.2s/%s/elf -ef cache/kept/box/prog/%s/elf ] && [ -e cache/kept/other/%s/elf ]", hex, hex + 2, hex, hex);
	/* A file of the host does not get there. */
	is_hidden = false;
	assert_int_equal(add_file("prog", "/kept/box/prog"), -ESTALE);
	assert_int_equal(add_file("prog", "/keptbox"), 0);
	is_hidden = true;
	run("chmod 777 cache/kept");
	assert_int_equal(add_file("prog", "/third"), -EPERM);
	assert_non_null(strstr(why.text, "cache/kept: others may write to this directory: chmod go-w cache/kept"));
}

static void a_path_leads_nowhere_else(void **state)
{
	static const char *const paths[] = { "", "prog", "/", "/..", "/a/../../b", "/./a", "/a//b", "/a/", "/.build-id/ab/cd",
					     "/.. (deleted)", "/a/.. (deleted)", "/. (deleted)", "/ (deleted)", "/a/ (deleted)" };
	char path[5000] = "/";

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		assert_int_equal(add_file("prog", paths[i]), -ESTALE);
	memset(path + 1, 'a', 300); /* longer than names are */
	assert_int_equal(add_file("prog", path), -ESTALE);
	for (size_t i = 2; i < sizeof(path) - 1; i++)
		path[i] = i % 2 ? 'a' : '/';
	assert_int_equal(add_file("prog", path), -ESTALE);
	assert_null(build_id_cache__find("cache", &prog_id, "elf"));
	run("[ -z \"$(find . -name elf)\" ]");
	assert_int_equal(add_file("prog", "/..a/.b/..."), 0);
}

static void links_are_not_followed(void **state)
{
	char hex[41];

	run("mkdir -m 700 cache && ln -s ../elsewhere cache/app");
	assert_int_equal(add_file("prog", "/app/prog"), -ESTALE);
	run("[ ! \"$(ls -A elsewhere)\" ]");
	build_id__str(&prog_id, hex);
	run("touch elsewhere/file; mkdir -p cache/prog/%s; ln -s ../../../elsewhere/file cache/prog/%s/elf; chmod -R go-w cache", hex, hex);
	assert_int_equal(add_file("prog", "/prog"), 0);
	run("[ ! -s elsewhere/file ] && [ ! -h cache/prog/%s/elf ]", hex);
	/* Something that is no directory is in the way. */
	run("touch cache/lib");
	assert_int_equal(add_file("prog", "/lib/prog"), -ESTALE);
}

static void only_the_right_file_is_kept(void **state)
{
	run("echo 'int main(void) { return 1; }' >other.c; gcc -Wl,--build-id -o other other.c; head -c 100 prog >cut");
	assert_int_equal(add_file("other", "/prog"), -ESTALE);
	assert_int_equal(add_file("prog.c", "/prog"), -ESTALE);
	assert_int_equal(add_file("cut", "/prog"), -ESTALE);
	assert_int_equal(add_file("elsewhere", "/prog"), -ESTALE);
	run("[ \"$(find cache)\" = cache ]");
}

static void what_others_may_write_to_is_refused(void **state)
{
	run("mkdir cache; chmod 777 cache");
	assert_int_equal(add_file("prog", "/prog"), -EPERM);
	assert_non_null(strstr(why.text, "others may write"));
	run("chmod 755 cache; mkdir cache/app; chmod 770 cache/app");
	assert_int_equal(add_file("prog", "/app/prog"), -EPERM);
	run("rm -r cache; touch cache");
	assert_int_equal(add_file("prog", "/prog"), -ENOTDIR);
	assert_non_null(strstr(why.text, "cache: "));
	run("rm cache; ln -s missing/cache cache");
	assert_int_equal(add_file("prog", "/prog"), -ENOENT);
	if (geteuid())
		return;
	run("rm cache; mkdir -m 700 cache; chown 65534 cache");
	assert_int_equal(add_file("prog", "/prog"), -EPERM);
	/* A link of another user's, to a directory of ours */
	run("rmdir cache; chmod 700 elsewhere; ln -s elsewhere cache; chown -h 65534 cache");
	assert_int_equal(add_file("prog", "/prog"), -EPERM);
	assert_int_equal(add_file_to("cache//", "prog", "/prog"), -EPERM);
	run("[ ! \"$(ls -A elsewhere)\" ]; chown -h 0 cache");
	assert_int_equal(add_file("prog", "/prog"), 0);
}

static void large_and_growing_files_are_given_up(void **state)
{
	run("cp prog large; truncate -s 401M large");
	assert_int_equal(add_file("large", "/large"), -EFBIG);
	assert_string_equal(why.text, "/large: is larger than 400 MiB, or grew while it was copied");
	run("cp prog growing; head -c 1M /dev/zero >>growing");
	to_grow = "growing";
	assert_int_equal(add_file("growing", "/growing"), -EFBIG);
	to_grow = NULL;
	assert_int_equal(nr_bytes >> 20, 1); /* what it had in the beginning */
	run("[ \"$(find cache)\" = cache ]");
}

/* So a slow copy is no copy that stands still. */
static void each_part_of_a_copy_is_told(void **state)
{
	run("cp prog parts; head -c 1M /dev/zero >>parts");
	assert_int_equal(add_file("parts", "/parts"), 0);
	assert_in_range(nr_steps, 5, 100);
}

static void end_while_copying(int how)
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		ends_with = how;
		add_file("prog", "/prog");
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) ? 0 : EXITS, how);
	run("[ -d cache/prog ] && [ -z \"$(find cache ! -type d)\" ]");
}

static void nothing_stays_of_a_copy_that_ends(void **state)
{
	end_while_copying(EXITS);
	end_while_copying(SIGKILL);
	no_tmpfile = true;
	end_while_copying(EXITS);
	assert_int_equal(add_file("prog", "/prog"), 0);
	run("cmp prog cache/prog/*/elf; [ \"$(find cache -type f | wc -l)\" = 1 ]");
}

static void holes_are_not_written(void **state)
{
	struct stat st;
	char *found;

	run("cp prog holes; truncate -s 300M holes");
	assert_int_equal(add_file("holes", "/holes"), 0);
	assert_in_range(nr_bytes, 1, 1 << 20);
	found = build_id_cache__find("cache", &prog_id, "elf");
	run("cmp holes %s", found);
	assert_int_equal(stat(found, &st), 0);
	assert_in_range(st.st_blocks * 512, 1, 1 << 20);
	free(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_copy_is_found_by_its_build_id, clean),
		cmocka_unit_test_setup(what_perf_does_not_see_counts_for_its_path_alone, clean),
		cmocka_unit_test_setup(a_path_leads_nowhere_else, clean),
		cmocka_unit_test_setup(links_are_not_followed, clean),
		cmocka_unit_test_setup(only_the_right_file_is_kept, clean),
		cmocka_unit_test_setup(what_others_may_write_to_is_refused, clean),
		cmocka_unit_test_setup(large_and_growing_files_are_given_up, clean),
		cmocka_unit_test_setup(each_part_of_a_copy_is_told, clean),
		cmocka_unit_test_setup(nothing_stays_of_a_copy_that_ends, clean),
		cmocka_unit_test_setup(holes_are_not_written, clean),
	};

	return cmocka_run_group_tests(tests, setup, scratch_teardown);
}

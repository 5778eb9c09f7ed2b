// SPDX-License-Identifier: GPL-2.0
/* Tables that are kept on disk: what is read is what was made, and nothing else is read. */
#include "util/source/unwind-cache.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#if defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

#define GENERATION 7

static char dir[64]; /* the build-id cache */
static int libc = -1; /* a copy, as other perfs link the file itself into their caches, which changes its times */

/* Open for reading and writing; -1: failed */
static int copy(int from, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	u8 data[65536];
	ssize_t n;

	for (off_t at = 0; fd >= 0 && (n = pread(from, data, sizeof(data), at)) > 0; at += n) {
		if (pwrite(fd, data, n, at) != n)
			return -1;
	}
	return fd;
}

/* A change by now is seen in the file's times: later than 2 s after the last one. */
static int wait_until_settled(int fd)
{
	struct timespec now;
	struct stat st;

	do {
		usleep(50000);
		if (fstat(fd, &st) || clock_gettime(CLOCK_REALTIME, &now))
			return -1;
	} while (now.tv_sec - st.st_ctim.tv_sec < 4);
	return 0;
}

static int set_up(void **state)
{
	char path[sizeof(dir) + 16];
	Dl_info info;
	int fd;

	snprintf(dir, sizeof(dir), "/tmp/perf-unit.unwind-cache.XXXXXX");
	if (!mkdtemp(dir) || !dladdr((void *)(uintptr_t)qsort, &info))
		return -1;
	fd = open(info.dli_fname, O_RDONLY);
	snprintf(path, sizeof(path), "%s/libc.so", dir);
	libc = fd < 0 ? -1 : copy(fd, path);
	close(fd);
	return libc < 0 ? -1 : wait_until_settled(libc);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	return remove(path);
}

static int clean(void **state)
{
	close(libc);
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct unwind_table *build(int fd, struct unwind_rules *rules)
{
	struct unwind_table *table;

	assert_int_equal(unwind_table__load_fd(dup(fd), "libc", rules, &table, NULL), 0);
	return table;
}

/* The key of libc, as the kernel knows it where stat(2) shows the same */
static struct unwind_key key_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (struct unwind_key){
		.inode = st.st_ino, .dev = major(st.st_dev) << UNWIND_MINOR_BITS | minor(st.st_dev), .generation = GENERATION,
		.changed = st.st_mtim.tv_sec * 1000000000ULL + st.st_mtim.tv_nsec,
	};
}

static void keep(int fd)
{
	const struct unwind_key key = key_of(fd);
	struct unwind_cache *cache = unwind_cache__new(dir);
	struct unwind_rules *rules = unwind_rules__new(MACHINE);
	struct unwind_cache_stamp stamp;
	struct unwind_table *table;

	unwind_cache__begin(fd, GENERATION, &stamp);
	table = build(fd, rules);
	unwind_cache__keep(cache, fd, &key, &stamp, rules, table);
	unwind_table__delete(table);
	unwind_rules__delete(rules);
	unwind_cache__delete(cache);
}

static bool is_kept(int fd, u32 generation)
{
	struct unwind_cache *cache = unwind_cache__new(dir);
	struct unwind_rules *rules = unwind_rules__new(MACHINE);
	struct unwind_table *table;
	bool found = unwind_cache__load(cache, fd, generation, rules, &table);

	assert_int_equal(found, table != NULL);
	unwind_table__delete(table);
	unwind_rules__delete(rules);
	unwind_cache__delete(cache);
	return found;
}

/* The path of the first file that is kept; 0: there is none */
static bool find_file(char path[PATH_MAX])
{
	struct dirent *entry;
	bool found = false;
	DIR *d;

	snprintf(path, PATH_MAX, "%s/" UNWIND_CACHE_DIR, dir);
	d = opendir(path);
	while (d && !found && (entry = readdir(d))) {
		found = entry->d_name[0] != '.';
		if (found)
			snprintf(path, PATH_MAX, "%s/" UNWIND_CACHE_DIR "/%.64s", dir, entry->d_name);
	}
	if (d)
		closedir(d);
	return found;
}

static void what_is_read_was_made(void **state)
{
	struct unwind_rules *rules = unwind_rules__new(MACHINE), *others = unwind_rules__new(MACHINE);
	struct unwind_cache *cache = unwind_cache__new(dir);
	struct unwind_table *made = build(libc, rules), *read;
	u32 differing = 0;

	for (int i = 0; i < 100; i++) /* the ids are others here */
		unwind_rules__id(others, &(struct unwind_rule){ .cfa = UNWIND_CFA_SP, .cfa_off = 100000 + i });
	assert_true(made->nr_rows >= UNWIND_CACHE_MIN_ROWS);
	assert_false(is_kept(libc, GENERATION));
	keep(libc);
	assert_false(is_kept(libc, GENERATION + 1));
	assert_true(unwind_cache__load(cache, libc, GENERATION, others, &read));
	assert_int_equal(read->first_page, made->first_page);
	assert_int_equal(read->nr_pages, made->nr_pages);
	assert_int_equal(read->nr_rows, made->nr_rows);
	assert_memory_equal(read->index, made->index, unwind_table__index_size(made));
	for (u32 i = 0; i < made->nr_rows; i++) {
		const struct unwind_rule *a = &unwind_rules__array(rules)[made->rows[i].rule], *b = &unwind_rules__array(others)[read->rows[i].rule];

		assert_int_equal(read->rows[i].low, made->rows[i].low);
		assert_memory_equal(a, b, sizeof(*a));
		differing += made->rows[i].rule != read->rows[i].rule;
	}
	assert_int_not_equal(differing, 0);
	unwind_table__delete(made);
	unwind_table__delete(read);
	unwind_rules__delete(rules);
	unwind_rules__delete(others);
	unwind_cache__delete(cache);
}

static void change_byte(const char *path, off_t at)
{
	int fd = open(path, O_RDWR);
	u8 byte;

	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= 0x40;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

static void damage_is_seen(void **state)
{
	char path[PATH_MAX];
	struct stat st;

	keep(libc);
	assert_true(find_file(path));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	for (off_t at = 0; at < st.st_size; at += at < 256 ? 1 : st.st_size / 50) {
		change_byte(path, at);
		assert_false(is_kept(libc, GENERATION));
		change_byte(path, at);
	}
	assert_true(is_kept(libc, GENERATION));
	assert_int_equal(truncate(path, st.st_size + 8), 0);
	assert_false(is_kept(libc, GENERATION));
	for (off_t size = st.st_size - 8; size >= 0; size -= size < 512 ? 8 : st.st_size / 20) {
		assert_int_equal(truncate(path, size), 0);
		assert_false(is_kept(libc, GENERATION));
	}
	keep(libc); /* anew */
	assert_true(is_kept(libc, GENERATION));
}

static void files_of_others_are_not_read(void **state)
{
	char path[PATH_MAX], sub[PATH_MAX], away[PATH_MAX + 8];

	keep(libc);
	assert_true(find_file(path));
	snprintf(sub, sizeof(sub), "%s/" UNWIND_CACHE_DIR, dir);
	snprintf(away, sizeof(away), "%s.away", path);
	assert_int_equal(chmod(path, 0620), 0);
	assert_false(is_kept(libc, GENERATION));
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(chmod(sub, 0777), 0);
	assert_false(is_kept(libc, GENERATION));
	assert_int_equal(chmod(sub, 0700), 0);
	assert_true(is_kept(libc, GENERATION));
	if (!geteuid()) {
		assert_int_equal(chown(path, 65534, 65534), 0);
		assert_false(is_kept(libc, GENERATION));
		assert_int_equal(chown(path, 0, 0), 0);
	}
	assert_int_equal(rename(path, away), 0);
	assert_int_equal(symlink(away, path), 0);
	assert_false(is_kept(libc, GENERATION));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(is_kept(libc, GENERATION)); /* and it does not wait */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(away), 0);
}

/* Who changes a file twice within a tick of the kernel's clock leaves the same times. */
static void a_file_that_just_changed_is_not_kept(void **state)
{
	char path[PATH_MAX], kept[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/just-changed", dir);
	fd = copy(libc, path);
	assert_true(fd >= 0);
	keep(fd);
	close(fd);
	unlink(path);
	assert_false(find_file(kept));
}

/* A file that is written to while its table is made */
static void a_file_that_changes_is_not_kept(void **state)
{
	struct unwind_cache *cache = unwind_cache__new(dir);
	struct unwind_rules *rules = unwind_rules__new(MACHINE);
	struct unwind_cache_stamp stamp;
	struct unwind_table *table = build(libc, rules);
	const struct unwind_key key = key_of(libc);
	char kept[PATH_MAX];

	unwind_cache__begin(libc, GENERATION, &stamp);
	stamp.word[5]--;
	unwind_cache__keep(cache, libc, &key, &stamp, rules, table);
	unwind_table__delete(table);
	unwind_rules__delete(rules);
	unwind_cache__delete(cache);
	assert_false(find_file(kept));
}

static void make_old(const char *name, off_t size, time_t used)
{
	const struct timespec times[2] = { { .tv_sec = used }, { .tv_sec = used } };
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/" UNWIND_CACHE_DIR "/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0 && !ftruncate(fd, size) && !futimens(fd, times));
	close(fd);
}

static bool exists(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" UNWIND_CACHE_DIR "/%s", dir, name);
	return !access(path, F_OK);
}

static void the_least_used_are_removed(void **state)
{
	char path[PATH_MAX];

	keep(libc);
	assert_true(find_file(path));
	make_old("used", UNWIND_CACHE_MAX_BYTES / 2, 2000);
	make_old("old", UNWIND_CACHE_MAX_BYTES / 2, 1000);
	make_old("half.1", 8, 500);
	assert_int_equal(unlink(path), 0);
	keep(libc);
	assert_true(is_kept(libc, GENERATION));
	assert_true(exists("used"));
	assert_false(exists("old"));
	assert_false(exists("half.1"));
}

/* What was used last is met again without being asked for; what changed since, or is elsewhere, is not. */
static void the_last_ones_are_found(void **state)
{
	struct unwind_cache *cache = unwind_cache__new(dir);
	struct unwind_key key, wanted = key_of(libc);
	struct stat st, found;
	char path[PATH_MAX];
	int fd;

	assert_int_equal(unwind_cache__next(cache, &key), -ENOENT);
	keep(libc);
	make_old("other", 8, 1000);
	fd = unwind_cache__next(cache, &key);
	assert_int_equal(stat("/", &found), 0);
	assert_int_equal(fstat(libc, &st), 0);
	if (found.st_dev != st.st_dev) {
		assert_int_equal(fd, -EAGAIN);
	} else {
		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &found), 0);
		assert_int_equal(found.st_ino, st.st_ino);
		assert_memory_equal(&key, &wanted, sizeof(key));
		close(fd);
	}
	assert_int_equal(unwind_cache__next(cache, &key), -ENOENT); /* no perf of this build has written the other one */
	unwind_cache__delete(cache);
	snprintf(path, sizeof(path), "%s/" UNWIND_CACHE_DIR "/other", dir);
	assert_int_equal(unlink(path), 0);
	assert_true(find_file(path) && !chmod(path, 0620));
	cache = unwind_cache__new(dir);
	assert_int_equal(unwind_cache__next(cache, &key), -EAGAIN);
	unwind_cache__delete(cache);
}

/* What was kept of a file that changed since, or that another one has replaced, is of no use for what has its path now. */
static void changed_files_are_not_found(void **state)
{
	char path[sizeof(dir) + 16], away[sizeof(path) + 8];
	struct unwind_cache *cache;
	struct unwind_key key;
	int fd;

	keep(libc);
	snprintf(path, sizeof(path), "%s/libc.so", dir);
	snprintf(away, sizeof(away), "%s.away", path);
	assert_int_equal(rename(path, away), 0);
	fd = copy(libc, path);
	assert_true(fd >= 0);
	close(fd);
	cache = unwind_cache__new(dir);
	assert_int_equal(unwind_cache__next(cache, &key), -EAGAIN);
	unwind_cache__delete(cache);
	assert_int_equal(rename(away, path), 0);
	assert_int_equal(fchmod(libc, 0640), 0); /* its times are others now */
	cache = unwind_cache__new(dir);
	assert_int_equal(unwind_cache__next(cache, &key), -EAGAIN);
	unwind_cache__delete(cache);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	cache = unwind_cache__new(dir);
	assert_int_equal(unwind_cache__next(cache, &key), -EAGAIN);
	unwind_cache__delete(cache);
}

/*
 * The owner of a file may hold a lease on it, and not give it back when somebody opens the file: the kernel waits for 45 s. Nobody has asked
 * for it, so nobody waits. A process of its own holds it until the pipe is closed.
 */
static void a_lease_does_not_block(void **state)
{
	int has[2], end[2];
	char path[PATH_MAX], done = 'n';
	struct unwind_cache *cache;
	struct unwind_key key;
	pid_t pid;

	keep(libc);
	close(libc); /* a lease is for who alone has it open */
	libc = -1;
	snprintf(path, sizeof(path), "%s/libc.so", dir);
	assert_true(!pipe(has) && !pipe(end));
	pid = fork();
	if (!pid) {
		int fd = open(path, O_RDWR);

		close(end[1]);
		signal(SIGIO, SIG_IGN);
		done = fd >= 0 && !fcntl(fd, F_SETLEASE, F_WRLCK) ? 'y' : 'n';
		if (write(has[1], &done, 1) == 1)
			(void)!read(end[0], &done, 1);
		_exit(0);
	}
	close(end[0]);
	assert_int_equal(read(has[0], &done, 1), 1);
	if (done == 'y') {
		cache = unwind_cache__new(dir);
		assert_int_equal(unwind_cache__next(cache, &key), -EAGAIN);
		unwind_cache__delete(cache);
	}
	close(end[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(has[0]);
	close(has[1]);
	if (done != 'y')
		skip(); /* a file system without leases */
}

/* What is kept of a file of another file system: nobody has asked for it, so its server or its device is left alone. */
static void other_file_systems_are_left_alone(void **state)
{
	char path[] = "/dev/shm/perf-unit.unwind-cache.XXXXXX";
	struct unwind_cache *cache;
	struct unwind_key key;
	struct stat root, st;
	int fd = -1, template = mkstemp(path);

	if (template >= 0 && !close(template) && !unlink(path))
		fd = copy(libc, path);
	if (fd < 0 || stat("/", &root) || fstat(fd, &st) || root.st_dev == st.st_dev) {
		close(fd);
		unlink(path);
		skip();
	}
	assert_int_equal(wait_until_settled(fd), 0);
	keep(fd);
	assert_true(is_kept(fd, GENERATION));
	cache = unwind_cache__new(dir);
	assert_int_equal(unwind_cache__next(cache, &key), -EAGAIN);
	unwind_cache__delete(cache);
	close(fd);
	assert_int_equal(unlink(path), 0);
}

static void a_directory_that_others_may_write_to_is_not_used(void **state)
{
	char path[PATH_MAX];

	assert_int_equal(chmod(dir, 0777), 0);
	keep(libc);
	assert_false(find_file(path));
	assert_false(is_kept(libc, GENERATION));
	assert_int_equal(chmod(dir, 0700), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_read_was_made, set_up, clean),
		cmocka_unit_test_setup_teardown(damage_is_seen, set_up, clean),
		cmocka_unit_test_setup_teardown(files_of_others_are_not_read, set_up, clean),
		cmocka_unit_test_setup_teardown(a_file_that_just_changed_is_not_kept, set_up, clean),
		cmocka_unit_test_setup_teardown(a_file_that_changes_is_not_kept, set_up, clean),
		cmocka_unit_test_setup_teardown(the_least_used_are_removed, set_up, clean),
		cmocka_unit_test_setup_teardown(the_last_ones_are_found, set_up, clean),
		cmocka_unit_test_setup_teardown(changed_files_are_not_found, set_up, clean),
		cmocka_unit_test_setup_teardown(a_lease_does_not_block, set_up, clean),
		cmocka_unit_test_setup_teardown(other_file_systems_are_left_alone, set_up, clean),
		cmocka_unit_test_setup_teardown(a_directory_that_others_may_write_to_is_not_used, set_up, clean),
	};

	return cmocka_run_group_tests_name("source/unwind-cache", tests, NULL, NULL);
}

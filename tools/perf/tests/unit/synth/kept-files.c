// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "tests/unit/symbol/fixture.h"
#include "util/symbol/symtab.h"
#include "util/synth/kept-files.h"

static struct build_id prog_id;

static int setup(void **state)
{
	if (scratch_setup(state))
		return -1;
	run("echo 'int main(void) { return 0; }' >prog.c; gcc -Wl,--build-id -o prog prog.c; cp prog copy");
	return build_id__read("prog", &prog_id);
}

static int clean(void **state)
{
	run("rm -rf cache");
	return 0;
}

static void offer(struct kept_files *kept, const char *file, const char *path)
{
	int fd = open(file, O_RDONLY);

	assert_true(fd >= 0);
	kept_files__offer(kept, fd, path, &prog_id);
	close(fd);
}

/* Offer a file while the process may open nr descriptors: then a quarter of nr files may wait. */
static bool offer_with_limit(struct kept_files *kept, const char *path, rlim_t nr)
{
	struct rlimit limit, old;
	int fd = open("prog", O_RDONLY);
	bool done;

	assert_true(fd >= 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	limit = old;
	limit.rlim_cur = nr;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	done = kept_files__offer(kept, fd, path, &prog_id);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	close(fd);
	return done;
}

static void what_finds_no_place_may_be_offered_again(void **state)
{
	struct kept_files *kept = kept_files__new("cache", false);
	struct errmsg err;

	assert_false(offer_with_limit(kept, "/nosuch/prog", 3));
	assert_false(offer_with_limit(kept, "/nosuch/prog", 3));
	assert_true(offer_with_limit(kept, "/nosuch/prog", 200));
	assert_int_equal(kept_files__finish(kept, &err), 0);
	kept_files__delete(kept);
	run("cmp prog cache/kept/nosuch/prog/*/elf");

	kept = kept_files__new("cache", false);
	assert_false(offer_with_limit(kept, "/nosuch/more", 3));
	assert_int_equal(kept_files__finish(kept, &err), -EIO);
	assert_non_null(strstr(err.text, "/nosuch/more: "));
	assert_non_null(strstr(err.text, "files were waiting already"));
	kept_files__delete(kept);
}

/* Its bytes are others than when it was offered. */
static void a_changed_file_is_told_and_may_be_offered_again(void **state)
{
	struct kept_files *kept = kept_files__new("cache", false);
	struct errmsg err;

	offer(kept, "prog.c", "/nosuch/prog");
	assert_int_equal(kept_files__finish(kept, &err), -EIO);
	assert_non_null(strstr(err.text, "/nosuch/prog: cannot be read, was changed"));
	offer(kept, "prog", "/nosuch/prog");
	assert_int_equal(kept_files__finish(kept, &err), -EIO); /* the first reason stays */
	kept_files__delete(kept);
	run("cmp prog cache/kept/nosuch/prog/*/elf");
}

/* As a container's layers may have them: a hundred names must not fill the disk. */
static void names_of_one_file_share_a_copy(void **state)
{
	struct kept_files *kept = kept_files__new("cache", false);
	struct errmsg err;

	run("ln -f prog second; ln -f prog third");
	offer(kept, "prog", "/nosuch/prog");
	offer(kept, "second", "/nosuch/second");
	offer(kept, "third", "/nosuch/third");
	offer(kept, "copy", "/nosuch/copy");
	assert_int_equal(kept_files__finish(kept, &err), 0);
	kept_files__delete(kept);
	run("cmp prog cache/kept/nosuch/second/*/elf && cmp prog cache/kept/nosuch/third/*/elf && cmp prog cache/kept/nosuch/copy/*/elf");
	run("test $(find cache -name elf | wc -l) = 4 && test $(find cache -name elf -printf '%%i\\n' | sort -u | wc -l) = 2");
	run("rm second third");
}

static void what_is_not_seen_is_kept(void **state)
{
	struct kept_files *kept = kept_files__new("cache", false);
	struct errmsg err;

	offer(kept, "prog", "/nosuch/prog");
	offer(kept, "prog", "/nosuch/prog");
	offer(kept, "prog", "/nosuch/again"); /* readers look for both */
	offer(kept, "prog", in_scratch("prog.c"));
	assert_int_equal(kept_files__finish(kept, &err), 0);
	kept_files__delete(kept);
	run("cmp prog cache/kept/nosuch/prog/*/elf && cmp prog cache/kept/nosuch/again/*/elf && [ \"$(find cache -name elf | wc -l)\" = 3 ]");
}

static void what_is_seen_is_kept_if_all_are(void **state)
{
	struct kept_files *kept = kept_files__new("cache", true);
	struct errmsg err;

	offer(kept, "prog", in_scratch("prog"));
	assert_int_equal(kept_files__finish(kept, &err), 0);
	kept_files__delete(kept);
	run("cmp prog \"$(find cache -name elf)\" && [ ! -e cache/kept ]");
}

/* A container has another file of the same path, size and build-id. */
static void the_cache_itself_gets_what_perf_sees(void **state)
{
	struct kept_files *kept = kept_files__new("cache", true);
	struct errmsg err;

	run("cp prog forged; printf x | dd of=forged bs=1 seek=$(($(stat -c %%s forged) - 1)) conv=notrunc status=none; ! cmp -s prog forged");
	offer(kept, "forged", in_scratch("prog"));
	assert_int_equal(kept_files__finish(kept, &err), 0);
	kept_files__delete(kept);
	run("cmp prog \"$(find cache -name elf)\" && [ ! -e cache/kept ]");
}

static void what_is_seen_is_not(void **state)
{
	struct kept_files *kept = kept_files__new("cache", false);
	static const struct build_id none;
	struct errmsg err;
	int fd = open("prog", O_RDONLY);

	offer(kept, "prog", in_scratch("prog"));
	offer(kept, "prog", in_scratch("copy"));
	offer(kept, "prog", "/memfd:prog (deleted)");
	kept_files__offer(kept, fd, "/nosuch/prog", &none);
	kept_files__offer(NULL, fd, "/nosuch/prog", &prog_id);
	close(fd);
	assert_int_equal(kept_files__finish(kept, &err), 0);
	kept_files__delete(kept);
	run("[ ! -e cache ]");
}

/* The build-id of a file of that name is not worth reading it if it has another size, as files of /proc have. */
static void only_a_file_of_the_same_size_is_as_good(void **state)
{
	struct kept_files *kept = kept_files__new("cache", false);
	struct errmsg err;

	run("cp prog longer; echo >>longer");
	offer(kept, "prog", in_scratch("longer"));
	assert_int_equal(kept_files__finish(kept, &err), 0);
	kept_files__delete(kept);
	run("cmp prog cache/kept%s/*/elf", in_scratch("longer"));
}

/* Nothing on disk, as a file of /sys or /proc, that does something when it is read: it is not so much as opened. */
static void a_file_without_blocks_is_not_opened(void **state)
{
	struct kept_files *kept = kept_files__new("cache", false);
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct errmsg err;
	char event[512];

	run("truncate -s $(stat -c %%s prog) empty");
	assert_true(inotify_add_watch(watch, "empty", IN_OPEN) >= 0);
	offer(kept, "prog", in_scratch("empty"));
	assert_int_equal(kept_files__finish(kept, &err), 0);
	kept_files__delete(kept);
	assert_int_equal(read(watch, event, sizeof(event)), -1);
	close(watch);
	run("cmp prog cache/kept%s/*/elf", in_scratch("empty"));
}

static void what_the_cache_has_stays(void **state)
{
	struct kept_files *kept = kept_files__new("cache", false);
	struct errmsg err;
	char hex[41];

	build_id__str(&prog_id, hex);
	run("mkdir -p cache/.build-id/%.2s/%s && touch cache/.build-id/%.2s/%s/elf", hex, hex + 2, hex, hex + 2);
	offer(kept, "prog", "/nosuch/prog");
	assert_int_equal(kept_files__finish(kept, &err), 0);
	kept_files__delete(kept);
	run("[ \"$(ls -A cache)\" = .build-id ]");
}

static void the_first_reason_is_told(void **state)
{
	struct kept_files *kept = kept_files__new("cache", false);
	struct errmsg err;

	run("touch cache");
	offer(kept, "prog", "/nosuch/prog\033[31m");
	assert_int_equal(kept_files__finish(kept, &err), -EIO);
	assert_non_null(strstr(err.text, "cache: Not a directory"));
	kept_files__delete(kept);

	run("rm cache; cp prog big; truncate -s 513M big");
	kept = kept_files__new("cache", false);
	offer(kept, "big", "/nosuch/\033[31mbig");
	offer(kept, "prog", "/nosuch/prog");
	assert_int_equal(kept_files__finish(kept, &err), -EIO);
	assert_string_equal(err.text, "/nosuch/?[31mbig: is larger than 512 MiB, or grew while it was copied");
	kept_files__delete(kept);
	run("cmp prog cache/kept/nosuch/prog/*/elf"); /* others are copied still */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_finds_no_place_may_be_offered_again, clean),
		cmocka_unit_test_setup(a_changed_file_is_told_and_may_be_offered_again, clean),
		cmocka_unit_test_setup(names_of_one_file_share_a_copy, clean),
		cmocka_unit_test_setup(what_is_not_seen_is_kept, clean),
		cmocka_unit_test_setup(what_is_seen_is_kept_if_all_are, clean),
		cmocka_unit_test_setup(the_cache_itself_gets_what_perf_sees, clean),
		cmocka_unit_test_setup(what_is_seen_is_not, clean),
		cmocka_unit_test_setup(only_a_file_of_the_same_size_is_as_good, clean),
		cmocka_unit_test_setup(a_file_without_blocks_is_not_opened, clean),
		cmocka_unit_test_setup(what_the_cache_has_stays, clean),
		cmocka_unit_test_setup(the_first_reason_is_told, clean),
	};

	return cmocka_run_group_tests(tests, setup, scratch_teardown);
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "tests/unit/symbol/fixture.h"
#include "util/symbol/cached-files.h"
#include "util/symbol/symtab.h"

#define ID "abcdef0123456789abcdef0123456789abcdef01"
#define LINK ".build-id/ab/cdef0123456789abcdef0123456789abcdef01"
#define OTHER "0102"

static struct errmsg why;
static char list[4096]; /* what the last walk came to */
static char skipped[4096]; /* what it left out */

static int clean(void **state)
{
	run("rm -rf cache outside; mkdir -m 700 cache outside; echo mine >outside/file");
	why.text[0] = list[0] = '\0';
	return 0;
}

/* PATH below dir is a cache's copy with the build-id. */
static void add_copy(const char *dir, const char *path, const char *id, const char *name)
{
	run("cd %s && mkdir -p -m 755 '%s/%s' .build-id/%.2s && echo x >'%s/%s/%s' && ln -s '../../%s/%s' .build-id/%.2s/%s", dir, path, id, id,
	    path, id, name, path, id, id, id + 2);
}

static int note(const struct cached_file *file, void *data)
{
	char hex[41];

	snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s %s%s%s\n", build_id__str(&file->id, hex), file->path,
		 file->is_kept ? " kept" : "", file->is_whole ? "" : " lost");
	return 0;
}

static void note_skipped(const struct errmsg *reason)
{
	snprintf(skipped + strlen(skipped), sizeof(skipped) - strlen(skipped), "%s\n", reason->text);
}

static int walk(int (*cb)(const struct cached_file *file, void *data))
{
	list[0] = '\0';
	skipped[0] = '\0';
	return cached_files__for_each("cache", cb, note_skipped, NULL, &why);
}

static int remove_it(const struct cached_file *file, void *data)
{
	return cached_file__remove("cache", file, &why);
}

static int stop_at_once(const struct cached_file *file, void *data)
{
	return -ECANCELED;
}

static void all_files_are_listed(void **state)
{
	add_copy("cache", "usr/.hidden/prog", ID, "elf");
	add_copy("cache", "[kernel.kallsyms]", OTHER, "kallsyms");
	run("mkdir -m 700 cache/kept");
	add_copy("cache/kept", "box/my prog", ID, "elf");
	assert_int_equal(walk(note), 0);
	assert_string_equal(list, OTHER " [kernel.kallsyms]\n" ID " /usr/.hidden/prog\n" ID " /box/my prog kept\n");
	/* Two files may have the same build-id: only one has the link. A copy of an old perf is a file. */
	run("mkdir -p cache/usr/lib/" ID " cache/v && touch cache/usr/lib/" ID "/elf cache/v/" OTHER);
	assert_int_equal(walk(note), 0);
	assert_string_equal(list, OTHER " [kernel.kallsyms]\n" ID " /usr/.hidden/prog\n" ID " /usr/lib\n" OTHER " /v\n" ID " /box/my prog kept\n");
	/* Links without a copy. */
	run("rm -r cache/v cache/usr; rm cache/.build-id/01/02; ln -s ../../[vdso]/0102 cache/.build-id/01/02");
	assert_int_equal(walk(note), 0);
	assert_string_equal(list, OTHER " [kernel.kallsyms]\n" OTHER "  lost\n" ID "  lost\n" ID " /box/my prog kept\n");
	assert_int_equal(walk(stop_at_once), -ECANCELED);
	assert_string_equal(why.text, "");
}

static void no_cache_has_no_files(void **state)
{
	assert_int_equal(walk(note), 0);
	run("rmdir cache");
	assert_int_equal(walk(note), 0);
	assert_string_equal(list, "");
}

static void what_is_no_build_id_is_left_out(void **state)
{
	add_copy("cache", "prog", ID, "elf");
	run("cd cache/.build-id && touch zz 0102 && mkdir 00 xy 03 && ln -s ../../prog/zz 00/zz && ln -s ../../prog/0 00/0 && ln -s /prog 00/.a &&"
	    "ln -s ../../prog/x 00/" ID "00 && ln -s x xy/01 && touch 03/04");
	assert_int_equal(walk(note), 0);
	assert_string_equal(list, ID " /prog\n");
}

static void links_lead_nowhere_else(void **state)
{
	static const char *const targets[] = { "/etc/" ID, "../../../outside/" ID, "../../a/../../outside/" ID, "../../" ID, "../..//" ID, "../../a/0102",
					       "../../../" ID, "../../a", ID };

	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		clean(NULL);
		run("mkdir -p outside/" ID " cache/.build-id/ab; touch outside/" ID "/file; ln -s %s cache/" LINK, targets[i]);
		assert_int_equal(walk(note), 0);
		assert_string_equal(list, ID "  lost\n");
		assert_int_equal(walk(remove_it), 0);
		run("[ ! -h cache/" LINK " ] && [ -e outside/" ID "/file ]");
	}
	/* What is behind a link is no part of the cache. */
	clean(NULL);
	add_copy("cache", "a/b", ID, "elf");
	run("mv cache/a/b outside && ln -s ../../outside/b cache/a/b");
	assert_int_equal(walk(remove_it), 0);
	run("[ -e outside/b/" ID "/elf ]");
}

static void what_is_removed_is_gone(void **state)
{
	add_copy("cache", "usr/bin/prog", ID, "elf");
	add_copy("cache", "usr/lib/lib", OTHER, "elf");
	run("mkdir -m 700 cache/kept; mkdir -p cache/usr/bin/prog/" ID "/sub/sub; touch cache/usr/bin/prog/" ID "/sub/sub/file; ln -s ../../../../../outside cache/usr/bin/prog/" ID "/sub/out");
	add_copy("cache/kept", "box/prog", ID, "elf");
	assert_int_equal(walk(remove_it), 0);
	run("[ \"$(find cache)\" = 'cache\ncache/kept' ] && [ -s outside/file ]");
}

static void other_copies_stay(void **state)
{
	struct cached_file file = { .id = { .size = 2, .data = { 1, 2 } }, .path = "/usr/bin/prog" };

	add_copy("cache", "usr/bin/prog", ID, "elf");
	add_copy("cache", "usr/bin/prog", OTHER, "elf");
	assert_int_equal(cached_file__remove("cache", &file, &why), 0);
	assert_int_equal(walk(note), 0);
	assert_string_equal(list, ID " /usr/bin/prog\n");
	/* Once more: it is gone already. */
	assert_int_equal(cached_file__remove("cache", &file, &why), 0);
	run("[ -e cache/" LINK "/elf ]");
}

#define REFUSED(dir) dir ": others may write to this directory: chmod go-w " dir

static void what_others_may_write_to_is_left_out(void **state)
{
	add_copy("cache", "usr/bin/prog", ID, "elf");
	add_copy("cache", "usr/lib/lib", OTHER, "elf");
	run("chmod 777 cache/usr/bin");
	assert_int_equal(walk(note), 1);
	assert_string_equal(list, OTHER " /usr/lib/lib\n");
	assert_string_equal(skipped, REFUSED("cache/usr/bin") "\n");
	assert_int_equal(walk(remove_it), 1);
	run("[ -e cache/usr/bin/prog/" ID "/elf ] && [ ! -e cache/usr/lib ] && chmod 755 cache/usr/bin && chmod 777 cache/.build-id/ab && "
	    "mkdir cache/kept && chmod 777 cache/kept");
	assert_int_equal(walk(note), 1);
	assert_string_equal(list, ID " /usr/bin/prog\n");
	assert_string_equal(skipped, REFUSED("cache/.build-id/ab") "\n" REFUSED("cache/kept") "\n");
	assert_int_equal(walk(remove_it), -EPERM);
	assert_string_equal(why.text, REFUSED("cache/.build-id/ab"));
	run("chmod 755 cache/.build-id/ab && chmod 777 cache/.build-id");
	assert_int_equal(walk(note), 1);
	assert_string_equal(skipped, REFUSED("cache/.build-id") "\n" REFUSED("cache/kept") "\n");
	run("chmod 777 cache");
	assert_int_equal(walk(note), -EPERM);
	assert_string_equal(why.text, REFUSED("cache"));
}

static void those_of_other_users_are_left_out(void **state)
{
	if (geteuid())
		skip();
	add_copy("cache", "usr/bin/prog", ID, "elf");
	run("chown 65534 cache/usr");
	assert_int_equal(walk(note), 1);
	assert_string_equal(list, "");
	assert_string_equal(skipped, "cache/usr: belongs to neither you nor root: remove it, or chown it\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_files_are_listed, clean),
		cmocka_unit_test_setup(no_cache_has_no_files, clean),
		cmocka_unit_test_setup(what_is_no_build_id_is_left_out, clean),
		cmocka_unit_test_setup(links_lead_nowhere_else, clean),
		cmocka_unit_test_setup(what_is_removed_is_gone, clean),
		cmocka_unit_test_setup(other_copies_stay, clean),
		cmocka_unit_test_setup(what_others_may_write_to_is_left_out, clean),
		cmocka_unit_test_setup(those_of_other_users_are_left_out, clean),
	};

	umask(022);
	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}

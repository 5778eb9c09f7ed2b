// SPDX-License-Identifier: GPL-2.0
#include "util/lib/config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char path[] = "/tmp/perf-config.XXXXXX";
static unsigned int nr_notes;

static void note(const char *text)
{
	nr_notes++;
}

static void write_file(const char *text)
{
	FILE *fp = fopen(path, "w");

	assert_non_null(fp);
	fputs(text, fp);
	assert_int_equal(fclose(fp), 0);
}

static void assert_file(const char *want)
{
	char text[1024] = "";
	FILE *fp = fopen(path, "r");

	assert_non_null(fp);
	text[fread(text, 1, sizeof(text) - 1, fp)] = '\0';
	fclose(fp);
	assert_string_equal(text, want);
}

static struct config *read_it(void)
{
	struct config *config;
	struct errmsg err;

	assert_int_equal(config__read(CONFIG_ALL, note, &config, &err), 0);
	return config;
}

static int list(const char *key, const char *value, void *data)
{
	snprintf((char *)data + strlen(data), 512 - strlen(data), "%s=%s;", key, value);
	return 0;
}

static void lines_become_values(void **state)
{
	struct config *config;
	char all[512] = "";

	write_file("# comment\n[a] ; another\n\tone = 1 # here\n two=b c \n[ b ]\nname\nq = \" x;# \" ; y\ne = a\\\"b\n[a]\none = 2\n");
	config = read_it();
	config__for_each(config, list, all);
	assert_string_equal(all, "a.one=1;a.two=b c;b.name=;b.q= x;# ;b.e=a\"b;a.one=2;");
	assert_string_equal(config__get(config, "a.one"), "2");
	assert_null(config__get(config, "a.three"));
	config__delete(config);
}

static void wrong_lines_are_named(void **state)
{
	static const char *const wrong[] = { "x = 1\n", "[a\n", "[a] b\n", "[a]\n= 1\n", "[a]\nb c\n", "[a]\nb = \"c\n", "[a]\n\n[\n" };
	struct config *config;
	struct errmsg err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		write_file(wrong[i]);
		assert_int_equal(config__read(CONFIG_ALL, note, &config, &err), -EINVAL);
		assert_non_null(strstr(err.text, "line "));
	}
}

static void truth_has_many_words(void **state)
{
	static const struct {
		const char *word;
		int on; /* -1: neither */
	} words[] = { { "true", 1 }, { "Yes", 1 }, { "on", 1 }, { "1", 1 }, { "-7", 1 }, { "", 1 }, { "false", 0 }, { "no", 0 },
		      { "OFF", 0 }, { "0", 0 }, { "maybe", -1 }, { "1x", -1 } };
	bool on;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(config__bool(words[i].word, &on), words[i].on < 0 ? -EINVAL : 0);
		if (words[i].on >= 0)
			assert_int_equal(on, words[i].on);
	}
}

static void keys(void **state)
{
	assert_true(config__is_key("a.b"));
	assert_true(config__is_key("call-graph.print_type2"));
	assert_false(config__is_key("a"));
	assert_false(config__is_key("a."));
	assert_false(config__is_key(".b"));
	assert_false(config__is_key("a.b.c"));
	assert_false(config__is_key("a b.c"));
	assert_false(config__is_key("a.b]\n[c"));
}

static void set(const char *key, const char *value)
{
	struct errmsg err;

	assert_int_equal(config__set(CONFIG_USER, key, value, &err), 0);
}

static void setting_leaves_the_rest(void **state)
{
	struct config *config;

	write_file("; mine\n[a]\none = 1\n[b]\ntwo = 2"); /* without a newline */
	set("a.three", "3");
	set("b.two", "22");
	set("c.new", " #x\"y\\ ");
	assert_file("; mine\n[a]\none = 1\n\tthree = 3\n[b]\n\ttwo = 22\n[c]\n\tnew = \" #x\\\"y\\\\ \"\n");
	config = read_it();
	assert_string_equal(config__get(config, "c.new"), " #x\"y\\ ");
	config__delete(config);
	unlink(path);
	set("a.b", "");
	assert_file("[a]\n\tb = \"\"\n");
}

static void what_is_no_file_stays(void **state)
{
	struct errmsg err;
	struct stat st;

	unlink(path);
	assert_int_equal(symlink("/nowhere", path), 0);
	assert_int_equal(config__set(CONFIG_USER, "a.b", "c", &err), -EINVAL);
	assert_true(!lstat(path, &st) && S_ISLNK(st.st_mode));
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(config__set(CONFIG_USER, "a.b", "c", &err), -EINVAL);
	assert_true(!lstat(path, &st) && S_ISFIFO(st.st_mode));
	unlink(path);
}

static void others_files_are_not_read(void **state)
{
	struct config *config;

	write_file("[a]\none = 1\n");
	nr_notes = 0;
	assert_int_equal(chmod(path, 0666), 0);
	config = read_it();
	assert_null(config__get(config, "a.one"));
	assert_int_equal(nr_notes, 1);
	config__delete(config);
	if (geteuid() == 0) {
		assert_int_equal(chmod(path, 0644), 0);
		assert_int_equal(chown(path, 12345, -1), 0);
		config = read_it();
		assert_null(config__get(config, "a.one"));
		assert_int_equal(nr_notes, 2);
		config__delete(config);
	}
	unlink(path);
	config = read_it(); /* nor is there one */
	config__delete(config);
	setenv("PERF_CONFIG", "/dev/null", 1);
	config = read_it();
	config__delete(config);
	assert_in_range(nr_notes, 1, 2);
	setenv("PERF_CONFIG", path, 1);
}

static int begin(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 || close(fd) || setenv("PERF_CONFIG", path, 1);
}

static int end(void **state)
{
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_become_values),
		cmocka_unit_test(wrong_lines_are_named),
		cmocka_unit_test(truth_has_many_words),
		cmocka_unit_test(keys),
		cmocka_unit_test(setting_leaves_the_rest),
		cmocka_unit_test(what_is_no_file_stays),
		cmocka_unit_test(others_files_are_not_read),
	};

	return cmocka_run_group_tests_name("lib/config", tests, begin, end);
}

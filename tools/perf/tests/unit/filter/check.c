// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <mntent.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "util/filter/filter.h"

/* The one entry that text lowers to, or fail. */
static struct filter_entry entry_of(const char *text)
{
	static struct filter_table table;
	struct errmsg err = { "" };

	if (filter__compile(text, &table, &err))
		fail_msg("%s", err.text);
	assert_int_equal(table.nr, 1);
	return table.entry[0];
}

static u64 value_of(const char *text)
{
	return entry_of(text).value;
}

static void assert_refused(const char *text, unsigned int column, const char *message)
{
	static struct filter_table table;
	struct errmsg err = { "" };
	const char *caret;

	assert_int_equal(filter__compile(text, &table, &err), -EINVAL);
	if (!strstr(err.text, message))
		fail_msg("%s: wants: %s", err.text, message);
	caret = strrchr(err.text, '\n');
	assert_non_null(caret);
	if (strspn(caret + 1, " ") != column + 2)
		fail_msg("%s: wants column %u", err.text, column);
	assert_int_equal(filter__compile(text, &table, NULL), -EINVAL);
}

static void test_numbers(void **state)
{
	assert_int_equal(value_of("tid == 010"), 10);
	assert_int_equal(value_of("ip == 0xFfff0000"), 0xffff0000);
	assert_true(value_of("ip == 18446744073709551615") == UINT64_MAX);
	assert_true(value_of("ip == 0xffffffffffffffff") == UINT64_MAX);
	assert_int_equal(value_of("period > 4K"), 4096);
	assert_int_equal(value_of("period > 3M"), 3 << 20);
	assert_int_equal(value_of("period > 1G"), 1 << 30);
	assert_refused("tid == 18446744073709551616", 7, "does not fit in 64 bits");
	assert_refused("tid == 0x10000000000000000", 7, "does not fit in 64 bits");
	assert_refused("period == 17179869184G", 10, "does not fit in 64 bits");
	assert_refused("tid == -5", 7, "is negative");
	assert_refused("tid == 5x", 7, "tid takes a number");
	assert_refused("tid == 5k", 7, "tid takes a number");
	assert_refused("tid == 0x", 7, "tid takes a number");
	assert_refused("tid == 1.5", 7, "tid takes a number");
	assert_refused("tid == '5'", 7, "tid takes a number");
	assert_refused("tid == load", 7, "tid takes a number");
	assert_refused("tid == user", 7, "tid takes a number");
	assert_refused("tid in {1, x}", 11, "tid takes a number");
	assert_refused("tid in 5..4", 7, "this range is empty");
}

static void test_times(void **state)
{
	assert_int_equal(value_of("time > 12"), 12);
	assert_int_equal(value_of("time > 12ns"), 12);
	assert_int_equal(value_of("time > 12us"), 12000);
	assert_int_equal(value_of("time > 12ms"), 12000000);
	assert_true(value_of("time > 12s") == 12000000000ULL);
	assert_true(value_of("time > 1234.567891s") == 1234567891000ULL);
	assert_int_equal(value_of("time > 0.5us"), 500);
	assert_refused("time > 0.0000000001s", 7, "finer than a nanosecond");
	assert_refused("time > 1.5", 7, "time takes a number of nanoseconds");
	assert_refused("time > 1.5ns", 7, "time takes a number of nanoseconds");
	assert_refused("time > 5M", 7, "time takes a number of nanoseconds");
	assert_refused("time > 18446744074s", 7, "does not fit in 64 bits");
	assert_refused("period > 5ms", 9, "period takes a number");
}

static int check_with(const struct filter_env *env, const char *text, struct filter_table *table, struct errmsg *err)
{
	struct filter *filter;
	int rc;

	assert_int_equal(filter__parse(text, &filter, err), 0);
	rc = filter__check(filter, env, err);
	if (!rc)
		rc = filter__lower(filter, table, err);
	filter__delete(filter);
	return rc;
}

static void test_periods_of_time(void **state)
{
	static const struct {
		const char *text;
		u64 value;
	} good[] = {
		{ "period > 12", 12 }, { "period > 0x10", 16 }, { "period > 1K", 1024 }, { "period > 12ms", 12000000 },
		{ "period > 1.5us", 1500 }, { "period == 2s", 2000000000 },
	};
	static const char *const bad[] = { "period > 5k", "period > 1.5", "period > 1.5K", "period > 5h", "period > x", "tid > 5ms" };
	const struct filter_env env = { .period_is_time = true };
	static struct filter_table table;
	struct errmsg err = { "" };

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		if (check_with(&env, good[i].text, &table, &err))
			fail_msg("%s", err.text);
		assert_int_equal(table.entry[0].value, good[i].value);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(check_with(&env, bad[i], &table, &err), -EINVAL);
	assert_int_equal(check_with(&env, "period > 5h", &table, &err), -EINVAL);
	assert_non_null(strstr(err.text, "period takes a number of nanoseconds, or a time"));
}

static void test_names(void **state)
{
	assert_refused("foobar == 1", 0, "'foobar' is not a term; the terms are: ip id tid pid ppid");
	assert_refused("pid == 1 && tdi == 1", 12, "did you mean 'tid'?");
	assert_refused("cgruop == /", 0, "did you mean 'cgroup'?");
	assert_refused("5 == tid", 0, "'5' is not a term; several");
	assert_refused("TID == 5", 0, "'TID' is not a term");
	assert_refused("tid", 3, "expected an operator (== != > >= < <= & in) after 'tid'");
	assert_refused("tid 5", 4, "expected an operator (== != > >= < <= & in) after 'tid'");
	assert_refused("cpu in 0,2", 9, "'2' is not a term; several values go in braces, as in: cpu in {0-3,6}");
}

static void test_operators(void **state)
{
	assert_refused("comm < a", 5, "'<' cannot be used with comm; it takes: == != in ~ !~");
	assert_refused("comm & a", 5, "'&' cannot be used with comm");
	assert_refused("cgroup > 5", 7, "'>' cannot be used with cgroup; it takes: == != in");
	assert_refused("mode >= user", 5, "'>=' cannot be used with mode");
	assert_refused("tid ~ 5*", 4, "'~' cannot be used with tid");
	assert_refused("tid !~ 5*", 4, "'!~' cannot be used with tid");
}

static void assert_entry(const char *text, enum filter_term term, unsigned int shift, unsigned int cond, u64 mask, u64 value)
{
	struct filter_entry e = entry_of(text);

	if (e.term != term || e.shift != shift || e.cond != cond || e.mask != mask || e.value != value)
		fail_msg("%s: term %u shift %u cond %u mask %#llx value %#llx", text, e.term, e.shift, e.cond, e.mask, e.value);
}

/* Parts of fields: shifts and sizes are those of perf_event.h, constants have upstream's names. */
static void test_parts(void **state)
{
	assert_entry("weight > 5", FILTER_TERM_WEIGHT, 0, FILTER_GT, 0xffffffff, 5);
	assert_entry("weight1 > 5", FILTER_TERM_WEIGHT, 0, FILTER_GT, 0xffffffff, 5);
	assert_entry("ins_lat > 5", FILTER_TERM_WEIGHT, 32, FILTER_GT, 0xffff, 5);
	assert_entry("weight2 > 5", FILTER_TERM_WEIGHT, 32, FILTER_GT, 0xffff, 5);
	assert_entry("retire_lat > 5", FILTER_TERM_WEIGHT, 48, FILTER_GT, 0xffff, 5);
	assert_entry("p_stage_cyc > 5", FILTER_TERM_WEIGHT, 48, FILTER_GT, 0xffff, 5);
	assert_entry("mem_op == load", FILTER_TERM_DATA_SRC, 0, FILTER_EQ, 0x1f, PERF_MEM_OP_LOAD);
	assert_entry("mem_op & 3", FILTER_TERM_DATA_SRC, 0, FILTER_GT, 3, 0);
	assert_entry("mem_lvl == ram", FILTER_TERM_DATA_SRC, PERF_MEM_LVLNUM_SHIFT, FILTER_EQ, 0xf, PERF_MEM_LVLNUM_RAM);
	assert_entry("mem_lvlnum == na", FILTER_TERM_DATA_SRC, PERF_MEM_LVLNUM_SHIFT, FILTER_EQ, 0xf, PERF_MEM_LVLNUM_NA);
	assert_entry("mem_snoop == hitm", FILTER_TERM_DATA_SRC, PERF_MEM_SNOOP_SHIFT, FILTER_EQ, 0x18001f, PERF_MEM_SNOOP_HITM);
	assert_entry("mem_snoop == peer", FILTER_TERM_DATA_SRC, PERF_MEM_SNOOP_SHIFT, FILTER_EQ, 0x18001f, 0x100000);
	assert_entry("mem_snoop == 0x20", FILTER_TERM_DATA_SRC, PERF_MEM_SNOOP_SHIFT, FILTER_EQ, 0x18001f, 0x80000);
	assert_entry("mem_remote == remote", FILTER_TERM_DATA_SRC, PERF_MEM_REMOTE_SHIFT, FILTER_EQ, 1, 1);
	assert_entry("mem_lock == locked", FILTER_TERM_DATA_SRC, PERF_MEM_LOCK_SHIFT, FILTER_EQ, 3, 2);
	assert_entry("mem_dtlb == l2_miss", FILTER_TERM_DATA_SRC, PERF_MEM_TLB_SHIFT, FILTER_EQ, 0x7f, 0x14);
	assert_entry("mem_blk == by_addr", FILTER_TERM_DATA_SRC, PERF_MEM_BLK_SHIFT, FILTER_EQ, 7, 4);
	assert_entry("mem_hops == hops3", FILTER_TERM_DATA_SRC, PERF_MEM_HOPS_SHIFT, FILTER_EQ, 7, 4);
	assert_refused("mem_op == ram", 10, "is no value of mem_op; it takes: na, load, store, pfetch, exec");
	assert_refused("mem_op == 32", 10, "is no value of mem_op, which is at most 31");
	assert_refused("mem_snoop == 128", 13, "at most 127");
	assert_refused("mem_lvl == 1K", 11, "is no value of mem_lvl");
	assert_refused("tid == l1_hit", 7, "tid takes a number");
}

static void test_signed(void **state)
{
	assert_entry("nice == -20", FILTER_TERM_NICE, 0, FILTER_EQ, UINT64_MAX, 0);
	assert_entry("nice > 0", FILTER_TERM_NICE, 0, FILTER_GT, UINT64_MAX, 20);
	assert_entry("nice in -20..-5", FILTER_TERM_NICE, 0, FILTER_LT | FILTER_EQ, UINT64_MAX, 15);
	assert_entry("prio < 100", FILTER_TERM_PRIO, 0, FILTER_LT, UINT64_MAX, 101);
	assert_entry("prio == -1", FILTER_TERM_PRIO, 0, FILTER_EQ, UINT64_MAX, 0);
	assert_refused("nice == 20", 8, "is no value of nice, which is from -20 to 19");
	assert_refused("nice == -21", 8, "is no value of nice");
	assert_refused("nice > 99999999999999999999", 7, "does not fit");
	assert_refused("nice > 4294967296", 7, "is no value of nice");
	assert_refused("nice > -4294967296", 7, "is no value of nice");
	assert_refused("prio == 140", 8, "from -1 to 139");
	assert_refused("nice & 1", 5, "'&' cannot be used with nice");
	assert_refused("nice in 5..-5", 8, "this range is empty");
}

static void test_flags(void **state)
{
	assert_entry("idle", FILTER_TERM_IDLE, 0, FILTER_GT, UINT64_MAX, 0);
	assert_entry("every 100", FILTER_TERM_EVERY, 0, FILTER_EQ, 1, 1);
	assert_entry("every 1K", FILTER_TERM_EVERY, 0, FILTER_EQ, 1, 1);
	assert_refused("idle == 1", 5, "idle takes no operator, it stands alone: idle, !idle");
	assert_refused("idle 1", 5, "'1' stands behind idle, which takes no value");
	assert_refused("every == 100", 6, "every takes no operator: every 100");
	assert_refused("every", 5, "every takes a number from 1 to 4294967295, as in: every 100");
	assert_refused("every 0", 6, "every takes a number from 1");
	assert_refused("every 4294967296", 6, "every takes a number from 1");
	assert_refused("every x", 6, "not 'x'");
	assert_refused("every 10%", 6, "not '10%'");
	assert_refused("every -1", 6, "is negative");
}

static void test_rand(void **state)
{
	assert_entry("rand < 10%", FILTER_TERM_RAND, 0, FILTER_LT, UINT64_MAX, (1ULL << 32) / 10);
	assert_entry("rand < 0.001%", FILTER_TERM_RAND, 0, FILTER_LT, UINT64_MAX, (1ULL << 32) / 100000);
	assert_entry("rand >= 50.000000000%", FILTER_TERM_RAND, 0, FILTER_GT | FILTER_EQ, UINT64_MAX, 1ULL << 31);
	assert_entry("rand < 100%", FILTER_TERM_RAND, 0, FILTER_LT, UINT64_MAX, 1ULL << 32);
	assert_refused("rand < 10", 7, "rand takes a percentage from 0% to 100%");
	assert_refused("rand < 100.1%", 7, "rand takes a percentage");
	assert_refused("rand < 99999999999999999999999%", 7, "rand takes a percentage");
	assert_refused("rand < 1.%x", 7, "rand takes a percentage");
	assert_refused("rand < 0.0000000001%", 7, "more than nine digits");
	assert_refused("rand == 10%", 5, "'==' cannot be used with rand; it takes: > >= < <=");
	assert_refused("tid < 10%", 6, "tid takes a number");
}

static void test_mode(void **state)
{
	assert_int_equal(value_of("mode == user"), FILTER_MODE_USER);
	assert_int_equal(value_of("mode != kernel"), FILTER_MODE_KERNEL);
	assert_refused("mode == hypervisor", 8, "is no value of mode; it takes: user, kernel");
	assert_refused("mode == 1", 8, "is no value of mode");
	assert_refused("mode in user..kernel", 8, "there are no ranges of them");
}

static void test_cpu(void **state)
{
	assert_int_equal(value_of("cpu in 0-3"), 3);
	assert_int_equal(entry_of("cpu in 0-3").cond, FILTER_LT | FILTER_EQ);
	assert_int_equal(entry_of("cpu in {2-3,0-1,4}").value, 4);
	assert_refused("cpu == 0-3", 7, "cpu takes a CPU number");
	assert_refused("cpu in 3-1", 7, "this range is empty");
	assert_refused("cpu in 3-", 7, "cpu takes a CPU number");
	assert_refused("tid in {1-3}", 8, "tid takes a number");
}

static void test_users(void **state)
{
	struct passwd *pw = getpwuid(0);
	struct group *gr = getgrgid(0);
	char text[128];

	assert_non_null(pw);
	assert_non_null(gr);
	snprintf(text, sizeof(text), "uid == %s", pw->pw_name);
	assert_int_equal(value_of(text), 0);
	snprintf(text, sizeof(text), "gid == '%s'", gr->gr_name);
	assert_int_equal(value_of(text), 0);
	pw = getpwnam("nobody");
	assert_non_null(pw);
	assert_int_equal(value_of("uid != nobody"), pw->pw_uid);
	assert_int_equal(value_of("uid >= 1000"), 1000);
	assert_refused("uid == no-such-user", 7, "'no-such-user' is not a user of this system");
	assert_refused("gid == no-such-group", 7, "'no-such-group' is not a group of this system");
	assert_refused("uid == -1", 7, "is negative");
}

static void test_comm(void **state)
{
	assert_refused("comm == sixteen-bytes-16", 8, "comm is at most 15 bytes");
	assert_refused("comm in {a,0123456789abcdef}", 11, "comm is at most 15 bytes");
	assert_refused("comm ~ 0123456789abcde?", 7, "comm is at most 15 bytes");
	assert_refused("comm == ngin*", 8, "is a pattern, which goes after '~'");
	assert_refused("comm in a..b", 8, "no ranges of command names");
	assert_refused("comm ~ [ab", 7, "'[' without its ']'");
	assert_refused("comm ~ '[!]'", 7, "'[' without its ']'");
	assert_refused("comm ~ '[[:alpha:]]'", 7, "classes with a name");
	assert_refused("comm ~ [z-a]", 7, "runs backwards");
	assert_refused("comm ~ [ä]", 7, "ASCII characters only");
	/* 15 bytes are enough, in a name and in a pattern */
	assert_int_equal(entry_of("comm ~ *0123456789abcde*").term, FILTER_TERM_COMM_GLOB);
	assert_int_equal(value_of("comm == 1"), '1');
	assert_int_equal(value_of("comm == 'a\\'b'"), 'a' | '\'' << 8 | 'b' << 16);
	assert_int_equal(value_of("comm == '*'"), '*');
}

static bool cgroup2_mount(char *dir, size_t size)
{
	FILE *fp = setmntent("/proc/self/mounts", "r");
	struct mntent *ent;
	bool found = false;

	while (fp && !found && (ent = getmntent(fp))) {
		found = !strcmp(ent->mnt_type, "cgroup2");
		if (found)
			snprintf(dir, size, "%s", ent->mnt_dir);
	}
	if (fp)
		endmntent(fp);
	return found;
}

static void test_cgroup(void **state)
{
	char dir[PATH_MAX];
	struct stat st;

	if (!cgroup2_mount(dir, sizeof(dir))) {
		print_message("skip: no cgroup2 file system is mounted\n");
		skip();
	}
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(value_of("cgroup == /"), st.st_ino);
	assert_int_equal(value_of("cgroup != 12345"), 12345);
	assert_refused("cgroup == /no/such/cgroup", 10, "there is no such directory below");
	assert_refused("cgroup == /cgroup.procs", 10, "not a cgroup's directory");
	assert_refused("cgroup == /../../../../../../../..", 10, "not a cgroup's directory");
	assert_refused("cgroup in {1,/no/such}", 13, "there is no such directory below");
	assert_entry("cgroup in /", FILTER_TERM_CGROUP_AT, 0, FILTER_EQ, UINT64_MAX, st.st_ino);
	assert_refused("cgroup in 123456789012", 10, "there is no cgroup with this id");
	assert_refused("cgroup in {1..2}", 11, "there are no ranges of them");
}

static char new_cgroup[2 * PATH_MAX];

static int make_cgroup(void **state)
{
	char dir[PATH_MAX];

	new_cgroup[0] = '\0';
	if (!cgroup2_mount(dir, sizeof(dir))) {
		print_message("skip: no cgroup2 file system is mounted\n");
		return 0;
	}
	snprintf(new_cgroup, sizeof(new_cgroup), "%s/perf-unit-test-%d", dir, getpid());
	if (mkdir(new_cgroup, 0755)) {
		print_message("skip: cannot create %s: %s\n", new_cgroup, strerror(errno));
		new_cgroup[0] = '\0';
	}
	return 0;
}

static int remove_cgroup(void **state)
{
	return new_cgroup[0] ? rmdir(new_cgroup) : 0;
}

/* A directory of a cgroup file system has the cgroup's id as its inode number (kernel 5.5 and newer, 64 bit). */
static void test_new_cgroup(void **state)
{
	char text[3 * PATH_MAX];
	struct stat st;

	if (!new_cgroup[0])
		skip();
	assert_int_equal(stat(new_cgroup, &st), 0);
	snprintf(text, sizeof(text), "cgroup == %s", new_cgroup);
	assert_int_equal(value_of(text), st.st_ino);
	snprintf(text, sizeof(text), "cgroup == /perf-unit-test-%d", getpid());
	assert_int_equal(value_of(text), st.st_ino);
	snprintf(text, sizeof(text), "cgroup in {perf-unit-test-%d/}", getpid());
	assert_entry(text, FILTER_TERM_CGROUP_AT, 1, FILTER_EQ, UINT64_MAX, st.st_ino);
	snprintf(text, sizeof(text), "cgroup in %llu", (unsigned long long)st.st_ino);
	assert_entry(text, FILTER_TERM_CGROUP_AT, 1, FILTER_EQ, UINT64_MAX, st.st_ino);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_times), cmocka_unit_test(test_periods_of_time),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_operators), cmocka_unit_test(test_parts), cmocka_unit_test(test_signed),
		cmocka_unit_test(test_flags),	cmocka_unit_test(test_rand),  cmocka_unit_test(test_mode), cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_users),	cmocka_unit_test(test_comm),  cmocka_unit_test(test_cgroup),
		cmocka_unit_test_setup_teardown(test_new_cgroup, make_cgroup, remove_cgroup),
	};

	return cmocka_run_group_tests_name("filter/check", tests, NULL, NULL);
}

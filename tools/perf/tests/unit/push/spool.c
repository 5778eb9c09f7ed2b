// SPDX-License-Identifier: GPL-2.0
#include "util/push/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char top[] = "/tmp/perf-spool-XXXXXX";
static char dir[64];

static int make_dir(void **state)
{
	strcpy(top + strlen(top) - 6, "XXXXXX");
	if (!mkdtemp(top))
		return -1;
	snprintf(dir, sizeof(dir), "%s/a/b", top);
	return 0;
}

static int remove_dir(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

static struct spool *opened(u64 max_bytes, enum push_kind kind)
{
	struct spool *spool;
	struct errmsg err = { "" };

	if (spool__new(dir, max_bytes, kind, &spool, &err))
		fail_msg("%s", err.text);
	return spool;
}

static u64 add(struct spool *spool, const char *body)
{
	u64 thrown_out = 0;

	assert_int_equal(spool__add(spool, "q=1", body, strlen(body), &thrown_out, NULL), 0);
	return thrown_out;
}

static void oldest_is(struct spool *spool, const char *body)
{
	struct spool_item item;
	u64 thrown_out = 0;

	assert_int_equal(spool__next(spool, 0, 0, &item, &thrown_out), 0);
	assert_int_equal(item.size, strlen(body));
	assert_memory_equal(item.body, body, item.size);
	assert_string_equal(item.query, "q=1");
	assert_int_equal(thrown_out, 0);
	spool__remove(spool, &item);
	free(item.query);
	free(item.body);
}

static void is_empty(struct spool *spool)
{
	struct spool_item item;
	u64 thrown_out = 0;

	assert_int_equal(spool__next(spool, 0, 0, &item, &thrown_out), -ENOENT);
	assert_int_equal(spool__nr(spool), 0);
	assert_int_equal(spool__bytes(spool), 0);
}

static void first_in_first_out(void **state)
{
	struct spool *spool = opened(1000, PUSH_OTLP);
	struct stat st;

	is_empty(spool);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	for (char c = 'a'; c <= 'z'; c++)
		assert_int_equal(add(spool, (char[]){ c, '\0' }), 0);
	oldest_is(spool, "a");
	spool__delete(spool);
	spool = opened(1000, PUSH_OTLP); /* as the next perf does */
	assert_int_equal(spool__nr(spool), 25);
	add(spool, "new");
	for (char c = 'b'; c <= 'z'; c++)
		oldest_is(spool, (char[]){ c, '\0' });
	oldest_is(spool, "new");
	is_empty(spool);
	spool__delete(spool);
}

static void the_oldest_give_way(void **state)
{
	struct spool *spool = opened(30, PUSH_OTLP);
	u64 thrown_out = 0;

	assert_int_equal(add(spool, "123456"), 0); /* with its query 10 bytes each */
	assert_int_equal(add(spool, "abcdef"), 0);
	assert_int_equal(add(spool, "ABCDEF"), 0);
	assert_int_equal(add(spool, "1"), 1);
	assert_int_equal(add(spool, "12345678901234567890123456"), 3);
	assert_int_equal(spool__add(spool, "q=1", "123456789012345678901234567", 27, &thrown_out, NULL), -EFBIG);
	assert_int_equal(thrown_out, 0);
	oldest_is(spool, "12345678901234567890123456");
	is_empty(spool);
	spool__delete(spool);
}

static void other_kinds_stay(void **state)
{
	struct spool *spool = opened(1000, PUSH_OTLP);

	add(spool, "for otlp");
	spool__delete(spool);
	spool = opened(1000, PUSH_INGEST);
	assert_int_equal(spool__nr(spool), 0);
	assert_int_equal(spool__nr_others(spool), 1);
	add(spool, "for ingest");
	oldest_is(spool, "for ingest");
	assert_int_equal(spool__nr_others(spool), 1);
	spool__delete(spool);
	spool = opened(1000, PUSH_OTLP);
	oldest_is(spool, "for otlp");
	spool__delete(spool);
}

static void put_file(const char *name, const char *text)
{
	char path[128];
	FILE *fp;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fp = fopen(path, "w");
	assert_non_null(fp);
	fputs(text, fp);
	fclose(fp);
}

/* What others have put there, or a perf that was killed has left */
static void damage(void **state)
{
	struct spool *spool = opened(1000, PUSH_OTLP);
	char path[128];
	struct spool_item item;
	u64 thrown_out = 0;

	add(spool, "good");
	spool__delete(spool);
	put_file("00000000000000000000.otlp", "no end of its query");
	put_file("00000000000000000009.otlp.part", "half");
	put_file("notes", "of somebody");
	put_file("1.nonsense", "x");
	snprintf(path, sizeof(path), "%s/00000000000000000003.otlp", dir);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	spool = opened(1000, PUSH_OTLP);
	assert_int_equal(spool__nr(spool), 1);
	assert_int_equal(spool__next(spool, 0, 0, &item, &thrown_out), -ENOENT);
	assert_int_equal(thrown_out, 1);
	snprintf(path, sizeof(path), "%s/00000000000000000009.otlp.part", dir);
	assert_int_not_equal(access(path, F_OK), 0);
	snprintf(path, sizeof(path), "%s/notes", dir);
	assert_int_equal(access(path, F_OK), 0);
	spool__delete(spool);
}

/* Somebody has put a link there since. */
static void links_are_not_followed(void **state)
{
	struct spool *spool = opened(1000, PUSH_OTLP);
	char path[128], away[128];
	struct spool_item item;
	u64 thrown_out = 0;

	add(spool, "good");
	snprintf(path, sizeof(path), "%s/00000000000000000000.otlp", dir);
	snprintf(away, sizeof(away), "%s/away", dir);
	assert_int_equal(rename(path, away), 0);
	assert_int_equal(symlink(away, path), 0);
	assert_int_equal(spool__next(spool, 0, 0, &item, &thrown_out), -ENOENT);
	assert_int_equal(thrown_out, 1);
	assert_int_equal(access(away, F_OK), 0);
	spool__delete(spool);
}

/* The disk takes only a part of it. */
static void half_a_file_does_not_stay(void **state)
{
	struct spool *spool = opened(1 << 20, PUSH_OTLP);
	struct rlimit limit, old;
	static char body[8192];
	u64 thrown_out = 0;
	struct errmsg err;
	char path[128];
	int ret;

	memset(body, 'x', sizeof(body));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 4096;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ret = spool__add(spool, "q=1", body, sizeof(body), &thrown_out, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(ret, -EFBIG);
	snprintf(path, sizeof(path), "%s/00000000000000000000.otlp.part", dir);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(spool__nr(spool), 0);
	spool__delete(spool);
}

static u64 next_seq(struct spool *spool, u64 from, u64 now)
{
	struct spool_item item;
	u64 thrown_out = 0;

	if (spool__next(spool, from, now, &item, &thrown_out))
		return UINT64_MAX;
	free(item.query);
	free(item.body);
	return item.seq;
}

static enum tries_verdict fails(struct spool *spool, u64 seq, u64 accepted, u64 now)
{
	return spool__failed(spool, &(struct spool_item){ .seq = seq }, accepted, now);
}

#define SECOND 1000000000ULL

/* What the receiver fails at while it takes others stands back for as long again as that goes on, and is given up after an hour. */
static void bad_ones_stand_back(void **state)
{
	struct spool *spool = opened(1000, PUSH_OTLP);
	u64 now = 100 * SECOND, accepted = 7, nr = 0;

	for (int i = 0; i < 3; i++)
		add(spool, "x");
	assert_int_equal(fails(spool, 0, accepted, now), TRIES_UNDECIDED);
	assert_int_equal(fails(spool, 1, accepted, now), TRIES_UNDECIDED);
	assert_int_equal(fails(spool, 0, accepted, now + 9 * SECOND), TRIES_UNDECIDED); /* nobody was taken in between */
	assert_int_equal(spool__due_at(spool), 0);
	assert_int_equal(next_seq(spool, 0, now), 0);
	assert_int_equal(next_seq(spool, 1, now), 1);
	assert_int_equal(fails(spool, 0, ++accepted, now), TRIES_STAND_BACK);
	assert_int_equal(next_seq(spool, 0, now), 1);
	assert_int_equal(fails(spool, 1, accepted, now), TRIES_STAND_BACK);
	spool__remove(spool, &(struct spool_item){ .seq = 2 });
	assert_int_equal(next_seq(spool, 0, now), UINT64_MAX);
	assert_int_equal(spool__due_at(spool), now + SECOND);
	assert_int_equal(next_seq(spool, 0, now + SECOND), 0);
	spool__remove(spool, &(struct spool_item){ .seq = 1 });
	for (u64 t = now + SECOND; fails(spool, 0, ++accepted, t) == TRIES_STAND_BACK; nr++) {
		u64 due = spool__due_at(spool), wait = due - t;

		assert_true(wait >= SECOND && wait <= 300 * SECOND && (wait == 300 * SECOND || wait == t - now));
		assert_int_equal(next_seq(spool, 0, due - 1), UINT64_MAX);
		t = due;
		assert_true(t < now + 4000 * SECOND);
	}
	assert_in_range(nr, 15, 25);
	is_empty(spool);
	spool__delete(spool);
}

static void one_perf_at_a_time(void **state)
{
	struct spool *spool = opened(1000, PUSH_OTLP), *second;
	struct errmsg err;

	assert_int_equal(spool__new(dir, 1000, PUSH_OTLP, &second, &err), -EBUSY);
	spool__delete(spool);
	assert_int_equal(chmod(dir, 0750), 0);
	assert_int_equal(spool__new(dir, 1000, PUSH_OTLP, &second, &err), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(first_in_first_out, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(the_oldest_give_way, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(other_kinds_stay, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(damage, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(links_are_not_followed, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(half_a_file_does_not_stay, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(bad_ones_stand_back, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(one_perf_at_a_time, make_dir, remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/lib/wide-hash.h"

#define NR 100000

static struct wide_hash_keys *keys;

static int begin(void **state)
{
	keys = wide_hash_keys__new();
	return keys ? 0 : -1;
}

static int end(void **state)
{
	wide_hash_keys__delete(keys);
	return 0;
}

static struct wide_hash hash_of(const u64 *word, u32 nr)
{
	return wide_hash__of(keys, word, nr, (const u64[2]){ nr, 0 });
}

static bool same(struct wide_hash a, struct wide_hash b)
{
	return a.half[0] == b.half[0] && a.half[1] == b.half[1];
}

/* Each half alone tells few words apart. */
static void assert_differ(struct wide_hash a, struct wide_hash b)
{
	assert_true(a.half[0] != b.half[0]);
	assert_true(a.half[1] != b.half[1]);
}

static void equal_words_have_one_hash(void **state)
{
	const u64 word[] = { 1, 2, 3 }, other[] = { 1, 2, 3, 4 };

	assert_true(same(hash_of(word, 3), hash_of(other, 3)));
	assert_true(same(hash_of(NULL, 0), hash_of(word, 0)));
}

/* Odd and even numbers of words */
static void each_word_counts(void **state)
{
	u64 word[6] = { 0x1000, 0x1000, 0, ~0ULL, 0x1000, 7 };

	for (u32 nr = 1; nr <= 6; nr++) {
		const struct wide_hash before = hash_of(word, nr);

		for (u32 i = 0; i < nr; i++) {
			for (u32 bit = 0; bit < 64; bit++) {
				word[i] ^= 1ULL << bit;
				assert_differ(hash_of(word, nr), before);
				word[i] ^= 1ULL << bit;
			}
		}
		assert_true(same(hash_of(word, nr), before));
	}
}

static void the_order_counts(void **state)
{
	const u64 word[][4] = { { 1, 2, 3, 4 }, { 2, 1, 3, 4 }, { 1, 2, 4, 3 }, { 3, 4, 1, 2 }, { 4, 3, 2, 1 } };

	for (u32 i = 0; i < ARRAY_SIZE(word); i++) {
		for (u32 j = 0; j < i; j++)
			assert_differ(hash_of(word[i], 4), hash_of(word[j], 4));
	}
}

static void the_number_and_what_is_apart_count(void **state)
{
	const u64 word[4] = {}, apart[] = { 4, 1 };

	for (u32 i = 0; i < 4; i++)
		assert_differ(hash_of(word, i), hash_of(word, i + 1));
	assert_differ(wide_hash__of(keys, word, 4, apart), hash_of(word, 4));
}

static void each_process_has_other_keys(void **state)
{
	const u64 word[] = { 1, 2, 3 };
	const struct wide_hash before = hash_of(word, 3);

	end(NULL);
	assert_int_equal(begin(NULL), 0);
	assert_differ(hash_of(word, 3), before);
}

static bool refuse_getrandom(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(filter), filter };
	char byte;

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) && getrandom(&byte, 1, 0) < 0;
}

/* Returns 0 if all is well. Words that differ in one bit each have different hashes, and none is that of other keys. */
static int hash_without_getrandom(void)
{
	const u64 word[][3] = { { 1, 2, 3 }, { 0, 2, 3 }, { 1, 3, 3 }, { 1, 2, 2 } };
	const struct wide_hash before = hash_of(word[0], 3);

	if (!refuse_getrandom())
		return 1;
	end(NULL);
	if (begin(NULL))
		return 2;
	for (u32 i = 0; i < ARRAY_SIZE(word); i++) {
		const struct wide_hash hash = hash_of(word[i], 3);

		if (hash.half[0] == before.half[0] || hash.half[1] == before.half[1] || hash.half[0] == hash.half[1])
			return 3;
		if (i && (hash.half[0] == hash_of(word[0], 3).half[0] || hash.half[1] == hash_of(word[0], 3).half[1]))
			return 4;
	}
	return 0;
}

static void keys_are_made_where_getrandom_is_refused(void **state)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(hash_without_getrandom());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void the_longest_has_keys(void **state)
{
	u64 *word = calloc(WIDE_HASH_WORDS, sizeof(*word));
	struct wide_hash before;

	assert_non_null(word);
	for (u32 nr = WIDE_HASH_WORDS - 1; nr <= WIDE_HASH_WORDS; nr++) {
		before = hash_of(word, nr);
		word[nr - 1] = 1;
		assert_differ(hash_of(word, nr), before);
		word[nr - 1] = 0;
	}
	free(word);
}

static int cmp(const void *pa, const void *pb)
{
	const u64 a = *(const u64 *)pa, b = *(const u64 *)pb;

	return (a > b) - (a < b);
}

/* Of 2^33 pairs */
static void many_like_those_of_callchains_are_told_apart(void **state)
{
	u64 *half = malloc(NR * sizeof(*half));

	assert_non_null(half);
	for (u32 of = 0; of < 2; of++) {
		for (u64 i = 0; i < NR; i++) {
			const u64 word[] = { 0x7f0000000000 + i % 100, 0x7f0000000000 + i / 100 % 100, 0x550000000000 + i / 10000 };

			half[i] = hash_of(word, 3).half[of];
		}
		qsort(half, NR, sizeof(*half), cmp);
		for (u32 i = 1; i < NR; i++)
			assert_true(half[i] != half[i - 1]);
	}
	free(half);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_words_have_one_hash, begin, end),
		cmocka_unit_test_setup_teardown(each_word_counts, begin, end),
		cmocka_unit_test_setup_teardown(the_order_counts, begin, end),
		cmocka_unit_test_setup_teardown(the_number_and_what_is_apart_count, begin, end),
		cmocka_unit_test_setup_teardown(each_process_has_other_keys, begin, end),
		cmocka_unit_test_setup_teardown(keys_are_made_where_getrandom_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(the_longest_has_keys, begin, end),
		cmocka_unit_test_setup_teardown(many_like_those_of_callchains_are_told_apart, begin, end),
	};

	return cmocka_run_group_tests_name("lib/wide-hash", tests, NULL, NULL);
}

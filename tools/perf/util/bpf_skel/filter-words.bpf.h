/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* The tests that need more than one number (struct filter_words). Plain functions: the caller provides the inputs. */
#ifndef PERF_BPF_FILTER_WORDS_BPF_H
#define PERF_BPF_FILTER_WORDS_BPF_H

/*
 * Functions whose inputs are plain memory. In a program that does not know its table they may be global: the verifier then checks
 * each of them once, not for each call on each path, but their pointers must be checked for NULL.
 */
#ifndef FILTER_FUNCTION
#define FILTER_FUNCTION static __noinline __attribute__((unused)) /* not all programs need all of them */
#endif

static __always_inline bool filter_glob__matches(const volatile struct filter_words *words, __u32 index, const char *bytes,
						 const int size)
{
	const volatile struct filter_glob *g = &words->glob[index & (FILTER_MAX_GLOBS - 1)];
	__u32 state = 1;

	for (int i = 0; i < size && bytes[i]; i++)
		state = (state & g->step[(unsigned char)bytes[i]]) << 1 | (state & g->loop);
	return (state & g->final) != 0;
}

/* Both are padded with NULs, so compare whole words. */
static __always_inline bool filter_name__equals(const volatile struct filter_words *words, __u32 index, const char *name)
{
	const volatile __u64 *a = (const volatile __u64 *)words->name[index & (FILTER_MAX_NAMES - 1)];
	const __u64 *b = (const __u64 *)name;

	for (int i = 0; i < FILTER_FILE_LEN / 8; i++) {
		if (a[i] != b[i])
			return false;
	}
	return true;
}

/* Does the string, a buffer of FILTER_STRING_LEN, or of one that is longer than all texts it is compared with, begin with the text? */
static __always_inline bool filter_text__begins(const volatile struct filter_words *words, __u32 index, const char *string)
{
	const volatile struct filter_text *text = &words->text[index & (FILTER_MAX_TEXTS - 1)];
	const volatile __u64 *a = (const volatile __u64 *)text->bytes;
	const __u64 *b = (const __u64 *)string;
	__u64 left = text->len;

	for (int i = 0; i < FILTER_STRING_LEN / 8 && left; i++) {
		if (left < 8)
			return !((a[i] ^ b[i]) << (64 - 8 * left));
		if (a[i] != b[i])
			return false;
		left -= 8;
	}
	return true;
}

/*
 * Binary search. The verifier knows the set and would walk every path through it; zero, which it cannot compute, makes the paths
 * look alike.
 */
static __always_inline bool filter_set__has(const volatile struct filter_words *words, __u32 index, __u64 v)
{
	const volatile struct filter_set *set = &words->set[index & (FILTER_MAX_SETS - 1)];
	__u64 zero = v, begin, nr, half;

	barrier_var(zero);
	zero -= v;
	begin = set->begin + zero;
	nr = set->nr + zero;
	for (__u32 step = FILTER_MAX_RANGES; step && nr; step /= 2) {
		const volatile struct filter_range *r;

		half = nr / 2;
		r = &words->range[(begin + half) & (FILTER_MAX_RANGES - 1)];
		if (v < r->first) {
			nr = half;
		} else if (v > r->last) {
			begin += half + 1;
			nr -= half + 1;
		} else {
			return true;
		}
	}
	return false;
}

static __always_inline bool filter_every__hit(const volatile struct filter_words *words, __u32 index, __u64 *count)
{
	if (++*count < words->every[index & (FILTER_MAX_EVERYS - 1)])
		return false;
	*count = 0;
	return true;
}

FILTER_FUNCTION __u64 every_hit(const volatile struct filter_words *words, struct filter_counts *counts, __u32 index)
{
	return words && counts && filter_every__hit(words, index, &counts->every[index & (FILTER_MAX_EVERYS - 1)]);
}

#endif

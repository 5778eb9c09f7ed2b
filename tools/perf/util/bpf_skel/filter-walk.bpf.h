/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Walks through the kernel's data (struct filter_walk). Offsets come from user space, so only a program that its own user loads, with
 * the right to read the kernel's memory, may have this code: not the shared one.
 *
 * In the specialised engine the verifier knows the walk, and what remains is a load for each pointer and one for the value. Memory that is not
 * there, or is not the kernel's, reads as 0. A helper, which takes ten times as long, tells a value of 0 from none.
 */
#ifndef PERF_BPF_FILTER_WALK_BPF_H
#define PERF_BPF_FILTER_WALK_BPF_H

#include "filter-current.bpf.h"

/* What the walks of this sample have led to: numbers, and addresses of texts. */
struct filter_walked {
	__u64 value[FILTER_MAX_WALKS];
};

/* Where the walk begins; 0: there is no such argument. arguments may be NULL. */
static __always_inline __u64 walk_source(const volatile struct filter_walk *walk, const __u64 *arguments)
{
	__u32 argument = walk->source - FILTER_WALK_ARGUMENT;

	if (walk->source == FILTER_WALK_TASK)
		return bpf_get_current_task();
	return arguments && argument < FILTER_WALK_ARGUMENTS ? arguments[argument] : 0;
}

/* 8 bytes of the kernel's memory; 0 also if they cannot be read. A structure that begins with a number makes the verifier take any address. */
static __always_inline __u64 walk_load(__u64 address)
{
	const struct timespec64 *words;

	if ((__s64)address >= 0) /* of a task, which not every machine keeps apart */
		return 0;
	words = bpf_rdonly_cast((const void *)address, bpf_core_type_id_kernel(struct timespec64));
	return words->tv_sec;
}

/* A number of size bytes. false: it cannot be read. */
static __always_inline bool walk_number(__u64 address, __u32 size, __u64 *value)
{
	__u64 v = walk_load(address); /* of the bytes behind the number none may be there: then it is 0, too */

	if (!v)
		return size <= sizeof(*value) && !bpf_probe_read_kernel(value, size, (const void *)address);
	*value = size == 1 ? (__u8)v : size == 2 ? (__u16)v : size == 4 ? (__u32)v : v;
	return true;
}

static __always_inline bool walk_is_readable(__u64 address)
{
	char first;

	return walk_load(address) || !bpf_probe_read_kernel(&first, 1, (const void *)address);
}

static __always_inline __u64 in_order_of_host(__u64 v, __u32 size)
{
	return size == 2 ? __builtin_bswap16(v) : size == 4 ? __builtin_bswap32(v) : __builtin_bswap64(v);
}

/* The value at the end of the walk, where p is the last pointer. false: it cannot be read. */
static __always_inline bool walk_end(const volatile struct filter_walk *walk, __u64 p, __u64 *value)
{
	__u32 size = walk->size;
	__u64 v = 0;

	if (walk->kind == FILTER_WALK_DIRECT)
		v = p;
	else if (!p)
		return false;
	else if (walk->kind == FILTER_WALK_CHARS)
		v = p + walk->last;
	else if (walk->kind == FILTER_WALK_STRING)
		v = walk_load(p + walk->last);
	else if (!walk_number(p + walk->last, size, &v))
		return false;
	if (walk->kind >= FILTER_WALK_CHARS && (!v || !walk_is_readable(v)))
		return false;
	*value = walk->swap ? in_order_of_host(v, size) : v;
	return true;
}

/* Make the walk: does it lead to a value? A walk that does not is counted. */
static __noinline __u64 walk_has(const volatile struct filter_words *words, struct filter_counts *counts, const __u64 *arguments, __u32 index,
				 struct filter_walked *walked)
{
	const volatile struct filter_walk *walk;
	__u64 p;

	index &= FILTER_MAX_WALKS - 1;
	walk = &words->walk[index];
	p = walk_source(walk, arguments);
	for (__u32 i = 0; i < FILTER_WALK_STEPS && i < walk->nr_steps; i++) {
		if (!p)
			goto none;
		p = walk_load(p + walk->step[i]);
	}
	if (walk_end(walk, p, &walked->value[index]))
		return 1;
none:
	counts->valueless[index]++;
	return 0;
}

struct walk_string {
	char bytes[FILTER_WALK_TEXT_LEN] __attribute__((aligned(8)));
};

/* The tests of the text at an address that walk_has() has found. index: as for fields of a record */
static __noinline __u64 walk_test(const volatile struct filter_words *words, __u64 address, __u32 term, __u32 index)
{
	const volatile struct filter_walk *walk = &words->walk[index >> FILTER_FIELD_SHIFT & (FILTER_MAX_WALKS - 1)];
	__u32 which = index & FILTER_FIELD_WHICH, len = FILTER_WALK_TEXT_LEN - 1;
	struct walk_string string = {}; /* half of a field's: some callers have little room on the stack left */

	if (walk->kind == FILTER_WALK_CHARS && walk->size < len)
		len = walk->size;
	bpf_probe_read_kernel_str(string.bytes, len + 1, (const void *)address);
	if (term == FILTER_TERM_WALK_GLOB)
		return filter_glob__matches(words, which, string.bytes, FILTER_WALK_TEXT_LEN);
	return filter_text__begins(words, which, string.bytes);
}

static __always_inline __u64 walk_member(const volatile struct filter_words *words, struct filter_counts *counts, const __u64 *arguments,
					 struct filter_walked *walked, __u32 term, __u32 index)
{
	if (term == FILTER_TERM_WALK_HAS)
		return walk_has(words, counts, arguments, index, walked);
	return walk_test(words, walked->value[index >> FILTER_FIELD_SHIFT & (FILTER_MAX_WALKS - 1)], term, index);
}

#endif

/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Evaluates filters in BPF for samples that user space makes up, to compare the results of filter-table.bpf.h, or filter-loop.bpf.h,
 * and of filter-words.bpf.h with filter_table__eval(). The includer defines FILTER_SLOTS, or ORACLE_SHARED: the table is then in a
 * map, as with the shared engine.
 */
#include "util/bpf_skel/vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "util/bpf_skel/filter.h"
#include "util/bpf_skel/filter-words.bpf.h"
#include "tests/bpf/filter-oracle.h"

struct filter_source {
	const struct filter_sample *sample;
	const volatile struct filter_words *words;
	bool *undecided;
};

#define SB(bit) PERF_SAMPLE_##bit
#define GUARD_CASE(name, shown, bit, guard, ...) case FILTER_TERM_##name: return guard;

static __always_inline __u64 guard_of(__u32 term)
{
	switch (term) {
	FILTER_FIELDS(GUARD_CASE)
	default:
		return 0;
	}
}

static __always_inline __u64 member(const struct filter_sample *sample, __u32 term)
{
	__u64 guard = guard_of(term);

	if (term >= FILTER_TERM_INDEXED || (guard && !(sample->sample_flags & guard)))
		return 0;
	return sample->value[term];
}

static __noinline __u64 file_test(const struct filter_sample *sample, const volatile struct filter_words *words, __u32 term,
				  __u32 index, bool *undecided)
{
	if (sample->file_busy)
		*undecided = true;
	switch (term) {
	case FILTER_TERM_FILE_NAME:
		return filter_name__equals(words, index, sample->file);
	case FILTER_TERM_FILE_GLOB:
		return sample->file[0] && filter_glob__matches(words, index, sample->file, FILTER_FILE_LEN);
	case FILTER_TERM_OFFSET_SET:
		return filter_set__has(words, index, sample->value[FILTER_TERM_FILE_OFFSET]);
	default:
		return member(sample, term);
	}
}

static __noinline __u64 synthetic(const struct filter_sample *sample, const volatile struct filter_words *words, __u32 term,
				  __u32 index)
{
	__u64 count = sample->every;

	switch (term) {
	case FILTER_TERM_COMM_GLOB:
		return filter_glob__matches(words, index, (const char *)&sample->value[FILTER_TERM_COMM_LO], FILTER_COMM_LEN);
	case FILTER_TERM_IP_SET:
		return filter_set__has(words, index, member(sample, FILTER_TERM_IP));
	case FILTER_TERM_EVERY:
		return filter_every__hit(words, index, &count);
	case FILTER_TERM_CGROUP_AT:
		return index < FILTER_SAMPLE_LEVELS ? sample->cgroup_at[index] : 0;
	default:
		return member(sample, term);
	}
}

static __always_inline __u64 filter_source__fetch(struct filter_source *src, __u8 term, __u8 index)
{
	switch (term) {
	case FILTER_TERM_FILE_DEV ... FILTER_TERM_FILE_OFFSET:
	case FILTER_TERM_FILE_NAME:
	case FILTER_TERM_FILE_GLOB:
	case FILTER_TERM_OFFSET_SET:
		return file_test(src->sample, src->words, term, index, src->undecided);
	default:
		return synthetic(src->sample, src->words, term, index);
	}
}

#ifdef ORACLE_SHARED
#include "util/bpf_skel/filter-loop.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct filter_shared_table);
} shared_table SEC(".maps");

static __always_inline bool accepts(struct filter_source *src)
{
	const volatile struct filter_shared_table *table;
	__u32 zero = 0;

	table = bpf_map_lookup_elem(&shared_table, &zero);
	if (!table)
		return false;
	src->words = &table->words;
	return filter_entries__accept(src, table->entry);
}
#else
#include "util/bpf_skel/filter-table.bpf.h"

static __always_inline bool accepts(struct filter_source *src)
{
	src->words = &filter_words;
	return filter_table__accepts(src);
}
#endif

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ORACLE_SAMPLES);
	__type(key, __u32);
	__type(value, struct oracle_case);
} cases SEC(".maps");

static long judge(__u32 i, void *ctx)
{
	struct oracle_case *c = bpf_map_lookup_elem(&cases, &i);
	struct filter_source src;
	bool undecided = false;

	if (!c)
		return 1;
	src = (struct filter_source){ .sample = &c->sample, .undecided = &undecided };
	c->accepted = accepts(&src);
	c->accepted |= undecided;
	c->judged++;
	return 0;
}

SEC("syscall")
int judge_all(void *ctx)
{
	return bpf_loop(ORACLE_SAMPLES, judge, NULL, 0) == ORACLE_SAMPLES;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

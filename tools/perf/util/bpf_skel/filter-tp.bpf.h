/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The terms of a filter, read from the record of a tracepoint and from the task that hit it. The record is memory that the program
 * may load from, in the layout of the tracepoint's format: the program either makes it, or has it as context (programs of type
 * tracepoint). For a context the verifier requires constant offsets, so filter_record__copy() first copies the parts that the table
 * reads. The record's header, 8 bytes, is never read: the kernel fills it after BPF has run.
 */
#ifndef PERF_BPF_FILTER_TP_BPF_H
#define PERF_BPF_FILTER_TP_BPF_H

#include "filter-current.bpf.h"
#ifdef FILTER_WALKS
#include "filter-walk.bpf.h"
#endif

struct filter_source {
	const __u64 *record; /* words->record_len bytes, aligned to 8 */
	const void *origin;  /* base of the offsets of dynamic strings: the whole record, as a kernel address */
	__u64 mode;	     /* FILTER_MODE_*: the future cpumode of the sample */
	const volatile struct filter_words *words;
	struct filter_counts *counts;
#ifdef FILTER_WALKS
	const __u64 *arguments; /* of the tracepoint, FILTER_WALK_ARGUMENTS of them; NULL: none are known */
	struct filter_walked *walked;
#endif
};

#define FILTER_HAS_RECORD
#define filter_source__arguments(src) ((src)->arguments)

/* Copy the parts of a context that the table reads, for filter_source.record; origin is then the context itself. */
static __always_inline void filter_record__copy(__u64 record[FILTER_RECORD_WORDS], const volatile struct filter_words *words,
						const void *ctx)
{
	__u32 len = words->record_len;

	if (len && len <= FILTER_RECORD_LEN)
		bpf_probe_read_kernel(record, len, ctx);
}

struct filter_string {
	char bytes[FILTER_STRING_LEN] __attribute__((aligned(8)));
};

/*
 * A dynamic string is described by 4 bytes; the high 16 bits are its length, mostly including its NUL. A string in the task's memory
 * stays empty if its page is not there: programs cannot wait for it. Returns the length with the NUL, or a negative number.
 */
static __always_inline long filter_string__read(char *to, const __u32 size, const __u64 *record, const char *origin,
						const volatile struct filter_field_desc *field)
{
	__u32 offset = field->offset, len = field->size, loc;
	const char *from = (const char *)record;

	if (field->kind == FILTER_FIELD_USER_TEXT)
		return bpf_probe_read_user_str(to, size, (const void *)*(const __u64 *)(from + offset));
	if (field->kind != FILTER_FIELD_CHARS) {
		loc = *(const __u32 *)(from + offset);
		from = origin;
		offset = (loc & 0xffff) + (field->kind == FILTER_FIELD_REL_LOC ? offset + sizeof(loc) : 0);
		len = loc >> 16;
	}
	if (len > size - 1)
		len = size - 1;
	return bpf_probe_read_kernel_str(to, len + 1, from + offset);
}

/* The string is on the stack, since two programs on one CPU may run this code at a time. */
static __noinline __u64 field_test(const __u64 *record, const void *origin, const volatile struct filter_words *words, __u32 term,
				   __u32 index)
{
	__u32 field = index >> FILTER_FIELD_SHIFT & (FILTER_MAX_FIELDS - 1), which = index & FILTER_FIELD_WHICH;
	struct filter_string string = {};

	filter_string__read(string.bytes, FILTER_STRING_LEN, record, origin, &words->field[field]);
	if (term == FILTER_TERM_FIELD_GLOB)
		return filter_glob__matches(words, which, string.bytes, FILTER_STRING_LEN);
	return filter_text__begins(words, which, string.bytes);
}

#ifdef FILTER_WALKS
#define WALK_CASE(name) case FILTER_TERM_##name: goto walk;
#define WALK_READS + 1
#else
#define WALK_CASE(name)
#define WALK_READS
#endif
#define TRACEPOINT_CASE(name, shown, bit, guard, group, old, tracepoint, ...) FILTER_IF(tracepoint, YES,	\
	FILTER_IF(group, MEMBER, case FILTER_TERM_##name: return TRACEPOINT_##name;)				\
	FILTER_IF(group, CURRENT, case FILTER_TERM_##name: return CURRENT_##name;)				\
	FILTER_IF(group, TASK, case FILTER_TERM_##name: goto task;)				\
	FILTER_IF(group, RECORD, case FILTER_TERM_##name: goto field;)				\
	FILTER_IF(group, WALK, WALK_CASE(name))							\
	FILTER_IF(group, OTHER, case FILTER_TERM_##name: return TRACEPOINT_##name;))

static __always_inline __u64 filter_source__fetch(struct filter_source *src, __u8 term, __u8 index)
{
	switch (term) {
	case FILTER_TERM_RECORD ... FILTER_TERM_RECORD_LAST:
		return src->record[term - FILTER_TERM_RECORD];
	FILTER_FIELDS(TRACEPOINT_CASE)
	task:
		return task_member(term);
	FILTER_TESTS(TRACEPOINT_CASE)
	field:
		return field_test(src->record, src->origin, src->words, term, index);
#ifdef FILTER_WALKS
	case FILTER_TERM_WALK ... FILTER_TERM_WALK_LAST:
		return src->walked->value[term - FILTER_TERM_WALK];
	walk:
		return walk_member(src->words, src->counts, src->arguments, src->walked, term, index);
#endif
	default:
		return 0;
	}
}

#define TRACEPOINT_READS(name, shown, bit, guard, group, old, tracepoint, ...)						\
	[FILTER_TERM_##name] = 0 FILTER_IF(tracepoint, YES, FILTER_UNLESS(group, WALK, + 1)) FILTER_IF(group, WALK, WALK_READS),
FILTER_READS(TRACEPOINT_READS, [FILTER_TERM_RECORD ... FILTER_TERM_RECORD_LAST] = 1, [FILTER_TERM_WALK ... FILTER_TERM_WALK_LAST] = 0 WALK_READS);

#endif

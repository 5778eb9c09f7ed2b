/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Values that users name as parts of a key, or to be summed up. Include it after tally.bpf.h and a header with filter_source. They are
 * read like the terms of a filter, and the loader puts their walks and fields into the same table.
 */
#ifndef PERF_BPF_TALLY_VALUES_BPF_H
#define PERF_BPF_TALLY_VALUES_BPF_H

#include "filter-own.bpf.h"

#ifdef FILTER_WALKS
static __always_inline bool tally_value__walk(struct filter_source *src, const volatile struct tally_value *v)
{
	return walk_has(src->words, src->counts, filter_source__arguments(src), v->index, src->walked);
}

/* Of the text at the end of the walk, as much as there is room for; to is 0. */
static __always_inline void tally_value__copy(const struct filter_source *src, const volatile struct tally_value *v, __u64 *to)
{
	const volatile struct filter_walk *walk = &src->words->walk[v->index & (FILTER_MAX_WALKS - 1)];
	__u32 size = v->words * sizeof(*to);

	if (walk->kind == FILTER_WALK_CHARS && walk->size < size)
		size = walk->size + 1; /* as it may have no NUL */
	if (size && size <= TALLY_TEXT_WORDS * sizeof(*to))
		bpf_probe_read_kernel_str(to, size, (const void *)src->walked->value[v->index & (FILTER_MAX_WALKS - 1)]);
}
#else
#define tally_value__walk(src, v) false
#define tally_value__copy(src, v, to) (void)(to)
#endif

#ifdef FILTER_HAS_RECORD
static __always_inline bool tally_value__copy_field(const struct filter_source *src, const volatile struct tally_value *v, __u64 *to)
{
	const volatile struct filter_field_desc *field = &src->words->field[v->index & (FILTER_MAX_FIELDS - 1)];
	const __u32 size = v->words * sizeof(*to);

	return size && size <= TALLY_TEXT_WORDS * sizeof(*to) && filter_string__read((char *)to, size, src->record, src->origin, field) >= 0;
}
#endif

/* false: there is no such value, and to stays 0. */
static __always_inline bool tally_value__read(struct filter_source *src, const volatile struct tally_value *v, __u64 *to)
{
	switch (v->kind) {
	case TALLY_VALUE_WALK_TEXT:
		if (!tally_value__walk(src, v))
			return false;
		tally_value__copy(src, v, to);
		return true;
#ifdef FILTER_HAS_RECORD
	case TALLY_VALUE_FIELD_TEXT:
		return tally_value__copy_field(src, v, to);
#endif
	case TALLY_VALUE_WALK_NUMBER:
		if (!tally_value__walk(src, v))
			return false;
		break;
	case TALLY_VALUE_TERM:
		break;
	default:
		return false;
	}
	*to = histogram_number__read(&v->number, filter_source__fetch(src, own_term(src->words, v->number.term), 0));
	return true;
}

/* The value that is to be summed up in place of the period */
#define tally_sums (tally_config.value[TALLY_MAX_VALUES].kind != TALLY_VALUE_NONE)

static __always_inline void tally_record__sum(struct tally_record *r, __u64 value)
{
	if (tally_config.histogram.kind)
		tally_record__set_value(r, value);
	else
		r->period = value;
}

/*
 * All values of the record. false: it has none to put into a bucket. A hit without a value to sum up counts, and adds nothing. One loop, as
 * reading any term is much code.
 */
static __always_inline bool tally_values__fill(struct tally_record *r, struct filter_source *src)
{
	__u64 has = 0;

	if (!tally_config.nr_values && !tally_sums)
		return true;
	_Pragma("clang loop unroll(disable)")
	for (__u32 i = 0; i < TALLY_VALUE_WORDS && i < tally_config.value_words; i++)
		r->value[i] = 0;
	r->value[TALLY_VALUE_WORDS] = 0;
	_Pragma("clang loop unroll(disable)")
	for (__u32 i = 0; i <= TALLY_MAX_VALUES; i++) {
		const volatile struct tally_value *v = &tally_config.value[i];
		__u32 at = v->at;

		if (v->kind != TALLY_VALUE_NONE && at <= TALLY_VALUE_WORDS && tally_value__read(src, v, &r->value[at]))
			has |= 1ULL << i;
	}
	r->has = has & ((1ULL << TALLY_MAX_VALUES) - 1);
	if (!tally_sums)
		return true;
	tally_record__sum(r, r->value[TALLY_VALUE_WORDS]);
	return has >> TALLY_MAX_VALUES || !tally_config.histogram.kind;
}

#endif

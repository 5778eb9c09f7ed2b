// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "util/perfdata/sample.h"

static u64 *put_two_u32(u64 *dst, u32 first, u32 second)
{
	u32 half[2] = { first, second };

	memcpy(dst, half, sizeof(half));
	return dst + 1;
}

void sample_id__encode(void *dst, const struct perf_event_attr *attr, const struct perf_sample *s)
{
	u64 type = attr->sample_id_all ? attr->sample_type : 0;
	u64 *p = dst;

	if (type & PERF_SAMPLE_TID)
		p = put_two_u32(p, s->pid, s->tid);
	if (type & PERF_SAMPLE_TIME)
		*p++ = s->time;
	if (type & PERF_SAMPLE_ID)
		*p++ = s->id;
	if (type & PERF_SAMPLE_STREAM_ID)
		*p++ = s->stream_id;
	if (type & PERF_SAMPLE_CPU)
		p = put_two_u32(p, s->cpu, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		*p = s->id;
}

/* A word of size and data that start in its second half, up to a word's end. */
static size_t raw_words(const struct perf_sample *s)
{
	return (sizeof(u32) + s->raw_size + sizeof(u64) - 1) / sizeof(u64);
}

size_t perf_sample__size(const struct perf_event_attr *attr, const struct perf_sample *s)
{
	u64 type = attr->sample_type, variable = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW;
	size_t words = __builtin_popcountll(type & ~variable);

	if (type & PERF_SAMPLE_CALLCHAIN)
		words += 1 + s->nr_callchain;
	if (type & PERF_SAMPLE_RAW)
		words += raw_words(s);
	return sizeof(struct perf_event_header) + words * sizeof(u64);
}

static u64 *put_head(u64 *p, u64 type, const struct perf_sample *s)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		*p++ = s->id;
	if (type & PERF_SAMPLE_IP)
		*p++ = s->ip;
	if (type & PERF_SAMPLE_TID)
		p = put_two_u32(p, s->pid, s->tid);
	if (type & PERF_SAMPLE_TIME)
		*p++ = s->time;
	if (type & PERF_SAMPLE_ADDR)
		*p++ = s->addr;
	if (type & PERF_SAMPLE_ID)
		*p++ = s->id;
	if (type & PERF_SAMPLE_CPU)
		p = put_two_u32(p, s->cpu, 0);
	if (type & PERF_SAMPLE_PERIOD)
		*p++ = s->period;
	return p;
}

static u64 *put_callchain(u64 *p, const struct perf_sample *s)
{
	*p++ = s->nr_callchain;
	if (s->nr_callchain)
		memcpy(p, s->callchain, s->nr_callchain * sizeof(u64));
	return p + s->nr_callchain;
}

static u64 *put_raw(u64 *p, const struct perf_sample *s)
{
	size_t words = raw_words(s);

	p[words - 1] = 0;
	memcpy(p, &s->raw_size, sizeof(u32));
	if (s->raw_size)
		memcpy((u8 *)p + sizeof(u32), s->raw, s->raw_size);
	return p + words;
}

void perf_sample__encode(void *dst, const struct perf_event_attr *attr, const struct perf_sample *s)
{
	const struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE, .misc = s->misc, .size = perf_sample__size(attr, s),
	};
	u64 *p = (u64 *)((u8 *)dst + sizeof(header)), type = attr->sample_type;

	memcpy(dst, &header, sizeof(header));
	p = put_head(p, type, s);
	if (type & PERF_SAMPLE_CALLCHAIN)
		p = put_callchain(p, s);
	if (type & PERF_SAMPLE_RAW)
		p = put_raw(p, s);
	if (type & PERF_SAMPLE_WEIGHT)
		*p++ = s->weight;
	if (type & PERF_SAMPLE_CGROUP)
		*p = s->cgroup;
}

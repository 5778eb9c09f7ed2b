// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "util/perfdata/sample.h"

/* Kernel 6.8: branch counters follow the entries. */
#define PERF_SAMPLE_BRANCH_COUNTERS_ (1U << 19)

#define SAMPLE_ID_TYPES                                                                                  \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_IDENTIFIER)
#define SAMPLE_KNOWN_TYPES (((u64)PERF_SAMPLE_WEIGHT_STRUCT << 1) - 1)
#define SAMPLE_HEAD_TYPES                                                                                                  \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/*
 * The record's words that are not yet decoded. Reading beyond them sets `broken` and returns zeroes, so the decoders check only
 * once, at their end.
 */
struct words {
	const u64 *next;
	u64 left;
	bool broken;
};

static const u64 *take(struct words *w, u64 nr)
{
	const u64 *p = w->next;

	if (nr > w->left) {
		w->broken = true;
		w->left = 0;
		return NULL;
	}
	w->next += nr;
	w->left -= nr;
	return nr ? p : NULL;
}

static u64 take_u64(struct words *w)
{
	const u64 *p = take(w, 1);

	return p ? *p : 0;
}

static void two_u32(const u64 *word, u32 *first, u32 *second)
{
	u32 half[2];

	memcpy(half, word, sizeof(half));
	*first = half[0];
	*second = half[1];
}

static void take_two_u32(struct words *w, u32 *first, u32 *second)
{
	const u64 word = take_u64(w);

	two_u32(&word, first, second);
}

/* Take `size` bytes, padded to a word as the kernel does; NULL if there are none. */
static const void *take_bytes(struct words *w, u64 size)
{
	if (size > w->left * sizeof(u64)) {
		w->broken = true;
		return NULL;
	}
	return take(w, (size + 7) / sizeof(u64));
}

static void take_read(struct words *w, struct perf_sample *s, u64 format)
{
	u64 times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	u64 each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);

	if (format & PERF_FORMAT_GROUP) {
		u64 nr = w->left ? *w->next : 0;

		if (nr > w->left) {
			w->broken = true;
			return;
		}
		s->nr_read = 1 + times + nr * each;
	} else {
		s->nr_read = times + each;
	}
	s->read = take(w, s->nr_read);
}

static void take_callchain(struct words *w, struct perf_sample *s)
{
	s->nr_callchain = take_u64(w);
	s->callchain = take(w, s->nr_callchain);
}

/* The size is in the first half of a word, the data start in its second half. */
static void take_raw(struct words *w, struct perf_sample *s)
{
	const u64 *start = w->next;
	u32 size, unused;

	take_two_u32(w, &size, &unused);
	s->raw_size = size;
	if (w->broken || !size)
		return;
	s->raw = (const u8 *)start + sizeof(u32);
	if (size > sizeof(u32))
		take_bytes(w, size - sizeof(u32));
}

static void take_branches(struct words *w, struct perf_sample *s, u64 type, bool empty_has_hw_idx)
{
	const u64 words_each = sizeof(struct perf_branch_entry) / sizeof(u64);

	s->nr_branch = take_u64(w);
	if (s->nr_branch > w->left) {
		w->broken = true;
		return;
	}
	if (type & PERF_SAMPLE_BRANCH_HW_INDEX && (s->nr_branch || empty_has_hw_idx))
		s->branch_hw_idx = take_u64(w);
	s->branch = (const void *)take(w, s->nr_branch * words_each);
	if (type & PERF_SAMPLE_BRANCH_COUNTERS_)
		s->branch_counters = take(w, s->nr_branch);
}

static const u64 *take_regs(struct words *w, u64 *abi, u64 *mask, u64 attr_mask)
{
	*abi = take_u64(w);
	*mask = attr_mask;
	return *abi == PERF_SAMPLE_REGS_ABI_NONE ? NULL : take(w, __builtin_popcountll(attr_mask));
}

static void take_user_stack(struct words *w, struct perf_sample *s)
{
	u64 room = take_u64(w);

	if (!room)
		return;
	s->user_stack_room = room;
	s->user_stack = take_bytes(w, room);
	s->user_stack_size = take_u64(w);
	if (s->user_stack_size > room)
		w->broken = true;
}

static void take_user_state(struct words *w, struct perf_sample *s, const struct perf_event_attr *attr)
{
	s->user_state = w->next;
	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		s->user_regs = take_regs(w, &s->user_regs_abi, &s->user_regs_mask, attr->sample_regs_user);
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		take_user_stack(w, s);
	s->user_state_size = (const char *)w->next - (const char *)s->user_state;
}

static void take_aux(struct words *w, struct perf_sample *s)
{
	s->aux_size = take_u64(w);
	s->aux = take_bytes(w, s->aux_size);
}

/* Decode the parts of fixed size before READ: SAMPLE_HEAD_TYPES, one word for each. */
static void take_head(struct words *w, struct perf_sample *s, u64 type)
{
	const u64 *word = take(w, __builtin_popcountll(type & SAMPLE_HEAD_TYPES));
	u32 unused;

	if (!word)
		return;
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->id = *word++;
	if (type & PERF_SAMPLE_IP)
		s->ip = *word++;
	if (type & PERF_SAMPLE_TID)
		two_u32(word++, &s->pid, &s->tid);
	if (type & PERF_SAMPLE_TIME)
		s->time = *word++;
	if (type & PERF_SAMPLE_ADDR)
		s->addr = *word++;
	if (type & PERF_SAMPLE_ID)
		s->id = *word++;
	if (type & PERF_SAMPLE_STREAM_ID)
		s->stream_id = *word++;
	if (type & PERF_SAMPLE_CPU)
		two_u32(word++, &s->cpu, &unused);
	if (type & PERF_SAMPLE_PERIOD)
		s->period = *word;
}

/* Decode READ to STACK_USER: parts that contain their own size. */
static void take_middle(struct words *w, struct perf_sample *s, const struct perf_event_attr *attr, bool empty_has_hw_idx)
{
	u64 type = attr->sample_type;

	if (type & PERF_SAMPLE_READ)
		take_read(w, s, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_callchain(w, s);
	if (type & PERF_SAMPLE_RAW)
		take_raw(w, s);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(w, s, attr->branch_sample_type, empty_has_hw_idx);
	take_user_state(w, s, attr);
}

static void take_rest(struct words *w, struct perf_sample *s, const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type;

	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		s->weight = take_u64(w);
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_src = take_u64(w);
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = take_u64(w);
	if (type & PERF_SAMPLE_REGS_INTR)
		s->intr_regs = take_regs(w, &s->intr_regs_abi, &s->intr_regs_mask, attr->sample_regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = take_u64(w);
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = take_u64(w);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = take_u64(w);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = take_u64(w);
	if (type & PERF_SAMPLE_AUX)
		take_aux(w, s);
}

static void sample__init(struct perf_sample *s, const union perf_record *record, u64 types)
{
	memset(s, 0, sizeof(*s));
	s->sample_type = types;
	s->misc = record->header.misc;
	s->cpumode = s->misc & PERF_RECORD_MISC_CPUMODE_MASK;
}

/* Returns the number of unused words, or -EINVAL. */
static s64 decode(struct perf_sample *s, const struct perf_event_attr *attr, const union perf_record *record,
		  bool empty_has_hw_idx)
{
	struct words w = {
		.next = (const u64 *)(&record->header + 1),
		.left = (record->header.size - sizeof(record->header)) / sizeof(u64),
	};

	sample__init(s, record, attr->sample_type & SAMPLE_KNOWN_TYPES);
	s->period = attr->sample_period;
	take_head(&w, s, attr->sample_type);
	if (attr->sample_type & ~(u64)SAMPLE_HEAD_TYPES) {
		take_middle(&w, s, attr, empty_has_hw_idx);
		take_rest(&w, s, attr);
	}
	s->count = s->misc & PERF_RECORD_MISC_SAMPLES_COUNTED_ && s->weight ? s->weight : 1;
	return w.broken ? -EINVAL : (s64)w.left;
}

/*
 * A branch stack without entries has two forms (kernel/events/core.c, perf_output_sample): an empty stack of the PMU has hw_idx, but
 * if the PMU had no stack at all only nr is there. Only the record's size distinguishes them.
 */
static bool may_lack_hw_idx(const struct perf_sample *s, const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_BRANCH_STACK && attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX &&
	       !s->nr_branch;
}

static bool is_whole(const union perf_record *record)
{
	return record->header.size >= sizeof(record->header) && record->header.size % sizeof(u64) == 0;
}

int perf_sample__decode(struct perf_sample *sample, const struct perf_event_attr *attr, const union perf_record *record)
{
	struct perf_sample other;
	s64 left;

	if (record->header.type != PERF_RECORD_SAMPLE || !is_whole(record))
		return -EINVAL;
	left = decode(sample, attr, record, true);
	if (left && may_lack_hw_idx(sample, attr) && decode(&other, attr, record, false) == 0) {
		*sample = other;
		return 0;
	}
	return left < 0 ? -EINVAL : 0;
}

size_t sample_id__size(const struct perf_event_attr *attr)
{
	return attr->sample_id_all ? __builtin_popcountll(attr->sample_type & SAMPLE_ID_TYPES) * sizeof(u64) : 0;
}

bool sample_id__is_same(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->sample_id_all == b->sample_id_all && !((a->sample_type ^ b->sample_type) & SAMPLE_ID_TYPES);
}

static size_t used_size(const union perf_record *record, size_t tail)
{
	return perf_record__check(record) ? record->header.size : perf_record__used_size(record, tail);
}

int perf_sample__decode_id(struct perf_sample *s, const struct perf_event_attr *attr, const union perf_record *record)
{
	size_t size = record->header.type < PERF_RECORD_HEADER_ATTR ? sample_id__size(attr) : 0;
	u64 type = size ? attr->sample_type & SAMPLE_ID_TYPES : 0;
	struct words w = { .left = size / sizeof(u64) };
	u32 unused;

	if (record->header.type == PERF_RECORD_SAMPLE || (size && !is_whole(record)) ||
	    record->header.size < sizeof(record->header) + size)
		return -EINVAL;
	sample__init(s, record, type);
	w.next = (const u64 *)((const u8 *)record + used_size(record, size) - size);
	if (type & PERF_SAMPLE_TID)
		take_two_u32(&w, &s->pid, &s->tid);
	if (type & PERF_SAMPLE_TIME)
		s->time = take_u64(&w);
	if (type & PERF_SAMPLE_ID)
		s->id = take_u64(&w);
	if (type & PERF_SAMPLE_STREAM_ID)
		s->stream_id = take_u64(&w);
	if (type & PERF_SAMPLE_CPU)
		take_two_u32(&w, &s->cpu, &unused);
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->id = take_u64(&w);
	return 0;
}

int sample__id_pos(u64 sample_type)
{
	const u64 before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;

	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	return sample_type & PERF_SAMPLE_ID ? __builtin_popcountll(sample_type & before) : -1;
}

int sample_id__id_pos(u64 sample_type)
{
	const u64 after = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;

	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		return 1;
	return sample_type & PERF_SAMPLE_ID ? 1 + __builtin_popcountll(sample_type & after) : -1;
}

int sample__tid_pos(const struct perf_event_attr *attr)
{
	const u64 before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP;

	return attr->sample_type & PERF_SAMPLE_TID ? __builtin_popcountll(attr->sample_type & before) : -1;
}

int sample__time_pos(const struct perf_event_attr *attr)
{
	const u64 before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;

	return attr->sample_type & PERF_SAMPLE_TIME ? __builtin_popcountll(attr->sample_type & before) : -1;
}

int sample__callchain_pos(const struct perf_event_attr *attr)
{
	const u64 before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			   PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;

	if (!(attr->sample_type & PERF_SAMPLE_CALLCHAIN) || attr->sample_type & PERF_SAMPLE_READ)
		return -1;
	return __builtin_popcountll(attr->sample_type & before);
}

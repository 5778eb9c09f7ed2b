/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PERF_RECORD_SAMPLE and the sample_id tail of other records, decoded and encoded by attr.sample_type. Layout: perf_event_open(2),
 * "PERF_RECORD_SAMPLE" and "struct sample_id". Records are aligned to 8 bytes.
 */
#ifndef PERF_PERFDATA_SAMPLE_H
#define PERF_PERFDATA_SAMPLE_H

#include <stdbool.h>
#include <linux/perf_event.h>
#include "util/perfdata/record.h"

struct perf_sample {
	u64 sample_type;	/* which of the following members the record has */
	u64 ip;
	u32 pid, tid;
	u64 time;		/* in ns, by the recording's clock */
	u64 addr;
	u64 id, stream_id;
	u32 cpu;
	u64 period;
	u64 count;		/* number of samples that it stands for: 1, or the weight of a counted sample */
	u64 weight;		/* as PERF_SAMPLE_WEIGHT, or the three parts of WEIGHT_STRUCT (union perf_sample_weight) */
	u64 data_src;
	u64 transaction;
	u64 phys_addr;
	u64 cgroup;
	u64 data_page_size, code_page_size;
	u16 misc;		/* header.misc */
	u8 cpumode;		/* misc & PERF_RECORD_MISC_CPUMODE_MASK */
	const u64 *callchain;	/* nr_callchain entries, PERF_CONTEXT_* markers among them; points into the record */
	u64 nr_callchain;
	const u64 *read;	/* PERF_SAMPLE_READ: nr_read words in the layout of attr.read_format; points into the record */
	u64 nr_read;
	const void *raw;	/* points into the record */
	u32 raw_size;
	const struct perf_branch_entry *branch;
	u64 nr_branch, branch_hw_idx;
	const u64 *branch_counters; /* nr_branch of them, or NULL */
	u64 user_regs_abi, user_regs_mask;
	const u64 *user_regs;
	const void *user_state; /* both parts, REGS_USER and STACK_USER, as they are in the record: user_state_size bytes */
	size_t user_state_size;
	u64 intr_regs_abi, intr_regs_mask;
	const u64 *intr_regs;
	const void *user_stack;
	u64 user_stack_size;	/* valid bytes (dyn_size) */
	u64 user_stack_room;	/* bytes that were asked for: a full copy may lack the rest of the stack */
	const void *aux;
	u64 aux_size;
};

/*
 * The cookie of a sample whose user callchain comes in a CALLCHAIN_DEFERRED record: it follows PERF_CONTEXT_USER_DEFERRED at the end
 * of the callchain. NULL: the callchain is complete.
 */
static inline const u64 *perf_sample__deferred_cookie(const struct perf_sample *sample)
{
	const u64 *word;

	if (sample->nr_callchain < 2)
		return NULL;
	word = sample->callchain + sample->nr_callchain - 2;
	return word[0] == PERF_CONTEXT_USER_DEFERRED_ ? &word[1] : NULL;
}

/*
 * -EINVAL if the record is too short for its sample_type. Missing members are zero, except period, which is attr's sample_period.
 */
int perf_sample__decode(struct perf_sample *sample, const struct perf_event_attr *attr, const union perf_record *record);

/*
 * Decode the sample_id tail (attr.sample_id_all) of a record that is not a sample: fills pid, tid, time, id, stream_id, cpu, and
 * misc. Records of types above 63 have no tail; without one the members are zero. -EINVAL if it does not fit.
 */
int perf_sample__decode_id(struct perf_sample *sample, const struct perf_event_attr *attr, const union perf_record *record);
/* Is the sample_id tail of both events' records the same? */
bool sample_id__is_same(const struct perf_event_attr *a, const struct perf_event_attr *b);

/* Size of that tail in bytes; write it at dst. */
size_t sample_id__size(const struct perf_event_attr *attr);
void sample_id__encode(void *dst, const struct perf_event_attr *attr, const struct perf_sample *sample);

/*
 * Write the whole SAMPLE record of a sample, including the header; misc is used as it is. attr.sample_type must be a subset of
 * SAMPLE_ENCODED_TYPES. perf_sample__size: its size in bytes, a multiple of 8; at most PERF_RECORD_MAX_SIZE can be written.
 */
#define SAMPLE_ENCODED_TYPES                                                                                               \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_CGROUP)
#define PERF_RECORD_MAX_SIZE 65528 /* header.size has 16 bits */
size_t perf_sample__size(const struct perf_event_attr *attr, const struct perf_sample *sample);
void perf_sample__encode(void *dst, const struct perf_event_attr *attr, const struct perf_sample *sample);

/*
 * Positions in a SAMPLE, in u64s after the header: of pid and tid (one u64), the time, the callchain's count. -1: it has none, or
 * their position varies.
 */
int sample__tid_pos(const struct perf_event_attr *attr);
int sample__time_pos(const struct perf_event_attr *attr);
int sample__callchain_pos(const struct perf_event_attr *attr);

/* The position of the id, for finding a record's event before its attr is known. */
int sample__id_pos(u64 sample_type);	 /* in u64s after the header of a SAMPLE; -1: none */
int sample_id__id_pos(u64 sample_type);	 /* in u64s back from the end of other records, 1 = last; -1: none */

#endif

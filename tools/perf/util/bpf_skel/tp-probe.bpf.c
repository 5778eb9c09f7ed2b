// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Records or counts a uprobe or a kprobe. Samples are the same as those of perf's own event, as far as BPF can: of a uprobe with the
 * user's part of the callchain.
 */
#include "tp-common.bpf.h"
#include "probe-record.bpf.h"

#define RECORD_AT (2 * TP_HEAD_ROOM + TP_MAX_RAW / 16) /* of the record in the scratch; head and callchain are put before it */

/* Returns the number of words written. */
static __always_inline __u32 put_stack(void *ctx, __u64 *chain)
{
	__u32 nr = 0;
	long size;

	if (!sample_layout__has(PERF_SAMPLE_CALLCHAIN))
		return 0;
	if (tp_config.probe.in_kernel)
		return put_callchain(ctx, chain);
	size = user_stack(ctx, chain + 2, TP_MAX_STACK * TP_FRAME_SIZE);
	if (size > 0)
		nr = size / TP_FRAME_SIZE & (TP_HEAD_ROOM - 1);
	chain[0] = nr + 1;
	chain[1] = PERF_CONTEXT_USER;
	return nr + 2;
}

/* The raw part: 4 bytes of size, then the record. Returns the number of words written. */
static __always_inline __u32 put_raw(__u64 *at, const __u64 *record, struct task_struct *task)
{
	__u64 entry = trace_entry(task);
	__u32 size = tp_config.raw_size, added = tp_config.added;

	at[0] = (size + added) | entry << 32;
	at[1] = entry >> 32;
	if (size < 8 || size > FILTER_RECORD_LEN + 4 || added > TP_MAX_ADDED)
		return 2;
	bpf_probe_read_kernel((char *)at + 12 + added, size - 8, record + 1);
	return (size + added + 4) / 8;
}

static __always_inline void write_sample(void *ctx, struct task_struct *task, struct tp_scratch *scratch, struct tp_counts *counts)
{
	__u32 words = sample_head__words();

	words += put_stack(ctx, scratch->word + words);
	words &= 2 * TP_HEAD_ROOM - 1;
	scratch->raw = words;
	words += put_raw(scratch->word + words, scratch->word + RECORD_AT, task);
	tp_added__put(scratch);
	sample_head__put(scratch->word, &scratch->head, words * 8);
	tp__send_stack(counts, scratch, words * 8);
}

static __always_inline void hit(void *ctx, struct task_struct *task, struct tp_counts *counts)
{
	struct tp_scratch *scratch;
	__u64 *record;
	__u32 zero = 0;

	scratch = bpf_map_lookup_elem(&tp_scratch, &zero);
	if (!scratch)
		return;
	record = scratch->word + RECORD_AT;
	probe_record__fill(record, &tp_config.probe, tp_config.written ? FILTER_RECORD_LEN : filter_words.record_len, ctx);
	if (!tp__judge(counts, record, record, probe_mode(&tp_config.probe), NULL))
		return;
	if (!tp_config.counted && !tp_config.written) { /* their number is all */
		counts->kept += !tp_config.filtered;
		return;
	}
	sample_head__fill(&scratch->head, task, probe_register(ctx, tp_config.probe.ip),
			  tp_config.probe.in_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	if (tp_config.counted)
		tp__count(ctx, &scratch->head, TP_COUNT_TAKE | TP_COUNT_ADD);
	if (tp_config.written)
		write_sample(ctx, task, scratch, counts);
}

SEC("kprobe")
int tp_record(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tp_counts *counts = tp__enter(task);

	if (!counts || !tp_counts__claim(counts))
		return probe_result(&tp_config.probe);
	hit(ctx, task, counts);
	tp_counts__release(counts);
	return probe_result(&tp_config.probe);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Histograms of tracepoints: of a number in their records, or of the time from a hit of one to the hit of another with the same key.
 * The user-space side is source/histogram-source.c.
 *
 * There is a program for each place and kind of tracepoint; histogram_hooks, a constant for the verifier, empties the unused ones.
 * Programs for one place share scratch memory, since only one of them is attached. On a CPU no program is interrupted by itself, nor
 * is one of type tracepoint by another one: the kernel then skips the second, and counts it as missed.
 *
 * Programs take time to load, even empty ones, so variants have those only that mostly go together: HISTOGRAM_PROGRAMS.
 */
#include "tp-hit.bpf.h"
#include "syscall-hook.bpf.h"
#include "probe-record.bpf.h"
#include "tp-tally.bpf.h"

#define HAS_FIRST_ENTER (HISTOGRAM_PROGRAMS & 1)
#define HAS_FIRST_EXIT (HISTOGRAM_PROGRAMS & 2)
#define HAS_FIRST_ANY (HISTOGRAM_PROGRAMS & 4)
#define HAS_FIRST_PROBE (HISTOGRAM_PROGRAMS & 8)
#define HAS_SECOND_ENTER (HISTOGRAM_PROGRAMS & 0x10)
#define HAS_SECOND_EXIT (HISTOGRAM_PROGRAMS & 0x20)
#define HAS_SECOND_ANY (HISTOGRAM_PROGRAMS & 0x40)
#define HAS_SECOND_PROBE (HISTOGRAM_PROGRAMS & 0x80)

const volatile struct histogram_hooks histogram_hooks;
const volatile struct tp_config second_config;
const volatile struct latency_config latency_config;

struct latency_key {
	__u64 part[LATENCY_MAX_KEYS];
};

struct latency_start {
	__u64 time;
	struct tally_key who; /* attributes of the task that started it */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* the loader sets the size */
	__type(key, struct latency_key);
	__type(value, struct latency_start);
} latency_starts SEC(".maps");

/* Where the task is the only key, and may sleep: it has room for one. A search, an insertion and a deletion take most of a hit's time. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct latency_start);
} latency_own_starts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct latency_counts);
} latency_counts SEC(".maps");

struct histogram_scratch {
	__u64 record[FILTER_RECORD_WORDS];
	struct latency_start start;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct histogram_scratch);
} histogram_scratch SEC(".maps");

struct syscall_record {
	__u64 word[2 + TP_MAX_ARGS]; /* header, number, values; see tp-syscall.bpf.h */
};

static __always_inline struct histogram_scratch *histogram_scratch__get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&histogram_scratch, &zero);
}

static __always_inline struct latency_counts *latency_counts__get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&latency_counts, &zero);
}

static __always_inline __u64 read_number(const volatile struct histogram_number *number, struct filter_source *src)
{
	return histogram_number__read(number, filter_source__fetch(src, number->term, 0));
}

/* Not inlined: reading a field takes 256 bytes of the stack, which is not more than 512 bytes with all callers. */
static __noinline int latency_key__fill(struct latency_key *key, const volatile struct histogram_number *number, struct filter_source *src)
{
	for (int i = 0; i < LATENCY_MAX_KEYS; i++)
		key->part[i] = i < latency_config.nr_keys ? read_number(&number[i], src) : 0;
	return 0;
}

/* A start replaces an earlier one with the same key: an end belongs to the latest start. */
static __always_inline bool store(struct filter_source *src)
{
	struct histogram_scratch *scratch = histogram_scratch__get();
	struct latency_key key;

	if (!scratch)
		return false;
	latency_key__fill(&key, latency_config.start, src);
	tally_key__fill(&scratch->start.who, src);
	scratch->start.time = bpf_ktime_get_ns();
	return !bpf_map_update_elem(&latency_starts, &key, &scratch->start, BPF_ANY);
}

static __always_inline bool store_own(struct filter_source *src)
{
	struct latency_start *start;

	start = bpf_task_storage_get(&latency_own_starts, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!start)
		return false;
	tally_key__fill(&start->who, src);
	start->time = bpf_ktime_get_ns();
	return true;
}

static __always_inline void remember(struct filter_source *src)
{
	struct latency_counts *counts = latency_counts__get();

	if (!counts)
		return;
	if (latency_config.own ? store_own(src) : store(src))
		counts->starts++;
	else
		counts->lost++;
}

static __always_inline void show(struct filter_source *src)
{
	struct tally_scratch *s = tally_scratch__get();

	if (!s)
		return;
	tally_key__fill(&s->record.key, src); /* a histogram has no use for the time */
	tally_record__set_value(&s->record, read_number(&tally_config.histogram.number, src));
	tally__add(s);
}

/*
 * record: the part that the table reads; origin: see filter-tp.bpf.h. Not inlined: callers have little room on the stack left for those
 * that they call.
 */
static __noinline bool keeps(struct tp_counts *counts, const __u64 *record, const void *origin, __u64 mode)
{
	struct filter_walked walked;
	struct filter_source src = {
		.record = record,
		.origin = origin,
		.mode = mode,
		.words = &filter_words,
		.counts = &counts->filter,
		.walked = &walked,
	};

	return tp__accepts(counts, &src);
}

static __always_inline void hit_first(struct tp_counts *counts, const __u64 *record, const void *origin, __u64 mode)
{
	struct filter_source src = {
		.record = record,
		.origin = origin,
		.mode = mode,
		.words = &filter_words,
		.counts = &counts->filter,
	};

	if (!keeps(counts, record, origin, mode))
		return;
	if (!tp_config.filtered)
		counts->kept++;
	if (histogram_hooks.second == HISTOGRAM_HOOK_NONE)
		show(&src);
	else
		remember(&src);
}

static __always_inline void set_time(void *ctx, struct tally_scratch *s, const struct latency_start *start, __u64 mode, __u64 now)
{
	s->record.time = now;
	s->record.key = start->who;
	tally_record__set_value(&s->record, now > start->time ? now - start->time : 0);
	if (latency_config.stack_over && s->record.period >= latency_config.stack_over)
		take_stacks(s, ctx, mode == FILTER_MODE_KERNEL);
}

/* false: there is no start. Of two ends at the same time, the one that deletes the start counts. */
static __always_inline bool end(void *ctx, struct tally_scratch *s, const __u64 *record, __u64 mode, __u64 now)
{
	struct filter_source src = { .record = record, .mode = mode, .words = &filter_words };
	struct latency_start *start;
	struct latency_key key;

	latency_key__fill(&key, latency_config.end, &src);
	start = bpf_map_lookup_elem(&latency_starts, &key);
	if (!start)
		return false;
	set_time(ctx, s, start, mode, now);
	return !bpf_map_delete_elem(&latency_starts, &key);
}

static __always_inline bool end_own(void *ctx, struct task_struct *task, struct tally_scratch *s, __u64 mode, __u64 now)
{
	struct latency_start *start = bpf_task_storage_get(&latency_own_starts, task, 0, 0);

	if (!start || !start->time)
		return false;
	set_time(ctx, s, start, mode, now);
	start->time = 0;
	return true;
}

/* The task that ends it need not be in the target: interrupts hit any task. Ends without a start count only for the target's tasks. */
static __always_inline void hit_second(void *ctx, struct task_struct *task, const __u64 *record, __u64 mode, __u64 now)
{
	struct latency_counts *counts = latency_counts__get();
	struct tally_scratch *s = tally_scratch__get();

	if (!counts || !s || !tp_running)
		return;
	if (latency_config.own ? end_own(ctx, task, s, mode, now) : end(ctx, s, record, mode, now)) {
		counts->ends++;
		tally__add(s);
	} else if (target__has_cpu(bpf_get_smp_processor_id()) && target__has(task)) {
		counts->lone_ends++;
	}
}

#if HISTOGRAM_PROGRAMS & 0x33
static __always_inline bool is_call(const volatile struct tp_config *config, __u32 nr)
{
	return config->syscall == TP_ALL_SYSCALLS || nr == config->syscall;
}

static __always_inline bool is_seen(const volatile struct tp_config *config, struct task_struct *task)
{
	return config->syscall == TP_ALL_SYSCALLS || !is_compat(task);
}
#endif

#if HAS_FIRST_ENTER
static __always_inline void enter_first(void *ctx, __u32 nr)
{
	struct histogram_scratch *scratch; /* what the filter calls leaves the stack no room for a record */
	struct task_struct *task;
	struct tp_counts *counts;

	if (histogram_hooks.first != HISTOGRAM_HOOK_ENTER || !is_call(&tp_config, nr))
		return;
	task = bpf_get_current_task_btf();
	counts = tp__enter(task);
	if (!counts || !is_seen(&tp_config, task))
		return;
	scratch = histogram_scratch__get();
	if (!scratch)
		return;
	scratch->record[1] = nr;
	syscall_arguments__read(syscall_regs(ctx), scratch->record + 2, tp_config.nr_values);
	hit_first(counts, scratch->record, scratch->record, FILTER_MODE_USER);
}
SYSCALL_ENTER(first_enter, enter_first)
#endif

#if HAS_FIRST_EXIT
static __always_inline void exit_first(void *ctx, __u32 nr, long ret)
{
	struct histogram_scratch *scratch;
	struct task_struct *task;
	struct tp_counts *counts;

	if (histogram_hooks.first != HISTOGRAM_HOOK_EXIT || !is_call(&tp_config, nr))
		return;
	task = bpf_get_current_task_btf();
	counts = tp__enter(task);
	if (!counts || !is_seen(&tp_config, task))
		return;
	scratch = histogram_scratch__get();
	if (!scratch)
		return;
	scratch->record[1] = nr;
	scratch->record[2] = ret;
	hit_first(counts, scratch->record, scratch->record, FILTER_MODE_USER);
}
SYSCALL_EXIT(first_exit, exit_first)
#endif

#if HAS_FIRST_ANY
/* Returns 1, since 0 would hide the hit from other users of the tracepoint. */
SEC("tracepoint")
int first_any(void *ctx)
{
	struct histogram_scratch *scratch;
	struct tp_counts *counts;

	if (histogram_hooks.first != HISTOGRAM_HOOK_ANY)
		return 1;
	counts = tp__enter(bpf_get_current_task_btf());
	scratch = histogram_scratch__get();
	if (!counts || !scratch)
		return 1;
	filter_record__copy(scratch->record, &filter_words, ctx);
	hit_first(counts, scratch->record, ctx, FILTER_MODE_KERNEL);
	return 1;
}
#endif

#if HAS_FIRST_PROBE
SEC("kprobe")
int first_probe(void *ctx)
{
	struct histogram_scratch *scratch;
	struct tp_counts *counts;

	if (histogram_hooks.first != HISTOGRAM_HOOK_PROBE)
		return probe_result(&tp_config.probe);
	counts = tp__enter(bpf_get_current_task_btf());
	scratch = histogram_scratch__get();
	if (!counts || !scratch || !tp_counts__claim(counts))
		return probe_result(&tp_config.probe);
	probe_record__fill(scratch->record, &tp_config.probe, filter_words.record_len, ctx);
	hit_first(counts, scratch->record, scratch->record, probe_mode(&tp_config.probe));
	tp_counts__release(counts);
	return probe_result(&tp_config.probe);
}
#endif

#if HAS_SECOND_ENTER
static __always_inline void enter_second(void *ctx, __u32 nr)
{
	struct syscall_record record;
	struct task_struct *task;
	__u64 now;

	if (histogram_hooks.second != HISTOGRAM_HOOK_ENTER || !is_call(&second_config, nr))
		return;
	now = bpf_ktime_get_ns();
	task = bpf_get_current_task_btf();
	if (!is_seen(&second_config, task))
		return;
	record.word[1] = nr;
	syscall_arguments__read(syscall_regs(ctx), record.word + 2, second_config.nr_values);
	hit_second(ctx, task, record.word, FILTER_MODE_USER, now);
}
SYSCALL_ENTER(second_enter, enter_second)
#endif

#if HAS_SECOND_EXIT
static __always_inline void exit_second(void *ctx, __u32 nr, long ret)
{
	struct syscall_record record;
	struct task_struct *task;
	__u64 now;

	if (histogram_hooks.second != HISTOGRAM_HOOK_EXIT || !is_call(&second_config, nr))
		return;
	now = bpf_ktime_get_ns();
	task = bpf_get_current_task_btf();
	if (!is_seen(&second_config, task))
		return;
	record.word[1] = nr;
	record.word[2] = ret;
	hit_second(ctx, task, record.word, FILTER_MODE_USER, now);
}
SYSCALL_EXIT(second_exit, exit_second)
#endif

#if HAS_SECOND_ANY
SEC("tracepoint")
int second_any(void *ctx)
{
	const __u32 len = latency_config.end_len;
	struct histogram_scratch *scratch;
	__u64 now;

	if (histogram_hooks.second != HISTOGRAM_HOOK_ANY)
		return 1;
	now = bpf_ktime_get_ns();
	scratch = histogram_scratch__get();
	if (!scratch)
		return 1;
	if (len && len <= FILTER_RECORD_LEN)
		bpf_probe_read_kernel(scratch->record, len, ctx);
	hit_second(ctx, bpf_get_current_task_btf(), scratch->record, FILTER_MODE_KERNEL, now);
	return 1;
}
#endif

#if HAS_SECOND_PROBE
SEC("kprobe")
int second_probe(void *ctx)
{
	struct histogram_scratch *scratch;
	struct tp_counts *counts;
	__u32 zero = 0;
	__u64 now;

	if (histogram_hooks.second != HISTOGRAM_HOOK_PROBE)
		return probe_result(&second_config.probe);
	now = bpf_ktime_get_ns();
	scratch = histogram_scratch__get();
	counts = bpf_map_lookup_elem(&tp_counts, &zero);
	if (!scratch || !counts || !tp_counts__claim(counts))
		return probe_result(&second_config.probe);
	probe_record__fill(scratch->record, &second_config.probe, latency_config.end_len, ctx);
	hit_second(ctx, bpf_get_current_task_btf(), scratch->record, probe_mode(&second_config.probe), now);
	tp_counts__release(counts);
	return probe_result(&second_config.probe);
}
#endif

char LICENSE[] SEC("license") = "Dual BSD/GPL";

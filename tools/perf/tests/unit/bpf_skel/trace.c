// SPDX-License-Identifier: GPL-2.0
/* System calls: the program of util/bpf_skel/trace.bpf.c in user space. */
#include "tests/unit/bpf_skel/host-bpf.h"

#include "util/bpf_skel/trace.bpf.c"

#if defined(__TARGET_ARCH_x86)
enum { NR_READ = 0, NR_CLOSE = 3, NR_RT_SIGRETURN = 15, NR_CLONE = 56, NR_EXIT = 60, NR_EXECVEAT = 322, NR_CLONE3 = 435 };
#else
enum { NR_READ = 63, NR_CLOSE = 57, NR_RT_SIGRETURN = 139, NR_CLONE = 220, NR_EXIT = 93, NR_EXECVEAT = 281, NR_CLONE3 = 435 };
#endif

static struct host_task task_a, task_b;
static struct task_struct *a, *b;
static struct pt_regs regs;

static int setup(void **state)
{
	host_reset();
	a = host_task(&task_a, 10, 9, "a");
	b = host_task(&task_b, 20, 20, "b");
	host.now = 1000;
	target_config.all_tasks = true;
	memset((void *)&trace_config, 0, sizeof(trace_config));
	for (int i = 0; i < TRACE_MAX_CALLS; i++)
		trace_config.rule[i].wanted = 1;
	trace_config.summed = 1;
	trace_config.with_errors = 1;
	trace_enabled_at = 0;
	trace_has_ended = false;
	trace_has_noted = true;
	trace_lost_begin = false;
	target_config.some_cpus = false;
	memset((void *)filter_table, 0, sizeof(filter_table));
	return 0;
}

static struct trace_counts *counts(void)
{
	return counts__get();
}

static void set_number(__u32 nr)
{
#if defined(__TARGET_ARCH_x86)
	regs.orig_ax = nr;
#else
	regs.syscallno = nr;
#endif
}

/* Of a call of a 64-bit program: the second or the fourth one */
static void set_argument(int i, __u64 value)
{
#if defined(__TARGET_ARCH_x86)
	*(i == 1 ? &regs.si : &regs.r10) = value;
#else
	regs.regs[i] = value;
#endif
}

static void enters(struct task_struct *task, __u32 nr)
{
	unsigned long long ctx[] = { (unsigned long)&regs };

	host.task = task;
	set_number(nr);
	assert_int_equal(trace_enter(ctx, &regs, nr), 0);
}

static void exits(struct task_struct *task, __u32 nr, long ret)
{
	unsigned long long ctx[] = { (unsigned long)&regs };

	host.task = task;
	set_number(nr);
	assert_int_equal(trace_exit(ctx, &regs, ret), 0);
}

static void calls(struct task_struct *task, __u32 nr, __u64 ns, long ret)
{
	enters(task, nr);
	host.now += ns;
	exits(task, nr, ret);
}

static struct trace_sum *sum_of_call(struct task_struct *task, __u32 nr)
{
	struct trace_sum_key key = { .id = task->pid, .nr = nr };

	return sum_of(&key);
}

static struct trace_call *last_call(void)
{
	return host.record[host.nr_records - 1].data;
}

static void calls_are_summed_up(void **state)
{
	struct trace_sum *sum;

	calls(a, NR_READ, 100, 8);
	calls(a, NR_READ, 30, -5);
	calls(a, NR_READ, 70, 0);
	calls(b, NR_READ, 1000, 0);
	sum = sum_of_call(a, NR_READ);
	assert_int_equal(sum->calls, 3);
	assert_int_equal(sum->errors, 1);
	assert_int_equal(sum->total, 200);
	assert_int_equal(sum->least, 30);
	assert_int_equal(sum->greatest, 100);
	assert_int_equal(sum->squares_low, 100 * 100 + 30 * 30 + 70 * 70);
	assert_int_equal(sum->pid, 9);
	assert_string_equal(sum->comm, "a");
	assert_int_equal(sum_of_call(b, NR_READ)->calls, 1);
	assert_int_equal(counts()->calls, 4);
}

/* In 128 bits: 2^40 and some ns are 18 minutes. */
static void squares_have_128_bits(void **state)
{
	const __u64 ns = (1ULL << 40) + 12345;
	const unsigned __int128 square = (unsigned __int128)ns * ns;
	const unsigned __int128 all = 2 * square + (unsigned __int128)(~0ULL >> 1) * (~0ULL >> 1);
	struct trace_sum sum = { 0 };

	add_square(&sum, ns);
	assert_int_equal(sum.squares_low, (__u64)square);
	assert_int_equal(sum.squares_high, (__u64)(square >> 64));
	add_square(&sum, ns);
	add_square(&sum, ~0ULL >> 1);
	assert_int_equal(sum.squares_low, (__u64)all);
	assert_int_equal(sum.squares_high, (__u64)(all >> 64));
}

/* A new row without a call that returned has no least time. */
static void calls_that_cannot_return_are_apart(void **state)
{
	struct trace_sum *sum;

	enters(a, NR_EXIT);
	sum = sum_of_call(a, NR_EXIT);
	assert_int_equal(sum->calls, 1);
	assert_int_equal(sum->untimed, 1);
	assert_int_equal(sum->total, 0);
	assert_int_equal(sum->least, ~0ULL);
}

static void an_end_ends_one_call(void **state)
{
	calls(a, NR_READ, 10, 0);
	host.now += 10;
	exits(a, NR_CLOSE, 0);
	assert_int_equal(sum_of_call(a, NR_READ)->calls, 1);
	assert_int_equal(sum_of_call(a, NR_READ)->total, 10);
	assert_int_equal(sum_of_call(a, NR_CLOSE)->untimed, 1);
	assert_int_equal(counts()->calls, 2);
}

/* The registers of the program come back, whatever is in them. */
static void returns_from_signals_are_no_errors(void **state)
{
	calls(a, NR_RT_SIGRETURN, 10, -5);
	assert_int_equal(sum_of_call(a, NR_RT_SIGRETURN)->errors, 0);
	trace_config.written = 1;
	regs.sp = 0x1000;
	calls(a, NR_RT_SIGRETURN, 10, 0);
#if defined(__TARGET_ARCH_x86)
	assert_int_equal(last_call()->arg[0], 0x1000 + 296);
#else
	assert_int_equal(last_call()->arg[0], 0x1000 + 168);
#endif
	trace_config.written = 0;
	calls(a, NR_READ, 10, -TRACE_MAX_ERRNO);
	calls(a, NR_READ, 10, -TRACE_MAX_ERRNO - 1);
	assert_int_equal(sum_of_call(a, NR_READ)->errors, 1);
}

static void options_leave_calls_out(void **state)
{
	trace_config.min_ns = 50;
	calls(a, NR_READ, 49, 0);
	calls(a, NR_READ, 50, 0);
	assert_int_equal(sum_of_call(a, NR_READ)->calls, 1);
	trace_config.min_ns = 0;
	trace_config.failed_only = 1;
	calls(a, NR_CLOSE, 50, 0);
	calls(a, NR_CLOSE, 50, -9);
	assert_int_equal(sum_of_call(a, NR_CLOSE)->calls, 1);
	assert_int_equal(counts()->calls, 4);
}

static void what_has_no_room_is_counted(void **state)
{
	struct trace_sum_key taken = { .id = a->pid, .nr = NR_READ };

	/* The slot of the sum is another one's, and the map of the rest is full. */
	host.full = &trace_sums;
	sum_of(&taken);
	for (struct host_value *v = host.values; v; v = v->next) {
		if (v->map == &trace_hot_sums)
			((struct trace_hot_sum *)v->value)->key = 1;
	}
	calls(a, NR_READ, 10, 0);
	assert_int_equal(counts()->lost_sums, 1);
	host.full = &trace_errors;
	calls(a, NR_CLOSE, 10, -9);
	assert_int_equal(sum_of_call(a, NR_CLOSE)->errors, 1);
	assert_int_equal(counts()->lost_sums, 2);
	trace_config.written = 1;
	host.ring_full = true;
	calls(a, NR_CLOSE, 10, 0);
	assert_int_equal(counts()->lost, 1);
	host.ring_full = false;
	calls(a, NR_CLOSE, 10, 0);
	assert_int_equal(counts()->lost, 1);
	assert_int_equal(host.nr_records, 1);
	host.no_storage = &trace_open;
	calls(b, NR_CLOSE, 10, 0);
	assert_int_equal(counts()->untracked, 1);
	b->seccomp.mode = SECCOMP_MODE_FILTER;
	exits(b, NR_CLOSE, -1); /* denied */
	assert_int_equal(counts()->untracked, 2);
}

static void records_have_the_call(void **state)
{
	struct trace_call *call;

	trace_config.written = 1;
	host.cpu = 3;
	calls(a, NR_READ, 40, 7);
	assert_int_equal(host.nr_records, 1);
	call = host.record[0].data;
	assert_int_equal(call->bytes, sizeof(*call));
	assert_int_equal(call->begin, 1000);
	assert_int_equal(call->end, 1040);
	assert_int_equal(call->ret, 7);
	assert_int_equal(call->tid, 10);
	assert_int_equal(call->pid, 9);
	assert_int_equal(call->cpu, 3);
	assert_int_equal(call->state, TRACE_ENDED);
}

/* As if it ran a 32-bit program */
static void set_compat(struct task_struct *task, bool on)
{
#if defined(__TARGET_ARCH_x86)
	task->thread_info.status = on ? 2 : 0;
#else
	task->thread_info.flags = on ? 1 << 22 : 0;
#endif
}

enum { NR_COMPAT_EXIT = 1, NR_COMPAT_READ = 3, NR_COMPAT_EXECVE = 11, NR_COMPAT_RT_SIGRETURN = 173 };

static void calls_of_32_bit_programs_have_numbers_of_their_own(void **state)
{
	trace_config.written = 1;
#if defined(__TARGET_ARCH_x86)
	regs.bx = 0xffffffff00000005;
	regs.bp = 6;
#else
	regs.orig_x0 = 0xffffffff00000005;
	regs.regs[5] = 6;
#endif
	set_compat(a, true);
	calls(a, NR_COMPAT_READ, 10, 0);
	assert_int_equal(last_call()->nr, TRACE_COMPAT | NR_COMPAT_READ);
	assert_int_equal(last_call()->arg[0], 5);
	assert_int_equal(last_call()->arg[5], 6);
	assert_int_equal(sum_of_call(a, TRACE_COMPAT | NR_COMPAT_READ)->calls, 1);
	calls(a, NR_COMPAT_RT_SIGRETURN, 10, -5);
	assert_int_equal(sum_of_call(a, TRACE_COMPAT | NR_COMPAT_RT_SIGRETURN)->errors, 0);
	calls(a, TRACE_FORGOTTEN - 1, 10, -38); /* such a number is nobody's */
	assert_int_equal(last_call()->nr, TRACE_COMPAT | (TRACE_NUMBERS - 1));
	set_compat(a, false);
	calls(a, TRACE_COMPAT | 1, 10, -38);
	assert_int_equal(last_call()->nr, TRACE_NUMBERS - 1);
	set_compat(a, true);
	enters(a, NR_COMPAT_EXIT);
	assert_int_equal(last_call()->state, TRACE_NO_RETURN);
}

/* The bare number is looked at first. */
static void a_number_is_wanted_of_one_abi(void **state)
{
	memset((void *)trace_config.rule, 0, sizeof(trace_config.rule));
	trace_config.rule[NR_COMPAT_READ].wanted = TRACE_WANTED_COMPAT;
	trace_config.rule[TRACE_ABI_CALLS + NR_COMPAT_READ].wanted = TRACE_WANTED;
	calls(a, NR_COMPAT_READ, 10, 0);
	assert_int_equal(counts()->calls, 0);
	set_compat(a, true);
	calls(a, NR_COMPAT_READ, 10, 0);
	assert_int_equal(counts()->calls, 1);
	exits(a, NR_COMPAT_EXIT, 0);
	assert_int_equal(counts()->calls, 1);
	/* a denied one */
	a->seccomp.mode = SECCOMP_MODE_FILTER;
	exits(a, NR_COMPAT_READ, -1);
	assert_int_equal(sum_of_call(a, TRACE_COMPAT | NR_COMPAT_READ)->errors, 1);
	set_compat(a, false);
	exits(a, NR_COMPAT_READ, -1);
	assert_int_equal(counts()->calls, 2);
}

/* The kernel ends it with the number of execve in the ABI of the new program. */
static void an_exec_ends_in_the_new_abi(void **state)
{
	const __u32 begins = NR_EXECVEAT, ends = NR_COMPAT_EXECVE;

	memset((void *)trace_config.rule, 0, sizeof(trace_config.rule));
	trace_config.rule[begins].wanted = TRACE_WANTED;
	trace_config.rule[ends].wanted = TRACE_WANTED_END;
	enters(a, begins);
	host.now += 10;
	set_compat(a, true);
	exits(a, ends, 0);
	assert_int_equal(sum_of_call(a, begins)->calls, 1);
	exits(a, ends, 0);
	assert_int_equal(counts()->calls, 1);
}

/* seccomp denies them before their begin: nobody knows a time. */
static void ends_alone_are_of_denied_calls(void **state)
{
	struct trace_sum *sum;

	trace_config.written = 1;
	a->seccomp.mode = SECCOMP_MODE_FILTER;
	calls(a, NR_READ, 100, 0);
	host.now += 50;
	exits(a, NR_READ, -1);
	sum = sum_of_call(a, NR_READ);
	assert_int_equal(sum->calls, 2);
	assert_int_equal(sum->errors, 1);
	assert_int_equal(sum->untimed, 1);
	assert_int_equal(sum->single, 1);
	assert_int_equal(sum->total, 100);
	assert_int_equal(sum->least, 100);
	assert_int_equal(host.nr_records, 2);
	assert_int_equal(last_call()->begun, TRACE_BEGIN_NONE);
	assert_int_equal(last_call()->begin, 1150);
	assert_int_equal(last_call()->end, 1150);
	assert_true(last_call()->by_seccomp);
	/* A signal in place of a result; one that is blocked was sent by others */
	a->pending.signal.sig[0] = a->blocked.sig[0] = 1UL << 30;
	exits(a, NR_READ, NR_READ);
	assert_int_equal(last_call()->state, TRACE_ENDED);
	a->blocked.sig[0] = 0;
	a->seccomp.mode = SECCOMP_MODE_FILTER + 1;
	exits(a, NR_READ, NR_READ);
	assert_int_equal(last_call()->state, TRACE_SIGSYS);
	assert_int_equal(sum->errors, 2);
	trace_config.failed_only = 1;
	exits(a, NR_READ, NR_READ);
	assert_int_equal(host.nr_records, 5);
	/* On some CPUs only, the begin may have been elsewhere. */
	target_config.some_cpus = true;
	target_config.cpus[0] = 1;
	exits(a, NR_READ, -1);
	assert_int_equal(last_call()->begun, TRACE_BEGIN_NONE);
	assert_false(last_call()->by_seccomp);
}

/* seccomp makes it exit in the middle of a call. Of a whole process it lets that call end. */
static void killed_threads_have_a_last_call(void **state)
{
	unsigned long long ctx[] = { (unsigned long)a };

	trace_config.written = 1;
	host.task = a;
	host.regs = &regs;
	set_number(NR_READ);
	trace_task_exit(ctx, a);
	a->seccomp.mode = SECCOMP_MODE_FILTER;
	trace_task_exit(ctx, a);
	assert_int_equal(host.nr_records, 0);
	a->seccomp.mode = SECCOMP_MODE_DEAD;
	trace_task_exit(ctx, a);
	assert_int_equal(host.nr_records, 1);
	assert_int_equal(last_call()->nr, NR_READ);
	assert_int_equal(last_call()->state, TRACE_SIGSYS);
	assert_int_equal(last_call()->begun, TRACE_BEGIN_NONE);
	assert_true(last_call()->by_seccomp);
	exits(a, NR_CLOSE, 0);
	assert_int_equal(host.nr_records, 2);
	trace_task_exit(ctx, a);
	assert_int_equal(host.nr_records, 2);
}

static void ends_that_are_no_calls(void **state)
{
	exits(a, NR_CLONE, 0); /* of a child */
	exits(a, NR_CLONE3, 0);
	exits(a, TRACE_FORGOTTEN, 5);
	assert_int_equal(counts()->calls, 0);
	exits(a, NR_CLONE, -11);
	assert_int_equal(counts()->calls, 1);
	trace_config.filtered = trace_config.judged_early = 1; /* it was dropped when it began, by a program of another turn */
	exits(a, NR_READ, 5);
	assert_int_equal(counts()->calls, 1);
}

/* The end of a call that its filter dropped when it began is known by a note. It hides no other end. */
static void a_denied_call_behind_a_dropped_one(void **state)
{
	trace_config.filtered = trace_config.judged_early = 1;
	filter_table[0] = (struct filter_entry){
		.term = FILTER_TERM_RECORD + 1, .cond = FILTER_EQ, .mask = ~0ULL, .value = NR_CLOSE, .jt = FILTER_ACCEPT, .jf = FILTER_REJECT,
	};
	a->seccomp.mode = SECCOMP_MODE_FILTER;
	calls(a, NR_READ, 10, 0);
	assert_int_equal(counts()->filter.dropped, 1);
	exits(a, NR_CLOSE, -1);
	assert_int_equal(sum_of_call(a, NR_CLOSE)->calls, 1);
	assert_int_equal(counts()->calls, 2);
	exits(a, NR_READ, -1); /* one that the filter does not want is not counted again */
	assert_int_equal(counts()->calls, 2);
	assert_int_equal(counts()->filter.dropped, 1);
}

/* A filter on the argument that one of the calls has as its second, and the other not at all */
static void filters_read_arguments_by_name(void **state)
{
	trace_config.filtered = true;
	trace_config.nr_fields = 4;
	((struct trace_rule *)trace_config.rule)[NR_CLOSE].field[3] = 2;
	((struct filter_entry *)filter_table)[0] = (struct filter_entry){
		.term = FILTER_TERM_RECORD, .shift = 3, .cond = FILTER_EQ, .mask = 1, .value = 1, .jt = 1, .jf = FILTER_REJECT,
	};
	((struct filter_entry *)filter_table)[1] = (struct filter_entry){
		.term = FILTER_TERM_RECORD + 4 + 3, .cond = FILTER_EQ, .mask = ~0ULL, .value = 55, .jt = FILTER_ACCEPT, .jf = FILTER_REJECT,
	};
	for (int early = 0; early < 2; early++) {
		memset(counts(), 0, sizeof(*counts()));
		trace_config.judged_early = early;
		set_argument(1, 55);
		calls(a, NR_CLOSE, 10, 0);
		calls(a, NR_READ, 10, 0);
		assert_int_equal(counts()->filter.dropped, 1);
		set_argument(1, 56);
		set_argument(3, 55);
		calls(a, NR_CLOSE, 10, 0);
		assert_int_equal(counts()->filter.dropped, 2);
		assert_int_equal(sum_of_call(a, NR_CLOSE)->calls, 1 + early);
	}
}

static void runs_over_tasks(struct task_struct *task)
{
	struct seq_file seq = { 0 };
	struct bpf_iter_meta meta = { .seq = &seq };
	struct bpf_iter__task ctx = { .meta = &meta, .task = task };

	host.regs = &regs;
	assert_int_equal(trace_tasks(&ctx), 0);
}

static void calls_that_began_before_tracing(void **state)
{
	struct trace_sum *sum;

	trace_config.written = 1;
	trace_enabled_at = host.now;
	set_number(NR_READ);
	runs_over_tasks(a);
	host.now += 70;
	exits(a, NR_READ, 3);
	sum = sum_of_call(a, NR_READ);
	assert_int_equal(sum->total, 70);
	assert_int_equal(sum->single, 1);
	assert_int_equal(sum->untimed, 0);
	assert_int_equal(last_call()->begun, TRACE_BEGIN_BEFORE);
	assert_int_equal(last_call()->begin, 1000);
	/* Once; and not those of the time before tracing was switched on again */
	exits(a, NR_READ, 3);
	assert_int_equal(last_call()->begun, TRACE_BEGIN_NONE);
	runs_over_tasks(b);
	enters(a, NR_CLOSE);
	host.now += 10;
	trace_enabled_at = host.now;
	exits(b, NR_READ, 3);
	assert_int_equal(last_call()->begun, TRACE_BEGIN_NONE);
	exits(a, NR_CLOSE, 0);
	assert_int_equal(last_call()->begun, TRACE_BEGIN_NONE);
	/* Those of the time when it was switched on again are noted anew. */
	set_number(NR_READ);
	runs_over_tasks(a);
	host.now += 20;
	exits(a, NR_READ, 3);
	assert_int_equal(last_call()->begun, TRACE_BEGIN_BEFORE);
}

/* What a task was in when tracing began is not denied: nobody knows of one that was running, nor before all were looked at. */
static void seccomp_answers_what_must_have_been_seen(void **state)
{
	struct signal_struct two = { .nr_threads = 2 };

	trace_config.written = 1;
	a->seccomp.mode = SECCOMP_MODE_FILTER;
	a->on_cpu = 1;
	runs_over_tasks(a);
	exits(a, NR_READ, -1);
	assert_int_equal(last_call()->begun, TRACE_BEGIN_NONE);
	assert_false(last_call()->by_seccomp);
	exits(a, NR_READ, -1);
	assert_true(last_call()->by_seccomp);
	trace_has_noted = false;
	exits(a, NR_READ, -1);
	assert_false(last_call()->by_seccomp);
	/* From its first begin on, its calls are known. */
	trace_has_noted = true;
	trace_enabled_at = ++host.now;
	b->seccomp.mode = SECCOMP_MODE_FILTER;
	b->on_cpu = 1;
	runs_over_tasks(b);
	calls(b, NR_READ, 10, 0);
	exits(b, NR_CLOSE, -1);
	assert_true(last_call()->by_seccomp);
	runs_over_tasks(b);
	exits(b, NR_CLOSE, -1);
	assert_true(last_call()->by_seccomp);
	/* so are those that the filter dropped, if it may judge differently at the end */
	trace_config.filtered = trace_config.judged_early = trace_config.judged_once = 1;
	filter_table[0] = (struct filter_entry){
		.term = FILTER_TERM_CPU, .cond = FILTER_EQ, .mask = ~0ULL, .value = 5, .jt = FILTER_ACCEPT, .jf = FILTER_REJECT,
	};
	host.cpu = 4;
	enters(b, NR_READ);
	host.cpu = 5;
	host.nr_records = 0;
	exits(b, NR_READ, 0);
	assert_int_equal(host.nr_records, 0);
	exits(b, NR_CLOSE, -1);
	assert_int_equal(host.nr_records, 1);
	host.cpu = 4;
	calls(b, NR_READ, 10, 0);
	host.cpu = 5;
	exits(b, NR_CLOSE, -1); /* not taken for the one that was dropped */
	assert_int_equal(host.nr_records, 2);
	/* Another thread gives it the seccomp filter while it is in the call. */
	b->seccomp.mode = 0;
	b->signal = &two;
	host.cpu = 4;
	enters(b, NR_READ);
	b->seccomp.mode = SECCOMP_MODE_FILTER;
	host.cpu = 5;
	host.now += 10;
	b->nvcsw++;
	exits(b, NR_READ, 0);
	assert_int_equal(host.nr_records, 2);
}

/* A begin that could not be kept is none that was not there. */
static void seccomp_does_not_explain_what_had_no_memory(void **state)
{
	trace_config.written = 1;
	a->seccomp.mode = SECCOMP_MODE_FILTER;
	host.no_storage = &trace_open;
	enters(a, NR_READ);
	host.no_storage = NULL;
	exits(a, NR_READ, -1);
	assert_int_equal(counts()->untracked, 1);
	assert_int_equal(last_call()->begun, TRACE_BEGIN_NONE);
	assert_false(last_call()->by_seccomp);
}

static void tasks_that_are_in_no_call(void **state)
{
	trace_config.written = 1;
	set_number(TRACE_FORGOTTEN);
	runs_over_tasks(a);
	set_number(NR_READ);
	a->on_cpu = 1; /* these registers are of its last call */
	runs_over_tasks(a);
	b->flags = 0x200000; /* a thread of the kernel */
	runs_over_tasks(b);
	exits(a, NR_READ, 0);
	assert_int_equal(last_call()->begun, TRACE_BEGIN_NONE);
	exits(b, NR_READ, 0);
	assert_int_equal(last_call()->begun, TRACE_BEGIN_NONE);
	/* One that a program has seen begin is no older. */
	b->flags = a->on_cpu = 0;
	enters(a, NR_READ);
	runs_over_tasks(a);
	exits(a, NR_READ, 0);
	exits(a, NR_READ, 0);
	assert_int_equal(last_call()->begun, TRACE_BEGIN_NONE);
}

/* Numbers that no call has are traced together. */
static void calls_without_a_name(void **state)
{
	calls(a, 999, 10, -38);
	calls(a, 0x40000001, 10, -38);
	assert_int_equal(sum_of_call(a, 999)->calls, 1);
	assert_int_equal(sum_of_call(a, 0x40000001)->calls, 1);
	calls(a, TRACE_FORGOTTEN, 10, -38);
	assert_int_equal(sum_of_call(a, TRACE_FORGOTTEN)->calls, 1);
	calls(a, 600, 10, -38);
	calls(a, 600 + TRACE_HOT_SUMS, 10, -38); /* of the same slot */
	assert_int_equal(sum_of_call(a, 600)->calls, 1);
	assert_int_equal(sum_of_call(a, 600 + TRACE_HOT_SUMS)->calls, 1);
	trace_config.rule[TRACE_OTHER_CALLS].wanted = 0;
	calls(a, 999, 10, -38);
	calls(a, TRACE_FORGOTTEN, 10, -38);
	assert_int_equal(counts()->calls, 5);
}

/* Only tid 20 is traced, and judged when its call begins. */
static void filter_by_tid(void)
{
	trace_config.filtered = trace_config.judged_early = 1;
	filter_table[0] = (struct filter_entry){
		.term = FILTER_TERM_TID,
		.cond = FILTER_EQ,
		.mask = ~0ULL,
		.value = 20,
		.jt = FILTER_ACCEPT,
		.jf = FILTER_REJECT,
	};
}

static void calls_that_are_dropped_are_counted(void **state)
{
	filter_by_tid();
	calls(a, NR_READ, 10, 0);
	calls(b, NR_READ, 10, 0);
	assert_int_equal(counts()->calls, 2);
	assert_int_equal(counts()->filter.dropped, 1);
	assert_int_equal(sum_of_call(b, NR_READ)->calls, 1);
}

/*
 * A call that was kept goes on while its task is switched. On the CPU a call of the same task is noted as
 * dropped, from before: once the task was switched, that says nothing of it any more.
 */
static void a_note_ends_with_a_switch(void **state)
{
	filter_by_tid();
	a->start_boottime = 500;
	host.cpu = 0;
	enters(a, NR_READ); /* is dropped, and noted so on CPU 0 */
	assert_int_equal(counts()->dropped, 1);
	exits(a, NR_READ, 0);
	a->nvcsw++;
	host.cpu = 1;
	filter_table[0].value = 10; /* now it is kept: on CPU 1 */
	enters(a, NR_CLOSE);
	a->nivcsw++;
	host.cpu = 0;
	host.now += 10;
	exits(a, NR_CLOSE, 0);
	assert_int_equal(sum_of_call(a, NR_CLOSE)->calls, 1);
}

/* The memory of a task that has ended is another one's now, which is not of the target. */
static void a_note_is_of_one_task(void **state)
{
	struct target_task mark = { 0 };

	target_config.all_tasks = false;
	target_config.no_events = true;
	bpf_task_storage_get(&target_tasks, a, &mark, BPF_LOCAL_STORAGE_GET_F_CREATE);
	calls(a, NR_READ, 10, 0);
	assert_int_equal(counts()->calls, 1);
	host_delete(&target_tasks, &a, sizeof(a)); /* its storage ends with it */
	a->start_boottime += 5000;
	calls(a, NR_READ, 10, 0);
	assert_int_equal(counts()->calls, 1);
}

static struct trace_scratch copy;

/* Parts of a vector: each is followed by its bytes, up to a multiple of 8. */
static void vectors_are_copied_part_by_part(void **state)
{
	struct { const char *base; __u64 len; } iov[] = { { "hello", 5 }, { "", 0 }, { (char *)1, 4 }, { "0123456789abcdef0123", 20 } };
	const struct trace_part *part;

	memset(&copy, 0, sizeof(copy));
	copy.from = (unsigned long)iov;
	copy.nr = sizeof(iov) / sizeof(iov[0]);
	copy.left = 100;
	copy.limit = 16;
	assert_int_equal(copy_vector(&copy), 0);
	part = (struct trace_part *)(copy.bytes + COPY_HEAD);
	assert_int_equal(part->len, 5);
	assert_int_equal(part->copied, 5);
	assert_int_equal(part->cut, 0);
	assert_memory_equal(part + 1, "hello", 5);
	part = (struct trace_part *)((char *)(part + 1) + 8);
	assert_int_equal(part->len, 0);
	assert_int_equal(part->cut, 0);
	part++;
	assert_int_equal(part->len, 4); /* cannot be read */
	assert_int_equal(part->copied, 0);
	assert_int_equal(part->cut, 1);
	part++;
	assert_int_equal(part->len, 20);
	assert_int_equal(part->copied, 16);
	assert_int_equal(part->cut, 1);
	assert_int_equal(copy.size, 4 * sizeof(*part) + 8 + 16);
	assert_int_equal(copy.left, 100 - 5 - 4 - 20);
}

static void there_is_no_place_beyond_the_room(void **state)
{
	memset(&copy, 0, sizeof(copy));
	assert_ptr_equal(copy_place(&copy, 0), copy.bytes + COPY_HEAD);
	copy.used = COPY_ROOM - COPY_HEAD;
	assert_non_null(copy_place(&copy, 0));
	copy.used++;
	assert_null(copy_place(&copy, 0));
	copy.from = (unsigned long)"12345678";
	copy.left = copy.limit = 8;
	assert_int_equal(copy_bytes(&copy), 0);
	assert_int_equal(copy.size, 0);
	copy.used = 0;
	assert_int_equal(copy_bytes(&copy), 0);
	assert_int_equal(copy.size, 8);
	copy.size = TRACE_MAX_COPY - 8;
	assert_non_null(copy_place(&copy, 8));
	assert_null(copy_place(&copy, 9));
}

/* A filter's record has the fields that it asks for, and nothing behind them. */
static void records_have_as_many_fields_as_the_filter(void **state)
{
	static const __u64 arg[TRACE_ARG_ROOM] = { 11, 22, 33 };
	__u64 record[4 + TRACE_MAX_ARGS];

	memset(record, 0xee, sizeof(record));
	trace_config.nr_fields = 1;
	put_fields(record, arg, &trace_config.rule[0]);
	assert_int_equal(record[4], 0);
	assert_int_equal(record[5], 0xeeeeeeeeeeeeeeee);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(calls_are_summed_up, setup),
		cmocka_unit_test_setup(squares_have_128_bits, setup),
		cmocka_unit_test_setup(calls_that_cannot_return_are_apart, setup),
		cmocka_unit_test_setup(an_end_ends_one_call, setup),
		cmocka_unit_test_setup(returns_from_signals_are_no_errors, setup),
		cmocka_unit_test_setup(options_leave_calls_out, setup),
		cmocka_unit_test_setup(what_has_no_room_is_counted, setup),
		cmocka_unit_test_setup(records_have_the_call, setup),
		cmocka_unit_test_setup(calls_of_32_bit_programs_have_numbers_of_their_own, setup),
		cmocka_unit_test_setup(a_number_is_wanted_of_one_abi, setup),
		cmocka_unit_test_setup(an_exec_ends_in_the_new_abi, setup),
		cmocka_unit_test_setup(ends_alone_are_of_denied_calls, setup),
		cmocka_unit_test_setup(killed_threads_have_a_last_call, setup),
		cmocka_unit_test_setup(ends_that_are_no_calls, setup),
		cmocka_unit_test_setup(a_denied_call_behind_a_dropped_one, setup),
		cmocka_unit_test_setup(filters_read_arguments_by_name, setup),
		cmocka_unit_test_setup(calls_that_began_before_tracing, setup),
		cmocka_unit_test_setup(seccomp_answers_what_must_have_been_seen, setup),
		cmocka_unit_test_setup(seccomp_does_not_explain_what_had_no_memory, setup),
		cmocka_unit_test_setup(tasks_that_are_in_no_call, setup),
		cmocka_unit_test_setup(calls_without_a_name, setup),
		cmocka_unit_test_setup(calls_that_are_dropped_are_counted, setup),
		cmocka_unit_test_setup(a_note_ends_with_a_switch, setup),
		cmocka_unit_test_setup(a_note_is_of_one_task, setup),
		cmocka_unit_test_setup(vectors_are_copied_part_by_part, setup),
		cmocka_unit_test_setup(there_is_no_place_beyond_the_room, setup),
		cmocka_unit_test_setup(records_have_as_many_fields_as_the_filter, setup),
	};

	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}

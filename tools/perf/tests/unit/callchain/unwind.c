// SPDX-License-Identifier: GPL-2.0
/*
 * The samples are of this very process: its registers and a copy of its stack. What is to come out is what the
 * compiler's own unwinder, that of exceptions, says at the same place.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>
#include <cmocka.h>

#include "util/callchain/rule-walk.h"
#include "util/callchain/unwind.h"
#include "util/symbol/resolve.h"

#define STACK_SIZE 32768
#define MAX_FRAMES 64
#ifdef __x86_64__
#define NR_REGS 24
#define REG_MASK 0xff0fffULL
#define REG_SP_ 7
#define REG_IP_ 8
#else
#define NR_REGS 33
#define REG_MASK 0x1ffffffffULL
#define REG_SP_ 31
#define REG_IP_ 32
#endif

static struct {
	u64 regs[NR_REGS]; /* those of REG_MASK, in its order */
	u64 stack[STACK_SIZE / 8];
	ssize_t stack_size;
	u64 frames[MAX_FRAMES];
	int nr_frames;
} taken;

static u64 *reg(unsigned int nr)
{
	return &taken.regs[__builtin_popcountll(REG_MASK & ((1ULL << nr) - 1))];
}

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *data)
{
	if (taken.nr_frames < MAX_FRAMES && _Unwind_GetIP(context))
		taken.frames[taken.nr_frames++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

#define TAKE_REG(nr, name) asm volatile("mov %%" name ", %0" : "=r"(*reg(nr)))
#define TAKE_ARM64_REG(nr) asm volatile("str x" #nr ", %0" : "=m"(*reg(nr)))

/* As if a sample were taken inside: what is needed are the registers that functions preserve. */
__attribute__((noinline)) static void take(void)
{
	int mem = open("/proc/self/mem", O_RDONLY);

	assert_true(mem >= 0);
#ifdef __x86_64__
	TAKE_REG(1, "rbx");
	TAKE_REG(6, "rbp");
	TAKE_REG(7, "rsp");
	TAKE_REG(20, "r12");
	TAKE_REG(21, "r13");
	TAKE_REG(22, "r14");
	TAKE_REG(23, "r15");
	asm volatile("lea 0(%%rip), %0" : "=r"(*reg(REG_IP_)));
#else
	TAKE_ARM64_REG(19);
	TAKE_ARM64_REG(20);
	TAKE_ARM64_REG(21);
	TAKE_ARM64_REG(22);
	TAKE_ARM64_REG(23);
	TAKE_ARM64_REG(24);
	TAKE_ARM64_REG(25);
	TAKE_ARM64_REG(26);
	TAKE_ARM64_REG(27);
	TAKE_ARM64_REG(28);
	TAKE_ARM64_REG(29);
	TAKE_ARM64_REG(30);
	asm volatile("mov %0, sp" : "=r"(*reg(REG_SP_)));
	asm volatile("adr %0, ." : "=r"(*reg(REG_IP_)));
#endif
	taken.stack_size = pread(mem, taken.stack, sizeof(taken.stack), *reg(REG_SP_)); /* as far as there is any */
	close(mem);
	assert_in_range(taken.stack_size, 1, sizeof(taken.stack));
	taken.nr_frames = 0;
	_Unwind_Backtrace(add_frame, NULL);
	asm volatile(""); /* a call as the last thing would be a jump, and this frame gone */
}

static int compare_and_take(const void *a, const void *b)
{
	take();
	return *(const int *)a - *(const int *)b;
}

/* Calls through the C library, which has no frame pointers. */
__attribute__((noinline)) static int take_in_qsort(int depth)
{
	int numbers[2] = { 2, depth };

	if (depth)
		return take_in_qsort(depth - 1) + 1;
	qsort(numbers, 2, sizeof(int), compare_and_take);
	return numbers[0];
}

static void add_map(struct machine *machine, u64 start, u64 end, u64 pgoff, const char *name)
{
	struct {
		struct record_mmap rec;
		char name[256];
	} mmap = {
		.rec = { .header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_USER, .size = sizeof(mmap) },
			 .pid = 1, .tid = 1, .start = start, .len = end - start, .pgoff = pgoff },
	};

	snprintf(mmap.rec.filename, sizeof(mmap.name), "%s", name);
	assert_int_equal(machine__process(machine, (const union perf_record *)&mmap), 0);
}

struct fixture {
	struct machine *machine;
	struct thread *thread;
	struct unwinder *unwinder, *oracle; /* by rules, where they suffice, and by libdwfl alone */
	struct rule_walk *rules;
	struct perf_sample sample;
};

static void add_own_maps(struct machine *machine)
{
	FILE *f = fopen("/proc/self/maps", "r");
	u64 start, end, pgoff;
	char line[512], name[256];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " r-xp %" SCNx64 " %*s %*u %255s", &start, &end, &pgoff, name) == 4)
			add_map(machine, start, end, pgoff, name);
	}
	fclose(f);
}

static int setup(void **state)
{
	static const u64 kernel_part[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000000 };
	struct fixture *f = calloc(1, sizeof(*f));

	take_in_qsort(3);
	f->machine = machine__new(NULL);
	f->thread = machine__thread(f->machine, 1, 1);
	f->unwinder = unwinder__new(f->machine, &(struct file_places){});
	f->oracle = unwinder__new(f->machine, &(struct file_places){});
	unwinder__drop_rules(f->oracle);
	f->rules = rule_walk__new(f->machine, &(struct file_places){});
	f->sample = (struct perf_sample){
		.cpumode = PERF_RECORD_MISC_USER, .ip = *reg(REG_IP_),
		.callchain = kernel_part, .nr_callchain = ARRAY_SIZE(kernel_part),
		.user_regs_abi = PERF_SAMPLE_REGS_ABI_64, .user_regs_mask = REG_MASK, .user_regs = taken.regs,
		.user_stack = taken.stack, .user_stack_size = taken.stack_size,
	};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unwinder__delete(f->unwinder);
	unwinder__delete(f->oracle);
	rule_walk__delete(f->rules);
	machine__delete(f->machine);
	free(f);
	return 0;
}

/* libdwfl finds the same frames. */
static void assert_like_oracle(struct fixture *f, const struct perf_sample *sample, u32 max_frames)
{
	struct perf_sample wanted = f->sample;

	assert_int_equal(unwinder__unwind(f->oracle, f->thread, &wanted, max_frames), 0);
	assert_int_equal(sample->nr_callchain, wanted.nr_callchain);
	assert_memory_equal(sample->callchain, wanted.callchain, wanted.nr_callchain * sizeof(u64));
}

/* Returns how many user frames there are, of which the first must be where the sample was taken. */
static int unwind(struct fixture *f, struct perf_sample *sample, u32 max_frames)
{
	*sample = f->sample;
	assert_int_equal(unwinder__unwind(f->unwinder, f->thread, sample, max_frames), 0);
	assert_like_oracle(f, sample, max_frames);
	assert_true(sample->nr_callchain > 3);
	assert_int_equal(sample->callchain[0], PERF_CONTEXT_KERNEL);
	assert_int_equal(sample->callchain[1], 0xffffffff81000000);
	assert_int_equal(sample->callchain[2], PERF_CONTEXT_USER_CALLS_);
	assert_int_equal(sample->callchain[3], *reg(REG_IP_));
	return sample->nr_callchain - 3;
}

static void assert_like_libgcc(const struct perf_sample *sample, int nr)
{
	for (int i = 1; i < nr; i++)
		assert_int_equal(sample->callchain[3 + i], taken.frames[i] - 1);
}

static void test_like_libgcc(void **state)
{
	struct fixture *f = *state;
	struct perf_sample sample;

	add_own_maps(f->machine);
	for (int i = 0; i < 3; i++) {
		int nr = unwind(f, &sample, 127);

		assert_int_equal(nr, taken.nr_frames);
		assert_like_libgcc(&sample, nr);
	}
}

#ifdef __x86_64__
/* Returns how many frames the rules give, which must be the first ones of the stack. */
static int walk_rules(struct fixture *f)
{
	const u64 *ips;
	ssize_t nr = rule_walk__run(f->rules, f->thread, &f->sample, 127, &ips);

	assert_true(nr > 0);
	assert_int_equal(ips[0], *reg(REG_IP_));
	for (ssize_t i = 1; i < nr; i++)
		assert_int_equal(ips[i], taken.frames[i] - 1);
	return nr;
}

static void test_rules_suffice(void **state)
{
	struct fixture *f = *state;

	add_own_maps(f->machine);
	assert_int_equal(walk_rules(f), taken.nr_frames);
	/* neither do they need libdwfl where the copy ends */
	f->sample.user_stack_size = 1024;
	assert_in_range(walk_rules(f), 2, taken.nr_frames - 1);
	f->sample.user_stack_size = 7;
	assert_in_range(walk_rules(f), 1, 2);
}

static void test_rules_give_up(void **state)
{
	struct fixture *f = *state;
	const u64 *ips;

	assert_int_equal(rule_walk__run(f->rules, f->thread, &f->sample, 127, &ips), -EAGAIN); /* no maps */
	add_own_maps(f->machine);
	f->sample.user_regs_abi = PERF_SAMPLE_REGS_ABI_32;
	assert_int_equal(rule_walk__run(f->rules, f->thread, &f->sample, 127, &ips), -EAGAIN);
	f->sample.user_regs_abi = PERF_SAMPLE_REGS_ABI_64;
	/* an address in data, which a stack may hold where it is no stack any more */
	*reg(REG_IP_) = (uintptr_t)*state;
	assert_int_equal(rule_walk__run(f->rules, f->thread, &f->sample, 127, &ips), -EAGAIN);
}
#endif

static void test_limits(void **state)
{
	struct fixture *f = *state;
	struct perf_sample sample;
	int nr;

	add_own_maps(f->machine);
	assert_int_equal(unwind(f, &sample, 4), 4);
	assert_like_libgcc(&sample, 4);
	/* a copy that ends before the stack does */
	f->sample.user_stack_size = 1024;
	nr = unwind(f, &sample, 127);
	assert_in_range(nr, 2, taken.nr_frames - 1);
	assert_like_libgcc(&sample, nr);
}

/* What the copy lacks is read from memory. */
static bool read_taken(void *data, u64 address, void *to, size_t size)
{
	const u64 offset = address - *reg(REG_SP_);

	++*(int *)data;
	if (offset >= (u64)taken.stack_size || taken.stack_size - offset < size)
		return false;
	memcpy(to, (const char *)taken.stack + offset, size);
	return true;
}

static void test_memory(void **state)
{
	struct fixture *f = *state;
	int nr_reads = 0;
	const struct unwind_memory memory = { .read = read_taken, .data = &nr_reads };
	struct perf_sample sample;

	add_own_maps(f->machine);
	unwinder__set_memory(f->unwinder, &memory);
	unwinder__set_memory(f->oracle, &memory);
	f->sample.user_stack_size = 1024;
	assert_int_equal(unwind(f, &sample, 127), taken.nr_frames);
	f->sample.user_stack_size = 0;
	assert_int_equal(unwind(f, &sample, 127), taken.nr_frames);
	assert_like_libgcc(&sample, taken.nr_frames);
	assert_true(nr_reads > taken.nr_frames);
	nr_reads = 0;
	unwinder__set_memory(f->unwinder, NULL);
	sample = f->sample;
	assert_int_equal(unwinder__unwind(f->unwinder, f->thread, &sample, 127), 0);
	assert_int_equal(sample.nr_callchain, 2);
	assert_int_equal(nr_reads, 0);
}

static void test_not_for_us(void **state)
{
	struct fixture *f = *state;
	struct perf_sample sample = f->sample;

	sample.user_regs = NULL;
	assert_int_equal(unwinder__unwind(f->unwinder, f->thread, &sample, 127), 0);
	assert_int_equal(sample.nr_callchain, 2);
	sample = f->sample;
	sample.user_stack_size = 0;
	assert_int_equal(unwinder__unwind(f->unwinder, f->thread, &sample, 127), 0);
	assert_int_equal(sample.nr_callchain, 2);
	assert_ptr_equal(sample.callchain, f->sample.callchain);
}

static void test_no_files(void **state)
{
	struct fixture *f = *state;
	struct perf_sample sample;

	assert_int_equal(unwind(f, &sample, 127), 1); /* not even maps */
	add_map(f->machine, *reg(REG_IP_) & -4096, (*reg(REG_IP_) & -4096) + 4096, 0, "/nonexistent/file");
	assert_int_equal(unwind(f, &sample, 127), 1);
	f->sample.cpumode = PERF_RECORD_MISC_KERNEL;
	sample = f->sample;
	assert_int_equal(unwinder__unwind(f->unwinder, f->thread, &sample, 127), 0);
	assert_int_equal(sample.nr_callchain, 3);
}

/* Another file where the sample's code was: what was known of the first one is of no use, and the other way round. */
static void test_remapped(void **state)
{
	struct fixture *f = *state;
	struct perf_sample sample;

	add_own_maps(f->machine);
	assert_int_equal(unwind(f, &sample, 127), taken.nr_frames);
	add_map(f->machine, *reg(REG_IP_) & -4096, (*reg(REG_IP_) & -4096) + 4096, 0, "/nonexistent/file");
	assert_int_equal(unwind(f, &sample, 127), 1);
	add_own_maps(f->machine);
	assert_int_equal(unwind(f, &sample, 127), taken.nr_frames);
	assert_like_libgcc(&sample, taken.nr_frames);
}

/* More processes than are kept at a time. */
static void test_many_processes(void **state)
{
	struct fixture *f = *state;
	struct perf_sample sample;

	add_own_maps(f->machine);
	for (u32 i = 0; i < 40; i++) {
		struct record_fork fork = {
			.header = { .type = PERF_RECORD_FORK, .size = sizeof(fork) }, .pid = 100 + i, .tid = 100 + i, .ppid = 1, .ptid = 1,
		};

		assert_int_equal(machine__process(f->machine, (const union perf_record *)&fork), 0);
		f->thread = machine__thread(f->machine, 100 + i, 100 + i);
		assert_int_equal(unwind(f, &sample, 127), taken.nr_frames);
	}
}

/* A return address that readers would take for a mark ends the stack. */
static void test_forged_mark(void **state)
{
	struct fixture *f = *state;
	struct perf_sample sample;

	add_own_maps(f->machine);
	for (ssize_t i = 0; i < taken.stack_size / 8; i++) {
		if (taken.stack[i] == taken.frames[3])
			taken.stack[i] = PERF_CONTEXT_KERNEL + 1;
	}
	assert_int_equal(unwind(f, &sample, 127), 3);
	assert_like_libgcc(&sample, 3);
}

static void test_garbage(void **state)
{
	struct fixture *f = *state;
	struct perf_sample sample;

	add_own_maps(f->machine);
	srand(1);
	for (int i = 0; i < 3000; i++) {
		for (int n = rand() % 8; n >= 0; n--)
			taken.stack[rand() % (taken.stack_size / 8)] = rand() % 2 ? *reg(REG_SP_) + rand() % STACK_SIZE : (u64)rand();
		*reg(rand() % 6) = rand();
		assert_in_range(unwind(f, &sample, 127), 1, 127);
	}
}

#ifdef __x86_64__
#define MARKS 3 /* before the user's frames */

/* A chain of frame pointers that begins at the sampled frame */
struct chain {
	u64 ip[MARKS + MAX_FRAMES];
	u64 nr;
};

static struct chain chain_of(const u64 *frames, int nr)
{
	struct chain c = { .ip = { PERF_CONTEXT_KERNEL, 0xffffffff81000000, PERF_CONTEXT_USER, *reg(REG_IP_) }, .nr = MARKS + 1 };

	for (int i = 0; i < nr; i++)
		c.ip[c.nr++] = frames[i];
	return c;
}

/* A stack of that size as recordings have it, with a chain of frame pointers. Returns the number of user frames. */
static int join(struct fixture *f, struct perf_sample *sample, const struct chain *c, size_t stack_size)
{
	*sample = f->sample;
	sample->callchain = c->ip;
	sample->nr_callchain = c->nr;
	sample->user_stack_size = stack_size;
	assert_int_equal(unwinder__unwind(f->unwinder, f->thread, sample, 127), 0);
	assert_memory_equal(sample->callchain, c->ip, (MARKS + 1) * sizeof(u64));
	return sample->nr_callchain - MARKS;
}

static void assert_returns(const struct perf_sample *sample, int nr)
{
	for (int i = 1; i < nr; i++)
		assert_int_equal(sample->callchain[MARKS + i], taken.frames[i]);
}

static void test_joined(void **state)
{
	const u64 nowhere[] = { taken.frames[1], 0x2e9205894801c083 };
	struct fixture *f = *state;
	struct perf_sample sample;
	u64 frames[MAX_FRAMES];
	struct chain c;
	int nr;

	add_own_maps(f->machine);
	unwinder__keep_returns(f->unwinder);
	unwinder__assume_frame_pointers(f->unwinder);
	c = chain_of(NULL, 0);
	nr = join(f, &sample, &c, 1024);
	assert_in_range(nr, 4, taken.nr_frames - 2);
	/* the rest of the stack, up to what is no code */
	memcpy(frames, taken.frames, sizeof(frames));
	c = chain_of(frames + 1, taken.nr_frames - 1);
	assert_int_equal(join(f, &sample, &c, 1024), taken.nr_frames);
	assert_returns(&sample, taken.nr_frames);
	c.ip[c.nr - 1] = 0x2e9205894801c083;
	assert_int_equal(join(f, &sample, &c, 1024), taken.nr_frames - 1);
	assert_returns(&sample, taken.nr_frames - 1);
	/* the chain lacks the last frame that rules have found */
	memmove(&frames[nr - 1], &frames[nr], (taken.nr_frames - nr) * sizeof(*frames));
	c = chain_of(frames + 1, taken.nr_frames - 2);
	assert_int_equal(join(f, &sample, &c, 1024), taken.nr_frames);
	assert_returns(&sample, taken.nr_frames);
	/* a frame pointer that is data: no frame is the same but the sampled one */
	for (int i = 0; i < MAX_FRAMES; i++)
		frames[i] = (uintptr_t)test_joined + 4;
	c = chain_of(frames, MAX_FRAMES - 1);
	assert_int_equal(join(f, &sample, &c, 1024), nr);
	assert_returns(&sample, nr);
	/* nothing but the sampled frame is known */
	c = chain_of(nowhere, 2);
	assert_int_equal(join(f, &sample, &c, 7), 2);
	assert_returns(&sample, 2);
}

/* Memory without files: code that was made at run time, data, and a file below /tmp/perf-... that is not there */
#define GENERATED 0x10000
#define DATA 0x30000
#define NO_FILE 0x50000
#define STACK 0x7000000

static void add_made_maps(struct machine *machine)
{
	struct record_mmap data = {
		.header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA },
		.pid = 1, .tid = 1, .start = DATA, .len = 4096,
	};
	struct {
		struct record_mmap rec;
		char name[8];
	} record = { .rec = data, .name = "//anon" };

	record.rec.header.size = sizeof(record);
	assert_int_equal(machine__process(machine, (const union perf_record *)&record), 0);
	add_map(machine, GENERATED, GENERATED + 4096, GENERATED, "//anon");
	add_map(machine, NO_FILE, NO_FILE + 4096, 0, "/tmp/perf-is/a/file");
}

/* Every word of memory far above the stack is the same. */
static bool read_far(void *data, u64 address, void *to, size_t size)
{
	memcpy(to, data, size);
	return address >= STACK + sizeof(taken.stack);
}

/* Follow frame pointers from ip: the first leads to bp, the second to a caller. Returns the number of frames. */
static int follow(struct fixture *f, u64 ip, u64 bp, u64 caller, enum unwind_end *end)
{
	struct perf_sample sample = f->sample;

	*reg(REG_IP_) = ip;
	*reg(REG_SP_) = STACK;
	*reg(6) = bp;
	memset(taken.stack, 0, 64);
	taken.stack[2] = STACK + 32;
	taken.stack[3] = GENERATED + 0x20;
	taken.stack[5] = caller;
	sample.user_stack_size = sizeof(taken.stack);
	assert_int_equal(unwinder__unwind(f->unwinder, f->thread, &sample, 127), 0);
	assert_int_equal(sample.callchain[MARKS - 1], PERF_CONTEXT_USER);
	assert_int_equal(sample.callchain[MARKS], ip);
	*end = unwinder__end(f->unwinder);
	return sample.nr_callchain - MARKS;
}

static void test_frame_pointers(void **state)
{
	u64 far = GENERATED + 0x40;
	const struct unwind_memory memory = { .read = read_far, .data = &far };
	struct fixture *f = *state;
	enum unwind_end end;

	add_made_maps(f->machine);
	unwinder__keep_returns(f->unwinder);
	unwinder__assume_frame_pointers(f->unwinder);
	assert_int_equal(follow(f, GENERATED + 0x10, STACK + 16, GENERATED + 0x30, &end), 3);
	assert_int_equal(end, UNWIND_ZERO);
	/* callers are code, */
	assert_int_equal(follow(f, GENERATED + 0x10, STACK + 16, DATA + 0x10, &end), 2);
	assert_int_equal(end, UNWIND_GENERATED);
	assert_int_equal(follow(f, NO_FILE + 0x10, STACK + 32, DATA + 0x10, &end), 1);
	assert_int_equal(end, UNWIND_NO_FILE);
	/* and not too far up the stack */
	unwinder__set_memory(f->unwinder, &memory);
	assert_int_equal(follow(f, GENERATED + 0x10, STACK + (2 << 20), 0, &end), 1);
	assert_int_equal(end, UNWIND_GENERATED);
	unwinder__set_memory(f->unwinder, NULL);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_like_libgcc, setup, teardown),
#ifdef __x86_64__
		cmocka_unit_test_setup_teardown(test_rules_suffice, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rules_give_up, setup, teardown),
		cmocka_unit_test_setup_teardown(test_joined, setup, teardown),
		cmocka_unit_test_setup_teardown(test_frame_pointers, setup, teardown),
#endif
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_for_us, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_remapped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_processes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_forged_mark, setup, teardown),
		cmocka_unit_test_setup_teardown(test_garbage, setup, teardown),
	};

	return cmocka_run_group_tests_name("callchain/unwind", tests, NULL, NULL);
}

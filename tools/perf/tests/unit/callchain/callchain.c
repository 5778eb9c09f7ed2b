// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/callchain/callchain.h"

#define USER PERF_RECORD_MISC_USER
#define KERNEL PERF_RECORD_MISC_KERNEL

struct fixture {
	struct machine *machine;
	struct resolver *resolver;
	struct thread *thread;
	struct callchain chain;
};

static struct fixture *fixture__new(void)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct {
		struct record_mmap rec;
		char name[16];
	} mmap = {
		.rec = { .header = { .type = PERF_RECORD_MMAP, .misc = USER, .size = sizeof(mmap) },
			 .pid = 1, .tid = 1, .start = 0x1000, .len = 0x1000 },
		.name = "[heap]",
	};

	f->machine = machine__new(resolver__free_dso);
	f->resolver = resolver__new(f->machine, NULL);
	f->thread = machine__thread(f->machine, 1, 1);
	assert_int_equal(machine__process(f->machine, (const union perf_record *)&mmap), 0);
	return f;
}

static void fixture__delete(struct fixture *f)
{
	callchain__exit(&f->chain);
	resolver__delete(f->resolver);
	machine__delete(f->machine);
	free(f);
}

static void resolve(struct fixture *f, const u64 *ips, size_t nr, u32 max_stack)
{
	struct perf_sample sample = { .cpumode = KERNEL, .callchain = ips, .nr_callchain = nr };

	assert_int_equal(callchain__resolve(&f->chain, f->resolver, f->thread, &sample, max_stack), 0);
}

static void assert_frame(const struct fixture *f, u32 i, u64 addr, u8 cpumode)
{
	assert_true(i < f->chain.nr);
	assert_int_equal(f->chain.frame[i].addr, addr);
	assert_int_equal(f->chain.frame[i].cpumode, cpumode);
}

static void test_markers(void **state)
{
	static const u64 ips[] = { 0x10, PERF_CONTEXT_KERNEL, 0x1000, 0x1100, PERF_CONTEXT_USER, 0x1200, 0x3000 };
	struct fixture *f = fixture__new();

	resolve(f, ips, ARRAY_SIZE(ips), 127);
	assert_int_equal(f->chain.nr, 5);
	assert_frame(f, 0, 0x10, KERNEL); /* the sample's own mode */
	assert_frame(f, 1, 0x1000, KERNEL);
	assert_null(f->chain.frame[1].map); /* a user map does not serve the kernel */
	assert_frame(f, 2, 0x1100, KERNEL);
	assert_frame(f, 3, 0x1200, USER);
	assert_string_equal(f->chain.frame[3].dso->name, "[heap]");
	assert_frame(f, 4, 0x3000, USER);
	assert_null(f->chain.frame[4].map);

	resolve(f, ips, 0, 127); /* used again */
	assert_int_equal(f->chain.nr, 0);
	fixture__delete(f);
}

/* So that it is no short process, whose frames have numbers of their own. */
static void look_up_often(struct fixture *f)
{
	for (u64 i = 0; i < 2000; i++)
		machine__find_map(f->machine, f->thread, USER, 0x1200);
}

/* By numbers alone: the same frames, when they are asked for. */
static void test_numbers(void **state)
{
	static const u64 ips[] = { PERF_CONTEXT_KERNEL, 0x1000, PERF_CONTEXT_USER, 0x1200, 0x1200, 0x1200 };
	struct perf_sample sample = { .cpumode = KERNEL, .callchain = ips, .nr_callchain = ARRAY_SIZE(ips) };
	struct fixture *f = fixture__new();

	look_up_often(f);
	assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
	assert_int_equal(f->chain.nr, 4);
	assert_int_equal(f->chain.nr_leaf, 1);
	assert_null(f->chain.frame);
	assert_int_not_equal(f->chain.number[0], f->chain.number[1]);
	assert_int_not_equal(f->chain.number[1], f->chain.number[2]); /* a place is not what returns to it */
	assert_int_equal(f->chain.number[2], f->chain.number[3]);
	assert_int_equal(resolver__frame(f->resolver, f->chain.number[0])->addr, 0x1000);
	assert_int_equal(callchain__locate(&f->chain, f->resolver), 0);
	assert_frame(f, 0, 0x1000, KERNEL);
	assert_frame(f, 1, 0x1200, USER);
	assert_frame(f, 2, 0x1200, USER);
	callchain__drop(&f->chain, 1);
	assert_int_equal(resolver__frame(f->resolver, f->chain.number[0])->addr, 0x1200);

	sample.nr_callchain = 0;
	assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
	assert_int_equal(f->chain.nr, 0);
	assert_int_equal(callchain__locate(&f->chain, f->resolver), 0);
	fixture__delete(f);
}

/* Numbers that an address gets only once give the same frames, and equal code is known as such. */
static void test_numbers_once(void **state)
{
	static const u64 ips[] = { PERF_CONTEXT_KERNEL, 0x1000, PERF_CONTEXT_USER, 0x1200, 0x1300, 0x3000, 0x1300 };
	struct perf_sample sample = { .cpumode = USER, .callchain = ips + 2, .nr_callchain = ARRAY_SIZE(ips) - 2 };
	struct fixture *f = fixture__new();
	u32 code = 0;
	u64 addr;

	for (int i = 0; i < 3; i++) {
		resolver__begin(f->resolver);
		assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
		assert_int_equal(f->chain.nr, 4);
		assert_int_equal(f->chain.nr_leaf, 1);
		assert_true(frame_number__is_once(f->chain.number[0]));
		assert_int_equal(resolver__frame(f->resolver, f->chain.number[1])->addr, 0x1300);
		if (i)
			assert_int_equal(resolver__frame_code(f->resolver, f->chain.number[0], &addr), code);
		code = resolver__frame_code(f->resolver, f->chain.number[0], &addr);
		assert_int_equal(addr, 0x1200);
		assert_ptr_equal(resolver__unnamed_once(f->resolver, f->chain.number[0], &addr), resolver__frame(f->resolver, f->chain.number[0])->map);
		assert_int_equal(addr, 0x1200);
		assert_null(resolver__unnamed_once(f->resolver, f->chain.number[2], &addr)); /* it has no map */
		assert_int_not_equal(resolver__frame_code(f->resolver, f->chain.number[1], &addr), code);
		assert_int_equal(resolver__frame_code(f->resolver, f->chain.number[3], &addr), resolver__frame_code(f->resolver, f->chain.number[1], &addr));
		assert_int_equal(resolver__frame_code(f->resolver, f->chain.number[2], &addr), 0);
		assert_int_equal(callchain__locate(&f->chain, f->resolver), 0);
		assert_frame(f, 0, 0x1200, USER);
		assert_string_equal(f->chain.frame[0].dso->name, "[heap]");
		assert_frame(f, 1, 0x1300, USER);
		assert_frame(f, 2, 0x3000, USER);
		assert_null(f->chain.frame[2].map);
		assert_frame(f, 3, 0x1300, USER);
	}

	sample.callchain = ips; /* the kernel's are kept */
	sample.nr_callchain = ARRAY_SIZE(ips);
	sample.cpumode = KERNEL;
	assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
	assert_int_equal(f->chain.nr, 5);
	assert_false(frame_number__is_once(f->chain.number[0]));
	assert_true(frame_number__is_once(f->chain.number[1]));

	look_up_often(f);
	callchain__exit(&f->chain); /* forget the chain before */
	assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
	assert_false(frame_number__is_once(f->chain.number[1]));
	assert_int_equal(callchain__locate(&f->chain, f->resolver), 0);
	assert_frame(f, 1, 0x1200, USER);
	fixture__delete(f);
}

/* Outer callers keep the numbers of the chain before, until there are many numbers; no number is used again. */
static void test_numbers_once_are_kept(void **state)
{
	const u64 ips[] = { PERF_CONTEXT_USER, 0x1100, 0x1200, 0x1300, 0x1400 }, other[] = { PERF_CONTEXT_USER, 0x1101, 0x1201, 0x1300, 0x1400 };
	struct perf_sample sample = { .cpumode = USER, .callchain = ips, .nr_callchain = ARRAY_SIZE(ips) };
	struct fixture *f = fixture__new();
	u32 outer, last, numbering = resolver__numbering(f->resolver);

	for (int i = 0; i < 2; i++) { /* the second time the code is known */
		resolver__begin(f->resolver);
		assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
		assert_int_equal(f->chain.number[3], f->chain.number[1] + 2);
	}
	outer = f->chain.number[2];
	sample.callchain = other;
	assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
	assert_int_equal(f->chain.nr, 4);
	assert_int_equal(f->chain.number[2], outer);
	assert_int_equal(f->chain.number[3], outer + 1);
	assert_int_equal(resolver__frame(f->resolver, f->chain.number[1])->addr, 0x1201);
	assert_int_equal(resolver__frame(f->resolver, f->chain.number[2])->addr, 0x1300);
	assert_int_equal(resolver__numbering(f->resolver), numbering);

	last = f->chain.number[1];
	outer = last > outer ? last : outer;
	for (int i = 0; i < 10000 && resolver__numbering(f->resolver) == numbering; i++) {
		resolver__begin(f->resolver);
		last = resolver__frames_once(f->resolver, machine__thread(f->machine, 2, 2), USER, 0x1500).first;
	}
	assert_int_not_equal(resolver__numbering(f->resolver), numbering);
	assert_true(last > outer + 1000);
	assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
	assert_int_equal(f->chain.nr, 4);
	assert_int_equal(f->chain.number[0], last + 1);
	assert_int_equal(f->chain.number[3], last + 4);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(resolver__frame(f->resolver, f->chain.number[i])->addr, other[i + 1]);
	fixture__delete(f);
}

static void map_file(struct fixture *f, u32 pid, u64 start, u64 len, const char *name)
{
	struct {
		struct record_mmap rec;
		char name[16];
	} mmap = {
		.rec = { .header = { .type = PERF_RECORD_MMAP, .misc = USER, .size = sizeof(mmap) }, .pid = pid, .tid = pid, .start = start, .len = len },
	};

	strcpy(mmap.name, name);
	assert_int_equal(machine__process(f->machine, (const union perf_record *)&mmap), 0);
}

/* A row of known addresses may lead from one file into the next. */
static void test_numbers_once_of_two_files(void **state)
{
	static const u64 ips[] = { PERF_CONTEXT_USER, 0x1ffe, 0x1fff, 0x2000, 0x2001, 0x1ffd };
	struct perf_sample sample = { .cpumode = USER, .callchain = ips, .nr_callchain = ARRAY_SIZE(ips) };
	struct fixture *f = fixture__new();

	map_file(f, 1, 0x2000, 0x1000, "[other]");
	map_file(f, 2, 0x1000, 0x2000, "[heap]"); /* where a larger one is known behind the end of the other, too */
	for (u32 i = 1; i < ARRAY_SIZE(ips); i++)
		resolver__frames_once(f->resolver, machine__thread(f->machine, 2, 2), USER, ips[i]);
	for (int i = 0; i < 3; i++) {
		resolver__begin(f->resolver);
		callchain__exit(&f->chain); /* forget the chain before */
		f->chain = (struct callchain){};
		assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
		assert_int_equal(f->chain.nr, 5);
		for (u32 at = 0; at < 5; at++) {
			const struct location *loc = resolver__frame(f->resolver, f->chain.number[at]);

			assert_int_equal(loc->addr, ips[at + 1]);
			assert_string_equal(loc->dso->name, ips[at + 1] - !!at < 0x2000 ? "[heap]" : "[other]"); /* of the call */
		}
	}
	fixture__delete(f);
}

#define MANY 65000 /* addresses: a little less than the tables of addresses and of codes have room for */

/* Numbers of code end before those of frames that have them. */
static void test_numbers_once_end_with_their_codes(void **state)
{
	static const u64 ips[] = { PERF_CONTEXT_USER, 0x1100, 0x1200, 0x1300 };
	struct perf_sample sample = { .cpumode = USER, .callchain = ips, .nr_callchain = ARRAY_SIZE(ips) };
	struct fixture *f = fixture__new();
	u64 version, addr = 0x100000;
	struct thread *other;
	u32 numbering;

	map_file(f, 1, 0x100000, 0x100000, "[large]");
	version = resolver__maps_version(f->resolver, f->thread);
	other = machine__thread(f->machine, 1, 2);
	for (; addr < 0x100000 + MANY - 3000; addr++) {
		resolver__begin(f->resolver);
		resolver__frames(f->resolver, other, version, USER, addr);
	}
	for (; addr < 0x100000 + MANY; addr++) {
		resolver__begin(f->resolver);
		resolver__frames_once(f->resolver, other, USER, addr);
	}
	resolver__begin(f->resolver);
	numbering = resolver__numbering(f->resolver);
	assert_int_equal(numbering, 0);
	for (; addr < 0x100000 + MANY + 1000; addr++) {
		resolver__begin(f->resolver);
		resolver__frames(f->resolver, other, version, USER, addr);
	}
	assert_int_equal(resolver__numbering(f->resolver), 1);
	assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
	fixture__delete(f);
}

/* The place of a sample alone has the frames that it has in the whole chain. */
static void test_place(void **state)
{
	static const u64 chains[][4] = {
		{ PERF_CONTEXT_USER, 0x1200, 0x1300, 0x1400 }, { 0x1200, PERF_CONTEXT_USER, 0x1300, 0x1400 },
		{ PERF_CONTEXT_USER, PERF_CONTEXT_KERNEL, 0x1300, 0x1400 }, { PERF_CONTEXT_KERNEL, 0xffff1000, PERF_CONTEXT_USER, 0x1200 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(chains) * 2; i++) {
		struct perf_sample sample = { .cpumode = KERNEL, .callchain = chains[i / 2], .nr_callchain = 4 };
		struct fixture *f = fixture__new();
		struct location leaf = {};
		u32 nr_leaf;

		if (i % 2)
			look_up_often(f);
		assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
		nr_leaf = f->chain.nr_leaf;
		assert_int_equal(nr_leaf, i / 2 != 2);
		if (nr_leaf)
			leaf = *resolver__frame(f->resolver, f->chain.number[0]);
		assert_int_equal(callchain__number_place(&f->chain, f->resolver, f->thread, &sample), 0);
		assert_int_equal(f->chain.nr, nr_leaf);
		assert_int_equal(f->chain.nr_leaf, nr_leaf);
		assert_non_null(f->chain.number);
		if (nr_leaf) {
			assert_int_equal(resolver__frame(f->resolver, f->chain.number[0])->addr, leaf.addr);
			assert_int_equal(resolver__frame(f->resolver, f->chain.number[0])->cpumode, leaf.cpumode);
			assert_int_equal(frame_number__is_once(f->chain.number[0]), !(i % 2) && leaf.cpumode == USER);
		}
		fixture__delete(f);
	}
}

__attribute__((noinline)) static u64 caller(void)
{
	return (u64)(uintptr_t)__builtin_return_address(0) - 1;
}

static inline __attribute__((always_inline)) u64 inlined(void)
{
	return caller();
}

/* An address of code of inlined() in this function */
__attribute__((noinline)) static u64 with_inlined(void)
{
	u64 address = inlined();

	__asm__ volatile("" : "+r"(address)); /* it is called, not jumped to */
	return address;
}

/* Map what this program has at the address. */
static void map_own_file(struct fixture *f, u64 address)
{
	struct {
		struct record_mmap rec;
		char name[4096];
	} mmap = { .rec = { .header = { .type = PERF_RECORD_MMAP, .misc = USER, .size = sizeof(mmap) }, .pid = 1, .tid = 1 } };
	unsigned long long start = 0, end = 0, offset = 0;
	FILE *fp = fopen("/proc/self/maps", "r");
	char line[8192];

	assert_non_null(fp);
	while (fgets(line, sizeof(line), fp) && !(address >= start && address < end))
		assert_int_equal(sscanf(line, "%llx-%llx %*s %llx %*s %*s %4095s", &start, &end, &offset, mmap.name) >= 3, 1);
	fclose(fp);
	mmap.rec.start = start;
	mmap.rec.len = end - start;
	mmap.rec.pgoff = offset;
	assert_int_equal(machine__process(f->machine, (const union perf_record *)&mmap), 0);
}

/* Functions that are inlined there are frames of the place, however it is asked for. */
static void test_inlined_place(void **state)
{
	const u64 address = with_inlined(), ips[] = { PERF_CONTEXT_USER, address, 0x1100 };
	struct perf_sample sample = { .cpumode = USER, .callchain = ips, .nr_callchain = ARRAY_SIZE(ips) };
	struct fixture *f = fixture__new();

	map_own_file(f, address);
	assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
	assert_int_equal(f->chain.nr, 3);
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(f->chain.nr_leaf, 2);
		assert_string_equal(resolver__frame(f->resolver, f->chain.number[0])->sym->name, "inlined");
		assert_string_equal(resolver__frame(f->resolver, f->chain.number[1])->sym->name, "with_inlined");
		assert_int_equal(callchain__number_place(&f->chain, f->resolver, f->thread, &sample), 0);
		assert_int_equal(f->chain.nr, 2);
	}
	fixture__delete(f);
}

#if defined(__x86_64__)
/* Functions without gaps between them, so that the names of one are wrong for the other. The code that returns from a signal has no name. */
__asm__(".pushsection .text\n"
	".type ends_in_call, @function\nends_in_call: nop\n call *%rax\n .size ends_in_call, . - ends_in_call\n"
	".type other_function, @function\nother_function: nop\n nop\n ret\n .size other_function, . - other_function\n"
	".globl where_coroutines_start\n.type where_coroutines_start, @function\n"
	"where_coroutines_start: nop\n ret\n .size where_coroutines_start, . - where_coroutines_start\n"
	"nop\n mov $15, %eax\n syscall\n nop\n"
	".popsection");
extern const char where_coroutines_start[];

enum { OTHER_FUNCTION = -3, SIGRETURN = 3, IN_SYSCALL = SIGRETURN + 7 }; /* from where_coroutines_start */

static const char *name_of(struct fixture *f, u32 frame)
{
	const struct symbol *sym = resolver__frame(f->resolver, f->chain.number[frame])->sym;

	return sym ? sym->name : "";
}

static void assert_callers(struct fixture *f, u8 mode, const u64 *ips, u32 nr, const char *const *names)
{
	struct perf_sample sample = { .cpumode = mode, .callchain = ips, .nr_callchain = nr };

	assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
	assert_int_equal(f->chain.nr, nr - 1);
	for (u32 i = 0; i < f->chain.nr; i++) {
		assert_string_equal(name_of(f, i), names[i]);
		assert_int_equal(resolver__frame(f->resolver, f->chain.number[i])->addr, ips[i + 1]);
	}
	if (mode == USER) {
		resolve(f, ips, nr, 127);
		for (u32 i = 0; i < f->chain.nr; i++)
			assert_string_equal(f->chain.frame[i].sym ? f->chain.frame[i].sym->name : "", names[i]);
	}
}

/* A frame is called what its call is in. The sampled instruction, what a signal interrupted, and where coroutines start called nothing. */
static void test_return_addresses(void **state)
{
	const u64 start = (u64)(uintptr_t)where_coroutines_start, other = start + OTHER_FUNCTION, ret = start + SIGRETURN;
	const u64 chains[][5] = {
		{ PERF_CONTEXT_USER, other, other, other, start },
		{ PERF_CONTEXT_USER, other + 1, ret, other, other },
		{ PERF_CONTEXT_USER, other + 1, other, ret, other },
		{ PERF_CONTEXT_USER_CALLS_, other, other, start, start - 1 },
	};
	const char *const names[][4] = {
		{ "other_function", "ends_in_call", "ends_in_call", "where_coroutines_start" },
		{ "other_function", "", "other_function", "ends_in_call" },
		{ "other_function", "ends_in_call", "", "other_function" },
		{ "other_function", "other_function", "where_coroutines_start", "other_function" },
	};
	const u64 kernel[] = { PERF_CONTEXT_USER, start + IN_SYSCALL, other };
	const char *const of_kernel[] = { "", "ends_in_call" };
	struct fixture *f = fixture__new();

	map_own_file(f, start);
	for (u32 i = 0; i < 3 * ARRAY_SIZE(chains); i++) {
		assert_callers(f, USER, chains[i % ARRAY_SIZE(chains)], 5, names[i % ARRAY_SIZE(chains)]);
		if (i == ARRAY_SIZE(chains))
			look_up_often(f); /* from now on frames are kept by their addresses */
	}
	assert_callers(f, USER, kernel, ARRAY_SIZE(kernel), of_kernel); /* callers have the same frames for every place */
	fixture__delete(f);
}

/* What a caller has inlined at its call */
static void test_inlined_caller(void **state)
{
	const u64 address = with_inlined() + 1, ips[] = { PERF_CONTEXT_USER, 0x1100, address };
	struct perf_sample sample = { .cpumode = USER, .callchain = ips, .nr_callchain = ARRAY_SIZE(ips) };
	struct fixture *f = fixture__new();

	map_own_file(f, address);
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(callchain__number(&f->chain, f->resolver, f->thread, &sample, 127), 0);
		assert_int_equal(f->chain.nr, 3);
		assert_string_equal(name_of(f, 1), "inlined");
		assert_string_equal(name_of(f, 2), "with_inlined");
		assert_int_equal(resolver__frame(f->resolver, f->chain.number[1])->addr, address);
		look_up_often(f);
	}
	fixture__delete(f);
}
#endif

static void test_other_markers(void **state)
{
	static const u64 ips[] = {
		PERF_CONTEXT_HV, 1, PERF_CONTEXT_GUEST, 2, PERF_CONTEXT_GUEST_KERNEL, 3, PERF_CONTEXT_GUEST_USER, 4,
		PERF_CONTEXT_USER, 5, PERF_CONTEXT_USER_DEFERRED_, 12345,
	};
	struct fixture *f = fixture__new();

	resolve(f, ips, ARRAY_SIZE(ips), 127);
	assert_int_equal(f->chain.nr, 5); /* the cookie of a deferred chain is no frame */
	assert_frame(f, 0, 1, PERF_RECORD_MISC_HYPERVISOR);
	assert_frame(f, 1, 2, PERF_RECORD_MISC_GUEST_KERNEL);
	assert_frame(f, 2, 3, PERF_RECORD_MISC_GUEST_KERNEL);
	assert_frame(f, 3, 4, PERF_RECORD_MISC_GUEST_USER);
	assert_frame(f, 4, 5, USER);
	resolve(f, &ips[10], 1, 127); /* cut off before its cookie */
	assert_int_equal(f->chain.nr, 0);
	fixture__delete(f);
}

static void test_damaged(void **state)
{
	static const u64 ips[] = { PERF_CONTEXT_USER, 0x1200, (u64)-3000, 0x1300 };
	struct fixture *f = fixture__new();

	resolve(f, ips, ARRAY_SIZE(ips), 127);
	assert_int_equal(f->chain.nr, 0);
	fixture__delete(f);
}

static void map_anew(struct fixture *f, u64 start)
{
	struct {
		struct record_mmap rec;
		char name[16];
	} mmap = {
		.rec = { .header = { .type = PERF_RECORD_MMAP, .misc = USER, .size = sizeof(mmap) },
			 .pid = 1, .tid = 1, .start = start, .len = 0x1000 },
		.name = "[other]",
	};

	assert_int_equal(machine__process(f->machine, (const union perf_record *)&mmap), 0);
}

static void test_callers(void **state)
{
	u64 ips[] = { PERF_CONTEXT_KERNEL, 0x10, 0x20, PERF_CONTEXT_USER, 0x1200, 0x1300 };
	struct fixture *f = fixture__new();
	u32 first;

	resolve(f, ips, ARRAY_SIZE(ips), 127);
	first = f->chain.callers;
	assert_int_not_equal(first, 0);
	assert_int_equal(f->chain.nr_leaf, 1);

	ips[1] = 0x11; /* elsewhere in the function that was interrupted */
	resolve(f, ips, ARRAY_SIZE(ips), 127);
	assert_int_equal(f->chain.callers, first);
	assert_int_equal(f->chain.nr, 4);
	assert_frame(f, 0, 0x11, KERNEL);
	assert_frame(f, 1, 0x20, KERNEL);
	assert_frame(f, 2, 0x1200, USER);
	assert_string_equal(f->chain.frame[2].dso->name, "[heap]");

	resolve(f, ips, ARRAY_SIZE(ips), 3);
	assert_int_not_equal(f->chain.callers, first);
	assert_int_equal(f->chain.nr, 3);

	ips[5] = 0x1301;
	resolve(f, ips, ARRAY_SIZE(ips), 127);
	assert_int_not_equal(f->chain.callers, first);
	assert_frame(f, 3, 0x1301, USER);
	fixture__delete(f);
}

/* What was resolved holds while the maps are as they were. */
static void test_callers_after_maps_changed(void **state)
{
	static const u64 ips[] = { PERF_CONTEXT_USER, 0x1100, 0x1200 };
	struct fixture *f = fixture__new();
	u32 first;

	resolve(f, ips, ARRAY_SIZE(ips), 127);
	first = f->chain.callers;
	map_anew(f, 0x5000);
	map_anew(f, 0x1000);
	resolve(f, ips, ARRAY_SIZE(ips), 127);
	assert_int_not_equal(f->chain.callers, first);
	assert_string_equal(f->chain.frame[0].dso->name, "[other]");
	assert_string_equal(f->chain.frame[1].dso->name, "[other]");
	fixture__delete(f);
}

/* More chains than are kept: all are resolved, and no number is used twice. Few are not kept: those that find no room. */
static void test_more_than_fit(void **state)
{
	u64 ips[] = { PERF_CONTEXT_USER, 0x1000, 0, 0x1fff };
	struct fixture *f = fixture__new();
	u32 last = 0, not_kept = 0;

	for (u64 i = 0; i < 400000; i++) {
		ips[2] = i;
		resolve(f, ips, ARRAY_SIZE(ips), 127);
		assert_true(f->chain.callers > last || !f->chain.callers);
		last = f->chain.callers ?: last;
		not_kept += !f->chain.callers;
		assert_int_equal(f->chain.nr, 3);
		assert_int_equal(f->chain.frame[1].addr, i);
	}
	assert_in_range(not_kept, 1, 10);
	fixture__delete(f);
}

static void test_depth(void **state)
{
	struct fixture *f = fixture__new();
	u64 ips[301] = { PERF_CONTEXT_USER };

	for (u64 i = 1; i < 301; i++)
		ips[i] = i;
	resolve(f, ips, 301, 1000);
	assert_int_equal(f->chain.nr, 300);
	for (u32 i = 0; i < 300; i++)
		assert_frame(f, i, i + 1, USER);
	resolve(f, ips, 301, 127);
	assert_int_equal(f->chain.nr, 127);
	fixture__delete(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_markers),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_numbers_once),
		cmocka_unit_test(test_numbers_once_are_kept),
		cmocka_unit_test(test_numbers_once_of_two_files),
		cmocka_unit_test(test_numbers_once_end_with_their_codes),
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_inlined_place),
#if defined(__x86_64__)
		cmocka_unit_test(test_return_addresses), cmocka_unit_test(test_inlined_caller),
#endif
		cmocka_unit_test(test_other_markers),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_callers_after_maps_changed),
		cmocka_unit_test(test_more_than_fit),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests_name("callchain/callchain", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* util/hist/paths.c: frames are stored shortly, and found again. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "util/hist/paths.h"

static struct dso file = { .name = "file", .kind = DSO_USER }, kernel = { .name = "kernel", .kind = DSO_KERNEL };
static const struct mapped of_file = { .dso = &file }, of_code = { .dso = &kernel };
static const struct map map = { .start = 0x10000, .end = 0x20000, .pgoff = 0x3000, .of = &of_file },
			again = { .start = 0x10000, .end = 0x30000, .pgoff = 0x3000, .of = &of_file },
			of_kernel = { .start = 0xffff0000, .end = 0xffffffff, .of = &of_code };
static const struct symbol sym = { .start = 0x3100, .end = 0x3200, .name = "f" };

static u32 frame_of(struct paths *paths, const struct location *loc)
{
	u32 path = paths__child(paths, PATH_ROOT, loc);

	assert_int_not_equal(path, PATH_NONE);
	return paths__frame(paths, path);
}

static void locations_come_back(void **state)
{
	const struct location loc[] = {
		{ .addr = 0x10100, .cpumode = PERF_RECORD_MISC_USER, .map = &map, .dso = &file, .sym_addr = 0x3100 },
		{ .addr = 0x10101, .cpumode = PERF_RECORD_MISC_USER, .map = &map, .dso = &file, .sym = &sym, .sym_addr = 0x3101 },
		{ .addr = 0x10102, .cpumode = PERF_RECORD_MISC_USER, .map = &map, .dso = &file, .sym_addr = 0x10102 }, /* not the map's */
		{ .addr = 0x10103, .cpumode = PERF_RECORD_MISC_GUEST_USER, .map = &map, .dso = &file, .sym_addr = 0x3103 },
		{ .addr = 0xffff0010, .cpumode = PERF_RECORD_MISC_KERNEL, .map = &of_kernel, .dso = &kernel, .sym_addr = 0xffff0010 },
		{ .addr = 0x10105, .cpumode = PERF_RECORD_MISC_USER, .sym_addr = 0x10105 },
	};
	struct paths *paths = paths__new(false);

	for (int round = 0; round < 2; round++) {
		for (u32 i = 0; i < ARRAY_SIZE(loc); i++) {
			struct location room;
			const struct location *found = paths__location(paths, frame_of(paths, &loc[i]), &room);

			assert_memory_equal(found, &loc[i], sizeof(loc[i]));
			assert_int_equal(paths__nr_frames(paths), round ? ARRAY_SIZE(loc) : i + 1);
		}
	}
	paths__delete(paths);
}

static void frames_do_not_depend_on_maps(void **state)
{
	struct location loc = { .addr = 0x10100, .cpumode = PERF_RECORD_MISC_USER, .map = &map, .dso = &file, .sym_addr = 0x3100 };
	struct paths *paths = paths__new(false);
	u32 frame = frame_of(paths, &loc);

	loc.map = &again;
	assert_int_equal(frame_of(paths, &loc), frame);
	loc.addr++;
	loc.sym_addr++;
	assert_int_not_equal(frame_of(paths, &loc), frame);
	paths__delete(paths);
}

/* Columns may show the size of the map, and trees the offset in the function. */
static void places_depend_on_maps(void **state)
{
	static const struct map moved = { .start = 0x10000, .end = 0x20000, .pgoff = 0x3010, .of = &of_file },
				same = { .start = 0x10000, .end = 0x20000, .pgoff = 0x3000, .of = &of_file };
	struct location loc = { .addr = 0x10100, .cpumode = PERF_RECORD_MISC_USER, .map = &map, .dso = &file, .sym = &sym, .sym_addr = 0x3100 };
	struct paths *paths = paths__new(true);
	u32 frame = frame_of(paths, &loc);

	loc.map = &again;
	assert_int_not_equal(frame_of(paths, &loc), frame);
	loc.map = &moved;
	loc.sym_addr = 0x3110;
	assert_int_not_equal(frame_of(paths, &loc), frame);
	loc.map = &same;
	loc.sym_addr = 0x3100;
	assert_int_equal(frame_of(paths, &loc), frame);
	paths__delete(paths);
}

#define BASE 0x400000
#define SIZE 0x1000

/* A process with a file at another address than those of all others. */
static struct thread *new_process(struct machine *machine, u32 pid)
{
	struct {
		struct record_mmap rec;
		char name[16];
	} mmap = {
		.rec = { .header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_USER, .size = sizeof(mmap) },
			 .pid = pid, .tid = pid, .start = BASE + pid * SIZE, .len = SIZE },
		.name = "[vsyscall]",
	};

	assert_int_equal(machine__process(machine, (const union perf_record *)&mmap), 0);
	return machine__thread(machine, pid, pid);
}

/* Chains of processes that soon end: what they have in common is shared, and no frame is taken for that of another process. */
static void short_processes(void **state)
{
	struct machine *machine = machine__new(resolver__free_dso);
	struct resolver *resolver = resolver__new(machine, NULL);
	struct paths *paths = paths__new(false);
	struct callchain chain = {};
	u32 nr_new = 0;

	for (u32 i = 0; i < 20000; i++) { /* two processes take turns */
		const u32 pid = 1 + i % 2 + i / 1000 * 2;
		const u64 base = BASE + pid * SIZE, ips[] = { PERF_CONTEXT_USER, base + i % 3, base + 0x20, base + 0x30, base + 0x40 };
		const struct perf_sample sample = { .cpumode = PERF_RECORD_MISC_USER, .callchain = ips, .nr_callchain = ARRAY_SIZE(ips) };
		struct thread *thread = machine__known_thread(machine, pid) ?: new_process(machine, pid);
		u32 path, frame[4];
		bool is_new;

		resolver__begin(resolver);
		assert_int_equal(callchain__number(&chain, resolver, thread, &sample, 127), 0);
		path = paths__of(paths, &chain, resolver, &is_new);
		assert_int_equal(paths__frames(paths, path, frame), 4);
		if (is_new) /* it is the last one, and no other chain had it */
			assert_int_equal(path, paths__nr(paths) - 1);
		nr_new += is_new;
		for (int at = 0; at < 4; at++) {
			struct location room;
			const struct location *loc = paths__location(paths, frame[at], &room);

			assert_int_equal(loc->addr, ips[at + 1]);
			assert_int_equal(loc->map->start, base);
		}
	}
	assert_int_not_equal(nr_new, 0);
	assert_in_range(paths__nr_frames(paths), 20000, 40000); /* of 80,000: the outer ones are mostly those of the chain before */
	callchain__exit(&chain);
	paths__delete(paths);
	resolver__delete(resolver);
	machine__delete(machine);
}

/* A chain of addresses without maps: numbers, the callee's first. */
static struct callchain chain_of(struct resolver *resolver, struct thread *thread, const u64 *addr, u32 nr, u32 nr_leaf, u32 *number)
{
	for (u32 i = 0; i < nr; i++)
		number[i] = resolver__frames(resolver, thread, resolver__maps_version(resolver, thread), PERF_RECORD_MISC_USER, addr[i]).first;
	return (struct callchain){ .number = number, .nr = nr, .nr_leaf = nr_leaf };
}

/* The leaf's frames below kept callers are the path of the whole chain. */
static void known_callers_need_not_be_there(void **state)
{
	static const u64 first[] = { 0x11, 0x12, 0x21, 0x22, 0x23 }, other[] = { 0x13, 0x14, 0x21, 0x22, 0x23 };
	struct machine *machine = machine__new(NULL);
	struct resolver *resolver = resolver__new(machine, NULL);
	struct thread *thread = machine__thread(machine, 7, 7);
	struct paths *paths = paths__new(false);
	u32 number[8], path;
	bool is_new;
	struct callchain chain = chain_of(resolver, thread, first, 5, 2, number);

	assert_null(paths__callers(paths, 3));
	path = paths__of(paths, &chain, resolver, &is_new);
	paths__keep_callers(paths, 3, &chain, path);
	assert_null(paths__callers(paths, 0));
	assert_null(paths__callers(paths, 2));
	assert_null(paths__callers(paths, 4));
	assert_int_equal(paths__callers(paths, 3)->nr, 3);
	chain.nr = 2;
	is_new = true;
	assert_int_equal(paths__below(paths, paths__callers(paths, 3), &chain, resolver, &is_new), path);
	assert_false(is_new);

	chain = chain_of(resolver, thread, other, 2, 2, number);
	path = paths__below(paths, paths__callers(paths, 3), &chain, resolver, &is_new);
	chain = chain_of(resolver, thread, other, 5, 2, number);
	assert_int_equal(paths__of(paths, &chain, resolver, &is_new), path);
	chain = chain_of(resolver, thread, other, 1, 1, number); /* the outermost function itself */
	paths__keep_callers(paths, 4, &chain, paths__of(paths, &chain, resolver, &is_new));
	assert_int_equal(paths__callers(paths, 4)->nr, 0);
	assert_int_equal(paths__below(paths, paths__callers(paths, 4), &chain, resolver, &is_new), paths__of(paths, &chain, resolver, &is_new));

	chain = chain_of(resolver, thread, other, 1, 1, number);
	path = paths__below(paths, paths__callers(paths, 3), &chain, resolver, &is_new);
	chain.frame = (struct location *)resolver__frame(resolver, number[0]); /* the resolver has no more numbers */
	chain.number = NULL;
	assert_int_equal(paths__below(paths, paths__callers(paths, 3), &chain, resolver, &is_new), path);

	paths__forget_callers(paths);
	assert_null(paths__callers(paths, 3));
	paths__delete(paths);
	resolver__delete(resolver);
	machine__delete(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locations_come_back),
		cmocka_unit_test(frames_do_not_depend_on_maps),
		cmocka_unit_test(places_depend_on_maps),
		cmocka_unit_test(short_processes),
		cmocka_unit_test(known_callers_need_not_be_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

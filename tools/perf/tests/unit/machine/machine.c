// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "util/lib/hash-index.h"
#include "util/machine/dso.h"
#include "util/machine/machine.h"

#define USER PERF_RECORD_MISC_USER
#define KERNEL PERF_RECORD_MISC_KERNEL
#define BIT13 (1 << 13) /* MMAP data, COMM exec, FORK synthesized */
#define UNKNOWN ((u32)-1)

/* Records are built in a block of exactly their size, so that a sanitizer sees any read beyond it. */
static int feed(struct machine *m, u32 type, u16 misc, const void *fixed, size_t fixed_size, const char *text)
{
	size_t text_size = text ? strlen(text) + 1 : 0, size = fixed_size + text_size;
	struct perf_event_header header = { .type = type, .misc = misc, .size = size };
	char *record = malloc(size);
	int err;

	memcpy(record, fixed, fixed_size);
	if (text)
		memcpy(record + fixed_size, text, text_size);
	memcpy(record, &header, sizeof(header));
	err = machine__process(m, (const union perf_record *)record);
	free(record);
	return err;
}

static void mmap_(struct machine *m, u16 misc, u32 pid, u32 tid, u64 start, u64 len, u64 pgoff, const char *name)
{
	struct record_mmap rec = { .pid = pid, .tid = tid, .start = start, .len = len, .pgoff = pgoff };

	assert_int_equal(feed(m, PERF_RECORD_MMAP, misc, &rec, sizeof(rec), name), 0);
}

static void comm(struct machine *m, u16 misc, u32 pid, u32 tid, const char *name)
{
	struct record_comm rec = { .pid = pid, .tid = tid };

	assert_int_equal(feed(m, PERF_RECORD_COMM, misc, &rec, sizeof(rec), name), 0);
}

static void fork_(struct machine *m, u16 misc, u32 ppid, u32 ptid, u32 pid, u32 tid)
{
	struct record_fork rec = { .pid = pid, .ppid = ppid, .tid = tid, .ptid = ptid };

	assert_int_equal(feed(m, PERF_RECORD_FORK, misc, &rec, sizeof(rec), NULL), 0);
}

static void ksymbol(struct machine *m, u64 addr, u32 len, u16 flags, const char *name)
{
	struct record_ksymbol rec = { .addr = addr, .len = len, .ksym_type = PERF_RECORD_KSYMBOL_TYPE_BPF, .flags = flags };

	assert_int_equal(feed(m, PERF_RECORD_KSYMBOL, 0, &rec, sizeof(rec), name), 0);
}

static const char *dso_at(struct machine *m, struct thread *thread, u8 cpumode, u64 addr)
{
	const struct map *map = machine__find_map(m, thread, cpumode, addr);

	return map ? map->of->dso->short_name : "none";
}

static void test_comm(void **state)
{
	struct machine *m = machine__new(NULL);
	struct thread *t = machine__thread(m, 10, 10);

	assert_string_equal(t->comm, ":10");
	assert_false(t->comm_set);
	assert_null(t->first_comm);
	assert_string_equal(machine__thread(m, UNKNOWN, UNKNOWN)->comm, ":-1");
	assert_string_equal(machine__thread(m, UNKNOWN, 0)->comm, "swapper");
	assert_int_equal(machine__thread(m, UNKNOWN, 0)->pid, 0);
	comm(m, 0, 10, 10, "bash");
	assert_string_equal(t->comm, "bash");
	fork_(m, 0, 10, 10, 11, 11);
	assert_string_equal(machine__thread(m, UNKNOWN, 11)->comm, "bash");
	assert_int_equal(machine__thread(m, UNKNOWN, 11)->ppid, 10);
	comm(m, BIT13, 11, 11, "ls");
	assert_string_equal(machine__thread(m, UNKNOWN, 11)->comm, "ls");
	assert_string_equal(t->comm, "bash");
	comm(m, 0, 12, 12, "ls");
	assert_ptr_equal(machine__thread(m, UNKNOWN, 12)->comm, machine__thread(m, UNKNOWN, 11)->comm);
	machine__delete(m);
}

/* A recording of somebody who may not read /proc/kallsyms */
static void test_kernel_everywhere(void **state)
{
	struct machine *m = machine__new(NULL);
	struct thread *t;

	mmap_(m, PERF_RECORD_MISC_KERNEL, UNKNOWN, 0, 0, ~0ULL, 0, "[kernel.kallsyms]_text");
	mmap_(m, USER, 10, 10, 0x1000, 0x1000, 0, "/bin/a");
	t = machine__thread(m, UNKNOWN, 10);
	assert_string_equal(dso_at(m, t, PERF_RECORD_MISC_CPUMODE_UNKNOWN, 0x1800), "a");
	assert_string_equal(dso_at(m, t, PERF_RECORD_MISC_KERNEL, 0x1800), "[kernel.kallsyms]");
	assert_string_equal(dso_at(m, t, PERF_RECORD_MISC_CPUMODE_UNKNOWN, 0xffffffff81000000), "[kernel.kallsyms]");
	machine__delete(m);
}

static void test_maps_of_threads(void **state)
{
	struct machine *m = machine__new(NULL);
	struct thread *parent, *thread, *child;

	mmap_(m, USER, 10, 10, 0x1000, 0x1000, 0, "/bin/a");
	fork_(m, 0, 10, 10, 10, 15);	/* a thread */
	fork_(m, 0, 10, 15, 20, 20);	/* a process */
	parent = machine__thread(m, UNKNOWN, 10);
	thread = machine__thread(m, UNKNOWN, 15);
	child = machine__thread(m, UNKNOWN, 20);
	assert_string_equal(dso_at(m, thread, USER, 0x1000), "a");
	assert_string_equal(dso_at(m, child, USER, 0x1fff), "a");
	assert_string_equal(dso_at(m, child, USER, 0x2000), "none");

	mmap_(m, USER, 10, 15, 0x3000, 0x1000, 0, "/lib/libthread.so");
	mmap_(m, USER, 20, 20, 0x5000, 0x1000, 0, "/lib/libchild.so");
	assert_string_equal(dso_at(m, parent, USER, 0x3000), "libthread.so");
	assert_string_equal(dso_at(m, child, USER, 0x3000), "none");
	assert_string_equal(dso_at(m, child, USER, 0x5000), "libchild.so");
	assert_string_equal(dso_at(m, parent, USER, 0x5000), "none");

	comm(m, BIT13, 20, 20, "new"); /* exec: the caller of execve(2) can still be in a callchain */
	assert_string_equal(dso_at(m, child, USER, 0x1000), "a");
	mmap_(m, USER, 20, 20, 0x1000, 0x1000, 0, "/bin/new");
	assert_string_equal(dso_at(m, child, USER, 0x1000), "new");
	assert_string_equal(dso_at(m, thread, USER, 0x1000), "a");
	assert_string_equal(dso_at(m, machine__thread(m, 10, 16), USER, 0x1000), "a"); /* without a FORK record */

	fork_(m, BIT13, 10, 10, 30, 30); /* made from /proc */
	assert_string_equal(dso_at(m, machine__thread(m, UNKNOWN, 30), USER, 0x1000), "none");
	machine__delete(m);
}

/* Bytes for the maps of that many processes that are forked and map files of their own. */
static size_t memory_of_processes(u32 nr, bool end)
{
	struct machine *m = machine__new(NULL);
	struct thread *last;
	size_t before;

	mmap_(m, USER, 1, 1, 0x1000, 0x1000, 0, "/bin/a");
	before = mallinfo2().uordblks;
	for (u32 pid = 2; pid < 2 + nr; pid++) {
		struct record_fork exit = { .pid = pid, .ppid = 1, .tid = pid, .ptid = 1 };

		fork_(m, 0, 1, 1, pid, pid);
		for (u64 i = 0; i < 8; i++)
			mmap_(m, USER, pid, pid, 0x10000 * (i + 1), 0x1000, 0, "/bin/b");
		if (end)
			assert_int_equal(feed(m, PERF_RECORD_EXIT, 0, &exit, sizeof(exit), NULL), 0);
	}
	before = mallinfo2().uordblks - before;
	last = machine__known_thread(m, 1 + nr);
	assert_string_equal(dso_at(m, last, USER, 0x1800), "a"); /* samples may come after the end */
	assert_string_equal(dso_at(m, last, USER, 0x80000), "b");
	assert_string_equal(dso_at(m, last, USER, 0x90000), "none");
	mmap_(m, USER, 1 + nr, 1 + nr, 0x1800, 0x100, 0, "/bin/c");
	assert_string_equal(dso_at(m, last, USER, 0x1880), "c");
	assert_string_equal(dso_at(m, last, USER, 0x1900), "a");
	machine__delete(m);
	return before;
}

static void test_ended_processes_take_less(void **state)
{
	size_t running = memory_of_processes(1000, false), ended = memory_of_processes(1000, true);

	assert_true(ended <= running - running / 6);
	assert_true(ended > 0 || !mallinfo2().uordblks); /* the sanitizers' malloc(3) tells nothing */
}

static void test_tid_reuse(void **state)
{
	struct machine *m = machine__new(NULL);
	struct record_fork exit_rec = { .pid = 10, .ppid = 1, .tid = 10, .ptid = 1 };
	struct thread *old, *new;

	comm(m, 0, 10, 10, "old");
	mmap_(m, USER, 10, 10, 0x1000, 0x1000, 0, "/bin/old");
	old = machine__thread(m, UNKNOWN, 10);
	assert_int_equal(feed(m, PERF_RECORD_EXIT, 0, &exit_rec, sizeof(exit_rec), NULL), 0);
	assert_ptr_equal(machine__thread(m, 10, 10), old); /* its last samples */
	assert_string_equal(dso_at(m, old, USER, 0x1000), "old");
	assert_int_equal(machine__next_map(old, 0)->start, 0x1000);
	comm(m, 0, 1, 1, "init");
	fork_(m, 0, 1, 1, 10, 10);
	new = machine__thread(m, UNKNOWN, 10);
	assert_ptr_not_equal(new, old);
	assert_string_equal(new->comm, "init");
	assert_string_equal(old->comm, "old");
	assert_string_equal(dso_at(m, new, USER, 0x1000), "none");
	assert_string_equal(dso_at(m, old, USER, 0x1000), "none"); /* samples of the tid are the new one's from now on */
	assert_null(machine__next_map(old, 0));

	/* the FORK is lost, but the thread is of another process now */
	new = machine__thread(m, 1, 10);
	assert_int_equal(new->pid, 1);
	assert_string_equal(new->comm, ":10");
	machine__delete(m);
}

static void test_pid_learnt_later(void **state)
{
	struct machine *m = machine__new(NULL);
	struct thread *t = machine__thread(m, UNKNOWN, 7);

	mmap_(m, USER, 5, 5, 0x1000, 0x1000, 0, "/bin/a");
	assert_string_equal(dso_at(m, t, USER, 0x1000), "none");
	assert_ptr_equal(machine__thread(m, 5, 7), t);
	assert_int_equal(t->pid, 5);
	assert_string_equal(dso_at(m, t, USER, 0x1000), "a");
	assert_ptr_equal(machine__thread(m, UNKNOWN, 7), t);
	machine__delete(m);
}

static void test_names(void **state)
{
	static const struct {
		const char *recorded, *name, *short_name;
	} names[] = {
		{ "/usr/lib/x/libc.so.6", "/usr/lib/x/libc.so.6", "libc.so.6" },
		{ "[vdso]", "[vdso]", "[vdso]" },
		{ "[heap]", "[heap]", "[heap]" },
		{ "//anon", "/tmp/perf-42.map", "[JIT] tid 42" },
		{ "/dev/zero (deleted)", "/tmp/perf-42.map", "[JIT] tid 42" },
		{ "/tmp/perf-x.map", "/tmp/perf-x.map", "perf-x.map" },
		{ "/tmp/perf-3.mapper", "/tmp/perf-3.mapper", "perf-3.mapper" },
		{ "/memfd:jit (deleted)", "/memfd:jit (deleted)", "memfd:jit (deleted)" },
		{ "anon_inode:[perf_event]", "anon_inode:[perf_event]", "anon_inode:[perf_event]" },
		{ "/", "/", "/" },
	};
	struct machine *m = machine__new(NULL);
	struct thread *t = machine__thread(m, 42, 42);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct map *map;

		mmap_(m, USER, 42, 42, 0x1000, 0x1000, 0x777, names[i].recorded);
		map = machine__find_map(m, t, USER, 0x1800);
		assert_string_equal(map->of->dso->name, names[i].name);
		assert_string_equal(map->of->dso->short_name, names[i].short_name);
		assert_int_equal(map->of->dso->kind, DSO_USER);
	}
	mmap_(m, USER | PERF_RECORD_MISC_MMAP_DATA, 42, 42, 0x1000, 0x1000, 0x777, "/data");
	mmap_(m, USER, 42, 42, 0x1000, 0x1000, 0x777, "//anon");
	assert_int_equal(machine__find_map(m, t, USER, 0x1800)->pgoff, 0x1000);
	mmap_(m, USER | PERF_RECORD_MISC_MMAP_DATA, 42, 42, 0x1000, 0x1000, 0x777, "//anon"); /* no code, so no JIT's */
	assert_string_equal(machine__find_map(m, t, USER, 0x1800)->of->dso->name, "//anon");
	assert_int_equal(machine__find_map(m, t, USER, 0x1800)->pgoff, 0x1000);
	machine__delete(m);
}

/* A program moves its text to huge pages: it stays the file's. Where a library was, or beyond the text, there is generated code. */
static void test_moved_text(void **state)
{
	struct machine *m = machine__new(NULL);
	struct thread *t = machine__thread(m, 42, 42);

	mmap_(m, USER, 42, 42, 0x10000, 0x4000, 0x1000, "/usr/bin/node");
	mmap_(m, USER, 42, 42, 0x11000, 0x2000, 0x11000, "//anon");
	assert_string_equal(machine__find_map(m, t, USER, 0x11800)->of->dso->name, "/usr/bin/node");
	assert_int_equal(machine__find_map(m, t, USER, 0x11800)->pgoff, 0x1000);
	mmap_(m, USER, 42, 42, 0x13000, 0x2000, 0x13000, "//anon");
	assert_string_equal(machine__find_map(m, t, USER, 0x13800)->of->dso->name, "/tmp/perf-42.map");
	mmap_(m, USER, 42, 42, 0x20000, 0x4000, 0x1000, "/usr/lib/libz.so.1");
	mmap_(m, USER, 42, 42, 0x21000, 0x2000, 0x21000, "//anon");
	assert_string_equal(machine__find_map(m, t, USER, 0x21800)->of->dso->name, "/tmp/perf-42.map");
	machine__delete(m);
}

/* Code of a jitdump stays when the memory around it is mapped again. */
static void test_jitted_code(void **state)
{
	static const char *const dump = "/tmp/jit-42.dump", *const memory = "/tmp/perf-42.map";
	struct machine *m = machine__new(NULL);
	struct thread *t = machine__thread(m, 42, 42);
	static const struct {
		u64 addr;
		bool is_code;
	} want[] = { { 0x1000, false }, { 0x1fff, false }, { 0x2000, true }, { 0x20ff, true }, { 0x2100, false }, { 0x2fff, false },
		     { 0x3000, true }, { 0x300f, true }, { 0x3010, false }, { 0x4fff, false } };

	mmap_(m, USER, 42, 42, 0x2000, 0x100, 0x40, dump);
	mmap_(m, USER, 42, 42, 0x3000, 0x10, 0x200, dump);
	mmap_(m, USER, 42, 42, 0x6000, 0x10, 0x300, dump);
	for (int i = 0; i < 2; i++) {
		mmap_(m, USER, 42, 42, 0x1000, 0x4000, 0, "//anon");
		for (size_t j = 0; j < ARRAY_SIZE(want); j++)
			assert_string_equal(machine__find_map(m, t, USER, want[j].addr)->of->dso->name, want[j].is_code ? dump : memory);
		assert_int_equal(machine__find_map(m, t, USER, 0x2010)->pgoff, 0x40);
		assert_int_equal(machine__find_map(m, t, USER, 0x2800)->pgoff, 0x2100);
	}
	/* It begins and ends within code. */
	mmap_(m, USER, 42, 42, 0x2080, 0xf88, 0, "//anon");
	assert_string_equal(machine__find_map(m, t, USER, 0x2090)->of->dso->name, dump);
	assert_string_equal(machine__find_map(m, t, USER, 0x3008)->of->dso->name, dump);
	/* Other code, and files, take its place. */
	mmap_(m, USER, 42, 42, 0x2000, 0x10, 0x500, dump);
	assert_int_equal(machine__find_map(m, t, USER, 0x2000)->pgoff, 0x500);
	assert_int_equal(machine__find_map(m, t, USER, 0x2010)->pgoff, 0x50);
	mmap_(m, USER, 42, 42, 0x2000, 0x2000, 0, "/lib/libc.so");
	assert_string_equal(machine__find_map(m, t, USER, 0x3008)->of->dso->name, "/lib/libc.so");
	machine__delete(m);
}

static void test_jitdump_names(void **state)
{
	static const char *const others[] = { "/tmp/jit-.dump", "/tmp/jit-1.dump.old", "/jit-1.dump/x", "jit-1.dump", "/tmp/jit-0.dump", "/tmp/jit--1.dump" };

	assert_true(dso_name__is_jitdump("/tmp/jit-1.dump"));
	assert_true(dso_name__is_jitdump("/jit-4194304.dump"));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(dso_name__is_jitdump(others[i]));
}

static void test_kernel(void **state)
{
	struct machine *m = machine__new(NULL);
	struct thread *t = machine__thread(m, 1, 1);
	const char *ref;

	assert_null(machine__kernel(m));
	assert_int_equal(machine__kernel_text(m, &ref), 0);
	mmap_(m, KERNEL, UNKNOWN, 0, 0x81000000, ~0ull - 0x81000000, 0x81000010, "[kernel.kallsyms]_text");
	assert_string_equal(machine__kernel(m)->name, "[kernel.kallsyms]");
	assert_int_equal(machine__kernel_text(m, &ref), 0x81000010);
	assert_string_equal(ref, "_text");
	assert_string_equal(dso_at(m, t, KERNEL, 0xc0000000), "[kernel.kallsyms]");
	assert_string_equal(dso_at(m, t, USER, 0x81000000), "none");

	mmap_(m, KERNEL, UNKNOWN, 0, 0xc0000000, 0x1000, 0, "/lib/modules/6.1.0/kernel/net/nf-conn.ko.xz");
	mmap_(m, KERNEL, UNKNOWN, 0, 0xb0000000, 0x1000, 0, "[ext4]");
	assert_string_equal(dso_at(m, t, KERNEL, 0x81000000), "[kernel.kallsyms]");
	assert_string_equal(dso_at(m, t, KERNEL, 0xaffff000), "[kernel.kallsyms]");
	assert_string_equal(dso_at(m, t, KERNEL, 0xb0000fff), "[ext4]");
	assert_string_equal(dso_at(m, t, KERNEL, 0xb0001000), "none"); /* not the kernel's */
	assert_string_equal(dso_at(m, t, KERNEL, 0xc0000000), "[nf_conn]");
	assert_int_equal(machine__find_map(m, t, KERNEL, 0xc0000000)->of->dso->kind, DSO_MODULE);
	assert_string_equal(dso_at(m, t, PERF_RECORD_MISC_GUEST_KERNEL, 0x81000000), "none");
	assert_string_equal(dso_at(m, NULL, PERF_RECORD_MISC_CPUMODE_UNKNOWN, 0x81000000), "[kernel.kallsyms]");
	machine__delete(m);
}

static void test_kernel_without_end(void **state)
{
	struct machine *m = machine__new(NULL);

	mmap_(m, KERNEL, UNKNOWN, 0, 0xb0000000, 0x1000, 0, "[ext4]");
	mmap_(m, KERNEL, UNKNOWN, 0, 0x81000000, 0, 0, "[kernel.kallsyms]_stext");
	assert_string_equal(dso_at(m, NULL, KERNEL, 0xafffffff), "[kernel.kallsyms]");
	assert_string_equal(dso_at(m, NULL, KERNEL, 0xb0000000), "[ext4]");
	assert_int_equal(machine__kernel_text(m, NULL), 0); /* address was hidden */
	machine__delete(m);
}

static void test_bpf(void **state)
{
	struct machine *m = machine__new(NULL);
	const struct map *map;

	mmap_(m, KERNEL, UNKNOWN, 0, 0x81000000, 0x1000000, 0x81000000, "[kernel.kallsyms]_text");
	ksymbol(m, 0xc0000100, 0x80, 0, "bpf_prog_1234_x");
	map = machine__find_map(m, NULL, KERNEL, 0xc0000150);
	assert_string_equal(map->of->dso->name, "bpf_prog_1234_x");
	assert_int_equal(map->of->dso->kind, DSO_BPF);
	ksymbol(m, 0xc0000100, 0x80, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "bpf_prog_1234_x");
	assert_null(machine__find_map(m, NULL, KERNEL, 0xc0000150));
	assert_int_equal(map->start, 0xc0000100); /* whoever kept it may still look */
	ksymbol(m, 0x81000000, 0x80, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "x");
	assert_non_null(machine__find_map(m, NULL, KERNEL, 0x81000000));
	machine__delete(m);
}

static int count_dso(struct dso *dso, void *data)
{
	++*(int *)data;
	return 0;
}

/* A name with two build-ids is two files; the same one again is the same. */
static void test_dsos(void **state)
{
	struct machine *m = machine__new(NULL);
	struct thread *t = machine__thread(m, 1, 1);
	struct record_mmap2 rec = { .pid = 1, .tid = 1, .len = 0x1000, .build_id_size = 20 };
	const struct dso *dso[4];

	for (u32 i = 0; i < 4; i++) {
		rec.start = 0x1000 * (i + 1);
		rec.build_id[19] = i % 2;
		assert_int_equal(feed(m, PERF_RECORD_MMAP2, USER | 1 << 14, &rec, sizeof(rec), "/bin/a"), 0);
		dso[i] = machine__find_map(m, t, USER, rec.start)->of->dso;
	}
	assert_ptr_not_equal(dso[0], dso[1]);
	assert_ptr_equal(dso[0], dso[2]);
	assert_ptr_equal(dso[1], dso[3]);
	assert_int_equal(dso[1]->index, dso[0]->index + 1);
	assert_int_equal(dso[0]->name_hash, hash_text("a"));
	machine__delete(m);
}

static void test_build_id(void **state)
{
	struct machine *m = machine__new(NULL);
	struct build_id noted = { .size = 20, .data = { 1, 2, 3 } };
	struct record_mmap2 rec = { .pid = 1, .tid = 1, .start = 0x8000, .len = 0x1000, .build_id_size = 16, .build_id = { 9 } };
	struct thread *t = machine__thread(m, 1, 1);
	int nr = 0;

	mmap_(m, USER, 1, 1, 0x1000, 0x1000, 0, "/bin/a");
	machine__set_build_id(m, "/bin/a", &noted);
	machine__set_build_id(m, "/bin/b", &noted);
	mmap_(m, USER, 1, 1, 0x2000, 0x1000, 0, "/bin/b");
	assert_int_equal(feed(m, PERF_RECORD_MMAP2, USER | 1 << 14, &rec, sizeof(rec), "/bin/b"), 0);
	assert_memory_equal(&machine__find_map(m, t, USER, 0x1000)->of->dso->build_id, &noted, sizeof(noted));
	assert_memory_equal(&machine__find_map(m, t, USER, 0x2000)->of->dso->build_id, &noted, sizeof(noted));
	assert_int_equal(machine__find_map(m, t, USER, 0x8000)->of->dso->build_id.size, 16);
	assert_int_equal(machine__find_map(m, t, USER, 0x8000)->of->dso->build_id.data[0], 9);
	machine__for_each_dso(m, count_dso, &nr);
	assert_int_equal(nr, 3);

	rec.build_id_size = 21;
	assert_int_equal(feed(m, PERF_RECORD_MMAP2, USER | 1 << 14, &rec, sizeof(rec), "/bin/b"), -EINVAL);
	machine__delete(m);
}

static void test_malformed(void **state)
{
	static const u32 with_text[] = { PERF_RECORD_MMAP, PERF_RECORD_MMAP2, PERF_RECORD_COMM, PERF_RECORD_KSYMBOL };
	struct machine *m = machine__new(NULL);
	char full[512];

	memset(full, 'x', sizeof(full)); /* no NUL anywhere */
	for (size_t i = 0; i < ARRAY_SIZE(with_text); i++) {
		for (size_t size = sizeof(struct perf_event_header); size < 128; size++)
			assert_int_equal(feed(m, with_text[i], USER, full, size, NULL), -EINVAL);
	}
	for (size_t size = sizeof(struct perf_event_header); size < sizeof(struct record_fork); size++)
		assert_int_equal(feed(m, PERF_RECORD_FORK, 0, full, size, NULL), -EINVAL);
	assert_int_equal(feed(m, PERF_RECORD_LOST, 0, full, 8, NULL), 0); /* not the machine's business */
	assert_int_equal(feed(m, 4711, 0, full, 8, NULL), 0);
	machine__delete(m);
}

static void count_free(struct dso *dso)
{
	free(dso->priv);
	dso->priv = NULL;
}

static int give_priv(struct dso *dso, void *data)
{
	dso->priv = malloc(1);
	return 0;
}

static void test_private_part_is_freed(void **state)
{
	struct machine *m = machine__new(count_free); /* a leak shows in a sanitizer's build */

	mmap_(m, USER, 1, 1, 0x1000, 0x1000, 0, "/bin/a");
	machine__for_each_dso(m, give_priv, NULL);
	machine__delete(m);
	machine__delete(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comm),
		cmocka_unit_test(test_kernel_everywhere),
		cmocka_unit_test(test_maps_of_threads),
		cmocka_unit_test(test_ended_processes_take_less),
		cmocka_unit_test(test_tid_reuse),
		cmocka_unit_test(test_pid_learnt_later),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_moved_text),
		cmocka_unit_test(test_jitted_code),
		cmocka_unit_test(test_jitdump_names),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_kernel_without_end),
		cmocka_unit_test(test_bpf),
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_dsos),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_private_part_is_freed),
	};

	return cmocka_run_group_tests_name("machine/machine", tests, NULL, NULL);
}

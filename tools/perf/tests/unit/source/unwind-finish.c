// SPDX-License-Identifier: GPL-2.0
/* Records as BPF programs send them are made of this process's own stack; what comes out is what the compiler's unwinder says. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>
#include "tests/unit/bpf/pid-namespace.h"
#include "util/bpf/kernel-table.h"
#include "util/source/unwind-finish.h"

#define TIME 0x1122334455667788ULL
#define MOST 60000 /* bytes of the stack */
#define AFTER 0x99aabbccddeeff00ULL /* a word of the sample behind its callchain */

static struct {
	struct unwind_unfinished head;
	u8 data[UNWIND_MAX_UNFINISHED - sizeof(struct unwind_unfinished)];
} record;

static struct {
	struct bpf_programs *programs;
	struct unwind_feeder *feeder;
} made;

static void make_feeder(size_t memory)
{
	struct errmsg err;

	if (geteuid()) /* loading BPF programs */
		skip();
	need_first_pid_namespace();
	if (kernel_offer__probe(KERNEL_MAPLE_TREE) == KERNEL_LACKS) {
		print_message("skipped: this kernel has no maple tree of mappings\n");
		skip();
	}
	made.programs = bpf_programs__open(&bpf_image_unwind_tables);
	assert_non_null(made.programs);
	assert_int_equal(bpf_programs__load(made.programs), 0);
	assert_int_equal(unwind_feeder__new(made.programs, memory, &made.feeder, &err), 0);
}

static void delete_feeder(void)
{
	unwind_feeder__delete(made.feeder);
	bpf_programs__delete(made.programs);
}

static u32 generation_of(const char *path)
{
	int fd = open(path, O_RDONLY);
	long generation = 0;

	ioctl(fd, FS_IOC_GETVERSION, &generation);
	close(fd);
	return generation;
}

static struct unwind_key key_of(const char *path)
{
	struct stat st;

	if (!strcmp(path, "[vdso]"))
		return (struct unwind_key){ 0 };
	if (path[0] != '/')
		return (struct unwind_key){ .inode = UNWIND_NO_INODE };
	assert_int_equal(stat(path, &st), 0);
	return (struct unwind_key){
		.inode = st.st_ino, .dev = major(st.st_dev) << 20 | minor(st.st_dev), .generation = generation_of(path),
		.changed = st.st_mtim.tv_sec * 1000000000ULL + st.st_mtim.tv_nsec,
	};
}

static u64 put_maps(u64 stack, u64 *stack_end)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct unwind_map *map = (void *)record.data;
	char line[512], perms[8];
	u64 nr = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		char path[256] = "";
		u64 begin, end, offset;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %255s", &begin, &end, perms, &offset, path) < 4)
			continue;
		if (stack >= begin && stack < end)
			*stack_end = end;
		if (perms[2] != 'x')
			continue;
		assert_true(nr < UNWIND_MAX_MAPS);
		map[nr++] = (struct unwind_map){ begin, end - begin, offset, key_of(path) };
	}
	fclose(maps);
	return nr;
}

/* A sample of IP, TIME and CALLCHAIN with one frame of the kernel and, so far, one of the user; behind them one more word. */
static void put_sample(u64 *sample, u64 ip)
{
	const u64 words[] = { 0, ip, TIME, 4, PERF_CONTEXT_KERNEL, 0xffffffff81000000, PERF_CONTEXT_USER, ip, AFTER };
	struct perf_event_header header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(words) };

	memcpy(sample, words, sizeof(words));
	memcpy(sample, &header, sizeof(header));
	record.head.sample_size = sizeof(words);
	record.head.chain = 3;
	record.head.nr = 1;
}

static void put_registers(const ucontext_t *uc)
{
#ifdef __x86_64__
	static const int order[] = { REG_R15, REG_R14, REG_R13, REG_R12, REG_RBP, REG_RBX, REG_R11, REG_R10, REG_R9, REG_R8, REG_RAX,
				     REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RAX, REG_RIP, REG_CSGSFS, REG_EFL, REG_RSP };

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		record.head.regs[i] = uc->uc_mcontext.gregs[order[i]];
#else
	memcpy(record.head.regs, uc->uc_mcontext.regs, sizeof(uc->uc_mcontext.regs));
	record.head.regs[31] = uc->uc_mcontext.sp;
	record.head.regs[32] = uc->uc_mcontext.pc;
#endif
}

#ifdef __x86_64__
#define REG_PLACES(r) (r)[16], (r)[19]
#else
#define REG_PLACES(r) (r)[32], (r)[31]
#endif

static u64 theirs[UNWIND_MAX_FRAMES];
static u32 nr_theirs;

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context, void *unused)
{
	if (_Unwind_GetIP(context) && nr_theirs < UNWIND_MAX_FRAMES)
		theirs[nr_theirs++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

/* stack_size: bytes of it at most */
__attribute__((no_sanitize("address"))) static void make_record(const ucontext_t *uc, u64 stack_size)
{
	struct unwind_copied *stack = record.head.stacks;
	u64 places[2], stack_end = 0;
	u64 *sample;

	memset(&record, 0, sizeof(record));
	put_registers(uc);
	memcpy(places, (u64[]){ REG_PLACES(record.head.regs) }, sizeof(places));
	record.head.type = UNWIND_UNFINISHED;
	record.head.pid = getpid();
	record.head.end = UNWIND_NO_TABLE;
	record.head.max = 127;
	record.head.nr_maps = put_maps(places[1], &stack_end);
	sample = (u64 *)(record.data + record.head.nr_maps * sizeof(struct unwind_map));
	put_sample(sample, places[0]);
	stack->at = places[1] & ~7ULL;
	stack->wanted = stack_end - stack->at < MOST ? stack_end - stack->at : MOST;
	stack->size = stack->wanted < stack_size ? stack->wanted : stack_size;
	for (u32 i = 0; i < stack->size; i += 8) {
		const u64 word = *(const volatile u64 *)(stack->at + i);

		memcpy((char *)sample + record.head.sample_size + i, &word, sizeof(word));
	}
	record.head.size = sizeof(record.head) + ((char *)sample - (char *)record.data) + record.head.sample_size + stack->size;
}

struct passed {
	u64 words[2000];
	u32 nr, runs;
};

static int keep(void *data, const void *records, size_t size)
{
	struct passed *p = data;

	assert_true(p->nr * 8 + size <= sizeof(p->words));
	memcpy(p->words + p->nr, records, size);
	p->nr += size / 8;
	p->runs++;
	return 0;
}

__attribute__((noinline)) static void unwind_here(int depth, u64 stack_size)
{
	volatile char frame[64];
	ucontext_t uc;

	frame[0] = 1;
	if (depth) {
		unwind_here(depth - 1, stack_size);
	} else {
		nr_theirs = 0;
		_Unwind_Backtrace(count_frame, NULL);
		getcontext(&uc);
		make_record(&uc, stack_size);
	}
	assert_int_equal(frame[0], 1);
}

/* From the second frame on: where in this function both unwinders look differs. */
static void assert_finished(const struct passed *p)
{
	const struct perf_event_header *header = (const void *)p->words;

	assert_int_equal(header->type, PERF_RECORD_SAMPLE);
	assert_int_equal(header->misc, PERF_RECORD_MISC_USER);
	assert_int_equal(header->size, p->nr * 8);
	assert_int_equal(p->words[2], TIME);
	assert_int_equal(p->words[3], 3 + nr_theirs);
	assert_int_equal(p->words[6], PERF_CONTEXT_USER);
	assert_int_equal(p->words[4 + p->words[3]], AFTER);
	assert_int_equal(p->nr, 5 + p->words[3]);
	for (u32 i = 1; i < nr_theirs; i++)
		assert_int_equal(p->words[7 + i], theirs[i]);
}

static void finish_with(size_t memory, u64 tables)
{
	struct unwind_finisher f = { 0 };
	struct passed p = { 0 };

	make_feeder(memory);
	f.feeder = made.feeder;
	unwind_here(10, UINT64_MAX);
	assert_int_equal(unwind_finisher__pass(&f, &record, record.head.size, keep, &p), 0);
	assert_finished(&p);
	assert_int_equal(f.counts.began[UNWIND_NO_TABLE], 1);
	assert_int_equal(f.counts.ended[UNWIND_COMPLETE], 1);
	assert_true(f.counts.frames >= 11);
	if (tables)
		assert_true(unwind_feeder__counts(made.feeder).tables >= tables);
	else
		assert_true(unwind_feeder__counts(made.feeder).refused >= 2);
	delete_feeder();
}

static void tables_are_made_for_it(void **state)
{
	finish_with(64 << 20, 2);
}

static void tables_without_room_will_do(void **state)
{
	finish_with(0, 0);
}

/* The records around it stay as they are, and in their order. */
static void others_pass(void **state)
{
	struct unwind_finisher f = { 0 };
	struct passed p = { 0 };
	const struct perf_event_header other = { PERF_RECORD_SAMPLE, 0, 16 };
	static u64 records[(2 * 16 + sizeof(record)) / 8];
	u32 at = 2;

	make_feeder(64 << 20);
	f.feeder = made.feeder;
	unwind_here(3, UINT64_MAX);
	memcpy(records, &other, sizeof(other));
	records[1] = 1;
	memcpy(records + at, &record, record.head.size);
	at += record.head.size / 8;
	memcpy(records + at, &other, sizeof(other));
	records[at + 1] = 2;
	assert_int_equal(unwind_finisher__pass(&f, records, (at + 2) * 8, keep, &p), 0);
	assert_int_equal(p.runs, 2); /* what comes before it, without a copy, and all else */
	assert_int_equal(p.words[1], 1);
	assert_int_equal(p.words[4], TIME);
	assert_int_equal(p.words[p.nr - 1], 2);
	delete_feeder();
}

static void a_short_copy_ends_it(void **state)
{
	struct unwind_finisher f = { 0 };
	struct passed p = { 0 };

	make_feeder(64 << 20);
	f.feeder = made.feeder;
	unwind_here(30, 2048);
	assert_int_equal(unwind_finisher__pass(&f, &record, record.head.size, keep, &p), 0);
	assert_int_equal(f.counts.ended[UNWIND_CUT], 1);
	assert_true(p.words[3] > 3 && p.words[3] < 3 + nr_theirs);
	/* no more frames than were asked for */
	unwind_here(30, UINT64_MAX);
	record.head.max = 5;
	p.nr = 0;
	assert_int_equal(unwind_finisher__pass(&f, &record, record.head.size, keep, &p), 0);
	assert_int_equal(f.counts.ended[UNWIND_DEPTH], 1);
	assert_int_equal(p.words[3], 3 + 5);
	delete_feeder();
}

/* A page that BPF could not read has no frames, whatever the copy has in its place. */
static void a_missing_page_ends_it(void **state)
{
	struct unwind_finisher f = { 0 };
	struct passed p = { 0 };

	make_feeder(64 << 20);
	f.feeder = made.feeder;
	unwind_here(60, UINT64_MAX);
	assert_true(record.head.stacks[0].size > 2 * UNWIND_COPY);
	record.head.stacks[0].missing = 1 << 1;
	assert_int_equal(unwind_finisher__pass(&f, &record, record.head.size, keep, &p), 0);
	assert_int_equal(f.counts.ended[UNWIND_MEMORY], 1);
	assert_true(p.words[3] < 3 + nr_theirs);
	delete_feeder();
}

static int pass_changed(void (*change)(void))
{
	struct unwind_finisher f = { 0 };
	struct passed p = { 0 };

	unwind_here(1, UINT64_MAX);
	change();
	return unwind_finisher__pass(&f, &record, record.head.size, keep, &p);
}

static void more_maps(void) { record.head.nr_maps = UNWIND_MAX_MAPS + 1; }
static void longer_stack(void) { record.head.stacks[0].size += 8; }
static void shorter_sample(void) { record.head.sample_size -= 8; }
static void chain_behind(void) { record.head.chain = 1000; }
static void more_frames(void) { record.head.nr = 100; }
static void unknown_end(void) { record.head.end = UNWIND_NR_ENDS; }

static void broken_records_are_refused(void **state)
{
	assert_int_equal(pass_changed(more_maps), -EIO);
	assert_int_equal(pass_changed(longer_stack), -EIO);
	assert_int_equal(pass_changed(shorter_sample), -EIO);
	assert_int_equal(pass_changed(chain_behind), -EIO);
	assert_int_equal(pass_changed(more_frames), -EIO);
	assert_int_equal(pass_changed(unknown_end), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_made_for_it),
		cmocka_unit_test(tables_without_room_will_do),
		cmocka_unit_test(others_pass),
		cmocka_unit_test(a_short_copy_ends_it),
		cmocka_unit_test(a_missing_page_ends_it),
		cmocka_unit_test(broken_records_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* Walks by libdw through files that were made to take much time or memory: each must be refused, or cost little. */
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "tests/unit/unwind/elf-maker.h"
#include "util/unwind/dwarf-walk.h"

#define LARGE (16 << 20) /* of what is made to be costly, in bytes */
#define LARGE_AT 0x10000 /* offset of a large .eh_frame */
#define HDR 0x800	 /* of .eh_frame_hdr */

static struct unwind_rules *rules;
static u64 returns_to;

/* Sanitizers keep freed memory for a while; here it is measured how much is in use. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64";
}

static int setup(void **state)
{
	returns_to = TEXT + 1;
	rules = unwind_rules__new(EM_X86_64);
	return rules ? 0 : -1;
}

static int teardown(void **state)
{
	unwind_rules__delete(rules);
	return 0;
}

/* A file whose .eh_frame, at LARGE_AT, begins with what the maker has */
static int make_file(struct maker *m, const void *frames, size_t size)
{
	int fd = memfd_create("made", MFD_CLOEXEC);

	maker__add_section(m, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, LARGE_AT, size);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, m->image, sizeof(m->image), 0), sizeof(m->image));
	assert_int_equal(pwrite(fd, frames, size, LARGE_AT), size);
	return fd;
}

struct context {
	struct dwarf_cfi *cfi;
};

static enum unwind_end find_rule(void *context, u64 ip, u32 *rule)
{
	*rule = UNWIND_RULE_HARD;
	return UNWIND_GOES_ON;
}

static bool read_word(void *context, u64 address, u64 *value)
{
	*value = returns_to; /* each frame returns to the same function */
	return true;
}

static struct dwarf_cfi *find_cfi(void *context, u64 ip, u64 *offset)
{
	*offset = ip;
	return ((struct context *)context)->cfi;
}

static enum unwind_end walk(struct dwarf_cfi *cfi, u32 *nr)
{
	static const struct unwind_walk_ops ops = { .find = find_rule, .read = read_word };
	struct context context = { cfi };
	const struct dwarf_walk w = { .walk = { .rules = rules, .ops = &ops, .context = &context }, .cfi = find_cfi };
	const struct dwarf_frame frame = { .ip = TEXT, .exact = true, .known = 0xffff };
	u64 ips[127];

	return dwarf_walk__run(&w, frame, ips, 127, nr);
}

static u64 cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static u64 peak_kb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* Opening it and walking a stack of it cost less than the file's size times 8, and a second. */
static void costs_little(int fd)
{
	const u64 began = cpu_ms(), peak = peak_kb();
	struct dwarf_cfi *cfi;
	struct errmsg err;
	u32 nr = 0;

	if (!dwarf_cfi__open_fd(fd, "made", &cfi, &err)) {
		walk(cfi, &nr);
		dwarf_cfi__delete(cfi);
	}
	print_message("%u frames, %llu ms, %llu KiB\n", nr, (unsigned long long)(cpu_ms() - began), (unsigned long long)(peak_kb() - peak));
	assert_in_range(cpu_ms() - began, 0, 1000);
	assert_in_range(peak_kb() - peak, 0, 8 * LARGE >> 10);
}

/* A section of one CIE and one FDE, whose program is that operation so often. Returns its size. */
static size_t put_section(u8 *to, u32 large, u8 op)
{
	static const u8 cie[] = { 0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1, 0, 0 };
	const u32 words[] = { large + 13, sizeof(cie) + 4, (u32)TEXT - (u32)(LARGE_AT + sizeof(cie) + 8), TEXT_SIZE };

	memcpy(to, cie, sizeof(cie));
	memcpy(to + sizeof(cie), words, sizeof(words));
	to[sizeof(cie) + sizeof(words)] = 0; /* no augmentation data */
	memset(to + sizeof(cie) + sizeof(words) + 1, op, large);
	return sizeof(cie) + sizeof(words) + 1 + large;
}

static int large_program(u8 op, u32 size)
{
	struct maker m;
	u8 *frames = malloc(size + 256);
	int fd;

	assert_non_null(frames);
	maker__init(&m, EM_X86_64);
	fd = make_file(&m, frames, put_section(frames, size, op));
	free(frames);
	return fd;
}

static void test_ordinary(void **state)
{
	struct dwarf_cfi *cfi;
	struct errmsg err;
	u32 nr;

	assert_int_equal(dwarf_cfi__open_fd(large_program(DW_CFA_nop, 16), "made", &cfi, &err), 0);
	assert_int_equal(walk(cfi, &nr), UNWIND_DEPTH);
	assert_int_equal(nr, 127);
	dwarf_cfi__delete(cfi);
}

static void test_long_programs(void **state)
{
	costs_little(large_program(DW_CFA_nop, LARGE));
	costs_little(large_program(DW_CFA_remember_state, LARGE));
	costs_little(large_program(DW_CFA_nop, 65000)); /* so often as a walk may */
	costs_little(large_program(DW_CFA_remember_state, 65000));
	costs_little(large_program(DW_CFA_nop, 16000));
	costs_little(large_program(DW_CFA_remember_state, 16000));
}

/* Many different expressions of many operations: those that libdw keeps do not add up. */
static void test_long_expressions(void **state)
{
	enum { NR = TEXT_SIZE / 32, OPS = 30000, STEP = 32 };
	static const u8 cie[] = { 0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1, 0, 0 };
	const size_t room = sizeof(cie) + NR * (OPS + 64);
	u8 *frames = calloc(1, room);
	size_t at = sizeof(cie);
	struct dwarf_cfi *cfi;
	struct errmsg err;
	struct maker m;
	u64 peak;
	u32 nr;

	assert_non_null(frames);
	memcpy(frames, cie, sizeof(cie));
	for (u32 i = 0; i < NR; i++) {
		const u32 words[] = { 21 + OPS, at + 4, (u32)(TEXT + i * STEP) - (u32)(LARGE_AT + at + 8), STEP };
		const u8 program[] = { 0, DW_CFA_expression, 3, 0x80 | (OPS & 0x7f), 0x80 | (OPS >> 7 & 0x7f), OPS >> 14 };

		memcpy(frames + at, words, sizeof(words));
		memcpy(frames + at + 16, program, sizeof(program));
		frames[at + 22] = DW_OP_lit0;
		memset(frames + at + 23, DW_OP_nop, OPS - 1);
		at += 25 + OPS;
	}
	maker__init(&m, EM_X86_64);
	assert_int_equal(dwarf_cfi__open_fd(make_file(&m, frames, at), "made", &cfi, &err), 0);
	free(frames);
	peak = peak_kb();
	for (u32 i = 0; i < NR; i++) {
		returns_to = TEXT + i * STEP + 1;
		assert_int_equal(walk(cfi, &nr), UNWIND_HARD); /* after 34 frames: there are no more bytes to run */
	}
	print_message("%llu KiB more\n", (unsigned long long)(peak_kb() - peak));
	assert_in_range(peak_kb() - peak, 0, 150 << 10); /* all of them: 340 MiB */
	dwarf_cfi__delete(cfi);
}

/* The FDE's CIE is in the middle of another entry. */
static void test_overlap(void **state)
{
	u8 frames[256];
	size_t size = put_section(frames, 100, DW_CFA_nop);
	u32 distance = 24 + 4 - 4;
	struct dwarf_cfi *cfi;
	struct errmsg err;
	struct maker m;

	memcpy(frames + 24 + 4, &distance, sizeof(distance));
	maker__init(&m, EM_X86_64);
	assert_int_equal(dwarf_cfi__open_fd(make_file(&m, frames, size), "made", &cfi, &err), -E2BIG);
}

/* .eh_frame_hdr, by which libdw would search, says that the function's FDE is in the middle of the one that it has. */
static void test_search_table(void **state)
{
	static const u8 encodings[] = { 1, 0x1b, 3, 0x3b }; /* the table's addresses count from its begin */
	const u32 words[] = { LARGE_AT - (HDR + 4), 1, TEXT - HDR, LARGE_AT + 24 + 20 - HDR };
	u8 frames[256];
	size_t size = put_section(frames, 16, DW_CFA_nop);
	struct dwarf_cfi *cfi;
	struct errmsg err;
	struct maker m;
	u32 nr;

	maker__init(&m, EM_X86_64);
	memcpy(m.image + HDR, encodings, sizeof(encodings));
	memcpy(m.image + HDR + sizeof(encodings), words, sizeof(words));
	maker__add_section(&m, ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, HDR, sizeof(encodings) + sizeof(words));
	assert_int_equal(dwarf_cfi__open_fd(make_file(&m, frames, size), "made", &cfi, &err), 0);
	assert_int_equal(walk(cfi, &nr), UNWIND_DEPTH);
	dwarf_cfi__delete(cfi);
}

static int check(int fd)
{
	struct elf_file file;
	int ret;

	assert_int_equal(elf_file__open_fd(&file, fd, "made", NULL), 0);
	ret = dwarf_cfi__check_file(&file);
	elf_file__close(&file);
	return ret;
}

/* What libdwfl may walk through, which has no limit for a step */
static void test_whole_files(void **state)
{
	u8 frames[256];
	size_t size = put_section(frames, 100, DW_CFA_nop);
	u32 distance = 24 + 4 - 4;
	struct maker m;
	int own = open("/proc/self/exe", O_RDONLY);

	assert_int_equal(check(own), 0);
	assert_int_equal(check(large_program(DW_CFA_nop, 20000)), 0);
	assert_int_equal(check(large_program(DW_CFA_nop, 65000)), -E2BIG);
	memcpy(frames + 24 + 4, &distance, sizeof(distance));
	maker__init(&m, EM_X86_64);
	assert_int_equal(check(make_file(&m, frames, size)), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_ordinary, setup, teardown), cmocka_unit_test_setup_teardown(test_long_programs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_expressions, setup, teardown), cmocka_unit_test_setup_teardown(test_overlap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_search_table, setup, teardown), cmocka_unit_test_setup_teardown(test_whole_files, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

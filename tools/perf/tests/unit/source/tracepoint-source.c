// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <asm/unistd.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "util/bpf/ring.h"
#include "util/event/tracepoint.h"
#include "util/lib/types.h"
#include "util/source/syscall-number.h"
#include "util/source/tp-layout.h"

/* --- the ring: what the kernel maps is imitated, data that wraps included --- */

#define SIZE 4096UL

struct fake {
	unsigned long consumer, producer;
	char data[2 * SIZE] __attribute__((aligned(8)));
	struct bpf_ring ring;
	u64 bytes;
	unsigned int nr;
};

static void fake__init(struct fake *f, unsigned long start)
{
	memset(f, 0, sizeof(*f));
	f->consumer = f->producer = start;
	f->ring = (struct bpf_ring){
		.consumer = &f->consumer, .producer = &f->producer, .data = f->data, .size = SIZE, .stage = malloc(256 * 1024),
	};
	assert_non_null(f->ring.stage);
}

/* The kernel maps the data twice. */
static void fake__store(struct fake *f, unsigned long pos, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		f->data[(pos + i) % SIZE] = ((const char *)from)[i];
		f->data[(pos + i) % SIZE + SIZE] = ((const char *)from)[i];
	}
}

static unsigned long fake__add(struct fake *f, u32 flags, u16 size)
{
	const struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };
	const u32 len = size | flags;
	unsigned long pos = f->producer;

	fake__store(f, pos, &len, sizeof(len));
	fake__store(f, pos + BPF_RINGBUF_HDR_SZ, &header, sizeof(header));
	f->producer += BPF_RINGBUF_HDR_SZ + size;
	return pos;
}

static int take(void *data, const void *records, size_t size)
{
	struct fake *f = data;

	for (size_t at = 0; at < size; f->nr++) {
		const struct perf_event_header *header = (const void *)((const char *)records + at);

		assert_int_equal(header->type, PERF_RECORD_SAMPLE);
		at += header->size;
		assert_true(at <= size);
	}
	return 0;
}

static void test_ring(void **state)
{
	struct fake f;
	unsigned long busy;
	u32 len = 32;

	fake__init(&f, 5 * SIZE - 48); /* the second record wraps */
	fake__add(&f, 0, 24);
	fake__add(&f, 0, 80);
	fake__add(&f, BPF_RINGBUF_DISCARD_BIT, 16);
	busy = fake__add(&f, BPF_RINGBUF_BUSY_BIT, 32);
	fake__add(&f, 0, 40);
	assert_int_equal(bpf_ring__drain(&f.ring, take, &f, &f.bytes), 0);
	assert_int_equal(f.nr, 2);
	assert_int_equal(f.bytes, 24 + 80);
	assert_int_equal(f.consumer, busy); /* and nothing beyond what is still being written */
	fake__store(&f, busy, &len, sizeof(len));
	assert_int_equal(bpf_ring__drain(&f.ring, take, &f, &f.bytes), 0);
	assert_int_equal(f.nr, 4);
	assert_int_equal(f.consumer, f.producer);
	free(f.ring.stage);
}

static void test_ring_of_other_things(void **state)
{
	const struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 16 };
	unsigned long pos;
	struct fake f;

	fake__init(&f, 0);
	pos = fake__add(&f, 0, 24);
	fake__store(&f, pos + BPF_RINGBUF_HDR_SZ, &header, sizeof(header)); /* sizes that disagree */
	assert_int_equal(bpf_ring__drain(&f.ring, take, &f, NULL), -EIO);
	assert_int_equal(f.nr, 0);
	free(f.ring.stage);
}

static void test_ring_size(void **state)
{
	size_t page = sysconf(_SC_PAGESIZE);

	assert_int_equal(bpf_ring__size(1), page);
	assert_int_equal(bpf_ring__size(page), page);
	assert_int_equal(bpf_ring__size(3 * page), 4 * page);
}

/* --- layouts --- */

static void test_syscall_numbers(void **state)
{
	assert_int_equal(syscall_number("write"), __NR_write);
	assert_int_equal(syscall_number("newfstat"), __NR_fstat);
	assert_int_equal(syscall_number("umount"), __NR_umount2);
	assert_int_equal(syscall_number("no_such_call"), -ENOENT);
	assert_int_equal(syscall_number(""), -ENOENT);
}

static struct tracepoint *tracepoint_of(const char *sys, const char *name)
{
	struct tracepoint *tp;
	struct errmsg err;

	if (tracepoint__new(sys, name, &tp, &err))
		skip();
	return tp;
}

static struct tp_config layout_of(const char *sys, const char *name, enum tp_kind kind)
{
	struct tracepoint *tp = tracepoint_of(sys, name);
	struct tp_config config;
	const char *why;

	assert_int_equal(tracepoint__kind(tp), kind);
	assert_int_equal(tp_layout__fill(tp, true, &config, &why), 0);
	assert_int_equal(config.type, tracepoint__id(tp));
	tracepoint__delete(tp);
	return config;
}

static void test_layouts(void **state)
{
	struct tp_config config = layout_of("syscalls", "sys_enter_lseek", TP_SYSCALL_ENTER);

	assert_int_equal(config.syscall, __NR_lseek);
	assert_int_equal(config.nr_values, 3);
	config = layout_of("syscalls", "sys_exit_write", TP_SYSCALL_EXIT);
	assert_int_equal(config.nr_values, 1);
	config = layout_of("sched", "sched_process_exec", TP_OTHER);
	assert_int_equal(config.nr_dynamic, 1);
	assert_int_equal(config.dynamic[0].offset, 8);
	config = layout_of("sched", "sched_switch", TP_OTHER);
	assert_int_equal(config.nr_dynamic, 0);
	assert_int_equal(config.raw_size % 8, 4);
}

/* --- formats of Linux 6.19 and newer: what arguments point to is behind them --- */

#define FORMAT(name, fields, print) "name: " name "\nID: 700\nformat:\n"		\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"		\
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"		\
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"	\
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"			\
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n" fields		\
	"\nprint fmt: \"%s\", " print "\n"
#define VALUE(type, name, offset) "\tfield:" type " " name ";\toffset:" #offset ";\tsize:8;\tsigned:0;\n"
#define TEXT(name, offset) "\tfield:__data_loc char[] " name ";\toffset:" #offset ";\tsize:4;\tsigned:0;\n"

static int fill(const char *name, const char *format, bool whole, struct tp_config *config, const char **why)
{
	struct tracepoint *tp;
	int ret;

	assert_int_equal(tracepoint__of_format("syscalls", name, format, &tp), 0);
	assert_int_equal(tracepoint__id(tp), 700);
	assert_int_equal(tracepoint__kind(tp), TP_SYSCALL_ENTER);
	ret = tp_layout__fill(tp, whole, config, why);
	tracepoint__delete(tp);
	return ret;
}

#define BUFFER VALUE("unsigned int", "fd", 16) VALUE("const char *", "buf", 24) VALUE("size_t", "count", 32)
#define PRINT_BUFFER "__print_dynamic_array(__buf_val, 1)"
static const char write_format[] = FORMAT("sys_enter_write", BUFFER TEXT("__buf_val", 40), PRINT_BUFFER);
static const char mount_format[] = FORMAT("sys_enter_mount", VALUE("char *", "dev_name", 16) VALUE("char *", "dir_name", 24)
	VALUE("char *", "type", 32) VALUE("unsigned long", "flags", 40) VALUE("void *", "data", 48)
	TEXT("__dev_name_val", 56) TEXT("__dir_name_val", 60) TEXT("__type_val", 64), "__get_str(__dev_name_val)");
static const char hostname_format[] = FORMAT("sys_enter_sethostname", VALUE("char *", "name", 16) VALUE("int", "len", 24)
	TEXT("__name_val", 32), "__get_str(__name_val)");

static void test_layouts_with_texts(void **state)
{
	struct tp_config config;
	const char *why;

	assert_int_equal(fill("sys_enter_mount", mount_format, true, &config, &why), 0);
	assert_int_equal(config.syscall, __NR_mount);
	assert_int_equal(config.nr_values, 5);
	assert_int_equal(config.nr_texts, 3);
	for (u8 i = 0; i < 3; i++) {
		assert_int_equal(config.text[i].value, i);
		assert_int_equal(config.text[i].size, TP_TEXT_ENDS);
	}
	assert_int_equal(fill("sys_enter_write", write_format, true, &config, &why), 0);
	assert_int_equal(config.nr_texts, 1);
	assert_int_equal(config.text[0].value, 1);
	assert_int_equal(config.text[0].size, 2);
	/* printed as a text, but its length is in another argument nevertheless */
	assert_int_equal(fill("sys_enter_sethostname", hostname_format, true, &config, &why), 0);
	assert_int_equal(config.text[0].value, 0);
	assert_int_equal(config.text[0].size, 1);
}

/* Of those only the arguments can be looked at. */
static void test_unknown_layouts(void **state)
{
	static const struct {
		const char *name, *format;
	} unknown[] = {
		{ "sys_enter_read", FORMAT("sys_enter_read", BUFFER TEXT("__buf_val", 40), PRINT_BUFFER) }, /* how many bytes? */
		{ "sys_enter_write", FORMAT("sys_enter_write", BUFFER TEXT("__data_val", 40), PRINT_BUFFER) },
		{ "sys_enter_write", FORMAT("sys_enter_write", BUFFER TEXT("buf_val", 40), PRINT_BUFFER) },
		{ "sys_enter_write", FORMAT("sys_enter_write", BUFFER TEXT("__val", 40), PRINT_BUFFER) },
		{ "sys_enter_write", FORMAT("sys_enter_write", BUFFER TEXT("__buf_val", 44), PRINT_BUFFER) },
		{ "sys_enter_write", FORMAT("sys_enter_write", BUFFER TEXT("__buf_val", 40) VALUE("int", "more", 48), PRINT_BUFFER) },
		{ "sys_enter_write", FORMAT("sys_enter_write", BUFFER "\tfield:__rel_loc char[] __buf_val;\toffset:40;\tsize:4;\tsigned:0;\n",
					    PRINT_BUFFER) },
		{ "sys_enter_write", FORMAT("sys_enter_write", BUFFER TEXT("__buf_val", 40) TEXT("__buf_val", 44) TEXT("__buf_val", 48)
					    TEXT("__buf_val", 52), PRINT_BUFFER) },
	};
	struct tp_config config;
	const char *why;

	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		assert_int_equal(fill(unknown[i].name, unknown[i].format, false, &config, &why), 0);
		assert_int_equal(config.nr_values, 3);
		assert_int_equal(fill(unknown[i].name, unknown[i].format, true, &config, &why), -EOPNOTSUPP);
		assert_string_equal(why, "its format has fields that are not known");
	}
}

/* Every call of the running kernel that has a name in this program's tables */
static int fill_each(void *data, const char *sys, const char *name)
{
	unsigned int *nr_texts = data;
	struct tracepoint *tp = tracepoint_of(sys, name);
	struct tp_config config;
	const char *why;

	if (!tp_layout__fill(tp, true, &config, &why))
		*nr_texts += config.nr_texts;
	else if (strcmp(why, "its syscall's number is not known"))
		fail_msg("%s: %s", name, why);
	tracepoint__delete(tp);
	return 0;
}

static void test_layouts_of_all_calls(void **state)
{
	unsigned int nr_texts = 0, major, minor;
	struct utsname uts;
	int nr;

	nr = tracepoint__for_each("syscalls", "sys_enter_*", fill_each, &nr_texts, NULL);
	if (nr < 0)
		skip();
	assert_true(nr > 200);
	assert_int_equal(uname(&uts), 0);
	assert_int_equal(sscanf(uts.release, "%u.%u", &major, &minor), 2);
	if (major > 6 || (major == 6 && minor >= 19))
		assert_true(nr_texts > 50);
	else
		assert_int_equal(nr_texts, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_ring_of_other_things),
		cmocka_unit_test(test_ring_size),
		cmocka_unit_test(test_syscall_numbers),
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_layouts_with_texts),
		cmocka_unit_test(test_unknown_layouts),
		cmocka_unit_test(test_layouts_of_all_calls),
	};

	return cmocka_run_group_tests_name("tracepoint-source", tests, NULL, NULL);
}

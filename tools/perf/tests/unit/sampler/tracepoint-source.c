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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/event/tracepoint.h"
#include "util/lib/types.h"
#include "util/sampler/bpf-ring.h"
#include "util/sampler/syscall-number.h"
#include "util/sampler/tp-layout.h"

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
	f->ring = (struct bpf_ring){ &f->consumer, &f->producer, f->data, SIZE, malloc(256 * 1024) };
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

	assert_int_equal(tp_layout__kind(tp), kind);
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

static int find_dynamic(void *has_dynamic, const struct tracepoint_place *place)
{
	*(bool *)has_dynamic |= place->dynamic;
	return 0;
}

/* Linux 6.19 has what a call's pointer points to behind the numbers: then only these can be looked at. */
static void test_layout_with_text(void **state)
{
	struct tracepoint *tp = tracepoint_of("syscalls", "sys_enter_write");
	bool has_text = false;
	struct tp_config config;
	const char *why = NULL;

	assert_int_equal(tp_layout__fill(tp, false, &config, &why), 0);
	assert_int_equal(config.syscall, __NR_write);
	assert_int_equal(config.nr_values, 3);
	assert_int_equal(tracepoint__for_each_place(tp, find_dynamic, &has_text), 0);
	assert_int_equal(tp_layout__fill(tp, true, &config, &why), has_text ? -EOPNOTSUPP : 0);
	if (has_text)
		assert_string_equal(why, "its format has fields that are not known");
	tracepoint__delete(tp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_ring_of_other_things),
		cmocka_unit_test(test_ring_size),
		cmocka_unit_test(test_syscall_numbers),
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_layout_with_text),
	};

	return cmocka_run_group_tests_name("tracepoint-source", tests, NULL, NULL);
}

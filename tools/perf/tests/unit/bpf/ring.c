// SPDX-License-Identifier: GPL-2.0
/* Draining a ring that the test fills as BPF programs would. */
#include "util/bpf/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define SIZE 4096
#define RECORD 16
#define ENTRY (BPF_RINGBUF_HDR_SZ + RECORD)
#define LONG_TIME 100000 /* looks at an entry that is being written */

static unsigned long consumer, producer;
static char memory[SIZE] __attribute__((aligned(8)));
static char stage[256 * 1024] __attribute__((aligned(8)));
static struct bpf_ring ring = { .consumer = &consumer, .producer = &producer, .data = memory, .size = SIZE, .stage = stage };
static unsigned int nr_looks, commits_at;

static int empty_ring(void **state)
{
	consumer = producer = 0;
	nr_looks = 0;
	return 0;
}

static void produce(u32 nr, u32 flags)
{
	struct perf_event_header *record = (void *)(memory + producer + BPF_RINGBUF_HDR_SZ);

	*(u32 *)(memory + producer) = RECORD | flags;
	*record = (struct perf_event_header){ .type = nr, .size = RECORD };
	producer += ENTRY;
}

/* What the reader calls while it waits: in its place, programs go on. */
int sched_yield(void)
{
	if (++nr_looks == commits_at) {
		*(u32 *)memory &= ~BPF_RINGBUF_BUSY_BIT;
		produce(3, BPF_RINGBUF_BUSY_BIT);
	}
	return 0;
}

static int count(void *data, const void *records, size_t size)
{
	u32 *next = data;

	for (size_t at = 0; at < size; at += RECORD)
		assert_int_equal(((const struct perf_event_header *)((const char *)records + at))->type, ++*next);
	return 0;
}

static void waits_for_what_is_being_written(void **state)
{
	u32 nr = 0;

	produce(1, BPF_RINGBUF_BUSY_BIT);
	produce(2, 0);
	commits_at = LONG_TIME;
	assert_int_equal(bpf_ring__drain_all(&ring, count, &nr), 0);
	assert_int_equal(nr, 2);
	assert_int_equal(nr_looks, LONG_TIME); /* not for what was begun since */
}

static void leaves_what_is_being_written(void **state)
{
	u32 nr = 0;

	produce(1, 0);
	produce(2, BPF_RINGBUF_BUSY_BIT);
	assert_int_equal(bpf_ring__drain(&ring, count, &nr, NULL), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(consumer, ENTRY);
}

static int refuse(void *data, const void *records, size_t size)
{
	return -1;
}

static void ends_when_refused(void **state)
{
	produce(1, 0);
	produce(2, BPF_RINGBUF_BUSY_BIT);
	assert_int_equal(bpf_ring__drain_all(&ring, refuse, NULL), -1);
}

static void refuses_what_is_no_record(void **state)
{
	u32 nr = 0;

	produce(1, 0);
	((struct perf_event_header *)(memory + BPF_RINGBUF_HDR_SZ))->size = RECORD + 8;
	assert_int_equal(bpf_ring__drain_all(&ring, count, &nr), -EIO);
}

static void grows_with_the_cpus(void **state)
{
	assert_int_equal(bpf_ring__for_cpus(-1), BPF_RING_LEAST);
	assert_int_equal(bpf_ring__for_cpus(2), BPF_RING_LEAST);
	assert_int_equal(bpf_ring__for_cpus(8), BPF_RING_LEAST);
	assert_int_equal(bpf_ring__for_cpus(9), 2 * BPF_RING_LEAST);
	assert_int_equal(bpf_ring__for_cpus(64), 32 << 20);
	assert_int_equal(bpf_ring__for_cpus(128), BPF_RING_MOST);
	assert_int_equal(bpf_ring__for_cpus(8192), BPF_RING_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(waits_for_what_is_being_written, empty_ring),
		cmocka_unit_test_setup(leaves_what_is_being_written, empty_ring),
		cmocka_unit_test_setup(ends_when_refused, empty_ring),
		cmocka_unit_test_setup(refuses_what_is_no_record, empty_ring),
		cmocka_unit_test(grows_with_the_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

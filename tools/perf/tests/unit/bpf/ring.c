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

/* As a thread does while the reader is busy; and the program goes on. */
static int count_and_go_on(void *data, const void *records, size_t size)
{
	if (producer == 3 * ENTRY) {
		produce(3, 0);
		produce(4, 0);
		assert_int_equal(bpf_ring__set_aside(&ring, SIZE), 3 * ENTRY); /* with what was not passed on yet */
		produce(5, 0);
	}
	return count(data, records, size);
}

static void passes_on_what_was_set_aside_first(void **state)
{
	u64 bytes = 0;
	u32 nr = 0;

	produce(1, 0);
	produce(99, BPF_RINGBUF_DISCARD_BIT);
	assert_int_equal(bpf_ring__set_aside(&ring, SIZE), 2 * ENTRY);
	assert_int_equal(consumer, 2 * ENTRY); /* the ring has room again */
	produce(2, 0);
	assert_int_equal(bpf_ring__drain(&ring, count_and_go_on, &nr, &bytes), 0);
	assert_in_range(nr, 2, 4);
	assert_int_equal(bpf_ring__drain(&ring, count, &nr, &bytes), 0);
	assert_int_equal(nr, 5);
	assert_int_equal(bytes, 5 * RECORD);
}

static void sets_aside_what_is_whole(void **state)
{
	u32 nr = 0;

	assert_int_equal(bpf_ring__set_aside(&ring, SIZE), 0);
	produce(1, 0);
	produce(2, BPF_RINGBUF_BUSY_BIT);
	assert_int_equal(bpf_ring__set_aside(&ring, ENTRY - 1), 0); /* no more than allowed */
	assert_int_equal(bpf_ring__set_aside(&ring, SIZE), ENTRY);
	assert_int_equal(bpf_ring__set_aside(&ring, SIZE), 0);
	assert_int_equal(bpf_ring__drain(&ring, count, &nr, NULL), 0);
	assert_int_equal(nr, 1);
	*(u32 *)(memory + ENTRY) &= ~BPF_RINGBUF_BUSY_BIT;
	assert_int_equal(bpf_ring__drain(&ring, count, &nr, NULL), 0);
	assert_int_equal(nr, 2);
}

/* So much may wait, however much was set aside and passed before. */
static void limits_what_waits(void **state)
{
	u32 nr = 0;

	for (u32 i = 0; i < 3; i++) {
		consumer = producer = 0; /* the memory of these tests is no ring */
		for (u32 k = 1; k <= 3; k++)
			produce(3 * i + k, 0);
		assert_int_equal(bpf_ring__set_aside(&ring, ENTRY), ENTRY);
		assert_int_equal(bpf_ring__set_aside(&ring, ENTRY), 0);
		assert_int_equal(bpf_ring__drain(&ring, count, &nr, NULL), 0);
		assert_int_equal(nr, 3 * (i + 1));
	}
}

/* Aside is not passed on: who waits for all gets that, too. */
static void waits_for_all_also_beside_what_is_aside(void **state)
{
	u32 nr = 0;

	produce(1, 0);
	assert_int_equal(bpf_ring__set_aside(&ring, SIZE), ENTRY);
	assert_int_equal(bpf_ring__drain_all(&ring, count, &nr), 0);
	assert_int_equal(nr, 1);
}

static void loses_what_is_aside_with_the_ring(void **state)
{
	struct bpf_ring gone = { .consumer = &consumer, .producer = &producer, .data = memory, .size = SIZE };

	produce(1, 0);
	assert_int_equal(bpf_ring__set_aside(&gone, SIZE), ENTRY);
	gone.consumer = NULL;
	gone.producer = NULL; /* they are no mappings */
	bpf_ring__unmap(&gone);
	assert_null(gone.aside);
	assert_int_equal(bpf_ring__set_aside(&gone, SIZE), 0);
}

static int count_entries(void *data, void *entry, size_t size)
{
	u32 *next = data;

	assert_int_equal(size, RECORD);
	assert_int_equal(((struct perf_event_header *)entry)->type, ++*next);
	return *next == 4 ? -1 : 0;
}

static void passes_entries_that_are_no_records(void **state)
{
	u32 nr = 0;

	for (u32 i = 1; i <= 3; i++) {
		produce(i, 0);
		((struct perf_event_header *)(memory + producer - RECORD))->size = 1;
	}
	produce(99, BPF_RINGBUF_DISCARD_BIT);
	assert_int_equal(bpf_ring__set_aside(&ring, SIZE), 4 * ENTRY);
	assert_int_equal(bpf_ring__drain_entries(&ring, count_entries, &nr), 0);
	assert_int_equal(nr, 3);
	produce(4, 0);
	produce(5, 0);
	assert_int_equal(bpf_ring__drain_entries(&ring, count_entries, &nr), -1);
	assert_int_equal(nr, 4);
	ring.raw = false;
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
		cmocka_unit_test_setup(passes_on_what_was_set_aside_first, empty_ring),
		cmocka_unit_test_setup(limits_what_waits, empty_ring),
		cmocka_unit_test_setup(sets_aside_what_is_whole, empty_ring),
		cmocka_unit_test_setup(waits_for_all_also_beside_what_is_aside, empty_ring),
		cmocka_unit_test_setup(loses_what_is_aside_with_the_ring, empty_ring),
		cmocka_unit_test_setup(passes_entries_that_are_no_records, empty_ring),
		cmocka_unit_test(grows_with_the_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

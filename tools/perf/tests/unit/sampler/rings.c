// SPDX-License-Identifier: GPL-2.0
/* Draining rings that the test fills as the kernel would. */
#include "util/sampler/rings.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define SIZE 4096

static struct perf_event_mmap_page control;
static char memory[SIZE] __attribute__((aligned(8)));
static char bounce[RING_BOUNCE_SIZE] __attribute__((aligned(8)));
static struct ring ring = { .control = &control, .data = memory, .size = SIZE };

static int empty_ring(void **state)
{
	ring.fetched = 0;
	memset(&control, 0, sizeof(control));
	memset(memory, 0xee, sizeof(memory));
	return 0;
}

/* A record whose bytes behind the header are its number. */
static void put(u64 pos, u32 nr, u16 size)
{
	union {
		struct perf_event_header header;
		char bytes[SIZE];
	} r;
	u16 i;

	memset(r.bytes, nr, size);
	r.header = (struct perf_event_header){ .type = nr, .size = size };
	for (i = 0; i < size; i++)
		memory[(pos + i) % SIZE] = r.bytes[i];
}

static void produce(u32 nr, u16 size)
{
	put(control.data_head, nr, size);
	control.data_head += size;
}

static void produce_backward(u32 nr, u16 size)
{
	control.data_head -= size;
	put(control.data_head, nr, size);
}

struct seen {
	u32 next;	/* number of the record that must come now */
	unsigned int runs;
	int ret;	/* what the callback returns at the run with number fail_at */
	unsigned int fail_at;
};

static int check_run(void *data, const void *records, size_t size)
{
	struct seen *seen = data;
	const char *at = records;

	if (seen->ret && seen->runs == seen->fail_at)
		return seen->ret;
	seen->runs++;
	while (size) {
		const struct perf_event_header *header = (const void *)at;
		u16 i;

		assert_true(size >= sizeof(*header) && header->size <= size);
		assert_int_equal(header->type, seen->next);
		for (i = sizeof(*header); i < header->size; i++)
			assert_int_equal((unsigned char)at[i], (unsigned char)seen->next);
		seen->next++;
		at += header->size;
		size -= header->size;
	}
	return 0;
}

static void hands_out_whole_records_wherever_they_wrap(void **state)
{
	struct seen seen = { 0 };
	u64 bytes = 0;
	u32 nr = 0;
	u16 size = 8;

	/* Sizes that share no factor with the ring's put the end of the memory into every part of a record. */
	while (nr < 5000) {
		while (control.data_head - control.data_tail + size <= SIZE) {
			produce(nr++, size);
			size = 8 + (size + 104) % 1000 / 8 * 8;
		}
		assert_int_equal(ring__drain(&ring, check_run, &seen, bounce, &bytes), 0);
		assert_int_equal(seen.next, nr);
		assert_true(control.data_tail == control.data_head);
	}
	assert_true(bytes == control.data_head);
}

static void an_empty_ring_is_not_handed_out(void **state)
{
	struct seen seen = { 0 };

	assert_int_equal(ring__drain(&ring, check_run, &seen, bounce, NULL), 0);
	assert_int_equal(seen.runs, 0);
}

static void a_full_ring_is_handed_out_whole(void **state)
{
	struct seen seen = { .next = 100 };
	u32 i;

	control.data_head = control.data_tail = 4 * SIZE + 8;
	for (i = 0; i < SIZE / 64; i++)
		produce(100 + i, 64);
	assert_int_equal(ring__drain(&ring, check_run, &seen, bounce, NULL), 0);
	assert_int_equal(seen.next, 100 + SIZE / 64);
	assert_int_equal(seen.runs, 2); /* up to the end of the memory, and the one that wraps */
}

static void an_error_keeps_what_was_not_taken(void **state)
{
	struct seen seen = { .ret = -ENOSPC, .fail_at = 1 };
	u64 bytes = 0;

	control.data_head = control.data_tail = SIZE - 100 / 8 * 8;
	produce(0, 64);
	produce(1, 64);
	produce(2, 64);
	assert_int_equal(ring__drain(&ring, check_run, &seen, bounce, &bytes), -ENOSPC);
	assert_int_equal(bytes, 64);
	assert_int_equal(control.data_head - control.data_tail, 128);
	seen.ret = 0;
	assert_int_equal(ring__drain(&ring, check_run, &seen, bounce, &bytes), 0);
	assert_int_equal(seen.next, 3);
}

static void overwritten_memory_is_an_error(void **state)
{
	static const u16 sizes[] = { 0, 4, 9, 2048 };
	struct seen seen = { 0 };
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		empty_ring(NULL);
		control.data_head = control.data_tail = SIZE - 64;
		produce(0, 128);
		((struct perf_event_header *)(memory + SIZE - 64))->size = sizes[i];
		assert_int_equal(ring__drain(&ring, check_run, &seen, bounce, NULL), -EIO);
	}
	empty_ring(NULL);
	control.data_head = SIZE + 8;
	assert_int_equal(ring__drain(&ring, check_run, &seen, bounce, NULL), -EIO);
	/* even if these bytes look like records: most of the file is gone */
	empty_ring(NULL);
	for (u32 nr = 0; nr < SIZE / 64 + 1; nr++)
		produce(nr, 64);
	assert_int_equal(ring__drain(&ring, check_run, &seen, bounce, NULL), -EIO);
	assert_int_equal(seen.runs, 0);
}

/* Rings that are overwritten: numbers go down, so that they ascend from the newest record on. */

static void the_newest_records_come_first(void **state)
{
	struct seen seen = { .next = 7 };

	memset(memory, 0, sizeof(memory)); /* as the kernel gives it */
	assert_int_equal(ring__fetch(&ring, check_run, &seen, bounce), 0);
	assert_int_equal(seen.runs, 0);
	for (u32 nr = 9; nr >= 7; nr--)
		produce_backward(nr, 8 * nr);
	assert_int_equal(ring__fetch(&ring, check_run, &seen, bounce), 0);
	assert_int_equal(seen.next, 10);
	seen.next = 5;
	produce_backward(6, 48);
	produce_backward(5, 48);
	assert_int_equal(ring__fetch(&ring, check_run, &seen, bounce), 0);
	assert_int_equal(seen.next, 7); /* each of them once */
}

static void what_is_overwritten_is_left_out(void **state)
{
	u16 size = 8;

	for (u32 round = 0; round < 3000; round++) {
		const u32 newest = round * 100, oldest = newest + 99;
		struct seen seen = { .next = newest };
		size_t bytes = 0, whole = 0;
		u16 sizes[100];

		for (u32 nr = oldest + 1; nr-- > newest;) {
			sizes[nr - newest] = size;
			produce_backward(nr, size);
			size = 8 + (size + 104) % 1000 / 8 * 8;
		}
		while (whole < 100 && bytes + sizes[whole] <= SIZE)
			bytes += sizes[whole++];
		assert_int_equal(ring__fetch(&ring, check_run, &seen, bounce), 0);
		assert_int_equal(seen.next, newest + whole);
		assert_true(whole < 100);
	}
}

static void what_was_set_aside_comes_first(void **state)
{
	struct seen seen = { .next = 100 };
	u64 bytes = 0;

	control.data_head = control.data_tail = SIZE - 104; /* the second wraps */
	produce(100, 64);
	produce(101, 64);
	assert_int_equal(ring__set_aside(&ring, 127), 0);
	assert_int_equal(ring__set_aside(&ring, 128), 128);
	assert_true(control.data_tail == control.data_head);
	assert_int_equal(ring__set_aside(&ring, 128), 0);
	produce(102, 64);
	assert_int_equal(ring__set_aside(&ring, 128), 64);
	produce(103, 64);
	assert_int_equal(ring__drain(&ring, check_run, &seen, bounce, &bytes), 0);
	assert_int_equal(seen.next, 104);
	assert_int_equal(bytes, 256);
}

/* The ring fills up, and is emptied by another thread, while somebody looks at records of mappings. */
static int fill_meanwhile(void *data, const void *records, size_t size)
{
	struct seen *seen = data;
	int ret = check_run(seen, records, size);

	if (seen->next > 60)
		return ret;
	for (u32 i = 0; i < 3; i++) {
		produce(seen->next + i, SIZE / 3 / 8 * 8);
		assert_true(control.data_head - control.data_tail <= SIZE);
		assert_int_equal(ring__set_aside(&ring, SIZE), SIZE / 3 / 8 * 8);
	}
	return ret;
}

static void mappings_are_looked_at_outside_of_the_ring(void **state)
{
	struct seen seen = { .next = PERF_RECORD_MMAP2 };

	produce(PERF_RECORD_MMAP2, 64);
	for (u32 next = PERF_RECORD_MMAP2 + 1; next <= 62; next += 3) { /* not what comes meanwhile, without an end */
		assert_int_equal(ring__drain(&ring, fill_meanwhile, &seen, bounce, NULL), 0);
		assert_int_equal(seen.next, next);
	}
}

static void default_size_is_a_power_of_two_that_may_be_locked(void **state)
{
	unsigned int pages = ring__default_pages(), page = sysconf(_SC_PAGESIZE);

	assert_true(pages > 0 && !(pages & (pages - 1)));
	assert_true(pages == 1 || (size_t)pages * page <= 512 * 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(hands_out_whole_records_wherever_they_wrap, empty_ring),
		cmocka_unit_test_setup(an_empty_ring_is_not_handed_out, empty_ring),
		cmocka_unit_test_setup(a_full_ring_is_handed_out_whole, empty_ring),
		cmocka_unit_test_setup(an_error_keeps_what_was_not_taken, empty_ring),
		cmocka_unit_test_setup(what_was_set_aside_comes_first, empty_ring),
		cmocka_unit_test_setup(mappings_are_looked_at_outside_of_the_ring, empty_ring),
		cmocka_unit_test_setup(overwritten_memory_is_an_error, empty_ring),
		cmocka_unit_test_setup(the_newest_records_come_first, empty_ring),
		cmocka_unit_test_setup(what_is_overwritten_is_left_out, empty_ring),
		cmocka_unit_test(default_size_is_a_power_of_two_that_may_be_locked),
	};

	return cmocka_run_group_tests_name("sampler/rings", tests, NULL, NULL);
}

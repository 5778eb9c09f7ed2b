// SPDX-License-Identifier: GPL-2.0
#include "util/record/copied-stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/perfdata/reg-name.h"
#include "util/perfdata/sample.h"

#define SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN)
#define CODE 0x400000 /* where the code of each process is */
#define PAGES 128     /* of a ring */

struct fixture {
	struct evlist *evlist;
	struct copied_stacks *copies;
	struct perf_event_attr written; /* of the first event */
	char notes[1024], text[4096];	/* what was written, as text */
};

static void note(void *data, const char *text)
{
	struct fixture *f = data;

	snprintf(f->notes + strlen(f->notes), sizeof(f->notes) - strlen(f->notes), "%.*s\n", (int)strcspn(text, ","), text);
}

static void see_sample(struct fixture *f, const union perf_record *record)
{
	size_t len = strlen(f->text);
	struct perf_sample s;

	assert_int_equal(perf_sample__decode(&s, &f->written, record), 0);
	len += snprintf(f->text + len, sizeof(f->text) - len, "%u@%llu:", s.pid, (unsigned long long)s.time);
	for (u64 i = 0; i < s.nr_callchain; i++)
		len += snprintf(f->text + len, sizeof(f->text) - len, " %llx", (unsigned long long)s.callchain[i]);
	snprintf(f->text + len, sizeof(f->text) - len, "\n");
}

static int see(void *data, const void *records, size_t size)
{
	const union perf_record *record = records;
	struct fixture *f = data;
	const size_t len = strlen(f->text);

	assert_int_equal(record->header.size, size);
	if (record->header.type == PERF_RECORD_SAMPLE)
		see_sample(f, record);
	else if (record->header.type != PERF_RECORD_EXIT)
		snprintf(f->text + len, sizeof(f->text) - len, "type %u\n", record->header.type);
	return 0;
}

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return *state ? 0 : -1;
}

/* Let the events have copies, at that frequency. */
static void start(struct fixture *f, const char *events, u64 frequency)
{
	f->evlist = evlist__new();
	assert_int_equal(evlist__parse(f->evlist, events, NULL, NULL), 0);
	f->copies = copied_stacks__new(&(struct copied_stacks_opts){
		.evlist = f->evlist, .mmap_pages = PAGES, .write = see, .write_data = f, .note = note, .note_data = f });
	assert_non_null(f->copies);
	for (unsigned int i = 0; i < f->evlist->nr; i++) {
		struct perf_event_attr *attr = &f->evlist->evsel[i]->attr;

		attr->sample_type = SAMPLE_TYPE;
		attr->sample_id_all = 1;
		attr->freq = 1;
		attr->sample_freq = frequency;
		copied_stacks__add_event(f->copies, f->evlist->evsel[i]);
	}
	copied_stacks__share_rings(f->copies);
	f->written = copied_stacks__written(f->copies, f->evlist->evsel[0]);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	copied_stacks__delete(f->copies);
	evlist__delete(f->evlist);
	free(f);
	return 0;
}

/* Bytes of copies in a second, of all events */
static u64 bytes_of(const struct fixture *f)
{
	u64 bytes = 0;

	for (unsigned int i = 0; i < f->evlist->nr; i++)
		bytes += f->evlist->evsel[i]->attr.sample_freq * f->evlist->evsel[i]->attr.sample_stack_user;
	return bytes;
}

static void test_ring_of_one(void **state)
{
	struct fixture *f = *state;
	const struct perf_event_attr *attr;

	start(f, "cpu-clock:u", 100);
	attr = &f->evlist->evsel[0]->attr;
	assert_int_equal(attr->sample_freq, 100);
	assert_in_range(attr->sample_stack_user, 16 << 10, 64 << 10);
	assert_in_range(bytes_of(f), 1, PAGES * sysconf(_SC_PAGESIZE) * 10); /* a ring has room for a tenth of a second */
	assert_true(attr->watermark && attr->wakeup_watermark < PAGES * sysconf(_SC_PAGESIZE) / 4);
	assert_false(f->written.watermark || f->written.wakeup_watermark || f->written.sample_stack_user || f->written.sample_regs_user);
	assert_int_equal(f->written.sample_type, SAMPLE_TYPE);
	copied_stacks__note_rates(f->copies);
	assert_string_equal(f->notes, "");
}

static void test_ring_of_four(void **state)
{
	struct fixture *f = *state;

	start(f, "cpu-clock:u,task-clock:u,cpu-clock:uH,task-clock:u", 4000);
	assert_in_range(f->evlist->evsel[0]->attr.sample_freq, 10, 3999);
	assert_in_range(bytes_of(f), 1, PAGES * sysconf(_SC_PAGESIZE) * 10);
	assert_string_equal(f->notes, "");
	free(f->evlist->evsel[0]->name);
	f->evlist->evsel[0]->name = strdup("renamed"); /* as when it is opened */
	copied_stacks__note_rates(f->copies);
	assert_ptr_equal(strstr(f->notes, "renamed: -F is lowered from 4000 to "), f->notes);
	assert_non_null(strstr(f->notes, "\ncpu-clock:uH: -F is lowered from 4000 to "));
	*f->notes = '\0';
	copied_stacks__give_up(f->copies);
	copied_stacks__note_rates(f->copies);
	assert_string_equal(f->notes, "");
	assert_int_equal(f->evlist->evsel[0]->attr.sample_freq, 4000);
	assert_int_equal(f->evlist->evsel[0]->attr.sample_type, SAMPLE_TYPE);
	assert_int_equal(f->evlist->evsel[0]->attr.wakeup_watermark, 0);
}

static void take(struct fixture *f, const void *record)
{
	assert_int_equal(copied_stacks__take(f->copies, NULL, record, ((const struct perf_event_header *)record)->size), 0);
}

/* A sample at CODE + 0x10, of which the kernel says that it was called at CODE + 0x20. regs: none at the end of a task */
static void take_sample(struct fixture *f, u32 pid, u64 time, bool regs)
{
	u64 record[64] = { 0 }, *at = record + 1;
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER };
	const u32 task[2] = { pid, pid };

	*at++ = CODE + 0x10;
	memcpy(at++, task, sizeof(task));
	*at++ = time;
	*at++ = 3;
	*at++ = PERF_CONTEXT_USER;
	*at++ = CODE + 0x10;
	*at++ = CODE + 0x20;
	*at++ = regs ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE;
	for (u32 i = 0; regs && i < 64; i++) {
		if (regs_of_user() >> i & 1)
			*at++ = i == 8 ? CODE + 0x10 : 0;
	}
	*at++ = regs ? 8 : 0;
	at += regs ? 2 : 0;
	if (regs)
		at[-1] = 8;
	header.size = (char *)at - (char *)record;
	memcpy(record, &header, sizeof(header));
	take(f, record);
}

struct tail { /* what sample_id_all adds */
	u32 pid, tid;
	u64 time;
};

static void take_map(struct fixture *f, u32 pid, u64 time)
{
	struct {
		struct record_mmap rec;
		char name[16];
		struct tail tail;
	} map = {
		.rec = { .header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_USER, .size = sizeof(map) },
			 .pid = pid, .tid = pid, .start = CODE, .len = 4096 },
		.name = "/none/prog", .tail = { .pid = pid, .tid = pid, .time = time },
	};

	take(f, &map);
}

static void take_task(struct fixture *f, u32 type, u32 pid, u64 time)
{
	struct {
		struct record_fork rec;
		struct tail tail;
	} task = {
		.rec = { .header = { .type = type, .size = sizeof(task) }, .pid = pid, .tid = pid, .ppid = 1, .ptid = 1, .time = time },
		.tail = { .pid = pid, .tid = pid, .time = time },
	};

	take(f, &task);
}

#define CHAIN " fffffffffffffe00 400010"
#define WITH_CALLER CHAIN " 400020"

/* A map is known before the samples behind it, in whatever order the rings gave them. Copies are taken out. */
static void test_order(void **state)
{
	struct fixture *f = *state;

	start(f, "cpu-clock:u", 99);
	take_sample(f, 1, 30, true);
	take_sample(f, 1, 10, true);
	take_map(f, 1, 20);
	take_sample(f, 1, 40, false);
	assert_int_equal(copied_stacks__end_round(f->copies), 0);
	assert_string_equal(f->text, "");
	take_sample(f, 1, 50, true);
	assert_int_equal(copied_stacks__end_round(f->copies), 0);
	assert_string_equal(f->text, "1@10:" CHAIN "\ntype 1\n1@30:" WITH_CALLER "\n1@40:" WITH_CALLER "\n");
	*f->text = '\0';
	assert_int_equal(copied_stacks__flush(f->copies), 0);
	assert_string_equal(f->text, "1@50:" WITH_CALLER "\n");
	assert_non_null(copied_stacks__totals(f->copies, 0));
}

/* Whoever reads the file judges them. */
static void test_malformed(void **state)
{
	struct fixture *f = *state;
	struct perf_event_header empty = { .type = PERF_RECORD_FORK, .size = sizeof(empty) };
	struct {
		struct perf_event_header header;
		u32 pid, tid;
		struct tail tail;
	} shorter = { .header = { .type = PERF_RECORD_MMAP, .size = sizeof(shorter) }, .pid = 1, .tid = 1, .tail = { .pid = 1, .tid = 1, .time = 5 } };

	start(f, "cpu-clock:u", 99);
	take(f, &empty);
	assert_string_equal(f->text, "type 7\n");
	take(f, &shorter);
	take_map(f, 1, 10);
	take_sample(f, 1, 20, true);
	assert_int_equal(copied_stacks__flush(f->copies), 0);
	assert_string_equal(f->text, "type 7\ntype 1\ntype 1\n1@20:" WITH_CALLER "\n");
}

static void test_ended_tasks(void **state)
{
	struct fixture *f = *state;

	start(f, "cpu-clock:u", 99);
	for (u32 pid = 1; pid <= 3; pid++)
		take_map(f, pid, pid);
	take_task(f, PERF_RECORD_EXIT, 2, 10);
	take_task(f, PERF_RECORD_EXIT, 3, 10);
	take_task(f, PERF_RECORD_FORK, 3, 11); /* another task of that number */
	take_sample(f, 2, 12, true);
	for (u32 i = 0; i < 5000; i++)
		take_task(f, PERF_RECORD_EXIT, 1000 + i, 20);
	assert_int_equal(copied_stacks__flush(f->copies), 0);
	assert_string_equal(f->text, "type 1\ntype 1\ntype 1\ntype 7\n2@12:" WITH_CALLER "\n");
	*f->text = '\0';
	assert_int_equal(copied_stacks__end_round(f->copies), 0); /* forgets */
	for (u32 pid = 1; pid <= 3; pid++)
		take_sample(f, pid, 30 + pid, true);
	assert_int_equal(copied_stacks__flush(f->copies), 0);
	assert_string_equal(f->text, "1@31:" WITH_CALLER "\n2@32:" CHAIN "\n3@33:" WITH_CALLER "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_ring_of_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ring_of_four, setup, teardown),
#ifdef __x86_64__
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_malformed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ended_tasks, setup, teardown),
#endif
	};

	return cmocka_run_group_tests_name("record/copied-stacks", tests, NULL, NULL);
}

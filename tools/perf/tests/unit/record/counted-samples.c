// SPDX-License-Identifier: GPL-2.0
#include "util/record/counted-samples.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/perfdata/sample.h"

#define ALL_STACKS (TALLY_KEY_KSTACK | TALLY_KEY_USTACK)
#define TASK (TALLY_KEY_COMM | TALLY_KEY_PID | TALLY_KEY_TID)
#define OPEN_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR)

static struct perf_event_attr attr; /* of event 0 in the file */
static char written[4096];	     /* what was written, as text */

static struct counted_samples *make(struct tally_opts *opts, unsigned int key)
{
	struct counted_samples *c;

	opts->key = key;
	attr = (struct perf_event_attr){ .sample_type = OPEN_TYPE, .sample_id_all = 1, .freq = 1, .sample_freq = 99 };
	c = counted_samples__new(opts, 1);
	assert_non_null(c);
	counted_samples__describe(c, 0, 77, &attr);
	return c;
}

static void put(const char *fmt, ...)
{
	size_t len = strlen(written);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(written + len, sizeof(written) - len, fmt, ap);
	va_end(ap);
}

static void put_sample(const struct perf_sample *s)
{
	put("%d/%d id%llu @%llu ip%llx,%d x%llu =%llu", (int)s->pid, (int)s->tid, (unsigned long long)s->id,
	    (unsigned long long)s->time, (unsigned long long)s->ip, s->cpumode, (unsigned long long)s->count,
	    (unsigned long long)s->period);
	for (u64 i = 0; i < s->nr_callchain; i++)
		put(" %llx", (unsigned long long)s->callchain[i]);
	put("\n");
}

static void see_record(const union perf_record *record)
{
	struct perf_sample sample;

	assert_int_equal(perf_record__check(record), 0);
	if (record->header.type == PERF_RECORD_COMM) {
		assert_int_equal(perf_sample__decode_id(&sample, &attr, record), 0);
		assert_int_equal(sample.id, 77);
		put("%d/%d is %s", (int)record->comm.pid, (int)record->comm.tid, record->comm.comm);
		put(sample.time ? " @%llu\n" : "\n", (unsigned long long)sample.time);
		return;
	}
	if (record->header.type == PERF_RECORD_MMAP2) {
		const char *name = strrchr(record->mmap2.filename, '/');

		assert_int_equal(perf_sample__decode_id(&sample, &attr, record), 0);
		assert_int_equal(sample.time, 0);
		assert_int_equal(record->mmap2.pgoff, 0);
		put("%d has %s at %llx\n", (int)record->mmap2.pid, name ? name + 1 : record->mmap2.filename, (unsigned long long)record->mmap2.start);
		return;
	}
	assert_int_equal(perf_sample__decode(&sample, &attr, record), 0);
	put_sample(&sample);
}

static int see(void *data, const void *records, size_t size)
{
	const char *at = records, *end = at + size;

	for (; at < end; at += ((const union perf_record *)at)->header.size)
		see_record((const union perf_record *)at);
	assert_ptr_equal(at, end);
	return data ? -EIO : 0;
}

static void add(struct counted_samples *c, const struct tally_row *row)
{
	assert_int_equal(counted_samples__add(c, 0, row, NULL), 0);
}

static void write_all(struct counted_samples *c)
{
	written[0] = '\0';
	assert_int_equal(counted_samples__write(c, see, NULL, NULL), 0);
}

static void keys_become_samples_in_the_order_of_time(void **state)
{
	struct tally_opts opts = TALLY_OPTS_INIT;
	struct counted_samples *c = make(&opts, TASK | ALL_STACKS);
	const u64 kernel[] = { 0xa1, 0xa2 }, user[] = { 0x11 };

	assert_int_equal(attr.sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER |
						   PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_CALLCHAIN);
	add(c, &(struct tally_row){ .pid = 5, .tid = 6, .comm = "a", .kstack = kernel, .nr_kstack = 2, .ustack = user,
				      .nr_ustack = 1, .count = 3, .period = 30, .first_time = 1, .last_time = 20 });
	add(c, &(struct tally_row){ .pid = 5, .tid = 5, .comm = "a", .ustack = user, .nr_ustack = 1, .count = 4, .period = 40,
				      .last_time = 10 });
	add(c, &(struct tally_row){ .pid = 5, .tid = 5, .comm = "a", .count = 1, .period = 10, .last_time = 15 });
	write_all(c);
	assert_string_equal(written, "5/5 id77 @10 ip11,2 x4 =40 fffffffffffffe00 11\n"
				     "5/5 id77 @15 ip0,0 x1 =10\n"
				     "5/6 id77 @20 ipa1,1 x3 =30 ffffffffffffff80 a1 a2 fffffffffffffe00 11\n");
	write_all(c);
	assert_string_equal(written, "");
	assert_int_equal(counted_samples__totals(c)->nr_records, 3);
	assert_int_equal(counted_samples__totals(c)->nr_samples, 8);
	assert_int_equal(counted_samples__totals(c)->first_time, 10);
	assert_int_equal(counted_samples__totals(c)->last_time, 20);
	counted_samples__delete(c);
}

/* A command gets the same thread each time, and is named before it is used. */
static void commands_without_threads_get_stand_ins(void **state)
{
	struct tally_opts opts = TALLY_OPTS_INIT;
	struct counted_samples *c = make(&opts, TALLY_KEY_COMM);

	assert_false(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	add(c, &(struct tally_row){ .comm = "a", .count = 3, .period = 30, .last_time = 20 });
	add(c, &(struct tally_row){ .comm = "b", .count = 4, .period = 40, .last_time = 10 });
	write_all(c);
	assert_string_equal(written, "1073741824/1073741824 is a\n1073741825/1073741825 is b\n"
				     "1073741825/1073741825 id77 @10 ip0,0 x4 =40\n1073741824/1073741824 id77 @20 ip0,0 x3 =30\n");
	add(c, &(struct tally_row){ .comm = "b", .count = 1, .period = 1, .last_time = 30 });
	write_all(c);
	assert_string_equal(written, "1073741825/1073741825 id77 @30 ip0,0 x1 =1\n");
	counted_samples__delete(c);

	c = make(&opts, TALLY_KEY_COMM | TALLY_KEY_PID);
	/* of a process only when it is there: with its first sample, whatever the order of rows */
	add(c, &(struct tally_row){ .pid = 9, .comm = "a", .count = 3, .period = 30, .last_time = 20 });
	add(c, &(struct tally_row){ .pid = 9, .comm = "a", .count = 1, .period = 10, .last_time = 10 });
	write_all(c);
	assert_string_equal(written, "9/1073741824 is a @10\n9/1073741824 id77 @10 ip0,0 x1 =10\n9/1073741824 id77 @20 ip0,0 x3 =30\n");
	add(c, &(struct tally_row){ .pid = 9, .comm = "a", .count = 1, .period = 10, .last_time = 5 });
	write_all(c);
	assert_string_equal(written, "9/1073741824 id77 @5 ip0,0 x1 =10\n");
	counted_samples__delete(c);
}

/* Who reads them may have forgotten what was named in earlier rounds, by its number. */
static void commands_are_named_anew_in_each_round(void **state)
{
	struct tally_opts opts = TALLY_OPTS_INIT;
	struct counted_samples *c;

	opts.anew = true;
	c = make(&opts, TALLY_KEY_COMM | TALLY_KEY_PID);
	for (int round = 0; round < 2; round++) {
		add(c, &(struct tally_row){ .pid = 9, .comm = "a", .count = 3, .period = 30, .last_time = 20 });
		add(c, &(struct tally_row){ .pid = 9, .comm = "a", .count = 1, .period = 10, .last_time = 25 });
		write_all(c);
		assert_string_equal(written, round ? "9/1073741825 is a @20\n9/1073741825 id77 @20 ip0,0 x3 =30\n9/1073741825 id77 @25 ip0,0 x1 =10\n"
						   : "9/1073741824 is a @20\n9/1073741824 id77 @20 ip0,0 x3 =30\n9/1073741824 id77 @25 ip0,0 x1 =10\n");
	}
	counted_samples__delete(c);
}

#define PLACE(id, offset) (UNWIND_PLACE | (u64)(id) << UNWIND_PLACE_BITS | (offset))

/* A process of its own has the files of all places in its stacks, each once; addresses that are no places are in none. */
static void places_are_in_files(void **state)
{
	const struct unwind_key vdso = { 0 }, own = { .inode = 5, .dev = 1 };
	const u64 first[] = { PLACE(2, 0x1234), PLACE(1, 0x10), 0x7f0000001000, PLACE(0, 0x99) }, second[] = { PLACE(2, 0x1235) };
	struct tally_opts opts = TALLY_OPTS_INIT;
	struct unwind_files *files = unwind_files__new();
	struct counted_samples *c;
	int fd = open("/proc/self/exe", O_RDONLY);

	assert_non_null(files);
	assert_int_equal(unwind_files__add(files, &vdso, -1, NULL), 0);
	assert_int_equal(unwind_files__add(files, &own, fd, "/proc/self/exe"), 0);
	close(fd);
	opts.by_file = true;
	c = make(&opts, TALLY_KEY_USTACK);
	counted_samples__set_files(c, files);
	add(c, &(struct tally_row){ .ustack = first, .nr_ustack = 4, .count = 3, .period = 30, .last_time = 10 });
	add(c, &(struct tally_row){ .ustack = second, .nr_ustack = 1, .count = 1, .period = 10, .last_time = 20 });
	write_all(c);
	assert_string_equal(written, "1073741824/1073741824 is [all]\n"
				     "1073741824 has counted-samples at 4000002000000000\n1073741824 has [vdso] at 4000001000000000\n"
				     "1073741824/1073741824 id77 @10 ip4000002000001234,2 x3 =30 fffffffffffffe00 4000002000001234 4000001000000010 "
				     "7f0000001000 4000000000000099\n"
				     "1073741824/1073741824 id77 @20 ip4000002000001235,2 x1 =10 fffffffffffffe00 4000002000001235\n");
	counted_samples__delete(c);

	c = make(&opts, TALLY_KEY_COMM | TALLY_KEY_USTACK);
	counted_samples__set_files(c, files);
	add(c, &(struct tally_row){ .comm = "a", .ustack = second, .nr_ustack = 1, .count = 1, .period = 1, .last_time = 5 });
	add(c, &(struct tally_row){ .comm = "b", .ustack = second, .nr_ustack = 1, .count = 1, .period = 1, .last_time = 6 });
	write_all(c);
	assert_non_null(strstr(written, "1073741824 has counted-samples at 4000002000000000\n"));
	assert_non_null(strstr(written, "1073741825 has counted-samples at 4000002000000000\n"));
	counted_samples__delete(c);
	unwind_files__delete(files);
}

static void unknown_tasks_are_none(void **state)
{
	struct tally_opts opts = TALLY_OPTS_INIT;
	struct counted_samples *c = make(&opts, TALLY_KEY_IP);

	add(c, &(struct tally_row){ .ip = 0xa1, .cpumode = PERF_RECORD_MISC_KERNEL, .count = 1, .period = 1, .last_time = 1 });
	write_all(c);
	assert_string_equal(written, "-1/-1 id77 @1 ipa1,1 x1 =1\n");
	counted_samples__delete(c);
}

static int see_ids(void *data, const void *records, size_t size)
{
	struct perf_sample s;
	u32 uid;

	assert_int_equal(perf_sample__decode(&s, &attr, records), 0);
	assert_int_equal(s.raw_size, sizeof(uid));
	memcpy(&uid, s.raw, sizeof(uid));
	put("cpu%u cgroup%llu uid%u\n", s.cpu, (unsigned long long)s.cgroup, uid);
	return 0;
}

static void other_parts_of_the_key_are_in_the_sample(void **state)
{
	struct tally_opts opts = TALLY_OPTS_INIT;
	struct counted_samples *c = make(&opts, TALLY_KEY_CPU | TALLY_KEY_CGROUP | TALLY_KEY_UID);

	attr.sample_type = OPEN_TYPE | PERF_SAMPLE_CPU; /* as the event is opened for such a key */
	counted_samples__describe(c, 0, 77, &attr);
	add(c, &(struct tally_row){ .cpu = 3, .cgroup = 4, .uid = 1000, .count = 1, .period = 1, .last_time = 1 });
	written[0] = '\0';
	assert_int_equal(counted_samples__write(c, see_ids, NULL, NULL), 0);
	assert_string_equal(written, "cpu3 cgroup4 uid1000\n");
	counted_samples__delete(c);
}

static int see_lock(void *data, const void *records, size_t size)
{
	struct perf_sample s;

	assert_int_equal(perf_sample__decode(&s, &attr, records), 0);
	assert_int_equal(((const char *)s.raw)[s.raw_size - 1], '\0');
	put("%s at %llx waited %llu\n", (const char *)s.raw, (unsigned long long)s.addr, (unsigned long long)s.period);
	return 0;
}

static void locks_have_an_address_and_a_type(void **state)
{
	struct tally_opts opts = TALLY_OPTS_INIT;
	struct counted_samples *c = make(&opts, TASK | TALLY_KEY_LOCK | TALLY_KEY_LOCK_TYPE);

	assert_true(attr.sample_type & PERF_SAMPLE_ADDR);
	add(c, &(struct tally_row){ .lock = 0xabc, .lock_type = LOCK_FLAG_WRITE, .count = 2, .period = 50, .last_time = 1 });
	written[0] = '\0';
	assert_int_equal(counted_samples__write(c, see_lock, NULL, NULL), 0);
	assert_string_equal(written, "rwsem:W at abc waited 50\n");
	counted_samples__delete(c);
}

static void failures_are_handed_on(void **state)
{
	struct tally_opts opts = TALLY_OPTS_INIT;
	struct counted_samples *c = make(&opts, ALL_STACKS);
	u64 *deep = calloc(9000, sizeof(*deep));
	struct tally_row row = { .kstack = deep, .nr_kstack = 9000, .count = 1 };
	struct errmsg err;

	assert_non_null(deep);
	assert_int_equal(counted_samples__add(c, 0, &row, &err), -EOVERFLOW);
	assert_non_null(strstr(err.text, "--max-stack"));
	assert_int_equal(counted_samples__totals(c)->nr_records, 0);
	row.nr_kstack = 1;
	add(c, &row);
	add(c, &row);
	written[0] = '\0';
	assert_int_equal(counted_samples__write(c, see, &row, NULL), -EIO);
	assert_int_equal(counted_samples__write(c, see, &row, NULL), 0); /* nothing is left */
	free(deep);
	counted_samples__delete(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_become_samples_in_the_order_of_time),
		cmocka_unit_test(commands_without_threads_get_stand_ins),
		cmocka_unit_test(commands_are_named_anew_in_each_round),
		cmocka_unit_test(places_are_in_files),
		cmocka_unit_test(unknown_tasks_are_none),
		cmocka_unit_test(other_parts_of_the_key_are_in_the_sample),
		cmocka_unit_test(locks_have_an_address_and_a_type),
		cmocka_unit_test(failures_are_handed_on),
	};

	return cmocka_run_group_tests_name("record/counted-samples", tests, NULL, NULL);
}

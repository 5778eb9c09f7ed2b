// SPDX-License-Identifier: GPL-2.0
/* That a round is taken only when no program counts in it any more: with one that takes its time. */
#include "util/source/tally-table.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/bpf/tally-slow.lskel.h"
#include "tests/unit/bpf/pid-namespace.h"

#define NR_ROUNDS 40

static int open_faults(int prog_fd)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.disabled = 1,
		.inherit = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd), 0);
	return fd;
}

static struct tally_slow *load(struct tally_table **table)
{
	const struct tally_opts opts = { .key = TALLY_KEY_PID, .max_keys = 16, .max_stacks = 1024, .max_stack = 1 };
	struct tally_slow *skel = tally_slow__open();
	struct errmsg err = { "" };
	struct tally_setup setup;
	struct tally_maps maps;

	assert_non_null(skel);
	assert_int_equal(tally_table__configure(&opts, &setup, &err), 0);
	skel->rodata->tally_config = setup.config;
	skel->maps.tally_slots.max_entries = setup.nr_slots;
	skel->maps.tally_ring.max_entries = setup.ring_size;
	if (tally_slow__load(skel)) { /* bpf_loop() came with Linux 5.17 */
		tally_slow__destroy(skel);
		return NULL;
	}
	maps = (struct tally_maps){ skel->maps.tally_slots.map_fd, skel->maps.tally_ring.map_fd, skel->maps.tally_control.map_fd,
				    skel->maps.tally_scratch.map_fd };
	skel->maps.tally_slots.map_fd = 0; /* they are the table's now */
	skel->maps.tally_ring.map_fd = 0;
	skel->maps.tally_control.map_fd = 0;
	skel->maps.tally_scratch.map_fd = 0;
	if (tally_table__new(&maps, &setup, table, &err))
		fail_msg("%s", err.text);
	return skel;
}

static volatile bool stop;

static void *keep_faulting(void *unused)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	while (p != MAP_FAILED && !stop) {
		*p = 1;
		madvise((void *)p, page, MADV_DONTNEED);
	}
	return NULL;
}

struct rounds {
	const volatile u64 *nr_running; /* by set */
	unsigned int set; /* that is being collected */
	u64 sum;
};

static int add_row(void *data, const struct tally_row *row)
{
	struct rounds *r = data;

	assert_int_equal(r->nr_running[r->set], 0);
	assert_int_equal(row->pid, getpid());
	r->sum += row->count;
	return 0;
}

static void take_round(struct tally_table *table, struct rounds *r)
{
	struct errmsg err;

	if (tally_table__collect(table, add_row, r, &err))
		fail_msg("%s", err.text);
	r->set = !r->set;
}

static void a_round_is_over_before_it_is_taken(void **state)
{
	struct tally_table *table;
	struct tally_totals counts;
	struct tally_slow *skel;
	struct errmsg err = { "" };
	pthread_t thread[2];
	struct rounds rounds = { 0 };
	u64 before, seen;
	int fd, i;

	if (geteuid()) /* loading BPF programs */
		skip();
	need_first_pid_namespace();
	skel = load(&table);
	if (!skel)
		skip();
	rounds.nr_running = (const u64 *)skel->bss->nr_running;
	fd = open_faults(skel->progs.tally_slowly.prog_fd);
	for (i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, keep_faulting, NULL), 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < NR_ROUNDS; i += rounds.sum > before) { /* that had something in them */
		before = rounds.sum;
		take_round(table, &rounds);
	}
	stop = true;
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	take_round(table, &rounds);
	assert_int_equal(tally_table__counts(table, &counts, &err), 0);
	assert_int_equal(read(fd, &seen, sizeof(seen)), sizeof(seen));
	assert_int_equal(counts.lost_keys + counts.lost_spill, 0);
	assert_int_equal(counts.counted + counts.spilled, seen);
	assert_int_equal(rounds.sum, seen);
	close(fd);
	tally_table__delete(table);
	tally_slow__destroy(skel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round_is_over_before_it_is_taken),
	};

	return cmocka_run_group_tests_name("source/tally-table", tests, NULL, NULL);
}

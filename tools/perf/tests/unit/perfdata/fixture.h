/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the tests of perfdata/: a scratch directory, whole files in memory, and a recording that contains everything. */
#ifndef TESTS_UNIT_PERFDATA_FIXTURE_H
#define TESTS_UNIT_PERFDATA_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/perfdata/features.h"
#include "util/perfdata/reader.h"
#include "util/perfdata/sample.h"
#include "util/perfdata/writer.h"

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

/* Setup and teardown of a group: its tests run in an empty directory. */
static inline int scratch__enter(void **state)
{
	const char *base = getenv("TMPDIR");
	char *dir;

	if (asprintf(&dir, "%s/perfdata-XXXXXX", base ?: "/tmp") < 0 || !mkdtemp(dir) || chdir(dir))
		return -1;
	*state = dir;
	return 0;
}

static inline int scratch__leave(void **state)
{
	int ret = chdir("/") || nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return ret;
}

static inline u8 *read_whole(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	struct stat st;
	u8 *data;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	data = malloc(st.st_size + 1);
	assert_non_null(data);
	*size = st.st_size;
	assert_int_equal(fread(data, 1, *size, f), *size);
	fclose(f);
	return data;
}

static inline void write_whole(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static inline u64 random_u64(u64 *seed) /* xorshift64*: the same numbers in every run */
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * 0x2545f4914f6cdd1dULL;
}

#define FIXTURE_TYPES \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

static inline const struct perfdata_event *fixture_events(u32 *nr)
{
	static u64 ids[2][3] = { { 11, 12, 13 }, { 21, 22, 23 } };
	static struct perfdata_event events[2] = {
		{
			.attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 4000,
				  .sample_type = FIXTURE_TYPES | PERF_SAMPLE_CALLCHAIN, .sample_id_all = 1, .freq = 1 },
			.ids = ids[0], .nr_ids = 3, .name = "cpu-clock:u",
		}, {
			.attr = { .type = PERF_TYPE_TRACEPOINT, .config = 372, .sample_period = 1,
				  .sample_type = FIXTURE_TYPES | PERF_SAMPLE_RAW, .sample_id_all = 1 },
			.ids = ids[1], .nr_ids = 3, .name = "sched:sched_switch",
		},
	};

	*nr = 2;
	return events;
}

/* Every feature with members; all static: not for perfdata_features__exit(). */
static inline const struct perfdata_features *fixture_features(void)
{
	static char *cmdline[] = { "/usr/bin/perf", "record", "-e", "cpu-clock", "--", "a b" };
	static char *cores[] = { "0-3" }, *dies[] = { "0-1", "2-3" }, *threads[] = { "0-1", "2-3" };
	static struct perfdata_pmu pmu[] = { { 1, "software" }, { 2, "tracepoint" } };
	static struct perfdata_group group[] = { { "{anon_group}", 0, 2 } };
	static struct perfdata_tracing tracing[] = {
		{ "ftrace", "name: function\n", 15 },
		{ "sched", "name: sched_switch\n", 19 },
		{ "irq", "name: irq_handler_entry\n", 24 },
		{ "sched", "name: sched_wakeup\n", 19 },
	};
	static struct perfdata_build_id build_id[] = {
		{ -1, PERF_RECORD_MISC_KERNEL, { 20, { 1, 2, 3, [19] = 20 } }, "[kernel.kallsyms]" },
		{ -1, PERF_RECORD_MISC_USER, { 8, { 9, 8, 7 } }, "/a/name/that/fills/sixty-four/bytes/together/with/its/nul/00063" },
	};
	static struct perfdata_features f = {
		.present = { 1ULL << HEADER_BRANCH_STACK },
		.hostname = "host", .osrelease = "6.18.0", .version = "0.1", .arch = "x86_64",
		.cpudesc = "A CPU", .cpuid = "GenuineIntel,6,167,8",
		.nrcpus_online = 3, .nrcpus_avail = 4, .total_mem = 1 << 20,
		.cmdline = cmdline, .nr_cmdline = ARRAY_SIZE(cmdline),
		.pmu = pmu, .nr_pmu = ARRAY_SIZE(pmu),
		.group = group, .nr_group = ARRAY_SIZE(group),
		.sample_time_first = 1000, .sample_time_last = 9000,
		.compressed = { .type = 1, .level = 3, .ratio = 4, .room = 65536 },
		.clockid_res_ns = 1, .clockid = 4, .clock_tod_ns = 1700000000123456789, .clock_ns = 77,
		.build_id = build_id, .nr_build_id = ARRAY_SIZE(build_id),
		.tracing = tracing, .nr_tracing = ARRAY_SIZE(tracing),
		.tracing_bigendian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.tracing_long_size = 8, .tracing_page_size = 4096,
		.header_page = "field: u64 timestamp;\n", .header_event = "# compressed\n", .printk_formats = "0x1 : \"a\"\n",
		.kallsyms = "", .saved_cmdlines = "1 init\n",
		.core_siblings = cores, .nr_core_siblings = ARRAY_SIZE(cores),
		.die_siblings = dies, .nr_die_siblings = ARRAY_SIZE(dies),
		.thread_siblings = threads, .nr_thread_siblings = ARRAY_SIZE(threads),
		.nr_cpu_topology = 4,
	};
	static __typeof__(*f.cpu_topology) cpus[] = { { 0, 0, 0 }, { 0, 0, 0 }, { 1, 0, 1 }, { 1, 0, 1 } };

	f.cpu_topology = cpus;
	f.event_desc = (struct perfdata_event *)fixture_events(&f.nr_event_desc);
	return &f;
}

/* Make a record of its header and the 8-byte words that follow. */
static inline const union perf_record *perf_record__fill(u64 *record, u32 type, const u64 *words, size_t size)
{
	const struct perf_event_header header = { .type = type, .size = size };

	memcpy(record, words, size);
	memcpy(record, &header, sizeof(header));
	return (const void *)record;
}

#define RECORD(type, ...)                                                 \
	({                                                                \
		const u64 words_[] = { 0, ##__VA_ARGS__ };                \
		static u64 record_[ARRAY_SIZE(words_)];                   \
		perf_record__fill(record_, (type), words_, sizeof(words_));    \
	})
#define PAIR(low, high) ((u64)(u32)(low) | (u64)(u32)(high) << 32)
#define FIXTURE_TAIL(time) PAIR(100, 101), (time), PAIR(1, 0), 11 /* tid, time, cpu, identifier */

/* How many records write_fixture_records() writes. */
#define FIXTURE_RECORDS 8

static inline void write_fixture_records(struct perfdata_writer *w)
{
	const u64 sh = 0x6873; /* "sh" */
	const union perf_record *records[FIXTURE_RECORDS] = {
		RECORD(PERF_RECORD_COMM, PAIR(100, 101), sh, FIXTURE_TAIL(1000)),
		RECORD(PERF_RECORD_MMAP2, PAIR(100, 101), 0x1000, 0x2000, 0, PAIR(8, 1), 77, 0, PAIR(5, 2), sh,
		       FIXTURE_TAIL(1001)),
		RECORD(PERF_RECORD_FORK, PAIR(102, 100), PAIR(102, 101), 1002, FIXTURE_TAIL(1002)),
		RECORD(PERF_RECORD_SAMPLE, 11, 0x1234, PAIR(100, 101), 1003, PAIR(1, 0), 4000, 2, PERF_CONTEXT_USER, 0x1234),
		RECORD(PERF_RECORD_SAMPLE, 21, 0x1235, PAIR(100, 101), 1004, PAIR(1, 0), 1, PAIR(12, 5), 0x5ULL),
		RECORD(PERF_RECORD_LOST_SAMPLES, 3, FIXTURE_TAIL(1005)),
		RECORD(PERF_RECORD_AUXTRACE, 16, 0, 0, 0, 0),
		RECORD(PERF_RECORD_FINISHED_ROUND),
	};
	static const u64 auxtrace_payload[2] = { 0xdead, 0xbeef };
	struct errmsg err;

	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		struct iovec iov[2] = {
			{ (void *)records[i], records[i]->header.size },
			{ (void *)auxtrace_payload, sizeof(auxtrace_payload) },
		};

		int nr = records[i]->header.type == PERF_RECORD_AUXTRACE ? 2 : 1;

		assert_int_equal(perfdata_writer__writev(w, iov, nr, &err), 0);
	}
}

static inline void add_fixture_features(struct perfdata_writer *w)
{
	struct errmsg err;

	for (int feature = 1; feature < HEADER_FEAT_BITS; feature++) {
		size_t size;
		void *body;

		if (perfdata_features__encode(fixture_features(), feature, &body, &size))
			continue;
		assert_int_equal(perfdata_writer__add_feature(w, feature, body, size, &err), 0);
		free(body);
	}
}

static inline struct perfdata_writer *start_fixture_file(const char *path)
{
	struct perfdata_writer *w = NULL;
	const struct perfdata_event *events;
	struct errmsg err;
	u32 nr;

	events = fixture_events(&nr);
	assert_int_equal(perfdata_writer__open(path, &w, &err), 0);
	assert_int_equal(perfdata_writer__set_events(w, events, nr, &err), 0);
	return w;
}

/* A finished file with all records and features. */
static inline void write_fixture_file(const char *path)
{
	struct perfdata_writer *w = start_fixture_file(path);
	struct errmsg err;

	write_fixture_records(w);
	add_fixture_features(w);
	assert_int_equal(perfdata_writer__finish(w, &err), 0);
	perfdata_writer__delete(w);
}

#endif

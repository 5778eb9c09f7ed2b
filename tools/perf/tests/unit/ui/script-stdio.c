// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ui/script/fields.h"
#include "ui/script/stdio.h"
#include "util/perfdata/writer.h"

#define REGS 0x181ULL /* AX SP IP */
#define SAMPLE_TYPE                                                                                                    \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | \
	 PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_WEIGHT_STRUCT)

struct sample_record { /* the parts of SAMPLE_TYPE in the order of perf_event_open(2) */
	struct perf_event_header header;
	u64 ip;
	u32 pid, tid;
	u64 time, addr;
	u32 cpu, unused;
	u64 period;
	u32 raw_size;
	char raw[12];
	u64 nr_branches;
	u64 branch[2][3];
	u32 weight;
	u16 ins_lat, retire_lat;
	u64 data_src;
	u64 abi, regs[3];
	u64 phys_addr, cgroup, data_page_size, code_page_size;
};

struct cgroup_record {
	struct perf_event_header header;
	u64 id;
	char path[8];
};

static const char arch[] = "x86_64";

static const struct sample_record sample = {
	.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample) },
	.ip = 0x401000, .pid = 7, .tid = 8, .time = 12345678901234, .addr = 0x7fff00001000, .cpu = 1, .period = 1000,
	.raw_size = 12, .raw = "hello bpf",
	.nr_branches = 2,
	.branch = {
		{ 0x401010, 0x401020, 0x2 | 17 << 4 | 1 << 20 | 2 << 24 },	/* predicted, 17 cycles, COND, NON_SPEC */
		{ 0x401030, 0x401040, 0x1 | 0xc | 1ULL << 33 },			/* mispredicted, in_tx, abort, not taken */
	},
	.weight = 7, .ins_lat = 11, .retire_lat = 13,
	.data_src = 0x68100142,
	.abi = PERF_SAMPLE_REGS_ABI_64, .regs = { 1, 0x7fffffffe000, 0x401000 },
	.phys_addr = 0x123456000, .cgroup = 5, .data_page_size = 2 << 20, .code_page_size = 0,
};

static char path[] = "/tmp/perf-script-stdio.XXXXXX";

static void write_file(void)
{
	const struct cgroup_record cgroup = { { PERF_RECORD_CGROUP, 0, sizeof(cgroup) }, 5, "/a/b" };
	struct perfdata_event event = {
		.attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_BPF_OUTPUT, .size = sizeof(event.attr),
			  .sample_type = SAMPLE_TYPE, .sample_regs_intr = REGS, .branch_sample_type = PERF_SAMPLE_BRANCH_ANY,
			  .exclude_guest = 1 },
	};
	struct perfdata_writer *w;
	struct errmsg err;

	assert_int_equal(perfdata_writer__open(path, &w, &err), 0);
	assert_int_equal(perfdata_writer__set_events(w, &event, 1, &err), 0);
	assert_int_equal(perfdata_writer__write(w, &cgroup, sizeof(cgroup), &err), 0);
	assert_int_equal(perfdata_writer__write(w, &sample, sizeof(sample), &err), 0);
	assert_int_equal(perfdata_writer__finish(w, &err), 0);
	perfdata_writer__delete(w);
}

static int print_sample(struct session *s, const struct session_sample *to_print, void *data)
{
	script__print_sample(data, s, to_print);
	return 0;
}

/* The file's sample with these fields, as text to be freed. */
static char *print(const char *list, const struct script_style *style)
{
	static const struct perfdata_features features = { .arch = (char *)arch, .clock_tod_ns = 1700000000000000000,
							   .clock_ns = 12345678900000 };
	const struct session_ops ops = { .sample = print_sample };
	const struct session_opts opts = { .input = path, .no_resolve = true };
	struct script_style with_features = *style;
	struct script_stdio out;
	struct script_fields fields;
	struct session *s;
	struct errmsg err;
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	u64 mask;

	with_features.features = &features;
	assert_non_null(fp);
	assert_int_equal(script__init(&out, fp, &mask, &with_features), 0);
	assert_int_equal(session__open(&opts, &s, &err), 0);
	script_fields__init(&fields);
	assert_int_equal(script_fields__parse(&fields, list, &err), 0);
	assert_int_equal(script_fields__apply(&fields, s, false, &mask, &err), 0);
	assert_int_equal(session__run(s, &ops, &out, &err), 0);
	assert_int_equal(script_writer__drain(out.writer), 0);
	script__exit(&out);
	session__delete(s);
	fclose(fp);
	return text;
}

static const struct {
	const char *fields, *text;
} expected[] = {
	{ "comm,pid,tid,cpu,misc,time", "              :8       7/8       [001] U     12345.678901: \n" },
	{ "pid,period", "      7       1000 \n" },
	{ "ip,addr", "    7fff00001000           401000\n" },
	{ "data_src,weight,ins_lat,retire_lat",
	  "        68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A               7              11              13\n" },
	{ "cgroup,ip", " /a/b           401000\n" },
	{ "iregs", " ABI:2    AX:0x1    SP:0x7fffffffe000    IP:0x401000 \n" },
	{ "brstack", " 0x401010/0x401020/P/-/-/17/COND/NON_SPEC_CORRECT_PATH  0x401030/0x401040/MN/X/A/0//- \n" },
	{ "phys_addr,data_page_size,code_page_size", "       123456000 2M N/A\n" },
	{ "pid,bpf-output",
	  "      7 \n      BPF output: 0000: 68 65 6c 6c 6f 20 62 70  hello bp\n"
	  "                  0008: 66 00 00 00              f...    \n"
	  "      BPF string: \"hello bpf\"\n\n" },
};

static void each_field_has_its_form(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		char *text = print(expected[i].fields, &(struct script_style){});

		assert_string_equal(text, expected[i].text);
		free(text);
	}
}

static void styles_change_the_start(void **state)
{
	char *text = print("comm,cpu,time", &(struct script_style){ .latency = true, .ns = true });

	assert_string_equal(text, "      :8   1 12345.678901234: \n");
	free(text);
	text = print("time", &(struct script_style){ .times = SCRIPT_TIMES_RELATIVE });
	assert_string_equal(text, "    0.000000: \n");
	free(text);
}

static void the_time_of_day_is_local(void **state)
{
	char *text;

	setenv("TZ", "UTC", true);
	text = print("tod", &(struct script_style){ .ns = true });
	assert_string_equal(text, "2023-11-14 22:13:20.000001234 \n");
	free(text);
}

static int set_up(void **state)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return -1;
	close(fd);
	write_file();
	return 0;
}

static int tear_down(void **state)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_field_has_its_form),
		cmocka_unit_test(styles_change_the_start),
		cmocka_unit_test(the_time_of_day_is_local),
	};

	return cmocka_run_group_tests_name("ui/script/stdio", tests, set_up, tear_down);
}

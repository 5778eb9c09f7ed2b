// SPDX-License-Identifier: GPL-2.0
/* Names and texts of bare attrs. The expected texts were taken from perf 6.1 on files that hold such attrs. */
#include "util/event/attr-print.h"
#include "util/event/evsel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void names(void **state)
{
	static const struct {
		struct perf_event_attr attr;
		const char *name;
	} cases[] = {
		{ { .type = 0, .config = 0, .exclude_guest = 1 }, "cycles" },
		{ { .type = 0, .config = 4, .exclude_guest = 1 }, "branches" },
		{ { .type = 0, .config = 10, .exclude_guest = 1 }, "unknown-hardware" },
		{ { .type = 0, .config = 0x400000001, .exclude_guest = 1 }, "instructions" },
		{ { .type = 0, .exclude_host = 1, .exclude_guest = 1 }, "cycles" },
		{ { .type = 0 }, "cycles:HG" },
		{ { .type = 0, .exclude_user = 1 }, "cycles:kh" },
		{ { .type = 0, .exclude_hv = 1 }, "cycles:ku" },
		{ { .type = 0, .exclude_kernel = 1, .exclude_hv = 1 }, "cycles:u" },
		{ { .type = 0, .exclude_kernel = 1, .exclude_hv = 1, .exclude_guest = 1 }, "cycles:uH" },
		{ { .type = 0, .exclude_host = 1 }, "cycles:G" },
		{ { .type = 0, .precise_ip = 2 }, "cycles:pp" },
		{ { .type = 0, .precise_ip = 2, .exclude_guest = 1 }, "cycles:ppH" },
		{ { .type = 0, .exclude_kernel = 1, .exclude_hv = 1, .precise_ip = 3, .exclude_host = 1 }, "cycles:upppG" },
		{ { .type = 1, .config = 3, .exclude_guest = 1 }, "context-switches" },
		{ { .type = 1, .config = 10, .exclude_guest = 1 }, "bpf-output" },
		{ { .type = 1, .config = 99, .exclude_guest = 1 }, "unknown-software" },
		{ { .type = 1, .config = 0x100000000, .exclude_guest = 1 }, "unknown-software" },
		{ { .type = 3, .config = 0x10000, .exclude_guest = 1 }, "L1-dcache-load-misses" },
		{ { .type = 3, .config = 0x200, .exclude_guest = 1 }, "L1-dcache-prefetches" },
		{ { .type = 3, .config = 0x103, .exclude_guest = 1 }, "dTLB-stores" },
		{ { .type = 3, .config = 0x101, .exclude_guest = 1 }, "invalid-cache" },
		{ { .type = 3, .config = 7, .exclude_guest = 1 }, "unknown-ext-hardware-cache-type" },
		{ { .type = 3, .config = 0x300, .exclude_guest = 1 }, "unknown-ext-hardware-cache-op" },
		{ { .type = 3, .config = 0x20000, .exclude_guest = 1 }, "unknown-ext-hardware-cache-result" },
		{ { .type = 4, .config = 0x1a8, .exclude_guest = 1 }, "raw 0x1a8" },
		{ { .type = 4, .config = 0, .exclude_guest = 1 }, "raw 0x0" },
		{ { .type = 2, .config = 77, .exclude_guest = 1 }, "unknown tracepoint" },
		{ { .type = 5, .bp_type = 3, .bp_addr = 0xdeadbeef, .exclude_guest = 1 }, "mem:0xdeadbeef:rw" },
		{ { .type = 5, .bp_type = 4, .bp_addr = 0x10 }, "mem:0x10:x:HG" },
		{ { .type = 55, .config = 3 }, "unknown attr type: 55" },
	};
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(attr__name(&cases[i].attr, buf, sizeof(buf)), cases[i].name);
}

static void names_are_cut_to_the_buffer(void **state)
{
	const struct perf_event_attr attr = { .type = 1, .config = 3, .exclude_user = 1 };
	char buf[24];

	for (size_t size = 1; size <= sizeof(buf); size++) {
		memset(buf, '#', sizeof(buf));
		attr__name(&attr, buf, size);
		assert_int_equal(strlen(buf), size - 1 < 19 ? size - 1 : 19);
		assert_memory_equal(buf, "context-switches:kh", strlen(buf));
	}
}

static void prints_as(const struct perf_event_attr *attr, const char *text)
{
	char *out;
	size_t size;
	FILE *fp = open_memstream(&out, &size);

	assert_non_null(fp);
	attr__fprintf(fp, attr, "sched:sched_switch");
	assert_int_equal(fclose(fp), 0);
	assert_string_equal(out, text);
	free(out);
}

static void fields(void **state)
{
	struct perf_event_attr attr = { .type = 1, .size = 128, .sample_period = 4000, .sample_type = 0x107, .read_format = 0x14 };
	struct perf_event_attr zero = { 0 };

	attr.disabled = attr.inherit = attr.mmap = attr.comm = attr.freq = attr.enable_on_exec = attr.task = 1;
	attr.sample_id_all = attr.exclude_guest = attr.mmap2 = attr.comm_exec = attr.ksymbol = attr.bpf_event = 1;
	prints_as(&attr, "type: 1 (PERF_TYPE_SOFTWARE), size: 128, config: 0 (PERF_COUNT_SW_CPU_CLOCK), { sample_period, sample_freq }: 4000, sample_type: IP|TID|TIME|PERIOD, "
		  "read_format: ID|LOST, disabled: 1, inherit: 1, mmap: 1, comm: 1, freq: 1, enable_on_exec: 1, task: 1, "
		  "sample_id_all: 1, exclude_guest: 1, mmap2: 1, comm_exec: 1, ksymbol: 1, bpf_event: 1");
	prints_as(&zero, "type: 0 (PERF_TYPE_HARDWARE), config: 0 (PERF_COUNT_HW_CPU_CYCLES)");
}

static void rare_fields(void **state)
{
	struct perf_event_attr attr = { .size = 128, .config = 0x1a8, .sample_type = 1ull << 40 | 1, .precise_ip = 3,
					.wakeup_events = 7, .bp_type = 3, .config1 = 5, .config2 = 6, .branch_sample_type = 9,
					.sample_regs_user = 0xff, .sample_stack_user = 8192, .clockid = -1,
					.sample_regs_intr = 0xf, .aux_watermark = 9, .sample_max_stack = 127,
					.aux_sample_size = 77, .sig_data = 5 };

	prints_as(&attr, "type: 0 (PERF_TYPE_HARDWARE), size: 128, config: 0x1a8, sample_type: IP|0x10000000000, precise_ip: 3, "
		  "{ wakeup_events, wakeup_watermark }: 7, bp_type: 3, { bp_addr, config1 }: 0x5, { bp_len, config2 }: 0x6, "
		  "branch_sample_type: USER|ANY, sample_regs_user: 0xff, sample_stack_user: 8192, clockid: -1, "
		  "sample_regs_intr: 0xf, aux_watermark: 9, sample_max_stack: 127, aux_sample_size: 77, sig_data: 5");
}

static void names_of_configs(void **state)
{
	static const struct {
		struct perf_event_attr attr;
		const char *text;
	} cases[] = {
		{ { .type = PERF_TYPE_HARDWARE, .config = 5ull << 32 | 1 },
		  "type: 0 (PERF_TYPE_HARDWARE), config: 0x500000001 (PERF_COUNT_HW_INSTRUCTIONS)" },
		{ { .type = PERF_TYPE_TRACEPOINT, .config = 0x174 }, "type: 2 (PERF_TYPE_TRACEPOINT), config: 0x174 (sched:sched_switch)" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0x10000 }, "type: 3 (PERF_TYPE_HW_CACHE), config: 0x10000 (L1-dcache-load-misses)" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0xff }, "type: 3 (PERF_TYPE_HW_CACHE), config: 0xff" },
		{ { .type = PERF_TYPE_RAW, .config = 0xc0 }, "type: 4 (PERF_TYPE_RAW), config: 0xc0" },
		{ { .type = 55, .config = 3 }, "type: 55, config: 0x3" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		prints_as(&cases[i].attr, cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(names_are_cut_to_the_buffer),
		cmocka_unit_test(fields),
		cmocka_unit_test(rare_fields),
		cmocka_unit_test(names_of_configs),
	};

	return cmocka_run_group_tests_name("event/attr", tests, NULL, NULL);
}

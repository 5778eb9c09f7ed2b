// SPDX-License-Identifier: GPL-2.0
/* Frames of BPF programs on top of stacks, by a kallsyms file that the test writes. */
#include "util/source/bpf-frames.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LEADING(frames, ...)									\
	({											\
		const u64 ips_[] = { __VA_ARGS__ };						\
												\
		bpf_frames__leading(frames, ips_, ARRAY_SIZE(ips_));				\
	})

static int load(const char *text, struct bpf_frames **frames, struct errmsg *err)
{
	char path[] = "/tmp/perf-test.XXXXXX";
	int fd = mkstemp(path), ret;
	FILE *fp = fdopen(fd, "w");

	assert_non_null(fp);
	fputs(text, fp);
	fclose(fp);
	ret = bpf_frames__new(path, frames, err);
	unlink(path);
	return ret;
}

static void leading_frames_are_counted(void **state)
{
	struct bpf_frames *frames = NULL;
	struct errmsg err = { "" };

	/* Programs stand behind the core kernel, below it or above, and in no order. */
	assert_int_equal(load("ffffffff81000000 T _text\n"
			      "ffffffff81001000 t __schedule\n"
			      "ffffffff81002000 t __bpf_trace_sched_switch\n"
			      "ffffffff81002100 T __traceiter_sched_switch\n"
			      "ffffffff81002200 T schedule\n"
			      "ffffffff81002300 T bpf_get_stack_raw_tp\n"
			      "ffffffff81002300 D same_place\n"
			      "ffffffff81002400 T schedule_timeout\n"
			      "ffffffffc0001000 t bpf_prog_1234_sched_switch\t[bpf]\n"
			      "ffffffffc0001200 t helper\t[module]\n"
			      "ffffffffc0000000 t bpf_trampoline_77\t[bpf]\n", &frames, &err), 0);
	assert_int_equal(LEADING(frames, 0xffffffffc0001010, 0xffffffff81002010, 0xffffffff81001010, 0xffffffff81002210), 2);
	assert_int_equal(LEADING(frames, 0xffffffff81002301, 0xffffffffc00011ff, 0xffffffffc0000000, 0xffffffff81002100,
				 0xffffffff81002400), 4);
	assert_int_equal(LEADING(frames, 0xffffffffc0001200, 0xffffffffc0001010), 0);
	/* only at the beginning; and a stack may have nothing else */
	assert_int_equal(LEADING(frames, 0xffffffff81001000, 0xffffffff81002010), 0);
	assert_int_equal(LEADING(frames, 0xffffffff81002000, 0xffffffff810020ff), 2);
	assert_int_equal(LEADING(frames, 0), 0);
	assert_int_equal(LEADING(frames, UINT64_MAX), 0);
	assert_int_equal(bpf_frames__leading(frames, NULL, 0), 0);
	bpf_frames__delete(frames);
}

static void nothing_is_known(void **state)
{
	struct bpf_frames *frames = NULL;
	struct errmsg err = { "" };

	assert_int_equal(load("0000000000000000 T _text\n0000000000000000 T _stext\n0000000000000000 t bpf_prog_1\t[bpf]\n", &frames,
			      &err), -EPERM);
	assert_null(frames);
	assert_true(err.text[0]);
	assert_int_equal(LEADING(NULL, 0xffffffff81002010), 0);
	bpf_frames__delete(NULL);
	assert_int_equal(load("ffffffff81000000 T _text\n", &frames, &err), 0);
	assert_int_equal(LEADING(frames, 0xffffffff81000000), 0);
	bpf_frames__delete(frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leading_frames_are_counted),
		cmocka_unit_test(nothing_is_known),
	};

	return cmocka_run_group_tests_name("bpf-frames", tests, NULL, NULL);
}

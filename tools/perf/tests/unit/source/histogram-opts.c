// SPDX-License-Identifier: GPL-2.0
/* The texts of --hist and --latency. What they mean for a tracepoint needs tracefs, so tests/cmd/histograms.sh has that. */
#include "util/source/histogram-opts.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/bpf_skel/filter.h"

static void assert_number(const char *text, const char *name, enum histogram_kind kind, u64 step)
{
	struct histogram_opts opts = { 0 };
	struct errmsg err = { "" };

	if (histogram_opts__parse_number(&opts, text, &err))
		fail_msg("%s: %s", text, err.text);
	assert_string_equal(opts.number, name);
	assert_int_equal(opts.kind, kind);
	assert_int_equal(opts.step, step);
	histogram_opts__exit(&opts);
}

static void assert_no_number(const char *text, const char *message)
{
	struct histogram_opts opts = { 0 };
	struct errmsg err = { "" };

	assert_int_equal(histogram_opts__parse_number(&opts, text, &err), -EINVAL);
	if (!strstr(err.text, message))
		fail_msg("%s: %s: wants: %s", text, err.text, message);
	histogram_opts__exit(&opts);
}

static void numbers_have_a_kind_of_buckets(void **state)
{
	assert_number("count", "count", HISTOGRAM_LOG2, 1);
	assert_number("count:log2", "count", HISTOGRAM_LOG2, 1);
	assert_number("count:linear", "count", HISTOGRAM_LINEAR, 1);
	assert_number("count:linear,4K", "count", HISTOGRAM_LINEAR, 4096);
	assert_number("period:linear,1ms", "period", HISTOGRAM_LINEAR, 1000000);
	assert_no_number("", "a histogram is of one number");
	assert_no_number(":log2", "a histogram is of one number");
	assert_no_number("count:", "log2 or linear,STEP, as in count:linear,100: not \"\"");
	assert_no_number("count:log", "log2 or linear,STEP, as in count:linear,100: not \"log\"");
	assert_no_number("count:log2,5", "log2 or linear,STEP");
	assert_no_number("count:linear5", "log2 or linear,STEP");
	assert_no_number("count:linear,", "1 or more");
	assert_no_number("count:linear,0", "1 or more");
	assert_no_number("count:linear,-5", "1 or more");
	assert_no_number("count:linear,99999999999999999999", "1 or more");
}

static void assert_no_latency(const char *text, const char *message)
{
	struct histogram_opts opts = { 0 };
	struct errmsg err = { "" };
	char *start = NULL;

	assert_int_equal(histogram_opts__parse_latency(&opts, text, &start, &err), -EINVAL);
	if (!strstr(err.text, message))
		fail_msg("%s: %s: wants: %s", text, err.text, message);
	free(start);
	histogram_opts__exit(&opts);
}

static void times_need_two_tracepoints(void **state)
{
	assert_no_latency("", "EVENT,EVENT[:KEY]");
	assert_no_latency("a:b", "from one tracepoint to another");
	assert_no_latency("a:b,", "between two tracepoints");
	assert_no_latency("a:b,cycles", "between two tracepoints");
}

static void terms_of_samples_become_numbers(void **state)
{
	struct evsel evsel = { .name = (char *)"cpu-clock", .attr = { .sample_type = PERF_SAMPLE_TIME } };
	struct histogram_config config;
	struct histogram_opts opts = { 0 };
	struct errmsg err = { "" };

	assert_int_equal(histogram_opts__parse_number(&opts, "addr:linear,4K", &err), 0);
	assert_int_equal(histogram_opts__configure(&opts, &evsel, &config, &err), 0);
	assert_int_equal(evsel.attr.sample_type, PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR);
	assert_int_equal(config.number.term, FILTER_TERM_ADDR);
	assert_int_equal(config.kind, HISTOGRAM_LINEAR);
	assert_int_equal(config.step, 4096);
	assert_false(config.is_signed);
	histogram_opts__exit(&opts);
	assert_int_equal(histogram_opts__parse_number(&opts, "nice", &err), 0);
	assert_int_equal(histogram_opts__configure(&opts, &evsel, &config, &err), 0);
	assert_true(config.is_signed); /* it is kept without a sign */
	histogram_opts__exit(&opts);
	assert_int_equal(histogram_opts__parse_number(&opts, "comm", &err), 0);
	assert_int_equal(histogram_opts__configure(&opts, &evsel, &config, &err), -EINVAL);
	assert_ptr_equal(strstr(err.text, "cpu-clock: --hist: 'comm' is no number"), err.text);
	histogram_opts__exit(&opts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_a_kind_of_buckets),
		cmocka_unit_test(times_need_two_tracepoints),
		cmocka_unit_test(terms_of_samples_become_numbers),
	};

	return cmocka_run_group_tests_name("histogram-opts", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* Names as numbers to be read: what a histogram takes. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "util/bpf_skel/histogram.bpf.h"
#include "util/filter/filter.h"

static const struct {
	const char *name;
	struct filter_field_desc desc;
} fields[] = {
	{ "byte", { .offset = 13, .size = 1, .kind = FILTER_FIELD_NUMBER } },
	{ "sint", { .offset = 20, .size = 4, .kind = FILTER_FIELD_NUMBER, .is_signed = true } },
	{ "slong", { .offset = 32, .size = 8, .kind = FILTER_FIELD_NUMBER, .is_signed = true } },
	{ "name", { .offset = 48, .size = 16, .kind = FILTER_FIELD_CHARS } },
	{ "path", { .offset = 8, .size = 4, .kind = FILTER_FIELD_DATA_LOC } },
	{ "args", { .offset = 64, .size = 48, .kind = FILTER_FIELD_OTHER } },
	{ "behind", { .offset = 512, .size = 4, .kind = FILTER_FIELD_NUMBER } },
	{ "pid", { .offset = 24, .size = 4, .kind = FILTER_FIELD_NUMBER, .is_signed = true } },
};

static int find_field(void *data, const char *name, struct filter_field_desc *desc)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!strcmp(name, fields[i].name)) {
			*desc = fields[i].desc;
			return 0;
		}
	}
	return -ENOENT;
}

static int for_each_field(void *data, int (*cb)(void *arg, const char *name), void *arg)
{
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fields) && !ret; i++)
		ret = cb(arg, fields[i].name);
	return ret;
}

static const struct filter_env env = { .find_field = find_field, .for_each_field = for_each_field };

static struct histogram_number find(const char *text, const struct filter_env *e, u64 *sample_type)
{
	struct histogram_number number;
	struct errmsg err = { "" };

	if (filter__find_number("--hist", text, e, &number, sample_type, &err))
		fail_msg("%s", err.text);
	return number;
}

/* The value of a field in a record whose bytes are 0x80, 0x81, ... */
static u64 read_field(const char *name)
{
	u64 record[FILTER_RECORD_WORDS], sample_type;
	const struct histogram_number number = find(name, &env, &sample_type);

	for (size_t i = 0; i < sizeof(record); i++)
		((u8 *)record)[i] = 0x80 + i;
	assert_int_equal(sample_type, PERF_SAMPLE_RAW);
	assert_true(histogram_number__record_len(&number) <= sizeof(record));
	return histogram_number__read(&number, record[number.term - FILTER_TERM_RECORD]);
}

static void fields_are_parts_of_words(void **state)
{
	assert_int_equal(read_field("byte"), 0x8d);
	assert_true(read_field("sint") == 0xffffffff97969594ULL);
	assert_true(read_field("slong") == 0xa7a6a5a4a3a2a1a0ULL);
	assert_true(read_field(" pid ") == 0xffffffff9b9a9998ULL); /* the field, not the term */
}

static void records_are_read_up_to_the_field(void **state)
{
	u64 sample_type;
	struct histogram_number number = find("byte", &env, &sample_type);

	assert_int_equal(histogram_number__record_len(&number), 16);
	number = find("slong", &env, &sample_type);
	assert_int_equal(histogram_number__record_len(&number), 40);
	number = find("tid", &env, &sample_type);
	assert_int_equal(histogram_number__record_len(&number), 0);
}

static void terms_ask_for_their_part_of_the_sample(void **state)
{
	u64 sample_type;
	struct histogram_number number = find("period", NULL, &sample_type);

	assert_int_equal(number.term, FILTER_TERM_PERIOD);
	assert_int_equal(number.bits, 64);
	assert_int_equal(sample_type, PERF_SAMPLE_PERIOD);
	number = find("addr", NULL, &sample_type);
	assert_int_equal(sample_type, PERF_SAMPLE_ADDR);
	number = find("weight3", NULL, &sample_type);
	assert_int_equal(histogram_number__read(&number, 0x1234567890abcdefULL), 0x1234);
	number = find("weight2", NULL, &sample_type);
	assert_int_equal(histogram_number__read(&number, 0x1234567890abcdefULL), 0x5678);
	number = find("nice", NULL, &sample_type);
	assert_true((s64)histogram_number__read(&number, 0) == -20);
	number = find("prio", NULL, &sample_type);
	assert_int_equal(histogram_number__read(&number, 121), 120);
}

static void assert_refused(const char *text, const struct filter_env *e, const char *message)
{
	struct errmsg err = { "" };
	struct histogram_number number;
	u64 sample_type;

	assert_int_equal(filter__find_number("--hist", text, e, &number, &sample_type, &err), -EINVAL);
	if (strncmp(err.text, "--hist: ", 8) || !strstr(err.text, message))
		fail_msg("%s: wants: %s", err.text, message);
}

static void what_is_no_number_is_refused(void **state)
{
	assert_refused("comm", NULL, "'comm' is no number here: it is a text; --key comm");
	assert_refused("time", NULL, "it is different in each sample");
	assert_refused("sym", NULL, "a place in code");
	assert_refused("dso", NULL, "a place in code");
	assert_refused("mode", NULL, "it is a test, or has names for values");
	assert_refused("rand", NULL, "it is a test");
	assert_refused("every", NULL, "it is a test");
	assert_refused("idle", NULL, "it is a test");
	assert_refused("mem_op", NULL, "names for values");
	assert_refused("tdi", NULL, "did you mean 'tid'?");
	assert_refused("name", &env, "'name' is no number here: it is a text");
	assert_refused("path", &env, "it is a text");
	assert_refused("args", &env, "'args'");
	assert_refused("behind", &env, "'behind'");
	assert_refused("ip", &env, "'ip' is a term that a tracepoint does not have");
	assert_refused("period > 5", NULL, "without a comparison");
	assert_refused("period, addr", NULL, "without a comparison");
	assert_refused("!period", NULL, "without a comparison");
	assert_refused("period addr", NULL, "without a comparison");
	assert_refused("period )", NULL, "expected an operator");
}

static void amounts(void **state)
{
	u64 value = 0;

	assert_true(filter__parse_amount("100", &value) && value == 100);
	assert_true(filter__parse_amount("0x10", &value) && value == 16);
	assert_true(filter__parse_amount("4K", &value) && value == 4096);
	assert_true(filter__parse_amount("1.5ms", &value) && value == 1500000);
	assert_true(filter__parse_amount("18446744073709551615", &value) && value == UINT64_MAX);
	assert_false(filter__parse_amount("18446744073709551616", &value));
	assert_false(filter__parse_amount("", &value));
	assert_false(filter__parse_amount("-1", &value));
	assert_false(filter__parse_amount("1.5K", &value));
	assert_false(filter__parse_amount("5x", &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_parts_of_words),
		cmocka_unit_test(records_are_read_up_to_the_field),
		cmocka_unit_test(terms_ask_for_their_part_of_the_sample),
		cmocka_unit_test(what_is_no_number_is_refused),
		cmocka_unit_test(amounts),
	};

	return cmocka_run_group_tests_name("number-term", tests, NULL, NULL);
}

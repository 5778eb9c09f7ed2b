// SPDX-License-Identifier: GPL-2.0
/* Histograms of values: the arithmetic of the programs that count, beside what is shown of it. */
#include "ui/tally/histogram.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <yajl/yajl_tree.h>

#include "ui/tally/heat-map.h"
#include "ui/tally/bars.h"
#include "ui/tally/histogram-output.h"
#include "util/bpf_skel/histogram.bpf.h"

static char *text;
static size_t size;

static FILE *open_text(void)
{
	FILE *fp = open_memstream(&text, &size);

	assert_non_null(fp);
	return fp;
}

/* Buckets */

static wide widen(const struct histogram_config *config, u64 value)
{
	return config->is_signed ? (wide)(s64)value : (wide)value;
}

static void assert_in_its_range(const struct histogram_config *config, u64 value)
{
	const s32 bucket = histogram__bucket(config, value);
	const struct histogram_range range = histogram_range(config, bucket);
	const wide v = widen(config, value);

	if (v < range.low || v > range.high)
		fail_msg("%" PRIx64 " is outside of bucket %d (kind %u, step %llu, signed %u)", value, bucket, config->kind, config->step,
			 config->is_signed);
}

static void values_are_in_the_range_of_their_bucket(void **state)
{
	static const u64 steps[] = { 1, 2, 3, 10, 1000, 1000000, 1ULL << 32, 1ULL << 63, UINT64_MAX };
	u64 value = 88172645463325252ULL;

	for (u32 i = 0; i < 40000; i++) {
		struct histogram_config config = { .kind = 1 + i % 2, .is_signed = i / 2 % 2 };

		config.step = steps[i / 4 % ARRAY_SIZE(steps)];
		if (config.is_signed && config.kind == HISTOGRAM_LOG2)
			config.step = 1; /* others are for times only */
		value ^= value << 13;
		value ^= value >> 7;
		value ^= value << 17;
		assert_in_its_range(&config, value >> i % 64);
		assert_in_its_range(&config, -(value >> i % 64));
		assert_in_its_range(&config, i);
		assert_in_its_range(&config, 0);
		assert_in_its_range(&config, 1ULL << 63);
		assert_in_its_range(&config, UINT64_MAX);
	}
}

static void assert_range(u32 kind, u64 step, bool is_signed, u64 value, const char *want)
{
	const struct histogram_config config = { .kind = kind, .step = step, .is_signed = is_signed };
	char got[2 * WIDE_SIZE + 8];

	assert_string_equal(histogram_range__text(&config, histogram__bucket(&config, value), got, sizeof(got)), want);
}

static void ranges_have_texts(void **state)
{
	assert_range(HISTOGRAM_LOG2, 1, false, 0, "0");
	assert_range(HISTOGRAM_LOG2, 1, false, 1, "1");
	assert_range(HISTOGRAM_LOG2, 1, false, 3, "2 -> 3");
	assert_range(HISTOGRAM_LOG2, 1, false, 512, "512 -> 1023");
	assert_range(HISTOGRAM_LOG2, 1, false, UINT64_MAX, "9223372036854775808 -> 18446744073709551615");
	assert_range(HISTOGRAM_LOG2, 1, true, -1, "-1");
	assert_range(HISTOGRAM_LOG2, 1, true, -9, "-15 -> -8");
	assert_range(HISTOGRAM_LOG2, 1, true, 1ULL << 63, "-9223372036854775808");
	assert_range(HISTOGRAM_LOG2, 1000, false, 999, "0"); /* in steps */
	assert_range(HISTOGRAM_LOG2, 1000, false, 1000, "1");
	assert_range(HISTOGRAM_LOG2, 1000, false, 5000, "4 -> 7");
	assert_range(HISTOGRAM_LINEAR, 1, false, 7, "7");
	assert_range(HISTOGRAM_LINEAR, 100, false, 299, "200 -> 299");
	assert_range(HISTOGRAM_LINEAR, 10, true, -1, "-10 -> -1");
	assert_range(HISTOGRAM_LINEAR, 10, true, -11, "-20 -> -11");
	assert_range(HISTOGRAM_LINEAR, 10, true, 0, "0 -> 9");
	assert_range(HISTOGRAM_LINEAR, 10, false, 10239, "10230 -> 10239");
	assert_range(HISTOGRAM_LINEAR, 10, false, 10240, ">= 10240");
	assert_range(HISTOGRAM_LINEAR, 10, true, -10240, "-10240 -> -10231");
	assert_range(HISTOGRAM_LINEAR, 10, true, -10241, "< -10240");
}

static void ranks_are_in_the_order_of_values(void **state)
{
	const struct histogram_config s = { .is_signed = 1 }, u = { 0 };

	assert_true(histogram__rank(&s, -1) < histogram__rank(&s, 0));
	assert_true(histogram__rank(&s, 1ULL << 63) < histogram__rank(&s, -1));
	assert_true(histogram__rank(&s, 5) < histogram__rank(&s, INT64_MAX));
	assert_true(histogram__rank(&u, INT64_MAX) < histogram__rank(&u, 1ULL << 63));
}

/* Rows as the kernel counts them */

static struct tally_row row_of(const struct histogram_config *config, u32 pid, u64 value, u64 count)
{
	return (struct tally_row){
		.pid = pid,
		.histogram = config,
		.bucket = histogram__bucket(config, value),
		.count = count,
		.period = value * count,
		.least = value,
		.greatest = value,
	};
}

static void add(struct histograms *hists, const struct histogram_config *config, u32 pid, u64 value, u64 count)
{
	const struct tally_row row = row_of(config, pid, value, count);

	assert_int_equal(histograms__add(hists, &row), 0);
}

static void rows_become_histograms_by_key(void **state)
{
	const struct histogram_config config = { .kind = HISTOGRAM_LOG2, .step = 1, .is_signed = 1 };
	struct histograms *hists = histograms__new();
	const struct histogram *h;

	add(hists, &config, 1, 100, 2);
	add(hists, &config, 2, -5, 10);
	add(hists, &config, 1, 120, 1);
	add(hists, &config, 1, 0, 4);
	add(hists, &config, 3, 7, 0); /* nothing */
	histograms__sort(hists);
	h = histograms__get(hists, 0);
	assert_int_equal(h->who.pid, 2); /* the most first */
	assert_int_equal(h->count, 10);
	assert_true(h->sum_known && h->sum == -50 && h->least == -5 && h->greatest == -5);
	h = histograms__get(hists, 1);
	assert_int_equal(h->who.pid, 1);
	assert_int_equal(h->count, 7);
	assert_true(h->sum == 320 && h->least == 0 && h->greatest == 120);
	assert_int_equal(h->nr_bars, 2);
	assert_int_equal(h->bar[0].bucket, 0);
	assert_int_equal(h->bar[0].count, 4);
	assert_int_equal(h->bar[1].bucket, 7);
	assert_int_equal(h->bar[1].count, 3);
	assert_null(histograms__get(hists, 2));
	histograms__clear(hists);
	histograms__sort(hists);
	assert_null(histograms__get(hists, 0));
	histograms__delete(hists);
	histograms__delete(NULL);
}

/* The kernel's sums have 64 bits. */
static void sums_that_may_have_overflown_are_unknown(void **state)
{
	const struct histogram_config s = { .kind = HISTOGRAM_LOG2, .step = 1, .is_signed = 1 }, u = { .kind = HISTOGRAM_LOG2, .step = 1 };
	struct histograms *hists = histograms__new();

	add(hists, &u, 1, UINT64_MAX, 1);
	assert_true(histograms__get(hists, 0)->sum_known);
	add(hists, &u, 2, 1ULL << 62, 4);
	assert_false(histograms__get(hists, 1)->sum_known);
	histograms__clear(hists);
	add(hists, &s, 1, INT64_MIN, 1);
	assert_false(histograms__get(hists, 0)->sum_known);
	add(hists, &s, 2, -(1LL << 61), 3);
	assert_true(histograms__get(hists, 1)->sum_known);
	histograms__delete(hists);
}

/* Text */

static const char *const events[] = { "sys:begin" };

static void bars_are_as_long_as_counts_are_large(void **state)
{
	const struct histogram_config config = { .kind = HISTOGRAM_LINEAR, .step = 10 };
	const struct histogram_bars_opts opts = { .what = "bytes" };
	struct histograms *hists = histograms__new();
	FILE *fp = open_text();

	add(hists, &config, 1, 5, 2000);
	add(hists, &config, 1, 25, 1000);
	add(hists, &config, 1, 90, 1);
	add(hists, &config, 1, 20000, 500);
	histogram__print_summary(histograms__get(hists, 0), &opts, fp);
	fputc('\n', fp);
	histogram__print_bars(histograms__get(hists, 0), &config, &opts, fp);
	fclose(fp);
	assert_string_equal(text, "3501 values, total 10035090, min 5, max 20000, mean 2866.3\n"
				  "     bytes  count  distribution\n"
				  "    0 -> 9   2000  |****************************************|\n"
				  "  10 -> 19      0  |                                        |\n"
				  "  20 -> 29   1000  |********************                    |\n"
				  "       ...\n"
				  "  90 -> 99      1  |                                        |\n"
				  "  >= 10240    500  |**********                              |\n");
	free(text);
	histograms__delete(hists);
}

static void give(struct histogram_output *out, const struct histogram_config *config, u64 value, u64 count)
{
	struct tally_row row = row_of(config, 42, value, count);

	memcpy(row.comm, "sixteen letters!", 16);
	assert_int_equal(out->ops->row(out, 0, &row), 0);
}

static void text_has_a_part_for_each_round(void **state)
{
	const struct histogram_config config = { .kind = HISTOGRAM_LOG2, .step = 1 };
	const struct tally_counts counts = { 0 };
	struct histogram_output_opts opts = { .fp = open_text(), .event = events, .nr_events = 1, .number = "len", .interval = 100,
					 .key = TALLY_KEY_COMM | TALLY_KEY_PID };
	struct histogram_output *out = histogram_formats[HISTOGRAM_TEXT].new(&opts);
	char first[16], second[16];
	int end = 0;

	assert_non_null(out);
	give(out, &config, 1, 3);
	assert_int_equal(out->ops->round(out), 0);
	assert_int_equal(out->ops->round(out), 0);
	out->ops->finish(out, &counts);
	out->ops->delete(out);
	fclose(opts.fp);
	sscanf(text, "# %12[0-9:.]\nsys:begin  comm sixteen letters!  pid 42  3 values, total 3, min 1, max 1, mean 1.0\n"
		     " len  count  distribution\n 1      3  |****************************************|\n# %12[0-9:.]\n"
		     "nothing was counted\n%n", first, second, &end);
	if (!end)
		fail_msg("%s", text);
	free(text);
}

static void times_become_a_heat_map(void **state)
{
	const struct histogram_config config = { .kind = HISTOGRAM_LOG2, .step = 1000 };
	struct heat_map_opts opts = { .columns = 3, .interval = 50, .unit = "us", .fp = open_text() };
	struct heat_map *map = heat_map__new(&opts);

	assert_non_null(map);
	setenv("TZ", "UTC0", 1);
	tzset();
	heat_map__add(map, &config, 4, 100);
	heat_map__end_interval(map, 3600);
	heat_map__add(map, &config, 4, 10);
	heat_map__add(map, &config, 2, 1);
	heat_map__end_interval(map, 3600);
	heat_map__end_interval(map, 3601); /* full */
	heat_map__add(map, &config, 0, 1);
	heat_map__end_interval(map, 3602);
	heat_map__finish(map);
	heat_map__end_interval(map, 3603);
	heat_map__finish(map);
	heat_map__finish(map); /* nothing is left */
	heat_map__delete(map);
	fclose(opts.fp);
	assert_string_equal(text, "  8 -> 15 |@+ |\n"
				  "   4 -> 7 |   |\n"
				  "   2 -> 3 | . |\n"
				  "       us  01:00:00 01:00:01  (50 ms a column)\n"
				  "shades: . 1 + 8 @ 100\n"
				  "     0 |@|\n"
				  "    us  01:00:02  (50 ms a column)\n"
				  "shades: @ 1\n"
				  "nothing in 50 ms\n");
	free(text);
}

static void greys_of_a_terminal(void **state)
{
	const struct histogram_config config = { .kind = HISTOGRAM_LOG2, .step = 1 };
	struct heat_map_opts opts = { .columns = 2, .interval = 1, .shades = HEAT_GREYS, .rows = 24, .fp = open_text() };
	struct heat_map *map = heat_map__new(&opts);
	char *again;

	heat_map__add(map, &config, 1, 1);
	heat_map__end_interval(map, 0);
	heat_map__add(map, &config, 1, 1 << 20);
	heat_map__end_interval(map, 0);
	heat_map__delete(map);
	fclose(opts.fp);
	assert_ptr_equal(strstr(text, "     1 |\033[48;5;253m \033[0m|\n"), text); /* the only one, so the most */
	again = strstr(text, "\033[3A\r\033[J"); /* what stands there is drawn again */
	assert_non_null(again);
	assert_non_null(strstr(again, "     1 |\033[48;5;237m \033[0m\033[48;5;253m \033[0m|\n"));
	free(text);
}

/* JSON */

static yajl_val get(yajl_val in, const char *name)
{
	const char *path[] = { name, NULL };

	return yajl_tree_get(in, path, yajl_t_any);
}

static void json_tells_the_same(void **state)
{
	const struct histogram_config config = { .kind = HISTOGRAM_LOG2, .step = 1, .is_signed = 1 };
	const struct tally_counts counts = { .seen = 9, .dropped = 2, .missed = 3, .lost_keys = 1, .lost_spill = 1 };
	struct histogram_output_opts opts = { .fp = open_text(), .event = events, .nr_events = 1, .number = "ret", .interval = 100,
					 .key = TALLY_KEY_COMM | TALLY_KEY_PID };
	struct histogram_output *out = histogram_formats[HISTOGRAM_JSON].new(&opts);
	yajl_val root, round, hist, bucket, event;
	char err[256];

	assert_non_null(out);
	give(out, &config, -9, 3);
	give(out, &config, 8, 2);
	assert_int_equal(out->ops->round(out), 0);
	assert_int_equal(out->ops->round(out), 0);
	out->ops->finish(out, &counts);
	out->ops->delete(out);
	fclose(opts.fp);
	root = yajl_tree_parse(text, err, sizeof(err));
	if (!root)
		fail_msg("%s: %s", err, text);
	assert_string_equal(YAJL_GET_STRING(get(root, "number")), "ret");
	assert_int_equal(YAJL_GET_INTEGER(get(root, "interval_ms")), 100);
	assert_int_equal(YAJL_GET_ARRAY(get(root, "rounds"))->len, 2);
	round = YAJL_GET_ARRAY(get(root, "rounds"))->values[0];
	assert_true(YAJL_GET_DOUBLE(get(round, "time")) > 1e9);
	hist = YAJL_GET_ARRAY(get(round, "histograms"))->values[0];
	assert_string_equal(YAJL_GET_STRING(get(hist, "event")), "sys:begin");
	assert_string_equal(YAJL_GET_STRING(get(hist, "comm")), "sixteen letters!");
	assert_int_equal(YAJL_GET_INTEGER(get(hist, "pid")), 42);
	assert_int_equal(YAJL_GET_INTEGER(get(hist, "count")), 5);
	assert_int_equal(YAJL_GET_INTEGER(get(hist, "sum")), -11);
	assert_int_equal(YAJL_GET_INTEGER(get(hist, "min")), -9);
	assert_int_equal(YAJL_GET_INTEGER(get(hist, "max")), 8);
	bucket = YAJL_GET_ARRAY(get(hist, "buckets"))->values[0];
	assert_int_equal(YAJL_GET_INTEGER(get(bucket, "low")), -15);
	assert_int_equal(YAJL_GET_INTEGER(get(bucket, "high")), -8);
	assert_int_equal(YAJL_GET_INTEGER(get(bucket, "count")), 3);
	assert_int_equal(YAJL_GET_ARRAY(get(YAJL_GET_ARRAY(get(root, "rounds"))->values[1], "histograms"))->len, 0);
	event = YAJL_GET_ARRAY(get(root, "events"))->values[0];
	assert_int_equal(YAJL_GET_INTEGER(get(event, "seen")), 9);
	assert_int_equal(YAJL_GET_INTEGER(get(event, "lost")), 2);
	assert_null(get(event, "lone_ends"));
	yajl_tree_free(root);
	free(text);
}

static void json_is_whole_without_a_round(void **state)
{
	const struct tally_counts counts = { .open_starts = 5, .lone_ends = 6 };
	struct histogram_output_opts opts = { .fp = open_text(), .event = events, .nr_events = 1, .end = "sys:end", .unit = "us" };
	struct histogram_output *out = histogram_formats[HISTOGRAM_JSON].new(&opts);

	assert_non_null(out);
	out->ops->finish(out, &counts);
	out->ops->delete(out);
	fclose(opts.fp);
	assert_string_equal(text, "{\"unit\":\"ns\",\"rounds\":[],\"events\":[{\"from\":\"sys:begin\",\"to\":\"sys:end\",\"seen\":0,\"dropped\":0,"
				  "\"missed\":0,\"lost\":0,\"open_starts\":5,\"lone_ends\":6}]}\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_in_the_range_of_their_bucket),
		cmocka_unit_test(ranges_have_texts),
		cmocka_unit_test(ranks_are_in_the_order_of_values),
		cmocka_unit_test(rows_become_histograms_by_key),
		cmocka_unit_test(sums_that_may_have_overflown_are_unknown),
		cmocka_unit_test(bars_are_as_long_as_counts_are_large),
		cmocka_unit_test(text_has_a_part_for_each_round),
		cmocka_unit_test(times_become_a_heat_map),
		cmocka_unit_test(greys_of_a_terminal),
		cmocka_unit_test(json_tells_the_same),
		cmocka_unit_test(json_is_whole_without_a_round),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}

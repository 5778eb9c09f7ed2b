// SPDX-License-Identifier: GPL-2.0
#include "ui/tally/output.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/source/tally.h"

static struct dso lib = { .name = (char *)"/lib/a.so", .short_name = (char *)"a.so" };
static const struct symbol outer = { .start = 0x10, .end = 0x20, .name = "outer" };
static const struct symbol inner = { .start = 0x20, .end = 0x30, .name = "op;erator()" };
static struct thread task = { .pid = 5, .tid = 6, .comm = "my task" };
static struct session_event event = { .name = (char *)"ev" };

static char *text;
static size_t size;

static struct tally_output_opts opts_of(unsigned int key)
{
	return (struct tally_output_opts){ .fp = open_memstream(&text, &size), .key = key };
}

static void give(struct tally_output *out, const struct symbol *function, u64 count)
{
	struct location frame[] = { { .dso = &lib, .sym = function }, { .dso = &lib, .sym = &outer }, { .dso = &lib }, { 0 } };
	const struct callchain chain = { .frame = frame, .nr = ARRAY_SIZE(frame) };
	const u32 uid = 1000;
	struct perf_sample raw = { .sample_type = PERF_SAMPLE_CPU, .cpu = 3, .raw = &uid, .raw_size = sizeof(uid),
				   .period = 10 * count, .count = count };
	const struct session_sample sample = { .evsel = &event, .sample = &raw, .thread = &task, .loc = frame[0], .chain = &chain };

	assert_int_equal(out->ops->sample(out, &sample), 0);
}

static void add_up(enum folded_weight weight, const char *want)
{
	struct tally_output_opts opts = opts_of(0);
	struct tally_output *out;

	opts.weight = weight;
	out = tally_formats[TALLY_FOLDED].new(&opts, NULL);
	give(out, &inner, 3);
	give(out, &outer, 1);
	give(out, &inner, 4);
	out->ops->again(out, out->ops->last_place(out), 5, 45);
	out->ops->finish(out);
	fclose(opts.fp);
	assert_string_equal(text, want);
	out->ops->delete(out);
	free(text);
}

static void folded_lines_are_added_up(void **state)
{
	add_up(FOLDED_PERIODS, "my_task;[unknown];[a.so];outer;op:erator() 115\nmy_task;[unknown];[a.so];outer;outer 10\n");
	add_up(FOLDED_SAMPLES, "my_task;[unknown];[a.so];outer;op:erator() 12\nmy_task;[unknown];[a.so];outer;outer 1\n");
}

/* Whoever counts later, if at all, gives a sample of nothing first. */
static void folded_leaves_out_lines_of_nothing(void **state)
{
	struct tally_output_opts opts = opts_of(0);
	struct tally_output *out;

	opts.weight = FOLDED_PERIODS;
	out = tally_formats[TALLY_FOLDED].new(&opts, NULL);
	give(out, &inner, 0);
	out->ops->again(out, out->ops->last_place(out), 1, 7);
	give(out, &outer, 0);
	out->ops->finish(out);
	fclose(opts.fp);
	assert_string_equal(text, "my_task;[unknown];[a.so];outer;op:erator() 7\n");
	out->ops->delete(out);
	free(text);
}

static void folded_shows_other_keys_first(void **state)
{
	struct tally_output_opts opts = opts_of(TALLY_KEY_CPU | TALLY_KEY_UID | TALLY_KEY_COMM | TALLY_KEY_TID);
	struct tally_output *out;

	opts.many_events = true;
	out = tally_formats[TALLY_FOLDED].new(&opts, NULL);
	give(out, &outer, 2);
	out->ops->finish(out);
	fclose(opts.fp);
	assert_string_equal(text, "ev;cpu 3;uid 1000;my_task-5/6;[unknown];[a.so];outer;outer 20\n");
	out->ops->delete(out);
	free(text);
}

/* A round shows what came since the one before. */
static void top_begins_anew_each_round(void **state)
{
	struct tally_output_opts opts = opts_of(0);
	struct tally_output *out = tally_formats[TALLY_TOP].new(&opts, NULL);

	assert_non_null(out);
	give(out, &outer, 3);
	give(out, &inner, 1);
	assert_int_equal(out->ops->round(out), 0);
	fflush(opts.fp);
	assert_non_null(strstr(text, "  4 samples of ev\n"));
	assert_non_null(strstr(text, "75.00%             3  my task  a.so           [.] outer"));
	assert_non_null(strstr(text, "25.00%             1  my task  a.so           [.] op;erator()"));
	assert_null(strchr(text, '\033'));
	rewind(opts.fp);
	give(out, &outer, 2);
	assert_int_equal(out->ops->round(out), 0);
	fputc('\0', opts.fp);
	fflush(opts.fp);
	assert_non_null(strstr(text, "100.00%             2  my task  a.so           [.] outer"));
	rewind(opts.fp);
	assert_int_equal(out->ops->round(out), 0);
	fputc('\0', opts.fp);
	fflush(opts.fp);
	assert_non_null(strstr(text, "  no samples\n"));
	out->ops->delete(out);
	fclose(opts.fp);
	free(text);
}

static void top_refuses_what_it_cannot_show(void **state)
{
	struct tally_output_opts opts = opts_of(TALLY_KEY_UID);
	struct errmsg err;

	assert_null(tally_formats[TALLY_TOP].new(&opts, &err));
	assert_non_null(strstr(err.text, "--top has no column"));
	fclose(opts.fp);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_lines_are_added_up),
		cmocka_unit_test(folded_leaves_out_lines_of_nothing),
		cmocka_unit_test(folded_shows_other_keys_first),
		cmocka_unit_test(top_begins_anew_each_round),
		cmocka_unit_test(top_refuses_what_it_cannot_show),
	};

	return cmocka_run_group_tests_name("ui/tally/output", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* Which row of the table serves which event. Nothing is opened or loaded, so that it takes no privilege. */
#include "util/source/sources.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <string.h>
#include "util/source/histogram-opts.h"

static struct source *choose(struct source_wish wish)
{
	struct source *source;
	struct errmsg err = { "" };

	if (sources__choose(&wish, &source, &err))
		fail_msg("%s", err.text);
	assert_non_null(source);
	assert_ptr_equal(source->evsel, wish.evsel);
	return source;
}

static struct evsel *clock_event(const char *filter)
{
	struct evsel *evsel = evsel__new(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);

	assert_non_null(evsel);
	if (filter)
		assert_int_equal(evsel__add_filter(evsel, "filter", filter, NULL), 0);
	return evsel;
}

static void the_kernel_takes_what_is_left(void **state)
{
	struct evsel *plain = clock_event(NULL), *filtered = clock_event("cpu == 0");
	struct source *source = choose((struct source_wish){ .evsel = plain }), *judged = choose((struct source_wish){ .evsel = filtered });

	assert_string_equal(source->ops->name, "kernel");
	assert_false(source->ops->stand_in || source->has_program || source->tallied);
	assert_string_equal(judged->ops->name, "kernel");
	assert_true(judged->has_program);
	assert_true(filtered->attr.sample_type & PERF_SAMPLE_CPU); /* as the filter asks for it */
	source__delete(source);
	source__delete(judged);
	evsel__delete(plain);
	evsel__delete(filtered);
}

static void equal_filters_are_shared(void **state)
{
	struct evsel *a = clock_event("cpu == 0"), *b = clock_event("cpu == 0"), *other = clock_event("cpu == 1");
	struct source *first = choose((struct source_wish){ .evsel = a }), *second = choose((struct source_wish){ .evsel = b });
	struct source *third = choose((struct source_wish){ .evsel = other });

	assert_true(second->ops->share(second, first));
	assert_false(third->ops->share(third, first));
	source__delete(third);
	source__delete(second);
	source__delete(first);
	evsel__delete(a);
	evsel__delete(b);
	evsel__delete(other);
}

static void tally_takes_what_is_counted(void **state)
{
	static const struct tally_opts key = { .key = TALLY_KEY_PID | TALLY_KEY_KSTACK }, stackless = { .key = TALLY_KEY_CPU };
	struct evsel *evsel = clock_event("cpu == 0, pid > 1");
	struct source *source = choose((struct source_wish){ .evsel = evsel, .tally = &key });

	assert_string_equal(source->ops->name, "tally");
	assert_true(source->tallied && source->has_program && source->takes_stacks);
	assert_false(source->ops->stand_in);
	assert_int_equal(source->tally.key, key.key);
	assert_null(source->tally.histogram);
	source__delete(source);
	source = choose((struct source_wish){ .evsel = evsel, .tally = &stackless });
	assert_false(source->takes_stacks);
	source__delete(source);
	evsel__delete(evsel);
}

static void tally_takes_histograms_of_samples(void **state)
{
	static const struct tally_opts key = { .key = TALLY_KEY_PID };
	char number[] = "period", wrong[] = "nothing";
	const struct histogram_opts of_period = { .number = number, .kind = HISTOGRAM_LOG2 };
	const struct histogram_opts of_nothing = { .number = wrong, .kind = HISTOGRAM_LOG2 };
	struct evsel *evsel = clock_event(NULL);
	struct source_wish wish = { .evsel = evsel, .tally = &key, .histogram = &of_nothing };
	struct source *source = choose((struct source_wish){ .evsel = evsel, .tally = &key, .histogram = &of_period });
	struct errmsg err = { "" };

	assert_string_equal(source->ops->name, "tally");
	assert_ptr_equal(source->tally.histogram, &source->histogram);
	source__delete(source);
	assert_int_equal(sources__choose(&wish, &source, &err), -EINVAL);
	assert_null(source);
	assert_non_null(strstr(err.text, "nothing"));
	evsel__delete(evsel);
}

static void a_wrong_filter_has_no_source(void **state)
{
	struct evsel *evsel = clock_event("tid == 1");
	struct source_wish wish = { .evsel = evsel };
	struct errmsg err = { "" };
	struct source *source;

	assert_int_equal(evsel__add_filter(evsel, "-u", "uid = 1", NULL), 0);
	assert_int_equal(sources__choose(&wish, &source, &err), -EINVAL);
	assert_null(source);
	assert_int_equal(strncmp(err.text, "-u: ", 4), 0);
	evsel__delete(evsel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_takes_what_is_left),
		cmocka_unit_test(equal_filters_are_shared),
		cmocka_unit_test(tally_takes_what_is_counted),
		cmocka_unit_test(tally_takes_histograms_of_samples),
		cmocka_unit_test(a_wrong_filter_has_no_source),
	};

	return cmocka_run_group_tests_name("source/sources", tests, NULL, NULL);
}

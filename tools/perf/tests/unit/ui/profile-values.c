// SPDX-License-Identifier: GPL-2.0
/* Profiles for others, read back: values, units, times and labels. */
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/unit/hist/fixture.h"
#include "ui/profile/otlp.pb-c.h"  /* generated, as the next ones */
#include "ui/profile/pprof.pb-c.h"
#include "ui/profile/push.pb-c.h"
#include "ui/profile/receivers.h"

#define SECOND 1000000000ULL
#define ROOM (1 << 20)

static struct stack_trees *trees;
static struct profile_event events[2];
static struct profile profile;
static u8 unpacked[ROOM];

static void add(u32 event, char function, u64 period, u64 nr)
{
	struct stack_tree *tree = stack_trees__at(trees, event);
	struct location loc = fixture_location(function);
	struct stack_node *under = stack_tree__add_label(tree, NULL, "pid=77");

	assert_non_null(stack_tree__add_below(tree, under, "task", NULL, &loc, period, nr));
}

/* 2 and 4 samples of a clock, and one of an event, in 2.5 s */
static int begin(void **state)
{
	trees = stack_trees__new(2);
	add(0, 'a', 20, 2);
	add(0, 'b', 100, 4);
	add(1, 'a', 14, 2);
	stack_trees__sort(trees);
	events[0] = (struct profile_event){ .name = "cpu-clock", .stacks = stack_trees__at(trees, 0), .nr_samples = 6, .total_period = 120 };
	events[1] = (struct profile_event){ .name = "faults", .stacks = stack_trees__at(trees, 1), .nr_samples = 2, .total_period = 14 };
	profile = (struct profile){
		.event = events, .nr_events = 2, .time_first = 5 * SECOND, .time_last = 7 * SECOND + SECOND / 2, .wall_clock = 1000 * SECOND,
	};
	return 0;
}

/* For receivers, which have names of their own */
static int begin_push(void **state)
{
	static const struct profile_label label = { "service_name", "x{y}" };
	int ret = begin(state);

	events[0].type = (char *)"cpu";
	events[1].type = (char *)"faults";
	profile.label = &label;
	profile.nr_labels = 1;
	return ret;
}

static int end(void **state)
{
	stack_trees__delete(trees);
	return 0;
}

static size_t unpack(const void *data, size_t size)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	size_t has = 0;

	assert_int_equal(libdeflate_gzip_decompress(d, data, size, unpacked, ROOM, &has), LIBDEFLATE_SUCCESS);
	libdeflate_free_decompressor(d);
	return has;
}

static Perf__Pprof__Profile *read_pprof(const void *data, size_t size)
{
	Perf__Pprof__Profile *p = perf__pprof__profile__unpack(NULL, unpack(data, size), unpacked);

	assert_non_null(p);
	return p;
}

static void assert_type(const Perf__Pprof__Profile *p, const Perf__Pprof__ValueType *type, const char *name, const char *unit)
{
	assert_string_equal(p->string_table[type->type], name);
	assert_string_equal(p->string_table[type->unit], unit);
}

static void assert_values(const Perf__Pprof__Sample *sample, const s64 *values, size_t nr)
{
	assert_int_equal(sample->n_value, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(sample->value[i], values[i]);
}

/* Each sample has values of its own event only, and ids of processes are numbers. */
static void a_file_has_values_of_all_events(void **state)
{
	char *data;
	size_t size;
	FILE *fp = open_memstream(&data, &size);
	Perf__Pprof__Profile *p;

	assert_int_equal(profile__write_pprof(&profile, fp, NULL), 0);
	fclose(fp);
	p = read_pprof(data, size);
	assert_int_equal(p->n_sample_type, 4);
	assert_type(p, p->sample_type[0], "cpu-clock samples", "count");
	assert_type(p, p->sample_type[1], "cpu-clock", "nanoseconds");
	assert_type(p, p->sample_type[2], "faults samples", "count");
	assert_type(p, p->sample_type[3], "faults", "count");
	assert_string_equal(p->string_table[p->default_sample_type], "cpu-clock");
	assert_int_equal(p->time_nanos, 1000 * SECOND);
	assert_int_equal(p->duration_nanos, 5 * SECOND / 2);
	assert_type(p, p->period_type, "cpu-clock", "nanoseconds"); /* of the first */
	assert_int_equal(p->period, 20);
	assert_int_equal(p->n_sample, 3);
	assert_int_equal(p->sample[0]->value[0] + p->sample[1]->value[0], 6);
	assert_int_equal(p->sample[0]->value[1] + p->sample[1]->value[1], 120);
	for (u32 i = 0; i < 2; i++)
		assert_values(p->sample[i], p->sample[i]->value[0] == 2 ? (s64[]){ 2, 20, 0, 0 } : (s64[]){ 4, 100, 0, 0 }, 4);
	assert_values(p->sample[2], (s64[]){ 0, 0, 2, 14 }, 4);
	assert_int_equal(p->sample[2]->n_label, 2);
	assert_string_equal(p->string_table[p->sample[2]->label[0]->str], "task");
	assert_string_equal(p->string_table[p->sample[2]->label[1]->key], "pid");
	assert_int_equal(p->sample[2]->label[1]->num, 77);
	assert_int_equal(p->sample[2]->label[1]->str, 0);
	perf__pprof__profile__free_unpacked(p, NULL);
	free(data);
}

/* Pyroscope takes one event a profile. It knows a clock by the name of its profile, and labels as texts. */
static void pyroscope_gets_each_event_alone(void **state)
{
	struct profile_body body;
	Perf__Push__PushRequest *request;
	Perf__Pprof__Profile *p;

	assert_int_equal(profile__encode_push(&profile, &body, NULL), 0);
	request = perf__push__push_request__unpack(NULL, body.size, body.data);
	assert_non_null(request);
	assert_int_equal(request->n_series, 2);
	assert_string_equal(request->series[0]->labels[0]->value, "process_cpu");
	assert_string_equal(request->series[1]->labels[0]->value, "faults");
	assert_string_equal(request->series[0]->labels[1]->value, "x{y}");
	p = read_pprof(request->series[0]->samples[0]->raw_profile.data, request->series[0]->samples[0]->raw_profile.len);
	assert_int_equal(p->n_sample_type, 2);
	assert_type(p, p->sample_type[0], "samples", "count");
	assert_type(p, p->sample_type[1], "cpu", "nanoseconds");
	assert_type(p, p->period_type, "cpu", "nanoseconds");
	assert_int_equal(p->period, 20);
	assert_int_equal(p->n_sample, 2);
	assert_string_equal(p->string_table[p->sample[0]->label[1]->str], "77");
	perf__pprof__profile__free_unpacked(p, NULL);
	perf__push__push_request__free_unpacked(request, NULL);
	free(body.data);
	free(body.query);
}

/* Whole seconds, in which all of the profile is */
static void ingest_has_its_time_in_the_query(void **state)
{
	struct profile_body body;

	assert_int_equal(profile__encode_ingest(&profile, 1, &body, NULL), 0);
	assert_string_equal(body.query, "name=x_y_%7B%7D&from=1000&until=1003&format=pprof&spyName=perf");
	free(body.data);
	free(body.query);
}

static void assert_otlp_type(const Perf__Otlp__ExportProfilesServiceRequest *r, const Perf__Otlp__ValueType *type, const char *name, const char *unit)
{
	assert_string_equal(r->dictionary->string_table[type->type_strindex], name);
	assert_string_equal(r->dictionary->string_table[type->unit_strindex], unit);
}

/* Samples of a clock are counted, and their period is beside them; of other events periods are the values. */
static void opentelemetry_multiplies_samples_of_clocks(void **state)
{
	Perf__Otlp__ExportProfilesServiceRequest *r;
	Perf__Otlp__Profile **p;
	struct profile_body body;

	assert_int_equal(profile__encode_otlp(&profile, &body, NULL), 0);
	r = perf__otlp__export_profiles_service_request__unpack(NULL, unpack(body.data, body.size), unpacked);
	assert_non_null(r);
	p = r->resource_profiles[0]->scope_profiles[0]->profiles;
	assert_int_equal(r->resource_profiles[0]->scope_profiles[0]->n_profiles, 2);
	assert_otlp_type(r, p[0]->sample_type, "samples", "count");
	assert_otlp_type(r, p[0]->period_type, "cpu", "nanoseconds");
	assert_int_equal(p[0]->period, 20);
	assert_int_equal(p[0]->n_samples, 2);
	assert_int_equal(p[0]->samples[0]->values[0] + p[0]->samples[1]->values[0], 6);
	assert_otlp_type(r, p[1]->sample_type, "faults", "count");
	assert_int_equal(p[1]->period, 7);
	assert_int_equal(p[1]->samples[0]->values[0], 14);
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(p[i]->time_unix_nano, 1000 * SECOND);
		assert_int_equal(p[i]->duration_nano, 5 * SECOND / 2);
	}
	perf__otlp__export_profiles_service_request__free_unpacked(r, NULL);
	free(body.data);
	free(body.query);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_has_values_of_all_events, begin, end),
		cmocka_unit_test_setup_teardown(pyroscope_gets_each_event_alone, begin_push, end),
		cmocka_unit_test_setup_teardown(ingest_has_its_time_in_the_query, begin_push, end),
		cmocka_unit_test_setup_teardown(opentelemetry_multiplies_samples_of_clocks, begin_push, end),
	};

	return cmocka_run_group_tests_name("ui/profile-values", tests, NULL, NULL);
}

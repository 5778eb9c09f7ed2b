// SPDX-License-Identifier: GPL-2.0
#include "util/record/attrs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "util/event/attr-flags.h"
#include "util/perfdata/reg-name.h"

static struct evlist *configured(const char *spec, const struct attr_opts *opts)
{
	struct evlist *evlist = evlist__new();
	unsigned int first;

	assert_non_null(evlist);
	assert_int_equal(evlist__parse(evlist, spec, &first, NULL), 0);
	evlist__config_attrs(evlist, opts);
	return evlist;
}

static void one_event_as_other_perfs_set_it(void **state)
{
	struct evlist *evlist = configured("cpu-clock", &(struct attr_opts){ .freq = 4000, .inherit = true, .enable_on_exec = true });
	const struct perf_event_attr *attr = &evlist->evsel[0]->attr;

	assert_int_equal(attr->sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD);
	assert_int_equal(attr->read_format, PERF_FORMAT_ID | PERF_FORMAT_LOST);
	assert_true(attr->freq && attr->sample_freq == 4000);
	assert_true(attr->disabled && attr->inherit && attr->enable_on_exec && attr->sample_id_all);
	assert_true(attr->mmap && attr->mmap2 && attr->comm && attr->comm_exec && attr->task);
	assert_false(attr->build_id); /* see build_ids__fill() */
	assert_false(attr->mmap_data);
	assert_int_equal(evlist__time_pos(evlist), 2);
	evlist__delete(evlist);
}

static void only_one_of_several_events_tracks(void **state)
{
	struct evlist *evlist = configured("cpu-clock,context-switches", &(struct attr_opts){ .freq = 100 });

	assert_ptr_equal(evlist__tracking(evlist), evlist->evsel[0]);
	assert_true(evlist->evsel[0]->attr.mmap2 && !evlist->evsel[1]->attr.mmap2 && !evlist->evsel[1]->attr.task);
	assert_true(evlist->evsel[0]->attr.sample_type & evlist->evsel[1]->attr.sample_type & PERF_SAMPLE_IDENTIFIER);
	assert_int_equal(evlist__time_pos(evlist), 3);
	evlist__delete(evlist);
}

static void an_event_of_few_cpus_does_not_track(void **state)
{
	struct evlist *evlist = evlist__new();
	unsigned int first;

	assert_int_equal(evlist__parse(evlist, "cpu-clock,context-switches", &first, NULL), 0);
	evlist->evsel[0]->cpus = cpumap__parse("0", NULL);
	evlist__config_attrs(evlist, &(struct attr_opts){ .freq = 100 });
	assert_true(evlist->evsel[1]->attr.mmap2 && !evlist->evsel[0]->attr.mmap2);
	evlist__delete(evlist);
}

static void an_event_that_is_everywhere_tracks(void **state)
{
	struct evlist *evlist = evlist__new();
	unsigned int first;

	assert_int_equal(evlist__parse(evlist, "cpu-clock", &first, NULL), 0);
	assert_int_equal(evlist__add_side_band(evlist, true, NULL), 0);
	evlist__config_attrs(evlist, &(struct attr_opts){ .freq = 100, .rate_set = true });
	assert_true(evlist->evsel[1]->attr.mmap2 && !evlist->evsel[0]->attr.mmap2);
	assert_true(!evlist->evsel[1]->attr.freq && evlist->evsel[1]->attr.sample_period == 1);
	evlist__delete(evlist);
}

static void a_group_waits_for_its_leader(void **state)
{
	struct evlist *evlist = configured("{cpu-clock,faults},cs", &(struct attr_opts){ .freq = 100, .enable_on_exec = true });

	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(evlist->evsel[i]->attr.disabled, i != 1);
		assert_int_equal(evlist->evsel[i]->attr.enable_on_exec, i != 1);
	}
	evlist__delete(evlist);
}

static void options_become_sample_bits(void **state)
{
	struct evlist *evlist = configured("cpu-clock", &(struct attr_opts){ .period = 777, .callgraph = { CALLGRAPH_FP }, .addr = true,
									     .cpu = true, .sample_period = false });
	const struct perf_event_attr *attr = &evlist->evsel[0]->attr;

	assert_int_equal(attr->sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
			 PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_CPU);
	assert_true(!attr->freq && attr->sample_period == 777 && attr->mmap_data && !attr->inherit && !attr->enable_on_exec);
	evlist__delete(evlist);
	evlist = configured("cpu-clock", &(struct attr_opts){ .period = 777, .sample_period = true });
	assert_true(evlist->evsel[0]->attr.sample_type & PERF_SAMPLE_PERIOD);
	evlist__delete(evlist);
}

static void what_a_filter_or_a_spec_asked_for_stays(void **state)
{
	struct evlist *evlist = evlist__new();
	unsigned int first;

	assert_int_equal(evlist__parse(evlist, "cpu-clock:u", &first, NULL), 0);
	evlist->evsel[0]->attr.sample_type |= PERF_SAMPLE_ADDR;
	evlist->evsel[0]->attr.sample_period = 5;
	evlist->evsel[0]->has_period = true;
	evlist__config_attrs(evlist, &(struct attr_opts){ .freq = 100, .rate_set = true });
	assert_true(evlist->evsel[0]->attr.sample_type & PERF_SAMPLE_ADDR);
	assert_true(!evlist->evsel[0]->attr.freq && evlist->evsel[0]->attr.sample_period == 5);
	assert_true(evlist->evsel[0]->attr.exclude_kernel);
	evlist__delete(evlist);
}

static void stack_dumps(void **state)
{
	struct attr_opts opts = { .period = 777, .callgraph = { CALLGRAPH_DWARF, .stack_dump = 4096 } };
	const u64 bits = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	struct evlist *evlist = configured("cpu-clock", &opts);
	const struct perf_event_attr *attr = &evlist->evsel[0]->attr;

	assert_int_equal(attr->sample_type & bits, bits);
	assert_int_equal(attr->sample_stack_user, 4096);
	assert_int_equal(attr->sample_regs_user, regs_of_user());
	assert_true(attr->exclude_callchain_user && attr->mmap_data);
	evlist__delete(evlist);

	opts.callgraph.mode = CALLGRAPH_FP;
	evlist = configured("cpu-clock", &opts);
	attr = &evlist->evsel[0]->attr;
	assert_int_equal(attr->sample_type & bits, PERF_SAMPLE_CALLCHAIN);
	assert_false(attr->exclude_callchain_user || attr->mmap_data);
	evlist__delete(evlist);
}

static void deferred_callchains(void **state)
{
	struct attr_opts opts = { .period = 777, .callgraph = { CALLGRAPH_FP, .defer = true } };
	struct evlist *evlist = configured("cpu-clock,task-clock", &opts);
	const u64 both = ATTR_FLAG_DEFER_CALLCHAIN | ATTR_FLAG_DEFER_OUTPUT;

	/* One ring gets them, or each would come twice. */
	assert_int_equal(attr__flags(&evlist->evsel[0]->attr) & both, both);
	assert_int_equal(attr__flags(&evlist->evsel[1]->attr) & both, ATTR_FLAG_DEFER_CALLCHAIN);
	evlist__delete(evlist);

	opts.callgraph.defer = false;
	evlist = configured("cpu-clock", &opts);
	assert_int_equal(attr__flags(&evlist->evsel[0]->attr) & both, 0);
	evlist__delete(evlist);
}

static void a_leader_samples_for_its_group(void **state)
{
	struct evlist *evlist = configured("{cpu-clock,faults,cs/period=3/}:S,cpu-clock:S", &(struct attr_opts){ .freq = 100 });
	const u64 group = PERF_FORMAT_ID | PERF_FORMAT_LOST | PERF_FORMAT_GROUP;

	for (unsigned int i = 0; i < 4; i++) {
		assert_true(evlist->evsel[i]->attr.sample_type & PERF_SAMPLE_READ);
		assert_int_equal(evlist->evsel[i]->attr.read_format, i < 3 ? group : PERF_FORMAT_ID | PERF_FORMAT_LOST);
	}
	assert_true(evlist->evsel[0]->attr.freq && evlist->evsel[3]->attr.freq);
	assert_true(!evlist->evsel[1]->attr.freq && !evlist->evsel[1]->attr.sample_period);
	assert_int_equal(evlist->evsel[2]->attr.sample_period, 3);
	evlist__delete(evlist);
	/* What is read is told apart by ids. */
	evlist = configured("cpu-clock:S", &(struct attr_opts){ .freq = 100 });
	assert_true(evlist->evsel[0]->attr.sample_type & PERF_SAMPLE_IDENTIFIER);
	evlist__delete(evlist);
}

static void terms_go_before_options(void **state)
{
	const struct attr_opts opts = { .freq = 100, .callgraph = { CALLGRAPH_DWARF, .stack_dump = 8192 }, .inherit = true };
	struct evlist *evlist = configured("cs,cs/call-graph=no/,cs/call-graph=fp,max-stack=5/,cs/stack-size=64/,cs/no-inherit/", &opts);
	const u64 chain = PERF_SAMPLE_CALLCHAIN, dump = chain | PERF_SAMPLE_STACK_USER;
	const u64 want[] = { dump, 0, chain, dump, dump };

	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(evlist->evsel[i]->attr.sample_type & dump, want[i]);
		assert_int_equal(evlist->evsel[i]->attr.inherit, i != 4);
	}
	assert_int_equal(evlist->evsel[2]->attr.sample_max_stack, 5);
	assert_int_equal(evlist->evsel[0]->attr.sample_stack_user, 8192);
	assert_int_equal(evlist->evsel[3]->attr.sample_stack_user, 64);
	assert_true(evlist__inherits(evlist));
	evlist__delete(evlist);
	evlist = configured("cs/call-graph=fp/,mem:0x1000", &(struct attr_opts){ .freq = 100, .no_chains = true });
	assert_false(evlist->evsel[0]->attr.sample_type & chain);
	assert_true(!evlist->evsel[1]->attr.freq && evlist->evsel[1]->attr.sample_period == 1);
	assert_false(evlist__inherits(evlist));
	evlist__delete(evlist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_event_as_other_perfs_set_it),
		cmocka_unit_test(only_one_of_several_events_tracks),
		cmocka_unit_test(an_event_of_few_cpus_does_not_track),
		cmocka_unit_test(an_event_that_is_everywhere_tracks),
		cmocka_unit_test(a_group_waits_for_its_leader),
		cmocka_unit_test(options_become_sample_bits),
		cmocka_unit_test(stack_dumps),
		cmocka_unit_test(deferred_callchains),
		cmocka_unit_test(a_leader_samples_for_its_group),
		cmocka_unit_test(terms_go_before_options),
		cmocka_unit_test(what_a_filter_or_a_spec_asked_for_stays),
	};

	return cmocka_run_group_tests_name("record/attrs", tests, NULL, NULL);
}

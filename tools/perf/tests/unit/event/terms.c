// SPDX-License-Identifier: GPL-2.0
/* What single events can ask for by terms and modifiers; breakpoints. */
#include <linux/hw_breakpoint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/event/branch-types.h"
#include "util/event/evsel.h"

static struct evlist *parse(const char *spec)
{
	struct evlist *evlist = evlist__new();
	struct errmsg err = { "" };

	assert_non_null(evlist);
	if (evlist__parse(evlist, spec, NULL, &err))
		fail_msg("%s", err.text);
	return evlist;
}

static void wrong(const char *spec, const char *text)
{
	struct evlist *evlist = evlist__new();
	struct errmsg err = { "" };

	assert_int_equal(evlist__parse(evlist, spec, NULL, &err), -22);
	if (!strstr(err.text, text))
		fail_msg("%s", err.text);
	evlist__delete(evlist);
}

static void breakpoints(void **state)
{
	static const struct {
		const char *spec;
		u64 addr, len;
		u32 type;
		bool user;
	} want[] = {
		{ "mem:0x1000", 0x1000, 4, HW_BREAKPOINT_RW, false },
		{ "mem:4096/8:w", 0x1000, 8, HW_BREAKPOINT_W, false },
		{ "mem:0x1000/1", 0x1000, 1, HW_BREAKPOINT_RW, false },
		{ "mem:0x1000:x:u", 0x1000, sizeof(long), HW_BREAKPOINT_X, true },
		{ "mem:0x1000/2:rw/name=mine,period=7/u", 0x1000, 2, HW_BREAKPOINT_RW, true },
	};
	struct evlist *evlist;

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct perf_event_attr *attr;

		evlist = parse(want[i].spec);
		attr = &evlist->evsel[0]->attr;
		assert_int_equal(evlist->nr, 1);
		assert_int_equal(attr->type, PERF_TYPE_BREAKPOINT);
		assert_int_equal(attr->bp_addr, want[i].addr);
		assert_int_equal(attr->bp_len, want[i].len);
		assert_int_equal(attr->bp_type, want[i].type);
		assert_int_equal(attr->exclude_kernel, want[i].user);
		assert_string_equal(evlist->evsel[0]->name, i == 4 ? "mine" : want[i].spec);
		evlist__delete(evlist);
	}
	evlist = parse("cs,{mem:0x1000/8:w,cs}:S,cs");
	assert_int_equal(evlist->nr, 4);
	assert_int_equal(evlist->evsel[1]->attr.bp_len, 8);
	assert_ptr_equal(evlist->evsel[2]->leader, evlist->evsel[1]);
	evlist__delete(evlist);
}

static void callchains_by_terms(void **state)
{
	struct evlist *evlist = parse("cs/call-graph=fp,max-stack=9/,cs/stack-size=100,call-graph=dwarf/,cs/call-graph=no/,cs,"
				      "cs/call-graph='dwarf,4096'/,cs/call-graph=lbr/,cs/call-graph='fp,defer'/");
	const struct evsel_terms *terms[7];

	for (unsigned int i = 0; i < 7; i++) {
		terms[i] = &evlist->evsel[i]->terms;
		assert_int_equal(terms[i]->has_callgraph, i != 3);
	}
	assert_int_equal(terms[0]->callgraph.mode, CALLGRAPH_FP);
	assert_int_equal(terms[0]->max_stack, 9);
	assert_int_equal(terms[1]->callgraph.mode, CALLGRAPH_DWARF);
	assert_int_equal(terms[1]->callgraph.stack_dump, 104);
	assert_int_equal(terms[2]->callgraph.mode, CALLGRAPH_NONE);
	assert_int_equal(terms[4]->callgraph.stack_dump, 4096);
	assert_int_equal(terms[5]->callgraph.mode, CALLGRAPH_LBR);
	assert_true(terms[6]->callgraph.defer);
	evlist__delete(evlist);
	wrong("cs/call-graph/", "'call-graph' needs a value");
	wrong("cs/call-graph=x/", "\"x\" is not known");
	wrong("cs/stack-size=0/", "number of bytes of at most 65528");
	wrong("cs/stack-size=65535/", "number of bytes of at most 65528");
	wrong("cs/max-stack=0/", "from 1 to 65535");
	wrong("cs/max-stack=65536/", "from 1 to 65535");
}

static void switches(void **state)
{
	struct evlist *evlist = parse("cs,cs/inherit/,cs/no-inherit/,cs/inherit=0/,cs/time,percore,no-overwrite/");
	static const enum evsel_wish want[] = { WISH_NONE, WISH_YES, WISH_NO, WISH_NO, WISH_NONE };

	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(evlist->evsel[i]->terms.inherit, want[i]);
	evlist__delete(evlist);
	wrong("cs/inherit=2/", "inherit is 1 or 0");
	wrong("cs/time=0/", "cannot be put in order");
	wrong("cs/no-overwrite=0/", "for all events");
}

static void modifiers_of_groups(void **state)
{
	struct evlist *evlist = parse("{cs,faults:e}:DSW,cs:I,cs:R,{cs,faults:S}");
	struct evsel **evsel = evlist->evsel;

	assert_true(evsel[0]->attr.pinned && !evsel[1]->attr.pinned); /* the kernel takes no pinned members */
	assert_true(evsel[0]->sample_read && evsel[0]->weak_group && evsel[1]->weak_group);
	assert_true(!evsel[0]->attr.exclusive && evsel[1]->attr.exclusive);
	assert_true(evsel__is_sampled_by_leader(evsel[1]) && !evsel__is_sampled_by_leader(evsel[0]));
	assert_true(evsel[2]->attr.exclude_idle && !evsel[2]->retire_latency && evsel[3]->retire_latency);
	assert_true(!evsel[4]->sample_read && evsel[5]->sample_read && !evsel__is_sampled_by_leader(evsel[5]));
	evlist__delete(evlist);
}

static void kinds_of_branches(void **state)
{
	struct evlist *evlist = parse("cs/branch_type='any_call,u'/");
	struct errmsg err;
	u64 types;

	assert_int_equal(evlist->evsel[0]->terms.branch_types, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER);
	evlist__delete(evlist);
	assert_int_equal(branch_types__parse(&types, "k,u", &err), 0);
	assert_int_equal(types, PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(branch_types__parse(&types, "u,", &err), -22);
	assert_int_equal(branch_types__parse(&types, "an", &err), -22);
	assert_non_null(strstr(err.text, "\"an\"; those known: u, k, hv, any, any_call,"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(breakpoints),
		cmocka_unit_test(callchains_by_terms),
		cmocka_unit_test(switches),
		cmocka_unit_test(modifiers_of_groups),
		cmocka_unit_test(kinds_of_branches),
	};

	return cmocka_run_group_tests_name("event/terms", tests, NULL, NULL);
}

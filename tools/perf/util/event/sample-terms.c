// SPDX-License-Identifier: GPL-2.0
#include "util/event/sample-terms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/event/branch-types.h"

static int set_callgraph(struct evsel *evsel, const char *value, struct errmsg *err)
{
	const u32 stack_dump = evsel->terms.callgraph.stack_dump; /* from an earlier stack-size= */
	struct callgraph *callgraph = &evsel->terms.callgraph;
	int ret = callgraph__parse(callgraph, value, err);

	evsel->terms.has_callgraph = true;
	if (!ret && stack_dump && callgraph->mode == CALLGRAPH_DWARF)
		callgraph->stack_dump = stack_dump;
	return ret;
}

static int set_stack_size(struct evsel *evsel, const char *value, struct errmsg *err)
{
	return callgraph__parse_stack_dump(&evsel->terms.callgraph.stack_dump, value, err);
}

static int set_max_stack(struct evsel *evsel, const char *value, struct errmsg *err)
{
	char *end;
	unsigned long max = strtoul(value, &end, 10);

	if (*value < '0' || *value > '9' || *end || !max || max > UINT16_MAX)
		return errmsg__set(err, EINVAL, "max-stack is a number of callers from 1 to %u", UINT16_MAX);
	evsel->terms.max_stack = max;
	return 0;
}

static int set_branch_types(struct evsel *evsel, const char *value, struct errmsg *err)
{
	return branch_types__parse(&evsel->terms.branch_types, value, err);
}

/* Parse a switch: inherit, inherit=1 or inherit=0. */
static int parse_switch(bool *on, const char *name, const char *value, struct errmsg *err)
{
	*on = !value || !strcmp(value, "1");
	return *on || !strcmp(value, "0") ? 0 : errmsg__set(err, EINVAL, "%s is 1 or 0", name);
}

static int set_inherit(struct evsel *evsel, const char *value, struct errmsg *err)
{
	bool on;
	int ret = parse_switch(&on, "inherit", value, err);

	evsel->terms.inherit = on ? WISH_YES : WISH_NO;
	return ret;
}

static int set_no_inherit(struct evsel *evsel, const char *value, struct errmsg *err)
{
	bool on;
	int ret = parse_switch(&on, "no-inherit", value, err);

	evsel->terms.inherit = on ? WISH_NO : WISH_YES;
	return ret;
}

static int check_time(struct evsel *evsel, const char *value, struct errmsg *err)
{
	bool on;
	int ret = parse_switch(&on, "time", value, err);

	return ret || on ? ret : errmsg__set(err, EINVAL, "samples without times cannot be put in order with others: leave time=0 out");
}

/* For perf stat, which sums up the threads of a core; does not change samples. */
static int check_percore(struct evsel *evsel, const char *value, struct errmsg *err)
{
	bool on;

	return parse_switch(&on, "percore", value, err);
}

static int check_no_overwrite(struct evsel *evsel, const char *value, struct errmsg *err)
{
	bool on;
	int ret = parse_switch(&on, "no-overwrite", value, err);

	return ret || on ? ret : errmsg__set(err, EINVAL, "a ring that overwrites is for all events of a recording, not for one");
}

static const struct {
	const char *name;
	bool needs_value;
	int (*set)(struct evsel *evsel, const char *value, struct errmsg *err);
} terms[] = {
	{ "call-graph", true, set_callgraph },
	{ "stack-size", true, set_stack_size },
	{ "max-stack", true, set_max_stack },
	{ "branch_type", true, set_branch_types },
	{ "inherit", false, set_inherit },
	{ "no-inherit", false, set_no_inherit },
	{ "no-overwrite", false, check_no_overwrite },
	{ "percore", false, check_percore },
	{ "time", false, check_time },
};

int sample_term__apply(struct evsel *evsel, const struct spec_term *term, const char *text, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(terms); i++) {
		struct errmsg why;
		int ret;

		if (strcmp(term->name.text, terms[i].name))
			continue;
		if (terms[i].needs_value && !term->has_value)
			return spec__error(err, EINVAL, text, term->name.loc, "'%s' needs a value", term->name.text);
		ret = terms[i].set(evsel, term->has_value ? term->value.text : NULL, &why);
		return ret ? spec__error(err, -ret, text, term->has_value ? term->value.loc : term->name.loc, "%s", why.text) : 0;
	}
	return -ENOENT;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/source/task-filter.h"

#include <errno.h>

#define TASK_CASE(name, shown, bit, guard, group, old, tracepoint, off_cpu) FILTER_UNLESS(off_cpu, NO, case FILTER_TERM_##name:)

bool task_filter__knows(u8 term)
{
	switch (term) {
	FILTER_FIELDS(TASK_CASE)
	FILTER_TESTS(TASK_CASE)
		return true;
	default:
		return false;
	}
}

#define SPAN_CASE(name, shown, bit, guard, group, old, tracepoint, off_cpu) FILTER_IF(off_cpu, SPAN, case FILTER_TERM_##name:)

static bool is_of_span(u8 term)
{
	switch (term) {
	FILTER_FIELDS(SPAN_CASE)
		return true;
	default:
		return false;
	}
}

bool task_filter__is_late(const struct filter_table *table)
{
	for (unsigned int i = 0; i < table->nr; i++) {
		if (is_of_span(table->entry[i].term))
			return true;
	}
	return false;
}

int task_filter__check(const struct filter *filter, const struct filter_table *table, const char *what, const char *has, struct errmsg *err)
{
	const char *clause;
	unsigned int i, len;

	for (i = 0; i < table->nr; i++) {
		if (task_filter__knows(table->entry[i].term))
			continue;
		clause = filter__clause(filter, table->clause[i], &len);
		return errmsg__set(err, EINVAL, "filter: %s cannot be tested for '%.*s': %s; every and rand can be used, too. A filter of another "
				   "event goes behind its -e", what, (int)len, clause, has);
	}
	return 0;
}

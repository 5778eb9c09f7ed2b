// SPDX-License-Identifier: GPL-2.0
#include "util/source/recorded-filter.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

static bool is_recorded(u8 term)
{
	static const u8 terms[] = {
		FILTER_TERM_TID, FILTER_TERM_PID, FILTER_TERM_CPU, FILTER_TERM_TIME, FILTER_TERM_PERIOD, FILTER_TERM_COMM_LO,
		FILTER_TERM_COMM_HI, FILTER_TERM_COMM_GLOB,
	};

	return memchr(terms, term, sizeof(terms));
}

int recorded_filter__check(const struct filter *filter, const struct filter_table *table, const char *what, const char *has, const char *command,
			   struct errmsg *err)
{
	const char *clause;
	unsigned int len;

	for (unsigned int i = 0; i < table->nr; i++) {
		if (is_recorded(table->entry[i].term))
			continue;
		clause = filter__clause(filter, table->clause[i], &len);
		return errmsg__set(err, EINVAL, "filter: %s cannot be tested for '%.*s': a file tells %s. Give %s this filter", what, (int)len, clause,
				   has, command);
	}
	return 0;
}

int recorded_filter__compile(const char *text, struct filter **filter, struct filter_table *table, const char *what, const char *has,
			     const char *command, struct errmsg *err)
{
	const struct filter_env env = { .period_is_time = true };
	const struct filter_input input = { "filter", text };

	if (!text)
		return 0;
	return filter__parse_all(&input, 1, filter, err) ?: filter__check(*filter, &env, err) ?: filter__lower(*filter, table, err) ?:
	       recorded_filter__check(*filter, table, what, has, command, err);
}

bool recorded_filter__keeps(const struct filter_table *table, const struct recorded_span *span)
{
	struct filter_sample sample = { .sample_flags = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD };
	char comm[FILTER_COMM_LEN] = "";

	strncpy(comm, span->comm, sizeof(comm) - 1);
	sample.value[FILTER_TERM_PID] = span->pid;
	sample.value[FILTER_TERM_TID] = span->tid;
	sample.value[FILTER_TERM_CPU] = span->cpu;
	sample.value[FILTER_TERM_TIME] = span->time;
	sample.value[FILTER_TERM_PERIOD] = span->ns;
	memcpy(&sample.value[FILTER_TERM_COMM_LO], comm, 8);
	memcpy(&sample.value[FILTER_TERM_COMM_HI], comm + 8, 8);
	return filter_table__eval(table, &sample);
}

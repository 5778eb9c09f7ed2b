// SPDX-License-Identifier: GPL-2.0
#include "util/source/offcpu-opts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "util/lib/comma-list.h"
#include "util/source/task-filter.h"

static const struct {
	const char *letter, *name;
	u32 state;
} states[] = {
	{ "S", "sleep", OFFCPU_SLEEPING },
	{ "D", "disk", OFFCPU_DISK },
	{ "I", "idle", OFFCPU_IDLE },
	{ "R", "preempted", OFFCPU_PREEMPTED },
	{ "T", "stopped", OFFCPU_STOPPED },
};

static u32 find_state(struct list_word word)
{
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		if (list_word__is(word, states[i].letter) || list_word__is(word, states[i].name))
			return states[i].state;
	}
	return 0;
}

int offcpu_states__parse(const char *list, u32 *wanted, struct errmsg *err)
{
	*wanted = 0;
	comma_list__for_each(list, word) {
		const u32 state = find_state(word);

		if (!state)
			return errmsg__set(err, EINVAL, "there is no state \"%.*s\": a task that does not run is S (sleep), D (disk), "
					   "I (idle), R (preempted) or T (stopped)", (int)word.len, word.text);
		*wanted |= state;
	}
	return 0;
}

#define WHAT_SLEEPERS_HAVE "a task that sleeps has " TASK_FILTER_TERMS ", the cpu that it left, the time " \
			   "when it came back, and its sleep as period"

int offcpu_histogram__check(const struct histogram_number *number, const char *name, struct errmsg *err)
{
	return task_filter__knows(number->term) ? 0 :
	       errmsg__set(err, EINVAL, "--hist: there is no '%s' of off-cpu time: " WHAT_SLEEPERS_HAVE, name);
}

int offcpu_filter__check(const struct filter *filter, const struct filter_table *table, struct errmsg *err)
{
	return task_filter__check(filter, table, "off-cpu time", WHAT_SLEEPERS_HAVE, err);
}

const char *offcpu_states__text(u32 wanted, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(states) && n < size; i++) {
		if (wanted & states[i].state)
			n += snprintf(buf + n, size - n, "%s%s", n ? "," : "", states[i].letter);
	}
	return buf;
}

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "annotate"
#include "cmd/annotate/options.h"

#include <stdio.h>
#include <string.h>

#include "util/lib/log.h"

/* On the command line the blank is '-', and the words may be the other way round. */
static bool is_percent(const char *arg, const char *name)
{
	const char *blank = strchr(name, ' '), *behind = blank + 1;
	size_t first = blank - name, second = strlen(behind);

	if (strlen(arg) != first + 1 + second)
		return false;
	return (!memcmp(arg, name, first) && arg[first] == '-' && !memcmp(arg + first + 1, behind, second)) ||
	       (!memcmp(arg, behind, second) && arg[second] == '-' && !memcmp(arg + second + 1, name, first));
}

int annotate_options__parse_percent(const struct option_row *row, const char *arg, bool unset)
{
	enum annotate_percent *percent = row->value;

	*percent = ANNOTATE_LOCAL_PERIOD;
	for (int i = 0; i < ANNOTATE_NR_PERCENTS && !unset; i++) {
		if (!is_percent(arg, annotate_percents[i]))
			continue;
		*percent = i;
		return 0;
	}
	if (unset)
		return 0;
	pr_err("  Error: --percent-type %s: neither local-period, local-hits, global-period nor global-hits\n", arg);
	return -1;
}

void annotate_options__list_percents(void)
{
	puts("local-period\nlocal-hits\nglobal-period\nglobal-hits");
}

int annotate_options__parse_types(const struct option_row *row, const char *arg, bool unset)
{
	struct annotate_options *o = row->value;

	o->types = !unset;
	o->type_name = unset ? NULL : arg;
	return 0;
}

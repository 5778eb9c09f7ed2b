// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "diff"
#include "cmd/diff/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/log.h"

static const char *const computes[] = {
	[HIST_COMPUTE_DELTA_ABS] = "delta-abs",
	[HIST_COMPUTE_DELTA] = "delta",
	[HIST_COMPUTE_RATIO] = "ratio",
	[HIST_COMPUTE_WDIFF] = "wdiff",
};

void diff_options__list_computes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(computes); i++)
		puts(computes[i]);
}

/* "base,file", neither 0 */
static int parse_weights(struct hist_comparison *c, const char *text)
{
	char rest;

	if (text && sscanf(text, "%lld,%lld%c", (long long *)&c->base_weight, (long long *)&c->file_weight, &rest) == 2 && c->base_weight && c->file_weight)
		return 0;
	pr_err("  Error: -c wdiff needs the weights of the baseline and of the other files, as in wdiff:1,2\n");
	return -1;
}

int diff_options__parse_compute(const struct option_row *row, const char *arg, bool unset)
{
	struct hist_comparison *c = row->value;
	size_t len = unset ? 0 : strcspn(arg, ":");
	const char *weights = unset || !arg[len] ? NULL : arg + len + 1;

	c->compute = HIST_COMPUTE_DELTA_ABS;
	if (unset)
		return 0;
	if (!strncmp(arg, "cycles", len) && len == strlen("cycles")) {
		pr_err("  Error: -c cycles: blocks of branches are not put together here: take stock perf\n");
		return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(computes); i++) {
		if (strlen(computes[i]) != len || memcmp(computes[i], arg, len))
			continue;
		c->compute = i;
		if (i == HIST_COMPUTE_WDIFF)
			return parse_weights(c, weights);
		if (!weights)
			return 0;
		pr_err("  Error: -c %s: only wdiff has weights\n", arg);
		return -1;
	}
	pr_err("  Error: -c %s: neither delta, delta-abs, ratio nor wdiff:BASE,FILE\n", arg);
	return -1;
}

/* Each file has two columns or more. */
#define MAX_FILES (HIST_MAX_COLUMNS / 2)

const char **diff_options__files(struct diff_options *o, int argc, char **argv)
{
	u32 nr = argc > 2 ? argc : 2;
	const char **names = calloc(nr, sizeof(*names));

	if (!names) {
		pr_err("out of memory\n");
		return NULL;
	}
	names[0] = argc > 1 ? argv[0] : "perf.data.old";
	names[1] = argc > 1 ? argv[1] : argc ? argv[0] : "perf.data";
	for (u32 i = 2; i < nr; i++)
		names[i] = argv[i];
	o->comparison.nr_files = nr;
	if (nr > MAX_FILES)
		pr_err("perf diff: %u files are too many: it compares up to %d\n", nr, MAX_FILES);
	else if (o->comparison.order >= nr)
		pr_err("perf diff: -o %u: there is no such file: they are numbered from 0, the baseline, to %u\n", o->comparison.order, nr - 1);
	else
		return names;
	free(names);
	return NULL;
}

char *diff_options__times(const struct diff_options *o, u32 i)
{
	const char *part = o->times;

	errno = 0;
	if (!part || !strchr(part, ':'))
		return part ? strdup(part) : NULL;
	while (i-- && *part) {
		part = strchrnul(part, ':');
		part += *part == ':';
	}
	return *part ? strndup(part, strcspn(part, ":")) : NULL;
}

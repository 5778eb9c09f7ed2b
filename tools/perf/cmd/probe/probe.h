/* SPDX-License-Identifier: GPL-2.0 */
/* What perf probe does. Each function returns the exit status, after a message if it is not 0. */
#ifndef PERF_CMD_PROBE_H
#define PERF_CMD_PROBE_H

#include "util/probe/convert.h"

struct probe_words {
	const char **word;
	size_t nr;
};

struct probe_options {
	struct probe_target target;
	struct probe_words words; /* of the action: definitions, names, or a range of lines */
	const char *filter;	  /* of names; NULL: the default of the action */
	bool force, dry_run, externs, ranges;
};

int probe_command__add(const struct probe_options *options);
int probe_command__define(const struct probe_options *options); /* only print what the kernel would get */
int probe_command__delete(const struct probe_options *options);
int probe_command__list(const struct probe_options *options);
int probe_command__show_lines(const struct probe_options *options);
int probe_command__show_variables(const struct probe_options *options);
int probe_command__show_functions(const struct probe_options *options);

#endif

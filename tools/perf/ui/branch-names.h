/* SPDX-License-Identifier: GPL-2.0 */
/* What a branch record says of its branch, in words. */
#ifndef PERF_UI_BRANCH_NAMES_H
#define PERF_UI_BRANCH_NAMES_H

#include <linux/perf_event.h>
#include <stdbool.h>

const char *branch__type(const struct perf_branch_entry *branch); /* "COND"; "" unknown */
const char *branch__speculation(const struct perf_branch_entry *branch); /* "SPEC_WRONG_PATH"; "" unknown */
bool branch__not_taken(const struct perf_branch_entry *branch);

#endif

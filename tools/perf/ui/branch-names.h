/* SPDX-License-Identifier: GPL-2.0 */
/* The type and speculation of a branch record, in words. */
#ifndef PERF_UI_BRANCH_NAMES_H
#define PERF_UI_BRANCH_NAMES_H

#include <linux/perf_event.h>
#include <stdbool.h>

const char *branch__type(const struct perf_branch_entry *branch); /* "COND"; "" unknown */
const char *branch__speculation(const struct perf_branch_entry *branch); /* "SPEC_WRONG_PATH"; "" unknown */
bool branch__not_taken(const struct perf_branch_entry *branch);

#endif

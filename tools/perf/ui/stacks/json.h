/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots of stacks as one JSON object: { "snapshots": [ ... ] } */
#ifndef PERF_UI_STACKS_JSON_H
#define PERF_UI_STACKS_JSON_H

#include "ui/stacks/text.h"

struct stacks_json;

struct stacks_json *stacks_json__new(FILE *fp); /* NULL: no memory */
void stacks_json__delete(struct stacks_json *j); /* NULL is fine */

void stacks_json__add(struct stacks_json *j, const struct stacks_summary *summary, struct stacks_groups *groups);
void stacks_json__finish(struct stacks_json *j);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Arguments of a definition: one word of it. */
#ifndef PERF_PROBE_OPERAND_H
#define PERF_PROBE_OPERAND_H

#include "util/probe/definition.h"

int probe_operand__parse(struct probe_operand *operand, const char *word, struct errmsg *err); /* -EINVAL, -ENOMEM; exit it in any case */
void probe_operand__exit(struct probe_operand *operand);
bool probe_name__is_valid(const char *name); /* of an event, group or argument: as that of a C symbol, of at most 63 characters */

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* What convert.c and convert-symbols.c share. */
#ifndef PERF_PROBE_CONVERT_PARTS_H
#define PERF_PROBE_CONVERT_PARTS_H

#include "util/probe/convert.h"

struct probe_conversion {
	const struct probe_target *target;
	const struct probe_definition *def;
	size_t number;
	struct probe_events *events;
	struct errmsg *err;
};

/* Add an event: function is the name that it gets unless the definition has one; place is taken over, NULL: no memory. NULL: no memory */
struct probe_event *probe_conversion__add(struct probe_conversion *c, const char *function, char *place);
int probe_conversion__add_raw(struct probe_conversion *c, struct probe_event *event, const struct probe_operand *operand, bool at_entry);
int probe_conversion__no_memory(struct probe_conversion *c);

/* The conversions without debug information: by symbols, or by kallsyms and BTF; and of SDT marks. */
int probe_conversion__by_symbols(struct probe_conversion *c);
int probe_conversion__by_kallsyms(struct probe_conversion *c, const struct errmsg *no_debug);
int probe_conversion__of_mark(struct probe_conversion *c);

#endif

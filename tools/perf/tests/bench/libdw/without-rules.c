// SPDX-License-Identifier: GPL-2.0
/* A perf that unwinds recorded stacks by libdwfl alone: linked with --wrap=unwinder__new (make proof-stacks). */
#include "util/callchain/unwind.h"

struct unwinder *__real_unwinder__new(struct machine *machine, const struct file_places *places);
struct unwinder *__wrap_unwinder__new(struct machine *machine, const struct file_places *places);

struct unwinder *__wrap_unwinder__new(struct machine *machine, const struct file_places *places)
{
	struct unwinder *u = __real_unwinder__new(machine, places);

	if (u)
		unwinder__drop_rules(u);
	return u;
}

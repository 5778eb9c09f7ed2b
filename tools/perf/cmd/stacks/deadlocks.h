/* SPDX-License-Identifier: GPL-2.0 */
/* perf stacks --deadlocks */
#ifndef PERF_CMD_STACKS_DEADLOCKS_H
#define PERF_CMD_STACKS_DEADLOCKS_H

#include "cmd/stacks/live.h"
#include "ui/stacks/text.h"

/* Print the threads of the snapshot that wait for one another, with their stacks. 0 or -ENOMEM */
int stacks_deadlocks__print(struct stacks_live *live, const struct stacks_look *look, const struct stacks_summary *summary);

#endif

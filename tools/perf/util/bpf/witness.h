/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a program in force in every task that has inherited its event?
 *
 * A task that is started between the opening of an event and the attaching of its program inherits the event without the program. So
 * when the program is attached one more event, the witness, joins the event's group. It is inherited as well, so that from then on each new
 * task has it. A task with the event but without the witness may lack the program. The kernel knows: to read the counts of a group it compares the group
 * of each task that lives with that of the parent, and says ECHILD if they differ (Linux 6.6, and older ones that are maintained:
 * kernel/events/core.c, __perf_read_group_add()).
 */
#ifndef PERF_BPF_WITNESS_H
#define PERF_BPF_WITNESS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>
#include "util/lib/errmsg.h"

/*
 * The group is led by the descriptor leader, whose attr is like, on that thread and CPU. It must not be enabled yet, and all programs of
 * it have to be attached. 0: every task that has inherited the group has these programs, and so will all that come. -ECHILD: one may lack
 * them, until what the programs are attached to is closed; or the leader has ended with its thread. -ESRCH: the thread has ended, and nothing
 * is known of its children. For these two err is not filled, for others it is.
 */
int witness__ask(const struct perf_event_attr *like, pid_t tid, int cpu, int leader, struct errmsg *err);

/*
 * Of a group as above, which refuses a member: has it left the thread? True: nothing can join it any more, so it is to be opened anew. False:
 * it is there, and took another event.
 */
bool witness__is_refused(const struct perf_event_attr *like, pid_t tid, int cpu, int leader);

/* Does the kernel compare? 1, or 0, or -errno if this process cannot find out. */
int witness__probe(void);

#endif

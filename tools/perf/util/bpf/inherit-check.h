/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a program in force in every task that has inherited its event?
 *
 * A task that is started between opening an event and attaching its program inherits the event without the program. So when the
 * program is attached, one more event, the check event, joins the event's group. It is inherited, too, so each task from then on has it.
 * A task with the event but without the check event may lack the program. The kernel knows: to read the counts of a group it compares
 * the group of each living task with that of the parent, and returns ECHILD if they differ (Linux 6.6, and maintained older ones:
 * kernel/events/core.c, __perf_read_group_add()).
 */
#ifndef PERF_BPF_INHERIT_CHECK_H
#define PERF_BPF_INHERIT_CHECK_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>
#include "util/lib/errmsg.h"

/*
 * The descriptor leader leads the group; its attr is like, its thread tid, its CPU cpu. It must not be enabled yet, and all programs
 * of the group must be attached. 0: every task that has inherited the group has these programs, and so will all later ones. -ECHILD:
 * a task may lack them, until the programs' events are closed; or the leader has ended with its thread. -ESRCH: the thread has
 * ended, and nothing is known about its children. These two do not set err, others do.
 */
int inherit_check__ask(const struct perf_event_attr *like, pid_t tid, int cpu, int leader, struct errmsg *err);

/*
 * For such a group that refuses a member: has it left the thread? true: nothing can join it any more, so reopen it. false: it is
 * there, and accepted another event.
 */
bool inherit_check__is_refused(const struct perf_event_attr *like, pid_t tid, int cpu, int leader);

/* Does the kernel compare groups? 1, or 0, or -errno if this process cannot find out. */
int inherit_check__probe(void);

#endif

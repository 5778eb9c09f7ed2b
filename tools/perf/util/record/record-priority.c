// SPDX-License-Identifier: GPL-2.0
#include "util/record/record-state.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

/* The command was forked before this, so it is not affected; each reader does it, too. */
int record__hurry(const struct record *rec, struct errmsg *err)
{
	const struct sched_param param = { .sched_priority = rec->opts->realtime };
	const char *remedy;

	if (!sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		return 0;
	remedy = errno == EPERM ? ". That takes CAP_SYS_NICE, or a limit by ulimit -r" : errno == EINVAL ? ". It may be 1 to 99" : "";
	return errmsg__set(err, errno, "cannot record with realtime priority %d: %s%s", rec->opts->realtime, strerror(errno), remedy);
}

// SPDX-License-Identifier: GPL-2.0
#include "cmd/sched/record.h"

#include "builtin.h"
#include "util/lib/types.h"

int sched_record(int argc, char **argv, const char *const *usages)
{
	/* What perf sched of any perf reads. Others record sched_stat_wait, _sleep and _iowait, too, which none of them reads. */
	static const char *const words[] = {
		"record", "-a", "-R", "-m", "1024", "-c", "1",
		"-e", "sched:sched_switch,sched:sched_stat_runtime,sched:sched_process_fork,sched:sched_wakeup_new,sched:sched_migrate_task,"
		      "sched:sched_waking",
	};

	return cmd_record_with(words, ARRAY_SIZE(words), argc, argv, usages);
}

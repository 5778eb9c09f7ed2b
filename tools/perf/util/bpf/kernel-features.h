/* SPDX-License-Identifier: GPL-2.0 */
/* What perf_event_open(2) of the running kernel may lack, and what is done without. */
#ifndef PERF_BPF_KERNEL_FEATURES_H
#define PERF_BPF_KERNEL_FEATURES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

int sys_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags);

/*
 * Take from attr every feature that this kernel refuses, by the verdicts of probes with a harmless event of the calling
 * thread. True if attr has changed. Verdicts are kept, so that all events of a recording get the same.
 */
struct kernel_features {
	unsigned int probed, missing; /* bits by row of the table in the .c */
};
bool kernel_features__strip(struct kernel_features *kf, struct perf_event_attr *attr);

#endif

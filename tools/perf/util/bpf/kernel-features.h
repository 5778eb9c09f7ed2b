/* SPDX-License-Identifier: GPL-2.0 */
/* Features that perf_event_open(2) of the running kernel may lack, and that perf can do without. */
#ifndef PERF_BPF_KERNEL_FEATURES_H
#define PERF_BPF_KERNEL_FEATURES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

int sys_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags);

/*
 * Remove every feature from attr that this kernel refuses, as found by probing with a harmless event of the calling thread. Returns
 * true if attr has changed. Results are kept, so that all events of a recording have the same features.
 */
struct kernel_features {
	unsigned int probed, missing; /* bits by row of the table in the .c */
};
bool kernel_features__strip(struct kernel_features *kf, struct perf_event_attr *attr);

#endif

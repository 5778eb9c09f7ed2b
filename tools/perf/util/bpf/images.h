/* SPDX-License-Identifier: GPL-2.0 */
/* All images. One row for each program of util/bpf_skel, or variant of it (bpf_skel.mak). */
#ifndef PERF_BPF_IMAGES_H
#define PERF_BPF_IMAGES_H

#include "util/bpf/image.h"

extern const struct bpf_image
	/* marks for the target's tasks */
	bpf_image_target, bpf_image_target_command,
	/* filters of samples, by the limit of tests */
	bpf_image_filter16, bpf_image_filter32, bpf_image_filter64,
	/* ... that send samples to user space: filter-send.bpf.h */
	bpf_image_filter_files16, bpf_image_filter_files64,
	/* ... that count what each test did */
	bpf_image_filter_explain,
	/* ... for kernels before Linux 6.3 */
	bpf_image_filter_old, bpf_image_filter_explain_old,
	/* ... to be pinned for unprivileged users; with a loop that Linux before 6.9 knows; and for kernels before 6.3 */
	bpf_image_filter_shared, bpf_image_filter_shared_bounded, bpf_image_filter_shared_old,
	/* counting samples */
	bpf_image_tally_samples16, bpf_image_tally_samples32, bpf_image_tally_samples64, bpf_image_tally_samples_old,
	bpf_image_tally_samples_tables, bpf_image_tally_samples_tables_old,
	/* tables for programs that unwind stacks, and one that writes samples with them */
	bpf_image_unwind_tables,
	bpf_image_unwind_samples, bpf_image_unwind_samples16, bpf_image_unwind_samples64, bpf_image_unwind_samples_old,
	/* tracepoints: system calls, uprobes, and the others. _event, here and below: for perf's events of tracepoints, see tp_programs__by_event() */
	bpf_image_tp_enter, bpf_image_tp_exit, bpf_image_tp_probe, bpf_image_tp_any,
	bpf_image_tp_any_arguments, bpf_image_tp_any_arguments_tables, bpf_image_call_order,
	bpf_image_tp_enter_event, bpf_image_tp_exit_event,
	bpf_image_tp_enter_tables, bpf_image_tp_exit_tables, bpf_image_tp_probe_tables, bpf_image_tp_any_tables,
	bpf_image_tp_enter_tables_event, bpf_image_tp_exit_tables_event,
	/* histograms of tracepoints, and times between two: any; from begin to end of system calls; tracepoints, and uprobes and kprobes only */
	bpf_image_histogram, bpf_image_histogram_event, bpf_image_histogram_syscalls, bpf_image_histogram_syscalls_event,
	bpf_image_histogram_tracepoints, bpf_image_histogram_probes,
	/* off-CPU time */
	bpf_image_offcpu, bpf_image_offcpu_tables,
	/* wall-clock time */
	bpf_image_wall, bpf_image_wall_tables,
	/* waiting for locks of the kernel, and for those of user space */
	bpf_image_lock, bpf_image_lock_tables, bpf_image_lock_futex, bpf_image_lock_futex_event, bpf_image_lock_futex_tables,
	bpf_image_lock_futex_tables_event,
	/* counters of CPUs, read when tasks are switched */
	bpf_image_counters, bpf_image_counters_filter,
	/* system calls, from begin to end */
	bpf_image_trace, bpf_image_trace_event, bpf_image_trace_stacks, bpf_image_trace_stacks_event, bpf_image_trace_tables,
	bpf_image_trace_tables_event,
	/* what CPUs do: interrupts, softirqs, works and tasks */
	bpf_image_kwork, bpf_image_kwork_event,
	/* how long tasks wait for a CPU */
	bpf_image_sched,
	/* where tasks are now */
	bpf_image_snapshot;

#endif

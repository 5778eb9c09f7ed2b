/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * How programs read the fields of filter-terms.h: one expression for each field and way to read it. A row there without its
 * expression here does not compile. Expressions may use src (struct filter_source *), and term and index of the fetching function.
 */
#ifndef PERF_BPF_FILTER_FETCH_BPF_H
#define PERF_BPF_FILTER_FETCH_BPF_H

#include "util/bpf_skel/filter-terms.h"

/* FILTER_GUARD_<name>: bits of data->sample_flags */
#define SB(bit) PERF_SAMPLE_##bit
#define FILTER_GUARD_OF(name, shown, bit, guard, ...) FILTER_GUARD_##name = (guard),
enum { FILTER_FIELDS(FILTER_GUARD_OF) };

/* Groups MEMBER and RARE: the member's name in struct perf_sample_data */
#define SAMPLE_IP ip
#define SAMPLE_ID id
#define SAMPLE_TID tid_entry.tid
#define SAMPLE_PID tid_entry.pid
#define SAMPLE_TIME time
#define SAMPLE_ADDR addr
#define SAMPLE_PERIOD period
#define SAMPLE_WEIGHT weight.full
#define SAMPLE_TXN txn
#define SAMPLE_PHYS_ADDR phys_addr
#define SAMPLE_CODE_PGSZ code_page_size
#define SAMPLE_DATA_PGSZ data_page_size
#define SAMPLE_DATA_SRC data_src.val

/* Group CURRENT */
#define CURRENT_CPU bpf_get_smp_processor_id()
#define CURRENT_UID ((__u32)bpf_get_current_uid_gid())
#define CURRENT_GID (bpf_get_current_uid_gid() >> 32)
#define CURRENT_CGROUP bpf_get_current_cgroup_id()
#define CURRENT_COMM_LO current_comm(false)
#define CURRENT_COMM_HI current_comm(true)
#define CURRENT_RAND bpf_get_prandom_u32()
#define CURRENT_COMM_GLOB current_comm_matches(src->words, index)
#define CURRENT_EVERY every_hit(src->words, src->counts, index)
#define CURRENT_CGROUP_AT bpf_get_current_ancestor_cgroup_id(index)

/* Group TASK, and off-CPU fields read by a function: members of a struct task_struct *task that the verifier lets the program read */
#define TASK_UID task->cred->uid.val
#define TASK_GID task->cred->gid.val
#define TASK_PPID ((__u32)task->real_parent->tgid)
#define TASK_PRIO ((__u32)(task->prio + 1))
#define TASK_NICE ((__u32)(task->static_prio - 100)) /* include/linux/sched/prio.h: nice -20 is 100 */
#define TASK_IDLE (!task->pid)

/* Group FILE: members of file and words */
#define FILE_FILE_DEV file->dev
#define FILE_FILE_INO file->ino
#define FILE_FILE_OFFSET file->offset
#define FILE_FILE_NAME filter_name__equals(words, index, file->name)
#define FILE_FILE_GLOB (file->name[0] && filter_glob__matches(words, index, file->name, FILTER_FILE_LEN))
#define FILE_OFFSET_SET filter_set__has(words, index, file->offset)

/* Group OTHER */
#define OTHER_MODE context_mode(src->ctx)
#define OTHER_IP_SET ip_is_in_set(src->words, SOURCE_IP(src), index)

/* Before Linux 6.3: MEMBER and OWN from the context, TASK by the task's address */
#define OLD_IP context_ip(src->ctx)
#define OLD_TID ((__u32)bpf_get_current_pid_tgid())
#define OLD_PID (bpf_get_current_pid_tgid() >> 32)
#define OLD_ADDR context_addr(src->ctx)
#define OLD_PERIOD context_period(src->ctx)
#define OLD_OWN_TID OLD_TID
#define OLD_OWN_PID OLD_PID
#define OLD_PPID READ_AT(__u32, READ_AT(void *, task, filter_offsets.task_real_parent), filter_offsets.task_tgid)
#define OLD_PRIO ((__u32)(READ_AT(__u32, task, filter_offsets.task_prio) + 1))
#define OLD_NICE ((__u32)(READ_AT(__u32, task, filter_offsets.task_static_prio) - 100))
#define OLD_IDLE (!(__u32)bpf_get_current_pid_tgid())

/* Tracepoints: MEMBER and OTHER */
#define TRACEPOINT_TID ((__u32)bpf_get_current_pid_tgid())
#define TRACEPOINT_PID (bpf_get_current_pid_tgid() >> 32)
#define TRACEPOINT_TIME bpf_ktime_get_ns()
#define TRACEPOINT_MODE src->mode

/* Off-CPU time: DIRECT and SPAN */
#define OFF_CPU_TID ((__u32)src->task->pid)
#define OFF_CPU_PID ((__u32)src->task->tgid)
#define OFF_CPU_CPU src->cpu
#define OFF_CPU_TIME src->time
#define OFF_CPU_PERIOD src->period
#define OFF_CPU_CGROUP task_cgroup(src->task)
#define OFF_CPU_COMM_LO task_comm(src->task, false)
#define OFF_CPU_COMM_HI task_comm(src->task, true)
#define OFF_CPU_RAND bpf_get_prandom_u32()
#define OFF_CPU_COMM_GLOB task_comm_matches(src->task, src->words, index)
#define OFF_CPU_EVERY task_every(src->words, src->every, index)
#define OFF_CPU_CGROUP_AT task_cgroup_at(src->task, index)

/*
 * FILTER_READS(OF): what the includer of one of filter-sample.bpf.h, filter-sample-old.bpf.h, filter-tp.bpf.h and filter-task.bpf.h can read. The
 * loader looks into it, and refuses a table with any other term (util/judge/program-table.c). OF expands a row of the lists to
 * an element, which is not 0 if the term is read.
 */
#define FILTER_READS(OF, ...) const volatile __u8 filter_reads[FILTER_TERM_MAX] = { FILTER_FIELDS(OF) FILTER_TESTS(OF) __VA_ARGS__ }

#endif

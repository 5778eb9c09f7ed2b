/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of the state before the recording, from /proc and /sys: the kernel and its modules, tasks and their maps. They have time 0
 * and the sample_id tail of one event, so that readers sort them first. Tasks may end, exec and map while they are read: a task that
 * has ended is left out, which is no error.
 */
#ifndef PERF_SYNTH_SYNTH_H
#define PERF_SYNTH_SYNTH_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct interp_names;
struct synth;

struct synth_opts {
	const struct perf_event_attr *attr; /* of the event that owns the records; copied */
	u64 id;				    /* of that event */
	bool no_maps;			    /* of tasks */
	bool data_maps;			    /* maps without PROT_EXEC too */
	bool build_ids;			    /* MMAP2 records carry the files' build-ids */
	struct kept_files *kept;	    /* is offered those files; NULL: nobody is */
	const struct interp_names *names;   /* of interpreters: processes have their mapping, too; NULL: none has. With build_ids */
	const char *proc;		    /* NULL: "/proc" */
	const char *sys;		    /* NULL: "/sys" */
	/* Gets runs of whole records; a negative return stops the calling function, which returns it. */
	int (*write)(void *data, const void *records, size_t size);
	void *data;
};

int synth__new(const struct synth_opts *opts, struct synth **synth, struct errmsg *err);
void synth__delete(struct synth *synth);

/*
 * Each returns 0, -ENOMEM or what write returned. Records may stay in a buffer until synth__flush(). Kernel addresses that this user
 * may not see are recorded as unknown (start 0).
 */
int synth__kernel(struct synth *synth);
/* FORK and COMM of all its threads, MMAP2 of its maps; NAMESPACES if attr says so */
int synth__process(struct synth *synth, pid_t pid);
/* COMM of a command that waits to run: it has samples in its exec before the kernel names it. Its own records tell the rest. */
int synth__command(struct synth *synth, pid_t pid, const char *comm);
int synth__family(struct synth *synth, pid_t pid); /* that process, and all that it and its children have started */
int synth__all_processes(struct synth *synth);
int synth__bpf_progs(struct synth *synth); /* KSYMBOL and BPF_EVENT of the loaded programs, if attr says so */
int synth__cgroups(struct synth *synth); /* CGROUP of all cgroups, if attr says so */
int synth__flush(struct synth *synth);

/*
 * What this user may not see: the number of processes without readable maps (needs CAP_SYS_PTRACE), and the kernel's addresses
 * (CAP_SYSLOG).
 */
u32 synth__nr_closed(const struct synth *synth);
bool synth__kernel_is_hidden(const struct synth *synth);

#endif

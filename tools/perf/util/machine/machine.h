/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recorded machine: its threads with their command names over time, the maps of each process, the dsos of the maps, and its
 * kernel. Fed with side-band records in time order; knows nothing about files, symbols or printing.
 */
#ifndef PERF_MACHINE_MACHINE_H
#define PERF_MACHINE_MACHINE_H

#include <stdbool.h>
#include "util/lib/types.h"
#include "util/perfdata/features.h" /* struct build_id */
#include "util/perfdata/record.h"

enum dso_kind {
	DSO_USER,	/* a file, or something without one: "[vdso]", "[heap]", "//anon" */
	DSO_KERNEL,	/* [kernel.kallsyms] */
	DSO_MODULE,	/* a kernel module: "[ext4]" */
	DSO_BPF,	/* bpf_prog_..., and other code that the kernel generated at run time */
};

#define DSO_PIDS 4

struct dso {		/* one per name and build-id; lives as long as its machine */
	char *name;	/* path as recorded: "/usr/lib/libc.so.6", "[kernel.kallsyms]"; memory without a file that may hold
			 * JIT code is "/tmp/perf-PID.map", as in stock perf */
	char *shown;	/* name for output: without control characters */
	char *short_name; /* short name for reports, cleaned in the same way: "libc.so.6", "[kernel.kallsyms]", "[ext4]" */
	enum dso_kind kind;
	u32 name_hash;	/* of short_name */
	u32 index;	/* in the order of creation, from 0: makes sort orders repeatable */
	bool is_generated; /* code made at run time, in memory without a file: the name is that of its table of symbols, /tmp/perf-PID.map */
	bool is_jitdump; /* a file with code made at run time, .../jit-PID.dump */
	struct build_id build_id;
	u64 ino;	/* of a jitdump, as first recorded; 0: unknown */
	/*
	 * The first processes that mapped it, 0: none. While one of them lives, /proc shows the dso's files in any mount namespace.
	 * Each member is set once, perhaps while another thread reads it: see dso__pid().
	 */
	u32 pid[DSO_PIDS];
	void *priv;	/* private to symbol/: this dso's table, loaded on first use; freed by the machine's dso_priv_free */
};

static inline u32 dso__pid(const struct dso *dso, unsigned int i)
{
	return __atomic_load_n(&dso->pid[i], __ATOMIC_RELAXED);
}

struct mapped {		/* what is mapped, and how: many maps of different processes share one */
	struct dso *dso;
	u32 prot;	/* PROT_*; from a MMAP record (not MMAP2) only PROT_EXEC or 0 */
	u32 flags;	/* MAP_*; 0 unknown */
	u64 ino;	/* of the file, if ino_known */
	bool ino_known;	/* from a MMAP2 record without a build-id */
};

struct map {		/* immutable; lives as long as its machine, even after it was replaced or cut */
	u64 start, end;	/* addresses in the process (or kernel), end excluded */
	u64 pgoff;	/* file offset of start; for memory without a file and the kernel: start itself */
	const struct mapped *of;
};

struct thread {		/* lives as long as its machine, even after another thread took over its tid */
	u32 pid, tid;	/* pid (u32)-1 unknown */
	u32 ppid;	/* (u32)-1 unknown */
	bool comm_set;	/* comm was set by a record, not generated */
	const char *comm; /* current command name for output; ":TID" while unknown. Interned: lives as long as its machine */
	const char *first_comm; /* the first name that was set; NULL: none so far */
	struct maps *maps; /* shared by the threads of a process; NULL after another thread took over its tid */
};

/* A command name for formats in which an empty one would be lost: "[no name]" for that, otherwise comm. */
const char *comm__shown(const char *comm);

struct machine;

struct machine *machine__new(void (*dso_priv_free)(struct dso *dso));
void machine__delete(struct machine *machine);

/* Feed one side-band record (MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL, CGROUP); others are ignored.
 * 0, -EINVAL for a malformed one, -ENOMEM. */
int machine__process(struct machine *machine, const union perf_record *record);

/*
 * Never NULL except for -ENOMEM: creates an unknown thread, also if the tid was known in another process. pid may be (u32)-1. tid 0
 * is "swapper".
 */
struct thread *machine__thread(struct machine *machine, u32 pid, u32 tid);

/* The thread that currently has this tid; NULL: unknown. */
struct thread *machine__known_thread(struct machine *machine, u32 tid);

/* Find the map of an address for code in cpumode (PERF_RECORD_MISC_KERNEL, _USER, ...); NULL if none. */
const struct map *machine__find_map(struct machine *machine, struct thread *thread, u8 cpumode, u64 addr);
/* Is there code of the thread's process at addr? */
bool machine__has_code(struct machine *machine, struct thread *thread, u64 addr);

/*
 * Version of all maps that machine__find_map() searches for this thread (NULL: only the kernel's): while it is unchanged, also for
 * another thread, every address that was looked for is found in the same map as before.
 */
u64 machine__maps_version(const struct machine *machine, const struct thread *thread);

/* How many addresses were looked for in the maps of the thread's process, without those of its parent. */
u32 machine__nr_finds(const struct thread *thread);

/* Call cb for all threads that currently have a tid until it returns non-zero; returns that value. */
int machine__for_each_thread(struct machine *machine, int (*cb)(const struct thread *thread, void *data), void *data);
/* The map of the thread's process that contains addr, or the first one after it; NULL: none, or another thread took over its tid. */
const struct map *machine__next_map(const struct thread *thread, u64 addr);

/* The path of a control group, from a CGROUP record; NULL: unknown. Lives as long as the machine. */
const char *machine__cgroup(const struct machine *machine, u64 id);

struct dso *machine__kernel(struct machine *machine); /* NULL before a kernel MMAP record */
u64 machine__kernel_size(const struct machine *machine); /* bytes, as recorded: of its code, or up to a guessed end; 0: unknown */
u64 machine__kernel_text(struct machine *machine, const char **ref_name); /* recorded address of _text or _stext, 0: unknown */
/* From the file's header: for present and future dsos with that name whose records had no build-id. 0 or -ENOMEM. */
int machine__set_build_id(struct machine *machine, const char *name, const struct build_id *id);

/*
 * Copy the kernel, and those threads that currently have a tid, with their maps, which the function says yes to, into a machine without
 * any. This is how to forget what has ended. 0 or -ENOMEM.
 */
int machine__copy(struct machine *to, struct machine *from, bool (*is_wanted)(const struct thread *thread, void *data), void *data);

int machine__for_each_dso(struct machine *machine, int (*cb)(struct dso *dso, void *data), void *data);

#endif

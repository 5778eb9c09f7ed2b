/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gives the programs that unwind user stacks (bpf_skel/unwind.bpf.h) their tables: for the files that processes have mapped at the
 * start, and for those that programs ask for. Each file has one table, whatever number of processes maps it.
 */
#ifndef PERF_SOURCE_UNWIND_FEEDER_H
#define PERF_SOURCE_UNWIND_FEEDER_H

#include <sys/types.h>
#include "util/bpf/programs.h"
#include "util/lib/errmsg.h"
#include "util/bpf_skel/unwind-sample.h"
#include "util/lib/types.h"
#include "util/source/interp-feeder.h"
#include "util/source/unwind-files.h"
#include "util/unwind/dwarf-walk.h"

struct unwind_feeder;

struct unwind_feeder_counts {
	u64 tables, bytes;  /* that programs have now */
	u64 rows;	    /* of them */
	u64 cached;	    /* tables that were read, not made */
	u64 bare;	    /* files without rules for unwinding */
	u64 failed;	    /* files that could not be read */
	u64 gone;	    /* files that were gone, with all processes that had them, before they could be read; each time */
	u64 postponed;	    /* tables of files that are written to all the time; each time one was asked for */
	u64 over_budget;    /* tables of users who had no time left for them (unwind-budget.h), each time */
	u64 refused;	    /* tables that did not fit into the memory */
	u64 refused_rules;  /* distinct rules that did not fit into the set of them */
	u64 thrown_out;	    /* tables that others took the place of */
	u64 ns;		    /* CPU time for making tables */
	u64 unread;	    /* files with an interpreter that is not known: their stacks are native, */
	char first_unread[256]; /* and what is the matter with the first one */
	u64 refused_names;  /* functions of interpreters whose names had no room */
};

/*
 * programs: loaded from bpf_image_unwind_tables; they must outlive the feeder. max_bytes: of tables, rounded up to whole segments
 * (2 MiB). -EPERM and others, with a text: what the kernel refuses.
 */
int unwind_feeder__new(struct bpf_programs *programs, size_t max_bytes, struct unwind_feeder **feeder, struct errmsg *err);
/* Read tables that were made before from this build-id cache, and keep there those that are made now. -ENOMEM */
int unwind_feeder__use_cache(struct unwind_feeder *feeder, const char *dir);
/* Any program may start: read those tables of the cache that are likely to be needed when there is nothing else to do. */
void unwind_feeder__expect_programs(struct unwind_feeder *feeder);
/* Number the files, and name them here; files must outlive the feeder. */
void unwind_feeder__name_files(struct unwind_feeder *feeder, struct unwind_files *files);
/* Recognise interpreters in files that get tables; interp must outlive the feeder. */
void unwind_feeder__find_interpreters(struct unwind_feeder *feeder, struct interp_feeder *interp);
void unwind_feeder__delete(struct unwind_feeder *feeder); /* NULL is fine */

/* Make the tables of the files that this process has mapped; pid 0: that all processes have. */
int unwind_feeder__add_process(struct unwind_feeder *feeder, pid_t pid, struct errmsg *err);

/* The same for what nearly every program has: the C library, the dynamic linker and the vdso, as perf has them. */
int unwind_feeder__add_common(struct unwind_feeder *feeder, struct errmsg *err);

/* Readable when programs have asked for tables; owned by the programs. */
int unwind_feeder__fd(const struct unwind_feeder *feeder);
/* Note what was asked for, and open those files. -errno: the ring is broken, or no memory is left. */
int unwind_feeder__take(struct unwind_feeder *feeder);
/*
 * Make the next table of them, that of the smallest file; if there is none, read or write one of the cache. 1, 0: there was nothing to do, or
 * -ENOMEM.
 */
int unwind_feeder__make_next(struct unwind_feeder *feeder);

/* Ask for this table as programs do: a process will need it that needs another one. 0, also if it is known or asked for, or -ENOMEM. */
int unwind_feeder__ask(struct unwind_feeder *feeder, const struct unwind_mapping *mapping);

/*
 * For stacks that are finished in user space: the id of the rule at that offset of the mapped file, whose table is made now if need be.
 * UNWIND_GOES_ON, or why there is none.
 */
enum unwind_end unwind_feeder__rule(struct unwind_feeder *feeder, const struct unwind_mapping *mapping, u64 offset, u32 *rule);
/* The file's call frame information; NULL: unknown. Owned by the feeder, and valid until another table is made. */
struct dwarf_cfi *unwind_feeder__cfi(struct unwind_feeder *feeder, const struct unwind_mapping *mapping);
const struct unwind_rules *unwind_feeder__rules(const struct unwind_feeder *feeder);
/* Are frames to be places in files? Then the place at that offset of the mapped file (UNWIND_PLACE). */
bool unwind_feeder__names_files(const struct unwind_feeder *feeder);
u64 unwind_feeder__place(const struct unwind_feeder *feeder, const struct unwind_mapping *mapping, u64 offset);

struct unwind_feeder_counts unwind_feeder__counts(const struct unwind_feeder *feeder);

#endif

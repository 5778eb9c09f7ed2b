/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waits for locks by what is shown of them: one row for each caller, task, lock or cgroup, whatever number of stacks and keys the
 * kernel counted them by.
 */
#ifndef PERF_UI_LOCK_ROWS_H
#define PERF_UI_LOCK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include "ui/lock/frames.h"
#include "util/lib/types.h"
#include "util/machine/machine.h"
#include "util/source/tally.h"

enum lock_view {
	LOCK_VIEW_CALLER,
	LOCK_VIEW_TASK,
	LOCK_VIEW_LOCK,
	LOCK_VIEW_CGROUP,
};

#define LOCK_NAME_MAX 256

struct lock_row {
	u64 nr, total, max, min; /* waits, and their times in ns */
	u32 type;		 /* LOCK_FLAG_*; 0 is one, too. Of callers and locks; of a lock that of the first wait */
	u32 tid;		 /* of a task */
	u64 lock;		 /* the address of a lock */
	u64 cgroup;
	char name[LOCK_NAME_MAX]; /* the caller, the task's comm, what is known of the lock or "", or the path of the cgroup */
	u32 pid;		 /* of the process that a futex belongs to; 0: it is none, or processes share it */
	u64 ino, offset;	 /* of a futex that they share: the place in the file; otherwise 0 */
	u32 stack_pid;		 /* as lock_stack.pid, of frame */
	u64 *frame;		 /* the stack with the longest waits, from the caller on; NULL: none was taken */
	u32 nr_frames;
	u64 frames_total;	 /* ns of the waits with this stack */
};

struct lock_rows_opts {
	enum lock_view view;
	int skip;		    /* frames before the caller, or LOCK_SKIP_BY_NAME */
	u32 max_frames;		    /* of a row's stack */
	/* Keep waits for locks with these names, as -l prints them, which end with NULL, or addresses. lock NULL: keep all */
	const char *const *lock;
	const u64 *address;
	u32 nr_addresses;
	const char *const *substring; /* keep stacks that have one of these in the name of a frame; ends with NULL. NULL: keep all */
	struct machine *machine; /* of a recording, names its cgroups; NULL: they are those of the running system */
};

struct lock_rows;

struct lock_rows *lock_rows__new(const struct lock_rows_opts *opts, const struct lock_frames *frames); /* NULL: no memory */
/* Do the options keep it? */
bool lock_rows__wants(const struct lock_rows *rows, const struct tally_row *row);
int lock_rows__add(struct lock_rows *rows, const struct tally_row *row); /* one that is wanted. 0 or -ENOMEM */
void lock_rows__clear(struct lock_rows *rows);

/* What to sort by, the greatest first */
enum lock_number {
	LOCK_CONTENDED,
	LOCK_WAIT_TOTAL,
	LOCK_WAIT_MAX,
	LOCK_WAIT_MIN,
	LOCK_AVG_WAIT,
	LOCK_NR_NUMBERS,
};
u64 lock_row__number(const struct lock_row *row, enum lock_number number);
const char *lock_number__name(enum lock_number number); /* for -k and -F */

/* The rows in that order, owned by rows; *nr of them. NULL: no memory. */
struct lock_row **lock_rows__sorted(struct lock_rows *rows, enum lock_number number, size_t *nr);
void lock_rows__delete(struct lock_rows *rows); /* NULL is fine */

#endif

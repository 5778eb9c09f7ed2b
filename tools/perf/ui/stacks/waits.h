/* SPDX-License-Identifier: GPL-2.0 */
/* What a thread waits for, in words: a lock with its owner, the end of a thread, a file. */
#ifndef PERF_UI_STACKS_WAITS_H
#define PERF_UI_STACKS_WAITS_H

#include "util/lib/text.h"
#include "util/session/session.h"
#include "util/source/syscall-formats.h"
#include "util/source/thread-stacks.h"

struct stacks_waits { /* of one snapshot */
	struct session *session;
	const struct thread_stacks *all;
	struct syscall_formats *formats; /* which arguments are files; NULL: unknown */
};

/* 0 or -ENOMEM, with err. Ends with __exit() in any case. */
int stacks_waits__init(struct stacks_waits *w, struct session *session, const struct thread_stacks *all, struct errmsg *err);
void stacks_waits__exit(struct stacks_waits *w);

/*
 * "waits for mutex 0x7fe5f2500040 (lock), held by thread 4711 (worker)", "uses file 3 </dev/null>", or "waits for
 * the kernel's mutex 0xffff888104c3f0a0, held by thread 4711 (worker); uses file 3 <pipe:[42]>"; nothing, if it is not known
 */
void stacks_waits__describe(const struct stacks_waits *w, struct text *to, const struct thread_stack *stack);
/* "thread 4711 (worker)" */
void stacks_waits__put_thread(struct text *to, const struct thread_stacks *all, u32 pid, u32 tid);

#endif

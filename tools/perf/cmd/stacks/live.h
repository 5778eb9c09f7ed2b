/* SPDX-License-Identifier: GPL-2.0 */
/* Takes snapshots of running processes and names their stacks: by a session, which learns of their files, and an unwinder. */
#ifndef PERF_CMD_STACKS_LIVE_H
#define PERF_CMD_STACKS_LIVE_H

#include "util/session/session.h"
#include "util/source/thread-stacks.h"
#include "util/synth/synth.h"

struct stacks_live { /* starts zeroed */
	struct perfdata_event event;
	struct session *session;
	struct synth *synth;
	struct snapshot *snapshot;
	struct unwinder *unwinder;
	struct callchain chain;
	struct thread_stacks stacks; /* of the last snapshot */
	u32 max_stack; /* of the user's frames */
	bool inlined;  /* inlined functions are frames */
	bool keeps_names; /* names of functions must live as long as this */
	struct stacks_recording *recording; /* gets what the session learns; NULL: none. With one, return addresses stay as they are */
	u32 nr_taken;  /* snapshots by this session */
	struct errmsg *err; /* of what is written to the session */
};

/* max_stack, inlined, keeps_names and recording are set before. 0 or -errno: as snapshot__new() */
int stacks_live__begin(struct stacks_live *live, const struct snapshot_opts *opts, struct errmsg *err);
/* What was resolved before is not valid any more, unless keeps_names. */
int stacks_live__take(struct stacks_live *live, struct errmsg *err);

/* The name of a task's process; NULL: it is a thread of the kernel. Lives as long as the session. */
const char *stacks_live__comm(const struct stacks_live *live, const struct snapshot_task *task);
/* Name the frames of a stack, in live->chain, until the next call. *cut: the user has more. 0 or -ENOMEM */
int stacks_live__resolve(struct stacks_live *live, const struct thread_stack *stack, struct thread **thread, bool *cut);
void stacks_live__exit(struct stacks_live *live);

#endif

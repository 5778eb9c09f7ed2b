// SPDX-License-Identifier: GPL-2.0
#include "cmd/stacks/deadlocks.h"

#include <errno.h>
#include "ui/stacks/waits.h"
#include "util/lib/advice.h"
#include "util/lib/stream.h"
#include "util/perfdata/record.h"
#include "util/source/wait-cycles.h"

static bool still_waits(void *data, const struct thread_stack *stack)
{
	return thread_stack__still_waits(stack, ((const struct stacks_live *)data)->snapshot);
}

static int put_thread(struct stacks_live *live, const struct stacks_look *look, const struct stacks_waits *waits, struct text *text,
		      const struct thread_stack *stack)
{
	struct thread *thread;
	bool cut;

	text__str(text, "  ");
	stacks_waits__put_thread(text, &live->stacks, stack->task->pid, stack->task->tid);
	text__char(text, ' ');
	stacks_waits__describe(waits, text, stack);
	text__str(text, ":\n");
	if (stacks_live__resolve(live, stack, &thread, &cut))
		return -ENOMEM;
	stacks_text__put_frames(text, look, live->chain.frame, live->chain.nr, cut);
	text__char(text, '\n');
	return 0;
}

/* In one process, mostly; those of several share the memory of the locks. */
static void put_title(struct stacks_live *live, struct text *text, const struct wait_cycle *cycle)
{
	const struct snapshot_task *task = cycle->thread[0]->task;
	const char *comm = stacks_live__comm(live, task);
	bool several = false;

	for (u32 i = 1; i < cycle->nr; i++)
		several |= cycle->thread[i]->task->pid != task->pid;
	text__printf(text, "deadlock of %u thread%s of ", cycle->nr, plural(cycle->nr));
	if (several)
		text__str(text, "several processes:\n\n");
	else
		text__printf(text, "%s (%u):\n\n", comm ? comm__shown(comm) : "a process", task->pid);
}

static int put_cycle(struct stacks_live *live, const struct stacks_look *look, const struct stacks_waits *waits, struct text *text,
		     const struct wait_cycle *cycle)
{
	int ret = 0;

	put_title(live, text, cycle);
	for (u32 i = 0; i < cycle->nr && !ret; i++)
		ret = put_thread(live, look, waits, text, cycle->thread[i]);
	if (cycle->nr_behind)
		text__printf(text, "  %u more thread%s for %s\n\n", cycle->nr_behind, cycle->nr_behind == 1 ? " waits" : "s wait",
			     cycle->nr == 1 ? "it" : "them");
	return ret;
}

static void put_summary(struct text *text, const struct stacks_live *live, const struct stacks_summary *summary,
			const struct wait_cycles *cycles)
{
	stacks_text__put_summary(text, summary, live->stacks.nr);
	text__printf(text, "%u deadlock%s; %u wait%s for a futex or a lock of the kernel, %u of which for a thread that is known, read in %.1f ms\n\n", cycles->nr,
		     plural(cycles->nr), cycles->nr_waits, cycles->nr_waits == 1 ? "s" : "", cycles->nr_owned, summary->took_ns / 1e6);
}

int stacks_deadlocks__print(struct stacks_live *live, const struct stacks_look *look, const struct stacks_summary *summary)
{
	struct stacks_waits waits = {};
	struct wait_cycles cycles = {};
	struct text text = {};
	struct errmsg err;
	int ret = wait_cycles__find(&cycles, &live->stacks, still_waits, live);

	ret = ret ?: stacks_waits__init(&waits, live->session, &live->stacks, &err);
	if (!ret)
		put_summary(&text, live, summary, &cycles);
	for (u32 i = 0; i < cycles.nr && !ret; i++)
		ret = put_cycle(live, look, &waits, &text, &cycles.cycle[i]);
	if (text.buf && !text.failed)
		fwrite(text.buf, 1, text.len, look->fp);
	stream__flush(look->fp);
	ret = text.failed ? -ENOMEM : ret;
	text__exit(&text);
	stacks_waits__exit(&waits);
	wait_cycles__exit(&cycles);
	return ret;
}

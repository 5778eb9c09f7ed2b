// SPDX-License-Identifier: GPL-2.0
#include "ui/stacks/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include "ui/json.h"
#include "util/source/syscall-number.h"

struct stacks_json {
	yajl_gen gen;
	FILE *fp;
};

struct stacks_json *stacks_json__new(FILE *fp)
{
	struct stacks_json *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->fp = fp;
	j->gen = json__new(fp);
	if (!j->gen) {
		free(j);
		return NULL;
	}
	yajl_gen_map_open(j->gen);
	json__string(j->gen, "snapshots");
	yajl_gen_array_open(j->gen);
	return j;
}

void stacks_json__delete(struct stacks_json *j)
{
	if (!j)
		return;
	yajl_gen_free(j->gen);
	free(j);
}

static void put_hex(yajl_gen gen, const char *key, u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "%#" PRIx64, value);
	json__put_text(gen, key, text);
}

static void put_frame(yajl_gen gen, const struct location *loc)
{
	yajl_gen_map_open(gen);
	put_hex(gen, "address", loc->addr);
	if (loc->sym) {
		json__put_text(gen, "symbol", loc->sym->name);
		json__put_number(gen, "offset", loc->sym_addr - loc->sym->start);
		json__put_number(gen, "inlined", loc->sym->inlined);
	}
	if (loc->dso)
		json__put_text(gen, "dso", loc->dso->name);
	yajl_gen_map_close(gen);
}

static void put_thread(yajl_gen gen, const struct thread_stack *stack)
{
	const struct snapshot_task *task = stack->task;
	char name[sizeof(task->comm) + 1];

	snprintf(name, sizeof(name), "%.*s", (int)sizeof(task->comm), task->comm);
	yajl_gen_map_open(gen);
	json__put_number(gen, "pid", task->pid);
	json__put_number(gen, "tid", task->tid);
	json__put_text(gen, "comm", name);
	json__put_number(gen, "cpu", task->cpu);
	json__put_number(gen, "off_cpu_ns", task->off_ns);
	if (stack->wait.kind != FUTEX_KIND_NONE)
		put_hex(gen, "futex", stack->wait.address);
	if (thread_stack__waits_in_kernel(stack))
		put_hex(gen, "kernel_lock", task->lock.address);
	if (stack->owner)
		json__put_number(gen, "waits_for_tid", stack->owner);
	yajl_gen_map_close(gen);
}

static void put_wait(yajl_gen gen, const struct stacks_wait *wait)
{
	yajl_gen_map_open(gen);
	json__put_text(gen, "text", wait->text);
	json__put_number(gen, "threads", wait->nr);
	yajl_gen_map_close(gen);
}

#define PUT_LIST(gen, name, nr, put, item)		\
	do {						\
		json__string(gen, name);		\
		yajl_gen_array_open(gen);		\
		for (u32 i = 0; i < (nr); i++)		\
			put(gen, item);			\
		yajl_gen_array_close(gen);		\
	} while (0)

static const char *quality_name(u8 quality)
{
	return quality == STACK_WHOLE ? "whole" : quality == STACK_CLOSED ? "kernel only" : "unknown";
}

static void put_group(yajl_gen gen, const struct stacks_group *group)
{
	yajl_gen_map_open(gen);
	json__put_number(gen, "count", group->nr);
	json__put_text(gen, "process", group->comm);
	json__put_text(gen, "state", stacks_state__name(group->state));
	if (group->call >= 0 && group->state != OFFCPU_RUNNING)
		json__put_text(gen, "syscall", syscall_name(group->call));
	json__put_text(gen, "stack", quality_name(group->quality));
	json__put_number(gen, "cut", group->cut);
	PUT_LIST(gen, "waits", group->nr_waits, put_wait, &group->wait[i]);
	PUT_LIST(gen, "threads", group->nr, put_thread, group->thread[i]);
	PUT_LIST(gen, "frames", group->nr_frames, put_frame, &group->frame[i]);
	yajl_gen_map_close(gen);
}

void stacks_json__add(struct stacks_json *j, const struct stacks_summary *summary, struct stacks_groups *groups)
{
	const u32 nr = stacks_groups__sort(groups);

	yajl_gen_map_open(j->gen);
	json__put_number(j->gen, "at_ns", summary->at_ns);
	json__put_number(j->gen, "took_ns", summary->took_ns);
	PUT_LIST(j->gen, "groups", nr, put_group, stacks_groups__at(groups, i));
	yajl_gen_map_close(j->gen);
}

void stacks_json__finish(struct stacks_json *j)
{
	yajl_gen_array_close(j->gen);
	yajl_gen_map_close(j->gen);
	fputc('\n', j->fp);
}

// SPDX-License-Identifier: GPL-2.0
#include "ui/lock/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "ui/json.h"
#include "util/lib/stream.h"
#include "util/source/lock-types.h"

struct lock_json {
	const struct lock_output_opts *opts;
	yajl_gen gen;
};

struct lock_json *lock_json__new(const struct lock_output_opts *opts)
{
	struct lock_json *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->opts = opts;
	j->gen = json__new(opts->fp);
	if (!j->gen) {
		free(j);
		return NULL;
	}
	yajl_gen_map_open(j->gen);
	if (opts->interval)
		json__put_number(j->gen, "interval_ms", opts->interval);
	json__string(j->gen, "rounds");
	yajl_gen_array_open(j->gen);
	return j;
}

static void put_who(const struct lock_json *j, const struct lock_row *row)
{
	char address[20];

	switch (j->opts->view) {
	case LOCK_VIEW_CALLER:
		json__put_text(j->gen, "type", lock_type__name(row->type));
		json__put_text(j->gen, "caller", row->name);
		break;
	case LOCK_VIEW_TASK:
		if (row->tid < LOCK_OWNER_READERS)
			json__put_number(j->gen, "pid", row->tid);
		json__put_text(j->gen, "comm", row->name);
		break;
	case LOCK_VIEW_LOCK:
		snprintf(address, sizeof(address), "%" PRIx64, row->lock);
		json__put_text(j->gen, "address", address);
		json__put_text(j->gen, "symbol", row->name);
		json__put_text(j->gen, "type", lock_type__name(row->type));
		if (row->pid)
			json__put_number(j->gen, "process", row->pid);
		break;
	case LOCK_VIEW_CGROUP:
		json__put_text(j->gen, "cgroup", row->name);
		break;
	}
}

static void put_stack(const struct lock_json *j, const struct lock_row *row, const struct lock_frames *frames)
{
	char name[LOCK_NAME_MAX];

	json__string(j->gen, "stack");
	yajl_gen_array_open(j->gen);
	for (u32 i = 0; i < row->nr_frames; i++)
		json__string(j->gen, lock_frames__name(frames, row->stack_pid, row->frame[i], name, sizeof(name)));
	yajl_gen_array_close(j->gen);
}

static void put_row(const struct lock_json *j, const struct lock_row *row, const struct lock_frames *frames)
{
	yajl_gen_map_open(j->gen);
	put_who(j, row);
	json__put_number(j->gen, "contended", row->nr);
	json__put_number(j->gen, "total_wait", row->total);
	json__put_number(j->gen, "max_wait", row->max);
	json__put_number(j->gen, "min_wait", row->min);
	json__put_number(j->gen, "avg_wait", lock_row__number(row, LOCK_AVG_WAIT));
	if (j->opts->stacks)
		put_stack(j, row, frames);
	yajl_gen_map_close(j->gen);
}

int lock_json__round(struct lock_json *j, struct lock_rows *rows, const struct lock_frames *frames)
{
	size_t nr;
	struct lock_row **row = lock_rows__sorted(rows, j->opts->sort, &nr);

	if (!row)
		return -ENOMEM;
	yajl_gen_map_open(j->gen);
	if (j->opts->interval)
		json__put_now(j->gen, "time");
	json__string(j->gen, "rows");
	yajl_gen_array_open(j->gen);
	for (size_t i = 0; i < nr && (!j->opts->max_rows || i < j->opts->max_rows); i++)
		put_row(j, row[i], frames);
	yajl_gen_array_close(j->gen);
	yajl_gen_map_close(j->gen);
	stream__flush(j->opts->fp);
	return 0;
}

void lock_json__finish(struct lock_json *j, const struct lock_totals *t, const struct tally_counts *c)
{
	yajl_gen_array_close(j->gen);
	json__string(j->gen, "waits");
	yajl_gen_map_open(j->gen);
	json__put_number(j->gen, "seen", t->begins);
	json__put_number(j->gen, "ended", t->ends);
	json__put_number(j->gen, "lost", t->lost);
	json__put_number(j->gen, "unended", t->unended);
	json__put_number(j->gen, "open", t->open);
	json__put_number(j->gen, "unjudged", t->unjudged);
	json__put_number(j->gen, "early", t->early);
	json__put_number(j->gen, "seeded", t->seeded);
	json__put_number(j->gen, "nested", t->nested);
	json__put_number(j->gen, "timed_out", t->timed_out);
	json__put_number(j->gen, "interrupted", t->interrupted);
	json__put_number(j->gen, "no_stack", t->no_stack);
	json__put_number(j->gen, "late_owners", t->late_owners);
	json__put_number(j->gen, "missed", t->missed);
	json__put_number(j->gen, "full", c->lost_keys + c->lost_spill);
	yajl_gen_map_close(j->gen);
	yajl_gen_map_close(j->gen);
	fputc('\n', j->opts->fp);
}

void lock_json__delete(struct lock_json *j)
{
	if (!j)
		return;
	yajl_gen_free(j->gen);
	free(j);
}

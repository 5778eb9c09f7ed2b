// SPDX-License-Identifier: GPL-2.0
/*
 * A file of Speedscope (https://www.speedscope.app/file-format-schema.json): one "sampled" profile for each event of each thread,
 * in the order of time. Speedscope draws samples one behind the other, each as wide as its weight, so it shows when in the order
 * of the thread's own samples something ran, not the time between them.
 */
#include "ui/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ui/json.h"

static void put_frame(yajl_gen gen, const struct timeline_function *f)
{
	yajl_gen_map_open(gen);
	json__put_text(gen, "name", f->name);
	if (f->dso)
		json__put_text(gen, "file", f->dso->shown);
	yajl_gen_map_close(gen);
}

/* Outermost frame first. The frames are put together in room, which has place for the deepest stack. */
static void put_stack(yajl_gen gen, const struct timeline *t, u32 stack, u32 *room)
{
	u32 nr = 0;

	for (; stack != TIMELINE_NONE; stack = t->stack[stack].caller)
		room[nr++] = t->stack[stack].function;
	yajl_gen_array_open(gen);
	while (nr > 0)
		yajl_gen_integer(gen, room[--nr]);
	yajl_gen_array_close(gen);
}

/* The number of samples from i on with the same stack; they become one. */
static size_t run_length(const struct timeline_row *row, size_t i)
{
	size_t end = i + 1;

	while (end < row->nr && row->sample[end].node == row->sample[i].node)
		end++;
	return end - i;
}

static void put_weights(yajl_gen gen, const struct timeline_row *row)
{
	yajl_gen_array_open(gen);
	for (size_t i = 0, nr; i < row->nr; i += nr) {
		u64 sum = 0;

		nr = run_length(row, i);
		for (size_t k = i; k < i + nr; k++)
			sum += row->sample[k].period;
		json__number(gen, sum);
	}
	yajl_gen_array_close(gen);
}

static void put_row(yajl_gen gen, const struct profile *profile, const struct timeline_row *row, u32 *room)
{
	const struct profile_event *event = profile->timeline_event[row->event];
	char name[256];

	snprintf(name, sizeof(name), "%s (%u)%s%s", row->comm, row->tid, profile->nr_events > 1 ? " " : "",
		 profile->nr_events > 1 ? event->name : "");
	yajl_gen_map_open(gen);
	json__put_text(gen, "type", "sampled");
	json__put_text(gen, "name", name);
	json__put_text(gen, "unit", !strcmp(profile_event__unit(event), "nanoseconds") ? "nanoseconds" : "none");
	json__put_number(gen, "startValue", 0);
	json__put_number(gen, "endValue", row->total_period);
	json__string(gen, "samples");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < row->nr; i += run_length(row, i))
		put_stack(gen, profile->timeline, timeline__stack(profile->timeline, &row->sample[i]), room);
	yajl_gen_array_close(gen);
	json__string(gen, "weights");
	put_weights(gen, row);
	yajl_gen_map_close(gen);
}

static void put_file(yajl_gen gen, const struct profile *profile, u32 *room)
{
	const struct timeline *t = profile->timeline;

	yajl_gen_map_open(gen);
	json__put_text(gen, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json__put_text(gen, "name", profile->cmdline);
	json__put_text(gen, "exporter", "perf");
	json__put_number(gen, "activeProfileIndex", 0);
	json__string(gen, "shared");
	yajl_gen_map_open(gen);
	json__string(gen, "frames");
	yajl_gen_array_open(gen);
	for (u32 i = 0; i < t->nr_functions; i++)
		put_frame(gen, &t->function[i]);
	yajl_gen_array_close(gen);
	yajl_gen_map_close(gen);
	json__string(gen, "profiles");
	yajl_gen_array_open(gen);
	for (u32 i = 0; i < t->nr_rows; i++)
		put_row(gen, profile, &t->row[i], room);
	yajl_gen_array_close(gen);
	yajl_gen_map_close(gen);
}

int profile__write_speedscope(const struct profile *profile, FILE *fp, struct errmsg *err)
{
	u32 *room = calloc(profile->timeline->max_depth + 1, sizeof(*room));
	yajl_gen gen = json__new(fp);

	if (room && gen)
		put_file(gen, profile, room);
	if (gen)
		yajl_gen_free(gen);
	fputc('\n', fp);
	free(room);
	return room && gen ? 0 : errmsg__set(err, ENOMEM, "out of memory");
}

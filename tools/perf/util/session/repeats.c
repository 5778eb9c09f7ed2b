// SPDX-License-Identifier: GPL-2.0
#include "util/session/repeats.h"

#include <stdlib.h>
#include <string.h>

#include "util/lib/pages.h"

#define FIRST_KINDS 4096

struct repeat { /* all zero: nothing is known of the kind */
	u64 token;
	u64 maps_version;
	const char *comm;
	u64 nr, period;
};

struct repeats {
	repeats_cb cb;
	void *data;
	struct repeat *repeat; /* by kind */
	u32 alloc;
	u32 end; /* behind the last kind that was set */
};

struct repeats *repeats__new(repeats_cb cb, void *data)
{
	struct repeats *repeats = calloc(1, sizeof(*repeats));

	if (!repeats)
		return NULL;
	repeats->cb = cb;
	repeats->data = data;
	return repeats;
}

void repeats__delete(struct repeats *repeats)
{
	if (!repeats)
		return;
	pages__delete(repeats->repeat, repeats->alloc * sizeof(*repeats->repeat));
	free(repeats);
}

void repeats__prefetch(const struct repeats *repeats, u32 kind)
{
	if (kind >= repeats->end)
		return;
	__builtin_prefetch(&repeats->repeat[kind]);
	__builtin_prefetch(&repeats->repeat[kind].period);
}

bool repeats__knows(const struct repeats *repeats, u32 kind)
{
	return kind < repeats->end && repeats->repeat[kind].token;
}

bool repeats__count(struct repeats *repeats, const struct kind_of_sample *sample, const char *comm, u64 maps_version)
{
	struct repeat *repeat = &repeats->repeat[sample->kind];

	if (!repeats__knows(repeats, sample->kind) || repeat->comm != comm || repeat->maps_version != maps_version)
		return false;
	repeat->nr++;
	repeat->period += sample->period;
	return true;
}

static void tell(struct repeats *repeats, struct repeat *repeat)
{
	if (repeat->nr)
		repeats->cb(repeat->token, repeat->nr, repeat->period, repeats->data);
}

static bool reserve(struct repeats *repeats, u32 kind)
{
	const size_t size = sizeof(*repeats->repeat);
	u32 alloc = repeats->alloc ?: FIRST_KINDS;
	struct repeat *more;

	while (alloc <= kind && alloc < UINT32_MAX / 2)
		alloc *= 2;
	if (alloc <= kind)
		return false;
	if (alloc == repeats->alloc)
		return true;
	more = pages__grow(repeats->repeat, repeats->alloc * size, alloc * size);
	if (!more)
		return false;
	repeats->repeat = more;
	repeats->alloc = alloc;
	return true;
}

void repeats__set(struct repeats *repeats, u32 kind, const char *comm, u64 maps_version, u64 token)
{
	if ((!token && !repeats__knows(repeats, kind)) || !reserve(repeats, kind))
		return;
	tell(repeats, &repeats->repeat[kind]);
	repeats->repeat[kind] = (struct repeat){ .token = token, .maps_version = maps_version, .comm = comm };
	if (kind >= repeats->end)
		repeats->end = kind + 1;
}

void repeats__flush(struct repeats *repeats)
{
	for (u32 i = 0; i < repeats->end; i++)
		tell(repeats, &repeats->repeat[i]);
	if (repeats->end)
		memset(repeats->repeat, 0, repeats->end * sizeof(*repeats->repeat));
	repeats->end = 0;
}

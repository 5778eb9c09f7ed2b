// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "read"
#include "cmd/read/recorded-ids.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/session-stdio.h"
#include "util/lib/log.h"
#include "util/symbol/symtab.h"

struct ids {
	u64 *nr_hits; /* by the index of the dso */
	u32 alloc;
	void (*cb)(const struct dso *dso, u64 nr_hits, void *data);
	void *data;
};

static int ids__make_room(struct ids *ids, u32 index)
{
	u32 alloc = 2 * index + 64;
	u64 *nr_hits;

	if (index < ids->alloc)
		return 0;
	nr_hits = realloc(ids->nr_hits, alloc * sizeof(*nr_hits));
	if (!nr_hits)
		return -ENOMEM;
	memset(nr_hits + ids->alloc, 0, (alloc - ids->alloc) * sizeof(*nr_hits));
	ids->nr_hits = nr_hits;
	ids->alloc = alloc;
	return 0;
}

static int ids__mark(struct ids *ids, struct session *s, struct thread *thread, u8 cpumode, u64 addr)
{
	const struct map *map = machine__find_map(session__machine(s), thread, cpumode, addr);

	if (!map)
		return 0;
	if (ids__make_room(ids, map->of->dso->index))
		return -ENOMEM;
	ids->nr_hits[map->of->dso->index]++;
	return 0;
}

/* PERF_CONTEXT_* markers are the largest numbers, and say of which kind the addresses after them are. */
static u8 mode_after(u64 marker, u8 cpumode)
{
	if (marker == PERF_CONTEXT_KERNEL)
		return PERF_RECORD_MISC_KERNEL;
	return marker == PERF_CONTEXT_USER ? PERF_RECORD_MISC_USER : cpumode;
}

static int ids__mark_sample(struct session *s, const struct session_sample *ss, void *data)
{
	const struct perf_sample *sample = ss->sample;
	int ret = ids__mark(data, s, ss->thread, sample->cpumode, sample->ip);
	u8 cpumode = sample->cpumode;

	for (u64 i = 0; i < sample->nr_callchain && !ret; i++) {
		u64 word = sample->callchain[i];

		if (word >= PERF_CONTEXT_MAX)
			cpumode = mode_after(word, cpumode);
		else
			ret = ids__mark(data, s, ss->thread, cpumode, word);
	}
	return ret;
}

static int ids__pass_on(struct dso *dso, void *data)
{
	const struct ids *ids = data;

	ids->cb(dso, dso->index < ids->alloc ? ids->nr_hits[dso->index] : 0, ids->data);
	return 0;
}

static int ids__run(struct ids *ids, struct session *s, const char *input, bool counts)
{
	const struct session_ops ops = { .sample = counts ? ids__mark_sample : NULL };
	struct errmsg err = {};
	int ret = session__run(s, &ops, ids, &err);

	if (ret) {
		pr_err("%s: %s\n", input, err.text[0] ? err.text : strerror(-ret));
	} else {
		session__warn(s, input);
		machine__for_each_dso(session__machine(s), ids__pass_on, ids);
	}
	free(ids->nr_hits);
	return ret;
}

int recorded_files__for_each(struct session *s, const char *input, void (*cb)(const struct dso *dso, u64 nr_hits, void *data), void *data)
{
	struct ids ids = { .cb = cb, .data = data };

	return ids__run(&ids, s, input, true);
}

struct with_id {
	bool hits_only;
	void (*cb)(const struct dso *dso, void *data);
	void *data;
};

static void pass_with_id(const struct dso *dso, u64 nr_hits, void *data)
{
	const struct with_id *with = data;

	if (dso->build_id.size && (!with->hits_only || nr_hits))
		with->cb(dso, with->data);
}

int recorded_ids__for_each(struct session *s, const char *input, bool hits_only, void (*cb)(const struct dso *dso, void *data), void *data)
{
	struct with_id with = { hits_only, cb, data };
	struct ids ids = { .cb = pass_with_id, .data = &with };

	return ids__run(&ids, s, input, hits_only);
}

void recorded_id__print(const struct dso *dso, void *data)
{
	char hex[41];

	printf("%s %s\n", build_id__str(&dso->build_id, hex), dso->shown);
}

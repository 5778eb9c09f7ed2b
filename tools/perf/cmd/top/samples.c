// SPDX-License-Identifier: GPL-2.0
#include "cmd/top/samples.h"

#include <errno.h>
#include <stdlib.h>

#include "util/lib/hash-index.h"

struct kept_sample {
	struct session_event *event;
	struct thread *thread;
	const char *comm; /* of the thread then */
	u32 pid, tid, cpu;
	u64 sample_type;
	u8 cpumode;
	u32 place, first, nr; /* frames: of its place, and of its callchain, in top_samples.chain; nr 0: it has none */
	u64 period, count;
};

struct top_samples {
	struct kept_sample *sample;
	struct location *frame; /* each once */
	u32 *chain; /* frames of callchains, one chain after the other */
	u32 nr, alloc, nr_frames, alloc_frames, nr_chain, alloc_chain;
	struct hash_index samples, frames;
	struct location *room; /* for one chain */
	u32 alloc_room;
};

struct top_samples *top_samples__new(void)
{
	return calloc(1, sizeof(struct top_samples));
}

void top_samples__delete(struct top_samples *s)
{
	if (!s)
		return;
	hash_index__exit(&s->samples);
	hash_index__exit(&s->frames);
	free(s->sample);
	free(s->frame);
	free(s->chain);
	free(s->room);
	free(s);
}

static int reserve(void *array, u32 nr, u32 *alloc, size_t size)
{
	void **place = array, *larger;
	u32 more = *alloc;

	while (more < nr)
		more = more ? 2 * more : 256;
	if (more == *alloc)
		return 0;
	larger = reallocarray(*place, more, size);
	if (!larger)
		return -ENOMEM;
	*place = larger;
	*alloc = more;
	return 0;
}

static u32 hash_frame(const struct location *loc)
{
	u64 hash = hash_mix(loc->addr, loc->cpumode);

	hash = hash_mix(hash, (uintptr_t)loc->dso);
	hash = hash_mix(hash, (uintptr_t)loc->sym);
	return hash_mix(hash, (uintptr_t)loc->code);
}

static bool is_same_frame(const struct location *a, const struct location *b)
{
	return a->addr == b->addr && a->cpumode == b->cpumode && a->dso == b->dso && a->sym == b->sym && a->code == b->code && a->map == b->map;
}

/* The frame's number, plus 1; 0: no memory. */
static u32 frame_number(struct top_samples *s, const struct location *loc)
{
	u32 hash = hash_frame(loc), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&s->frames, hash, &i))) {
		if (is_same_frame(&s->frame[slot->place - 1], loc))
			return slot->place;
	}
	if (reserve(&s->frame, s->nr_frames + 1, &s->alloc_frames, sizeof(*s->frame)) || hash_index__add(&s->frames, hash, s->nr_frames))
		return 0;
	s->frame[s->nr_frames] = *loc;
	s->frame[s->nr_frames].number = 0; /* it is the resolver's for a while only */
	return ++s->nr_frames;
}

/* Put the sample's frames behind the chains that are there: kept only if it is a new one. */
static int add_frames(struct top_samples *s, const struct session_sample *sample, struct kept_sample *kept)
{
	u32 nr = sample->chain ? sample->chain->nr : 0;

	if (reserve(&s->chain, s->nr_chain + nr, &s->alloc_chain, sizeof(*s->chain)))
		return -ENOMEM;
	kept->first = s->nr_chain;
	kept->nr = nr;
	kept->place = frame_number(s, &sample->loc);
	for (u32 i = 0; i < nr; i++) {
		s->chain[kept->first + i] = frame_number(s, &sample->chain->frame[i]);
		if (!s->chain[kept->first + i])
			return -ENOMEM;
	}
	return kept->place ? 0 : -ENOMEM;
}

static u32 hash_sample(const struct top_samples *s, const struct kept_sample *kept)
{
	u64 hash = hash_mix(kept->event->idx, (uintptr_t)kept->thread);

	hash = hash_mix(hash, (uintptr_t)kept->comm);
	hash = hash_mix(hash, kept->cpu);
	hash = hash_mix(hash, kept->place);
	for (u32 i = 0; i < kept->nr; i++)
		hash = hash_mix(hash, s->chain[kept->first + i]);
	return hash;
}

static bool is_same(const struct top_samples *s, const struct kept_sample *a, const struct kept_sample *b)
{
	return a->event == b->event && a->thread == b->thread && a->comm == b->comm && a->cpu == b->cpu && a->place == b->place &&
	       a->nr == b->nr && !memcmp(s->chain + a->first, s->chain + b->first, a->nr * sizeof(*s->chain));
}

static struct kept_sample *find(const struct top_samples *s, const struct kept_sample *kept, u32 hash)
{
	u32 i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&s->samples, hash, &i))) {
		if (is_same(s, &s->sample[slot->place - 1], kept))
			return &s->sample[slot->place - 1];
	}
	return NULL;
}

int top_samples__add(struct top_samples *s, const struct session_sample *sample)
{
	const struct perf_sample *raw = sample->sample;
	struct kept_sample kept = {
		.event = sample->evsel, .thread = sample->thread, .comm = sample->thread->comm, .pid = raw->pid, .tid = raw->tid, .cpu = raw->cpu,
		.sample_type = raw->sample_type & ~(u64)PERF_SAMPLE_RAW, .cpumode = raw->cpumode,
	}, *known;
	u32 hash;

	if (add_frames(s, sample, &kept))
		return -ENOMEM;
	hash = hash_sample(s, &kept);
	known = find(s, &kept, hash);
	if (!known) {
		if (reserve(&s->sample, s->nr + 1, &s->alloc, sizeof(*s->sample)) || hash_index__add(&s->samples, hash, s->nr))
			return -ENOMEM;
		known = &s->sample[s->nr++];
		*known = kept;
		s->nr_chain += kept.nr;
	}
	known->period += raw->period;
	known->count += raw->count;
	return 0;
}

static u64 aged(u64 sum)
{
	return sum - (sum + 7) / 8; /* down to 0 */
}

/* Frames stay: a program has only so many. */
void top_samples__age(struct top_samples *s, bool zero)
{
	u32 nr = s->nr;

	hash_index__exit(&s->samples);
	s->samples = (struct hash_index){};
	s->nr = s->nr_chain = 0;
	for (u32 i = 0; i < nr && !zero; i++) {
		struct kept_sample kept = s->sample[i];

		kept.period = aged(kept.period);
		kept.count = aged(kept.count);
		if (!kept.count)
			continue;
		memmove(s->chain + s->nr_chain, s->chain + kept.first, kept.nr * sizeof(*s->chain));
		kept.first = s->nr_chain;
		if (hash_index__add(&s->samples, hash_sample(s, &kept), s->nr))
			continue; /* without memory it is lost */
		s->sample[s->nr++] = kept;
		s->nr_chain += kept.nr;
	}
}

void top_samples__clear(struct top_samples *s)
{
	top_samples__age(s, true);
	hash_index__exit(&s->frames);
	s->frames = (struct hash_index){};
	s->nr_frames = 0;
}

int top_samples__for_each(struct top_samples *s, int (*cb)(const struct session_sample *sample, void *data), void *data)
{
	int ret = 0;

	for (u32 i = 0; i < s->nr && !ret; i++) {
		const struct kept_sample *kept = &s->sample[i];
		struct perf_sample raw = {
			.sample_type = kept->sample_type, .pid = kept->pid, .tid = kept->tid, .cpu = kept->cpu, .cpumode = kept->cpumode,
			.ip = s->frame[kept->place - 1].addr, .period = kept->period, .count = kept->count,
		};
		struct callchain chain = { .nr = kept->nr };
		struct session_sample sample = {
			.evsel = kept->event, .sample = &raw, .thread = kept->thread, .loc = s->frame[kept->place - 1],
			.chain = kept->nr ? &chain : NULL, .recorded_period = kept->period,
		};

		if (reserve(&s->room, kept->nr, &s->alloc_room, sizeof(*s->room)))
			return -ENOMEM;
		for (u32 k = 0; k < kept->nr; k++)
			s->room[k] = s->frame[s->chain[kept->first + k] - 1];
		chain.frame = s->room;
		ret = cb(&sample, data);
	}
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/session/read-ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "util/callchain/callchain.h"
#include "util/lib/pages.h"
#include "util/lib/threads.h"

/* Small enough for the CPU caches, large enough that wake-ups cost little. */
#define BATCH_ITEMS 2048
#define NR_BATCHES 8
#define FIRST_BATCHES 4 /* initial limit */
/* Of the file, for large records: what is read ahead stays in memory until it is delivered. */
#define BATCH_BYTES (1 << 20)
#define MAX_BYTES (3 << 20)

struct batch {
	struct order_item item[BATCH_ITEMS];
	struct numbered_sample numbered[BATCH_ITEMS];
	size_t nr;
	bool numbers_anew;
	u64 passed; /* data offset in the file: all records before it are delivered with this batch */
};

struct read_ahead {
	struct perfdata_reader *reader;
	const struct session_events *events;
	struct jit_maps *jit;
	struct sample_numbers *numbers; /* NULL: not used */
	struct errmsg *damage;
	pthread_t thread;
	int ret; /* result of reading, when done */
	struct batch *filling; /* owned by the reading thread */
	u64 passed, handed_over; /* handed_over: passed of the last batch */
	char apart[SESSION_APART];
	pthread_mutex_t lock; /* protects everything below */
	pthread_cond_t filled, emptied;
	u32 nr_filled, nr_emptied; /* batches so far: those in between are in the ring */
	bool is_out; /* the delivering thread is using the first batch */
	u32 limit; /* limit of batches in the ring */
	u64 delivered; /* passed of the last emptied batch */
	bool done, stop;
	struct batch batch[NR_BATCHES];
};

static bool is_far_ahead(const struct read_ahead *ra)
{
	u32 nr = ra->nr_filled - ra->nr_emptied;

	return nr >= ra->limit || (nr > 1 && ra->passed > ra->delivered + MAX_BYTES);
}

/* Wait until the next batch to fill is free; NULL: stop. */
static struct batch *get_free(struct read_ahead *ra)
{
	struct batch *batch = NULL;
	u64 delivered;

	pthread_mutex_lock(&ra->lock);
	while (is_far_ahead(ra) && !ra->stop)
		pthread_cond_wait(&ra->emptied, &ra->lock);
	if (!ra->stop)
		batch = &ra->batch[ra->nr_filled % NR_BATCHES];
	delivered = ra->delivered;
	pthread_mutex_unlock(&ra->lock);
	if (!batch)
		return NULL;
	perfdata_reader__release(ra->reader, delivered);
	batch->nr = 0;
	return batch;
}

static void hand_over(struct read_ahead *ra)
{
	struct batch *batch = ra->filling;

	batch->passed = ra->handed_over = ra->passed;
	if (ra->numbers)
		batch->numbers_anew = sample_numbers__find(ra->numbers, batch->item, batch->nr, batch->numbered);
	ra->filling = NULL;
	pthread_mutex_lock(&ra->lock);
	ra->nr_filled++;
	pthread_cond_signal(&ra->filled);
	pthread_mutex_unlock(&ra->lock);
}

static int take(const struct order_item *item, size_t nr, void *data)
{
	struct read_ahead *ra = data;

	while (nr) {
		size_t now;

		if (!ra->filling)
			ra->filling = get_free(ra);
		if (!ra->filling)
			return -ECANCELED;
		now = BATCH_ITEMS - ra->filling->nr < nr ? BATCH_ITEMS - ra->filling->nr : nr;
		memcpy(&ra->filling->item[ra->filling->nr], item, now * sizeof(*item));
		ra->filling->nr += now;
		item += now;
		nr -= now;
		if (ra->filling->nr == BATCH_ITEMS)
			hand_over(ra);
	}
	return 0;
}

/* Everything before pos is in this batch or in earlier ones. */
static void passed(u64 pos, void *data)
{
	struct read_ahead *ra = data;

	ra->passed = pos;
	if (ra->filling && pos > ra->handed_over + BATCH_BYTES)
		hand_over(ra);
}

static int settle(void *data)
{
	struct read_ahead *ra = data;
	bool stop;

	if (ra->filling)
		hand_over(ra);
	pthread_mutex_lock(&ra->lock);
	while (ra->nr_filled != ra->nr_emptied && !ra->stop)
		pthread_cond_wait(&ra->emptied, &ra->lock);
	stop = ra->stop;
	pthread_mutex_unlock(&ra->lock);
	return stop ? -ECANCELED : 0;
}

static void *read_all(void *data)
{
	struct read_ahead *ra = data;
	const struct read_sink sink = { take, passed, settle, ra };

	ra->ret = read_in_order(ra->reader, ra->events, ra->jit, &sink, ra->damage);
	if (ra->filling)
		hand_over(ra);
	pthread_mutex_lock(&ra->lock);
	ra->done = true;
	pthread_cond_signal(&ra->filled);
	pthread_mutex_unlock(&ra->lock);
	return NULL;
}

static void delete(struct read_ahead *ra)
{
	pthread_cond_destroy(&ra->emptied);
	pthread_cond_destroy(&ra->filled);
	pthread_mutex_destroy(&ra->lock);
	pages__delete(ra, sizeof(*ra));
}

struct read_ahead *read_ahead__start(struct perfdata_reader *reader, const struct session_events *events, struct jit_maps *jit,
				     struct sample_numbers *numbers, struct errmsg *damage)
{
	struct read_ahead *ra = threads__nr_cpus() > 1 ? pages__new(sizeof(*ra)) : NULL;

	if (!ra)
		return NULL;
	ra->reader = reader;
	ra->events = events;
	ra->jit = jit;
	ra->numbers = numbers;
	ra->limit = FIRST_BATCHES;
	ra->damage = damage;
	pthread_mutex_init(&ra->lock, NULL);
	pthread_cond_init(&ra->filled, NULL);
	pthread_cond_init(&ra->emptied, NULL);
	if (!threads__start(&ra->thread, read_all, ra))
		return ra;
	delete(ra);
	return NULL;
}

void read_ahead__widen(struct read_ahead *ra)
{
	pthread_mutex_lock(&ra->lock);
	ra->limit = NR_BATCHES;
	pthread_cond_signal(&ra->emptied);
	pthread_mutex_unlock(&ra->lock);
}

/* The batch returned last stayed in the ring until now. Wake the reading thread for several batches: it costs as much as filling one. */
static void give_back(struct read_ahead *ra)
{
	ra->delivered = ra->batch[ra->nr_emptied++ % NR_BATCHES].passed;
	if (ra->nr_filled - ra->nr_emptied <= ra->limit / 2)
		pthread_cond_signal(&ra->emptied);
}

bool read_ahead__next(struct read_ahead *ra, struct read_batch *next)
{
	const struct batch *batch = NULL;

	pthread_mutex_lock(&ra->lock);
	if (ra->is_out)
		give_back(ra);
	while (ra->nr_filled == ra->nr_emptied && !ra->done)
		pthread_cond_wait(&ra->filled, &ra->lock);
	ra->is_out = ra->nr_filled != ra->nr_emptied;
	if (ra->is_out)
		batch = &ra->batch[ra->nr_emptied % NR_BATCHES];
	pthread_mutex_unlock(&ra->lock);
	if (batch)
		*next = (struct read_batch){ batch->item, batch->nr, ra->numbers ? batch->numbered : NULL, batch->numbers_anew };
	return batch;
}

int read_ahead__end(struct read_ahead *ra)
{
	int ret;

	pthread_mutex_lock(&ra->lock);
	ra->stop = true;
	pthread_cond_signal(&ra->emptied);
	pthread_mutex_unlock(&ra->lock);
	pthread_join(ra->thread, NULL);
	ret = ra->ret == -ECANCELED ? 0 : ra->ret;
	delete(ra);
	return ret;
}

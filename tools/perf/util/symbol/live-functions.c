// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/live-functions.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"
#include "util/lib/printable.h"

struct live_functions {
	pthread_mutex_t lock; /* of all but fetching, which calls back here */
	struct build_id id;
	struct symbol **sym; /* by start */
	u32 nr, alloc;
	pthread_mutex_t fetching;
	void (*fetch)(void *data);
	void *data;
};

struct live_functions *live_functions__new(void)
{
	struct live_functions *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	pthread_mutex_init(&f->lock, NULL);
	pthread_mutex_init(&f->fetching, NULL);
	return f;
}

void live_functions__delete(struct live_functions *f)
{
	if (!f)
		return;
	for (u32 i = 0; i < f->nr; i++)
		free(f->sym[i]);
	free(f->sym);
	pthread_mutex_destroy(&f->lock);
	pthread_mutex_destroy(&f->fetching);
	free(f);
}

void live_functions__set_id(struct live_functions *f, const struct build_id *id)
{
	pthread_mutex_lock(&f->lock);
	f->id = *id;
	pthread_mutex_unlock(&f->lock);
}

void live_functions__set_fetch(struct live_functions *f, void (*fetch)(void *data), void *data)
{
	pthread_mutex_lock(&f->fetching);
	f->fetch = fetch;
	f->data = data;
	pthread_mutex_unlock(&f->fetching);
}

/* How many functions begin at offset or before */
static u32 nr_before(const struct live_functions *f, u64 offset)
{
	u32 low = 0, high = f->nr;

	while (low < high) {
		const u32 middle = low + (high - low) / 2;

		if (f->sym[middle]->start > offset)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static struct symbol *new_symbol(u64 start, u64 size, const char *name, size_t len)
{
	struct symbol *sym = malloc(sizeof(*sym) + len + 1);
	char *copy = (char *)(sym + 1);

	if (!sym)
		return NULL;
	memcpy(copy, name, len);
	copy[len] = '\0';
	*sym = (struct symbol){ .start = start, .end = start + size, .name = printable__clean(copy), .binding = 'g' };
	return sym;
}

/* Most come behind all others. */
static int insert(struct live_functions *f, struct symbol *sym)
{
	const u32 at = nr_before(f, sym->start);

	if (array__grow(f->sym, f->nr, f->alloc))
		return -ENOMEM;
	memmove(f->sym + at + 1, f->sym + at, (f->nr - at) * sizeof(*f->sym));
	f->sym[at] = sym;
	f->nr++;
	return 0;
}

int live_functions__add(struct live_functions *f, u64 start, u64 size, const char *name, size_t len)
{
	struct symbol *sym = new_symbol(start, size, name, len);
	int ret;

	if (!sym)
		return -ENOMEM;
	pthread_mutex_lock(&f->lock);
	ret = insert(f, sym);
	pthread_mutex_unlock(&f->lock);
	if (ret)
		free(sym);
	return ret;
}

bool live_functions__are_of(struct live_functions *f, const struct dso *dso)
{
	bool are;

	if (!f)
		return false;
	pthread_mutex_lock(&f->lock);
	are = f->id.size && dso->build_id.size && build_id__equal(&f->id, &dso->build_id);
	pthread_mutex_unlock(&f->lock);
	return are;
}

static const struct symbol *look_up(struct live_functions *f, u64 offset)
{
	const struct symbol *sym = NULL;
	u32 before;

	pthread_mutex_lock(&f->lock);
	before = nr_before(f, offset);
	if (before && offset < f->sym[before - 1]->end)
		sym = f->sym[before - 1];
	pthread_mutex_unlock(&f->lock);
	return sym;
}

static void fetch(struct live_functions *f)
{
	pthread_mutex_lock(&f->fetching);
	if (f->fetch)
		f->fetch(f->data);
	pthread_mutex_unlock(&f->fetching);
}

const struct symbol *live_functions__find(struct live_functions *f, u64 offset)
{
	const struct symbol *sym = look_up(f, offset);

	if (sym)
		return sym;
	fetch(f);
	return look_up(f, offset);
}

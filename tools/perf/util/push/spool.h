/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profiles that wait on disk for their receiver, oldest first: one file each, in a directory of its user's own, which one perf has at a
 * time. They survive perf. Not for several threads.
 */
#ifndef PERF_PUSH_SPOOL_H
#define PERF_PUSH_SPOOL_H

#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/push/target.h"
#include "util/push/tries.h"

struct spool;

struct spool_item {
	char *query;
	void *body;
	size_t size; /* of body */
	u64 seq;     /* grows with each profile */
};

/*
 * Open dir, or make it, with its parents. It must belong to the user, and nobody else may look into it. max_bytes: of all files. 0 or
 * -errno: -EBUSY: another perf has it.
 */
int spool__new(const char *dir, u64 max_bytes, enum push_kind kind, struct spool **spool, struct errmsg *err);
void spool__delete(struct spool *spool); /* NULL is fine */

/*
 * Keep a profile. The oldest ones give way until it fits: *thrown_out is increased by their number. 0, -EFBIG: it alone is larger than
 * the spool; -errno: it could not be written (-ENOSPC: the disk is full), nothing was kept of it.
 */
int spool__add(struct spool *spool, const char *query, const void *body, size_t size, u64 *thrown_out, struct errmsg *err);

/*
 * The oldest profile for this kind of receiver from the number from on (0: of all), without those that stand back. 0 (free the members),
 * -ENOENT: there is none, or -ENOMEM. Files that cannot be read are thrown out.
 */
int spool__next(struct spool *spool, u64 from, u64 now, struct spool_item *item, u64 *thrown_out);
/* It was sent, or refused for good. */
void spool__remove(struct spool *spool, const struct spool_item *item);
/* The receiver has failed at it. TRIES_GIVE_UP: it is removed. */
enum tries_verdict spool__failed(struct spool *spool, const struct spool_item *item, u64 accepted, u64 now);
/* When spool__next() has one; 0: at once; UINT64_MAX: not without a new one. */
u64 spool__due_at(const struct spool *spool);

u64 spool__nr(const struct spool *spool);	/* profiles for this kind of receiver */
u64 spool__nr_others(const struct spool *spool); /* for other kinds */
u64 spool__bytes(const struct spool *spool);	/* of all */
const char *spool__dir(const struct spool *spool);

#endif

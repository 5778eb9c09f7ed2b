/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What root prepares so that users without privilege can filter: programs of the shared engine, loaded and pinned. A program and
 * its two maps are a slot; a slot serves one event of one recording at a time, whose perf holds a lock (flock(2)) on the slot's
 * table, which the kernel releases when that perf ends, however it does.
 *
 *	/run/perf-filter/			bpffs of our own, read-only: /sys/fs/bpf is closed to users where systemd mounts it
 *		user-1000/			root, 0711; of a group: group-1000/, root:group, 0750
 *			5a3c19e2ba12/		FILTER_SHARED_BUILD: programs of another build are not understood
 *				0/		the slot's number, from 0 on
 *					program		user 0400, or root:group 0440
 *					table		user 0600, or root:group 0660
 *					counts		user 0400, or root:group 0440; frozen, so that nobody can write them
 *
 * The objects themselves say who may open them, by the user alone: a primary group may be shared with others. The directories are
 * root's, so that the user cannot remove or add names, and the mount is read-only, so that the user cannot change modes (pins-mount.h).
 */
#ifndef PERF_JUDGE_FILTER_PINS_H
#define PERF_JUDGE_FILTER_PINS_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include "util/lib/errmsg.h"

#define FILTER_PINS_DIR "/run/perf-filter"
#define FILTER_PINS_LOCK FILTER_PINS_DIR ".lock" /* held by who adds or removes */
#define FILTER_PINS_SLOTS 16

struct filter_owner {
	bool group;
	id_t id;
	int place; /* of the paths below: 0: FILTER_PINS_DIR; else a descriptor of pins_mount__open_writable() */
};

/* "USER" or "@GROUP", by name or number; NULL: the user who has called sudo. -EINVAL: there is no such. */
int filter_owner__parse(const char *text, struct filter_owner *owner, struct errmsg *err);
/* As filter_owner__parse() takes it: a name if there is one. buf is returned. */
const char *filter_owner__name(const struct filter_owner *owner, char *buf, size_t size);
/* The owner's directory, and one of a slot's objects ("program", "table", "counts") by its path. buf is returned. */
char *filter_owner__dir(const struct filter_owner *owner, char buf[PATH_MAX]);
char *filter_owner__object(const struct filter_owner *owner, unsigned int slot, const char *object, char buf[PATH_MAX]);

/* Replaces what is there for this owner. Running recordings go on with what they have, here and with unpin. */
int filter_pins__add(const struct filter_owner *owner, struct errmsg *err);
/* With the last one the mount and its directory go, too. -ENOENT: there is nothing. */
int filter_pins__remove(const struct filter_owner *owner, struct errmsg *err);
int filter_pins__remove_all(struct errmsg *err);
/* Who has filters, and which processes use them; of all that the caller may look into. */
int filter_pins__status(FILE *fp, struct errmsg *err);

#endif

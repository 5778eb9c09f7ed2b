/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What root prepares so that unprivileged users can filter: programs of the shared engine, loaded and pinned. A slot is a program
 * and its two maps; it serves one event of one recording at a time. That perf holds a lock (flock(2)) on the slot's table, which the
 * kernel releases when that perf ends, in whatever way.
 *
 *	/run/perf-filter/			bpffs of our own, read-only: systemd mounts /sys/fs/bpf without access for users
 *		user-1000/			root, 0711; of a group: group-1000/, root:group, 0750
 *			5a3c19e2ba12/		FILTER_SHARED_BUILD: programs of other builds are incompatible
 *				0/		the slot's number, from 0 on
 *					program		user 0400, or root:group 0440
 *					table		user 0600, or root:group 0660
 *					counts		user 0400, or root:group 0440; frozen, so that nobody can write them
 *
 * The modes of the objects say who may open them, by the user alone: other users may have the same primary group. root owns the
 * directories, so that the user cannot remove or add names, and the mount is read-only, so that the user cannot change modes
 * (pins-mount.h).
 */
#ifndef PERF_JUDGE_FILTER_PINS_H
#define PERF_JUDGE_FILTER_PINS_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include "util/lib/errmsg.h"

#define FILTER_PINS_DIR "/run/perf-filter"
#define FILTER_PINS_LOCK FILTER_PINS_DIR ".lock" /* held while adding or removing pins */
#define FILTER_PINS_SLOTS 16

struct filter_owner {
	bool group;
	id_t id;
	int place; /* base of the paths below: 0: FILTER_PINS_DIR; otherwise a descriptor of pins_mount__open_writable() */
};

/* Parse "USER" or "@GROUP", a name or a number; NULL: the user who called sudo. -EINVAL: no such user or group. */
int filter_owner__parse(const char *text, struct filter_owner *owner, struct errmsg *err);
/* In the form that filter_owner__parse() takes: the name if there is one. Returns buf. */
const char *filter_owner__name(const struct filter_owner *owner, char *buf, size_t size);
/* Path of the owner's directory, and of an object in a slot ("program", "table", "counts"). Returns buf. */
char *filter_owner__dir(const struct filter_owner *owner, char buf[PATH_MAX]);
char *filter_owner__object(const struct filter_owner *owner, unsigned int slot, const char *object, char buf[PATH_MAX]);

/* Replaces this owner's pins. Running recordings keep their slots, here and after remove. */
int filter_pins__add(const struct filter_owner *owner, struct errmsg *err);
/* Removing the last pins removes the mount and its directory, too. -ENOENT: there are none. */
int filter_pins__remove(const struct filter_owner *owner, struct errmsg *err);
int filter_pins__remove_all(struct errmsg *err);
/* Print the owners of filters and the processes that use them, as far as the caller may read them. */
int filter_pins__status(FILE *fp, struct errmsg *err);

#endif

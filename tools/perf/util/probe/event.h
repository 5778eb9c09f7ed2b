/* SPDX-License-Identifier: GPL-2.0 */
/* One event as the kernel gets it: a line of uprobe_events or kprobe_events. */
#ifndef PERF_PROBE_EVENT_H
#define PERF_PROBE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct probe_event_argument {
	char *name;  /* NULL: the kernel names it arg1 and so on */
	char *text;  /* "+8(%di):s32"; NULL: of the kernel's list, unknown */
};

struct probe_event {
	char *group, *event;
	bool in_kernel, is_return;
	char *path;	/* of a program; NULL: the kernel */
	char *place;	/* "0x1155", "vfs_read+4", "ext4:ext4_sync_fs" */
	char *written;	/* the place as the user wrote it: "work:5" */
	char *operands; /* the arguments as the user wrote them; NULL: their names are shown */
	struct probe_event_argument *argument;
	size_t nr_arguments;
	size_t definition; /* number of the definition it comes from */
};

struct probe_events {
	struct probe_event *event;
	size_t nr;
};

struct probe_event *probe_events__add(struct probe_events *events); /* zeroed; NULL: no memory */
void probe_events__exit(struct probe_events *events);
/* Copies the texts; each may be NULL. -ENOMEM */
int probe_event__add_argument(struct probe_event *event, const char *name, const char *text);
int probe_event__check(const struct probe_event *event, struct errmsg *err); /* names of arguments: -EINVAL; its length: -E2BIG */
char *probe_event__line(const struct probe_event *event); /* without newline; malloc'ed, NULL: no memory */
/* "  probe_t0:work        (on work in /tmp/t0 with n)"; malloc'ed, NULL: no memory */
char *probe_event__shown(const struct probe_event *event);

/* A name for an event or a group made of any text: letters, digits and _ only, no longer than the kernel takes it. malloc'ed, NULL: no memory */
char *probe_event__name_of(const char *text, const char *suffix);

/*
 * The reverse of probe_event__line(), for a line of the kernel's list. -EINVAL: it is no such event; -ENOMEM. Arguments have names only. Exit by
 * probe_event__exit() after success.
 */
int probe_event__parse(struct probe_event *event, const char *line, bool in_kernel);
void probe_event__exit(struct probe_event *event);

#endif

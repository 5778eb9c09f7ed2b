// SPDX-License-Identifier: GPL-2.0
#include "util/probe/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/event/tracefs.h"
#include "util/lib/advice.h"
#include "util/lib/fs.h"
#include "util/lib/printable.h"
#include "util/lib/text.h"

static const char *const files[2] = { "kprobe_events", "uprobe_events" };

struct probe_store {
	int root;	/* of tracefs; not owned */
	int fd[2];	/* of files; -1: there is none */
	struct probe_events events;
};

static int explain(int error, bool for_writing, const char *file, struct errmsg *err)
{
	const char *what = for_writing ? "change" : "read";

	switch (error) {
	case EACCES:
	case EPERM:
		return errmsg__set(err, EACCES, "No permission to %s tracing/%s: %s", what, file, advice__root_within());
	case EROFS:
		return errmsg__set(err, EROFS, "tracefs is not mounted, or read-only: as root run\n  mount -t tracefs nodev /sys/kernel/tracing");
	}
	return errmsg__set(err, error, "Failed to open tracing/%s: %s", file, strerror(error));
}

static int open_file(struct probe_store *store, size_t i, bool for_writing, struct errmsg *err)
{
	store->fd[i] = openat(store->root, files[i], (for_writing ? O_RDWR | O_APPEND : O_RDONLY) | O_CLOEXEC);
	if (store->fd[i] < 0)
		return errno == ENOENT ? 0 : explain(errno, for_writing, files[i], err);
	if (for_writing && flock(store->fd[i], LOCK_EX))
		return errmsg__set(err, errno, "Failed to lock tracing/%s: %s", files[i], strerror(errno));
	return 0;
}

static int add_line(struct probe_store *store, const char *line, bool in_kernel)
{
	struct probe_event event, *added;
	int ret = probe_event__parse(&event, line, in_kernel);

	if (ret)
		return ret == -ENOMEM ? ret : 0; /* an event of a kind that came later */
	added = probe_events__add(&store->events);
	if (!added) {
		probe_event__exit(&event);
		return -ENOMEM;
	}
	*added = event;
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_lines(struct probe_store *store, char *text, bool in_kernel)
{
	char **line = NULL, *save = NULL;
	size_t nr = 0;
	int ret = 0;

	for (char *p = strtok_r(text, "\n", &save); p; p = strtok_r(NULL, "\n", &save)) {
		char **more = reallocarray(line, nr + 1, sizeof(*more));

		if (!more) {
			free(line);
			return -ENOMEM;
		}
		line = more;
		line[nr++] = p;
	}
	if (nr)
		qsort(line, nr, sizeof(*line), compare_lines);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = add_line(store, line[i], in_kernel);
	free(line);
	return ret;
}

static int read_events(struct probe_store *store, struct errmsg *err)
{
	int ret = 0;

	for (size_t i = 0; i < 2 && !ret; i++) {
		struct fs_text text = { 0 };

		if (store->fd[i] < 0)
			continue;
		ret = fs_text__read(&text, store->root, files[i]);
		if (!ret && text.size)
			ret = add_lines(store, text.text, !i);
		fs_text__exit(&text);
		if (ret)
			errmsg__set(err, -ret, "Failed to read tracing/%s: %s", files[i], strerror(-ret));
	}
	return ret;
}

int probe_store__open(struct probe_store **store, bool for_writing, struct errmsg *err)
{
	struct probe_store *new = calloc(1, sizeof(*new));
	int ret = 0;

	if (!new)
		return errmsg__set(err, ENOMEM, "out of memory");
	new->fd[0] = new->fd[1] = -1;
	new->root = tracefs__root(err);
	if (new->root < 0)
		ret = new->root;
	for (size_t i = 0; i < 2 && !ret; i++)
		ret = open_file(new, i, for_writing, err);
	if (!ret && new->fd[0] < 0 && new->fd[1] < 0)
		ret = errmsg__set(err, ENOENT, "this kernel has no uprobe_events and no kprobe_events (CONFIG_UPROBE_EVENTS, CONFIG_KPROBE_EVENTS)");
	ret = ret ?: read_events(new, err);
	if (ret)
		probe_store__close(new);
	else
		*store = new;
	return ret;
}

void probe_store__close(struct probe_store *store)
{
	if (!store)
		return;
	fs__close_many(store->fd, 2);
	probe_events__exit(&store->events);
	free(store);
}

const struct probe_events *probe_store__events(const struct probe_store *store)
{
	return &store->events;
}

bool probe_store__has(const struct probe_store *store, const char *group, const char *event)
{
	char *path;
	struct stat st;
	bool has;

	if (asprintf(&path, "events/%s/%s/format", group, event) < 0)
		return false;
	has = !fstatat(store->root, path, &st, 0);
	free(path);
	return has;
}

/* Writing */

static int write_all(int fd, const char *text, size_t len)
{
	ssize_t ret = write(fd, text, len);

	return ret < 0 ? -errno : (size_t)ret == len ? 0 : -EIO;
}

static int remove_one(struct probe_store *store, const struct probe_event *event)
{
	char *line;
	int ret;

	if (asprintf(&line, "-:%s/%s\n", event->group, event->event) < 0)
		return -ENOMEM;
	ret = write_all(store->fd[event->in_kernel ? 0 : 1], line, strlen(line));
	free(line);
	return ret;
}

static void remove_all(struct probe_store *store, const struct probe_events *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		if (probe_store__has(store, events->event[i].group, events->event[i].event))
			remove_one(store, &events->event[i]);
	}
}

/* The last words of error_log: "trace_uprobe: error: Unknown type\n  Command: p:... \n". "": there are none, or they are of another event. */
static void read_log(struct probe_store *store, const struct probe_event *event, char *why, size_t size)
{
	struct fs_text log = { 0 };
	char name[160], *found = NULL;

	*why = '\0';
	snprintf(name, sizeof(name), ":%s/%s ", event->group, event->event);
	if (!fs_text__read(&log, store->root, "error_log") && log.size) {
		for (char *p = strstr(log.text, "error: "); p; p = strstr(p + 1, "error: "))
			found = p;
	}
	if (found && strstr(found, name)) {
		found += strlen("error: ");
		snprintf(why, size, "%.*s", (int)strcspn(found, "\n"), found);
	}
	fs_text__exit(&log);
}

static int explain_refusal(struct probe_store *store, const struct probe_events *events, int error, struct errmsg *err)
{
	const struct probe_event *refused = &events->event[events->nr - 1];
	char why[160];

	for (size_t i = 0; i < events->nr; i++) { /* the first one that is missing */
		if (!probe_store__has(store, events->event[i].group, events->event[i].event)) {
			refused = &events->event[i];
			break;
		}
	}
	read_log(store, refused, why, sizeof(why));
	return errmsg__set(err, -error, "Failed to write event: %s\n %s:%s on %s%s%s", strerror(-error), refused->group, refused->event,
			   refused->written, *why ? ": " : "", why);
}

/*
 * The kernel looks the path up again. Before and after that it must lead to the file that was read, whose names must not change meanwhile:
 * two renames would hide a third file in between. Without a watch only the ends are compared.
 */
static int watch_names(const char *opened)
{
	const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (watch >= 0 && inotify_add_watch(watch, opened, IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF) >= 0)
		return watch;
	if (watch >= 0)
		close(watch);
	return -1;
}

static bool names_changed(int watch)
{
	char events[512];

	return watch >= 0 && read(watch, events, sizeof(events)) > 0;
}

static int refuse_replaced(const char *path, struct errmsg *err)
{
	return errmsg__set(err, ESTALE, "%s was replaced by another file meanwhile, so no event was added: try again",
			   printable__clean(strdupa(path)));
}

static int write_events(struct probe_store *store, const struct probe_events *events, const struct text *lines, const char *opened,
			struct errmsg *err)
{
	const struct probe_event *first = &events->event[0];
	const int fd = store->fd[first->in_kernel ? 0 : 1], watch = opened ? watch_names(opened) : -1;
	int ret = opened && !fs__is_same_file(first->path, opened) ? refuse_replaced(first->path, err) : 0;

	if (!ret) {
		ret = write_all(fd, lines->buf, lines->len);
		if (ret)
			explain_refusal(store, events, ret, err);
		else if (opened && (!fs__is_same_file(first->path, opened) || names_changed(watch)))
			ret = refuse_replaced(first->path, err);
		if (ret)
			remove_all(store, events);
	}
	if (watch >= 0)
		close(watch);
	return ret;
}

int probe_store__add(struct probe_store *store, const struct probe_events *events, const char *opened, struct errmsg *err)
{
	const size_t file = events->nr && events->event[0].in_kernel ? 0 : 1;
	struct text t = { 0 };
	int ret;

	if (store->fd[file] < 0)
		return errmsg__set(err, EOPNOTSUPP, "%s file does not exist - this kernel has no CONFIG_%s", files[file],
				   file ? "UPROBE_EVENTS" : "KPROBE_EVENTS");
	for (size_t i = 0; i < events->nr; i++) {
		char *line = probe_event__line(&events->event[i]);

		t.failed |= !line;
		text__printf(&t, "%s\n", line ?: "");
		free(line);
	}
	ret = t.failed ? errmsg__set(err, ENOMEM, "out of memory") : write_events(store, events, &t, opened, err);
	text__exit(&t);
	return ret;
}

int probe_store__remove(struct probe_store *store, const struct probe_event *event, struct errmsg *err)
{
	int ret = remove_one(store, event);

	if (ret == -EBUSY)
		return errmsg__set(err, EBUSY, "Failed to delete event: %s:%s is in use", event->group, event->event);
	return ret ? errmsg__set(err, -ret, "Failed to delete event: %s:%s: %s", event->group, event->event, strerror(-ret)) : 0;
}

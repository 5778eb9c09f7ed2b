// SPDX-License-Identifier: GPL-2.0
#include "util/source/probe-view.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/lib/fs.h"
#include "util/lib/printable.h"
#include "util/lib/regular-file.h"
#include "util/synth/proc-maps.h"

#define ROOT_SIZE 40

struct view {
	const char *path;     /* of the place */
	struct stat own;      /* its file */
	pid_t tid;
	char root[ROOT_SIZE]; /* "/proc/TID/root" */
	bool sees_others;     /* it has another root, or other mounts */
	bool has_own;	      /* it maps the place's file, */
	char *other;	      /* or another one that it knows by this path; to be written in its stead, malloc'ed */
};

static bool sees_other_files(const struct view *v)
{
	char mounts[40];

	snprintf(mounts, sizeof(mounts), "/proc/%d/ns/mnt", v->tid);
	return !access(v->root, F_OK) && (!fs__is_same_file(v->root, "/") || !fs__is_same_file(mounts, "/proc/self/ns/mnt"));
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Is this file, as the process sees it, the one in *wanted? */
static bool is_inside(const struct view *v, const char *path, const struct stat *wanted)
{
	int fd = regular_file__open_in(v->root, path, 0);
	struct stat st;
	bool same = fd >= 0 && !fstat(fd, &st) && is_same(&st, wanted);

	if (fd >= 0)
		close(fd);
	return same;
}

/* Names of files in a root directory that is not a mount have that directory in front. */
static const char *without_root(const struct view *v, const char *name)
{
	char text[PATH_MAX];
	ssize_t len = readlink(v->root, text, sizeof(text));

	return len > 1 && !strncmp(name, text, len) && name[len] == '/' ? name + len : name;
}

/* How to write the file of a mapping so that perf opens it; NULL: no memory */
static char *spell(const struct view *v, const struct proc_map *map, const char *link, const struct stat *mapped)
{
	const char *inside = without_root(v, map->name);
	char exe[ROOT_SIZE], *path = NULL;
	struct stat st;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", v->tid);
	if (v->sees_others && is_inside(v, inside, mapped))
		return asprintf(&path, "%s%s", v->root, inside) < 0 ? NULL : path;
	return strdup(!stat(exe, &st) && is_same(&st, mapped) ? exe : link);
}

/* With other mounts or another root, the same file may be in another directory. */
static bool has_name_of_place(const struct view *v, const char *name)
{
	const char *path = v->path;

	return !strcmp(name, path) || (v->sees_others && !strcmp(strrchr(name, '/') ?: "", strrchr(path, '/')));
}

static void cut_deleted(char *name)
{
	static const char deleted[] = " (deleted)";
	const size_t len = strlen(name), mark = strlen(deleted);

	if (len > mark && !strcmp(name + len - mark, deleted))
		name[len - mark] = '\0';
}

/* Numbers of devices in maps are not always those of stat(2): on Btrfs and overlayfs they differ. */
static int take_map(struct view *v, struct proc_map *map)
{
	char link[80];
	struct stat st;

	if (!map->ino || *map->name != '/')
		return 0;
	cut_deleted(map->name);
	if (map->ino != v->own.st_ino && (v->other || !has_name_of_place(v, map->name)))
		return 0;
	snprintf(link, sizeof(link), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, v->tid, (u64)map->start, (u64)map->end);
	if (stat(link, &st))
		return 0;
	v->has_own |= is_same(&st, &v->own);
	if (v->has_own || v->other || !has_name_of_place(v, map->name))
		return 0;
	v->other = spell(v, map, link, &st);
	return v->other ? 0 : -ENOMEM;
}

static int read_maps(struct view *v)
{
	struct fs_text text = { 0 };
	struct proc_map map;
	char path[ROOT_SIZE], *at;
	int ret, next;

	snprintf(path, sizeof(path), "/proc/%d/maps", v->tid);
	ret = fs__own_error(fs_text__read(&text, AT_FDCWD, path));
	at = ret ? NULL : text.text;
	while (at && !ret && !v->has_own && (next = proc_map__next(&at, &map)))
		ret = next > 0 ? take_map(v, &map) : 0;
	fs_text__exit(&text);
	return ret;
}

/* A process that maps neither may load the file later, as by dlopen(3): by this path it gets another one then. */
static int look_below_root(struct view *v)
{
	int fd = regular_file__open_in(v->root, v->path, 0);
	struct stat st;
	int ret = 0;

	if (fd >= 0 && !fstat(fd, &st) && !is_same(&st, &v->own))
		ret = asprintf(&v->other, "%s%s", v->root, v->path) < 0 ? -ENOMEM : 0;
	if (ret)
		v->other = NULL;
	if (fd >= 0)
		close(fd);
	return ret;
}

static int refuse(const struct view *v, struct errmsg *err)
{
	const char *path = printable__clean(strdupa(v->path)), *other = printable__clean(strdupa(v->other));

	if (!v->sees_others)
		return errmsg__set(err, EINVAL, "process %d maps another file of the path %s, which was replaced since: write %s", v->tid, path,
				   other);
	return errmsg__set(err, EINVAL, "%s of process %d, which sees other files than perf (as in a container or a chroot), is another file than "
			   "ours: write %s", path, v->tid, other);
}

static int check_task(const char *path, const struct stat *own, pid_t tid, struct errmsg *err)
{
	struct view v = { .path = path, .own = *own, .tid = tid };
	int ret;

	snprintf(v.root, sizeof(v.root), "/proc/%d/root", tid);
	v.sees_others = sees_other_files(&v);
	ret = read_maps(&v);
	if (!ret && !v.has_own && !v.other && v.sees_others)
		ret = look_below_root(&v);
	if (ret)
		errmsg__set(err, ENOMEM, "out of memory for the files of process %d", tid);
	else if (!v.has_own && v.other)
		ret = refuse(&v, err);
	free(v.other);
	return ret;
}

/* Threads of a process have the same mappings. */
static bool is_thread_of(pid_t tid, pid_t other)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", other, tid);
	return other > 0 && !access(path, F_OK);
}

int probe_view__check(const struct probe_place *place, const struct sampler_target *target, struct errmsg *err)
{
	const char *path = place->path ?: place->target;
	pid_t checked = 0;
	struct stat own;
	int ret = 0;

	if (place->in_kernel || *path != '/' || target->system_wide || stat(place->opened ?: path, &own))
		return 0;
	for (int i = 0; i < target->nr_tids && !ret; i++) {
		if (is_thread_of(target->tids[i], checked))
			continue;
		checked = target->tids[i];
		ret = check_task(path, &own, checked, err);
	}
	return ret;
}

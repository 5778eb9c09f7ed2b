// SPDX-License-Identifier: GPL-2.0
#include "util/synth/build-ids.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "util/lib/hash.h"
#include "util/lib/regular-file.h"
#include "util/symbol/symtab.h"

struct file_key {
	u64 ino;
	u32 maj, min;
};

#define MAX_TRIES 64
#define NR_PARENTS 1024 /* that are remembered; a power of two */
#define MAX_ANCESTORS 4

struct entry {
	struct file_key key;
	unsigned int nr_tries; /* that found no file, or could not have it kept */
	struct build_id id;
	UT_hash_handle hh;
};

struct build_ids {
	struct entry *entries;
	struct kept_files *kept; /* the caller's, or NULL */
	struct {
		u32 pid, parent;
	} parents[NR_PARENTS]; /* the latest, by pid */
};

struct build_ids *build_ids__new(struct kept_files *kept)
{
	struct build_ids *ids = calloc(1, sizeof(*ids));

	if (ids)
		ids->kept = kept;
	return ids;
}

void build_ids__delete(struct build_ids *ids)
{
	struct entry *e, *next;

	if (!ids)
		return;
	HASH_ITER(hh, ids->entries, e, next) {
		HASH_DEL(ids->entries, e);
		free(e);
	}
	free(ids);
}

/* Is it the file that was mapped? Takes over fd, or an error in its place, and returns it, or -1. */
static int if_mapped(int fd, const struct proc_map *map, bool check_device)
{
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && st.st_ino == map->ino && (!check_device || (major(st.st_dev) == map->maj && minor(st.st_dev) == map->min)))
		return fd;
	close(fd);
	return -1;
}

/* Its path as the process sees it whose /proc directory is dir. A descriptor, or -1. */
static int open_in_root(const char *dir, const struct proc_map *map)
{
	char root[PATH_MAX];

	snprintf(root, sizeof(root), "%s/root", dir);
	return if_mapped(regular_file__open_in(root, map->name, 0), map, false);
}

void build_ids__note_fork(struct build_ids *ids, u32 pid, u32 parent)
{
	u32 i = pid & (NR_PARENTS - 1);

	if (pid == parent) /* a thread */
		return;
	ids->parents[i].pid = pid;
	ids->parents[i].parent = parent;
}

/* As those see it that started the process, mostly of the same container. pid 0: they are not known. A descriptor, or -1. */
static int open_by_ancestors(const struct build_ids *ids, u32 pid, const struct proc_map *map)
{
	char dir[32];
	int fd = -1;

	for (int i = 0; i < MAX_ANCESTORS && fd < 0 && pid && ids->parents[pid & (NR_PARENTS - 1)].pid == pid; i++) {
		pid = ids->parents[pid & (NR_PARENTS - 1)].parent;
		snprintf(dir, sizeof(dir), "/proc/%u", pid);
		fd = open_in_root(dir, map);
	}
	return fd;
}

/*
 * map_files is the mapped file itself, even when it was deleted or replaced, but needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE;
 * else its path as the process sees it. A descriptor, or -1.
 */
static int open_of_process(const struct build_ids *ids, const char *dir, u32 pid, const struct proc_map *map)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/map_files/%llx-%llx", dir, (unsigned long long)map->start,
		 (unsigned long long)map->end);
	fd = if_mapped(regular_file__open(path, 0), map, false);
	if (fd < 0)
		fd = open_in_root(dir, map);
	return fd < 0 ? open_by_ancestors(ids, pid, map) : fd;
}

/* False: the file was not found, or is to be offered again to be kept. */
static bool read_build_id(const struct build_ids *ids, const char *dir, u32 pid, const struct proc_map *map, struct build_id *id)
{
	int fd = open_of_process(ids, dir, pid, map), again;
	bool done = true;

	if (fd < 0) { /* The process has ended; if its file is the one that we see under this name, fine. */
		fd = if_mapped(regular_file__open(map->name, 0), map, true);
		if (fd >= 0 && build_id__read_fd(fd, id))
			id->size = 0;
		return fd >= 0;
	}
	again = ids->kept ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (build_id__read_fd(fd, id))
		id->size = 0;
	if (again >= 0) {
		done = kept_files__offer(ids->kept, again, map->name, id);
		close(again);
	}
	return done;
}

static struct entry *build_ids__add(struct build_ids *ids, const struct file_key *key)
{
	struct entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->key = *key;
	HASH_ADD(hh, ids->entries, key, sizeof(e->key), e);
	if (hash_added(e))
		return e;
	free(e);
	return NULL;
}

/* A file that was not found may be found in the next process that maps it, and one that was not taken to be kept may be taken then. */
static const struct build_id *build_ids__look_up(struct build_ids *ids, const char *dir, u32 pid, const struct proc_map *map)
{
	static const struct build_id none;
	struct file_key key = { .ino = map->ino, .maj = map->maj, .min = map->min };
	struct entry *e;
	bool is_new;

	if (!map->ino || map->name[0] != '/')
		return &none;
	HASH_FIND(hh, ids->entries, &key, sizeof(key), e);
	is_new = !e;
	if (is_new)
		e = build_ids__add(ids, &key);
	if (!e)
		return NULL;
	if (is_new || (e->nr_tries && e->nr_tries < MAX_TRIES))
		e->nr_tries = read_build_id(ids, dir, pid, map, &e->id) ? 0 : e->nr_tries + 1;
	return &e->id;
}

const struct build_id *build_ids__get(struct build_ids *ids, const char *dir, const struct proc_map *map)
{
	return build_ids__look_up(ids, dir, 0, map);
}

void build_ids__clear(struct record_mmap2 *mmap)
{
	mmap->header.misc &= ~PERF_RECORD_MISC_MMAP_BUILD_ID;
}

int build_ids__fill(struct build_ids *ids, struct record_mmap2 *mmap)
{
	const struct proc_map map = {
		.start = mmap->start,
		.end = mmap->start + mmap->len,
		.ino = mmap->ino,
		.maj = mmap->maj,
		.min = mmap->min,
		.name = mmap->filename,
	};
	const struct build_id *id;
	char dir[32];

	if (!(mmap->prot & PROT_EXEC) || (mmap->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return 0;
	snprintf(dir, sizeof(dir), "/proc/%u", mmap->pid);
	id = build_ids__look_up(ids, dir, mmap->pid, &map);
	if (!id)
		return -ENOMEM;
	if (!id->size)
		return 0;
	mmap->header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	mmap->build_id_size = id->size;
	mmap->reserved1 = 0;
	mmap->reserved2 = 0;
	memcpy(mmap->build_id, id->data, sizeof(mmap->build_id));
	return 0;
}

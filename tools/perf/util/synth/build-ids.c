// SPDX-License-Identifier: GPL-2.0
#include "util/synth/build-ids.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "util/lib/hash.h"
#include "util/interp/interp.h"
#include "util/lib/regular-file.h"
#include "util/symbol/symtab.h"

struct file_key { /* without padding */
	u64 ino;
	u32 maj, min;
	u64 generation;
};

#define MAX_TRIES 64
#define MAX_LATE_TRIES 64 /* more, one for each fork that is read late */
#define NR_STARTED 1024 /* processes that are remembered; a power of two */
#define MAX_ANCESTORS 4

struct entry {
	struct file_key key;
	unsigned int nr_tries; /* that found no file, or could not have it kept */
	unsigned int nr_late_tries;
	u32 missed_by; /* a process for which no file was found before it was known who started it; 0: none */
	struct build_id id;
	bool interpreter;
	UT_hash_handle hh;
};

struct started { /* a process */
	u32 pid, parent; /* parent 0: its fork is not known yet */
	struct entry *missed; /* the file that was not found meanwhile, or NULL */
};

struct build_ids {
	struct entry *entries;
	struct kept_files *kept; /* the caller's, or NULL */
	bool finds_interpreters;
	bool interpreter; /* the file that was looked up last is one */
	struct build_id for_now; /* of the latest file that is to be looked for again */
	struct started started[NR_STARTED]; /* the latest, by pid */
};

struct build_ids *build_ids__new(struct kept_files *kept)
{
	struct build_ids *ids = calloc(1, sizeof(*ids));

	if (ids)
		ids->kept = kept;
	return ids;
}

void build_ids__find_interpreters(struct build_ids *ids)
{
	ids->finds_interpreters = true;
}

bool build_ids__was_interpreter(const struct build_ids *ids)
{
	return ids->interpreter;
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

/* A file system gives the number of a deleted file to a new one, with another generation; some file systems do not tell it. */
static bool may_be_of_generation(int fd, u32 generation)
{
	int version[2] = { 0 }; /* the request says long, but file systems write an int */

	return !generation || ioctl(fd, FS_IOC_GETVERSION, version) || (u32)version[0] == generation;
}

/* Is it the file that was mapped? Takes over fd, or an error in its place, and returns it, or -1. */
static int if_mapped(int fd, const struct proc_map *map, bool check_device)
{
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && st.st_ino == map->ino && (!check_device || (major(st.st_dev) == map->maj && minor(st.st_dev) == map->min)) &&
	    may_be_of_generation(fd, map->generation))
		return fd;
	close(fd);
	return -1;
}

/* Its path as the process sees it whose /proc directory is dir. A descriptor, or -1. */
static int open_in_root(const char *dir, const struct proc_map *map, bool check_device)
{
	char root[PATH_MAX];

	snprintf(root, sizeof(root), "%s/root", dir);
	return if_mapped(regular_file__open_in(root, map->name, 0), map, check_device);
}

static struct started *build_ids__started(struct build_ids *ids, u32 pid)
{
	return &ids->started[pid & (NR_STARTED - 1)];
}

/* 0: it is not known. */
static u32 build_ids__parent(struct build_ids *ids, u32 pid)
{
	const struct started *started = build_ids__started(ids, pid);

	return started->pid == pid ? started->parent : 0;
}

/* Records of CPUs are read one CPU after the other: so forks may come after what the new processes mapped. */
static void entry__try_again(struct entry *e, u32 pid)
{
	e->missed_by = pid;
	if (e->nr_tries < MAX_TRIES || e->nr_late_tries == MAX_LATE_TRIES)
		return;
	e->nr_late_tries++;
	e->nr_tries = MAX_TRIES - 1;
}

void build_ids__note_fork(struct build_ids *ids, u32 pid, u32 parent)
{
	struct started *started = build_ids__started(ids, pid);

	if (pid == parent) /* a thread */
		return;
	if (started->pid == pid && started->missed)
		entry__try_again(started->missed, pid);
	*started = (struct started){ .pid = pid, .parent = parent };
}

/* No file was found for the process. pid 0: it is not known. */
static void build_ids__note_miss(struct build_ids *ids, u32 pid, struct entry *e)
{
	struct started *started = build_ids__started(ids, pid);

	e->nr_tries++;
	if (pid && started->pid != pid)
		*started = (struct started){ .pid = pid, .missed = e };
}

/* As those see it that started the process, mostly of the same container. pid 0: they are not known. A descriptor, or -1. */
static int open_by_ancestors(struct build_ids *ids, u32 pid, const struct proc_map *map, bool check_device)
{
	char dir[32];
	int fd = -1;

	for (int i = 0; i < MAX_ANCESTORS && fd < 0 && (pid = build_ids__parent(ids, pid)); i++) {
		snprintf(dir, sizeof(dir), "/proc/%u", pid);
		fd = open_in_root(dir, map, check_device);
	}
	return fd;
}

/*
 * map_files is the mapped file itself, even when it was deleted or replaced, but needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE; otherwise
 * the file is found by its path: as perf sees it, or as the process does. A descriptor, or -1.
 */
int build_ids__open(const char *dir, const struct proc_map *map)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/map_files/%llx-%llx", dir, (unsigned long long)map->start,
		 (unsigned long long)map->end);
	fd = if_mapped(regular_file__open(path, 0), map, false);
	if (fd < 0)
		fd = if_mapped(regular_file__open(map->name, 0), map, true);
	return fd < 0 ? open_in_root(dir, map, false) : fd;
}

static int open_of_process(struct build_ids *ids, const char *dir, u32 pid, const struct proc_map *map)
{
	const int fd = build_ids__open(dir, map);

	return fd < 0 ? open_by_ancestors(ids, pid, map, false) : fd;
}

enum found {
	FOUND_NONE,
	/* On another device than the record says: some file systems (btrfs, overlayfs) have two, but it may be another file. Or not kept yet. */
	FOUND_FOR_NOW,
	FOUND_ITSELF,
};

static enum found found_by(int fd, const struct proc_map *map)
{
	struct stat st;

	return !fstat(fd, &st) && major(st.st_dev) == map->maj && minor(st.st_dev) == map->min ? FOUND_ITSELF : FOUND_FOR_NOW;
}

/* Takes over fd. */
static enum found read_build_id(struct build_ids *ids, int fd, const struct proc_map *map, struct build_id *id)
{
	struct interp_file file;
	enum found found;
	int again;

	if (fd < 0)
		return FOUND_NONE;
	found = found_by(fd, map);
	if (ids->finds_interpreters && map->prot & PROT_EXEC)
		ids->interpreter = !interp__recognise(fd, map->name, &file, NULL);
	again = ids->kept ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (build_id__read_fd(fd, id))
		id->size = 0;
	if (again >= 0) {
		if (!kept_files__offer(ids->kept, again, map->name, id))
			found = FOUND_FOR_NOW;
		close(again);
	}
	return found;
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

/*
 * A file that was not found may be found in the next process that maps it. One that was found by its number alone is this process's: a
 * user could make a file of that number, and give its build-id to all who map the real one.
 */
static const struct build_id *build_ids__look_up(struct build_ids *ids, const char *dir, u32 pid, const struct proc_map *map)
{
	static const struct build_id none;
	struct file_key key = { .ino = map->ino, .maj = map->maj, .min = map->min, .generation = map->generation };
	struct build_id id = { 0 };
	struct entry *e;
	int fd;

	ids->interpreter = false;
	if (!map->ino || map->name[0] != '/')
		return &none;
	HASH_FIND(hh, ids->entries, &key, sizeof(key), e);
	if (e && (!e->nr_tries || e->nr_tries >= MAX_TRIES)) {
		ids->interpreter = e->interpreter;
		return &e->id;
	}
	if (!e)
		e = build_ids__add(ids, &key);
	if (!e)
		return NULL;
	fd = open_of_process(ids, dir, pid, map);
	if (fd < 0) /* Another user's processes must not say what this one has mapped. */
		fd = open_by_ancestors(ids, e->missed_by, map, true);
	switch (read_build_id(ids, fd, map, &id)) {
	case FOUND_ITSELF:
		e->nr_tries = 0;
		e->id = id;
		e->interpreter = ids->interpreter;
		return &e->id;
	case FOUND_FOR_NOW:
		e->nr_tries = e->nr_tries ?: 1;
		ids->for_now = id;
		return &ids->for_now;
	default:
		build_ids__note_miss(ids, pid, e);
		return &none;
	}
}

const struct build_id *build_ids__get(struct build_ids *ids, const char *dir, const struct proc_map *map)
{
	if (map->prot & PROT_EXEC)
		kept_files__note_code(ids->kept, atoi(dir + strlen("/proc/")), map->name);
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
		.generation = mmap->ino_generation,
		.prot = mmap->prot,
		.name = mmap->filename,
	};
	const struct build_id *id;
	char dir[32];

	if (!(mmap->prot & PROT_EXEC) || (mmap->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return 0;
	kept_files__note_code(ids->kept, mmap->pid, mmap->filename);
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

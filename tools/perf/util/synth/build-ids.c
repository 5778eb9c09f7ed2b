// SPDX-License-Identifier: GPL-2.0
#include "util/synth/build-ids.h"

#include <errno.h>
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

struct entry {
	struct file_key key;
	struct build_id id;
	UT_hash_handle hh;
};

struct build_ids {
	struct entry *entries;
};

struct build_ids *build_ids__new(void)
{
	return calloc(1, sizeof(struct build_ids));
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

/* Takes ownership of fd, which may be an error: is it the mapped file, and has it a build-id? */
static bool read_if_mapped(int fd, const struct proc_map *map, bool check_device, struct build_id *id)
{
	struct stat st;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || st.st_ino != map->ino ||
	    (check_device && (major(st.st_dev) != map->maj || minor(st.st_dev) != map->min))) {
		close(fd);
		return false;
	}
	return !build_id__read_fd(fd, id);
}

/*
 * map_files has the mapped file itself, even if it was deleted or replaced, but needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE;
 * otherwise use its path as the process sees it.
 */
static void read_build_id(const char *dir, const struct proc_map *map, struct build_id *id)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/map_files/%llx-%llx", dir, (unsigned long long)map->start,
		 (unsigned long long)map->end);
	if (read_if_mapped(regular_file__open(path, 0), map, false, id))
		return;
	snprintf(path, sizeof(path), "%s/root", dir);
	if (read_if_mapped(regular_file__open_in(path, map->name, 0), map, false, id))
		return;
	/* The process has ended; use our file with this name if it is the mapped one. */
	if (!read_if_mapped(regular_file__open(map->name, 0), map, true, id))
		id->size = 0;
}

const struct build_id *build_ids__get(struct build_ids *ids, const char *dir, const struct proc_map *map)
{
	static const struct build_id none;
	struct file_key key = { .ino = map->ino, .maj = map->maj, .min = map->min };
	struct entry *e;

	if (!map->ino || map->name[0] != '/')
		return &none;
	HASH_FIND(hh, ids->entries, &key, sizeof(key), e);
	if (e)
		return &e->id;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->key = key;
	read_build_id(dir, map, &e->id);
	HASH_ADD(hh, ids->entries, key, sizeof(e->key), e);
	if (!hash_added(e)) {
		free(e);
		return NULL;
	}
	return &e->id;
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
	id = build_ids__get(ids, dir, &map);
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

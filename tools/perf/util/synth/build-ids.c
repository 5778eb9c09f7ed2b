// SPDX-License-Identifier: GPL-2.0
#include "util/synth/build-ids.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "util/lib/hash.h"
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

/* Only regular files are opened: a path that became a FIFO or a device since it was mapped would block or act. */
static bool is_the_file(const char *path, const struct proc_map *map)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_ino == map->ino;
}

/*
 * map_files is the mapped file itself, even when it was deleted or replaced, but needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE;
 * else its path as the process sees it.
 */
static void read_build_id(const char *dir, const struct proc_map *map, struct build_id *id)
{
	char path[2 * PATH_MAX];
	int len;

	snprintf(path, sizeof(path), "%s/map_files/%llx-%llx", dir, (unsigned long long)map->start,
		 (unsigned long long)map->end);
	if (is_the_file(path, map) && !build_id__read(path, id))
		return;
	id->size = 0;
	len = snprintf(path, sizeof(path), "%s/root%s", dir, map->name);
	if (len < (int)sizeof(path) && is_the_file(path, map) && build_id__read(path, id))
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

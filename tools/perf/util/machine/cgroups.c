// SPDX-License-Identifier: GPL-2.0
#include "util/machine/cgroups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/hash.h"
#include "util/lib/printable.h"

struct cgroup_path {
	u64 id;
	UT_hash_handle hh;
	char path[];
};

void cgroups__exit(struct cgroups *cgroups)
{
	struct cgroup_path *row, *next;

	HASH_ITER(hh, cgroups->by_id, row, next) {
		HASH_DEL(cgroups->by_id, row);
		free(row);
	}
}

int cgroups__add(struct cgroups *cgroups, u64 id, const char *path)
{
	struct cgroup_path *row;

	if (cgroups__find(cgroups, id))
		return 0;
	row = calloc(1, sizeof(*row) + strlen(path) + 1);
	if (!row)
		return -ENOMEM;
	row->id = id;
	strcpy(row->path, path);
	printable__clean(row->path);
	HASH_ADD(hh, cgroups->by_id, id, sizeof(id), row);
	if (hash_added(row))
		return 0;
	free(row);
	return -ENOMEM;
}

const char *cgroups__find(const struct cgroups *cgroups, u64 id)
{
	struct cgroup_path *row;

	HASH_FIND(hh, cgroups->by_id, &id, sizeof(id), row);
	return row ? row->path : NULL;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/recorded-file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/symbol/debug-file.h"
#include "util/symbol/symtab.h"

char *build_id_cache__find(const char *cache, const struct build_id *id, const char *name)
{
	char hex[41], *path;

	if (!cache || !id->size)
		return NULL;
	build_id__str(id, hex);
	if (asprintf(&path, "%s/.build-id/%.2s/%s%s%s", cache, hex, hex + 2, *name ? "/" : "", name) < 0)
		return NULL;
	if (!access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

static bool is_wanted(const struct elf_file *file, const struct build_id *want)
{
	struct build_id id;

	return !want || !want->size || (!elf_file__build_id(file, &id) && build_id__equal(&id, want));
}

/* The name in the cache is no proof. */
static int open_cached(struct elf_file *file, const char *cache, const struct build_id *want, const char *name)
{
	char *path = want ? build_id_cache__find(cache, want, name) : NULL;
	int ret = path ? elf_file__open(file, path, NULL) : -ENOENT;

	free(path);
	if (ret || is_wanted(file, want))
		return ret;
	elf_file__close(file);
	return -ESTALE;
}

int recorded_file__open(struct elf_file *file, const char *path, const struct build_id *want, const struct file_places *places,
			struct errmsg *err)
{
	char *full = path_below(places->symfs, path);
	int ret = full ? elf_file__open(file, full, err) : errmsg__set(err, ENOMEM, "%s: out of memory", path);

	free(full);
	if (!ret && is_wanted(file, want))
		return 0;
	if (!ret) {
		elf_file__close(file);
		ret = errmsg__set(err, ESTALE, "%s: was replaced since the recording (its build-id differs)", path);
	}
	if (!open_cached(file, places->cache, want, "elf") || !open_cached(file, places->cache, want, ""))
		return 0;
	return ret;
}

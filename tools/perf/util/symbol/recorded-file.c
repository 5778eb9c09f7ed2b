// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/recorded-file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/regular-file.h"
#include "util/symbol/build-id-cache.h"
#include "util/symbol/debug-file.h"
#include "util/symbol/mapped-files.h"
#include "util/symbol/symtab.h"

static bool is_wanted(const struct elf_file *file, const struct build_id *want)
{
	struct build_id id;

	return !want || !want->size || (!elf_file__build_id(file, &id) && build_id__equal(&id, want));
}

/* The name in the cache proves nothing: compare the build-id. Takes ownership of path, which may be NULL. */
static int open_copy(struct elf_file *file, char *path, const struct build_id *want)
{
	int ret = path ? elf_file__open(file, path, NULL) : -ENOENT;

	free(path);
	if (ret || is_wanted(file, want))
		return ret;
	elf_file__close(file);
	return -ESTALE;
}

/* What was kept of files that perf had not seen counts only for the path that it was kept for, and for programs and libraries. */
static int open_cached(struct elf_file *file, const char *path, const struct build_id *want, const struct file_places *places)
{
	int ret = -ENOENT;

	if (!want)
		return ret;
	ret = open_copy(file, build_id_cache__find(places->cache, want, "elf"), want);
	if (ret)
		ret = open_copy(file, build_id_cache__find(places->cache, want, ""), want);
	if (ret && (!places->dso || places->dso->kind == DSO_USER))
		ret = open_copy(file, build_id_cache__find_kept(places->cache, want, path), want);
	return ret;
}

/* Takes ownership of fd. */
static int open_wanted(struct elf_file *file, int fd, const char *path, const struct build_id *want)
{
	int ret = fd < 0 ? fd : elf_file__open_fd(file, fd, path, NULL);

	if (ret || is_wanted(file, want))
		return ret;
	elf_file__close(file);
	return -ESTALE;
}

/* Open the path in the root of the processes that mapped it. Other processes may have reused their pids, so the build-id must match. */
static int open_of_process(struct elf_file *file, const char *path, const struct build_id *want, struct mapped_files *mapped, u32 pid)
{
	char root[40];
	int ret;

	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	ret = open_wanted(file, regular_file__open_in(root, path, 0), path, want);
	if (ret)
		ret = open_wanted(file, mapped_files__open(mapped, pid, path, false), path, want);
	return ret ? open_wanted(file, mapped_files__open(mapped, pid, path, true), path, want) : 0;
}

static int open_of_processes(struct elf_file *file, const char *path, const struct build_id *want, const struct file_places *places)
{
	const struct dso *dso = places->dso;
	struct mapped_files *own = NULL;
	int ret = -ENOENT;

	if (!dso || !want || !want->size)
		return ret;
	if (!places->mapped) {
		own = mapped_files__new();
		if (!own)
			return -ENOMEM;
	}
	for (unsigned int i = 0; ret && i < DSO_PIDS && dso__pid(dso, i); i++)
		ret = open_of_process(file, path, want, places->mapped ?: own, dso__pid(dso, i));
	mapped_files__delete(own);
	return ret;
}

int recorded_file__open(struct elf_file *file, const char *path, const struct build_id *want, const struct file_places *places,
			struct errmsg *err)
{
	char *full;
	int ret;

	if (!open_wanted(file, bundle__open_file(places->bundle, want, path, "elf"), path, want))
		return 0;
	full = path_below(places->symfs, path);
	ret = full ? elf_file__open(file, full, err) : errmsg__set(err, ENOMEM, "%s: out of memory", path);
	free(full);
	if (!ret && is_wanted(file, want))
		return 0;
	if (!ret) {
		elf_file__close(file);
		ret = errmsg__set(err, ESTALE, "%s: was replaced since the recording (its build-id differs)", path);
	}
	if (!places->symfs && !open_of_processes(file, path, want, places))
		return 0;
	return open_cached(file, path, want, places) ? ret : 0;
}

int recorded_file__open_data(const char *path, const struct build_id *id, const struct file_places *places)
{
	int fd = places ? bundle__open_file(places->bundle, NULL, path, NULL) : -ENOENT;

	return fd < 0 && places && id ? build_id_cache__open_kept(places->cache, id, path) : fd;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/mapped-files.h"

#include <errno.h>
#include <linux/limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/array.h"
#include "util/lib/clock.h"
#include "util/lib/hash.h"
#include "util/lib/regular-file.h"
#include "util/lib/wide-hash.h"

/* Mappings of a process change: they are read again when that takes less than this part of the time. */
#define READ_PART 20

struct mapping {
	struct wide_hash name; /* texts would take as much memory as the process chooses */
	u64 start, end;
};

struct process {
	UT_hash_handle hh;
	u32 pid;
	u64 next_read_ns;
	struct mapping *mapping; /* by name and start */
	size_t nr, alloc;
};

struct mapped_files {
	pthread_mutex_t lock; /* of what follows */
	struct wide_hash_keys *keys;
	struct process *processes;
};

struct mapped_files *mapped_files__new(void)
{
	struct mapped_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	pthread_mutex_init(&files->lock, NULL);
	files->keys = wide_hash_keys__new();
	if (files->keys)
		return files;
	mapped_files__delete(files);
	return NULL;
}

void mapped_files__delete(struct mapped_files *files)
{
	struct process *p, *next;

	if (!files)
		return;
	HASH_ITER(hh, files->processes, p, next) {
		HASH_DEL(files->processes, p);
		free(p->mapping);
		free(p);
	}
	wide_hash_keys__delete(files->keys);
	pthread_mutex_destroy(&files->lock);
	free(files);
}

static struct wide_hash hash_name(const struct mapped_files *files, const char *name, size_t len)
{
	u64 word[PATH_MAX / sizeof(u64) + 4], apart[2] = { len };
	u32 nr = (len + sizeof(u64) - 1) / sizeof(u64);

	word[nr ? nr - 1 : 0] = 0;
	memcpy(word, name, len);
	return wide_hash__of(files->keys, word, nr, apart);
}

static int process__add(struct process *p, const struct mapping *mapping)
{
	if (array__grow(p->mapping, p->nr, p->alloc))
		return -ENOMEM;
	p->mapping[p->nr++] = *mapping;
	return 0;
}

/* A line of /proc/PID/maps; others than those of files are left out. */
static int add_line(const struct mapped_files *files, struct process *p, const char *line)
{
	unsigned long long start, end;
	struct mapping mapping;
	size_t len;
	int at = 0;

	if (sscanf(line, "%llx-%llx %*s %*s %*s %*s %n", &start, &end, &at) < 2 || line[at] != '/')
		return 0;
	len = strcspn(line + at, "\n");
	if (len >= PATH_MAX + strlen(" (deleted)"))
		return 0;
	mapping = (struct mapping){ hash_name(files, line + at, len), start, end };
	return process__add(p, &mapping);
}

static int by_name(const void *a, const void *b)
{
	const struct mapping *ma = a, *mb = b;
	int order = memcmp(&ma->name, &mb->name, sizeof(ma->name));

	return order ?: ma->start < mb->start ? -1 : ma->start > mb->start;
}

static int process__read(const struct mapped_files *files, struct process *p)
{
	u64 begin = clock__ns(CLOCK_MONOTONIC), end;
	char path[32], *line = NULL;
	size_t size = 0;
	int ret = 0;
	FILE *fp;

	p->nr = 0;
	snprintf(path, sizeof(path), "/proc/%u/maps", p->pid);
	fp = fopen(path, "re");
	while (fp && !ret && getline(&line, &size, fp) > 0)
		ret = add_line(files, p, line);
	free(line);
	if (fp)
		fclose(fp);
	if (p->nr)
		qsort(p->mapping, p->nr, sizeof(*p->mapping), by_name);
	end = clock__ns(CLOCK_MONOTONIC);
	p->next_read_ns = end + READ_PART * (end - begin);
	return ret;
}

/* NULL: no memory */
static struct process *mapped_files__process(struct mapped_files *files, u32 pid)
{
	struct process *p;

	HASH_FIND(hh, files->processes, &pid, sizeof(pid), p);
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	HASH_ADD(hh, files->processes, pid, sizeof(p->pid), p);
	if (hash_added(p))
		return p;
	free(p);
	return NULL;
}

static int open_mapping(u32 pid, const struct mapping *m)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, (unsigned long long)m->start, (unsigned long long)m->end);
	return regular_file__open(path, 0);
}

static int process__open(const struct process *p, const struct wide_hash *name)
{
	const struct mapping key = { .name = *name };
	size_t low = 0, high = p->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_name(&p->mapping[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == p->nr || memcmp(&p->mapping[low].name, name, sizeof(*name)))
		return -ENOENT;
	return open_mapping(p->pid, &p->mapping[low]);
}

static int mapped_files__open_locked(struct mapped_files *files, u32 pid, const struct wide_hash *name)
{
	struct process *p = mapped_files__process(files, pid);
	int fd, ret;

	if (!p)
		return -ENOMEM;
	fd = process__open(p, name);
	if (fd >= 0 || clock__ns(CLOCK_MONOTONIC) < p->next_read_ns)
		return fd;
	ret = process__read(files, p);
	return ret ?: process__open(p, name);
}

int mapped_files__open(struct mapped_files *files, u32 pid, const char *path, bool deleted)
{
	char name[PATH_MAX + 16];
	struct wide_hash hash;
	int fd, len;

	len = snprintf(name, sizeof(name), "%s%s", path, deleted ? " (deleted)" : "");
	if (len < 0 || (size_t)len >= sizeof(name))
		return -ENAMETOOLONG;
	hash = hash_name(files, name, len);
	pthread_mutex_lock(&files->lock);
	fd = mapped_files__open_locked(files, pid, &hash);
	pthread_mutex_unlock(&files->lock);
	return fd;
}

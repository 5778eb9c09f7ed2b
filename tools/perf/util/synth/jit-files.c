// SPDX-License-Identifier: GPL-2.0
#include "util/synth/jit-files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/lib/hash.h"
#include "util/lib/regular-file.h"
#include "util/symbol/build-id-cache.h"
#include "util/symbol/perf-map.h"

#define MAX_FILES 256
#define MAX_BYTES (512ULL << 20)

struct jit_file {
	UT_hash_handle hh;
	struct build_id id; /* made up */
	u32 pid;
	u32 inner_pid;	    /* of a perf map: what its name has, in the process's PID namespace; 0: a jitdump */
	uid_t uid;	    /* of the process */
	int tmp;	    /* /tmp of a process in another mount namespace or root; -1: ours */
	int fd;		    /* -1: not found so far */
	char path[];	    /* as readers look for it: with the pid that the recording has */
};

struct jit_files {
	pthread_mutex_t lock; /* of all that follows */
	struct jit_file *files;
	unsigned int nr;
	bool left_out; /* a process, as there were too many */
};

struct jit_files *jit_files__new(void)
{
	struct jit_files *jit = calloc(1, sizeof(*jit));

	if (jit)
		pthread_mutex_init(&jit->lock, NULL);
	return jit;
}

static void jit_file__delete(struct jit_file *file)
{
	if (file->tmp >= 0)
		close(file->tmp);
	if (file->fd >= 0)
		close(file->fd);
	free(file);
}

void jit_files__delete(struct jit_files *jit)
{
	struct jit_file *file, *next;

	if (!jit)
		return;
	HASH_ITER(hh, jit->files, file, next) {
		HASH_DEL(jit->files, file);
		jit_file__delete(file);
	}
	pthread_mutex_destroy(&jit->lock);
	free(jit);
}

static struct jit_file *jit_files__find(const struct jit_files *jit, const char *path)
{
	struct jit_file *file;

	HASH_FIND(hh, jit->files, path, strlen(path), file);
	return file;
}

/* NULL: there are too many, or no memory. */
static struct jit_file *jit_files__add(struct jit_files *jit, const char *path)
{
	struct jit_file *file = jit->nr < MAX_FILES ? calloc(1, sizeof(*file) + strlen(path) + 1) : NULL;

	if (!file)
		return NULL;
	strcpy(file->path, path);
	file->fd = file->tmp = -1;
	file->id.size = sizeof(file->id.data);
	if (getrandom(file->id.data, file->id.size, 0) == (ssize_t)file->id.size)
		HASH_ADD_KEYPTR(hh, jit->files, file->path, strlen(path), file);
	if (file->hh.tbl) {
		jit->nr++;
		return file;
	}
	free(file);
	return NULL;
}

static bool is_same(const char *a, const char *b)
{
	struct stat sa, sb;

	return !stat(a, &sa) && !stat(b, &sb) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* Its /tmp, if that is another one than ours, while the process lives. */
static void jit_file__open_tmp(struct jit_file *file, u32 pid)
{
	char root[40], mounts[40];

	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	snprintf(mounts, sizeof(mounts), "/proc/%u/ns/mnt", pid);
	if (!is_same(root, "/") || !is_same(mounts, "/proc/self/ns/mnt"))
		file->tmp = regular_file__open_dir_in(root, "/tmp");
}

/* Anybody may write to /tmp. */
static bool jit_file__is_trusted(const struct jit_file *file, int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (!st.st_uid || st.st_uid == geteuid() || st.st_uid == file->uid);
}

/* The process may have written a new file since. */
static void jit_file__look(struct jit_file *file)
{
	char name[40], root[40];
	int fd;

	if (!file->inner_pid)
		return;
	snprintf(name, sizeof(name), "/%sperf-%u.map", file->tmp < 0 ? "tmp/" : "", file->inner_pid);
	snprintf(root, sizeof(root), "/proc/self/fd/%d", file->tmp);
	fd = file->tmp < 0 ? regular_file__open(name, O_NOFOLLOW) : regular_file__open_in(root, name, O_NOFOLLOW);
	if (fd >= 0 && !jit_file__is_trusted(file, fd)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		return;
	if (file->fd >= 0)
		close(file->fd);
	file->fd = fd;
}

static bool is_alive(u32 pid, struct stat *st)
{
	char dir[32];

	snprintf(dir, sizeof(dir), "/proc/%u", pid);
	return !stat(dir, st);
}

/* Of processes that have ended without a map there is nothing to keep. */
static void jit_files__make_room(struct jit_files *jit)
{
	struct jit_file *file, *next;
	struct stat st;

	HASH_ITER(hh, jit->files, file, next) {
		if (file->fd < 0 && !is_alive(file->pid, &st))
			jit_file__look(file);
		if (file->fd >= 0 || is_alive(file->pid, &st))
			continue;
		HASH_DEL(jit->files, file);
		jit_file__delete(file);
		jit->nr--;
	}
}

static void jit_files__note_new_process(struct jit_files *jit, u32 pid, const char *path)
{
	int inner = perf_map__inner_pid(pid);
	struct stat st;
	struct jit_file *file;

	if (inner <= 0 || !is_alive(pid, &st))
		return;
	if (jit->nr == MAX_FILES)
		jit_files__make_room(jit);
	file = jit_files__add(jit, path);
	jit->left_out |= !file;
	if (!file)
		return;
	file->pid = pid;
	file->inner_pid = inner;
	file->uid = st.st_uid;
	jit_file__open_tmp(file, pid);
	jit_file__look(file);
}

void jit_files__note_code(struct jit_files *jit, u32 pid)
{
	struct jit_file *file;
	char path[40];

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	pthread_mutex_lock(&jit->lock);
	file = jit_files__find(jit, path);
	if (!file)
		jit_files__note_new_process(jit, pid, path);
	else if (file->fd < 0)
		jit_file__look(file);
	pthread_mutex_unlock(&jit->lock);
}

void jit_files__note_dump(struct jit_files *jit, const char *path, int fd)
{
	struct jit_file *file;

	pthread_mutex_lock(&jit->lock);
	file = jit_files__find(jit, path) ? NULL : jit_files__add(jit, path);
	if (file)
		file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&jit->lock);
}

static void forget_ids(struct perfdata_features *f)
{
	for (u32 i = 0; i < f->nr_build_id; i++)
		free(f->build_id[i].filename);
	free(f->build_id);
	f->build_id = NULL;
	f->nr_build_id = 0;
}

/* Of a jitdump it is the file that the process itself has mapped. */
static bool jit_file__is_wanted(const struct jit_file *file)
{
	return file->fd >= 0 && (!file->inner_pid || perf_map__is_one(file->fd));
}

static int list_file(struct jit_file *file, struct perfdata_features *f)
{
	struct perfdata_build_id *entry = &f->build_id[f->nr_build_id];

	jit_file__look(file);
	if (!jit_file__is_wanted(file))
		return 0;
	*entry = (struct perfdata_build_id){ .pid = -1, .misc = PERF_RECORD_MISC_USER, .id = file->id, .filename = strdup(file->path) };
	if (!entry->filename)
		return -ENOMEM;
	f->nr_build_id++;
	return 0;
}

int jit_files__list(struct jit_files *jit, struct perfdata_features *f)
{
	struct jit_file *file, *next;
	int ret = 0;

	forget_ids(f);
	pthread_mutex_lock(&jit->lock);
	f->build_id = jit->nr ? calloc(jit->nr, sizeof(*f->build_id)) : NULL;
	if (jit->nr && !f->build_id)
		ret = -ENOMEM;
	HASH_ITER(hh, jit->files, file, next) {
		if (!ret)
			ret = list_file(file, f);
	}
	pthread_mutex_unlock(&jit->lock);
	return ret;
}

/* left: bytes that may be copied. */
static int copy_file(const struct jit_file *file, const char *cache, u64 *left, struct errmsg *err)
{
	const struct build_id_copy copy = { .id = &file->id, .path = file->path, .fd = file->fd, .is_data = true, .max_bytes = MAX_BYTES };
	struct stat st;
	u64 nr_bytes;
	int ret;

	if (fstat(file->fd, &st) || (u64)st.st_size > *left)
		return errmsg__set(err, EFBIG, "%s: the names of code made at run time have more than %llu MiB", file->path, MAX_BYTES >> 20);
	ret = build_id_cache__add(cache, &copy, &nr_bytes, err);
	*left -= st.st_size;
	return ret == -ESTALE ? errmsg__set(err, ESTALE, "%s: cannot be read", file->path) : ret;
}

int jit_files__copy(struct jit_files *jit, const char *cache, struct errmsg *err)
{
	struct jit_file *file, *next;
	u64 left = MAX_BYTES;
	struct errmsg why;
	int ret = 0, one;

	pthread_mutex_lock(&jit->lock);
	HASH_ITER(hh, jit->files, file, next) {
		one = jit_file__is_wanted(file) ? copy_file(file, cache, &left, &why) : 0;
		if (one && !ret)
			*err = why;
		ret = ret ?: one;
	}
	if (!ret && jit->left_out)
		ret = errmsg__set(err, E2BIG, "names of code made at run time: more than %d processes have such code", MAX_FILES);
	pthread_mutex_unlock(&jit->lock);
	return ret;
}

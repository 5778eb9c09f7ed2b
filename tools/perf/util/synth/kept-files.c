// SPDX-License-Identifier: GPL-2.0
#include "util/synth/kept-files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/lib/hash.h"
#include "util/lib/printable.h"
#include "util/lib/regular-file.h"
#include "util/lib/threads.h"
#include "util/machine/dso.h"
#include "util/symbol/build-id-cache.h"
#include "util/symbol/symtab.h"
#include "util/synth/jit-files.h"

#define MAX_FILE (512ULL << 20)
#define MAX_BYTES (2ULL << 30)
#define MAX_WAITING 512
#define MEMORY_FILE "/memfd:" /* memfd_create(2) */
#define PATIENCE 10 /* seconds without progress */

struct known_file {
	UT_hash_handle hh;
	bool is_settled; /* is kept, waits, or cannot be kept; else it is to be offered again */
	char key[]; /* its build-id in hex, and its path */
};

struct copied_file { /* by device, inode and build-id: other paths of it get links to the copy */
	UT_hash_handle hh;
	struct copied_key { /* without padding */
		u64 dev, ino, is_seen;
		char hex[48];
	} key;
	char path[];
};

struct waiting_file {
	struct waiting_file *next;
	struct build_id id;
	int fd;
	bool is_seen; /* was opened by its path */
	char path[];
};

struct kept_files {
	bool started; /* the caller's thread's alone */
	bool all; /* also what perf sees */
	pthread_t thread;
	u64 nr_bytes; /* copied; the thread's alone. MAX_BYTES, too, when no more are to be */
	struct copied_file *copied; /* the thread's alone */
	struct jit_files *jit;

	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t changed;
	struct known_file *known;
	struct waiting_file *first, **last;
	unsigned int nr_waiting;
	u64 nr_steps; /* parts of files copied, and files done: progress */
	bool busy; /* the thread has a file that does not wait any more */
	bool over; /* the thread is to end */
	struct errmsg why; /* the first reason why files are missing; "": none are */
	char cache[];
};

struct kept_files *kept_files__new(const char *cache, bool all)
{
	struct kept_files *kept = calloc(1, sizeof(*kept) + strlen(cache) + 1);
	pthread_condattr_t attr;

	if (!kept)
		return NULL;
	kept->jit = jit_files__new();
	if (!kept->jit) {
		free(kept);
		return NULL;
	}
	strcpy(kept->cache, cache);
	kept->all = all;
	kept->last = &kept->first;
	pthread_mutex_init(&kept->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&kept->changed, &attr);
	pthread_condattr_destroy(&attr);
	return kept;
}

static void waiting_file__delete(struct waiting_file *file)
{
	close(file->fd);
	free(file);
}

/* With the lock. NULL: none waits. */
static struct waiting_file *kept_files__take(struct kept_files *kept)
{
	struct waiting_file *file = kept->first;

	if (!file)
		return NULL;
	kept->first = file->next;
	if (!kept->first)
		kept->last = &kept->first;
	kept->nr_waiting--;
	return file;
}

/* The first reason is the one to tell. */
static void kept_files__miss(struct kept_files *kept, const struct errmsg *why)
{
	pthread_mutex_lock(&kept->lock);
	if (!kept->why.text[0])
		kept->why = *why;
	pthread_mutex_unlock(&kept->lock);
}

/* With the lock. NULL: it is not known. */
static struct known_file *kept_files__find(const struct kept_files *kept, const char *key)
{
	struct known_file *known;

	HASH_FIND(hh, kept->known, key, strlen(key), known);
	return known;
}

/* NULL: out of memory. */
static char *file_key(const struct build_id *id, const char *path)
{
	char hex[41], *key;

	build_id__str(id, hex);
	return asprintf(&key, "%s%s", hex, path) < 0 ? NULL : key;
}

/* Another file of that path and build-id may be better. */
static void kept_files__forget(struct kept_files *kept, const struct waiting_file *file)
{
	char *key = file_key(&file->id, file->path);
	struct known_file *known;

	pthread_mutex_lock(&kept->lock);
	known = key ? kept_files__find(kept, key) : NULL;
	if (known)
		HASH_DEL(kept->known, known);
	pthread_mutex_unlock(&kept->lock);
	free(known);
	free(key);
}

static void note_progress(void *data)
{
	struct kept_files *kept = data;

	pthread_mutex_lock(&kept->lock);
	kept->nr_steps++;
	pthread_cond_broadcast(&kept->changed);
	pthread_mutex_unlock(&kept->lock);
}

static struct copied_key key_of_copy(const struct waiting_file *file, const struct stat *st)
{
	struct copied_key key = { .dev = st->st_dev, .ino = st->st_ino, .is_seen = file->is_seen };

	build_id__str(&file->id, key.hex);
	return key;
}

/* NULL: there is no copy of it. */
static const char *kept_files__path_of_copy(const struct kept_files *kept, const struct copied_key *key)
{
	struct copied_file *copied;

	HASH_FIND(hh, kept->copied, key, sizeof(*key), copied);
	return copied ? copied->path : NULL;
}

/* Without memory other paths get copies of their own. */
static void kept_files__note_copy(struct kept_files *kept, const struct copied_key *key, const char *path)
{
	struct copied_file *copied = calloc(1, sizeof(*copied) + strlen(path) + 1);

	if (!copied)
		return;
	copied->key = *key;
	strcpy(copied->path, path);
	HASH_ADD(hh, kept->copied, key, sizeof(copied->key), copied);
	if (!hash_added(copied))
		free(copied);
}

static void kept_files__forget_copies(struct kept_files *kept)
{
	struct copied_file *copied, *next;

	HASH_ITER(hh, kept->copied, copied, next) {
		HASH_DEL(kept->copied, copied);
		free(copied);
	}
}

/* 0 or an error of build_id_cache__add(). */
static int kept_files__add_copy(struct kept_files *kept, const struct waiting_file *file, const struct stat *st, struct errmsg *why)
{
	const struct copied_key key = key_of_copy(file, st);
	const char *same_as = kept_files__path_of_copy(kept, &key);
	const struct build_id_copy copy = {
		.id = &file->id, .path = file->path, .fd = file->fd, .is_seen = file->is_seen, .same_as = same_as,
		.max_bytes = MAX_FILE, .progress = note_progress, .data = kept,
	};
	u64 nr_bytes;
	int ret = build_id_cache__add(kept->cache, &copy, &nr_bytes, why);

	kept->nr_bytes += nr_bytes;
	if (!ret && !same_as)
		kept_files__note_copy(kept, &key, file->path);
	return ret;
}

static void kept_files__copy(struct kept_files *kept, const struct waiting_file *file)
{
	struct errmsg why;
	struct stat st;
	int ret;

	if (fstat(file->fd, &st))
		return;
	if (kept->nr_bytes + st.st_blocks * 512ULL > MAX_BYTES) {
		errmsg__set(&why, EFBIG, "%s and others: one recording copies at most 2 GiB", file->path);
		kept_files__miss(kept, &why);
		return;
	}
	ret = kept_files__add_copy(kept, file, &st, &why);
	if (!ret)
		return;
	if (ret == -ESTALE) {
		errmsg__set(&why, ESTALE, "%s: cannot be read, was changed after it was mapped, or has a path that cannot be used", file->path);
		kept_files__forget(kept, file);
	}
	kept_files__miss(kept, &why);
	if (ret != -EFBIG && ret != -ESTALE)
		kept->nr_bytes = MAX_BYTES; /* no more */
}

static void *kept_files__run(void *data)
{
	struct kept_files *kept = data;
	struct waiting_file *file;

	pthread_mutex_lock(&kept->lock);
	while (!kept->over) {
		file = kept_files__take(kept);
		if (!file) {
			pthread_cond_wait(&kept->changed, &kept->lock);
			continue;
		}
		kept->busy = true;
		pthread_mutex_unlock(&kept->lock);
		kept_files__copy(kept, file);
		waiting_file__delete(file);
		pthread_mutex_lock(&kept->lock);
		kept->busy = false;
		kept->nr_steps++;
		pthread_cond_broadcast(&kept->changed);
	}
	pthread_mutex_unlock(&kept->lock);
	return NULL;
}

/*
 * Is it what perf sees at that path, or as good? A container may call its program as a file of /proc or /sys here, which does something when it is
 * read: those have no size, or nothing on disk.
 */
static bool is_seen(const struct stat *mapped, const char *path, const struct build_id *want)
{
	struct build_id id;
	struct stat st;
	int fd;

	if (fstatat(AT_FDCWD, path, &st, AT_NO_AUTOMOUNT))
		return false;
	if (st.st_dev == mapped->st_dev && st.st_ino == mapped->st_ino)
		return true;
	if (!st.st_blocks || st.st_size != mapped->st_size)
		return false;
	fd = regular_file__open(path, 0);
	return fd >= 0 && !build_id__read_fd(fd, &id) && build_id__equal(&id, want);
}

static bool is_cached(const char *cache, const struct waiting_file *file)
{
	char *path = build_id_cache__find(cache, &file->id, "elf");

	if (!path && !file->is_seen)
		path = build_id_cache__find_kept(cache, &file->id, file->path);
	free(path);
	return path != NULL;
}

/* With the lock. NULL: out of memory. */
static struct known_file *kept_files__know(struct kept_files *kept, const char *key)
{
	struct known_file *known = calloc(1, sizeof(*known) + strlen(key) + 1);

	if (!known)
		return NULL;
	strcpy(known->key, key);
	HASH_ADD_KEYPTR(hh, kept->known, known->key, strlen(key), known);
	if (hash_added(known))
		return known;
	free(known);
	return NULL;
}

/* Settle the file of that build-id and path. NULL: it was, or memory is out. Until it waits it is the caller's. */
static struct known_file *kept_files__settle(struct kept_files *kept, const struct build_id *id, const char *path)
{
	char *key = file_key(id, path);
	struct known_file *known;

	if (!key)
		return NULL;
	pthread_mutex_lock(&kept->lock);
	known = kept_files__find(kept, key) ?: kept_files__know(kept, key);
	if (known && known->is_settled)
		known = NULL;
	if (known)
		known->is_settled = true;
	pthread_mutex_unlock(&kept->lock);
	free(key);
	return known;
}

/* Descriptors are needed for other things, too. */
static unsigned int max_waiting(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / 4 < MAX_WAITING ? limit.rlim_cur / 4 : MAX_WAITING;
}

static bool kept_files__is_full(struct kept_files *kept)
{
	bool full;

	pthread_mutex_lock(&kept->lock);
	full = kept->nr_waiting >= max_waiting();
	pthread_mutex_unlock(&kept->lock);
	return full;
}

/* Takes over file. */
static int kept_files__queue(struct kept_files *kept, struct waiting_file *file)
{
	int ret = 0;

	if (!kept->started) {
		ret = threads__start(&kept->thread, kept_files__run, kept);
		kept->started = !ret;
	}
	pthread_mutex_lock(&kept->lock);
	if (!ret) {
		*kept->last = file;
		kept->last = &file->next;
		kept->nr_waiting++;
		pthread_cond_broadcast(&kept->changed);
	}
	pthread_mutex_unlock(&kept->lock);
	if (ret)
		waiting_file__delete(file);
	return ret;
}

/* A descriptor of its own; -errno. What perf sees is opened by its path: the mapped file may be another one with the same build-id. */
static int open_file(int fd, const char *path, bool is_seen)
{
	int own = is_seen ? regular_file__open(path, 0) : fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return own < 0 && !is_seen ? -errno : own;
}

/* -EAGAIN: too many wait. */
static int kept_files__add(struct kept_files *kept, int fd, const char *path, const struct build_id *id, bool is_seen)
{
	struct waiting_file *file = calloc(1, sizeof(*file) + strlen(path) + 1);
	int ret;

	if (!file)
		return -ENOMEM;
	strcpy(file->path, path);
	file->id = *id;
	file->is_seen = is_seen;
	ret = 1;
	if (is_cached(kept->cache, file))
		ret = 0;
	else if (kept_files__is_full(kept))
		ret = -EAGAIN;
	else if ((file->fd = open_file(fd, path, is_seen)) < 0)
		ret = file->fd;
	if (ret == 1)
		return kept_files__queue(kept, file);
	free(file);
	return ret;
}

bool kept_files__offer(struct kept_files *kept, int fd, const char *path, const struct build_id *id)
{
	struct known_file *known;
	struct errmsg why;
	struct stat st;
	bool seen;
	int ret;

	if (kept && !id->size && dso_name__is_jitdump(path))
		jit_files__note_dump(kept->jit, path, fd);
	if (!kept || !id->size || !strncmp(path, MEMORY_FILE, strlen(MEMORY_FILE)) || fstat(fd, &st))
		return true;
	seen = is_seen(&st, path, id);
	known = seen && !kept->all ? NULL : kept_files__settle(kept, id, path);
	ret = known ? kept_files__add(kept, fd, path, id, seen) : 0;
	if (ret == -EAGAIN) {
		known->is_settled = false;
		return false;
	}
	if (ret) {
		errmsg__set(&why, -ret, "%s: %s", path, strerror(-ret));
		kept_files__miss(kept, &why);
	}
	return true;
}

static bool is_memory(const char *name)
{
	return !name[0] || !strcmp(name, "//anon") || !strncmp(name, "/dev/zero", strlen("/dev/zero")) ||
	       !strncmp(name, "/anon_hugepage", strlen("/anon_hugepage"));
}

void kept_files__note_code(struct kept_files *kept, u32 pid, const char *name)
{
	if (kept && is_memory(name))
		jit_files__note_code(kept->jit, pid);
}

int kept_files__list_jit(struct kept_files *kept, struct perfdata_features *f)
{
	return kept ? jit_files__list(kept->jit, f) : 0;
}

/* With the lock. Files that had to be offered again, and were not. */
static void kept_files__tell_left_out(const struct kept_files *kept, struct errmsg *err)
{
	const struct known_file *known;

	for (known = kept->known; known; known = known->hh.next) {
		if (known->is_settled)
			continue;
		errmsg__set(err, EAGAIN, "%s: %u files were waiting already, as many as a fourth of the limit of open files (ulimit -n) or %d",
			    strchr(known->key, '/') ?: known->key, max_waiting(), MAX_WAITING);
		return;
	}
}

/* With the lock. Is the thread done, before it has made no progress for long? */
static bool kept_files__wait(struct kept_files *kept)
{
	u64 nr_steps = kept->nr_steps;
	struct timespec until;
	int ret = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += PATIENCE;
	while ((kept->busy || kept->first) && !ret) {
		ret = pthread_cond_timedwait(&kept->changed, &kept->lock, &until);
		if (kept->nr_steps == nr_steps)
			continue;
		nr_steps = kept->nr_steps;
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += PATIENCE;
		ret = 0;
	}
	return !kept->busy && !kept->first;
}

int kept_files__finish(struct kept_files *kept, struct errmsg *err)
{
	struct errmsg why;
	bool done;

	if (jit_files__copy(kept->jit, kept->cache, &why))
		kept_files__miss(kept, &why);
	pthread_mutex_lock(&kept->lock);
	done = !kept->started || kept_files__wait(kept);
	*err = kept->why;
	if (!err->text[0])
		kept_files__tell_left_out(kept, err);
	pthread_mutex_unlock(&kept->lock);
	if (!done && !err->text[0])
		errmsg__set(err, ETIMEDOUT, "one of them cannot be read in time");
	printable__clean(err->text);
	return err->text[0] ? -EIO : 0;
}

/* A thread that waits for a file system may wait for ever: then it keeps what it uses. */
void kept_files__delete(struct kept_files *kept)
{
	struct known_file *known, *next;
	struct waiting_file *file;
	bool busy;

	if (!kept)
		return;
	pthread_mutex_lock(&kept->lock);
	HASH_ITER(hh, kept->known, known, next) {
		HASH_DEL(kept->known, known);
		free(known);
	}
	while ((file = kept_files__take(kept)))
		waiting_file__delete(file);
	kept->over = true;
	busy = kept->busy;
	pthread_cond_broadcast(&kept->changed);
	pthread_mutex_unlock(&kept->lock);
	if (busy)
		pthread_detach(kept->thread);
	if (busy)
		return;
	if (kept->started)
		pthread_join(kept->thread, NULL);
	kept_files__forget_copies(kept);
	jit_files__delete(kept->jit);
	pthread_cond_destroy(&kept->changed);
	pthread_mutex_destroy(&kept->lock);
	free(kept);
}

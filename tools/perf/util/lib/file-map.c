// SPDX-License-Identifier: GPL-2.0
#include "util/lib/file-map.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/lib/printable.h"

struct file_map {
	u8 *at;
	u64 size;
	int fd;
	char *cut, *unreadable; /* messages, prepared because a signal handler cannot format them */
	struct file_map *next;
};

/* The main thread changes it while no other thread reads a file; the handler reads it. */
static _Atomic(struct file_map *) maps;
static _Atomic(const struct file_map *) lost; /* found by another thread than the one that ends */
static _Atomic(pid_t) writer;
static void (*end_process)(const char *message);
static struct sigaction before;

static const struct file_map *find(const void *addr)
{
	for (const struct file_map *map = atomic_load(&maps); map; map = map->next) {
		if ((const u8 *)addr >= map->at && (const u8 *)addr - map->at < (s64)map->size)
			return map;
	}
	return NULL;
}

static bool is_cut(const struct file_map *map)
{
	struct stat st;

	return !fstat(map->fd, &st) && (u64)st.st_size < map->size;
}

static void end_by(const struct file_map *map)
{
	sigset_t all;

	sigfillset(&all); /* a check is no signal handler, and another thread may find the same loss */
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	end_process(is_cut(map) ? map->cut : map->unreadable);
}

/*
 * The thread that writes the output ends the process: while it runs end(), no output follows the message, and a write of its own that
 * waited is over.
 */
static void end_of(const struct file_map *map)
{
	struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };

	for (;; nanosleep(&pause, NULL)) { /* again: the writer may just have ended */
		pid_t ending = atomic_load(&writer) ?: getpid();

		if (gettid() == ending)
			end_by(map);
		atomic_store(&lost, map);
		tgkill(getpid(), ending, SIGBUS);
	}
}

void file_maps__set_writer(pid_t tid)
{
	atomic_store(&writer, tid);
}

void file_map__check(const struct file_map *map)
{
	if (end_process && is_cut(map))
		end_of(map);
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	const bool was_sent = info->si_code <= 0; /* else the access is made again, for the earlier owner of the signal */
	const struct file_map *map = was_sent ? atomic_load(&lost) : find(info->si_addr);

	if (map)
		end_of(map);
	sigaction(SIGBUS, &before, NULL);
	if (was_sent)
		raise(sig);
}

void file_maps__on_loss(void (*end)(const char *message))
{
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	end_process = end;
	sigfillset(&action.sa_mask); /* no signal may end the process before its cleanup */
	sigaction(SIGBUS, &action, &before);
}

static int make_messages(struct file_map *map, const char *name)
{
	if (asprintf(&map->cut, "%s was cut off while it was read: read it when nobody writes to it, or a copy of it\n", name) < 0)
		map->cut = NULL;
	if (asprintf(&map->unreadable, "%s cannot be read: its disk failed, or its server. The kernel's log may say why\n", name) < 0)
		map->unreadable = NULL;
	if (!map->cut || !map->unreadable)
		return -ENOMEM;
	printable__clean_bytes(map->cut, strlen(map->cut) - 1);
	printable__clean_bytes(map->unreadable, strlen(map->unreadable) - 1);
	return 0;
}

int file_map__new(struct file_map **mapp, int fd, u64 size, const char *name, struct errmsg *err)
{
	struct file_map *map = calloc(1, sizeof(*map));
	void *at;

	if (!map)
		return errmsg__set(err, ENOMEM, "Out of memory");
	map->fd = -1;
	if (make_messages(map, name)) {
		file_map__delete(map);
		return errmsg__set(err, ENOMEM, "Out of memory");
	}
	map->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	at = map->fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	if (at == MAP_FAILED) {
		int ret = errmsg__set(err, errno, "Cannot map %s: %m", name);

		file_map__delete(map);
		return ret;
	}
	map->at = at;
	map->size = size;
	map->next = atomic_load(&maps);
	atomic_store(&maps, map);
	*mapp = map;
	return 0;
}

static void forget(const struct file_map *map)
{
	struct file_map *other = atomic_load(&maps);

	if (other == map) {
		atomic_store(&maps, map->next);
		return;
	}
	while (other && other->next != map)
		other = other->next;
	if (other)
		other->next = map->next;
}

void file_map__delete(struct file_map *map)
{
	if (!map)
		return;
	if (map->at) {
		forget(map);
		munmap(map->at, map->size);
	}
	if (map->fd >= 0)
		close(map->fd);
	free(map->cut);
	free(map->unreadable);
	free(map);
}

u8 *file_map__memory(const struct file_map *map)
{
	return map->at;
}

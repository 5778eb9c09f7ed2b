// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "util/interp/names.h"
#include "util/synth/moved-text.h"
#include "util/synth/private.h"

#define COMM_MAX 15 /* TASK_COMM_LEN minus its NUL: /proc shows longer names of workqueue workers than the kernel's records */

/*
 * Tells readers that the child did not start with a copy of its parent's maps, as after a real fork; has the same bit as
 * PERF_RECORD_MISC_COMM_EXEC. perf has set it in synthesized FORKs since 4.20.
 */
#define MISC_FORK_EXEC (1 << 13)

static int synth__fork(struct synth *synth, u32 pid, u32 tid, u32 ppid)
{
	struct record_fork r = {
		.header = { .type = PERF_RECORD_FORK, .misc = MISC_FORK_EXEC },
		.pid = pid,
		.tid = tid,
		.ppid = tid == pid ? ppid : pid,
		.ptid = tid == pid ? ppid : pid,
	};

	return synth__add(synth, &r, sizeof(r), NULL, 0, pid, tid);
}

static int synth__comm(struct synth *synth, u32 pid, u32 tid, const char *comm, size_t len)
{
	struct record_comm r = { .header = { .type = PERF_RECORD_COMM }, .pid = pid, .tid = tid };

	if (len && comm[len - 1] == '\n') /* added by the kernel; the name may hold newlines of its own */
		len--;
	return synth__add(synth, &r, sizeof(r), comm, len < COMM_MAX ? len : COMM_MAX, pid, tid);
}

/* In the order of the kernel's records (include/uapi/linux/perf_event.h, NET_NS_INDEX and so on) */
static const char *const namespaces[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };

static int synth__namespaces(struct synth *synth, const char *dir, u32 pid, u32 tid)
{
	struct {
		struct record_namespaces record;
		struct {
			u64 dev, ino;
		} link[ARRAY_SIZE(namespaces)];
	} r = { .record = { .header = { .type = PERF_RECORD_NAMESPACES }, .pid = pid, .tid = tid, .nr = ARRAY_SIZE(namespaces) } };
	char path[PATH_MAX];
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++) {
		snprintf(path, sizeof(path), "%s/task/%u/ns/%s", dir, tid, namespaces[i]);
		if (stat(path, &st))
			continue;
		r.link[i].dev = st.st_dev;
		r.link[i].ino = st.st_ino;
	}
	return synth__add(synth, &r, sizeof(r), NULL, 0, pid, tid);
}

static int synth__thread(struct synth *synth, const char *dir, u32 pid, u32 tid, u32 ppid)
{
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), "%s/task/%u/comm", dir, tid);
	err = fs_text__read(&synth->text, AT_FDCWD, path);
	if (err)
		return fs__own_error(err);
	err = synth__fork(synth, pid, tid, ppid);
	if (!err && synth->attr.namespaces)
		err = synth__namespaces(synth, dir, pid, tid);
	return err ? err : synth__comm(synth, pid, tid, synth->text.text, synth->text.size);
}

static int synth__map(struct synth *synth, const char *dir, u32 pid, const struct proc_map *map)
{
	struct record_mmap2 r = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
		.pid = pid,
		.tid = pid,
		.start = map->start,
		.len = map->end - map->start,
		.pgoff = map->pgoff,
		.maj = map->maj,
		.min = map->min,
		.ino = map->ino,
		.prot = map->prot,
		.flags = map->flags,
	};
	const struct build_id *id = NULL;

	if (!(map->prot & PROT_EXEC))
		r.header.misc |= PERF_RECORD_MISC_MMAP_DATA;
	if (synth->build_ids) {
		id = build_ids__get(synth->build_ids, dir, map);
		if (!id)
			return -ENOMEM;
	}
	if (id && id->size) {
		r.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		r.reserved1 = 0;
		r.reserved2 = 0;
		r.build_id_size = id->size;
		memcpy(r.build_id, id->data, sizeof(r.build_id));
	}
	if (!map->name_len) /* the name in the kernel's own records (kernel/events/core.c, perf_event_mmap_event) */
		return synth__add(synth, &r, sizeof(r), "//anon", strlen("//anon"), pid, pid);
	return synth__add(synth, &r, sizeof(r), map->name, map->name_len, pid, pid);
}

/* Where the functions of the interpreter are that this file has: see interp/names.h. */
static int synth__names(struct synth *synth, u32 pid)
{
	struct record_mmap2 r;

	if (!synth->opts.names || !build_ids__was_interpreter(synth->build_ids))
		return 0;
	interp_names__describe(synth->opts.names, pid, pid, &r);
	return synth__add(synth, &r, sizeof(r), INTERP_NAMES_PATH, strlen(INTERP_NAMES_PATH), pid, pid);
}

/* dir: of the process, or of one of its threads */
static int read_maps(struct synth *synth, const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/maps", dir);
	return fs_text__read(&synth->text, AT_FDCWD, path);
}

/* other: a thread that is not the first one, which may have ended alone: then the process seems to have no maps. 0: there is none */
static int synth__maps(struct synth *synth, const char *dir, u32 pid, u32 other)
{
	char of_thread[PATH_MAX - 16], *text;
	struct proc_map map = { 0 }, before = { 0 };
	int ret = read_maps(synth, dir);

	if (!ret && !synth->text.size && other) {
		snprintf(of_thread, sizeof(of_thread), "%s/task/%u", dir, other);
		dir = of_thread;
		ret = read_maps(synth, dir);
	}
	if (ret) {
		synth->nr_closed += ret == -EACCES || ret == -EPERM;
		return fs__own_error(ret);
	}
	text = synth->text.text;
	for (; (ret = proc_map__next(&text, &map)); before = map) {
		if (ret > 0)
			moved_text__find(dir, &before, &map);
		if (ret < 0 || !(map.prot & PROT_EXEC || synth->opts.data_maps))
			continue;
		ret = synth__map(synth, dir, pid, &map) ?: synth__names(synth, pid);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Find numbers in status; its Name line comes first and contains no newline. -ENOENT if it is missing. */
static int status_number(const char *status, const char *key, u32 *value)
{
	const char *at = strstr(status, key);

	if (!at)
		return -ENOENT;
	*value = strtoul(at + strlen(key), NULL, 10);
	return 0;
}

/* The number of a directory entry, 0 for other names. */
static u32 entry_number(const struct dirent *entry)
{
	char *end;
	unsigned long n = strtoul(entry->d_name, &end, 10);

	return *end || n > INT_MAX ? 0 : n;
}

/* The next entry that is a number; 0: no more; or an error. */
static int next_number(DIR *dir)
{
	struct dirent *entry;
	u32 number;

	do {
		errno = 0;
		entry = readdir(dir);
		if (!entry)
			return fs__own_error(-errno);
		number = entry_number(entry);
	} while (!number);
	return number;
}

/* *other: one that is not the first one; 0: there is none */
static int synth__threads(struct synth *synth, const char *dir, u32 pid, u32 ppid, u32 *other)
{
	char path[PATH_MAX];
	int tid, ret = 0;
	DIR *task;

	snprintf(path, sizeof(path), "%s/task", dir);
	task = opendir(path);
	if (!task)
		return fs__own_error(-errno);
	while (!ret && (tid = next_number(task)) > 0) {
		ret = synth__thread(synth, dir, pid, tid, ppid);
		*other = (u32)tid == pid ? *other : (u32)tid;
	}
	closedir(task);
	return ret ? ret : tid;
}

int synth__process(struct synth *synth, pid_t pid)
{
	char dir[PATH_MAX / 2], path[PATH_MAX];
	u32 ppid, other = 0;
	int ret;

	snprintf(dir, sizeof(dir), "%s/%d", synth->opts.proc, pid);
	snprintf(path, sizeof(path), "%s/status", dir);
	ret = fs_text__read(&synth->text, AT_FDCWD, path);
	if (ret)
		return fs__own_error(ret);
	if (status_number(synth->text.text, "\nPPid:", &ppid))
		return 0;
	ret = synth__threads(synth, dir, pid, ppid, &other);
	return ret || synth->opts.no_maps ? ret : synth__maps(synth, dir, pid, other);
}

int synth__command(struct synth *synth, pid_t pid, const char *comm)
{
	return synth__comm(synth, pid, pid, comm, strlen(comm));
}

/* From /proc/PID/task/TID/children of all its threads; kernels without CONFIG_PROC_CHILDREN lack it. */
static int synth__children(struct synth *synth, const char *path)
{
	struct fs_text text = { 0 };
	int ret = fs_text__read(&text, AT_FDCWD, path);
	char *at = text.text, *end;
	long pid;

	if (ret)
		return fs__own_error(ret);
	while (!ret && (pid = strtol(at, &end, 10)) > 0) {
		at = end;
		ret = synth__family(synth, pid);
	}
	fs_text__exit(&text);
	return ret;
}

int synth__family(struct synth *synth, pid_t pid)
{
	int tid, ret = synth__process(synth, pid);
	char path[PATH_MAX];
	DIR *task;

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/%d/task", synth->opts.proc, pid);
	task = opendir(path);
	if (!task)
		return fs__own_error(-errno);
	while (!ret && (tid = next_number(task)) > 0) {
		snprintf(path, sizeof(path), "%s/%d/task/%d/children", synth->opts.proc, pid, tid);
		ret = synth__children(synth, path);
	}
	closedir(task);
	return ret ? ret : tid;
}

int synth__all_processes(struct synth *synth)
{
	int pid, ret = 0;
	DIR *proc;

	proc = opendir(synth->opts.proc);
	if (!proc)
		return fs__own_error(-errno);
	while (!ret && (pid = next_number(proc)) > 0)
		ret = synth__process(synth, pid);
	closedir(proc);
	return ret ? ret : pid;
}

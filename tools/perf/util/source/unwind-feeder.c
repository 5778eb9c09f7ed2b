// SPDX-License-Identifier: GPL-2.0
/*
 * A program that meets a file without a table notes it in the map of files, so that it asks once, and sends a mapping of it. The file
 * is opened through /proc/PID/map_files, whatever its name is by now and in whichever container. If the process or the mapping is
 * gone, the note is removed, and the next process with this file asks again.
 */
#define LOG_DOMAIN "unwind"
#include "util/source/unwind-feeder.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <uthash.h>
#include "util/bpf/barrier.h"
#include "util/bpf/ring.h"
#include "util/lib/fs.h"
#include "util/lib/log.h"
#include "util/lib/regular-file.h"
#include "util/source/unwind-store.h"
#include "util/synth/proc-maps.h"

#define REQUESTS_SIZE 65536 /* of the ring, see unwind.bpf.h */
#define MINOR_BITS 20	    /* of a device's number in the kernel: include/linux/kdev_t.h */

#if defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

struct known_file { /* that programs know, too, but for what failed */
	struct unwind_key key;
	struct unwind_file file;
	UT_hash_handle hh;
};

struct unwind_feeder {
	struct bpf_programs *programs;
	int files_fd;
	struct bpf_ring requests;
	struct bpf_barrier barrier;
	struct unwind_rules *rules;
	struct unwind_store *store;
	struct known_file *known;
	struct unwind_feeder_counts counts;
};

static int feeder__open(struct unwind_feeder *f, size_t max_bytes, struct errmsg *err)
{
	f->files_fd = bpf_programs__map(f->programs, "unwind_files");
	f->rules = unwind_rules__new(MACHINE);
	f->store = unwind_store__new(f->programs, max_bytes);
	if (!f->rules || !f->store)
		return errmsg__set(err, ENOMEM, "out of memory for unwinding tables");
	return bpf_barrier__init(&f->barrier, f->files_fd, err) ?:
	       bpf_ring__map(&f->requests, bpf_programs__map(f->programs, "unwind_requests"), REQUESTS_SIZE, err);
}

void unwind_feeder__configure(struct bpf_programs *programs)
{
	bpf_programs__set(programs, "unwind_page_shift", (u32)__builtin_ctzl(sysconf(_SC_PAGESIZE)));
}

int unwind_feeder__new(struct bpf_programs *programs, size_t max_bytes, struct unwind_feeder **feeder, struct errmsg *err)
{
	struct unwind_feeder *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return errmsg__set(err, ENOMEM, "out of memory for unwinding tables");
	f->programs = programs;
	f->barrier = (struct bpf_barrier)BPF_BARRIER_NONE;
	ret = feeder__open(f, max_bytes, err);
	if (!ret && unwind_store__put_rules(f->store, f->rules))
		ret = errmsg__set(err, errno, "cannot give BPF programs the rules for unwinding: %s", strerror(errno));
	if (ret)
		unwind_feeder__delete(f);
	else
		*feeder = f;
	return ret;
}

void unwind_feeder__delete(struct unwind_feeder *f)
{
	struct known_file *known, *tmp;

	if (!f)
		return;
	HASH_ITER(hh, f->known, known, tmp) {
		HASH_DEL(f->known, known);
		free(known);
	}
	bpf_ring__unmap(&f->requests);
	bpf_barrier__exit(&f->barrier);
	unwind_store__delete(f->store);
	unwind_rules__delete(f->rules);
	free(f);
}

int unwind_feeder__fd(const struct unwind_feeder *f)
{
	return bpf_programs__map(f->programs, "unwind_requests");
}

struct unwind_feeder_counts unwind_feeder__counts(const struct unwind_feeder *f)
{
	return f->counts;
}

/* Throwing out */

struct candidate {
	struct known_file *known;
	u64 used;
	int place; /* the order in which files became known, for those that are used alike */
};

static int compare_use(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->used != y->used ? (x->used < y->used ? -1 : 1) : x->place - y->place;
}

/* Returns the number of files, or of those with a table, or -ENOMEM. */
static int feeder__list(const struct unwind_feeder *f, bool only_tables, struct candidate **list)
{
	struct known_file *known, *tmp;
	int nr = 0;

	*list = calloc(HASH_COUNT(f->known) + 1, sizeof(**list));
	if (!*list)
		return -ENOMEM;
	HASH_ITER(hh, f->known, known, tmp) {
		struct unwind_file now;

		if (only_tables && known->file.state != UNWIND_FILE_READY)
			continue;
		(*list)[nr].known = known;
		(*list)[nr].place = nr;
		(*list)[nr++].used = bpf_map_lookup_elem(f->files_fd, &known->key, &now) ? 0 : now.used;
	}
	qsort(*list, nr, sizeof(**list), compare_use);
	return nr;
}

static void feeder__forget(struct unwind_feeder *f, struct known_file *known)
{
	if (known->file.state == UNWIND_FILE_READY) {
		f->counts.tables--;
		f->counts.bytes -= (u64)unwind_store__size(f->store, &known->file) * UNWIND_CHUNK_WORDS * sizeof(u32);
		f->counts.thrown_out++;
		unwind_store__free(f->store, &known->file);
	}
	HASH_DEL(f->known, known);
	free(known);
}

/* What to make room for: the number of chunks, or of files in the map */
struct need {
	u32 chunks, files;
};

/* Hide the least used files from programs that start now. Returns their number. */
static int feeder__hide(struct unwind_feeder *f, const struct need *need, const struct candidate *list, int nr)
{
	u32 freed = 0;
	int i;

	for (i = 0; i < nr && (freed < need->chunks || (u32)i < need->files); i++) {
		bpf_map_delete_elem(f->files_fd, &list[i].known->key);
		if (need->chunks)
			freed += unwind_store__size(f->store, &list[i].known->file);
	}
	return i;
}

/* Programs may use the tables still, so that their memory stays taken whatever happens. */
static void feeder__show_again(struct unwind_feeder *f, const struct candidate *list, int nr)
{
	for (int i = 0; i < nr; i++) {
		struct known_file *known = list[i].known;

		if (!bpf_map_update_elem(f->files_fd, &known->key, &known->file, BPF_ANY))
			continue;
		f->counts.tables -= known->file.state == UNWIND_FILE_READY;
		HASH_DEL(f->known, known);
		free(known);
	}
}

/* Throw out the least used files: no program may use their tables any more when their memory is free. */
static int feeder__throw_out(struct unwind_feeder *f, const struct need *need)
{
	struct candidate *list;
	int nr = feeder__list(f, need->chunks != 0, &list), hidden, ret;

	if (nr < 0)
		return nr;
	hidden = feeder__hide(f, need, list, nr);
	ret = hidden ? bpf_barrier__wait(&f->barrier) : -ENOSPC;
	for (int i = 0; i < hidden && !ret; i++)
		feeder__forget(f, list[i].known);
	if (ret)
		feeder__show_again(f, list, hidden);
	free(list);
	return ret;
}

/* At least an eighth of what there is, since waiting for the programs takes long. */
static int feeder__throw_out_tables(struct unwind_feeder *f, u32 nr_chunks)
{
	const u32 eighth = unwind_store__max_chunks(f->store) / 8;

	return feeder__throw_out(f, &(struct need){ .chunks = nr_chunks > eighth ? nr_chunks : eighth });
}

static int feeder__throw_out_files(struct unwind_feeder *f)
{
	return feeder__throw_out(f, &(struct need){ .files = HASH_COUNT(f->known) / 8 + 1 });
}

/* Making */

static u64 cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static int feeder__place(struct unwind_feeder *f, const struct unwind_table *table, struct unwind_file *file)
{
	const u32 words = table->nr_pages + table->nr_rows;
	int ret = unwind_store__put_rules(f->store, f->rules);

	if (!ret)
		ret = unwind_store__put(f->store, table, file);
	while (ret == -ENOSPC) {
		ret = feeder__throw_out_tables(f, words / UNWIND_CHUNK_WORDS + 1);
		if (!ret)
			ret = unwind_store__put(f->store, table, file);
	}
	return ret;
}

/* Add to the map of files, or replace a note there. */
static int feeder__tell(struct unwind_feeder *f, const struct unwind_key *key, const struct unwind_file *file)
{
	int ret = bpf_map_update_elem(f->files_fd, key, file, BPF_ANY) ? -errno : 0;

	while (ret == -E2BIG) { /* programs may take the entries that get free */
		ret = feeder__throw_out_files(f);
		if (!ret)
			ret = bpf_map_update_elem(f->files_fd, key, file, BPF_ANY) ? -errno : 0;
	}
	return ret;
}

/* Tell the programs, and remember. A file that they have no room for stays unknown to them. */
static int feeder__publish(struct unwind_feeder *f, const struct unwind_key *key, const struct unwind_file *file)
{
	struct known_file *known = calloc(1, sizeof(*known));
	int ret;

	if (!known)
		return -ENOMEM;
	ret = feeder__tell(f, key, file);
	if (ret) {
		free(known);
		return ret;
	}
	known->key = *key;
	known->file = *file;
	HASH_ADD(hh, f->known, key, sizeof(known->key), known);
	return 0;
}

static int feeder__add_table(struct unwind_feeder *f, const struct unwind_key *key, const struct unwind_table *table)
{
	struct unwind_file file = { .state = UNWIND_FILE_BARE };
	int ret = feeder__place(f, table, &file);

	if (!ret) {
		ret = feeder__publish(f, key, &file);
		if (ret)
			unwind_store__free(f->store, &file);
	}
	if (ret) {
		f->counts.refused++;
		return ret == -ENOMEM ? ret : 0;
	}
	f->counts.tables++;
	f->counts.rows += table->nr_rows;
	f->counts.bytes += (u64)unwind_store__size(f->store, &file) * UNWIND_CHUNK_WORDS * sizeof(u32);
	return 0;
}

/* The image of our own vdso, which is that of all 64-bit processes. */
static int load_vdso(struct unwind_feeder *f, struct unwind_table **table, struct errmsg *err)
{
	char *text = fs__read_file(AT_FDCWD, "/proc/self/maps", NULL), *at = text;
	struct proc_map map;
	int ret = -ENOENT, more;

	if (!text)
		return -errno;
	while (ret == -ENOENT && (more = proc_map__next(&at, &map)) != 0) {
		if (more > 0 && !strcmp(map.name, "[vdso]"))
			ret = unwind_table__load_memory((const void *)(uintptr_t)map.start, map.end - map.start, "the vdso", f->rules, table, err);
	}
	free(text);
	return ret;
}

/* Reading the iterator runs its program on all mappings of the process, or of all. cb returns true to stop. */
static int feeder__list_mappings(struct unwind_feeder *f, pid_t pid, bool (*cb)(void *data, const struct unwind_mapping *m), void *data)
{
	struct unwind_mapping mapping[64];
	size_t have = 0, nr;
	bool done = false;
	int fd, ret = 0;
	ssize_t n;

	*(u32 *)bpf_programs__sized_var(f->programs, "unwind_listed_pid", sizeof(u32)) = pid;
	fd = bpf_programs__iterate(f->programs, "unwind_list");
	if (fd < 0)
		return fd;
	while (!ret && !done && (n = read(fd, (char *)mapping + have, sizeof(mapping) - have)) != 0) {
		if (n < 0) {
			ret = errno == EINTR || errno == EAGAIN ? 0 : -errno;
			continue;
		}
		have += n;
		nr = have / sizeof(*mapping);
		for (size_t i = 0; i < nr && !done; i++)
			done = cb(data, &mapping[i]);
		have -= nr * sizeof(*mapping);
		memmove(mapping, &mapping[nr], have);
	}
	close(fd);
	return ret;
}

struct own_mapping {
	u64 start;
	const struct unwind_key *key;
	bool equal;
};

static bool compare_own(void *data, const struct unwind_mapping *m)
{
	struct own_mapping *own = data;

	if (m->start != own->start)
		return false;
	own->equal = !memcmp(&m->key, own->key, sizeof(m->key));
	return true;
}

/*
 * Does the kernel know the file by this key? The process may have executed another program meanwhile, with other files at the same
 * addresses. On some file systems (overlayfs, btrfs) stat(2) shows other numbers than the kernel has; then map the file and look.
 */
static bool feeder__is_file(struct unwind_feeder *f, int fd, const struct unwind_key *key)
{
	struct own_mapping own = { .key = key };
	struct stat st;
	void *page;

	if (fstat(fd, &st))
		return false;
	if (st.st_ino == key->inode && (major(st.st_dev) << MINOR_BITS | minor(st.st_dev)) == key->dev)
		return true;
	page = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (page == MAP_FAILED)
		return false;
	own.start = (uintptr_t)page;
	feeder__list_mappings(f, getpid(), compare_own, &own);
	munmap(page, 1);
	return own.equal;
}

/* -ESTALE: it is another file by now */
static int feeder__load(struct unwind_feeder *f, const struct unwind_mapping *m, struct unwind_table **table, struct errmsg *err)
{
	char path[80];
	int fd;

	if (!m->key.inode && !m->key.dev)
		return load_vdso(f, table, err);
	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, m->pid, (u64)m->start, (u64)m->end);
	fd = regular_file__open(path, 0);
	if (fd < 0)
		return fd;
	if (!feeder__is_file(f, fd, &m->key)) {
		close(fd);
		return -ESTALE;
	}
	return unwind_table__load_fd(fd, path, f->rules, table, err);
}

static bool is_gone(int ret)
{
	return ret == -ESTALE || ret == -ENOENT || ret == -ESRCH;
}

/* -EINVAL: no regular file, but a device such as /dev/zero */
static bool has_no_rules(int ret)
{
	return ret == -ENODATA || ret == -ENOEXEC || ret == -ENOTSUP || ret == -EINVAL;
}

static int feeder__fail(struct unwind_feeder *f, const struct unwind_mapping *m, int ret, const struct errmsg *err)
{
	const struct unwind_file bare = { .state = UNWIND_FILE_BARE };

	if (is_gone(ret)) {
		bpf_map_delete_elem(f->files_fd, &m->key);
		return 0;
	}
	if (has_no_rules(ret)) {
		f->counts.bare++;
		ret = feeder__publish(f, &m->key, &bare);
		return ret == -ENOMEM ? ret : 0;
	}
	f->counts.failed++;
	pr_debug("no unwinding table for inode %" PRIu64 " of process %u: %s\n", (u64)m->key.inode, m->pid, *err->text ? err->text : strerror(-ret));
	return ret == -ENOMEM ? ret : 0;
}

/* 0, or -ENOMEM: all other failures concern this file only. */
static int feeder__add_file(struct unwind_feeder *f, const struct unwind_mapping *m)
{
	const u64 began = cpu_time();
	struct unwind_table *table = NULL;
	struct errmsg err = { 0 };
	struct known_file *known;
	int ret;

	HASH_FIND(hh, f->known, &m->key, sizeof(m->key), known);
	if (known)
		return 0;
	ret = feeder__load(f, m, &table, &err);
	ret = ret ? feeder__fail(f, m, ret, &err) : feeder__add_table(f, &m->key, table);
	unwind_table__delete(table);
	f->counts.ns += cpu_time() - began;
	return ret;
}

struct adding {
	struct unwind_feeder *f;
	struct unwind_mapping *mapping;
	size_t nr, room;
	bool failed;
};

static bool note_mapping(void *data, const struct unwind_mapping *m)
{
	struct adding *a = data;
	struct unwind_mapping *grown;

	for (size_t i = 0; i < a->nr; i++) {
		if (!memcmp(&a->mapping[i].key, &m->key, sizeof(m->key)))
			return false;
	}
	if (a->nr == a->room) {
		a->room = a->room ? 2 * a->room : 64;
		grown = realloc(a->mapping, a->room * sizeof(*grown));
		if (!grown)
			return a->failed = true;
		a->mapping = grown;
	}
	a->mapping[a->nr++] = *m;
	return false;
}

int unwind_feeder__add_process(struct unwind_feeder *f, pid_t pid, struct errmsg *err)
{
	struct adding a = { .f = f };
	int ret = feeder__list_mappings(f, pid, note_mapping, &a);

	if (a.failed)
		ret = -ENOMEM;
	for (size_t i = 0; i < a.nr && !ret; i++)
		ret = feeder__add_file(f, &a.mapping[i]);
	free(a.mapping);
	return ret ? errmsg__set(err, -ret, "cannot make tables for unwinding of what runs already: %s", strerror(-ret)) : 0;
}

static int take_requests(void *data, const void *records, size_t size)
{
	const char *at = records, *end = at + size;
	struct unwind_mapping m;
	int ret = 0;

	for (; end - at >= (ssize_t)sizeof(m) && !ret; at += sizeof(m)) {
		memcpy(&m, at, sizeof(m));
		ret = feeder__add_file(data, &m);
	}
	return ret;
}

int unwind_feeder__serve(struct unwind_feeder *f)
{
	return bpf_ring__drain(&f->requests, take_requests, f, NULL);
}

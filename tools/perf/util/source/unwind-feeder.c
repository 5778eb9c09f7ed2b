// SPDX-License-Identifier: GPL-2.0
/*
 * A program that meets a file without a table notes it in the map of files, so that it asks once, and sends a mapping of it. The file
 * is opened through /proc/PID/map_files, whatever its name is by now and in whichever container. If the process or the mapping is
 * gone, the note is removed, and the next process with this file asks again.
 */
#define LOG_DOMAIN "unwind"
#include "util/source/unwind-feeder.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/barrier.h"
#include "util/bpf/ring.h"
#include "util/lib/array.h"
#include "util/lib/clock.h"
#include "util/lib/fs.h"
#include "util/lib/hash.h"
#include "util/lib/log.h"
#include "util/lib/open-inode.h"
#include "util/lib/regular-file.h"
#include "util/source/unwind-budget.h"
#include "util/source/unwind-cache.h"
#include "util/source/unwind-listing.h"
#include "util/source/unwind-store.h"
#include "util/synth/proc-maps.h"

#define REQUESTS_SIZE 65536 /* of the ring, see unwind.bpf.h */

#if defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

struct known_file { /* that programs know, too */
	struct unwind_key key;
	struct unwind_file file;
	struct unwind_table *table; /* of UNWIND_FILE_REFUSED */
	struct dwarf_cfi *cfi;	    /* opened when it is needed */
	int fd;			    /* for cfi, of files that will need it; -1: none */
	struct interp_file interp;  /* if file.interp is set */
	bool no_cfi;
	UT_hash_handle hh, by_inode; /* by the key; by what of it a file keeps when it is written to */
};

struct asked_file { /* whose table is to be made */
	struct unwind_mapping mapping;
	int fd; /* or -errno; NOT_OPENED */
	u64 size; /* bytes; 0: not known */
};

#define INODE_SIZE offsetof(struct unwind_key, changed)

#define NOT_OPENED (-EAGAIN)
#define MAX_OPENED 256 /* asked files that are kept open until their turn, as their processes may end; as many wait for DWARF */

struct unwind_feeder {
	struct bpf_programs *programs;
	int files_fd;
	struct bpf_ring requests;
	struct bpf_barrier barrier;
	struct unwind_rules *rules;
	struct unwind_store *store;
	struct unwind_cache *cache; /* NULL: none */
	bool guesses; /* tables may be in it that will be needed */
	struct known_file *known, *inodes;
	u32 nr_kept; /* known files with an fd */
	u32 serial; /* of the last table */
	struct asked_file *asked; /* those before next are done */
	size_t nr_asked, next, room;
	struct unwind_files *files; /* NULL: their names do not matter */
	struct interp_feeder *interp; /* NULL: interpreters do not matter */
	struct unwind_budget *budget;
	struct unwind_feeder_counts counts;
};

static int feeder__open(struct unwind_feeder *f, size_t max_bytes, struct errmsg *err)
{
	f->files_fd = bpf_programs__map(f->programs, "unwind_files");
	f->rules = unwind_rules__new(MACHINE);
	f->store = unwind_store__new(f->programs, max_bytes);
	f->budget = unwind_budget__new();
	if (!f->rules || !f->store || !f->budget)
		return errmsg__set(err, ENOMEM, "out of memory for unwinding tables");
	unwind_budget__begin(f->budget, clock__ns(CLOCK_MONOTONIC));
	return bpf_barrier__init(&f->barrier, f->files_fd, err) ?:
	       bpf_ring__map(&f->requests, bpf_programs__map(f->programs, "unwind_requests"), REQUESTS_SIZE, err);
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

int unwind_feeder__use_cache(struct unwind_feeder *f, const char *dir)
{
	f->cache = unwind_cache__new(dir);
	return f->cache ? 0 : -ENOMEM;
}

void unwind_feeder__name_files(struct unwind_feeder *f, struct unwind_files *files)
{
	f->files = files;
}

void unwind_feeder__find_interpreters(struct unwind_feeder *f, struct interp_feeder *interp)
{
	f->interp = interp;
}

static void feeder__drop(struct unwind_feeder *f, struct known_file *known)
{
	HASH_DEL(f->known, known);
	HASH_DELETE(by_inode, f->inodes, known);
	unwind_table__delete(known->table);
	dwarf_cfi__delete(known->cfi);
	if (known->fd >= 0) {
		close(known->fd);
		f->nr_kept--;
	}
	free(known);
}

static void feeder__close_asked(struct unwind_feeder *f)
{
	for (size_t i = f->next; i < f->nr_asked; i++) {
		if (f->asked[i].fd >= 0)
			close(f->asked[i].fd);
	}
	free(f->asked);
}

void unwind_feeder__delete(struct unwind_feeder *f)
{
	struct known_file *known, *tmp;

	if (!f)
		return;
	HASH_ITER(hh, f->known, known, tmp)
		feeder__drop(f, known);
	feeder__close_asked(f);
	bpf_ring__unmap(&f->requests);
	bpf_barrier__exit(&f->barrier);
	unwind_cache__delete(f->cache);
	unwind_store__delete(f->store);
	unwind_budget__delete(f->budget);
	unwind_rules__delete(f->rules);
	free(f);
}

int unwind_feeder__fd(const struct unwind_feeder *f)
{
	return bpf_programs__map(f->programs, "unwind_requests");
}

struct unwind_feeder_counts unwind_feeder__counts(const struct unwind_feeder *f)
{
	struct unwind_feeder_counts counts = f->counts;

	counts.refused_rules = unwind_rules__nr_refused(f->rules);
	if (!f->interp)
		return counts;
	counts.refused_names = interp_feeder__refused(f->interp);
	counts.unread = interp_feeder__unread(f->interp, counts.first_unread, sizeof(counts.first_unread));
	return counts;
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
	feeder__drop(f, known);
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
		feeder__drop(f, known);
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

/* Returns whether there was memory for it. */
static bool feeder__remember(struct unwind_feeder *f, struct known_file *k)
{
	HASH_ADD(hh, f->known, key, sizeof(k->key), k);
	if (!hash_added(k))
		return false;
	HASH_ADD(by_inode, f->inodes, key, INODE_SIZE, k);
	if (!hash_added_by(by_inode, k))
		HASH_DEL(f->known, k);
	return hash_added_by(by_inode, k);
}

/* Tell the programs, and remember: *known. A file that they have no room for stays unknown to them. */
static int feeder__publish(struct unwind_feeder *f, const struct unwind_key *key, const struct unwind_file *file, struct known_file **known)
{
	struct known_file *k = calloc(1, sizeof(*k));
	struct unwind_file named = *file;
	int ret;

	if (!k)
		return -ENOMEM;
	named.id = f->files ? unwind_files__id(f->files, key) : 0;
	named.serial = file->state == UNWIND_FILE_READY ? ++f->serial : 0;
	*k = (struct known_file){ .key = *key, .file = named, .fd = -1 };
	ret = feeder__tell(f, key, &named);
	if (!ret && !feeder__remember(f, k)) {
		bpf_map_delete_elem(f->files_fd, key);
		bpf_barrier__wait(&f->barrier); /* then the caller frees the table */
		ret = -ENOMEM;
	}
	if (ret)
		free(k);
	else
		*known = k;
	return ret;
}

/* Programs need not ask again. 0 or -ENOMEM */
static int feeder__publish_state(struct unwind_feeder *f, const struct unwind_key *key, enum unwind_file_state state, struct known_file **known)
{
	const struct unwind_file file = { .state = state };
	int ret = feeder__publish(f, key, &file, known);

	return ret == -ENOMEM ? ret : 0;
}

/* Has the file frames that are found by registers other than sp and bp? Then stacks may need its call frame information. */
static bool needs_registers(const struct unwind_table *table, const struct unwind_rules *rules)
{
	const struct unwind_rule *rule = unwind_rules__array(rules);

	for (u32 i = 0; i < table->nr_rows; i++) {
		const u32 cfa = rule[table->rows[i].rule].cfa;

		if (cfa == UNWIND_CFA_HARD || cfa == UNWIND_CFA_REG)
			return true;
	}
	return false;
}

static void feeder__keep(struct unwind_feeder *f, struct known_file *known, const struct unwind_table *table, int fd)
{
	if (fd < 0 || f->nr_kept == MAX_OPENED || !needs_registers(table, f->rules))
		return;
	known->fd = dup(fd);
	f->nr_kept += known->fd >= 0;
}

/* Takes over the table. fd: the file, or -1. */
static int feeder__add_table(struct unwind_feeder *f, const struct unwind_key *key, struct unwind_table *table, int fd)
{
	struct unwind_file file = { .state = UNWIND_FILE_BARE };
	struct known_file *known = NULL;
	int ret = feeder__place(f, table, &file);
	struct interp_file interp;

	if (interp_feeder__recognise(f->interp, fd, &interp))
		file.interp = interp_feeder__number(f->interp, &interp);
	if (!ret) {
		ret = feeder__publish(f, key, &file, &known);
		if (ret)
			unwind_store__free(f->store, &file);
	}
	if (ret) {
		f->counts.refused++;
		if (ret != -ENOMEM)
			ret = feeder__publish_state(f, key, UNWIND_FILE_REFUSED, &known);
	} else {
		f->counts.tables++;
		f->counts.rows += table->nr_rows;
		f->counts.bytes += (u64)unwind_store__size(f->store, &file) * UNWIND_CHUNK_WORDS * sizeof(u32);
	}
	if (known)
		feeder__keep(f, known, table, fd);
	if (known && known->file.interp)
		known->interp = interp;
	if (known && known->file.state == UNWIND_FILE_REFUSED)
		known->table = table;
	else
		unwind_table__delete(table);
	return ret;
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

/* Of two files with the same number of an inode the later one has another generation. File systems that do not show it do not reuse numbers soon. */
static bool has_generation(int fd, u32 generation)
{
	long shown = 0; /* the kernel writes an int */

	return ioctl(fd, FS_IOC_GETVERSION, &shown) || (u32)shown == generation;
}

static u64 changed_of(const struct stat *st)
{
	return st->st_mtim.tv_sec * 1000000000ULL + st->st_mtim.tv_nsec;
}

/*
 * Does the kernel know the file by this key? The process may have executed another program meanwhile, with other files at the same
 * addresses. On some file systems (overlayfs, btrfs) stat(2) shows other numbers than the kernel has, or another time, and the file may have
 * changed: then map it and look.
 */
static bool feeder__is_file(struct unwind_feeder *f, int fd, const struct unwind_key *key)
{
	struct own_mapping own = { .key = key };
	struct stat st;
	void *page;

	if (fstat(fd, &st) || !st.st_size) /* while the kernel cuts a file, that has no size, but its old time still */
		return false;
	if (st.st_ino == key->inode && (major(st.st_dev) << UNWIND_MINOR_BITS | minor(st.st_dev)) == key->dev) {
		if (!has_generation(fd, key->generation))
			return false;
		if (changed_of(&st) == key->changed)
			return true;
	}
	page = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (page == MAP_FAILED)
		return false;
	own.start = (uintptr_t)page;
	unwind_listing__read(f->programs, getpid(), compare_own, &own);
	munmap(page, 1);
	return own.equal;
}

static struct known_file *feeder__find(const struct unwind_feeder *f, const struct unwind_key *key)
{
	struct known_file *known;

	HASH_FIND(hh, f->known, key, sizeof(*key), known);
	return known;
}

/* Is it a later version of a file that is known? */
static bool feeder__is_changed(const struct unwind_feeder *f, const struct unwind_key *key)
{
	const struct known_file *known;

	HASH_FIND(by_inode, f->inodes, key, INODE_SIZE, known);
	return known && !feeder__find(f, key);
}

static enum unwind_budget_kind kind_of(const struct unwind_feeder *f, const struct unwind_key *key)
{
	return feeder__is_changed(f, key) ? UNWIND_BUDGET_MORE : UNWIND_BUDGET_NEW;
}

static bool feeder__has_time(const struct unwind_feeder *f, uid_t uid, enum unwind_budget_kind kind)
{
	return unwind_budget__has_time(f->budget, uid, kind, clock__ns(CLOCK_MONOTONIC));
}

static void feeder__charge(struct unwind_feeder *f, const struct unwind_mapping *m, enum unwind_budget_kind kind, u64 began)
{
	unwind_budget__charge(f->budget, m->uid, kind, clock__ns(CLOCK_THREAD_CPUTIME_ID) - began);
}

/* false: it is not the time for its table. Programs ask again. */
static bool feeder__may_make(struct unwind_feeder *f, const struct unwind_mapping *m)
{
	const enum unwind_budget_kind kind = kind_of(f, &m->key);

	if (feeder__has_time(f, m->uid, kind))
		return true;
	f->counts.postponed += kind == UNWIND_BUDGET_MORE;
	f->counts.over_budget += kind == UNWIND_BUDGET_NEW;
	bpf_map_delete_elem(f->files_fd, &m->key);
	return false;
}

static int feeder__name(struct unwind_feeder *f, const struct unwind_key *key, int fd, const char *link)
{
	return f->files ? unwind_files__add(f->files, key, fd, link) : 0;
}

static bool is_vdso(const struct unwind_key *key)
{
	return !key->inode && !key->dev;
}

static bool is_gone(int ret)
{
	return ret == -ESTALE || ret == -ENOENT || ret == -ESRCH;
}

#define LINK_SIZE 80

/* link: room for LINK_SIZE; it is what the file was opened by, and names it. */
static int open_mapping(const struct unwind_mapping *m, char *link)
{
	snprintf(link, LINK_SIZE, "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, m->pid, (u64)m->start, (u64)m->end);
	return regular_file__open(link, 0);
}

static int open_inode(const struct unwind_key *key)
{
	return inode_number__open(&(struct inode_number){
		.inode = key->inode, .major = key->dev >> UNWIND_MINOR_BITS, .minor = key->dev & ((1U << UNWIND_MINOR_BITS) - 1), .generation = key->generation,
	});
}

static int feeder__check_file(struct unwind_feeder *f, int fd, const struct unwind_key *key)
{
	if (fd < 0 || feeder__is_file(f, fd, key))
		return fd;
	close(fd);
	return -ESTALE;
}

/* As below, for a process that may have ended */
static int feeder__open_any(struct unwind_feeder *f, const struct unwind_mapping *m, char *link)
{
	int fd = feeder__check_file(f, open_mapping(m, link), &m->key), by_inode;

	if (!is_gone(fd))
		return fd;
	by_inode = feeder__check_file(f, open_inode(&m->key), &m->key);
	if (by_inode < 0)
		return fd;
	snprintf(link, LINK_SIZE, "/proc/self/fd/%d", by_inode);
	return by_inode;
}

/* A descriptor, or -errno; -ESTALE: it is another file by now. Notes its name. */
static int feeder__open_file(struct unwind_feeder *f, const struct unwind_mapping *m)
{
	const u64 began = clock__ns(CLOCK_THREAD_CPUTIME_ID);
	char link[LINK_SIZE];
	int fd = feeder__open_any(f, m, link), ret;

	feeder__charge(f, m, kind_of(f, &m->key), began);
	if (fd < 0)
		return fd;
	ret = feeder__name(f, &m->key, fd, link);
	if (ret) {
		close(fd);
		return ret;
	}
	return fd;
}

/* fd: stays open. */
static int feeder__build(struct unwind_feeder *f, const struct unwind_mapping *m, int fd, struct unwind_table **table, struct errmsg *err)
{
	const u32 refused = unwind_rules__nr_refused(f->rules);
	struct unwind_cache_stamp before;
	int own = dup(fd), ret;
	char name[64];

	if (own < 0)
		return -errno;
	snprintf(name, sizeof(name), "inode %" PRIu64 " of process %u", (u64)m->key.inode, m->pid);
	unwind_cache__begin(fd, m->key.generation, &before);
	ret = unwind_table__load_fd(own, name, f->rules, table, err);
	if (!ret && unwind_rules__nr_refused(f->rules) == refused)
		unwind_cache__keep(f->cache, fd, &m->key, &before, f->rules, *table);
	return ret;
}

static int feeder__load(struct unwind_feeder *f, const struct unwind_mapping *m, int fd, struct unwind_table **table, struct errmsg *err)
{
	if (is_vdso(&m->key))
		return feeder__name(f, &m->key, -1, NULL) ?: load_vdso(f, table, err);
	if (fd < 0)
		return fd;
	if (!unwind_cache__load(f->cache, fd, m->key.generation, f->rules, table))
		return feeder__build(f, m, fd, table, err);
	f->counts.cached++;
	return 0;
}

/* -EINVAL: no regular file, but a device such as /dev/zero */
static bool has_no_rules(int ret)
{
	return ret == -ENODATA || ret == -ENOEXEC || ret == -ENOTSUP || ret == -EINVAL;
}

static int feeder__fail(struct unwind_feeder *f, const struct unwind_mapping *m, int ret, const struct errmsg *err)
{
	struct known_file *known;

	if (is_gone(ret)) {
		f->counts.gone++;
		bpf_map_delete_elem(f->files_fd, &m->key);
		return 0;
	}
	if (has_no_rules(ret)) {
		f->counts.bare++;
		return feeder__publish_state(f, &m->key, UNWIND_FILE_BARE, &known);
	}
	f->counts.failed++;
	pr_debug("no unwinding table for inode %" PRIu64 " of process %u: %s\n", (u64)m->key.inode, m->pid, *err->text ? err->text : ret == -EREMOTE ? "it is on FUSE of another user, or may be" : strerror(-ret));
	return ret == -ENOMEM ? ret : feeder__publish_state(f, &m->key, UNWIND_FILE_FAILED, &known);
}

#define NO_TIME (~0ULL) /* no file has that time */

/*
 * The file changes while perf reads it. Remember it, as a version that does not exist: all others count as later versions, and making their tables
 * gets a part of the time only.
 */
static int feeder__note_change(struct unwind_feeder *f, const struct unwind_key *key)
{
	struct unwind_key past = *key;
	struct known_file *known;

	past.changed = NO_TIME;
	return feeder__find(f, &past) ? 0 : feeder__publish_state(f, &past, UNWIND_FILE_FAILED, &known);
}

/* Takes over fd, or -errno. 0, or -ENOMEM: all other failures concern this file only. */
static int feeder__add_opened(struct unwind_feeder *f, const struct unwind_mapping *m, int fd)
{
	const u64 began = clock__ns(CLOCK_THREAD_CPUTIME_ID);
	const enum unwind_budget_kind kind = kind_of(f, &m->key);
	struct unwind_table *table = NULL;
	struct errmsg err = { 0 };
	int ret;

	ret = feeder__load(f, m, fd, &table, &err);
	if (fd >= 0 && !feeder__is_file(f, fd, &m->key)) { /* what was read may be of another version */
		unwind_table__delete(table);
		ret = feeder__fail(f, m, -ESTALE, &err) ?: feeder__note_change(f, &m->key);
	} else {
		ret = ret ? feeder__fail(f, m, ret, &err) : feeder__add_table(f, &m->key, table, fd);
	}
	if (fd >= 0)
		close(fd);
	f->counts.ns += clock__ns(CLOCK_THREAD_CPUTIME_ID) - began;
	feeder__charge(f, m, kind, began);
	return ret;
}

static int feeder__add_file(struct unwind_feeder *f, const struct unwind_mapping *m)
{
	if (feeder__find(f, &m->key) || !feeder__may_make(f, m))
		return 0;
	return feeder__add_opened(f, m, is_vdso(&m->key) ? NOT_OPENED : feeder__open_file(f, m));
}

struct adding {
	struct unwind_feeder *f;
	struct unwind_mapping *mapping;
	size_t nr, room;
	const u64 *wanted; /* only mappings with one of these addresses, of which the last is 0; NULL: all */
	bool failed;
};

static bool is_wanted(const u64 *address, const struct unwind_mapping *m)
{
	if (!address)
		return true;
	while (*address && (*address < m->start || *address >= m->end))
		address++;
	return *address;
}

static bool note_mapping(void *data, const struct unwind_mapping *m)
{
	struct adding *a = data;

	if (!is_wanted(a->wanted, m))
		return false;
	for (size_t i = 0; i < a->nr; i++) {
		if (!memcmp(&a->mapping[i].key, &m->key, sizeof(m->key)))
			return false;
	}
	if (array__grow(a->mapping, a->nr, a->room))
		return a->failed = true;
	a->mapping[a->nr++] = *m;
	return false;
}

void unwind_feeder__expect_programs(struct unwind_feeder *f)
{
	f->guesses = f->cache;
}

static int feeder__add_mappings(struct unwind_feeder *f, pid_t pid, const u64 *wanted, struct errmsg *err)
{
	struct adding a = { .f = f, .wanted = wanted };
	int ret = unwind_listing__read(f->programs, pid, note_mapping, &a);

	if (a.failed)
		ret = -ENOMEM;
	for (size_t i = 0; i < a.nr && !ret; i++)
		ret = feeder__add_file(f, &a.mapping[i]);
	free(a.mapping);
	return ret ? errmsg__set(err, -ret, "cannot make tables for unwinding of what runs already: %s", strerror(-ret)) : 0;
}

int unwind_feeder__add_process(struct unwind_feeder *f, pid_t pid, struct errmsg *err)
{
	return feeder__add_mappings(f, pid, NULL, err);
}

int unwind_feeder__add_common(struct unwind_feeder *f, struct errmsg *err)
{
	const u64 libc = (uintptr_t)dlsym(RTLD_DEFAULT, "getpid");
	const u64 wanted[] = { getauxval(AT_SYSINFO_EHDR) ?: libc, getauxval(AT_BASE) ?: libc, libc, 0 };

	return feeder__add_mappings(f, getpid(), wanted, err);
}

/* What was asked for */

static int feeder__grow_asked(struct unwind_feeder *f)
{
	if (f->next == f->nr_asked)
		f->next = f->nr_asked = 0;
	return array__grow(f->asked, f->nr_asked, f->room);
}

static u64 size_of(int fd)
{
	struct stat st;

	return fd < 0 || fstat(fd, &st) ? 0 : st.st_size;
}

/* A program has met a known file, in which is an interpreter that has lost its place. If there is no time, the next program asks again. */
static void feeder__renumber(struct unwind_feeder *f, struct known_file *known, const struct unwind_mapping *m)
{
	const u64 began = clock__ns(CLOCK_THREAD_CPUTIME_ID);
	struct unwind_file now;

	if (!known->file.interp || bpf_map_lookup_elem(f->files_fd, &known->key, &now))
		return;
	if (feeder__has_time(f, m->uid, UNWIND_BUDGET_MORE)) {
		known->file.interp = interp_feeder__number(f->interp, &known->interp);
		feeder__charge(f, m, UNWIND_BUDGET_MORE, began);
	}
	now.interp = known->file.interp;
	bpf_map_update_elem(f->files_fd, &known->key, &now, BPF_EXIST);
}

static int feeder__add_asked(struct unwind_feeder *f, const struct unwind_mapping *m)
{
	struct asked_file asked = { .mapping = *m, .fd = NOT_OPENED };
	struct known_file *known = feeder__find(f, &m->key);
	int ret;

	if (known) {
		feeder__renumber(f, known, m);
		return 0;
	}
	if (!feeder__may_make(f, m))
		return 0;
	ret = feeder__grow_asked(f);
	if (ret)
		return ret;
	if (!is_vdso(&m->key) && f->nr_asked - f->next < MAX_OPENED)
		asked.fd = feeder__open_file(f, m);
	asked.size = size_of(asked.fd);
	f->asked[f->nr_asked++] = asked;
	return 0;
}

static int take_requests(void *data, const void *records, size_t size)
{
	const char *at = records, *end = at + size;
	struct unwind_feeder *f = data;

	for (; end - at >= (ssize_t)sizeof(struct unwind_mapping); at += sizeof(struct unwind_mapping)) {
		struct unwind_mapping mapping;
		int ret;

		memcpy(&mapping, at, sizeof(mapping));
		ret = feeder__add_asked(f, &mapping);
		if (ret)
			return ret;
	}
	return 0;
}

static struct asked_file *feeder__find_asked(const struct unwind_feeder *f, const struct unwind_key *key)
{
	for (size_t i = f->next; i < f->nr_asked; i++) {
		if (!memcmp(&f->asked[i].mapping.key, key, sizeof(*key)))
			return &f->asked[i];
	}
	return NULL;
}

int unwind_feeder__ask(struct unwind_feeder *f, const struct unwind_mapping *m)
{
	return feeder__find(f, &m->key) || feeder__find_asked(f, &m->key) ? 0 : feeder__add_asked(f, m);
}

int unwind_feeder__take(struct unwind_feeder *f)
{
	return bpf_ring__drain(&f->requests, take_requests, f, NULL);
}

/* Make this table; asked is not valid afterwards. */
static int feeder__serve(struct unwind_feeder *f, struct asked_file *asked)
{
	const struct asked_file now = *asked;

	*asked = f->asked[f->next++];
	if (feeder__find(f, &now.mapping.key) || !feeder__may_make(f, &now.mapping)) {
		if (now.fd >= 0)
			close(now.fd);
		return 0;
	}
	return now.fd == NOT_OPENED ? feeder__add_file(f, &now.mapping) : feeder__add_opened(f, &now.mapping, now.fd);
}

/* A size of 0 is not known: it may be large. */
static bool is_smaller(const struct asked_file *a, const struct asked_file *b)
{
	return a->size && (!b->size || a->size < b->size);
}

/* Large ones would keep the others waiting. */
static struct asked_file *feeder__smallest(const struct unwind_feeder *f)
{
	struct asked_file *smallest = &f->asked[f->next];

	for (size_t i = f->next + 1; i < f->nr_asked; i++) {
		if (is_smaller(&f->asked[i], smallest))
			smallest = &f->asked[i];
	}
	return smallest;
}

/* While nobody waits: read a table that the cache takes to be needed soon. 1, or -ENOMEM */
static int feeder__guess(struct unwind_feeder *f)
{
	struct unwind_table *table;
	struct unwind_key key;
	int fd = unwind_cache__next(f->cache, &key), ret = 0;

	if (fd < 0) {
		f->guesses = fd == -EAGAIN;
		return 1;
	}
	if (!feeder__find(f, &key) && unwind_cache__load(f->cache, fd, key.generation, f->rules, &table)) {
		char link[LINK_SIZE];

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		f->counts.cached++;
		ret = feeder__name(f, &key, fd, link);
		if (!ret)
			ret = feeder__add_table(f, &key, table, fd);
		else
			unwind_table__delete(table);
	}
	close(fd);
	return ret ?: 1;
}

/* Those that many others wait for already can wait until a stack goes through them. */
static bool ask_for_mapping(void *data, const struct unwind_mapping *m)
{
	struct unwind_feeder *f = data;

	return f->nr_asked - f->next >= MAX_OPENED || unwind_feeder__ask(f, m);
}

/* A program that is new here has libraries that are new, too, which its dynamic linker has mapped by now, mostly. */
static int feeder__serve_process(struct unwind_feeder *f, struct asked_file *asked)
{
	const struct unwind_mapping of = asked->mapping;
	int ret = feeder__serve(f, asked);
	u64 began;

	if (ret || !feeder__has_time(f, of.uid, UNWIND_BUDGET_MORE))
		return ret;
	began = clock__ns(CLOCK_THREAD_CPUTIME_ID);
	unwind_listing__read(f->programs, of.pid, ask_for_mapping, f);
	feeder__charge(f, &of, UNWIND_BUDGET_MORE, began);
	return 0;
}

int unwind_feeder__make_next(struct unwind_feeder *f)
{
	int ret;

	if (f->next == f->nr_asked)
		return f->guesses ? feeder__guess(f) : unwind_cache__write(f->cache);
	ret = feeder__serve_process(f, feeder__smallest(f));
	return ret < 0 ? ret : 1;
}

/* What the finisher asks for */

static int feeder__make_now(struct unwind_feeder *f, const struct unwind_mapping *m)
{
	struct asked_file *asked = feeder__find_asked(f, &m->key);

	return asked ? feeder__serve(f, asked) : feeder__add_file(f, m);
}

enum unwind_end unwind_feeder__rule(struct unwind_feeder *f, const struct unwind_mapping *m, u64 offset, u32 *rule)
{
	const struct known_file *known = feeder__find(f, &m->key);

	if (!known) {
		if (feeder__make_now(f, m))
			return UNWIND_NO_TABLE;
		known = feeder__find(f, &m->key);
	}
	if (!known)
		return UNWIND_NO_TABLE;
	switch (known->file.state) {
	case UNWIND_FILE_READY:
		*rule = unwind_store__rule(f->store, &known->file, offset);
		return UNWIND_GOES_ON;
	case UNWIND_FILE_REFUSED:
		*rule = unwind_table__rule(known->table, offset);
		return UNWIND_GOES_ON;
	case UNWIND_FILE_BARE:
		*rule = UNWIND_RULE_FP;
		return UNWIND_GOES_ON;
	default:
		return UNWIND_NO_FILE;
	}
}

static void feeder__open_cfi(struct unwind_feeder *f, struct known_file *known, const struct unwind_mapping *m)
{
	int fd = known->fd >= 0 ? feeder__check_file(f, dup(known->fd), &m->key) : feeder__open_file(f, m);
	struct errmsg err = { 0 };

	if (fd >= 0 && dwarf_cfi__open_fd(fd, "a file that is unwound", &known->cfi, &err))
		pr_debug("no call frame information of inode %" PRIu64 ": %s\n", (u64)m->key.inode, err.text);
}

struct dwarf_cfi *unwind_feeder__cfi(struct unwind_feeder *f, const struct unwind_mapping *m)
{
	struct known_file *known = feeder__find(f, &m->key);

	if (!known || is_vdso(&m->key))
		return NULL;
	if (!known->cfi && !known->no_cfi) {
		feeder__open_cfi(f, known, m);
		known->no_cfi = !known->cfi && known->fd >= 0;
	}
	return known->cfi;
}

const struct unwind_rules *unwind_feeder__rules(const struct unwind_feeder *f)
{
	return f->rules;
}

bool unwind_feeder__names_files(const struct unwind_feeder *f)
{
	return f->files != NULL;
}

u64 unwind_feeder__place(const struct unwind_feeder *f, const struct unwind_mapping *m, u64 offset)
{
	const struct known_file *known = feeder__find(f, &m->key);
	const u64 id = known ? known->file.id : 0;

	return UNWIND_PLACE | id << UNWIND_PLACE_BITS | (offset & UNWIND_PLACE_MASK);
}

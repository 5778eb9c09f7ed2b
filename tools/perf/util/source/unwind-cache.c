// SPDX-License-Identifier: GPL-2.0
/*
 * A file is a struct cache_head, then the rules that its rows name, the index and the rows of struct unwind_table. Ids of rules are
 * indices of the file's own rules. The sum of all words in the head finds files that were cut or damaged; who could forge it, could
 * write to this user's files anyway.
 */
#define LOG_DOMAIN "unwind"
#include "util/source/unwind-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "util/lib/clock.h"
#include "util/lib/fs.h"
#include "util/lib/hash-index.h"
#include "util/lib/log.h"
#include "util/lib/regular-file.h"
#include "util/symbol/cache-dir.h"
#include "util/symbol/symtab.h"

#define MAGIC 0x31656c6261547775ULL /* "uwTable1" */
#define NAME_SIZE 40
#define SETTLED_NS 2000000000ULL /* a file that changed later than this before now may change again with the same times */
#define USED_AGAIN_NS 3600000000000ULL /* note the use of a table once an hour */
#define MAX_WAITING_BYTES (32 << 20)
#define MAX_NEXT_BYTES (4 << 20) /* of tables that are read before anybody asks for them */

struct cache_head {
	u64 magic;
	u64 sum; /* of all words behind it, in the head too */
	u64 builder; /* of this perf */
	struct unwind_cache_stamp stamp;
	u32 machine;
	u32 first_page, nr_pages, nr_rows, nr_rules, pad;
	struct unwind_key key;
	char path[256]; /* of the file; "": too long */
};

struct waiting { /* to be written */
	struct waiting *next;
	size_t size;
	char name[NAME_SIZE];
	u64 words[]; /* the file */
};

struct kept_file {
	char name[NAME_SIZE];
	u64 used, size;
};

struct kept_files { /* all, the latest first */
	struct kept_file *file;
	u32 nr;
};

struct unwind_cache {
	char dir[PATH_MAX];
	int fd; /* of UNWIND_CACHE_DIR; -1: not opened */
	u64 builder; /* 0: unknown; nothing is kept then */
	struct waiting *waiting;
	size_t waiting_bytes;
	bool broken, wrote, listed;
	struct kept_files last; /* for unwind_cache__next() */
	u32 next;
	u64 next_bytes;
};

struct unwind_cache *unwind_cache__new(const char *dir)
{
	struct unwind_cache *c = calloc(1, sizeof(*c));
	struct build_id id;

	if (!c)
		return NULL;
	c->fd = -1;
	snprintf(c->dir, sizeof(c->dir), "%s", dir);
	if (!build_id__read("/proc/self/exe", &id)) {
		for (unsigned int i = 0; i < id.size; i++)
			c->builder = hash_mix(c->builder, id.data[i] + 1);
	}
	return c;
}

/* With make: make the directories. -errno */
static int cache__open(struct unwind_cache *c, bool make)
{
	int dir;

	if (c->fd >= 0 || c->broken)
		return c->broken ? -EIO : 0;
	dir = cache_dir__open(c->dir, make);
	c->fd = dir < 0 ? dir : cache_dir__enter(dir, UNWIND_CACHE_DIR, make);
	if (c->fd >= 0)
		return 0;
	dir = c->fd;
	c->fd = -1;
	if (make || dir != -ENOENT) {
		c->broken = true;
		pr_debug("tables for unwinding are not kept in %s: %s\n", c->dir, dir == -EPERM ? "others may write there" : strerror(-dir));
	}
	return dir;
}

/* What a file is known by */

static u64 ns_of(const struct timespec *t)
{
	return t->tv_sec * 1000000000ULL + t->tv_nsec;
}

void unwind_cache__begin(int fd, u32 generation, struct unwind_cache_stamp *stamp)
{
	struct stat st;

	*stamp = (struct unwind_cache_stamp){ 0 };
	if (!fstat(fd, &st))
		*stamp = (struct unwind_cache_stamp){ { st.st_dev, st.st_ino, generation, st.st_size, ns_of(&st.st_mtim), ns_of(&st.st_ctim) } };
}

enum { STAMP_GENERATION = 2, STAMP_MTIME = 4, STAMP_CTIME = 5 };

/* Would a change by now be seen in the file's times? Kernels note them in ticks. */
static bool is_settled(const struct unwind_cache_stamp *stamp)
{
	const u64 now = clock__ns(CLOCK_REALTIME);

	return stamp->word[1] && stamp->word[STAMP_MTIME] + SETTLED_NS < now && stamp->word[STAMP_CTIME] + SETTLED_NS < now;
}

static u64 sum_of(u64 sum, const void *data, size_t size)
{
	const u64 *word = data;

	for (size_t i = 0; i < size / sizeof(*word); i++)
		sum = hash_mix(sum, word[i]);
	return sum;
}

/* The name begins with the builder, so that files of other perfs need not be opened. */
#define BUILDER_FORMAT "%08" PRIx32 "-"
#define BUILDER_LENGTH 9

static void name_of(const struct unwind_cache *c, const struct unwind_cache_stamp *stamp, unsigned int machine, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, BUILDER_FORMAT "%016" PRIx64, (u32)c->builder, sum_of(hash_mix(c->builder, machine), stamp, sizeof(*stamp)));
}

/* Reading */

static size_t body_size(const struct cache_head *head)
{
	const size_t size = head->nr_rules * sizeof(struct unwind_rule) + (head->nr_pages + 1) * sizeof(u32) + head->nr_rows * sizeof(struct unwind_row);

	return ALIGN_UP(size, sizeof(u64));
}

static bool is_like(const struct cache_head *head, const struct unwind_cache *c, const struct unwind_cache_stamp *stamp, unsigned int machine)
{
	return head->magic == MAGIC && head->builder == c->builder && head->machine == machine && !memcmp(&head->stamp, stamp, sizeof(*stamp)) &&
	       head->nr_rules && head->nr_rules <= UNWIND_MAX_FILE_RULES + UNWIND_NR_FIXED_RULES && head->nr_pages &&
	       head->nr_pages < UNWIND_MAX_TABLE_WORDS && head->nr_rows && head->nr_rows < UNWIND_MAX_TABLE_WORDS;
}

/* Only we and root may have written it. */
static bool is_ours(const struct stat *st)
{
	return S_ISREG(st->st_mode) && (!st->st_uid || st->st_uid == geteuid()) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Returns the file's words behind its head, malloc'ed, if all is as it was written. */
static u64 *read_body(int fd, const struct cache_head *head)
{
	const size_t size = body_size(head), skipped = offsetof(struct cache_head, builder);
	u64 *body;
	struct stat st;

	if (fstat(fd, &st) || !is_ours(&st) || (u64)st.st_size != sizeof(*head) + size)
		return NULL;
	body = malloc(size);
	if (body && pread(fd, body, size, sizeof(*head)) == (ssize_t)size &&
	    sum_of(sum_of(0, &head->builder, sizeof(*head) - skipped), body, size) == head->sum) {
		if (ns_of(&st.st_mtim) + USED_AGAIN_NS < clock__ns(CLOCK_REALTIME))
			futimens(fd, NULL);
		return body;
	}
	free(body);
	return NULL;
}

/* Do index and rows obey what unwind.h says? They do, unless perf has a defect. */
static bool is_sound(const struct unwind_table *t, u32 nr_rules)
{
	bool sound = !t->index[0] && t->index[t->nr_pages] == t->nr_rows && !t->rows[0].low;

	for (u32 i = 0; i < t->nr_pages; i++)
		sound &= t->index[i] <= t->index[i + 1];
	for (u32 i = 0; i < t->nr_rows; i++)
		sound &= t->rows[i].low <= UNWIND_PAGE_MASK && t->rows[i].rule < nr_rules;
	return sound;
}

/* The rules' ids in this recording; NULL: no memory */
static u16 *number_rules(struct unwind_rules *rules, const struct unwind_rule *rule, u32 nr)
{
	u16 *id = calloc(nr, sizeof(*id));

	unwind_rules__begin_file(rules);
	for (u32 i = 0; id && i < nr; i++)
		id[i] = unwind_rules__id(rules, &rule[i]);
	return id;
}

static struct unwind_table *copy_table(const struct cache_head *head, const u64 *body)
{
	const u32 *index = (const u32 *)(body + head->nr_rules);
	struct unwind_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	*t = (struct unwind_table){ .first_page = head->first_page, .nr_pages = head->nr_pages, .nr_rows = head->nr_rows };
	t->index = malloc(unwind_table__index_size(t));
	t->rows = malloc(unwind_table__rows_size(t));
	if (t->index && t->rows) {
		memcpy((void *)t->index, index, unwind_table__index_size(t));
		memcpy((void *)t->rows, index + t->nr_pages + 1, unwind_table__rows_size(t));
		if (is_sound(t, head->nr_rules))
			return t;
	}
	unwind_table__delete(t);
	return NULL;
}

static struct unwind_table *make_table(const struct cache_head *head, const u64 *body, struct unwind_rules *rules)
{
	struct unwind_table *t = copy_table(head, body);
	struct unwind_row *row;
	u16 *id;

	if (!t)
		return NULL;
	id = number_rules(rules, (const struct unwind_rule *)body, head->nr_rules);
	row = (struct unwind_row *)t->rows;
	for (u32 i = 0; id && i < t->nr_rows; i++)
		row[i].rule = id[row[i].rule];
	if (!id) {
		unwind_table__delete(t);
		t = NULL;
	}
	free(id);
	return t;
}

static struct unwind_table *read_table(const struct unwind_cache *c, int fd, const struct unwind_cache_stamp *stamp, struct unwind_rules *rules)
{
	struct unwind_table *table;
	struct cache_head head;
	u64 *body;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) || !is_like(&head, c, stamp, unwind_rules__machine(rules)))
		return NULL;
	body = read_body(fd, &head);
	table = body ? make_table(&head, body, rules) : NULL;
	free(body);
	return table;
}

bool unwind_cache__load(struct unwind_cache *c, int fd, u32 generation, struct unwind_rules *rules, struct unwind_table **table)
{
	struct unwind_cache_stamp stamp;
	char name[NAME_SIZE];
	int file;

	*table = NULL;
	if (!c || !c->builder || cache__open(c, false))
		return false;
	unwind_cache__begin(fd, generation, &stamp);
	name_of(c, &stamp, unwind_rules__machine(rules), name);
	file = openat(c->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		return false;
	*table = read_table(c, file, &stamp, rules);
	close(file);
	return *table != NULL;
}

/* Reading before anybody asks */

static int compare_age(const void *a, const void *b)
{
	const struct kept_file *x = a, *y = b;

	return x->used < y->used ? 1 : x->used > y->used ? -1 : 0; /* the latest first */
}

/* With this begin of their name; "": all */
static void list_files(int dir, const char *begin, struct kept_files *files)
{
	struct fs_names *names = fs_names__read(dir, ".");
	struct stat st;

	*files = (struct kept_files){ 0 };
	if (names)
		files->file = calloc(names->nr + 1, sizeof(*files->file));
	for (size_t i = 0; files->file && i < names->nr; i++) {
		struct kept_file *file = &files->file[files->nr];

		if (strlen(names->name[i]) >= NAME_SIZE || strncmp(names->name[i], begin, strlen(begin)) || fstatat(dir, names->name[i], &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		*file = (struct kept_file){ .used = ns_of(&st.st_mtim), .size = st.st_size };
		strcpy(file->name, names->name[i]);
		files->nr++;
	}
	fs_names__delete(names);
	if (files->file)
		qsort(files->file, files->nr, sizeof(*files->file), compare_age);
}

static bool read_head(int dir, const char *name, struct cache_head *head)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	bool done;

	if (fd < 0)
		return false;
	done = !fstat(fd, &st) && is_ours(&st) && pread(fd, head, sizeof(*head), 0) == sizeof(*head) && head->magic == MAGIC &&
	       !head->path[sizeof(head->path) - 1] && head->path[0] == '/';
	close(fd);
	return done;
}

static bool is_known_as(const struct stat *st, const struct unwind_key *key)
{
	return st->st_ino == key->inode && (major(st->st_dev) << UNWIND_MINOR_BITS | minor(st->st_dev)) == key->dev;
}

/* A path that nobody has asked for must not lead to another file system: its server may not answer, its device may have to start. */
static int open_path(const struct cache_head *head)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS };
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), at, fd = -1;
	struct unwind_cache_stamp now;
	char path[32];
	struct stat st;

	at = root < 0 ? -1 : (int)syscall(SYS_openat2, root, head->path + 1, &how, sizeof(how));
	if (root >= 0)
		close(root);
	if (at < 0)
		return -EAGAIN;
	unwind_cache__begin(at, head->key.generation, &now);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", at);
	if (!fstat(at, &st) && S_ISREG(st.st_mode) && is_known_as(&st, &head->key) && !memcmp(&now, &head->stamp, sizeof(now)))
		fd = regular_file__open(path, 0);
	close(at);
	return fd < 0 ? -EAGAIN : fd;
}

static void cache__list(struct unwind_cache *c)
{
	char begin[BUILDER_LENGTH + 1];

	if (c->listed)
		return;
	snprintf(begin, sizeof(begin), BUILDER_FORMAT, (u32)c->builder);
	list_files(c->fd, begin, &c->last);
	c->listed = true;
}

int unwind_cache__next(struct unwind_cache *c, struct unwind_key *key)
{
	const struct kept_file *file;
	struct cache_head head;

	if (!c || !c->builder || cache__open(c, false))
		return -ENOENT;
	cache__list(c);
	if (c->next == c->last.nr)
		return -ENOENT;
	file = &c->last.file[c->next++];
	if (c->next_bytes + file->size > MAX_NEXT_BYTES || !read_head(c->fd, file->name, &head) || head.builder != c->builder)
		return -EAGAIN;
	c->next_bytes += file->size;
	*key = head.key;
	return open_path(&head);
}

/* Keeping */

/* The rules that rows name, in the order of their first row; local[id]: their index, and 1. Returns their number. */
static u32 gather_rules(const struct unwind_table *t, const struct unwind_rules *rules, u16 *local, struct unwind_rule *used)
{
	u32 nr = 0;

	for (u32 i = 0; i < t->nr_rows; i++) {
		const u16 id = t->rows[i].rule;

		if (local[id])
			continue;
		if (nr == UNWIND_MAX_FILE_RULES + UNWIND_NR_FIXED_RULES)
			return 0;
		used[nr++] = unwind_rules__array(rules)[id];
		local[id] = nr;
	}
	return nr;
}

static void put_body(struct waiting *w, const struct unwind_table *t, const struct unwind_rule *used, const u16 *local)
{
	struct cache_head *head = (struct cache_head *)w->words;
	u64 *body = (u64 *)(head + 1);
	u32 *index = (u32 *)(body + head->nr_rules);
	struct unwind_row *row = (struct unwind_row *)(index + head->nr_pages + 1);
	const size_t skipped = offsetof(struct cache_head, builder);

	memcpy(body, used, head->nr_rules * sizeof(*used));
	memcpy(index, t->index, unwind_table__index_size(t));
	for (u32 i = 0; i < t->nr_rows; i++)
		row[i] = (struct unwind_row){ .low = t->rows[i].low, .rule = local[t->rows[i].rule] - 1 };
	head->sum = sum_of(0, &head->builder, w->size - skipped);
}

static struct waiting *encode(const struct unwind_cache *c, const struct cache_head *proto, const struct unwind_table *t, const struct unwind_rules *rules,
			      u16 *local, struct unwind_rule *used)
{
	struct cache_head head = *proto;
	struct waiting *w;

	head.nr_rules = gather_rules(t, rules, local, used);
	w = head.nr_rules ? calloc(1, sizeof(*w) + sizeof(head) + body_size(&head)) : NULL;
	if (!w)
		return NULL;
	w->size = sizeof(head) + body_size(&head);
	name_of(c, &head.stamp, head.machine, w->name);
	memcpy(w->words, &head, sizeof(head));
	put_body(w, t, used, local);
	return w;
}

/* As this mount namespace names it; in others the name may lead to another file, which is seen then. */
static void put_path(struct cache_head *head, int fd)
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, head->path, sizeof(head->path));
	if (n < 0 || n == sizeof(head->path))
		memset(head->path, 0, sizeof(head->path));
}

void unwind_cache__keep(struct unwind_cache *c, int fd, const struct unwind_key *key, const struct unwind_cache_stamp *before,
			const struct unwind_rules *rules, const struct unwind_table *t)
{
	struct cache_head head = { .magic = MAGIC, .stamp = *before, .key = *key, .machine = unwind_rules__machine(rules),
				   .first_page = t->first_page, .nr_pages = t->nr_pages, .nr_rows = t->nr_rows };
	struct unwind_cache_stamp now;
	struct unwind_rule *used;
	struct waiting *w = NULL;
	u16 *local;

	if (!c || !c->builder || c->broken || t->nr_rows < UNWIND_CACHE_MIN_ROWS || c->waiting_bytes > MAX_WAITING_BYTES)
		return;
	unwind_cache__begin(fd, before->word[STAMP_GENERATION], &now);
	if (memcmp(&now, before, sizeof(now)) || !is_settled(&now))
		return;
	head.builder = c->builder;
	put_path(&head, fd);
	local = calloc(UNWIND_MAX_RULES + 1, sizeof(*local));
	used = calloc(UNWIND_MAX_FILE_RULES + UNWIND_NR_FIXED_RULES, sizeof(*used));
	if (local && used)
		w = encode(c, &head, t, rules, local, used);
	free(local);
	free(used);
	if (!w)
		return;
	w->next = c->waiting;
	c->waiting = w;
	c->waiting_bytes += w->size;
}

/* Writing */

/* Under another name until it is complete, so that other perfs see a whole file or none. -errno */
static int write_file(int dir, const struct waiting *w)
{
	char half[NAME_SIZE];
	const char *at = (const char *)w->words;
	size_t left = w->size;
	ssize_t n = 0;
	int fd, ret = 0;

	snprintf(half, sizeof(half), "%.*s.%d", NAME_SIZE - 12, w->name, getpid());
	fd = openat(dir, half, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	for (; left && !ret; left -= n > 0 ? n : 0, at += n > 0 ? n : 0) {
		n = write(fd, at, left);
		ret = n < 0 && errno != EINTR ? -errno : 0;
	}
	close(fd);
	if (!ret && renameat(dir, half, dir, w->name))
		ret = -errno;
	if (ret)
		unlinkat(dir, half, 0);
	return ret;
}

bool unwind_cache__write(struct unwind_cache *c)
{
	struct waiting *w = c ? c->waiting : NULL;
	int ret;

	if (!w)
		return false;
	c->waiting = w->next;
	c->waiting_bytes -= w->size;
	ret = cache__open(c, true) ?: write_file(c->fd, w);
	if (ret && !c->broken)
		pr_debug("a table for unwinding is not kept in %s: %s\n", c->dir, strerror(-ret));
	c->broken |= ret && ret != -EEXIST;
	c->wrote |= !ret;
	free(w);
	return c->waiting != NULL;
}

/* Removing */

static void remove_old(int dir)
{
	struct kept_files files;
	u64 bytes = 0;

	list_files(dir, "", &files);
	for (u32 i = 0; i < files.nr; i++) {
		bytes += files.file[i].size;
		if (bytes > UNWIND_CACHE_MAX_BYTES)
			unlinkat(dir, files.file[i].name, 0);
	}
	free(files.file);
}

void unwind_cache__delete(struct unwind_cache *c)
{
	if (!c)
		return;
	while (unwind_cache__write(c))
		;
	if (c->wrote)
		remove_old(c->fd);
	if (c->fd >= 0)
		close(c->fd);
	free(c->last.file);
	free(c);
}

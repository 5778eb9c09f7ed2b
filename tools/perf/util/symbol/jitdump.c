// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/jitdump.h"

#include <byteswap.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/lib/hash.h"
#include "util/lib/regular-file.h"
#include "util/machine/machine.h"
#include "util/symbol/symtab-build.h"

#define MAGIC 0x4a695444 /* "JiTD" */
#define VERSION 1
#define ARCH_TIME 1 /* a flag of the header */
#define MAX_NAME 4096 /* bytes with the NUL; code with a longer name is left out */

enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO, CODE_CLOSE };

struct file_header {
	u32 magic, version, size, elf_machine, pad, pid;
	u64 time, flags;
};

struct record_header {
	u32 type, size;
	u64 time;
};

struct load_record {
	struct record_header header;
	u32 pid, tid;
	u64 vma, addr, size, index;
};

struct move_record {
	struct record_header header;
	u32 pid, tid;
	u64 vma, old_addr, new_addr, size, index;
};

struct loaded { /* code that may be moved */
	UT_hash_handle hh;
	u64 index, offset, size;
};

struct reading {
	int fd;
	u64 size;  /* of the file */
	bool swap; /* it is of the other byte order */
	u32 pid;
	struct elf_budget *budget;
	struct loaded *loaded;
	int (*cb)(void *data, const struct jit_code *code);
	void *data;
};

static u32 get32(const struct reading *r, u32 value)
{
	return r->swap ? bswap_32(value) : value;
}

static u64 get64(const struct reading *r, u64 value)
{
	return r->swap ? bswap_64(value) : value;
}

/* False: the file does not have that much there. */
static bool read_at(const struct reading *r, u64 offset, void *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(r->fd, (char *)to + done, size - done, offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += n;
	}
	return true;
}

static struct loaded *find_loaded(const struct reading *r, u64 index)
{
	struct loaded *loaded;

	HASH_FIND(hh, r->loaded, &index, sizeof(index), loaded);
	return loaded;
}

/* The latest code of an index counts. 0 or -ENOMEM. */
static int note_loaded(struct reading *r, const struct jit_code *code, u64 index)
{
	struct loaded *loaded = find_loaded(r, index);

	if (!loaded) {
		if (!elf_budget__take(r->budget, sizeof(*loaded), "code that may be moved"))
			return 0;
		loaded = calloc(1, sizeof(*loaded));
		if (!loaded)
			return -ENOMEM;
		loaded->index = index;
		HASH_ADD(hh, r->loaded, index, sizeof(index), loaded);
		if (!hash_added(loaded)) {
			free(loaded);
			return -ENOMEM;
		}
	}
	loaded->offset = code->offset;
	loaded->size = code->size;
	return 0;
}

/* end: of the record, which is within the file. */
static int read_load(struct reading *r, u64 at, u64 end)
{
	struct load_record record;
	struct jit_code code;
	char name[MAX_NAME];
	u64 name_at = at + sizeof(record), room = end - name_at;
	int ret;

	if (end - at < sizeof(record) || !read_at(r, at, &record, sizeof(record)) || get32(r, record.pid) != r->pid)
		return 0;
	if (room > sizeof(name))
		room = sizeof(name);
	if (!read_at(r, name_at, name, room) || !memchr(name, '\0', room))
		return 0;
	code = (struct jit_code){ .time = get64(r, record.header.time), .addr = get64(r, record.vma), .size = get64(r, record.size),
				  .offset = name_at + strlen(name) + 1, .name = name };
	if (!code.size || code.size > end - code.offset || code.addr + code.size < code.addr)
		return 0;
	ret = note_loaded(r, &code, get64(r, record.index));
	return ret ?: r->cb(r->data, &code);
}

static int read_move(struct reading *r, u64 at, u64 end)
{
	const struct loaded *loaded;
	struct move_record record;
	struct jit_code code;

	if (end - at < sizeof(record) || !read_at(r, at, &record, sizeof(record)) || get32(r, record.pid) != r->pid)
		return 0;
	loaded = find_loaded(r, get64(r, record.index));
	if (!loaded)
		return 0;
	code = (struct jit_code){ .time = get64(r, record.header.time), .addr = get64(r, record.vma), .size = loaded->size,
				  .offset = loaded->offset };
	return code.addr + code.size < code.addr ? 0 : r->cb(r->data, &code);
}

static int read_records(struct reading *r, u64 at)
{
	struct record_header header;
	int ret = 0;

	while (!ret && at <= r->size && r->size - at >= sizeof(header) && read_at(r, at, &header, sizeof(header))) {
		u32 type = get32(r, header.type), size = get32(r, header.size);

		if (size < sizeof(header) || size > r->size - at || type == CODE_CLOSE)
			break;
		if (type == CODE_LOAD)
			ret = read_load(r, at, at + size);
		else if (type == CODE_MOVE)
			ret = read_move(r, at, at + size);
		at += size;
	}
	return ret;
}

/* The size of the header; 0: it is no such file. */
static u32 read_header(struct reading *r, struct jitdump_head *head)
{
	struct file_header header;

	if (!read_at(r, 0, &header, sizeof(header)))
		return 0;
	r->swap = header.magic == bswap_32(MAGIC);
	if (get32(r, header.magic) != MAGIC || get32(r, header.version) != VERSION || get32(r, header.size) < sizeof(header))
		return 0;
	*head = (struct jitdump_head){ .time = get64(r, header.time), .pid = get32(r, header.pid),
				       .arch_time = get64(r, header.flags) & ARCH_TIME };
	r->pid = head->pid;
	return get32(r, header.size);
}

static void reading__exit(struct reading *r)
{
	struct loaded *loaded, *next;

	HASH_ITER(hh, r->loaded, loaded, next) {
		HASH_DEL(r->loaded, loaded);
		free(loaded);
	}
}

int jitdump__read(int fd, struct elf_budget *budget, struct jitdump_head *head, int (*cb)(void *data, const struct jit_code *code), void *data,
		  struct errmsg *err)
{
	struct reading r = { .fd = fd, .budget = budget, .cb = cb, .data = data };
	struct stat st;
	u32 start;
	int ret;

	if (fstat(fd, &st))
		return errmsg__set(err, errno, "%s", strerror(errno));
	r.size = st.st_size;
	start = read_header(&r, head);
	if (!start)
		return errmsg__set(err, EINVAL, "not a jitdump file of version %d", VERSION);
	ret = read_records(&r, start);
	reading__exit(&r);
	return ret;
}

static bool is_mapped(int fd, u64 ino)
{
	struct stat st;

	return ino && !fstat(fd, &st) && st.st_ino == ino;
}

static bool is_trusted(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (!st.st_uid || st.st_uid == geteuid());
}

/* Another process may have the pid now: only the mapped file counts. A descriptor, or -errno. */
static int open_of_process(const char *path, u32 pid, u64 ino)
{
	char root[32];
	int fd;

	if (!pid || !ino)
		return -ENOENT;
	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	fd = regular_file__open_in(root, path, O_NOFOLLOW);
	if (fd < 0 || is_mapped(fd, ino))
		return fd;
	close(fd);
	return -ENOENT;
}

int jitdump__open(const char *path, u32 pid, u64 ino, const struct build_id *id, const struct file_places *places, struct errmsg *err)
{
	int fd = recorded_file__open_data(path, id, places);

	if (fd >= 0)
		return fd;
	fd = open_of_process(path, pid, ino);
	if (fd < 0)
		fd = regular_file__open(path, O_NOFOLLOW);
	if (fd < 0)
		return errmsg__set(err, -fd, "%s: %s", path, fd == -EINVAL ? "is no regular file" : strerror(-fd));
	if (is_mapped(fd, ino) || is_trusted(fd))
		return fd;
	close(fd);
	return errmsg__set(err, EPERM, "%s: is not read: it is not the file that was mapped, and does not belong to you or root", path);
}

static int add_symbol(void *data, const struct jit_code *code)
{
	return code->name ? symtab_builder__add(data, code->offset, code->size, STB_GLOBAL, STT_FUNC, code->name) : 0;
}

int symtab__load_jitdump(const char *path, const struct file_places *places, struct symtab **tab, struct errmsg *err)
{
	struct elf_budget budget;
	struct symtab_builder b = { .budget = &budget };
	struct jitdump_head head;
	const struct dso *dso = places->dso;
	int fd = jitdump__open(path, dso ? dso__pid(dso, 0) : 0, dso ? dso->ino : 0, dso ? &dso->build_id : NULL, places, err), rc;

	if (fd < 0)
		return fd;
	elf_budget__init(&budget, fd);
	err->text[0] = '\0';
	rc = jitdump__read(fd, &budget, &head, add_symbol, &b, err);
	close(fd);
	if (!rc) {
		symtab_builder__settle(&b);
		rc = symtab_builder__finish(&b, tab);
	}
	symtab_builder__exit(&b);
	if (rc && err->text[0])
		return errmsg__prefix(err, "%s", path), rc;
	return rc ? errmsg__set(err, -rc, "%s: %s", path, rc == -E2BIG && budget.left_out[0] ? budget.left_out : strerror(-rc)) : 0;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/interp/names.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>
#include "util/interp/image.h"
#include "util/lib/clock.h"
#include "util/lib/hash.h"
#include "util/lib/hash-index.h"
#include "util/symbol/build-id-cache.h"

#define MAX_FILE (1ULL << 30)
#define WRITE_SHARE 100 /* one part of these of the time goes into writing the file */

struct user { /* and what is kept of its processes' functions */
	u32 id;
	u64 bytes;
	UT_hash_handle hh;
};

struct interp_names {
	struct build_id id;
	struct interp_symbol *symbol; /* the first one is of functions without a name */
	u32 nr, room;
	struct hash_index by_range; /* of .symbol */
	u32 nr_stored; /* that are in the file, */
	u64 stored_ns, store_ns; /* since then; it took so long */
	struct user *users;
	u64 bytes, refused;
	struct live_functions *live;
};

static bool new_id(struct interp_names *names)
{
	names->id.size = sizeof(names->id.data);
	if (getrandom(names->id.data, names->id.size, 0) != (ssize_t)names->id.size)
		return false;
	if (names->live)
		live_functions__set_id(names->live, &names->id);
	return true;
}

static int add_live(const struct interp_names *names, const struct interp_symbol *s)
{
	struct text label = {};
	int ret;

	if (!names->live)
		return 0;
	interp_function__put_label(&s->fn, &label);
	ret = label.failed ? -ENOMEM : live_functions__add(names->live, s->at, s->bytes, label.buf, label.len);
	text__exit(&label);
	return ret;
}

static bool add_nameless(struct interp_names *names)
{
	struct interp_symbol *s = &names->symbol[names->nr++];

	*s = (struct interp_symbol){ .at = INTERP_FIRST, .bytes = INTERP_NAMELESS, .fn = { .name = strdup("unknown function"), .path = strdup("python") } };
	return s->fn.name && s->fn.path && !add_live(names, s);
}

struct interp_names *interp_names__new(struct live_functions *live)
{
	struct interp_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->live = live;
	names->room = 64;
	names->nr_stored = 1;
	names->symbol = calloc(names->room, sizeof(*names->symbol));
	if (names->symbol && add_nameless(names) && new_id(names))
		return names;
	interp_names__delete(names);
	return NULL;
}

static void forget_users(struct interp_names *names)
{
	struct user *user, *next;

	HASH_ITER(hh, names->users, user, next) {
		HASH_DEL(names->users, user);
		free(user);
	}
}

void interp_names__delete(struct interp_names *names)
{
	if (!names)
		return;
	forget_users(names);
	for (u32 i = 0; i < names->nr; i++)
		interp_function__exit(&names->symbol[i].fn);
	free(names->symbol);
	hash_index__exit(&names->by_range);
	free(names);
}

void interp_names__set_fetch(struct interp_names *names, void (*fetch)(void *data), void *data)
{
	if (names->live)
		live_functions__set_fetch(names->live, fetch, data);
}

const struct build_id *interp_names__id(const struct interp_names *names)
{
	return &names->id;
}

u32 interp_names__nr(const struct interp_names *names)
{
	return names->nr;
}

static int make_room(struct interp_names *names)
{
	struct interp_symbol *grown;

	if (names->nr < names->room)
		return 0;
	grown = reallocarray(names->symbol, names->room, 2 * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	names->symbol = grown;
	names->room *= 2;
	return 0;
}

static bool is_sound(const struct interp_code *code)
{
	return code->at >= INTERP_FIRST + INTERP_NAMELESS && code->bytes && code->bytes < INTERP_MAX_BYTES && code->at < INTERP_MAX_BYTES - code->bytes;
}

static bool has_range(const struct interp_names *names, u32 at)
{
	const u32 hash = hash_mix(0, at);
	const struct hash_slot *slot;

	for (u32 i = hash; (slot = hash_index__next(&names->by_range, hash, &i));) {
		if (names->symbol[slot->place - 1].at == at)
			return true;
	}
	return false;
}

static int add_symbol(struct interp_names *names, const struct interp_symbol *symbol)
{
	const int ret = add_live(names, symbol) ?: hash_index__add(&names->by_range, hash_mix(0, symbol->at), names->nr);

	if (!ret)
		names->symbol[names->nr++] = *symbol;
	return ret;
}

static struct user *user_of(struct interp_names *names, u32 id)
{
	struct user *user;

	HASH_FIND(hh, names->users, &id, sizeof(id), user);
	if (user)
		return user;
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	user->id = id;
	HASH_ADD(hh, names->users, id, sizeof(user->id), user);
	if (hash_added(user))
		return user;
	free(user);
	return NULL;
}

/* Live functions have the names once more. */
static u64 size_of(const struct interp_names *names, const struct interp_function *fn)
{
	const u64 texts = strlen(fn->name) + strlen(fn->path) + 2;

	return sizeof(struct interp_symbol) + texts + fn->nr_lines * sizeof(*fn->line) + (names->live ? sizeof(struct symbol) + texts : 0);
}

/* A user gets half of what others leave, as of functions (interp-code.bpf.h). 0, -ENOMEM, or -ENOSPC: it has no room */
static int take_room(struct interp_names *names, u32 id, const struct interp_function *fn)
{
	const u64 bytes = size_of(names, fn);
	struct user *user = user_of(names, id);

	if (!user)
		return -ENOMEM;
	if (user->bytes + names->bytes + bytes > INTERP_ALL_NAMES) {
		names->refused++;
		return -ENOSPC;
	}
	user->bytes += bytes;
	names->bytes += bytes;
	return 0;
}

int interp_names__add(struct interp_names *names, const struct interp_code *code, const struct interp_file *file)
{
	const struct interp_ops *ops = interp__ops(file->kind);
	struct interp_symbol s = { .at = code->at, .bytes = code->bytes };
	int ret;

	if (!ops || !is_sound(code) || has_range(names, code->at) || names->nr > INTERP_ALL_FUNCTIONS)
		return 0;
	ret = make_room(names) ?: ops->describe(code, file, &s.fn) ?: take_room(names, code->user, &s.fn) ?: add_symbol(names, &s);
	if (ret)
		interp_function__exit(&s.fn);
	return ret == -EINVAL || ret == -ENOSPC ? 0 : ret;
}

u64 interp_names__refused(const struct interp_names *names)
{
	return names->refused;
}

void interp_names__describe(const struct interp_names *names, u32 pid, u32 tid, struct record_mmap2 *mmap)
{
	*mmap = (struct record_mmap2){
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID },
		.pid = pid, .tid = tid, .start = INTERP_BASE, .len = INTERP_MAX_BYTES, .prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
	};
	mmap->build_id_size = names->id.size;
	memcpy(mmap->build_id, names->id.data, sizeof(mmap->build_id));
}

static int explain(int ret, struct errmsg *err)
{
	return errmsg__set(err, -ret, "cannot write the names of Python functions: %s", strerror(-ret));
}

static int add_to_cache(const struct interp_names *names, const char *cache, struct errmsg *err)
{
	int fd = memfd_create("python", MFD_CLOEXEC), ret;
	const struct build_id_copy copy = { .id = &names->id, .path = INTERP_NAMES_PATH, .fd = fd, .is_seen = true, .max_bytes = MAX_FILE };
	u64 nr_bytes;

	if (fd < 0)
		return explain(-errno, err);
	ret = interp_image__write(fd, &names->id, "python", names->symbol, names->nr);
	if (ret)
		explain(ret, err);
	else
		ret = build_id_cache__add(cache, &copy, &nr_bytes, err);
	if (ret == -ESTALE)
		errmsg__set(err, ESTALE, "cannot write the names of Python functions to %s", cache);
	close(fd);
	return ret;
}

/* Readers see the earlier file or this one. */
static int replace(const struct interp_names *names, const char *path, struct errmsg *err)
{
	char *half;
	int fd, ret;

	if (asprintf(&half, "%s.new", path) < 0)
		return explain(-ENOMEM, err);
	unlink(half);
	fd = open(half, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ret = fd < 0 ? -errno : interp_image__write(fd, &names->id, "python", names->symbol, names->nr);
	if (fd >= 0)
		close(fd);
	if (!ret && rename(half, path))
		ret = -errno;
	if (ret)
		unlink(half);
	free(half);
	return ret ? explain(ret, err) : 0;
}

bool interp_names__are_due(const struct interp_names *names)
{
	const u32 more = names->nr - names->nr_stored;

	return more && (more >= names->nr_stored / 4 || clock__ns(CLOCK_MONOTONIC) - names->stored_ns >= WRITE_SHARE * names->store_ns);
}

int interp_names__store(struct interp_names *names, const char *cache, struct errmsg *err)
{
	const u64 began = clock__ns(CLOCK_MONOTONIC);
	char *path;
	int ret;

	if (names->nr == names->nr_stored)
		return 0;
	path = build_id_cache__find(cache, &names->id, "elf");
	ret = path ? replace(names, path, err) : add_to_cache(names, cache, err);
	free(path);
	if (!ret)
		names->nr_stored = names->nr;
	names->stored_ns = clock__ns(CLOCK_MONOTONIC);
	names->store_ns = names->stored_ns - began;
	return ret;
}

int interp_names__begin_file(struct interp_names *names)
{
	names->nr_stored = 1;
	return names->live || new_id(names) ? 0 : -EAGAIN;
}

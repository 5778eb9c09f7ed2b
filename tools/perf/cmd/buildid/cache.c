// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "buildid"
#include "cmd/buildid/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/lib/fs.h"
#include "util/lib/log.h"
#include "util/lib/printable.h"
#include "util/lib/regular-file.h"
#include "util/lib/types.h"
#include "util/symbol/build-id-cache.h"
#include "util/symbol/cached-files.h"
#include "util/symbol/symtab.h"

#define NO_LIMIT (~0ULL >> 20 << 20)

/* "Adding ID FILE: Ok" with -v, as other perfs say it. */
static void tell_done(const char *what, const struct build_id *id, const char *file)
{
	char hex[41];

	if (log__enabled(LOG_DEBUG))
		pr_info("%s %s %s: Ok\n", what, build_id__str(id, hex), file);
}

static int complain(int ret, const char *verb, const char *file, const char *why)
{
	pr_err("Couldn't %s %s: %s\n", verb, file, why);
	return ret;
}

struct opened_file {
	int fd;
	char path[PATH_MAX];
	struct build_id id;
};

/* 0; or negative after a message, and nothing is open. */
static int opened_file__open(struct opened_file *file, const char *name, const char *verb)
{
	char *path = fs__real_path(name);
	int ret;

	if (!path)
		return complain(-errno, verb, name, strerror(errno));
	snprintf(file->path, sizeof(file->path), "%s", path);
	free(path);
	file->fd = regular_file__open(file->path, 0);
	if (file->fd < 0)
		return complain(file->fd, verb, name, file->fd == -EINVAL ? "it is no regular file" : strerror(-file->fd));
	ret = build_id__read_fd(fcntl(file->fd, F_DUPFD_CLOEXEC, 0), &file->id);
	if (!ret)
		return 0;
	close(file->fd);
	return complain(ret, verb, name, ret == -ENOENT ? "it has no build-id: link it with --build-id" : "it is no ELF file that can be read");
}

static int add_opened(const char *cache, const struct opened_file *file, const char *name, const char *verb)
{
	const struct build_id_copy copy = { .id = &file->id, .path = file->path, .fd = file->fd, .is_seen = true, .max_bytes = NO_LIMIT };
	struct errmsg err = {};
	u64 nr_bytes;
	int ret = build_id_cache__add(cache, &copy, &nr_bytes, &err);

	return ret ? complain(ret, verb, name, err.text[0] ? err.text : "it cannot be read, was changed meanwhile, or has a path that the cache cannot hold") : 0;
}

int cache_command__add(const char *cache, const char *name)
{
	struct opened_file file;
	int ret = opened_file__open(&file, name, "add");

	if (ret)
		return ret;
	ret = add_opened(cache, &file, name, "add");
	close(file.fd);
	if (!ret)
		tell_done("Adding", &file.id, name);
	return ret;
}

struct removal {
	const char *cache;
	const struct build_id *id; /* NULL: of any build-id */
	const char *path;	   /* NULL: of any path */
	bool not_kept;		   /* leave what record kept of containers */
	unsigned int nr;	   /* removed */
	bool has_left;		   /* ones that are meant, with a warning */
	struct errmsg err;
};

static void warn_left_out(const struct errmsg *why)
{
	pr_warn("Left out: %s\n", why->text);
}

static int remove_if_meant(const struct cached_file *file, void *data)
{
	struct removal *removal = data;
	int ret;

	if ((removal->id && !build_id__equal(&file->id, removal->id)) || (removal->path && strcmp(file->path, removal->path)) ||
	    (removal->not_kept && file->is_kept))
		return 0;
	ret = cached_file__remove(removal->cache, file, &removal->err);
	if (ret == -EPERM) {
		warn_left_out(&removal->err);
		removal->has_left = true;
		return 0;
	}
	if (!ret) {
		tell_done("Removing", &file->id, file->path[0] ? file->path : "(a link that leads nowhere)");
		removal->nr++;
	}
	return ret;
}

/* 1: a part of the cache was left out; else as cached_files__for_each(). */
static int removal__run(struct removal *removal)
{
	int ret = cached_files__for_each(removal->cache, remove_if_meant, warn_left_out, removal, &removal->err);

	return ret ?: removal->has_left;
}

int cache_command__update(const char *cache, const char *name)
{
	struct opened_file file;
	struct removal removal = { .cache = cache, .id = &file.id, .not_kept = true };
	int ret = opened_file__open(&file, name, "update"), left;

	if (ret)
		return ret;
	left = removal__run(&removal);
	ret = left < 0 ? complain(left, "update", name, removal.err.text) : add_opened(cache, &file, name, "update");
	close(file.fd);
	if (!ret)
		tell_done("Updating", &file.id, name);
	return ret ?: left;
}

int cache_command__remove(const char *cache, const char *name)
{
	struct opened_file file;
	struct removal removal = { .cache = cache, .id = &file.id };
	int ret = opened_file__open(&file, name, "remove");

	if (ret)
		return ret;
	close(file.fd);
	ret = removal__run(&removal);
	if (ret < 0)
		return complain(ret, "remove", name, removal.err.text);
	return removal.nr ? ret : complain(-ENOENT, "remove", name, "the cache has nothing with its build-id; --list shows what it has");
}

/* As the cache has it. A file that is gone has no other path than the one that is given. */
static void set_cached_path(char buf[PATH_MAX], const char *name)
{
	char dir[PATH_MAX], *path = fs__real_path(name);

	snprintf(buf, PATH_MAX, "%s", path ?: "");
	free(path);
	if (*buf)
		return;
	if (name[0] == '/' || name[0] == '[' || !getcwd(dir, sizeof(dir)) || (size_t)snprintf(buf, PATH_MAX, "%s/%s", dir, name) >= PATH_MAX)
		snprintf(buf, PATH_MAX, "%s", name);
}

int cache_command__purge(const char *cache, const char *name)
{
	char path[PATH_MAX];
	struct removal removal = { .cache = cache, .path = path };
	int ret;

	set_cached_path(path, name);
	ret = removal__run(&removal);
	if (ret < 0)
		return complain(ret, "purge", name, removal.err.text);
	if (!removal.nr)
		return complain(-ENOENT, "purge", name, "the cache has nothing of this path; --list shows what it has");
	if (log__enabled(LOG_DEBUG))
		pr_info("Purging %s: Ok\n", name);
	return ret;
}

int cache_command__purge_all(const char *cache)
{
	struct removal removal = { .cache = cache };
	int ret = removal__run(&removal);

	return ret < 0 ? complain(ret, "purge", cache, removal.err.text) : ret;
}

static int print_file(const struct cached_file *file, void *data)
{
	char hex[41];

	if (!file->is_whole)
		return 0;
	printf("%s ", build_id__str(&file->id, hex));
	printable__fputs(file->path, stdout);
	puts(file->is_kept ? " (kept)" : "");
	return 0;
}

int cache_command__list(const char *cache)
{
	struct errmsg err = {};
	int ret = cached_files__for_each(cache, print_file, warn_left_out, NULL, &err);

	return ret < 0 ? complain(ret, "list", cache, err.text) : ret;
}

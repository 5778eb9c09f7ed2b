// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/cached-files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/lib/fs.h"
#include "util/symbol/cache-dir.h"
#include "util/symbol/symtab.h"

#define LINKS ".build-id"
#define UP "../../" /* from the directory of a link to the cache */
#define MAX_PATH_DEPTH 128 /* of directories that are searched */
#define MAX_DEPTH 4 /* of directories within that of a file: kcore has a directory of its own there */

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* False: it is no build-id. */
static bool parse_id(const char *hex, struct build_id *id)
{
	size_t len = strlen(hex);

	*id = (struct build_id){ .size = len / 2 };
	if (len % 2 || len < 4 || len > 2 * sizeof(id->data))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (digit(hex[i]) < 0)
			return false;
		id->data[i / 2] |= digit(hex[i]) << (i % 2 ? 0 : 4);
	}
	return true;
}

static bool is_file(int dir, const char *name)
{
	struct stat st;

	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);
}

/* Is the directory a copy? */
static bool has_copy(int dir)
{
	static const char *const copies[] = { "elf", "kallsyms", "vdso" };

	for (size_t i = 0; i < ARRAY_SIZE(copies); i++) {
		if (is_file(dir, copies[i]))
			return true;
	}
	return false;
}

struct walk {
	const char *cache;
	int (*cb)(const struct cached_file *file, void *data);
	void (*skipped)(const struct errmsg *why);
	void *data;
	bool is_kept, has_skipped;
	bool stopped; /* by cb, which has explained it */
	char path[PATH_MAX]; /* of the current directory, from the cache, with "/" before it */
};

static int walk__pass_on(struct walk *walk, const struct cached_file *file)
{
	int ret = walk->cb(file, walk->data);

	walk->stopped = ret;
	return ret;
}

static int walk__explain(const struct walk *walk, int ret, struct errmsg *err)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s%s", walk->is_kept ? CACHE_KEPT : "", walk->path + (!walk->is_kept && walk->path[0]));
	return cache_dir__explain(ret, walk->cache, path, err);
}

/* ret, of the current directory; 0 if that is left out as others may write to it. */
static int walk__skip(struct walk *walk, int ret)
{
	struct errmsg why = {};

	if (ret != -EPERM || walk->stopped)
		return ret;
	walk__explain(walk, ret, &why);
	walk->skipped(&why);
	walk->has_skipped = true;
	return 0;
}

static int walk__copy(struct walk *walk, const struct build_id *id)
{
	return walk__pass_on(walk, &(struct cached_file){ .id = *id, .path = walk->path + (walk->path[1] == '['), .is_kept = walk->is_kept, .is_whole = true });
}

/* Gone, or no part of the cache */
static bool is_passed_over(int ret)
{
	return ret == -ENOENT || ret == -ENOTDIR || ret == -ELOOP;
}

static int walk__dir(struct walk *walk, int dir, int depth);

/* An entry of the current directory, which is dir. */
static int walk__entry(struct walk *walk, int dir, const char *name, int depth)
{
	size_t len = strlen(walk->path);
	struct build_id id;
	bool is_id = depth && parse_id(name, &id);
	int below, ret;

	if (is_id && is_file(dir, name)) /* of an old perf */
		return walk__copy(walk, &id);
	below = cache_dir__open_below(dir, name, false);
	if (is_id && below >= 0 && has_copy(below)) {
		close(below);
		return walk__copy(walk, &id);
	}
	if (depth == MAX_PATH_DEPTH || len + 1 + strlen(name) >= sizeof(walk->path)) {
		fs__close_many(&below, 1);
		return 0;
	}
	sprintf(walk->path + len, "/%s", name);
	ret = walk__skip(walk, walk__dir(walk, below, depth + 1));
	if (!ret || is_passed_over(ret))
		walk->path[len] = '\0'; /* else for the message */
	return ret;
}

static bool is_own(const struct walk *walk, const char *name, int depth)
{
	return !depth && (!strcmp(name, LINKS) || (!walk->is_kept && !strcmp(name, CACHE_KEPT)));
}

/* The copies below the directory. Takes it over. */
static int walk__dir(struct walk *walk, int dir, int depth)
{
	struct dirent **entry;
	int nr = dir < 0 ? dir : scandirat(dir, ".", &entry, NULL, alphasort), ret = nr >= 0 ? 0 : dir < 0 ? dir : -errno;

	for (int i = 0; i < nr; i++) {
		const char *name = entry[i]->d_name;

		if (!ret && !cache_dir__is_up_or_here(name, strlen(name)) && !is_own(walk, name, depth))
			ret = walk__entry(walk, dir, name, depth);
		if (!walk->stopped && is_passed_over(ret))
			ret = 0;
		free(entry[i]);
	}
	if (nr >= 0)
		free(entry);
	fs__close_many(&dir, 1);
	return ret;
}

/* A link without a copy. first and rest make the build-id. */
static int walk__link(struct walk *walk, int dir, const char *first, const char *rest)
{
	struct cached_file file = { .is_kept = walk->is_kept, .path = "" };
	char hex[64], target[PATH_MAX];
	struct stat st;
	int below;

	if ((size_t)snprintf(hex, sizeof(hex), "%s%s", first, rest) >= sizeof(hex) || !parse_id(hex, &file.id) ||
	    readlinkat(dir, rest, target, sizeof(target)) < 0)
		return 0;
	if (!fstatat(dir, rest, &st, 0) && S_ISREG(st.st_mode))
		return 0;
	below = openat(dir, rest, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (below >= 0 && has_copy(below)) {
		close(below);
		return 0;
	}
	fs__close_many(&below, 1);
	return walk__pass_on(walk, &file);
}

/* Takes over dir. */
static int walk__links_of(struct walk *walk, int dir, const char *first)
{
	struct fs_names *names = dir < 0 ? NULL : fs_names__read(dir, ".");
	int ret = dir < 0 ? dir : names ? 0 : -errno;

	for (size_t i = 0; names && i < names->nr && !ret; i++)
		ret = walk__link(walk, dir, first, names->name[i]);
	fs_names__delete(names);
	fs__close_many(&dir, 1);
	return ret;
}

/* Takes over links. */
static int walk__links(struct walk *walk, int links)
{
	struct fs_names *names = links < 0 ? NULL : fs_names__read(links, ".");
	int ret = links < 0 ? links : names ? 0 : -errno;

	for (size_t i = 0; names && i < names->nr && !ret; i++) {
		if (strlen(names->name[i]) != 2)
			continue;
		snprintf(walk->path, sizeof(walk->path), "/" LINKS "/%s", names->name[i]);
		ret = walk__skip(walk, walk__links_of(walk, cache_dir__open_below(links, names->name[i], false), names->name[i]));
		if (!walk->stopped && is_passed_over(ret))
			ret = 0;
	}
	fs_names__delete(names);
	fs__close_many(&links, 1);
	return ret;
}

/* Takes over top, a cache or its "kept". */
static int walk__cache(struct walk *walk, int top)
{
	int ret = top < 0 ? top : walk__dir(walk, fcntl(top, F_DUPFD_CLOEXEC, 0), 0);

	if (!ret) {
		strcpy(walk->path, "/" LINKS);
		ret = walk__skip(walk, walk__links(walk, cache_dir__open_below(top, LINKS, false)));
	}
	fs__close_many(&top, 1);
	return !walk->stopped && is_passed_over(ret) ? 0 : ret;
}

/* A descriptor, or -errno. */
static int open_part(const char *cache, bool kept)
{
	int top = cache_dir__open(cache, false);

	return kept && top >= 0 ? cache_dir__enter(top, CACHE_KEPT, false) : top;
}

int cached_files__for_each(const char *cache, int (*cb)(const struct cached_file *file, void *data), void (*skipped)(const struct errmsg *why),
			   void *data, struct errmsg *err)
{
	struct walk walk = { .cache = cache, .cb = cb, .skipped = skipped, .data = data };
	int ret = walk__cache(&walk, open_part(cache, false));

	if (!ret) {
		walk.is_kept = true;
		walk.path[0] = '\0';
		ret = walk__skip(&walk, walk__cache(&walk, open_part(cache, true)));
	}
	if (ret)
		return walk.stopped ? ret : walk__explain(&walk, ret, err);
	return walk.has_skipped;
}

static int remove_tree(int parent, const char *name, int depth);

/* Takes over dir. */
static int remove_contents(int dir, int depth)
{
	struct dirent *entry;
	DIR *stream = fdopendir(dir);
	int ret = 0;

	if (!stream) {
		close(dir);
		return -ENOMEM;
	}
	while (!ret && (entry = readdir(stream))) {
		if (!cache_dir__is_up_or_here(entry->d_name, strlen(entry->d_name)))
			ret = remove_tree(dir, entry->d_name, depth - 1);
	}
	closedir(stream);
	return ret;
}

/* What is gone already is no error. */
static int remove_tree(int parent, const char *name, int depth)
{
	int dir, ret;

	if (!unlinkat(parent, name, 0) || errno == ENOENT)
		return 0;
	if (errno != EISDIR)
		return -errno;
	dir = depth ? openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (dir < 0)
		return depth ? -errno : -ELOOP;
	ret = remove_contents(dir, depth);
	return ret || !unlinkat(parent, name, AT_REMOVEDIR) ? ret : -errno;
}

/* The file or directory at path below top. */
static int remove_below(int top, char *path)
{
	char *slash = strrchr(path, '/');
	int dir, ret;

	*slash = '\0';
	dir = cache_dir__open_below(top, path, false);
	ret = dir < 0 ? dir : remove_tree(dir, slash + 1, MAX_DEPTH);
	if (dir >= 0)
		close(dir);
	if (!ret)
		cache_dir__remove_empty(top, path);
	return ret == -ENOENT ? 0 : ret;
}

/* Another copy may have the same build-id. */
static bool leads_to(int top, const char *link, const char *path)
{
	char target[PATH_MAX + 64], own[PATH_MAX + 64];
	ssize_t len = readlinkat(top, link, target, sizeof(target) - 1);

	if (len < 0)
		return false;
	target[len] = '\0';
	snprintf(own, sizeof(own), UP "%s", path);
	return !strcmp(target, own);
}

int cached_file__remove(const char *cache, const struct cached_file *file, struct errmsg *err)
{
	char path[PATH_MAX + 48], link[64], hex[41], failed[PATH_MAX + 64], *at = link;
	int top = open_part(cache, file->is_kept), ret = top < 0 ? top : 0;

	/* Of these a failure leaves the directory. */
	build_id__str(&file->id, hex);
	snprintf(link, sizeof(link), LINKS "/%.2s/%s", hex, hex + 2);
	snprintf(path, sizeof(path), "%s/%s", file->path + (file->path[0] == '/'), hex);
	if (!ret && (!file->path[0] || leads_to(top, link, path)))
		ret = remove_below(top, link); /* first: nobody is to find half of it */
	if (!ret && file->path[0]) {
		at = path;
		ret = remove_below(top, path);
	}
	if (top >= 0)
		close(top);
	snprintf(failed, sizeof(failed), "%s%s", file->is_kept ? CACHE_KEPT "/" : "", at);
	return ret ? cache_dir__explain(ret, cache, failed, err) : 0;
}

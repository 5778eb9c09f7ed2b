// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/debug-file.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEBUG_ROOT "/usr/lib/debug"

char *path_below(const char *root, const char *path)
{
	char *joined;

	return asprintf(&joined, "%s%s", root ? root : "", path) < 0 ? NULL : joined;
}

/* Reading takes time as unpacking takes memory: skip the checksum of files that are larger than their data on disk. */
static bool file_has_crc(struct elf_file *file, u32 want)
{
	struct stat st;
	u32 crc = 0;
	off_t off = 0;
	char buf[65536];
	ssize_t n;

	if (fstat(file->fd, &st))
		return false;
	if ((u64)st.st_size > file->budget.left) {
		elf_budget__note(&file->budget, "most of it is not on disk, and so no checksum is computed");
		return false;
	}
	while (off < st.st_size && (n = pread(file->fd, buf, sizeof(buf), off)) > 0) {
		crc = libdeflate_crc32(crc, buf, n);
		off += n;
	}
	return off == st.st_size && crc == want;
}

struct search {
	struct elf_file *debug, *runtime;
	const char *section; /* that the file must have */
	const struct build_id *id;
	const char *symfs;
	const char *link; /* NULL: none */
	u32 crc;
};

static bool search__accepts(const struct search *s)
{
	struct build_id id;
	GElf_Shdr shdr;

	if (!elf_file__section(s->debug, s->section, &shdr) || shdr.sh_type == SHT_NOBITS)
		return false;
	if (s->id->size)
		return !elf_file__build_id(s->debug, &id) && build_id__equal(&id, s->id);
	return s->link && file_has_crc(s->debug, s->crc);
}

/* Takes ownership of path; NULL: -ENOMEM. */
static int search__try(struct search *s, char *path)
{
	char *full = path ? path_below(s->symfs, path) : NULL;
	int err = full ? elf_file__open(s->debug, full, NULL) : -ENOMEM;

	if (!err && !search__accepts(s)) {
		if (s->debug->budget.left_out[0])
			elf_budget__note(&s->runtime->budget, "%.80s: %s", full, s->debug->budget.left_out);
		elf_file__close(s->debug);
		err = -ENOENT;
	}
	free(path);
	free(full);
	return !err || err == -ENOMEM ? err : -ENOENT;
}

__attribute__((format(printf, 2, 3))) static int search__tryf(struct search *s, const char *fmt, ...)
{
	va_list args;
	char *path;
	int n;

	va_start(args, fmt);
	n = vasprintf(&path, fmt, args);
	va_end(args);
	return search__try(s, n < 0 ? NULL : path);
}

static int search__by_build_id(struct search *s)
{
	char hex[41];

	if (s->id->size < 2)
		return -ENOENT;
	build_id__str(s->id, hex);
	return search__tryf(s, DEBUG_ROOT "/.build-id/%.2s/%s.debug", hex, hex + 2);
}

static bool search__in_bundle(struct search *s, const char *path, const struct bundle *bundle)
{
	int fd = s->id->size ? bundle__open_file(bundle, s->id, path, "debug") : -1;

	if (fd < 0 || elf_file__open_fd(s->debug, fd, path, NULL))
		return false;
	if (search__accepts(s))
		return true;
	elf_file__close(s->debug);
	return false;
}

static int search__by_link(struct search *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir_len = slash ? slash - path + 1 : 0, err;

	err = search__tryf(s, "%.*s%s", dir_len, path, s->link);
	if (err == -ENOENT)
		err = search__tryf(s, "%.*s.debug/%s", dir_len, path, s->link);
	if (err == -ENOENT)
		err = search__tryf(s, DEBUG_ROOT "%.*s%s", dir_len, path, s->link);
	return err;
}

int debug_file__open(struct elf_file *debug, const char *section, const char *path, const struct build_id *id,
		     struct elf_file *runtime, const char *symfs, const struct bundle *bundle)
{
	struct search s = { .debug = debug, .runtime = runtime, .section = section, .id = id, .symfs = symfs };
	int err;

	if (search__in_bundle(&s, path, bundle))
		return 0;
	err = search__by_build_id(&s);
	if (err != -ENOENT)
		return err;
	/* a link is a file name, not a path */
	if (elf_file__debuglink(runtime, &s.link, &s.crc) || strchr(s.link, '/'))
		s.link = NULL;
	if (s.link)
		err = search__by_link(&s, path);
	if (err == -ENOENT && id->size)
		err = search__tryf(&s, DEBUG_ROOT "%s.debug", path);
	if (err == -ENOENT && id->size)
		err = search__tryf(&s, DEBUG_ROOT "%s", path);
	return err;
}

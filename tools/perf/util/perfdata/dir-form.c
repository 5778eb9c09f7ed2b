// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/dir-form.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/lib/array.h"
#include "util/lib/disk-bytes.h"
#include "util/lib/file-map.h"
#include "util/perfdata/file.h"
#include "util/perfdata/record.h"
#include "util/perfdata/spool.h"

/* A copy may fill holes, which cp makes of pages of zeros, to this many times the bytes on disk. */
#define HOLES_FACTOR 32
#define ANY_FILE (1ULL << 20)

struct mapped_part {
	struct file_map *file; /* NULL: empty file */
	u8 *at;
	u64 size;
	u64 left;	/* bytes that may be copied: a sparse file must not fill the disk */
};

struct gathering {
	struct dir_form *d;
	const char *path;
	int dirfd;
	struct mapped_part main;
	struct file_header header;
	u64 data_end;	/* in main */
	u64 end;	/* end of the output so far */
	bool has_features;
};

/* Some file systems report blocks late, and in a file of many holes not all of its data is counted. */
static u64 bytes_to_copy(int fd, const struct stat *st)
{
	u64 blocks = st->st_blocks * 512ULL, data = disk_bytes__of(fd);

	return ANY_FILE + HOLES_FACTOR * (blocks > data ? blocks : data);
}

static int map_open(struct gathering *g, int fd, const char *name, struct mapped_part *m, struct errmsg *err)
{
	char path[PATH_MAX];
	struct stat st;
	int ret;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return errmsg__set(err, EINVAL, "%s/%s is not a regular file", g->path, name);
	if (!st.st_size)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", g->path, name);
	ret = file_map__new(&m->file, fd, st.st_size, path, err);
	if (ret)
		return ret;
	m->at = file_map__memory(m->file);
	m->size = st.st_size;
	m->left = bytes_to_copy(fd, &st);
	return 0;
}

/* -ENOENT: no such file. */
static int map_part(struct gathering *g, const char *name, struct mapped_part *m, struct errmsg *err)
{
	int fd = openat(g->dirfd, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), ret;

	*m = (struct mapped_part){};
	if (fd < 0)
		return errmsg__set(err, errno, "Cannot open %s/%s: %m", g->path, name);
	ret = map_open(g, fd, name, m, err);
	close(fd);
	return ret;
}

static void unmap_part(struct mapped_part *m)
{
	if (m->file)
		file_map__check(m->file);
	file_map__delete(m->file);
}

static u64 table_size(const struct file_header *header)
{
	u64 nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(header->features); i++)
		nr += __builtin_popcountll(header->features[i]);
	return nr * sizeof(struct file_section);
}

/* Our writer leaves a recording in progress with this feature alone. */
static bool is_finished(const struct file_header *header)
{
	return table_size(header) > (header->features[HEADER_DIR_FORMAT / 64] >> HEADER_DIR_FORMAT % 64 & 1) * sizeof(struct file_section);
}

/* The reader reports errors in single files; here only the start of the records is needed. */
static int read_main(struct gathering *g, struct errmsg *err)
{
	const struct file_section *data = &g->header.data;
	int ret = map_part(g, "data", &g->main, err);

	if (ret == -ENOENT)
		return errmsg__set(err, EISDIR, "%s is a directory, and no recording of 'perf record --threads': it has no file data",
				   g->path);
	if (ret)
		return ret;
	if (g->main.size >= 8 && !memcmp(g->main.at, PERFDATA_SWAPPED_MAGIC, 8))
		return errmsg__set(err, EINVAL, "%s is a directory from a machine of the other byte order: read it on such a machine, or "
				   "record without --threads", g->path);
	if (g->main.size < sizeof(g->header) || memcmp(g->main.at, PERFDATA_MAGIC, 8))
		return errmsg__set(err, EINVAL, "%s/data is not a perf.data file, or is cut off in its header", g->path);
	memcpy(&g->header, g->main.at, sizeof(g->header));
	if (data->offset > g->main.size)
		return errmsg__set(err, EINVAL, "%s/data is cut off in its list of events, after %llu bytes", g->path,
				   (unsigned long long)g->main.size);
	g->data_end = g->main.size;
	if (data->size && data->size <= g->main.size - data->offset &&
	    table_size(&g->header) <= g->main.size - data->offset - data->size) {
		g->data_end = data->offset + data->size;
		g->has_features = is_finished(&g->header);
	}
	return 0;
}

static int append(struct gathering *g, const void *data, u64 size, struct errmsg *err)
{
	g->end += size;
	return spool__write(g->d->fd, data, size, err);
}

/* Append bytes of a part, which name is for messages. */
static int append_from(struct gathering *g, struct mapped_part *m, u64 at, u64 size, const char *name, struct errmsg *err)
{
	if (size > m->left)
		return errmsg__set(err, EFBIG, "%s/%s says that it has %llu bytes, but far fewer are on disk: no recording is like that",
				   g->path, name, (unsigned long long)m->size);
	m->left -= size;
	return append(g, m->at + at, size, err);
}

/* Compressed records may have any size, so these need not be aligned. */
static u64 whole_records(const struct mapped_part *m)
{
	struct perf_event_header header;
	u64 at = 0;

	while (m->size - at >= sizeof(header)) {
		memcpy(&header, m->at + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > m->size - at)
			break;
		at += header.size;
	}
	return at;
}

static int append_records(struct gathering *g, struct mapped_part *m, const char *name, struct errmsg *err)
{
	u64 size = whole_records(m);

	if (array__extend(g->d->start, g->d->nr))
		return errmsg__set(err, ENOMEM, "Out of memory");
	g->d->start[g->d->nr++] = g->end;
	g->d->torn |= size < m->size;
	return append_from(g, m, 0, size, name, err);
}

/* Is it "data.N"? Not with leading zeros, which no perf writes. */
static bool is_numbered(const char *name, u32 *nr)
{
	char same[32];

	if (sscanf(name, "data.%9u", nr) != 1)
		return false;
	snprintf(same, sizeof(same), "data.%u", *nr);
	return !strcmp(name, same);
}

/* From data.0 to the one with the largest number; some may be missing. */
static int count_parts(struct gathering *g, u32 *nr, struct errmsg *err)
{
	int fd = openat(g->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	u32 i;

	*nr = 0;
	for (errno = dir ? 0 : errno; dir && (entry = readdir(dir));) {
		if (is_numbered(entry->d_name, &i) && i >= *nr)
			*nr = i + 1;
	}
	ret = errno ? errmsg__set(err, errno, "Cannot read the directory %s: %m", g->path) : 0;
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return ret;
}

static int append_files(struct gathering *g, struct errmsg *err)
{
	u32 nr;
	int ret = count_parts(g, &nr, err);

	for (u32 i = 0; i < nr && !ret; i++) {
		struct mapped_part m;
		char name[32];

		snprintf(name, sizeof(name), "data.%u", i);
		ret = map_part(g, name, &m, err);
		if (ret == -ENOENT)
			return errmsg__set(err, EINVAL, "%s/%s is missing: copy the directory whole", g->path, name);
		ret = ret ?: append_records(g, &m, name, err);
		unmap_part(&m);
	}
	return ret;
}

/* The feature sections come after the records, and move with the end of these. The reader refuses those that are outside of the file. */
static int append_features(struct gathering *g, struct errmsg *err)
{
	u64 moved = g->end - g->data_end, rest = g->data_end + table_size(&g->header), end = rest;
	int ret = 0;

	for (u64 at = g->data_end; at < rest && !ret; at += sizeof(struct file_section)) {
		struct file_section section;

		memcpy(&section, g->main.at + at, sizeof(section));
		if (section.offset > g->main.size || section.size > g->main.size - section.offset) {
			section.offset = UINT64_MAX;
		} else {
			if (section.offset + section.size > end)
				end = section.offset + section.size;
			section.offset += moved;
		}
		ret = append(g, &section, sizeof(section), err);
	}
	return ret ?: append_from(g, &g->main, rest, end - rest, "data", err);
}

static int write_header(struct gathering *g, u64 records_end, struct errmsg *err)
{
	struct file_header *h = &g->header;

	h->data.size = records_end - h->data.offset;
	if (!g->has_features)
		memset(h->features, 0, sizeof(h->features));
	if (pwrite(g->d->fd, h, sizeof(*h), 0) == sizeof(*h))
		return 0;
	return errmsg__set(err, EIO, "Cannot write to a temporary file");
}

static int gather(struct gathering *g, struct errmsg *err)
{
	u64 records_end;
	int ret = read_main(g, err);

	if (ret)
		return ret;
	g->d->fd = spool__open(err);
	if (g->d->fd < 0)
		return g->d->fd;
	ret = append_from(g, &g->main, 0, g->data_end, "data", err) ?: append_files(g, err);
	records_end = g->end;
	if (!ret && g->has_features)
		ret = append_features(g, err);
	return ret ?: write_header(g, records_end, err);
}

int dir_form__gather(struct dir_form *d, const char *path, struct errmsg *err)
{
	struct gathering g = { .d = d, .path = path, .dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	int ret;

	*d = (struct dir_form){ .fd = -1 };
	if (g.dirfd < 0)
		return errmsg__set(err, errno, "Cannot open %s: %m", path);
	ret = gather(&g, err);
	unmap_part(&g.main);
	close(g.dirfd);
	return ret;
}

void dir_form__exit(struct dir_form *d)
{
	if (d->fd >= 0)
		close(d->fd);
	free(d->start);
	*d = (struct dir_form){ .fd = -1 };
}

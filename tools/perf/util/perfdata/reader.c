// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/lib/file-map.h"
#include "util/lib/tar.h"
#include "util/perfdata/attr.h"
#include "util/perfdata/chunks.h"
#include "util/perfdata/dir-form.h"
#include "util/perfdata/file.h"
#include "util/perfdata/pipe-form.h"
#include "util/perfdata/reader.h"
#include "util/perfdata/stacks-update.h"
#include "util/perfdata/swap.h"

#define RELEASE_STEP (1 << 20) /* bytes; a multiple of the page size */
/* The limit for unpacked records in memory: that of perf-report(1), minus the reader's other needs. */
#define MAX_HELD (24 << 20)
#define MAX_HELD_RATIO 12 /* and this many times the size of the file */
/* Limit of unpacked records of tasks and maps, all of which take memory later. zstd packs them to a tenth. */
#define MAX_SIDE (4 << 20)
#define MAX_SIDE_RATIO 64

struct perfdata_reader {
	char *path;    /* for messages */
	struct file_map *file;
	u8 *map; /* the whole recording in memory; only written to if it is swapped, and not written back */
	u64 size;
	u64 in_bundle; /* where it is in its file: at the start, or behind the first header of a bundle */
	struct file_header header;
	u64 data_end; /* file offset; never beyond size */
	struct perfdata_event *events;
	u32 nr_events;
	struct perfdata_features features;
	char *warnings;
	bool unfinished, truncated, is_pipe_form;
	bool is_cut; /* the header promises more records than the file has, as no recording in progress does */
	bool swapped; /* it is of a machine with the other byte order */
	struct dir_form dir;   /* fd -1: a single file */
	u32 nr_streams;	       /* streams of the directory that were begun */
	struct chunks *chunks; /* NULL: no compressed records so far */
	u64 unpacked_side;     /* bytes of unpacked records that are no samples */
	bool has_cut_rounds;
	u64 record_offset;     /* in the file, of the last returned record, or of the compressed record that contained it */
	u64 released; /* released bytes of the file, in whole steps */
	bool damaged; /* a warning says that something is missing or unreadable */
};

static void __attribute__((format(printf, 2, 3))) warn(struct perfdata_reader *r, const char *fmt, ...)
{
	char *line = NULL, *all = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		line = NULL;
	va_end(ap);
	/* Without memory the warning is lost, but reading continues. */
	if (line && asprintf(&all, "%s%s%s", r->warnings ?: "", r->warnings ? "\n" : "", line) > 0) {
		free(r->warnings);
		r->warnings = all;
	}
	free(line);
}

static bool is_inside(const struct perfdata_reader *r, const struct file_section *section)
{
	return section->offset <= r->size && section->size <= r->size - section->offset;
}

static int check_kind(const char *path, const struct stat *st, struct errmsg *err)
{
	if (!S_ISREG(st->st_mode))
		return errmsg__set(err, EINVAL, "%s is not a regular file: read a pipe as the standard input, with '-i -'; "
				   "what is on a device save to a file first", path);
	if (!st->st_size)
		return errmsg__set(err, EINVAL, "%s is empty: nothing was recorded, or the disk was full. Record again", path);
	return 0;
}

static int open_error(const char *path, int errnum, struct errmsg *err)
{
	if (errnum == ENOENT)
		return errmsg__set(err, errnum, "There is no file %s; record one with 'perf record', or name it with -i",
				   path);
	return errmsg__set(err, errnum, "Cannot open %s: %s%s", path, strerror(errnum),
			   errnum == EACCES ? " (a recording is readable by its owner and root only)" : "");
}

/* The descriptor of the merged files of a directory. */
static int open_directory(struct perfdata_reader *r, struct errmsg *err)
{
	int ret = dir_form__gather(&r->dir, r->path, err), fd;

	if (ret)
		return ret;
	r->truncated = r->dir.torn;
	fd = fcntl(r->dir.fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? errmsg__set(err, errno, "Cannot read %s: %m", r->path) : fd;
}

/* "-" is the standard input: a file, or a pipe, whose contents are copied to one. */
static int open_input(struct perfdata_reader *r, const char *path, struct errmsg *err)
{
	struct stat st;
	int fd, ret;

	if (strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode))
		return open_directory(r, err);
	if (strcmp(path, "-")) {
		/*
		 * Opening a device may have effects, so check first; O_NONBLOCK in case a FIFO has replaced the file: do not wait
		 * for its writer.
		 */
		if (!stat(path, &st)) {
			ret = check_kind(path, &st, err);
			if (ret)
				return ret;
		}
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		return fd < 0 ? open_error(path, errno, err) : fd;
	}
	if (fstat(STDIN_FILENO, &st))
		return errmsg__set(err, errno, "Cannot read the standard input: %m");
	if (!S_ISREG(st.st_mode))
		return pipe_form__spool(STDIN_FILENO, err);
	fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? errmsg__set(err, errno, "Cannot read the standard input: %m") : fd;
}

/* A bundle (util/symbol/bundle.h) is a tar archive that begins with the recording. */
static void enter_bundle(struct perfdata_reader *r)
{
	char name[101];
	u64 size;

	if (r->size < TAR_BLOCK || !tar__is_header(r->map) || tar__decode(r->map, name, &size) != '0' || strcmp(name, "perf.data"))
		return;
	r->in_bundle = TAR_BLOCK;
	r->map += TAR_BLOCK;
	r->size -= TAR_BLOCK;
	if (size < r->size)
		r->size = size;
}

static int map_file(struct perfdata_reader *r, const char *path, struct errmsg *err)
{
	int fd = open_input(r, path, err), ret;
	struct stat st;

	if (fd < 0)
		return fd;
	ret = fstat(fd, &st) ? errmsg__set(err, errno, "Cannot stat %s: %m", r->path) : check_kind(r->path, &st, err);
	ret = ret ?: file_map__new(&r->file, fd, st.st_size, r->path, err);
	close(fd);
	if (ret)
		return ret;
	r->map = file_map__memory(r->file);
	r->size = st.st_size;
	enter_bundle(r);
	return 0;
}

static int check_magic(const struct perfdata_reader *r, struct errmsg *err)
{
	static const struct {
		char magic[9];
		const char *what;
	} others[] = {
		{ "PERFFILE", "has the format of perf before 2.6.33, which is not supported" },
		{ "ELIFFREP", "has the format of perf before 2.6.33, which is not supported" },
	};

	if (r->size < 8 || (memcmp(r->map, PERFDATA_MAGIC, 8) && !r->swapped)) {
		for (size_t i = 0; r->size >= 8 && i < ARRAY_SIZE(others); i++) {
			if (!memcmp(r->map, others[i].magic, 8))
				return errmsg__set(err, EINVAL, "%s %s", r->path, others[i].what);
		}
		return errmsg__set(err, EINVAL, "%s is not a perf.data file", r->path);
	}
	return 0;
}

static int cut_off(const struct perfdata_reader *r, const char *where, struct errmsg *err)
{
	return errmsg__set(err, EINVAL, "%s is cut off in its %s, after %llu bytes: nothing can be read from it", r->path,
			   where, (unsigned long long)r->size);
}

static int read_header(struct perfdata_reader *r, struct errmsg *err)
{
	struct file_header *h = &r->header;
	u64 header_size;
	int ret;

	r->swapped = r->size >= 8 && !memcmp(r->map, PERFDATA_SWAPPED_MAGIC, 8);
	ret = check_magic(r, err);
	if (ret)
		return ret;
	if (r->size < 16)
		return cut_off(r, "header", err);
	memcpy(&header_size, r->map + 8, sizeof(header_size));
	if (r->swapped)
		swap_u64(&header_size);
	if (header_size == PIPE_HEADER_SIZE) {
		r->is_pipe_form = true;
		h->data = (struct file_section){ .offset = PIPE_HEADER_SIZE, .size = r->size - PIPE_HEADER_SIZE };
		return 0;
	}
	if (header_size != sizeof(*h))
		return errmsg__set(err, EINVAL, "%s has a header of %llu bytes, which no known perf writes", r->path,
				   (unsigned long long)header_size);
	if (r->size < sizeof(*h))
		return cut_off(r, "header", err);
	memcpy(h, r->map, sizeof(*h));
	if (r->swapped)
		swap__header(h);
	if (h->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct file_section) || !h->attrs.size ||
	    h->attrs.size % h->attr_size)
		return errmsg__set(err, EINVAL, "%s is damaged: its header names no events", r->path);
	if (!is_inside(r, &h->attrs))
		return cut_off(r, "list of events", err);
	if (h->data.offset % 8 || h->data.offset < sizeof(*h))
		return errmsg__set(err, EINVAL, "%s is damaged: its header says that records start at offset 0x%llx", r->path,
				   (unsigned long long)h->data.offset);
	if (h->data.offset > r->size)
		return cut_off(r, "list of events", err);
	return 0;
}

static bool header_has(const struct perfdata_reader *r, int feature)
{
	return r->header.features[feature / 64] >> feature % 64 & 1;
}

static int check_format(const struct perfdata_reader *r, struct errmsg *err)
{
	if (header_has(r, HEADER_DIR_FORMAT) && r->dir.fd < 0)
		return errmsg__set(err, EINVAL, "%s is part of a recording that is a directory (perf record --threads): name that with -i",
				   r->path);
	return 0;
}

/* ids_left: limit of the ids' bytes to copy. Overlapping sections must not multiply the file in memory. */
static int read_ids(struct perfdata_reader *r, const struct file_section *ids, u64 *ids_left, struct perfdata_event *event,
		    struct errmsg *err)
{
	if (!is_inside(r, ids))
		return cut_off(r, "ids of events", err);
	if (ids->size % sizeof(u64) || ids->size > *ids_left)
		return errmsg__set(err, EINVAL, "%s is damaged: it lists %llu bytes of ids for event %u", r->path,
				   (unsigned long long)ids->size, r->nr_events);
	*ids_left -= ids->size;
	event->ids = malloc(ids->size ?: 1);
	if (!event->ids)
		return errmsg__set(err, ENOMEM, "Out of memory");
	memcpy(event->ids, r->map + ids->offset, ids->size);
	event->nr_ids = ids->size / sizeof(u64);
	for (u32 i = 0; r->swapped && i < event->nr_ids; i++)
		swap_u64(&event->ids[i]);
	return 0;
}

static void warn_newer(struct perfdata_reader *r)
{
	warn(r, "%s was recorded by a newer perf: settings of its events that this one does not know are ignored", r->path);
}

static int read_events(struct perfdata_reader *r, struct errmsg *err)
{
	const struct file_header *h = &r->header;
	u64 nr = h->attrs.size / h->attr_size, ids_left = r->size;
	size_t attr_room = h->attr_size - sizeof(struct file_section);
	u8 *entry = r->map + h->attrs.offset;
	bool newer = false;
	int ret = 0;

	if (nr > UINT32_MAX)
		return errmsg__set(err, EINVAL, "%s is damaged: it lists %llu events", r->path, (unsigned long long)nr);
	r->events = calloc(nr, sizeof(*r->events));
	if (!r->events)
		return errmsg__set(err, ENOMEM, "Out of memory");
	for (u64 i = 0; !ret && i < nr; i++, entry += h->attr_size) {
		struct perfdata_event *event = &r->events[i];
		struct file_section ids;

		memcpy(&ids, entry + attr_room, sizeof(ids));
		if (r->swapped) {
			swap__section(&ids);
			swap__attr(entry, attr_room);
		}
		if (perfdata_attr__from_file(&event->attr, entry, attr_room, &newer))
			return errmsg__set(err, EINVAL, "%s is damaged: event %llu has an attr that is too small or too large",
					   r->path, (unsigned long long)i);
		ret = read_ids(r, &ids, &ids_left, event, err);
		r->nr_events++;
	}
	if (newer)
		warn_newer(r);
	return ret;
}

/* Offset of the list of feature sections: directly after the data. false if the list does not fit into the file. */
static bool feature_table(const struct perfdata_reader *r, struct file_section *table)
{
	table->offset = r->header.data.offset + r->header.data.size;
	table->size = 0;
	for (size_t i = 0; i < ARRAY_SIZE(r->header.features); i++)
		table->size += __builtin_popcountll(r->header.features[i]) * sizeof(struct file_section);
	return is_inside(r, table);
}

static struct file_section table_entry(const struct perfdata_reader *r, const struct file_section *table, u64 i)
{
	struct file_section section;

	memcpy(&section, r->map + table->offset + i * sizeof(section), sizeof(section));
	if (r->swapped)
		swap__section(&section);
	return section;
}

/*
 * Find the end of the data. Our writer leaves a recording in progress with a data.size that may be too small and without features,
 * which no finished file has: only this shows that it was killed even if its size is right. Stock perf leaves data.size 0 with the
 * bits of future features. A record is then in place of their list, and its size makes the first offset exceed any file.
 * A finished file may have its list of events after the data, as perf inject writes it.
 */
static void find_data_end(struct perfdata_reader *r)
{
	const struct file_section *data = &r->header.data;
	struct file_section table;
	bool has_features = feature_table(r, &table) && table.size;

	if (!is_inside(r, data)) {
		r->unfinished = r->is_cut = r->damaged = true;
		warn(r, "%s is cut off: its header says that records end at offset 0x%llx, but the file does at 0x%llx", r->path,
		     (unsigned long long)(data->offset + data->size), (unsigned long long)r->size);
	} else if (!data->size && has_features) {
		struct file_section first = table_entry(r, &table, 0);

		r->unfinished = !is_inside(r, &first);
	} else {
		r->unfinished = !table.size && r->header.attrs.offset < data->offset + data->size;
	}
	r->data_end = r->unfinished ? r->size : data->offset + data->size;
}

/* A truncated file loses all of its last sections: warn once, not for each. */
static void warn_outside(struct perfdata_reader *r, unsigned int nr, int first)
{
	const char *name = perfdata_feature__name(first) ?: "unknown";

	if (nr == 1)
		warn(r, "%s: the %s section is outside of the file", r->path, name);
	else if (nr)
		warn(r, "%s is cut off: %u sections behind its records are missing, the first of them is %s", r->path, nr, name);
}

static bool is_below_attrs(const struct perfdata_reader *r, const struct file_section *section)
{
	const struct file_section *attrs = &r->header.attrs;

	return section->offset < attrs->offset + attrs->size && attrs->offset < section->offset + section->size;
}

/* The section is inside the file. */
static void read_feature(struct perfdata_reader *r, int feature, const struct file_section *section)
{
	struct errmsg why;

	/* perf inject (7.3) does that when it makes a file of what comes through a pipe, and its readers say nothing. */
	if (is_below_attrs(r, section)) {
		warn(r, "%s: the %s section was overwritten by the list of events, and is left out", r->path,
		     perfdata_feature__name(feature) ?: "unknown");
		return;
	}
	if (!perfdata_features__decode(&r->features, feature, r->map + section->offset, section->size, r->swapped, &why))
		return;
	r->damaged = true;
	warn(r, "%s: %s", r->path, why.text);
}

static void read_features(struct perfdata_reader *r)
{
	unsigned int nr = 0, nr_outside = 0;
	struct file_section table;
	int first_outside = 0;

	if (r->unfinished)
		return;
	if (!feature_table(r, &table)) {
		r->unfinished = true;
		r->damaged = true;
		warn(r, "%s is cut off behind its records: host, command line and the like are missing", r->path);
		return;
	}
	for (int feature = 0; feature < HEADER_FEAT_BITS; feature++) {
		struct file_section section;

		if (!header_has(r, feature))
			continue;
		section = table_entry(r, &table, nr++);
		if (!is_inside(r, &section))
			first_outside = nr_outside++ ? first_outside : feature;
		else
			read_feature(r, feature, &section);
	}
	r->damaged |= nr_outside;
	warn_outside(r, nr_outside, first_outside);
}

/* Files of older versions have it in a feature. */
static int read_user_stacks(struct perfdata_reader *r, struct errmsg *err)
{
	const u64 start = r->header.data.offset, end = r->dir.nr > 1 ? r->dir.start[1] : r->data_end;

	if (r->unfinished || r->features.user_stacks || end < start)
		return 0;
	return stacks_update__find(r->map + start, end - start, r->swapped, &r->features.user_stacks) ?
	       errmsg__set(err, ENOMEM, "Out of memory") : 0;
}

static int compare_first_ids(const void *a, const void *b)
{
	const struct perfdata_event *const *x = a, *const *y = b;

	return (*x)->ids[0] < (*y)->ids[0] ? -1 : (*x)->ids[0] > (*y)->ids[0];
}

/* Entries of EVENT_DESC with ids, sorted by their first id. */
static const struct perfdata_event **sort_described(const struct perfdata_features *f, size_t *nr)
{
	const struct perfdata_event **sorted = calloc(f->nr_event_desc ?: 1, sizeof(*sorted));

	*nr = 0;
	for (u32 i = 0; sorted && i < f->nr_event_desc; i++) {
		if (f->event_desc[i].nr_ids)
			sorted[(*nr)++] = &f->event_desc[i];
	}
	if (sorted)
		qsort(sorted, *nr, sizeof(*sorted), compare_first_ids);
	return sorted;
}

/* Name each event by the EVENT_DESC entry with its first id; old files without ids list both in the same order. */
static int name_events(struct perfdata_reader *r, struct errmsg *err)
{
	const struct perfdata_features *f = &r->features;
	size_t nr_sorted;
	const struct perfdata_event **sorted = sort_described(f, &nr_sorted);
	bool no_memory = !sorted;

	for (u32 i = 0; !no_memory && i < r->nr_events; i++) {
		const struct perfdata_event *event = &r->events[i], **found, *d = NULL;

		if (event->nr_ids) {
			found = bsearch(&event, sorted, nr_sorted, sizeof(*sorted), compare_first_ids);
			d = found ? *found : NULL;
		} else if (i < f->nr_event_desc) {
			d = &f->event_desc[i];
		}
		if (!d || !*d->name || r->events[i].name)
			continue;
		r->events[i].name = strdup(d->name);
		no_memory = !r->events[i].name;
	}
	free(sorted);
	return no_memory ? errmsg__set(err, ENOMEM, "Out of memory") : 0;
}

/* Unpacked records would have to be converted one by one. */
static int check_packing(const struct perfdata_reader *r, struct errmsg *err)
{
	if (!r->swapped || !perfdata_features__has(&r->features, HEADER_COMPRESSED))
		return 0;
	return errmsg__set(err, EINVAL, "%s is compressed and comes from a machine of the other byte order: read it on such a machine, or "
			   "record without -z", r->path);
}

static int swap_samples(struct perfdata_reader *r, struct errmsg *err)
{
	if (!r->swapped || !r->nr_events)
		return 0;
	return swap__samples(r->map + r->header.data.offset, r->data_end - r->header.data.offset, r->events, r->nr_events) ?
	       errmsg__set(err, ENOMEM, "Out of memory") : 0;
}

static int read_pipe_form(struct perfdata_reader *r, struct errmsg *err)
{
	struct pipe_form p = { .swap = r->swapped };
	int ret;

	if (r->swapped)
		swap__records(r->map + PIPE_HEADER_SIZE, r->size - PIPE_HEADER_SIZE);
	ret = pipe_form__read(&p, r->map + PIPE_HEADER_SIZE, r->size - PIPE_HEADER_SIZE);
	r->events = p.events;
	r->nr_events = p.nr_events;
	r->features = p.features;
	r->data_end = r->size;
	if (ret)
		return errmsg__set(err, ENOMEM, "Out of memory");
	if (!r->nr_events)
		return errmsg__set(err, EINVAL, "%s has no events: perf record ended before it had begun", r->path);
	if (p.newer)
		warn_newer(r);
	r->damaged |= p.left_out.text[0] != '\0';
	if (r->damaged)
		warn(r, "%s: %s", r->path, p.left_out.text);
	return check_packing(r, err) ?: swap_samples(r, err);
}

static int read_file_form(struct perfdata_reader *r, struct errmsg *err)
{
	int ret = check_format(r, err) ?: read_events(r, err);

	if (ret)
		return ret;
	find_data_end(r);
	read_features(r);
	ret = read_user_stacks(r, err) ?: check_packing(r, err);
	if (ret)
		return ret;
	if (r->swapped)
		swap__records(r->map + r->header.data.offset, r->data_end - r->header.data.offset);
	return swap_samples(r, err);
}

int perfdata_reader__open(const char *path, struct perfdata_reader **rp, struct errmsg *err)
{
	struct perfdata_reader *r = calloc(1, sizeof(*r));
	int ret = -ENOMEM;

	if (r) {
		r->dir.fd = -1;
		r->path = strdup(strcmp(path, "-") ? path : "the standard input");
	}
	if (!r || !r->path) {
		errmsg__set(err, ENOMEM, "Out of memory");
		goto err_out;
	}
	ret = map_file(r, path, err) ?: read_header(r, err);
	if (!ret)
		ret = r->is_pipe_form ? read_pipe_form(r, err) : read_file_form(r, err);
	if (!ret)
		ret = name_events(r, err);
	if (r->file)
		file_map__check(r->file);
	if (ret)
		goto err_out;
	*rp = r;
	return 0;
err_out:
	perfdata_reader__delete(r);
	return ret;
}

void perfdata_reader__delete(struct perfdata_reader *r)
{
	if (!r)
		return;
	file_map__delete(r->file);
	for (u32 i = 0; i < r->nr_events; i++) {
		free(r->events[i].ids);
		free(r->events[i].name);
	}
	free(r->events);
	chunks__delete(r->chunks);
	dir_form__exit(&r->dir);
	perfdata_features__exit(&r->features);
	free(r->warnings);
	free(r->path);
	free(r);
}

/* Size of the data that follows a record of that type without being part of header.size; body is after its header. */
static u64 payload_size_of(u32 type, const void *body)
{
	u64 size64;
	u32 size32;

	switch (type) {
	case PERF_RECORD_AUXTRACE:
		memcpy(&size64, body, sizeof(size64));
		return size64;
	case PERF_RECORD_HEADER_TRACING_DATA:
		memcpy(&size32, body, sizeof(size32));
		return ALIGN_UP((u64)size32, 8);
	default:
		return 0;
	}
}

static u64 payload_size(const union perf_record *record)
{
	return payload_size_of(record->header.type, &record->header + 1);
}

static bool is_compressed(const union perf_record *record)
{
	return record->header.type == PERF_RECORD_COMPRESSED || record->header.type == PERF_RECORD_COMPRESSED2;
}

static int at_end(struct perfdata_reader *r, bool torn)
{
	if (torn)
		r->truncated = true;
	return 0;
}

/* Data after the end in the header is there by chance: the end of a killed recording. */
static bool is_vouched_for(const struct perfdata_reader *r, u64 offset)
{
	return offset < r->header.data.offset + r->header.data.size;
}

static int damaged(struct perfdata_reader *r, u64 offset, const union perf_record *record, struct errmsg *err)
{
	const char *name = perf_record__type_name(record->header.type);

	if (!is_vouched_for(r, offset))
		return at_end(r, true);
	return errmsg__set(err, EINVAL, "%s is damaged at offset 0x%llx: a record of type %s (%u) cannot have these %u bytes", r->path,
			   (unsigned long long)offset, name ?: "unknown", record->header.type, record->header.size);
}

/* The contents of a compressed record; NULL: its members contradict each other. */
static const void *compressed_data(const union perf_record *record, size_t *size)
{
	const u8 *body = (const u8 *)record + sizeof(record->header);
	size_t room = record->header.size - sizeof(record->header);
	u64 told;

	if (record->header.type == PERF_RECORD_COMPRESSED) {
		*size = room;
		return body;
	}
	memcpy(&told, body, sizeof(told)); /* COMPRESSED2 is padded */
	*size = told;
	return told > room - sizeof(told) ? NULL : body + sizeof(told);
}

static struct chunks *reader_chunks(struct perfdata_reader *r, struct errmsg *err)
{
	if (!r->chunks)
		r->chunks = chunks__new();
	if (!r->chunks)
		errmsg__set(err, ENOMEM, "Out of memory");
	return r->chunks;
}

/* Each file of a directory has a separate stream. */
static int begin_streams(struct perfdata_reader *r, struct chunks *chunks, struct errmsg *err)
{
	int ret = 0;

	while (!ret && r->nr_streams < r->dir.nr && r->dir.start[r->nr_streams] <= r->record_offset) {
		r->truncated |= chunks__is_torn(chunks);
		ret = chunks__restart(chunks, err);
		r->nr_streams++;
	}
	return ret;
}

/* Unpack the contents of a compressed record. Returns as __next: the compressed record itself is delivered, too. */
static int unpack(struct perfdata_reader *r, const union perf_record *record, struct errmsg *err)
{
	struct chunks *chunks = reader_chunks(r, err);
	const void *data;
	size_t size;
	int ret;

	if (!chunks)
		return -ENOMEM;
	data = compressed_data(record, &size);
	if (!data)
		return damaged(r, r->record_offset, record, err);
	ret = begin_streams(r, chunks, err) ?:
	      chunks__decompress(chunks, data, size, r->record_offset - r->header.data.offset, err);
	if (!ret)
		return 1;
	errmsg__prefix(err, "%s at offset 0x%llx", r->path, (unsigned long long)r->record_offset);
	return ret;
}

static int check_record(struct perfdata_reader *r, const union perf_record *record, struct errmsg *err)
{
	if (record->header.type == PERF_RECORD_SAMPLE && record->header.size && record->header.size % sizeof(u64) == 0)
		return 1; /* its contents are checked when it is decoded */
	/* perf does not pad all records of its own, such as COMPRESSED and FEATURE */
	if (perf_record__check(record) || (record->header.size % 8 && record->header.type < PERF_RECORD_HEADER_ATTR))
		return damaged(r, r->record_offset, record, err);
	return is_compressed(record) ? unpack(r, record, err) : 1;
}

static int check_side(struct perfdata_reader *r, const union perf_record *record, struct errmsg *err)
{
	const u64 max = MAX_SIDE + MAX_SIDE_RATIO * r->size;

	if (record->header.type == PERF_RECORD_SAMPLE)
		return 1;
	r->unpacked_side += record->header.size;
	if (r->unpacked_side <= max)
		return 1;
	return errmsg__set(err, EINVAL, "%s at offset 0x%llx: records of tasks and maps unpack to more than %llu MiB, which no recording does",
			   r->path, (unsigned long long)r->record_offset, (unsigned long long)max >> 20);
}

/* The next record in memory, or in data that waits to be unpacked. Returns 1, 0 if there is none, or negative. */
static int take_from_chunks(struct perfdata_reader *r, const union perf_record **record, bool *in_stream, struct errmsg *err)
{
	int ret = 1;

	if (!r->chunks)
		return 0;
	while (!(*record = chunks__next(r->chunks, in_stream)) && ret > 0) {
		ret = chunks__more(r->chunks, err);
		if (ret < 0)
			errmsg__prefix(err, "%s at offset 0x%llx", r->path, (unsigned long long)r->record_offset);
	}
	return ret;
}

/* The next record that was unpacked or copied. Returns 1, or 0 if there is none. */
static int next_in_chunks(struct perfdata_reader *r, const union perf_record **recordp, struct errmsg *err)
{
	const union perf_record *record;
	bool in_stream;
	int ret = take_from_chunks(r, &record, &in_stream, err);

	if (ret <= 0)
		return ret;
	*recordp = record;
	if ((in_stream && is_compressed(record)) || (ret = check_record(r, record, err)) == 0 ||
	    (in_stream && ret > 0 && payload_size(record)))
		return errmsg__set(err, EINVAL, "%s is damaged at offset 0x%llx: an unpacked record there is not valid", r->path,
				   (unsigned long long)r->record_offset);
	return in_stream && ret > 0 ? check_side(r, record, err) : ret;
}

/* After a record of odd size: a copy of the following record becomes the next one. Skips the payload. 0 or negative. */
static int copy_unaligned(struct perfdata_reader *r, u64 *pos, const void *record, size_t size, u64 left, struct errmsg *err)
{
	struct {
		struct perf_event_header header;
		u64 body;
	} head = {};
	u64 payload;

	if (size < sizeof(head.header) && !is_vouched_for(r, r->record_offset))
		return at_end(r, true);
	if (size < sizeof(head.header))
		return errmsg__set(err, EINVAL, "%s is damaged at offset 0x%llx: a record of %zu bytes", r->path,
				   (unsigned long long)r->record_offset, size);
	memcpy(&head, record, size < sizeof(head) ? size : sizeof(head));
	payload = payload_size_of(head.header.type, &head.body);
	if (payload > left - size)
		return at_end(r, true);
	if (!reader_chunks(r, err) || chunks__copy(r->chunks, record, size, *pos, err))
		return -ENOMEM;
	*pos += size + payload;
	return 0;
}

#define PREFETCH 2048 /* bytes: the headers of long records are too far apart for the CPU to see where the reader goes */
#define LINE_PAIR 128 /* CPUs fetch cache lines in pairs */

/* The headers of later records may be in any line. Of very long records only few lines are read: there it would be in vain. */
static void prefetch(const struct perf_event_header *header, u64 size)
{
	for (u64 at = 0; at < size && size < PREFETCH; at += LINE_PAIR)
		__builtin_prefetch((const char *)header + PREFETCH + at);
}

/* Returns 1; 0: the end, or an unaligned record was copied into the chunks. */
static int next_in_file(struct perfdata_reader *r, u64 *pos, const union perf_record **recordp, struct errmsg *err)
{
	u64 data_size = r->data_end - r->header.data.offset, left, size, payload;
	struct perf_event_header header;
	int ret;

	if (*pos > data_size)
		return errmsg__set(err, EINVAL, "There is no record at %llu", (unsigned long long)*pos);
	left = data_size - *pos;
	if (left < sizeof(header))
		return at_end(r, left || (r->chunks && chunks__is_torn(r->chunks)));
	r->record_offset = r->header.data.offset + *pos;
	*recordp = (const void *)(r->map + r->record_offset);
	memcpy(&header, *recordp, sizeof(header));
	size = header.size;
	if (size > left)
		return at_end(r, true);
	if (*pos % 8)
		return copy_unaligned(r, pos, *recordp, size, left, err);
	ret = check_record(r, *recordp, err);
	if (ret <= 0)
		return ret;
	payload = payload_size(*recordp);
	if (payload > left - size)
		return at_end(r, true);
	if (payload % 8)
		return damaged(r, r->record_offset, *recordp, err);
	prefetch(&(*recordp)->header, size);
	*pos += size + payload;
	return 1;
}

/* The short way for most records: samples that need no unpacking, copying or check. false: take the long one. */
static bool next_sample(struct perfdata_reader *r, u64 *pos, const union perf_record **recordp)
{
	u64 data_size = r->data_end - r->header.data.offset, at = *pos;
	const struct perf_event_header *header = (const void *)(r->map + r->header.data.offset + at);

	if (r->chunks || at % 8 || at >= data_size || data_size - at < sizeof(*header))
		return false;
	if (header->type != PERF_RECORD_SAMPLE || !header->size || header->size % 8 || header->size > data_size - at)
		return false;
	prefetch(header, header->size);
	r->record_offset = r->header.data.offset + at;
	*recordp = (const void *)header;
	*pos = at + header->size;
	return true;
}

int perfdata_reader__next(struct perfdata_reader *r, u64 *pos, const union perf_record **record, struct errmsg *err)
{
	if (next_sample(r, pos, record))
		return 1;
	for (;;) {
		int ret = next_in_chunks(r, record, err);
		u64 at = *pos;

		if (ret)
			return ret;
		ret = next_in_file(r, pos, record, err);
		if (ret <= 0 && *pos == at)
			file_map__check(r->file);
		if (ret || *pos == at)
			return ret;
	}
}

u64 perfdata_reader__record_offset(const struct perfdata_reader *r)
{
	return r->record_offset;
}

/* The pages stay in the page cache, but no longer count as this process's memory. */
void perfdata_reader__release(struct perfdata_reader *r, u64 pos)
{
	u64 end = (r->in_bundle + r->header.data.offset + pos) / RELEASE_STEP * RELEASE_STEP;

	if (r->chunks)
		chunks__release(r->chunks, pos);
	if (r->swapped) /* conversions would be lost */
		return;
	if (end <= r->released)
		return;
	madvise((void *)(r->map - r->in_bundle + r->released), end - r->released, MADV_DONTNEED);
	r->released = end;
}

bool perfdata_reader__is_full(const struct perfdata_reader *r, u64 order)
{
	const u64 held = r->chunks ? chunks__in_use(r->chunks) : 0;

	return held && held + order > MAX_HELD + MAX_HELD_RATIO * r->size;
}

void perfdata_reader__cut_round(struct perfdata_reader *r, bool was_ordered)
{
	chunks__release(r->chunks, UINT64_MAX);
	if (was_ordered && !r->has_cut_rounds)
		warn(r, "%s: compressed records between two rounds take more than %llu MiB: they were put in order piece by piece, and some may "
			"stand before or behind their time", r->path, (unsigned long long)(MAX_HELD + MAX_HELD_RATIO * r->size) >> 20);
	r->has_cut_rounds |= was_ordered;
}

const struct perfdata_event *perfdata_reader__events(const struct perfdata_reader *r, u32 *nr)
{
	*nr = r->nr_events;
	return r->events;
}

const struct perfdata_features *perfdata_reader__features(const struct perfdata_reader *r)
{
	return &r->features;
}

const char *perfdata_reader__warnings(const struct perfdata_reader *r)
{
	return r->warnings;
}

bool perfdata_reader__unfinished(const struct perfdata_reader *r)
{
	return r->unfinished && !r->is_cut;
}

bool perfdata_reader__damaged(const struct perfdata_reader *r)
{
	return r->damaged;
}

bool perfdata_reader__truncated(const struct perfdata_reader *r)
{
	return r->truncated && !r->is_cut;
}

u64 perfdata_reader__data_offset(const struct perfdata_reader *r)
{
	return r->header.data.offset;
}

u64 perfdata_reader__data_size(const struct perfdata_reader *r)
{
	return r->data_end - r->header.data.offset;
}

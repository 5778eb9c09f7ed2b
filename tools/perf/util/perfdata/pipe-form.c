// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/pipe-form.h"
#include "util/lib/array.h"
#include "util/perfdata/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/lib/printable.h"
#include "util/perfdata/attr.h"
#include "util/perfdata/file.h"
#include "util/perfdata/stacks-update.h"

struct reading {
	struct pipe_form *p;
	u64 record[65536 / sizeof(u64)]; /* a copy: records after compressed ones are not aligned */
	const u8 *payload;		 /* data after the record */
	u64 left;			 /* its size in bytes */
	u8 *build_ids;			 /* all BUILD_ID records, in the layout of a file's section */
	size_t build_ids_size;
};

static const struct perf_event_header *header_of(const struct reading *r)
{
	return (const void *)r->record;
}

static const u8 *body_of(const struct reading *r)
{
	return (const u8 *)r->record + sizeof(struct perf_event_header);
}

static int add_attr(struct reading *r)
{
	struct pipe_form *p = r->p;
	size_t room = header_of(r)->size - sizeof(struct perf_event_header), ids;
	struct perfdata_event event = {};
	u32 told;

	memcpy(&told, body_of(r) + offsetof(struct perf_event_attr, size), sizeof(told));
	if (perfdata_attr__from_file(&event.attr, body_of(r), room, &p->newer)) {
		errmsg__set(&p->left_out, EINVAL, "an event is left out, whose attr has %u bytes", told);
		return 0;
	}
	ids = room - (told ?: PERF_ATTR_SIZE_VER0);
	if (array__extend(p->events, p->nr_events))
		return -ENOMEM;
	event.nr_ids = ids / sizeof(u64);
	event.ids = malloc(ids + 1);
	if (!event.ids)
		return -ENOMEM;
	memcpy(event.ids, body_of(r) + room - ids, event.nr_ids * sizeof(u64));
	p->events[p->nr_events++] = event;
	return 0;
}

static struct perfdata_event *event_of_id(struct pipe_form *p, u64 id)
{
	for (u32 i = 0; i < p->nr_events; i++) {
		for (u32 n = 0; n < p->events[i].nr_ids; n++) {
			if (p->events[i].ids[n] == id)
				return &p->events[i];
		}
	}
	return NULL;
}

static int update_event(struct reading *r)
{
	const u64 *words = (const u64 *)body_of(r); /* what, id, then the name */
	const char *name = (const char *)(words + 2);
	struct perfdata_event *event;

	if (words[0] == EVENT_UPDATE_STACKS_)
		return stacks_update__add(&r->p->features.user_stacks, (const union perf_record *)r->record);
	if (words[0] != EVENT_UPDATE_NAME || !memchr(name, '\0', header_of(r)->size - (name - (const char *)r->record)))
		return 0;
	event = event_of_id(r->p, words[1]);
	if (!event)
		return 0;
	free(event->name);
	event->name = strdup(name);
	if (!event->name)
		return -ENOMEM;
	printable__clean(event->name);
	return 0;
}

static int decode(struct pipe_form *p, u64 feature, const void *body, size_t size)
{
	int ret;

	/* an empty one ends the features, with a number that later perfs use for a feature */
	if (!size || feature >= HEADER_FEAT_BITS || perfdata_features__has(&p->features, feature))
		return 0;
	ret = perfdata_features__decode(&p->features, feature, body, size, p->swap, &p->left_out);
	return ret == -ENOMEM ? ret : 0;
}

static int add_feature(struct reading *r)
{
	const u64 *number = (const u64 *)body_of(r);

	return decode(r->p, *number, number + 1, header_of(r)->size - sizeof(struct perf_event_header) - sizeof(*number));
}

static int add_tracing(struct reading *r)
{
	u32 size;

	memcpy(&size, body_of(r), sizeof(size));
	return size <= r->left ? decode(r->p, HEADER_TRACING_DATA, r->payload, size) : 0;
}

static int add_build_id(struct reading *r)
{
	size_t size = header_of(r)->size;
	u8 *more = realloc(r->build_ids, r->build_ids_size + size);

	if (!more)
		return -ENOMEM;
	memcpy(more + r->build_ids_size, r->record, size);
	r->build_ids = more;
	r->build_ids_size += size;
	return 0;
}

static const struct {
	u32 type;
	int (*add)(struct reading *r);
} adders[] = {
	{ PERF_RECORD_HEADER_ATTR, add_attr },
	{ PERF_RECORD_EVENT_UPDATE, update_event },
	{ PERF_RECORD_HEADER_FEATURE, add_feature },
	{ PERF_RECORD_HEADER_TRACING_DATA, add_tracing },
	{ PERF_RECORD_HEADER_BUILD_ID, add_build_id },
};

static int add_record(struct reading *r)
{
	if (perf_record__check((const void *)r->record))
		return 0; /* the reader of the records reports it */
	for (size_t i = 0; i < ARRAY_SIZE(adders); i++) {
		if (adders[i].type == header_of(r)->type)
			return adders[i].add(r);
	}
	return 0;
}

static u64 payload_size(const struct reading *r)
{
	u64 size64;
	u32 size32;

	memcpy(&size64, body_of(r), sizeof(size64));
	memcpy(&size32, body_of(r), sizeof(size32));
	switch (header_of(r)->type) {
	case PERF_RECORD_AUXTRACE:
		return size64;
	case PERF_RECORD_HEADER_TRACING_DATA:
		return ALIGN_UP((u64)size32, 8);
	}
	return 0;
}

static int read_records(struct reading *r, const u8 *at, u64 left)
{
	while (left >= sizeof(struct perf_event_header)) {
		struct perf_event_header header;
		u64 payload;
		int ret;

		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header) || header.size > left)
			return 0;
		at += header.size;
		left -= header.size;
		if (header.type < PERF_RECORD_HEADER_ATTR)
			continue;
		memcpy(r->record, at - header.size, header.size);
		r->payload = at;
		r->left = left;
		ret = add_record(r);
		if (ret)
			return ret;
		payload = payload_size(r);
		if (payload > left)
			return 0;
		at += payload;
		left -= payload;
	}
	return 0;
}

int pipe_form__read(struct pipe_form *p, const void *data, u64 size)
{
	struct reading *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return -ENOMEM;
	r->p = p;
	ret = read_records(r, data, size);
	if (!ret && r->build_ids)
		ret = decode(p, HEADER_BUILD_ID, r->build_ids, r->build_ids_size);
	free(r->build_ids);
	free(r);
	return ret;
}

#define MAGIC_SIZE 8

/* Of a recording of either byte order, or a bundle */
static bool may_begin_so(const u8 *magic)
{
	return !memcmp(magic, PERFDATA_MAGIC, MAGIC_SIZE) || !memcmp(magic, PERFDATA_SWAPPED_MAGIC, MAGIC_SIZE) ||
	       !memcmp(magic, "perf.data", MAGIC_SIZE);
}

/* Of what is no recording only as much as shows that: it may be without an end. */
static int copy_all(int from, int to, struct errmsg *err)
{
	static const size_t room = 1 << 20;
	u8 *buf = malloc(room);
	size_t held = 0; /* in buf: until the magic is whole */
	bool known = false;
	ssize_t nr;
	int ret = 0;

	if (!buf)
		return errmsg__set(err, ENOMEM, "Out of memory");
	while (!ret && (nr = read(from, buf + held, room - held)) != 0) {
		if (nr < 0 && errno != EINTR)
			ret = errmsg__set(err, errno, "Cannot read the standard input: %m");
		if (nr < 0)
			continue;
		held += nr;
		if (!known && held < MAGIC_SIZE)
			continue;
		ret = spool__write(to, buf, held, err);
		if (!known && !may_begin_so(buf))
			break;
		known = true;
		held = 0;
	}
	if (!ret && held && !known)
		ret = spool__write(to, buf, held, err);
	free(buf);
	return ret;
}

int pipe_form__spool(int fd, struct errmsg *err)
{
	int to = spool__open(err), ret;

	if (to < 0)
		return to;
	ret = copy_all(fd, to, err);
	if (!ret)
		return to;
	close(to);
	return ret;
}

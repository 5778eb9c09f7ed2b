// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/chunks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define FIRST_ROOM (64 << 10)
#define PIECE (1 << 20) /* unpack this much at a time; the rest waits until the records were taken */
/*
 * Limit of the ratio: a few hostile bytes could unpack to gigabytes, and keep readers busy for hours. Records of rings shrink to a
 * tenth, identical stacks to a three-hundredth.
 */
#define MAX_UNPACKED (256ULL << 20)
#define MAX_RATIO 1000

struct chunk {
	struct chunk *next; /* the chunk that was unpacked next */
	u64 pos;
	size_t size, at;    /* bytes of records, and how many of them were taken */
	bool in_stream;	    /* unpacked by zstd */
	u64 data[];	    /* aligned for records */
};

struct chunks {
	ZSTD_DStream *stream;
	struct chunk *first, *last;
	struct chunk *torn; /* the last chunk if it ends within a record, which continues in the next compressed record */
	ZSTD_inBuffer in;   /* of the compressed record */
	u64 pos;	    /* its position */
	bool more;	    /* it, or zstd's buffer, may have more data */
	u64 in_use;	    /* bytes in chunks that were unpacked */
	u64 unpacked;	    /* bytes so far */
};

struct chunks *chunks__new(void)
{
	struct chunks *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->stream = ZSTD_createDStream();
	if (!c->stream || ZSTD_isError(ZSTD_initDStream(c->stream))) {
		chunks__delete(c);
		return NULL;
	}
	return c;
}

void chunks__delete(struct chunks *c)
{
	if (!c)
		return;
	while (c->first) {
		struct chunk *next = c->first->next;

		free(c->first);
		c->first = next;
	}
	ZSTD_freeDStream(c->stream);
	free(c);
}

static u8 *bytes(struct chunk *chunk)
{
	return (u8 *)chunk->data;
}

static struct chunk *resize(struct chunk *chunk, u64 room)
{
	return realloc(chunk, sizeof(*chunk) + room);
}

static void append(struct chunks *c, struct chunk *chunk)
{
	if (c->last)
		c->last->next = chunk;
	else
		c->first = chunk;
	c->last = chunk;
}

/* Start a chunk with the beginning of the torn record. */
static struct chunk *begin_chunk(struct chunks *c, u64 room)
{
	size_t left = c->torn ? c->torn->size - c->torn->at : 0;
	struct chunk *chunk = resize(NULL, room + left);

	if (!chunk)
		return NULL;
	*chunk = (struct chunk){ .pos = c->pos, .size = left, .in_stream = true };
	if (left)
		memcpy(bytes(chunk), bytes(c->torn) + c->torn->at, left);
	return chunk;
}

static int no_room(struct errmsg *err)
{
	return errmsg__set(err, ENOMEM, "out of memory for compressed records");
}

static int too_much(u64 max, struct errmsg *err)
{
	return errmsg__set(err, EINVAL, "compressed records unpack to more than %llu MiB, which no recording does",
			   (unsigned long long)max >> 20);
}

/* Find the next record after those in the chunk. */
static int unpack(struct chunks *c, struct chunk **chunk, u64 room, struct errmsg *err)
{
	bool full = true;

	while (c->in.pos < c->in.size || full) {
		ZSTD_outBuffer out;
		size_t ret;

		if ((*chunk)->size == room) {
			struct chunk *larger;

			if (room >= PIECE)
				break;
			larger = resize(*chunk, room * 2);
			if (!larger)
				return no_room(err);
			*chunk = larger;
			room *= 2;
		}
		out = (ZSTD_outBuffer){ .dst = bytes(*chunk), .size = room, .pos = (*chunk)->size };
		ret = ZSTD_decompressStream(c->stream, &out, &c->in);
		if (ZSTD_isError(ret))
			return errmsg__set(err, EINVAL, "compressed records cannot be unpacked: %s", ZSTD_getErrorName(ret));
		(*chunk)->size = out.pos;
		full = out.pos == out.size; /* then zstd may hold more */
	}
	c->more = c->in.pos < c->in.size || full;
	return 0;
}

int chunks__more(struct chunks *c, struct errmsg *err)
{
	const u64 max = MAX_UNPACKED + MAX_RATIO * (c->pos + c->in.size);
	struct chunk *chunk, *exact;
	int ret;

	if (!c->more)
		return 0;
	chunk = begin_chunk(c, FIRST_ROOM);
	if (!chunk)
		return no_room(err);
	c->unpacked -= chunk->size; /* these bytes were counted before */
	ret = unpack(c, &chunk, FIRST_ROOM + chunk->size, err);
	c->unpacked += chunk->size;
	if (!ret && c->unpacked > max)
		ret = too_much(max, err);
	if (ret) {
		free(chunk);
		return ret;
	}
	c->in_use += chunk->size;
	exact = resize(chunk, chunk->size);
	append(c, exact ?: chunk);
	c->torn = c->last;
	return 1;
}

int chunks__decompress(struct chunks *c, const void *data, size_t size, u64 pos, struct errmsg *err)
{
	int ret;

	c->in = (ZSTD_inBuffer){ .src = data, .size = size };
	c->pos = pos;
	c->more = true;
	ret = chunks__more(c, err);
	return ret < 0 ? ret : 0;
}

int chunks__restart(struct chunks *c, struct errmsg *err)
{
	c->torn = NULL;
	if (ZSTD_isError(ZSTD_DCtx_reset(c->stream, ZSTD_reset_session_only)))
		return errmsg__set(err, EINVAL, "compressed records cannot be unpacked");
	return 0;
}

int chunks__copy(struct chunks *c, const void *record, size_t size, u64 pos, struct errmsg *err)
{
	struct chunk *chunk = resize(NULL, size);

	if (!chunk)
		return no_room(err);
	*chunk = (struct chunk){ .pos = pos, .size = size };
	memcpy(bytes(chunk), record, size);
	append(c, chunk);
	return 0;
}

const union perf_record *chunks__next(struct chunks *c, bool *in_stream)
{
	struct chunk *chunk = c->last;
	const union perf_record *record;
	size_t left;

	if (!chunk)
		return NULL;
	record = (const void *)(bytes(chunk) + chunk->at);
	left = chunk->size - chunk->at;
	if (left < sizeof(record->header) || record->header.size > left)
		return NULL;
	*in_stream = chunk->in_stream;
	/* The caller detects impossible sizes. */
	chunk->at = record->header.size < sizeof(record->header) || record->header.size % 8 ? chunk->size :
		    chunk->at + record->header.size;
	return record;
}

bool chunks__is_torn(const struct chunks *c)
{
	return c->torn && c->torn->at < c->torn->size;
}

u64 chunks__in_use(const struct chunks *c)
{
	return c->in_use;
}

void chunks__release(struct chunks *c, u64 pos)
{
	while (c->first && c->first != c->last && c->first != c->torn && c->first->pos < pos) {
		struct chunk *next = c->first->next;

		if (c->first->in_stream)
			c->in_use -= c->first->size;
		free(c->first);
		c->first = next;
	}
}

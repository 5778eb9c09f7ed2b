// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "util/perfdata/record.h"

/* A frame that readers skip (zstd's format, "Skippable Frames") pads a record to a multiple of 8 bytes. */
#define SKIPPABLE_MAGIC 0x184d2a50
#define SKIPPABLE_HEADER 8
#define MAX_FRAME ((UINT16_MAX & ~7) - sizeof(struct perf_event_header) - SKIPPABLE_HEADER - 7)

struct packed {
	struct perf_event_header header;
	u8 frames[UINT16_MAX];
};

/* Length of as many whole records as fit into limit, but at least one. */
static size_t take_records(const char *records, size_t size, size_t limit)
{
	size_t taken = 0, next;

	while (taken < size) {
		next = ((const struct perf_event_header *)(records + taken))->size;
		if (taken && taken + next > limit)
			break;
		taken += next;
	}
	return taken;
}

static void pad(struct packed *packed, size_t *len)
{
	size_t rest = (*len + sizeof(packed->header)) % 8;
	u32 frame[] = { SKIPPABLE_MAGIC, 8 - rest };

	if (!rest)
		return;
	memcpy(packed->frames + *len, frame, sizeof(frame));
	memset(packed->frames + *len + sizeof(frame), 0, frame[1]);
	*len += sizeof(frame) + frame[1];
}

/* Returns how many bytes of records were packed; 0: they did not get smaller, even alone. */
static size_t pack(ZSTD_CCtx *zstd, int level, const char *records, size_t size, struct packed *packed)
{
	size_t limit = COMPRESS_UNPACKED, taken, len;

	for (;;) {
		taken = take_records(records, size, limit);
		len = ZSTD_compressCCtx(zstd, packed->frames, MAX_FRAME, records, taken, level);
		if (!ZSTD_isError(len))
			break;
		if (taken <= ((const struct perf_event_header *)records)->size)
			return 0;
		limit = taken / 2; /* the output is full */
	}
	pad(packed, &len);
	packed->header = (struct perf_event_header){ .type = PERF_RECORD_COMPRESSED, .size = sizeof(packed->header) + len };
	return packed->header.size < taken ? taken : 0;
}

int records__compress(const void *records, size_t size, int level,
		      int (*write)(void *data, const void *records, size_t size), void *data)
{
	struct packed *packed = malloc(sizeof(*packed));
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	const char *at = records, *end = at + size;
	int ret = packed && zstd ? 0 : -ENOMEM;

	while (at < end && ret >= 0) {
		size_t taken = pack(zstd, level, at, end - at, packed);

		if (taken) {
			ret = write(data, packed, packed->header.size);
		} else {
			taken = take_records(at, end - at, 0);
			ret = write(data, at, taken);
		}
		at += taken;
	}
	ZSTD_freeCCtx(zstd);
	free(packed);
	return ret < 0 ? ret : 0;
}

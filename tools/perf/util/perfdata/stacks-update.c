// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/stacks-update.h"

#include <byteswap.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "stacks", and the size of the record that ends here */
struct tail {
	char mark[6];
	u16 size;
};

static const char mark[6] = "stacks";

/* Bytes of a record without its text */
#define FIXED (sizeof(struct record_event_update) + sizeof(struct tail))
#define MAX_SIZE (UINT16_MAX & ~7U)
/* Limits what a hostile file costs: later texts are left out. */
#define MAX_TEXT (16 << 10)

size_t stacks_update__encode(union perf_record *buf, u64 id, const char *text)
{
	size_t len = strlen(text), size = ALIGN_UP(FIXED + len + 1, 8);
	struct record_event_update *update = &buf->event_update;
	struct tail tail;

	if (size > MAX_SIZE)
		return 0;
	memset(buf, 0, size);
	update->header = (struct perf_event_header){ .type = PERF_RECORD_EVENT_UPDATE, .size = size };
	update->what = EVENT_UPDATE_STACKS_;
	update->id = id;
	memcpy(update->data, text, len);
	memcpy(tail.mark, mark, sizeof(mark));
	tail.size = size;
	memcpy((char *)buf + size - sizeof(tail), &tail, sizeof(tail));
	return size;
}

/* The text of a record of this size, as it is in the file: perhaps not aligned. NULL: it is another record. */
static const char *text_of(const void *record, u16 size, bool swap)
{
	struct record_event_update update;
	const char *text = (const char *)record + sizeof(update);

	memcpy(&update, record, sizeof(update));
	if (swap) {
		update.header.type = bswap_32(update.header.type);
		update.header.size = bswap_16(update.header.size);
		update.what = bswap_64(update.what);
	}
	if (update.header.type != PERF_RECORD_EVENT_UPDATE || update.header.size != size || update.what != EVENT_UPDATE_STACKS_)
		return NULL;
	return memchr(text, '\0', size - FIXED) ? text : NULL;
}

/* The size of the record at the end, or 0 if it cannot be one of ours */
static u16 size_at_end(const char *end, u64 left, bool swap)
{
	struct tail tail;

	if (left < FIXED + 1)
		return 0;
	memcpy(&tail, end - sizeof(tail), sizeof(tail));
	if (memcmp(tail.mark, mark, sizeof(mark)))
		return 0;
	if (swap)
		tail.size = bswap_16(tail.size);
	return tail.size > FIXED && tail.size <= left ? tail.size : 0;
}

/* *text becomes a, a newline and b; either may be NULL. */
static int join(char **text, const char *a, const char *b)
{
	char *joined;

	if (strlen(a ?: "") + strlen(b ?: "") > MAX_TEXT)
		return -E2BIG;
	if (asprintf(&joined, "%s%s%s", a ?: "", a && b ? "\n" : "", b ?: "") < 0)
		return -ENOMEM;
	free(*text);
	*text = joined;
	return 0;
}

int stacks_update__find(const void *records, u64 size, bool swap, char **text)
{
	const char *end = (const char *)records + size, *line;
	int ret = 0;
	u16 last;

	*text = NULL;
	while (!ret && (last = size_at_end(end, size, swap)) && (line = text_of(end - last, last, swap))) {
		ret = join(text, line, *text);
		end -= last;
		size -= last;
	}
	return ret == -E2BIG ? 0 : ret;
}

int stacks_update__add(char **text, const union perf_record *record)
{
	const char *line = record->header.size > FIXED ? text_of(record, record->header.size, false) : NULL;

	int ret = line ? join(text, *text, line) : 0;

	return ret == -E2BIG ? 0 : ret;
}

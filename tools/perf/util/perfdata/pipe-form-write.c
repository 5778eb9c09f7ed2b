// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/pipe-form.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/text.h"
#include "util/perfdata/attr.h"
#include "util/perfdata/file.h"

static void put_header(FILE *out, u32 type, size_t body, size_t max, int *ret)
{
	const struct perf_event_header header = { .type = type, .size = sizeof(header) + body };

	if (sizeof(header) + body > max)
		*ret = -E2BIG;
	fwrite(&header, 1, sizeof(header), out);
}

static void put_padded(FILE *out, const void *data, size_t size)
{
	static const char zeros[8];

	fwrite(data, 1, size, out);
	fwrite(zeros, 1, ALIGN_UP(size, 8) - size, out);
}

static void put_event(FILE *out, const struct perfdata_event *event, size_t attr_size, int *ret)
{
	const struct perf_event_attr attr = perfdata_attr__for_file(&event->attr, attr_size);
	size_t ids = event->nr_ids * sizeof(u64);

	put_header(out, PERF_RECORD_HEADER_ATTR, attr_size + ids, UINT16_MAX, ret);
	fwrite(&attr, 1, attr_size, out);
	fwrite(event->ids, 1, ids, out);
}

static void put_name(FILE *out, const struct perfdata_event *event, int *ret)
{
	const u64 words[] = { EVENT_UPDATE_NAME, event->nr_ids ? event->ids[0] : 0 };
	size_t len;

	if (!event->name)
		return;
	len = strlen(event->name) + 1;
	put_header(out, PERF_RECORD_EVENT_UPDATE, sizeof(words) + ALIGN_UP(len, 8), UINT16_MAX, ret);
	fwrite(words, 1, sizeof(words), out);
	put_padded(out, event->name, len);
}

/* Returns what was written; the caller frees *image. */
static int finish(FILE *out, int ret, void **image)
{
	ret = text__close_stream(out, (char **)image) ?: ret;
	if (ret)
		free(*image);
	return ret;
}

int pipe_form__head(const struct perfdata_event *events, u32 nr, void **image, size_t *size)
{
	const u64 header_size = PIPE_HEADER_SIZE;
	size_t attr_size = perfdata_attr__file_size(events, nr);
	FILE *out = open_memstream((char **)image, size);
	int ret = 0;

	if (!out)
		return -ENOMEM;
	fwrite(PERFDATA_MAGIC, 1, strlen(PERFDATA_MAGIC), out);
	fwrite(&header_size, 1, sizeof(header_size), out);
	for (u32 i = 0; i < nr; i++)
		put_event(out, &events[i], attr_size, &ret);
	for (u32 i = 0; i < nr; i++)
		put_name(out, &events[i], &ret);
	return finish(out, ret, image);
}

/* Formats of tracepoints may exceed the size of a record, so they follow theirs. */
static void put_tracing(FILE *out, const void *body, size_t size, int *ret)
{
	const u32 words[] = { ALIGN_UP(size, 8), 0 };

	put_header(out, PERF_RECORD_HEADER_TRACING_DATA, sizeof(words), UINT16_MAX, ret);
	fwrite(words, 1, sizeof(words), out);
	put_padded(out, body, size);
}

int pipe_form__feature(int feature, const void *body, size_t size, void **image, size_t *image_size)
{
	FILE *out = open_memstream((char **)image, image_size);
	const u64 number = feature;
	int ret = 0;

	if (!out)
		return -ENOMEM;
	if (feature == HEADER_TRACING_DATA) {
		put_tracing(out, body, size, &ret);
	} else {
		/* Not padded: readers take the rest of the record as the section, so the next record is unaligned. */
		put_header(out, PERF_RECORD_HEADER_FEATURE, sizeof(number) + size, UINT16_MAX, &ret);
		fwrite(&number, 1, sizeof(number), out);
		fwrite(body, 1, size, out);
	}
	return finish(out, ret, image);
}

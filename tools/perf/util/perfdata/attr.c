// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include "util/perfdata/attr.h"

static bool is_zero(const void *p, size_t size)
{
	const u8 *byte = p;

	while (size && !*byte)
		byte++, size--;
	return !size;
}

static bool all_fit(const struct perfdata_event *events, u32 nr, size_t size)
{
	for (u32 i = 0; i < nr; i++) {
		if (!is_zero((const u8 *)&events[i].attr + size, sizeof(events[i].attr) - size))
			return false;
	}
	return true;
}

size_t perfdata_attr__file_size(const struct perfdata_event *events, u32 nr)
{
	/* Sizes that perf since 4.x and 5.x, including 6.1, accepts; struct perf_event_attr grows at its end only. */
	static const size_t sizes[] = { PERF_ATTR_SIZE_VER5, PERF_ATTR_SIZE_VER6, PERF_ATTR_SIZE_VER7 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (all_fit(events, nr, sizes[i]))
			return sizes[i];
	}
	return sizeof(struct perf_event_attr);
}

struct perf_event_attr perfdata_attr__for_file(const struct perf_event_attr *attr, size_t size)
{
	struct perf_event_attr copy = *attr;

	copy.size = size;
	return copy;
}

int perfdata_attr__from_file(struct perf_event_attr *attr, const void *src, size_t room, bool *newer)
{
	size_t size, known;
	u32 stored;

	if (room < PERF_ATTR_SIZE_VER0)
		return -EINVAL;
	memcpy(&stored, (const u8 *)src + offsetof(struct perf_event_attr, size), sizeof(stored));
	size = stored ?: PERF_ATTR_SIZE_VER0; /* the first versions wrote 0 */
	if (size < PERF_ATTR_SIZE_VER0 || size > room)
		return -EINVAL;
	known = size < sizeof(*attr) ? size : sizeof(*attr);
	memset(attr, 0, sizeof(*attr));
	memcpy(attr, src, known);
	attr->size = size;
	if (!is_zero((const u8 *)src + known, size - known))
		*newer = true;
	return 0;
}

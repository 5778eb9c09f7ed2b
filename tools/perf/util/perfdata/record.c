// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "util/perfdata/record.h"

/* The layout of one type. Offsets start at the header; 0: the type has no such part. */
struct record_shape {
	const char *name;
	u16 min;	/* size of the fixed members, header included */
	u16 string;	/* where a string starts that must end inside the record */
	u16 count;	/* offset of the u64 count of entries; the entries start at min */
	u16 entry;	/* bytes of one entry */
};

#define SHAPE(type, n, bytes) [PERF_RECORD_##type] = { .name = (n), .min = (bytes) }
#define SHAPE_STRING(type, n, at) [PERF_RECORD_##type] = { .name = (n), .min = (at), .string = (at) }
#define SHAPE_ENTRIES(type, n, bytes, at, each) \
	[PERF_RECORD_##type] = { .name = (n), .min = (bytes), .count = (at), .entry = (each) }

/* Size of the members before the bytes, and of the least padding. */
#define TEXT_POKE_MIN 24

/*
 * Sizes without a struct in record.h: types below 64 from the comments of enum perf_event_type in
 * include/uapi/linux/perf_event.h, the others from Documentation/perf.data-format.txt.
 */
static const struct record_shape shapes[PERF_RECORD_USER_MAX] = {
	SHAPE_STRING(MMAP, "MMAP", offsetof(struct record_mmap, filename)),
	SHAPE(LOST, "LOST", sizeof(struct record_lost)),
	SHAPE_STRING(COMM, "COMM", offsetof(struct record_comm, comm)),
	SHAPE(EXIT, "EXIT", sizeof(struct record_fork)),
	SHAPE(THROTTLE, "THROTTLE", sizeof(struct record_throttle)),
	SHAPE(UNTHROTTLE, "UNTHROTTLE", sizeof(struct record_throttle)),
	SHAPE(FORK, "FORK", sizeof(struct record_fork)),
	SHAPE(READ, "READ", sizeof(struct record_read)),
	SHAPE(SAMPLE, "SAMPLE", 8),
	SHAPE_STRING(MMAP2, "MMAP2", offsetof(struct record_mmap2, filename)),
	SHAPE(AUX, "AUX", sizeof(struct record_aux)),
	SHAPE(ITRACE_START, "ITRACE_START", sizeof(struct record_itrace_start)),
	SHAPE(LOST_SAMPLES, "LOST_SAMPLES", sizeof(struct record_lost_samples)),
	SHAPE(SWITCH, "SWITCH", 8),
	SHAPE(SWITCH_CPU_WIDE, "SWITCH_CPU_WIDE", sizeof(struct record_switch)),
	SHAPE_ENTRIES(NAMESPACES, "NAMESPACES", sizeof(struct record_namespaces), offsetof(struct record_namespaces, nr), 16),
	SHAPE_STRING(KSYMBOL, "KSYMBOL", offsetof(struct record_ksymbol, name)),
	SHAPE(BPF_EVENT, "BPF_EVENT", sizeof(struct record_bpf_event)),
	SHAPE_STRING(CGROUP, "CGROUP", offsetof(struct record_cgroup, path)),
	SHAPE(TEXT_POKE, "TEXT_POKE", TEXT_POKE_MIN),
	SHAPE(AUX_OUTPUT_HW_ID, "AUX_OUTPUT_HW_ID", sizeof(struct record_aux_output_hw_id)),
	SHAPE_ENTRIES(CALLCHAIN_DEFERRED_, "CALLCHAIN_DEFERRED", sizeof(struct record_callchain_deferred),
		      offsetof(struct record_callchain_deferred, nr), 8),
	SHAPE(HEADER_ATTR, "ATTR", 8 + PERF_ATTR_SIZE_VER0),
	SHAPE(HEADER_EVENT_TYPE, "EVENT_TYPE", 8),
	SHAPE(HEADER_TRACING_DATA, "TRACING_DATA", 16),
	SHAPE(HEADER_BUILD_ID, "BUILD_ID", 36),
	SHAPE(FINISHED_ROUND, "FINISHED_ROUND", 8),
	SHAPE_ENTRIES(ID_INDEX, "ID_INDEX", sizeof(struct record_id_index), offsetof(struct record_id_index, nr), 32),
	SHAPE(AUXTRACE_INFO, "AUXTRACE_INFO", 16),
	SHAPE(AUXTRACE, "AUXTRACE", 48),
	SHAPE(AUXTRACE_ERROR, "AUXTRACE_ERROR", 40),
	SHAPE_ENTRIES(THREAD_MAP, "THREAD_MAP", sizeof(struct record_thread_map), offsetof(struct record_thread_map, nr), 24),
	SHAPE(CPU_MAP, "CPU_MAP", 16),
	SHAPE_ENTRIES(STAT_CONFIG, "STAT_CONFIG", 16, 8, 16),
	SHAPE(STAT, "STAT", 48),
	SHAPE(STAT_ROUND, "STAT_ROUND", 24),
	SHAPE(EVENT_UPDATE, "EVENT_UPDATE", 24),
	SHAPE(TIME_CONV, "TIME_CONV", 32),
	SHAPE(HEADER_FEATURE, "FEATURE", 16),
	SHAPE(COMPRESSED, "COMPRESSED", 8),
	SHAPE(FINISHED_INIT, "FINISHED_INIT", 8),
	SHAPE(COMPRESSED2, "COMPRESSED2", 16),
	SHAPE(BPF_METADATA, "BPF_METADATA", 32),
	SHAPE(SCHEDSTAT_CPU, "SCHEDSTAT_CPU", 16),
	SHAPE(SCHEDSTAT_DOMAIN, "SCHEDSTAT_DOMAIN", 16),
};

const char *perf_record__type_name(u32 type)
{
	return type < ARRAY_SIZE(shapes) ? shapes[type].name : NULL;
}

static bool entries_fit(const union perf_record *record, const struct record_shape *shape)
{
	u64 nr;

	memcpy(&nr, (const char *)record + shape->count, sizeof(nr));
	return nr <= (u64)(record->header.size - shape->min) / shape->entry;
}

static bool string_ends(const union perf_record *record, const struct record_shape *shape)
{
	return memchr((const char *)record + shape->string, '\0', record->header.size - shape->string);
}

static bool build_id_fits(const struct record_mmap2 *mmap2)
{
	return !(mmap2->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) || mmap2->build_id_size <= sizeof(mmap2->build_id);
}

static bool code_fits(const struct record_text_poke *poke)
{
	size_t fixed = offsetof(struct record_text_poke, bytes);

	return (size_t)poke->old_len + poke->new_len <= poke->header.size - fixed;
}

int perf_record__check(const union perf_record *record)
{
	u32 type = record->header.type;
	const struct record_shape *shape;

	if (record->header.size < sizeof(record->header))
		return -EINVAL;
	if (!perf_record__type_name(type))
		return 0;
	shape = &shapes[type];
	if (record->header.size < shape->min)
		return -EINVAL;
	if (shape->string && !string_ends(record, shape))
		return -EINVAL;
	if (shape->entry && !entries_fit(record, shape))
		return -EINVAL;
	if (type == PERF_RECORD_MMAP2 && !build_id_fits(&record->mmap2))
		return -EINVAL;
	if (type == PERF_RECORD_TEXT_POKE && !code_fits(&record->text_poke))
		return -EINVAL;
	return 0;
}

static size_t padded(size_t size)
{
	return (size + 7) & ~7ul;
}

size_t perf_record__used_size(const union perf_record *record, size_t tail)
{
	const size_t size = record->header.size;
	size_t used = tail;

	if (record->header.type == PERF_RECORD_KSYMBOL)
		used += offsetof(struct record_ksymbol, name) + padded(strlen(record->ksymbol.name) + 1);
	else if (record->header.type == PERF_RECORD_BPF_EVENT)
		used += sizeof(struct record_bpf_event);
	else
		return size;
	return used < size ? used : size;
}

size_t records__whole(const void *records, size_t size)
{
	size_t at = 0, next;

	while (size - at >= sizeof(struct perf_event_header)) {
		next = ((const struct perf_event_header *)((const char *)records + at))->size;
		if (next < sizeof(struct perf_event_header) || next % 8 || next > size - at)
			break;
		at += next;
	}
	return at;
}

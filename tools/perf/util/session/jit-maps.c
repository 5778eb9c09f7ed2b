// SPDX-License-Identifier: GPL-2.0
#include "util/session/jit-maps.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "util/lib/arena.h"
#include "util/lib/array.h"
#include "util/lib/hash.h"
#include "util/lib/printable.h"
#include "util/machine/dso.h"
#include "util/symbol/jitdump.h"

#define MAX_NAME 2048 /* bytes of a path: a record must fit into the arena */
#define MAX_BEFORE_CODE 60000000000ULL /* ns from the beginning of a file to its first code */
#define MAX_BEFORE_MAP 1000000000ULL   /* ns between the two times of a map by the same clock */
#define MAX_NOTES 4   /* of files; others are alike */

struct known_dump {
	UT_hash_handle hh;
	u32 pid;
	char path[];
};

struct code_list { /* by time */
	struct order_item *item;
	size_t nr, alloc;
};

struct jit_maps {
	const struct session_events *events;
	const struct file_places *places;
	const struct perfdata_features *features;
	struct arena records;
	struct known_dump *known;
	struct code_list waiting;
	size_t nr_taken; /* of those that wait */
	char *notes;
	u32 nr_notes;
};

struct jit_maps *jit_maps__new(const struct session_events *events, const struct file_places *places, const struct perfdata_features *features)
{
	struct jit_maps *jit = calloc(1, sizeof(*jit));

	if (jit)
		*jit = (struct jit_maps){ .events = events, .places = places, .features = features };
	return jit;
}

void jit_maps__delete(struct jit_maps *jit)
{
	struct known_dump *known, *next;

	if (!jit)
		return;
	HASH_ITER(hh, jit->known, known, next) {
		HASH_DEL(jit->known, known);
		free(known);
	}
	arena__exit(&jit->records);
	free(jit->waiting.item);
	free(jit->notes);
	free(jit);
}

__attribute__((format(printf, 2, 3))) static void jit_maps__add_note(struct jit_maps *jit, const char *fmt, ...)
{
	struct errmsg line = {};
	va_list args;
	char *all;

	if (jit->nr_notes++ >= MAX_NOTES)
		return;
	va_start(args, fmt);
	vsnprintf(line.text, sizeof(line.text), fmt, args);
	va_end(args);
	printable__clean(line.text);
	if (asprintf(&all, "%s%s%s", jit->notes ?: "", jit->notes ? "\n" : "", line.text) < 0)
		return;
	free(jit->notes);
	jit->notes = all;
}

const char *jit_maps__notes(const struct jit_maps *jit)
{
	return jit->notes;
}

struct marker { /* the map of the file itself */
	u32 pid, tid;
	u64 ino; /* 0: unknown */
	u64 time; /* 0: from before the recording */
	const char *path;
};

static bool is_executable(const union perf_record *record)
{
	return record->header.type == PERF_RECORD_MMAP2 ? record->mmap2.prot & PROT_EXEC : !(record->header.misc & PERF_RECORD_MISC_MMAP_DATA);
}

static const char *path_of(const union perf_record *record)
{
	const char *path = record->header.type == PERF_RECORD_MMAP2 ? record->mmap2.filename : record->mmap.filename;
	size_t before = path - (const char *)record;

	return record->header.size > before && memchr(path, '\0', record->header.size - before) ? path : NULL;
}

static bool marker__init(struct marker *marker, const struct order_item *item)
{
	const union perf_record *record = item->record;

	if ((record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER || !is_executable(record))
		return false;
	*marker = (struct marker){ .pid = record->mmap2.pid, .tid = record->mmap2.tid, .time = item->time,
				   .path = path_of(record) };
	if (marker->time == UINT64_MAX)
		marker->time = 0;
	if (record->header.type == PERF_RECORD_MMAP2 && !(record->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		marker->ino = record->mmap2.ino;
	return marker->path && strlen(marker->path) < MAX_NAME && dso_name__is_jitdump(marker->path);
}

/* 1: it is new; 0: it was read; -ENOMEM. */
static int jit_maps__know(struct jit_maps *jit, const struct marker *marker)
{
	size_t size = sizeof(struct known_dump) + strlen(marker->path) + 1, key_size = size - offsetof(struct known_dump, pid);
	struct known_dump *known = calloc(1, size), *other;

	if (!known)
		return -ENOMEM;
	known->pid = marker->pid;
	strcpy(known->path, marker->path);
	HASH_FIND(hh, jit->known, &known->pid, key_size, other);
	if (other) {
		free(known);
		return 0;
	}
	HASH_ADD(hh, jit->known, pid, key_size, known);
	if (hash_added(known))
		return 1;
	free(known);
	return -ENOMEM;
}

struct loading { /* one file */
	struct jit_maps *jit;
	const struct marker *marker;
	struct jitdump_head head;
	struct elf_budget budget;
	struct code_list codes;
	bool is_started, is_related; /* shift is known */
	u64 time; /* of the last code */
	u64 shift;	 /* from times in the file to those of the recording */
	bool is_elsewhere; /* the process is in another time namespace: not related */
};

/* When the file was mapped, by its own clock: when it was made, or, as Node.js writes another clock's time there, just before its first code. */
static u64 time_of_map(const struct loading *l, const struct jit_code *first)
{
	u64 made = l->head.time;

	return made <= first->time && first->time - made <= MAX_BEFORE_CODE ? made : first->time;
}

/* Does the recording say that it has the file's clock, as with -k mono? */
static bool has_clock_of_file(const struct session_event *event)
{
	return event->event->attr.use_clockid && event->event->attr.clockid == CLOCK_MONOTONIC;
}

/* At the first code. In a time namespace the same clock shows another time. */
static void loading__relate(struct loading *l, const struct jit_code *first)
{
	const struct session_event *event = session_events__of_id(l->jit->events, 0);
	const u64 time = l->marker->time, made = time_of_map(l, first), last = l->jit->features->sample_time_last;
	const bool same_clock = event && has_clock_of_file(event);

	l->is_started = true;
	if (l->head.arch_time || !event)
		return;
	l->is_elsewhere = same_clock && !time && last && first->time > last;
	l->is_related = time || (same_clock && !l->is_elsewhere);
	if (time && (!same_clock || (time > made ? time - made : made - time) > MAX_BEFORE_MAP))
		l->shift = time - made;
}

/* Never before the file was mapped, nor before the code before it, as the file only grows. */
static u64 loading__time(struct loading *l, const struct jit_code *code)
{
	u64 time = l->is_related ? code->time + l->shift : l->marker->time;

	if (time < l->marker->time)
		time = l->marker->time;
	l->time = time < l->time ? l->time : time;
	return l->time;
}

/* A record as the kernel would have made it, had the code been a file. NULL: no memory. */
static const union perf_record *loading__record(struct loading *l, const struct jit_code *code)
{
	size_t path_size = strlen(l->marker->path) + 1, size = ALIGN_UP(offsetof(struct record_mmap2, filename) + path_size, 8);
	struct record_mmap2 *record = arena__add(&l->jit->records, size);

	if (!record)
		return NULL;
	memset(record, 0, size);
	record->header = (struct perf_event_header){ .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER, .size = size };
	record->pid = l->marker->pid;
	record->tid = l->marker->tid;
	record->start = code->addr;
	record->len = code->size;
	record->pgoff = code->offset;
	record->ino = l->marker->ino;
	record->prot = PROT_READ | PROT_EXEC;
	record->flags = MAP_PRIVATE;
	memcpy(record->filename, l->marker->path, path_size);
	return (const union perf_record *)record;
}

/* 0 or -ENOMEM. */
static int code_list__make_room(struct code_list *codes)
{
	return array__grow(codes->item, codes->nr, codes->alloc);
}

static int loading__add(void *data, const struct jit_code *code)
{
	struct loading *l = data;
	struct order_item item = { .file_offset = ORDER_NOT_IN_FILE };

	if (!l->is_started)
		loading__relate(l, code);
	if (!elf_budget__take(&l->budget, sizeof(item) + sizeof(struct record_mmap2) + strlen(l->marker->path), "its functions"))
		return -E2BIG;
	item.time = loading__time(l, code);
	item.record = loading__record(l, code);
	if (!item.record || code_list__make_room(&l->codes))
		return -ENOMEM;
	l->codes.item[l->codes.nr++] = item;
	return 0;
}

/* Merge what was loaded into what waits still. 0 or -ENOMEM. */
static int jit_maps__wait_for(struct jit_maps *jit, const struct code_list *new)
{
	struct code_list *old = &jit->waiting;
	size_t nr = old->nr - jit->nr_taken + new->nr, a = jit->nr_taken, b = 0;
	struct order_item *all = malloc(nr * sizeof(*all));

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		bool takes_old = b == new->nr || (a < old->nr && old->item[a].time <= new->item[b].time);

		all[i] = takes_old ? old->item[a++] : new->item[b++];
	}
	free(old->item);
	*old = (struct code_list){ all, nr, nr };
	jit->nr_taken = 0;
	return 0;
}

static void loading__tell(struct loading *l, int ret, const struct errmsg *err)
{
	const char *path = l->marker->path;

	if (ret == -E2BIG)
		jit_maps__add_note(l->jit, "%s: a part of its code has no names: too little of the file is on disk", path);
	else if (ret)
		jit_maps__add_note(l->jit, "Code made at run time has no names: %s", err->text);
	else if (l->codes.nr && !l->is_related)
		jit_maps__add_note(l->jit, "%s: its times cannot be related to the recording's: where code was replaced, the last one is shown. %s", path,
				   l->head.arch_time	? "Let the program take CLOCK_MONOTONIC for it" :
				   l->is_elsewhere	? "Begin to record before the program starts, as it is in another time namespace" :
							  "Record with -k mono");
}

/* NULL: the recording has none for it. */
static const struct build_id *loading__id(const struct loading *l)
{
	const struct perfdata_features *f = l->jit->features;

	for (u32 i = 0; i < f->nr_build_id; i++) {
		if (!strcmp(f->build_id[i].filename, l->marker->path))
			return &f->build_id[i].id;
	}
	return NULL;
}

/* 0 or -ENOMEM; other errors cost names only. */
static int loading__run(struct loading *l)
{
	struct errmsg err = {};
	int fd = jitdump__open(l->marker->path, l->marker->pid, l->marker->ino, loading__id(l), l->jit->places, &err), ret = fd;

	if (fd >= 0) {
		elf_budget__init(&l->budget, fd);
		ret = jitdump__read(fd, &l->budget, &l->head, loading__add, l, &err);
		close(fd);
		if (ret == -EINVAL)
			errmsg__prefix(&err, "%s", l->marker->path);
	}
	loading__tell(l, ret, &err);
	if (ret == -ENOMEM || !l->codes.nr)
		return ret == -ENOMEM ? ret : 0;
	return jit_maps__wait_for(l->jit, &l->codes);
}

int jit_maps__note_map(struct jit_maps *jit, const struct order_item *item)
{
	struct marker marker;
	struct loading loading = { .jit = jit, .marker = &marker };
	int ret;

	if (!marker__init(&marker, item))
		return 0;
	ret = jit_maps__know(jit, &marker);
	if (ret > 0)
		ret = loading__run(&loading);
	free(loading.codes.item);
	return ret;
}

bool jit_maps__is_waiting(const struct jit_maps *jit)
{
	return jit->nr_taken < jit->waiting.nr;
}

size_t jit_maps__take(struct jit_maps *jit, u64 time, const struct order_item **items)
{
	const struct code_list *waiting = &jit->waiting;
	size_t from = jit->nr_taken;

	while (jit->nr_taken < waiting->nr && waiting->item[jit->nr_taken].time <= time)
		jit->nr_taken++;
	*items = waiting->item + from;
	return jit->nr_taken - from;
}

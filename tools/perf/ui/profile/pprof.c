// SPDX-License-Identifier: GPL-2.0
/*
 * pprof's profile, gzip'ed: each sample has two values for each event, the number of samples and the sum of their periods. Command
 * names are labels; functions with the same name in the same file are one location.
 *
 * Each sample has all values of all events, nearly all of them 0: with thousands of events they are much larger than the recording.
 * So they are not stored: texts and locations get their numbers first, then the messages are built one after the other, and packed
 * some MiB at a time. Several concatenated gzip'ed parts are one gzip'ed file.
 */
#include "ui/profile/profile.h"

#include <errno.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "ui/profile/pprof.pb-c.h" /* generated */
#include "util/lib/hash-index.h"
#include "util/lib/hash.h"
#include "util/lib/pages.h"
#include "util/lib/printable.h"
#include "util/symbol/symtab.h"

#define VALUES_PER_EVENT 2
#define GZIP_LEVEL 6 /* as gzip(1) */
#define PART (4 << 20) /* bytes that are packed together */

enum { SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING_TABLE }; /* members of Profile */

struct text {
	const char *text; /* lives as long as the profile */
	char *clean;	  /* its cleaned copy; NULL: text is clean */
};

struct frame_key {
	const char *name;
	const struct dso *dso;
};

struct frame { /* a location and its function, which share a number */
	struct frame_key key;
	u64 id, mapping;
	UT_hash_handle hh;
};

struct mapping {
	const struct dso *dso; /* the key */
	u64 id;
	UT_hash_handle hh;
};

struct pprof {
	const struct profile *profile;
	struct text *text; /* by number */
	u32 nr_texts, alloc_texts;
	struct hash_index texts;
	struct frame *frames; /* numbered in the order of addition */
	struct mapping *mappings;
	char **types; /* "EVENT samples", by event */
	s64 comm_key;
	u64 *location;	  /* space for the locations of one sample */
	s64 *value;	  /* values of one sample, 0 in between */
	u8 *part;	  /* records that are not yet packed */
	size_t used, room; /* of part, in bytes */
	u64 size;	  /* of all records, packed or not */
	FILE *fp;
	bool no_memory; /* out of memory: write nothing more */
};

static void *pprof__alloc(struct pprof *p, size_t size)
{
	void *memory = calloc(1, size ?: 1);

	p->no_memory |= !memory;
	return memory;
}

/* --- numbers of texts, mappings and locations --- */

/* The number of a text; negative: no memory. */
static s64 pprof__find_text(const struct pprof *p, const char *text, u32 hash)
{
	const struct hash_slot *slot;
	u32 i = hash;

	while ((slot = hash_index__next(&p->texts, hash, &i))) {
		const char *found = p->text[slot->place - 1].text;

		if (found == text || !strcmp(found, text))
			return slot->place - 1;
	}
	return -1;
}

static bool pprof__reserve_text(struct pprof *p)
{
	u32 alloc = p->alloc_texts ? 2 * p->alloc_texts : 256;
	struct text *more;

	if (p->nr_texts < p->alloc_texts)
		return true;
	more = alloc > p->nr_texts ? pages__grow(p->text, p->alloc_texts * sizeof(*more), alloc * sizeof(*more)) : NULL;
	if (!more)
		return false;
	p->text = more;
	p->alloc_texts = alloc;
	return true;
}

static char *cleaned(struct pprof *p, const char *text)
{
	char *clean;

	if (utf8__is_valid(text))
		return NULL;
	clean = strdup(text);
	if (clean)
		utf8__clean(clean);
	p->no_memory |= !clean;
	return clean;
}

static s64 pprof__text(struct pprof *p, const char *text)
{
	u32 hash = hash_text(text);
	s64 place = pprof__find_text(p, text, hash);

	if (place >= 0)
		return place;
	if (!pprof__reserve_text(p) || hash_index__add(&p->texts, hash, p->nr_texts)) {
		p->no_memory = true;
		return 0;
	}
	p->text[p->nr_texts] = (struct text){ text, cleaned(p, text) };
	return p->nr_texts++;
}

static u64 pprof__mapping(struct pprof *p, const struct dso *dso)
{
	struct mapping *mapping;

	HASH_FIND_PTR(p->mappings, &dso, mapping);
	if (mapping)
		return mapping->id;
	mapping = pprof__alloc(p, sizeof(*mapping));
	if (!mapping)
		return 0;
	mapping->dso = dso;
	mapping->id = HASH_COUNT(p->mappings) + 1;
	HASH_ADD_PTR(p->mappings, dso, mapping);
	if (hash_added(mapping))
		return mapping->id;
	p->no_memory = true;
	free(mapping);
	return 0;
}

static struct frame *find_frame(const struct pprof *p, const struct stack_node *node)
{
	const struct frame_key key = { .name = node->name, .dso = node->dso };
	struct frame *frame;

	HASH_FIND(hh, p->frames, &key, sizeof(key), frame);
	return frame;
}

static void pprof__add_frame(struct pprof *p, const struct stack_node *node)
{
	struct frame *frame = find_frame(p, node) ? NULL : pprof__alloc(p, sizeof(*frame));

	if (!frame)
		return;
	frame->key.name = node->name;
	frame->key.dso = node->dso;
	frame->id = HASH_COUNT(p->frames) + 1;
	HASH_ADD(hh, p->frames, key, sizeof(frame->key), frame);
	if (!hash_added(frame)) {
		p->no_memory = true;
		free(frame);
		return;
	}
	pprof__text(p, node->name);
	if (node->dso) {
		pprof__text(p, node->dso->name);
		frame->mapping = pprof__mapping(p, node->dso);
	}
}

/* Walk the stacks of samples: start with the root; NULL after the last one. */
static const struct stack_node *next_stack(const struct stack_node *node)
{
	do
		node = stack_node__next(node);
	while (node && !node->nr);
	return node;
}

/* Number everything that an event's samples refer to. */
static void pprof__number_event(struct pprof *p, u32 i)
{
	const struct profile_event *event = &p->profile->event[i];
	const struct stack_node *stack = stack_tree__root(event->stacks), *node;

	if (asprintf(&p->types[i], "%s samples", event->name) < 0) {
		p->types[i] = NULL;
		p->no_memory = true;
		return;
	}
	pprof__text(p, p->types[i]);
	pprof__text(p, "count");
	pprof__text(p, event->name);
	pprof__text(p, profile_event__unit(event));
	while ((stack = next_stack(stack)) && !p->no_memory) {
		for (node = stack; node->kind != STACK_COMM; node = node->parent)
			pprof__add_frame(p, node);
		pprof__text(p, node->name);
	}
}

/* --- messages --- */

static void pprof__pack(struct pprof *p)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(GZIP_LEVEL);
	size_t room = libdeflate_gzip_compress_bound(NULL, p->used);
	void *packed = c ? malloc(room) : NULL;

	if (packed)
		fwrite(packed, 1, libdeflate_gzip_compress(c, p->part, p->used, packed, room), p->fp);
	else
		p->no_memory = true;
	free(packed);
	libdeflate_free_compressor(c);
	p->used = 0;
}

/* Reserve size bytes; NULL: no memory. */
static u8 *pprof__reserve(struct pprof *p, size_t size)
{
	u8 *bigger, *at;

	if (p->used && p->used + size > PART)
		pprof__pack(p);
	if (p->used + size > p->room) {
		size_t room = p->used + size > 2 * p->room ? p->used + size : 2 * p->room;

		bigger = realloc(p->part, room);
		p->no_memory |= !bigger;
		if (!bigger)
			return NULL;
		p->part = bigger;
		p->room = room;
	}
	at = p->part + p->used;
	p->used += size;
	p->size += size;
	return at;
}

static u8 *put_varint(u8 *at, u64 value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = value | 0x80;
	*at++ = value;
	return at;
}

/* Begin a member of Profile that is a message or a text. Returns where its size bytes go; NULL: no memory. */
static u8 *pprof__begin(struct pprof *p, u32 member, size_t size)
{
	u8 head[16], *end = put_varint(put_varint(head, member << 3 | 2), size), *at = pprof__reserve(p, end - head + size);

	if (!at)
		return NULL;
	memcpy(at, head, end - head);
	return at + (end - head);
}

static void pprof__put(struct pprof *p, u32 member, const ProtobufCMessage *message)
{
	u8 *at = pprof__begin(p, member, protobuf_c_message_get_packed_size(message));

	if (at)
		protobuf_c_message_pack(message, at);
}

static void pprof__put_type(struct pprof *p, const char *type, const char *unit)
{
	Perf__Pprof__ValueType message = PERF__PPROF__VALUE_TYPE__INIT;

	message.type = pprof__text(p, type);
	message.unit = pprof__text(p, unit);
	pprof__put(p, SAMPLE_TYPE, &message.base);
}

static void pprof__put_sample(struct pprof *p, const struct stack_node *node, u32 event)
{
	Perf__Pprof__Sample sample = PERF__PPROF__SAMPLE__INIT;
	Perf__Pprof__Label label = PERF__PPROF__LABEL__INIT, *labels = &label;
	s64 *value = &p->value[VALUES_PER_EVENT * event];

	value[0] = node->nr;
	value[1] = node->period;
	sample.value = (int64_t *)p->value;
	sample.n_value = VALUES_PER_EVENT * p->profile->nr_events;
	sample.location_id = (uint64_t *)p->location;
	for (; node->kind != STACK_COMM; node = node->parent)
		p->location[sample.n_location_id++] = find_frame(p, node)->id;
	label.key = p->comm_key;
	label.str = pprof__text(p, node->name);
	sample.label = &labels;
	sample.n_label = 1;
	pprof__put(p, SAMPLE, &sample.base);
	value[0] = value[1] = 0;
}

static void pprof__put_samples(struct pprof *p)
{
	for (u32 i = 0; i < p->profile->nr_events; i++) {
		const struct stack_node *node = stack_tree__root(p->profile->event[i].stacks);

		while ((node = next_stack(node)) && !p->no_memory)
			pprof__put_sample(p, node, i);
	}
}

static void pprof__put_mapping(struct pprof *p, const struct mapping *mapping)
{
	Perf__Pprof__Mapping message = PERF__PPROF__MAPPING__INIT;

	message.id = mapping->id;
	message.filename = pprof__text(p, mapping->dso->name);
	message.has_functions = true;
	message.has_inline_frames = true;
	pprof__put(p, MAPPING, &message.base);
}

static void pprof__put_location(struct pprof *p, const struct frame *frame)
{
	Perf__Pprof__Location location = PERF__PPROF__LOCATION__INIT;
	Perf__Pprof__Line line = PERF__PPROF__LINE__INIT, *lines = &line;

	location.id = line.function_id = frame->id;
	location.mapping_id = frame->mapping;
	location.line = &lines;
	location.n_line = 1;
	pprof__put(p, LOCATION, &location.base);
}

static void pprof__put_function(struct pprof *p, const struct frame *frame)
{
	Perf__Pprof__Function function = PERF__PPROF__FUNCTION__INIT;

	function.id = frame->id;
	function.name = function.system_name = pprof__text(p, frame->key.name);
	function.filename = frame->key.dso ? pprof__text(p, frame->key.dso->name) : 0;
	pprof__put(p, FUNCTION, &function.base);
}

/* In the order of their numbers. */
static void pprof__put_tables(struct pprof *p)
{
	for (const struct mapping *mapping = p->mappings; mapping; mapping = mapping->hh.next)
		pprof__put_mapping(p, mapping);
	for (const struct frame *frame = p->frames; frame; frame = frame->hh.next)
		pprof__put_location(p, frame);
	for (const struct frame *frame = p->frames; frame; frame = frame->hh.next)
		pprof__put_function(p, frame);
	for (u32 i = 0; i < p->nr_texts; i++) {
		const char *clean = p->text[i].clean ?: p->text[i].text;
		u8 *at = pprof__begin(p, STRING_TABLE, strlen(clean));

		if (at)
			memcpy(at, clean, strlen(clean));
	}
}

static void pprof__put_rest(struct pprof *p)
{
	Perf__Pprof__Profile message = PERF__PPROF__PROFILE__INIT;
	int64_t comment = p->profile->cmdline ? pprof__text(p, p->profile->cmdline) : 0;
	u8 *at;

	message.comment = &comment;
	message.n_comment = comment != 0;
	message.duration_nanos = p->profile->time_last - p->profile->time_first;
	message.default_sample_type = p->profile->nr_events ? pprof__text(p, p->profile->event[0].name) : 0;
	at = pprof__reserve(p, perf__pprof__profile__get_packed_size(&message));
	if (at)
		perf__pprof__profile__pack(&message, at);
}

/* --- the whole --- */

/* Allocate space for one sample. false: the samples alone exceed the limit of the format. */
static bool pprof__prepare(struct pprof *p)
{
	u64 nr_values = VALUES_PER_EVENT * (u64)p->profile->nr_events, nr = 0;
	u32 depth = 0;

	for (u32 i = 0; i < p->profile->nr_events; i++) {
		const struct stack_tree *stacks = p->profile->event[i].stacks;
		const struct stack_node *node = stack_tree__root(stacks);

		if (stack_tree__max_depth(stacks) > depth)
			depth = stack_tree__max_depth(stacks);
		while ((node = next_stack(node)))
			nr++;
	}
	p->value = pprof__alloc(p, nr_values * sizeof(*p->value));
	p->location = pprof__alloc(p, depth * sizeof(*p->location));
	p->types = pprof__alloc(p, p->profile->nr_events * sizeof(*p->types));
	return nr * nr_values <= INT_MAX;
}

static void pprof__number_all(struct pprof *p)
{
	pprof__text(p, "");
	p->comm_key = pprof__text(p, "comm");
	for (u32 i = 0; i < p->profile->nr_events && !p->no_memory; i++)
		pprof__number_event(p, i);
	if (p->profile->cmdline)
		pprof__text(p, p->profile->cmdline);
}

static void pprof__put_all(struct pprof *p)
{
	for (u32 i = 0; i < p->profile->nr_events; i++) {
		const struct profile_event *event = &p->profile->event[i];

		pprof__put_type(p, p->types[i], "count");
		pprof__put_type(p, event->name, profile_event__unit(event));
	}
	pprof__put_samples(p);
	pprof__put_tables(p);
	pprof__put_rest(p);
	pprof__pack(p);
}

static void pprof__exit(struct pprof *p)
{
	struct mapping *mapping, *next_mapping;
	struct frame *frame, *next_frame;

	HASH_ITER(hh, p->mappings, mapping, next_mapping) {
		HASH_DEL(p->mappings, mapping);
		free(mapping);
	}
	HASH_ITER(hh, p->frames, frame, next_frame) {
		HASH_DEL(p->frames, frame);
		free(frame);
	}
	for (u32 i = 0; i < p->nr_texts; i++)
		free(p->text[i].clean);
	pages__delete(p->text, p->alloc_texts * sizeof(*p->text));
	hash_index__exit(&p->texts);
	for (u32 i = 0; p->types && i < p->profile->nr_events; i++)
		free(p->types[i]);
	free(p->types);
	free(p->value);
	free(p->location);
	free(p->part);
}

int profile__write_pprof(const struct profile *profile, FILE *fp, struct errmsg *err)
{
	struct pprof p = { .profile = profile, .fp = fp };
	bool fits = pprof__prepare(&p);

	if (fits && !p.no_memory)
		pprof__number_all(&p);
	if (fits && !p.no_memory)
		pprof__put_all(&p);
	pprof__exit(&p);
	if (!fits || p.size > INT_MAX)
		return errmsg__set(err, EFBIG, "the profile has more than the 2 GiB that its format allows: choose a part of the recording");
	return p.no_memory ? errmsg__set(err, ENOMEM, "out of memory") : 0;
}

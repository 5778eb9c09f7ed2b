// SPDX-License-Identifier: GPL-2.0
/*
 * pprof's profile, gzip'ed: each sample has two values for each event, the number of samples and the sum of their periods. What says
 * whose it is, the command and more, are labels; functions with the same name in the same file are one location.
 *
 * Each sample has all values of all events, nearly all of them 0: with thousands of events they are much larger than the recording.
 * So they are not stored: texts and locations get their numbers first, then the messages are built one after the other, and packed
 * some MiB at a time. Several concatenated gzip'ed parts are one gzip'ed file.
 */
#include "ui/profile/numbers.h"

#include <errno.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "ui/profile/pprof.pb-c.h" /* generated */

#define VALUES_PER_EVENT 2
#define NSEC_PER_SEC 1000000000
#define MAX_LABELS 16
#define GZIP_LEVEL 6 /* as gzip(1) */
#define PART (4 << 20) /* bytes that are packed together */

enum { SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING_TABLE }; /* members of Profile */

struct pprof {
	const struct profile *profile;
	struct profile_numbers numbers; /* its no_memory holds for everything */
	char **types; /* "EVENT samples", by event */
	s64 comm_key;
	Perf__Pprof__Label label[MAX_LABELS], *labels[MAX_LABELS]; /* space for the labels of one sample */
	u64 *location;	  /* space for the locations of one sample */
	s64 *value;	  /* values of one sample, 0 in between */
	u8 *part;	  /* records that are not yet packed */
	size_t used, room; /* of part, in bytes */
	u64 size;	  /* of all records, packed or not */
	FILE *fp;
};

static void *pprof__alloc(struct pprof *p, size_t size)
{
	void *memory = calloc(1, size ?: 1);

	p->numbers.no_memory |= !memory;
	return memory;
}

static s64 pprof__text(struct pprof *p, const char *text)
{
	return profile_numbers__text(&p->numbers, text);
}

static const struct stack_tree *stacks_of(const struct profile_event *event)
{
	return event->owned ?: event->stacks;
}

/* Of files: labels that pprof shows as numbers, and takes ranges of. Engines only know texts. */
static bool is_number(const struct pprof *p, const char *label)
{
	return !p->profile->nr_labels && (!strncmp(label, "pid=", 4) || !strncmp(label, "tid=", 4));
}

/* Labels of the samples below this node of a command, thread or cgroup. */
static void pprof__number_owner(struct pprof *p, const struct stack_node *node)
{
	for (; node->parent; node = node->parent) {
		const char *value = strchr(node->name, '=');

		if (node->kind == STACK_COMM) {
			pprof__text(p, node->name);
		} else if (value) {
			profile_numbers__copy(&p->numbers, node->name, value - node->name);
			if (!is_number(p, node->name))
				pprof__text(p, value + 1);
		}
	}
}

/* The names of an event's two values */
static const char *name_of_samples(const struct pprof *p, u32 i)
{
	return p->profile->event[i].type ? "samples" : p->types[i];
}

static const char *name_of_periods(const struct pprof *p, u32 i)
{
	return p->profile->event[i].type ?: p->profile->event[i].name;
}

/* Number everything that an event's samples refer to. */
static void pprof__number_event(struct pprof *p, u32 i)
{
	const struct profile_event *event = &p->profile->event[i];
	const struct stack_node *stack = stack_tree__root(stacks_of(event)), *node;

	if (asprintf(&p->types[i], "%s samples", event->name) < 0) {
		p->types[i] = NULL;
		p->numbers.no_memory = true;
		return;
	}
	pprof__text(p, name_of_samples(p, i));
	pprof__text(p, "count");
	pprof__text(p, name_of_periods(p, i));
	pprof__text(p, profile_event__unit(event));
	while ((stack = profile__next_stack(stack)) && !p->numbers.no_memory) {
		for (node = stack; !stack_node__is_owner(node); node = node->parent)
			profile_numbers__add_frame(&p->numbers, node);
		profile_numbers__note_program(&p->numbers, stack);
		pprof__number_owner(p, node);
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
		p->numbers.no_memory = true;
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
		p->numbers.no_memory |= !bigger;
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

/* The labels of a sample: its command, and what else says whose it is. */
static void pprof__fill_labels(struct pprof *p, const struct stack_node *node, Perf__Pprof__Sample *sample)
{
	sample->label = p->labels;
	for (; node->parent && sample->n_label < MAX_LABELS; node = node->parent) {
		Perf__Pprof__Label *label = p->labels[sample->n_label];
		const char *value = strchr(node->name, '=');

		if (node->kind == STACK_COMM) {
			label->key = p->comm_key;
			label->str = pprof__text(p, node->name);
		} else if (value) {
			label->key = profile_numbers__copy(&p->numbers, node->name, value - node->name);
			label->str = is_number(p, node->name) ? 0 : pprof__text(p, value + 1);
			label->num = is_number(p, node->name) ? strtoul(value + 1, NULL, 10) : 0;
		} else {
			continue;
		}
		sample->n_label++;
	}
}

static void pprof__put_sample(struct pprof *p, const struct stack_node *node, u32 event)
{
	Perf__Pprof__Sample sample = PERF__PPROF__SAMPLE__INIT;
	s64 *value = &p->value[VALUES_PER_EVENT * event];

	value[0] = node->nr;
	value[1] = node->period;
	sample.value = (int64_t *)p->value;
	sample.n_value = VALUES_PER_EVENT * p->profile->nr_events;
	sample.location_id = (uint64_t *)p->location;
	for (; !stack_node__is_owner(node); node = node->parent)
		p->location[sample.n_location_id++] = profile_numbers__frame(&p->numbers, node)->id;
	pprof__fill_labels(p, node, &sample);
	pprof__put(p, SAMPLE, &sample.base);
	value[0] = value[1] = 0;
}

static void pprof__put_samples(struct pprof *p)
{
	for (u32 i = 0; i < p->profile->nr_events; i++) {
		const struct stack_node *node = stack_tree__root(stacks_of(&p->profile->event[i]));

		while ((node = profile__next_stack(node)) && !p->numbers.no_memory)
			pprof__put_sample(p, node, i);
	}
}

/* A file with functions without a name is as if mapped at its own addresses, which those functions have. */
static void pprof__put_mapping(struct pprof *p, const struct numbered_mapping *mapping)
{
	Perf__Pprof__Mapping message = PERF__PPROF__MAPPING__INIT;

	message.id = mapping->id;
	message.filename = pprof__text(p, mapping->dso->name);
	message.build_id = mapping->build_id;
	message.has_functions = !mapping->unnamed;
	message.has_inline_frames = !mapping->unnamed;
	if (mapping->unnamed) {
		message.memory_start = mapping->low + mapping->bias;
		message.memory_limit = mapping->high + mapping->bias + 1;
		message.file_offset = mapping->low;
	}
	pprof__put(p, MAPPING, &message.base);
}

static void pprof__put_location(struct pprof *p, const struct numbered_frame *frame)
{
	Perf__Pprof__Location location = PERF__PPROF__LOCATION__INIT;
	Perf__Pprof__Line line = PERF__PPROF__LINE__INIT, *lines = &line;

	location.id = line.function_id = frame->id;
	location.mapping_id = frame->mapping ? frame->mapping->id : 0;
	location.address = numbered_frame__address(frame);
	location.line = &lines;
	location.n_line = !frame->unnamed;
	pprof__put(p, LOCATION, &location.base);
}

/*
 * Is it no name of the system's, as C++ and Rust have been demangled? Equal names would tell pprof to demangle again: it would cut arguments of
 * templates off, and so merge functions.
 */
static bool is_demangled(const char *name)
{
	return strpbrk(name, "(<") || strstr(name, "::");
}

static void pprof__put_function(struct pprof *p, const struct numbered_frame *frame)
{
	Perf__Pprof__Function function = PERF__PPROF__FUNCTION__INIT;

	function.id = frame->id;
	function.name = pprof__text(p, frame->key.name);
	function.system_name = is_demangled(frame->key.name) ? 0 : function.name;
	pprof__put(p, FUNCTION, &function.base);
}

/* In the order of their numbers. */
static void pprof__put_tables(struct pprof *p)
{
	for (const struct numbered_mapping *mapping = p->numbers.mappings; mapping; mapping = mapping->hh.next)
		pprof__put_mapping(p, mapping);
	for (const struct numbered_frame *frame = p->numbers.frames; frame; frame = frame->hh.next)
		pprof__put_location(p, frame);
	for (const struct numbered_frame *frame = p->numbers.frames; frame; frame = frame->hh.next) {
		if (!frame->unnamed)
			pprof__put_function(p, frame);
	}
	for (u32 i = 0; i < p->numbers.nr_texts; i++) {
		const char *clean = profile_numbers__text_at(&p->numbers, i);
		u8 *at = pprof__begin(p, STRING_TABLE, strlen(clean));

		if (at)
			memcpy(at, clean, strlen(clean));
	}
}

/* What the first event's samples stand for: a period that was asked for, what a frequency means for a clock, or what they did on average. */
static s64 period_of(const struct profile_event *event)
{
	if (event->sample_period > 1)
		return event->sample_period;
	if (event->freq && !strcmp(profile_event__unit(event), "nanoseconds"))
		return NSEC_PER_SEC / event->freq;
	return event->nr_samples ? event->total_period / event->nr_samples : 0;
}

static void pprof__put_rest(struct pprof *p)
{
	Perf__Pprof__Profile message = PERF__PPROF__PROFILE__INIT;
	Perf__Pprof__ValueType type = PERF__PPROF__VALUE_TYPE__INIT;
	int64_t comment = p->profile->cmdline ? pprof__text(p, p->profile->cmdline) : 0;
	u8 *at;

	message.comment = &comment;
	message.n_comment = comment != 0;
	message.time_nanos = p->profile->wall_clock;
	message.duration_nanos = p->profile->time_last - p->profile->time_first;
	message.default_sample_type = p->profile->nr_events ? pprof__text(p, name_of_periods(p, 0)) : 0;
	if (p->profile->nr_events) {
		type.type = message.default_sample_type;
		type.unit = pprof__text(p, profile_event__unit(&p->profile->event[0]));
		message.period_type = &type;
		message.period = period_of(&p->profile->event[0]);
	}
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
		const struct stack_tree *stacks = stacks_of(&p->profile->event[i]);
		const struct stack_node *node = stack_tree__root(stacks);

		if (stack_tree__max_depth(stacks) > depth)
			depth = stack_tree__max_depth(stacks);
		while ((node = profile__next_stack(node)))
			nr++;
	}
	p->value = pprof__alloc(p, nr_values * sizeof(*p->value));
	p->location = pprof__alloc(p, depth * sizeof(*p->location));
	p->types = pprof__alloc(p, p->profile->nr_events * sizeof(*p->types));
	for (u32 i = 0; i < MAX_LABELS; i++) {
		p->label[i] = (Perf__Pprof__Label)PERF__PPROF__LABEL__INIT;
		p->labels[i] = &p->label[i];
	}
	return nr * nr_values <= INT_MAX;
}

static void pprof__number_all(struct pprof *p)
{
	pprof__text(p, "");
	p->comm_key = pprof__text(p, "comm");
	for (u32 i = 0; i < p->profile->nr_events && !p->numbers.no_memory; i++)
		pprof__number_event(p, i);
	if (p->profile->cmdline)
		pprof__text(p, p->profile->cmdline);
	profile_numbers__settle(&p->numbers);
}

static void pprof__put_all(struct pprof *p)
{
	for (u32 i = 0; i < p->profile->nr_events; i++) {
		const struct profile_event *event = &p->profile->event[i];

		pprof__put_type(p, name_of_samples(p, i), "count");
		pprof__put_type(p, name_of_periods(p, i), profile_event__unit(event));
	}
	pprof__put_samples(p);
	pprof__put_tables(p);
	pprof__put_rest(p);
	pprof__pack(p);
}

static void pprof__exit(struct pprof *p)
{
	profile_numbers__exit(&p->numbers);
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

	if (fits && !p.numbers.no_memory)
		pprof__number_all(&p);
	if (fits && !p.numbers.no_memory)
		pprof__put_all(&p);
	pprof__exit(&p);
	if (!fits || p.size > INT_MAX)
		return errmsg__set(err, EFBIG, "the profile has more than the 2 GiB that its format allows: choose a part of the recording");
	return p.numbers.no_memory ? errmsg__set(err, ENOMEM, "out of memory") : 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * pprof's profile, gzip'ed: each event gives two values a sample, how many and the sum of their periods. Command names are
 * labels; functions of the same name in the same file are one location.
 */
#include "ui/profile.h"

#include <errno.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "ui/pprof.pb-c.h" /* generated */
#include "util/lib/hash.h"
#include "util/symbol/symtab.h"

#define VALUES_PER_EVENT 2
#define GZIP_LEVEL 6 /* as gzip(1) */

/* An array of pointers to messages, as protobuf-c wants them. */
struct list {
	void **item;
	size_t nr, alloc;
};

struct text {
	const char *text; /* the key; lives as long as the profile that is written */
	s64 place;
	UT_hash_handle hh;
};

struct frame_key {
	const char *name;
	const struct dso *dso;
};

struct frame { /* a location and its function, which have one number */
	struct frame_key key;
	u64 id;
	UT_hash_handle hh;
};

struct mapping {
	const struct dso *dso; /* the key */
	Perf__Pprof__Mapping *message;
	UT_hash_handle hh;
};

struct pprof {
	const struct profile *profile;
	struct list types, samples, mappings, locations, functions, texts, comments;
	struct text *text_places;
	struct frame *frames;
	struct mapping *dsos;
	s64 comm_key;
	bool no_memory; /* something is missing: nothing is to be written */
};

static void *pprof__alloc(struct pprof *p, size_t size)
{
	void *memory = calloc(1, size ?: 1);

	p->no_memory |= !memory;
	return memory;
}

static void pprof__append(struct pprof *p, struct list *list, void *item)
{
	if (list->nr == list->alloc) {
		size_t alloc = list->alloc ? 2 * list->alloc : 64;
		void **grown = reallocarray(list->item, alloc, sizeof(*grown));

		if (!grown) {
			p->no_memory = true;
			return;
		}
		list->item = grown;
		list->alloc = alloc;
	}
	list->item[list->nr++] = item;
}

#define NEW(p, type, list)						\
	({								\
		Perf__Pprof__##type *new_ = pprof__alloc(p, sizeof(*new_)); \
									\
		if (new_) {						\
			*new_ = init_##type;				\
			pprof__append(p, list, new_);			\
		}							\
		new_;							\
	})
static const Perf__Pprof__ValueType init_ValueType = PERF__PPROF__VALUE_TYPE__INIT;
static const Perf__Pprof__Sample init_Sample = PERF__PPROF__SAMPLE__INIT;
static const Perf__Pprof__Label init_Label = PERF__PPROF__LABEL__INIT;
static const Perf__Pprof__Mapping init_Mapping = PERF__PPROF__MAPPING__INIT;
static const Perf__Pprof__Location init_Location = PERF__PPROF__LOCATION__INIT;
static const Perf__Pprof__Line init_Line = PERF__PPROF__LINE__INIT;
static const Perf__Pprof__Function init_Function = PERF__PPROF__FUNCTION__INIT;

static s64 pprof__text(struct pprof *p, const char *text)
{
	struct text *found;

	HASH_FIND_STR(p->text_places, text, found);
	if (found)
		return found->place;
	found = pprof__alloc(p, sizeof(*found));
	if (!found)
		return 0;
	found->text = text;
	found->place = p->texts.nr;
	HASH_ADD_KEYPTR(hh, p->text_places, found->text, strlen(text), found);
	if (!hash_added(found)) {
		p->no_memory = true;
		free(found);
		return 0;
	}
	pprof__append(p, &p->texts, (void *)text);
	return found->place;
}

static u64 pprof__mapping(struct pprof *p, const struct dso *dso)
{
	struct mapping *mapping;

	HASH_FIND_PTR(p->dsos, &dso, mapping);
	if (mapping)
		return mapping->message->id;
	mapping = pprof__alloc(p, sizeof(*mapping));
	if (!mapping)
		return 0;
	mapping->message = NEW(p, Mapping, &p->mappings);
	if (!mapping->message) {
		free(mapping);
		return 0;
	}
	mapping->dso = dso;
	mapping->message->id = p->mappings.nr;
	mapping->message->filename = pprof__text(p, dso->name);
	mapping->message->has_functions = true;
	mapping->message->has_inline_frames = true;
	HASH_ADD_PTR(p->dsos, dso, mapping);
	if (!hash_added(mapping)) {
		p->no_memory = true;
		free(mapping);
		return 0;
	}
	return p->mappings.nr;
}

static void pprof__describe(struct pprof *p, const struct frame *frame)
{
	Perf__Pprof__Function *function = NEW(p, Function, &p->functions);
	Perf__Pprof__Location *location = NEW(p, Location, &p->locations);
	struct list lines = { 0 };
	Perf__Pprof__Line *line = NEW(p, Line, &lines);

	if (location) {
		location->line = (Perf__Pprof__Line **)lines.item;
		location->n_line = lines.nr;
	}
	if (!function || !location || !line)
		return;
	function->id = location->id = line->function_id = frame->id;
	function->name = function->system_name = pprof__text(p, frame->key.name);
	if (frame->key.dso) {
		function->filename = pprof__text(p, frame->key.dso->name);
		location->mapping_id = pprof__mapping(p, frame->key.dso);
	}
}

static u64 pprof__location(struct pprof *p, const struct stack_node *node)
{
	const struct frame_key key = { .name = node->name, .dso = node->dso };
	struct frame *frame;

	HASH_FIND(hh, p->frames, &key, sizeof(key), frame);
	if (frame)
		return frame->id;
	frame = pprof__alloc(p, sizeof(*frame));
	if (!frame)
		return 0;
	frame->key = key;
	frame->id = p->locations.nr + 1;
	HASH_ADD(hh, p->frames, key, sizeof(key), frame);
	if (!hash_added(frame)) {
		p->no_memory = true;
		free(frame);
		return 0;
	}
	pprof__describe(p, frame);
	return frame->id;
}

static void pprof__label(struct pprof *p, Perf__Pprof__Sample *sample, const char *comm)
{
	struct list labels = { 0 };
	Perf__Pprof__Label *label = NEW(p, Label, &labels);

	if (label) {
		label->key = p->comm_key;
		label->str = pprof__text(p, comm);
	}
	sample->label = (Perf__Pprof__Label **)labels.item;
	sample->n_label = labels.nr;
}

static void pprof__sample(struct pprof *p, const struct stack_node *node, u32 event)
{
	u32 nr_values = VALUES_PER_EVENT * p->profile->nr_events;
	Perf__Pprof__Sample *sample = NEW(p, Sample, &p->samples);

	if (!sample)
		return;
	sample->value = pprof__alloc(p, nr_values * sizeof(*sample->value));
	sample->location_id = pprof__alloc(p, node->depth * sizeof(*sample->location_id));
	if (!sample->value || !sample->location_id)
		return;
	sample->n_value = nr_values;
	sample->value[VALUES_PER_EVENT * event] = node->nr;
	sample->value[VALUES_PER_EVENT * event + 1] = node->period;
	for (; node->kind != STACK_COMM; node = node->parent)
		sample->location_id[sample->n_location_id++] = pprof__location(p, node);
	pprof__label(p, sample, node->name);
}

/* Of software clocks and sleeps the period is a time; of others it counts what the event is called. */
static const char *unit_of(const char *event)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock", "offcpu-time" };

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		size_t len = strlen(clocks[i]);

		if (!strncmp(event, clocks[i], len) && (!event[len] || event[len] == ':'))
			return "nanoseconds";
	}
	return "count";
}

static void pprof__type(struct pprof *p, const char *type, const char *unit)
{
	Perf__Pprof__ValueType *message = NEW(p, ValueType, &p->types);

	if (!message)
		return;
	message->type = pprof__text(p, type);
	message->unit = pprof__text(p, unit);
}

static void pprof__event(struct pprof *p, u32 i, char **type)
{
	const struct profile_event *event = &p->profile->event[i];
	const struct stack_node *node = stack_tree__root(event->stacks);

	if (asprintf(type, "%s samples", event->name) < 0) {
		*type = NULL;
		p->no_memory = true;
		return;
	}
	pprof__type(p, *type, "count");
	pprof__type(p, event->name, unit_of(event->name));
	while ((node = stack_node__next(node)) && !p->no_memory) {
		if (node->nr)
			pprof__sample(p, node, i);
	}
}

static int write_gzip(const void *bytes, size_t size, FILE *fp, struct errmsg *err)
{
	struct libdeflate_compressor *c;
	size_t room = libdeflate_gzip_compress_bound(NULL, size);
	void *packed;

	if (size > INT_MAX)
		return errmsg__set(err, EFBIG, "the profile has more than the 2 GiB that its format allows: choose a part of the recording");
	c = libdeflate_alloc_compressor(GZIP_LEVEL);
	packed = c ? malloc(room) : NULL;
	if (packed)
		fwrite(packed, 1, libdeflate_gzip_compress(c, bytes, size, packed, room), fp);
	free(packed);
	libdeflate_free_compressor(c);
	return packed ? 0 : errmsg__set(err, ENOMEM, "out of memory");
}

static int pprof__write(struct pprof *p, FILE *fp, struct errmsg *err)
{
	Perf__Pprof__Profile message = PERF__PPROF__PROFILE__INIT;
	int64_t comment = p->profile->cmdline ? pprof__text(p, p->profile->cmdline) : 0;
	void *bytes;
	size_t size;
	int ret;

	if (p->no_memory)
		return errmsg__set(err, ENOMEM, "out of memory");
#define SET(member, list)						\
	message.member = (typeof(message.member))(list).item;		\
	message.n_##member = (list).nr
	SET(sample_type, p->types);
	SET(sample, p->samples);
	SET(mapping, p->mappings);
	SET(location, p->locations);
	SET(function, p->functions);
	SET(string_table, p->texts);
#undef SET
	message.comment = &comment;
	message.n_comment = comment != 0;
	message.duration_nanos = p->profile->time_last - p->profile->time_first;
	message.default_sample_type = p->profile->nr_events ? ((Perf__Pprof__ValueType *)p->types.item[1])->type : 0;
	size = perf__pprof__profile__get_packed_size(&message);
	bytes = malloc(size);
	if (!bytes)
		return errmsg__set(err, ENOMEM, "out of memory");
	perf__pprof__profile__pack(&message, bytes);
	ret = write_gzip(bytes, size, fp, err);
	free(bytes);
	return ret;
}

static void list__exit(struct list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->item[i]);
	free(list->item);
}

static void pprof__exit(struct pprof *p)
{
	struct mapping *mapping, *next_mapping;
	struct frame *frame, *next_frame;
	struct text *text, *next_text;

	for (size_t i = 0; i < p->samples.nr; i++) {
		Perf__Pprof__Sample *sample = p->samples.item[i];

		for (size_t j = 0; j < sample->n_label; j++)
			free(sample->label[j]);
		free(sample->label);
		free(sample->value);
		free(sample->location_id);
	}
	for (size_t i = 0; i < p->locations.nr; i++) {
		Perf__Pprof__Location *location = p->locations.item[i];

		for (size_t j = 0; j < location->n_line; j++)
			free(location->line[j]);
		free(location->line);
	}
	list__exit(&p->types);
	list__exit(&p->samples);
	list__exit(&p->mappings);
	list__exit(&p->locations);
	list__exit(&p->functions);
	free(p->texts.item);
	HASH_ITER(hh, p->dsos, mapping, next_mapping) {
		HASH_DEL(p->dsos, mapping);
		free(mapping);
	}
	HASH_ITER(hh, p->frames, frame, next_frame) {
		HASH_DEL(p->frames, frame);
		free(frame);
	}
	HASH_ITER(hh, p->text_places, text, next_text) {
		HASH_DEL(p->text_places, text);
		free(text);
	}
}

static int write_pprof(const struct profile *profile, FILE *fp, struct errmsg *err)
{
	char **types = calloc(profile->nr_events + 1, sizeof(*types)); /* texts of our own making */
	struct pprof p = { .profile = profile };
	int ret;

	if (!types)
		return errmsg__set(err, ENOMEM, "out of memory");
	pprof__text(&p, "");
	p.comm_key = pprof__text(&p, "comm");
	for (u32 i = 0; i < profile->nr_events && !p.no_memory; i++)
		pprof__event(&p, i, &types[i]);
	ret = pprof__write(&p, fp, err);
	pprof__exit(&p);
	for (u32 i = 0; i < profile->nr_events; i++)
		free(types[i]);
	free(types);
	return ret;
}

const struct profile_format profile_pprof = { "pprof", write_pprof };

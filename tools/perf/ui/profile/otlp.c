// SPDX-License-Identifier: GPL-2.0
/*
 * OpenTelemetry's profiles: tables that all profiles of a request share, and a profile for each event. Two passes: the first one numbers
 * what samples refer to, the second one makes the messages.
 */
#include "ui/profile/receivers.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "ui/profile/numbers.h"
#include "ui/profile/otlp.pb-c.h" /* generated */

#define GZIP_LEVEL 6 /* as gzip(1) */
#define ID_SIZE 16

/* What is called otherwise here; other labels keep their names. */
static const struct {
	const char *label, *key;
	bool is_number;
} keys[] = {
	{ "service_name", "service.name", false }, { "host", "host.name", false }, { "comm", "thread.name", false },
	{ "pid", "process.pid", true }, { "tid", "thread.id", true }, { "cpu", "cpu.logical_number", true },
	{ "uid", "process.real_user.id", true }, { "cgroup", "process.linux.cgroup", false }, { "container", "container.id", false },
	{ "unit", "systemd.unit", false },
};

struct numbers_of { /* a growing array */
	s32 *number;
	u32 nr, alloc;
};

struct attribute {
	s64 key, value; /* texts */
	bool is_number;
};

struct stack { /* locations: nr numbers of .locations */
	u32 first, nr;
};

struct sample {
	u32 stack, first, nr; /* attributes: nr numbers of .attributes */
	s64 value;
};

struct otlp {
	const struct profile *profile;
	struct profile_numbers numbers;
	struct numbers_of locations, attributes;
	struct attribute *attribute; /* index 0 is empty, as in the next one */
	u32 nr_attributes, alloc_attributes;
	struct hash_index attribute_index;
	struct stack *stack;
	u32 nr_stacks, alloc_stacks;
	struct hash_index stack_index;
	struct sample *sample; /* of all events, one after the other */
	u32 nr_samples, alloc_samples;
	u32 *nr_of_event; /* samples, by event */
	void **memory;	  /* of messages */
	u32 nr_memory, alloc_memory;
};

static bool out_of_memory(struct otlp *o)
{
	o->numbers.no_memory = true;
	return false;
}

/* Room for one more element. */
static bool reserve(struct otlp *o, void *array, u32 nr, u32 *alloc, size_t size)
{
	u32 more = *alloc ? 2 * *alloc : 64;
	void *bigger;

	if (nr < *alloc)
		return true;
	bigger = more > nr ? reallocarray(*(void **)array, more, size) : NULL;
	if (!bigger)
		return out_of_memory(o);
	*(void **)array = bigger;
	*alloc = more;
	return true;
}

static void append(struct otlp *o, struct numbers_of *to, s32 number)
{
	if (reserve(o, &to->number, to->nr, &to->alloc, sizeof(*to->number)))
		to->number[to->nr++] = number;
}

/* Zeroed memory until the end. Without memory NULL: o->numbers.no_memory says so. */
static void *take(struct otlp *o, size_t nr, size_t size)
{
	void *memory;

	if (!reserve(o, &o->memory, o->nr_memory, &o->alloc_memory, sizeof(*o->memory)))
		return NULL;
	memory = calloc(nr ?: 1, size);
	if (!memory)
		out_of_memory(o);
	else
		o->memory[o->nr_memory++] = memory;
	return memory;
}

/* --- first pass: numbers --- */

static s32 number_attribute(struct otlp *o, const struct attribute *wanted)
{
	u32 hash = hash_mix(hash_mix(wanted->key, wanted->value), wanted->is_number), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&o->attribute_index, hash, &i))) {
		const struct attribute *a = &o->attribute[slot->place - 1];

		if (a->key == wanted->key && a->value == wanted->value && a->is_number == wanted->is_number)
			return slot->place - 1;
	}
	if (!reserve(o, &o->attribute, o->nr_attributes, &o->alloc_attributes, sizeof(*o->attribute)))
		return 0;
	if (hash_index__add(&o->attribute_index, hash, o->nr_attributes)) {
		out_of_memory(o);
		return 0;
	}
	o->attribute[o->nr_attributes] = *wanted;
	return o->nr_attributes++;
}

static const char *key_of(const char *label, size_t len, bool *is_number)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strlen(keys[i].label) == len && !memcmp(keys[i].label, label, len)) {
			*is_number = keys[i].is_number;
			return keys[i].key;
		}
	}
	*is_number = false;
	return NULL;
}

static void add_label(struct otlp *o, const char *label, size_t len, const char *value)
{
	struct attribute a;
	const char *key = key_of(label, len, &a.is_number);

	a.key = key ? profile_numbers__text(&o->numbers, key) : profile_numbers__copy(&o->numbers, label, len);
	a.value = profile_numbers__text(&o->numbers, value);
	append(o, &o->attributes, number_attribute(o, &a));
}

static void add_labels(struct otlp *o, const struct stack_node *node, struct sample *sample)
{
	sample->first = o->attributes.nr;
	for (; node->parent; node = node->parent) {
		const char *value = strchr(node->name, '=');

		if (node->kind == STACK_COMM)
			add_label(o, "comm", strlen("comm"), node->name);
		else if (value)
			add_label(o, node->name, value - node->name, value + 1);
	}
	sample->nr = o->attributes.nr - sample->first;
}

/* The stack of the locations that were appended since first. */
static u32 number_stack(struct otlp *o, u32 first)
{
	const struct stack wanted = { first, o->locations.nr - first };
	const struct hash_slot *slot;
	u32 hash = wanted.nr, i;

	for (u32 k = first; k < o->locations.nr; k++)
		hash = hash_mix(hash, o->locations.number[k]);
	i = hash;
	while ((slot = hash_index__next(&o->stack_index, hash, &i))) {
		const struct stack *s = &o->stack[slot->place - 1];

		if (s->nr == wanted.nr && (!s->nr || !memcmp(&o->locations.number[s->first], &o->locations.number[first], s->nr * sizeof(s32)))) {
			o->locations.nr = first;
			return slot->place - 1;
		}
	}
	if (!reserve(o, &o->stack, o->nr_stacks, &o->alloc_stacks, sizeof(*o->stack)))
		return 0;
	if (hash_index__add(&o->stack_index, hash, o->nr_stacks)) {
		out_of_memory(o);
		return 0;
	}
	o->stack[o->nr_stacks] = wanted;
	return o->nr_stacks++;
}

/* Samples of a clock are counted: the time is their number times the period, which receivers know by these names. */
static bool is_clock(const struct profile_event *event)
{
	return !strcmp(event->type, "cpu");
}

static void add_sample(struct otlp *o, const struct profile_event *event, const struct stack_node *node)
{
	struct sample sample = { .value = is_clock(event) ? node->nr : node->period };
	u32 first = o->locations.nr;

	for (; !stack_node__is_owner(node); node = node->parent) {
		profile_numbers__add_frame(&o->numbers, node);
		if (o->numbers.no_memory)
			return;
		append(o, &o->locations, profile_numbers__frame(&o->numbers, node)->id);
	}
	sample.stack = number_stack(o, first);
	add_labels(o, node, &sample);
	if (reserve(o, &o->sample, o->nr_samples, &o->alloc_samples, sizeof(*o->sample)))
		o->sample[o->nr_samples++] = sample;
}

static void number_event(struct otlp *o, u32 i)
{
	const struct profile_event *event = &o->profile->event[i];
	const struct stack_node *node = stack_tree__root(event->stacks);
	u32 before = o->nr_samples;

	profile_numbers__text(&o->numbers, "samples");
	profile_numbers__text(&o->numbers, "count");
	profile_numbers__text(&o->numbers, event->type);
	profile_numbers__text(&o->numbers, profile_event__unit(event));
	while ((node = profile__next_stack(node)) && !o->numbers.no_memory)
		add_sample(o, event, node);
	o->nr_of_event[i] = o->nr_samples - before;
}

static void number_all(struct otlp *o)
{
	const struct attribute none = { 0 };

	profile_numbers__text(&o->numbers, "");
	number_attribute(o, &none);
	number_stack(o, 0);
	o->nr_of_event = take(o, o->profile->nr_events, sizeof(*o->nr_of_event));
	for (u32 i = 0; i < o->profile->nr_events && !o->numbers.no_memory; i++)
		number_event(o, i);
	for (const struct numbered_mapping *m = o->numbers.mappings; m; m = m->hh.next) {
		const struct attribute id = { profile_numbers__text(&o->numbers, "process.executable.build_id.gnu"), m->build_id, false };

		if (m->build_id)
			number_attribute(o, &id);
	}
	if (!o->numbers.no_memory)
		profile_numbers__settle(&o->numbers);
}

/* --- second pass: messages. Without memory o->numbers.no_memory is set, and nothing is written. --- */

/* An array of nr messages of a type, and in *list the pointers to them that protobuf-c wants. NULL: no memory. */
#define MESSAGES(o, type, init, nr, list)						\
	({										\
		size_t nr_ = (nr);							\
		type *all_ = take(o, nr_, sizeof(*all_));				\
		type **list_ = take(o, nr_, sizeof(*list_));				\
		for (size_t i_ = 0; all_ && list_ && i_ < nr_; i_++) {			\
			all_[i_] = (type)init;						\
			list_[i_] = &all_[i_];						\
		}									\
		*(list) = list_;							\
		all_ && list_ ? all_ : NULL;						\
	})

static void fill_value(const struct otlp *o, const struct attribute *a, Perf__Otlp__AnyValue *value)
{
	const char *text = profile_numbers__text_at(&o->numbers, a->value);

	*value = (Perf__Otlp__AnyValue)PERF__OTLP__ANY_VALUE__INIT;
	value->value_case = a->is_number ? PERF__OTLP__ANY_VALUE__VALUE_INT_VALUE : PERF__OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	if (a->is_number)
		value->int_value = strtoll(text, NULL, 10);
	else
		value->string_value = (char *)text;
}

static void make_attributes(struct otlp *o, Perf__Otlp__ProfilesDictionary *d)
{
	Perf__Otlp__KeyValueAndUnit *all = MESSAGES(o, Perf__Otlp__KeyValueAndUnit, PERF__OTLP__KEY_VALUE_AND_UNIT__INIT, o->nr_attributes,
						    &d->attribute_table);
	Perf__Otlp__AnyValue *value = take(o, o->nr_attributes, sizeof(*value));

	d->n_attribute_table = o->nr_attributes;
	for (u32 i = 1; all && value && i < o->nr_attributes; i++) {
		all[i].key_strindex = o->attribute[i].key;
		all[i].value = &value[i];
		fill_value(o, &o->attribute[i], &value[i]);
	}
}

static void make_mappings(struct otlp *o, Perf__Otlp__ProfilesDictionary *d)
{
	u32 nr = HASH_COUNT(o->numbers.mappings) + 1;
	Perf__Otlp__Mapping *all = MESSAGES(o, Perf__Otlp__Mapping, PERF__OTLP__MAPPING__INIT, nr, &d->mapping_table);
	s32 *attribute = take(o, nr, sizeof(*attribute));

	d->n_mapping_table = nr;
	for (const struct numbered_mapping *m = o->numbers.mappings; all && attribute && m; m = m->hh.next) {
		Perf__Otlp__Mapping *message = &all[m->id];

		message->filename_strindex = profile_numbers__text(&o->numbers, m->dso->name);
		if (m->unnamed) {
			message->memory_start = m->low + m->bias;
			message->memory_limit = m->high + m->bias + 1;
			message->file_offset = m->low;
		}
		if (m->build_id) {
			attribute[m->id] = number_attribute(o, &(struct attribute){
				profile_numbers__text(&o->numbers, "process.executable.build_id.gnu"), m->build_id, false });
			message->attribute_indices = &attribute[m->id];
			message->n_attribute_indices = 1;
		}
	}
}

static void make_locations(struct otlp *o, Perf__Otlp__ProfilesDictionary *d)
{
	u32 nr = HASH_COUNT(o->numbers.frames) + 1, function = 0;
	Perf__Otlp__Location *location = MESSAGES(o, Perf__Otlp__Location, PERF__OTLP__LOCATION__INIT, nr, &d->location_table);
	Perf__Otlp__Function *functions = MESSAGES(o, Perf__Otlp__Function, PERF__OTLP__FUNCTION__INIT, nr, &d->function_table);
	Perf__Otlp__Line **lines, *line = MESSAGES(o, Perf__Otlp__Line, PERF__OTLP__LINE__INIT, nr, &lines);
	u32 *of_text = take(o, o->numbers.nr_texts, sizeof(*of_text)); /* functions of one name are one: here no file belongs to them */

	for (const struct numbered_frame *f = o->numbers.frames; location && functions && line && of_text && f; f = f->hh.next) {
		Perf__Otlp__Location *message = &location[f->id];
		s64 name;

		message->mapping_index = f->mapping ? f->mapping->id : 0;
		message->address = numbered_frame__address(f);
		if (f->unnamed)
			continue;
		name = profile_numbers__text(&o->numbers, f->key.name);
		if (!of_text[name]) {
			of_text[name] = ++function;
			functions[function].name_strindex = name;
		}
		line[f->id].function_index = of_text[name];
		message->lines = &lines[f->id];
		message->n_lines = 1;
	}
	d->n_location_table = nr;
	d->n_function_table = function + 1;
}

static void make_stacks(struct otlp *o, Perf__Otlp__ProfilesDictionary *d)
{
	Perf__Otlp__Stack *all = MESSAGES(o, Perf__Otlp__Stack, PERF__OTLP__STACK__INIT, o->nr_stacks, &d->stack_table);

	d->n_stack_table = o->nr_stacks;
	for (u32 i = 0; all && i < o->nr_stacks; i++) {
		all[i].location_indices = &o->locations.number[o->stack[i].first];
		all[i].n_location_indices = o->stack[i].nr;
	}
}

static void make_dictionary(struct otlp *o, Perf__Otlp__ProfilesDictionary *d)
{
	static u8 nothing[ID_SIZE];
	Perf__Otlp__Link *link = MESSAGES(o, Perf__Otlp__Link, PERF__OTLP__LINK__INIT, 1, &d->link_table);

	d->n_link_table = 1;
	if (link) {
		link->trace_id = (ProtobufCBinaryData){ 16, nothing };
		link->span_id = (ProtobufCBinaryData){ 8, nothing };
	}
	make_mappings(o, d);
	make_locations(o, d);
	make_stacks(o, d);
	make_attributes(o, d);
	d->string_table = take(o, o->numbers.nr_texts, sizeof(*d->string_table));
	d->n_string_table = o->numbers.nr_texts;
	for (u32 i = 0; d->string_table && i < o->numbers.nr_texts; i++)
		d->string_table[i] = (char *)profile_numbers__text_at(&o->numbers, i);
}

static void make_samples(struct otlp *o, Perf__Otlp__Profile *profile, const struct sample *from, u32 nr)
{
	Perf__Otlp__Sample *all = MESSAGES(o, Perf__Otlp__Sample, PERF__OTLP__SAMPLE__INIT, nr, &profile->samples);
	int64_t *value = take(o, nr, sizeof(*value));

	profile->n_samples = nr;
	for (u32 i = 0; all && value && i < nr; i++) {
		value[i] = from[i].value;
		all[i].stack_index = from[i].stack;
		all[i].attribute_indices = &o->attributes.number[from[i].first];
		all[i].n_attribute_indices = from[i].nr;
		all[i].values = &value[i];
		all[i].n_values = 1;
	}
}

static void fill_type(struct otlp *o, Perf__Otlp__ValueType *type, const char *name, const char *unit)
{
	type->type_strindex = profile_numbers__text(&o->numbers, name);
	type->unit_strindex = profile_numbers__text(&o->numbers, unit);
}

static void make_profile(struct otlp *o, Perf__Otlp__Profile *profile, u32 event, const struct sample *from)
{
	const struct profile_event *e = &o->profile->event[event];
	Perf__Otlp__ValueType **list, *type = MESSAGES(o, Perf__Otlp__ValueType, PERF__OTLP__VALUE_TYPE__INIT, 2, &list);
	u8 *id = take(o, 1, ID_SIZE);

	make_samples(o, profile, from, o->nr_of_event[event]);
	if (!type || !id)
		return;
	if (is_clock(e))
		fill_type(o, &type[0], "samples", "count");
	else
		fill_type(o, &type[0], e->type, profile_event__unit(e));
	profile->sample_type = &type[0];
	if (strcmp(e->type, "off_cpu")) { /* each sleep has its own length */
		fill_type(o, &type[1], e->type, profile_event__unit(e));
		profile->period_type = &type[1];
		profile->period = e->nr_samples ? e->total_period / e->nr_samples : 0;
	}
	profile->time_unix_nano = o->profile->wall_clock;
	profile->duration_nano = o->profile->time_last - o->profile->time_first;
	if (getrandom(id, ID_SIZE, GRND_NONBLOCK) == ID_SIZE)
		profile->profile_id = (ProtobufCBinaryData){ ID_SIZE, id };
}

static void make_profiles(struct otlp *o, Perf__Otlp__ScopeProfiles *scope)
{
	u32 nr = o->profile->nr_events, first = 0;
	Perf__Otlp__Profile *all = MESSAGES(o, Perf__Otlp__Profile, PERF__OTLP__PROFILE__INIT, nr, &scope->profiles);

	scope->n_profiles = nr;
	for (u32 i = 0; all && i < nr; i++) {
		make_profile(o, &all[i], i, o->sample + first);
		first += o->nr_of_event[i];
	}
}

static void make_resource(struct otlp *o, Perf__Otlp__Resource *resource)
{
	u32 nr = o->profile->nr_labels;
	Perf__Otlp__KeyValue *all = MESSAGES(o, Perf__Otlp__KeyValue, PERF__OTLP__KEY_VALUE__INIT, nr, &resource->attributes);
	Perf__Otlp__AnyValue **list, *value = MESSAGES(o, Perf__Otlp__AnyValue, PERF__OTLP__ANY_VALUE__INIT, nr, &list);
	bool is_number;

	resource->n_attributes = nr;
	for (u32 i = 0; all && value && i < nr; i++) {
		const struct profile_label *label = &o->profile->label[i];

		all[i].key = (char *)(key_of(label->name, strlen(label->name), &is_number) ?: label->name);
		all[i].value = &value[i];
		value[i].value_case = PERF__OTLP__ANY_VALUE__VALUE_STRING_VALUE;
		value[i].string_value = (char *)label->value;
	}
}

/* --- the whole --- */

static int pack(const Perf__Otlp__ExportProfilesServiceRequest *request, struct profile_body *body, struct errmsg *err)
{
	size_t size = perf__otlp__export_profiles_service_request__get_packed_size(request), room = 0;
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(GZIP_LEVEL);
	u8 *plain = malloc(size ?: 1);

	body->query = strdup("");
	body->data = NULL;
	if (plain && c) {
		perf__otlp__export_profiles_service_request__pack(request, plain);
		room = libdeflate_gzip_compress_bound(c, size);
		body->data = malloc(room);
	}
	if (body->data)
		body->size = libdeflate_gzip_compress(c, plain, size, body->data, room);
	libdeflate_free_compressor(c);
	free(plain);
	if (body->data && body->query)
		return 0;
	free(body->data);
	free(body->query);
	return errmsg__set(err, ENOMEM, "out of memory");
}

static int make_all(struct otlp *o, struct profile_body *body, struct errmsg *err)
{
	Perf__Otlp__ExportProfilesServiceRequest request = PERF__OTLP__EXPORT_PROFILES_SERVICE_REQUEST__INIT;
	Perf__Otlp__ResourceProfiles from = PERF__OTLP__RESOURCE_PROFILES__INIT, *froms = &from;
	Perf__Otlp__ScopeProfiles scope = PERF__OTLP__SCOPE_PROFILES__INIT, *scopes = &scope;
	Perf__Otlp__ProfilesDictionary dictionary = PERF__OTLP__PROFILES_DICTIONARY__INIT;
	Perf__Otlp__Resource resource = PERF__OTLP__RESOURCE__INIT;
	Perf__Otlp__InstrumentationScope perf = PERF__OTLP__INSTRUMENTATION_SCOPE__INIT;

	perf.name = (char *)"perf";
	scope.scope = &perf;
	from.resource = &resource;
	from.scope_profiles = &scopes;
	from.n_scope_profiles = 1;
	request.resource_profiles = &froms;
	request.n_resource_profiles = 1;
	request.dictionary = &dictionary;
	make_resource(o, &resource);
	make_profiles(o, &scope);
	make_dictionary(o, &dictionary);
	if (o->numbers.no_memory)
		return errmsg__set(err, ENOMEM, "out of memory");
	return pack(&request, body, err);
}

int profile__encode_otlp(const struct profile *profile, struct profile_body *body, struct errmsg *err)
{
	struct otlp o = { .profile = profile };
	int ret;

	number_all(&o);
	ret = o.numbers.no_memory ? errmsg__set(err, ENOMEM, "out of memory") : make_all(&o, body, err);
	for (u32 i = 0; i < o.nr_memory; i++)
		free(o.memory[i]);
	free(o.memory);
	free(o.sample);
	free(o.stack);
	free(o.attribute);
	free(o.locations.number);
	free(o.attributes.number);
	hash_index__exit(&o.attribute_index);
	hash_index__exit(&o.stack_index);
	profile_numbers__exit(&o.numbers);
	return ret;
}

u64 profile__otlp_rejected(const u8 *answer, size_t size)
{
	Perf__Otlp__ExportProfilesServiceResponse *response = perf__otlp__export_profiles_service_response__unpack(NULL, size, answer);
	u64 rejected = 0;

	if (response && response->partial_success && response->partial_success->rejected_profiles > 0)
		rejected = response->partial_success->rejected_profiles;
	if (response)
		perf__otlp__export_profiles_service_response__free_unpacked(response, NULL);
	return rejected;
}

// SPDX-License-Identifier: GPL-2.0
/* The tracepoint formats of one recording, for printing raw records. */
#include "util/event/tracepoint.h"

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "util/event/tp-check.h"
#include "util/event/tp-memo.h"
#include "util/event/tp-rewrite.h"
#include "util/event/tp-text.h"
#include "util/event/tp-trial.h"
#include "util/lib/hash.h"
#include "util/lib/printable.h"

struct format_name {
	int id;
	char *name; /* "sys:name" */
	struct tep_event *event;   /* the one that was checked: libtraceevent may have others with this id */
	struct tp_length *lengths; /* from its print format */
	u32 nr_lengths;
	bool fields_only; /* its print format cannot be parsed */
	bool by_bytes;	  /* its text depends on nothing but a record's bytes */
	UT_hash_handle hh;
};

struct tp_formats {
	struct tep_handle *tep;
	int long_size;
	struct format_name *names;
	char *(*resolve)(void *data, unsigned long long *addr, char **module);
	void *resolve_data;
	bool raw;
	struct tp_memo *memo;
	char *last; /* the text of the last record that the memo did not have */
};

struct tp_formats *tp_formats__new(bool file_bigendian, int long_size)
{
	struct tp_formats *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	tep_set_loglevel(TEP_LOG_NONE);
	f->tep = tep_alloc();
	f->memo = tp_memo__new();
	if (!f->tep || !f->memo) {
		tp_formats__delete(f);
		errno = ENOMEM;
		return NULL;
	}
	tep_set_file_bigendian(f->tep, file_bigendian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(f->tep, __BYTE_ORDER == __BIG_ENDIAN ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(f->tep, long_size);
	f->long_size = long_size;
	return f;
}

static void format_name__delete(struct format_name *row)
{
	free(row->name);
	free(row->lengths);
	free(row);
}

void tp_formats__delete(struct tp_formats *f)
{
	struct format_name *row, *next;

	if (!f)
		return;
	HASH_ITER(hh, f->names, row, next) {
		HASH_DEL(f->names, row);
		format_name__delete(row);
	}
	tep_free(f->tep);
	tp_memo__delete(f->memo);
	free(f->last);
	free(f);
}

/* Pointers may be printed as functions, whose names depend on the maps of the moment. */
static bool is_by_bytes(const struct tep_event *event)
{
	return !(event->flags & (TEP_EVENT_FL_ISFTRACE | TEP_EVENT_FL_ISPRINT | TEP_EVENT_FL_ISBPRINT)) && event->print_fmt.format &&
	       !strstr(event->print_fmt.format, "%p");
}

static struct format_name *new_name(struct tep_event *event, bool fields_only)
{
	struct format_name *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->id = event->id;
	row->event = event;
	row->fields_only = fields_only;
	row->by_bytes = !fields_only && is_by_bytes(event);
	if (asprintf(&row->name, "%s:%s", event->system, event->name) < 0)
		row->name = NULL;
	if (row->name && !tp_text__find_lengths(event, &row->lengths, &row->nr_lengths))
		return row;
	format_name__delete(row);
	return NULL;
}

static int add_name(struct tp_formats *f, struct tep_event *event, bool fields_only)
{
	struct format_name *row;

	if (tp_formats__name(f, event->id))
		return 0;
	row = new_name(event, fields_only);
	if (!row)
		return -ENOMEM;
	HASH_ADD_INT(f->names, id, row);
	if (hash_added(row))
		return 0;
	format_name__delete(row);
	return -ENOMEM;
}

static int add_tried(struct tp_formats *f, const char *sys, const char *format, size_t size, bool fields_only)
{
	struct tep_event *event = NULL;

	tp_trial__settle();
	tep_parse_format(f->tep, &event, format, size, sys);
	return event ? add_name(f, event, fields_only) : -ENOMEM;
}

/* Without its print format, which may be the part that cannot be parsed, an event's fields can still be printed. */
static int add_fields(struct tp_formats *f, const char *sys, const char *format, size_t size)
{
	static const char head[] = "\nprint fmt:", none[] = " \"\"\n";
	const char *print = memmem(format, size, head, strlen(head));
	size_t len = print ? print + strlen(head) - format : 0;
	int ret = -EINVAL;
	char *fields;

	if (!print)
		return -EINVAL;
	fields = malloc(len + sizeof(none));
	if (!fields)
		return -ENOMEM;
	memcpy(fields, format, len);
	memcpy(fields + len, none, sizeof(none));
	if (tp_trial__passes(f->long_size, sys, fields, len + strlen(none)))
		ret = add_tried(f, sys, fields, len + strlen(none), true);
	free(fields);
	return ret;
}

/* -EINVAL: it contains nothing to rewrite. */
static int add_rewritten(struct tp_formats *f, const char *sys, const char *format, size_t size)
{
	size_t len;
	char *text = tp_rewrite__dynamic_arrays(format, size, &len);
	int ret = -EINVAL;

	if (!text)
		return -errno;
	if (tp_trial__passes(f->long_size, sys, text, len))
		ret = add_tried(f, sys, text, len, false);
	free(text);
	return ret;
}

int tp_formats__add(struct tp_formats *f, const char *sys, const char *format, size_t size)
{
	int ret;

	if (tp_trial__passes(f->long_size, sys, format, size))
		return add_tried(f, sys, format, size, false);
	ret = add_rewritten(f, sys, format, size);
	return ret == -EINVAL ? add_fields(f, sys, format, size) : ret;
}

/*
 * Check `0xffffffff8281972f : "thaw_processes"`: libtraceevent 1.7 reads outside of lines without the colon, and before strings of
 * fewer than two characters. The kernel has no unterminated strings.
 */
static bool is_printk_line(const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);

	return len <= TP_TEXT_NAME && colon > line && line + len - colon >= (ptrdiff_t)strlen(": \"ab\"") &&
	       colon[1] == ' ' && colon[2] == '"' && line[len - 1] == '"';
}

int tp_formats__add_printk_formats(struct tp_formats *f, const char *text)
{
	char *good = malloc(strlen(text) + 2), *end = good; /* the last line may lack its newline */
	size_t len;
	int ret;

	if (!good)
		return -ENOMEM;
	for (; *text; text += len, text += *text == '\n') {
		len = strcspn(text, "\n");
		if (is_printk_line(text, len)) {
			end = mempcpy(end, text, len);
			*end++ = '\n';
		}
	}
	*end = '\0';
	ret = tep_parse_printk_formats(f->tep, good) ? -EINVAL : 0;
	free(good);
	return ret;
}

static char *resolve(void *data, unsigned long long *addr, char **module)
{
	const struct tp_formats *f = data;
	char *name = f->resolve(f->resolve_data, addr, module);

	return name && strnlen(name, TP_TEXT_NAME + 1) <= TP_TEXT_NAME ? name : NULL;
}

int tp_formats__set_resolver(struct tp_formats *f, char *(*cb)(void *data, unsigned long long *addr, char **module),
			     void *data)
{
	f->resolve = cb;
	f->resolve_data = data;
	return tep_set_function_resolver(f->tep, resolve, f) ? -ENOMEM : 0;
}

void tp_formats__set_raw(struct tp_formats *f)
{
	f->raw = true;
	tp_memo__empty(f->memo);
}

bool tp_formats__is_raw(const struct tp_formats *f)
{
	return f->raw;
}

static const struct format_name *find_name(const struct tp_formats *f, u64 id)
{
	const struct format_name *row;
	int key = (int)id;

	if (id > INT_MAX)
		return NULL;
	HASH_FIND_INT(f->names, &key, row);
	return row;
}

const char *tp_formats__name(const struct tp_formats *f, u64 id)
{
	const struct format_name *row = find_name(f, id);

	return row ? row->name : NULL;
}

/* It may contain strings of tasks. Some formats end with a newline. */
static void clean(struct trace_seq *seq)
{
	size_t len = seq->len;

	if (seq->state != TRACE_SEQ__GOOD)
		return;
	while (len && seq->buffer[len - 1] == '\n')
		len--;
	printable__clean_bytes(seq->buffer, len);
}

/* May libtraceevent evaluate the print format for this record? Each single conversion is as dangerous as all. */
static bool may_evaluate(const struct format_name *row, const struct tep_event *event, const void *data, u32 size)
{
	return row && row->event == event && !row->fields_only &&
	       tp_check__print_format(event, row->lengths, row->nr_lengths, data, size);
}

/*
 * Once libtraceevent has printed a string whose bytes are no text, such as a task's odd name, it takes that field of all later records for an array of
 * numbers. Bit n: the field n is a string; no event has 64 fields.
 */
static u64 strings_of(const struct tep_event *event)
{
	u64 strings = 0, bit = 1;

	for (const struct tep_format_field *field = event->format.fields; field; field = field->next, bit <<= 1)
		strings |= field->flags & TEP_FIELD_IS_STRING ? bit : 0;
	return strings;
}

static void keep_strings(struct tep_event *event, u64 strings)
{
	for (struct tep_format_field *field = event->format.fields; field; field = field->next, strings >>= 1)
		field->flags |= strings & 1 ? TEP_FIELD_IS_STRING : 0;
}

/* libtraceevent prints a number by its conversion in the print format, unless the format is marked as failed. */
static void print_fields(struct trace_seq *seq, struct tep_event *event, void *data, u32 size, bool evaluate)
{
	int flags = event->flags;

	event->flags |= evaluate ? 0 : TEP_EVENT_FL_FAILED;
	tep_print_fields(seq, data, (int)size, event);
	event->flags = flags;
}

/* The text of a record that was checked, malloc'ed; NULL: no memory. */
static char *make_text(const struct tp_formats *f, const struct format_name *row, struct tep_event *event, void *data, u32 size, int cpu)
{
	struct tep_record record = { .data = data, .size = (int)size, .cpu = cpu };
	bool evaluate = may_evaluate(row, event, data, size);
	const u64 strings = strings_of(event);
	struct trace_seq seq;
	char *text;

	trace_seq_init(&seq);
	if ((!row || row->fields_only) && !f->raw)
		trace_seq_puts(&seq, "[FAILED TO PARSE]"); /* libtraceevent's text for formats that it cannot parse */
	if (evaluate && !f->raw)
		tep_print_event(f->tep, &seq, &record, "%s", TEP_PRINT_INFO);
	else
		print_fields(&seq, event, data, size, evaluate);
	keep_strings(event, strings);
	clean(&seq);
	text = seq.state == TRACE_SEQ__GOOD ? strndup(seq.buffer, seq.len) : NULL;
	trace_seq_destroy(&seq);
	return text;
}

/* No tracepoint's record has more (PERF_MAX_TRACE_SIZE in include/linux/trace_events.h). */
#define MAX_FIELD_SIZE 8192

int tp_formats__field_width(const struct tp_formats *f, const char *event, const char *field)
{
	const struct format_name *row, *next;
	struct tep_format_field *place;

	HASH_ITER(hh, f->names, row, next) {
		struct tep_event *found = *event && strcmp(row->name, event) ? NULL : tep_find_event(f->tep, row->id);

		place = found ? tep_find_any_field(found, field) : NULL;
		if (place && place->size >= 0 && place->size <= MAX_FIELD_SIZE)
			return place->flags & TEP_FIELD_IS_STRING ? place->size : place->size * 2 + 2;
	}
	return -1;
}

/* Pass the record's size: a field of size 0 covers the rest, which libtraceevent otherwise assumes to be a page. */
static void show_field(struct tp_value *value, struct tep_format_field *field, void *data, u32 size, bool evaluate)
{
	const unsigned long is_string = field->flags & TEP_FIELD_IS_STRING;
	int flags = field->event->flags;
	struct trace_seq seq;

	trace_seq_init(&seq);
	field->event->flags |= evaluate ? 0 : TEP_EVENT_FL_FAILED; /* as in print_fields() */
	tep_print_field_content(&seq, data, (int)size, field);
	field->event->flags = flags;
	field->flags |= is_string; /* see strings_of() */
	clean(&seq);
	trace_seq_terminate(&seq);
	snprintf(value->shown, sizeof(value->shown), "%s", seq.buffer ?: "");
	trace_seq_destroy(&seq);
}

/* NULL: the record is of another tracepoint, or lacks the field. */
static struct tep_format_field *find_place(const struct tp_formats *f, const void *raw, u32 size, const char *event, const char *field)
{
	const char *name = size >= sizeof(u16) && size <= INT_MAX ? tp_formats__name(f, tep_read_number(f->tep, raw, sizeof(u16))) : NULL;
	struct tep_event *found = name && (!*event || !strcmp(name, event)) ? tep_find_event_by_record(f->tep, &(struct tep_record){
		.data = (void *)raw, .size = (int)size }) : NULL;
	struct tep_format_field *place = found ? tep_find_any_field(found, field) : NULL;

	return place && tp_check__fields(found, raw, size) ? place : NULL;
}

int tp_formats__number(const struct tp_formats *f, const void *raw, u32 size, const char *event, const char *field, u64 *number)
{
	const struct tep_format_field *place = find_place(f, raw, size, event, field);
	unsigned long long value;

	if (!place || place->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING | TEP_FIELD_IS_DYNAMIC) || place->size > 8 ||
	    tep_read_number_field((struct tep_format_field *)place, raw, &value))
		return -ENOENT;
	*number = value;
	if (place->flags & TEP_FIELD_IS_SIGNED && place->size < 8)
		*number = (u64)((s64)(value << (64 - 8 * place->size)) >> (64 - 8 * place->size));
	return 0;
}

int tp_formats__value(const struct tp_formats *f, const void *raw, u32 size, const char *event, const char *field,
		      struct tp_value *value)
{
	struct tep_format_field *place = find_place(f, raw, size, event, field);
	u32 offset;
	char *copy;

	if (!place)
		return -ENOENT;
	offset = place->offset;
	*value = (struct tp_value){ .size = place->size, .is_text = place->flags & TEP_FIELD_IS_STRING };
	if (place->flags & TEP_FIELD_IS_DYNAMIC) { /* tp_check__fields() has checked its target */
		u32 where = tep_read_number(f->tep, (const char *)raw + offset, sizeof(where));

		offset = (where & 0xffff) + (place->flags & TEP_FIELD_IS_RELATIVE ? offset + sizeof(where) : 0);
		value->size = where >> 16;
	}
	value->bytes = (const u8 *)raw + offset;
	copy = calloc(1, (size_t)size + 1); /* as in tp_formats__print() */
	if (!copy)
		return -ENOMEM;
	memcpy(copy, raw, size);
	show_field(value, place, copy, size, may_evaluate(find_name(f, place->event->id), place->event, raw, size));
	free(copy);
	return 0;
}

static void read_place(const struct tp_formats *f, struct tep_format_field *place, const void *raw, struct tp_field *field)
{
	unsigned long long number = 0;
	u32 offset = place->offset;

	*field = (struct tp_field){
		.name = place->name, .type = place->type, .size = place->size, .is_text = place->flags & TEP_FIELD_IS_STRING,
		.is_signed = place->flags & TEP_FIELD_IS_SIGNED, .is_address = place->flags & TEP_FIELD_IS_POINTER,
	};
	if (place->flags & TEP_FIELD_IS_DYNAMIC) { /* tp_check__fields() has checked its target */
		u32 where = tep_read_number(f->tep, (const char *)raw + offset, sizeof(where));

		offset = (where & 0xffff) + (place->flags & TEP_FIELD_IS_RELATIVE ? offset + sizeof(where) : 0);
		field->size = where >> 16;
	} else if (!(place->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING)) && place->size <= 8 && !tep_read_number_field(place, raw, &number)) {
		field->is_number = true;
		field->number = number;
		if (field->is_signed && place->size < 8)
			field->number = (u64)((s64)(number << (64 - 8 * place->size)) >> (64 - 8 * place->size));
	}
	field->bytes = (const u8 *)raw + offset;
}

int tp_formats__for_each_value(const struct tp_formats *f, const void *raw, u32 size, int (*cb)(void *arg, const struct tp_field *field), void *arg)
{
	struct tep_event *event = size >= sizeof(u16) && size <= INT_MAX ? tep_find_event_by_record(f->tep, &(struct tep_record){
		.data = (void *)raw, .size = (int)size }) : NULL;
	int ret = 0;

	if (!event || !tp_check__fields(event, raw, size))
		return -ENOENT;
	for (struct tep_format_field *place = event->format.fields; place && !ret; place = place->next) {
		struct tp_field field;

		read_place(f, place, raw, &field);
		ret = cb(arg, &field);
	}
	return ret;
}

/* Make f->last. */
static const char *print_new(struct tp_formats *f, const struct format_name *row, struct tep_event *event, const void *raw, u32 size, int cpu)
{
	/* Strings are printed up to their NUL: one after the record's end keeps that inside. */
	char *copy = calloc(1, (size_t)size + 1);

	free(f->last);
	f->last = NULL;
	if (copy) {
		memcpy(copy, raw, size);
		f->last = make_text(f, row, event, copy, size, cpu);
	}
	free(copy);
	return f->last ?: "[out of memory]";
}

static const char *text_of(struct tp_formats *f, const void *raw, u32 size, int cpu)
{
	const struct format_name *row;
	struct tep_event *event;
	const char *text;
	u16 id;

	if (size < sizeof(id) || size > INT_MAX)
		return "[unreadable]";
	id = tep_read_number(f->tep, raw, sizeof(id));
	event = tep_find_event(f->tep, id);
	if (!event) {
		free(f->last);
		if (asprintf(&f->last, "[unknown tracepoint %u]", id) < 0)
			f->last = NULL;
		return f->last ?: "[out of memory]";
	}
	if (!tp_check__fields(event, raw, size))
		return "[truncated]";
	row = find_name(f, event->id);
	text = print_new(f, row, event, raw, size, cpu);
	if (row && row->by_bytes && text == f->last)
		tp_memo__put(f->memo, raw, size, text, strlen(text));
	return text;
}

const char *tp_formats__text(struct tp_formats *f, const void *raw, u32 size, int cpu, size_t *len)
{
	const char *text = tp_memo__find(f->memo, raw, size, len);

	if (text)
		return text;
	text = text_of(f, raw, size, cpu);
	*len = strlen(text);
	return text;
}

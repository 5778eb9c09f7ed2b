// SPDX-License-Identifier: GPL-2.0
/* The tracepoint formats of one recording, for printing raw records. */
#include "util/event/tracepoint.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "util/event/tp-check.h"
#include "util/event/tp-field.h"
#include "util/event/tp-memo.h"
#include "util/event/tp-parse.h"
#include "util/event/tp-print.h"
#include "util/event/tp-rewrite.h"
#include "util/event/tp-text.h"
#include "util/event/tp-trial.h"
#include "util/lib/hash.h"
#include "util/lib/printable.h"
#include "util/lib/text.h"

#define MAX_PRINT (64 << 10) /* the largest one of Linux 6.18 has 5.5 KiB */

struct format_name {
	int id;
	char *name; /* "sys:name" */
	struct tep_event *event;   /* the one that was checked: libtraceevent may have others with this id */
	struct tp_print *print; /* NULL: its print format cannot be parsed */
	char *unknown;	  /* the text of a print format with names that tp_formats.constant may know, until the first use */
	bool by_bytes;	  /* its text depends on nothing but a record's bytes */
	UT_hash_handle hh;
};

struct kernel_string { /* of printk_formats */
	u64 address;
	char *text;
	UT_hash_handle hh;
};

struct tp_formats {
	struct tep_handle *tep;
	int long_size;
	struct format_name *names;
	struct kernel_string *strings;
	char *(*resolve)(void *data, unsigned long long *addr, char **module);
	void *resolve_data;
	tp_constant_fn constant;
	void *constant_data;
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
	free(row->unknown);
	tp_print__delete(row->print);
	free(row);
}

static void delete_strings(struct tp_formats *f)
{
	struct kernel_string *row, *next;

	HASH_ITER(hh, f->strings, row, next) {
		HASH_DEL(f->strings, row);
		free(row->text);
		free(row);
	}
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
	delete_strings(f);
	tep_free(f->tep);
	tp_memo__delete(f->memo);
	free(f->last);
	free(f);
}

/* Pointers may be printed as functions, whose names depend on the maps of the moment. */
static bool is_by_bytes(const struct tp_print *print)
{
	for (u32 i = 0; i < print->nr; i++) {
		if (print->conversion[i].kind == 'p')
			return false;
	}
	return true;
}

/* trace_printk's binary form carries arguments that only its own format, which the kernel has, could tell apart. */
static bool has_own_text(const struct tep_event *event)
{
	return event->flags & TEP_EVENT_FL_ISBPRINT;
}

static struct format_name *new_name(struct tp_formats *f, struct tep_event *event, const char *print, size_t size)
{
	struct format_name *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->id = event->id;
	row->event = event;
	if (asprintf(&row->name, "%s:%s", event->system, event->name) < 0)
		row->name = NULL;
	errno = 0;
	row->print = size <= MAX_PRINT ? tp_print__new(print, size, event, f->long_size, NULL, NULL) : NULL;
	row->by_bytes = row->print && is_by_bytes(row->print);
	if (row->print && row->print->has_unknown)
		row->unknown = strndup(print, size);
	if (row->name && (row->print ? !row->print->has_unknown || row->unknown : errno != ENOMEM))
		return row;
	format_name__delete(row);
	return NULL;
}

static int add_name(struct tp_formats *f, struct tep_event *event, const char *print, size_t size)
{
	struct format_name *row;

	if (tp_formats__name(f, event->id))
		return 0;
	row = new_name(f, event, print, size);
	if (!row)
		return -ENOMEM;
	HASH_ADD_INT(f->names, id, row);
	if (hash_added(row))
		return 0;
	format_name__delete(row);
	return -ENOMEM;
}

void tp_formats__set_constants(struct tp_formats *f, tp_constant_fn cb, void *data)
{
	f->constant = cb;
	f->constant_data = data;
}

int tp_formats__add(struct tp_formats *f, const char *sys, const char *format, size_t size)
{
	struct tep_event *event = NULL;
	size_t fields_size, print_size;
	int ret = -EINVAL;
	const char *print;
	char *fields = tp_rewrite__fields(format, size, &fields_size, &print, &print_size);

	if (!fields)
		return -errno;
	if (tp_trial__passes(f->long_size, sys, fields, fields_size)) {
		tp_trial__settle();
		tep_parse_format(f->tep, &event, fields, fields_size, sys);
		ret = event ? add_name(f, event, print, print_size) : -ENOMEM;
	}
	free(fields);
	return ret;
}

/* Kernel strings */

static int add_string(struct tp_formats *f, u64 address, const char *text, size_t len)
{
	struct kernel_string *row;

	HASH_FIND(hh, f->strings, &address, sizeof(address), row);
	if (row)
		return 0;
	row = calloc(1, sizeof(*row));
	if (!row)
		return -ENOMEM;
	row->address = address;
	row->text = strndup(text, len);
	if (row->text) {
		HASH_ADD(hh, f->strings, address, sizeof(address), row);
		if (hash_added(row))
			return 0;
	}
	free(row->text);
	free(row);
	return -ENOMEM;
}

/* A line like 0xffffffff8281972f : "thaw_processes" */
static int add_printk_line(struct tp_formats *f, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len), *text = colon ? colon + strlen(": \"") : NULL;
	char *end;
	u64 address;

	if (len > TP_TEXT_NAME || !colon || line + len - colon < (ptrdiff_t)strlen(": \"a\"") || colon[1] != ' ' || colon[2] != '"' || line[len - 1] != '"')
		return 0;
	address = strtoull(line, &end, 16);
	return end > line && end <= colon ? add_string(f, address, text, line + len - 1 - text) : 0;
}

int tp_formats__add_printk_formats(struct tp_formats *f, const char *text)
{
	size_t len;
	int ret = 0;

	for (; *text && !ret; text += len, text += *text == '\n') {
		len = strcspn(text, "\n");
		ret = add_printk_line(f, text, len);
	}
	return ret;
}

static const char *find_string(void *data, u64 address)
{
	const struct tp_formats *f = data;
	struct kernel_string *row;

	HASH_FIND(hh, f->strings, &address, sizeof(address), row);
	return row ? row->text : NULL;
}

static char *resolve(void *data, unsigned long long *addr)
{
	const struct tp_formats *f = data;
	char *module = NULL, *name = f->resolve ? f->resolve(f->resolve_data, addr, &module) : NULL;

	return name && strnlen(name, TP_TEXT_NAME + 1) <= TP_TEXT_NAME ? name : NULL;
}

int tp_formats__set_resolver(struct tp_formats *f, char *(*cb)(void *data, unsigned long long *addr, char **module),
			     void *data)
{
	f->resolve = cb;
	f->resolve_data = data;
	return 0;
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

static struct format_name *find_name(const struct tp_formats *f, u64 id)
{
	struct format_name *row;
	int key = (int)id;

	if (id > INT_MAX)
		return NULL;
	HASH_FIND_INT(f->names, &key, row);
	return row;
}

/* The same to print with: by now it is known whose names they are. */
static const struct format_name *find_known(const struct tp_formats *f, u64 id)
{
	struct format_name *row = find_name(f, id);
	struct tp_print *known;

	if (!row || !row->unknown || !f->constant)
		return row;
	known = tp_print__new(row->unknown, strlen(row->unknown), row->event, f->long_size, f->constant, f->constant_data);
	if (known) {
		tp_print__delete(row->print);
		row->print = known;
	}
	free(row->unknown);
	row->unknown = NULL;
	return row;
}

const char *tp_formats__name(const struct tp_formats *f, u64 id)
{
	const struct format_name *row = find_name(f, id);

	return row ? row->name : NULL;
}

/* It may contain strings of tasks. Some formats end with a newline. */
static void clean(struct text *text, size_t begin)
{
	size_t len = text->len;

	while (len > begin && text->buf[len - 1] == '\n')
		len--;
	if (len > begin)
		printable__clean_bytes(text->buf + begin, len - begin);
	text->len = len;
}

static struct tp_record record_of(const struct tp_formats *f, const struct tep_event *event, const void *raw, u32 size)
{
	return (struct tp_record){ .tep = f->tep, .long_size = f->long_size, .data = raw, .size = size, .is_probe = tp_field__is_probe(event),
				   .function = resolve, .string = find_string, .names_data = (void *)f };
}

/* u8 are numbers, also where libtraceevent takes them for characters. */
static bool is_text(const struct tep_format_field *field)
{
	return field->flags & TEP_FIELD_IS_STRING && strstr(field->type, "char");
}

static bool looks_like_text(const u8 *bytes, u32 len)
{
	for (u32 i = 0; i < len && bytes[i]; i++) {
		if (!isprint(bytes[i]) && !isspace(bytes[i]))
			return false;
	}
	return true;
}

static void put_bytes(const struct tep_format_field *field, const struct tp_result *data, struct text *out)
{
	if (is_text(field) && looks_like_text(data->data, data->len)) {
		text__put(out, (const char *)data->data, strnlen((const char *)data->data, data->len));
		return;
	}
	text__str(out, "ARRAY[");
	for (u32 i = 0; i < data->len; i++)
		text__printf(out, i ? ", %02x" : "%02x", data->data[i]);
	text__char(out, ']');
}

/* In the way of libtraceevent's plain fields: a long is often an address. */
static void put_plain_number(const struct tep_format_field *field, u64 number, struct text *out)
{
	const bool is_long = field->flags & TEP_FIELD_IS_LONG;

	if (field->flags & TEP_FIELD_IS_POINTER || (is_long && !(field->flags & TEP_FIELD_IS_SIGNED)))
		text__printf(out, "0x%" PRIx64, number);
	else if (is_long && field->size == 4)
		text__printf(out, "0x%x", (u32)number);
	else if (field->flags & TEP_FIELD_IS_SIGNED)
		text__printf(out, "%" PRId64, (s64)number);
	else
		text__printf(out, "%" PRIu64, number);
}

/* A number is printed by its conversion in the print format (NULL: by none). */
static void put_value(const struct tp_record *rec, const struct tp_print *print, const struct tep_format_field *field, struct text *out)
{
	const struct tp_result value = tp_eval__field(rec, field);
	const struct tp_conversion *c = print && value.kind == TP_VALUE_NUMBER ? tp_print__of_field(print, field) : NULL;
	const size_t begin = out->len;

	if (value.kind == TP_VALUE_DATA) {
		put_bytes(field, &value, out);
	} else if (!c || !tp_print__conversion(rec, c, out)) {
		out->len = begin;
		put_plain_number(field, value.number, out);
	}
}

#define MAX_TEXT(size) (TP_TEXT_FIXED + TP_TEXT_PER_BYTE * (size_t)(size))

static void put_fields(const struct tp_record *rec, const struct tp_print *print, const struct tep_event *event, struct text *out)
{
	for (const struct tep_format_field *field = event->format.fields; field && out->len < MAX_TEXT(rec->size); field = field->next) {
		text__char(out, ' ');
		text__str(out, field->name);
		text__char(out, '=');
		put_value(rec, print, field, out);
	}
	if (out->len > MAX_TEXT(rec->size))
		out->len = MAX_TEXT(rec->size);
}

/* The text of a record that was checked, malloc'ed; NULL: no memory. */
static char *make_text(const struct tp_formats *f, const struct format_name *row, const struct tep_event *event, const void *raw, u32 size)
{
	const struct tp_record rec = record_of(f, event, raw, size);
	const struct tp_print *print = row && row->event == event && !has_own_text(event) ? row->print : NULL;
	struct text out = {};
	char *text;

	if ((!row || !row->print) && !f->raw)
		text__str(&out, "[FAILED TO PARSE]"); /* as other perfs show formats that they cannot parse */
	if (f->raw) {
		put_fields(&rec, print, event, &out);
	} else if (!print || !tp_print__record(print, &rec, &out)) {
		if (print)
			out.len = 0;
		put_fields(&rec, NULL, event, &out);
	}
	clean(&out, 0);
	text = out.failed ? NULL : strndup(out.buf ?: "", out.len);
	text__exit(&out);
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
	const struct tep_format_field *place = find_place(f, raw, size, event, field);

	if (!place)
		return -ENOENT;
	*value = (struct tp_value){ .size = place->size, .is_text = is_text(place), .bytes = (const u8 *)raw + place->offset };
	if (place->flags & TEP_FIELD_IS_DYNAMIC) {
		const struct tp_record rec = record_of(f, place->event, raw, size);
		const struct tp_result result = tp_eval__field(&rec, place);

		value->bytes = result.data;
		value->size = result.len;
	}
	return 0;
}

int tp_formats__show(const struct tp_formats *f, const void *raw, u32 size, const char *event, const char *field, char *shown, size_t room)
{
	const struct tep_format_field *place = find_place(f, raw, size, event, field);
	const struct format_name *row;
	struct tp_record rec;
	struct text out = {};

	if (!place)
		return -ENOENT;
	rec = record_of(f, place->event, raw, size);
	row = find_known(f, place->event->id);
	put_value(&rec, row && row->event == place->event ? row->print : NULL, place, &out);
	clean(&out, 0);
	snprintf(shown, room, "%.*s", (int)out.len, out.buf ?: "");
	text__exit(&out);
	return 0;
}

static bool is_strings(const struct tep_format_field *field)
{
	return !strncmp(field->type, TP_REWRITE_STRINGS, strlen(TP_REWRITE_STRINGS));
}

static struct tp_field read_place(const struct tp_record *rec, const struct tep_format_field *place)
{
	const struct tp_result value = tp_eval__field(rec, place);
	struct tp_field field = {
		.name = place->name, .type = place->type, .size = place->size, .is_text = is_text(place), .is_signed = place->flags & TEP_FIELD_IS_SIGNED,
		.is_address = place->flags & TEP_FIELD_IS_POINTER, .bytes = rec->data + place->offset,
	};

	if (value.kind == TP_VALUE_NUMBER) {
		field.is_number = true;
		field.number = value.number;
		return field;
	}
	field.bytes = value.data;
	field.size = value.len;
	if (is_strings(place)) {
		field.nr_elements = value.len / sizeof(u32);
	} else if (!field.is_text) {
		const u8 size = tp_type__of_field(place).size;

		if (size == 1 || size == 2 || size == 4 || size == 8)
			field.nr_elements = value.len / size;
	}
	return field;
}

/* One that the kernel could not read is no failure. */
static void read_string(const struct tp_record *rec, const struct tep_format_field *place, u32 i, struct tp_field *element)
{
	const struct tp_expr field = { .kind = TP_EXPR_FIELD, .field = place, .type = tp_type__of_field(place) }, index = { .kind = TP_EXPR_NUMBER, .number = i, .type = { .size = 4 } };
	const struct tp_expr get = { .kind = TP_EXPR_CALL, .op = TP_STR, .arg = { (struct tp_expr *)&field, (struct tp_expr *)&index } };
	struct tp_result text;
	const bool is_read = tp_eval__expr(rec, &get, &text) && text.len;

	*element = (struct tp_field){
		.is_text = true, .is_fault = !is_read, .bytes = is_read ? text.data : rec->data, .size = is_read ? text.len : 0,
	};
}

static char conversion_of(const struct tp_formats *f, const struct tep_format_field *place)
{
	const struct format_name *row = tp_field__is_probe(place->event) ? find_name(f, place->event->id) : NULL;

	return row && row->event == place->event && row->print ? tp_print__kind(row->print, place) : 0;
}

void tp_formats__element(const struct tp_formats *f, const struct tp_field *array, u32 i, struct tp_field *element)
{
	const struct tp_record rec = record_of(f, array->place->event, array->raw, array->raw_size);
	struct tp_result data = tp_eval__field(&rec, array->place);

	if (is_strings(array->place)) {
		read_string(&rec, array->place, i, element);
		return;
	}
	data.type = tp_type__of_field(array->place);
	*element = (struct tp_field){ .is_number = true, .is_signed = data.type.is_signed, .conversion = array->conversion,
				       .number = tp_eval__element(&rec, &data, i) };
}

int tp_formats__for_each_value(const struct tp_formats *f, const void *raw, u32 size, int (*cb)(void *arg, const struct tp_field *field), void *arg)
{
	struct tep_event *event = size >= sizeof(u16) && size <= INT_MAX ? tep_find_event_by_record(f->tep, &(struct tep_record){
		.data = (void *)raw, .size = (int)size }) : NULL;
	struct tp_record rec;
	int ret = 0;

	if (!event || !tp_check__fields(event, raw, size))
		return -ENOENT;
	rec = record_of(f, event, raw, size);
	for (struct tep_format_field *place = event->format.fields; place && !ret; place = place->next) {
		struct tp_field field = read_place(&rec, place);

		field.conversion = conversion_of(f, place);
		field.is_fault = field.is_text && !field.size && rec.is_probe;
		field.place = place;
		field.raw = raw;
		field.raw_size = size;
		ret = cb(arg, &field);
	}
	return ret;
}

static const char *print_new(struct tp_formats *f, const struct format_name *row, const struct tep_event *event, const void *raw, u32 size)
{
	free(f->last);
	f->last = make_text(f, row, event, raw, size);
	return f->last ?: "[out of memory]";
}

static const char *text_of(struct tp_formats *f, const void *raw, u32 size)
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
	row = find_known(f, event->id);
	text = print_new(f, row, event, raw, size);
	if (row && row->by_bytes && text == f->last)
		tp_memo__put(f->memo, raw, size, text, strlen(text));
	return text;
}

const char *tp_formats__text(struct tp_formats *f, const void *raw, u32 size, int cpu, size_t *len)
{
	const char *text = tp_memo__find(f->memo, raw, size, len);

	if (text)
		return text;
	text = text_of(f, raw, size);
	*len = strlen(text);
	return text;
}

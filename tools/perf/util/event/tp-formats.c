// SPDX-License-Identifier: GPL-2.0
/* The tracepoint formats of one recording, and raw records printed by them. */
#include "util/event/tracepoint.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "util/event/tp-check.h"
#include "util/lib/hash.h"
#include "util/lib/printable.h"

#define TRIAL_SECONDS 5 /* for a format that parsing never comes to the end of */

struct format_name {
	int id;
	char *name; /* "sys:name" */
	UT_hash_handle hh;
};

struct tp_formats {
	struct tep_handle *tep;
	struct format_name *names;
	bool raw;
};

struct tp_formats *tp_formats__new(bool file_bigendian, int long_size)
{
	struct tp_formats *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	tep_set_loglevel(TEP_LOG_NONE);
	f->tep = tep_alloc();
	if (!f->tep) {
		free(f);
		errno = ENOMEM;
		return NULL;
	}
	tep_set_file_bigendian(f->tep, file_bigendian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(f->tep, __BYTE_ORDER == __BIG_ENDIAN ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(f->tep, long_size);
	return f;
}

void tp_formats__delete(struct tp_formats *f)
{
	struct format_name *row, *next;

	if (!f)
		return;
	HASH_ITER(hh, f->names, row, next) {
		HASH_DEL(f->names, row);
		free(row->name);
		free(row);
	}
	tep_free(f->tep);
	free(f);
}

static int add_name(struct tp_formats *f, const struct tep_event *event)
{
	struct format_name *row;

	if (tp_formats__name(f, event->id))
		return 0;
	row = calloc(1, sizeof(*row));
	if (!row)
		return -ENOMEM;
	if (asprintf(&row->name, "%s:%s", event->system, event->name) < 0) {
		free(row);
		return -ENOMEM;
	}
	row->id = event->id;
	HASH_ADD_INT(f->names, id, row);
	if (hash_added(row))
		return 0;
	free(row->name);
	free(row);
	return -ENOMEM;
}

/* All kernels since 2.6.31 have the event's id in the first two bytes of a record. */
static bool id_in_place(const struct tep_event *event)
{
	const struct tep_format_field *field = event->format.common_fields;

	return field && !strcmp(field->name, "common_type") && field->offset == 0 && field->size == 2;
}

/*
 * Is there an event in this format, with its id where every event has it? libtraceevent takes that place from whichever event
 * it knows first, and cannot forget one again; so a format is tried in a handle of its own.
 */
static bool is_usable(const char *sys, const char *format, size_t size)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event = NULL;
	bool usable;

	if (!tep)
		return false;
	tep_parse_format(tep, &event, format, size, sys);
	usable = event && id_in_place(event);
	tep_free(tep);
	return usable;
}

static void __attribute__((noreturn)) trial(struct tp_formats *f, const char *sys, const char *format, size_t size, int result_fd)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM };
	struct tep_event *event = NULL;

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		signal(crashes[i], SIG_DFL); /* whoever has a handler takes the crash for its own */
	alarm(TRIAL_SECONDS);
	if (is_usable(sys, format, size)) {
		tep_parse_format(f->tep, &event, format, size, sys);
		if (write(result_fd, "", 1) < 0) {
			/* Without an answer the format is refused. */
		}
	}
	_exit(0);
}

/*
 * libtraceevent 1.7 trusts formats: some wrong ones make it divide by zero or follow a NULL pointer. They come from files, so
 * that a child goes first; if it does not live to give its answer, the format is not for us.
 */
static bool survives_trial(struct tp_formats *f, const char *sys, const char *format, size_t size)
{
	ssize_t answered;
	int fd[2];
	char answer;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return false;
	pid = fork();
	if (!pid)
		trial(f, sys, format, size, fd[1]);
	close(fd[1]);
	do
		answered = read(fd[0], &answer, 1);
	while (answered < 0 && errno == EINTR);
	close(fd[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return answered == 1;
}

int tp_formats__add(struct tp_formats *f, const char *sys, const char *format, size_t size)
{
	struct tep_event *event = NULL;

	if (!survives_trial(f, sys, format, size))
		return -EINVAL;
	/* This fails for a print format that is not understood, but gives the event; then its fields are printed. */
	tep_parse_format(f->tep, &event, format, size, sys);
	return event ? add_name(f, event) : -ENOMEM;
}

/*
 * `0xffffffff8281972f : "thaw_processes"`: libtraceevent 1.7 reads outside of lines without the colon, and before strings of
 * fewer than two characters.
 */
static bool is_printk_line(const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);

	return colon > line && line + len - colon >= (ptrdiff_t)strlen(": \"ab\"") && colon[1] == ' ' && colon[2] == '"' &&
	       line[len - 1] == '"';
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

int tp_formats__set_resolver(struct tp_formats *f, char *(*cb)(void *data, unsigned long long *addr, char **module),
			     void *data)
{
	return tep_set_function_resolver(f->tep, cb, data) ? -ENOMEM : 0;
}

void tp_formats__set_raw(struct tp_formats *f)
{
	f->raw = true;
}

bool tp_formats__is_raw(const struct tp_formats *f)
{
	return f->raw;
}

const char *tp_formats__name(const struct tp_formats *f, u64 id)
{
	const struct format_name *row;
	int key = (int)id;

	if (id > INT_MAX)
		return NULL;
	HASH_FIND_INT(f->names, &key, row);
	return row ? row->name : NULL;
}

/* Strings of tasks are in it. Some formats end with a newline. */
static void clean(struct trace_seq *seq)
{
	size_t len = seq->len;

	if (seq->state != TRACE_SEQ__GOOD)
		return;
	while (len && seq->buffer[len - 1] == '\n')
		len--;
	printable__clean_bytes(seq->buffer, len);
}

static void print_checked(const struct tp_formats *f, FILE *fp, struct tep_event *event, void *data, u32 size, int cpu)
{
	struct tep_record record = { .data = data, .size = (int)size, .cpu = cpu };
	struct trace_seq seq;

	trace_seq_init(&seq);
	if (!f->raw && tp_check__print_format(event, data, size))
		tep_print_event(f->tep, &seq, &record, "%s", TEP_PRINT_INFO);
	else
		tep_print_fields(&seq, data, (int)size, event);
	clean(&seq);
	trace_seq_do_fprintf(&seq, fp);
	trace_seq_destroy(&seq);
}

int tp_formats__field_width(const struct tp_formats *f, const char *event, const char *field)
{
	const struct format_name *row, *next;
	struct tep_format_field *place;

	HASH_ITER(hh, f->names, row, next) {
		struct tep_event *found = *event && strcmp(row->name, event) ? NULL : tep_find_event(f->tep, row->id);

		place = found ? tep_find_any_field(found, field) : NULL;
		if (place)
			return place->flags & TEP_FIELD_IS_STRING ? place->size : place->size * 2 + 2;
	}
	return -1;
}

static void show_field(struct tp_value *value, struct tep_format_field *field, void *data)
{
	struct trace_seq seq;

	trace_seq_init(&seq);
	tep_print_field(&seq, data, field);
	clean(&seq);
	trace_seq_terminate(&seq);
	snprintf(value->shown, sizeof(value->shown), "%s", seq.buffer ?: "");
	trace_seq_destroy(&seq);
}

int tp_formats__value(const struct tp_formats *f, const void *raw, u32 size, const char *event, const char *field,
		      struct tp_value *value)
{
	const char *name = size >= sizeof(u16) && size <= INT_MAX ? tp_formats__name(f, tep_read_number(f->tep, raw, sizeof(u16))) : NULL;
	struct tep_event *found = name && (!*event || !strcmp(name, event)) ? tep_find_event_by_record(f->tep, &(struct tep_record){
		.data = (void *)raw, .size = (int)size }) : NULL;
	struct tep_format_field *place = found ? tep_find_any_field(found, field) : NULL;
	u32 offset;
	char *copy;

	if (!place || !tp_check__fields(found, raw, size))
		return -ENOENT;
	offset = place->offset;
	*value = (struct tp_value){ .size = place->size, .is_text = place->flags & TEP_FIELD_IS_STRING };
	if (place->flags & TEP_FIELD_IS_DYNAMIC) { /* tp_check__fields() has looked at where it leads */
		u32 where = tep_read_number(f->tep, (const char *)raw + offset, sizeof(where));

		offset = (where & 0xffff) + (place->flags & TEP_FIELD_IS_RELATIVE ? offset + sizeof(where) : 0);
		value->size = where >> 16;
	}
	value->bytes = (const u8 *)raw + offset;
	copy = calloc(1, (size_t)size + 1); /* as in tp_formats__print() */
	if (!copy)
		return -ENOMEM;
	memcpy(copy, raw, size);
	show_field(value, place, copy);
	free(copy);
	return 0;
}

void tp_formats__print(const struct tp_formats *f, FILE *fp, const void *raw, u32 size, int cpu)
{
	struct tep_event *event;
	char *copy;
	u16 id;

	if (size < sizeof(id) || size > INT_MAX) {
		fputs("[unreadable]", fp);
		return;
	}
	id = tep_read_number(f->tep, raw, sizeof(id));
	event = tep_find_event(f->tep, id);
	if (!event) {
		fprintf(fp, "[unknown tracepoint %u]", id);
		return;
	}
	if (!tp_check__fields(event, raw, size)) {
		fputs("[truncated]", fp);
		return;
	}
	/* Strings are printed up to their NUL: one behind the record's end keeps that inside. */
	copy = calloc(1, (size_t)size + 1);
	if (!copy) {
		fputs("[out of memory]", fp);
		return;
	}
	memcpy(copy, raw, size);
	print_checked(f, fp, event, copy, size, cpu);
	free(copy);
}

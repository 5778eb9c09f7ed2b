// SPDX-License-Identifier: GPL-2.0
/* Tracepoints of the running kernel: tracefs's events/SYSTEM/NAME/{id,format}. */
#include "util/event/tracepoint.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <unistd.h>

#include "util/event/probe.h"
#include "util/event/tp-added.h"
#include "util/event/tp-field.h"
#include "util/event/tp-rewrite.h"
#include "util/event/tracefs.h"
#include "util/lib/advice.h"
#include "util/lib/fs.h"

struct tracepoint {
	char *sys, *name;
	u64 id;
	char *format;
	size_t format_size;
	char *written; /* the format with the fields that perf adds; NULL: none */
	size_t written_size;
	struct tep_handle *tep;
	struct tep_event *event; /* private to tep; NULL if its format cannot be parsed */
	struct probe_place *probe; /* of an event that perf makes; otherwise NULL */
	u32 guarded_from; /* 0: all hits have all fields */
};

static int access_error(struct errmsg *err, int errnum, const char *sys, const char *name)
{
	if (errnum == ENOENT || errnum == ENOTDIR)
		return errmsg__set(err, ENOENT, "no tracepoint '%s:%s'", sys, name);
	/* mode is for directories; the files are readable by their group (0440; some by all before Linux 6.6) */
	if (errnum == EACCES || errnum == EPERM)
		return errmsg__set(err, EACCES, "no permission to read tracepoints in tracefs\n"
				   "  %s, or have root run: mount -o remount,mode=755,gid=%u /sys/kernel/tracing", advice__root_within(),
				   getegid());
	return errmsg__set(err, errnum, "tracepoint '%s:%s' cannot be read: %s", sys, name, strerror(errnum));
}

/* One file of the tracepoint's directory, or NULL with errno set. */
static char *read_file(int root, const char *sys, const char *name, const char *file, size_t *size)
{
	char *path, *text;
	int saved;

	if (asprintf(&path, "events/%s/%s/%s", sys, name, file) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	text = fs__read_file(root, path, size);
	saved = errno;
	free(path);
	errno = saved;
	return text;
}

static int read_id(int root, const char *sys, const char *name, u64 *id, struct errmsg *err)
{
	char *text = read_file(root, sys, name, "id", NULL), *end;

	if (!text)
		return access_error(err, errno, sys, name);
	errno = 0;
	*id = strtoull(text, &end, 10);
	if (errno || end == text)
		errno = EINVAL;
	free(text);
	return errno ? errmsg__set(err, errno, "tracepoint '%s:%s' has an id that is not a number", sys, name) : 0;
}

/* If libtraceevent cannot parse a format, event stays NULL: the tracepoint works, only its fields are unknown. */
static int parse_format(struct tracepoint *tp)
{
	size_t size, print_size;
	const char *print;
	char *fields = tp_rewrite__fields(tp->format, tp->format_size, &size, &print, &print_size);

	if (!fields)
		return errno == EINVAL ? 0 : -ENOMEM;
	tep_set_loglevel(TEP_LOG_NONE);
	tp->tep = tep_alloc();
	if (tp->tep) {
		tep_set_long_size(tp->tep, sizeof(long));
		tep_parse_format(tp->tep, &tp->event, fields, size, tp->sys);
	}
	free(fields);
	return tp->tep ? 0 : -ENOMEM;
}

/* Only a plain name may go into a path below events/. */
static bool plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

/* The new one takes ownership of format. */
static struct tracepoint *make(const char *sys, const char *name, char *format, size_t size)
{
	struct tracepoint *tp = calloc(1, sizeof(*tp));

	if (!tp) {
		free(format);
		return NULL;
	}
	tp->format = format;
	tp->format_size = size;
	tp->sys = strdup(sys);
	tp->name = strdup(name);
	if (format && tp->sys && tp->name && !parse_format(tp))
		return tp;
	tracepoint__delete(tp);
	return NULL;
}

int tracepoint__new(const char *sys, const char *name, struct tracepoint **tp, struct errmsg *err)
{
	char *format;
	size_t size;
	int root, ret;
	u64 id = 0;

	if (!plain_name(sys) || !plain_name(name))
		return access_error(err, ENOENT, sys, name);
	root = tracefs__root(err);
	if (root < 0)
		return root;
	ret = read_id(root, sys, name, &id, err);
	if (ret)
		return ret;
	format = read_file(root, sys, name, "format", &size);
	if (!format)
		return access_error(err, errno, sys, name);
	*tp = make(sys, name, format, size);
	if (!*tp)
		return errmsg__set(err, ENOMEM, "out of memory");
	(*tp)->id = id;
	return 0;
}

int tracepoint__of_format(const char *sys, const char *name, const char *format, struct tracepoint **tpp)
{
	struct tracepoint *tp = make(sys, name, strdup(format), strlen(format));

	if (!tp)
		return -ENOMEM;
	if (!tp->event) {
		tracepoint__delete(tp);
		return -EINVAL;
	}
	tp->id = tp->event->id;
	*tpp = tp;
	return 0;
}

int tracepoint__of_probe(const char *sys, const char *name, unsigned int id, struct probe_place *place, struct tracepoint **tp)
{
	struct probe_place *kept = malloc(sizeof(*kept));
	char *format = kept ? probe_place__format(place, name, id) : NULL;

	*tp = format ? make(sys, name, format, strlen(format)) : NULL;
	if (!*tp) {
		free(kept);
		probe_place__exit(place);
		return -ENOMEM;
	}
	*kept = *place;
	*place = (struct probe_place){ 0 };
	(*tp)->probe = kept;
	(*tp)->id = id;
	return 0;
}

const struct probe_place *tracepoint__probe(const struct tracepoint *tp)
{
	return tp->probe;
}

void tracepoint__delete(struct tracepoint *tp)
{
	if (!tp)
		return;
	if (tp->probe)
		probe_place__exit(tp->probe);
	free(tp->probe);
	tep_free(tp->tep);
	free(tp->written);
	free(tp->format);
	free(tp->name);
	free(tp->sys);
	free(tp);
}

static const char *name_behind(const struct tracepoint *tp, const char *prefix)
{
	size_t len = strlen(prefix);

	return !strcmp(tp->sys, "syscalls") && !strncmp(tp->name, prefix, len) ? tp->name + len : NULL;
}

enum tp_kind tracepoint__kind(const struct tracepoint *tp)
{
	if (name_behind(tp, "sys_enter_"))
		return TP_SYSCALL_ENTER;
	if (name_behind(tp, "sys_exit_"))
		return TP_SYSCALL_EXIT;
	return tracepoint__is_probe(tp) ? TP_PROBE : TP_OTHER;
}

const char *tracepoint__syscall(const struct tracepoint *tp)
{
	return name_behind(tp, "sys_enter_") ?: name_behind(tp, "sys_exit_");
}

const char *tracepoint__name(const struct tracepoint *tp)
{
	return tp->name;
}

const char *tracepoint__sys(const struct tracepoint *tp)
{
	return tp->sys;
}

u64 tracepoint__id(const struct tracepoint *tp)
{
	return tp->id;
}

const char *tracepoint__format(const struct tracepoint *tp, size_t *size)
{
	if (size)
		*size = tp->format_size;
	return tp->format;
}

int tracepoint__add_fields(struct tracepoint *tp, const struct tp_added *added)
{
	size_t size;
	char *written = tp_added__format(tp->format, tp->format_size, added, &size);

	if (!written)
		return -errno;
	free(tp->written);
	tp->written = written;
	tp->written_size = size;
	return 0;
}

const char *tracepoint__written_format(const struct tracepoint *tp, size_t *size)
{
	*size = tp->written ? tp->written_size : tp->format_size;
	return tp->written ?: tp->format;
}

bool tracepoint__is_probe(const struct tracepoint *tp)
{
	return tp->event && tp_field__is_probe(tp->event);
}

/* Arguments that have names of the source are known by their numbers, too. */
static const char *name_of_field(const struct tracepoint *tp, const char *name)
{
	for (unsigned int i = 0; tp->probe && i < tp->probe->nr_arguments; i++) {
		if (!strcmp(tp->probe->argument[i].alias, name))
			return tp->probe->argument[i].name;
	}
	return name;
}

static const struct tep_format_field *find_field(const struct tracepoint *tp, const char *name)
{
	return tp->event ? tep_find_any_field(tp->event, name) ?: tep_find_any_field(tp->event, name_of_field(tp, name)) : NULL;
}

int tracepoint__find_field(const struct tracepoint *tp, const char *name, struct filter_field_desc *desc)
{
	const struct tep_format_field *field = find_field(tp, name);

	if (!field)
		return -ENOENT;
	*desc = tp_field__describe(field);
	if (tp->guarded_from && desc->offset >= tp->guarded_from)
		desc->guard = 1 + (desc->offset - tp->guarded_from) / 8;
	return 0;
}

void tracepoint__guard_fields(struct tracepoint *tp, u32 offset)
{
	tp->guarded_from = offset;
}

bool tracepoint__points_to_text(const struct tracepoint *tp, const char *name)
{
	const struct tep_format_field *field = find_field(tp, name);

	return field && field->flags & TEP_FIELD_IS_POINTER && strstr(field->type, "char");
}

const char *tracepoint__field_type(const struct tracepoint *tp, const char *name)
{
	const struct tep_format_field *field = find_field(tp, name);

	return field ? field->type : NULL;
}

static int show_names(const struct tep_format_field *field, int (*cb)(void *arg, const char *name), void *arg)
{
	int ret = 0;

	for (; field && !ret; field = field->next)
		ret = cb(arg, field->name);
	return ret;
}

int tracepoint__for_each_field(const struct tracepoint *tp, int (*cb)(void *arg, const char *name), void *arg)
{
	int ret;

	if (!tp->event)
		return 0;
	ret = show_names(tp->event->format.fields, cb, arg);
	return ret ? ret : show_names(tp->event->format.common_fields, cb, arg);
}

int tracepoint__for_each_place(const struct tracepoint *tp, int (*cb)(void *arg, const struct tracepoint_place *place), void *arg)
{
	const struct tep_format_field *field;
	int ret = 0;

	if (!tp->event)
		return -ENOENT;
	for (field = tp->event->format.fields; field && !ret; field = field->next) {
		const struct tracepoint_place place = {
			.name = field->name,
			.offset = field->offset,
			.size = field->size,
			.element = field->elementsize ? field->elementsize : (u32)field->size,
			.copy = tp_field__copy(field),
			.dynamic = field->flags & TEP_FIELD_IS_DYNAMIC,
			.relative = field->flags & TEP_FIELD_IS_RELATIVE,
		};

		ret = cb(arg, &place);
	}
	return ret;
}

/* perf cannot open a directory without id: most of ftrace/ is like that. */
static bool has_id(int root, const char *sys, const char *name)
{
	char *path;
	bool found;

	if (asprintf(&path, "events/%s/%s/id", sys, name) < 0)
		return false;
	found = !faccessat(root, path, F_OK, 0);
	free(path);
	return found;
}

static int for_each_of_system(int root, const char *sys, const char *name_glob,
			      int (*cb)(void *data, const char *sys, const char *name), void *data, struct errmsg *err)
{
	struct fs_names *names;
	char *path;
	int nr = 0, ret = 0;

	if (asprintf(&path, "events/%s", sys) < 0)
		return errmsg__set(err, ENOMEM, "out of memory");
	names = fs_names__read(root, path);
	free(path);
	if (!names) /* besides the systems there are files: enable, header_page, header_event */
		return errno == ENOTDIR ? 0 : access_error(err, errno, sys, name_glob);
	for (size_t i = 0; i < names->nr && ret >= 0; i++) {
		if (fnmatch(name_glob, names->name[i], 0) || !has_id(root, sys, names->name[i]))
			continue;
		ret = cb(data, sys, names->name[i]);
		nr++;
	}
	fs_names__delete(names);
	return ret < 0 ? ret : nr;
}

int tracepoint__for_each(const char *sys_glob, const char *name_glob, int (*cb)(void *data, const char *sys, const char *name),
			 void *data, struct errmsg *err)
{
	int root = tracefs__root(err), nr = 0, ret;
	struct fs_names *systems;

	if (root < 0)
		return root;
	systems = fs_names__read(root, "events");
	if (!systems)
		return access_error(err, errno, sys_glob, name_glob);
	for (size_t i = 0; i < systems->nr; i++) {
		if (fnmatch(sys_glob, systems->name[i], 0))
			continue;
		ret = for_each_of_system(root, systems->name[i], name_glob, cb, data, err);
		if (ret < 0) {
			nr = ret;
			break;
		}
		nr += ret;
	}
	fs_names__delete(systems);
	return nr;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/hist/key-values.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/perfdata/wall-state.h"

#define CACHE_LINE 64	      /* bytes */
#define TIME_QUANTUM 100000000ULL /* ns; perf's default */

static const struct hist_env *env_of(const struct hist_reading *from)
{
	static const struct hist_env none;

	return from->hists->opts.env ?: &none;
}

static int intern(const struct hist_reading *from, const char **to, const char *text)
{
	*to = hists__intern(from->hists, text);
	return *to ? 0 : -ENOMEM;
}

int hist_value__show(const struct hist_reading *from, struct hist_value *value, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (ret < 0)
		return -ENOMEM;
	ret = intern(from, &value->shown, text);
	free(text);
	return ret;
}

/* The sample if it has the sample type's data; NULL: the key is unknown. */
static const struct perf_sample *raw_with(const struct hist_reading *from, u64 type)
{
	const struct perf_sample *raw = from->sample->raw;

	return raw && (raw->sample_type & type) ? raw : NULL;
}

/* The text of the sample's tracepoint; NULL: the sample is of no tracepoint. */
static const char *trace_of(const struct hist_reading *from)
{
	const struct perf_sample *raw = raw_with(from, PERF_SAMPLE_RAW);
	struct tp_formats *formats = env_of(from)->formats;
	size_t len;

	return raw && formats ? tp_formats__text(formats, raw->raw, raw->raw_size, from->sample->cpu, &len) : NULL;
}

int key_read__trace(const struct hist_reading *from, struct hist_value *value)
{
	return intern(from, &value->text, trace_of(from) ?: "N/A");
}

int key_read__state(const struct hist_reading *from, struct hist_value *value)
{
	const struct perf_sample *raw = raw_with(from, PERF_SAMPLE_RAW);

	return intern(from, &value->text, (raw ? wall_state__of(raw) : NULL) ?: "N/A");
}

/* How long is a field's printed value? A text may have blanks, and be in quotes; all else ends at a blank. */
static size_t printed_len(const char *printed, const struct tp_value *field)
{
	const size_t quote = *printed == '"', len = field->is_text ? strnlen((const char *)field->bytes, field->size) : 0;

	if (!len || strncmp(printed + quote, (const char *)field->bytes, len) || (quote && printed[quote + len] != '"'))
		return strcspn(printed, " ");
	return len + 2 * quote;
}

/* The value after "name="; NULL: not found. Cuts text. */
static char *find_printed(char *text, const char *name, const struct tp_value *field)
{
	size_t len = strlen(name);

	for (char *at = text; (at = strstr(at, name)); at += len) {
		if (at[len] != '=' || (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_')))
			continue;
		at += len + 1;
		at[printed_len(at, field)] = '\0';
		return at;
	}
	return NULL;
}

/* Store the bytes of a field so that they sort: as a number if they fit, first byte first, otherwise as text. */
static int set_bytes(const struct hist_reading *from, struct hist_value *value, const struct tp_value *field)
{
	char *hex;
	int ret;

	if (field->size <= sizeof(u64)) {
		for (u32 i = 0; i < field->size; i++)
			value->number |= (u64)field->bytes[i] << (56 - 8 * i);
		value->number ^= 1ULL << 63; /* sort as unsigned */
		return 0;
	}
	if (field->is_text)
		ret = asprintf(&hex, "%.*s", (int)field->size, (const char *)field->bytes);
	else
		ret = (hex = calloc(2, field->size + 1)) ? 0 : -1;
	if (ret < 0)
		return -ENOMEM;
	for (u32 i = 0; !field->is_text && i < field->size; i++)
		sprintf(hex + 2 * i, "%02x", field->bytes[i]);
	ret = intern(from, &value->text, hex);
	free(hex);
	return ret;
}

int key_read__field(const struct hist_reading *from, struct hist_value *value)
{
	const struct perf_sample *raw = raw_with(from, PERF_SAMPLE_RAW);
	struct tp_formats *formats = env_of(from)->formats;
	const struct hist_column *column = from->column;
	struct tp_value field;
	char *text, *printed, shown[256] = "";
	const char *trace;
	int ret = -ENOENT;

	if (raw && formats)
		ret = tp_formats__value(formats, raw->raw, raw->raw_size, column->event, column->field, &field);
	if (ret == -ENOENT)
		return intern(from, &value->shown, "N/A");
	if (!ret)
		ret = set_bytes(from, value, &field);
	if (ret)
		return ret;
	trace = column->raw || tp_formats__is_raw(formats) ? NULL : trace_of(from);
	text = trace ? strdup(trace) : NULL;
	if (trace && !text)
		return -ENOMEM;
	printed = text ? find_printed(text, column->field, &field) : NULL;
	if (!printed)
		tp_formats__show(formats, raw->raw, raw->raw_size, column->event, column->field, shown, sizeof(shown));
	ret = intern(from, &value->shown, printed ?: shown);
	free(text);
	return ret;
}

/* Replace numbers within a name by "<N>", so that worker/1 and worker/2 are one. */
int key_read__comm_nodigit(const struct hist_reading *from, struct hist_value *value)
{
	const char *comm = from->sample->thread->comm;
	char text[64], *to = text;

	while (*comm && to + sizeof("<N>") < text + sizeof(text)) {
		if (!isdigit((unsigned char)*comm)) {
			*to++ = *comm++;
			continue;
		}
		while (isdigit((unsigned char)*comm))
			comm++;
		to = stpcpy(to, "<N>");
	}
	*to = '\0';
	return intern(from, &value->text, text);
}

int key_read__cgroup(const struct hist_reading *from, struct hist_value *value)
{
	const struct perf_sample *raw = raw_with(from, PERF_SAMPLE_CGROUP);
	const char *name = NULL;

	value->number = raw ? raw->cgroup : 0;
	if (value->number && env_of(from)->machine)
		name = machine__cgroup(env_of(from)->machine, value->number);
	return intern(from, &value->shown, !value->number ? "N/A" : name ?: "unknown");
}

int key_read__socket(const struct hist_reading *from, struct hist_value *value)
{
	const struct perfdata_features *features = env_of(from)->features;
	s32 cpu = from->sample->cpu;

	value->number = -1;
	if (features && cpu >= 0 && (u32)cpu < features->nr_cpu_topology)
		value->number = features->cpu_topology[cpu].socket_id;
	return hist_value__show(from, value, "%.3d", (int)value->number);
}

int key_read__parallelism(const struct hist_reading *from, struct hist_value *value)
{
	value->number = from->sample->parallelism;
	return 0;
}

int key_read__time(const struct hist_reading *from, struct hist_value *value)
{
	const struct hist_opts *opts = &from->hists->opts;
	const struct perf_sample *raw = from->sample->raw;
	u64 quantum = opts->time_quantum ?: TIME_QUANTUM, sec, nsec;

	value->number = raw ? raw->time / quantum * quantum : 0;
	sec = value->number / 1000000000;
	nsec = value->number % 1000000000;
	if (opts->nanoseconds)
		return hist_value__show(from, value, "%" PRIu64 ".%09" PRIu64, sec, nsec);
	return hist_value__show(from, value, "%" PRIu64 ".%06" PRIu64, sec, nsec / 1000);
}

/* The parts of PERF_SAMPLE_WEIGHT_STRUCT; PERF_SAMPLE_WEIGHT as a whole is the first one. */
static u64 weight_part(const struct hist_reading *from, int shift, u64 mask)
{
	const struct perf_sample *raw = raw_with(from, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT);

	if (!raw)
		return 0;
	if (raw->sample_type & PERF_SAMPLE_WEIGHT)
		return shift ? 0 : raw->weight;
	return raw->weight >> shift & mask;
}

int key_read__weight(const struct hist_reading *from, struct hist_value *value)
{
	value->number = weight_part(from, 0, UINT32_MAX);
	return 0;
}

int key_read__ins_lat(const struct hist_reading *from, struct hist_value *value)
{
	value->number = weight_part(from, 32, UINT16_MAX);
	return 0;
}

int key_read__retire_lat(const struct hist_reading *from, struct hist_value *value)
{
	value->number = weight_part(from, 48, UINT16_MAX);
	return 0;
}

/* "4K", "2M" */
static int show_page_size(const struct hist_reading *from, struct hist_value *value)
{
	static const char units[] = " KMGT";
	u64 size = value->number;
	int unit = 0;

	if (!size)
		return intern(from, &value->shown, "N/A");
	for (; !(size & 1023) && units[unit + 1]; size /= 1024)
		unit++;
	return hist_value__show(from, value, unit ? "%" PRIu64 "%c" : "%" PRIu64, size, units[unit]);
}

int key_read__code_page_size(const struct hist_reading *from, struct hist_value *value)
{
	value->number = from->sample->raw ? from->sample->raw->code_page_size : 0;
	return show_page_size(from, value);
}

int key_read__data_page_size(const struct hist_reading *from, struct hist_value *value)
{
	value->number = from->sample->raw ? from->sample->raw->data_page_size : 0;
	return show_page_size(from, value);
}

/* Find the first function on the callchain, in output order, that matches the expression. */
int key_read__parent(const struct hist_reading *from, struct hist_value *value)
{
	const struct callchain *chain = from->sample->chain;
	const regex_t *parent = env_of(from)->parent;

	for (u32 i = 0; parent && chain && i < chain->nr; i++) {
		const struct symbol *sym = chain->frame[from->hists->opts.caller_first ? chain->nr - 1 - i : i].sym;

		if (sym && !regexec(parent, sym->name, 0, NULL, 0))
			return intern(from, &value->text, sym->name);
	}
	value->number = 1; /* samples without one come last */
	return intern(from, &value->text, "[other]");
}

static const struct srcline_frame *code_of(const struct hist_reading *from)
{
	struct resolver *resolver = env_of(from)->resolver;

	return resolver ? resolver__code(resolver, from->loc) : NULL;
}

int key_read__srcline(const struct hist_reading *from, struct hist_value *value)
{
	const struct srcline_frame *code = code_of(from);
	const struct location *loc = from->loc;
	char text[4096];

	if (code && code->file)
		srcline_frame__snprint(code, from->hists->opts.full_paths, text, sizeof(text));
	else if (loc->sym)
		snprintf(text, sizeof(text), "%s+%" PRIu64, loc->sym->name, loc->sym_addr - loc->sym->start);
	else if (loc->dso)
		snprintf(text, sizeof(text), "%s[%" PRIx64 "]", loc->dso->short_name, loc->sym_addr);
	else
		snprintf(text, sizeof(text), "??:0");
	return intern(from, &value->text, text);
}

int key_read__srcfile(const struct hist_reading *from, struct hist_value *value)
{
	const struct srcline_frame *code = code_of(from);
	char text[4096] = "", *colon;

	if (code && code->file) {
		srcline_frame__snprint(code, from->hists->opts.full_paths, text, sizeof(text));
		colon = strrchr(text, ':');
		if (colon)
			*colon = '\0';
	}
	return intern(from, &value->text, text);
}

int key_read__symoff(const struct hist_reading *from, struct hist_value *value)
{
	const struct location *loc = from->loc;

	value->number = loc->sym_addr;
	if (!loc->sym)
		return hist_value__show(from, value, "%#.9" PRIx64, loc->map ? loc->sym_addr : loc->addr);
	if (intern(from, &value->text, loc->sym->name))
		return -ENOMEM;
	return hist_value__show(from, value, "%s+0x%" PRIx64, loc->sym->name, loc->sym_addr - loc->sym->start);
}

int key_read__addr(const struct hist_reading *from, struct hist_value *value)
{
	value->number = from->loc->addr;
	return hist_value__show(from, value, "%#" PRIx64, value->number);
}

/* Size of the dso at this map; 0: unknown */
int key_read__dso_size(const struct hist_reading *from, struct hist_value *value)
{
	struct resolver *resolver = env_of(from)->resolver;
	const struct map *map = from->loc->map;

	value->number = resolver && map ? resolver__mapped_size(resolver, map) : 0;
	return 0;
}

int key_read__symbol_size(const struct hist_reading *from, struct hist_value *value)
{
	const struct symbol *sym = from->loc->sym;

	value->number = sym ? sym->end - sym->start : 0;
	return sym ? hist_value__show(from, value, "%" PRIu64, value->number) : intern(from, &value->shown, "unknown");
}

static const struct data_type *data_type_of(const struct hist_reading *from)
{
	struct resolver *resolver = env_of(from)->resolver;

	return resolver ? resolver__data_type(resolver, from->loc) : &data_type_unknown;
}

int key_read__type(const struct hist_reading *from, struct hist_value *value)
{
	return intern(from, &value->text, data_type_of(from)->name);
}

int key_read__typeoff(const struct hist_reading *from, struct hist_value *value)
{
	const struct data_type *type = data_type_of(from);

	if (!type->member)
		return intern(from, &value->text, type->name);
	value->number = type->offset;
	if (intern(from, &value->text, type->name))
		return -ENOMEM;
	return hist_value__show(from, value, type->offset ? "%s +%#" PRIx64 " (%s)" : "%s +%" PRIx64 " (%s)", type->name, type->offset,
				type->member);
}

int key_read__typecln(const struct hist_reading *from, struct hist_value *value)
{
	const struct data_type *type = data_type_of(from);

	value->number = type->offset / CACHE_LINE;
	if (intern(from, &value->text, type->name))
		return -ENOMEM;
	return hist_value__show(from, value, "%s: cache-line %" PRIu64, type->name, value->number);
}

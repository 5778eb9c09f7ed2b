// SPDX-License-Identifier: GPL-2.0
#include "util/event/probe.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/event/function-name.h"
#include "util/lib/printable.h"
#include "util/lib/types.h"

static const struct {
	const char *word;
	enum probe_kind kind;
	bool force;
} words[] = {
	{ "uprobe:", PROBE_USER, false }, { "uretprobe:", PROBE_USER_RETURN, false }, { "uretprobe-force:", PROBE_USER_RETURN, true },
	{ "sdt:", PROBE_SDT, false }, { "kprobe:", PROBE_KERNEL, false }, { "kretprobe:", PROBE_KERNEL_RETURN, false },
};

static const char *system_of(enum probe_kind kind)
{
	static const char *const systems[] = {
		[PROBE_USER] = "uprobe", [PROBE_USER_RETURN] = "uretprobe", [PROBE_SDT] = "sdt", [PROBE_KERNEL] = "kprobe",
		[PROBE_KERNEL_RETURN] = "kretprobe",
	};

	return systems[kind];
}

static int find_word(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strncmp(text, words[i].word, strlen(words[i].word)))
			return i;
	}
	return -1;
}

bool probe_spec__is(const char *word)
{
	return find_word(word) >= 0;
}

struct parsing {
	const char *text, *pos; /* of the whole event; what is left of it */
	unsigned int *at;
	const char **why;
};

static int refuse(const struct parsing *p, const char *why)
{
	*p->why = why;
	*p->at = p->pos - p->text;
	return -EINVAL;
}

/* Take what is before the next colon. */
static int take_part(struct parsing *p, char **part, const char *why)
{
	const char *colon = strchr(p->pos, ':');

	if (!colon || colon == p->pos)
		return refuse(p, why);
	*part = strndup(p->pos, colon - p->pos);
	p->pos = colon + 1;
	return *part ? 0 : -ENOMEM;
}

/* FUNCTION, FUNCTION+0x10, 0x1234 */
static int take_function(struct parsing *p, struct probe_spec *spec)
{
	const bool returns = spec->kind == PROBE_USER_RETURN || spec->kind == PROBE_KERNEL_RETURN;
	const char *plus = function_name__find(p->pos, "+"), *end = plus ? plus : p->pos + strlen(p->pos);

	if (end == p->pos)
		return refuse(p, "the name of a function is missing");
	spec->is_symbol = strchr("\"'\\", *p->pos);
	spec->name = function_name__copy(p->pos, end);
	if (!spec->name)
		return -ENOMEM;
	if (!plus)
		return 0;
	p->pos = plus + 1;
	if (returns)
		return refuse(p, "the return of a function takes no offset");
	if (!function_name__parse_offset(p->pos, p->pos + strlen(p->pos), &spec->offset))
		return refuse(p, "this offset is not a number");
	return 0;
}

int probe_spec__parse(struct probe_spec *spec, const char *text, unsigned int *at, const char **why)
{
	struct parsing p = { .text = text, .at = at, .why = why };
	const int i = find_word(text);
	int ret = 0;

	*spec = (struct probe_spec){ 0 };
	*at = 0;
	p.pos = text;
	if (i < 0)
		return refuse(&p, "this is no event on a function");
	spec->kind = words[i].kind;
	spec->force = words[i].force;
	p.pos = text + strlen(words[i].word);
	if (spec->kind != PROBE_KERNEL && spec->kind != PROBE_KERNEL_RETURN)
		ret = take_part(&p, &spec->path, spec->kind == PROBE_SDT ? "write sdt:PATH:PROVIDER:NAME" : "write PATH:FUNCTION");
	if (!ret && spec->kind == PROBE_SDT)
		ret = take_part(&p, &spec->provider, "write sdt:PATH:PROVIDER:NAME");
	if (ret)
		return ret;
	if (spec->kind != PROBE_SDT)
		return take_function(&p, spec);
	if (!*p.pos)
		return refuse(&p, "the name of the mark is missing");
	spec->name = strdup(p.pos);
	return spec->name ? 0 : -ENOMEM;
}

void probe_spec__exit(struct probe_spec *spec)
{
	free(spec->path);
	free(spec->provider);
	free(spec->name);
	*spec = (struct probe_spec){ 0 };
}

void probe_place__exit(struct probe_place *place)
{
	if (place->opened)
		close(place->fd);
	free(place->opened);
	free(place->target);
	free(place->path);
	place->opened = place->target = place->path = NULL;
}

bool probe_place__returns(const struct probe_place *begin, const struct probe_place *end)
{
	return begin && end && !begin->is_return && end->is_return && begin->in_kernel == end->in_kernel &&
	       begin->offset[0] == end->offset[0] && !strcmp(begin->target, end->target);
}

/* Formats have names of letters, digits and underscores only. */
static char *as_name(char *text)
{
	for (char *c = text; c && *c; c++) {
		if (!isalnum((unsigned char)*c))
			*c = '_';
	}
	return text;
}

int probe_spec__names(const struct probe_spec *spec, char **system, char **name)
{
	char offset[24] = "";
	int ret;

	if (spec->offset)
		snprintf(offset, sizeof(offset), "_0x%" PRIx64, spec->offset);
	ret = asprintf(system, "%s%s%s", system_of(spec->kind), spec->provider ? "_" : "", spec->provider ?: "");
	if (ret < 0)
		*system = NULL;
	ret = asprintf(name, "%s%s%s", isdigit((unsigned char)*spec->name) ? "_" : "", spec->name, offset);
	if (ret < 0)
		*name = NULL;
	if (*system && *name) {
		as_name(*system);
		as_name(*name);
		return 0;
	}
	free(*system);
	free(*name);
	return -ENOMEM;
}

/* Formats */

#define COMMON \
	"format:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

const char *probe_place__fetch(const struct probe_place *place, unsigned int argument, unsigned int at, u8 *size, bool *is_signed)
{
	for (unsigned int i = 0; i < place->nr_fetches; i++) {
		const struct probe_fetch *f = &place->fetch[i];

		if (f->argument != argument || !(f->places >> at & 1))
			continue;
		*size = f->size;
		*is_signed = f->is_signed;
		return f->fetch;
	}
	*size = place->argument[argument].size;
	*is_signed = place->argument[argument].is_signed;
	return place->argument[argument].fetch;
}

void probe_place__miss(struct probe_place *place, unsigned int number, const char *fmt, ...)
{
	struct probe_missing *missing = &place->missing[place->nr_missing];
	va_list args;

	for (unsigned int i = 0; i < place->nr_missing; i++) {
		if (place->missing[i].number == number)
			return;
	}
	if (place->nr_missing == PROBE_MAX_MISSING)
		return;
	place->nr_missing++;
	missing->number = number;
	va_start(args, fmt);
	vsnprintf(missing->why, sizeof(missing->why), fmt, args);
	va_end(args);
	printable__clean(missing->why);
}

const char *probe_place__why_missing(const struct probe_place *place, const char *name)
{
	char missing[16];

	for (unsigned int i = 0; i < place->nr_missing; i++) {
		snprintf(missing, sizeof(missing), "arg%u", place->missing[i].number);
		if (!strcmp(missing, name))
			return place->missing[i].why;
	}
	return NULL;
}

static void put_fields(FILE *fp, const struct probe_place *place)
{
	unsigned int offset = place->is_return ? 24 : 16;

	if (place->is_return)
		fputs("\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
		      "\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n", fp);
	else
		fputs("\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n", fp);
	for (unsigned int i = 0; i < place->nr_arguments; i++, offset += 8) { /* all aligned, with gaps behind short ones */
		const struct probe_argument *arg = &place->argument[i];
		char type[16];

		snprintf(type, sizeof(type), "%c%u", arg->is_signed ? 's' : 'u', arg->size * 8U);
		fprintf(fp, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", arg->is_text ? "const char *" : type, arg->name, offset,
			arg->size, arg->is_signed);
	}
}

static const char *print_format(const struct probe_argument *arg)
{
	if (arg->is_hex || arg->is_text)
		return arg->size == 8 ? "0x%Lx" : "0x%x";
	if (arg->size == 8)
		return arg->is_signed ? "%Ld" : "%Lu";
	return arg->is_signed ? "%d" : "%u";
}

static void put_print(FILE *fp, const struct probe_place *place)
{
	fputs(place->is_return ? "\nprint fmt: \"(%lx <- %lx)" : "\nprint fmt: \"(%lx)", fp);
	for (unsigned int i = 0; i < place->nr_arguments; i++) {
		if (!place->argument[i].is_hidden)
			fprintf(fp, " %s=%s", place->argument[i].name, print_format(&place->argument[i]));
	}
	fputs(place->is_return ? "\", REC->__probe_ret_ip, REC->__probe_func" : "\", REC->__probe_ip", fp);
	for (unsigned int i = 0; i < place->nr_arguments; i++) {
		if (!place->argument[i].is_hidden)
			fprintf(fp, ", REC->%s", place->argument[i].name);
	}
	fputc('\n', fp);
}

char *probe_place__format(const struct probe_place *place, const char *name, unsigned int id)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	bool failed;

	if (!fp)
		return NULL;
	fprintf(fp, "name: %s\nID: %u\n" COMMON, name, id);
	put_fields(fp, place);
	put_print(fp, place);
	failed = ferror(fp);
	if (fclose(fp) || failed) {
		free(text);
		return NULL;
	}
	return text;
}

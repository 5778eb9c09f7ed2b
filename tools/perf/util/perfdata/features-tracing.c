// SPDX-License-Identifier: GPL-2.0
/*
 * TRACING_DATA: what of tracefs is needed to decode tracepoints on another machine. The layout goes back to trace-cmd's:
 *
 *	17 08 44 "tracing"  version NUL  u8 big endian?  u8 sizeof(long)  u32 page size
 *	"header_page" NUL  u64 size  text        "header_event" NUL  u64 size  text
 *	u32 number of ftrace's own formats       { u64 size  text }
 *	u32 number of systems                    { name NUL  u32 number of events  { u64 size  text } }
 *	u32 size  kallsyms       u32 size  printk formats       u64 size  saved command names (from version 0.6)
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"
#include "util/perfdata/section.h"

#define FTRACE_SYSTEM "ftrace"
static const char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

static bool is_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static size_t text_size(const char *text)
{
	return text ? strlen(text) : 0;
}

static void put_text(FILE *out, const char *text, size_t size)
{
	if (size)
		fwrite(text, size, 1, out);
}

static void put_header_file(FILE *out, const char *name, const char *text)
{
	fwrite(name, strlen(name) + 1, 1, out);
	put_u64(out, text_size(text));
	put_text(out, text, text_size(text));
}

static u32 nr_formats_of(const struct perfdata_features *f, const char *sys)
{
	u32 nr = 0;

	for (u32 i = 0; i < f->nr_tracing; i++)
		nr += !strcmp(f->tracing[i].sys, sys);
	return nr;
}

/* u32 number, then the formats of one system. */
static void put_formats_of(FILE *out, const struct perfdata_features *f, const char *sys)
{
	put_u32(out, nr_formats_of(f, sys));
	for (u32 i = 0; i < f->nr_tracing; i++) {
		const struct perfdata_tracing *t = &f->tracing[i];

		if (strcmp(t->sys, sys))
			continue;
		put_u64(out, t->size);
		put_text(out, t->format, t->size);
	}
}

/* Is entry i the first of its system, and is that not ftrace's own? */
static bool opens_system(const struct perfdata_features *f, u32 i)
{
	const char *sys = f->tracing[i].sys;

	for (u32 j = 0; j < i; j++) {
		if (!strcmp(f->tracing[j].sys, sys))
			return false;
	}
	return strcmp(sys, FTRACE_SYSTEM);
}

static void put_systems(FILE *out, const struct perfdata_features *f)
{
	u32 nr = 0;

	for (u32 i = 0; i < f->nr_tracing; i++)
		nr += opens_system(f, i);
	put_u32(out, nr);
	for (u32 i = 0; i < f->nr_tracing; i++) {
		if (!opens_system(f, i))
			continue;
		fwrite(f->tracing[i].sys, strlen(f->tracing[i].sys) + 1, 1, out);
		put_formats_of(out, f, f->tracing[i].sys);
	}
}

int tracing__encode(const struct perfdata_features *f, FILE *out)
{
	if (!f->nr_tracing)
		return -ENOENT;
	if (f->tracing_bigendian != is_big_endian() || text_size(f->kallsyms) > UINT32_MAX ||
	    text_size(f->printk_formats) > UINT32_MAX)
		return -EINVAL;
	fwrite(magic, sizeof(magic), 1, out);
	fwrite("0.6", sizeof("0.6"), 1, out);
	fputc(f->tracing_bigendian, out);
	fputc(f->tracing_long_size, out);
	put_u32(out, f->tracing_page_size);
	put_header_file(out, "header_page", f->header_page);
	put_header_file(out, "header_event", f->header_event);
	put_formats_of(out, f, FTRACE_SYSTEM);
	put_systems(out, f);
	put_u32(out, text_size(f->kallsyms));
	put_text(out, f->kallsyms, text_size(f->kallsyms));
	put_u32(out, text_size(f->printk_formats));
	put_text(out, f->printk_formats, text_size(f->printk_formats));
	put_u64(out, text_size(f->saved_cmdlines));
	put_text(out, f->saved_cmdlines, text_size(f->saved_cmdlines));
	return 0;
}

static int take_constant(struct section *s, const void *bytes, size_t size)
{
	if (s->left < size || memcmp(s->p, bytes, size))
		return -EINVAL;
	s->p += size;
	s->left -= size;
	return 0;
}

static int take_header_file(struct section *s, const char *name, char **text)
{
	u64 size;
	int err = take_constant(s, name, strlen(name) + 1);

	if (!err)
		err = section__u64(s, &size);
	return err ?: section__text(s, size, text);
}

static int take_text_u32(struct section *s, char **text)
{
	u32 size;
	int err = section__u32(s, &size);

	return err ?: section__text(s, size, text);
}

/* Add an entry; the array doubles, so memory stays proportional to the section. */
static struct perfdata_tracing *add_format(struct perfdata_features *f)
{
	if (array__extend(f->tracing, f->nr_tracing))
		return NULL;
	f->tracing[f->nr_tracing] = (struct perfdata_tracing){ 0 };
	return &f->tracing[f->nr_tracing++];
}

static int take_formats_of(struct perfdata_features *f, struct section *s, const char *sys)
{
	u32 nr;
	int err = section__u32(s, &nr);

	for (u32 i = 0; !err && i < nr; i++) {
		struct perfdata_tracing *t;
		u64 size;

		err = section__u64(s, &size);
		if (err)
			break;
		t = add_format(f);
		if (!t)
			return -ENOMEM;
		t->sys = strdup(sys);
		if (!t->sys)
			return -ENOMEM;
		err = section__text(s, size, &t->format);
		t->size = err ? 0 : size;
	}
	return err;
}

static int take_systems(struct perfdata_features *f, struct section *s)
{
	u32 nr;
	int err = section__u32(s, &nr);

	for (u32 i = 0; !err && i < nr; i++) {
		char *sys = NULL;

		err = section__cstring(s, &sys);
		if (!err && strlen(sys) > NAME_MAX) /* a directory's name; the limit keeps the copies proportional */
			err = -EINVAL;
		if (!err)
			err = take_formats_of(f, s, sys);
		free(sys);
	}
	return err;
}

static int take_preamble(struct perfdata_features *f, struct section *s, bool *has_cmdlines)
{
	char *version = NULL;
	u8 endian;
	int err = take_constant(s, magic, sizeof(magic));

	if (!err)
		err = section__cstring(s, &version);
	if (err)
		return err;
	*has_cmdlines = !strcmp(version, "0.6");
	if (!*has_cmdlines && strcmp(version, "0.5"))
		err = -EINVAL;
	free(version);
	if (!err)
		err = section__bytes(s, &endian, 1) ?: section__bytes(s, &f->tracing_long_size, 1) ?:
		      section__u32(s, &f->tracing_page_size);
	if (err || endian != (is_big_endian() != s->swap))
		return -EINVAL;
	f->tracing_bigendian = endian;
	return 0;
}

int tracing__decode(struct perfdata_features *f, struct section *s)
{
	bool has_cmdlines = false;
	u64 size;
	int err = take_preamble(f, s, &has_cmdlines);

	if (!err)
		err = take_header_file(s, "header_page", &f->header_page) ?:
		      take_header_file(s, "header_event", &f->header_event);
	if (!err)
		err = take_formats_of(f, s, FTRACE_SYSTEM) ?: take_systems(f, s);
	if (!err)
		err = take_text_u32(s, &f->kallsyms) ?: take_text_u32(s, &f->printk_formats);
	if (!err && has_cmdlines)
		err = section__u64(s, &size) ?: section__text(s, size, &f->saved_cmdlines);
	return err;
}

void tracing__reset(struct perfdata_features *f)
{
	for (u32 i = 0; i < f->nr_tracing; i++) {
		free(f->tracing[i].sys);
		free(f->tracing[i].format);
	}
	free(f->tracing);
	free(f->header_page);
	free(f->header_event);
	free(f->printk_formats);
	free(f->kallsyms);
	free(f->saved_cmdlines);
	f->tracing = NULL;
	f->nr_tracing = 0;
	f->tracing_bigendian = false;
	f->tracing_long_size = 0;
	f->tracing_page_size = 0;
	f->header_page = f->header_event = f->printk_formats = f->kallsyms = f->saved_cmdlines = NULL;
}

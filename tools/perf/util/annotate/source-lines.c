// SPDX-License-Identifier: GPL-2.0
#include "util/annotate/source-lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/lib/regular-file.h"

#define MAX_SOURCE (64 << 20)

struct source {
	struct source *next;
	char *path;
	char **line; /* without the ends; NULL: the file cannot be read */
	u32 nr;
	u32 shown; /* the last line that was shown; 0: none was */
};

struct adding {
	struct code_text to;
	struct source *sources;
	const struct code_opts *opts;
	const struct source *last; /* of the last instruction, and its line */
	u32 last_line;
};

static FILE *open_source(const char *path)
{
	int fd = regular_file__open(path, 0);
	struct stat st;
	FILE *fp = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size <= MAX_SOURCE)
		fp = fdopen(fd, "r");
	if (!fp)
		close(fd);
	return fp;
}

static int add_text(struct source *source, const char *text)
{
	char **more = source->nr & (source->nr + 1) ? source->line : reallocarray(source->line, 2 * source->nr + 1, sizeof(*more));
	char *line = more ? code_line__clean(text) : NULL;

	if (more)
		source->line = more;
	if (!line)
		return -ENOMEM;
	source->line[source->nr++] = line;
	return 0;
}

static int read_source(struct source *source)
{
	FILE *fp = open_source(source->path);
	char *text = NULL;
	size_t size = 0;
	int ret = 0;

	while (fp && !ret && getline(&text, &size, fp) > 0)
		ret = add_text(source, text);
	free(text);
	if (fp)
		fclose(fp);
	return ret;
}

/* Where objdump's --prefix and --prefix-strip say that it lies; malloc'ed, NULL: no memory */
static char *path_of(const struct srcline_frame *frame, const struct code_opts *o)
{
	unsigned long levels = o->prefix_strip ? strtoul(o->prefix_strip, NULL, 10) : 0;
	char *full, *path;
	const char *rest;

	if (asprintf(&full, "%s%s%s", frame->dir ?: "", frame->dir ? "/" : "", frame->file) < 0)
		return NULL;
	if (!o->prefix || *full != '/')
		return full;
	rest = full;
	for (; levels && strchr(rest + 1, '/'); levels--)
		rest = strchr(rest + 1, '/');
	if (asprintf(&path, "%s%s", o->prefix, rest) < 0)
		path = NULL;
	free(full);
	return path;
}

/* NULL: no memory */
static struct source *source_of(struct adding *a, const struct srcline_frame *frame)
{
	char *path = path_of(frame, a->opts);
	struct source *source;

	for (source = a->sources; path && source; source = source->next) {
		if (!strcmp(source->path, path)) {
			free(path);
			return source;
		}
	}
	source = path ? calloc(1, sizeof(*source)) : NULL;
	if (!source) {
		free(path);
		return NULL;
	}
	source->path = path;
	source->next = a->sources;
	a->sources = source;
	return read_source(source) ? NULL : source;
}

static int add_line(struct adding *a, s64 offset, u32 number, const char *text)
{
	struct code_line line = { .offset = offset, .number = a->opts->number_lines ? number : a->to.nr, .text = strdup(text) };

	if (!line.text)
		return -ENOMEM;
	return code_text__add(&a->to, &line);
}

/* As objdump does it: the line, and if code goes on behind it those that were left out in between. */
static int add_source(struct adding *a, struct source *source, u32 line)
{
	u32 from = source->shown && line > source->shown ? source->shown + 1 : line;
	int ret = 0;

	if ((source == a->last && line == a->last_line) || !line)
		return 0;
	a->last = source;
	a->last_line = line;
	for (; !ret && from <= line && from <= source->nr; from++)
		ret = add_line(a, -1, from, source->line[from - 1]);
	if (source->shown < line)
		source->shown = line;
	return ret;
}

static int add_instruction(struct adding *a, struct resolver *resolver, const struct location *loc, const struct code_line *line)
{
	struct location at = *loc;
	const struct srcline *found;
	struct source *source = NULL;
	int ret = 0;

	at.sym_addr = loc->sym->start + line->offset;
	at.back = 0;
	at.code = NULL;
	found = resolver__srcline(resolver, &at);
	if (found && found->frame[0].file) {
		source = source_of(a, &found->frame[0]);
		ret = source ? add_source(a, source, found->frame[0].line) : -ENOMEM;
	}
	return ret ?: add_line(a, line->offset, a->last_line, line->text);
}

static void adding__exit(struct adding *a)
{
	struct source *source, *next;

	for (source = a->sources; source; source = next) {
		next = source->next;
		for (u32 i = 0; i < source->nr; i++)
			free(source->line[i]);
		free(source->line);
		free(source->path);
		free(source);
	}
	code_text__exit(&a->to);
}

/* objdump prints other text above the code only. */
static bool has_sources(const struct code_text *code)
{
	bool code_began = false;

	for (u32 i = 0; i < code->nr; i++) {
		if (code->line[i].offset >= 0)
			code_began = true;
		else if (code_began && *code->line[i].text)
			return true;
	}
	return false;
}

static void take_lines(struct code_text *code, struct code_text *from)
{
	struct code_text before = *code;

	code->line = from->line;
	code->nr = from->nr;
	code->alloc = from->alloc;
	*from = before; /* to be freed */
}

int source_lines__add(struct code_text *code, struct resolver *resolver, const struct location *loc, const struct code_opts *o)
{
	struct adding a = { .opts = o };
	int ret = 0;

	if (has_sources(code))
		return 0;
	for (u32 i = 0; !ret && i < code->nr; i++) {
		const struct code_line *line = &code->line[i];

		ret = line->offset < 0 ? add_line(&a, -1, line->number, line->text) : add_instruction(&a, resolver, loc, line);
	}
	if (!ret && a.last)
		take_lines(code, &a.to);
	adding__exit(&a);
	return ret;
}

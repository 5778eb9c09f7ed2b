// SPDX-License-Identifier: GPL-2.0
#include "cmd/list/output.h"

#include <errno.h>
#include <stdlib.h>

#include "ui/json.h"
#include "util/lib/stream.h"

struct list_output {
	struct list_output_opts opts;
	FILE *fp;
	yajl_gen json; /* NULL: lines, or names */
	bool written;  /* a name */
};

struct list_output *list_output__new(const struct list_output_opts *opts)
{
	struct list_output *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	out->opts = *opts;
	out->fp = opts->path ? fopen(opts->path, "we") : stdout;
	if (!out->fp) {
		free(out);
		return NULL;
	}
	if (opts->json) {
		out->json = json__new(out->fp);
		if (!out->json) {
			list_output__delete(out);
			errno = ENOMEM;
			return NULL;
		}
		yajl_gen_config(out->json, yajl_gen_beautify, 1);
		yajl_gen_array_open(out->json);
	} else if (opts->headings) {
		fputs("\nList of pre-defined events (to be used in -e or -M):\n\n", out->fp);
	}
	return out;
}

static void put_json(yajl_gen gen, const struct list_event *event)
{
	yajl_gen_map_open(gen);
	json__put_text(gen, "Unit", event->unit);
	json__put_text(gen, "EventName", event->name);
	json__put_text(gen, "EventAlias", event->alias);
	json__put_text(gen, "EventType", event->kind);
	json__put_text(gen, "BriefDescription", event->help);
	json__put_text(gen, "Encoding", event->encoding);
	yajl_gen_map_close(gen);
}

static void put_lines(struct list_output *out, const struct list_event *event)
{
	char name[160];

	snprintf(name, sizeof(name), "%s%s%s", event->name, event->alias ? " OR " : "", event->alias ?: "");
	fprintf(out->fp, "  %-50s [%s]\n", name, event->kind);
	if (out->opts.help && event->help)
		fprintf(out->fp, "       [%s]\n", event->help);
	if (out->opts.encoding && event->encoding)
		fprintf(out->fp, "        %s\n", event->encoding);
}

static void put_name(struct list_output *out, const char *name)
{
	if (name)
		fprintf(out->fp, "%s%s", out->written ? " " : "", name);
	out->written |= name != NULL;
}

void list_output__put(struct list_output *out, const struct list_event *event)
{
	if (out->opts.names) {
		put_name(out, event->name);
		put_name(out, event->alias);
	} else if (out->json) {
		put_json(out->json, event);
	} else {
		put_lines(out, event);
	}
}

void list_output__end_kind(struct list_output *out)
{
	if (out->opts.headings && !out->json)
		fputc('\n', out->fp);
}

int list_output__delete(struct list_output *out)
{
	int ret;

	if (out->json) {
		yajl_gen_array_close(out->json);
		yajl_gen_free(out->json);
		fputc('\n', out->fp);
	}
	if (out->written)
		fputc('\n', out->fp);
	ret = stream__flush(out->fp);
	/* the standard output is perf's to close */
	if (out->opts.path && fclose(out->fp) && !ret)
		ret = -errno;
	free(out);
	return ret;
}

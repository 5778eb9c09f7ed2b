// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/filter/ast.h"
#include "util/filter/filter.tab.h"
#include "util/filter/filter.lex.h"
#include "util/lib/printable.h"

#define FILTER_MAX_TEXT 65536

/* Refuse bytes that a message or a terminal cannot show. */
static int check_bytes(const char *domain, const char *bytes, struct errmsg *err)
{
	const u8 *text = (const u8 *)bytes, *end = text + strlen(bytes);
	unsigned int pos = 0, len;

	while (text + pos < end) {
		len = utf8_length(text + pos, end);
		if (!len)
			return errmsg__set(err, EINVAL,
					   "%s: byte %u (0x%02x) is not valid UTF-8; write the filter in UTF-8",
					   domain, pos + 1, text[pos]);
		if (text[pos] == 0x7f || (text[pos] < ' ' && !strchr("\t\n\r", text[pos])))
			return errmsg__set(err, EINVAL, "%s: byte %u is a control character (0x%02x); remove it",
					   domain, pos + 1, text[pos]);
		pos += len;
	}
	return 0;
}

static int check_text(const struct filter_input *text, struct errmsg *err)
{
	const size_t len = strlen(text->text);
	int rc;

	if (len > FILTER_MAX_TEXT)
		return errmsg__set(err, E2BIG, "%s: the text has %zu bytes; %u is the limit", text->domain, len, FILTER_MAX_TEXT);
	rc = check_bytes(text->domain, text->text, err);
	if (!rc && strspn(text->text, " \t\r\n") == len)
		rc = errmsg__set(err, EINVAL, "%s: the filter is empty; write a test such as 'tid == 1'", text->domain);
	return rc;
}

/* flex modifies its buffer while scanning, so it gets a copy; the words point into f->text. */
static int parse_part(struct filter *f, const struct filter_part *part, struct errmsg *err)
{
	const struct filter_loc start = { part->begin, part->begin };
	struct filter_parser p = { .filter = f, .err = err, .pos = part->begin, .last = start, .prev = start };
	const size_t len = strlen(f->text + part->begin);
	void *scanner = NULL;
	char *copy = calloc(1, len + 2); /* including the two NULs of yy_scan_buffer */
	int rc;

	if (!copy || filter_yylex_init_extra(&p, &scanner)) {
		free(copy);
		return errmsg__set(err, ENOMEM, "filter: out of memory");
	}
	memcpy(copy, f->text + part->begin, len);
	filter_yy_scan_buffer(copy, len + 2, scanner);
	rc = filter_yyparse(scanner, &p);
	filter_yylex_destroy(scanner);
	free(copy);
	if (rc && !p.rc)
		p.rc = errmsg__set(err, ENOMEM, "filter: out of memory");
	return p.rc;
}

/* Allocate space for all texts, none of which is a part yet. */
static struct filter *new_filter(const struct filter_input *texts, unsigned int nr)
{
	struct filter *f = calloc(1, sizeof(*f));
	size_t size = 0;

	if (!f)
		return NULL;
	for (unsigned int i = 0; i < nr; i++)
		size += strlen(texts[i].text) + 1;
	f->text = malloc(size);
	f->part = calloc(nr, sizeof(*f->part));
	if (f->text && f->part)
		return f;
	filter__delete(f);
	return NULL;
}

/* Parse the text at begin of f->text; returns where the next one begins, or -errno. */
static int add_part(struct filter *f, const struct filter_input *text, unsigned int begin, struct errmsg *err)
{
	struct filter_part *part = &f->part[f->nr_parts++];
	const size_t size = strlen(text->text) + 1;
	int rc;

	*part = (struct filter_part){ text->domain, begin };
	memcpy(f->text + begin, text->text, size);
	rc = parse_part(f, part, err);
	return rc ? rc : (int)(begin + size);
}

int filter__parse_all(const struct filter_input *texts, unsigned int nr, struct filter **filter, struct errmsg *err)
{
	struct filter *f;
	int rc = 0;

	*filter = NULL;
	for (unsigned int i = 0; i < nr && !rc; i++)
		rc = check_text(&texts[i], err);
	if (rc)
		return rc;
	f = new_filter(texts, nr);
	if (!f)
		return errmsg__set(err, ENOMEM, "filter: out of memory");
	for (unsigned int i = 0; i < nr && rc >= 0; i++)
		rc = add_part(f, &texts[i], rc, err);
	if (rc < 0) {
		filter__delete(f);
		return rc;
	}
	*filter = f;
	return 0;
}

int filter__parse(const char *text, struct filter **filter, struct errmsg *err)
{
	return filter__parse_as("filter", text, filter, err);
}

int filter__parse_as(const char *domain, const char *text, struct filter **filter, struct errmsg *err)
{
	const struct filter_input only = { domain, text };

	return filter__parse_all(&only, 1, filter, err);
}

int filter__compile(const char *text, struct filter_table *table, struct errmsg *err)
{
	struct filter *f;
	int rc;

	rc = filter__parse(text, &f, err);
	if (rc)
		return rc;
	rc = filter__check(f, NULL, err);
	if (!rc)
		rc = filter__lower(f, table, err);
	filter__delete(f);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/filter/ast.h"
#include "util/filter/filter.tab.h"
#include "util/filter/filter.lex.h"
#include "util/lib/printable.h"

#define FILTER_MAX_TEXT 65536

/* Refuse bytes that could not be shown in a message or on a terminal. */
static int check_bytes(struct filter *f, struct errmsg *err)
{
	const u8 *text = (const u8 *)f->text;
	unsigned int pos = 0, len;

	while (pos < f->len) {
		len = utf8_length(text + pos, text + f->len);
		if (!len)
			return errmsg__set(err, EINVAL,
					   "filter: byte %u (0x%02x) is not valid UTF-8; write the filter in UTF-8",
					   pos + 1, text[pos]);
		if (text[pos] == 0x7f || (text[pos] < ' ' && !strchr("\t\n\r", text[pos])))
			return errmsg__set(err, EINVAL, "filter: byte %u is a control character (0x%02x); remove it",
					   pos + 1, text[pos]);
		pos += len;
	}
	return 0;
}

/* flex scans its buffer in place and changes it, so it gets a copy; the words point into f->text. */
static int parse_text(struct filter *f, struct errmsg *err)
{
	struct filter_parser p = { .filter = f, .err = err };
	void *scanner = NULL;
	char *copy = calloc(1, f->len + 2); /* with the two NULs of yy_scan_buffer */
	int rc;

	if (!copy || filter_yylex_init_extra(&p, &scanner)) {
		free(copy);
		return errmsg__set(err, ENOMEM, "filter: out of memory");
	}
	memcpy(copy, f->text, f->len);
	filter_yy_scan_buffer(copy, f->len + 2, scanner);
	rc = filter_yyparse(scanner, &p);
	filter_yylex_destroy(scanner);
	free(copy);
	if (rc && !p.rc)
		p.rc = errmsg__set(err, ENOMEM, "filter: out of memory");
	return p.rc;
}

int filter__parse(const char *text, struct filter **filter, struct errmsg *err)
{
	return filter__parse_as("filter", text, filter, err);
}

int filter__parse_as(const char *domain, const char *text, struct filter **filter, struct errmsg *err)
{
	struct filter *f;
	int rc;

	*filter = NULL;
	if (strlen(text) > FILTER_MAX_TEXT)
		return errmsg__set(err, E2BIG, "filter: the text has %zu bytes; %u is the limit", strlen(text),
				   FILTER_MAX_TEXT);
	f = calloc(1, sizeof(*f));
	if (f)
		f->text = strdup(text);
	if (!f || !f->text) {
		filter__delete(f);
		return errmsg__set(err, ENOMEM, "filter: out of memory");
	}
	f->domain = domain;
	f->len = strlen(text);
	rc = check_bytes(f, err);
	if (!rc && strspn(text, " \t\r\n") == f->len)
		rc = errmsg__set(err, EINVAL, "filter: the filter is empty; write a test such as 'tid == 1'");
	if (!rc)
		rc = parse_text(f, err);
	if (rc) {
		filter__delete(f);
		return rc;
	}
	*filter = f;
	return 0;
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

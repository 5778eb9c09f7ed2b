// SPDX-License-Identifier: GPL-2.0
#include "ui/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/lib/printable.h"

/* A control character above ASCII (U+0080 to U+009F), which could control a terminal; NULL: there is none */
static const char *find_control(const char *text, const char *end)
{
	while ((text = memchr(text, 0xc2, end - text))) {
		if (end - text > 1 && (u8)text[1] < 0xa0)
			return text;
		text++;
	}
	return NULL;
}

/* yajl passes whole characters, and escapes the control characters of ASCII. */
static void print_all(void *fp, const char *text, size_t len)
{
	const char *end = text + len, *control;

	while ((control = find_control(text, end))) {
		fwrite(text, 1, control - text, fp);
		fprintf(fp, "\\u%04x", (u8)control[1]);
		text = control + 2;
	}
	fwrite(text, 1, end - text, fp);
}

/*
 * JSON has '<' only in strings, where it may be escaped as a number. A page with the text in a <script> would interpret
 * "<!--<script>" or "</script>" (HTML, 13.2.5.4 "script data state"); yajl escapes only '/'. U+2028 and U+2029, which once ended
 * lines of JavaScript, are harmless in JSON.parse().
 */
static void print_for_pages(void *fp, const char *text, size_t len)
{
	const char *end = text + len, *mark;

	while ((mark = memchr(text, '<', end - text))) {
		print_all(fp, text, mark - text);
		fputs("\\u003c", fp);
		text = mark + 1;
	}
	print_all(fp, text, end - text);
}

static yajl_gen new_gen(FILE *fp, yajl_print_t print)
{
	yajl_gen gen = yajl_gen_alloc(NULL);

	if (!gen)
		return NULL;
	yajl_gen_config(gen, yajl_gen_print_callback, print, fp);
	yajl_gen_config(gen, yajl_gen_validate_utf8, 1);
	return gen;
}

yajl_gen json__new(FILE *fp)
{
	return new_gen(fp, print_for_pages);
}

void json__string(yajl_gen gen, const char *text)
{
	char *clean = NULL;

	/* yajl's own check accepts some invalid UTF-8, such as halves of surrogate pairs. */
	if (!utf8__is_valid(text)) {
		clean = strdup(text);
		text = clean ? utf8__clean(clean) : "[out of memory]";
	}
	yajl_gen_string(gen, (const unsigned char *)text, strlen(text));
	free(clean);
}

void json__print_string(FILE *fp, const char *text)
{
	yajl_gen gen = new_gen(fp, print_all);

	if (!gen) {
		fputs("\"[out of memory]\"", fp);
		return;
	}
	json__string(gen, text);
	yajl_gen_free(gen);
}

void json__number(yajl_gen gen, u64 value)
{
	char text[24];

	yajl_gen_number(gen, text, snprintf(text, sizeof(text), "%" PRIu64, value));
}

void json__put_number(yajl_gen gen, const char *key, u64 value)
{
	json__string(gen, key);
	json__number(gen, value);
}

void json__put_text(yajl_gen gen, const char *key, const char *value)
{
	if (!value)
		return;
	json__string(gen, key);
	json__string(gen, value);
}

void json__put_now(yajl_gen gen, const char *key)
{
	struct timespec now;
	char text[32];

	clock_gettime(CLOCK_REALTIME, &now);
	json__string(gen, key);
	yajl_gen_number(gen, text, snprintf(text, sizeof(text), "%jd.%03ld", (intmax_t)now.tv_sec, now.tv_nsec / 1000000));
}

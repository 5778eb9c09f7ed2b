// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-rewrite.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/text.h"

static const char print[] = "\nprint fmt:", call[] = "__print_dynamic_array(";

struct span {
	const char *at, *end;
};

static size_t reach(const struct span *text, const char *chars)
{
	size_t len = 0;

	while (text->at + len < text->end && strchr(chars, text->at[len]) && text->at[len])
		len++;
	return len;
}

static void skip_blanks(struct span *text)
{
	text->at += reach(text, " \t");
}

static bool skip_char(struct span *text, char c)
{
	skip_blanks(text);
	if (text->at == text->end || *text->at != c)
		return false;
	text->at++;
	return true;
}

static bool take_word(struct span *text, const char *chars, struct span *word)
{
	skip_blanks(text);
	word->at = text->at;
	text->at += reach(text, chars);
	word->end = text->at;
	return word->at < word->end;
}

/* Parse what follows "__print_dynamic_array(". */
static bool rewrite_call(struct span *text, FILE *fp)
{
	static const char digits[] = "0123456789";
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	struct span field, size;

	if (!take_word(text, letters, &field) || !skip_char(text, ',') || !take_word(text, digits, &size) || !skip_char(text, ')'))
		return false;
#define WORD(word) (int)((word).end - (word).at), (word).at
	fprintf(fp, "__print_array(__get_dynamic_array(%.*s), __get_dynamic_array_len(%.*s) / %.*s, %.*s)", WORD(field), WORD(field),
		WORD(size), WORD(size));
#undef WORD
	return true;
}

/* Do not change quoted texts. */
static bool rewrite(struct span *text, FILE *fp)
{
	bool quoted = false, found = false;

	while (text->at < text->end) {
		size_t left = text->end - text->at;

		if (!quoted && left >= strlen(call) && !memcmp(text->at, call, strlen(call))) {
			text->at += strlen(call);
			if (!rewrite_call(text, fp))
				return false;
			found = true;
			continue;
		}
		if (*text->at == '"')
			quoted = !quoted;
		if (quoted && *text->at == '\\' && left > 1)
			fputc(*text->at++, fp);
		fputc(*text->at++, fp);
	}
	return found;
}

char *tp_rewrite__dynamic_arrays(const char *format, size_t size, size_t *out_size)
{
	struct span text = { memmem(format, size, print, strlen(print)), format + size };
	char *out = NULL;
	bool good;
	FILE *fp;

	if (!text.at || !memmem(text.at, text.end - text.at, call, strlen(call))) {
		errno = EINVAL;
		return NULL;
	}
	fp = open_memstream(&out, out_size);
	if (!fp)
		return NULL;
	fwrite(format, 1, text.at - format, fp);
	good = rewrite(&text, fp);
	if (text__close_stream(fp, &out)) {
		errno = ENOMEM;
		return NULL;
	}
	if (good)
		return out;
	free(out);
	errno = EINVAL;
	return NULL;
}

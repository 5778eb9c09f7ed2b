// SPDX-License-Identifier: GPL-2.0
/* What a word of a filter says: its text, whether it is a pattern, and whether it may be one here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/filter/check.h"
#include "util/filter/glob.h"

char *filter_word__unescape(const struct filter_word *word)
{
	char *text = malloc(word->len + 1), *out = text;
	unsigned int i;

	if (!text)
		return NULL;
	for (i = 0; i < word->len; i++) {
		if (word->text[i] == '\\' && i + 1 < word->len)
			i++;
		*out++ = word->text[i];
	}
	*out = '\0';
	return text;
}

int check__pattern(struct check *c, const struct filter_word *word, unsigned int max, const char *too_long)
{
	struct glob glob;
	const char *why;

	if (glob__parse(word, &glob, &why))
		return filter__error(c->filter, word->loc, c->err, EINVAL, "%s", why);
	return glob.nr > max ? word_error(c, word, "%s", too_long) : 0;
}

int check__literal(struct check *c, const struct filter_word *word)
{
	if (!word->quoted && (memchr(word->text, '*', word->len) || memchr(word->text, '?', word->len)))
		return word_error(c, word, "is a pattern, which goes after '~'; a literal '*' or '?' goes in quotes");
	return 0;
}

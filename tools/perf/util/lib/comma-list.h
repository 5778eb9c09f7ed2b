/* SPDX-License-Identifier: GPL-2.0 */
/* The words of "a,b,c", one after the other. Empty ones are words, too: the caller says what is wrong with them. */
#ifndef PERF_LIB_COMMA_LIST_H
#define PERF_LIB_COMMA_LIST_H

#include <ctype.h>
#include <string.h>

struct list_word {
	const char *text; /* in the list, not ended by NUL; NULL: there are no more */
	size_t len;
};

/* text NULL: no words */
static inline struct list_word list_word__at(const char *text)
{
	return (struct list_word){ text, text ? strcspn(text, ",") : 0 };
}

static inline struct list_word list_word__next(struct list_word word)
{
	return list_word__at(word.text[word.len] ? word.text + word.len + 1 : NULL);
}

static inline int list_word__is(struct list_word word, const char *text)
{
	return strlen(text) == word.len && !memcmp(text, word.text, word.len);
}

static inline struct list_word list_word__without_blanks(struct list_word word)
{
	while (word.len && isspace((unsigned char)*word.text))
		word.text++, word.len--;
	while (word.len && isspace((unsigned char)word.text[word.len - 1]))
		word.len--;
	return word;
}

#define comma_list__for_each(list, word) \
	for (struct list_word word = list_word__at(list); word.text; word = list_word__next(word))

#endif

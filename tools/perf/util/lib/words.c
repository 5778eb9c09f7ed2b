// SPDX-License-Identifier: GPL-2.0
#include "util/lib/words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/fs.h"

#define FILE_PREFIX "file://"

struct words {
	char **word; /* sorted */
	size_t nr, alloc;
};

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add(struct words *words, const char *word)
{
	if (words->nr == words->alloc) {
		size_t alloc = words->alloc ? 2 * words->alloc : 16;
		char **more = reallocarray(words->word, alloc, sizeof(*more));

		if (!more)
			return -ENOMEM;
		words->word = more;
		words->alloc = alloc;
	}
	words->word[words->nr] = strdup(word);
	return words->word[words->nr++] ? 0 : -ENOMEM;
}

/* text is cut up */
static int add_all(struct words *words, char *text, const char *separators)
{
	char *rest;
	int ret = 0;

	for (char *word = strtok_r(text, separators, &rest); word && !ret; word = strtok_r(NULL, separators, &rest))
		ret = add(words, word);
	return ret;
}

static int add_file(struct words *words, const char *path, struct errmsg *err)
{
	char *text = fs__read_file(AT_FDCWD, path, NULL);
	int ret;

	if (!text)
		return errmsg__set(err, errno, "cannot read the list %s: %s", path, strerror(errno));
	ret = add_all(words, text, "\n");
	free(text);
	return ret ? errmsg__set(err, ENOMEM, "out of memory") : 0;
}

static int add_entries(struct words *words, char *text, struct errmsg *err)
{
	char *rest;
	int ret = 0;

	for (char *entry = strtok_r(text, ",", &rest); entry && !ret; entry = strtok_r(NULL, ",", &rest)) {
		if (!strncmp(entry, FILE_PREFIX, strlen(FILE_PREFIX)))
			ret = add_file(words, entry + strlen(FILE_PREFIX), err);
		else if (add(words, entry))
			ret = errmsg__set(err, ENOMEM, "out of memory");
	}
	return ret;
}

int words__parse(const char *text, struct words **wordsp, struct errmsg *err)
{
	struct words *words = calloc(1, sizeof(*words));
	char *copy = strdup(text);
	int ret;

	ret = words && copy ? add_entries(words, copy, err) : errmsg__set(err, ENOMEM, "out of memory");
	free(copy);
	if (ret) {
		words__delete(words);
		return ret;
	}
	if (words->nr)
		qsort(words->word, words->nr, sizeof(*words->word), compare);
	*wordsp = words;
	return 0;
}

void words__delete(struct words *words)
{
	if (!words)
		return;
	for (size_t i = 0; i < words->nr; i++)
		free(words->word[i]);
	free(words->word);
	free(words);
}

bool words__has(const struct words *words, const char *word)
{
	return word && words->nr && bsearch(&word, words->word, words->nr, sizeof(word), compare);
}

const char *words__at(const struct words *words, size_t index)
{
	return index < words->nr ? words->word[index] : NULL;
}

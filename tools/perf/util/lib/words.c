// SPDX-License-Identifier: GPL-2.0
#include "util/lib/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/lib/array.h"
#include "util/lib/regular-file.h"
#include "util/lib/text.h"

#define FILE_PREFIX "file://"
#define MAX_FILE (64UL << 20)
#define READ_BYTES (64UL << 10)

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
	if (array__grow(words->word, words->nr, words->alloc))
		return -ENOMEM;
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

/* With a NUL behind it. 0 or -errno; -EFBIG: it is larger than MAX_FILE. */
static int read_all(int fd, struct text *text)
{
	ssize_t n = 0;

	do {
		char *to = text__reserve(text, READ_BYTES);

		if (!to)
			return -ENOMEM;
		n = read(fd, to, READ_BYTES);
		if (n < 0 && errno != EINTR)
			return -errno;
		text->len += n > 0 ? n : 0;
	} while (n && text->len <= MAX_FILE);
	text__char(text, '\0');
	return n ? -EFBIG : text->failed ? -ENOMEM : 0;
}

static int add_file(struct words *words, const char *path, struct errmsg *err)
{
	int fd = regular_file__open(path, 0), ret = fd;
	struct text text = {};

	if (fd >= 0) {
		ret = read_all(fd, &text) ?: add_all(words, text.buf, "\n");
		close(fd);
	}
	text__exit(&text);
	if (ret < 0)
		return errmsg__set(err, -ret, "cannot read the list %s: %s", path,
				   fd == -EINVAL ? "it is no regular file" : ret == -EFBIG ? "it is larger than 64 MiB" : strerror(-ret));
	return 0;
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

// SPDX-License-Identifier: GPL-2.0
#include "util/lib/near.h"
#include "util/lib/printable.h"

#include <stdio.h>
#include <string.h>

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Levenshtein distance, row by row, with two swapped letters as one slip */
unsigned int near__distance(const char *word, size_t word_len, const char *name)
{
	unsigned int rows[3][NEAR_FAR + 1], len = strlen(name), i, j;
	unsigned int *before = rows[0], *last = rows[1], *row = rows[2], *swap;

	if (word_len > NEAR_FAR || len > NEAR_FAR)
		return NEAR_FAR;
	for (j = 0; j <= len; j++)
		before[j] = row[j] = j;
	for (i = 1; i <= word_len; i++) {
		swap = before;
		before = last;
		last = row;
		row = swap;
		row[0] = i;
		for (j = 1; j <= len; j++) {
			row[j] = least(last[j - 1] + (word[i - 1] != name[j - 1]), least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && word[i - 1] == name[j - 2] && word[i - 2] == name[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return row[len];
}

void near_name__try(struct near_name *near, const char *name)
{
	unsigned int len = strlen(near->word), d = near__distance(near->word, len, name);

	if (d <= len / 3 && d < strlen(name) && (!*near->name || d < near->distance)) {
		snprintf(near->name, sizeof(near->name), "%s", name);
		near->distance = d;
	}
}

const char *near_name__text(const struct near_name *near, char *buf, size_t size)
{
	buf[0] = '\0';
	if (*near->name)
		snprintf(buf, size, "; did you mean '%s'?", near->name);
	return printable__clean(buf);
}

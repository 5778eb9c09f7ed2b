// SPDX-License-Identifier: GPL-2.0
#include "util/event/suggest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MAX_LEN 64u /* longer names are not compared */

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

/* Levenshtein distance with one row of its table: number of characters to insert, delete or change. */
static unsigned int distance(const char *a, unsigned int len_a, const char *b, unsigned int len_b)
{
	unsigned int row[MAX_LEN + 1];

	for (unsigned int j = 0; j <= len_b; j++)
		row[j] = j;
	for (unsigned int i = 1; i <= len_a; i++) {
		unsigned int diagonal = row[0];

		row[0] = i;
		for (unsigned int j = 1; j <= len_b; j++) {
			unsigned int above = row[j];

			row[j] = min3(row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[len_b];
}

void suggest__init(struct suggest *s, const char *word)
{
	s->word = word;
	s->distance = UINT_MAX;
	s->best[0] = '\0';
}

void suggest__offer(struct suggest *s, const char *known)
{
	unsigned int len = strlen(s->word), len_known = strlen(known);
	unsigned int allowed = (len + 2) / 3; /* a third may be wrong: "cylces" is near to "cycles", "foo" to nothing */
	unsigned int d;

	if (len > MAX_LEN || len_known > MAX_LEN || len_known > len + allowed || len > len_known + allowed)
		return;
	d = distance(s->word, len, known, len_known);
	if (d > allowed || d >= len || d >= s->distance)
		return;
	s->distance = d;
	snprintf(s->best, sizeof(s->best), "%s", known);
}

const char *suggest__text(const struct suggest *s, char *buf, unsigned int size)
{
	buf[0] = '\0';
	if (s->best[0])
		snprintf(buf, size, "; did you mean '%s'?", s->best);
	return buf;
}

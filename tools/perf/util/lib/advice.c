// SPDX-License-Identifier: GPL-2.0
#include "util/lib/advice.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *advice__root(void)
{
	return geteuid() ? "Run perf as root" : "Run perf outside of the container or user namespace";
}

const char *advice__root_within(void)
{
	return geteuid() ? "run perf as root" : "run perf outside of the container or user namespace";
}

/* Adds the next part of the phrase at *at: a plain one, or of {one|several} the word that fits. */
static const char *add_part(FILE *fp, const char *at, bool one)
{
	size_t len = strcspn(at, *at == '{' ? "}" : "{"), first;

	if (*at != '{') {
		fprintf(fp, "%.*s", (int)len, at);
		return at + len;
	}
	first = strcspn(++at, "|");
	if (one)
		fprintf(fp, "%.*s", (int)first, at);
	else
		fprintf(fp, "%.*s", (int)(len - first - 2), at + first + 1);
	return at + len;
}

const char *counted(char *buf, size_t size, unsigned long long nr, const char *phrase)
{
	FILE *fp = fmemopen(buf, size, "w");

	*buf = '\0';
	if (!fp)
		return buf;
	fprintf(fp, "%llu ", nr);
	while (*phrase)
		phrase = add_part(fp, phrase, nr == 1);
	fclose(fp);
	buf[size - 1] = '\0';
	return buf;
}

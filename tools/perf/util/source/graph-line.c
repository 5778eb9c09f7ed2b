// SPDX-License-Identifier: GPL-2.0
#include "util/source/graph-line.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The digits behind the point, of which long times have less than three: as nanoseconds */
static u64 parse_fraction(const char **s)
{
	u64 ns = 0, weight = 100;

	for (; isdigit((unsigned char)**s); ++*s, weight /= 10)
		ns += weight * (**s - '0');
	return ns;
}

/* "  12.345 us   |  function();" */
static bool parse_time(const char *s, u64 *ns)
{
	char *end;
	u64 us;

	s += strspn(s, " ");
	if (!isdigit((unsigned char)*s))
		return false;
	us = strtoull(s, &end, 10);
	s = end;
	*ns = us * 1000;
	if (*s == '.') {
		s++;
		*ns += parse_fraction(&s);
	}
	if (strncmp(s, " us ", 4))
		return false;
	s += 4 + strspn(s + 4, " ");
	return *s == '|';
}

static bool parse_number_after(const char *line, const char *word, u64 *value)
{
	const char *at = strstr(line, word);

	if (!at)
		return false;
	*value = strtoull(at + strlen(word), NULL, 10);
	return true;
}

enum graph_line graph_line__parse(const char *line, u64 *value)
{
	const char *exec;

	if (parse_time(line, value))
		return GRAPH_LINE_TIME;
	/* The file's name may hold anything: the last number is the kernel's. */
	exec = strstr(line, "sched_process_exec: filename=");
	for (const char *at = exec; at; at = strstr(at + 1, " pid="))
		exec = at;
	return exec && parse_number_after(exec, " pid=", value) ? GRAPH_LINE_EXEC : GRAPH_LINE_OTHER;
}

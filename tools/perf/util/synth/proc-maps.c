// SPDX-License-Identifier: GPL-2.0
#include "util/synth/proc-maps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NEWLINE "\\012"

static bool take_number(char **s, int base, char end, u64 *value)
{
	char *stop;

	*value = strtoull(*s, &stop, base);
	if (stop == *s || *stop != end)
		return false;
	*s = stop + 1;
	return true;
}

static bool take_perms(char **s, struct proc_map *map)
{
	const char *p = *s;

	if (strnlen(p, 5) < 5 || p[4] != ' ')
		return false;
	map->prot = (p[0] == 'r' ? PROT_READ : 0) | (p[1] == 'w' ? PROT_WRITE : 0) | (p[2] == 'x' ? PROT_EXEC : 0);
	map->flags = p[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	*s += 5;
	return true;
}

/* The kernel's own map records have the unescaped name. */
static size_t unescape(char *name)
{
	char *from = name, *to = name, *esc;

	while ((esc = strstr(from, NEWLINE))) {
		memmove(to, from, esc - from);
		to += esc - from;
		*to++ = '\n';
		from = esc + strlen(NEWLINE);
	}
	memmove(to, from, strlen(from) + 1);
	return to - name + strlen(to);
}

static bool parse_line(char *s, struct proc_map *map)
{
	u64 maj, min;
	char *end;

	if (!take_number(&s, 16, '-', &map->start) || !take_number(&s, 16, ' ', &map->end) || !take_perms(&s, map) ||
	    !take_number(&s, 16, ' ', &map->pgoff) || !take_number(&s, 16, ':', &maj) || !take_number(&s, 16, ' ', &min))
		return false;
	map->ino = strtoull(s, &end, 10);
	if (end == s || map->end < map->start)
		return false;
	map->maj = maj;
	map->min = min;
	map->generation = 0;
	map->name = end + strspn(end, " ");
	map->name_len = unescape(map->name);
	return true;
}

int proc_map__next(char **text, struct proc_map *map)
{
	char *line = *text;
	size_t len = strcspn(line, "\n");

	if (!*line)
		return 0;
	*text = line + len + (line[len] == '\n');
	line[len] = '\0';
	return parse_line(line, map) ? 1 : -EINVAL;
}

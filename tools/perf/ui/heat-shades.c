// SPDX-License-Identifier: GPL-2.0
#include "ui/heat-shades.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/lib/types.h"

/* From xterm's ramp of greys, 232 to 255: without the ends, which look like a black or white background. */
#define GREY_FIRST 237
#define NR_GREYS 17

static const char *const blocks[] = { " ", "░", "▒", "▓", "█" };
static const char ascii[] = " .:-=+*#%@";

static bool env_has(const char *name, const char *part)
{
	const char *value = getenv(name);

	return value && strstr(value, part);
}

/* The first one that is set counts (locale(7)). */
static bool is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

enum heat_shades heat_shades__of(FILE *fp)
{
	if (!isatty(fileno(fp)))
		return HEAT_ASCII;
	if (env_has("TERM", "256color") || env_has("COLORTERM", "truecolor") || env_has("COLORTERM", "24bit"))
		return HEAT_GREYS;
	return is_utf8() ? HEAT_BLOCKS : HEAT_ASCII;
}

unsigned int heat_shades__nr(enum heat_shades shades)
{
	return shades == HEAT_GREYS ? NR_GREYS : shades == HEAT_BLOCKS ? ARRAY_SIZE(blocks) - 1 : sizeof(ascii) - 2;
}

void heat_shades__print(enum heat_shades shades, unsigned int shade, FILE *fp)
{
	if (shades == HEAT_BLOCKS)
		fputs(blocks[shade], fp);
	else if (shades == HEAT_GREYS && shade)
		fprintf(fp, "\033[48;5;%um \033[0m", GREY_FIRST - 1 + shade);
	else
		fputc(shades == HEAT_ASCII ? ascii[shade] : ' ', fp);
}

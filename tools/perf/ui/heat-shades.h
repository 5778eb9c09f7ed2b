/* SPDX-License-Identifier: GPL-2.0 */
/* Shades for pictures of numbers as text, as good as the output can show them. */
#ifndef PERF_UI_HEAT_SHADES_H
#define PERF_UI_HEAT_SHADES_H

#include <stdio.h>

enum heat_shades {
	HEAT_ASCII,
	HEAT_BLOCKS, /* of Unicode, in UTF-8 */
	HEAT_GREYS,  /* of terminals with 256 colours */
};

/* What fp can show, by its terminal and the environment. */
enum heat_shades heat_shades__of(FILE *fp);
unsigned int heat_shades__nr(enum heat_shades shades);
/* 0: blank; the others up to heat_shades__nr(), the darkest one. */
void heat_shades__print(enum heat_shades shades, unsigned int shade, FILE *fp);

#endif

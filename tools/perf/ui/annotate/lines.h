/* SPDX-License-Identifier: GPL-2.0 */
/* The code of a function as text, source lines between the instructions, each with its share of the samples. */
#ifndef PERF_UI_ANNOTATE_LINES_H
#define PERF_UI_ANNOTATE_LINES_H

#include <stdio.h>
#include "ui/annotate/annotated.h"

/* events: their names, for the title. With -l first the sums of its source lines. 0 or -ENOMEM. */
int annotated__fprintf(const struct annotated *a, const char *events, FILE *fp);

#endif

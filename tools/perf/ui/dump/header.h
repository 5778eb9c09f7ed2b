/* SPDX-License-Identifier: GPL-2.0 */
/* perf report --header: the facts about a recording, as "# name : value" lines. */
#ifndef PERF_UI_DUMP_HEADER_H
#define PERF_UI_DUMP_HEADER_H

#include <stdbool.h>
#include <stdio.h>
#include "util/perfdata/reader.h"

/* path is that of the file, for its date. full: with what is long, such as each CPU's place. */
void header__fprintf(FILE *fp, struct perfdata_reader *reader, const char *path, bool full);

#endif

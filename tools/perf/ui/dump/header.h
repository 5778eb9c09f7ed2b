/* SPDX-License-Identifier: GPL-2.0 */
/* perf report --header: facts about a recording, as "# name : value" lines. */
#ifndef PERF_UI_DUMP_HEADER_H
#define PERF_UI_DUMP_HEADER_H

#include <stdbool.h>
#include <stdio.h>
#include "util/perfdata/reader.h"

/* path: that of the file, for its date. full: include long features, such as each CPU's topology. */
void header__fprintf(FILE *fp, struct perfdata_reader *reader, const char *path, bool full);

#endif

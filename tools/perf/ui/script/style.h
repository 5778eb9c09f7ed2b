/* SPDX-License-Identifier: GPL-2.0 */
/* The format of perf script's output: the same for all samples of a run. */
#ifndef PERF_UI_SCRIPT_STYLE_H
#define PERF_UI_SCRIPT_STYLE_H

#include "util/lib/words.h"
#include "util/perfdata/features.h"

enum script_times { SCRIPT_TIMES_PLAIN, SCRIPT_TIMES_RELATIVE, SCRIPT_TIMES_DELTA };

struct script_style {
	bool full_paths;  /* of source files */
	bool ns;	  /* times in nanoseconds instead of microseconds */
	bool latency;	  /* narrow columns */
	bool hide_chains; /* only the address of the sample itself */
	enum script_times times; /* absolute, since the first printed record, or since the previous one */
	const struct words *stop_at; /* functions after which a callchain ends; NULL: none */
	const char *kernel_path;     /* instead of "[kernel.kallsyms]"; NULL: none */
	const struct perfdata_features *features; /* of the file */
	int name_width; /* of the longest event name */
};

#endif

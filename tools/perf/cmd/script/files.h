/* SPDX-License-Identifier: GPL-2.0 */
/* A file for the samples of each event: --per-event-dump. */
#ifndef PERF_CMD_SCRIPT_FILES_H
#define PERF_CMD_SCRIPT_FILES_H

#include <stdio.h>
#include "util/lib/half-file.h"
#include "util/session/session.h"

struct script_files { /* starts zeroed: there are none */
	struct script_file {
		FILE *fp;
		char *path;
		struct half_file *half;
		u64 nr_samples;
	} *file; /* by event; NULL: there are none */
	u32 nr;
};

/* Create INPUT.EVENT.dump for each event. 0 or -errno. End with __exit(), also after an error. */
int script_files__open(struct script_files *files, struct session *s, const char *input, struct errmsg *err);
/* After everything is written: print the sizes. 0 or -errno. */
int script_files__close(struct script_files *files, struct errmsg *err);
void script_files__exit(struct script_files *files); /* removes files that were not closed */

#endif

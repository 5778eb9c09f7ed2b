/* SPDX-License-Identifier: GPL-2.0 */
/* perf script's way from a record to its lines: which ones are shown, where, and how. */
#ifndef PERF_CMD_SCRIPT_OUTPUT_H
#define PERF_CMD_SCRIPT_OUTPUT_H

#include "cmd/script/options.h"
#include "ui/script/stdio.h"

struct script_output { /* starts zeroed but for the first two */
	struct script_options *options;
	const char *input; /* path */
	struct script_stdio text;
	u64 *mask;
	struct words *stop_at;
	u64 last_time, nr_misordered;
	const union perf_record *dumped; /* the last one, see sample__fprintf_owner() */
	struct script_file { /* of each event, with --per-event-dump; else NULL */
		FILE *fp;
		char *path;
		struct half_file *half;
		u64 nr_samples;
	} *file;
	u32 nr_files;
};

/* 0 or -errno; -EINVAL for a wrong option. End with __exit(), also after an error. */
int script_output__init(struct script_output *out, struct session *s, const char *kernel_path, struct errmsg *err);
/* For session__run() with out as its data. */
const struct session_ops *script_output__ops(const struct script_output *out, struct session *s);
/* What is still held back. 0 or -errno. */
int script_output__finish(struct script_output *out, struct errmsg *err);
void script_output__exit(struct script_output *out); /* files that were not finished go */

#endif

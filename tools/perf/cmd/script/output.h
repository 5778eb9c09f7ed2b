/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The output of perf script: parts, each with a row in the table in output.c. A sample or record goes through all chosen parts, in
 * the order of the table.
 */
#ifndef PERF_CMD_SCRIPT_OUTPUT_H
#define PERF_CMD_SCRIPT_OUTPUT_H

#include "cmd/script/options.h"
#include "ui/script/stdio.h"

struct script_output { /* what the parts share */
	struct script_options *options;
	struct script_stdio text;
	u64 *mask;
	struct words *stop_at;
	struct script_part *part[5];
	u32 nr_parts;
};

struct script_part { /* first member of each part's own struct, which is otherwise zeroed */
	const struct script_part_ops *ops;
	struct script_output *out;
};

struct script_part_ops { /* ints are 0 or -errno; NULL is not called */
	size_t size; /* of the part's own struct */
	bool (*wanted)(const struct script_options *o);
	int (*init)(struct script_part *p, struct session *s, struct errmsg *err);
	int (*sample)(struct script_part *p, struct session *s, const struct session_sample *sample);
	/* Called instead of .sample for a sample that its ids tell, if all parts with .sample have it: see session_ops.seen */
	void (*known)(struct script_part *p, const struct session_brief *brief);
	int (*record)(struct script_part *p, struct session *s, const union perf_record *record, const struct perf_sample *id, u64 file_offset);
	int (*finish)(struct script_part *p, struct errmsg *err); /* after reading without errors; the output is then written */
	void (*exit)(struct script_part *p); /* also after .init has failed */
};

extern const struct script_part_ops script_dump, script_order, script_lines, script_records, script_counts;

/* For parts: a stream whose output becomes part of perf script's output. NULL: no memory. */
FILE *script_output__begin(struct script_output *out);
void script_output__end(struct script_output *out, FILE *fp);

/* Read the recording and print it. Returns the exit status. */
int script_output__run(struct script_options *o, struct session *s);

#endif

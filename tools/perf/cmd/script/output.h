/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf script prints: parts, each a row of the table in output.c. A sample or record goes through all parts that are wanted, in the
 * order of the table.
 */
#ifndef PERF_CMD_SCRIPT_OUTPUT_H
#define PERF_CMD_SCRIPT_OUTPUT_H

#include "cmd/script/options.h"
#include "ui/script/stdio.h"

struct script_output { /* what the parts have in common */
	struct script_options *options;
	struct script_stdio text;
	u64 *mask;
	struct words *stop_at;
	struct script_part *part[4];
	u32 nr_parts;
};

struct script_part { /* the first member of each part's own struct, which is zeroed but for this */
	const struct script_part_ops *ops;
	struct script_output *out;
};

struct script_part_ops { /* ints are 0 or -errno; what is NULL is not called */
	size_t size; /* of the part's own struct */
	bool (*wanted)(const struct script_options *o);
	int (*init)(struct script_part *p, struct session *s, struct errmsg *err);
	int (*sample)(struct script_part *p, struct session *s, const struct session_sample *sample);
	/* In the place of .sample for one that is known, if all parts that take samples have it: see session_ops.known */
	void (*known)(struct script_part *p, const struct session_known *known);
	int (*record)(struct script_part *p, struct session *s, const union perf_record *record, const struct perf_sample *id, u64 file_offset);
	int (*finish)(struct script_part *p, struct errmsg *err); /* after reading, if all went well; what was printed is written */
	void (*exit)(struct script_part *p); /* also after .init that failed */
};

extern const struct script_part_ops script_dump, script_order, script_lines, script_records;

/* For parts: a stream to the output, by which all that is printed on it becomes part of it. NULL: no memory. */
FILE *script_output__begin(struct script_output *out);
void script_output__end(struct script_output *out, FILE *fp);

/* Read the recording and print it. Returns the exit status. */
int script_output__run(struct script_options *o, struct session *s);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* One sample as perf script prints it. */
#ifndef PERF_UI_SCRIPT_STDIO_H
#define PERF_UI_SCRIPT_STDIO_H

#include <stdio.h>
#include "util/lib/text.h"
#include "util/lib/words.h"
#include "util/session/session.h"

enum script_times { SCRIPT_TIMES_PLAIN, SCRIPT_TIMES_RELATIVE, SCRIPT_TIMES_DELTA };

struct script_style { /* how fields are shown: the same for all samples of a run */
	bool full_paths;  /* of source files */
	bool ns;	  /* times in nanoseconds instead of microseconds */
	bool latency;	  /* narrow columns */
	bool hide_chains; /* only the address of the sample itself */
	enum script_times times; /* since the first record that is printed, since the one before */
	const struct words *stop_at; /* functions behind which a callchain is not shown; NULL: none */
	const char *kernel_path;     /* in the place of "[kernel.kallsyms]"; NULL */
	const struct perfdata_features *features; /* of the file */
	int name_width; /* of the longest event name */
};

struct script_stdio {
	FILE *fp;
	const u64 *mask; /* script_fields__apply(): SCRIPT_ bits of each event */
	struct script_style style;
	/* the rest starts zeroed */
	struct text text; /* not yet written to fp */
	struct script_lines *lines;
	u64 first_time, previous_time;
	bool any_time;
	size_t data_src_width; /* of the widest one so far: that is how wide perf makes the next */
};

/* Samples are gathered: what else goes to fp has to wait for script__flush(). */
void script__print_sample(struct script_stdio *out, struct session *s, const struct session_sample *sample);

/* Command, thread, cpu and time, as the line of a sample of event begins; for records of this type that are not samples. */
void script__print_start(struct script_stdio *out, const struct session_event *event, const struct thread *thread,
			 const struct perf_sample *sample, u32 record_type);

/* User callchains that were deferred, where they are not merged with those of samples. 0 or -ENOMEM. */
int script__print_deferred(struct script_stdio *out, struct session *s, const struct session_event *event, struct thread *thread,
			   const union perf_record *record, const struct perf_sample *id);

/* Write to fp what was printed so far. 0 or -ENOMEM: some of it is lost. Errors of writing are fp's. */
int script__flush(struct script_stdio *out);
void script__exit(struct script_stdio *out);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* One sample as perf script prints it. */
#ifndef PERF_UI_SCRIPT_STDIO_H
#define PERF_UI_SCRIPT_STDIO_H

#include "ui/script/chain.h"
#include "ui/script/style.h"
#include "ui/script/writer.h"
#include "util/session/session.h"

struct script_stdio {
	const u64 *mask; /* script_fields__apply(): SCRIPT_ bits of each event */
	struct script_style style;
	struct script_writer *writer; /* has all that is printed: what else goes to its file has to wait for its __drain() */
	struct script_chains chains;
	size_t data_src_width; /* of the widest one so far: that is how wide perf makes the next */
};

/* mask and what style refers to are to outlive it, and it stays where it is. 0 or -ENOMEM. End with __exit(), also after an error. */
int script__init(struct script_stdio *out, FILE *fp, const u64 *mask, const struct script_style *style);
void script__exit(struct script_stdio *out);

void script__print_sample(struct script_stdio *out, struct session *s, const struct session_sample *sample);

/* Whether all that is printed of samples of the event can be known by session_ops.known. */
bool script__may_know(const struct script_stdio *out, const struct session_event *event);
/* The same sample as script__print_sample() printed when it set these tokens, but for who and when. */
void script__print_known(struct script_stdio *out, const struct session_known *known);

/* Command, thread, cpu and time, as the line of a sample of event begins; for records of this type that are not samples. */
void script__print_start(struct script_stdio *out, const struct session_event *event, const struct thread *thread,
			 const struct perf_sample *sample, u32 record_type);

/* User callchains that were deferred, where they are not merged with those of samples. 0 or -ENOMEM. */
int script__print_deferred(struct script_stdio *out, struct session *s, const struct session_event *event, struct thread *thread,
			   const union perf_record *record, const struct perf_sample *id);

#endif

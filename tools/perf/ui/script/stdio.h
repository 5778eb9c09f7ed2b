/* SPDX-License-Identifier: GPL-2.0 */
/* Prints a sample for perf script. */
#ifndef PERF_UI_SCRIPT_STDIO_H
#define PERF_UI_SCRIPT_STDIO_H

#include "ui/script/chain.h"
#include "ui/script/style.h"
#include "ui/script/writer.h"
#include "util/session/session.h"

struct script_stdio {
	const u64 *mask; /* script_fields__apply(): SCRIPT_ bits of each event */
	struct script_style style;
	struct script_writer *writer; /* has all output so far: before other output to its file call its __drain() */
	struct script_chains chains;
	size_t data_src_width; /* of the widest one so far: perf uses it as width of the next */
};

/* mask and what style points to must outlive it, and it must not move. 0 or -ENOMEM. End with __exit(), also after an error. */
int script__init(struct script_stdio *out, FILE *fp, const u64 *mask, const struct script_style *style);
void script__exit(struct script_stdio *out);

void script__print_sample(struct script_stdio *out, struct session *s, const struct session_sample *sample);

/* May the output of the event's samples come from the ids of their parts? */
bool script__may_know(const struct script_stdio *out, const struct session_event *event);
/* For session_ops: */
enum session_need script__need(const struct script_stdio *out, const struct session_brief *brief);
void script__look_ahead(const struct script_stdio *out, struct session_brief *const *brief, size_t nr);
void script__forget_ids(struct script_stdio *out);
/* If nothing more is needed: print what script__print_sample() printed for these ids, with the other thread and time. */
void script__print_known(struct script_stdio *out, const struct session_brief *brief);

/* Print command, thread, cpu and time, the beginning of a line for event; for records of this type that are not samples. */
void script__print_start(struct script_stdio *out, const struct session_event *event, const struct thread *thread,
			 const struct perf_sample *sample, u32 record_type);

/* Print deferred user callchains if they are not merged with those of samples. 0 or -ENOMEM. */
int script__print_deferred(struct script_stdio *out, struct session *s, const struct session_event *event, struct thread *thread,
			   const union perf_record *record, const struct perf_sample *id);

#endif

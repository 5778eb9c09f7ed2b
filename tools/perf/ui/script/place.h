/* SPDX-License-Identifier: GPL-2.0 */
/* The description of addresses in perf script: function, file, line of the source. */
#ifndef PERF_UI_SCRIPT_PLACE_H
#define PERF_UI_SCRIPT_PLACE_H

#include "ui/script/style.h"
#include "util/lib/text.h"
#include "util/session/session.h"

#define ADDRESS_WIDTH 16

struct script_look { /* how to print the places of one sample */
	u64 mask; /* SCRIPT_ bits of script-fields.h */
	const struct script_style *style;
	struct session *session;
};

/* " leaf+0x13 (/usr/bin/wl)" */
void script__print_place(struct text *text, const struct script_look *look, const struct location *loc);
/* Print the lines of a callchain. false: it ended at one of the functions in the style's stop_at. */
bool script__print_frames(struct text *text, const struct script_look *look, const struct location *frame, u32 nr);
/* What is behind the address in the line of a frame that is no inlined function, if no line of the source is printed. */
void script__print_line_end(struct text *text, const struct script_look *look, const struct location *loc);
/* Print the address of the sample, with its place. */
void script__print_ip(struct text *text, const struct script_look *look, const struct session_sample *s);
/* Print the address of its data. */
void script__print_addr(struct text *text, const struct script_look *look, const struct session_sample *s);
/* Print its branches, in one of three forms, by the mask. */
void script__print_branches(struct text *text, const struct script_look *look, const struct session_sample *s);

#endif

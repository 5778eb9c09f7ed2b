/* SPDX-License-Identifier: GPL-2.0 */
/* What perf script says about addresses: function, file, line of the source. mask: SCRIPT_ bits of script-fields.h. */
#ifndef PERF_UI_SCRIPT_PLACE_H
#define PERF_UI_SCRIPT_PLACE_H

#include "ui/script-stdio.h"

/* " leaf+0x13 (/usr/bin/wl)" */
void script__print_place(struct script_stdio *out, u64 mask, const struct location *loc);
/* " (/usr/bin/wl)" */
void script__print_dso(struct script_stdio *out, u64 mask, const struct location *loc);
/* The address of the sample, or its callchain on lines of their own. */
void script__print_ip(struct script_stdio *out, u64 mask, struct session *session, const struct session_sample *s);
/* The lines of a callchain. False: it ended at one of the functions where the style lets callchains end. */
bool script__print_frames(struct script_stdio *out, u64 mask, struct resolver *resolver, const struct location *frame, u32 nr);
/* The address of its data. */
void script__print_addr(struct script_stdio *out, u64 mask, struct session *session, const struct session_sample *s);
/* Its branches, in the one of the three forms that mask asks for. */
void script__print_branches(struct script_stdio *out, u64 mask, struct session *session, const struct session_sample *s);

#endif

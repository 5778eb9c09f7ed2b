/* SPDX-License-Identifier: GPL-2.0 */
/* Values of arguments as text: constants, bytes, files, structs. What comes from traced programs is made safe for terminals. */
#ifndef PERF_UI_TRACE_VALUES_H
#define PERF_UI_TRACE_VALUES_H

#include <stdbool.h>
#include "util/bpf_skel/trace.h"
#include "util/lib/text.h"
#include "util/source/syscall-args.h"

struct trace_style { /* as perfconfig's section [trace] sets it */
	bool no_names;	/* of arguments: lines are short, and texts of buffers have no quotes */
	bool prefixes;	/* of constants: O_RDONLY, not RDONLY */
	bool zeros;	/* show arguments that are 0 */
	bool no_duration, no_time, no_comm;
	bool cpu;	/* show its number */
	bool traceevent; /* fields of tracepoints as libtraceevent prints them */
	unsigned int column; /* of the '=', counted from the call's name */
};

void trace_values__names(struct text *line, const struct trace_style *style, const struct syscall_names *names, u64 value);
/* size bytes in quotes; cut: there were more */
void trace_values__quoted(struct text *line, const char *bytes, size_t size, bool cut);
void trace_values__escaped(struct text *line, const char *bytes, size_t size);
/* "</etc/hostname>" */
void trace_values__file(struct text *line, const char *bytes, size_t size);
/* size bytes of this shape. false: there are too few, nothing is added. */
bool trace_values__shape(struct text *line, const struct trace_style *style, enum syscall_shape shape, const char *bytes, size_t size, bool cut);
/* A message's parts and, if there is one, its address. */
void trace_values__vector(struct text *line, const struct trace_style *style, const char *bytes, size_t size, bool cut);

#endif

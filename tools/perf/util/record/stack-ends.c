// SPDX-License-Identifier: GPL-2.0
#include "util/record/stack-ends.h"
#include "util/lib/advice.h"

#include <inttypes.h>

static const char *const causes[UNWIND_NR_ENDS] = {
	[UNWIND_NO_MAPPING] = "end at an address without code",
	[UNWIND_NO_TABLE] = "end in files whose tables were not there yet, or which were gone",
	[UNWIND_NO_ROOM] = "end in files whose tables had no room",
	[UNWIND_NO_FILE] = "end in files that could not be read",
	[UNWIND_NO_CFI] = "end in code that its file has no rule for",
	[UNWIND_GENERATED] = "end in generated code without frame pointers",
	[UNWIND_HARD] = "end in code whose rule cannot be followed",
	[UNWIND_MEMORY] = "end where the stack could not be read",
	[UNWIND_DEPTH] = "end with too many frames",
	[UNWIND_LOOP] = "end in a circle",
	[UNWIND_COMPAT] = "are of 32-bit programs, by frame pointers",
	[UNWIND_CUT] = "end behind the part of the stack that was copied",
};

const char *stack_ends__cause(enum unwind_end end)
{
	return causes[end];
}

static bool has_no_stack(unsigned int end)
{
	return end == UNWIND_EXECVE || end == UNWIND_EXITING;
}

struct stack_ends stack_ends__sum(const struct unwind_totals *totals)
{
	const struct unwind_finish_counts *f = &totals->finished;
	struct stack_ends u = { 0 };

	for (unsigned int end = 0; end < UNWIND_NR_ENDS; end++) {
		u.ended[end] = totals->ended[end] - f->began[end] + f->ended[end];
		u.all += has_no_stack(end) ? 0 : u.ended[end];
	}
	u.whole = u.ended[UNWIND_COMPLETE] + u.ended[UNWIND_ZERO];
	u.finished = f->ended[UNWIND_COMPLETE] + f->ended[UNWIND_ZERO];
	return u;
}

void stack_ends__fprintf(FILE *fp, const struct stack_ends *u, const char *event)
{
	fprintf(fp, "%s: %" PRIu64 " user stack%s, %" PRIu64 " whole", event, u->all, plural(u->all), u->whole);
	if (u->finished)
		fprintf(fp, " (%" PRIu64 " finished outside BPF)", u->finished);
	for (unsigned int end = 0; end < UNWIND_NR_ENDS; end++) {
		if (causes[end] && u->ended[end])
			fprintf(fp, ", %" PRIu64 " %s", u->ended[end], causes[end]);
	}
	if (u->ended[UNWIND_EXECVE])
		fprintf(fp, "; %" PRIu64 " sample%s in execve", u->ended[UNWIND_EXECVE], plural(u->ended[UNWIND_EXECVE]));
	if (u->ended[UNWIND_EXITING])
		fprintf(fp, "; %" PRIu64 " sample%s of tasks at their end", u->ended[UNWIND_EXITING],
			plural(u->ended[UNWIND_EXITING]));
}

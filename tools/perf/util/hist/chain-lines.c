// SPDX-License-Identifier: GPL-2.0
#include "util/hist/chain-lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static const struct srcline_frame *code_of(const struct hists *hists, const struct location *loc)
{
	struct resolver *resolver = hists->opts.env ? hists->opts.env->resolver : NULL;
	const struct srcline_frame *code = resolver ? resolver__code(resolver, loc) : NULL;

	return code && code->file ? code : NULL;
}

/* Print a place without a line as perf does: an address as offset in its function, a line as ??:0. */
static void print_unknown(enum frame_key key, const struct location *loc, char *buf, size_t size)
{
	if (key == FRAME_BY_ADDRESS)
		snprintf(buf, size, "+%" PRIu64, loc->sym_addr - loc->sym->start);
	else
		snprintf(buf, size, "??:0");
}

/*
 * All unknown lines have the same text, but need not be the same line: compare such frames by function. (Stock perf merges them
 * whatever functions they are in.)
 */
int chain_frame__init(struct chain_frame *frame, struct hists *hists, const struct location *loc)
{
	enum frame_key key = hists->opts.frame_key;
	const struct srcline_frame *code = key != FRAME_BY_FUNCTION && loc->sym ? code_of(hists, loc) : NULL;
	char text[4096];

	*frame = (struct chain_frame){ .dso = loc->dso, .sym = loc->sym, .addr = loc->addr,
				       .key = key == FRAME_BY_LINE && !code ? FRAME_BY_FUNCTION : key };
	if (key == FRAME_BY_FUNCTION || !loc->sym)
		return 0;
	if (code)
		srcline_frame__snprint(code, hists->opts.full_paths, text, sizeof(text));
	else
		print_unknown(key, loc, text, sizeof(text));
	frame->line = hists__intern(hists, text);
	return frame->line ? 0 : -ENOMEM;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/event/callgraph.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_STACK_DUMP 8192 /* bytes, as perf */

int callgraph__parse_stack_dump(u32 *size, const char *text, struct errmsg *err)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || errno || !value || value > CALLGRAPH_MAX_STACK_DUMP)
		return errmsg__set(err, EINVAL, "the size of the copied stack is a number of bytes of at most %u: not \"%s\"",
				   CALLGRAPH_MAX_STACK_DUMP, text);
	*size = ALIGN_UP(value, sizeof(u64));
	return 0;
}

static int parse_dwarf(struct callgraph *callgraph, const char *size, struct errmsg *err)
{
	callgraph->mode = CALLGRAPH_DWARF;
	callgraph->stack_dump = DEFAULT_STACK_DUMP;
	return size ? callgraph__parse_stack_dump(&callgraph->stack_dump, size, err) : 0;
}

int callgraph__parse(struct callgraph *callgraph, const char *text, struct errmsg *err)
{
	*callgraph = (struct callgraph){ .mode = CALLGRAPH_NONE };
	if (!strcmp(text, "no"))
		return 0;
	if (!strcmp(text, "dwarf"))
		return parse_dwarf(callgraph, NULL, err);
	if (!strncmp(text, "dwarf,", 6))
		return parse_dwarf(callgraph, text + 6, err);
	if (!strcmp(text, "lbr")) {
		callgraph->mode = CALLGRAPH_LBR;
		return 0;
	}
	if (!strcmp(text, "bpf")) {
		callgraph->mode = CALLGRAPH_BPF;
		return 0;
	}
	callgraph->mode = CALLGRAPH_FP;
	callgraph->defer = !strcmp(text, "fp,defer");
	if (callgraph->defer || !strcmp(text, "fp"))
		return 0;
	return errmsg__set(err, EINVAL, "\"%s\" is not known: fp[,defer] takes callchains by frame pointers, bpf by tables of the "
			   "files' unwinding rules, dwarf[,size] by copies of the stack, lbr by the CPU's branch records, no takes none", text);
}

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

static const struct {
	const char *word;
	struct callgraph is;
} words[] = {
	{ "fp", { .mode = CALLGRAPH_FP } },
	{ "fp,defer", { .mode = CALLGRAPH_FP, .defer = true } },
	{ "bpf", { .mode = CALLGRAPH_BPF } },
	{ "dwarf", { .mode = CALLGRAPH_DWARF, .stack_dump = DEFAULT_STACK_DUMP } },
	{ "lbr", { .mode = CALLGRAPH_LBR } },
	{ "no", { .mode = CALLGRAPH_NONE } },
};

const char *callgraph__word(size_t i)
{
	return i < ARRAY_SIZE(words) ? words[i].word : NULL;
}

int callgraph__parse(struct callgraph *callgraph, const char *text, struct errmsg *err)
{
	const char *size = strncmp(text, "dwarf,", strlen("dwarf,")) ? NULL : text + strlen("dwarf,");
	const char *word = size ? "dwarf" : text;

	*callgraph = (struct callgraph){ .mode = CALLGRAPH_NONE };
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(words[i].word, word))
			continue;
		*callgraph = words[i].is;
		return size ? callgraph__parse_stack_dump(&callgraph->stack_dump, size, err) : 0;
	}
	return errmsg__set(err, EINVAL, "\"%s\" is not known: fp[,defer] takes callchains by frame pointers, bpf by tables of the "
			   "files' unwinding rules, dwarf[,size] by copies of the stack, lbr by the CPU's branch records, no takes none", text);
}

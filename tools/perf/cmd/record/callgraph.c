// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/callgraph.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/config-defaults.h"
#include "util/bpf/kernel-table.h"
#include "util/lib/log.h"
#include "util/perfdata/reg-name.h"

int record_callgraph__parse(const struct option_row *row, const char *arg, bool unset)
{
	static const char *const modes[] = { "call-graph.record-mode", "record.call-graph", NULL };
	static const char *const sizes[] = { "call-graph.dump-size", NULL };
	struct callgraph *callgraph = row->value;
	struct errmsg err;
	const char *size;
	int ret;

	*callgraph = (struct callgraph){ .mode = CALLGRAPH_NONE };
	if (unset)
		return 0;
	if (!arg)
		arg = config_defaults__get(modes);
	if (!arg) {
		callgraph->mode = CALLGRAPH_AUTO;
		return 0;
	}
	ret = callgraph__parse(callgraph, arg, &err);
	size = !ret && !strcmp(arg, "dwarf") ? config_defaults__get(sizes) : NULL;
	if (size)
		ret = callgraph__parse_stack_dump(&callgraph->stack_dump, size, &err);
	if (ret)
		pr_err("--call-graph: %s\n", err.text);
	if (ret || callgraph->mode != CALLGRAPH_DWARF || regs_of_user())
		return ret ? -1 : 0;
	pr_err("--call-graph dwarf does not work on this machine: take --call-graph fp\n");
	return -1;
}

int record_callgraph__parse_max_stack(const struct option_row *row, const char *arg, bool unset)
{
	unsigned int *max = row->value;
	unsigned long value;
	char *end;

	if (unset) {
		*max = 0;
		return 0;
	}
	value = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || !value || value > UINT16_MAX) {
		pr_err("--max-stack takes a number of frames from 1 to %u: not \"%s\"\n", UINT16_MAX, arg);
		return -1;
	}
	*max = value;
	return 0;
}

void record_callgraph__list(void)
{
	const char *word;

	for (size_t i = 0; (word = callgraph__word(i)); i++)
		printf("%s\n", word);
}

int record_callgraph__check(const struct callgraph *callgraph)
{
	char lacks[160];

	if (!callgraph->defer || kernel_offer__probe(KERNEL_DEFER_CALLCHAIN) != KERNEL_LACKS)
		return 0;
	pr_err("--call-graph fp,defer needs %s: take --call-graph fp\n",
	       kernel_offer__explain(KERNEL_DEFER_CALLCHAIN, lacks, sizeof(lacks)));
	return EXIT_SETUP;
}

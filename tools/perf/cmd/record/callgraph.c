// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/callgraph.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/config-defaults.h"
#include "util/bpf/kernel-table.h"
#include "util/bpf_skel/interp.h"
#include "util/lib/log.h"
#include "util/record/record.h"
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

static const char *const interp_modes[] = { [INTERP_OFF] = "off", [INTERP_MERGED] = "names", [INTERP_ONLY] = "only" };

int record_callgraph__parse_interp(const struct option_row *row, const char *arg, bool unset)
{
	struct record_opts *opts = row->value;

	for (unsigned int i = 0; i < ARRAY_SIZE(interp_modes) && !unset; i++) {
		if (strcmp(arg, interp_modes[i]))
			continue;
		opts->interp = i;
		opts->interp_asked = true;
		return 0;
	}
	opts->interp = INTERP_OFF;
	if (unset)
		return 0;
	pr_err("--interp takes names, only or off: not \"%s\"\n", arg);
	return -1;
}

void record_callgraph__list_interp(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(interp_modes); i++)
		printf("%s\n", interp_modes[i]);
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

// SPDX-License-Identifier: GPL-2.0
/* Keys of a sample's branches (PERF_SAMPLE_BRANCH_STACK): target and flags. */
#include "util/hist/key-values.h"

#include <errno.h>
#include <inttypes.h>

#define ADDR_NAME 18 /* characters of a name before an offset, as in perf */

static char level_of(const struct location *loc)
{
	if (!loc->map)
		return 'H'; /* as in perf: without a map it is the hypervisor's */
	return loc->cpumode == PERF_RECORD_MISC_KERNEL ? 'k' : '.';
}

static int read_dso(const struct hist_reading *from, struct hist_value *value, const struct location *loc)
{
	if (!loc->dso)
		return hist_value__show(from, value, "[unknown]");
	value->text = hists__intern(from->hists, loc->dso->short_name);
	return value->text ? 0 : -ENOMEM;
}

static int read_symbol(const struct hist_reading *from, struct hist_value *value, const struct location *loc)
{
	value->number = loc->sym ? loc->sym->start : loc->addr;
	if (!loc->sym)
		return hist_value__show(from, value, "[%c] %#.16" PRIx64, level_of(loc), loc->sym_addr);
	value->text = hists__intern(from->hists, loc->sym->name);
	return value->text ? hist_value__show(from, value, "[%c] %s", level_of(loc), loc->sym->name) : -ENOMEM;
}

static int read_addr(const struct hist_reading *from, struct hist_value *value, const struct location *loc)
{
	const char level = hist_level(from->sample->raw->cpumode); /* that of the sample, as in perf */

	value->number = loc->addr;
	value->text = loc->dso ? hists__intern(from->hists, loc->dso->short_name) : NULL;
	if (loc->dso && !value->text)
		return -ENOMEM;
	if (!loc->sym)
		return hist_value__show(from, value, "[%c] %#.16" PRIx64, level, loc->sym_addr);
	if (loc->sym_addr == loc->sym->start)
		return hist_value__show(from, value, "[%c] %.*s", level, ADDR_NAME, loc->sym->name);
	return hist_value__show(from, value, "[%c] %.*s+0x%" PRIx64, level, ADDR_NAME, loc->sym->name, loc->sym_addr - loc->sym->start);
}

static int read_line(const struct hist_reading *from, struct hist_value *value, const struct location *loc)
{
	const struct hist_reading at = { from->hists, from->sample, loc, from->column };

	return key_read__srcline(&at, value);
}

/* A sample without a branch leaves the key unknown. Where such a key can be chosen, all samples have one. */
#define BRANCH_ENDS(what)                                                                              \
	int key_read__##what##_from(const struct hist_reading *from, struct hist_value *value)         \
	{                                                                                              \
		static const struct location none;                                                     \
		const struct hist_branch *branch = from->sample->branch;                               \
                                                                                                       \
		return read_##what(from, value, branch ? &branch->from : &none);                       \
	}                                                                                              \
	int key_read__##what##_to(const struct hist_reading *from, struct hist_value *value)           \
	{                                                                                              \
		static const struct location none;                                                     \
		const struct hist_branch *branch = from->sample->branch;                               \
                                                                                                       \
		return read_##what(from, value, branch ? &branch->to : &none);                         \
	}

BRANCH_ENDS(dso)
BRANCH_ENDS(symbol)
BRANCH_ENDS(addr)
BRANCH_ENDS(line)

static struct perf_branch_entry entry_of(const struct hist_reading *from)
{
	return from->sample->branch ? *from->sample->branch->entry : (struct perf_branch_entry){};
}

int key_read__mispredict(const struct hist_reading *from, struct hist_value *value)
{
	const struct perf_branch_entry entry = entry_of(from);

	value->number = entry.mispred | entry.predicted << 1;
	return hist_value__show(from, value, "%s", entry.predicted ? "N" : entry.mispred ? "Y" : "N/A");
}

int key_read__abort(const struct hist_reading *from, struct hist_value *value)
{
	value->number = entry_of(from).abort;
	return hist_value__show(from, value, "%s", value->number ? "A" : ".");
}

int key_read__in_tx(const struct hist_reading *from, struct hist_value *value)
{
	value->number = entry_of(from).in_tx;
	return hist_value__show(from, value, "%s", value->number ? "T" : ".");
}

int key_read__cycles(const struct hist_reading *from, struct hist_value *value)
{
	value->number = entry_of(from).cycles;
	return value->number ? hist_value__show(from, value, "%" PRIu64, value->number) : hist_value__show(from, value, "-");
}

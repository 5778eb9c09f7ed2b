// SPDX-License-Identifier: GPL-2.0
/* Keys of the memory access of a sample: PERF_SAMPLE_ADDR, _DATA_SRC (union perf_mem_data_src), _PHYS_ADDR. */
#include "util/hist/key-values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/perfdata/data-src.h"

#define CACHE_LINE 64
#define UNKNOWN                                                                                                  \
	(PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) | PERF_MEM_S(LOCK, NA) | PERF_MEM_S(TLB, NA) |   \
	 PERF_MEM_S(LVLNUM, NA))

static union perf_mem_data_src data_src(const struct hist_reading *from)
{
	const struct perf_sample *raw = from->sample->raw;

	return (union perf_mem_data_src){ .val = raw && raw->sample_type & PERF_SAMPLE_DATA_SRC ? raw->data_src : UNKNOWN };
}

static u64 addr_of(const struct hist_reading *from)
{
	return from->sample->raw ? from->sample->raw->addr : 0;
}

/* Location of the data; only reads the thread's maps. */
static void locate(const struct hist_reading *from, struct location *loc)
{
	const struct hist_env *env = from->hists->opts.env;

	*loc = (struct location){ .addr = addr_of(from) };
	if (env && env->resolver)
		resolver__resolve(env->resolver, (struct thread *)from->sample->thread, from->loc->cpumode, loc->addr, loc);
}

static int show_symbol(const struct hist_reading *from, const struct location *loc, struct hist_value *value)
{
	value->number = loc->addr;
	if (!loc->sym)
		return hist_value__show(from, value, "%#.16" PRIx64, loc->addr);
	if (loc->sym->is_data)
		return hist_value__show(from, value, "%s+0x%" PRIx64, loc->sym->name, loc->sym_addr - loc->sym->start);
	return hist_value__show(from, value, "%s", loc->sym->name);
}

int key_read__symbol_daddr(const struct hist_reading *from, struct hist_value *value)
{
	struct location loc;

	locate(from, &loc);
	return show_symbol(from, &loc, value);
}

int key_read__symbol_iaddr(const struct hist_reading *from, struct hist_value *value)
{
	return show_symbol(from, from->loc, value);
}

int key_read__dso_daddr(const struct hist_reading *from, struct hist_value *value)
{
	struct location loc;

	locate(from, &loc);
	value->text = hists__intern(from->hists, loc.dso ? loc.dso->short_name : "[unknown]");
	return value->text ? 0 : -ENOMEM;
}

int key_read__dcacheline(const struct hist_reading *from, struct hist_value *value)
{
	struct location loc;
	u64 offset;
	char level;

	locate(from, &loc);
	level = loc.map ? '.' : 'X';
	if (from->loc->cpumode == PERF_RECORD_MISC_KERNEL)
		level = 'k';
	value->number = loc.addr & ~(u64)(CACHE_LINE - 1);
	if (!loc.sym)
		return hist_value__show(from, value, "[%c] %#.16" PRIx64, level, value->number);
	offset = loc.sym_addr - loc.sym->start;
	if (loc.sym->is_data)
		return hist_value__show(from, value, "[%c] %s+0x%" PRIx64, level, loc.sym->name, offset - loc.addr % CACHE_LINE);
	return hist_value__show(from, value, "[%c] %s", level, loc.sym->name);
}

int key_read__phys_daddr(const struct hist_reading *from, struct hist_value *value)
{
	value->number = from->sample->raw ? from->sample->raw->phys_addr : 0;
	return hist_value__show(from, value, "%#.16" PRIx64, value->number);
}

int key_read__mem(const struct hist_reading *from, struct hist_value *value)
{
	union perf_mem_data_src src = data_src(from);
	const char *outcome;
	char text[256];

	value->number = src.mem_lvl | (u64)src.mem_lvl_num << 14 | (u64)src.mem_remote << 18 | (u64)src.mem_hops << 19;
	outcome = data_src__level(src, text, sizeof(text));
	return hist_value__show(from, value, "%s%s%s", text, *outcome ? " " : "", outcome);
}

int key_read__tlb(const struct hist_reading *from, struct hist_value *value)
{
	union perf_mem_data_src src = data_src(from);
	char text[64];

	value->number = src.mem_dtlb;
	data_src__tlb(src, text, sizeof(text));
	return hist_value__show(from, value, "%s", text);
}

int key_read__snoop(const struct hist_reading *from, struct hist_value *value)
{
	union perf_mem_data_src src = data_src(from);
	char text[64];

	value->number = src.mem_snoop | (u64)src.mem_snoopx << 5;
	data_src__snoop(src, text, sizeof(text));
	return hist_value__show(from, value, "%s", text);
}

int key_read__locked(const struct hist_reading *from, struct hist_value *value)
{
	union perf_mem_data_src src = data_src(from);

	value->number = src.mem_lock;
	return hist_value__show(from, value, "%s", data_src__lock(src));
}

int key_read__blocked(const struct hist_reading *from, struct hist_value *value)
{
	union perf_mem_data_src src = data_src(from);

	value->number = src.mem_blk;
	return hist_value__show(from, value, "%s", data_src__block(src));
}

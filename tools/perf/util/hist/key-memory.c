// SPDX-License-Identifier: GPL-2.0
/* Keys of the memory that a sample says was accessed: PERF_SAMPLE_ADDR, _DATA_SRC (union perf_mem_data_src), _PHYS_ADDR. */
#include "util/hist/key-values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* Where the data lies; the thread's maps are only looked at. */
static void locate(const struct hist_reading *from, struct location *loc)
{
	const struct hist_env *env = from->hists->opts.env;

	*loc = (struct location){ .addr = addr_of(from) };
	if (env && env->resolver)
		resolver__resolve(env->resolver, (struct thread *)from->sample->thread, from->loc->cpumode, loc->addr, loc);
}

int key_read__symbol_daddr(const struct hist_reading *from, struct hist_value *value)
{
	struct location loc;

	locate(from, &loc);
	value->number = loc.addr;
	if (!loc.sym)
		return hist_value__show(from, value, "%#.16" PRIx64, loc.addr);
	if (loc.sym->is_data)
		return hist_value__show(from, value, "%s+0x%" PRIx64, loc.sym->name, loc.sym_addr - loc.sym->start);
	return hist_value__show(from, value, "%s", loc.sym->name);
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

/* The names of the set bits, joined; the first bit means that nothing is known. Returns whether there were any. */
static bool join_bits(char *buf, size_t size, u64 bits, const char *const *names, size_t nr)
{
	bool any = *buf;

	for (size_t i = 0; i < nr; i++) {
		size_t len = strlen(buf);

		if (!names[i] || !(bits >> i & 1))
			continue;
		snprintf(buf + len, size - len, "%s%s", any ? " or " : "", names[i]);
		any = true;
	}
	return any;
}

int key_read__mem(const struct hist_reading *from, struct hist_value *value)
{
	static const char *const levels[] = { NULL, NULL, NULL, "L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)",
					      "Remote RAM (2 hops)", "Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O",
					      "Uncached" };
	static const char *const numbers[16] = { [8] = "Uncached", [9] = "CXL", [10] = "I/O", [11] = "Any cache", [12] = "LFB/MAB",
						 [13] = "RAM", [14] = "PMEM" };
	static const char *const hops[8] = { NULL, "core, same node ", "node, same socket ", "socket, same board ", "board " };
	union perf_mem_data_src src = data_src(from);
	const char *outcome = src.mem_lvl & PERF_MEM_LVL_MISS ? " miss" : src.mem_lvl & PERF_MEM_LVL_HIT ? " hit" : "";
	char text[256] = "";

	value->number = src.mem_lvl | (u64)src.mem_lvl_num << 14 | (u64)src.mem_remote << 18 | (u64)src.mem_hops << 19;
	if (src.mem_lvl_num && src.mem_lvl_num != PERF_MEM_LVLNUM_NA) {
		if (numbers[src.mem_lvl_num])
			return hist_value__show(from, value, "%s%s%s%s", src.mem_remote ? "Remote " : "", hops[src.mem_hops] ?: "",
						numbers[src.mem_lvl_num], outcome);
		return hist_value__show(from, value, "%s%sL%d%s", src.mem_remote ? "Remote " : "", hops[src.mem_hops] ?: "",
					(int)src.mem_lvl_num, outcome);
	}
	if (!join_bits(text, sizeof(text), src.mem_lvl, levels, sizeof(levels) / sizeof(*levels)))
		return hist_value__show(from, value, "N/A");
	return hist_value__show(from, value, "%s%s", text, outcome);
}

int key_read__tlb(const struct hist_reading *from, struct hist_value *value)
{
	static const char *const names[] = { NULL, NULL, NULL, "L1", "L2", "Walker", "Fault" };
	union perf_mem_data_src src = data_src(from);
	char text[64] = "";

	value->number = src.mem_dtlb;
	if (!join_bits(text, sizeof(text), src.mem_dtlb, names, sizeof(names) / sizeof(*names)))
		strcpy(text, "N/A");
	return hist_value__show(from, value, "%s%s%s", text, src.mem_dtlb & PERF_MEM_TLB_HIT ? " hit" : "",
				src.mem_dtlb & PERF_MEM_TLB_MISS ? " miss" : "");
}

int key_read__snoop(const struct hist_reading *from, struct hist_value *value)
{
	static const char *const names[] = { NULL, "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };
	union perf_mem_data_src src = data_src(from);
	char text[64] = "";

	value->number = src.mem_snoop | (u64)src.mem_snoopx << 5;
	if (!join_bits(text, sizeof(text), value->number, names, sizeof(names) / sizeof(*names)))
		strcpy(text, "N/A");
	return hist_value__show(from, value, "%s", text);
}

int key_read__locked(const struct hist_reading *from, struct hist_value *value)
{
	value->number = data_src(from).mem_lock;
	return hist_value__show(from, value, "%s", value->number & PERF_MEM_LOCK_NA ? "N/A" :
						   value->number & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
}

int key_read__blocked(const struct hist_reading *from, struct hist_value *value)
{
	value->number = data_src(from).mem_blk;
	if (!value->number || value->number & PERF_MEM_BLK_NA)
		return hist_value__show(from, value, " N/A");
	return hist_value__show(from, value, "%s%s", value->number & PERF_MEM_BLK_DATA ? " Data" : "",
				value->number & PERF_MEM_BLK_ADDR ? " Addr" : "");
}

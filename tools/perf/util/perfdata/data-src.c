// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/data-src.h"

#include <stdio.h>
#include <string.h>

/* Levels by number that <linux/perf_event.h> of Linux 6.1 does not name are those of 6.15. */
static const char *const level_numbers[16] = {
	[1] = "L1", [2] = "L2", [3] = "L3", [4] = "L4", [5] = "L2 MHB", [6] = "Memory-side Cache", [8] = "Uncached", [9] = "CXL",
	[10] = "I/O", [11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM", [14] = "PMEM",
};
/* The bits of the older layout; the first three mean unknown, hit, miss. */
static const char *const level_bits[] = {
	NULL, NULL, NULL, "L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)", "Remote RAM (2 hops)",
	"Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O", "Uncached",
};
static const char *const hops[8] = { "", "core, same node ", "node, same socket ", "socket, same board ", "board " };

/* The names of the set bits, joined; "N/A" if none is set. */
static void join_bits(char *buf, size_t size, u64 bits, const char *const *names, size_t nr)
{
	size_t len = 0;

	for (size_t i = 0; i < nr && len < size; i++) {
		if (names[i] && bits >> i & 1)
			len += snprintf(buf + len, size - len, "%s%s", len ? " or " : "", names[i]);
	}
	if (!len)
		snprintf(buf, size, "N/A");
}

static void append(char *buf, size_t size, const char *text)
{
	size_t len = strlen(buf);

	snprintf(buf + len, size - len, "%s", text);
}

const char *data_src__op(union perf_mem_data_src src)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
	u64 op = src.mem_op;

	return op ? names[__builtin_ctzll(op)] : "No";
}

const char *data_src__level(union perf_mem_data_src src, char *buf, size_t size)
{
	const char *remote = src.mem_remote ? "Remote " : "", *hop = hops[src.mem_hops] ?: "";
	u32 number = src.mem_lvl_num;

	if (number && number != PERF_MEM_LVLNUM_NA) {
		if (level_numbers[number])
			snprintf(buf, size, "%s%s%s", remote, hop, level_numbers[number]);
		else
			snprintf(buf, size, "%s%sUnknown level %u", remote, hop, number);
	} else {
		join_bits(buf, size, src.mem_lvl, level_bits, sizeof(level_bits) / sizeof(*level_bits));
		if (!strcmp(buf, "N/A"))
			return "";
	}
	return src.mem_lvl & PERF_MEM_LVL_MISS ? "miss" : src.mem_lvl & PERF_MEM_LVL_HIT ? "hit" : "";
}

void data_src__snoop(union perf_mem_data_src src, char *buf, size_t size)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };

	join_bits(buf, size, src.mem_snoop | (u64)src.mem_snoopx << 5, names, sizeof(names) / sizeof(*names));
}

void data_src__tlb(union perf_mem_data_src src, char *buf, size_t size)
{
	static const char *const names[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };

	join_bits(buf, size, src.mem_dtlb, names, sizeof(names) / sizeof(*names));
	if (src.mem_dtlb & PERF_MEM_TLB_HIT)
		append(buf, size, " hit");
	if (src.mem_dtlb & PERF_MEM_TLB_MISS)
		append(buf, size, " miss");
}

const char *data_src__lock(union perf_mem_data_src src)
{
	return src.mem_lock & PERF_MEM_LOCK_NA ? "N/A" : src.mem_lock & PERF_MEM_LOCK_LOCKED ? "Yes" : "No";
}

const char *data_src__block(union perf_mem_data_src src)
{
	static const char *const names[] = { " N/A", " Data", " Addr", " Data Addr" };

	return names[src.mem_blk & PERF_MEM_BLK_NA ? 0 : src.mem_blk >> 1];
}

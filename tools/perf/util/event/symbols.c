// SPDX-License-Identifier: GPL-2.0
#include "util/event/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct event_symbol event_symbols_hw[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = { "cycles", "cpu-cycles", "cycles of the CPU while it runs, at its clock of the moment" },
	[PERF_COUNT_HW_INSTRUCTIONS] = { "instructions", NULL, "instructions that were completed" },
	[PERF_COUNT_HW_CACHE_REFERENCES] = { "cache-references", NULL, "accesses to the last cache" },
	[PERF_COUNT_HW_CACHE_MISSES] = { "cache-misses", NULL, "accesses that the last cache could not serve" },
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = { "branches", "branch-instructions", "branches that were completed" },
	[PERF_COUNT_HW_BRANCH_MISSES] = { "branch-misses", NULL, "branches that were predicted wrongly" },
	[PERF_COUNT_HW_BUS_CYCLES] = { "bus-cycles", NULL, "cycles of the bus" },
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = { "stalled-cycles-frontend", "idle-cycles-frontend", "cycles without an instruction to issue" },
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = { "stalled-cycles-backend", "idle-cycles-backend", "cycles in which instructions waited for data or units" },
	[PERF_COUNT_HW_REF_CPU_CYCLES] = { "ref-cycles", NULL, "cycles at a constant clock, whatever that of the CPU is" },
};

const struct event_symbol event_symbols_sw[PERF_COUNT_SW_MAX] = {
	[PERF_COUNT_SW_CPU_CLOCK] = { "cpu-clock", NULL, "time on the CPU, in nanoseconds, by a timer of each CPU" },
	[PERF_COUNT_SW_TASK_CLOCK] = { "task-clock", NULL, "time on the CPU, in nanoseconds, of the task" },
	[PERF_COUNT_SW_PAGE_FAULTS] = { "page-faults", "faults", "page faults" },
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = { "context-switches", "cs", "switches to another task" },
	[PERF_COUNT_SW_CPU_MIGRATIONS] = { "cpu-migrations", "migrations", "moves of a task to another CPU" },
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = { "minor-faults", NULL, "page faults without reading from a disk" },
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = { "major-faults", NULL, "page faults that read from a disk" },
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = { "alignment-faults", NULL, "accesses to unaligned memory that the kernel had to do" },
	[PERF_COUNT_SW_EMULATION_FAULTS] = { "emulation-faults", NULL, "instructions that the kernel had to do" },
	[PERF_COUNT_SW_DUMMY] = { "dummy", NULL, "nothing: it only records tasks and maps" },
	[PERF_COUNT_SW_BPF_OUTPUT] = { "bpf-output", NULL, "what BPF programs write" },
	[PERF_COUNT_SW_CGROUP_SWITCHES] = { "cgroup-switches", NULL, "switches to a task of another cgroup" },
};

const struct event_symbol event_symbols_tool[NR_TOOLS] = {
	[TOOL_DURATION_TIME] = { "duration_time", NULL, "time that passes, in nanoseconds" },
	[TOOL_USER_TIME] = { "user_time", NULL, "CPU time in user space, in nanoseconds" },
	[TOOL_SYSTEM_TIME] = { "system_time", NULL, "CPU time in the kernel, in nanoseconds" },
};

enum evsel_tool tool_symbol__find(const char *name)
{
	for (enum evsel_tool i = TOOL_NONE + 1; i < NR_TOOLS; i++) {
		if (!strcmp(event_symbols_tool[i].name, name))
			return i;
	}
	return TOOL_NONE;
}

#define MAX_ALIASES 5

/* The first name is for output; of operations, [0] before "-misses" and [1] for all accesses. */
static const char *const cache_names[PERF_COUNT_HW_CACHE_MAX][MAX_ALIASES] = {
	[PERF_COUNT_HW_CACHE_L1D] = { "L1-dcache", "l1-d", "l1d", "L1-data" },
	[PERF_COUNT_HW_CACHE_L1I] = { "L1-icache", "l1-i", "l1i", "L1-instruction" },
	[PERF_COUNT_HW_CACHE_LL] = { "LLC", "L2" },
	[PERF_COUNT_HW_CACHE_DTLB] = { "dTLB", "d-tlb", "Data-TLB" },
	[PERF_COUNT_HW_CACHE_ITLB] = { "iTLB", "i-tlb", "Instruction-TLB" },
	[PERF_COUNT_HW_CACHE_BPU] = { "branch", "branches", "bpu", "btb", "bpc" },
	[PERF_COUNT_HW_CACHE_NODE] = { "node" },
};

static const char *const cache_ops[PERF_COUNT_HW_CACHE_OP_MAX][MAX_ALIASES] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "load", "loads", "read" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "store", "stores", "write" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetch", "prefetches", "speculative-read", "speculative-load" },
};

static const char *const cache_results[PERF_COUNT_HW_CACHE_RESULT_MAX][MAX_ALIASES] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { "refs", "Reference", "ops", "access" },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { "misses", "miss" },
};

/* Valid operations of a cache in the kernel's interface */
#define OP(name) (1u << PERF_COUNT_HW_CACHE_OP_##name)
static const unsigned int ops_of_cache[PERF_COUNT_HW_CACHE_MAX] = {
	[PERF_COUNT_HW_CACHE_L1D] = OP(READ) | OP(WRITE) | OP(PREFETCH),
	[PERF_COUNT_HW_CACHE_L1I] = OP(READ) | OP(PREFETCH),
	[PERF_COUNT_HW_CACHE_LL] = OP(READ) | OP(WRITE) | OP(PREFETCH),
	[PERF_COUNT_HW_CACHE_DTLB] = OP(READ) | OP(WRITE) | OP(PREFETCH),
	[PERF_COUNT_HW_CACHE_ITLB] = OP(READ),
	[PERF_COUNT_HW_CACHE_BPU] = OP(READ),
	[PERF_COUNT_HW_CACHE_NODE] = OP(READ) | OP(WRITE) | OP(PREFETCH),
};

bool event_symbol__find(const char *name, u32 *type, u64 *config)
{
	static const struct {
		u32 type;
		const struct event_symbol *symbols;
		size_t nr;
	} tables[] = {
		{ PERF_TYPE_HARDWARE, event_symbols_hw, ARRAY_SIZE(event_symbols_hw) },
		{ PERF_TYPE_SOFTWARE, event_symbols_sw, ARRAY_SIZE(event_symbols_sw) },
	};

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		for (size_t i = 0; i < tables[t].nr; i++) {
			const struct event_symbol *symbol = &tables[t].symbols[i];

			if (strcmp(name, symbol->name) && (!symbol->alias || strcmp(name, symbol->alias)))
				continue;
			*type = tables[t].type;
			*config = i;
			return true;
		}
	}
	return false;
}

/* Length of the name at text, which ends at its end or at a '-'. */
static size_t match_length(const char *text, const char *const names[MAX_ALIASES])
{
	for (int i = 0; i < MAX_ALIASES && names[i]; i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(text, names[i], len) && (text[len] == '\0' || text[len] == '-'))
			return len;
	}
	return 0;
}

/* Index of the table row whose name text begins with, or -1; moves *text past it. */
static int match_row(const char **text, const char *const (*rows)[MAX_ALIASES], int nr)
{
	for (int i = 0; i < nr; i++) {
		size_t len = match_length(*text, rows[i]);

		if (len) {
			*text += len;
			return i;
		}
	}
	return -1;
}

int cache_event__find(const char *name, u64 *config)
{
	int cache = match_row(&name, cache_names, PERF_COUNT_HW_CACHE_MAX), op = -1, result = -1;

	if (cache < 0)
		return -ENOENT;
	while (*name == '-') {
		name++;
		if (op < 0) {
			op = match_row(&name, cache_ops, PERF_COUNT_HW_CACHE_OP_MAX);
			if (op >= 0)
				continue;
		}
		if (result >= 0)
			return -ENOENT;
		result = match_row(&name, cache_results, PERF_COUNT_HW_CACHE_RESULT_MAX);
		if (result < 0)
			return -ENOENT;
	}
	if (op < 0)
		op = PERF_COUNT_HW_CACHE_OP_READ;
	if (result < 0)
		result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	*config = cache | op << 8 | result << 16;
	return cache_event__valid(*config) ? 0 : -EOPNOTSUPP;
}

bool cache_event__valid(u64 config)
{
	u64 cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	return cache < PERF_COUNT_HW_CACHE_MAX && op < PERF_COUNT_HW_CACHE_OP_MAX &&
	       result < PERF_COUNT_HW_CACHE_RESULT_MAX && ops_of_cache[cache] >> op & 1;
}

const char *cache_event__name(u64 config, char *buf, size_t size)
{
	unsigned int cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= PERF_COUNT_HW_CACHE_MAX)
		snprintf(buf, size, "unknown-ext-hardware-cache-type");
	else if (op >= PERF_COUNT_HW_CACHE_OP_MAX)
		snprintf(buf, size, "unknown-ext-hardware-cache-op");
	else if (result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		snprintf(buf, size, "unknown-ext-hardware-cache-result");
	else if (!cache_event__valid(config))
		snprintf(buf, size, "invalid-cache");
	else if (result == PERF_COUNT_HW_CACHE_RESULT_ACCESS)
		snprintf(buf, size, "%s-%s", cache_names[cache][0], cache_ops[op][1]);
	else
		snprintf(buf, size, "%s-%s-%s", cache_names[cache][0], cache_ops[op][0], cache_results[result][0]);
	return buf;
}

static int for_each_of(u32 type, const struct event_symbol *symbols, size_t nr,
		       int (*cb)(void *data, const char *name, u32 type, u64 config), void *data)
{
	for (size_t i = 0; i < nr; i++) {
		int ret = cb(data, symbols[i].name, type, i);

		if (!ret && symbols[i].alias)
			ret = cb(data, symbols[i].alias, type, i);
		if (ret)
			return ret;
	}
	return 0;
}

static int for_each_cache_event(int (*cb)(void *data, const char *name, u32 type, u64 config), void *data)
{
	const u64 nr = (u64)PERF_COUNT_HW_CACHE_MAX * PERF_COUNT_HW_CACHE_OP_MAX * PERF_COUNT_HW_CACHE_RESULT_MAX;
	int ret = 0;

	for (u64 i = 0; !ret && i < nr; i++) {
		u64 cache = i % PERF_COUNT_HW_CACHE_MAX, rest = i / PERF_COUNT_HW_CACHE_MAX;
		u64 config = cache | rest % PERF_COUNT_HW_CACHE_OP_MAX << 8 | rest / PERF_COUNT_HW_CACHE_OP_MAX << 16;
		char name[64];

		if (cache_event__valid(config))
			ret = cb(data, cache_event__name(config, name, sizeof(name)), PERF_TYPE_HW_CACHE, config);
	}
	return ret;
}

int event_symbol__for_each(int (*cb)(void *data, const char *name, u32 type, u64 config), void *data)
{
	int ret = for_each_of(PERF_TYPE_HARDWARE, event_symbols_hw, ARRAY_SIZE(event_symbols_hw), cb, data);

	if (!ret)
		ret = for_each_of(PERF_TYPE_SOFTWARE, event_symbols_sw, ARRAY_SIZE(event_symbols_sw), cb, data);
	return ret ? ret : for_each_cache_event(cb, data);
}

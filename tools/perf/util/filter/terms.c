// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include "util/filter/terms.h"

#define OP(name) (1u << FILTER_OP_##name)
#define OPS_EQUAL (OP(EQ) | OP(NE) | OP(IN))
#define OPS_ORDER (OP(GT) | OP(GE) | OP(LT) | OP(LE))
#define OPS_NUMBER (OPS_EQUAL | OPS_ORDER | OP(ANY))
#define OPS_SIGNED (OPS_EQUAL | OPS_ORDER)
#define OPS_NONE OP(NONE)
#define OPS_STRING (OPS_EQUAL | OP(GLOB) | OP(NOT_GLOB))

static const struct filter_constant modes[] = {
	{ "user", FILTER_MODE_USER },
	{ "kernel", FILTER_MODE_KERNEL },
	{ NULL, 0 },
};

/* Names as upstream perf has them, values of include/uapi/linux/perf_event.h. */
#define MEM(name, value) { name, PERF_MEM_##value }

static const struct filter_constant mem_ops[] = {
	MEM("na", OP_NA), MEM("load", OP_LOAD), MEM("store", OP_STORE), MEM("pfetch", OP_PFETCH), MEM("exec", OP_EXEC),
	{ NULL, 0 },
};

static const struct filter_constant mem_levels[] = {
	MEM("na", LVLNUM_NA), MEM("l1", LVLNUM_L1), MEM("l2", LVLNUM_L2), MEM("l3", LVLNUM_L3), MEM("l4", LVLNUM_L4),
	MEM("cxl", LVLNUM_CXL), MEM("io", LVLNUM_IO), MEM("any_cache", LVLNUM_ANY_CACHE), MEM("lfb", LVLNUM_LFB),
	MEM("ram", LVLNUM_RAM), MEM("pmem", LVLNUM_PMEM),
	{ NULL, 0 },
};

/* The extension's bits are above the five of mem_snoop. */
static const struct filter_constant mem_snoops[] = {
	MEM("na", SNOOP_NA), MEM("none", SNOOP_NONE), MEM("hit", SNOOP_HIT), MEM("miss", SNOOP_MISS), MEM("hitm", SNOOP_HITM),
	{ "fwd", PERF_MEM_SNOOPX_FWD << 5 }, { "peer", PERF_MEM_SNOOPX_PEER << 5 },
	{ NULL, 0 },
};

static const struct filter_constant mem_remotes[] = { MEM("remote", REMOTE_REMOTE), { NULL, 0 } };
static const struct filter_constant mem_locks[] = { MEM("na", LOCK_NA), MEM("locked", LOCK_LOCKED), { NULL, 0 } };

static const struct filter_constant mem_tlbs[] = {
	MEM("na", TLB_NA), { "l1_hit", PERF_MEM_TLB_L1 | PERF_MEM_TLB_HIT }, { "l1_miss", PERF_MEM_TLB_L1 | PERF_MEM_TLB_MISS },
	{ "l2_hit", PERF_MEM_TLB_L2 | PERF_MEM_TLB_HIT }, { "l2_miss", PERF_MEM_TLB_L2 | PERF_MEM_TLB_MISS },
	MEM("any_hit", TLB_HIT), MEM("any_miss", TLB_MISS), MEM("walk", TLB_WK), MEM("os", TLB_OS), MEM("fault", TLB_OS),
	{ NULL, 0 },
};

static const struct filter_constant mem_blks[] = {
	MEM("na", BLK_NA), MEM("by_data", BLK_DATA), MEM("by_addr", BLK_ADDR), { NULL, 0 },
};

static const struct filter_constant mem_hops[] = {
	MEM("hops0", HOPS_0), MEM("hops1", HOPS_1), MEM("hops2", HOPS_2), MEM("hops3", HOPS_3), { NULL, 0 },
};

#define TERM(n, k, o, s, ...) \
	{ .name = (n), .kind = FILTER_KIND_##k, .ops = OPS_##o, .slot = FILTER_TERM_##s, ##__VA_ARGS__ }
#define PART(n, s, at, nr, ...) TERM(n, NUMBER, NUMBER, s, .shift = (at), .bits = (nr), ##__VA_ARGS__)
#define MEM_PART(n, at, nr, names, ...) \
	TERM(n, CONSTANT, NUMBER, DATA_SRC, .shift = (at), .bits = (nr), .constants = (names), ##__VA_ARGS__)

static const struct filter_term_desc terms[] = {
	TERM("ip", NUMBER, NUMBER, IP),
	TERM("id", NUMBER, NUMBER, ID),
	TERM("tid", NUMBER, NUMBER, TID),
	TERM("pid", NUMBER, NUMBER, PID),
	TERM("ppid", NUMBER, NUMBER, PPID),
	TERM("cpu", CPU, NUMBER, CPU),
	TERM("time", TIME, NUMBER, TIME),
	TERM("addr", NUMBER, NUMBER, ADDR),
	TERM("period", NUMBER, NUMBER, PERIOD),
	TERM("uid", USER, NUMBER, UID),
	TERM("gid", GROUP, NUMBER, GID),
	TERM("comm", COMM, STRING, COMM_LO),
	TERM("cgroup", CGROUP, EQUAL, CGROUP),
	TERM("mode", CONSTANT, EQUAL, MODE, .constants = modes),
	TERM("prio", SIGNED, SIGNED, PRIO, .min = -1, .max = 139),
	TERM("nice", SIGNED, SIGNED, NICE, .min = -20, .max = 19),
	TERM("idle", FLAG, NONE, IDLE),
	TERM("sym", SYMBOL, STRING, IP),
	TERM("dso", FILE, STRING, FILE_NAME),
	TERM("rand", PERCENT, ORDER, RAND),
	TERM("every", EVERY, NONE, EVERY),
	TERM("phys_addr", NUMBER, NUMBER, PHYS_ADDR),
	TERM("txn", NUMBER, NUMBER, TXN),
	PART("weight", WEIGHT, 0, 32, .aliases = { "weight1" }),
	PART("weight2", WEIGHT, 32, 16, .aliases = { "ins_lat" }),
	PART("weight3", WEIGHT, 48, 16, .aliases = { "retire_lat", "p_stage_cyc" }),
	TERM("code_pgsz", NUMBER, NUMBER, CODE_PGSZ),
	TERM("data_pgsz", NUMBER, NUMBER, DATA_PGSZ),
	MEM_PART("mem_op", PERF_MEM_OP_SHIFT, 5, mem_ops),
	MEM_PART("mem_lvl", PERF_MEM_LVLNUM_SHIFT, 4, mem_levels, .aliases = { "mem_lvlnum" }),
	MEM_PART("mem_snoop", PERF_MEM_SNOOP_SHIFT, 5, mem_snoops,
		 .high_at = PERF_MEM_SNOOPX_SHIFT - PERF_MEM_SNOOP_SHIFT, .high_bits = 2),
	MEM_PART("mem_remote", PERF_MEM_REMOTE_SHIFT, 1, mem_remotes),
	MEM_PART("mem_lock", PERF_MEM_LOCK_SHIFT, 2, mem_locks),
	MEM_PART("mem_dtlb", PERF_MEM_TLB_SHIFT, 7, mem_tlbs),
	MEM_PART("mem_blk", PERF_MEM_BLK_SHIFT, 3, mem_blks),
	MEM_PART("mem_hops", PERF_MEM_HOPS_SHIFT, 3, mem_hops),
};

/* What the kernel writes into the header of each record, where BPF sees something else. */
const struct filter_term_desc filter_term_common_pid = TERM("common_pid", SIGNED, NUMBER, TID, .max = INT_MAX);

#define SAMPLED(bit) PERF_SAMPLE_##bit, PERF_SAMPLE_##bit
#define TRACED .tracepoint = true

static const struct filter_slot slots[FILTER_TERM_MAX] = {
	[FILTER_TERM_IP] = { "ip", SAMPLED(IP) },
	/* Either bit makes the kernel fill data->id; IDENTIFIER is the one that does not depend on the other bits. */
	[FILTER_TERM_ID] = { "id", PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID },
	[FILTER_TERM_TID] = { "tid", SAMPLED(TID), TRACED },
	[FILTER_TERM_PID] = { "pid", SAMPLED(TID), TRACED },
	/* A helper reads it; the event gets the bit so that the file shows what it was filtered by. */
	[FILTER_TERM_CPU] = { "cpu", PERF_SAMPLE_CPU, 0, TRACED },
	[FILTER_TERM_TIME] = { "time", SAMPLED(TIME), TRACED },
	[FILTER_TERM_ADDR] = { "addr", SAMPLED(ADDR) },
	[FILTER_TERM_PERIOD] = { "period", SAMPLED(PERIOD) },
	[FILTER_TERM_UID] = { "uid", 0, 0, TRACED },
	[FILTER_TERM_GID] = { "gid", 0, 0, TRACED },
	[FILTER_TERM_CGROUP] = { "cgroup", 0, 0, TRACED },
	[FILTER_TERM_MODE] = { "mode", 0, 0, TRACED },
	[FILTER_TERM_COMM_LO] = { "comm[0-7]", 0, 0, TRACED },
	[FILTER_TERM_COMM_HI] = { "comm[8-15]", 0, 0, TRACED },
	[FILTER_TERM_RAND] = { "rand", 0, 0, TRACED },
	/* WEIGHT_STRUCT, as it has all parts; the guard is for events that were given the other bit. */
	[FILTER_TERM_WEIGHT] = { "weight", PERF_SAMPLE_WEIGHT_STRUCT, PERF_SAMPLE_WEIGHT_TYPE },
	[FILTER_TERM_TXN] = { "txn", SAMPLED(TRANSACTION) },
	[FILTER_TERM_PHYS_ADDR] = { "phys_addr", SAMPLED(PHYS_ADDR) },
	[FILTER_TERM_CODE_PGSZ] = { "code_pgsz", SAMPLED(CODE_PAGE_SIZE) },
	[FILTER_TERM_DATA_PGSZ] = { "data_pgsz", SAMPLED(DATA_PAGE_SIZE) },
	[FILTER_TERM_DATA_SRC] = { "data_src", SAMPLED(DATA_SRC) },
	[FILTER_TERM_PPID] = { "ppid", 0, 0, TRACED },
	[FILTER_TERM_PRIO] = { "prio+1", 0, 0, TRACED },
	[FILTER_TERM_NICE] = { "nice+20", 0, 0, TRACED },
	[FILTER_TERM_IDLE] = { "idle", 0, 0, TRACED },
	/* BPF looks the file up by the sample's ip */
	[FILTER_TERM_FILE_DEV] = { "file-dev", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_FILE_INO] = { "file-inode", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_FILE_OFFSET] = { "file-offset", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_RECORD ... FILTER_TERM_RECORD_LAST] = { "record", PERF_SAMPLE_RAW, 0, TRACED },
	[FILTER_TERM_COMM_GLOB] = { "comm-matches", 0, 0, TRACED },
	[FILTER_TERM_FILE_NAME] = { "file-name", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_FILE_GLOB] = { "file-matches", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_IP_SET] = { "ip-in", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_OFFSET_SET] = { "file-offset-in", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_EVERY] = { "every", 0, 0, TRACED },
	[FILTER_TERM_CGROUP_AT] = { "cgroup-at", 0, 0, TRACED },
	[FILTER_TERM_FIELD_TEXT] = { "field-is", PERF_SAMPLE_RAW, 0, TRACED },
	[FILTER_TERM_FIELD_GLOB] = { "field-matches", PERF_SAMPLE_RAW, 0, TRACED },
};

const struct filter_slot *filter_slot__get(enum filter_term slot)
{
	return &slots[slot];
}

const struct filter_term_desc *filter_term__find(const struct filter_word *name)
{
	const struct filter_term_desc *term;
	size_t i, a;

	for (i = 0; i < ARRAY_SIZE(terms); i++) {
		term = &terms[i];
		if (filter_word__is(name, term->name))
			return term;
		for (a = 0; a < ARRAY_SIZE(term->aliases) && term->aliases[a]; a++) {
			if (filter_word__is(name, term->aliases[a]))
				return term;
		}
	}
	return NULL;
}

static u64 low_bits(unsigned int nr)
{
	return nr < 64 ? (1ULL << nr) - 1 : ~0ULL;
}

u64 filter_term__mask(const struct filter_term_desc *term)
{
	return term->bits ? low_bits(term->bits) | low_bits(term->high_bits) << term->high_at : ~0ULL;
}

u64 filter_term__max(const struct filter_term_desc *term)
{
	return term->bits ? low_bits(term->bits + term->high_bits) : ~0ULL;
}

u64 filter_term__spread(const struct filter_term_desc *term, u64 value)
{
	return term->high_bits ? (value & low_bits(term->bits)) | value >> term->bits << term->high_at : value;
}

const char *filter_term__values(const struct filter_term_desc *term)
{
	static const char *const values[FILTER_KIND_MAX] = {
		[FILTER_KIND_NUMBER] = "a number (decimal, 0x hexadecimal, or with K, M or G)",
		[FILTER_KIND_TIME] = "a number of nanoseconds, or a time with ns, us, ms or s",
		[FILTER_KIND_CPU] = "a CPU number",
		[FILTER_KIND_USER] = "a user's name or number",
		[FILTER_KIND_GROUP] = "a group's name or number",
		[FILTER_KIND_CGROUP] = "a cgroup's path or id",
		[FILTER_KIND_CONSTANT] = "one of its names",
		[FILTER_KIND_SIGNED] = "a number, which may be negative",
		[FILTER_KIND_PERCENT] = "a percentage from 0% to 100%, such as 2.5%",
		[FILTER_KIND_EVERY] = "a number from 1 to 4294967295",
		[FILTER_KIND_COMM] = "a command name",
		[FILTER_KIND_FIELD] = "a number (decimal, 0x hexadecimal, or with K, M or G)",
		[FILTER_KIND_STRING] = "a string",
	};

	return values[term->kind];
}

bool filter_term__has_tracepoint(const struct filter_term_desc *term)
{
	return slots[term->slot].tracepoint;
}

void filter_term__list(char *buf, size_t size, bool tracepoint)
{
	size_t i, n = 0;

	buf[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(terms) && n < size; i++) {
		if (!tracepoint || filter_term__has_tracepoint(&terms[i]))
			n += snprintf(buf + n, size - n, "%s%s", n ? " " : "", terms[i].name);
	}
}

void filter_term__init_field(struct filter_term_desc *term, const char *name, const struct filter_field_desc *field)
{
	bool number = field->kind == FILTER_FIELD_NUMBER;

	*term = (struct filter_term_desc){
		.name = name,
		.kind = number ? FILTER_KIND_FIELD : FILTER_KIND_STRING,
		.ops = number ? OPS_NUMBER : OPS_STRING,
		.slot = FILTER_TERM_RECORD + field->offset / 8,
		.shift = field->offset % 8 * 8,
		.bits = number ? field->size * 8 : 0,
	};
}

u64 filter_field__invert_sign(const struct filter_field_desc *field, u64 value)
{
	return field->is_signed ? value ^ 1ULL << (field->size * 8 - 1) : value;
}

/* Levenshtein's distance, row by row */
unsigned int filter_word__distance(const struct filter_word *word, const char *name)
{
	unsigned int row[FILTER_FAR + 1], len = strlen(name), i, j, diagonal, best;

	if (word->len > FILTER_FAR || len > FILTER_FAR)
		return FILTER_FAR;
	for (j = 0; j <= len; j++)
		row[j] = j;
	for (i = 1; i <= word->len; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= len; j++) {
			best = diagonal + (word->text[i - 1] != name[j - 1]);
			diagonal = row[j];
			if (best > row[j] + 1)
				best = row[j] + 1;
			if (best > row[j - 1] + 1)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[len];
}

void filter_near__try(struct filter_near *near, const char *name)
{
	unsigned int d = filter_word__distance(near->word, name);
	unsigned int best = near->name ? near->distance : 3; /* two slips, e.g. two letters swapped */

	/* a word with no letter in common is no slip of a short name */
	if (d < best && d < strlen(name)) {
		near->distance = d;
		near->name = name;
	}
}

void filter_near__try_terms(struct filter_near *near, bool tracepoint)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(terms); i++) {
		if (!tracepoint || filter_term__has_tracepoint(&terms[i]))
			filter_near__try(near, terms[i].name);
	}
}

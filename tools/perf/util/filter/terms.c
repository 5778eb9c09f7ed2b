// SPDX-License-Identifier: GPL-2.0
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include "util/filter/terms.h"

#define OP(name) (1u << FILTER_OP_##name)
#define OPS_EQUAL (OP(EQ) | OP(NE) | OP(IN))
#define OPS_NUMBER (OPS_EQUAL | OP(GT) | OP(GE) | OP(LT) | OP(LE) | OP(ANY))
#define OPS_STRING (OPS_EQUAL | OP(GLOB) | OP(NOT_GLOB))

static const struct filter_constant modes[] = {
	{ "user", FILTER_MODE_USER },
	{ "kernel", FILTER_MODE_KERNEL },
	{ NULL, 0 },
};

#define TERM(n, k, o, s, ...) \
	{ .name = (n), .kind = FILTER_KIND_##k, .ops = OPS_##o, .slot = FILTER_TERM_##s, ##__VA_ARGS__ }
#define LATER(n, ...) { .name = (n), .kind = FILTER_KIND_LATER, .aliases = { __VA_ARGS__ } }

static const struct filter_term_desc terms[] = {
	TERM("ip", NUMBER, NUMBER, IP),
	TERM("id", NUMBER, NUMBER, ID),
	TERM("tid", NUMBER, NUMBER, TID),
	TERM("pid", NUMBER, NUMBER, PID),
	TERM("cpu", CPU, NUMBER, CPU),
	TERM("time", TIME, NUMBER, TIME),
	TERM("addr", NUMBER, NUMBER, ADDR),
	TERM("period", NUMBER, NUMBER, PERIOD),
	TERM("uid", USER, NUMBER, UID),
	TERM("gid", GROUP, NUMBER, GID),
	TERM("comm", COMM, STRING, COMM_LO),
	TERM("cgroup", CGROUP, EQUAL, CGROUP),
	TERM("mode", CONSTANT, EQUAL, MODE, .constants = modes),

	LATER("phys_addr"),
	LATER("txn"),
	LATER("weight", "weight1"),
	LATER("weight2", "ins_lat"),
	LATER("weight3", "retire_lat", "p_stage_cyc"),
	LATER("code_pgsz"),
	LATER("data_pgsz"),
	LATER("mem_op"),
	LATER("mem_lvlnum", "mem_lvl"),
	LATER("mem_snoop"),
	LATER("mem_remote"),
	LATER("mem_lock"),
	LATER("mem_dtlb"),
	LATER("mem_blk"),
	LATER("mem_hops"),
};

#define SAMPLED(bit) PERF_SAMPLE_##bit, PERF_SAMPLE_##bit

static const struct filter_slot slots[FILTER_TERM_MAX] = {
	[FILTER_TERM_IP] = { "ip", SAMPLED(IP) },
	/* Either bit makes the kernel fill data->id; IDENTIFIER is the one that does not depend on the other bits. */
	[FILTER_TERM_ID] = { "id", PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID },
	[FILTER_TERM_TID] = { "tid", SAMPLED(TID) },
	[FILTER_TERM_PID] = { "pid", SAMPLED(TID) },
	/* A helper reads it; the event gets the bit so that the file shows what it was filtered by. */
	[FILTER_TERM_CPU] = { "cpu", PERF_SAMPLE_CPU, 0 },
	[FILTER_TERM_TIME] = { "time", SAMPLED(TIME) },
	[FILTER_TERM_ADDR] = { "addr", SAMPLED(ADDR) },
	[FILTER_TERM_PERIOD] = { "period", SAMPLED(PERIOD) },
	[FILTER_TERM_UID] = { "uid", 0, 0 },
	[FILTER_TERM_GID] = { "gid", 0, 0 },
	[FILTER_TERM_CGROUP] = { "cgroup", 0, 0 },
	[FILTER_TERM_MODE] = { "mode", 0, 0 },
	[FILTER_TERM_COMM_LO] = { "comm[0-7]", 0, 0 },
	[FILTER_TERM_COMM_HI] = { "comm[8-15]", 0, 0 },
	[FILTER_TERM_RAND] = { "rand", 0, 0 },
	/* WEIGHT_STRUCT, as it has all parts; the guard is for events that were given the other bit. */
	[FILTER_TERM_WEIGHT] = { "weight", PERF_SAMPLE_WEIGHT_STRUCT, PERF_SAMPLE_WEIGHT_TYPE },
	[FILTER_TERM_TXN] = { "txn", SAMPLED(TRANSACTION) },
	[FILTER_TERM_PHYS_ADDR] = { "phys_addr", SAMPLED(PHYS_ADDR) },
	[FILTER_TERM_CODE_PGSZ] = { "code_pgsz", SAMPLED(CODE_PAGE_SIZE) },
	[FILTER_TERM_DATA_PGSZ] = { "data_pgsz", SAMPLED(DATA_PAGE_SIZE) },
	[FILTER_TERM_DATA_SRC] = { "data_src", SAMPLED(DATA_SRC) },
	[FILTER_TERM_PPID] = { "ppid", 0, 0 },
	[FILTER_TERM_PRIO] = { "prio+1", 0, 0 },
	[FILTER_TERM_NICE] = { "nice+20", 0, 0 },
	[FILTER_TERM_IDLE] = { "idle", 0, 0 },
	/* BPF looks the file up by the sample's ip */
	[FILTER_TERM_FILE_DEV] = { "file-dev", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_FILE_INO] = { "file-inode", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_FILE_OFFSET] = { "file-offset", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_COMM_GLOB] = { "comm-matches", 0, 0 },
	[FILTER_TERM_FILE_NAME] = { "file-name", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_FILE_GLOB] = { "file-matches", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_IP_SET] = { "ip-in", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_OFFSET_SET] = { "file-offset-in", PERF_SAMPLE_IP, 0 },
	[FILTER_TERM_EVERY] = { "every", 0, 0 },
	[FILTER_TERM_CGROUP_AT] = { "cgroup-at", 0, 0 },
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

u64 filter_term__mask(const struct filter_term_desc *term)
{
	return term->bits ? (1ULL << term->bits) - 1 : ~0ULL;
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
		[FILTER_KIND_COMM] = "a command name",
	};

	return values[term->kind];
}

void filter_term__list(char *buf, size_t size)
{
	size_t i, n = 0;

	buf[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(terms) && n < size; i++) {
		if (terms[i].kind != FILTER_KIND_LATER)
			n += snprintf(buf + n, size - n, "%s%s", n ? " " : "", terms[i].name);
	}
}

#define NEAR_MAX_LEN 16

/* Levenshtein's distance, row by row; names longer than any term's are far from all. */
static unsigned int distance(const struct filter_word *word, const char *name)
{
	unsigned int row[NEAR_MAX_LEN + 1], len = strlen(name), i, j, diagonal, best;

	if (word->len > NEAR_MAX_LEN || len > NEAR_MAX_LEN)
		return NEAR_MAX_LEN;
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

const struct filter_term_desc *filter_term__nearest(const struct filter_word *name)
{
	const struct filter_term_desc *nearest = NULL;
	unsigned int best = 3, d; /* two slips, e.g. two letters swapped */
	size_t i;

	for (i = 0; i < ARRAY_SIZE(terms); i++) {
		d = distance(name, terms[i].name);
		/* a word with no letter in common is no slip of a short name */
		if (terms[i].kind != FILTER_KIND_LATER && d < best && d < strlen(terms[i].name)) {
			best = d;
			nearest = &terms[i];
		}
	}
	return nearest;
}

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "record-contents.h"

#include <stdio.h>
#include <string.h>

#include "util/perfdata/reg-name.h"
#include "util/lib/log.h"
#include "util/lib/types.h"

bool record_contents__always;

/* Processors of these tell parts of a weight. */
#if defined(__x86_64__) || defined(__powerpc64__)
#define SAMPLE_WEIGHT PERF_SAMPLE_WEIGHT_STRUCT
#else
#define SAMPLE_WEIGHT PERF_SAMPLE_WEIGHT
#endif

static const struct {
	const char *option;
	u64 bit;
} bits[] = {
	{ "phys-data", PERF_SAMPLE_PHYS_ADDR },
	{ "data-page-size", PERF_SAMPLE_DATA_PAGE_SIZE },
	{ "code-page-size", PERF_SAMPLE_CODE_PAGE_SIZE },
	{ "sample-mem-info", PERF_SAMPLE_DATA_SRC },
	{ "weight", SAMPLE_WEIGHT },
	{ "transaction", PERF_SAMPLE_TRANSACTION },
	{ "raw-samples", PERF_SAMPLE_RAW },
};

static void set(struct attr_opts *attr, u64 bit, bool on)
{
	attr->sample_type = on ? attr->sample_type | bit : attr->sample_type & ~bit;
}

int record_contents__set_bit(const struct option_row *row, const char *arg, bool unset)
{
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++) {
		if (!strcmp(row->long_name, bits[i].option))
			set(row->value, bits[i].bit, !unset);
	}
	return 0;
}

static int list_regs(void)
{
	fputs("available registers:", stderr);
	for (u32 reg = 0; reg < 64; reg++) {
		if (regs_of_user() >> reg & 1)
			fprintf(stderr, " %s", reg_name(NULL, reg));
	}
	fputc('\n', stderr);
	return -1;
}

static int parse_regs(const struct option_row *row, const char *arg, u64 *regs)
{
	size_t len;
	int bit;

	if (!strcmp(arg, "?"))
		return list_regs();
	for (*regs = 0;; arg += len + 1) {
		len = strcspn(arg, ",");
		bit = reg_find(arg, len);
		if (bit < 0) {
			pr_err("--%s: there is no register \"%.*s\" here: --%s=? lists them\n", row->long_name, (int)len, arg,
			       row->long_name);
			return -1;
		}
		*regs |= 1ULL << bit;
		if (!arg[len])
			return 0;
	}
}

int record_contents__parse_regs(const struct option_row *row, const char *arg, bool unset)
{
	bool user = !strcmp(row->long_name, "user-regs");
	struct attr_opts *attr = row->value;
	u64 *regs = user ? &attr->user_regs : &attr->intr_regs;

	set(attr, user ? PERF_SAMPLE_REGS_USER : PERF_SAMPLE_REGS_INTR, !unset);
	if (unset)
		return 0;
	if (arg && parse_regs(row, arg, regs))
		return -1;
	if (!arg)
		*regs = regs_of_user();
	if (!*regs)
		pr_err("--%s: the registers of this machine are not known\n", row->long_name);
	return *regs ? 0 : -1;
}

static const struct {
	const char *name;
	u64 bits;
} branch_kinds[] = {
	{ "u", PERF_SAMPLE_BRANCH_USER }, { "k", PERF_SAMPLE_BRANCH_KERNEL }, { "hv", PERF_SAMPLE_BRANCH_HV },
	{ "any", PERF_SAMPLE_BRANCH_ANY }, { "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN }, { "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX }, { "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX }, { "cond", PERF_SAMPLE_BRANCH_COND },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP }, { "call", PERF_SAMPLE_BRANCH_CALL },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS }, { "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE }, { "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "hw_index", PERF_SAMPLE_BRANCH_HW_INDEX }, { "priv", PERF_SAMPLE_BRANCH_PRIV_SAVE },
};

/* Those that say where, not what: without one of the others they select nothing. */
#define BRANCH_PLACES (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)

static bool add_branch_kind(u64 *branches, const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(branch_kinds); i++) {
		if (strlen(branch_kinds[i].name) == len && !memcmp(branch_kinds[i].name, name, len)) {
			*branches |= branch_kinds[i].bits;
			return true;
		}
	}
	return false;
}

int record_contents__parse_branches(const struct option_row *row, const char *arg, bool unset)
{
	struct attr_opts *attr = row->value;
	size_t len;

	set(attr, PERF_SAMPLE_BRANCH_STACK, !unset);
	attr->branches = 0;
	for (; arg && !unset; arg = arg[len] ? arg + len + 1 : NULL) {
		len = strcspn(arg, ",");
		if (!add_branch_kind(&attr->branches, arg, len)) {
			pr_err("-j: there is no kind of branches \"%.*s\": see perf help record\n", (int)len, arg);
			return -1;
		}
	}
	if (!(attr->branches & ~(u64)BRANCH_PLACES))
		attr->branches |= PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

int record_contents__parse_branch_any(const struct option_row *row, const char *arg, bool unset)
{
	return record_contents__parse_branches(row, "any", unset);
}

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/contents.h"

#include <stdio.h>
#include <string.h>

#include "util/event/branch-types.h"
#include "util/lib/comma-list.h"
#include "util/lib/log.h"
#include "util/lib/types.h"
#include "util/perfdata/reg-name.h"

bool record_contents__always;

/* Processors that report the parts of a weight. */
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
	int bit;

	if (!strcmp(arg, "?"))
		return list_regs();
	*regs = 0;
	comma_list__for_each(arg, name) {
		bit = reg_find(name.text, name.len);
		if (bit < 0) {
			pr_err("--%s: there is no register \"%.*s\" here: --%s=? lists them\n", row->long_name, (int)name.len, name.text,
			       row->long_name);
			return -1;
		}
		*regs |= 1ULL << bit;
	}
	return 0;
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
		pr_err("--%s: this perf does not know the registers of this machine\n", row->long_name);
	return *regs ? 0 : -1;
}

int record_contents__parse_branches(const struct option_row *row, const char *arg, bool unset)
{
	struct attr_opts *attr = row->value;
	struct errmsg err;

	set(attr, PERF_SAMPLE_BRANCH_STACK, !unset);
	if (!unset && branch_types__parse(&attr->branches, arg, &err)) {
		pr_err("-j: %s\n", err.text);
		return -1;
	}
	return 0;
}

int record_contents__parse_branch_any(const struct option_row *row, const char *arg, bool unset)
{
	return record_contents__parse_branches(row, "any", unset);
}

// SPDX-License-Identifier: GPL-2.0
#include "util/event/attr-print.h"

#include <stdbool.h>
#include "util/event/attr-flags.h"
#include "util/event/symbols.h"
#include "util/lib/types.h"

struct bit_name {
	u64 bit;
	const char *name;
};

#define BIT_NAME(prefix, name) { PERF_##prefix##_##name, #name }

static const struct bit_name sample_bits[] = {
	BIT_NAME(SAMPLE, IP), BIT_NAME(SAMPLE, TID), BIT_NAME(SAMPLE, TIME), BIT_NAME(SAMPLE, ADDR),
	BIT_NAME(SAMPLE, READ), BIT_NAME(SAMPLE, CALLCHAIN), BIT_NAME(SAMPLE, ID), BIT_NAME(SAMPLE, CPU),
	BIT_NAME(SAMPLE, PERIOD), BIT_NAME(SAMPLE, STREAM_ID), BIT_NAME(SAMPLE, RAW), BIT_NAME(SAMPLE, BRANCH_STACK),
	BIT_NAME(SAMPLE, REGS_USER), BIT_NAME(SAMPLE, STACK_USER), BIT_NAME(SAMPLE, WEIGHT), BIT_NAME(SAMPLE, DATA_SRC),
	BIT_NAME(SAMPLE, IDENTIFIER), BIT_NAME(SAMPLE, TRANSACTION), BIT_NAME(SAMPLE, REGS_INTR),
	BIT_NAME(SAMPLE, PHYS_ADDR), BIT_NAME(SAMPLE, AUX), BIT_NAME(SAMPLE, CGROUP), BIT_NAME(SAMPLE, DATA_PAGE_SIZE),
	BIT_NAME(SAMPLE, CODE_PAGE_SIZE), BIT_NAME(SAMPLE, WEIGHT_STRUCT), { 0, NULL },
};

static const struct bit_name read_bits[] = {
	BIT_NAME(FORMAT, TOTAL_TIME_ENABLED), BIT_NAME(FORMAT, TOTAL_TIME_RUNNING), BIT_NAME(FORMAT, ID),
	BIT_NAME(FORMAT, GROUP), BIT_NAME(FORMAT, LOST), { 0, NULL },
};

static const struct bit_name branch_bits[] = {
	BIT_NAME(SAMPLE_BRANCH, USER), BIT_NAME(SAMPLE_BRANCH, KERNEL), BIT_NAME(SAMPLE_BRANCH, HV),
	BIT_NAME(SAMPLE_BRANCH, ANY), BIT_NAME(SAMPLE_BRANCH, ANY_CALL), BIT_NAME(SAMPLE_BRANCH, ANY_RETURN),
	BIT_NAME(SAMPLE_BRANCH, IND_CALL), BIT_NAME(SAMPLE_BRANCH, ABORT_TX), BIT_NAME(SAMPLE_BRANCH, IN_TX),
	BIT_NAME(SAMPLE_BRANCH, NO_TX), BIT_NAME(SAMPLE_BRANCH, COND), BIT_NAME(SAMPLE_BRANCH, CALL_STACK),
	BIT_NAME(SAMPLE_BRANCH, IND_JUMP), BIT_NAME(SAMPLE_BRANCH, CALL), BIT_NAME(SAMPLE_BRANCH, NO_FLAGS),
	BIT_NAME(SAMPLE_BRANCH, NO_CYCLES), BIT_NAME(SAMPLE_BRANCH, TYPE_SAVE), BIT_NAME(SAMPLE_BRANCH, HW_INDEX),
	BIT_NAME(SAMPLE_BRANCH, PRIV_SAVE), { 0, NULL },
};

enum field_form { FIELD_DECIMAL, FIELD_SIGNED, FIELD_HEX, FIELD_BITS, FIELD_TYPE, FIELD_CONFIG };

struct field {
	const char *name;
	enum field_form form;
	u64 (*get)(const struct perf_event_attr *attr); /* bit fields have no address, so each row reads its own */
	const struct bit_name *bits;
};

/* Every field with its name, its format and, for FIELD_BITS, the table of its bits: those up to the last flag, and the rest */
#define FIELDS_AND_FLAGS(F)                                                                                                      \
	F("type", FIELD_TYPE, type, NULL)                                                                              \
	F("size", FIELD_DECIMAL, size, NULL)                                                                           \
	F("config", FIELD_CONFIG, config, NULL)                                                                        \
	F("{ sample_period, sample_freq }", FIELD_DECIMAL, sample_period, NULL)                                        \
	F("sample_type", FIELD_BITS, sample_type, sample_bits)                                                         \
	F("read_format", FIELD_BITS, read_format, read_bits)                                                           \
	F("disabled", FIELD_DECIMAL, disabled, NULL)                                                                   \
	F("inherit", FIELD_DECIMAL, inherit, NULL)                                                                     \
	F("pinned", FIELD_DECIMAL, pinned, NULL)                                                                       \
	F("exclusive", FIELD_DECIMAL, exclusive, NULL)                                                                 \
	F("exclude_user", FIELD_DECIMAL, exclude_user, NULL)                                                           \
	F("exclude_kernel", FIELD_DECIMAL, exclude_kernel, NULL)                                                       \
	F("exclude_hv", FIELD_DECIMAL, exclude_hv, NULL)                                                               \
	F("exclude_idle", FIELD_DECIMAL, exclude_idle, NULL)                                                           \
	F("mmap", FIELD_DECIMAL, mmap, NULL)                                                                           \
	F("comm", FIELD_DECIMAL, comm, NULL)                                                                           \
	F("freq", FIELD_DECIMAL, freq, NULL)                                                                           \
	F("inherit_stat", FIELD_DECIMAL, inherit_stat, NULL)                                                           \
	F("enable_on_exec", FIELD_DECIMAL, enable_on_exec, NULL)                                                       \
	F("task", FIELD_DECIMAL, task, NULL)                                                                           \
	F("watermark", FIELD_DECIMAL, watermark, NULL)                                                                 \
	F("precise_ip", FIELD_DECIMAL, precise_ip, NULL)                                                               \
	F("mmap_data", FIELD_DECIMAL, mmap_data, NULL)                                                                 \
	F("sample_id_all", FIELD_DECIMAL, sample_id_all, NULL)                                                         \
	F("exclude_host", FIELD_DECIMAL, exclude_host, NULL)                                                           \
	F("exclude_guest", FIELD_DECIMAL, exclude_guest, NULL)                                                         \
	F("exclude_callchain_kernel", FIELD_DECIMAL, exclude_callchain_kernel, NULL)                                   \
	F("exclude_callchain_user", FIELD_DECIMAL, exclude_callchain_user, NULL)                                       \
	F("mmap2", FIELD_DECIMAL, mmap2, NULL)                                                                         \
	F("comm_exec", FIELD_DECIMAL, comm_exec, NULL)                                                                 \
	F("use_clockid", FIELD_DECIMAL, use_clockid, NULL)                                                             \
	F("context_switch", FIELD_DECIMAL, context_switch, NULL)                                                       \
	F("write_backward", FIELD_DECIMAL, write_backward, NULL)                                                       \
	F("namespaces", FIELD_DECIMAL, namespaces, NULL)                                                               \
	F("ksymbol", FIELD_DECIMAL, ksymbol, NULL)                                                                     \
	F("bpf_event", FIELD_DECIMAL, bpf_event, NULL)                                                                 \
	F("aux_output", FIELD_DECIMAL, aux_output, NULL)                                                               \
	F("cgroup", FIELD_DECIMAL, cgroup, NULL)                                                                       \
	F("text_poke", FIELD_DECIMAL, text_poke, NULL)                                                                 \
	F("build_id", FIELD_DECIMAL, build_id, NULL)                                                                   \
	F("inherit_thread", FIELD_DECIMAL, inherit_thread, NULL)                                                       \
	F("remove_on_exec", FIELD_DECIMAL, remove_on_exec, NULL)                                                       \
	F("sigtrap", FIELD_DECIMAL, sigtrap, NULL)

#define FIELDS_BEHIND(F)                                                                                       \
	F("{ wakeup_events, wakeup_watermark }", FIELD_DECIMAL, wakeup_events, NULL)                                   \
	F("bp_type", FIELD_DECIMAL, bp_type, NULL)                                                                     \
	F("{ bp_addr, config1 }", FIELD_HEX, bp_addr, NULL)                                                            \
	F("{ bp_len, config2 }", FIELD_HEX, bp_len, NULL)                                                              \
	F("branch_sample_type", FIELD_BITS, branch_sample_type, branch_bits)                                           \
	F("sample_regs_user", FIELD_HEX, sample_regs_user, NULL)                                                       \
	F("sample_stack_user", FIELD_DECIMAL, sample_stack_user, NULL)                                                 \
	F("clockid", FIELD_SIGNED, clockid, NULL)                                                                      \
	F("sample_regs_intr", FIELD_HEX, sample_regs_intr, NULL)                                                       \
	F("aux_watermark", FIELD_DECIMAL, aux_watermark, NULL)                                                         \
	F("sample_max_stack", FIELD_DECIMAL, sample_max_stack, NULL)                                                   \
	F("aux_sample_size", FIELD_DECIMAL, aux_sample_size, NULL)                                                     \
	F("sig_data", FIELD_DECIMAL, sig_data, NULL)

#define FIELD_GETTER(name, form, member, bits)                                                                         \
	static u64 get_##member(const struct perf_event_attr *attr)                                                    \
	{                                                                                                              \
		return attr->member;                                                                                   \
	}
FIELDS_AND_FLAGS(FIELD_GETTER)
FIELDS_BEHIND(FIELD_GETTER)

static u64 get_defer_callchain(const struct perf_event_attr *attr)
{
	return !!(attr__flags(attr) & ATTR_FLAG_DEFER_CALLCHAIN);
}

static u64 get_defer_output(const struct perf_event_attr *attr)
{
	return !!(attr__flags(attr) & ATTR_FLAG_DEFER_OUTPUT);
}

#define FIELD_ROW(name, form, member, bits) { name, form, get_##member, bits },
static const struct field fields[] = {
	FIELDS_AND_FLAGS(FIELD_ROW)
	{ "defer_callchain", FIELD_DECIMAL, get_defer_callchain, NULL },
	{ "defer_output", FIELD_DECIMAL, get_defer_output, NULL },
	FIELDS_BEHIND(FIELD_ROW)
};

static void print_bits(FILE *fp, u64 value, const struct bit_name *bits)
{
	const char *sep = "";

	for (; bits->name; bits++) {
		if (!(value & bits->bit))
			continue;
		fprintf(fp, "%s%s", sep, bits->name);
		sep = "|";
		value &= ~bits->bit;
	}
	if (value) /* of a newer kernel */
		fprintf(fp, "%s0x%llx", sep, (unsigned long long)value);
}

#define NAME(name) [PERF_##name] = "PERF_" #name

static const char *const types[PERF_TYPE_MAX] = {
	NAME(TYPE_HARDWARE), NAME(TYPE_SOFTWARE), NAME(TYPE_TRACEPOINT), NAME(TYPE_HW_CACHE), NAME(TYPE_RAW), NAME(TYPE_BREAKPOINT),
};

static const char *const hardware[PERF_COUNT_HW_MAX] = {
	NAME(COUNT_HW_CPU_CYCLES), NAME(COUNT_HW_INSTRUCTIONS), NAME(COUNT_HW_CACHE_REFERENCES), NAME(COUNT_HW_CACHE_MISSES),
	NAME(COUNT_HW_BRANCH_INSTRUCTIONS), NAME(COUNT_HW_BRANCH_MISSES), NAME(COUNT_HW_BUS_CYCLES),
	NAME(COUNT_HW_STALLED_CYCLES_FRONTEND), NAME(COUNT_HW_STALLED_CYCLES_BACKEND), NAME(COUNT_HW_REF_CPU_CYCLES),
};

static const char *const software[PERF_COUNT_SW_MAX] = {
	NAME(COUNT_SW_CPU_CLOCK), NAME(COUNT_SW_TASK_CLOCK), NAME(COUNT_SW_PAGE_FAULTS), NAME(COUNT_SW_CONTEXT_SWITCHES),
	NAME(COUNT_SW_CPU_MIGRATIONS), NAME(COUNT_SW_PAGE_FAULTS_MIN), NAME(COUNT_SW_PAGE_FAULTS_MAJ),
	NAME(COUNT_SW_ALIGNMENT_FAULTS), NAME(COUNT_SW_EMULATION_FAULTS), NAME(COUNT_SW_DUMMY), NAME(COUNT_SW_BPF_OUTPUT),
	NAME(COUNT_SW_CGROUP_SWITCHES),
};

/* The name for config of that type; NULL: unknown. buf is large enough for the name of a cache event. */
static const char *config_name(const struct perf_event_attr *attr, const char *tracepoint, char *buf, size_t size)
{
	u64 config = attr->config & 0xffffffff; /* above it: the PMU of a hybrid CPU, see attr-name.c */

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		return config < PERF_COUNT_HW_MAX ? hardware[config] : NULL;
	case PERF_TYPE_SOFTWARE:
		return config < PERF_COUNT_SW_MAX ? software[config] : NULL;
	case PERF_TYPE_HW_CACHE:
		return cache_event__valid(config) ? cache_event__name(config, buf, size) : NULL;
	case PERF_TYPE_TRACEPOINT:
		return tracepoint;
	}
	return NULL;
}

static void print_named(FILE *fp, const char *form, u64 value, const char *name)
{
	fprintf(fp, form, (unsigned long long)value);
	if (name)
		fprintf(fp, " (%s)", name);
}

static void print_field(FILE *fp, const struct field *field, const struct perf_event_attr *attr, const char *tracepoint, u64 value)
{
	char name[64];

	fprintf(fp, "%s: ", field->name);
	switch (field->form) {
	case FIELD_DECIMAL:
		fprintf(fp, "%llu", (unsigned long long)value);
		break;
	case FIELD_SIGNED:
		fprintf(fp, "%lld", (long long)value);
		break;
	case FIELD_HEX:
		fprintf(fp, "0x%llx", (unsigned long long)value);
		break;
	case FIELD_BITS:
		print_bits(fp, value, field->bits);
		break;
	case FIELD_TYPE:
		print_named(fp, "%llu", value, value < PERF_TYPE_MAX ? types[value] : NULL);
		break;
	case FIELD_CONFIG:
		print_named(fp, "%#llx", value, config_name(attr, tracepoint, name, sizeof(name)));
		break;
	}
}

void attr__fprintf(FILE *fp, const struct perf_event_attr *attr, const char *tracepoint)
{
	const char *sep = "";

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		u64 value = fields[i].get(attr);

		if (!value && fields[i].form != FIELD_TYPE && fields[i].form != FIELD_CONFIG)
			continue;
		fputs(sep, fp);
		print_field(fp, &fields[i], attr, tracepoint, value);
		sep = ", ";
	}
}

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "script"
#include "ui/script/fields.h"

#include <errno.h>
#include <string.h>

#include "util/lib/comma-list.h"
#include "util/lib/log.h"

#define LOCATION_FIELDS (SCRIPT_IP | SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO)
#define COMMON_FIELDS (SCRIPT_COMM | SCRIPT_TID | SCRIPT_CPU | SCRIPT_TIME | SCRIPT_EVENT)
#define SAMPLE_FIELDS (COMMON_FIELDS | SCRIPT_PERIOD | LOCATION_FIELDS)
#define MEMORY_FIELDS                                                                                                  \
	(SCRIPT_ADDR | SCRIPT_DATA_SRC | SCRIPT_WEIGHT | SCRIPT_INS_LAT | SCRIPT_RETIRE_LAT | SCRIPT_PHYS_ADDR |       \
	 SCRIPT_DATA_PAGE_SIZE | SCRIPT_CODE_PAGE_SIZE)

#define ALL_TYPES ((1 << SCRIPT_NR_TYPES) - 1)
#define ONLY_TRACEPOINTS (ALL_TYPES & ~(1 << SCRIPT_TRACEPOINT))
#define NOT_MADE_BY_PROGRAMS (ALL_TYPES & ~(1 << SCRIPT_TRACEPOINT | 1 << SCRIPT_SW))

#define TRACE_ONLY "it comes from a hardware trace, which this perf does not decode"
#define BRANCH_CODE "this perf does not show the instructions between branches; brstack and brstacksym show the branches"
#define GUEST_ONLY "this perf does not tell guests from their host"

struct field {
	const char *name;
	u64 field;
	u64 needs;	       /* any of these PERF_SAMPLE_ bits */
	const char *attribute; /* perf's name for them; NULL: needs none, or checked elsewhere */
	u32 not_for;	       /* types, as bits */
	const char *refused;   /* why it cannot be printed; NULL: it can */
};

#define FIELD(n, bit) { .name = (n), .field = SCRIPT_##bit }
#define FIELD_OF(n, bit, types) { .name = (n), .field = SCRIPT_##bit, .not_for = (types) }
#define SAMPLED(n, bit, needed, attr) { .name = (n), .field = SCRIPT_##bit, .needs = (needed), .attribute = (attr) }
#define REFUSED(n, why) { .name = (n), .refused = (why) }

static const struct field fields[] = {
	FIELD("comm", COMM),
	SAMPLED("tid", TID, PERF_SAMPLE_TID, "TID"),
	SAMPLED("pid", PID, PERF_SAMPLE_TID, "TID"),
	SAMPLED("time", TIME, PERF_SAMPLE_TIME, "TIME"),
	SAMPLED("cpu", CPU, PERF_SAMPLE_CPU, "CPU"),
	FIELD("event", EVENT),
	FIELD_OF("trace", TRACE, ONLY_TRACEPOINTS),
	SAMPLED("ip", IP, PERF_SAMPLE_IP, "IP"),
	FIELD("sym", SYM),
	FIELD("dso", DSO),
	FIELD("dsoff", DSOFF),
	SAMPLED("addr", ADDR, PERF_SAMPLE_ADDR, "ADDR"),
	FIELD("symoff", SYMOFF),
	FIELD("srcline", SRCLINE),
	FIELD("period", PERIOD), /* samples without one have the event's fixed period */
	SAMPLED("iregs", IREGS, PERF_SAMPLE_REGS_INTR, "IREGS"),
	SAMPLED("uregs", UREGS, PERF_SAMPLE_REGS_USER, "UREGS"),
	FIELD("brstack", BRSTACK),
	FIELD("brstacksym", BRSTACKSYM),
	FIELD("brstackoff", BRSTACKOFF),
	SAMPLED("data_src", DATA_SRC, PERF_SAMPLE_DATA_SRC, "DATA_SRC"),
	SAMPLED("weight", WEIGHT, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT"),
	SAMPLED("ins_lat", INS_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT"),
	SAMPLED("retire_lat", RETIRE_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT"),
	FIELD_OF("bpf-output", BPF_OUTPUT, NOT_MADE_BY_PROGRAMS),
	SAMPLED("insnlen", INSNLEN, PERF_SAMPLE_IP, "IP"),
	SAMPLED("insn", INSN, PERF_SAMPLE_IP, "IP"),
	SAMPLED("phys_addr", PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR"),
	FIELD("misc", MISC),
	FIELD("tod", TOD),
	SAMPLED("data_page_size", DATA_PAGE_SIZE, PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE"),
	SAMPLED("code_page_size", CODE_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE"),
	SAMPLED("cgroup", CGROUP, PERF_SAMPLE_CGROUP, "CGROUP"),
	REFUSED("flags", TRACE_ONLY),
	REFUSED("callindent", TRACE_ONLY),
	REFUSED("disasm", "this perf shows the bytes of instructions (insn), not their names"),
	REFUSED("brstackinsn", BRANCH_CODE),
	REFUSED("brstackinsnlen", BRANCH_CODE),
	REFUSED("brstackdisasm", BRANCH_CODE),
	REFUSED("synth", TRACE_ONLY),
	REFUSED("ipc", TRACE_ONLY),
	REFUSED("machine_pid", GUEST_ONLY),
	REFUSED("vcpu", GUEST_ONLY),
	REFUSED("metric", "this perf computes no metrics"),
	REFUSED("srccode", "this perf names lines of the source (srcline), but does not show them"),
	REFUSED("brcntr", "this perf does not show the counters of branches"),
};

static const struct {
	const char *prefix; /* in -F; NULL: none */
	const char *name;   /* in messages */
	u64 fields;	    /* by default */
} types[SCRIPT_NR_TYPES] = {
	[SCRIPT_HW] = { "hw", "hardware", SAMPLE_FIELDS },
	[SCRIPT_SW] = { "sw", "software", SAMPLE_FIELDS | SCRIPT_BPF_OUTPUT },
	[SCRIPT_TRACEPOINT] = { "trace", "tracepoint", COMMON_FIELDS | SCRIPT_TRACE },
	[SCRIPT_CACHE] = { NULL, "hardware-cache", SAMPLE_FIELDS },
	[SCRIPT_RAW] = { "raw", "raw", SAMPLE_FIELDS | MEMORY_FIELDS },
	[SCRIPT_BREAK] = { "break", "breakpoint", SAMPLE_FIELDS },
	[SCRIPT_OTHER] = { NULL, "unknown", SAMPLE_FIELDS },
};

static enum script_event_type type_of(const struct session_event *event)
{
	switch (event->event->attr.type) {
	case PERF_TYPE_HARDWARE:
		return SCRIPT_HW;
	case PERF_TYPE_HW_CACHE:
		return SCRIPT_CACHE;
	case PERF_TYPE_SOFTWARE:
		return SCRIPT_SW;
	case PERF_TYPE_TRACEPOINT:
		return SCRIPT_TRACEPOINT;
	case PERF_TYPE_RAW:
		return SCRIPT_RAW;
	case PERF_TYPE_BREAKPOINT:
		return SCRIPT_BREAK;
	}
	return SCRIPT_OTHER; /* a PMU of its own */
}

void script_fields__init(struct script_fields *f)
{
	memset(f, 0, sizeof(*f));
	for (int i = 0; i < SCRIPT_NR_TYPES; i++)
		f->type[i].fields = types[i].fields;
}

static bool is_word(const char *name, const char *word, size_t len)
{
	return name && strlen(name) == len && !memcmp(name, word, len);
}

static int unknown_field(struct errmsg *err, const char *word, size_t len)
{
	char all[512] = "", *end = all;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!fields[i].refused)
			end = stpcpy(stpcpy(end, i ? ", " : ""), fields[i].name);
	}
	return errmsg__set(err, EINVAL, "Invalid field requested: '%.*s'; the fields are: %s", (int)len, word, all);
}

void script_fields__list(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!fields[i].refused)
			puts(fields[i].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (types[i].prefix)
			printf("%s:\n", types[i].prefix);
	}
}

/* The types that "sw:" and the like limit the list to; all without one. Moves *text behind it. 0: an unknown type. */
static u32 parse_types(const char **text)
{
	const char *colon = strchr(*text, ':');
	u32 chosen = 0;

	if (!colon)
		return ALL_TYPES;
	for (int i = 0; i < SCRIPT_NR_TYPES; i++) {
		if (is_word(types[i].prefix, *text, colon - *text))
			chosen |= 1 << i;
	}
	*text = colon + 1;
	return chosen;
}

/* Apply one field of the list to each of the chosen types that can have it. */
static int change(struct script_fields *f, u32 chosen, char sign, const struct field *field, struct errmsg *err)
{
	for (int i = 0; i < SCRIPT_NR_TYPES; i++) {
		if (!(chosen & 1 << i))
			continue;
		if (field->not_for & 1 << i) {
			if (chosen != ALL_TYPES)
				return errmsg__set(err, EINVAL, "'%s' not valid for %s events.", field->name, types[i].name);
			pr_warn("'%s' not valid for %s events. Ignoring.\n", field->name, types[i].name);
		} else if (sign == '-') {
			f->type[i].fields &= ~field->field;
			f->type[i].asked &= ~field->field;
		} else {
			f->type[i].fields |= field->field;
			if (chosen == ALL_TYPES)
				f->type[i].asked |= field->field;
		}
	}
	return 0;
}

static char sign_of(const char *word)
{
	return *word == '+' || *word == '-' ? *word : '=';
}

/* With signs a list changes the defaults, without signs it replaces them: one list cannot do both. */
static int check_signs(const char *text, struct errmsg *err)
{
	bool replaces = sign_of(text) == '=';

	comma_list__for_each(text, word) {
		if ((sign_of(word.text) == '=') != replaces)
			return errmsg__set(err, EINVAL, "Cannot mix +field or -field with a plain list of fields: '%s'", text);
	}
	return 0;
}

static void warn_overriding(const struct script_fields *f, u32 chosen)
{
	for (int i = 0; i < SCRIPT_NR_TYPES; i++) {
		if (!(chosen & 1 << i) || !f->type[i].given)
			continue;
		pr_warn("Overriding previous field request for %s events.\n", chosen == ALL_TYPES ? "all" : types[i].name);
		return;
	}
}

/* The list is for these types; without signs it starts empty. */
static void take_types(struct script_fields *f, u32 chosen, bool replaces)
{
	if (replaces)
		warn_overriding(f, chosen);
	for (int i = 0; i < SCRIPT_NR_TYPES; i++) {
		if (!(chosen & 1 << i))
			continue;
		f->type[i].given = true;
		if (replaces)
			f->type[i].fields = f->type[i].asked = 0;
	}
}

static int parse_field(struct script_fields *f, u32 chosen, char sign, const char *word, size_t len, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!is_word(fields[i].name, word, len))
			continue;
		if (fields[i].refused)
			return errmsg__set(err, EINVAL, "Field '%s' cannot be shown: %s.", fields[i].name, fields[i].refused);
		return change(f, chosen, sign, &fields[i], err);
	}
	return unknown_field(err, word, len);
}

int script_fields__parse(struct script_fields *f, const char *text, struct errmsg *err)
{
	u32 chosen = parse_types(&text);
	bool replaces = sign_of(text) == '=';
	int ret = 0;

	if (!chosen)
		return errmsg__set(err, EINVAL, "Invalid event type in field string; the types are: hw, sw, trace, raw, break");
	if (!*text && chosen == ALL_TYPES)
		return errmsg__set(err, EINVAL, "Cannot set fields to 'none' for all event types.");
	if (check_signs(text, err))
		return -EINVAL;
	take_types(f, chosen, replaces);
	if (!*text) /* "trace:": no fields */
		return 0;
	do {
		char sign = sign_of(text);
		size_t len;

		text += !replaces;
		len = strcspn(text, ",");
		ret = parse_field(f, chosen, sign, text, len, err);
		text += len;
	} while (!ret && *text++ == ',');
	return ret;
}

static int lacks_attribute(const struct session_event *event, const struct field *field, struct errmsg *err)
{
	return errmsg__set(err, EINVAL, "Samples for '%s' event do not have %s attribute set. Cannot print '%s' field.%s",
			   event->name, field->attribute, field->name,
			   field->field == SCRIPT_CGROUP ? "\nHint: run 'perf record --all-cgroups ...'" : "");
}

/* sym and dso need an address, symoff needs a symbol. */
static int check_addresses(u64 mask, u64 sample_type, struct errmsg *err)
{
	bool addresses = sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_ADDR);

	if (mask & SCRIPT_SYM && !addresses)
		return errmsg__set(err, EINVAL,
				   "Display of symbols requested but neither sample IP nor sample address\navailable. "
				   "Hence, no addresses to convert to symbols.");
	if (mask & SCRIPT_SYMOFF && !(mask & SCRIPT_SYM))
		return errmsg__set(err, EINVAL, "Display of offsets requested but symbol is not selected.");
	if (mask & SCRIPT_DSO && !addresses)
		return errmsg__set(err, EINVAL, "Display of DSO requested but no address to convert.");
	if (mask & SCRIPT_SRCLINE && !(mask & SCRIPT_IP))
		return errmsg__set(err, EINVAL,
				   "Display of source line number requested but sample IP is not\nselected. "
				   "Hence, no address to lookup the source line number.");
	return 0;
}

static bool tracepoints_have_callchains(struct session *s)
{
	for (u32 i = 0; i < session__nr_events(s); i++) {
		const struct session_event *event = session__event(s, i);

		if (type_of(event) == SCRIPT_TRACEPOINT && event->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	}
	return false;
}

/* Dummies, which perf record adds for side-band records, and counts of perf stat record: there are no samples that could lack a field. */
static bool has_no_samples(const struct session_event *event)
{
	const struct perf_event_attr *attr = &event->event->attr;

	return (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY) || !(attr->sample_type & ~(u64)PERF_SAMPLE_IDENTIFIER);
}

static int apply(const struct session_event *event, u64 mask, u64 asked, u64 *result, struct errmsg *err)
{
	u64 sample_type = event->event->attr.sample_type;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!(mask & fields[i].field) || !fields[i].needs || sample_type & fields[i].needs)
			continue;
		if (asked & fields[i].field)
			return lacks_attribute(event, &fields[i], err);
		mask &= ~fields[i].field;
	}
	if (mask & SCRIPT_DSOFF)
		mask |= SCRIPT_DSO;
	*result = mask;
	return check_addresses(mask, sample_type, err);
}

bool script_fields__need_symbols(const struct script_fields *f)
{
	const u64 from_addresses = SCRIPT_IP | SCRIPT_PLACE | SCRIPT_ADDR | SCRIPT_BRSTACK | SCRIPT_BRSTACKSYM | SCRIPT_BRSTACKOFF |
				   SCRIPT_INSNLEN | SCRIPT_INSN;

	for (int i = 0; i < SCRIPT_NR_TYPES; i++) {
		if (f->type[i].fields & (from_addresses | SCRIPT_TRACE))
			return true;
	}
	return !f->type[SCRIPT_TRACEPOINT].given; /* see script_fields__apply() */
}

/* Only a disassembler knows where instructions end. */
static int check_insns(const u64 *mask, struct session *s, struct errmsg *err)
{
	const char *arch = perfdata_reader__features(session__reader(s))->arch;
	u64 all = 0;

	for (u32 i = 0; i < session__nr_events(s); i++)
		all |= mask[i];
	if (!(all & (SCRIPT_INSNLEN | SCRIPT_INSN)))
		return 0;
	if (!disasm__available())
		return errmsg__set(err, EINVAL, "The fields insn and insnlen need a disassembler: %s", disasm__remedy());
	if (arch && !data_types__know(arch))
		return errmsg__set(err, EINVAL, "The fields insn and insnlen are of programs for x86_64, and this was recorded on %s: use symoff "
				   "or dsoff", arch);
	return 0;
}

int script_fields__apply(const struct script_fields *f, struct session *s, bool no_chains, u64 *mask, struct errmsg *err)
{
	bool chains = !no_chains && !f->type[SCRIPT_TRACEPOINT].given && tracepoints_have_callchains(s);
	int ret = 0;

	for (u32 i = 0; i < session__nr_events(s) && !ret; i++) {
		const struct session_event *event = session__event(s, i);
		enum script_event_type type = type_of(event);
		u64 wanted = f->type[type].fields;

		if (has_no_samples(event)) {
			mask[i] = wanted;
			continue;
		}
		/* Tracepoints print their fields; and the callchain if there is one. */
		if (chains && type == SCRIPT_TRACEPOINT)
			wanted |= LOCATION_FIELDS;
		ret = apply(event, wanted, f->type[type].asked, &mask[i], err);
	}
	return ret ?: check_insns(mask, s, err);
}

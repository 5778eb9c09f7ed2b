// SPDX-License-Identifier: GPL-2.0
#include "ui/script-fields.h"

#include <errno.h>
#include <string.h>

#define LOCATION_FIELDS (SCRIPT_IP | SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO)
#define COMMON_FIELDS (SCRIPT_COMM | SCRIPT_TID | SCRIPT_CPU | SCRIPT_TIME | SCRIPT_EVENT)
#define SAMPLE_FIELDS (COMMON_FIELDS | SCRIPT_PERIOD | LOCATION_FIELDS)

static const struct {
	const char *name;
	u32 field;
	u64 needs; /* any of these PERF_SAMPLE_ bits */
	const char *attribute; /* how perf calls them; NULL: nothing needed, or checked apart */
} fields[] = {
	{ "comm", SCRIPT_COMM, 0, NULL },
	{ "tid", SCRIPT_TID, PERF_SAMPLE_TID, "TID" },
	{ "pid", SCRIPT_PID, PERF_SAMPLE_TID, "TID" },
	{ "time", SCRIPT_TIME, PERF_SAMPLE_TIME, "TIME" },
	{ "cpu", SCRIPT_CPU, PERF_SAMPLE_CPU, "CPU" },
	{ "event", SCRIPT_EVENT, 0, NULL },
	{ "trace", SCRIPT_TRACE, 0, NULL },
	{ "ip", SCRIPT_IP, PERF_SAMPLE_IP, "IP" },
	{ "sym", SCRIPT_SYM, 0, NULL },
	{ "dso", SCRIPT_DSO, 0, NULL },
	{ "addr", SCRIPT_ADDR, PERF_SAMPLE_ADDR, "ADDR" },
	{ "symoff", SCRIPT_SYMOFF, 0, NULL },
	{ "srcline", SCRIPT_SRCLINE, 0, NULL },
	{ "period", SCRIPT_PERIOD, 0, NULL }, /* where samples carry none it is the event's fixed one */
};

static const struct {
	const char *prefix; /* of -F; NULL: has none */
	u32 fields;	    /* by default */
} types[SCRIPT_NR_TYPES] = {
	[SCRIPT_HW] = { "hw", SAMPLE_FIELDS },
	[SCRIPT_SW] = { "sw", SAMPLE_FIELDS },
	[SCRIPT_TRACEPOINT] = { "trace", COMMON_FIELDS | SCRIPT_TRACE },
	[SCRIPT_RAW] = { "raw", SAMPLE_FIELDS | SCRIPT_ADDR },
	[SCRIPT_BREAK] = { "break", SAMPLE_FIELDS },
	[SCRIPT_OTHER] = { NULL, SAMPLE_FIELDS },
};

static enum script_event_type type_of(const struct session_event *event)
{
	switch (event->event->attr.type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		return SCRIPT_HW;
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
	char all[256] = "", *end = all;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		end = stpcpy(stpcpy(end, i ? ", " : ""), fields[i].name);
	return errmsg__set(err, EINVAL, "Invalid field requested: '%.*s'; the fields are: %s", (int)len, word, all);
}

/* The types that "sw:" and the like limit the list to; all without one. Moves *text behind it. 0: an unknown type. */
static u32 parse_types(const char **text)
{
	const char *colon = strchr(*text, ':');
	u32 chosen = 0;

	if (!colon)
		return (1 << SCRIPT_NR_TYPES) - 1;
	for (int i = 0; i < SCRIPT_NR_TYPES; i++) {
		if (is_word(types[i].prefix, *text, colon - *text))
			chosen |= 1 << i;
	}
	*text = colon + 1;
	return chosen;
}

static void change(struct script_fields *f, u32 chosen, char sign, u32 field)
{
	for (int i = 0; i < SCRIPT_NR_TYPES; i++) {
		if (!(chosen & 1 << i) || (field == SCRIPT_TRACE && i != SCRIPT_TRACEPOINT))
			continue;
		if (sign == '-') {
			f->type[i].fields &= ~field;
			f->type[i].asked &= ~field;
		} else {
			f->type[i].fields |= field;
			f->type[i].asked |= field;
		}
	}
}

static char sign_of(const char *word)
{
	return *word == '+' || *word == '-' ? *word : '=';
}

/* Signs change the defaults, a list without them replaces them: one list cannot do both. */
static int check_signs(const char *text, struct errmsg *err)
{
	bool replaces = sign_of(text) == '=';

	for (const char *word = text; word; word = strchr(word, ',')) {
		word += *word == ',';
		if ((sign_of(word) == '=') != replaces)
			return errmsg__set(err, EINVAL, "Cannot mix +field or -field with a plain list of fields: '%s'", text);
	}
	return 0;
}

int script_fields__parse(struct script_fields *f, const char *text, struct errmsg *err)
{
	u32 chosen = parse_types(&text);
	size_t len;

	if (!chosen)
		return errmsg__set(err, EINVAL, "Invalid event type in field string; the types are: hw, sw, trace, raw, break");
	if (check_signs(text, err))
		return -EINVAL;
	for (int i = 0; i < SCRIPT_NR_TYPES; i++) {
		if (!(chosen & 1 << i))
			continue;
		f->type[i].given = true;
		if (sign_of(text) == '=')
			f->type[i].fields = f->type[i].asked = 0;
	}
	do {
		char sign = sign_of(text);
		size_t i;

		text += sign != '=';
		len = strcspn(text, ",");
		for (i = 0; i < ARRAY_SIZE(fields) && !is_word(fields[i].name, text, len); i++)
			;
		if (i == ARRAY_SIZE(fields))
			return unknown_field(err, text, len);
		change(f, chosen, sign, fields[i].field);
		text += len;
	} while (*text++ == ',');
	return 0;
}

static int lacks_attribute(const struct session_event *event, size_t i, struct errmsg *err)
{
	return errmsg__set(err, EINVAL, "Samples for '%s' event do not have %s attribute set. Cannot print '%s' field.",
			   event->name, fields[i].attribute, fields[i].name);
}

/* sym and dso are those of an address, symoff is one of a symbol. */
static int check_addresses(u32 mask, u64 sample_type, struct errmsg *err)
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

/* perf record adds one to system-wide recordings, for the side-band records; it has no samples that could lack something. */
static bool is_dummy(const struct session_event *event)
{
	return event->event->attr.type == PERF_TYPE_SOFTWARE && event->event->attr.config == PERF_COUNT_SW_DUMMY;
}

static int apply(const struct session_event *event, u32 mask, u32 asked, u32 *result, struct errmsg *err)
{
	u64 sample_type = event->event->attr.sample_type;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!(mask & fields[i].field) || !fields[i].needs || sample_type & fields[i].needs)
			continue;
		if (asked & fields[i].field)
			return lacks_attribute(event, i, err);
		mask &= ~fields[i].field;
	}
	*result = mask;
	return check_addresses(mask, sample_type, err);
}

bool script_fields__need_symbols(const struct script_fields *f)
{
	for (int i = 0; i < SCRIPT_NR_TYPES; i++) {
		if (f->type[i].fields & (LOCATION_FIELDS | SCRIPT_SRCLINE | SCRIPT_ADDR | SCRIPT_TRACE)) /* some fields are functions */
			return true;
	}
	return !f->type[SCRIPT_TRACEPOINT].given; /* see script_fields__apply() */
}

int script_fields__apply(const struct script_fields *f, struct session *s, u32 *mask, struct errmsg *err)
{
	bool chains = !f->type[SCRIPT_TRACEPOINT].given && tracepoints_have_callchains(s);
	int ret = 0;

	for (u32 i = 0; i < session__nr_events(s) && !ret; i++) {
		const struct session_event *event = session__event(s, i);
		enum script_event_type type = type_of(event);
		u32 wanted = f->type[type].fields;

		if (is_dummy(event)) {
			mask[i] = wanted;
			continue;
		}
		/* Tracepoints are known by their fields; where there is a callchain it is wanted, too. */
		if (chains && type == SCRIPT_TRACEPOINT)
			wanted |= LOCATION_FIELDS;
		ret = apply(event, wanted, f->type[type].asked, &mask[i], err);
	}
	return ret;
}

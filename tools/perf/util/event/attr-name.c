// SPDX-License-Identifier: GPL-2.0
/* Names for events with only an attr, as perf shows them for files without EVENT_DESC. */
#include <linux/hw_breakpoint.h>
#include <stdarg.h>
#include <stdio.h>

#include "util/event/evsel.h"
#include "util/event/symbols.h"

/* A bounded, always terminated text; the excess is cut off. */
struct text {
	char *buf;
	size_t size, len;
};

static void __attribute__((format(printf, 2, 3))) text__add(struct text *text, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (text->len >= text->size)
		return;
	va_start(ap, fmt);
	n = vsnprintf(text->buf + text->len, text->size - text->len, fmt, ap);
	va_end(ap);
	if (n > 0)
		text->len += n;
}

static const char *symbol_name(const struct event_symbol *symbols, size_t nr, u64 config, const char *unknown)
{
	return config < nr && symbols[config].name ? symbols[config].name : unknown;
}

static void add_breakpoint(struct text *text, const struct perf_event_attr *attr)
{
	text__add(text, "mem:0x%llx:", (unsigned long long)attr->bp_addr);
	if (attr->bp_type & HW_BREAKPOINT_R)
		text__add(text, "r");
	if (attr->bp_type & HW_BREAKPOINT_W)
		text__add(text, "w");
	if (attr->bp_type & HW_BREAKPOINT_X)
		text__add(text, "x");
}

/*
 * perf shows only what differs from the default: all three of user, kernel and hypervisor, and no guest. With any other modifier it
 * shows "host only", and "host and guest" becomes the default.
 */
static void add_modifiers(struct text *text, const struct perf_event_attr *attr)
{
	bool levels = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv;
	bool plain_guest = levels || attr->precise_ip;
	char mods[16], *p = mods;

	if (levels) {
		if (!attr->exclude_kernel)
			*p++ = 'k';
		if (!attr->exclude_user)
			*p++ = 'u';
		if (!attr->exclude_hv)
			*p++ = 'h';
	}
	for (unsigned int i = 0; i < attr->precise_ip; i++)
		*p++ = 'p';
	if (attr->exclude_host || attr->exclude_guest == plain_guest) {
		if (!attr->exclude_host)
			*p++ = 'H';
		if (!attr->exclude_guest)
			*p++ = 'G';
	}
	*p = '\0';
	if (p != mods)
		text__add(text, ":%s", mods);
}

const char *attr__name(const struct perf_event_attr *attr, char *buf, size_t size)
{
	struct text text = { .buf = buf, .size = size };
	char cache[64];
	/* The upper half of a hardware or cache event's config names a PMU of a hybrid CPU (PERF_PMU_TYPE_SHIFT, 5.13). */
	u64 config = attr->config & 0xffffffff;

	if (!size)
		return buf;
	buf[0] = '\0';
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		text__add(&text, "%s", symbol_name(event_symbols_hw, PERF_COUNT_HW_MAX, config, "unknown-hardware"));
		break;
	case PERF_TYPE_SOFTWARE:
		text__add(&text, "%s", symbol_name(event_symbols_sw, PERF_COUNT_SW_MAX, attr->config, "unknown-software"));
		break;
	case PERF_TYPE_HW_CACHE:
		text__add(&text, "%s", cache_event__name(config, cache, sizeof(cache)));
		break;
	case PERF_TYPE_RAW:
		text__add(&text, "raw 0x%llx", (unsigned long long)attr->config);
		break;
	case PERF_TYPE_BREAKPOINT:
		add_breakpoint(&text, attr);
		break;
	case PERF_TYPE_TRACEPOINT:
		text__add(&text, "unknown tracepoint");
		return buf;
	default:
		text__add(&text, "unknown attr type: %u", attr->type);
		return buf;
	}
	add_modifiers(&text, attr);
	return buf;
}

// SPDX-License-Identifier: GPL-2.0
#include "ui/trace/places.h"

#include <inttypes.h>
#include <string.h>

#define CALLER_COLUMN 39

/* In its file; the address itself where it lies in none */
static u64 address_in_file(const struct location *loc)
{
	return loc->map ? loc->addr - loc->map->start + loc->map->pgoff : loc->addr;
}

static void put_code(struct text *line, const struct location *loc)
{
	if (loc->sym) {
		trace_values__escaped(line, loc->sym->name, strlen(loc->sym->name));
		text__printf(line, "+0x%" PRIx64, loc->sym_addr - loc->sym->start);
	} else {
		text__printf(line, "0x%" PRIx64, address_in_file(loc));
	}
}

static void put_data(struct text *line, const struct location *loc)
{
	const char *name = loc->dso ? loc->dso->shown : NULL;

	if (name) {
		trace_values__escaped(line, name, strlen(name));
		text__char(line, '@');
	}
	text__printf(line, "0x%" PRIx64, name && *name == '/' && name[1] != '/' ? address_in_file(loc) : loc->addr);
	text__printf(line, " (%c%c)", loc->map ? 'd' : '?', loc->map && loc->dso->kind == DSO_KERNEL ? 'k' : '.');
}

void trace_places__add_fault(struct trace_lines *lines, struct text *line, struct session *session, const struct session_sample *sample, bool major)
{
	const struct perf_sample *raw = sample->sample;
	struct location data;

	trace_lines__add_fault(lines, line, raw->time, sample->thread->comm, raw->tid, raw->cpu);
	text__printf(line, "%sfault [", major ? "maj" : "min");
	put_code(line, &sample->loc);
	text__str(line, "] => ");
	resolver__resolve(session__resolver(session), sample->thread, PERF_RECORD_MISC_CPUMODE_UNKNOWN, raw->addr, &data);
	put_data(line, &data);
	text__char(line, '\n');
}

void trace_places__add_callers(struct text *line, const struct callchain *chain)
{
	for (u32 i = 0; i < chain->nr; i++) {
		const struct location *loc = &chain->frame[i];

		text__printf(line, "%*s", CALLER_COLUMN, "");
		if (loc->sym)
			trace_values__escaped(line, loc->sym->name, strlen(loc->sym->name));
		else
			text__printf(line, "[0x%" PRIx64 "]", address_in_file(loc));
		if (loc->sym && loc->sym->inlined) {
			text__str(line, " (inlined)\n");
			continue;
		}
		text__str(line, " (");
		trace_values__escaped(line, loc->dso ? loc->dso->shown : "[unknown]", strlen(loc->dso ? loc->dso->shown : "[unknown]"));
		text__str(line, ")\n");
	}
}

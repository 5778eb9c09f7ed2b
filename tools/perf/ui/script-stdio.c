// SPDX-License-Identifier: GPL-2.0
#include "ui/script-stdio.h"

#include <inttypes.h>
#include <limits.h>

#include "ui/script-fields.h"

static void print_time(const struct script_stdio *out, u64 ns)
{
	u64 sec = ns / 1000000000, frac = ns % 1000000000;

	if (out->ns)
		fprintf(out->fp, "%5" PRIu64 ".%09" PRIu64 ": ", sec, frac);
	else
		fprintf(out->fp, "%5" PRIu64 ".%06" PRIu64 ": ", sec, frac / 1000);
}

void script__print_start(const struct script_stdio *out, const struct session_event *event, const struct thread *thread,
			 const struct perf_sample *sample)
{
	u32 mask = out->mask[event->idx];
	/* stackcollapse-perf.pl and others know the first line of a callchain by this. */
	bool chain = mask & SCRIPT_IP && event->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;

	if (mask & SCRIPT_COMM)
		fprintf(out->fp, chain ? "%s " : "%16s ", thread->comm);
	if (mask & SCRIPT_PID && mask & SCRIPT_TID)
		fprintf(out->fp, "%5d/%-5d ", (s32)sample->pid, (s32)sample->tid);
	else if (mask & (SCRIPT_PID | SCRIPT_TID))
		fprintf(out->fp, "%5d ", (s32)(mask & SCRIPT_PID ? sample->pid : sample->tid));
	if (mask & SCRIPT_CPU)
		fprintf(out->fp, "[%03d] ", (s32)sample->cpu);
	if (mask & SCRIPT_TIME)
		print_time(out, sample->time);
}

static bool is_inlined(const struct location *loc)
{
	return loc->sym && loc->sym->inlined;
}

/* "leaf+0x13 (/usr/bin/wl)"; addr is given in the symbol table's terms. */
static void print_place(const struct script_stdio *out, u32 mask, const struct location *loc)
{
	if (mask & SCRIPT_SYM) {
		fprintf(out->fp, " %s", loc->sym ? loc->sym->name : "[unknown]");
		if (mask & SCRIPT_SYMOFF && loc->sym)
			fprintf(out->fp, "+0x%" PRIx64, loc->sym_addr - loc->sym->start);
	}
	if (mask & SCRIPT_DSO && !is_inlined(loc))
		fprintf(out->fp, " (%s)", loc->dso ? loc->dso->name : "[unknown]");
}

/* On a line of its own, as in perf; "inl.cpp:9", or what addr2line would need where that is not known. */
static void print_srcline(const struct script_stdio *out, struct resolver *resolver, const struct location *loc)
{
	const struct srcline_frame *code = resolver__code(resolver, loc);
	char text[PATH_MAX + 16];

	if (!loc->dso)
		return;
	if (code) {
		srcline_frame__snprint(code, out->full_paths, text, sizeof(text));
		fprintf(out->fp, "\n  %s", text);
	} else {
		fprintf(out->fp, "\n  %s[%" PRIx64 "]", loc->dso->short_name, resolver__file_address(resolver, loc));
	}
}

/*
 * Addresses of user code in callchains are those in the file, as in perf 6.1: they can be looked up with addr2line and are the
 * same in each run. A sample without callchain shows the address in the process.
 */
static u64 chain_address(const struct location *loc)
{
	if (!loc->map || loc->dso->kind != DSO_USER)
		return loc->addr;
	return loc->addr - loc->map->start + loc->map->pgoff;
}

static void print_ip(const struct script_stdio *out, u32 mask, struct session *session, const struct session_sample *s)
{
	struct resolver *resolver = session__resolver(session);

	if (!s->chain) {
		fprintf(out->fp, " %16" PRIx64, s->sample->ip);
		print_place(out, mask, &s->loc);
		if (mask & SCRIPT_SRCLINE)
			print_srcline(out, resolver, &s->loc);
		return;
	}
	fputc('\n', out->fp);
	for (u32 i = 0; i < s->chain->nr; i++) {
		const struct location *loc = &s->chain->frame[i];

		fprintf(out->fp, "\t%16" PRIx64, chain_address(loc));
		print_place(out, mask, loc);
		if (mask & SCRIPT_SRCLINE)
			print_srcline(out, resolver, loc);
		fputs(mask & SCRIPT_SYM && is_inlined(loc) ? " (inlined)\n" : "\n", out->fp);
	}
}

/* Of these events the address is a code address or lies in a mapped file, so that its symbol says something. */
static bool addr_has_symbol(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_SOFTWARE)
		return attr->config == PERF_COUNT_SW_PAGE_FAULTS || attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		       attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	return attr->type == PERF_TYPE_BREAKPOINT;
}

/* The kernel touches memory of users, too: where data lies is for its address to say. */
static u8 addr_cpumode(u8 cpumode)
{
	return cpumode == PERF_RECORD_MISC_KERNEL || cpumode == PERF_RECORD_MISC_USER ? PERF_RECORD_MISC_CPUMODE_UNKNOWN : cpumode;
}

static void print_addr(const struct script_stdio *out, u32 mask, struct session *session, const struct session_sample *s)
{
	struct resolver *resolver = session__resolver(session);
	struct location loc;

	fprintf(out->fp, "%16" PRIx64, s->sample->addr);
	if (!resolver || !addr_has_symbol(&s->evsel->event->attr))
		return;
	resolver__resolve(resolver, s->thread, addr_cpumode(s->sample->cpumode), s->sample->addr, &loc);
	print_place(out, mask, &loc);
}

void script__print_sample(const struct script_stdio *out, struct session *session, const struct session_sample *s)
{
	u32 mask = out->mask[s->evsel->idx];
	const struct tp_formats *formats = session__formats(session);

	if (!mask) /* -F of another type only */
		return;
	script__print_start(out, s->evsel, s->thread, s->sample);
	if (mask & SCRIPT_PERIOD)
		fprintf(out->fp, "%10" PRIu64 " ", s->sample->period);
	if (mask & SCRIPT_EVENT)
		fprintf(out->fp, "%*s: ", out->name_width, s->evsel->name);
	if (mask & SCRIPT_TRACE && formats && s->sample->raw)
		tp_formats__print(formats, out->fp, s->sample->raw, s->sample->raw_size, s->sample->cpu);
	if (mask & SCRIPT_ADDR)
		print_addr(out, mask, session, s);
	if (mask & SCRIPT_IP)
		print_ip(out, mask, session, s);
	fputc('\n', out->fp);
}

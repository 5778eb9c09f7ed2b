// SPDX-License-Identifier: GPL-2.0
#include "ui/script-stdio.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "ui/script-callers.h"
#include "ui/script-fields.h"

#define FLUSH_SIZE (256 << 10)

static void print_time(struct script_stdio *out, u64 ns)
{
	u64 sec = ns / 1000000000, frac = ns % 1000000000;

	text__unsigned(&out->text, sec, 5, ' ');
	text__char(&out->text, '.');
	text__unsigned(&out->text, out->ns ? frac : frac / 1000, out->ns ? 9 : 6, '0');
	text__str(&out->text, ": ");
}

static void print_comm(struct text *text, const char *comm, bool chain)
{
	text__str_right(text, comm, chain ? 0 : 16);
	text__char(text, ' ');
}

/* "    123/123     " */
static void print_pid_tid(struct text *text, s32 pid, s32 tid)
{
	size_t start;

	text__signed(text, pid, 7);
	text__char(text, '/');
	start = text->len;
	text__signed(text, tid, 0);
	do
		text__char(text, ' ');
	while (text->len - start < 8 && !text->failed);
}

void script__print_start(struct script_stdio *out, const struct session_event *event, const struct thread *thread,
			 const struct perf_sample *sample)
{
	u32 mask = out->mask[event->idx];
	struct text *text = &out->text;

	/* stackcollapse-perf.pl and others know the first line of a callchain by its name that is not aligned. */
	if (mask & SCRIPT_COMM)
		print_comm(text, thread->comm, mask & SCRIPT_IP && event->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	if (mask & SCRIPT_PID && mask & SCRIPT_TID) {
		print_pid_tid(text, sample->pid, sample->tid);
	} else if (mask & (SCRIPT_PID | SCRIPT_TID)) {
		text__signed(text, (s32)(mask & SCRIPT_PID ? sample->pid : sample->tid), 7);
		text__char(text, ' ');
	}
	if (mask & SCRIPT_CPU) {
		text__char(text, '[');
		if ((s32)sample->cpu < 0)
			text__printf(text, "%03d", (s32)sample->cpu);
		else
			text__unsigned(text, sample->cpu, 3, '0');
		text__str(text, "] ");
	}
	if (mask & SCRIPT_TIME)
		print_time(out, sample->time);
}

static bool is_inlined(const struct location *loc)
{
	return loc->sym && loc->sym->inlined;
}

/* "leaf+0x13 (/usr/bin/wl)"; addr is given in the symbol table's terms. */
static void print_place(struct text *text, u32 mask, const struct location *loc)
{
	if (mask & SCRIPT_SYM) {
		text__char(text, ' ');
		text__str(text, loc->sym ? loc->sym->name : "[unknown]");
		if (mask & SCRIPT_SYMOFF && loc->sym) {
			text__str(text, "+0x");
			text__hex(text, loc->sym_addr - loc->sym->start, 0);
		}
	}
	if (mask & SCRIPT_DSO && !is_inlined(loc)) {
		text__str(text, " (");
		text__str(text, loc->dso ? loc->dso->name : "[unknown]");
		text__char(text, ')');
	}
}

/* On a line of its own, as in perf; "inl.cpp:9", or what addr2line would need where that is not known. */
static void print_srcline(struct script_stdio *out, struct resolver *resolver, const struct location *loc)
{
	const struct srcline_frame *code = resolver__code(resolver, loc);
	char text[PATH_MAX + 16];

	if (!loc->dso)
		return;
	if (code) {
		srcline_frame__snprint(code, out->full_paths, text, sizeof(text));
		text__printf(&out->text, "\n  %s", text);
	} else {
		text__printf(&out->text, "\n  %s[%" PRIx64 "]", loc->dso->short_name, resolver__file_address(resolver, loc));
	}
}

static void print_frames(struct script_stdio *out, u32 mask, struct resolver *resolver, const struct location *frame, u32 nr)
{
	struct text *text = &out->text;

	for (const struct location *loc = frame; loc < frame + nr; loc++) {
		text__char(text, '\t');
		text__hex(text, loc->addr, 16);
		print_place(text, mask, loc);
		if (mask & SCRIPT_SRCLINE)
			print_srcline(out, resolver, loc);
		text__str(text, mask & SCRIPT_SYM && is_inlined(loc) ? " (inlined)\n" : "\n");
	}
}

static void print_callers(struct script_stdio *out, u32 mask, struct resolver *resolver, const struct callchain *chain)
{
	const char *lines = NULL;
	size_t len, start;

	if (!out->callers)
		out->callers = script_callers__new(); /* without memory for it we only are slower */
	if (chain->callers && out->callers)
		lines = script_callers__find(out->callers, chain->callers, mask, &len);
	if (lines) {
		text__put(&out->text, lines, len);
		return;
	}
	start = out->text.len;
	print_frames(out, mask, resolver, chain->frame + chain->nr_leaf, chain->nr - chain->nr_leaf);
	if (chain->callers && out->callers && !out->text.failed)
		script_callers__add(out->callers, chain->callers, mask, out->text.buf + start, out->text.len - start);
}

/* Where frames are still to come, the number by which they can be found. */
static void print_cookie(struct text *text, u32 mask, const struct perf_sample *sample)
{
	const u64 *cookie = perf_sample__deferred_cookie(sample);

	if (!cookie)
		return;
	text__char(text, '\t');
	text__hex(text, *cookie, 16);
	text__str(text, mask & SCRIPT_SYM ? " (cookie)" : "");
	text__str(text, mask & SCRIPT_DSO ? " ([unknown])\n" : "\n");
}

static void print_ip(struct script_stdio *out, u32 mask, struct session *session, const struct session_sample *s)
{
	struct resolver *resolver = session__resolver(session);

	if (s->chain) {
		text__char(&out->text, '\n');
		print_frames(out, mask, resolver, s->chain->frame, s->chain->nr_leaf);
		print_callers(out, mask, resolver, s->chain);
		print_cookie(&out->text, mask, s->sample);
		return;
	}
	text__char(&out->text, ' ');
	text__hex(&out->text, s->sample->ip, 16);
	print_place(&out->text, mask, &s->loc);
	if (mask & SCRIPT_SRCLINE)
		print_srcline(out, resolver, &s->loc);
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

static void print_addr(struct script_stdio *out, u32 mask, struct session *session, const struct session_sample *s)
{
	struct resolver *resolver = session__resolver(session);
	struct location loc;

	text__hex(&out->text, s->sample->addr, 16);
	if (!resolver || !addr_has_symbol(&s->evsel->event->attr))
		return;
	resolver__resolve(resolver, s->thread, addr_cpumode(s->sample->cpumode), s->sample->addr, &loc);
	print_place(&out->text, mask, &loc);
}

/* libtraceevent prints to a file only. */
static void print_trace(struct script_stdio *out, const struct tp_formats *formats, const struct perf_sample *sample)
{
	script__flush(out);
	tp_formats__print(formats, out->fp, sample->raw, sample->raw_size, sample->cpu);
}

void script__print_sample(struct script_stdio *out, struct session *session, const struct session_sample *s)
{
	u32 mask = out->mask[s->evsel->idx];
	const struct tp_formats *formats = session__formats(session);
	struct text *text = &out->text;

	if (!mask) /* -F of another type only */
		return;
	script__print_start(out, s->evsel, s->thread, s->sample);
	if (mask & SCRIPT_PERIOD) {
		text__unsigned(text, s->sample->period, 10, ' ');
		text__char(text, ' ');
	}
	if (mask & SCRIPT_EVENT) {
		text__str_right(text, s->evsel->name, out->name_width);
		text__str(text, ": ");
	}
	if (mask & SCRIPT_TRACE && formats && s->sample->raw)
		print_trace(out, formats, s->sample);
	if (mask & SCRIPT_ADDR)
		print_addr(out, mask, session, s);
	if (mask & SCRIPT_IP)
		print_ip(out, mask, session, s);
	text__char(text, '\n');
	if (text->len >= FLUSH_SIZE)
		script__flush(out);
}

int script__print_deferred(struct script_stdio *out, struct session *session, const struct session_event *event,
			   struct thread *thread, const union perf_record *record, const struct perf_sample *id)
{
	u32 mask = out->mask[event->idx];
	const struct callchain *chain;

	if (!(mask & SCRIPT_IP))
		return 0;
	chain = session__resolve_deferred(session, thread, &record->callchain_deferred);
	if (!chain)
		return -ENOMEM;
	script__print_start(out, event, thread, id);
	text__printf(&out->text, "DEFERRED CALLCHAIN [cookie: %" PRIx64 "]\n", record->callchain_deferred.cookie);
	print_frames(out, mask, session__resolver(session), chain->frame, chain->nr);
	text__char(&out->text, '\n');
	return 0;
}

int script__flush(struct script_stdio *out)
{
	if (out->text.len)
		fwrite(out->text.buf, 1, out->text.len, out->fp);
	out->text.len = 0;
	return out->text.failed ? -ENOMEM : 0;
}

void script__exit(struct script_stdio *out)
{
	text__exit(&out->text);
	script_callers__delete(out->callers);
	out->callers = NULL;
}

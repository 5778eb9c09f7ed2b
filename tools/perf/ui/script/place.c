// SPDX-License-Identifier: GPL-2.0
#include "ui/script/place.h"

#include <inttypes.h>
#include <limits.h>

#include "ui/branch-names.h"
#include "ui/script/fields.h"

static bool is_inlined(const struct location *loc)
{
	return loc->sym && loc->sym->inlined;
}

/* " (/usr/bin/wl)" */
static void print_dso(struct text *text, const struct script_look *look, const struct location *loc)
{
	const struct dso *dso = loc->dso;

	text__str(text, " (");
	if (!dso)
		text__str(text, "[unknown]");
	else if (dso->kind == DSO_KERNEL && look->style->kernel_path)
		text__str(text, look->style->kernel_path);
	else
		text__str(text, dso->shown);
	if (look->mask & SCRIPT_DSOFF && dso && dso->kind == DSO_USER) {
		text__str(text, "+0x");
		text__hex(text, loc->addr - loc->map->start + loc->map->pgoff, 0);
	}
	text__char(text, ')');
}

static void print_symbol(struct text *text, bool offset, const struct location *loc)
{
	text__str(text, loc->sym ? loc->sym->name : "[unknown]");
	if (!offset || !loc->sym)
		return;
	text__str(text, "+0x");
	text__hex(text, loc->sym_addr - loc->sym->start, 0);
}

void script__print_place(struct text *text, const struct script_look *look, const struct location *loc)
{
	if (look->mask & SCRIPT_SYM) {
		text__char(text, ' ');
		print_symbol(text, look->mask & SCRIPT_SYMOFF, loc);
	}
	if (look->mask & SCRIPT_DSO && !is_inlined(loc))
		print_dso(text, look, loc);
}

/* On a separate line, as in perf; "inl.cpp:9", or the arguments for addr2line if that is unknown. */
static void print_srcline(struct text *text, const struct script_look *look, const struct location *loc)
{
	struct resolver *resolver = session__resolver(look->session);
	const struct srcline_frame *code = resolver__code(resolver, loc);
	char line[PATH_MAX + 16];

	if (!loc->dso)
		return;
	if (code) {
		srcline_frame__snprint(code, look->style->full_paths, line, sizeof(line));
		text__printf(text, "\n  %s", line);
	} else {
		text__printf(text, "\n  %s[%" PRIx64 "]", loc->dso->short_name, resolver__file_address(resolver, loc));
	}
}

bool script__print_frames(struct text *text, const struct script_look *look, const struct location *frame, u32 nr)
{
	const struct words *stop_at = look->style->stop_at;

	for (u32 i = 0; i < nr; i++) {
		const struct location *loc = &frame[i];

		text__char(text, '\t');
		text__hex(text, loc->addr, 16);
		script__print_place(text, look, loc);
		if (look->mask & SCRIPT_SRCLINE)
			print_srcline(text, look, loc);
		text__str(text, is_inlined(loc) ? " (inlined)\n" : "\n");
		if (stop_at && loc->sym && words__has(stop_at, loc->sym->name))
			return false;
	}
	return true;
}

void script__print_ip(struct text *text, const struct script_look *look, const struct session_sample *s)
{
	text__char(text, ' ');
	text__hex(text, s->sample->ip, 16);
	script__print_place(text, look, &s->loc);
	if (look->mask & SCRIPT_SRCLINE)
		print_srcline(text, look, &s->loc);
}

/* Is the event's address a code address or in a mapped file, so that its symbol is meaningful? */
static bool addr_has_symbol(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_SOFTWARE)
		return attr->config == PERF_COUNT_SW_PAGE_FAULTS || attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		       attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	return attr->type == PERF_TYPE_BREAKPOINT;
}

/* The kernel accesses user memory, too, and branches cross the border: the address decides. */
static u8 other_cpumode(u8 cpumode)
{
	return cpumode == PERF_RECORD_MISC_KERNEL || cpumode == PERF_RECORD_MISC_USER ? PERF_RECORD_MISC_CPUMODE_UNKNOWN : cpumode;
}

static void locate(struct session *session, const struct session_sample *s, u64 addr, struct location *loc)
{
	resolver__resolve(session__resolver(session), s->thread, other_cpumode(s->sample->cpumode), addr, loc);
}

void script__print_addr(struct text *text, const struct script_look *look, const struct session_sample *s)
{
	struct location loc;

	text__hex(text, s->sample->addr, 16);
	if (!session__resolver(look->session) || !addr_has_symbol(&s->evsel->event->attr))
		return;
	locate(look->session, s, s->sample->addr, &loc);
	script__print_place(text, look, &loc);
}

/* Both ends of a branch, "from/to". */
static void print_branch_end(struct text *text, const struct script_look *look, const struct session_sample *s, u64 addr)
{
	struct location loc = { .addr = addr };
	u64 mask = look->mask;

	if (session__resolver(look->session) && (mask & (SCRIPT_DSO | SCRIPT_BRSTACKSYM | SCRIPT_BRSTACKOFF)))
		locate(look->session, s, addr, &loc);
	if (mask & SCRIPT_BRSTACKSYM && !(mask & SCRIPT_BRSTACK)) {
		print_symbol(text, true, &loc);
	} else {
		if (mask & SCRIPT_BRSTACKOFF && !(mask & SCRIPT_BRSTACK) && loc.map)
			addr = addr - loc.map->start + loc.map->pgoff;
		text__str(text, "0x");
		text__hex(text, addr, 0);
	}
	if (mask & SCRIPT_DSO)
		print_dso(text, look, &loc);
}

/* "/P/-/-/0/COND/-" */
static void print_branch_flags(struct text *text, const struct perf_branch_entry *branch)
{
	bool not_taken = branch__not_taken(branch);
	const char *speculation = branch__speculation(branch);

	text__char(text, '/');
	if (branch->mispred || branch->predicted || not_taken)
		text__char(text, branch->predicted ? 'P' : 'M');
	else
		text__char(text, '-');
	if (not_taken)
		text__char(text, 'N');
	text__printf(text, "/%c/%c/%u/%s/%s ", branch->in_tx ? 'X' : '-', branch->abort ? 'A' : '-', (unsigned int)branch->cycles,
		     branch__type(branch), *speculation ? speculation : "-");
}

void script__print_branches(struct text *text, const struct script_look *look, const struct session_sample *s)
{
	bool numbers = look->mask & SCRIPT_BRSTACK || !(look->mask & SCRIPT_BRSTACKSYM);

	for (u64 i = 0; i < s->sample->nr_branch; i++) {
		const struct perf_branch_entry *branch = &s->sample->branch[i];

		if (numbers)
			text__char(text, ' ');
		print_branch_end(text, look, s, branch->from);
		text__char(text, '/');
		print_branch_end(text, look, s, branch->to);
		print_branch_flags(text, branch);
	}
}

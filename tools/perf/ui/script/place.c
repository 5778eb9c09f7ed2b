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

#define FRAME_ROOM 128 /* for all of a frame's line but the names */

struct names { /* lengths 0: not shown */
	const char *symbol, *dso;
	size_t symbol_len, dso_len;
};

static void find_symbol(struct names *names, const struct location *loc)
{
	names->symbol = loc->sym ? loc->sym->name : "[unknown]";
	names->symbol_len = strlen(names->symbol);
}

static void find_dso(struct names *names, const struct script_look *look, const struct dso *dso)
{
	names->dso = !dso ? "[unknown]" : dso->kind == DSO_KERNEL && look->style->kernel_path ? look->style->kernel_path : dso->shown;
	names->dso_len = strlen(names->dso);
}

static void find_names(struct names *names, const struct script_look *look, const struct location *loc)
{
	*names = (struct names){};
	if (look->mask & SCRIPT_SYM)
		find_symbol(names, loc);
	if (look->mask & SCRIPT_DSO && !is_inlined(loc))
		find_dso(names, look, loc->dso);
}

/* Room for text with these names. NULL: no memory */
static char *reserve(struct text *text, const struct names *names)
{
	return text__reserve(text, FRAME_ROOM + names->symbol_len + names->dso_len);
}

static char *put(char *to, const char *s, size_t len)
{
	memcpy(to, s, len);
	return to + len;
}

static char *put_offset(char *to, u64 offset)
{
	return hex__put(put(to, "+0x", 3), offset);
}

/* " (/usr/bin/wl)" */
static char *put_dso(char *to, const struct script_look *look, const struct location *loc, const struct names *names)
{
	to = put(put(to, " (", 2), names->dso, names->dso_len);
	if (look->mask & SCRIPT_DSOFF && loc->dso && loc->dso->kind == DSO_USER)
		to = put_offset(to, loc->addr - loc->map->start + loc->map->pgoff);
	*to++ = ')';
	return to;
}

static char *put_symbol(char *to, bool offset, const struct location *loc, const struct names *names)
{
	to = put(to, names->symbol, names->symbol_len);
	return offset && loc->sym ? put_offset(to, loc->sym_addr - loc->sym->start) : to;
}

static char *put_place(char *to, const struct script_look *look, const struct location *loc, const struct names *names)
{
	if (look->mask & SCRIPT_SYM) {
		*to++ = ' ';
		to = put_symbol(to, look->mask & SCRIPT_SYMOFF, loc, names);
	}
	return look->mask & SCRIPT_DSO && !is_inlined(loc) ? put_dso(to, look, loc, names) : to;
}

void script__print_place(struct text *text, const struct script_look *look, const struct location *loc)
{
	struct names names;
	char *to;

	find_names(&names, look, loc);
	to = reserve(text, &names);
	if (to)
		text->len = put_place(to, look, loc, &names) - text->buf;
}

/* As script__print_place(), after the address. */
static void print_address(struct text *text, const struct script_look *look, char before, u64 addr, const struct location *loc)
{
	struct names names;
	char *to;

	find_names(&names, look, loc);
	to = reserve(text, &names);
	if (!to)
		return;
	*to++ = before;
	hex__put_right(to, addr);
	to += ADDRESS_WIDTH;
	text->len = put_place(to, look, loc, &names) - text->buf;
}

static void print_dso(struct text *text, const struct script_look *look, const struct location *loc)
{
	struct names names = {};
	char *to;

	find_dso(&names, look, loc->dso);
	to = reserve(text, &names);
	if (to)
		text->len = put_dso(to, look, loc, &names) - text->buf;
}

static void print_symbol(struct text *text, bool offset, const struct location *loc)
{
	struct names names = {};
	char *to;

	find_symbol(&names, loc);
	to = reserve(text, &names);
	if (to)
		text->len = put_symbol(to, offset, loc, &names) - text->buf;
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

		print_address(text, look, '\t', loc->addr, loc);
		if (look->mask & SCRIPT_SRCLINE)
			print_srcline(text, look, loc);
		if (is_inlined(loc))
			text__str(text, " (inlined)");
		text__char(text, '\n');
		if (stop_at && loc->sym && words__has(stop_at, loc->sym->name))
			return false;
	}
	return true;
}

void script__print_line_end(struct text *text, const struct script_look *look, const struct location *loc)
{
	script__print_place(text, look, loc);
	text__char(text, '\n');
}

void script__print_ip(struct text *text, const struct script_look *look, const struct session_sample *s)
{
	print_address(text, look, ' ', s->sample->ip, &s->loc);
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

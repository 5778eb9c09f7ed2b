// SPDX-License-Identifier: GPL-2.0
#include "ui/script-place.h"

#include <inttypes.h>
#include <limits.h>

#include "ui/branch-names.h"
#include "ui/script-lines.h"
#include "ui/script-fields.h"

static bool is_inlined(const struct location *loc)
{
	return loc->sym && loc->sym->inlined;
}

void script__print_dso(struct script_stdio *out, u64 mask, const struct location *loc)
{
	const struct dso *dso = loc->dso;
	struct text *text = &out->text;

	text__str(text, " (");
	if (!dso)
		text__str(text, "[unknown]");
	else if (dso->kind == DSO_KERNEL && out->style.kernel_path)
		text__str(text, out->style.kernel_path);
	else
		text__str(text, dso->name);
	if (mask & SCRIPT_DSOFF && dso && dso->kind == DSO_USER) {
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

void script__print_place(struct script_stdio *out, u64 mask, const struct location *loc)
{
	if (mask & SCRIPT_SYM) {
		text__char(&out->text, ' ');
		print_symbol(&out->text, mask & SCRIPT_SYMOFF, loc);
	}
	if (mask & SCRIPT_DSO && !is_inlined(loc))
		script__print_dso(out, mask, loc);
}

/* On a line of its own, as in perf; "inl.cpp:9", or what addr2line would need where that is not known. */
static void print_srcline(struct script_stdio *out, struct resolver *resolver, const struct location *loc)
{
	const struct srcline_frame *code = resolver__code(resolver, loc);
	char text[PATH_MAX + 16];

	if (!loc->dso)
		return;
	if (code) {
		srcline_frame__snprint(code, out->style.full_paths, text, sizeof(text));
		text__printf(&out->text, "\n  %s", text);
	} else {
		text__printf(&out->text, "\n  %s[%" PRIx64 "]", loc->dso->short_name, resolver__file_address(resolver, loc));
	}
}

bool script__print_frames(struct script_stdio *out, u64 mask, struct resolver *resolver, const struct location *frame, u32 nr)
{
	const struct words *stop_at = out->style.stop_at;
	struct text *text = &out->text;

	for (const struct location *loc = frame; loc < frame + nr; loc++) {
		text__char(text, '\t');
		text__hex(text, loc->addr, 16);
		script__print_place(out, mask, loc);
		if (mask & SCRIPT_SRCLINE)
			print_srcline(out, resolver, loc);
		text__str(text, is_inlined(loc) ? " (inlined)\n" : "\n");
		if (stop_at && loc->sym && words__has(stop_at, loc->sym->name))
			return false;
	}
	return true;
}

static void print_leaf(struct script_stdio *out, u64 mask, struct resolver *resolver, const struct callchain *chain)
{
	size_t start = out->text.len;

	if (script_lines__put(out->lines, chain->note, mask, &out->text))
		return;
	script__print_frames(out, mask, resolver, chain->frame, chain->nr_leaf);
	script_lines__keep(out->lines, chain->note, mask, &out->text, start);
}

static void print_callers(struct script_stdio *out, u64 mask, struct resolver *resolver, const struct callchain *chain)
{
	size_t start = out->text.len;

	if (script_lines__put(out->lines, chain->callers_note, mask, &out->text))
		return;
	script__print_frames(out, mask, resolver, chain->frame + chain->nr_leaf, chain->nr - chain->nr_leaf);
	script_lines__keep(out->lines, chain->callers_note, mask, &out->text, start);
}

/* false: the leaf is in a function behind which no more is shown. */
static bool print_all_frames(struct script_stdio *out, u64 mask, struct resolver *resolver, const struct callchain *chain)
{
	if (!out->lines)
		out->lines = script_lines__new();
	if (!out->lines || out->style.stop_at) { /* without memory for them we only are slower */
		if (!script__print_frames(out, mask, resolver, chain->frame, chain->nr_leaf))
			return false;
		script__print_frames(out, mask, resolver, chain->frame + chain->nr_leaf, chain->nr - chain->nr_leaf);
		return true;
	}
	print_leaf(out, mask, resolver, chain);
	print_callers(out, mask, resolver, chain);
	return true;
}

/* Where frames are still to come, the number by which they can be found. */
static void print_cookie(struct text *text, u64 mask, const struct perf_sample *sample)
{
	const u64 *cookie = perf_sample__deferred_cookie(sample);

	if (!cookie)
		return;
	text__char(text, '\t');
	text__hex(text, *cookie, 16);
	text__str(text, mask & SCRIPT_SYM ? " (cookie)" : "");
	text__str(text, mask & SCRIPT_DSO ? " ([unknown])\n" : "\n");
}

static void print_chain(struct script_stdio *out, u64 mask, struct resolver *resolver, const struct session_sample *s)
{
	text__char(&out->text, '\n');
	if (print_all_frames(out, mask, resolver, s->chain))
		print_cookie(&out->text, mask, s->sample);
}

void script__print_ip(struct script_stdio *out, u64 mask, struct session *session, const struct session_sample *s)
{
	struct resolver *resolver = session__resolver(session);

	if (s->chain && !out->style.hide_chains) {
		print_chain(out, mask, resolver, s);
		return;
	}
	text__char(&out->text, ' ');
	text__hex(&out->text, s->sample->ip, 16);
	script__print_place(out, mask, &s->loc);
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

/* The kernel touches memory of users, too, and branches cross the border: where an address lies is for it to say. */
static u8 other_cpumode(u8 cpumode)
{
	return cpumode == PERF_RECORD_MISC_KERNEL || cpumode == PERF_RECORD_MISC_USER ? PERF_RECORD_MISC_CPUMODE_UNKNOWN : cpumode;
}

static void locate(struct session *session, const struct session_sample *s, u64 addr, struct location *loc)
{
	resolver__resolve(session__resolver(session), s->thread, other_cpumode(s->sample->cpumode), addr, loc);
}

void script__print_addr(struct script_stdio *out, u64 mask, struct session *session, const struct session_sample *s)
{
	struct location loc;

	text__hex(&out->text, s->sample->addr, 16);
	if (!session__resolver(session) || !addr_has_symbol(&s->evsel->event->attr))
		return;
	locate(session, s, s->sample->addr, &loc);
	script__print_place(out, mask, &loc);
}

/* Both ends of a branch, "from/to". */
static void print_branch_end(struct script_stdio *out, u64 mask, struct session *session, const struct session_sample *s, u64 addr)
{
	struct location loc = { .addr = addr };

	if (session__resolver(session) && (mask & (SCRIPT_DSO | SCRIPT_BRSTACKSYM | SCRIPT_BRSTACKOFF)))
		locate(session, s, addr, &loc);
	if (mask & SCRIPT_BRSTACKSYM && !(mask & SCRIPT_BRSTACK)) {
		print_symbol(&out->text, true, &loc);
	} else {
		if (mask & SCRIPT_BRSTACKOFF && !(mask & SCRIPT_BRSTACK) && loc.map)
			addr = addr - loc.map->start + loc.map->pgoff;
		text__str(&out->text, "0x");
		text__hex(&out->text, addr, 0);
	}
	if (mask & SCRIPT_DSO)
		script__print_dso(out, mask, &loc);
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

void script__print_branches(struct script_stdio *out, u64 mask, struct session *session, const struct session_sample *s)
{
	bool numbers = mask & SCRIPT_BRSTACK || !(mask & SCRIPT_BRSTACKSYM);

	for (u64 i = 0; i < s->sample->nr_branch; i++) {
		const struct perf_branch_entry *branch = &s->sample->branch[i];

		if (numbers)
			text__char(&out->text, ' ');
		print_branch_end(out, mask, session, s, branch->from);
		text__char(&out->text, '/');
		print_branch_end(out, mask, session, s, branch->to);
		print_branch_flags(&out->text, branch);
	}
}

// SPDX-License-Identifier: GPL-2.0
#include "ui/script/chain.h"

#include "ui/script/fields.h"
#include "ui/script/lines.h"

/* Chains of samples with ids have numbers instead of frames. */
static const struct location *frame_at(const struct script_look *look, const struct callchain *chain, u32 i)
{
	return chain->frame ? &chain->frame[i] : resolver__frame(session__resolver(look->session), chain->number[i]);
}

/* 0: no other sample can have the same number. */
static u32 number_at(const struct callchain *chain, u32 i)
{
	u32 number = chain->number ? chain->number[i] : chain->frame[i].number;

	return frame_number__is_once(number) ? 0 : number;
}

/* Whole units, without a call: the excess is overwritten. */
static void put_kept(struct text *text, const struct kept_text *kept)
{
	char *to = text__reserve(text, ALIGN_UP(kept->len, KEPT_UNIT));

	if (!to)
		return;
	for (u32 at = 0; at < kept->len; at += KEPT_UNIT)
		memcpy(to + at, kept->text + at, KEPT_UNIT);
	text->len += kept->len;
}

static void put_token(const struct script_chains *c, struct text *text, u64 token)
{
	const struct kept_text kept = script_lines__text(c->lines, token);

	put_kept(text, &kept);
}

/* Print the line of a frame into c->line, and keep it. Returns its token; 0: it has none. */
static u64 keep_line(struct script_chains *c, const struct script_look *look, const struct callchain *chain, u32 i)
{
	c->line.len = 0;
	script__print_frames(&c->line, look, frame_at(look, chain, i), 1);
	return c->line.failed ? 0 : script_lines__keep_frame(c->lines, number_at(chain, i), look->mask, c->line.buf, c->line.len);
}

/* Print the end of the line, which frames with the same code share, and keep it. 0: it has none. */
static u64 keep_end(struct script_chains *c, const struct script_look *look, u32 number, u32 code)
{
	c->line.len = 0;
	script__print_line_end(&c->line, look, resolver__frame(session__resolver(look->session), number));
	return c->line.failed ? 0 : script_lines__keep_code(c->lines, code, look->mask, c->line.buf, c->line.len);
}

#define BEFORE_END (1 + ADDRESS_WIDTH) /* a tab and the address */
#define ADDRESS_ROOM 32 /* a tab, blanks, digits, and what is written too much */

/* As script__print_frames(): the address and the end of the line. */
static void put_line(struct text *text, u64 addr, const struct kept_text *end)
{
	char *to = text__reserve(text, ADDRESS_ROOM + ALIGN_UP(end->len, KEPT_UNIT));

	if (!to)
		return;
	*to++ = '\t';
	hex__put_right(to, addr);
	to += ADDRESS_WIDTH;
	for (u32 at = 0; at < end->len; at += KEPT_UNIT)
		memcpy(to + at, end->text + at, KEPT_UNIT);
	text->len += BEFORE_END + end->len;
}

/* What is kept first for code: the whole line, whose end it is, if that may be found again, too. */
static u64 keep_first(struct script_chains *c, const struct script_look *look, const struct callchain *chain, u32 i, u32 code)
{
	u64 line, end;

	if (!number_at(chain, i))
		return keep_end(c, look, chain->number[i], code);
	line = keep_line(c, look, chain, i);
	if (!line)
		return 0;
	end = end_of_line(line, BEFORE_END);
	script_lines__note_code(c->lines, code, look->mask, end);
	return end;
}

/* Without keeping the line: most addresses of processes that soon end occur once. */
static void print_once(struct script_chains *c, struct text *text, const struct script_look *look, const struct callchain *chain, u32 i)
{
	u32 code = 0;
	u64 end = 0, addr;

	if (chain->number && !(look->mask & SCRIPT_SRCLINE))
		code = resolver__frame_code(session__resolver(look->session), chain->number[i], &addr);
	if (code)
		end = script_lines__find_code(c->lines, code, look->mask) ?: keep_first(c, look, chain, i, code);
	if (end) {
		const struct kept_text kept = script_lines__text(c->lines, end);

		put_line(text, addr, &kept);
	} else {
		script__print_frames(text, look, frame_at(look, chain, i), 1);
	}
}

/* A line is kept when its frame occurs again. Returns its token; 0: print it once. */
static u64 note_line(struct script_chains *c, const struct script_look *look, const struct callchain *chain, u32 i, u64 *token)
{
	if (token && is_line(*token))
		return *token;
	if (token && *token != FRAME_SEEN) {
		*token = FRAME_SEEN;
		return 0;
	}
	return number_at(chain, i) ? keep_line(c, look, chain, i) : 0; /* frames without a number are not found again */
}

/* Print the frames from one index to before another. */
static void print_each(struct script_chains *c, struct text *text, const struct script_look *look, const struct callchain *chain,
		       u32 from, u32 end)
{
	const struct frame_lines lines = script_lines__frames(c->lines, look->mask);

	for (u32 i = from; i < end; i++) {
		u64 *slot = frame_lines__at(&lines, number_at(chain, i));
		u64 token = slot && is_line(*slot) ? *slot : note_line(c, look, chain, i, slot);

		if (token)
			put_token(c, text, token);
		else
			print_once(c, text, look, chain, i);
	}
}

static void print_kept(const struct script_chains *c, struct script_writer *w, u64 token)
{
	script_writer__add_kept(w, script_lines__text(c->lines, token));
}

/* Keep what is in c->list if there is space. Returns its token, or 0. callers 0: it is not found again by them. */
static u64 put_list(struct script_chains *c, struct script_writer *w, const struct script_look *look, u32 callers)
{
	u64 token = c->list.failed ? 0 : script_lines__keep(c->lines, callers, look->mask, c->list.buf, c->list.len);

	if (token)
		print_kept(c, w, token);
	else if (c->list.len)
		text__put(script_writer__text(w), c->list.buf, c->list.len);
	return token;
}

static u64 print_list(struct script_chains *c, struct script_writer *w, const struct script_look *look, u32 callers,
		      const struct callchain *chain, u32 from, u32 end)
{
	c->list.len = 0;
	print_each(c, &c->list, look, chain, from, end);
	return put_list(c, w, look, callers);
}

/* Without memory for it: no. */
static bool came_before(struct number_table *seen, u32 number)
{
	u8 *entry, before;

	seen->size = sizeof(*entry);
	entry = number_table__get(seen, number);
	before = entry && *entry;
	if (entry)
		*entry = true;
	return before;
}

static void print_callers(struct script_chains *c, struct script_writer *w, const struct script_look *look,
			  const struct callchain *chain)
{
	u64 token = script_lines__find(c->lines, chain->callers, look->mask);

	if (token)
		print_kept(c, w, token);
	else if (chain->callers && came_before(&c->seen_numbers, chain->callers))
		print_list(c, w, look, chain->callers, chain, chain->nr_leaf, chain->nr);
	else
		print_each(c, script_writer__text(w), look, chain, chain->nr_leaf, chain->nr);
}

/* The place itself, which is kept separately for everything inlined there. */
static u64 print_place(struct script_chains *c, struct script_writer *w, const struct script_look *look,
		       const struct callchain *chain)
{
	const struct frame_lines lines = script_lines__frames(c->lines, look->mask);
	u64 token;

	if (chain->nr_leaf != 1)
		return print_list(c, w, look, 0, chain, 0, chain->nr_leaf);
	token = note_line(c, look, chain, 0, frame_lines__at(&lines, number_at(chain, 0)));
	if (token)
		print_kept(c, w, token);
	else
		print_once(c, script_writer__text(w), look, chain, 0);
	return token;
}

static u64 kept_for(const struct number_table *table, u32 id)
{
	const u64 *token = number_table__find(table, id);

	return token ? *token : 0;
}

/* Without memory it is printed again. */
static void keep_for(struct number_table *table, u32 id, u64 token)
{
	u64 *kept;

	table->size = sizeof(token);
	kept = token ? number_table__get(table, id) : NULL;
	if (kept)
		*kept = token;
}

static void print_last(struct script_chains *c, struct text *text, const struct script_look *look, const struct callchain *chain)
{
	print_each(c, text, look, chain, chain->nr_leaf, chain->nr);
	text__char(text, '\n');
}

static u64 keep_last(struct script_chains *c, struct script_writer *w, const struct script_look *look, const struct callchain *chain)
{
	c->list.len = 0;
	print_last(c, &c->list, look, chain);
	return put_list(c, w, look, 0);
}

static void print_parts(struct script_chains *c, struct script_writer *w, const struct script_look *look,
			const struct callchain *chain, const struct stack_ids *ids)
{
	u64 callers = kept_for(&c->callers, ids->callers);

	keep_for(&c->place, ids->place, print_place(c, w, look, chain));
	if (callers)
		print_kept(c, w, callers);
	else if (came_before(&c->seen_ids, ids->callers))
		keep_for(&c->callers, ids->callers, keep_last(c, w, look, chain));
	else
		print_last(c, script_writer__text(w), look, chain);
}

/* false: the leaf is a function after which the chain ends. */
static bool print_all(struct script_chains *c, struct script_writer *w, const struct script_look *look, const struct callchain *chain)
{
	struct text *text = script_writer__text(w);

	if (!c->lines || look->style->stop_at) {
		for (u32 i = 0; i < chain->nr; i++) {
			if (!script__print_frames(text, look, frame_at(look, chain, i), 1))
				return i >= chain->nr_leaf;
		}
		return true;
	}
	print_each(c, text, look, chain, 0, chain->nr_leaf);
	print_callers(c, w, look, chain);
	return true;
}

/* The number for finding the remaining frames. */
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

static void forget_texts(struct script_chains *c)
{
	number_table__empty(&c->place);
	number_table__empty(&c->callers);
}

void script_chains__forget(struct script_chains *c)
{
	forget_texts(c);
	number_table__empty(&c->seen_ids);
	if (c->lines)
		script_lines__forget_callers(c->lines);
}

static void begin(struct script_chains *c)
{
	if (!c->lines)
		c->lines = script_lines__new();
}

/* Not before a chain is printed: its data may be kept there. */
static void end(struct script_chains *c, struct script_writer *w)
{
	script_writer__text(w)->failed |= c->line.failed | c->list.failed;
	if (!c->lines || !script_lines__is_full(c->lines) || script_lines__widen(c->lines, c->seen_ids.end + c->seen_numbers.end))
		return;
	script_writer__drain(w); /* ignore errors: the last drain returns them, too */
	script_lines__empty(c->lines);
	forget_texts(c);
}

void script_chains__print(struct script_chains *c, struct script_writer *w, const struct script_look *look,
			  const struct session_sample *s)
{
	begin(c);
	text__char(script_writer__text(w), '\n');
	if (print_all(c, w, look, s->chain))
		print_cookie(script_writer__text(w), look->mask, s->sample);
	end(c, w);
}

/* Such samples have no cookie. A chain that was dropped as damaged has no place, and says nothing about others. */
void script_chains__print_by_ids(struct script_chains *c, struct script_writer *w, const struct script_look *look,
				 const struct session_sample *s)
{
	begin(c);
	if (c->lines && s->chain->nr_leaf) {
		print_parts(c, w, look, s->chain, &s->ids);
	} else {
		print_all(c, w, look, s->chain);
		text__char(script_writer__text(w), '\n');
	}
	end(c, w);
}

void script_chains__prefetch(const struct script_chains *c, const struct stack_ids *ids)
{
	__builtin_prefetch(number_table__find(&c->place, ids->place));
	__builtin_prefetch(number_table__find(&c->callers, ids->callers));
}

enum session_need script_chains__need(const struct script_chains *c, const struct stack_ids *ids)
{
	if (!kept_for(&c->callers, ids->callers))
		return SESSION_NEEDS_ALL;
	return kept_for(&c->place, ids->place) ? SESSION_NEEDS_NOTHING : SESSION_NEEDS_PLACE;
}

struct script_numbers *script_chains__print_known(const struct script_chains *c, struct script_writer *w, const struct stack_ids *ids)
{
	return script_writer__add_line(w, script_lines__text(c->lines, kept_for(&c->place, ids->place)),
				       script_lines__text(c->lines, kept_for(&c->callers, ids->callers)));
}

void script_chains__exit(struct script_chains *c)
{
	script_lines__delete(c->lines);
	text__exit(&c->line);
	text__exit(&c->list);
	number_table__exit(&c->place);
	number_table__exit(&c->callers);
	number_table__exit(&c->seen_ids);
	number_table__exit(&c->seen_numbers);
	*c = (struct script_chains){};
}

// SPDX-License-Identifier: GPL-2.0
#include "ui/script-chain.h"

#include "ui/script-fields.h"
#include "ui/script-lines.h"

static bool keep(struct script_chains *c, size_t start, struct kept_lines *kept)
{
	return !c->text.failed && script_lines__keep(c->lines, c->text.buf + start, c->text.len - start, kept);
}

/* Add the line of a frame to c->text. */
static bool print_frame(struct script_chains *c, const struct script_look *look, const struct location *frame,
			struct kept_lines *kept)
{
	size_t start = c->text.len;

	script__print_frames(&c->text, look, frame, 1);
	if (!keep(c, start, kept))
		return false;
	script_lines__note_frame(c->lines, frame, look->mask, kept);
	return true;
}

/* Print what was not kept. false: it is in c->text, and not kept. */
static bool print_lines(struct script_chains *c, const struct script_look *look, const struct location *frame, u32 nr,
			struct kept_lines *kept)
{
	c->text.len = 0;
	if (nr == 1 && frame->number)
		return script_lines__find_frame(c->lines, frame, look->mask, kept) || print_frame(c, look, frame, kept);
	for (u32 i = 0; i < nr; i++) {
		if (script_lines__find_frame(c->lines, &frame[i], look->mask, kept))
			text__put(&c->text, kept->text, kept->len);
		else if (frame[i].number)
			print_frame(c, look, &frame[i], kept);
		else
			script__print_frames(&c->text, look, &frame[i], 1);
	}
	return keep(c, 0, kept);
}

static void print_noted(struct script_chains *c, struct script_writer *w, const struct script_look *look, struct chain_note *note,
			const struct location *frame, u32 nr)
{
	struct kept_lines kept;

	if (!nr)
		return;
	if (!script_lines__find(c->lines, note, look->mask, &kept)) {
		if (!print_lines(c, look, frame, nr, &kept)) {
			text__put(script_writer__text(w), c->text.buf, c->text.len);
			return;
		}
		script_lines__note(c->lines, note, look->mask, &kept);
	}
	script_writer__add_kept(w, kept.text, kept.len);
}

/* false: the leaf is in a function behind which no more is shown. */
static bool print_all(struct script_chains *c, struct script_writer *w, const struct script_look *look, const struct callchain *chain)
{
	struct text *text = script_writer__text(w);

	if (!c->lines)
		c->lines = script_lines__new();
	if (!c->lines || look->style->stop_at) {
		if (!script__print_frames(text, look, chain->frame, chain->nr_leaf))
			return false;
		script__print_frames(text, look, callchain__caller_frames(chain), chain->nr - chain->nr_leaf);
		return true;
	}
	if (script_lines__is_full(c->lines)) {
		script_writer__drain(w); /* of its errors the last one tells, too */
		script_lines__empty(c->lines);
	}
	print_noted(c, w, look, chain->note, chain->frame, chain->nr_leaf);
	print_noted(c, w, look, chain->callers_note, callchain__caller_frames(chain), chain->nr - chain->nr_leaf);
	text->failed |= c->text.failed;
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

void script_chains__print(struct script_chains *c, struct script_writer *w, const struct script_look *look,
			  const struct session_sample *s)
{
	text__char(script_writer__text(w), '\n');
	if (print_all(c, w, look, s->chain))
		print_cookie(script_writer__text(w), look->mask, s->sample);
}

void script_chains__exit(struct script_chains *c)
{
	script_lines__delete(c->lines);
	text__exit(&c->text);
	*c = (struct script_chains){};
}

// SPDX-License-Identifier: GPL-2.0
#include "ui/script-chain.h"

#include <stdlib.h>

#include "ui/script-fields.h"
#include "ui/script-lines.h"

/* Print the line of a frame that was not kept. NULL: it is in c->text, and not kept. */
static const struct kept_lines *keep_frame(struct script_chains *c, const struct script_look *look, const struct location *frame)
{
	const struct kept_lines *line;

	c->text.len = 0;
	script__print_frames(&c->text, look, frame, 1);
	line = c->text.failed ? NULL : script_lines__keep(c->lines, c->text.buf, c->text.len);
	if (line)
		script_lines__note_frame(c->lines, frame, look->mask, line);
	return line;
}

static const struct kept_lines *get_line(struct script_chains *c, const struct script_look *look, const struct location *frame)
{
	return script_lines__find_frame(c->lines, frame, look->mask) ?: keep_frame(c, look, frame);
}

/* What is inlined has no number to be found by again: keeping it would only fill the room. */
static void print_frame(struct script_chains *c, struct script_writer *w, const struct script_look *look,
			const struct location *frame)
{
	const struct kept_lines *line = frame->number ? get_line(c, look, frame) : NULL;

	if (line)
		script_writer__add_lines(w, line);
	else if (frame->number)
		text__put(script_writer__text(w), c->text.buf, c->text.len);
	else
		script__print_frames(script_writer__text(w), look, frame, 1);
}

static void print_each(struct script_chains *c, struct script_writer *w, const struct script_look *look,
		       const struct location *frame, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		print_frame(c, w, look, &frame[i]);
}

static const struct kept_lines **get_room(struct script_chains *c, u32 nr)
{
	const struct kept_lines **room;

	if (nr <= c->alloc)
		return c->room;
	room = reallocarray(c->room, nr, sizeof(*room));
	if (!room)
		return NULL;
	c->room = room;
	c->alloc = nr;
	return room;
}

/* NULL: not all could be kept. */
static const struct kept_lines *keep_lines(struct script_chains *c, const struct script_look *look, struct chain_note *note,
					   const struct location *frame, u32 nr)
{
	const struct kept_lines **line = get_room(c, nr);

	for (u32 i = 0; line && i < nr; i++) {
		line[i] = get_line(c, look, &frame[i]);
		if (!line[i])
			return NULL;
	}
	return line ? script_lines__keep_list(c->lines, note, look->mask, line, nr) : NULL;
}

static void print_callers(struct script_chains *c, struct script_writer *w, const struct script_look *look,
			  const struct callchain *chain)
{
	const struct kept_lines *lines = script_lines__find_list(c->lines, chain->callers_note, look->mask);
	const struct location *frame = callchain__caller_frames(chain);
	u32 nr = chain->nr - chain->nr_leaf;

	if (!nr)
		return;
	if (!lines && chain->callers_note)
		lines = keep_lines(c, look, chain->callers_note, frame, nr);
	if (lines)
		script_writer__add_lines(w, lines);
	else
		print_each(c, w, look, frame, nr);
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
	print_each(c, w, look, chain->frame, chain->nr_leaf);
	print_callers(c, w, look, chain);
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
	free(c->room);
	text__exit(&c->text);
	*c = (struct script_chains){};
}

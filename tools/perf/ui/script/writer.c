// SPDX-License-Identifier: GPL-2.0
#include "ui/script/writer.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "util/lib/file-map.h"
#include "util/lib/threads.h"

/* Some hundred samples: their pieces stay in the CPU caches, and wake-ups cost little. */
#define CHUNK_PIECES 4096
#define CHUNK_LINES 1024
#define CHUNK_TEXT (64 << 10)
#define NR_CHUNKS 6
#define FEW_CHUNKS 2 /* no thread is woken for fewer: each wake-up costs as much as some hundred lines */
#define WRITE_SIZE (256 << 10)

/* Longer text is written to the file from where it is. */
#define MAX_COPIED 256
/* Prefetch kept text this many pieces or lines before it is copied. */
#define LOOK_AHEAD 12
/* The other CPU's caches have the chunk: prefetch it this far ahead. */
#define PIECES_AHEAD 24
#define LINES_AHEAD 8
#define CACHE_LINE 64
#define APART (2 * CACHE_LINE) /* CPUs fetch them in pairs */

enum piece_kind { PIECE_TEXT, PIECE_LINES, PIECE_KEPT, PIECE_FILE };

/* Small, as each goes from one CPU to another. */
struct piece {
	u32 kind : 8, len : 24; /* of kept text, which fits (lines.h), or the number of lines */
	u32 before; /* this much of the chunk's text precedes it: mostly just a newline */
	union {
		const char *kept;
		FILE *fp;
	};
};

struct line { /* numbers and what is kept */
	struct script_numbers numbers;
	const char *kept[2];
	u32 len[2];
};

struct chunk { /* pieces take from the other two in order */
	u32 nr, nr_lines;
	struct text text;
	struct piece piece[CHUNK_PIECES];
	struct line line[CHUNK_LINES];
};

/* State of the writing thread. */
struct joined {
	FILE *fp;
	struct text text;
	struct script_clock clock;
	size_t size; /* sum over parts */
	size_t in_parts; /* bytes of text that parts use */
	u32 nr_parts;
	bool borrows; /* parts are in the chunk's text */
	struct iovec part[IOV_MAX]; /* base NULL: the next bytes of text, which may move until it is written */
};

struct script_writer {
	const struct script_style *style;
	/* of the collecting thread */
	struct chunk *filling;
	struct text text;    /* becomes the chunk's */
	size_t in_pieces;    /* bytes of text that pieces use */
	bool lost;	     /* some text was lost: no memory */
	FILE *fp, *stream;
	bool is_threaded;
	pthread_t thread;
	char before_joined[APART]; /* both threads constantly write to their own part */
	struct joined joined; /* owned by the thread, except when it is idle and the lock was held since */
	char behind_joined[APART];
	pthread_mutex_t lock; /* protects everything below */
	pthread_cond_t filled, emptied;
	u32 nr_filled, nr_emptied; /* chunks so far: those in between are in the ring */
	bool stop;
	struct chunk chunk[NR_CHUNKS];
};

static void add_part(struct joined *j, const char *base, size_t len)
{
	j->part[j->nr_parts++] = (struct iovec){ (char *)base, len };
	j->size += len;
}

static void end_text(struct joined *j)
{
	if (j->text.len > j->in_parts)
		add_part(j, NULL, j->text.len - j->in_parts);
	j->in_parts = j->text.len;
}

/* Returns how many bytes were written to the file, perhaps only some or none. */
static size_t write_parts(const struct joined *j)
{
	int fd = fileno(j->fp);
	ssize_t len = fd >= 0 && !fflush(j->fp) ? writev(fd, j->part, j->nr_parts) : 0;

	return len > 0 ? len : 0;
}

/* Write the rest by stdio, which retries where that helps, and remembers its errors. */
static void write_rest(const struct joined *j, size_t written)
{
	for (u32 i = 0; i < j->nr_parts; i++) {
		size_t len = j->part[i].iov_len, done = written < len ? written : len;

		if (done < len)
			fwrite((const char *)j->part[i].iov_base + done, 1, len - done, j->fp);
		written -= done;
	}
}

static void write_out(struct joined *j)
{
	const char *text = j->text.buf;
	size_t written;

	end_text(j);
	for (u32 i = 0; i < j->nr_parts; i++) {
		if (j->part[i].iov_base)
			continue;
		j->part[i].iov_base = (char *)text;
		text += j->part[i].iov_len;
	}
	if (j->nr_parts && j->fp) {
		written = write_parts(j);
		if (written < j->size)
			write_rest(j, written);
	}
	j->nr_parts = 0;
	j->borrows = false;
	j->size = j->in_parts = j->text.len = 0;
}

static void prefetch(const char *kept, u32 len)
{
	for (u32 i = 0; len <= MAX_COPIED && i < len; i += CACHE_LINE)
		__builtin_prefetch(kept + i);
}

/* Most are short, and a constant size needs no call: the excess is overwritten. */
static void copy(struct text *text, const char *kept, u32 len)
{
	char *to = text__reserve(text, ALIGN_UP(len, KEPT_UNIT));

	if (!to)
		return;
	for (u32 at = 0; at < len; at += KEPT_UNIT)
		memcpy(to + at, kept + at, KEPT_UNIT);
	text->len += len;
}

static void put_kept(struct joined *j, const char *kept, u32 len)
{
	if (len <= MAX_COPIED) {
		copy(&j->text, kept, len);
		return;
	}
	end_text(j);
	add_part(j, kept, len);
}

/* Reserve parts for another piece or line, and one for the end. */
static bool is_enough(const struct joined *j)
{
	return j->size + j->text.len - j->in_parts >= WRITE_SIZE || j->nr_parts + 5 > IOV_MAX;
}

/* Returns the position after it; text may be NULL if it is empty. */
static const char *put_before(struct joined *j, const char *text, u32 len)
{
	if (!len)
		return text;
	if (len == 1) {
		text__char(&j->text, *text);
	} else if (len <= MAX_COPIED) {
		text__put(&j->text, text, len);
	} else {
		end_text(j);
		add_part(j, text, len);
		j->borrows = true;
	}
	return text + len;
}

static void put_lines(struct joined *j, const struct script_style *style, const struct line *line, u32 nr)
{
	for (const struct line *end = line + nr; line < end; line++) {
		if (line + LOOK_AHEAD < end) {
			prefetch(line[LOOK_AHEAD].kept[0], line[LOOK_AHEAD].len[0]);
			prefetch(line[LOOK_AHEAD].kept[1], line[LOOK_AHEAD].len[1]);
		}
		script_numbers__print(&line->numbers, style, &j->clock, &j->text);
		put_kept(j, line->kept[0], line->len[0]);
		put_kept(j, line->kept[1], line->len[1]);
		if (is_enough(j))
			write_out(j);
	}
}

static void join(struct joined *j, const struct script_style *style, const struct chunk *chunk)
{
	const struct line *line = chunk->line;
	const char *text = chunk->text.buf;

	for (u32 i = 0; i < chunk->nr; i++) {
		const struct piece *piece = &chunk->piece[i];

		if (i + LOOK_AHEAD < chunk->nr && piece[LOOK_AHEAD].kind == PIECE_KEPT)
			prefetch(piece[LOOK_AHEAD].kept, piece[LOOK_AHEAD].len);
		text = put_before(j, text, piece->before);
		switch (piece->kind) {
		case PIECE_TEXT:
			break;
		case PIECE_LINES:
			put_lines(j, style, line, piece->len);
			line += piece->len;
			break;
		case PIECE_KEPT:
			put_kept(j, piece->kept, piece->len);
			break;
		case PIECE_FILE:
			write_out(j);
			j->fp = piece->fp;
			break;
		}
		if (is_enough(j))
			write_out(j);
	}
	if (j->borrows)
		write_out(j);
}

static void *write_chunks(void *data)
{
	struct script_writer *w = data;

	file_maps__set_writer(gettid());
	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (w->nr_filled == w->nr_emptied && !w->stop)
			pthread_cond_wait(&w->filled, &w->lock);
		if (w->nr_filled == w->nr_emptied)
			break;
		pthread_mutex_unlock(&w->lock);
		join(&w->joined, w->style, &w->chunk[w->nr_emptied % NR_CHUNKS]); /* only this thread changes nr_emptied */
		pthread_mutex_lock(&w->lock);
		w->nr_emptied++;
		if (w->nr_filled - w->nr_emptied <= FEW_CHUNKS)
			pthread_cond_signal(&w->emptied);
	}
	pthread_mutex_unlock(&w->lock);
	file_maps__set_writer(0);
	return NULL;
}

struct script_writer *script_writer__new(const struct script_style *style)
{
	struct script_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->style = style;
	w->filling = &w->chunk[0];
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->filled, NULL);
	pthread_cond_init(&w->emptied, NULL);
	w->is_threaded = threads__nr_cpus() > 1 && !threads__start(&w->thread, write_chunks, w);
	return w;
}

static void stop_thread(struct script_writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->filled);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
}

void script_writer__delete(struct script_writer *w)
{
	if (!w)
		return;
	if (w->is_threaded)
		stop_thread(w);
	if (w->stream)
		fclose(w->stream);
	for (u32 i = 0; i < NR_CHUNKS; i++)
		text__exit(&w->chunk[i].text);
	text__exit(&w->text);
	text__exit(&w->joined.text);
	pthread_cond_destroy(&w->emptied);
	pthread_cond_destroy(&w->filled);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* Pass the chunk to the thread, and wait for the next free one. */
static void pass_on(struct script_writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->nr_filled++;
	if (w->nr_filled - w->nr_emptied > FEW_CHUNKS)
		pthread_cond_signal(&w->filled);
	while (w->nr_filled - w->nr_emptied == NR_CHUNKS)
		pthread_cond_wait(&w->emptied, &w->lock);
	w->filling = &w->chunk[w->nr_filled % NR_CHUNKS];
	pthread_mutex_unlock(&w->lock);
}

/* Output since the last piece precedes it. */
static struct piece *add_piece(struct script_writer *w, enum piece_kind kind)
{
	struct piece *piece = &w->filling->piece[w->filling->nr++];

	__builtin_prefetch(piece + PIECES_AHEAD, 1);
	piece->kind = kind;
	piece->before = w->text.len - w->in_pieces;
	w->in_pieces = w->text.len;
	return piece;
}

/* The chunk and the writer exchange their texts. */
static void hand_over(struct script_writer *w)
{
	struct text text = w->filling->text;

	add_piece(w, PIECE_TEXT);
	w->lost |= w->text.failed;
	w->filling->text = w->text;
	w->text = (struct text){ .buf = text.buf, .alloc = text.alloc };
	w->in_pieces = 0;
	if (w->is_threaded)
		pass_on(w);
	else
		join(&w->joined, w->style, w->filling);
	w->filling->nr = w->filling->nr_lines = 0;
}

/* The last piece is for the text after the others. */
static bool is_full(const struct chunk *chunk)
{
	return chunk->nr == CHUNK_PIECES - 1 || chunk->nr_lines == CHUNK_LINES;
}

static struct piece *new_piece(struct script_writer *w, enum piece_kind kind)
{
	if (is_full(w->filling))
		hand_over(w);
	return add_piece(w, kind);
}

void script_writer__set_file(struct script_writer *w, FILE *fp)
{
	if (fp == w->fp)
		return;
	new_piece(w, PIECE_FILE)->fp = fp;
	w->fp = fp;
}

struct text *script_writer__text(struct script_writer *w)
{
	return &w->text;
}

static ssize_t write_to_text(void *cookie, const char *buf, size_t size)
{
	struct script_writer *w = cookie;

	text__put(&w->text, buf, size);
	return size;
}

FILE *script_writer__stream(struct script_writer *w)
{
	if (!w->stream)
		w->stream = fopencookie(w, "w", (cookie_io_functions_t){ .write = write_to_text });
	if (!w->stream)
		w->lost = true;
	return w->stream;
}

/* Lines after each other are one piece. */
static void add_to_lines(struct script_writer *w)
{
	struct chunk *chunk = w->filling;

	if (is_full(chunk) || !chunk->nr || chunk->piece[chunk->nr - 1].kind != PIECE_LINES || w->text.len != w->in_pieces)
		new_piece(w, PIECE_LINES)->len = 0;
	w->filling->piece[w->filling->nr - 1].len++;
}

struct script_numbers *script_writer__add_line(struct script_writer *w, struct kept_text first, struct kept_text second)
{
	struct line *line;

	add_to_lines(w);
	line = &w->filling->line[w->filling->nr_lines++];
	__builtin_prefetch(line + LINES_AHEAD, 1);
	line->kept[0] = first.text;
	line->kept[1] = second.text;
	line->len[0] = first.len;
	line->len[1] = second.len;
	return &line->numbers;
}

struct script_numbers *script_writer__add_numbers(struct script_writer *w)
{
	return script_writer__add_line(w, (struct kept_text){}, (struct kept_text){});
}

void script_writer__add_kept(struct script_writer *w, struct kept_text kept)
{
	struct piece *piece = new_piece(w, PIECE_KEPT);

	piece->kept = kept.text;
	piece->len = kept.len;
}

void script_writer__end_record(struct script_writer *w)
{
	if (w->text.len >= CHUNK_TEXT || is_full(w->filling))
		hand_over(w);
}

static void wait_for_thread(struct script_writer *w)
{
	pthread_mutex_lock(&w->lock);
	pthread_cond_signal(&w->filled);
	while (w->nr_filled != w->nr_emptied)
		pthread_cond_wait(&w->emptied, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

int script_writer__drain(struct script_writer *w)
{
	hand_over(w);
	if (w->is_threaded)
		wait_for_thread(w);
	write_out(&w->joined);
	return w->lost || w->joined.text.failed ? -ENOMEM : 0;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/interp/python-code.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/task-memory.h"

/* Texts */

static u32 character_at(const u8 *bytes, u32 width)
{
	u32 c = 0;

	memcpy(&c, bytes, width); /* little endian, as the machine */
	return c;
}

/* These break a line, or turn the direction of what follows them. */
static bool is_layout(u32 c)
{
	return c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static bool is_printable(u32 c)
{
	return c >= 0x20 && (c < 0x7f || c >= 0xa0) && (c < 0xd800 || c > 0xdfff) && c <= 0x10ffff && !is_layout(c);
}

static char *put_utf8(char *to, u32 c)
{
	if (c < 0x80) {
		*to++ = c;
	} else if (c < 0x800) {
		*to++ = 0xc0 | c >> 6;
		*to++ = 0x80 | (c & 0x3f);
	} else if (c < 0x10000) {
		*to++ = 0xe0 | c >> 12;
		*to++ = 0x80 | (c >> 6 & 0x3f);
		*to++ = 0x80 | (c & 0x3f);
	} else {
		*to++ = 0xf0 | c >> 18;
		*to++ = 0x80 | (c >> 12 & 0x3f);
		*to++ = 0x80 | (c >> 6 & 0x3f);
		*to++ = 0x80 | (c & 0x3f);
	}
	return to;
}

/* Many are kept: each takes no more than it needs. */
static void *shrink(void *p, size_t size)
{
	return realloc(p, size) ?: p;
}

char *python_text__decode(const struct interp_text *text, const u8 *bytes)
{
	const u32 nr = text->bytes / text->width;
	char *s = malloc(4 * (size_t)nr + sizeof("...")), *to = s;

	if (!s)
		return NULL;
	for (u32 i = 0; i < nr; i++) {
		const u32 c = character_at(bytes + i * text->width, text->width);

		to = put_utf8(to, is_printable(c) ? c : '?');
	}
	strcpy(to, nr < text->length ? "..." : "");
	return shrink(s, strlen(s) + 1);
}

/* Lines since 3.11: Objects/locations.md of CPython */

struct table {
	const u8 *at, *end;
	bool ended; /* before its entry did */
};

static u8 next_byte(struct table *t)
{
	if (t->at < t->end)
		return *t->at++;
	t->ended = true;
	return 0;
}

#define VARINT_BITS 6
#define VARINT_MORE 0x40

static u32 next_varint(struct table *t)
{
	u32 value = 0, shift = 0;
	u8 byte;

	do {
		byte = next_byte(t);
		if (shift < 32)
			value |= (u32)(byte & (VARINT_MORE - 1)) << shift;
		shift += VARINT_BITS;
	} while (byte & VARINT_MORE);
	return value;
}

static s32 next_signed(struct table *t)
{
	const u32 value = next_varint(t);

	return value & 1 ? -(s32)(value >> 1) : (s32)(value >> 1);
}

enum {
	KIND_COLUMNS = 10, /* and the next two: the line goes on by 0, 1, 2 */
	KIND_NO_COLUMNS = 13,
	KIND_LONG,
	KIND_NONE,
};

/* Skip the columns of an entry. Returns by how many lines it goes on. */
static s32 next_lines(struct table *t, u32 kind)
{
	s32 lines;

	if (kind < KIND_COLUMNS) {
		next_byte(t);
		return 0;
	}
	if (kind < KIND_NO_COLUMNS) {
		next_byte(t);
		next_byte(t);
		return kind - KIND_COLUMNS;
	}
	if (kind == KIND_NONE)
		return 0;
	lines = next_signed(t);
	if (kind == KIND_LONG) {
		next_varint(t);
		next_varint(t);
		next_varint(t);
	}
	return lines;
}

struct lines {
	struct interp_line *line;
	u32 nr;
};

/* From this offset on. One that begins where another one does takes its place. */
static void add_line(struct lines *lines, u32 offset, u32 line)
{
	if (lines->nr && lines->line[lines->nr - 1].offset == offset)
		lines->nr--;
	if (!lines->nr || lines->line[lines->nr - 1].line != line)
		lines->line[lines->nr++] = (struct interp_line){ .offset = offset, .line = line };
}

static void decode_locations(struct table *t, u32 now, u32 code_bytes, struct lines *lines)
{
	u32 offset = 0;

	while (t->at < t->end && offset < code_bytes) {
		const u8 entry = next_byte(t);
		const u32 kind = entry >> 3 & 15;

		now += next_lines(t, kind);
		if (!(entry & 0x80) || t->ended)
			break;
		add_line(lines, offset, kind == KIND_NONE ? 0 : now);
		offset += 2 * ((entry & 7) + 1);
	}
}

#define NO_LINE (-128)

/* Lines of 3.10: Objects/lnotab_notes.txt of CPython. An entry has a number of bytes, and how far on the line of these is. */
static void decode_linetable(struct table *t, u32 now, u32 code_bytes, struct lines *lines)
{
	u32 offset = 0;

	while (t->end - t->at >= 2 && offset < code_bytes) {
		const u8 bytes = next_byte(t);
		const __s8 more = next_byte(t);

		if (more != NO_LINE)
			now += more;
		if (bytes)
			add_line(lines, offset, more == NO_LINE ? 0 : now);
		offset += bytes;
	}
}

/* Lines before 3.10, in the same file. An entry has a number of bytes, and how far on the line behind these is. */
static void decode_lnotab(struct table *t, u32 now, u32 code_bytes, struct lines *lines)
{
	u32 offset = 0;

	add_line(lines, 0, now);
	while (t->end - t->at >= 2 && offset < code_bytes) {
		offset += next_byte(t);
		now += (__s8)next_byte(t);
		add_line(lines, offset, now);
	}
}

/* Where there may be many lines, there are few mostly. */
static struct interp_line *copy_lines(const struct lines *lines)
{
	const size_t size = lines->nr * sizeof(*lines->line);
	struct interp_line *copy = malloc(size ?: 1);

	return copy ? memcpy(copy, lines->line, size) : NULL;
}

int python_lines__decode(enum python_lines kind, const u8 *bytes, size_t size, s32 first_line, u32 code_bytes, struct interp_line **line, u32 *nr)
{
	static void (*const decode[])(struct table *t, u32 now, u32 code_bytes, struct lines *lines) = {
		[PYTHON_LNOTAB] = decode_lnotab, [PYTHON_LINETABLE] = decode_linetable, [PYTHON_LOCATIONS] = decode_locations,
	};
	struct table t = { bytes, bytes + size, false };
	const size_t most = (size < code_bytes ? size : code_bytes) + 1; /* each but the last one has bytecode */
	struct lines lines = { calloc(most, sizeof(**line)), 0 };

	*nr = 0;
	if (lines.line && kind < ARRAY_SIZE(decode))
		decode[kind](&t, first_line, code_bytes, &lines);
	*line = lines.line ? copy_lines(&lines) : NULL;
	free(lines.line);
	if (!*line)
		return -ENOMEM;
	*nr = lines.nr;
	return 0;
}

/* What a program could not read, as the memory was not there, or has no room for: if the function is still the same afterwards */

#define MAX_LINES (1 << 20)
#define MAX_LINES_RATIO 16 /* bytes of the table for a byte of bytecode: an entry of 3.11 and later, for two of them, has 25 at most */

static bool is_still(struct task_memory *memory, const struct interp_code *code, const struct python_layout *l)
{
	u64 word[11]; /* up to the line table */
	u32 first_line;

	task_memory__forget(memory);
	if (!task_memory__read(memory, code->code + l->code_at, word, sizeof(word)))
		return false;
	if (l->first_line / 8 >= ARRAY_SIZE(word) || l->linetable / 8 >= ARRAY_SIZE(word))
		return false;
	memcpy(&first_line, (const u8 *)word + l->first_line, sizeof(first_line));
	return first_line == (u32)code->first_line && word[l->linetable / 8] == code->lines_at;
}

/* Read the line table from the process. NULL: it cannot be read; use what the program has sent. */
static u8 *read_lines(const struct interp_code *code, const struct python_layout *l)
{
	const u32 text = 32; /* of a bytes object */
	struct task_memory *memory;
	u8 *lines;

	if (code->nr_lines >= code->lines_wanted || code->lines_wanted > MAX_LINES || code->lines_wanted / MAX_LINES_RATIO > code->bytes)
		return NULL;
	if (task_memory__new(code->pid, &memory))
		return NULL;
	lines = malloc(code->lines_wanted);
	if (lines && !(task_memory__read(memory, code->lines_at + text, lines, code->lines_wanted) && is_still(memory, code, l))) {
		free(lines);
		lines = NULL;
	}
	task_memory__delete(memory);
	return lines;
}

static bool is_sound(const struct interp_text *text, u32 room)
{
	return text->bytes <= room && (text->width == 1 || text->width == 2 || text->width == 4);
}

/* An empty text has no place in a file of symbols and lines. */
static char *decode_or(const char *none, const struct interp_text *text, const u8 *bytes)
{
	return text->length ? python_text__decode(text, bytes) : strdup(none);
}

int python_code__describe(const struct interp_code *code, const struct interp_file *file, struct interp_function *fn)
{
	u8 *more;
	int ret;

	*fn = (struct interp_function){ 0 };
	if (!is_sound(&code->name, sizeof(code->name_text)) || !is_sound(&code->path, sizeof(code->path_text)) || code->nr_lines > sizeof(code->lines))
		return -EINVAL;
	fn->name = decode_or("unnamed function", &code->name, code->name_text);
	fn->path = decode_or("unnamed file", &code->path, code->path_text);
	more = read_lines(code, &file->python);
	ret = python_lines__decode(file->python.lines, more ?: code->lines, more ? code->lines_wanted : code->nr_lines, code->first_line, code->bytes, &fn->line, &fn->nr_lines);
	free(more);
	if (!ret && fn->name && fn->path)
		return 0;
	interp_function__exit(fn);
	return -ENOMEM;
}

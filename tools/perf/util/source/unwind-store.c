// SPDX-License-Identifier: GPL-2.0
#include "util/source/unwind-store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/token.h"

#define CHUNK_BYTES (UNWIND_CHUNK_WORDS * sizeof(u32))
#define SEGMENT_BYTES (UNWIND_SEGMENT_CHUNKS * CHUNK_BYTES)
#define RULES_BYTES (UNWIND_MAX_RULES * sizeof(struct unwind_rule))

struct segment {
	int fd;
	u32 *words; /* mapped */
};

struct unwind_store {
	int segments_fd, rules_fd;
	struct unwind_rule *rules; /* those of the programs, mapped; NULL: not yet */
	u32 nr_rules; /* that programs have */
	struct segment *segment; /* max_segments */
	u32 nr_segments, max_segments;
	u32 *run; /* for each chunk how many follow in its table's place, with itself; 0: it is no table's first one */
	bool *taken;
	u32 *words; /* of the table that is being laid out */
	size_t room;
};

struct unwind_store *unwind_store__new(const struct bpf_programs *programs, size_t max_bytes)
{
	struct unwind_store *s = calloc(1, sizeof(*s));
	size_t nr_chunks;

	if (!s)
		return NULL;
	s->segments_fd = bpf_programs__map(programs, "unwind_segments");
	s->rules_fd = bpf_programs__map(programs, "unwind_rules");
	s->max_segments = (max_bytes + SEGMENT_BYTES - 1) / SEGMENT_BYTES;
	if (s->max_segments > UNWIND_MAX_SEGMENTS)
		s->max_segments = UNWIND_MAX_SEGMENTS;
	nr_chunks = (size_t)s->max_segments * UNWIND_SEGMENT_CHUNKS;
	s->segment = calloc(s->max_segments + 1, sizeof(*s->segment));
	s->run = calloc(nr_chunks + 1, sizeof(*s->run));
	s->taken = calloc(nr_chunks + 1, sizeof(*s->taken));
	if (s->segment && s->run && s->taken)
		return s;
	unwind_store__delete(s);
	return NULL;
}

void unwind_store__delete(struct unwind_store *s)
{
	if (!s)
		return;
	for (u32 i = 0; i < s->nr_segments; i++) {
		munmap(s->segment[i].words, SEGMENT_BYTES);
		close(s->segment[i].fd);
	}
	if (s->rules)
		munmap(s->rules, RULES_BYTES);
	free(s->segment);
	free(s->run);
	free(s->taken);
	free(s->words);
	free(s);
}

static int unwind_store__map_rules(struct unwind_store *s)
{
	void *map = s->rules ?: mmap(NULL, RULES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s->rules_fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	s->rules = map;
	return 0;
}

/* No table that programs know has the new rules yet: the call that shows them one comes later. */
int unwind_store__put_rules(struct unwind_store *s, const struct unwind_rules *rules)
{
	const u32 nr = unwind_rules__nr(rules);
	int ret = unwind_store__map_rules(s);

	if (ret)
		return ret;
	memcpy(s->rules + s->nr_rules, unwind_rules__array(rules) + s->nr_rules, (nr - s->nr_rules) * sizeof(*s->rules));
	s->nr_rules = nr;
	return 0;
}

/* Laying out */

struct layout {
	const struct unwind_table *table;
	u32 *words; /* NULL: only measure */
	u32 at;
};

static void layout__row(struct layout *l, u32 low, u32 rule)
{
	if (l->words)
		l->words[l->at] = low | rule << 16;
	l->at++;
}

/* Rows of a page, the first of which is at its begin. A page has more than that only if somebody made it for this purpose. */
static void layout__page(struct layout *l, u32 page)
{
	const struct unwind_table *t = l->table;
	u32 from = t->index[page], to = t->index[page + 1], first;
	const bool carried = from == to || t->rows[from].low;
	u32 nr = to - from + carried, rule = UNWIND_RULE_NONE;

	if (carried && from)
		rule = t->rows[from - 1].rule;
	if (nr > UNWIND_MAX_PAGE_ROWS) {
		rule = UNWIND_RULE_HARD;
		nr = 1;
		to = from;
	}
	if (l->at % UNWIND_CHUNK_WORDS + nr > UNWIND_CHUNK_WORDS)
		l->at = ALIGN_UP(l->at, UNWIND_CHUNK_WORDS);
	first = l->at;
	if (l->words)
		l->words[page] = first << UNWIND_ROWS_BITS | nr;
	if (carried || to == from)
		layout__row(l, 0, rule);
	for (; from < to; from++)
		layout__row(l, t->rows[from].low, t->rows[from].rule);
}

/* Returns the number of words. */
static u32 lay_out(const struct unwind_table *table, u32 *words)
{
	struct layout l = { .table = table, .words = words, .at = table->nr_pages };

	for (u32 page = 0; page < table->nr_pages && l.at < UNWIND_MAX_TABLE_WORDS; page++)
		layout__page(&l, page);
	return l.at;
}

static int unwind_store__lay_out(struct unwind_store *s, const struct unwind_table *table, u32 *nr_chunks)
{
	u32 nr = table->nr_pages < UNWIND_MAX_TABLE_WORDS ? lay_out(table, NULL) : UNWIND_MAX_TABLE_WORDS;
	size_t words;

	if (nr >= UNWIND_MAX_TABLE_WORDS)
		return -E2BIG;
	*nr_chunks = (nr + UNWIND_CHUNK_WORDS - 1) / UNWIND_CHUNK_WORDS;
	words = (size_t)*nr_chunks * UNWIND_CHUNK_WORDS;
	if (words > s->room) {
		free(s->words);
		s->words = malloc(words * sizeof(*s->words));
		s->room = s->words ? words : 0;
	}
	if (!s->words)
		return -ENOMEM;
	memset(s->words, 0, words * sizeof(*s->words));
	lay_out(table, s->words);
	return 0;
}

/* Placing */

static int open_segment(struct segment *segment)
{
	static const struct bpf_token_map map = {
		.name = "unwind_segment",
		.type = BPF_MAP_TYPE_ARRAY,
		.key_size = sizeof(u32),
		.value_size = CHUNK_BYTES,
		.max_entries = UNWIND_SEGMENT_CHUNKS,
		.flags = BPF_F_MMAPABLE,
	};
	int ret;

	segment->fd = bpf_token__create_map(&map);
	if (segment->fd < 0)
		return segment->fd;
	segment->words = mmap(NULL, SEGMENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, segment->fd, 0);
	if (segment->words != MAP_FAILED)
		return 0;
	ret = -errno;
	close(segment->fd);
	return ret;
}

static int unwind_store__add_segment(struct unwind_store *s)
{
	struct segment segment;
	int ret = open_segment(&segment);

	if (ret)
		return ret;
	if (bpf_map_update_elem(s->segments_fd, &s->nr_segments, &segment.fd, BPF_ANY)) {
		ret = -errno;
		munmap(segment.words, SEGMENT_BYTES);
		close(segment.fd);
		return ret;
	}
	s->segment[s->nr_segments++] = segment;
	return 0;
}

/* The first of nr free chunks in a row among those that may exist; -ENOSPC */
static long find_run(const struct unwind_store *s, u32 nr)
{
	const u32 max = unwind_store__max_chunks(s);
	u32 free_ones = 0;

	for (u32 i = 0; i < max; i++) {
		free_ones = s->taken[i] ? 0 : free_ones + 1;
		if (free_ones == nr)
			return i + 1 - nr;
	}
	return -ENOSPC;
}

static u32 *chunk_at(const struct unwind_store *s, u32 chunk)
{
	return s->segment[chunk / UNWIND_SEGMENT_CHUNKS].words + (size_t)(chunk % UNWIND_SEGMENT_CHUNKS) * UNWIND_CHUNK_WORDS;
}

static void unwind_store__copy(const struct unwind_store *s, u32 first, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		memcpy(chunk_at(s, first + i), s->words + (size_t)i * UNWIND_CHUNK_WORDS, CHUNK_BYTES);
}

int unwind_store__put(struct unwind_store *s, const struct unwind_table *table, struct unwind_file *file)
{
	u32 nr;
	int ret = unwind_store__lay_out(s, table, &nr);
	long first;

	if (ret)
		return ret;
	if (nr > unwind_store__max_chunks(s))
		return -E2BIG;
	first = find_run(s, nr);
	if (first < 0)
		return first;
	while (!ret && (u64)s->nr_segments * UNWIND_SEGMENT_CHUNKS < (u64)first + nr)
		ret = unwind_store__add_segment(s);
	if (ret)
		return ret;
	unwind_store__copy(s, first, nr);
	s->run[first] = nr;
	memset(s->taken + first, true, nr * sizeof(*s->taken));
	*file = (struct unwind_file){
		.state = UNWIND_FILE_READY,
		.word = first * UNWIND_CHUNK_WORDS,
		.first_page = table->first_page,
		.nr_pages = table->nr_pages,
	};
	return 0;
}

static u32 word_at(const struct unwind_store *s, u32 word)
{
	return chunk_at(s, word / UNWIND_CHUNK_WORDS)[word % UNWIND_CHUNK_WORDS];
}

u32 unwind_store__rule(const struct unwind_store *s, const struct unwind_file *file, u64 offset)
{
	const u64 page = (offset >> UNWIND_PAGE_SHIFT) - file->first_page;
	u32 index, first, from = 0, to;

	if (page >= file->nr_pages)
		return UNWIND_RULE_NONE;
	index = word_at(s, file->word + page);
	first = file->word + (index >> UNWIND_ROWS_BITS);
	for (to = index & UNWIND_MAX_PAGE_ROWS; to - from > 1;) { /* from is not behind the offset */
		const u32 middle = from + (to - from) / 2;

		if ((word_at(s, first + middle) & 0xffff) <= (offset & UNWIND_PAGE_MASK))
			from = middle;
		else
			to = middle;
	}
	return word_at(s, first + from) >> 16;
}

u32 unwind_store__size(const struct unwind_store *s, const struct unwind_file *file)
{
	return s->run[file->word / UNWIND_CHUNK_WORDS];
}

u32 unwind_store__max_chunks(const struct unwind_store *s)
{
	return s->max_segments * UNWIND_SEGMENT_CHUNKS;
}

void unwind_store__free(struct unwind_store *s, const struct unwind_file *file)
{
	const u32 first = file->word / UNWIND_CHUNK_WORDS;

	memset(s->taken + first, false, s->run[first] * sizeof(*s->taken));
	s->run[first] = 0;
}

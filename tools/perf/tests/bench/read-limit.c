// SPDX-License-Identifier: GPL-2.0
/*
 * read-limit FILE: the limit for reports of a recording: reads each record once, and interns all frames of callchains into one hash
 * table of (parent, address). Knows nothing of threads, maps, symbols or order. Samples of one event only, or with an identifier.
 */
#include <stdio.h>
#include <stdlib.h>
#include "util/lib/pages.h"
#include "util/perfdata/reader.h"
#include "util/perfdata/sample.h"

struct node { /* addr 0: empty */
	u64 addr;
	u32 parent, number;
};

struct table {
	struct node *node;
	u64 mask;
	u32 nr;
};

static void make(struct table *t, u64 room)
{
	*t = (struct table){ .node = pages__new(room * sizeof(*t->node)), .mask = room - 1 };
	if (!t->node)
		exit(1);
}

static struct node *find(const struct table *t, u32 parent, u64 addr)
{
	u64 i = (addr ^ (u64)parent << 32) * 0x9e3779b97f4a7c15ULL >> 20;

	for (;; i++) {
		struct node *node = &t->node[i & t->mask];

		if (!node->addr || (node->addr == addr && node->parent == parent))
			return node;
	}
}

static void grow(struct table *t)
{
	struct table bigger;

	make(&bigger, 2 * (t->mask + 1));
	for (u64 i = 0; i <= t->mask; i++) {
		if (t->node[i].addr)
			*find(&bigger, t->node[i].parent, t->node[i].addr) = t->node[i];
	}
	bigger.nr = t->nr;
	pages__delete(t->node, (t->mask + 1) * sizeof(*t->node));
	*t = bigger;
}

static u32 child(struct table *t, u32 parent, u64 addr)
{
	struct node *node = find(t, parent, addr);

	if (node->addr)
		return node->number;
	*node = (struct node){ addr, parent, ++t->nr };
	if (t->nr > t->mask / 2)
		grow(t);
	return t->nr;
}

/* The callchain of a sample, or its address alone if it has none. */
static void intern(struct table *t, const union perf_record *record, int pos)
{
	const u64 *word = (const u64 *)(&record->header + 1);
	u64 nr = (record->header.size - sizeof(record->header)) / sizeof(*word);
	u32 at = 0;

	if (pos < 0 || (u64)pos >= nr || word[pos] >= nr - pos) {
		child(t, 0, nr > 1 ? word[1] ?: 1 : 1);
		return;
	}
	for (u64 i = word[pos]; i > 0; i--)
		at = child(t, at, word[pos + i] ?: 1);
}

int main(int argc, char **argv)
{
	const union perf_record *record;
	struct perfdata_reader *reader;
	struct errmsg err;
	struct table table;
	u64 pos = 0;
	u32 nr;
	int ret, chain;

	if (argc != 2)
		return 2;
	if (perfdata_reader__open(argv[1], &reader, &err)) {
		fprintf(stderr, "read-limit: %s\n", err.text);
		return 1;
	}
	chain = sample__callchain_pos(&perfdata_reader__events(reader, &nr)[0].attr);
	make(&table, 1 << 16);
	while ((ret = perfdata_reader__next(reader, &pos, &record, &err)) > 0) {
		if (record->header.type == PERF_RECORD_SAMPLE)
			intern(&table, record, chain);
		perfdata_reader__release(reader, pos);
	}
	printf("%u\n", table.nr);
	perfdata_reader__delete(reader);
	return ret ? 1 : 0;
}

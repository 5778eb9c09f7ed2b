// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/hist/shown-tree.h"

#define NR_FUNCTIONS 6
#define MAX_DEPTH 7

static struct dso dso = { .name = (char *)"/bin/x", .short_name = (char *)"x" };
static struct symbol symbols[NR_FUNCTIONS];

static u32 random_below(u32 limit)
{
	static u32 state = 1;

	state = state * 1664525 + 1013904223;
	return (state >> 16) % limit;
}

struct chain {
	u32 path, from;
	u64 period, nr;
};

/* A few functions, so that they recurse, and one path is the beginning of others. */
static struct chain random_chain(struct paths *paths)
{
	struct chain chain = { .path = PATH_ROOT, .period = 1 + random_below(20), .nr = 1 + random_below(3) };

	for (u32 depth = random_below(MAX_DEPTH + 1); depth; depth--) {
		struct symbol *sym = &symbols[random_below(NR_FUNCTIONS)];
		/* functions in the kernel and outside are the same frame for a tree, but not for paths */
		struct location loc = { .sym = sym, .dso = &dso, .addr = sym->start, .cpumode = random_below(2) };

		chain.path = paths__child(paths, chain.path, &loc);
	}
	return chain;
}

static void add_whole(struct chain_tree *tree, const struct paths *paths, const struct chain *chain, bool caller_first)
{
	u32 frame[MAX_DEPTH];
	u32 nr = paths__frames(paths, chain->path, frame);
	struct chain_run *run = chain_run__new(nr);

	for (u32 i = 0; i < nr; i++) {
		struct location room;
		const struct location *loc = paths__location(paths, frame[caller_first ? nr - 1 - i : i], &room);

		run->frame[i] = (struct chain_frame){ .dso = loc->dso, .sym = loc->sym, .addr = loc->addr };
	}
	assert_int_equal(chain_tree__add(tree, run, chain->from, chain->period, chain->nr), 0);
	chain_run__put(run);
}

static void assert_same(const struct chain_node *a, const struct chain_node *b)
{
	assert_int_equal(a->nr_shown, b->nr_shown);
	assert_int_equal(a->nr_frames, b->nr_frames);
	for (u32 i = 0; i < a->nr_frames; i++)
		assert_int_equal(chain_frame__cmp(&a->frame[i], &b->frame[i]), 0);
	assert_int_equal(chain_node__sum(a), chain_node__sum(b));
	assert_int_equal(chain_node__count(a), chain_node__count(b));
	for (u32 i = 0; i < a->nr_shown; i++)
		assert_same(a->child[i], b->child[i]);
}

/* Callee first, chains begin where the function occurs last; caller first, where it occurs first. */
static void cut(struct chain *chain, const struct paths *paths, bool caller_first)
{
	u32 frame[MAX_DEPTH];
	u32 nr = paths__frames(paths, chain->path, frame);

	for (chain->from = 0; chain->from < nr; chain->from++) {
		struct location room;

		if (paths__location(paths, frame[caller_first ? nr - 1 - chain->from : chain->from], &room)->sym == &symbols[0])
			return;
	}
	chain->from = 0;
}

static void assert_trees_are_same(bool caller_first, u32 nr, u64 min_period)
{
	struct paths *paths = paths__new(false);
	struct chain_tree whole = {}, tree = {};
	struct shown_trees *all;
	struct chain chain[500];

	for (u32 i = 0; i < nr; i++) {
		chain[i] = random_chain(paths);
		cut(&chain[i], paths, caller_first);
		add_whole(&whole, paths, &chain[i], caller_first);
	}
	all = shown_trees__new(paths);
	assert_non_null(all);
	for (int round = 0; round < 2; round++) { /* the second tree does not depend on the first */
		chain_tree__exit(&tree);
		shown_trees__begin(all, caller_first);
		for (u32 i = 0; i < nr; i++) {
			if (!chain[i].from)
				assert_int_equal(shown_trees__add(all, chain[i].path, 0, chain[i].period, chain[i].nr), 0);
		}
		shown_trees__begin_part(all);
		for (u32 i = 0; i < nr; i++) {
			if (chain[i].from)
				assert_int_equal(shown_trees__add(all, chain[i].path, chain[i].from, chain[i].period, chain[i].nr), 0);
		}
		assert_int_equal(shown_trees__end(all, &tree, min_period), 0);
	}
	chain_tree__sort(&whole, min_period);
	chain_tree__sort(&tree, min_period);
	assert_same(&whole.root, &tree.root);
	chain_tree__exit(&whole);
	chain_tree__exit(&tree);
	shown_trees__delete(all);
	paths__delete(paths);
}

static void shows_what_whole_trees_show(void **state)
{
	for (u32 i = 0; i < NR_FUNCTIONS; i++) {
		u32 start = i == 3 ? 2 : i; /* two frames of the paths that are equal in trees */

		symbols[i] = (struct symbol){ .start = 16 * start, .end = 16 * start + 16, .name = "f" };
	}
	for (u32 nr = 0; nr <= 500; nr += nr < 10 ? 1 : 70) {
		for (u64 min_period = 0; min_period < 2000; min_period = 3 * min_period + 1) {
			assert_trees_are_same(true, nr, min_period);
			assert_trees_are_same(false, nr, min_period);
		}
	}
}

#define DEEP 500

static void chains_may_be_deep(void **state)
{
	for (int caller_first = 0; caller_first < 2; caller_first++) {
		struct paths *paths = paths__new(false);
		struct chain_tree tree = {};
		struct shown_trees *all;
		const struct chain_node *node = &tree.root;
		u32 path = PATH_ROOT, deepest = 0;

		for (u32 i = 0; i < DEEP; i++) {
			struct location loc = { .sym = &symbols[i % 2], .dso = &dso, .addr = symbols[i % 2].start };

			path = paths__child(paths, path, &loc);
		}
		all = shown_trees__new(paths);
		assert_non_null(all);
		shown_trees__begin(all, caller_first);
		for (u32 i = 0; i < 2; i++)
			assert_int_equal(shown_trees__add(all, path, 0, 1, 1), 0);
		assert_int_equal(shown_trees__end(all, &tree, 0), 0);
		chain_tree__sort(&tree, 0);
		while (node->nr_shown) {
			assert_int_equal(node->nr_shown, 1);
			node = node->child[0];
			deepest += node->nr_frames;
		}
		assert_int_equal(deepest, DEEP);
		assert_int_equal(chain_node__sum(&tree.root), 2);
		chain_tree__exit(&tree);
		shown_trees__delete(all);
		paths__delete(paths);
	}
}

static void parts_within_parts_are_refused(void **state)
{
	struct location loc = { .sym = &symbols[0], .dso = &dso };
	struct paths *paths = paths__new(false);
	u32 a = paths__child(paths, PATH_ROOT, &loc), b, c;
	struct shown_trees *all;

	loc.sym = &symbols[1];
	b = paths__child(paths, a, &loc);
	c = paths__child(paths, b, &loc);
	all = shown_trees__new(paths);
	assert_non_null(all);
	shown_trees__begin(all, true);
	assert_int_equal(shown_trees__add(all, c, 1, 1, 1), 0);
	assert_int_equal(shown_trees__add(all, c, 2, 1, 1), -ERANGE);
	shown_trees__delete(all);
	paths__delete(paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_what_whole_trees_show),
		cmocka_unit_test(chains_may_be_deep),
		cmocka_unit_test(parts_within_parts_are_refused),
	};

	return cmocka_run_group_tests_name("hist/shown-tree", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/hist/chain-tree.h"

static struct dso dso = { .name = (char *)"/bin/x", .short_name = (char *)"x" };
static struct symbol symbols[26];

/* "abc": frames of the functions a, b, c; a capital letter is an address without a symbol. */
static void add_frames(struct chain_tree *tree, const struct chain_frame *frame, u32 nr, u64 period)
{
	struct chain_run *run = chain_run__new(nr);

	memcpy(run->frame, frame, nr * sizeof(*frame));
	assert_int_equal(chain_tree__add(tree, run, 0, period, 1), 0);
	chain_run__put(run);
}

static void add(struct chain_tree *tree, const char *text, u64 period)
{
	struct chain_frame frame[16] = {};
	u32 nr = strlen(text);

	for (u32 i = 0; i < nr; i++) {
		frame[i].dso = &dso;
		frame[i].addr = text[i];
		if (text[i] < 'a')
			continue;
		symbols[text[i] - 'a'] = (struct symbol){ .start = text[i] * 16, .end = text[i] * 16 + 16, .name = "f" };
		frame[i].sym = &symbols[text[i] - 'a'];
		frame[i].addr = text[i] * 16 + period % 16; /* elsewhere in the function: the same frame */
	}
	add_frames(tree, frame, nr, period);
}

static void assert_frames(const struct chain_node *node, const char *text)
{
	assert_int_equal(node->nr_frames, strlen(text));
	for (u32 i = 0; i < node->nr_frames; i++) {
		char c = node->frame[i].sym ? node->frame[i].sym->start / 16 : node->frame[i].addr;

		assert_int_equal(c, text[i]);
	}
}

static void equal_chains_are_one_node(void **state)
{
	struct chain_tree tree = {};

	add(&tree, "abc", 3);
	add(&tree, "abc", 4);
	assert_int_equal(tree.root.nr_children, 1);
	assert_frames(tree.root.child[0], "abc");
	assert_int_equal(tree.root.child[0]->hit, 7);
	assert_int_equal(tree.root.children_hit, 7);
	chain_tree__exit(&tree);
}

static void chains_split_where_they_differ(void **state)
{
	struct chain_tree tree = {};
	const struct chain_node *ab;

	add(&tree, "abcd", 1);
	add(&tree, "abx", 2);
	add(&tree, "ab", 4);
	add(&tree, "abcde", 8);
	assert_int_equal(tree.root.nr_children, 1);
	ab = tree.root.child[0];
	assert_frames(ab, "ab");
	assert_int_equal(ab->hit, 4);
	assert_int_equal(ab->children_hit, 11);
	assert_int_equal(ab->nr_children, 2);
	/* higher addresses first */
	assert_frames(ab->child[0], "x");
	assert_int_equal(chain_node__sum(ab->child[0]), 2);
	assert_frames(ab->child[1], "cd");
	assert_int_equal(ab->child[1]->hit, 1);
	assert_frames(ab->child[1]->child[0], "e");
	assert_int_equal(ab->child[1]->child[0]->hit, 8);
	chain_tree__exit(&tree);
}

static void split_moves_all_that_is_below(void **state)
{
	struct chain_tree tree = {};
	const struct chain_node *a;

	add(&tree, "abc", 1);
	add(&tree, "abcd", 2);
	add(&tree, "ax", 4);
	a = tree.root.child[0];
	assert_frames(a, "a");
	assert_int_equal(a->hit, 0);
	assert_int_equal(a->children_hit, 7);
	assert_frames(a->child[1], "bc");
	assert_int_equal(a->child[1]->hit, 1);
	assert_int_equal(a->child[1]->children_hit, 2);
	assert_frames(a->child[1]->child[0], "d");
	chain_tree__exit(&tree);
}

static void unknown_functions_are_told_apart_by_address(void **state)
{
	struct chain_tree tree = {};

	add(&tree, "aAB", 1);
	add(&tree, "aAC", 2);
	assert_frames(tree.root.child[0], "aA");
	assert_int_equal(tree.root.child[0]->nr_children, 2);
	chain_tree__exit(&tree);
}

/* An inlined function has the place of the one it is in, and is the same one wherever it was inlined. */
static void inlined_functions_go_by_name(void **state)
{
	const struct symbol outer = { .start = 16, .end = 32, .name = "outer" }, other = { .start = 48, .end = 64, .name = "other" };
	const struct symbol in_outer = { .start = 16, .end = 32, .name = "in", .inlined = true };
	const struct symbol in_other = { .start = 48, .end = 64, .name = "in", .inlined = true };
	struct chain_frame first[] = { { .dso = &dso, .sym = &in_outer, .addr = 20 }, { .dso = &dso, .sym = &outer, .addr = 20 } };
	struct chain_frame second[] = { { .dso = &dso, .sym = &in_other, .addr = 50 }, { .dso = &dso, .sym = &other, .addr = 50 } };
	struct chain_tree tree = {};

	add_frames(&tree, first, 2, 1);
	add_frames(&tree, second, 2, 2);
	add_frames(&tree, &first[1], 1, 4);
	assert_int_equal(tree.root.nr_children, 2);
	assert_ptr_equal(tree.root.child[0]->frame[0].sym, &outer);
	assert_ptr_equal(tree.root.child[1]->frame[0].sym, &in_outer);
	assert_int_equal(tree.root.child[1]->nr_children, 2);
	assert_int_equal(tree.root.child[1]->children_hit, 3);
	chain_tree__exit(&tree);
}

static void addresses_are_a_key(void **state)
{
	const struct symbol sym = { .start = 16, .end = 32, .name = "f" };
	struct chain_frame low = { &dso, &sym, 20, "+4", FRAME_BY_ADDRESS }, high = { &dso, &sym, 21, "+5", FRAME_BY_ADDRESS };
	struct chain_tree tree = {};

	add_frames(&tree, &low, 1, 1);
	add_frames(&tree, &high, 1, 2);
	add_frames(&tree, &low, 1, 4);
	assert_int_equal(tree.root.nr_children, 2);
	assert_int_equal(tree.root.child[0]->hit, 2);
	assert_int_equal(tree.root.child[1]->hit, 5);
	chain_tree__exit(&tree);
}

/* A line is one frame in whatever functions it is; frames that have none go by their functions among themselves. */
static void lines_are_a_key(void **state)
{
	const struct symbol f = { .start = 16, .end = 32, .name = "f" }, g = { .start = 48, .end = 64, .name = "g" };
	const char *line = "x.c:1", *unknown = "??:0";
	struct chain_frame known[] = { { &dso, &f, 20, line, FRAME_BY_LINE }, { &dso, &g, 50, line, FRAME_BY_LINE } };
	struct chain_frame other = { &dso, &f, 21, "x.c:2", FRAME_BY_LINE };
	struct chain_frame without[] = { { &dso, &f, 20, unknown, FRAME_BY_FUNCTION }, { &dso, &f, 21, unknown, FRAME_BY_FUNCTION },
					 { &dso, &g, 50, unknown, FRAME_BY_FUNCTION } };
	struct chain_tree tree = {};

	for (u32 i = 0; i < 2; i++)
		add_frames(&tree, &known[i], 1, 1);
	assert_int_equal(tree.root.nr_children, 1);
	add_frames(&tree, &other, 1, 1);
	assert_int_equal(tree.root.nr_children, 2);
	for (u32 i = 0; i < 3; i++)
		add_frames(&tree, &without[i], 1, 1);
	assert_int_equal(tree.root.nr_children, 4);
	chain_tree__exit(&tree);
}

static void sort_puts_the_largest_first_and_hides_the_small(void **state)
{
	struct chain_tree tree = {};
	const struct chain_node *a;

	add(&tree, "ab", 10);
	add(&tree, "ac", 30);
	add(&tree, "ad", 10);
	add(&tree, "ae", 2);
	chain_tree__sort(&tree, 3);
	a = tree.root.child[0];
	assert_int_equal(a->nr_shown, 3);
	assert_frames(a->child[0], "c");
	assert_frames(a->child[1], "d"); /* a tie: the higher address */
	assert_frames(a->child[2], "b");
	chain_tree__exit(&tree);
}

static void relative_limit_is_of_the_parent(void **state)
{
	struct chain_tree tree = {};

	add(&tree, "ab", 96);
	add(&tree, "acd", 3);
	add(&tree, "ace", 1);
	chain_tree__sort_relative(&tree, 4);
	assert_int_equal(tree.root.child[0]->nr_shown, 2); /* 4 of 100 */
	assert_int_equal(tree.root.child[0]->child[1]->nr_shown, 2); /* 1 of 4 */
	chain_tree__sort_relative(&tree, 30);
	assert_int_equal(tree.root.child[0]->nr_shown, 1);
	chain_tree__exit(&tree);
}

/* So many that they are not put in order one by one. */
static void many_branches_are_found_again(void **state)
{
	const u32 nr = 5000;
	struct chain_tree tree = {};
	struct chain_node **end;
	u32 nr_ends;

	for (u32 i = 0; i < 2 * nr; i++) {
		struct chain_frame frame = { .dso = &dso, .addr = 1 + i * 1237ULL % nr };

		add_frames(&tree, &frame, 1, frame.addr);
	}
	assert_int_equal(tree.root.nr_children, nr);
	end = chain_tree__ends(&tree, 0, &nr_ends);
	assert_int_equal(nr_ends, nr);
	for (u32 i = 0; i < nr; i++) {
		assert_int_equal(end[i]->frame->addr, nr - i);
		assert_int_equal(end[i]->nr, 2);
	}
	free(end);
	chain_tree__sort(&tree, 0);
	assert_int_equal(tree.root.child[0]->frame->addr, nr);
	chain_tree__exit(&tree);
}

/* Those with the same sum come in the order of their frames. */
static void many_equal_branches_are_in_order(void **state)
{
	struct chain_tree tree = {};
	struct chain_node **end;
	u32 nr_ends;

	for (u32 i = 0; i < 3000; i++) {
		struct chain_frame frame = { .dso = &dso, .addr = 1 + i * 1237ULL % 3000 };

		add_frames(&tree, &frame, 1, 1);
	}
	end = chain_tree__ends(&tree, 0, &nr_ends);
	for (u32 i = 0; i < nr_ends; i++)
		assert_int_equal(end[i]->frame->addr, 3000 - i);
	free(end);
	chain_tree__exit(&tree);
}

static void empty_chain_adds_no_branch(void **state)
{
	struct chain_tree tree = {};

	add(&tree, "", 5);
	assert_int_equal(tree.root.nr_children, 0);
	assert_int_equal(tree.root.hit, 5);
	chain_tree__sort(&tree, 0);
	chain_tree__exit(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_chains_are_one_node),
		cmocka_unit_test(chains_split_where_they_differ),
		cmocka_unit_test(split_moves_all_that_is_below),
		cmocka_unit_test(unknown_functions_are_told_apart_by_address),
		cmocka_unit_test(inlined_functions_go_by_name),
		cmocka_unit_test(addresses_are_a_key),
		cmocka_unit_test(lines_are_a_key),
		cmocka_unit_test(sort_puts_the_largest_first_and_hides_the_small),
		cmocka_unit_test(relative_limit_is_of_the_parent),
		cmocka_unit_test(many_branches_are_found_again),
		cmocka_unit_test(many_equal_branches_are_in_order),
		cmocka_unit_test(empty_chain_adds_no_branch),
	};

	return cmocka_run_group_tests_name("hist/chain-tree", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include "tests/unit/hist/fixture.h"
#include "util/hist/stack-tree.h"

/* chain: the sampled function and its callers, in letters as of the fixture. */
static void add(struct stack_tree *tree, const char *comm, const char *chain, u64 period)
{
	struct location frame[16];
	struct callchain calls = { .frame = frame, .nr = strlen(chain) };

	for (u32 i = 0; i < calls.nr; i++)
		frame[i] = fixture_location(chain[i]);
	assert_non_null(stack_tree__add(tree, comm, &calls, &frame[0], period, 1));
}

/* The whole tree as text: "name:total/self " in its order, by depth. */
static void assert_tree(struct stack_tree *tree, const char *want)
{
	const struct stack_node *node = stack_tree__root(tree);
	char text[512] = "";
	size_t len = 0;

	while ((node = stack_node__next(node)))
		len += snprintf(text + len, sizeof(text) - len, "%u%s:%llu/%llu ", node->depth, node->name,
				(unsigned long long)node->total_period, (unsigned long long)node->period);
	assert_string_equal(text, want);
}

static void stacks_merge_from_their_roots(void **state)
{
	struct stack_trees *all = stack_trees__new(1);
	struct stack_tree *tree = stack_trees__at(all, 0);

	add(tree, "sh", "ba", 1);
	add(tree, "sh", "ca", 2);
	add(tree, "sh", "a", 4);
	add(tree, "cat", "ba", 8);
	stack_trees__sort(all);
	assert_tree(tree, "1cat:8/0 2a:8/0 3b:8/8 1sh:7/0 2a:7/4 3b:1/1 3c:2/2 ");
	assert_int_equal(stack_tree__root(tree)->total_period, 15);
	assert_int_equal(stack_tree__max_depth(tree), 3);
	stack_trees__delete(all);
}

static void functions_of_one_name_are_one_frame(void **state)
{
	struct stack_trees *all = stack_trees__new(1);
	struct stack_tree *tree = stack_trees__at(all, 0);
	struct location loc = fixture_location('a');
	struct symbol other = { .start = 1, .end = 2, .name = "a" };

	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 1));
	loc.sym = &other;
	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 3));
	loc.dso = &fixture_kernel; /* of another file: another function */
	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 1));
	stack_trees__sort(all);
	assert_tree(tree, "1x:3/0 2a:2/2 2a:1/1 ");
	assert_int_equal(stack_tree__root(tree)->child->child->nr, 4);
	stack_trees__delete(all);
}

static void kinds_are_told_apart(void **state)
{
	struct stack_trees *all = stack_trees__new(1);
	struct stack_tree *tree = stack_trees__at(all, 0);
	const struct stack_node *node;
	struct location loc = fixture_location('a');
	struct symbol inlined = { .start = 1, .end = 2, .name = "z", .inlined = true };

	add(tree, "x", "Kb", 1);
	loc.sym = &inlined;
	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 1));
	stack_trees__sort(all);
	assert_tree(tree, "1x:2/0 2b:1/0 3K:1/1 2z:1/1 ");
	node = stack_tree__root(tree)->child;
	assert_int_equal(node->kind, STACK_COMM);
	assert_int_equal(node->child->kind, STACK_USER);
	assert_int_equal(node->child->child->kind, STACK_KERNEL);
	assert_int_equal(node->child->next->kind, STACK_INLINED);
	stack_trees__delete(all);
}

static void code_without_symbol_goes_by_its_file(void **state)
{
	struct stack_trees *all = stack_trees__new(1);
	struct stack_tree *tree = stack_trees__at(all, 0);
	struct location loc = fixture_location('a');

	loc.sym = NULL;
	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 1));
	loc.dso = &fixture_kernel;
	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 1));
	loc.dso = NULL;
	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 1));
	stack_trees__sort(all);
	assert_tree(tree, "1x:3/0 2[kernel.kallsyms]:1/1 2[unknown]:1/1 2[x]:1/1 ");
	stack_trees__delete(all);
}

/* Many stacks of two events, in the order of their names. */
static void events_have_their_own_stacks(void **state)
{
	struct stack_trees *all = stack_trees__new(2);
	const struct stack_node *node;
	char name[2000][8];

	for (u32 i = 0; i < 2000; i++) {
		sprintf(name[i], "c%04u", 1999 - i);
		add(stack_trees__at(all, i % 2), name[i], i % 3 ? "a" : "ba", 1);
		add(stack_trees__at(all, 0), name[i], "a", 1);
	}
	stack_trees__sort(all);
	node = stack_tree__root(stack_trees__at(all, 0));
	assert_int_equal(node->total_period, 3000);
	assert_string_equal(node->child->name, "c0000");
	node = stack_tree__root(stack_trees__at(all, 1));
	assert_int_equal(node->total_period, 1000);
	assert_string_equal(node->child->name, "c0000");
	assert_string_equal(node->child->next->name, "c0002");
	stack_trees__delete(all);
}

static void nothing_was_added(void **state)
{
	struct stack_trees *all = stack_trees__new(1);
	struct stack_tree *tree = stack_trees__at(all, 0);

	stack_trees__sort(all);
	assert_null(stack_node__next(stack_tree__root(tree)));
	assert_int_equal(stack_tree__root(tree)->total_period, 0);
	stack_trees__delete(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_merge_from_their_roots),
		cmocka_unit_test(functions_of_one_name_are_one_frame),
		cmocka_unit_test(kinds_are_told_apart),
		cmocka_unit_test(code_without_symbol_goes_by_its_file),
		cmocka_unit_test(events_have_their_own_stacks),
		cmocka_unit_test(nothing_was_added),
	};

	return cmocka_run_group_tests_name("stack-tree", tests, NULL, NULL);
}

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
	struct stack_tree *tree = stack_tree__new();

	add(tree, "sh", "ba", 1);
	add(tree, "sh", "ca", 2);
	add(tree, "sh", "a", 4);
	add(tree, "cat", "ba", 8);
	stack_tree__sort(tree);
	assert_tree(tree, "1cat:8/0 2a:8/0 3b:8/8 1sh:7/0 2a:7/4 3b:1/1 3c:2/2 ");
	assert_int_equal(stack_tree__root(tree)->total_period, 15);
	assert_int_equal(stack_tree__max_depth(tree), 3);
	stack_tree__delete(tree);
}

static void functions_of_one_name_are_one_frame(void **state)
{
	struct stack_tree *tree = stack_tree__new();
	struct location loc = fixture_location('a');
	struct symbol other = { .start = 1, .end = 2, .name = "a" };

	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 1));
	loc.sym = &other;
	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 3));
	loc.dso = &fixture_kernel; /* of another file: another function */
	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 1));
	stack_tree__sort(tree);
	assert_tree(tree, "1x:3/0 2a:2/2 2a:1/1 ");
	assert_int_equal(stack_tree__root(tree)->child->child->nr, 4);
	stack_tree__delete(tree);
}

static void kinds_are_told_apart(void **state)
{
	struct stack_tree *tree = stack_tree__new();
	const struct stack_node *node;
	struct location loc = fixture_location('a');
	struct symbol inlined = { .start = 1, .end = 2, .name = "z", .inlined = true };

	add(tree, "x", "Kb", 1);
	loc.sym = &inlined;
	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 1));
	stack_tree__sort(tree);
	assert_tree(tree, "1x:2/0 2b:1/0 3K:1/1 2z:1/1 ");
	node = stack_tree__root(tree)->child;
	assert_int_equal(node->kind, STACK_COMM);
	assert_int_equal(node->child->kind, STACK_USER);
	assert_int_equal(node->child->child->kind, STACK_KERNEL);
	assert_int_equal(node->child->next->kind, STACK_INLINED);
	stack_tree__delete(tree);
}

static void code_without_symbol_goes_by_its_file(void **state)
{
	struct stack_tree *tree = stack_tree__new();
	struct location loc = fixture_location('a');

	loc.sym = NULL;
	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 1));
	loc.dso = &fixture_kernel;
	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 1));
	loc.dso = NULL;
	assert_non_null(stack_tree__add(tree, "x", NULL, &loc, 1, 1));
	stack_tree__sort(tree);
	assert_tree(tree, "1x:3/0 2[kernel.kallsyms]:1/1 2[unknown]:1/1 2[x]:1/1 ");
	stack_tree__delete(tree);
}

static void nothing_was_added(void **state)
{
	struct stack_tree *tree = stack_tree__new();

	stack_tree__sort(tree);
	assert_null(stack_node__next(stack_tree__root(tree)));
	assert_int_equal(stack_tree__root(tree)->total_period, 0);
	stack_tree__delete(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_merge_from_their_roots),
		cmocka_unit_test(functions_of_one_name_are_one_frame),
		cmocka_unit_test(kinds_are_told_apart),
		cmocka_unit_test(code_without_symbol_goes_by_its_file),
		cmocka_unit_test(nothing_was_added),
	};

	return cmocka_run_group_tests_name("stack-tree", tests, NULL, NULL);
}

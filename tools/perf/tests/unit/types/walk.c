// SPDX-License-Identifier: GPL-2.0
/* Walks over made types, and over those of the running kernel. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <bpf/btf.h>
#include "util/types/arguments.h"
#include "util/types/walk.h"

/*
 * typedef unsigned short __be16;
 * enum state { IDLE, BUSY = 7 };
 * struct count { int counter; };
 * struct dev { char name[16]; __be16 port; struct count refs; enum state state; const char *alias; int nr[4]; };
 * struct buf { struct dev *dev; union { unsigned int len; short half; }; unsigned int low : 3, high : 5; struct dev own; void *priv;
 *		struct hidden *hidden; };
 */
static struct {
	struct btf *btf;
	struct walk_root root[3];
	struct walk_roots roots;
} fake;

static int make_types(void **state)
{
	struct btf *b = btf__new_empty();
	int u_int, s_int, s_short, u_short, be16, chr, const_chr, alias, name16, enum_state, count, dev, dev_ptr, vars, void_ptr, hidden, hidden_ptr, uni, buf, buf_ptr;

	u_int = btf__add_int(b, "unsigned int", 4, 0);
	s_int = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	s_short = btf__add_int(b, "short", 2, BTF_INT_SIGNED);
	u_short = btf__add_int(b, "unsigned short", 2, 0);
	be16 = btf__add_typedef(b, "__be16", u_short);
	chr = btf__add_int(b, "char", 1, BTF_INT_SIGNED);
	const_chr = btf__add_const(b, chr);
	alias = btf__add_ptr(b, const_chr);
	name16 = btf__add_array(b, u_int, chr, 16);
	vars = btf__add_array(b, u_int, s_int, 4);
	enum_state = btf__add_enum(b, "state", 4);
	btf__add_enum_value(b, "IDLE", 0);
	btf__add_enum_value(b, "BUSY", 7);
	count = btf__add_struct(b, "count", 4);
	btf__add_field(b, "counter", s_int, 0, 0);
	dev = btf__add_struct(b, "dev", 56);
	btf__add_field(b, "name", name16, 0, 0);
	btf__add_field(b, "port", be16, 16 * 8, 0);
	btf__add_field(b, "refs", count, 20 * 8, 0);
	btf__add_field(b, "state", enum_state, 24 * 8, 0);
	btf__add_field(b, "alias", alias, 32 * 8, 0);
	btf__add_field(b, "nr", vars, 40 * 8, 0);
	dev_ptr = btf__add_ptr(b, dev);
	void_ptr = btf__add_ptr(b, 0);
	hidden = btf__add_fwd(b, "hidden", BTF_FWD_STRUCT);
	hidden_ptr = btf__add_ptr(b, hidden);
	uni = btf__add_union(b, NULL, 4);
	btf__add_field(b, "len", u_int, 0, 0);
	btf__add_field(b, "half", s_short, 0, 0);
	buf = btf__add_struct(b, "buf", 96);
	btf__add_field(b, "dev", dev_ptr, 0, 0);
	btf__add_field(b, NULL, uni, 8 * 8, 0);
	btf__add_field(b, "low", u_int, 12 * 8, 3);
	btf__add_field(b, "high", u_int, 12 * 8 + 3, 5);
	btf__add_field(b, "own", dev, 16 * 8, 0);
	btf__add_field(b, "priv", void_ptr, 72 * 8, 0);
	btf__add_field(b, "hidden", hidden_ptr, 80 * 8, 0);
	buf_ptr = btf__add_ptr(b, buf);
	fake.btf = b;
	fake.root[0] = (struct walk_root){ "skb", buf_ptr, FILTER_WALK_ARGUMENT };
	fake.root[1] = (struct walk_root){ "why", enum_state, FILTER_WALK_ARGUMENT + 1 };
	fake.root[2] = (struct walk_root){ "text", alias, FILTER_WALK_ARGUMENT + 2 };
	fake.roots = (struct walk_roots){ b, fake.root, 3 };
	return 0;
}

static int delete_types(void **state)
{
	btf__free(fake.btf);
	return 0;
}

/* "source: step step | last, size": with the kind's letter, and what else is not 0 */
static char *describe(const struct type_walk *w, char *buf)
{
	static const char kinds[] = "ndcs";
	size_t n = sprintf(buf, "%u:", w->walk.source);

	for (int i = 0; i < w->walk.nr_steps; i++)
		n += sprintf(buf + n, " %u", w->walk.step[i]);
	n += sprintf(buf + n, " %c%u@%u", kinds[w->walk.kind], w->walk.size, w->walk.last);
	if (w->bits)
		n += sprintf(buf + n, " bits %u+%u", w->shift, w->bits);
	sprintf(buf + n, "%s%s", w->is_signed ? " signed" : "", w->walk.swap ? " swap" : "");
	return buf;
}

static void assert_walk(const char *text, const char *expected)
{
	struct walk_error error;
	struct type_walk walk;
	char buf[256];

	if (type_walk__resolve(&fake.roots, text, strlen(text), &walk, &error))
		fail_msg("%s: '%.*s' %s", text, (int)error.len, text + error.at, error.why);
	if (strcmp(describe(&walk, buf), expected))
		fail_msg("%s: %s, not %s", text, buf, expected);
}

static void ways_are_as_in_c(void **state)
{
	assert_walk("skb->dev->name", "1: 0 c16@0");
	assert_walk("skb -> dev -> name", "1: 0 c16@0");
	assert_walk("skb->len", "1: n4@8");
	assert_walk("skb->half", "1: n2@8 signed");
	assert_walk("skb->own.refs.counter", "1: n4@36 signed");
	assert_walk("skb->own.refs", "1: n4@36 signed");
	assert_walk("skb->dev->port", "1: 0 n2@16 swap");
	assert_walk("skb->dev->alias", "1: 0 s8@32");
	assert_walk("skb->dev->nr[3]", "1: 0 n4@52 signed");
	assert_walk("skb->dev[1].nr[0]", "1: 0 n4@96 signed");
	assert_walk("skb[2].len", "1: n4@200");
	assert_walk("skb->dev", "1: n8@0");
	assert_walk("skb", "1: d8@0");
	assert_walk("why", "2: d4@0");
	assert_walk("text", "3: c128@0");
	assert_walk("skb->low", "1: n4@12 bits 0+3");
	assert_walk("skb->high", "1: n4@12 bits 3+5");
	assert_walk("((struct dev *)skb->priv)->state", "1: 72 n4@24");
	assert_walk("((struct buf *) ((struct dev *)skb->priv)->alias)->len", "1: 72 32 n4@8");
	assert_walk("((struct dev *)skb)->state", "1: n4@24");
}

static void assert_refused(const char *text, const char *part, const char *why)
{
	struct walk_error error;
	struct type_walk walk;
	int ret = type_walk__resolve(&fake.roots, text, strlen(text), &walk, &error);

	if (!ret)
		fail_msg("%s: is resolved", text);
	if (strlen(part) != error.len || strncmp(text + error.at, part, error.len) || strcmp(error.why, why))
		fail_msg("%s: '%.*s' %s", text, (int)error.len, text + error.at, error.why);
}

static void errors_name_the_place(void **state)
{
	assert_refused("skb->lenn", "lenn", "is no member of struct buf; did you mean 'len'?");
	assert_refused("skb->qqqqqqqq", "qqqqqqqq", "is no member of struct buf, which has: dev, len, half, low, high, own, priv, hidden");
	assert_refused("skb.len", ".", "follows struct buf *, which is a pointer: write '->'");
	assert_refused("skb->own->name", "->", "follows struct dev, which is no pointer: write '.'");
	assert_refused("skb->len->name", "->", "follows unsigned int, which is no pointer");
	assert_refused("skb->len.x", "x", "is no member: unsigned int has none");
	assert_refused("skb->own", "skb->own", "is struct dev, which is no number: name a member of it, of name, port, refs, state, alias, nr");
	assert_refused("skb->dev->nr", "skb->dev->nr", "is int [4]: name one of its elements, as in [0]");
	assert_refused("skb->dev->nr[4]", "[4]", "is behind the end of int [4]");
	assert_refused("skb->len[0]", "[0]", "follows unsigned int, which is neither an array nor a pointer");
	assert_refused("skb->hidden->x", "x", "is a member of struct hidden, whose members the kernel's type information does not have");
	assert_refused("skb->priv->x", "x", "is no member: void has none");
	assert_refused("skb->", "", "expected the name of a member");
	assert_refused("skb->dev->nr[", "", "expected a number after '['");
	assert_refused("skb->dev->nr[1", "", "expected ']'");
	assert_refused("sbk->len", "sbk", "is nothing to begin with here; there are: skb, why, text");
	assert_refused("why->x", "->", "follows enum state, which is no pointer");
	assert_refused("((struct nothing *)skb)->x", "nothing", "is no struct of this kernel");
	assert_refused("((struct dev *)skb->len)->x", "skb->len", "is unsigned int, which holds no address");
	assert_refused("skb->len 5", "5", "does not continue a walk: expected '->', '.' or '['");
}

static void long_walks_end(void **state)
{
	char text[4096] = "skb";
	struct walk_error error;
	struct type_walk walk;

	/* each goes on from the pointer before it */
	for (int i = 0; i < 11; i++) {
		char longer[4096];

		snprintf(longer, sizeof(longer), "((struct buf *)%.3800s)->priv", text);
		strcpy(text, longer);
	}
	assert_int_equal(type_walk__resolve(&fake.roots, text, strlen(text), &walk, &error), -EINVAL);
	strcpy(text, "skb");
	for (int i = 0; i < 12; i++)
		strcat(text, "[0].dev");
	assert_int_equal(type_walk__resolve(&fake.roots, text, strlen(text), &walk, &error), -EINVAL);
}

static void enums_have_names(void **state)
{
	struct walk_error error;
	struct type_walk walk;
	char why[256];
	s64 value;

	assert_int_equal(type_walk__resolve(&fake.roots, "why", 3, &walk, &error), 0);
	assert_true(walk_enum__exists(fake.btf, walk.type));
	assert_int_equal(walk_enum__value(fake.btf, walk.type, "BUSY", 4, &value, why, sizeof(why)), 0);
	assert_int_equal(value, 7);
	assert_int_equal(walk_enum__value(fake.btf, walk.type, "BUSX", 4, &value, why, sizeof(why)), -ENOENT);
	assert_string_equal(why, "is no value of enum state; did you mean 'BUSY'?");
	assert_int_equal(walk_enum__value(fake.btf, walk.type, "x", 1, &value, why, sizeof(why)), -ENOENT);
	assert_string_equal(why, "is no value of enum state, which has: IDLE, BUSY");
}

/* The kernel's names of arguments, and members that have not changed for long. */
static void kernel_has_arguments(void **state)
{
	struct type_arguments *args = type_arguments__new("netif_receive_skb");
	struct walk_error error;
	struct type_walk walk;

	if (!args)
		skip();
	assert_int_equal(type_arguments__nr(args), 1);
	assert_int_equal(type_walk__resolve(type_arguments__roots(args), "skb->dev->name", 14, &walk, &error), 0);
	assert_int_equal(walk.walk.source, FILTER_WALK_ARGUMENT);
	assert_int_equal(walk.walk.nr_steps, 1);
	assert_int_equal(walk.walk.kind, FILTER_WALK_CHARS);
	assert_int_equal(walk.walk.size, 16);
	assert_int_equal(type_walk__resolve(type_arguments__roots(args), "task->mm->total_vm", 18, &walk, &error), 0);
	assert_int_equal(walk.walk.source, FILTER_WALK_TASK);
	assert_int_equal(type_walk__resolve(type_arguments__roots(args), "prev->pid", 9, &walk, &error), -ENOENT);
	type_arguments__delete(args);
}

static void no_event_has_the_task_only(void **state)
{
	struct type_arguments *args = type_arguments__new(NULL);
	struct walk_error error;
	struct type_walk walk;

	if (!args)
		skip();
	assert_int_equal(type_arguments__nr(args), 0);
	assert_int_equal(type_walk__resolve(type_arguments__roots(args), "current->comm", 13, &walk, &error), 0);
	assert_int_equal(walk.walk.kind, FILTER_WALK_CHARS);
	type_arguments__delete(args);
}

static void assert_named(const char *walk, bool whole, const char *name)
{
	char buf[32];

	walk__field_name(walk, whole, buf, sizeof(buf));
	assert_string_equal(buf, name);
}

static void values_have_names_as_fields(void **state)
{
	assert_named("location", false, "location");
	assert_named("skb->len", false, "len");
	assert_named("skb->len", true, "skb_len");
	assert_named("location", true, "location");
	assert_named(" skb -> dev->name ", false, "dev_name");
	assert_named("file->f_path.dentry", false, "f_path_dentry");
	assert_named("a->b[12].c", false, "b_12_c");
	assert_named("((struct sock *)skb->sk)->x", false, "sk_x");
	assert_named("((union u *)((struct s *)a)->b)->c", false, "b_c");
	assert_named("a->bcdefghijklmnopqrstuvwxyz0123456789", false, "bcdefghijklmnopqrstuvwxyz012345");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ways_are_as_in_c),
		cmocka_unit_test(errors_name_the_place),
		cmocka_unit_test(long_walks_end),
		cmocka_unit_test(enums_have_names),
		cmocka_unit_test(kernel_has_arguments),
		cmocka_unit_test(no_event_has_the_task_only),
		cmocka_unit_test(values_have_names_as_fields),
	};

	return cmocka_run_group_tests(tests, make_types, delete_types);
}

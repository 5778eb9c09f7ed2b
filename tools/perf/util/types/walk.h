/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ways through the kernel's data as users write them, skb->dev->name, resolved by its type information (BTF) to what a program does:
 * struct filter_walk. The language is that of C:
 *	walk := root { '->' MEMBER | '.' MEMBER | '[' NUMBER ']' }
 *	root := NAME | '((' 'struct' NAME '*)' walk ')'
 * Members of unnamed structures and unions are those of the structure around them. A structure of a single member stands for that
 * member: atomic_t, kuid_t.
 */
#ifndef PERF_TYPES_WALK_H
#define PERF_TYPES_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include "util/bpf_skel/filter.h"
#include "util/lib/types.h"

struct btf;

struct walk_root { /* a name that walks begin with */
	const char *name;
	u32 type;  /* its type in btf */
	u8 source; /* FILTER_WALK_TASK or FILTER_WALK_ARGUMENT + i */
};

struct walk_roots {
	const struct btf *btf;
	const struct walk_root *root;
	unsigned int nr;
};

struct type_walk {
	struct filter_walk walk;
	u32 shift, bits; /* of a bit field in the number; bits 0: the whole number */
	bool is_signed;
	u32 type;	 /* of the value, for walk_enum__value() */
};

struct walk_error {
	unsigned int at, len; /* the part of the text that it is about */
	char why[512];	      /* follows that part: "is no member of ..." */
};

/* -ENOENT: the root is unknown, with the roots in error->why; -EINVAL: another error. */
int type_walk__resolve(const struct walk_roots *roots, const char *text, size_t len, struct type_walk *walk, struct walk_error *error);

/* Is the value a number, not a text? */
bool type_walk__is_number(const struct type_walk *walk);
/* Does its type have names for values? */
bool walk_enum__exists(const struct btf *btf, u32 type);
/* -ENOENT: the type has no such name; why then says which it has. */
int walk_enum__value(const struct btf *btf, u32 type, const char *name, size_t len, s64 *value, char *why, size_t size);
/* The name of a value; NULL: it has none. */
const char *walk_enum__name(const struct btf *btf, u32 type, s64 value);
/* The enum that a type's text, "enum skb_drop_reason", names; 0: none */
u32 walk_enum__find(const struct btf *btf, const char *type);
/* Is it the type of a pointer? */
bool walk_value__is_pointer(const struct btf *btf, u32 type);

/*
 * The name that a value of the walk gets in records: its members without what it begins with, "dev_name" of skb->dev->name, or that if it
 * has no members. whole: with what it begins with, "skb_dev_name".
 */
void walk__field_name(const char *text, bool whole, char *name, size_t size);

#endif

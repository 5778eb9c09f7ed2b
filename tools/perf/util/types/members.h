/* SPDX-License-Identifier: GPL-2.0 */
/* Types and members of BTF, as C shows them. */
#ifndef PERF_TYPES_MEMBERS_H
#define PERF_TYPES_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"

struct btf;

struct type_member {
	const char *name;
	u32 type;
	u32 at;	  /* in bits, from the start of the outermost structure */
	u32 bits; /* of a bit field, otherwise 0 */
};

/* The type without typedefs and qualifiers, 0: void or broken */
u32 btf_type__strip(const struct btf *btf, u32 type);
/* Does one of its typedefs and tags have this name? */
bool btf_type__is_named(const struct btf *btf, u32 type, const char *name);

/* Call cb for the members of a struct or union, also those of unnamed ones in it, until it returns non-zero; returns that value. */
int btf_type__for_each_member(const struct btf *btf, u32 type, int (*cb)(void *data, const struct type_member *member), void *data);
bool btf_type__find_member(const struct btf *btf, u32 type, const char *name, size_t len, struct type_member *member);

/* "struct sk_buff *", "char [16]", "unsigned int"; returns buf. */
const char *btf_type__text(const struct btf *btf, u32 type, char *buf, size_t size);

#endif

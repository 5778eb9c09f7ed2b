// SPDX-License-Identifier: GPL-2.0
#include "util/types/members.h"

#include <stdio.h>
#include <string.h>
#include <bpf/btf.h>

u32 btf_type__strip(const struct btf *btf, u32 type)
{
	const struct btf_type *t = btf__type_by_id(btf, type);

	for (; t && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t)); t = btf__type_by_id(btf, type))
		type = t->type;
	return t ? type : 0;
}

bool btf_type__is_named(const struct btf *btf, u32 type, const char *name)
{
	const struct btf_type *t = btf__type_by_id(btf, type);

	for (; t && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t)); t = btf__type_by_id(btf, t->type)) {
		if (t->name_off && !strcmp(btf__name_by_offset(btf, t->name_off), name))
			return true;
	}
	return false;
}

static int for_each_within(const struct btf *btf, u32 type, u32 at, int (*cb)(void *data, const struct type_member *member), void *data)
{
	const struct btf_type *t = btf__type_by_id(btf, btf_type__strip(btf, type));
	int ret = 0;

	for (u32 i = 0; t && btf_is_composite(t) && i < btf_vlen(t) && !ret; i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const struct type_member member = {
			.name = btf__name_by_offset(btf, m->name_off),
			.type = m->type,
			.at = at + btf_member_bit_offset(t, i),
			.bits = btf_member_bitfield_size(t, i),
		};

		ret = *member.name ? cb(data, &member) : for_each_within(btf, m->type, member.at, cb, data);
	}
	return ret;
}

int btf_type__for_each_member(const struct btf *btf, u32 type, int (*cb)(void *data, const struct type_member *member), void *data)
{
	return for_each_within(btf, type, 0, cb, data);
}

struct search {
	const char *name;
	size_t len;
	struct type_member *found;
};

static int is_it(void *data, const struct type_member *member)
{
	const struct search *search = data;

	if (strncmp(member->name, search->name, search->len) || member->name[search->len])
		return 0;
	*search->found = *member;
	return 1;
}

bool btf_type__find_member(const struct btf *btf, u32 type, const char *name, size_t len, struct type_member *member)
{
	struct search search = { name, len, member };

	return btf_type__for_each_member(btf, type, is_it, &search);
}

/* The name of a type that is no pointer and no array. */
static void put_name(const struct btf *btf, const struct btf_type *t, char *buf, size_t size)
{
	const char *name = t ? btf__name_by_offset(btf, t->name_off) : "void";
	const char *kind = !t ? "" : btf_is_struct(t) || (btf_is_fwd(t) && !btf_kflag(t)) ? "struct " :
			   btf_is_union(t) || btf_is_fwd(t) ? "union " : btf_is_any_enum(t) ? "enum " : "";

	if (t && btf_is_func_proto(t))
		name = "function";
	snprintf(buf, size, "%s%s", kind, *name ? name : "{...}");
}

const char *btf_type__text(const struct btf *btf, u32 type, char *buf, size_t size)
{
	const struct btf_type *t = btf__type_by_id(btf, type);
	char suffix[48] = "", more[48];

	while (t && (btf_is_ptr(t) || btf_is_array(t) || btf_is_mod(t) || btf_is_type_tag(t))) {
		if (btf_is_ptr(t))
			snprintf(more, sizeof(more), "*%s", suffix);
		else if (btf_is_array(t))
			snprintf(more, sizeof(more), "%.24s[%u]", suffix, btf_array(t)->nelems);
		else
			memcpy(more, suffix, sizeof(more));
		memcpy(suffix, more, sizeof(suffix));
		type = btf_is_array(t) ? btf_array(t)->type : t->type;
		t = type ? btf__type_by_id(btf, type) : NULL;
	}
	put_name(btf, type ? t : NULL, buf, size);
	if (*suffix && strlen(buf) + strlen(suffix) + 2 <= size)
		snprintf(buf + strlen(buf), size - strlen(buf), " %s", suffix);
	return buf;
}

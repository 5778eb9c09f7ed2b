// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/kernel-places.h"

#include <stdio.h>
#include <string.h>
#include <bpf/btf.h>
#include "util/bpf/kernel-btf.h"

#define MAX_DEPTH 16

struct path {
	char *buf;
	size_t len, size;
	bool cut;
};

static void append(struct path *p, const char *before, const char *name, const char *behind)
{
	const int len = snprintf(p->buf + p->len, p->size - p->len, "%s%s%s", before, name, behind);

	p->cut |= len < 0 || (size_t)len >= p->size - p->len;
	if (!p->cut)
		p->len += len;
}

static bool is_lock(const char *name)
{
	static const char *const locks[] = {
		"spinlock_t", "spinlock", "raw_spinlock_t", "raw_spinlock", "rwlock_t", "mutex", "rw_semaphore", "semaphore", "percpu_rw_semaphore",
		"rt_mutex", "rt_mutex_base",
	};

	for (size_t i = 0; i < ARRAY_SIZE(locks); i++) {
		if (!strcmp(name, locks[i]))
			return true;
	}
	return false;
}

static bool find_lock(u32 id, u32 offset, struct path *p, int depth);

/* A union may have a lock in one of its members only. */
static bool find_in_members(const struct btf_type *type, u32 offset, struct path *p, int depth)
{
	const struct btf *btf = kernel_btf__types();
	const size_t len = p->len;

	for (u32 i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *m = &btf_members(type)[i];
		const u32 start = btf_member_bit_offset(type, i) / 8;
		const char *name = btf__name_by_offset(btf, m->name_off);
		const s64 size = btf_member_bitfield_size(type, i) ? 0 : btf__resolve_size(btf, m->type);

		if (offset < start || offset - start >= size)
			continue;
		p->len = len;
		if (*name)
			append(p, len ? "." : "", name, "");
		if (find_lock(m->type, offset - start, p, depth))
			return true;
	}
	return false;
}

static bool find_lock(u32 id, u32 offset, struct path *p, int depth)
{
	const struct btf *btf = kernel_btf__types();
	const struct btf_type *type;
	char index[12];
	s64 size;

	for (;;) {
		type = btf__type_by_id(btf, id);
		if (!type || p->cut || !depth)
			return false;
		if (!offset && is_lock(btf__name_by_offset(btf, type->name_off)))
			return true;
		if (!btf_is_mod(type) && !btf_is_typedef(type))
			break;
		id = type->type;
	}
	if (btf_is_composite(type))
		return find_in_members(type, offset, p, depth - 1);
	if (!btf_is_array(type))
		return false;
	size = btf__resolve_size(btf, btf_array(type)->type);
	if (size <= 0 || offset / size >= btf_array(type)->nelems)
		return false;
	snprintf(index, sizeof(index), "%u", (u32)(offset / size));
	append(p, "[", index, "]");
	return find_lock(btf_array(type)->type, offset % size, p, depth - 1);
}

static bool find_name(u32 id, const char *start, u32 offset, char *buf, size_t size)
{
	struct path p = { .buf = buf, .size = size };

	append(&p, "", start, "");
	return find_lock(id, offset, &p, MAX_DEPTH);
}

/* As kernel_btf__find(). The library looks through all types, so each name is looked for once. */
static int find_struct(const char *name)
{
	static struct {
		char name[32];
		int id;
	} known[128];
	size_t i = 0;

	while (i < ARRAY_SIZE(known) && *known[i].name && strcmp(known[i].name, name))
		i++;
	if (i == ARRAY_SIZE(known) || strlen(name) >= sizeof(known->name))
		return kernel_btf__find(name, BTF_KIND_STRUCT);
	if (!*known[i].name) {
		strcpy(known[i].name, name);
		known[i].id = kernel_btf__find(name, BTF_KIND_STRUCT);
	}
	return known[i].id;
}

bool kernel_places__in_struct(const char *type, u32 offset, char *buf, size_t size)
{
	const int id = find_struct(type);

	return id > 0 && find_name(id, "", offset, buf, size);
}

u32 kernel_places__size(const char *type)
{
	const int id = find_struct(type);
	const s64 size = id > 0 ? btf__resolve_size(kernel_btf__types(), id) : 0;

	return size > 0 ? size : 0;
}

/* The variables are in a section, with their offsets. */
static const struct btf_type *percpu_section(void)
{
	static int id;

	if (!id)
		id = kernel_btf__find(".data..percpu", BTF_KIND_DATASEC);
	return id > 0 ? btf__type_by_id(kernel_btf__types(), id) : NULL;
}

bool kernel_places__in_percpu(u32 offset, char *buf, size_t size)
{
	const struct btf *btf = kernel_btf__types();
	const struct btf_type *section = percpu_section();

	if (!section || offset >= section->size)
		return false;
	for (u32 i = 0; i < btf_vlen(section); i++) {
		const struct btf_var_secinfo *at = &btf_var_secinfos(section)[i];
		const struct btf_type *var = btf__type_by_id(btf, at->type);

		if (offset >= at->offset && offset - at->offset < at->size)
			return find_name(var->type, btf__name_by_offset(btf, var->name_off), offset - at->offset, buf, size);
	}
	return false;
}

bool kernel_places__percpu_offset(const char *variable, const char *type, const char *member, u32 *offset)
{
	const int id = kernel_btf__find(variable, BTF_KIND_VAR);
	const struct btf_type *section = percpu_section();
	u32 within = 0;

	if (id <= 0 || (member && !kernel_btf__member(type, member, &within)))
		return false;
	for (u32 i = 0; section && i < btf_vlen(section); i++) {
		const struct btf_var_secinfo *at = &btf_var_secinfos(section)[i];

		if (at->type == (u32)id) {
			*offset = at->offset + within;
			return true;
		}
	}
	return false;
}

bool kernel_places__has(const char *name, size_t len)
{
	char text[64];

	if (len >= sizeof(text))
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)len, name);
	return kernel_btf__find(text, BTF_KIND_STRUCT) > 0 || kernel_btf__find(text, BTF_KIND_VAR) > 0;
}

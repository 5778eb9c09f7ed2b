// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/kernel-btf.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "util/lib/array.h"
#include "util/lib/types.h"

static const struct btf *kernel_btf(void)
{
	static struct btf *btf;
	static bool tried;

	if (!tried) {
		tried = true;
		libbpf_set_print(NULL); /* otherwise libbpf prints what we return to the caller */
		btf = btf__load_vmlinux_btf();
	}
	return btf;
}

const struct btf *kernel_btf__types(void)
{
	return kernel_btf();
}

bool kernel_btf__exists(void)
{
	return kernel_btf();
}

int kernel_btf__find(const char *name, __u32 kind)
{
	return kernel_btf() ? btf__find_by_name_kind(kernel_btf(), name, kind) : -ENOENT;
}

bool kernel_btf__has_function(const char *name)
{
	return kernel_btf__find(name, BTF_KIND_FUNC) > 0;
}

const char *kernel_btf__enum_name(const char *name, __u64 value)
{
	const int id = kernel_btf__find(name, BTF_KIND_ENUM);
	const struct btf_type *type = id > 0 ? btf__type_by_id(kernel_btf(), id) : NULL;

	for (u32 i = 0; type && i < btf_vlen(type); i++) {
		if ((u32)btf_enum(type)[i].val == (u32)value)
			return btf__name_by_offset(kernel_btf(), btf_enum(type)[i].name_off);
	}
	return NULL;
}

/* Enumerators, by name */

struct enumerator {
	const char *name;
	u64 value;
};

struct enumerators {
	struct enumerator *row;
	u32 nr;
	bool read;
};

static int compare_enumerators(const void *a, const void *b)
{
	return strcmp(((const struct enumerator *)a)->name, ((const struct enumerator *)b)->name);
}

static u64 enumerator_value(const struct btf_type *type, u32 i)
{
	if (btf_is_enum64(type))
		return btf_enum64_value(&btf_enum64(type)[i]);
	return btf_kflag(type) ? (u64)(s64)btf_enum(type)[i].val : (u32)btf_enum(type)[i].val;
}

static int add_enumerators(struct enumerators *all, const struct btf *btf, const struct btf_type *type)
{
	for (u32 i = 0; i < btf_vlen(type); i++) {
		const u32 name = btf_is_enum64(type) ? btf_enum64(type)[i].name_off : btf_enum(type)[i].name_off;

		if (array__extend(all->row, all->nr))
			return -ENOMEM;
		all->row[all->nr++] = (struct enumerator){ btf__name_by_offset(btf, name), enumerator_value(type, i) };
	}
	return 0;
}

/* Once per process: some 30,000 of them */
static const struct enumerators *enumerators__get(void)
{
	static struct enumerators all;
	const struct btf *btf = kernel_btf();
	const u32 nr = btf && !all.read ? btf__type_cnt(btf) : 0;

	all.read = true;
	for (u32 id = 1; id < nr; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (btf_is_any_enum(type) && add_enumerators(&all, btf, type))
			break;
	}
	if (nr)
		qsort(all.row, all.nr, sizeof(*all.row), compare_enumerators);
	return &all;
}

bool kernel_btf__enumerator(const char *name, u64 *value)
{
	const struct enumerators *all = enumerators__get();
	const struct enumerator key = { .name = name }, *end = all->row + all->nr, *at, *first;

	first = all->nr ? bsearch(&key, all->row, all->nr, sizeof(key), compare_enumerators) : NULL;
	if (!first)
		return false;
	while (first > all->row && !strcmp(first[-1].name, name))
		first--;
	for (at = first; at < end && !strcmp(at->name, name); at++) {
		if (at->value != first->value)
			return false;
	}
	*value = first->value;
	return true;
}

static bool is_name(const char *its, const char *name, size_t len)
{
	return !strncmp(its, name, len) && !its[len];
}

/* Find the type of a member, of the structure itself or of an unnamed one in it; 0: none. Adds to *offset, in bytes. */
static u32 find_member(u32 id, const char *name, size_t len, u32 *offset)
{
	const struct btf_type *type = btf__type_by_id(kernel_btf(), id);
	u32 found, within;

	for (u32 i = 0; type && btf_is_composite(type) && i < btf_vlen(type); i++) {
		const struct btf_member *m = &btf_members(type)[i];

		within = btf_member_bit_offset(type, i) / 8;
		if (m->name_off)
			found = is_name(btf__name_by_offset(kernel_btf(), m->name_off), name, len) ? m->type : 0;
		else
			found = find_member(m->type, name, len, &within);
		if (found) {
			*offset += within;
			return found;
		}
	}
	return 0;
}

static int member_offset(const char *name, const char *path, u32 *offset)
{
	int id = kernel_btf__find(name, BTF_KIND_STRUCT);
	size_t len;

	*offset = 0;
	while (id > 0) {
		len = strcspn(path, ".");
		id = find_member(id, path, len, offset);
		if (!path[len])
			return id ? 0 : -ENOENT;
		id = id ? btf__resolve_type(kernel_btf(), id) : 0;
		path += len + 1;
	}
	return -ENOENT;
}

bool kernel_btf__has_member(const char *type, const char *path)
{
	u32 offset;

	return kernel_btf__member(type, path, &offset);
}

bool kernel_btf__member(const char *type, const char *path, u32 *offset)
{
	return !member_offset(type, path, offset);
}

#define AT(member) offsetof(struct filter_offsets, member)
static const struct {
	size_t at; /* offset of the u32 in struct filter_offsets */
	const char *type, *path;
} places[] = {
	{ AT(context_data), "bpf_perf_event_data_kern", "data" },
	{ AT(context_event), "bpf_perf_event_data_kern", "event" },
	{ AT(event_period), "perf_event", "hw.sample_period" },
	{ AT(task_real_parent), "task_struct", "real_parent" },
	{ AT(task_tgid), "task_struct", "tgid" },
	{ AT(task_prio), "task_struct", "prio" },
	{ AT(task_static_prio), "task_struct", "static_prio" },
	{ AT(task_flags), "task_struct", "flags" },
	{ AT(task_events), "task_struct", "perf_event_ctxp" },
	{ AT(vma_start), "vm_area_struct", "vm_start" },
	{ AT(vma_pgoff), "vm_area_struct", "vm_pgoff" },
	{ AT(vma_file), "vm_area_struct", "vm_file" },
	{ AT(file_inode), "file", "f_inode" },
	{ AT(file_dentry), "file", "f_path.dentry" },
	{ AT(dentry_name), "dentry", "d_name.name" },
	{ AT(inode_sb), "inode", "i_sb" },
	{ AT(inode_ino), "inode", "i_ino" },
	{ AT(sb_dev), "super_block", "s_dev" },
};

int kernel_btf__filter_offsets(struct filter_offsets *offsets)
{
	unsigned int i;
	int ret;

	memset(offsets, 0, sizeof(*offsets));
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		ret = member_offset(places[i].type, places[i].path, (u32 *)((char *)offsets + places[i].at));
		if (ret)
			return ret;
	}
	if (!kernel_btf__has_member("perf_event_context", "pmu_ctx_list"))
		offsets->task_more_events = offsets->task_events + sizeof(void *);
	/* since 6.1 */
	offsets->has_sample_flags = !member_offset("perf_sample_data", "sample_flags", &offsets->sample_flags);
	if (member_offset("perf_event", "hw.hrtimer.node.expires", &offsets->event_expires))
		offsets->event_expires = 0;
	return 0;
}

/* Functions */

static const struct btf_type *find_prototype(const char *function)
{
	const int id = kernel_btf() ? btf__find_by_name_kind(kernel_btf(), function, BTF_KIND_FUNC) : -ENOENT;
	const struct btf_type *type = id > 0 ? btf__type_by_id(kernel_btf(), id) : NULL;

	type = type ? btf__type_by_id(kernel_btf(), type->type) : NULL;
	return type && btf_is_func_proto(type) ? type : NULL;
}

static struct kernel_btf_type describe(u32 id)
{
	const int resolved = btf__resolve_type(kernel_btf(), id);
	const struct btf_type *type = resolved > 0 ? btf__type_by_id(kernel_btf(), resolved) : NULL;
	struct kernel_btf_type described = { 0 };

	if (!type)
		return described;
	if (btf_is_ptr(type))
		return (struct kernel_btf_type){ .size = sizeof(void *), .is_pointer = true };
	if (!btf_is_int(type) && !btf_is_any_enum(type))
		return described;
	if (type->size == 1 || type->size == 2 || type->size == 4 || type->size == 8)
		described.size = type->size;
	described.is_signed = btf_is_int(type) && btf_int_encoding(type) & BTF_INT_SIGNED;
	return described;
}

int kernel_btf__for_each_parameter(const char *function, int (*cb)(void *data, const struct kernel_btf_type *type, const char *name),
				   void *data)
{
	const struct btf_type *prototype = find_prototype(function);

	if (!prototype)
		return -ENOENT;
	for (u32 i = 0; i < btf_vlen(prototype); i++) {
		const struct btf_param *param = &btf_params(prototype)[i];
		const struct kernel_btf_type type = describe(param->type);

		if (cb(data, &type, btf__name_by_offset(kernel_btf(), param->name_off) ?: ""))
			break;
	}
	return 0;
}

int kernel_btf__returned(const char *function, struct kernel_btf_type *type)
{
	const struct btf_type *prototype = find_prototype(function);

	if (!prototype)
		return -ENOENT;
	*type = describe(prototype->type);
	return 0;
}

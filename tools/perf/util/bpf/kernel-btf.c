// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/kernel-btf.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
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
	{ AT(task_real_parent), "task_struct", "real_parent" },
	{ AT(task_tgid), "task_struct", "tgid" },
	{ AT(task_prio), "task_struct", "prio" },
	{ AT(task_static_prio), "task_struct", "static_prio" },
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
	/* since 6.1 */
	offsets->has_sample_flags = !member_offset("perf_sample_data", "sample_flags", &offsets->sample_flags);
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

// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/kernel-btf.h"

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
		libbpf_set_print(NULL); /* else it tells the terminal what we tell the caller */
		btf = btf__load_vmlinux_btf();
	}
	return btf;
}

bool kernel_btf__exists(void)
{
	return kernel_btf();
}

bool kernel_btf__has_function(const char *name)
{
	return kernel_btf() && btf__find_by_name_kind(kernel_btf(), name, BTF_KIND_FUNC) > 0;
}

static const struct btf_member *find_member(const struct btf_type *type, const char *name, size_t len)
{
	const struct btf_member *m = btf_members(type), *end = m + btf_vlen(type);

	for (; m < end; m++) {
		const char *its = btf__name_by_offset(kernel_btf(), m->name_off);

		if (!strncmp(its, name, len) && !its[len])
			return m;
	}
	return NULL;
}

static int member_offset(const char *name, const char *path, u32 *offset)
{
	const struct btf_type *type;
	const struct btf_member *m;
	size_t len;
	int id;

	id = kernel_btf() ? btf__find_by_name_kind(kernel_btf(), name, BTF_KIND_STRUCT) : -ENOENT;
	for (*offset = 0; id > 0; path += len + 1) {
		type = btf__type_by_id(kernel_btf(), id);
		if (!type || !btf_is_composite(type))
			break;
		len = strcspn(path, ".");
		m = find_member(type, path, len);
		if (!m)
			break;
		*offset += btf_member_bit_offset(type, m - btf_members(type)) / 8;
		if (!path[len])
			return 0;
		id = btf__resolve_type(kernel_btf(), m->type);
	}
	return -ENOENT;
}

bool kernel_btf__has_member(const char *type, const char *path)
{
	u32 offset;

	return !member_offset(type, path, &offset);
}

#define AT(member) offsetof(struct filter_offsets, member)
static const struct {
	size_t at; /* of the u32 in struct filter_offsets */
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

/* SPDX-License-Identifier: GPL-2.0 */
/* Queries to the running kernel's type information (BTF): whether it has a function or member, and the offsets of members. */
#ifndef PERF_BPF_KERNEL_BTF_H
#define PERF_BPF_KERNEL_BTF_H

#include <stdbool.h>
#include "util/lib/types.h"
#include "util/bpf_skel/filter.h"

struct btf;

/* Reading it takes some 20 ms, once per process. Also false if there is none, or no memory for it. */
bool kernel_btf__exists(void);
const struct btf *kernel_btf__types(void); /* all of it; NULL as above */
bool kernel_btf__has_function(const char *name);
/* The id of the type of this kind (BTF_KIND_*), or -errno */
int kernel_btf__find(const char *name, __u32 kind);
/* path: members of nested structures, "f_path.dentry" */
bool kernel_btf__has_member(const char *type, const char *path);
bool kernel_btf__member(const char *type, const char *path, u32 *offset); /* the same, and where it is */

struct kernel_btf_type { /* of a parameter */
	__u8 size; /* 1, 2, 4, 8; 0: no number and no pointer, or void */
	bool is_signed, is_pointer;
};
/* Call cb for the parameters of a function, in order, until it returns non-zero. name "": it has none. -ENOENT: the function is unknown. */
int kernel_btf__for_each_parameter(const char *function, int (*cb)(void *data, const struct kernel_btf_type *type, const char *name),
				   void *data);
int kernel_btf__returned(const char *function, struct kernel_btf_type *type); /* -ENOENT */

/* The name of a value of an enum; NULL: it has none, or the kernel has no such enum */
const char *kernel_btf__enum_name(const char *type, __u64 value);
/* The value of the enumerator of this name, with its sign. false: there is none, or there are several with other values */
bool kernel_btf__enumerator(const char *name, u64 *value);

/* Set the offsets that programs for old kernels use. -ENOENT: a member is missing or has another name. */
int kernel_btf__filter_offsets(struct filter_offsets *offsets);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* What the running kernel's own type information (BTF) says: whether it has a function or member, and where members are. */
#ifndef PERF_BPF_KERNEL_BTF_H
#define PERF_BPF_KERNEL_BTF_H

#include <stdbool.h>
#include <linux/types.h>
#include "util/bpf_skel/filter.h"

/* Reading it takes some 20 ms, once in the life of a process. False also if there is none, or no memory for it. */
bool kernel_btf__exists(void);
bool kernel_btf__has_function(const char *name);
/* path leads through members of structures: "f_path.dentry" */
bool kernel_btf__has_member(const char *type, const char *path);

/* Where programs for old kernels find what they read. -ENOENT: some member has another name or is not there. */
int kernel_btf__filter_offsets(struct filter_offsets *offsets);

#endif

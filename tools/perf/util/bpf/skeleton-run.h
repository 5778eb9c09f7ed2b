/* SPDX-License-Identifier: GPL-2.0 */
/* What the generated light skeletons include and call to be loaded; bpf_skel.mak puts it in place of libbpf's own. */
#ifndef PERF_BPF_SKELETON_RUN_H
#define PERF_BPF_SKELETON_RUN_H

#include <errno.h> /* skel_internal.h lacks it */
#include <stdbool.h>
#include <stddef.h>
#include <bpf/skel_internal.h>

/* 0, or -errno and a word about it in opts->errstr, as bpf_load_and_run(). */
int skeleton__run(struct bpf_load_and_run_opts *opts);

/*
 * Let the loader, whose instructions these are, tell the kernel only those attributes of programs that Linux before 5.17 knows. False if
 * that is no way: there is no other attribute, or a program has CO-RE relocations, which then are the kernel's to make.
 */
bool skeleton__fit_old_kernel(const void *data, size_t data_size, void *insns, size_t insns_size);

#endif

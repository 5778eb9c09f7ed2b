/* SPDX-License-Identifier: GPL-2.0 */
/* What the generated light skeletons include and call for loading; bpf_skel.mak replaces libbpf's own header by it. */
#ifndef PERF_BPF_SKELETON_RUN_H
#define PERF_BPF_SKELETON_RUN_H

#include <errno.h> /* skel_internal.h lacks it */
#include <stdbool.h>
#include <stddef.h>
#include <bpf/skel_internal.h>

/* 0, or -errno and a short reason in opts->errstr, as bpf_load_and_run(). */
int skeleton__run(struct bpf_load_and_run_opts *opts);

/*
 * Make the loader, whose instructions these are, pass only those attributes of programs that Linux before 5.17 knows. false if that
 * does not help: there is no other attribute, or a program has CO-RE relocations, which the kernel must then make.
 */
bool skeleton__fit_old_kernel(const void *data, size_t data_size, void *insns, size_t insns_size);

#endif

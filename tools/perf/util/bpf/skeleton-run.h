/* SPDX-License-Identifier: GPL-2.0 */
/* What the generated light skeletons include and call for loading; bpf_skel.mak replaces libbpf's own header by it. */
#ifndef PERF_BPF_SKELETON_RUN_H
#define PERF_BPF_SKELETON_RUN_H

#include <errno.h> /* skel_internal.h lacks it */
#include <stdbool.h>
#include <stddef.h>
#include <bpf/skel_internal.h>

#define SKELETON_MAX_SHARED 16

/*
 * 0, or -errno and a short reason in opts->errstr, as bpf_load_and_run(). Maps that have a descriptor already, at most
 * SKELETON_MAX_SHARED, are used instead of being created. If that succeeds, the skeleton has copies of these descriptors, and the caller
 * closes those that were there.
 */
int skeleton__run(struct bpf_load_and_run_opts *opts);

/*
 * Make the loader, whose instructions these are, pass only those attributes of programs that Linux before 5.17 knows. false if that
 * does not help: there is no other attribute, or a program has CO-RE relocations, which the kernel must then make.
 */
bool skeleton__fit_old_kernel(const void *data, size_t data_size, void *insns, size_t insns_size);

/*
 * Does instruction call of the loader begin a call that creates a map of the skeleton? Returns where the skeleton has its descriptor;
 * NULL: no. nr: number of instructions.
 */
int *skeleton__map_fd(const struct bpf_loader_ctx *ctx, const struct bpf_insn *insn, size_t nr, size_t call);

#endif

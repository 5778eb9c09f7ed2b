/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs the loader of a light skeleton in user space. A loader is a BPF program that the kernel runs, and which calls bpf(2) there
 * without a token. Here each of its instructions is done by perf, and its calls carry the token (token.h).
 */
#ifndef PERF_BPF_LOADER_RUN_H
#define PERF_BPF_LOADER_RUN_H

struct bpf_load_and_run_opts;

/* As bpf_load_and_run() of libbpf's skel_internal.h. 0 or -errno; -ENOTSUP: this perf does not know an instruction of the loader. */
int loader__run(const struct bpf_load_and_run_opts *opts);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF tokens (Linux 6.9): in a user namespace whose bpffs was mounted with delegate_cmds, delegate_maps, delegate_progs and
 * delegate_attachs, bpf(2) takes a token of that mount in place of capabilities in the initial user namespace (kernel/bpf/token.c).
 *
 * A token is looked for once per process, when bpf(2) is first called here: in $LIBBPF_BPF_TOKEN_PATH if that is set (empty: take
 * none), otherwise, in a user namespace other than the initial one, in /sys/fs/bpf and then in each mounted bpffs. -v tells what was
 * found. Calls that create something go through here, so that they carry the token.
 */
#ifndef PERF_BPF_TOKEN_H
#define PERF_BPF_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct bpf_insn;

bool bpf_token__is_known(void); /* by this kernel */
bool bpf_token__used(void);

/* bpf(2) with the token, if there is one and the command takes one. A descriptor or result, or -errno. */
int bpf_token__call(int cmd, const void *attr, size_t size);

/* A map, with its name's first 15 characters; a descriptor or -errno */
struct bpf_token_map {
	const char *name;
	u32 type, key_size, value_size, max_entries, flags;
	int inner_fd; /* for maps of maps */
};
int bpf_token__create_map(const struct bpf_token_map *map);

/* A program without maps; a descriptor or -errno */
int bpf_token__load_program(u32 type, const struct bpf_insn *insns, size_t nr, u32 flags);

/*
 * Explain why a call above returned EPERM, if user namespaces have to do with it: there is no token, or it lacks something. False:
 * err is unchanged. what: "A BPF filter", begins the text.
 */
bool bpf_token__explain(const char *what, struct errmsg *err);

#endif

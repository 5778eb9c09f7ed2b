/* SPDX-License-Identifier: GPL-2.0 */
/* Mounts a bpffs that delegates BPF to another user namespace, where it gives the tokens of token.h. */
#ifndef PERF_BPF_TOKEN_MOUNT_H
#define PERF_BPF_TOKEN_MOUNT_H

#include <sys/types.h>
#include "util/lib/errmsg.h"

#define TOKEN_MOUNT_DIR "/sys/fs/bpf"

/*
 * What a mount delegates. The values are those of the mount options: names of enum bpf_cmd, bpf_map_type, bpf_prog_type and
 * bpf_attach_type without prefix, in lower case, with colons between them (kernel/bpf/inode.c).
 */
struct token_grant {
	const char *cmds, *maps, *progs, *attachs;
};

/*
 * Mount it at TOKEN_MOUNT_DIR in the mount namespace of process pid, for the user namespace of that process. It stays there until it
 * is unmounted or the namespace ends. -EEXIST: there is one that delegates something.
 */
int token_mount__add(pid_t pid, const struct token_grant *grant, struct errmsg *err);

#endif

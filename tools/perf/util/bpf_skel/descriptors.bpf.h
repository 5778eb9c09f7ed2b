/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* What the file descriptors of a task stand for. Include vmlinux.h, libbpf's headers and trace.h first. */
#ifndef PERF_BPF_DESCRIPTORS_BPF_H
#define PERF_BPF_DESCRIPTORS_BPF_H

/* The address of a descriptor's struct file; 0: none. */
static __always_inline __u64 descriptor__file(struct task_struct *task, __u32 fd)
{
	struct file **at;
	struct fdtable *table;
	__u64 file = 0;

	if (!task->files)
		return 0;
	table = task->files->fdt;
	at = table->fd;
	if (fd >= table->max_fds)
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), at + fd);
	return file;
}

enum { FAMILY_INET = 2, FAMILY_INET6 = 10 }; /* AF_INET, AF_INET6 */

/* The addresses of a file that is a socket of IPv4 or IPv6; false: it is another one. */
static __always_inline bool socket__read(struct trace_socket *to, const struct file *file)
{
	const struct socket *socket = BPF_CORE_READ(file, private_data);
	const struct sock *sk = BPF_CORE_READ(socket, sk);
	const __u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);

	if (family != FAMILY_INET && family != FAMILY_INET6)
		return false;
	*to = (struct trace_socket){
		.family = family, .local_port = BPF_CORE_READ(sk, __sk_common.skc_num),
		.peer_port = __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport)),
	};
	if (family == FAMILY_INET) {
		*(__u32 *)to->local = BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr);
		*(__u32 *)to->peer = BPF_CORE_READ(sk, __sk_common.skc_daddr);
	} else if (bpf_core_field_exists(sk->__sk_common.skc_v6_daddr)) {
		*(struct in6_addr *)to->local = BPF_CORE_READ(sk, __sk_common.skc_v6_rcv_saddr);
		*(struct in6_addr *)to->peer = BPF_CORE_READ(sk, __sk_common.skc_v6_daddr);
	}
	return true;
}

#endif

// SPDX-License-Identifier: GPL-2.0
/* Runs a command while empty BPF programs are on sys_enter and sys_exit: the least that a tracer of system calls can cost. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/bpf.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

static void die(const char *what)
{
	fprintf(stderr, "empty-calls: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void attach_empty(const char *tracepoint)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, /* r0 = 0 */
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP,
		    .attach_btf_id = libbpf_find_vmlinux_btf_id(tracepoint, BPF_TRACE_RAW_TP));
	int prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "empty", "GPL", insns, sizeof(insns) / sizeof(*insns), &opts);

	if (prog < 0 || bpf_raw_tracepoint_open(NULL, prog) < 0)
		die(tracepoint);
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 2)
		return 129;
	attach_empty("sys_exit");
	attach_empty("sys_enter");
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		die(argv[1]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		die("fork");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Time in a BPF program of a tracepoint, where the kernel takes no samples for other BPF programs: one that reads the clock some times runs
 * at each getpgid(2). Needs tracefs at its usual place.
 */
#include "tests/workload.h"

#include <err.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ID_FILE "/sys/kernel/tracing/events/syscalls/sys_enter_getpgid/id"
#define NR_CALLS 16 /* about half of a system call's time */

static int load_program(void)
{
	struct bpf_insn insns[NR_CALLS + 2];
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_TRACEPOINT, .insns = (__u64)(unsigned long)insns, .insn_cnt = NR_CALLS + 2,
				.license = (__u64)(unsigned long)"Dual BSD/GPL" };

	for (int i = 0; i < NR_CALLS; i++)
		insns[i] = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns };
	/* 0 would take the system call away from other recordings. */
	insns[NR_CALLS] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 };
	insns[NR_CALLS + 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static int open_tracepoint(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	FILE *f = fopen(ID_FILE, "r");
	int nr = f ? fscanf(f, "%llu", &attr.config) : 0;

	if (f)
		fclose(f);
	return nr == 1 ? (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) : -1;
}

WORKLOAD_FUNCTION void run_program(void)
{
	syscall(SYS_getpgid, 0);
}

int workload_progloop(int argc, char **argv)
{
	int program = load_program(), event = open_tracepoint();

	if (program < 0 || event < 0 || ioctl(event, PERF_EVENT_IOC_SET_BPF, program)) {
		warn("cannot attach a BPF program to " ID_FILE);
		return 1;
	}
	if (workload__start(argc, argv))
		return 1;
	while (!workload_done)
		run_program();
	return 0;
}

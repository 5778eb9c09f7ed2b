// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* Counts as slowly as to be in the middle of it whenever user space takes the other set of slots. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "tally.bpf.h"

__u64 nr_running[2]; /* that count in each set */

static long waste(__u32 i, void *unused)
{
	return 0;
}

SEC("perf_event")
int tally_slowly(struct bpf_perf_event_data *ctx)
{
	struct tally_scratch *s = tally_scratch__get();
	__u32 set = tally__set();

	if (!s)
		return 0;
	__sync_fetch_and_add(&nr_running[set & 1], 1);
	bpf_loop(200000, waste, NULL, 0);
	s->record.key.pid = bpf_get_current_pid_tgid() >> 32;
	s->record.time = bpf_ktime_get_ns();
	s->record.period = ctx->sample_period;
	tally__add_to(s, set);
	__sync_fetch_and_add(&nr_running[set & 1], -1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

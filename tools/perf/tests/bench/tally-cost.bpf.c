// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * What tally-cost.c compares the tally with: nothing at all; stack ids of a BPF_MAP_TYPE_STACK_TRACE, as other tools count; and the
 * tally's own digest with the kernel's hash map in place of its table.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "tally.bpf.h"

#define BPF_MAP_TYPE_STACK_TRACE 7
#define MAX_KEYS 16384

SEC("perf_event")
int empty(struct bpf_perf_event_data *ctx)
{
	return 0;
}

struct by_id_key {
	__u32 pid, tid;
	char comm[16];
	int kernel, user;
};

struct sums {
	__u64 count, period, first_time, last_time;
};

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, MAX_KEYS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, TALLY_MAX_STACK * sizeof(__u64));
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_KEYS);
	__type(key, struct by_id_key);
	__type(value, struct sums);
} by_id SEC(".maps");

struct digest {
	__u64 a, b;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_KEYS);
	__type(key, struct digest);
	__type(value, struct sums);
} by_digest SEC(".maps");

__u64 nr_seen, nr_collided;

static __always_inline void add(void *map, const void *key, __u64 period)
{
	struct sums *sums = bpf_map_lookup_elem(map, key), new = { 1, period, bpf_ktime_get_ns() };

	if (!sums) {
		bpf_map_update_elem(map, key, &new, BPF_NOEXIST);
		return;
	}
	__sync_fetch_and_add(&sums->count, 1);
	__sync_fetch_and_add(&sums->period, period);
	sums->last_time = new.first_time;
}

SEC("perf_event")
int stack_ids(struct bpf_perf_event_data *ctx)
{
	struct by_id_key key = { .pid = bpf_get_current_pid_tgid() >> 32, .tid = bpf_get_current_pid_tgid() };

	__sync_fetch_and_add(&nr_seen, 1);
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	key.kernel = bpf_get_stackid(ctx, &stacks, 0);
	key.user = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
	if (key.kernel == -17 || key.user == -17) { /* EEXIST: another stack has its place, and the sample's is lost */
		__sync_fetch_and_add(&nr_collided, 1);
		return 0;
	}
	add(&by_id, &key, ctx->sample_period);
	return 0;
}

SEC("perf_event")
int hash_map(struct bpf_perf_event_data *ctx)
{
	struct tally_scratch *s = tally_scratch__get();
	struct tally_record *r;
	long kernel, user;

	if (!s)
		return 0;
	r = &s->record;
	r->key.pid = bpf_get_current_pid_tgid() >> 32;
	r->key.tid = bpf_get_current_pid_tgid();
	bpf_get_current_comm(r->key.comm, sizeof(r->key.comm));
	kernel = bpf_get_stack(ctx, r->frame, tally_config.stack_size, 0);
	r->key.nr_kernel = kernel < 0 ? 0 : kernel / sizeof(__u64);
	if (r->key.nr_kernel > TALLY_MAX_STACK)
		return 0;
	user = bpf_get_stack(ctx, r->frame + r->key.nr_kernel, tally_config.stack_size, BPF_F_USER_STACK);
	r->key.nr_user = user < 0 ? 0 : user / sizeof(__u64);
	tally_record__digest(r, &tally_config);
	add(&by_digest, r->digest, ctx->sample_period);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

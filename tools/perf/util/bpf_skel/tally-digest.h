/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The digest of a key, by which its samples are counted together. Programs compute it; user space does for records whose stacks it has
 * finished.
 */
#ifndef PERF_BPF_TALLY_DIGEST_H
#define PERF_BPF_TALLY_DIGEST_H

#include "tally.h"

/*
 * Two lanes that mix in different ways. From one state, each lane maps different words to different states, and after one more word
 * every bit has spread to the low bits, which choose the slot.
 */
static inline __attribute__((always_inline)) void tally_digest__add(__u64 *a, __u64 *b, __u64 word)
{
	*a = (*a ^ word) * 0x9e3779b97f4a7c15ULL;
	*a ^= *a >> 32;
	*b = (*b + word) * 0xc2b2ae3d27d4eb4fULL;
	*b ^= *b >> 29;
}

static inline __attribute__((always_inline)) void tally_record__digest(struct tally_record *r, const volatile struct tally_config *config)
{
	const __u64 *key = (const __u64 *)&r->key;
	__u64 a = config->seed[0], b = config->seed[1];
	__u32 nr = r->key.nr_kernel + r->key.nr_user;

	if (config->key & (TALLY_KEY_PID | TALLY_KEY_TID))
		tally_digest__add(&a, &b, key[0]);
	if (config->key & (TALLY_KEY_CPU | TALLY_KEY_UID))
		tally_digest__add(&a, &b, key[1]);
	if (config->key & TALLY_KEY_CGROUP)
		tally_digest__add(&a, &b, r->key.cgroup);
	if (config->key & TALLY_KEY_IP)
		tally_digest__add(&a, &b, r->key.ip);
	if (config->key & TALLY_KEY_COMM) {
		tally_digest__add(&a, &b, r->key.comm[0]);
		tally_digest__add(&a, &b, r->key.comm[1]);
	}
	for (__u32 i = 0; i < 2 * TALLY_MAX_STACK && i < nr; i++)
		tally_digest__add(&a, &b, r->frame[i]);
	tally_digest__add(&a, &b, key[6]);
	if (config->histogram.kind)
		tally_digest__add(&a, &b, r->key.bucket);
	if (config->nr_values)
		tally_digest__add(&a, &b, r->has);
	for (__u32 i = 0; i < TALLY_VALUE_WORDS && i < config->value_words; i++)
		tally_digest__add(&a, &b, r->value[i]);
	if (config->key & TALLY_KEY_LOCK)
		tally_digest__add(&a, &b, r->key.lock);
	if (config->key & TALLY_KEY_LOCK_TYPE)
		tally_digest__add(&a, &b, r->key.lock_type);
	r->digest[0] = a ?: 1;
	r->digest[1] = b ?: 1;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* A function that no program has met in this process: what it is, as a message for user space (struct interp_code). */
#ifndef PERF_BPF_INTERP_CODE_BPF_H
#define PERF_BPF_INTERP_CODE_BPF_H

#include "interp.bpf.h"

#define INTERP_PRIME_A 0x9e3779b97f4a7c15ULL
#define INTERP_PRIME_B 0xc2b2ae3d27d4eb4fULL

/* Of the names, and of the first bytes of the line table: that tells apart functions of the same name and place in versions of a file. */
#define INTERP_DIGEST_BYTES (INTERP_NAME_BYTES + INTERP_PATH_BYTES + 256)

static __always_inline void interp_digest__add(struct interp_digest *d, __u64 word)
{
	d->word[0] = (d->word[0] ^ word) * INTERP_PRIME_A;
	d->word[0] ^= d->word[0] >> 29;
	d->word[1] = (d->word[1] + word) * INTERP_PRIME_B;
	d->word[1] ^= d->word[1] >> 32;
}

static __always_inline void interp_digest__of(struct interp_digest *d, const struct interp_code *m)
{
	*d = (struct interp_digest){ 0 };
	interp_digest__add(d, (__u64)m->bytes << 32 | (__u32)m->first_line);
	interp_digest__add(d, (__u64)m->name.length << 32 | m->path.length);
	interp_digest__add(d, m->lines_wanted);
	for (__u32 i = 0; i < INTERP_DIGEST_BYTES / 8; i++)
		interp_digest__add(d, ((const __u64 *)m->name_text)[i]);
}

static __always_inline void interp_clear(struct interp_code *m)
{
	for (__u32 i = 0; i < INTERP_DIGEST_BYTES / 8; i++)
		((__u64 *)m->name_text)[i] = 0;
}

/* A new range of that size. 0: there is no room. */
static __always_inline __u32 interp_allocate(__u32 bytes)
{
	__u32 zero = 0;
	struct interp_share *used = bpf_map_lookup_elem(&interp_used, &zero);
	__u64 at;

	if (!used || used->bytes >= INTERP_MAX_BYTES)
		return 0;
	at = INTERP_FIRST + INTERP_NAMELESS + __sync_fetch_and_add(&used->bytes, ((__u64)bytes + 15) & ~7ULL);
	return at < INTERP_MAX_BYTES - bytes ? at : 0;
}

static const struct interp_share interp_no_share; /* the stack has no room for it */

static __always_inline struct interp_share *interp_share__of(const __u64 *process)
{
	struct interp_share *share = bpf_map_lookup_elem(&interp_shares, process);

	if (share)
		return share;
	bpf_map_update_elem(&interp_shares, process, &interp_no_share, BPF_NOEXIST);
	return bpf_map_lookup_elem(&interp_shares, process);
}

/* A process may take as much as it leaves to others. So none takes all, and a single one has half of it. */
static __always_inline bool interp_take_share(const __u64 *process, __u32 bytes)
{
	__u32 zero = 0;
	struct interp_share *used = bpf_map_lookup_elem(&interp_used, &zero), *share = interp_share__of(process);

	if (!used || !share || share->functions + used->functions >= INTERP_MAX_FUNCTIONS ||
	    share->bytes + used->bytes + bytes >= INTERP_MAX_BYTES)
		return false;
	__sync_fetch_and_add(&share->functions, 1);
	__sync_fetch_and_add(&share->bytes, bytes);
	__sync_fetch_and_add(&used->functions, 1);
	return true;
}

static __always_inline bool interp_send(struct interp_code *m, __u32 at)
{
	__u32 size = offsetof(struct interp_code, lines) + (m->nr_lines & (2 * INTERP_LINES_BYTES - 1));

	size = (size + 7) & ~7U;
	m->type = 0;
	m->misc = 0;
	m->size = size;
	m->at = at;
	barrier_var(size);
	return size <= sizeof(*m) && !bpf_ringbuf_output(&interp_sent, m, size, 0);
}

enum interp_found {
	INTERP_HAS_RANGE,
	INTERP_NO_ROOM, /* nor will there be any */
	INTERP_UNSENT,	/* try again with the next frame */
};

/* The entry for the function in m, with a range. Two CPUs may meet it at once: they take the same entry, and the range of the first one. */
static __always_inline enum interp_found interp_find_known(const struct interp_code *m, const __u64 *process, struct interp_known **known)
{
	const struct interp_known none = { 0 };
	struct interp_digest d;
	__u32 at;

	interp_digest__of(&d, m);
	*known = bpf_map_lookup_elem(&interp_functions, &d);
	if (!*known) {
		if (!interp_take_share(process, m->bytes))
			return INTERP_NO_ROOM;
		if (bpf_map_update_elem(&interp_functions, &d, &none, BPF_NOEXIST) == UNWIND_MAP_FULL)
			return INTERP_NO_ROOM;
		*known = bpf_map_lookup_elem(&interp_functions, &d);
	}
	if (!*known)
		return INTERP_UNSENT;
	if ((*known)->at)
		return INTERP_HAS_RANGE;
	at = interp_allocate(m->bytes);
	if (at)
		__sync_val_compare_and_swap(&(*known)->at, 0, at);
	return at ? INTERP_HAS_RANGE : INTERP_NO_ROOM;
}

/*
 * Find the range of the function in m. Who meets one that is not sent sends it: another CPU may try at the same time, and fail. User space
 * takes the first of equal messages.
 */
static __always_inline enum interp_found interp_find_range(struct interp_code *m, const __u64 *process, struct interp_range *range)
{
	struct interp_known *known;
	enum interp_found found = interp_find_known(m, process, &known);

	*range = (struct interp_range){ .bytes = m->bytes };
	if (found != INTERP_HAS_RANGE)
		return found;
	if (!known->sent && !interp_send(m, known->at))
		return INTERP_UNSENT;
	known->sent = 1;
	range->at = known->at;
	return INTERP_HAS_RANGE;
}

#endif

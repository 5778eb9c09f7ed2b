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
	at = INTERP_FIRST + INTERP_NAMELESS + __sync_fetch_and_add(&used->bytes, ((__u64)bytes + 15) & ~7ULL); /* at is a multiple of 8 */
	return at < INTERP_MAX_BYTES - bytes ? at : 0;
}

static const struct interp_share interp_no_share; /* the stack has no room for it */

static __always_inline struct interp_share *interp_share__of(const __u64 *whose)
{
	struct interp_share *share = bpf_map_lookup_elem(&interp_shares, whose);

	if (share)
		return share;
	bpf_map_update_elem(&interp_shares, whose, &interp_no_share, BPF_NOEXIST);
	return bpf_map_lookup_elem(&interp_shares, whose);
}

struct interp_shares_of { /* that a new function counts for */
	struct interp_share *all, *process, *user;
};

static __always_inline bool interp_shares__find(struct interp_shares_of *s, const __u64 *process)
{
	const __u64 user = INTERP_USER | (__u32)bpf_get_current_uid_gid();
	const __u32 zero = 0;

	s->all = bpf_map_lookup_elem(&interp_used, &zero);
	s->process = interp_share__of(process);
	s->user = interp_share__of(&user);
	return s->all && s->process && s->user;
}

/*
 * A process may have so many. A user, with all processes that follow one another, may take as much as that leaves to others: so none takes
 * all, and a single one has half of it.
 */
static __always_inline bool interp_has_room(const __u64 *process, __u32 bytes)
{
	struct interp_shares_of s;

	return interp_shares__find(&s, process) && s.process->functions < INTERP_OWN_FUNCTIONS &&
	       s.user->functions + s.all->functions < INTERP_ALL_FUNCTIONS && s.user->bytes + s.all->bytes + bytes < INTERP_MAX_BYTES;
}

static __always_inline void interp_take_room(const __u64 *process, __u32 bytes)
{
	struct interp_shares_of s;

	if (!interp_shares__find(&s, process))
		return;
	__sync_fetch_and_add(&s.all->functions, 1);
	__sync_fetch_and_add(&s.process->functions, 1);
	__sync_fetch_and_add(&s.user->functions, 1);
	__sync_fetch_and_add(&s.user->bytes, bytes);
}

/*
 * What waits in the ring: of a user at most half of what others leave, and of processes that make many functions only a quarter of the ring. So
 * there is always room for others. The user's share; NULL: no more may be sent now.
 */
static __always_inline struct interp_share *interp_may_send(const __u64 *process, __u64 waiting)
{
	const __u64 whose = INTERP_USER | (__u32)bpf_get_current_uid_gid();
	struct interp_share *share = bpf_map_lookup_elem(&interp_shares, process);

	if (share && share->functions >= INTERP_FEW_FUNCTIONS && waiting > INTERP_SENT_BYTES / 4)
		return NULL;
	share = interp_share__of(&whose);
	if (!share)
		return NULL;
	if (share->last <= bpf_ringbuf_query(&interp_sent, BPF_RB_CONS_POS))
		share->waiting = 0;
	return share->waiting + waiting <= INTERP_SENT_BYTES - sizeof(struct interp_code) ? share : NULL;
}

static __always_inline bool interp_send(struct interp_code *m, __u32 at, const __u64 *process)
{
	const __u64 waiting = bpf_ringbuf_query(&interp_sent, BPF_RB_AVAIL_DATA);
	__u32 size = offsetof(struct interp_code, lines) + (m->nr_lines & (2 * INTERP_LINES_BYTES - 1));
	struct interp_share *user = interp_may_send(process, waiting);

	if (!user)
		return false;
	size = (size + 7) & ~7U;
	m->type = 0;
	m->misc = 0;
	m->size = size;
	m->at = at;
	m->user = bpf_get_current_uid_gid();
	barrier_var(size);
	if (size > sizeof(*m) || bpf_ringbuf_output(&interp_sent, m, size, waiting > INTERP_SENT_BYTES / 8 ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP))
		return false;
	__sync_fetch_and_add(&user->waiting, m->size);
	user->last = bpf_ringbuf_query(&interp_sent, BPF_RB_PROD_POS);
	return true;
}

enum interp_found {
	INTERP_HAS_RANGE,
	INTERP_NO_ROOM, /* nor will there be any */
	INTERP_UNSENT,	/* try again with the next frame, */
	INTERP_UNREADABLE, /* also then */
};

/* Where the entry of that tag has its range; if it has none, a new one. Two CPUs may meet a function at once: it has the range of the first one. */
static __always_inline enum interp_found interp_settle(struct interp_known *known, __u64 tag, __u32 bytes, const __u64 *process, __u64 *word)
{
	__u32 at;

	*word = known->word;
	if (*word == tag) {
		at = interp_allocate(bytes);
		if (!at)
			return INTERP_NO_ROOM;
		*word = __sync_val_compare_and_swap(&known->word, tag, tag | at);
		if (*word == tag) {
			interp_take_room(process, bytes);
			*word = tag | at;
		}
	}
	return (*word ^ tag) >> 32 ? INTERP_UNSENT : INTERP_HAS_RANGE;
}

/* The entry for the function in m. NULL: none, and *why */
static __always_inline struct interp_known *interp_find_known(const struct interp_code *m, const struct interp_digest *d, const __u64 *process,
							      enum interp_found *why)
{
	struct interp_known *known = bpf_map_lookup_elem(&interp_functions, d);
	const struct interp_known new = { INTERP_TAG(d) };

	*why = INTERP_UNSENT;
	if (known)
		return known;
	if (!interp_has_room(process, m->bytes)) {
		*why = INTERP_NO_ROOM;
		return NULL;
	}
	bpf_map_update_elem(&interp_functions, d, &new, BPF_NOEXIST);
	return bpf_map_lookup_elem(&interp_functions, d);
}

/*
 * Find the range of the function in m. Who meets one that is not sent sends it: another CPU may try at the same time, and fail. User space
 * takes the first of equal messages.
 */
static __always_inline enum interp_found interp_find_range(struct interp_code *m, const __u64 *process, struct interp_range *range)
{
	struct interp_known *known;
	enum interp_found found;
	struct interp_digest d;
	__u64 word;

	*range = (struct interp_range){ .bytes = m->bytes };
	interp_digest__of(&d, m);
	known = interp_find_known(m, &d, process, &found);
	if (known)
		found = interp_settle(known, INTERP_TAG(&d), m->bytes, process, &word);
	if (!known || found != INTERP_HAS_RANGE)
		return found;
	if (!(word & INTERP_SENT)) {
		if (!interp_send(m, INTERP_AT(word), process))
			return INTERP_UNSENT;
		__sync_val_compare_and_swap(&known->word, word, word | INTERP_SENT);
	}
	range->at = INTERP_AT(word);
	return INTERP_HAS_RANGE;
}

#endif

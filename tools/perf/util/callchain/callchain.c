// SPDX-License-Identifier: GPL-2.0
#include "util/callchain/callchain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"

#define MAX_FETCHED 32 /* words that are prefetched at a time: more would only evict each other */
/* Words from here on are markers, not addresses (include/uapi/linux/perf_event.h, enum perf_callchain_context). */
#define IS_MARKER(ip) ((ip) >= (u64)PERF_CONTEXT_MAX)

/* The mode that a marker switches to, or -1 for an unknown marker. */
static int marker_cpumode(u64 marker)
{
	switch (marker) {
	case PERF_CONTEXT_HV:
		return PERF_RECORD_MISC_HYPERVISOR;
	case PERF_CONTEXT_KERNEL:
		return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER:
	case PERF_CONTEXT_USER_DEFERRED_:
	case PERF_CONTEXT_USER_CALLS_:
		return PERF_RECORD_MISC_USER;
	case PERF_CONTEXT_GUEST:
	case PERF_CONTEXT_GUEST_KERNEL:
		return PERF_RECORD_MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST_USER:
		return PERF_RECORD_MISC_GUEST_USER;
	}
	return -1;
}

static const u32 no_number; /* of chains without frames */

static struct location *callchain__add(struct callchain *chain)
{
	if (array__grow(chain->room, chain->nr, chain->alloc))
		return NULL;
	return &chain->room[chain->nr++];
}

static int reserve_numbers(u32 **numbers, u32 *alloc, u32 nr)
{
	u32 new_alloc = *alloc ?: 64;
	u32 *more;

	while (new_alloc < nr)
		new_alloc *= 2;
	if (new_alloc == *alloc)
		return 0;
	more = reallocarray(*numbers, new_alloc, sizeof(*more));
	if (!more)
		return -ENOMEM;
	*numbers = more;
	*alloc = new_alloc;
	return 0;
}

static int callchain__reserve(struct callchain *chain, u32 more)
{
	return chain->nr + more > chain->alloc_numbers ? reserve_numbers(&chain->numbers, &chain->alloc_numbers, chain->nr + more) : 0;
}

static int callchain__add_frames(struct callchain *chain, struct frames frames)
{
	if (!frames.nr || callchain__reserve(chain, frames.nr))
		return -ENOMEM;
	for (u32 i = 0; i < frames.nr; i++)
		chain->numbers[chain->nr++] = frames.first + i;
	return 0;
}

static int callchain__add_ip(struct callchain *chain, struct resolver *r, struct thread *thread, u64 maps_version, u8 cpumode, u64 ip)
{
	return callchain__add_frames(chain, resolver__frames(r, thread, maps_version, cpumode, ip));
}

/* Fill in the frames of all numbers. */
static int locate(struct callchain *chain, const struct resolver *r)
{
	u32 nr = chain->nr;

	for (chain->nr = 0; chain->nr < nr;) {
		u32 number = chain->numbers[chain->nr];
		struct location *frame = callchain__add(chain);

		if (!frame)
			return -ENOMEM;
		*frame = *resolver__frame(r, number);
	}
	chain->frame = chain->room;
	return 0;
}

static u8 leaf_cpumode(const struct chain_key *key)
{
	return key->leaf ? marker_cpumode(key->word[0]) : key->cpumode;
}

/* How many of the outermost words are those of the last chain, and were numbered with the same maps? The leaf is none of them. */
static u64 count_same(const struct numbered_words *last, const struct resolver *r, const struct chain_key *key)
{
	u64 nr = 0, max = key->leaf < key->nr ? key->nr - key->leaf - 1 : key->nr;

	if (last->maps_version != key->maps_version || last->numbering != resolver__numbering(r) || key->nr > key->max_stack)
		return 0;
	if (max > last->nr)
		max = last->nr;
	while (nr < max && last->word[nr].word == key->word[key->nr - 1 - nr])
		nr++;
	return nr;
}

/* Room for the words of this chain, which becomes the last one. Without memory it cannot. */
static bool reserve_last(struct numbered_words *last, u64 nr)
{
	struct numbered_word *more;

	if (nr <= last->alloc)
		return true;
	more = reallocarray(last->word, nr, sizeof(*more));
	if (!more)
		return false;
	last->word = more;
	last->alloc = nr;
	return true;
}

/* The frames of the nr outermost words. */
static int add_same(struct callchain *chain, const struct numbered_words *last, u64 nr)
{
	u32 left = nr ? last->word[nr - 1].left : 0;

	if (!left)
		return 0;
	if (callchain__reserve(chain, left))
		return -ENOMEM;
	memcpy(chain->numbers + chain->nr, last->number + last->nr_frames - left, left * sizeof(*last->number));
	chain->nr += left;
	return 0;
}

/* Keep this chain as the last one. Its words are there, from nr_same on with the frames that come before them. */
static void keep_last(const struct callchain *chain, struct numbered_words *last, const struct resolver *r, const struct chain_key *key, u64 nr_same)
{
	if (chain->nr > last->alloc_numbers && reserve_numbers(&last->number, &last->alloc_numbers, chain->nr))
		return;
	if (chain->nr)
		memcpy(last->number, chain->numbers, chain->nr * sizeof(*last->number));
	for (u64 i = nr_same; i < key->nr; i++)
		last->word[i].left = chain->nr - last->word[i].left;
	last->nr = key->nr;
	last->nr_frames = chain->nr;
	last->maps_version = key->maps_version;
	last->numbering = resolver__numbering(r);
}

struct numbering { /* of one chain */
	struct callchain *chain;
	struct resolver *r;
	struct thread *thread;
	const struct chain_key *key;
	struct numbered_words *last;
	u64 i; /* the next word */
	u64 nr_same; /* outermost words whose frames are taken from the last chain */
	u32 nr; /* frames so far, without inlined ones */
	u8 mode; /* of the next word: a cpumode, and FRAME_CALLER unless it is the place, or was interrupted */
	bool calls; /* addresses are already those of calls, see PERF_CONTEXT_USER_CALLS_ */
	bool keep; /* for the next chain */
	bool once; /* numbers of resolver__frames_once() will do */
};

/* Before the word's frame is added. */
static void note_word(const struct numbering *n, u64 i, u32 nr_frames)
{
	if (n->keep)
		n->last->word[n->key->nr - 1 - i] = (struct numbered_word){ n->key->word[i], nr_frames, n->mode };
}

/* Is the next word a return address? */
static void set_mode(struct numbering *n, bool is_caller)
{
	n->mode = is_caller && !n->calls ? n->mode | FRAME_CALLER : n->mode & ~FRAME_CALLER;
}

/* The frames of the next word. */
static int number_word(struct numbering *n, struct frames frames)
{
	const bool is_leaf = !n->nr && n->key->leaf < n->key->nr; /* callers are the same for all of them */

	note_word(n, n->i++, n->chain->nr);
	if (callchain__add_frames(n->chain, frames))
		return -ENOMEM;
	n->nr++;
	if (is_leaf)
		n->chain->nr_leaf = n->chain->nr;
	set_mode(n, !frames.interrupts || is_leaf);
	return 0;
}

/* These known frames are those of the next words. */
static void take_known(struct numbering *n, u32 nr)
{
	struct callchain *chain = n->chain;

	if (!n->nr && nr && n->key->leaf < n->key->nr)
		chain->nr_leaf = 1;
	for (u32 i = 0; i < nr; i++)
		note_word(n, n->i + i, chain->nr + i);
	n->i += nr;
	n->nr += nr;
	chain->nr += nr;
	if (nr)
		set_mode(n, true);
}

/* nr words with addresses, or less if one interrupts. */
static int number_words(struct numbering *n, u32 nr)
{
	const struct chain_key *key = n->key;
	const u64 *word = key->word + n->i;
	const u8 mode = n->mode;
	u32 hash[MAX_FETCHED];
	int ret = 0;

	resolver__hash_frames(n->r, key->maps_version, mode, word, nr, hash);
	for (u32 i = 0; i < nr && !ret && n->mode == mode; i++) {
		u32 known = 0;

		if (!callchain__reserve(n->chain, nr - i))
			known = resolver__known_frames(n->r, key->maps_version, mode, word + i, hash + i, nr - i, n->chain->numbers + n->chain->nr);
		take_known(n, known);
		i += known;
		if (i < nr)
			ret = number_word(n, resolver__frames(n->r, n->thread, key->maps_version, mode, word[i]));
	}
	return ret;
}

/* The same without looking for the addresses among those that are known. */
static int number_words_once(struct numbering *n, u32 nr)
{
	const u64 *word = n->key->word + n->i;
	const u8 mode = n->mode;
	int ret = 0;

	for (u32 i = 0; i < nr && !ret && n->mode == mode; i++) {
		u32 known = 0;

		if (!callchain__reserve(n->chain, nr - i))
			known = resolver__known_once(n->r, n->thread, mode, word + i, nr - i, n->chain->numbers + n->chain->nr);
		take_known(n, known);
		i += known;
		if (i < nr)
			ret = number_word(n, resolver__frames_once(n->r, n->thread, mode, word[i]));
	}
	return ret;
}

/* Words up to the next marker, and no more than are needed. */
static u32 count_words(const struct numbering *n)
{
	const struct chain_key *key = n->key;
	u64 max = key->nr - n->nr_same - n->i, left = key->max_stack - n->nr;
	u32 nr = 0;

	if (max > left)
		max = left;
	if (max > 1 && !(n->mode & FRAME_CALLER) && !n->calls) /* those after it have another mode */
		max = 1;
	while (nr < max && nr < MAX_FETCHED && !IS_MARKER(key->word[n->i + nr]))
		nr++;
	return nr;
}

/* false: the chain is damaged. */
static bool take_marker(struct numbering *n)
{
	u64 marker = n->key->word[n->i];
	int mode;

	note_word(n, n->i, n->chain->nr);
	mode = marker_cpumode(marker);
	n->mode = mode >= 0 ? mode : 0;
	n->calls = marker == PERF_CONTEXT_USER_CALLS_;
	n->i += marker == PERF_CONTEXT_USER_DEFERRED_ ? 2 : 1; /* a cookie follows, no address */
	n->keep &= mode >= 0 && marker != PERF_CONTEXT_USER_DEFERRED_;
	return mode >= 0;
}

/* Can all remaining words be taken from the last chain? If not because of their mode, one less is tried later. */
static bool is_same_from_here(struct numbering *n)
{
	u64 left = n->key->nr - n->i;

	if (left > n->nr_same)
		return false;
	if (n->last->word[left - 1].mode == n->mode) {
		n->nr_same = left;
		return true;
	}
	n->nr_same = left - 1;
	return false;
}

static int number_each(struct numbering *n)
{
	const struct chain_key *key = n->key;
	int ret = 0;

	while (n->i < key->nr && n->nr < key->max_stack && !ret) {
		u32 nr;

		if (is_same_from_here(n))
			return add_same(n->chain, n->last, n->nr_same);
		nr = count_words(n);
		if (nr && n->once && resolver__numbers_once(n->r, n->thread, n->mode)) {
			ret = number_words_once(n, nr);
		} else if (nr) {
			ret = number_words(n, nr);
		} else if (!take_marker(n)) { /* do not trust a damaged chain */
			n->chain->nr = n->chain->nr_leaf = 0;
			break;
		}
	}
	return ret;
}

/* Number all frames; outer ones are taken from the last chain of these maps. */
static int callchain__number_all(struct callchain *chain, struct resolver *r, struct thread *thread, const struct chain_key *key, bool once)
{
	struct numbered_words *last = &chain->last[key->maps_version % ARRAY_SIZE(chain->last)];
	struct numbering n = { .chain = chain, .r = r, .thread = thread, .key = key, .last = last, .mode = key->cpumode,
			       .nr_same = count_same(last, r, key), .once = once, .keep = key->nr <= key->max_stack && reserve_last(last, key->nr) };

	if (!n.keep)
		n.nr_same = 0;
	last->nr = 0;
	if (number_each(&n))
		return -ENOMEM;
	if (n.keep)
		keep_last(chain, last, r, key, n.nr_same);
	return 0;
}

u64 callchain__leaf(const struct perf_sample *sample, u8 *cpumode)
{
	int mode = sample->cpumode;
	u64 at = 0;

	if (sample->nr_callchain && IS_MARKER(sample->callchain[0])) {
		mode = marker_cpumode(sample->callchain[0]);
		at = 1;
	}
	*cpumode = mode;
	if (at >= sample->nr_callchain || mode < 0 || IS_MARKER(sample->callchain[at]) ||
	    sample->callchain[0] == PERF_CONTEXT_USER_DEFERRED_)
		return sample->nr_callchain;
	return at;
}

static int callchain__append(struct callchain *chain, const struct location *from, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		struct location *frame = callchain__add(chain);

		if (!frame)
			return -ENOMEM;
		*frame = from[i];
	}
	chain->frame = chain->room;
	return 0;
}

/*
 * Join the leaf's frames, which are at the start of room, and those of the callers. The word before the callers is scratch space, so most
 * chains need no copy.
 */
static int callchain__join(struct callchain *chain, const struct cached_callers *callers)
{
	chain->nr = chain->nr_leaf;
	if (chain->nr_leaf != 1)
		return callchain__append(chain, callers->frame, callers->nr);
	chain->frame = callers->frame - 1;
	chain->frame[0] = chain->room[0];
	chain->nr += callers->nr;
	return 0;
}

static struct chain_key make_key(struct resolver *r, struct thread *thread, const struct perf_sample *sample, u32 max_stack)
{
	u8 leaf_mode;
	struct chain_key key = {
		.maps_version = resolver__maps_version(r, thread), .max_stack = max_stack, .cpumode = sample->cpumode,
		.word = sample->callchain, .nr = sample->nr_callchain,
		.leaf = max_stack ? callchain__leaf(sample, &leaf_mode) : sample->nr_callchain,
	};

	chain_key__hash(&key);
	return key;
}

/* Number the frame of the interrupted address, and those of the functions inlined there. */
static int callchain__number_leaf(struct callchain *chain, struct resolver *r, struct thread *thread, const struct chain_key *key)
{
	if (key->leaf == key->nr)
		return 0;
	if (callchain__add_ip(chain, r, thread, key->maps_version, leaf_cpumode(key), key->word[key->leaf]))
		return -ENOMEM;
	chain->nr_leaf = chain->nr;
	return 0;
}

static struct cached_callers *callchain__add_callers(struct callchain *chain, const struct chain_key *key)
{
	if (!chain->nr_leaf && key->leaf < key->nr) /* a chain that was dropped as damaged has no frame for its leaf */
		return NULL;
	return callers_cache__add(chain->cache, key, callchain__caller_frames(chain), chain->nr - chain->nr_leaf);
}

static void callchain__empty(struct callchain *chain)
{
	chain->nr = chain->nr_leaf = chain->callers = 0;
	chain->frame = NULL;
	chain->number = NULL;
}

int callchain__locate(struct callchain *chain, const struct resolver *r)
{
	return chain->frame || !chain->number ? 0 : locate(chain, r);
}

/* Without numbers, locate the frames. */
static int set_numbers(struct callchain *chain, struct resolver *r)
{
	if (!resolver__has_numbers(r))
		return locate(chain, r);
	chain->number = chain->numbers ?: &no_number;
	return 0;
}

int callchain__number(struct callchain *chain, struct resolver *r, struct thread *thread, const struct perf_sample *sample,
			    u32 max_stack)
{
	u8 leaf_mode;
	const struct chain_key key = {
		.maps_version = resolver__maps_version(r, thread), .max_stack = max_stack, .cpumode = sample->cpumode,
		.word = sample->callchain, .nr = sample->nr_callchain, .leaf = callchain__leaf(sample, &leaf_mode),
	};

	callchain__empty(chain);
	if (callchain__number_all(chain, r, thread, &key, true))
		return -ENOMEM;
	return set_numbers(chain, r);
}

int callchain__number_place(struct callchain *chain, struct resolver *r, struct thread *thread, const struct perf_sample *sample)
{
	u8 mode;
	u64 leaf = callchain__leaf(sample, &mode);

	callchain__empty(chain);
	if (leaf < sample->nr_callchain) {
		if (callchain__add_frames(chain, resolver__frames_at(r, thread, mode, sample->callchain[leaf])))
			return -ENOMEM;
		chain->nr_leaf = chain->nr;
	}
	return set_numbers(chain, r);
}

void callchain__load_ahead(struct resolver *r, struct thread *thread, const struct perf_sample *sample)
{
	int cpumode = sample->cpumode;

	for (u64 i = 0; i < sample->nr_callchain && cpumode >= 0; i++) {
		u64 ip = sample->callchain[i];

		if (!IS_MARKER(ip))
			resolver__load_ahead(r, thread, cpumode, ip, true);
		else
			cpumode = marker_cpumode(ip);
	}
}

int callchain__resolve(struct callchain *chain, struct resolver *r, struct thread *thread, const struct perf_sample *sample,
		       u32 max_stack)
{
	const struct chain_key key = make_key(r, thread, sample, max_stack);
	struct cached_callers *callers;

	callchain__empty(chain);
	if (!chain->cache)
		chain->cache = callers_cache__new();
	if (!chain->cache)
		return -ENOMEM;
	callers_cache__begin(chain->cache);
	callers = callers_cache__find(chain->cache, &key);
	if (callers ? callchain__number_leaf(chain, r, thread, &key) : callchain__number_all(chain, r, thread, &key, false))
		return -ENOMEM;
	if (locate(chain, r))
		return -ENOMEM;
	callers = callers ?: callchain__add_callers(chain, &key);
	if (!callers) /* a full cache only costs time */
		return 0;
	chain->callers = callers->number;
	return callchain__join(chain, callers);
}

void callchain__drop(struct callchain *chain, u32 nr)
{
	chain->frame += nr;
	chain->nr -= nr;
	chain->number = chain->number ? chain->number + nr : NULL;
	if (nr > chain->nr_leaf)
		chain->callers = 0;
	chain->nr_leaf -= nr < chain->nr_leaf ? nr : chain->nr_leaf;
}

int callchain__drop_unnamed(struct callchain *chain)
{
	const struct location *from = chain->frame;
	const u32 nr = chain->nr, nr_leaf = chain->nr_leaf;

	/* Frames in the cache are copied. Those in room move down, and it is large enough for them. */
	chain->nr = chain->nr_leaf = chain->callers = 0;
	chain->number = NULL;
	for (u32 i = 0; i < nr; i++) {
		const bool has_name = from[i].sym && !from[i].sym->is_unnamed;
		struct location *frame = has_name ? callchain__add(chain) : NULL;

		if (has_name && !frame)
			return -ENOMEM;
		if (!frame)
			continue;
		*frame = from[i];
		chain->nr_leaf += i < nr_leaf;
	}
	chain->frame = chain->room;
	return 0;
}

void callchain__exit(struct callchain *chain)
{
	callers_cache__delete(chain->cache);
	free(chain->room);
	free(chain->numbers);
	for (u32 i = 0; i < ARRAY_SIZE(chain->last); i++) {
		free(chain->last[i].word);
		free(chain->last[i].number);
	}
	*chain = (struct callchain){};
}

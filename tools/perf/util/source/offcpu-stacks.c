// SPDX-License-Identifier: GPL-2.0
#include "util/source/offcpu-stacks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/hash-index.h"
#include "util/lib/hash.h"
#include "util/source/bpf-frames.h"

#define HEAD_SIZE offsetof(struct offcpu_stack, ip)

struct element {
	UT_hash_handle hh, by_contents; /* the second one of the first of equal stacks only */
	u64 contents; /* a hash of what it has */
	u64 first; /* hash of the first stack that is equal */
	struct unwind_ends ends; /* of a stack that was finished in user space; otherwise 0 */
	struct offcpu_stack stack; /* as many of ip as it has */
};

struct offcpu_stacks {
	struct element *elements, *different;
	size_t bytes;
	struct bpf_frames *frames; /* read at the first stack; NULL: unreadable */
	bool frames_read;
};

struct offcpu_stacks *offcpu_stacks__new(void)
{
	return calloc(1, sizeof(struct offcpu_stacks));
}

static unsigned int nr_ips(const struct offcpu_stack *stack)
{
	return stack->nr;
}

static bool is_valid(const struct offcpu_stack *stack, size_t size)
{
	return size >= HEAD_SIZE && stack->nr <= 2 * OFFCPU_MAX_FRAMES && stack->nr_kernel <= stack->nr && size >= HEAD_SIZE + nr_ips(stack) * sizeof(*stack->ip);
}

static u64 hash_contents(const struct offcpu_stack *stack)
{
	u64 hash = hash_mix(stack->nr_kernel, stack->nr);

	for (u32 i = 0; i < stack->nr; i++)
		hash = hash_mix(hash, stack->ip[i]);
	return hash;
}

/* Stacks that were finished in user space have another hash than those that BPF finished. */
static bool find_first(struct offcpu_stacks *stacks, struct element *elt)
{
	const struct offcpu_stack *stack = &elt->stack;
	struct element *same;

	elt->contents = hash_contents(stack);
	elt->first = stack->hash;
	HASH_FIND(by_contents, stacks->different, &elt->contents, sizeof(elt->contents), same);
	if (!same) {
		HASH_ADD(by_contents, stacks->different, contents, sizeof(elt->contents), elt);
		return elt->by_contents.tbl;
	}
	if (same->stack.nr == stack->nr && same->stack.nr_kernel == stack->nr_kernel && !memcmp(same->stack.ip, stack->ip, stack->nr * sizeof(*stack->ip)))
		elt->first = same->stack.hash;
	return true;
}

static void read_frames(struct offcpu_stacks *stacks, struct errmsg *no_names)
{
	if (!stacks->frames_read && bpf_frames__new(NULL, &stacks->frames, no_names))
		errmsg__prefix(no_names, "Stacks begin with frames of perf's own BPF programs");
	stacks->frames_read = true;
}

/* Without its first frames */
static int add(struct offcpu_stacks *stacks, const struct offcpu_stack *sent, unsigned int skip, const struct unwind_ends *finished)
{
	const unsigned int nr = nr_ips(sent) - skip;
	const size_t size = offsetof(struct element, stack.ip) + nr * sizeof(*sent->ip);
	struct element *elt = malloc(size);

	if (!elt)
		return -ENOMEM;
	elt->ends = finished ? *finished : (struct unwind_ends){ 0 };
	memcpy(&elt->stack, sent, HEAD_SIZE);
	memcpy(elt->stack.ip, sent->ip + skip, nr * sizeof(*sent->ip));
	elt->stack.nr_kernel -= skip;
	elt->stack.nr -= skip;
	HASH_ADD(hh, stacks->elements, stack.hash, sizeof(elt->stack.hash), elt);
	if (!hash_added(elt)) {
		free(elt);
		return -ENOMEM;
	}
	if (!find_first(stacks, elt)) {
		HASH_DEL(stacks->elements, elt);
		free(elt);
		return -ENOMEM;
	}
	stacks->bytes += size;
	return 0;
}

int offcpu_stacks__add(struct offcpu_stacks *stacks, const void *data, size_t size, const struct unwind_ends *finished, struct errmsg *no_names)
{
	const struct offcpu_stack *sent = data;

	if (!is_valid(sent, size))
		return -EINVAL;
	if (offcpu_stacks__find(stacks, sent->hash))
		return 0;
	read_frames(stacks, no_names);
	return add(stacks, sent, bpf_frames__leading(stacks->frames, (const u64 *)sent->ip, sent->nr_kernel), finished);
}

int offcpu_stacks__add_read(struct offcpu_stacks *stacks, const struct offcpu_stack *stack)
{
	return offcpu_stacks__find(stacks, stack->hash) ? 0 : add(stacks, stack, 0, NULL);
}

const struct offcpu_stack *offcpu_stacks__find(const struct offcpu_stacks *stacks, __u64 hash)
{
	struct element *elt;

	HASH_FIND(hh, stacks->elements, &hash, sizeof(hash), elt);
	return elt ? &elt->stack : NULL;
}

__u64 offcpu_stacks__first(const struct offcpu_stacks *stacks, __u64 hash)
{
	struct element *elt;

	HASH_FIND(hh, stacks->elements, &hash, sizeof(hash), elt);
	return elt ? elt->first : hash;
}

void offcpu_stacks__for_each_finished(const struct offcpu_stacks *stacks, void (*cb)(void *data, u64 hash, const struct unwind_ends *ends), void *data)
{
	for (const struct element *elt = stacks->elements; elt; elt = elt->hh.next) {
		if (elt->ends.ended)
			cb(data, elt->stack.hash, &elt->ends);
	}
}

size_t offcpu_stacks__nr(const struct offcpu_stacks *stacks)
{
	return HASH_CNT(by_contents, stacks->different);
}

size_t offcpu_stacks__bytes(const struct offcpu_stacks *stacks)
{
	return stacks->bytes + HASH_OVERHEAD(hh, stacks->elements) + HASH_OVERHEAD(by_contents, stacks->different);
}

void offcpu_stacks__delete(struct offcpu_stacks *stacks)
{
	struct element *elt, *next;

	if (!stacks)
		return;
	HASH_CLEAR(by_contents, stacks->different);
	HASH_ITER(hh, stacks->elements, elt, next) {
		HASH_DEL(stacks->elements, elt);
		free(elt);
	}
	bpf_frames__delete(stacks->frames);
	free(stacks);
}

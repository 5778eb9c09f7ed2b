// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/walk.h"

#include <elf.h>

static bool read_memory(const struct unwind_walk *walk, u64 address, __u64 *value)
{
	u64 word;
	bool known = walk->ops->read(walk->context, address, &word);

	*value = word;
	return known;
}

static bool read_register(const struct unwind_walk *walk, u32 number, __u64 *value)
{
	u64 word;
	bool known = walk->ops->reg(walk->context, number, &word);

	*value = word;
	return known;
}

/* What unwind-step.bpf.h asks for */
#define UNWIND_READ(context, address, value) read_memory(context, address, value)
#define UNWIND_REG(context, number, value) read_register(context, number, value)
#define UNWIND_ARM64 (unwind_rules__machine(((const struct unwind_walk *)context)->rules) == EM_AARCH64)
#include "util/bpf_skel/unwind-step.bpf.h"

enum unwind_end unwind_walk__apply(const struct unwind_walk *walk, struct unwind_frame *frame, u32 rule)
{
	return unwind__step((void *)walk, frame, &unwind_rules__array(walk->rules)[rule], walk->ra_mask);
}

enum unwind_end unwind_walk__step(const struct unwind_walk *walk, struct unwind_frame *frame)
{
	u32 rule = UNWIND_RULE_NONE;
	enum unwind_end end = walk->ops->find(walk->context, unwind_frame__pc(frame), &rule);

	return end ?: unwind_walk__apply(walk, frame, rule);
}

enum unwind_end unwind_walk__run(const struct unwind_walk *walk, struct unwind_frame frame, u64 *ips, u32 max, u32 *nr)
{
	enum unwind_end end = UNWIND_GOES_ON;

	for (*nr = 0; !end; end = unwind_walk__step(walk, &frame)) {
		if (*nr == max)
			return UNWIND_DEPTH;
		ips[(*nr)++] = frame.ip;
	}
	return end;
}

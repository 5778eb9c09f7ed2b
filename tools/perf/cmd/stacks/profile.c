// SPDX-License-Identifier: GPL-2.0
#include "cmd/stacks/profile.h"

#include <errno.h>
#include <stdlib.h>
#include "cmd/common/flame-page.h"
#include "util/bpf_skel/tally.h"

int stacks_profile__begin(struct stacks_profile *p, struct errmsg *err)
{
	const struct tally_output_opts opts = { .fp = stdout, .key = TALLY_KEY_COMM | TALLY_KEY_SYM, .weight = FOLDED_SAMPLES };

	int ret = p->flamegraph ? flame_page__check(p->flamegraph, err) : 0;

	if (ret)
		return ret;
	p->lines = p->folded ? tally_formats[TALLY_FOLDED].new(&opts, err) : NULL;
	p->trees = p->flamegraph ? stack_trees__new(1) : NULL;
	if ((p->folded && !p->lines) || (p->flamegraph && !p->trees))
		return errmsg__set(err, ENOMEM, "out of memory");
	return 0;
}

int stacks_profile__add(struct stacks_profile *p, struct thread *thread, const struct callchain *chain)
{
	struct perf_sample one = { .pid = thread->pid, .tid = thread->tid, .count = 1, .period = 1 };
	const struct session_sample sample = { .sample = &one, .thread = thread, .chain = chain };

	p->nr++;
	if (p->lines && p->lines->ops->sample(p->lines, &sample))
		return -ENOMEM;
	if (!p->trees)
		return 0;
	return stack_tree__add(stack_trees__at(p->trees, 0), comm__shown(thread->comm), chain, &sample.loc, 1, 1) ? 0 : -ENOMEM;
}

static int write_page(const struct stacks_profile *p, struct errmsg *err)
{
	const struct profile_event event = {
		.name = "threads", .stacks = stack_trees__at(p->trees, 0), .nr_samples = p->nr, .total_period = p->nr,
	};

	stack_trees__sort(p->trees);
	return flame_page__write(&event, p->flamegraph, err);
}

int stacks_profile__finish(struct stacks_profile *p, struct errmsg *err)
{
	if (p->lines)
		p->lines->ops->finish(p->lines);
	return p->trees ? write_page(p, err) : 0;
}

void stacks_profile__exit(struct stacks_profile *p)
{
	if (p->lines)
		p->lines->ops->delete(p->lines);
	stack_trees__delete(p->trees);
}

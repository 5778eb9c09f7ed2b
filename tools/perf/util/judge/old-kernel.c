// SPDX-License-Identifier: GPL-2.0
#include "util/judge/old-kernel.h"

#include <errno.h>
#include "util/bpf/kernel-btf.h"
#include "util/bpf/first-namespace.h"

bool old_kernel__is(void)
{
	return kernel_offer__probe(KERNEL_PREPARED_SAMPLES) == KERNEL_LACKS ||
	       kernel_offer__probe(KERNEL_KFUNC_CAST) == KERNEL_LACKS;
}

#define OFFER(name) (1u << KERNEL_##name)
#define FILE_LOOKUP (OFFER(BTF) | OFFER(FIND_VMA))

#define NEEDS_HELPERS 0
#define NEEDS_BTF OFFER(BTF)
#define NEEDS_FILES FILE_LOOKUP
#define NEEDS_PREPARED OFFER(PREPARED_SAMPLES)
#define NEEDS(name, shown, bit, guard, group, old, ...) [FILTER_TERM_##name] = NEEDS_##old,

/* What filter-sample-old.bpf.h needs for a term, from filter-terms.h. */
static const u32 needs[FILTER_TERM_KEEP + 1] = { FILTER_FIELDS(NEEDS) FILTER_TESTS(NEEDS) };

static bool kernel_lacks(enum kernel_offer offer)
{
	struct filter_offsets offsets;

	if (offer == KERNEL_BTF)
		return kernel_btf__filter_offsets(&offsets);
	return kernel_offer__probe(offer) == KERNEL_LACKS;
}

static bool refuses_term(u8 term, struct old_kernel_refusal *refusal)
{
	refusal->remedy = "";
	if ((term == FILTER_TERM_TID || term == FILTER_TERM_PID || term == FILTER_TERM_OWN_TID || term == FILTER_TERM_OWN_PID) && !pid_namespace__is_first()) {
		refusal->lacks = KERNEL_PREPARED_SAMPLES;
		refusal->remedy = " Or run perf outside of the container, where ids are those that this kernel tells BPF.";
		return true;
	}
	for (enum kernel_offer offer = 0; offer < KERNEL_OFFER_MAX; offer++) {
		refusal->lacks = offer;
		if (needs[term] & 1u << offer && kernel_lacks(offer))
			return true;
	}
	return false;
}

bool old_kernel__refuses(const struct filter_table *table, struct old_kernel_refusal *refusal)
{
	for (refusal->entry = 0; refusal->entry < table->nr; refusal->entry++) {
		if (refuses_term(table->entry[refusal->entry].term, refusal))
			return true;
	}
	return false;
}

int old_kernel__explain(const struct old_kernel_refusal *refusal, struct errmsg *err)
{
	char why[256];

	return errmsg__set(err, EOPNOTSUPP, "The filter needs %s.%s", kernel_offer__explain(refusal->lacks, why, sizeof(why)),
			   refusal->remedy);
}

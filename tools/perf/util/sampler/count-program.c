// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "counter"
#include "util/sampler/count-program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/bpf_skel/filter.h" /* the skeletons use its types */
#include "util/bpf_skel/count-samples-old.lskel.h"
#include "util/bpf_skel/count-samples16.lskel.h"
#include "util/bpf_skel/count-samples32.lskel.h"
#include "util/bpf_skel/count-samples64.lskel.h"
#include "util/lib/log.h"
#include "util/lib/types.h"
#include "util/sampler/bpf-filter.h"
#include "util/sampler/kernel-btf.h"
#include "util/sampler/kernel-table.h"
#include "util/sampler/old-kernel.h"
#include "util/sampler/program-table.h"
#include "util/sampler/skeleton.h"

#define NOTHING(...)
/* A failure is no matter: old_kernel__refuses() has seen to it that no entry needs them then. */
#define SET_OFFSETS(skel) kernel_btf__filter_offsets(&(skel)->rodata->filter_offsets);
#define DEFINE_PROGRAM(name, set_more)								\
static int load_##name(struct count_program *p, const struct count_program_setup *setup,	\
		       const struct verifier_log *log)						\
{												\
	struct name *skel = name##__open();							\
	int ret;										\
												\
	if (!skel)										\
		return -ENOMEM;									\
	SKELETON_SET_TABLE(skel, setup->table);							\
	skel->rodata->filter_words.own = setup->own;						\
	set_more(skel)										\
	SKELETON_SET_COUNTING(skel, &setup->counting);						\
	skel->rodata->count_config.filtered = setup->table != NULL;				\
	SKELETON_SET_LOG(skel, log);								\
	ret = name##__load(skel);								\
	if (!ret) {										\
		p->filter.prog_fd = take_fd(&skel->progs.count_samples.prog_fd);			\
		p->filter.counts_fd = take_fd(&skel->maps.filter_counts.map_fd);			\
		SKELETON_TAKE_COUNT_MAPS(skel, &p->maps);					\
	}											\
	name##__destroy(skel);									\
	return ret;										\
}
DEFINE_PROGRAM(count_samples16, NOTHING)
DEFINE_PROGRAM(count_samples32, NOTHING)
DEFINE_PROGRAM(count_samples64, NOTHING)
DEFINE_PROGRAM(count_samples_old, SET_OFFSETS)

typedef int (*load_fn)(struct count_program *p, const struct count_program_setup *setup, const struct verifier_log *log);

static load_fn loader_of(const struct filter_table *table)
{
	unsigned int nr = table ? table->nr : 0;

	return nr <= 16 ? load_count_samples16 : nr <= 32 ? load_count_samples32 : load_count_samples64;
}

static const struct count_program nothing = {
	.filter = BPF_FILTER_INIT,
	.maps = COUNT_MAPS_NONE,
};

/* Load once more for the verifier's words. */
static void debug_failed_load(load_fn load, const struct count_program_setup *setup)
{
	struct count_program p = nothing;
	struct verifier_log log;

	if (verifier_log__new(&log))
		return;
	if (!load(&p, setup, &log)) {
		pr_debug("the second attempt to load the program succeeded\n");
		bpf_filter__close(&p.filter);
		count_maps__close(&p.maps);
	}
	verifier_log__tell(&log);
}

static int try_load(load_fn load, struct count_program *p, const struct count_program_setup *setup)
{
	const struct verifier_log no_log = { 0 };
	int ret = load(p, setup, &no_log);

	if (ret && log__enabled(LOG_DEBUG))
		debug_failed_load(load, setup);
	return ret;
}

static int explain_load(int errnum, const struct count_program_setup *setup, struct errmsg *err)
{
	int ret;

	if (errnum == ENOMEM)
		return count_setup__explain_memory(&setup->counting, err);
	ret = bpf_filter__explain_load(errnum, err);
	errmsg__prefix(err, "cannot count samples in the kernel");
	return ret;
}

static int refuse_term(enum filter_term term, const char *what, struct errmsg *err)
{
	const struct filter_table table = { .entry = { { .term = term } }, .nr = 1 };
	struct old_kernel_refusal refusal;
	char why[256];

	if (!old_kernel__refuses(&table, &refusal))
		return 0;
	return errmsg__set(err, EINVAL, "%s needs %s.%s", what, kernel_offer__explain(refusal.lacks, why, sizeof(why)), refusal.remedy);
}

/* Of key and histogram; what the filter asks for has been seen to. */
static int refuse_terms(const struct count_config *config, struct errmsg *err)
{
	int ret = 0;

	if (config->key & (COUNTER_KEY_PID | COUNTER_KEY_TID))
		ret = refuse_term(FILTER_TERM_PID, "Counting by process or thread", err);
	if (!ret && config->hist.kind != HIST_NONE)
		ret = refuse_term(config->hist.number.term, "This histogram", err);
	return ret;
}

static int load_old(struct count_program *p, const struct count_program_setup *setup, struct errmsg *err)
{
	struct old_kernel_refusal refusal;
	int ret;

	if (setup->table && old_kernel__refuses(setup->table, &refusal))
		return old_kernel__explain(&refusal, err);
	ret = refuse_terms(&setup->counting.config, err);
	if (ret)
		return ret;
	ret = try_load(load_count_samples_old, p, setup);
	return ret ? explain_load(-ret, setup, err) : 0;
}

static int load_prepared(struct count_program *p, const struct count_program_setup *setup, struct errmsg *err)
{
	int ret;

	if (setup->old)
		return load_old(p, setup, err);
	ret = try_load(loader_of(setup->table), p, setup);
	if (!ret)
		return 0;
	if (ret == -ENOMEM || *bpf_filter__missing_capabilities() || !old_kernel__is())
		return explain_load(-ret, setup, err);
	pr_debug("this kernel is older than Linux 6.3: trying the program for those\n");
	return load_old(p, setup, err);
}

int count_program__load(struct count_program *p, const struct count_program_setup *setup, struct errmsg *err)
{
	struct count_program_setup with_prepared = *setup;
	struct filter_table *prepared;
	int ret;

	*p = nothing;
	if (!setup->table)
		return load_prepared(p, setup, err);
	ret = program_table__new(setup->table, &prepared, err);
	if (ret)
		return ret;
	with_prepared.table = prepared;
	ret = load_prepared(p, &with_prepared, err);
	free(prepared);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "tally"
#include "util/source/tally-program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/bpf/kernel-btf.h"
#include "util/bpf/kernel-table.h"
#include "util/bpf/programs.h"
#include "util/lib/log.h"
#include "util/lib/types.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/old-kernel.h"
#include "util/judge/program-table.h"
#include "util/source/tally-values.h"
#include "util/source/unwind-tables.h"

static const struct bpf_image *image_for(const struct tally_program_setup *setup)
{
	unsigned int nr = setup->table ? setup->table->nr : 0;

	if (setup->tables)
		return &bpf_image_tally_samples_tables;
	return nr <= 16 ? &bpf_image_tally_samples16 : nr <= 32 ? &bpf_image_tally_samples32 : &bpf_image_tally_samples64;
}

static const struct tally_program nothing = {
	.filter = BPF_FILTER_INIT,
	.maps = TALLY_MAPS_NONE,
	.unwound_fd = -1,
};

static int configure(struct bpf_programs *p, const struct tally_program_setup *setup, struct errmsg *err)
{
	struct tally_config *config = bpf_programs__var(p, "tally_config", NULL);
	struct filter_words *words = bpf_programs__var(p, "filter_words", NULL);
	int ret = program_table__put(setup->table, p, err);

	words->own = setup->own;
	words->clocks = setup->clocks;
	tally_setup__put(&setup->counting, p);
	config->filtered = setup->table != NULL;
	/* A failure does not matter: old_kernel__refuses() has made sure that no entry then needs them. */
	if (bpf_programs__has_var(p, "filter_offsets"))
		kernel_btf__filter_offsets(bpf_programs__var(p, "filter_offsets", NULL));
	return ret ?: tally_values__put(setup->counting.values, p, err);
}

/* -EDOM, with a message: it cannot read some term of the filter */
static int try_load(const struct bpf_image *image, struct tally_program *program, const struct tally_program_setup *setup, struct errmsg *err)
{
	struct bpf_programs *p = bpf_programs__open(image);
	int ret;

	if (!p)
		return -ENOMEM;
	ret = configure(p, setup, err);
	if (!ret && setup->tables)
		ret = unwind_tables__share(setup->tables, p);
	if (!ret)
		ret = bpf_filter__share_marks(p, setup->marks) ?: bpf_programs__load(p);
	if (!ret) {
		program->filter.prog_fd = bpf_programs__take_prog(p, "tally_samples");
		program->filter.counts_fd = bpf_programs__take_map(p, "filter_counts");
		tally_maps__take(&program->maps, p);
		if (setup->tables)
			program->unwound_fd = bpf_programs__take_map(p, "unwind_counts");
	}
	bpf_programs__delete(p);
	return ret;
}

static int explain_load(int errnum, const struct tally_program_setup *setup, struct errmsg *err)
{
	int ret;

	if (errnum == ENOMEM)
		return tally_setup__explain_memory(&setup->counting, err);
	ret = bpf_filter__explain_program(errnum, err);
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

/* Sample type for key and histogram; the filter's part is set elsewhere. */
static int refuse_terms(const struct tally_config *config, struct errmsg *err)
{
	int ret = 0;

	if (config->key & (TALLY_KEY_PID | TALLY_KEY_TID))
		ret = refuse_term(FILTER_TERM_PID, "Counting by process or thread", err);
	if (!ret && config->histogram.kind != HISTOGRAM_NONE)
		ret = refuse_term(config->histogram.number.term, "This histogram", err);
	return ret;
}

static int load_old(struct tally_program *p, const struct tally_program_setup *setup, struct errmsg *err)
{
	struct old_kernel_refusal refusal;
	int ret;

	if (setup->table && old_kernel__refuses(setup->table, &refusal))
		return old_kernel__explain(&refusal, err);
	ret = refuse_terms(&setup->counting.config, err);
	if (ret)
		return ret;
	ret = try_load(setup->tables ? &bpf_image_tally_samples_tables_old : &bpf_image_tally_samples_old, p, setup, err);
	return ret && ret != -EDOM ? explain_load(-ret, setup, err) : ret;
}

static int load_prepared(struct tally_program *p, const struct tally_program_setup *setup, struct errmsg *err)
{
	int ret;

	if (setup->old)
		return load_old(p, setup, err);
	ret = try_load(image_for(setup), p, setup, err);
	if (!ret || ret == -EDOM)
		return ret;
	if (setup->tables && unwind_tables__explain(err))
		return -EOPNOTSUPP;
	if (ret == -ENOMEM || *bpf_filter__missing_capabilities() || !old_kernel__is())
		return explain_load(-ret, setup, err);
	pr_debug("this kernel is older than Linux 6.3: trying the program for those\n");
	return load_old(p, setup, err);
}

int tally_program__load(struct tally_program *p, const struct tally_program_setup *setup, struct errmsg *err)
{
	struct tally_program_setup with_prepared = *setup;
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

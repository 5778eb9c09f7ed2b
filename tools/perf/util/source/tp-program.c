// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "tp-program"

#include "util/source/tp-program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/percpu-map.h"
#include "util/bpf/programs.h"
#include "util/bpf_skel/target.h"
#include "util/lib/fs.h"
#include "util/judge/bpf-filter.h"
#include "util/source/bpf-target.h"
#include "util/judge/program-table.h"

static const struct bpf_image *const images[] = {
	[TP_SYSCALL_ENTER] = &bpf_image_tp_enter,
	[TP_SYSCALL_EXIT] = &bpf_image_tp_exit,
	[TP_OTHER] = &bpf_image_tp_any,
};

static void configure(struct bpf_programs *p, const struct tp_program_setup *setup, const struct target_config *target)
{
	program_table__put(setup->table, p);
	bpf_programs__set(p, "sample_layout", setup->layout);
	bpf_programs__set(p, "target_config", *target);
	bpf_programs__set(p, "tp_config", *setup->config);
	if (setup->counting)
		tally_setup__put(setup->counting, p);
	bpf_programs__resize(p, "tp_ring", setup->ring_size);
	bpf_programs__resize(p, "target_seeds", bpf_target__nr_seeds(setup->target));
}

static void take_fds(struct tp_program *program, const struct tp_program_setup *setup, struct bpf_programs *p)
{
	program->record_fd = bpf_programs__take_prog(p, "tp_record");
	program->fork_fd = bpf_programs__take_prog(p, "target_fork");
	program->seed_fd = bpf_programs__take_prog(p, "target_seed");
	program->ring_fd = bpf_programs__take_map(p, "tp_ring");
	program->counts_fd = bpf_programs__take_map(p, "tp_counts");
	program->seeds_fd = bpf_programs__take_map(p, "target_seeds");
	program->bss_fd = bpf_programs__take_map(p, "bss");
	if (setup->counting)
		tally_maps__take(&program->counting, p);
}

static int load(struct tp_program *program, const struct tp_program_setup *setup, const struct target_config *target)
{
	struct bpf_programs *p = bpf_programs__open(images[setup->kind]);
	int ret;

	if (!p)
		return -ENOMEM;
	configure(p, setup, target);
	ret = bpf_programs__load(p);
	if (!ret)
		take_fds(program, setup, p);
	bpf_programs__delete(p);
	return ret;
}

int tp_program__load(struct tp_program *p, const struct tp_program_setup *setup, struct errmsg *err)
{
	struct target_config target;
	int ret;

	ret = bpf_target__configure(setup->target, &target, err);
	if (ret)
		return ret;
	ret = load(p, setup, &target);
	if (!ret)
		return 0;
	if (ret == -ENOMEM && setup->counting)
		return tally_setup__explain_memory(setup->counting, err);
	if (ret == -ENOMEM)
		return errmsg__set(err, ENOMEM, "not enough memory for a ring buffer of %zu bytes: take a smaller one (-m)",
				   setup->ring_size);
	return bpf_filter__explain_load(-ret, err);
}

int tp_program__counts(const struct tp_program *p, struct tp_counts *sum, u64 *untracked, struct errmsg *err)
{
	struct tp_counts *percpu;
	u32 zero = 0;
	int nr_cpus;

	if (bpf_map_lookup_elem(p->bss_fd, &zero, untracked))
		return errmsg__set(err, errno, "cannot read the counts of a tracepoint: %s", strerror(errno));
	percpu = percpu_map__read(p->counts_fd, 0, sizeof(*percpu), &nr_cpus, "the counts of a tracepoint", err);
	if (!percpu)
		return -errno;
	*sum = (struct tp_counts){ 0 };
	for (int i = 0; i < nr_cpus; i++) {
		sum->kept += percpu[i].kept;
		sum->filter.dropped += percpu[i].filter.dropped;
		sum->lost += percpu[i].lost;
	}
	free(percpu);
	return 0;
}

void tp_program__close(struct tp_program *p)
{
	const int fds[] = { p->record_fd, p->fork_fd, p->seed_fd, p->ring_fd, p->counts_fd, p->seeds_fd, p->bss_fd };

	fs__close_many(fds, ARRAY_SIZE(fds));
	tally_maps__close(&p->counting);
	*p = TP_PROGRAM_NONE;
}

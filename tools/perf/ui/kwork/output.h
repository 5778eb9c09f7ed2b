/* SPDX-License-Identifier: GPL-2.0 */
/* What perf kwork prints, in the layouts of other perfs: scripts read them. */
#ifndef PERF_UI_KWORK_OUTPUT_H
#define PERF_UI_KWORK_OUTPUT_H

#include <stdio.h>
#include "ui/kwork/rows.h"

struct kwork_machine { /* all CPUs that were watched; starts zeroed */
	struct kwork_cpu_times *cpu;
	u32 nr_cpus;
};

int kwork_machine__add(struct kwork_machine *m, const struct kwork_cpu_times *times); /* 0 or -ENOMEM */
void kwork_machine__exit(struct kwork_machine *m);

struct kwork_summary { /* of rows that were printed */
	u64 count, ns;
};

/* Tables of runs, or of waits; stages: also how long works waited for the limit of their workqueue. Rows without any are left out. */
void kwork_output__report(FILE *fp, struct kwork_shown *const *rows, size_t nr, struct kwork_summary *sum);
void kwork_output__latency(FILE *fp, struct kwork_shown *const *rows, size_t nr, bool stages);
void kwork_output__summary(FILE *fp, const struct kwork_summary *sum, const struct kwork_machine *m);

/* Runs as they end */
void kwork_output__timehist_header(FILE *fp);
void kwork_output__timehist(FILE *fp, const struct kwork_record *record, const char *name);

/* Shares of CPUs, and the tasks that had them. */
void kwork_output__top(FILE *fp, struct kwork_shown *const *rows, size_t nr, const struct kwork_machine *m);

/* What the numbers lack, or hold besides, if there is anything to say; on the standard error. */
void kwork_output__notes(const struct kwork_totals *totals, bool verbose);

#endif

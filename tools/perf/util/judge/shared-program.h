/* SPDX-License-Identifier: GPL-2.0 */
/* The program of the shared engine and its two maps: root loads it, and it runs on the table that a user writes. */
#ifndef PERF_JUDGE_SHARED_PROGRAM_H
#define PERF_JUDGE_SHARED_PROGRAM_H

#include <stdbool.h>
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"

struct shared_program {
	int prog_fd, table_fd, counts_fd;
};

/* Needs CAP_BPF and CAP_PERFMON. */
int shared_program__load(struct shared_program *program, struct errmsg *err);
void shared_program__close(const struct shared_program *program);
/* Is it the one for kernels before Linux 6.3? Then call old_kernel__refuses() before you write a table. */
bool shared_program__is_old(int prog_fd);

/* Can the loaded program read all that the table tests? -EDOM with a message: no; -ENOMEM */
int shared_program__check(int prog_fd, const struct filter_table *table, struct errmsg *err);
/* Judge samples by table from now on, and count from 0; epoch is not 0, and differs from those of all earlier tables. -errno */
int shared_program__write(int table_fd, const struct filter_table *table, u64 epoch);

#endif

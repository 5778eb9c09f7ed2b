/* SPDX-License-Identifier: GPL-2.0 */
/* The program of the shared engine and its two maps: loaded by root, run on the table that a user writes. */
#ifndef PERF_JUDGE_SHARED_PROGRAM_H
#define PERF_JUDGE_SHARED_PROGRAM_H

#include <stdbool.h>
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"

struct shared_program {
	int prog_fd, table_fd, counts_fd;
};

/* Takes CAP_BPF and CAP_PERFMON. */
int shared_program__load(struct shared_program *program, struct errmsg *err);
void shared_program__close(const struct shared_program *program);
/* Whether it is the one for kernels before Linux 6.3: ask old_kernel__refuses() before you write a table. */
bool shared_program__is_old(int prog_fd);

/* Samples from now on are judged by table and counted from 0; epoch is not 0, and another one than of all tables before. -errno */
int shared_program__write(int table_fd, const struct filter_table *table, u64 epoch);

#endif

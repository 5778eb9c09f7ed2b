/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks up functions and files for filters: those of the running kernel in kallsyms, those of programs and libraries in their ELF
 * files. Keeps what it loaded until the lookup is deleted.
 */
#ifndef PERF_JUDGE_CODE_LOOKUP_H
#define PERF_JUDGE_CODE_LOOKUP_H

#include <sys/types.h>
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"

struct code_lookup;

struct code_scope {	     /* where to search functions that are named without a file */
	const char *program; /* a command that will be run; NULL: none */
	const pid_t *pids;   /* processes */
	int nr_pids;
};

/* scope must outlive the lookup. NULL: out of memory */
struct code_lookup *code_lookup__new(const struct code_scope *scope);
void code_lookup__delete(struct code_lookup *l);

/* Callbacks of struct filter_env; data is the lookup. */
int code_lookup__for_each_symbol(void *data, const char *dso, int (*cb)(void *arg, const struct filter_symbol *sym), void *arg,
				 const char **scope, struct errmsg *err);
int code_lookup__identify_file(void *data, const char *path, struct filter_file_id *id, struct errmsg *err);

#endif

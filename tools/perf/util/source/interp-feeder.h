/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tells the programs that unwind user stacks which files have interpreters (bpf_skel/interp.h), and takes the names of functions that they send.
 */
#ifndef PERF_SOURCE_INTERP_FEEDER_H
#define PERF_SOURCE_INTERP_FEEDER_H

#include "util/bpf/programs.h"
#include "util/interp/names.h"
#include "util/lib/errmsg.h"

struct interp_choice {
	enum interp_mode mode;
	struct interp_names *names; /* where names of functions go; NULL with INTERP_OFF */
};

struct interp_feeder;

/* programs: loaded from bpf_image_unwind_tables. They and names must outlive the feeder. */
int interp_feeder__new(const struct bpf_programs *programs, struct interp_names *names, struct interp_feeder **feeder, struct errmsg *err);
void interp_feeder__delete(struct interp_feeder *feeder); /* NULL is fine */

/* Before programs are loaded: make them use the maps of tables. -errno */
int interp_feeder__share(const struct bpf_programs *tables, enum interp_mode mode, struct bpf_programs *programs);

/* What is in an opened file: *file. false: no interpreter, or none that we know; also without a feeder, or a file (-1). */
bool interp_feeder__recognise(struct interp_feeder *feeder, int fd, struct interp_file *file);
/* For struct unwind_file: the number that such a file has, or gets now if it is new or has lost its place, and 1. 0: none */
u32 interp_feeder__number(struct interp_feeder *feeder, const struct interp_file *file);

/* How many files have an interpreter that is not known; if there are some, text says what is the matter with the first one. */
u64 interp_feeder__unread(const struct interp_feeder *feeder, char *text, size_t size);
/* How many functions have no name, as there was no room for it */
u64 interp_feeder__refused(const struct interp_feeder *feeder);
/* Readable when programs have sent many functions; -1: no feeder */
int interp_feeder__fd(const struct interp_feeder *feeder);
/* Take what programs have sent so far. 0, also without a feeder, or -errno */
int interp_feeder__take(struct interp_feeder *feeder);

#endif

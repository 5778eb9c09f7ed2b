/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_SOURCE_UNWIND_LISTING_H
#define PERF_SOURCE_UNWIND_LISTING_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/bpf/programs.h"
#include "util/bpf_skel/unwind-sample.h"

/*
 * The files with code that this process has mapped, or with pid 0 all processes: the kernel runs the program unwind_list of
 * bpf_image_unwind_tables on each mapping. cb returns true to stop. 0 or -errno
 */
int unwind_listing__read(struct bpf_programs *programs, pid_t pid, bool (*cb)(void *data, const struct unwind_mapping *m), void *data);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the arguments of a call that goes on point to, read from outside as far as ptrace(2) allows: BPF programs read the memory of the current
 * task only, and that one is perf.
 */
#ifndef PERF_SOURCE_TRACE_MEMORY_H
#define PERF_SOURCE_TRACE_MEMORY_H

#include <stddef.h>
#include "util/source/trace-opts.h"

/*
 * Put copies behind a call of `room` bytes in all, in the form of those of BPF programs: texts and structs that the kernel reads, files of descriptors, with the
 * addresses of sockets.
 * What it fills has no value yet. Sets call->bytes and nr_copies.
 */
void trace_memory__copy(struct trace_call *call, size_t room, const struct trace_opts *opts);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Attaches a BPF program to a tracepoint. */
#ifndef PERF_SOURCE_TP_ATTACH_H
#define PERF_SOURCE_TP_ATTACH_H

#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/source/tp-layout.h"

/* id: of the tracepoint. The program is attached until *link, a descriptor, is closed. After an error that is -1. */
int tp_attach(enum tp_kind kind, u64 id, int prog_fd, int *link, struct errmsg *err);

/*
 * Hits, of anybody, for which the kernel did not run the program because the CPU was running one already. 0 before Linux 5.12, which
 * does not tell; prog_fd may be -1.
 */
u64 tp_missed(int prog_fd);

#endif

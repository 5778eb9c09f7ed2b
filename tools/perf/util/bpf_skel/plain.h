/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* All headers that BPF programs share with user space: plain data, whose types the skeletons use. */
#ifndef PERF_BPF_PLAIN_H
#define PERF_BPF_PLAIN_H

#include "counters.h"
#include "tally.h"
#include "filter.h"
#include "histogram.h"
#include "interp.h"
#include "kwork.h"
#include "sched.h"
#include "snapshot.h"
#include "offcpu.h"
#include "sample-encode.h"
#include "target.h"
#include "tp.h"
#include "unwind-sample.h"
#include "trace.h"
#include "unwind.h"

#endif

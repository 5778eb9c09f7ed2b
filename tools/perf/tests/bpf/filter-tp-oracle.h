/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Input and output of the programs of the oracle test for tracepoints. */
#ifndef PERF_TESTS_FILTER_TP_ORACLE_H
#define PERF_TESTS_FILTER_TP_ORACLE_H

#include "util/bpf_skel/filter.h"

#define TP_ORACLE_SAMPLES 50

struct tp_oracle_case {
	__u64 record[FILTER_RECORD_WORDS];
	__u64 mode;
	__u64 every; /* initial value of each count for every */
	__u32 accepted;
	__u32 judged; /* times: to know that the verdict is one */
};

#endif

/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Input and output of the oracle test's programs. */
#ifndef PERF_TESTS_FILTER_ORACLE_H
#define PERF_TESTS_FILTER_ORACLE_H

#include "util/bpf_skel/filter.h"

#define ORACLE_SAMPLES 50

struct oracle_case {
	struct filter_sample sample;
	__u32 accepted;
	__u32 judged; /* times: to know that the verdict is one */
};

#endif

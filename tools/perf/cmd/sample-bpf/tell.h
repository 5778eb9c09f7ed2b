/* SPDX-License-Identifier: GPL-2.0 */
/* The results and messages of perf sample-bpf after a recording. */
#ifndef PERF_CMD_SAMPLE_BPF_TELL_H
#define PERF_CMD_SAMPLE_BPF_TELL_H

#include "cmd/sample-bpf/options.h"

/* A record_tell; recording must be that of a struct sample_bpf_options. */
void sample_bpf_tell__result(struct record_options *recording, const struct record_result *result);

#endif

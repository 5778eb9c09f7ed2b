/* SPDX-License-Identifier: GPL-2.0 */
/* What perf top makes of counted samples: tables of text, or the browser of perf report in a thread of its own. */
#ifndef PERF_CMD_TOP_OUTPUT_H
#define PERF_CMD_TOP_OUTPUT_H

#include "cmd/top/options.h"

/* o must outlive it. NULL after a message. */
struct tally_output *top_output__new(struct top_options *o);

#endif

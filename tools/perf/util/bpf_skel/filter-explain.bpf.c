// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* For verbose recordings, of any size: the time to load a large program is of no matter there. */
#define FILTER_SLOTS 64
#define FILTER_EXPLAIN
#define FILTER_SENDS
#include "filter.bpf.h"

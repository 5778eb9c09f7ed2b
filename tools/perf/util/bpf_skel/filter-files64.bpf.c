// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* For tables that ask for files. */
#define FILTER_SLOTS 64
#define FILTER_SENDS_UNDECIDED
#include "filter.bpf.h"

// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
#define FILTER_SLOTS 64
#define FILTER_OLD_KERNEL
#define FILTER_EXPLAIN
#include "filter.bpf.h"

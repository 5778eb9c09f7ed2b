// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
#define FILTER_SLOTS 64
#include "count-samples.bpf.h"

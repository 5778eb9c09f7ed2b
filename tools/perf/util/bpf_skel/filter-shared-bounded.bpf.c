// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* For kernels before 6.9. */
#define FILTER_BOUNDED_LOOP
#include "filter-shared.bpf.h"

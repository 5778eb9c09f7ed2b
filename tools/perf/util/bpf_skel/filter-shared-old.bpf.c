// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* For kernels before Linux 6.3. */
#define FILTER_BOUNDED_LOOP
#define FILTER_OLD_KERNEL
#include "filter-shared.bpf.h"

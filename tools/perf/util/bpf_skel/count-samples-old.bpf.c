// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* For kernels before Linux 6.3. */
#define FILTER_SLOTS 64
#define FILTER_OLD_KERNEL
#include "count-samples.bpf.h"

// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* For kernels before Linux 6.3. One size: what unused slots cost at load matters less than a program more. */
#define FILTER_SLOTS 64
#define FILTER_OLD_KERNEL
#include "filter.bpf.h"

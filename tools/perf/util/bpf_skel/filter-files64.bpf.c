// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* For tables that ask for files, and for events whose samples may be another's. */
#define FILTER_SLOTS 64
#define FILTER_SENDS
#include "filter.bpf.h"

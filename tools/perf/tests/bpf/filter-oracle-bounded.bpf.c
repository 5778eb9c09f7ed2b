// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
#define ORACLE_SHARED
#define FILTER_BOUNDED_LOOP
#include "tests/bpf/filter-oracle.bpf.h"

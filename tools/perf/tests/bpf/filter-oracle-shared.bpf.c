// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
#define ORACLE_SHARED
#include "tests/bpf/filter-oracle.bpf.h"

/* SPDX-License-Identifier: GPL-2.0 */
/* Where CPython has what we read of it. */
#ifndef PERF_INTERP_PYTHON_LAYOUT_H
#define PERF_INTERP_PYTHON_LAYOUT_H

#include "util/bpf_skel/interp.h"
#include "util/lib/types.h"

/* version: PY_VERSION_HEX >> 16, 0x30b is 3.11. NULL: that is not known. */
const struct python_layout *python_layout__of(u32 version);

#endif

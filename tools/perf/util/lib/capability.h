/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_LIB_CAPABILITY_H
#define PERF_LIB_CAPABILITY_H

#include <stdbool.h>

/* Does this process have the capability (CAP_* of <linux/capability.h>) in effect? Also true if unknown. */
bool capability__has(int cap);

#endif

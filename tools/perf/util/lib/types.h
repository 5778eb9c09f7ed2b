/* SPDX-License-Identifier: GPL-2.0 */
/* Short names for fixed-size integers, as the kernel spells them, and the few macros used everywhere. */
#ifndef PERF_LIB_TYPES_H
#define PERF_LIB_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ALIGN_UP(x, a) (((x) + ((a) - 1)) & ~((__typeof__(x))(a) - 1))

#endif

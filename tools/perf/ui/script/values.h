/* SPDX-License-Identifier: GPL-2.0 */
/* Values of a sample in perf script's words. */
#ifndef PERF_UI_SCRIPT_VALUES_H
#define PERF_UI_SCRIPT_VALUES_H

#include "util/lib/text.h"
#include "util/perfdata/features.h"
#include "util/perfdata/sample.h"

/* " ABI:2    AX:0x0 "; nothing without registers. arch: as for reg_name() */
void script_value__regs(struct text *text, const char *arch, const u64 *regs, u64 abi, u64 mask);
/* "K     ": the bits of a record's header.misc by their letters */
void script_value__misc(struct text *text, u16 misc, u32 record_type);
/* "2026-11-21 08:05:01.123456" for a time of the recording's clock; the features must have CLOCK_DATA */
void script_value__time_of_day(struct text *text, const struct perfdata_features *features, u64 time, bool ns);
/* The bits of data_src in hex and in words, padded to *width, which may grow. */
void script_value__data_src(struct text *text, u64 data_src, size_t *width);
/* " 4K", " N/A" */
void script_value__page_size(struct text *text, u64 size);
/* The output of a BPF program, on separate lines. */
void script_value__bpf_output(struct text *text, const void *raw, u32 size);

#endif

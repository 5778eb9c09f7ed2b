/* SPDX-License-Identifier: GPL-2.0 */
/* Fields of formats as filters know them. */
#ifndef PERF_EVENT_TP_FIELD_H
#define PERF_EVENT_TP_FIELD_H

#include "util/bpf_skel/filter.h"

struct tep_format_field;

struct filter_field_desc tp_field__describe(const struct tep_format_field *field);

#endif

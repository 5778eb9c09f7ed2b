/* SPDX-License-Identifier: GPL-2.0 */
/* Records in words, as perf script shows them with --show-...-events and -D. */
#ifndef PERF_UI_DUMP_RECORD_H
#define PERF_UI_DUMP_RECORD_H

#include <stdio.h>
#include "util/session/session.h"

/* One line "PERF_RECORD_COMM exec: wl:12806/12806", with its newline. Records that are not samples. */
void perf_record__fprintf(FILE *fp, const union perf_record *record, const struct perf_sample *id);

/* -D: "0x108@perf.data [0x50]: event: 69", then all bytes in hex. */
void perf_record__fprintf_raw(FILE *fp, const char *path, const union perf_record *record, u64 file_offset);

/* -D: the line after the bytes: cpu and time as far as attr has them, place, contents. */
void perf_record__fprintf_dump(FILE *fp, const struct perf_event_attr *attr, const union perf_record *record,
			       const struct perf_sample *id, u64 file_offset);
/* The same for a sample: all that it carries. arch: as for reg_name() */
void sample__fprintf_dump(FILE *fp, const struct session_sample *sample, const char *arch);
/* -D: two more lines, with its thread and dso. A record with values of several events stands for a sample of each. */
void perf_record__fprintf_read(FILE *fp, const struct session_event *event, const union perf_record *record,
			       const struct perf_sample *id, u64 file_offset);
void sample__fprintf_owner(FILE *fp, const struct session_sample *sample);

/* "0 12345 0x298 [0x28]: ", the beginning of such lines */
void perf_record__fprintf_place(FILE *fp, const struct perf_event_attr *attr, const union perf_record *record,
				const struct perf_sample *id, u64 file_offset);

#endif

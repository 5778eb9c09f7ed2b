/* SPDX-License-Identifier: GPL-2.0 */
/* The options of perf record for when events count, and by which clock. */
#ifndef PERF_CMD_RECORD_TIMING_H
#define PERF_CMD_RECORD_TIMING_H

#include "util/lib/options.h"
#include "util/record/record.h"

/* Rows for a table of options; o is a struct record_opts with static storage. */
#define RECORD_OPTIONS_TIMING(o) \
	OPT_CALLBACK('D', "delay", &(o), "ms", \
		     "start counting after this time, or (-1) when --control says enable; from-to,...: count in these spans only", \
		     record_timing__parse_delay), \
	OPT_CALLBACK(0, "control", &(o), "fd:in[,ack]|fifo:in[,ack]", \
		     "read commands: enable or disable (with an event's name, if you like), evlist, ping, stop", \
		     record_timing__parse_control), \
	OPT_CALLBACK('k', "clockid", &(o), "clock", \
		     "use this clock: monotonic, monotonic_raw, boottime, realtime, tai, or its number", record_timing__parse_clock)

int record_timing__parse_delay(const struct option_row *row, const char *arg, bool unset);
int record_timing__parse_control(const struct option_row *row, const char *arg, bool unset);
int record_timing__parse_clock(const struct option_row *row, const char *arg, bool unset);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libtraceevent (1.7) trusts formats: some wrong ones make it divide by zero, follow a NULL pointer, run for ever, or lose memory.
 * They come from files, so a child goes first; what it does not live to judge is not for us.
 */
#ifndef PERF_EVENT_TP_TRIAL_H
#define PERF_EVENT_TP_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * To be called before a format that has passed is parsed. libtraceevent keeps it from one format to the next if one has spoken of flags
 * or symbols of no field: the next field that is named takes them, and if it is unknown it is a NULL pointer that does.
 */
void tp_trial__settle(void);

/* Does tp_trial__judge() in a child say yes? Also false if there can be no child. */
bool tp_trial__passes(int long_size, const char *sys, const char *format, size_t size);

/*
 * Is all of this format understood, with the event's id where every event has it, and no longer than formats are? Are the texts of its
 * records bounded (tp-text.h)? Anything may happen here to the process that asks.
 * libtraceevent takes that place from whichever event it knows first, and cannot forget one again: a handle of its own is used.
 */
bool tp_trial__judge(int long_size, const char *sys, const char *format, size_t size);

#endif

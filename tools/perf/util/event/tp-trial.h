/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libtraceevent (1.7) trusts formats: some malformed ones make it divide by zero, follow a NULL pointer, run forever, or leak
 * memory. Formats come from files, so a child process tries them first; refuse a format that the child does not survive.
 */
#ifndef PERF_EVENT_TP_TRIAL_H
#define PERF_EVENT_TP_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Call it before parsing a format that has passed. libtraceevent keeps the flags or symbols of a format if they have no field: the
 * next named field gets them, and an unknown field is a NULL pointer.
 */
void tp_trial__settle(void);

/* Does tp_trial__judge() return true in a child? Also false if there can be no child. */
bool tp_trial__passes(int long_size, const char *sys, const char *format, size_t size);

/*
 * Is the format parsed completely, does it have the event's id at the usual offset, and the usual maximum length? Are the texts of
 * its records bounded (tp-text.h)? The calling process may crash. Uses a separate handle, as libtraceevent takes that offset from
 * the first event, and cannot forget an event.
 */
bool tp_trial__judge(int long_size, const char *sys, const char *format, size_t size);

#endif

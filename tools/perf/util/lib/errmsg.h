/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a library function explains a failure: it returns -errno and, when the caller passed an errmsg, leaves one
 * text there: the cause, and where there is one the remedy. Commands print it; libraries never print.
 */
#ifndef PERF_LIB_ERRMSG_H
#define PERF_LIB_ERRMSG_H

struct errmsg {
	char text[1024]; /* no trailing newline; may hold several lines */
};

/* Fill err->text (err may be NULL) and return -errnum (errnum > 0), so that `return errmsg__set(...)` reads well. */
int errmsg__set(struct errmsg *err, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Put "prefix: " before the text that is there; for callers that know more of the circumstances. */
void errmsg__prefix(struct errmsg *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a library function explains a failure: it returns -errno and, when the caller passed an errmsg, sets its text: the cause, and
 * the remedy if there is one. Commands print it; libraries never print.
 */
#ifndef PERF_LIB_ERRMSG_H
#define PERF_LIB_ERRMSG_H

#include <stdarg.h>

struct errmsg {
	char text[1024]; /* no trailing newline; may hold several lines */
};

/* Fill err->text (err may be NULL) and return -errnum (errnum > 0), so that `return errmsg__set(...)` reads well. */
int errmsg__set(struct errmsg *err, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Prepend "prefix: " to the text; for callers that know more about the circumstances. */
void errmsg__prefix(struct errmsg *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * For mistakes in a text that the user wrote: "domain: message", then the text on a line of its own, then a line with a mark under
 * its bytes [begin, end); one column is marked if end is not above begin. begin may be strlen(text): something is missing at the
 * end. Of a long text only the part around begin is shown; text is UTF-8. err may be NULL. Returns -errnum.
 */
int errmsg__vset_at(struct errmsg *err, int errnum, const char *domain, const char *text, unsigned int begin,
		    unsigned int end, const char *fmt, va_list ap) __attribute__((format(printf, 7, 0)));

#endif

// SPDX-License-Identifier: GPL-2.0
#include "util/lib/errmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int errmsg__set(struct errmsg *err, int errnum, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
	}
	return -errnum;
}

void errmsg__prefix(struct errmsg *err, const char *fmt, ...)
{
	char prefix[sizeof(err->text)], old[sizeof(err->text)];
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	vsnprintf(prefix, sizeof(prefix), fmt, ap);
	va_end(ap);
	memcpy(old, err->text, sizeof(old));
	/* Cut a text that does not fit at its end: the prefix names the place, which is more useful. */
	if (snprintf(err->text, sizeof(err->text), "%s: %s", prefix, old) < 0)
		err->text[0] = '\0';
}

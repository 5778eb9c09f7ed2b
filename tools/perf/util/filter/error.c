// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include "util/filter/ast.h"

int filter__error(const struct filter *f, struct filter_loc loc, struct errmsg *err, int errnum, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	/* One caret: the place of a test is often the whole of it, and its beginning says enough. */
	errmsg__vset_at(err, errnum, f->domain, f->text, loc.begin, loc.begin, fmt, ap);
	va_end(ap);
	return -errnum;
}

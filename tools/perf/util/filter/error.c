// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include "util/filter/ast.h"

int filter__error(const struct filter *f, struct filter_loc loc, struct errmsg *err, int errnum, const char *fmt, ...)
{
	const struct filter_part *part = &f->part[f->nr_parts - 1];
	unsigned int at;
	va_list ap;

	while (part->begin > loc.begin)
		part--;
	at = loc.begin - part->begin;
	va_start(ap, fmt);
	/* One caret: the range of a test is often the whole text, and its beginning suffices. */
	errmsg__vset_at(err, errnum, part->domain, f->text + part->begin, at, at, fmt, ap);
	va_end(ap);
	return -errnum;
}

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_EVENT_TP_PRINT_H
#define PERF_EVENT_TP_PRINT_H

#include "util/event/tp-eval.h"
#include "util/lib/text.h"

/* Add the text of the record. false: it cannot be evaluated, or is too long; the caller removes what was added. */
bool tp_print__record(const struct tp_print *print, const struct tp_record *rec, struct text *out);
/* Add what one conversion prints of its argument. */
bool tp_print__conversion(const struct tp_record *rec, const struct tp_conversion *c, struct text *out);
/* The conversion that prints nothing but this field; NULL: there is none. */
const struct tp_conversion *tp_print__of_field(const struct tp_print *print, const struct tep_format_field *field);
/* That of a field, or of the elements of an array: its kind. 0: there is none */
char tp_print__kind(const struct tp_print *print, const struct tep_format_field *field);

#endif

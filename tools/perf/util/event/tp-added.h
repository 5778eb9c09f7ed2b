/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fields that perf adds to the records of a tracepoint. They lie between the record's header and its other fields: those may end with
 * data of any size. First comes a number, no_value: bit i of it says that a record has no value for the added field i.
 */
#ifndef PERF_EVENT_TP_ADDED_H
#define PERF_EVENT_TP_ADDED_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"

#define TP_ADDED_MASK "no_value"
#define TP_ADDED_NAME_LEN 128

struct tp_added_field {
	char name[TP_ADDED_NAME_LEN];
	u32 offset; /* in the record */
	u32 size;   /* of a number 1, 2, 4 or 8; of a text its room */
	bool is_text, is_signed, is_address;
};

struct tp_added {
	const struct tp_added_field *field;
	unsigned int nr;
	u32 size; /* bytes of them all, with no_value: a multiple of 8 */
};

/*
 * The text of a format with these fields, which it prints behind its own. malloc'ed, *out_size without the NUL; NULL and errno: EINVAL,
 * the format has another form; ENOMEM.
 */
char *tp_added__format(const char *format, size_t size, const struct tp_added *added, size_t *out_size);

#endif

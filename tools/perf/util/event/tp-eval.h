/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Evaluates print formats (tp-expr.h) for records, as the kernel's C does. Records come from files and are not trusted: nothing outside of
 * a record is read, and texts are limited.
 */
#ifndef PERF_EVENT_TP_EVAL_H
#define PERF_EVENT_TP_EVAL_H

#include <stdbool.h>
#include "util/event/tp-expr.h"
#include "util/lib/types.h"

struct tp_record {
	struct tep_handle *tep;
	int long_size;
	const u8 *data; /* its fields were checked (tp-check.h) */
	u32 size;
	bool is_probe;
	bool unknown_is_zero; /* names that only the kernel knows */
	/* The function at *addr, which becomes its start; NULL: unknown */
	char *(*function)(void *data, unsigned long long *addr);
	const char *(*string)(void *data, u64 addr); /* of the kernel; NULL: unknown */
	void *names_data;
};

enum tp_value_kind { TP_VALUE_NUMBER, TP_VALUE_DATA, TP_VALUE_TEXT };

struct tp_result {
	enum tp_value_kind kind;
	struct tp_type type; /* of a number, or of the data's elements */
	u64 number;	     /* signed ones as an s64's bits */
	const u8 *data;	     /* len bytes in the record */
	u32 len;
	const char *text;
};

/* A number that depends on no record. false: it does. */
bool tp_eval__constant(const struct tp_expr *e, int long_size, u64 *number);
/* false: it cannot be evaluated for this record (an index or a divisor is wrong). */
bool tp_eval__expr(const struct tp_record *rec, const struct tp_expr *e, struct tp_result *result);
/* The type of data is not looked up: see tp_type__of_field(). */
struct tp_result tp_eval__field(const struct tp_record *rec, const struct tep_format_field *field);
/* One of the elements; i is in range. */
u64 tp_eval__element(const struct tp_record *rec, const struct tp_result *data, u32 i);

#endif

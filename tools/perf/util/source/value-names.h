/* SPDX-License-Identifier: GPL-2.0 */
/* The names that values of users' expressions get as fields of records. */
#ifndef PERF_SOURCE_VALUE_NAMES_H
#define PERF_SOURCE_VALUE_NAMES_H

#include <stdbool.h>

#define VALUE_NAME_LEN 128

/*
 * "dev_name" of skb->dev->name; "skb_dev_name" if an earlier one has that name, or reports have a key of that name; "skb_dev_name_2" if that
 * is taken, too. is_taken (may be NULL) knows more names that are.
 */
void value_names__fill(char (*name)[VALUE_NAME_LEN], const char *const *text, unsigned int nr, bool (*is_taken)(void *data, const char *name),
		       void *data);

#endif

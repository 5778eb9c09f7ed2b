// SPDX-License-Identifier: GPL-2.0
#include "cmd/lock/late-rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"

static void free_parts(struct tally_row *row)
{
	free((void *)row->kstack);
	free((void *)row->ustack);
	free((void *)row->lock_name);
}

/* Not NULL with size 0 */
static void *copy_of(const void *from, size_t size)
{
	void *copy = malloc(size + 1);

	if (copy && size)
		memcpy(copy, from, size);
	return copy;
}

static int copy_row(struct tally_row *to, const struct tally_row *row)
{
	*to = *row;
	to->kstack = copy_of(row->kstack, row->nr_kstack * sizeof(*row->kstack));
	to->ustack = copy_of(row->ustack, row->nr_ustack * sizeof(*row->ustack));
	to->lock_name = row->lock_name ? copy_of(row->lock_name, sizeof(*row->lock_name)) : NULL;
	if (to->kstack && to->ustack && !to->lock_name == !row->lock_name)
		return 0;
	free_parts(to);
	return -ENOMEM;
}

int lock_late_rows__keep(struct lock_late_rows *late, const struct tally_row *row)
{
	int ret;

	if (array__grow(late->row, late->nr, late->room))
		return -ENOMEM;
	ret = copy_row(&late->row[late->nr], row);
	late->nr += !ret;
	return ret;
}

static void forget(struct lock_late_rows *late)
{
	while (late->nr)
		free_parts(&late->row[--late->nr]);
}

int lock_late_rows__add_to(struct lock_late_rows *late, struct lock_rows *rows)
{
	int ret = 0;

	for (size_t i = 0; i < late->nr && !ret; i++) {
		if (lock_rows__wants(rows, &late->row[i]))
			ret = lock_rows__add(rows, &late->row[i]);
	}
	forget(late);
	return ret;
}

void lock_late_rows__exit(struct lock_late_rows *late)
{
	forget(late);
	free(late->row);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows whose names come from processes: a round's counts arrive before the last records of the processes' maps do, so rows wait for these.
 */
#ifndef PERF_CMD_LOCK_LATE_ROWS_H
#define PERF_CMD_LOCK_LATE_ROWS_H

#include <stddef.h>
#include "ui/lock/rows.h"

struct lock_late_rows { /* starts zeroed */
	struct tally_row *row;
	size_t nr, room;
};

int lock_late_rows__keep(struct lock_late_rows *late, const struct tally_row *row); /* a copy. 0 or -ENOMEM */
/* Add those that rows want to it, and keep none. 0 or -ENOMEM */
int lock_late_rows__add_to(struct lock_late_rows *late, struct lock_rows *rows);
void lock_late_rows__exit(struct lock_late_rows *late);

#endif

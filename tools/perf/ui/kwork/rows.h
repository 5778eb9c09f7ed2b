/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of perf kwork: names instead of addresses, and one row for each name. */
#ifndef PERF_UI_KWORK_ROWS_H
#define PERF_UI_KWORK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include "util/source/kwork-opts.h"

#define KWORK_LABEL_LEN 256

struct kwork_shown {
	char *name;    /* of a function, a handler, a softirq or a task, without prefix and number; safe for terminals */
	enum kwork_class class;
	u32 cpu, tid;  /* tid of tasks */
	struct kwork_row row;
};

struct kwork_rows;

struct kwork_rows_opts {
	const char *name;  /* only rows of this name; NULL: all */
	const char *(*function)(void *data, u64 address); /* its name, valid until the next call; NULL: unknown */
	void *data;
};

enum kwork_sort { KWORK_SORT_RUNTIME, KWORK_SORT_MAX_RUNTIME, KWORK_SORT_RUNS, KWORK_SORT_AVG_WAIT, KWORK_SORT_MAX_WAIT, KWORK_SORT_WAITS, KWORK_SORT_TID };
#define KWORK_MAX_SORTS 8

struct kwork_rows *kwork_rows__new(const struct kwork_rows_opts *opts); /* NULL: no memory */
/* Keys may come again: their times are added up. 0 or -ENOMEM */
int kwork_rows__add(struct kwork_rows *rows, const struct kwork_key *key, const struct kwork_row *row);
/* All of them, those first that come first by the keys, the greatest first; tids ascend. *nr of them, owned by rows. NULL: no memory */
struct kwork_shown *const *kwork_rows__sort(struct kwork_rows *rows, const enum kwork_sort *key, unsigned int nr_keys, size_t *nr);
bool kwork_rows__wants_name(const struct kwork_rows *rows, const char *name);
void kwork_rows__delete(struct kwork_rows *rows); /* NULL is fine */

/*
 * "virtio1-req.0:36", "(s)TIMER:1", "(w)blk_mq_run_work_fn", "sh:4711", "(tasklet)kbd_bh", "(timer)delayed_work_timer_fn",
 * "(hrtimer)tick_nohz_handler", "(ipi)reschedule:253"; safe for terminals
 */
const char *kwork_label(enum kwork_class class, const char *name, u32 number, char *buf, size_t size);
const char *kwork_softirq_name(u32 nr); /* NULL: unknown */
const char *kwork_ipi_name(u32 vector); /* the same */
/* The function that the kernel wrote into a name of KWORK_NAME_LEN bytes, without its module, as others tell it. NULL: unknown, or cut. size: the same */
const char *kwork_work_name(const char *text, char *buf, size_t size);

#endif

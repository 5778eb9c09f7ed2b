// SPDX-License-Identifier: GPL-2.0
#include "ui/lock/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/bpf_skel/lock.h"
#include "util/lib/cgroup-mount.h"
#include "util/lib/hash.h"
#include "util/lib/printable.h"
#include "util/source/lock-places.h"

struct element {
	UT_hash_handle hh;
	struct lock_row row;
	size_t key_len;
	char key[]; /* what is shown */
};

struct lock_rows {
	struct lock_rows_opts opts;
	const struct lock_frames *frames;
	struct element *elements;
	struct lock_row **sorted;
};

struct lock_rows *lock_rows__new(const struct lock_rows_opts *opts, const struct lock_frames *frames)
{
	struct lock_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->opts = *opts;
	rows->frames = frames;
	return rows;
}

/* Names */

static struct lock_stack stack_of(const struct tally_row *row)
{
	if (row->nr_ustack)
		return (struct lock_stack){ row->ustack, row->nr_ustack, row->pid };
	return (struct lock_stack){ row->kstack, row->nr_kstack, 0 };
}

/*
 * A variable. Kernels list all of them only if they are built so (CONFIG_KALLSYMS_ALL); otherwise a lock inside of a larger one may follow any
 * other.
 */
static bool name_variable(const struct lock_rows *rows, const struct tally_row *row, char *buf, size_t size)
{
	const struct kernel_name *name = rows->frames->names ? kernel_names__find(rows->frames->names, row->lock) : NULL;
	const bool in_image = row->lock_name && row->lock_name->kind == LOCK_OF_KERNEL;

	if (!name || name->is_code)
		return false;
	if (name->start == row->lock)
		snprintf(buf, size, "%s", name->name);
	else if (in_image && rows->frames->all_variables)
		snprintf(buf, size, "%s+%#" PRIx64, name->name, row->lock - name->start);
	else
		return false;
	return true;
}

/* A recording has none, whatever its flags say. */
static bool is_futex(const struct lock_rows *rows, const struct tally_row *row)
{
	return rows->frames->live && row->lock_type >= LOCK_FUTEX;
}

/* "": nothing is known of it. */
static void name_lock(const struct lock_rows *rows, const struct tally_row *row, char *buf, size_t size)
{
	struct lock_data data;

	*buf = '\0';
	if (is_futex(rows, row)) {
		lock_frames__find_data(rows->frames, row->pid, row->lock, &data);
		snprintf(buf, size, "%s", data.name);
	} else if (!name_variable(rows, row, buf, size) && row->lock_name && !lock_place__name(row->lock_name, buf, size)) {
		*buf = '\0';
	}
}

static void name_task(const struct tally_row *row, char *buf, size_t size)
{
	if (row->tid == LOCK_OWNER_UNKNOWN)
		snprintf(buf, size, "Unknown");
	else if (row->tid == LOCK_OWNER_READERS)
		snprintf(buf, size, "(readers)");
	else
		snprintf(buf, size, "%.*s", (int)sizeof(row->comm), row->tid ? row->comm : "swapper");
	printable__clean(buf);
}

static void name_cgroup(const struct lock_rows *rows, u64 cgroup, char *buf, size_t size)
{
	const char *recorded = rows->opts.machine ? machine__cgroup(rows->opts.machine, cgroup) : NULL;

	if (recorded)
		snprintf(buf, size, "%s", recorded);
	else if (rows->opts.machine || cgroup__path(cgroup, buf, size))
		snprintf(buf, size, "unknown cgroup %" PRIu64, cgroup);
}

static void name_row(const struct lock_rows *rows, const struct tally_row *row, u32 skip, char *buf, size_t size)
{
	const struct lock_stack stack = stack_of(row);

	switch (rows->opts.view) {
	case LOCK_VIEW_TASK:
		name_task(row, buf, size);
		break;
	case LOCK_VIEW_LOCK:
		name_lock(rows, row, buf, size);
		break;
	case LOCK_VIEW_CGROUP:
		name_cgroup(rows, row->cgroup, buf, size);
		break;
	case LOCK_VIEW_CALLER:
		if (skip < stack.nr)
			lock_frames__name(rows->frames, stack.pid, stack.frame[skip], buf, size);
		else if (row->tid >= LOCK_OWNER_READERS)
			name_task(row, buf, size);
		else
			snprintf(buf, size, "(no stack)");
		break;
	}
}

/* Adding */

static bool has_function(const struct lock_rows *rows, const struct tally_row *row)
{
	const struct lock_stack stack = stack_of(row);
	const char *const *substring;
	char name[LOCK_NAME_MAX];

	if (!rows->opts.substring)
		return true;
	for (u32 i = lock_frames__before_caller(rows->frames, &stack, 0); i < stack.nr; i++) {
		lock_frames__name(rows->frames, stack.pid, stack.frame[i], name, sizeof(name));
		for (substring = rows->opts.substring; *substring; substring++) {
			if (strstr(name, *substring))
				return true;
		}
	}
	return false;
}

static bool is_chosen(const struct lock_rows *rows, const char *name)
{
	for (const char *const *lock = rows->opts.lock; *lock; lock++) {
		if (!strcmp(*lock, name))
			return true;
	}
	return false;
}

static void add_whose(const struct tally_row *row, char *name, size_t size)
{
	const size_t len = strlen(name);

	if (len && row->lock_name)
		lock_place__whose(row->lock_name, name + len, size - len);
}

/* Names of locks are known here only, so they are not chosen in the kernel. */
static bool is_of_lock(const struct lock_rows *rows, const struct tally_row *row)
{
	char name[LOCK_NAME_MAX];

	if (!rows->opts.lock)
		return true;
	for (u32 i = 0; i < rows->opts.nr_addresses; i++) {
		if (rows->opts.address[i] == row->lock)
			return true;
	}
	name_lock(rows, row, name, sizeof(name));
	if (is_chosen(rows, name))
		return true;
	add_whose(row, name, sizeof(name));
	return is_chosen(rows, name);
}

/* Each process has futexes of its own at its addresses, unless it shares the memory. */
static void place_futex(const struct lock_rows *rows, const struct tally_row *row, struct lock_row *shown)
{
	const struct thread *thread = machine__known_thread(session__machine(rows->frames->live), row->pid);
	const size_t len = strlen(shown->name);
	struct lock_data data;

	lock_frames__find_data(rows->frames, row->pid, row->lock, &data);
	if (data.ino && row->lock_type & 1) {
		shown->ino = data.ino;
		shown->offset = data.offset;
		return;
	}
	shown->pid = row->pid;
	snprintf(shown->name + len, sizeof(shown->name) - len, "%sof PID %u (%s)", len ? " " : "", row->pid, thread ? thread->comm : "unknown");
}

static void add_owner(const struct lock_rows *rows, const struct tally_row *row, struct lock_row *shown)
{
	if (is_futex(rows, row))
		place_futex(rows, row, shown);
	else
		add_whose(row, shown->name, sizeof(shown->name));
}

static struct lock_row shown_of(const struct lock_rows *rows, const struct tally_row *row, u32 skip)
{
	struct lock_row shown = { .min = UINT64_MAX };

	name_row(rows, row, skip, shown.name, sizeof(shown.name));
	if (rows->opts.view == LOCK_VIEW_TASK)
		shown.tid = row->tid;
	if (rows->opts.view == LOCK_VIEW_LOCK)
		shown.lock = row->lock;
	if (rows->opts.view == LOCK_VIEW_CGROUP)
		shown.cgroup = row->cgroup;
	if (rows->opts.view == LOCK_VIEW_CALLER || rows->opts.view == LOCK_VIEW_LOCK)
		shown.type = row->lock_type;
	if (rows->opts.view == LOCK_VIEW_LOCK)
		add_owner(rows, row, &shown);
	printable__clean(shown.name);
	return shown;
}

static size_t make_key(const struct lock_rows *rows, const struct lock_row *shown, char *key, size_t size)
{
	if (rows->opts.view == LOCK_VIEW_TASK) /* its name may change */
		return snprintf(key, size, "%u", shown->tid);
	if (rows->opts.view == LOCK_VIEW_LOCK)
		return snprintf(key, size, "%" PRIx64 " %u %" PRIx64, shown->ino ? shown->offset : shown->lock, shown->pid, shown->ino);
	return snprintf(key, size, "%u %" PRIx64 " %s", shown->type, shown->cgroup, shown->name);
}

static struct element *find_or_add(struct lock_rows *rows, const struct lock_row *shown)
{
	char key[LOCK_NAME_MAX + 40];
	size_t len = make_key(rows, shown, key, sizeof(key));
	struct element *elt;

	HASH_FIND(hh, rows->elements, key, len, elt);
	if (elt)
		return elt;
	elt = malloc(sizeof(*elt) + len);
	if (!elt)
		return NULL;
	elt->row = *shown;
	elt->key_len = len;
	memcpy(elt->key, key, len);
	HASH_ADD_KEYPTR(hh, rows->elements, elt->key, elt->key_len, elt);
	if (hash_added(elt))
		return elt;
	free(elt);
	return NULL;
}

/* Keep the stack that most time was spent in, for -v. */
static int keep_stack(const struct lock_rows *rows, struct lock_row *shown, const struct tally_row *row, u32 skip)
{
	const struct lock_stack stack = stack_of(row);
	u32 nr = stack.nr - skip;
	u64 *copy;

	if (skip >= stack.nr || !rows->opts.max_frames || row->period < shown->frames_total)
		return 0;
	if (nr > rows->opts.max_frames)
		nr = rows->opts.max_frames;
	copy = reallocarray(shown->frame, nr, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, stack.frame + skip, nr * sizeof(*copy));
	shown->stack_pid = stack.pid;
	shown->frame = copy;
	shown->nr_frames = nr;
	shown->frames_total = row->period;
	return 0;
}

bool lock_rows__wants(const struct lock_rows *rows, const struct tally_row *row)
{
	return is_of_lock(rows, row) && has_function(rows, row);
}

int lock_rows__add(struct lock_rows *rows, const struct tally_row *row)
{
	const struct lock_stack stack = stack_of(row);
	u32 skip = lock_frames__before_caller(rows->frames, &stack, rows->opts.skip);
	struct lock_row shown;
	struct element *elt;

	shown = shown_of(rows, row, skip);
	elt = find_or_add(rows, &shown);
	if (!elt)
		return -ENOMEM;
	elt->row.nr += row->count;
	elt->row.total += row->period;
	if (row->greatest > elt->row.max)
		elt->row.max = row->greatest;
	if (row->least < elt->row.min)
		elt->row.min = row->least;
	return keep_stack(rows, &elt->row, row, skip);
}

/* Sorting */

static const char *const number_names[] = {
	[LOCK_CONTENDED] = "contended", [LOCK_WAIT_TOTAL] = "wait_total", [LOCK_WAIT_MAX] = "wait_max",
	[LOCK_WAIT_MIN] = "wait_min",	[LOCK_AVG_WAIT] = "avg_wait",
};

const char *lock_number__name(enum lock_number number)
{
	return number_names[number];
}

u64 lock_row__number(const struct lock_row *row, enum lock_number number)
{
	switch (number) {
	case LOCK_CONTENDED:
		return row->nr;
	case LOCK_WAIT_TOTAL:
		return row->total;
	case LOCK_WAIT_MAX:
		return row->max;
	case LOCK_WAIT_MIN:
		return row->min;
	default:
		return row->nr ? row->total / row->nr : 0;
	}
}

/* Equal numbers: by name, so that the order does not depend on that of arrival. */
static int compare(const void *a, const void *b, void *number)
{
	const struct lock_row *x = *(struct lock_row *const *)a, *y = *(struct lock_row *const *)b;
	const u64 m = lock_row__number(x, *(enum lock_number *)number), n = lock_row__number(y, *(enum lock_number *)number);

	if (m != n)
		return m < n ? 1 : -1;
	return strcmp(x->name, y->name) ?: (x->lock > y->lock) - (x->lock < y->lock);
}

struct lock_row **lock_rows__sorted(struct lock_rows *rows, enum lock_number number, size_t *nr)
{
	struct element *elt;

	*nr = 0;
	free(rows->sorted);
	rows->sorted = calloc(HASH_COUNT(rows->elements) + 1, sizeof(struct lock_row *));
	if (!rows->sorted)
		return NULL;
	for (elt = rows->elements; elt; elt = elt->hh.next)
		rows->sorted[(*nr)++] = &elt->row;
	qsort_r(rows->sorted, *nr, sizeof(struct lock_row *), compare, &number);
	return rows->sorted;
}

void lock_rows__clear(struct lock_rows *rows)
{
	struct element *elt, *next;

	HASH_ITER(hh, rows->elements, elt, next) {
		HASH_DEL(rows->elements, elt);
		free(elt->row.frame);
		free(elt);
	}
}

void lock_rows__delete(struct lock_rows *rows)
{
	if (!rows)
		return;
	lock_rows__clear(rows);
	free(rows->sorted);
	free(rows);
}

// SPDX-License-Identifier: GPL-2.0
#include "ui/kwork/rows.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/hash.h"
#include "util/lib/printable.h"

struct entry {
	UT_hash_handle hh;
	struct kwork_shown shown;
	char key[]; /* class, CPU, number and name */
};

struct kwork_rows {
	struct kwork_rows_opts opts;
	struct entry *entries;
	struct kwork_shown **sorted;
};

/* Names */

const char *kwork_softirq_name(u32 nr)
{
	static const char *const names[] = { "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU" };

	return nr < ARRAY_SIZE(names) ? names[nr] : NULL;
}

/* arch/x86/include/asm/irq_vectors.h; unchanged since Linux 3.11 */
const char *kwork_ipi_name(u32 vector)
{
	switch (vector) {
	case 0xec:
		return "local_timer";
	case 0xf6:
		return "irq_work";
	case 0xfb:
		return "call_function_single";
	case 0xfc:
		return "call_function";
	case 0xfd:
		return "reschedule";
	default:
		return NULL;
	}
}

const char *kwork_work_name(const char *text, char *buf, size_t size)
{
	const size_t len = strcspn(text, " "); /* "function [module]" */

	if (!len || (!text[len] && len == KWORK_NAME_LEN - 1))
		return NULL;
	snprintf(buf, size, "%.*s", (int)len, text);
	return buf;
}

const char *kwork_label(enum kwork_class class, const char *name, u32 number, char *buf, size_t size)
{
	static const char *const kinds[KWORK_NR_CLASSES] = {
		[KWORK_SOFTIRQ] = "(s)", [KWORK_WORK] = "(w)", [KWORK_TASKLET] = "(tasklet)", [KWORK_TIMER] = "(timer)",
		[KWORK_HRTIMER] = "(hrtimer)", [KWORK_IPI] = "(ipi)",
	};
	const char *kind = kinds[class] ?: "";

	if (KWORK_IS_FUNCTION(class))
		snprintf(buf, size, "%s%s", kind, name);
	else if (*kind && !*name)
		snprintf(buf, size, "%s%u", kind, number);
	else
		snprintf(buf, size, "%s%s:%u", kind, name, number);
	return printable__clean(buf);
}

static const char *name_of(const struct kwork_rows *rows, const struct kwork_key *key, const struct kwork_row *row, char *buf, size_t size)
{
	const char *name = NULL;

	if (key->class == KWORK_SOFTIRQ)
		return kwork_softirq_name(key->id) ?: "";
	if (key->class == KWORK_IPI)
		return kwork_ipi_name(key->id) ?: "";
	if (!KWORK_IS_FUNCTION(key->class))
		return row->name;
	name = kwork_work_name(row->name, buf, size);
	if (!name && rows->opts.function)
		name = rows->opts.function(rows->opts.data, key->id);
	if (name)
		return name;
	snprintf(buf, size, "0x%" PRIx64, (uint64_t)key->id);
	return buf;
}

bool kwork_rows__wants_name(const struct kwork_rows *rows, const char *name)
{
	return !rows->opts.name || !fnmatch(rows->opts.name, name, 0);
}

/* Adding */

static void add_times(struct kwork_times *to, const struct kwork_times *from)
{
	if (!from->count)
		return;
	if (from->greatest > to->greatest || !to->count) {
		to->greatest = from->greatest;
		to->begin = from->begin;
		to->end = from->end;
	}
	to->count += from->count;
	to->total += from->total;
}

static void add_row(struct kwork_row *to, const struct kwork_row *from)
{
	add_times(&to->run, &from->run);
	add_times(&to->wait, &from->wait);
	add_times(&to->queued, &from->queued);
	to->kernel |= from->kernel;
}

static struct entry *entry__new(const char *key, const struct kwork_key *of, const struct kwork_row *row, const char *name, u32 tid)
{
	struct entry *entry = calloc(1, sizeof(*entry) + strlen(key) + 1);

	if (!entry)
		return NULL;
	strcpy(entry->key, key);
	entry->shown = (struct kwork_shown){ .name = strdup(name), .class = of->class, .cpu = of->cpu, .tid = tid };
	entry->shown.row.number = of->class == KWORK_SOFTIRQ ? of->id : row->number;
	if (!entry->shown.name) {
		free(entry);
		return NULL;
	}
	printable__clean(entry->shown.name);
	return entry;
}

/* Of a task whose row had no name at first, or has another one by now, the last name counts. */
static int take_name(struct kwork_shown *shown, const char *name)
{
	char *copy;

	if (!*name || !strcmp(name, shown->name))
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	free(shown->name);
	shown->name = printable__clean(copy);
	return 0;
}

int kwork_rows__add(struct kwork_rows *rows, const struct kwork_key *key, const struct kwork_row *row)
{
	char buf[KWORK_NAME_LEN], text[KWORK_LABEL_LEN + 64];
	const char *name = name_of(rows, key, row, buf, sizeof(buf));
	const bool is_task = key->class == KWORK_TASK;
	const u64 number = KWORK_IS_FUNCTION(key->class) ? 0 : key->class == KWORK_SOFTIRQ || is_task ? key->id : row->number;
	struct entry *entry;

	if (!kwork_rows__wants_name(rows, name))
		return 0;
	snprintf(text, sizeof(text), "%u %u %" PRIu64 " %s", key->class, key->cpu, (uint64_t)number, is_task ? "" : name);
	HASH_FIND_STR(rows->entries, text, entry);
	if (!entry) {
		entry = entry__new(text, key, row, name, is_task ? key->id : 0);
		if (!entry)
			return -ENOMEM;
		HASH_ADD_STR(rows->entries, key, entry);
		if (!hash_added(entry)) {
			free(entry->shown.name);
			free(entry);
			return -ENOMEM;
		}
	}
	if (row->number && is_task)
		entry->shown.row.number = row->number;
	add_row(&entry->shown.row, row);
	return is_task ? take_name(&entry->shown, name) : 0;
}

/* Sorting */

struct order {
	const enum kwork_sort *key;
	unsigned int nr_keys;
};

static u64 average(const struct kwork_times *t)
{
	return t->count ? t->total / t->count : 0;
}

static u64 number_of(const struct kwork_shown *shown, enum kwork_sort key)
{
	switch (key) {
	case KWORK_SORT_RUNTIME:
		return shown->row.run.total;
	case KWORK_SORT_MAX_RUNTIME:
		return shown->row.run.greatest;
	case KWORK_SORT_RUNS:
		return shown->row.run.count;
	case KWORK_SORT_AVG_WAIT:
		return average(&shown->row.wait);
	case KWORK_SORT_MAX_WAIT:
		return shown->row.wait.greatest;
	case KWORK_SORT_WAITS:
		return shown->row.wait.count;
	default:
		return ~(u64)shown->tid;
	}
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct kwork_shown *x = *(struct kwork_shown *const *)a, *y = *(struct kwork_shown *const *)b;
	const struct order *order = arg;

	for (unsigned int i = 0; i < order->nr_keys; i++) {
		const u64 m = number_of(x, order->key[i]), n = number_of(y, order->key[i]);

		if (m != n)
			return m > n ? -1 : 1;
	}
	return x->class != y->class ? (int)x->class - (int)y->class : strcmp(x->name, y->name) ?: x->cpu != y->cpu ? (x->cpu > y->cpu ? 1 : -1) :
	       x->tid != y->tid ? (x->tid > y->tid ? 1 : -1) : 0;
}

struct kwork_shown *const *kwork_rows__sort(struct kwork_rows *rows, const enum kwork_sort *key, unsigned int nr_keys, size_t *nr)
{
	struct order order = { key, nr_keys };
	struct entry *entry, *next;

	free(rows->sorted);
	*nr = 0;
	rows->sorted = malloc((HASH_COUNT(rows->entries) + 1) * sizeof(*rows->sorted));
	if (!rows->sorted)
		return NULL;
	HASH_ITER(hh, rows->entries, entry, next)
		rows->sorted[(*nr)++] = &entry->shown;
	qsort_r(rows->sorted, *nr, sizeof(*rows->sorted), compare, &order);
	return rows->sorted;
}

struct kwork_rows *kwork_rows__new(const struct kwork_rows_opts *opts)
{
	struct kwork_rows *rows = calloc(1, sizeof(*rows));

	if (rows)
		rows->opts = *opts;
	return rows;
}

void kwork_rows__delete(struct kwork_rows *rows)
{
	struct entry *entry, *next;

	if (!rows)
		return;
	HASH_ITER(hh, rows->entries, entry, next) {
		HASH_DEL(rows->entries, entry);
		free(entry->shown.name);
		free(entry);
	}
	free(rows->sorted);
	free(rows);
}

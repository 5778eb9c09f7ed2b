// SPDX-License-Identifier: GPL-2.0
/*
 * Two orders of entries, one table row for each field. Which entries are one is decided by identity (addresses of symbols); the
 * output is ordered by what is seen (names), and where that is equal by the keys' order, so that it is repeatable.
 */
#include "util/hist/entry-cmp.h"

#include <string.h>

#define CMP(a, b) (((a) > (b)) - ((a) < (b)))

static int cmp_comm(const struct hist_entry *a, const struct hist_entry *b)
{
	return a->comm == b->comm ? 0 : strcmp(a->comm, b->comm);
}

/* Unknown ones last. */
static int cmp_dso(const struct hist_entry *a, const struct hist_entry *b)
{
	if (a->dso == b->dso)
		return 0;
	if (!a->dso || !b->dso)
		return a->dso ? -1 : 1;
	return strcmp(a->dso->short_name, b->dso->short_name);
}

/*
 * Symbol addresses say something within their dso only. Unknown symbols are apart from all others: this has to be an order, or a
 * search would miss entries. (In perf it is none, and with -s sym a function may have several rows there.)
 */
static int cmp_symbol_identity(const struct hist_entry *a, const struct hist_entry *b)
{
	int ret;

	if (!a->sym || !b->sym)
		return a->sym ? -1 : b->sym ? 1 : CMP(a->addr, b->addr);
	ret = cmp_dso(a, b);
	if (ret || a->sym == b->sym)
		return ret;
	ret = CMP(a->sym->start, b->sym->start) ?: CMP(a->sym->end, b->sym->end) ?: CMP(a->sym->inlined, b->sym->inlined);
	return ret || !a->sym->inlined ? ret : strcmp(a->sym->name, b->sym->name); /* these share the place of one symbol */
}

static int cmp_symbol_name(const struct hist_entry *a, const struct hist_entry *b)
{
	if (a->sym == b->sym)
		return 0;
	if (!a->sym || !b->sym)
		return a->sym ? -1 : 1;
	return strcmp(a->sym->name, b->sym->name);
}

static int cmp_pid(const struct hist_entry *a, const struct hist_entry *b)
{
	return CMP(a->tid, b->tid);
}

static int cmp_cpu(const struct hist_entry *a, const struct hist_entry *b)
{
	return CMP(a->cpu, b->cpu);
}

static int cmp_trace(const struct hist_entry *a, const struct hist_entry *b)
{
	return strcmp(a->trace ?: "", b->trace ?: "");
}

static int cmp_overhead(const struct hist_entry *a, const struct hist_entry *b)
{
	return CMP(b->self.period, a->self.period);
}

static int cmp_samples(const struct hist_entry *a, const struct hist_entry *b)
{
	return CMP(b->self.nr, a->self.nr);
}

/*
 * Of functions of one thread that have the same sum, the caller comes first: it has more of the chain below it. Across threads that
 * would say nothing.
 */
static int cmp_children(const struct hist_entry *a, const struct hist_entry *b)
{
	const struct hist_opts *opts = &a->hists->opts;
	int ret;

	if (!opts->children)
		return 0;
	ret = CMP(b->total.period, a->total.period);
	if (ret || opts->chain_mode == HIST_CHAIN_NONE || a->thread != b->thread)
		return ret;
	ret = CMP(b->chains.max_depth, a->chains.max_depth);
	return opts->caller_first ? ret : -ret;
}

static u64 *put_comm(const struct hist_entry *entry, u64 *to)
{
	*to++ = (uintptr_t)entry->comm;
	return to;
}

static u64 *put_dso(const struct hist_entry *entry, u64 *to)
{
	*to++ = (uintptr_t)entry->dso;
	return to;
}

static u64 *put_symbol(const struct hist_entry *entry, u64 *to)
{
	*to++ = (uintptr_t)entry->sym;
	*to++ = entry->sym ? 0 : entry->addr;
	return to;
}

static u64 *put_pid(const struct hist_entry *entry, u64 *to)
{
	*to++ = entry->tid;
	return to;
}

static u64 *put_cpu(const struct hist_entry *entry, u64 *to)
{
	*to++ = entry->cpu;
	return to;
}

typedef int (*entry_cmp)(const struct hist_entry *a, const struct hist_entry *b);

static const struct {
	entry_cmp identity; /* NULL: not a key */
	entry_cmp output;
	u64 *(*put_words)(const struct hist_entry *entry, u64 *to); /* of a key: one or two; NULL: only identity tells */
} orders[HIST_NR_FIELDS] = {
	[HIST_OVERHEAD] = { NULL, cmp_overhead, NULL },
	[HIST_OVERHEAD_CHILDREN] = { NULL, cmp_children, NULL },
	[HIST_SAMPLE] = { NULL, cmp_samples, NULL },
	[HIST_PERIOD] = { NULL, cmp_overhead, NULL },
	[HIST_COMM] = { cmp_comm, cmp_comm, put_comm },
	[HIST_DSO] = { cmp_dso, cmp_dso, put_dso },
	[HIST_SYM] = { cmp_symbol_identity, cmp_symbol_name, put_symbol },
	[HIST_PID] = { cmp_pid, cmp_pid, put_pid },
	[HIST_CPU] = { cmp_cpu, cmp_cpu, put_cpu },
	[HIST_TRACE] = { cmp_trace, cmp_trace, NULL },
};

int hist_entry__cmp_keys(const void *pa, const void *pb)
{
	const struct hist_entry *a = pa, *b = pb;
	const struct hist_field_list *keys = &a->hists->opts.layout.sort;
	int ret = 0;

	for (u32 i = 0; i < keys->nr && !ret; i++) {
		if (orders[keys->field[i]].identity)
			ret = orders[keys->field[i]].identity(a, b);
	}
	return ret;
}

int hist_entry__cmp_output(const void *pa, const void *pb)
{
	const struct hist_entry *a = pa, *b = pb;
	const struct hist_field_list *sort = &a->hists->opts.layout.sort;
	int ret = 0;

	for (u32 i = 0; i < sort->nr && !ret; i++)
		ret = orders[sort->field[i]].output(a, b);
	return ret ?: hist_entry__cmp_keys(a, b);
}

int hist_entry__key_words(const struct hist_entry *entry, u64 *words)
{
	const struct hist_field_list *keys = &entry->hists->opts.layout.sort;
	u64 *to = words;

	for (u32 i = 0; i < keys->nr; i++) {
		if (!orders[keys->field[i]].identity)
			continue;
		if (!orders[keys->field[i]].put_words || to + 2 > words + HIST_KEY_WORDS)
			return -1;
		to = orders[keys->field[i]].put_words(entry, to);
	}
	return to - words;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/hist/keys.h"

#include <stdio.h>
#include <string.h>

#include "util/hist/group.h"
#include "util/hist/key-values.h"
#include "util/lib/hash-index.h"
#include "util/lib/text.h"

#define ADDR_WIDTH 16	     /* digits of an address */
#define LEVEL_WIDTH 4	     /* "[k] " before a symbol */
#define INLINED " (inlined)" /* after an inlined function */
#define CPU_WIDTH 3
#define PID_WIDTH 8	     /* "    123:" before a command name */

#define CMP(a, b) (((a) > (b)) - ((a) < (b)))

static int cmp_comm(const struct hist_entry *a, const struct hist_entry *b)
{
	return a->comm == b->comm ? 0 : strcmp(a->comm, b->comm);
}

/* Unknown ones come last. */
static int cmp_dso(const struct hist_entry *a, const struct hist_entry *b)
{
	if (a->dso == b->dso)
		return 0;
	if (!a->dso || !b->dso)
		return a->dso ? -1 : 1;
	return strcmp(a->dso->short_name, b->dso->short_name);
}

static int cmp_symbol_name(const struct hist_entry *a, const struct hist_entry *b)
{
	if (a->sym == b->sym)
		return 0;
	if (!a->sym || !b->sym)
		return a->sym ? -1 : 1;
	return strcmp(a->sym->name, b->sym->name);
}

/*
 * Symbol addresses are comparable within their dso only. Unknown symbols sort apart from all others: this must be a total order, or
 * a search would miss entries. (Perf's is none, and with -s sym a function may have several rows there.) As in perf, addresses
 * without a symbol are signed: the kernel's half comes first.
 */
static int cmp_symbol(const struct hist_entry *a, const struct hist_entry *b)
{
	int ret;

	if (a->hists->by_name)
		return cmp_symbol_name(a, b);
	if (!a->sym || !b->sym)
		return a->sym ? -1 : b->sym ? 1 : CMP((s64)a->addr, (s64)b->addr);
	ret = cmp_dso(a, b);
	if (ret || a->sym == b->sym)
		return ret;
	ret = CMP(a->sym->start, b->sym->start) ?: CMP(a->sym->end, b->sym->end) ?: CMP(a->sym->inlined, b->sym->inlined);
	return ret || !a->sym->inlined ? ret : strcmp(a->sym->name, b->sym->name); /* inlined functions share the address of one symbol */
}

static int cmp_pid(const struct hist_entry *a, const struct hist_entry *b)
{
	return CMP(a->tid, b->tid);
}

static int cmp_tgid(const struct hist_entry *a, const struct hist_entry *b)
{
	return CMP((s32)a->thread->pid, (s32)b->thread->pid);
}

static int cmp_cpu(const struct hist_entry *a, const struct hist_entry *b)
{
	return CMP(a->cpu, b->cpu);
}

static u64 self_period(const struct hist_entry *entry)
{
	return entry->self.period;
}

static u64 self_latency(const struct hist_entry *entry)
{
	return entry->self.latency;
}

static u64 self_nr(const struct hist_entry *entry)
{
	return entry->self.nr;
}

static int cmp_member(const struct hist_entry *a, const struct hist_entry *b, u32 member, u64 (*sum)(const struct hist_entry *entry))
{
	return CMP(sum(hist_entry__member(b, member)), sum(hist_entry__member(a, member)));
}

/* The first member, from this index on, of which a or b has an entry; 0: none. */
static u32 next_member(const struct hist_entry *a, const struct hist_entry *b, u32 from)
{
	u32 of_a = hist_entry__next_member(a, from), of_b = hist_entry__next_member(b, from);

	return of_a && (!of_b || of_a < of_b) ? of_a : of_b;
}

/* Largest first. In a group, if the sums of the primary member are equal, compare the others, except the leader's, as in perf. */
static int cmp_sums(const struct hist_entry *a, const struct hist_entry *b, u64 (*sum)(const struct hist_entry *entry))
{
	const u32 first = a->hists->group_sort;
	int ret = cmp_member(a, b, first, sum);

	for (u32 i = next_member(a, b, 1); i && !ret; i = next_member(a, b, i + 1)) {
		if (i != first)
			ret = cmp_member(a, b, i, sum);
	}
	return ret;
}

static int cmp_overhead(const struct hist_entry *a, const struct hist_entry *b)
{
	return cmp_sums(a, b, self_period);
}

static int cmp_latency(const struct hist_entry *a, const struct hist_entry *b)
{
	return cmp_sums(a, b, self_latency);
}

static int cmp_mode(const struct hist_entry *a, const struct hist_entry *b, int mode)
{
	return CMP(hist_entry__mode_period(b, mode), hist_entry__mode_period(a, mode));
}

static int cmp_samples(const struct hist_entry *a, const struct hist_entry *b)
{
	return cmp_sums(a, b, self_nr);
}

/*
 * Of functions of one thread with equal sums, the caller comes first: it has more of the chain below it. This does not apply across
 * threads. In a group only the leader counts, as in perf.
 */
static int cmp_totals(const struct hist_entry *a, const struct hist_entry *b, u64 total_a, u64 total_b)
{
	const struct hist_opts *opts = &a->hists->opts;
	int ret;

	if (!opts->children)
		return 0;
	ret = CMP(total_b, total_a);
	if (ret || opts->chain_mode == HIST_CHAIN_NONE || a->thread != b->thread)
		return ret;
	ret = CMP(b->chain_depth, a->chain_depth);
	return opts->caller_first ? ret : -ret;
}

static int cmp_children(const struct hist_entry *a, const struct hist_entry *b)
{
	return cmp_totals(a, b, a->total.period, b->total.period);
}

static int cmp_latency_children(const struct hist_entry *a, const struct hist_entry *b)
{
	return cmp_totals(a, b, a->total.latency, b->total.latency);
}

static u64 hash_comm(const struct hist_entry *entry)
{
	return hash_text(entry->comm);
}

static u64 hash_dso(const struct hist_entry *entry)
{
	return entry->dso ? entry->dso->name_hash : 0;
}

static u64 hash_symbol(const struct hist_entry *entry)
{
	if (entry->hists->by_name)
		return entry->sym ? hash_text(entry->sym->name) : 0;
	return entry->sym ? entry->sym->start : entry->addr; /* those that start at the same address mostly have the same end, too */
}

static const char *text_of_comm(const struct hist_entry *entry)
{
	return entry->comm;
}

static const char *text_of_dso(const struct hist_entry *entry)
{
	return entry->dso ? entry->dso->short_name : NULL;
}

static const char *text_of_symbol(const struct hist_entry *entry)
{
	return entry->sym ? entry->sym->name : NULL;
}

static s64 number_of_pid(const struct hist_entry *entry)
{
	return entry->tid;
}

static s64 number_of_tgid(const struct hist_entry *entry)
{
	return (s32)entry->thread->pid;
}

static s64 number_of_cpu(const struct hist_entry *entry)
{
	return entry->cpu;
}

static int print_percent(char *buf, size_t size, const struct hist_cell *cell, u64 period)
{
	return text__format_percent(buf, size, hist_entry__percent(cell->entry, period), cell->width);
}

static int print_overhead(char *buf, size_t size, const struct hist_cell *cell)
{
	return print_percent(buf, size, cell, cell->entry->self.period);
}

static int print_latency_percent(char *buf, size_t size, const struct hist_cell *cell, u64 latency)
{
	u64 total = cell->entry->hists->total_latency;

	return text__format_percent(buf, size, total ? latency * 100.0 / total : 0.0, cell->width);
}

static int print_latency(char *buf, size_t size, const struct hist_cell *cell)
{
	return print_latency_percent(buf, size, cell, cell->entry->self.latency);
}

static int print_latency_children(char *buf, size_t size, const struct hist_cell *cell)
{
	return print_latency_percent(buf, size, cell, cell->entry->total.latency);
}

/* Of what fell on the entry itself while the CPU ran in some mode. */
#define MODE_KEY(name, mode)                                                                            \
	static int cmp_##name(const struct hist_entry *a, const struct hist_entry *b)                  \
	{                                                                                              \
		return cmp_mode(a, b, mode);                                                           \
	}                                                                                              \
	static int print_##name(char *buf, size_t size, const struct hist_cell *cell)                  \
	{                                                                                              \
		return print_percent(buf, size, cell, hist_entry__mode_period(cell->entry, mode));  \
	}

MODE_KEY(sys, PERF_RECORD_MISC_KERNEL)
MODE_KEY(us, PERF_RECORD_MISC_USER)
MODE_KEY(guest_sys, PERF_RECORD_MISC_GUEST_KERNEL)
MODE_KEY(guest_us, PERF_RECORD_MISC_GUEST_USER)

static int print_children(char *buf, size_t size, const struct hist_cell *cell)
{
	return print_percent(buf, size, cell, cell->total);
}

static int print_samples(char *buf, size_t size, const struct hist_cell *cell)
{
	return snprintf(buf, size, "%*llu", cell->width, (unsigned long long)cell->entry->self.nr);
}

static int print_period(char *buf, size_t size, const struct hist_cell *cell)
{
	return snprintf(buf, size, "%*llu", cell->width, (unsigned long long)cell->entry->self.period);
}

static int print_comm(char *buf, size_t size, const struct hist_cell *cell)
{
	return text__copy(buf, size, cell->entry->comm);
}

static int comm_width(const struct hist_entry *entry)
{
	return strlen(entry->comm);
}

static int print_dso(char *buf, size_t size, const struct hist_cell *cell)
{
	return text__copy(buf, size, cell->entry->dso ? cell->entry->dso->short_name : "[unknown]");
}

/* Without a symbol the column has space for an address, as in perf. */
static int dso_width(const struct hist_entry *entry)
{
	int len = entry->dso ? strlen(entry->dso->short_name) : 0;

	return !entry->sym && len < ADDR_WIDTH && !entry->hists->opts.dsos_chosen ? ADDR_WIDTH : len;
}

/* "[.] 0x00007f0123456789", of which a report may have many. */
static int put_address(char *buf, char level, u64 addr)
{
	char *to = buf + LEVEL_WIDTH + 2;

	memcpy(buf, (char[]){ '[', level, ']', ' ', '0', 'x' }, LEVEL_WIDTH + 2);
	for (int i = 0; i < ADDR_WIDTH; i++)
		to[i] = "0123456789abcdef"[addr >> 4 * (ADDR_WIDTH - 1 - i) & 15];
	to[ADDR_WIDTH] = '\0';
	return LEVEL_WIDTH + 2 + ADDR_WIDTH;
}

static int print_symbol(char *buf, size_t size, const struct hist_cell *cell)
{
	const struct hist_entry *entry = cell->entry;

	if (entry->sym && !entry->sym->inlined && size > LEVEL_WIDTH) {
		memcpy(buf, (char[LEVEL_WIDTH]){ '[', entry->level, ']', ' ' }, LEVEL_WIDTH);
		return LEVEL_WIDTH + text__copy(buf + LEVEL_WIDTH, size - LEVEL_WIDTH, entry->sym->name);
	}
	if (!entry->sym && entry->addr && size > LEVEL_WIDTH + 2 + ADDR_WIDTH)
		return put_address(buf, entry->level, entry->addr);
	if (entry->sym)
		return snprintf(buf, size, "[%c] %s" INLINED, entry->level, entry->sym->name);
	return snprintf(buf, size, "[%c] %#.*llx", entry->level, ADDR_WIDTH, (unsigned long long)entry->addr);
}

/* As in perf, the mark of inlined functions does not count and may overflow the column. */
static int symbol_width(const struct hist_entry *entry)
{
	return LEVEL_WIDTH + (entry->sym ? strlen(entry->sym->name) : 2 + ADDR_WIDTH);
}

/* Show a thread by its last name, whatever its name was when it was sampled. */
static int print_pid(char *buf, size_t size, const struct hist_cell *cell)
{
	return snprintf(buf, size, "%*d:%s", PID_WIDTH - 1, cell->entry->tid, cell->entry->thread->comm);
}

/* As in perf, the name gets the rest of a width that does not grow. */
static int print_tgid(char *buf, size_t size, const struct hist_cell *cell)
{
	const struct hist_env *env = cell->entry->hists->opts.env;
	u32 pid = cell->entry->thread->pid;
	const struct thread *leader = env && env->machine ? machine__known_thread(env->machine, pid) : NULL;

	return snprintf(buf, size, "%*d:%.*s", PID_WIDTH - 1, (int)pid, cell->width > PID_WIDTH ? cell->width - PID_WIDTH : -1,
			leader ? leader->comm : "");
}

/* As in perf, padded with zeros. */
static int print_cpu(char *buf, size_t size, const struct hist_cell *cell)
{
	return snprintf(buf, size, "%.*d", cell->width > CPU_WIDTH ? cell->width : CPU_WIDTH, cell->entry->cpu);
}

static int print_number(char *buf, size_t size, const struct hist_cell *cell)
{
	return snprintf(buf, size, "%llu", (unsigned long long)cell->value->number);
}

static int print_number_right(char *buf, size_t size, const struct hist_cell *cell)
{
	return snprintf(buf, size, "%*llu", cell->width, (unsigned long long)cell->value->number);
}

/* Of all the entry's samples. */
static int print_sum(char *buf, size_t size, const struct hist_cell *cell)
{
	return snprintf(buf, size, "%llu", (unsigned long long)(cell->value->number * cell->entry->self.nr));
}

/* As in perf, the column is no wider than its title. */
static int print_dso_size(char *buf, size_t size, const struct hist_cell *cell)
{
	if (!cell->value->number)
		return snprintf(buf, size, "%*s", cell->width, "unknown");
	return snprintf(buf, size, "%*llu", cell->width, (unsigned long long)cell->value->number);
}

static int print_symoff(char *buf, size_t size, const struct hist_cell *cell)
{
	return snprintf(buf, size, "[%c] %s", cell->entry->level, cell->value->shown);
}

#define SUM(name, title, width, flags, order, print) \
	{ name, NULL, title, width, HIST_KEY_RIGHT | HIST_KEY_FIXED | HIST_KEY_ANYWHERE | (flags), HIST_KEY_SUM, NULL, order, NULL, NULL, NULL, NULL, print, NULL, NULL }
#define MODE(name, title, width, what) \
	{ name, NULL, title, width, HIST_KEY_RIGHT | HIST_KEY_FIXED | HIST_KEY_ANYWHERE | HIST_KEY_MODE, HIST_KEY_SUM, NULL, cmp_##what, NULL, NULL, NULL, NULL, print_##what, NULL, NULL }
#define TEXT(name, alias, title, width, flags, what, order, measure) \
	{ name, alias, title, width, flags, HIST_KEY_OWN, cmp_##what, order, hash_##what, text_of_##what, NULL, NULL, print_##what, measure, NULL }
#define NUMBER(name, alias, title, width, flags, what) \
	{ name, alias, title, width, flags, HIST_KEY_OWN, cmp_##what, NULL, NULL, NULL, number_of_##what, NULL, print_##what, NULL, NULL }
#define VALUE(name, alias, title, width, flags, what, print) \
	{ name, alias, title, width, flags, HIST_KEY_VALUE, NULL, NULL, NULL, NULL, NULL, key_read__##what, print, NULL, NULL }
#define BRANCH(name, title, width, flags, what) VALUE(name, NULL, title, width, HIST_KEY_BRANCH | (flags), what, NULL)
#define TYPE(name, title, width, what) \
	VALUE(name, NULL, title, width, HIST_KEY_PLACE | HIST_KEY_FIXED | HIST_KEY_DATA_TYPE | HIST_KEY_TEXT_DOWN, what, NULL)
#define MEMORY(name, title, width, flags, what, print) VALUE(name, NULL, title, width, HIST_KEY_MEMORY | (flags), what, print)

const struct hist_key hist_keys[] = {
	SUM("overhead", "Overhead", 8, 0, cmp_overhead, print_overhead),
	SUM("overhead_children", "Children", 8, HIST_KEY_TOTAL, cmp_children, print_children),
	SUM("latency", "Latency", 8, 0, cmp_latency, print_latency),
	SUM("latency_children", "Latency", 7, 0, cmp_latency_children, print_latency_children),
	MODE("overhead_sys", "sys", 8, sys),
	MODE("overhead_us", "usr", 8, us),
	MODE("overhead_guest_sys", "guest sys", 9, guest_sys),
	MODE("overhead_guest_us", "guest usr", 9, guest_us),
	SUM("sample", "Samples", 12, 0, cmp_samples, print_samples),
	SUM("period", "Period", 12, 0, cmp_overhead, print_period),
	TEXT("comm", NULL, "Command", 7, HIST_KEY_ANYWHERE, comm, NULL, comm_width),
	TEXT("dso", NULL, "Shared Object", 13, 0, dso, NULL, dso_width),
	TEXT("symbol", "sym", "Symbol", 6, HIST_KEY_OPEN, symbol, cmp_symbol_name, symbol_width),
	NUMBER("pid", "tid", "    Pid:Command", 15, HIST_KEY_ANYWHERE, pid),
	NUMBER("tgid", NULL, "   Tgid:Command", 15, HIST_KEY_ANYWHERE | HIST_KEY_FIXED, tgid),
	NUMBER("cpu", NULL, "CPU", CPU_WIDTH, HIST_KEY_ANYWHERE | HIST_KEY_RIGHT | HIST_KEY_FIXED, cpu),
	VALUE("comm_nodigit", NULL, "CommandNoDigit", 14, HIST_KEY_ANYWHERE, comm_nodigit, NULL),
	VALUE("cgroup", NULL, "Cgroup", 6, HIST_KEY_ANYWHERE | HIST_KEY_OPEN, cgroup, NULL),
	VALUE("socket", NULL, "Socket", 6, HIST_KEY_ANYWHERE | HIST_KEY_RIGHT | HIST_KEY_FIXED, socket, NULL),
	VALUE("parallelism", NULL, "Parallelism", 11, HIST_KEY_ANYWHERE | HIST_KEY_RIGHT | HIST_KEY_FIXED, parallelism, print_number_right),
	VALUE("time", NULL, "Time", 12, HIST_KEY_ANYWHERE | HIST_KEY_OPEN, time, NULL),
	VALUE("state", NULL, "State", 8, HIST_KEY_ANYWHERE, state, NULL),
	VALUE("trace", NULL, "Trace output", 12, HIST_KEY_ANYWHERE | HIST_KEY_OPEN | HIST_KEY_RAW, trace, NULL),
	VALUE("parent", NULL, "Parent symbol", 13, 0, parent, NULL),
	VALUE("srcline", NULL, "Source:Line", 11, HIST_KEY_PLACE | HIST_KEY_OPEN, srcline, NULL),
	VALUE("srcfile", NULL, "Source File", 11, HIST_KEY_PLACE | HIST_KEY_OPEN, srcfile, NULL),
	VALUE("symoff", NULL, "Symbol Offset", 13, HIST_KEY_PLACE | HIST_KEY_OPEN | HIST_KEY_FIXED | HIST_KEY_BY_TEXT | HIST_KEY_DESCENDING, symoff, print_symoff),
	VALUE("addr", NULL, "Address", 18, HIST_KEY_PLACE, addr, NULL),
	VALUE("symbol_size", NULL, "Symbol size", 11, HIST_KEY_PLACE | HIST_KEY_RIGHT, symbol_size, NULL),
	VALUE("dso_size", NULL, "DSO size", 8, HIST_KEY_PLACE | HIST_KEY_RIGHT | HIST_KEY_FIXED, dso_size, print_dso_size),
	TYPE("type", "Data Type", 9, type),
	TYPE("typeoff", "Data Type Offset", 16, typeoff),
	TYPE("typecln", "Data Type Cacheline", 19, typecln),
	VALUE("weight", NULL, "Weight", 12, HIST_KEY_ANYWHERE | HIST_KEY_DESCENDING, weight, print_sum),
	VALUE("local_weight", NULL, "Local Weight", 12, HIST_KEY_ANYWHERE | HIST_KEY_DESCENDING, weight, print_number),
	VALUE("ins_lat", NULL, "INSTR Latency", 13, HIST_KEY_ANYWHERE | HIST_KEY_DESCENDING, ins_lat, print_sum),
	VALUE("local_ins_lat", NULL, "Local INSTR Latency", 19, HIST_KEY_ANYWHERE | HIST_KEY_DESCENDING, ins_lat, print_number),
	VALUE("p_stage_cyc", "retire_lat", "Retire Latency", 14, HIST_KEY_ANYWHERE | HIST_KEY_DESCENDING, retire_lat, print_sum),
	VALUE("local_p_stage_cyc", "local_retire_lat", "Local Retire Latency", 20, HIST_KEY_ANYWHERE | HIST_KEY_DESCENDING, retire_lat, print_number),
	VALUE("code_page_size", NULL, "Code Page Size", 14, HIST_KEY_ANYWHERE, code_page_size, NULL),
	MEMORY("symbol_daddr", "Data Symbol", 22, HIST_KEY_OPEN, symbol_daddr, print_symoff),
	MEMORY("symbol_iaddr", "Code Symbol", 22, HIST_KEY_OPEN, symbol_iaddr, print_symoff),
	MEMORY("dso_daddr", "Data Object", 16, 0, dso_daddr, NULL),
	MEMORY("dcacheline", "Data Cacheline", 23, HIST_KEY_OPEN, dcacheline, NULL),
	MEMORY("phys_daddr", "Data Physical Address", 22, 0, phys_daddr, print_symoff),
	MEMORY("data_page_size", "Data Page Size", 22, 0, data_page_size, NULL),
	MEMORY("mem", "Memory access", 39, 0, mem, NULL),
	MEMORY("tlb", "TLB access", 22, 0, tlb, NULL),
	MEMORY("snoop", "Snoop", 12, 0, snoop, NULL),
	MEMORY("locked", "Locked", 6, HIST_KEY_OPEN, locked, NULL),
	MEMORY("blocked", "Blocked", 10, 0, blocked, NULL),
	BRANCH("dso_from", "Source Shared Object", 20, HIST_KEY_TEXT_DOWN, dso_from),
	BRANCH("dso_to", "Target Shared Object", 20, HIST_KEY_TEXT_DOWN, dso_to),
	BRANCH("symbol_from", "Source Symbol", 13, HIST_KEY_NAMED_FIRST | HIST_KEY_OPEN, symbol_from),
	BRANCH("symbol_to", "Target Symbol", 13, HIST_KEY_NAMED_FIRST | HIST_KEY_OPEN, symbol_to),
	BRANCH("addr_from", "Source Address", 22, HIST_KEY_FIXED | HIST_KEY_TEXT_DOWN, addr_from),
	BRANCH("addr_to", "Target Address", 22, HIST_KEY_FIXED | HIST_KEY_TEXT_DOWN, addr_to),
	BRANCH("srcline_from", "From Source:Line", 16, 0, line_from),
	BRANCH("srcline_to", "To Source:Line", 14, 0, line_to),
	BRANCH("mispredict", "Branch Mispredicted", 19, 0, mispredict),
	BRANCH("abort", "Transaction abort", 17, 0, abort),
	BRANCH("in_tx", "Branch in transaction", 21, 0, in_tx),
	BRANCH("cycles", "Basic Block Cycles", 18, HIST_KEY_DESCENDING, cycles),
	{},
};

const struct hist_key hist_field_key =
	VALUE("(field)", NULL, NULL, 0, HIST_KEY_FIELD | HIST_KEY_RAW | HIST_KEY_ANYWHERE | HIST_KEY_RIGHT | HIST_KEY_DESCENDING, field, NULL);

static bool is_name(const char *name, const char *word, size_t len)
{
	return name && strlen(name) == len && !memcmp(name, word, len);
}

const struct hist_key *hist_key__find(const char *name, size_t len)
{
	for (const struct hist_key *key = hist_keys; key->name; key++) {
		if (is_name(key->name, name, len) || is_name(key->alias, name, len))
			return key;
	}
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/counter/metrics.h"

#include <stdio.h>
#include <string.h>
#include "util/event/symbols.h"

#define NO_EVENT UINT64_MAX
#define CACHE(cache, result) \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16)
#define MISS_RATE(name, cache) { name, "%", PERF_TYPE_HW_CACHE, CACHE(cache, MISS), CACHE(cache, ACCESS), 100, 2 }
#define RATE(name, unit, event) { name, unit, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event, NO_EVENT, 1e9, 1 }
#define HARDWARE(name, unit, event, of, factor, decimals) \
	{ name, unit, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event, PERF_COUNT_HW_##of, factor, decimals }
#define PER_CLOCK(name, unit, event, factor) { name, unit, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event, NO_EVENT, factor, 3 }

/* Names and units are those of other perfs. */
static const struct quotient { /* a count divided by another one of the same type, or by a clock in ns */
	const char *name, *unit;
	u32 type;
	u64 config, of; /* of NO_EVENT: a clock */
	double factor;
	int decimals;
} quotients[] = {
	RATE("cs_per_second", "cs/sec", CONTEXT_SWITCHES),
	RATE("migrations_per_second", "migrations/sec", CPU_MIGRATIONS),
	RATE("page_faults_per_second", "faults/sec", PAGE_FAULTS),
	PER_CLOCK("cycles_frequency", "GHz", CPU_CYCLES, 1),
	HARDWARE("insn_per_cycle", "instructions", INSTRUCTIONS, CPU_CYCLES, 1, 2),
	HARDWARE("frontend_cycles_idle", "%", STALLED_CYCLES_FRONTEND, CPU_CYCLES, 100, 2),
	HARDWARE("backend_cycles_idle", "%", STALLED_CYCLES_BACKEND, CPU_CYCLES, 100, 2),
	PER_CLOCK("branch_frequency", "M/sec", BRANCH_INSTRUCTIONS, 1e3),
	HARDWARE("branch_miss_rate", "%", BRANCH_MISSES, BRANCH_INSTRUCTIONS, 100, 2),
	HARDWARE("cache_miss_rate", "%", CACHE_MISSES, CACHE_REFERENCES, 100, 2),
	MISS_RATE("l1d_miss_rate", L1D),
	MISS_RATE("l1i_miss_rate", L1I),
	MISS_RATE("llc_miss_rate", LL),
	MISS_RATE("dtlb_miss_rate", DTLB),
	MISS_RATE("itlb_miss_rate", ITLB),
};

#define CPUS_UTILIZED "CPUs_utilized"

const char *counter_event__unit(const struct evsel *evsel)
{
	if (evsel->tool)
		return "ns";
	return attr__is_clock(&evsel->attr) ? "msec" : evsel->unit;
}

double counter_event__scale(const struct evsel *evsel)
{
	if (evsel->scale)
		return evsel->scale;
	return attr__is_clock(&evsel->attr) ? 1e-6 : 1;
}

/* On a hybrid machine the upper half of config names the PMU. */
static bool is_event(const struct evsel *evsel, u32 type, u64 config)
{
	return evsel->attr.type == type && (u32)evsel->attr.config == config;
}

static bool is_of_same_cgroup(const struct evsel *a, const struct evsel *b)
{
	return a->cgroup && b->cgroup ? !strcmp(a->cgroup, b->cgroup) : a->cgroup == b->cgroup;
}

static bool is_of_same_modes(const struct evsel *a, const struct evsel *b)
{
	const struct perf_event_attr *x = &a->attr, *y = &b->attr;

	return x->exclude_user == y->exclude_user && x->exclude_kernel == y->exclude_kernel && x->exclude_host == y->exclude_host;
}

static bool is_partner(const struct evsel *evsel, const struct evsel *other, u32 type, u64 of)
{
	if (!is_of_same_cgroup(evsel, other))
		return false;
	if (of == NO_EVENT)
		return attr__is_clock(&other->attr);
	return is_event(other, type, of) && evsel->attr.config >> 32 == other->attr.config >> 32 && is_of_same_modes(evsel, other);
}

/* The count that evsel's is divided by; 0: there is none. */
static double partner(const struct counter_cells *cells, const struct evsel *evsel, unsigned int group, u32 type, u64 of)
{
	for (unsigned int i = 0; i < cells->evlist->nr; i++) {
		const struct counter_cell *cell = counter_cells__at(cells, i, group);

		if (is_partner(evsel, cells->evlist->evsel[i], type, of) && cell->state == COUNTER_COUNTED && cell->value.mean > 0)
			return cell->value.mean;
	}
	return 0;
}

static const struct quotient *find_quotient(const struct evsel *evsel)
{
	for (size_t i = 0; i < ARRAY_SIZE(quotients); i++) {
		if (is_event(evsel, quotients[i].type, quotients[i].config))
			return &quotients[i];
	}
	return NULL;
}

static bool set(struct counter_metric *metric, const char *name, const char *unit, double value, int decimals)
{
	*metric = (struct counter_metric){ name, unit, value, value, decimals };
	return true;
}

/* With the largest unit that leaves something before the point */
static bool set_rate(struct counter_metric *metric, double rate)
{
	static const struct { double factor; const char *unit; } units[] = { { 1e9, "G/sec" }, { 1e6, "M/sec" }, { 1e3, "K/sec" } };

	set(metric, NULL, "/sec", rate, 3);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (rate < units[i].factor)
			continue;
		metric->value = rate / units[i].factor;
		metric->unit = units[i].unit;
		break;
	}
	return true;
}

bool counter_metric__find(const struct counter_cells *cells, unsigned int event, unsigned int group, double elapsed,
			  struct counter_metric *metric)
{
	const struct evsel *evsel = cells->evlist->evsel[event];
	const struct counter_cell *cell = counter_cells__at(cells, event, group);
	const struct quotient *quotient = find_quotient(evsel);
	const double value = cell->value.mean;
	double of;

	if (cell->state != COUNTER_COUNTED || evsel->tool)
		return false;
	if (attr__is_clock(&evsel->attr))
		return elapsed > 0 && set(metric, CPUS_UTILIZED, "CPUs", value / elapsed, 3);
	of = quotient ? partner(cells, evsel, group, quotient->type, quotient->of) : 0;
	if (of > 0)
		return set(metric, quotient->name, quotient->unit, quotient->factor * value / of, quotient->decimals);
	of = partner(cells, evsel, group, evsel->attr.type, NO_EVENT);
	return of > 0 && set_rate(metric, value / of * 1e9);
}

static bool has_partner(const struct counter_cells *cells, const struct evsel *evsel, unsigned int group, u32 type, u64 of)
{
	for (unsigned int i = 0; i < cells->evlist->nr; i++) {
		if (is_partner(evsel, cells->evlist->evsel[i], type, of) && counter_cells__at(cells, i, group)->state != COUNTER_NOT_SUPPORTED)
			return true;
	}
	return false;
}

bool counter_metric__may_be(const struct counter_cells *cells, unsigned int event, unsigned int group, struct counter_metric *metric)
{
	const struct evsel *evsel = cells->evlist->evsel[event];
	const struct quotient *quotient = find_quotient(evsel);

	if (counter_cells__at(cells, event, group)->state == COUNTER_NOT_SUPPORTED || evsel->tool)
		return false;
	if (attr__is_clock(&evsel->attr))
		return set(metric, CPUS_UTILIZED, "CPUs", 0, 3);
	if (quotient && has_partner(cells, evsel, group, quotient->type, quotient->of))
		return set(metric, quotient->name, quotient->unit, 0, quotient->decimals);
	return has_partner(cells, evsel, group, evsel->attr.type, NO_EVENT) && set_rate(metric, 0);
}

const char *counter_metric__name(unsigned int i)
{
	return !i ? CPUS_UTILIZED : i <= ARRAY_SIZE(quotients) ? quotients[i - 1].name : NULL;
}

static const char *put_event(u32 type, u64 config, char *buf, size_t size)
{
	if (type == PERF_TYPE_HW_CACHE)
		return cache_event__name(config, buf, size);
	return type == PERF_TYPE_HARDWARE ? event_symbols_hw[config].name : event_symbols_sw[config].name;
}

const char *counter_metric__events(const char *name, const char *clock, char *buf, size_t size)
{
	char count[64], of[64];

	if (!strcmp(name, CPUS_UTILIZED)) {
		snprintf(buf, size, "%s", clock);
		return buf;
	}
	for (size_t i = 0; i < ARRAY_SIZE(quotients); i++) {
		const struct quotient *q = &quotients[i];

		if (strcmp(q->name, name))
			continue;
		snprintf(buf, size, "%s,%s", q->of == NO_EVENT ? clock : put_event(q->type, q->of, of, sizeof(of)),
			 put_event(q->type, q->config, count, sizeof(count)));
		return buf;
	}
	return NULL;
}

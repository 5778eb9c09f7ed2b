/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMUs from sysfs (Documentation/ABI/testing/sysfs-bus-event_source-devices-*): type, the layout of config bits (format/), named
 * events (events/) and the CPUs to open an event on (cpumask of an uncore PMU, cpus of a core PMU of a hybrid machine).
 */
#ifndef PERF_EVENT_PMU_H
#define PERF_EVENT_PMU_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include "util/lib/cpumap.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

#define PMU_ROOT "/sys/bus/event_source/devices" /* the default root; tests use others */

struct pmu;

/* -ENOENT: root has no PMU with that name; err then lists the existing ones. */
int pmu__new(const char *root, const char *name, struct pmu **pmu, struct errmsg *err);
void pmu__delete(struct pmu *pmu);

const char *pmu__name(const struct pmu *pmu);
u32 pmu__type(const struct pmu *pmu);

/*
 * Write value into the bits of attr->config, config1 or config2 that format/TERM names. -ENOENT: no such term, err lists the PMU's
 * terms; -ERANGE: value has more bits; -EINVAL: malformed format file.
 */
int pmu__set_term(const struct pmu *pmu, const char *term, u64 value, struct perf_event_attr *attr, struct errmsg *err);

/* The terms of events/NAME, malloc'ed; NULL with errno set (ENOENT: no such event). */
char *pmu__event_terms(const struct pmu *pmu, const char *name);

/* How the counts of events/NAME are shown, by the files beside it: the unit, what a count of 1 is in it, and whether it is a state. */
void pmu__event_display(const struct pmu *pmu, const char *name, char *unit, size_t size, double *scale, bool *snapshot);

/* *cpus is NULL if the PMU does not restrict them; the caller frees it. */
int pmu__cpus(const struct pmu *pmu, struct cpumap **cpus, struct errmsg *err);

/* Call cb for every named event of every PMU below root, in sorted order; stops when cb returns non-zero and returns that. */
int pmu__for_each_event(const char *root, int (*cb)(void *data, const char *pmu, const char *event), void *data);

#endif

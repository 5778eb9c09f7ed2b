// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "stat"

#include "cmd/stat/events.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "util/counter/metrics.h"
#include "util/event/pmu.h"
#include "util/lib/array.h"
#include "util/lib/cgroup-mount.h"
#include "util/lib/comma-list.h"
#include "util/lib/fs.h"

static int parse(struct evlist *evlist, const char *spec, struct errmsg *err)
{
	return evlist__parse(evlist, spec, NULL, err);
}

/* Processors without stalled cycles do not name them; they would only be shown as not supported. */
static bool pmu_has(const char *event)
{
	struct pmu *pmu;
	char *terms;

	if (pmu__new(PMU_ROOT, "cpu", &pmu, NULL))
		return false;
	terms = pmu__event_terms(pmu, event);
	pmu__delete(pmu);
	free(terms);
	return terms;
}

int stat_events__add_default(struct stat_options *o, struct errmsg *err)
{
	struct evlist *evlist = o->evlist;
	int ret = parse(evlist, o->run.system_wide ? "cpu-clock" : "task-clock", err) ?:
		  parse(evlist, "context-switches,cpu-migrations,page-faults,cycles", err);

	if (!ret && pmu_has("stalled-cycles-frontend"))
		ret = parse(evlist, "stalled-cycles-frontend", err);
	if (!ret && pmu_has("stalled-cycles-backend"))
		ret = parse(evlist, "stalled-cycles-backend", err);
	return ret ?: parse(evlist, "instructions,branches,branch-misses", err);
}

static bool has_event(const struct evlist *evlist, unsigned int first, const char *name)
{
	for (unsigned int i = first; i < evlist->nr; i++) {
		if (!strcmp(evlist->evsel[i]->name, name))
			return true;
	}
	return false;
}

/* Add what the metrics need and what is not among the events from first on. */
static int add_metrics(struct stat_options *o, unsigned int first, struct errmsg *err)
{
	const char *clock = o->run.system_wide ? "cpu-clock" : "task-clock";
	char word[64], events[160], *event, *rest;
	int ret = 0;

	comma_list__for_each(o->output.metrics, metric) {
		snprintf(word, sizeof(word), "%.*s", (int)metric.len, metric.text);
		if (!counter_metric__events(word, clock, events, sizeof(events)))
			continue;
		for (event = strtok_r(events, ",", &rest); event && !ret; event = strtok_r(NULL, ",", &rest))
			ret = has_event(o->evlist, first, event) ? 0 : parse(o->evlist, event, err);
		if (ret)
			break;
	}
	return ret;
}

int stat_events__add_metrics(struct stat_options *o, struct errmsg *err)
{
	return add_metrics(o, 0, err);
}

int stat_events__add_detailed(struct evlist *evlist, int level, struct errmsg *err)
{
	static const char *const specs[] = {
		"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
		"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
		"L1-dcache-prefetches,L1-dcache-prefetch-misses",
	};
	int ret = 0;

	for (int i = 0; i < level && i < (int)ARRAY_SIZE(specs) && !ret; i++)
		ret = parse(evlist, specs[i], err);
	return ret;
}

void stat_events__set_levels(const struct stat_options *o, unsigned int first)
{
	for (unsigned int i = first; i < o->evlist->nr; i++) {
		struct evsel *evsel = o->evlist->evsel[i];

		evsel->attr.exclude_kernel |= o->all_user;
		evsel->attr.exclude_user |= o->all_kernel;
		evsel->exact_modifier |= o->all_user || o->all_kernel;
	}
}

int stat_events__check(const struct evlist *evlist, struct errmsg *err)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		if (evlist->evsel[i]->kind)
			return errmsg__set(err, EINVAL, "off-cpu has samples, no count: take perf record, or -e context-switches");
	}
	return 0;
}

static int check_tool(const struct stat_options *o, const struct evsel *evsel, struct errmsg *err)
{
	const char *with = NULL;

	if (evsel->filter)
		with = "a filter";
	else if (evsel->tool != TOOL_DURATION_TIME && (evsel->cgroup || o->each_cgroup))
		with = "cgroups";
	else if (evsel->tool != TOOL_DURATION_TIME && o->in_bpf && !o->run.system_wide)
		with = "--bpf-counters without -a or -C";
	return with ? errmsg__set(err, EINVAL, "%s does not go with %s: leave it out, or take task-clock", evsel->name, with) : 0;
}

int stat_events__check_tools(const struct stat_options *o, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < o->evlist->nr && !ret; i++)
		ret = o->evlist->evsel[i]->tool ? check_tool(o, o->evlist->evsel[i], err) : 0;
	return ret;
}

/* The paths of cgroups, below the mount */
struct cgroup_list {
	char **path;
	unsigned int nr;
};

static void cgroup_list__exit(struct cgroup_list *list)
{
	while (list->nr)
		free(list->path[--list->nr]);
	free(list->path);
}

static int cgroup_list__add(struct cgroup_list *list, const char *path, size_t len)
{
	if (array__extend(list->path, list->nr))
		return -ENOMEM;
	list->path[list->nr] = strndup(path, len);
	return list->path[list->nr] ? (list->nr++, 0) : -ENOMEM;
}

/* path: below mount, "" for the root */
static int match_below(struct cgroup_list *list, const char *mount, const char *path, const regex_t *regex)
{
	const char *name = *path ? path + 1 : "/";
	char dir[PATH_MAX], below[PATH_MAX];
	struct fs_names *names;
	struct stat st;
	int ret = 0;

	if (!regexec(regex, name, 0, NULL, 0))
		ret = cgroup_list__add(list, name, strlen(name));
	if ((size_t)snprintf(dir, sizeof(dir), "%s%s", mount, path) >= sizeof(dir))
		return ret;
	names = fs_names__read(AT_FDCWD, dir); /* NULL: it has gone */
	for (size_t i = 0; names && i < names->nr && !ret; i++) {
		if ((size_t)snprintf(dir, sizeof(dir), "%s%s/%s", mount, path, names->name[i]) < sizeof(dir) && !stat(dir, &st) &&
		    S_ISDIR(st.st_mode) && (size_t)snprintf(below, sizeof(below), "%s/%s", path, names->name[i]) < sizeof(below))
			ret = match_below(list, mount, below, regex);
	}
	fs_names__delete(names);
	return ret;
}

static int match_cgroups(struct cgroup_list *list, const char *text, struct errmsg *err)
{
	char mount[PATH_MAX];
	regex_t regex;
	int ret;

	if (cgroup__mount("perf_event", mount, sizeof(mount)) && cgroup__mount(NULL, mount, sizeof(mount)))
		return errmsg__set(err, ENOENT, "--for-each-cgroup: no cgroup file system is mounted (mount -t cgroup2 none DIR)");
	if (regcomp(&regex, text, REG_EXTENDED | REG_NOSUB))
		return errmsg__set(err, EINVAL, "--for-each-cgroup takes names of cgroups, or a regular expression: not \"%s\"", text);
	ret = match_below(list, mount, "", &regex);
	regfree(&regex);
	if (ret)
		return errmsg__set(err, ENOMEM, "out of memory");
	return list->nr ? 0 : errmsg__set(err, ENOENT, "--for-each-cgroup: the path of no cgroup below %s matches \"%s\"", mount, text);
}

static int list_cgroups(struct cgroup_list *list, const char *text, struct errmsg *err)
{
	if (strpbrk(text, "*?[]()^$+|{}\\"))
		return match_cgroups(list, text, err);
	comma_list__for_each(text, name) {
		if (!name.len)
			return errmsg__set(err, EINVAL, "--for-each-cgroup takes names of cgroups with commas between: one is empty");
		if (cgroup_list__add(list, name.text, name.len))
			return errmsg__set(err, ENOMEM, "out of memory");
	}
	return 0;
}

/* The events of the command line once more */
static int add_again(struct stat_options *o, struct errmsg *err)
{
	const unsigned int first = o->evlist->nr;
	int ret = 0;

	if (!o->nr_specs && !o->output.metrics)
		ret = stat_events__add_default(o, err);
	for (unsigned int i = 0; i < o->nr_specs && !ret; i++)
		ret = parse(o->evlist, o->spec[i], err);
	ret = ret ?: add_metrics(o, first, err) ?: stat_events__add_detailed(o->evlist, o->detailed, err);
	stat_events__set_levels(o, first);
	return ret;
}

/* The events from first on are those of the beginning again. */
static int copy_filters(struct evlist *evlist, unsigned int first, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = first; i < evlist->nr && !ret; i++)
		ret = evsel__copy_filters(evlist->evsel[i], evlist->evsel[i - first], err);
	return ret;
}

static int set_cgroup(struct evlist *evlist, unsigned int first, const char *path, struct errmsg *err)
{
	for (unsigned int i = first; i < evlist->nr; i++) {
		evlist->evsel[i]->cgroup = strdup(path);
		if (!evlist->evsel[i]->cgroup)
			return errmsg__set(err, ENOMEM, "out of memory");
	}
	return 0;
}

int stat_events__for_each_cgroup(struct stat_options *o, struct errmsg *err)
{
	struct cgroup_list list = {};
	int ret = list_cgroups(&list, o->each_cgroup, err);

	for (unsigned int i = 0; i < list.nr && !ret; i++) {
		const unsigned int first = i ? o->evlist->nr : 0;

		ret = i ? add_again(o, err) ?: copy_filters(o->evlist, first, err) : 0;
		ret = ret ?: set_cgroup(o->evlist, first, list.path[i], err);
	}
	cgroup_list__exit(&list);
	return ret;
}

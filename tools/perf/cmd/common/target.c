// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "target"

#include "cmd/common/target.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/comma-list.h"
#include "util/lib/log.h"

void target__settle(struct run_opts *run, char **argv, bool all)
{
	run->argv = argv[0] ? argv : NULL;
	if (run->pids || run->tids) {
		if (run->pids && run->tids) {
			pr_warn("PID switch overriding TID\n");
			run->tids = NULL;
		}
		if (run->cpus)
			pr_warn("PID/TID switch overriding CPU\n");
		if (run->system_wide)
			pr_warn("PID/TID switch overriding SYSTEM\n");
		run->cpus = NULL;
		run->system_wide = false;
	} else if (run->cpus || !run->argv || all) {
		run->system_wide = true;
	}
}

/* The next event without a -G; "" skips one. */
static int set_cgroup(struct evlist *evlist, unsigned int *nr_cgroups, const char *name, size_t len)
{
	struct evsel *evsel;

	if (*nr_cgroups == evlist->nr) {
		pr_err("-G names more cgroups than there are events before it: put it after the -e of its events\n");
		return -1;
	}
	evsel = evlist->evsel[(*nr_cgroups)++];
	if (!len)
		return 0;
	evsel->cgroup = strndup(name, len);
	if (!evsel->cgroup)
		pr_err("out of memory\n");
	return evsel->cgroup ? 0 : -1;
}

int target__add_cgroups(struct evlist *evlist, unsigned int *nr_cgroups, const char *list)
{
	comma_list__for_each(list, name) {
		if (set_cgroup(evlist, nr_cgroups, name.text, name.len))
			return -1;
	}
	/* As in upstream: if only one was ever named it applies to all events so far. */
	if (*nr_cgroups > 1 || !*list)
		return 0;
	while (*nr_cgroups < evlist->nr) {
		if (set_cgroup(evlist, nr_cgroups, list, strlen(list)))
			return -1;
	}
	return 0;
}

int target__parse_user(const char *arg, uid_t *uid)
{
	const struct passwd *passwd = getpwnam(arg);
	unsigned long value;
	char *end;

	if (passwd) {
		*uid = passwd->pw_uid;
		return 0;
	}
	errno = 0;
	value = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || value >= UINT_MAX) {
		pr_err("-u takes a user's name or number, and there is no user \"%s\"\n", arg);
		return -1;
	}
	*uid = value;
	return 0;
}

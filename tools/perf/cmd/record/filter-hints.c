// SPDX-License-Identifier: GPL-2.0
#include "cmd/record/filter-hints.h"

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/filter/filter.h"
#include "util/lib/log.h"
#include "util/lib/types.h"

static int warn_of(void *arg, const struct filter_name *name)
{
	if (name->seems_glob)
		pr_warn("filter: \"%s\" is compared as it is, with its '*' or '?': for a pattern take %s %s \"%s\"\n", name->text, name->term,
			name->inverted ? "!~" : "~", name->text);
	return 0;
}

static void for_each_name(const struct evsel *evsel, int (*cb)(void *arg, const struct filter_name *name), void *arg)
{
	struct filter *filter;
	struct errmsg err;

	if (filter__parse(evsel->filter, &filter, &err))
		return; /* the kernel's own filter supports more */
	filter__for_each_name(filter, cb, arg);
	filter__delete(filter);
}

void filter_hints__warn(const struct evlist *evlist)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		const struct evsel *evsel = evlist->evsel[i];

		if (evsel->filter && (!i || !evlist->evsel[i - 1]->filter || strcmp(evsel->filter, evlist->evsel[i - 1]->filter)))
			for_each_name(evsel, warn_of, NULL);
	}
}

/* Call cb with the path of a file of each process, until it returns true; returns that. */
static bool any_process(const char *file, bool (*cb)(FILE *fp, const struct filter_name *name), const struct filter_name *name)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	bool found = false;
	char path[300];
	FILE *fp;

	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%s/%s", entry->d_name, file);
		fp = isdigit((unsigned char)*entry->d_name) ? fopen(path, "re") : NULL;
		found = fp && cb(fp, name);
		if (fp)
			fclose(fp);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool is_it(const struct filter_name *name, const char *text)
{
	return name->is_glob ? !fnmatch(name->text, text, 0) : !strcmp(name->text, text);
}

static bool maps_it(FILE *fp, const struct filter_name *name)
{
	char *line = NULL, *path, *base;
	size_t size = 0;
	bool found = false;
	ssize_t len;

	while (!found && (len = getline(&line, &size, fp)) > 0) {
		line[len - (line[len - 1] == '\n')] = '\0';
		path = strchr(line, '/') ?: strchr(line, '[');
		base = path ? strrchr(path, '/') : NULL;
		found = path && (is_it(name, path) || (base && is_it(name, base + 1)));
	}
	free(line);
	return found;
}

static bool is_called_so(FILE *fp, const struct filter_name *name)
{
	char comm[64] = "";

	if (!fgets(comm, sizeof(comm), fp))
		return false;
	comm[strcspn(comm, "\n")] = '\0';
	return is_it(name, comm);
}

struct reason {
	char text[256];
};

/* The first name that no sample can have, as far as is known now. */
static int find_reason(void *arg, const struct filter_name *name)
{
	struct reason *reason = arg;
	const char *what = NULL;

	if (name->inverted)
		return 0;
	if (name->seems_glob)
		snprintf(reason->text, sizeof(reason->text), "no sample has %s %s; for patterns use ~", name->term, name->text);
	else if (!strcmp(name->term, "dso") && *name->text != '[' && !any_process("maps", maps_it, name))
		what = "no process maps";
	else if (!strcmp(name->term, "comm") && !any_process("comm", is_called_so, name))
		what = "no process is called";
	if (what)
		snprintf(reason->text, sizeof(reason->text), "%s %s at this moment", what, name->text);
	return *reason->text != '\0';
}

void filter_hints__tell_nothing_kept(const struct evsel *evsel)
{
	struct reason reason = { "" };

	for_each_name(evsel, find_reason, &reason);
	pr_info("The filter kept nothing: %s\n", *reason.text ? reason.text : "-v shows what each of its tests did");
}

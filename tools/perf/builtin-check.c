// SPDX-License-Identifier: GPL-2.0
/* perf check: tell scripts what this perf was built with. */
#include "builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/build-features.h"
#include "util/lib/log.h"
#include "util/lib/options.h"

#define SEPARATORS ", " /* between names */

static bool quiet;

static const char *const check_usage[] = {
	"perf check [<options>] feature <name>[,<name>...]",
	NULL,
};

static const struct option_row check_options[] = {
	OPT_BOOL('q', "quiet", &quiet, "print nothing: the exit status has the answer"),
	OPT_END(),
};

/* 1: perf has it, 0: it does not, -1: unknown name */
static int check_feature(const char *name)
{
	const struct build_feature *feature = build_feature__find(name);

	if (!feature) {
		if (!quiet)
			pr_err("no feature is called '%s': 'perf check feature' names all\n", name);
		return -1;
	}
	if (!quiet)
		build_feature__print(feature);
	return feature->is_on;
}

static int check_features(const char *names)
{
	char *text = strdup(names), *name, *rest;
	int status = 0;

	if (!text)
		return EXIT_SETUP;
	for (name = strtok_r(text, SEPARATORS, &rest); name; name = strtok_r(NULL, SEPARATORS, &rest)) {
		if (check_feature(name) <= 0)
			status = 1;
	}
	free(text);
	return status;
}

static void refuse_none(void)
{
	char names[1024] = "";
	size_t len = 0;

	for (const struct build_feature *feature = build_features; feature->name && len < sizeof(names); feature++)
		len += snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "", feature->name);
	options__refuse_exit("  Error: name the features to look for, as in 'perf check feature zstd':\n  %s\n", names);
}

int cmd_check(int argc, char **argv)
{
	int status = 0;

	argc = options__parse(argc, argv, check_options, check_usage, false);
	if (argc && strcmp(argv[0], "feature"))
		options__refuse_exit("  Error: '%s' cannot be checked, but 'feature' can\n", argv[0]);
	if (argc < 2)
		refuse_none();
	for (int i = 1; i < argc; i++) {
		if (!argv[i][strspn(argv[i], SEPARATORS)])
			options__refuse_exit("  Error: '%s' names no feature\n", argv[i]);
	}
	for (int i = 1; i < argc; i++)
		status |= check_features(argv[i]);
	return status;
}

// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/config.h"
#include "util/lib/log.h"
#include "util/lib/options.h"

static bool list, system_file, user_file;

static const char *const config_usage[] = {
	"perf config [--system | --user] [-l | <section>.<name>[=<value>]...]",
	NULL,
};

static const struct option_row config_options[] = {
	OPT_BOOL('l', "list", &list, "show all that is set"),
	OPT_BOOL(0, "system", &system_file, "the system's file, /etc/perfconfig"),
	OPT_BOOL(0, "user", &user_file, "the user's file, ~/.perfconfig, or what $PERF_CONFIG names"),
	OPT_END(),
};

static void tell(const char *text)
{
	pr_warn("%s\n", text);
}

static int show(const char *key, const char *value, void *data)
{
	const char *wanted = data;

	if (!wanted || !strcmp(key, wanted))
		printf("%s=%s\n", key, value);
	return 0;
}

static enum config_which which(void)
{
	return system_file ? CONFIG_SYSTEM : user_file ? CONFIG_USER : CONFIG_ALL;
}

static int read_and_show(const char *key)
{
	struct config *config;
	struct errmsg err;

	if (config__read(which(), tell, &config, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	config__for_each(config, show, (void *)key);
	config__delete(config);
	return 0;
}

static int set(char *key, const char *value)
{
	struct errmsg err;

	if (!config__set(which() == CONFIG_ALL ? CONFIG_USER : which(), key, value, &err))
		return 0;
	pr_err("%s: %s\n", key, err.text);
	return EXIT_SETUP;
}

static int show_or_set(char *arg)
{
	char *value = strchr(arg, '=');

	if (value)
		*value++ = '\0';
	if (!config__is_key(arg)) {
		pr_err("The config variable does not contain a section name and a variable name, as section.name: %s\n", arg);
		return EXIT_USAGE;
	}
	return value ? set(arg, value) : read_and_show(arg);
}

int cmd_config(int argc, char **argv)
{
	int ret = 0;

	argc = options__parse(argc, argv, config_options, config_usage, false);
	if (system_file && user_file)
		options__refuse_exit(" Error: only one config file at a time\n");
	if (list && argc)
		options__refuse_exit(" Error: -l takes no names\n");
	if (list || !argc)
		return read_and_show(NULL);
	for (int i = 0; i < argc && !ret; i++)
		ret = show_or_set(argv[i]);
	return ret;
}

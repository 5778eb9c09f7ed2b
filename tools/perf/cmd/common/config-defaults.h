/* SPDX-License-Identifier: GPL-2.0 */
/* Turns a command's settings in perfconfig files into options that precede those on its command line. */
#ifndef PERF_CMD_COMMON_CONFIG_DEFAULTS_H
#define PERF_CMD_COMMON_CONFIG_DEFAULTS_H

#include <stdbool.h>

struct config_default {
	const char *key;    /* "section.name" */
	const char *option; /* the long name of its option */
	/*
	 * NULL: the value is the option's argument. Otherwise the option has no argument and is given if the value is this one;
	 * "bool": or as --no-OPTION.
	 */
	const char *value;
};

#define CONFIG_BOOL "bool"

/*
 * table ends with a row without a key; consecutive rows with the same option become one argument, separated by commas. *argv becomes
 * a longer copy with *argc words, which lives as long as the program. 0 or an exit status, after a message.
 */
int config_defaults__apply(const struct config_default *table, int *argc, char ***argv);

/* Can the files be read? 0, or an exit status after a message, which is printed once. */
int config_defaults__check(void);

/* The value of the first of these keys that is set, NULL if none is; lives as long as the program. keys ends with NULL. */
const char *config_defaults__get(const char *const *keys);

/*
 * What is said before the command (perf --buildid-dir DIR report): as if perfconfig said so, but stronger. There is one such key. Both
 * must live as long as the program.
 */
void config_defaults__override(const char *key, const char *value);

#endif

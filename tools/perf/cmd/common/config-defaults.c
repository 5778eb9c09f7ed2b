// SPDX-License-Identifier: GPL-2.0
#include "cmd/common/config-defaults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/config.h"
#include "util/lib/log.h"
#include "util/lib/options.h"

static struct config *config; /* read once */
static bool is_broken;	      /* and that was told */
static char **words; /* of the command line, including perfconfig's: the command's options point into it until the end */

static const char *override_key, *override_value; /* NULL: none */

void config_defaults__override(const char *key, const char *value)
{
	override_key = key;
	override_value = value;
}

static const char *value_of(const char *key)
{
	return override_key && !strcmp(key, override_key) ? override_value : config__get(config, key);
}

static void tell(const char *text)
{
	pr_warn("%s\n", text);
}

static int read_config(void)
{
	struct errmsg err;

	if (!config && !is_broken) {
		is_broken = config__read(CONFIG_ALL, tell, &config, &err) != 0;
		if (is_broken)
			pr_err("%s\n", err.text);
	}
	return is_broken ? EXIT_SETUP : 0;
}

int config_defaults__check(void)
{
	return read_config();
}

const char *config_defaults__get(const char *const *keys)
{
	if (read_config())
		return NULL;
	for (; *keys; keys++) {
		const char *value = value_of(*keys);

		if (value)
			return value;
	}
	return NULL;
}

/* Returns the option, or NULL after a message. */
static char *made(char *word)
{
	if (!word)
		pr_err("out of memory\n");
	return word;
}

/* "--children" or "--no-children". NULL after a message: the value is neither. */
static char *switch_word(const struct config_default *d, const char *value)
{
	bool on = !strcmp(value, d->value);
	char *word;

	if (!strcmp(d->value, CONFIG_BOOL) && config__bool(value, &on)) {
		pr_err("perfconfig: %s is true or false: not \"%s\"\n", d->key, value);
		return NULL;
	}
	if (!on && strcmp(d->value, CONFIG_BOOL))
		return made(strdup(""));
	return made(asprintf(&word, "--%s%s", on ? "" : "no-", d->option) < 0 ? NULL : word);
}

/* Join the rows from *d on with its option; *d moves to the last of them. "": not set. NULL after a message. */
static char *next_word(const struct config_default **d)
{
	const char *option = (*d)->option, *value;
	char *word = made(strdup("")), *longer;

	for (;; ++*d) {
		value = value_of((*d)->key);
		if (value && (*d)->value) {
			free(word);
			word = switch_word(*d, value);
		} else if (value && word) {
			if ((*word ? asprintf(&longer, "%s,%s", word, value) : asprintf(&longer, "--%s=%s", option, value)) < 0)
				longer = NULL;
			free(word);
			word = made(longer);
		}
		if (!word || !(*d)[1].key || strcmp((*d)[1].option, option))
			return word;
	}
}

int config_defaults__apply(const struct config_default *table, int *argc, char ***argv)
{
	unsigned int nr_rows = 0;
	int nr = 1;

	if (options__ask_for_list(*argc, *argv))
		return 0;
	if (read_config())
		return EXIT_SETUP;
	while (table[nr_rows].key)
		nr_rows++;
	words = calloc(*argc + nr_rows + 1, sizeof(*words));
	if (!words) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	words[0] = (*argv)[0];
	for (; table->key; table++) {
		words[nr] = next_word(&table);
		if (!words[nr])
			return EXIT_USAGE;
		if (*words[nr])
			nr++;
		else
			free(words[nr]);
	}
	memcpy(words + nr, *argv + 1, (*argc - 1) * sizeof(*words));
	nr += *argc - 1;
	words[nr] = NULL;
	*argc = nr;
	*argv = words;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/setup-filter.h"

#include <stdio.h>
#include <string.h>

#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/judge/filter-pins.h"

/* Parse the action's name before '='; *owner is the text after it, NULL if there is none. */
static bool is_action(const char *action, const char *name, const char **owner)
{
	size_t len = strlen(name);

	if (strncmp(action, name, len) || (action[len] && action[len] != '='))
		return false;
	*owner = action[len] ? action + len + 1 : NULL;
	return true;
}

int record_setup_filter__run(const char *action)
{
	struct filter_owner owner;
	char owner_name[64];
	const char *name;
	struct errmsg err;
	int ret;

	if (is_action(action, "status", &name) && !name) {
		ret = filter_pins__status(stdout, &err);
	} else if (is_action(action, "unpin", &name) && !name) {
		ret = filter_pins__remove_all(&err);
	} else if (!is_action(action, "pin", &name) && !is_action(action, "unpin", &name)) {
		pr_err("--setup-filter takes pin[=USER|@GROUP], unpin[=USER|@GROUP] or status: not \"%s\"\n", action);
		return EXIT_USAGE;
	} else if (filter_owner__parse(name, &owner, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	} else {
		ret = *action == 'p' ? filter_pins__add(&owner, &err) : filter_pins__remove(&owner, &err);
	}
	if (ret)
		pr_err("%s\n", err.text);
	else if (*action == 'p')
		pr_info("%s can filter %u events at once; their programs are in " FILTER_PINS_DIR ", a bpffs of its own\n",
			filter_owner__name(&owner, owner_name, sizeof(owner_name)), FILTER_PINS_SLOTS);
	return ret ? EXIT_SETUP : 0;
}

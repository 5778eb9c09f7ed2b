// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "script"
#include "cmd/script/options.h"

#include <string.h>

#include "util/lib/log.h"

int script_options__parse_fields(const struct option_row *row, const char *arg, bool unset)
{
	struct script_options *o = row->value;
	struct errmsg err;

	if (unset) {
		script_fields__init(&o->fields);
		return 0;
	}
	if (!script_fields__parse(&o->fields, arg, &err))
		return 0;
	pr_err("%s\n", err.text);
	return -1;
}

int script_options__parse_shown(const struct option_row *row, const char *arg, bool unset)
{
	static const struct {
		const char *option;
		unsigned int records;
	} all[] = {
		{ "show-task-events", SCRIPT_SHOW_TASK },	  { "show-mmap-events", SCRIPT_SHOW_MMAP },
		{ "show-lost-events", SCRIPT_SHOW_LOST },	  { "show-switch-events", SCRIPT_SHOW_SWITCH },
		{ "show-cgroup-events", SCRIPT_SHOW_CGROUP },	  { "show-namespace-events", SCRIPT_SHOW_NAMESPACES },
		{ "show-bpf-events", SCRIPT_SHOW_BPF },		  { "show-text-poke-events", SCRIPT_SHOW_TEXT_POKE },
		{ "show-round-events", SCRIPT_SHOW_ROUND },
	};
	struct script_options *o = row->value;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!strcmp(all[i].option, row->long_name))
			o->shown = unset ? o->shown & ~all[i].records : o->shown | all[i].records;
	}
	return 0;
}

int script_options__hand_on(const struct option_row *row, const char *arg, bool unset)
{
	struct script_options *o = row->value;

	if (!o->handed_on)
		o->handed_on = row->long_name;
	return 0;
}

int script_options__refuse(const struct option_row *row, const char *arg, bool unset)
{
	struct script_options *o = row->value;

	if (!o->refused) {
		o->refused = row->long_name;
		o->why = row->help;
	}
	return 0;
}

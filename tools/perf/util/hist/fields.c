// SPDX-License-Identifier: GPL-2.0
#include "util/hist/fields.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name, *alias;
} names[HIST_NR_FIELDS] = {
	[HIST_OVERHEAD] = { "overhead", NULL },
	[HIST_OVERHEAD_CHILDREN] = { "overhead_children", NULL },
	[HIST_SAMPLE] = { "sample", NULL },
	[HIST_PERIOD] = { "period", NULL },
	[HIST_COMM] = { "comm", NULL },
	[HIST_DSO] = { "dso", NULL },
	[HIST_SYM] = { "symbol", "sym" },
	[HIST_PID] = { "pid", "tid" },
	[HIST_CPU] = { "cpu", NULL },
	[HIST_TRACE] = { "trace", NULL },
};

bool hist_field_list__has(const struct hist_field_list *list, enum hist_field field)
{
	for (u32 i = 0; i < list->nr; i++) {
		if (list->field[i] == field)
			return true;
	}
	return false;
}

static void append(struct hist_field_list *list, enum hist_field field)
{
	if (!hist_field_list__has(list, field))
		list->field[list->nr++] = field;
}

static void append_all(struct hist_field_list *list, const struct hist_field_list *from)
{
	for (u32 i = 0; i < from->nr; i++)
		append(list, from->field[i]);
}

static int unknown_key(struct errmsg *err, const char *option, const char *word, size_t len)
{
	char all[256] = "";
	size_t used = 0;

	for (u32 i = 0; i < HIST_NR_FIELDS; i++) {
		char *end = stpcpy(stpcpy(all + used, i ? ", " : ""), names[i].name);

		used = end - all;
	}
	return errmsg__set(err, EINVAL, "Unknown %s key: `%.*s'\nthe keys are: %s", option, (int)len, word, all);
}

static bool is_word(const char *name, const char *word, size_t len)
{
	return name && strlen(name) == len && !memcmp(name, word, len);
}

/* Append the fields of a list "comm,dso, symbol". */
static int parse_list(struct hist_field_list *list, const char *option, const char *text, struct errmsg *err)
{
	static const char separators[] = ", ";
	size_t len;

	for (text += strspn(text, separators); *text; text += len, text += strspn(text, separators)) {
		u32 i;

		len = strcspn(text, separators);
		for (i = 0; i < HIST_NR_FIELDS; i++) {
			if (is_word(names[i].name, text, len) || is_word(names[i].alias, text, len))
				break;
		}
		if (i == HIST_NR_FIELDS)
			return unknown_key(err, option, text, len);
		append(list, i);
	}
	return 0;
}

/* Without -F the percentages come first and decide first. */
static void add_default_columns(struct hist_layout *layout, const struct hist_layout_opts *opts)
{
	struct hist_field_list sort = layout->sort;

	layout->sort.nr = 0;
	if (opts->children && !hist_field_list__has(&sort, HIST_OVERHEAD_CHILDREN))
		append(&layout->sort, HIST_OVERHEAD_CHILDREN);
	if (!hist_field_list__has(&sort, HIST_OVERHEAD))
		append(&layout->sort, HIST_OVERHEAD);
	append_all(&layout->sort, &sort);

	if (opts->children)
		append(&layout->columns, HIST_OVERHEAD_CHILDREN);
	append(&layout->columns, HIST_OVERHEAD);
	if (opts->show_samples)
		append(&layout->columns, HIST_SAMPLE);
	if (opts->show_period)
		append(&layout->columns, HIST_PERIOD);
}

int hist_layout__init(struct hist_layout *layout, const struct hist_layout_opts *opts, struct errmsg *err)
{
	const char *sort = opts->sort;
	int ret;

	memset(layout, 0, sizeof(*layout));
	layout->own_columns = opts->fields;
	if (!sort && !opts->fields)
		sort = opts->default_sort;
	ret = sort ? parse_list(&layout->sort, "--sort", sort, err) : 0;
	if (!ret && opts->fields)
		ret = parse_list(&layout->columns, "--fields", opts->fields, err);
	if (ret)
		return ret;
	if (!opts->fields)
		add_default_columns(layout, opts);
	append_all(&layout->columns, &layout->sort);
	append_all(&layout->sort, &layout->columns);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/hist/fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/hist/compare.h"
#include "util/symbol/data-type.h"
#include "util/symbol/insn.h"

#define NANOSECONDS_WIDTH 16 /* for the key time */

bool hist_column_list__has(const struct hist_column_list *list, const char *key)
{
	for (u32 i = 0; i < list->nr; i++) {
		if (!strcmp(list->at[i].key->name, key))
			return true;
	}
	return false;
}

static bool is_same(const struct hist_column *a, const struct hist_column *b)
{
	return a->key == b->key && a->raw == b->raw && !strcmp(a->field, b->field) && !strcmp(a->event, b->event);
}

const struct hist_column *hist_column_list__find(const struct hist_column_list *list, const struct hist_column *column)
{
	for (u32 i = 0; i < list->nr; i++) {
		if (is_same(&list->at[i], column))
			return &list->at[i];
	}
	return NULL;
}

static int append(struct hist_column_list *list, const struct hist_column *column)
{
	if (hist_column_list__find(list, column))
		return 0;
	if (list->nr == HIST_MAX_COLUMNS)
		return -E2BIG;
	list->at[list->nr++] = *column;
	return 0;
}

static int append_key(struct hist_column_list *list, const char *name)
{
	const struct hist_key *key = hist_key__find(name, strlen(name));

	return append(list, &(struct hist_column){ .key = key, .width = key->width });
}

/* Not what is for the order only. */
static int append_all(struct hist_column_list *list, const struct hist_column_list *from)
{
	int ret = 0;

	for (u32 i = 0; i < from->nr && !ret; i++)
		ret = from->at[i].order_only ? 0 : append(list, &from->at[i]);
	return ret;
}

static int unknown_key(struct errmsg *err, const char *option, const char *word)
{
	char all[2048] = "";
	size_t used = 0;

	for (const struct hist_key *key = hist_keys; key->name; key++)
		used += snprintf(all + used, sizeof(all) - used, "%s%s", used ? ", " : "", key->name);
	return errmsg__set(err, EINVAL, "Unknown %s key: `%s'\nthe keys are: %s, and the fields of the tracepoints in the file", option,
			   word, all);
}

struct parsing {
	struct hist_layout *layout;
	const struct hist_layout_opts *opts;
	const char *option; /* the option that is parsed */
	u8 level;	    /* of the next word */
	bool braces;	    /* inside braces */
	struct errmsg *err;
};

/* "field" or "sys:event.field", followed by "/raw" or nothing */
static bool parse_field(const struct parsing *p, const char *word, struct hist_column *column)
{
	const char *dot = strrchr(word, '.'), *field = dot ? dot + 1 : word, *slash = strchrnul(field, '/');
	size_t event_len = dot ? dot - word : 0, len = slash - field;
	int width;

	if (!p->opts->field_width || len >= sizeof(column->field) || event_len >= sizeof(column->event))
		return false;
	if (*slash && strcmp(slash, "/raw"))
		return false;
	column->key = &hist_field_key;
	column->raw = *slash;
	memcpy(column->field, field, len);
	memcpy(column->event, word, event_len);
	width = p->opts->field_width(p->opts->data, column->event, column->field);
	column->width = width < 0 || width > UINT16_MAX ? 0 : width;
	return width >= 0;
}

static int check_data_types(const struct parsing *p, const char *word)
{
	if (!data_types__available())
		return errmsg__set(p->err, EINVAL, "%s key `%s' needs a disassembler: %s", p->option, word, disasm__remedy());
	if (p->opts->arch && !data_types__know(p->opts->arch))
		return errmsg__set(p->err, EINVAL, "%s key `%s' is of programs for x86_64, and this was recorded on %s: use another key, as srcline",
				   p->option, word, p->opts->arch);
	return 0;
}

static int parse_word(const struct parsing *p, struct hist_column_list *list, const char *word)
{
	struct hist_column column = { .key = hist_key__find(word, strlen(word)) };

	if (!column.key && !parse_field(p, word, &column))
		return unknown_key(p->err, p->option, word);
	if (column.key->flags & HIST_KEY_MEMORY && !p->opts->memory)
		return errmsg__set(p->err, EINVAL, "%s key `%s' shows memory accesses: it needs --mem-mode", p->option, word);
	if (column.key->flags & HIST_KEY_BRANCH && !p->opts->branches)
		return errmsg__set(p->err, EINVAL, "%s key `%s' shows branches: it needs a recording with -b", p->option, word);
	if (column.key->flags & HIST_KEY_DATA_TYPE && check_data_types(p, word))
		return -EINVAL;
	if (column.key != &hist_field_key)
		column.width = column.key->width;
	if (p->opts->nanoseconds && !strcmp(column.key->name, "time"))
		column.width = NANOSECONDS_WIDTH;
	column.level = p->level;
	return append(list, &column);
}

/* Append a word, which may have a brace before or after it: keys in braces are one level of a hierarchy. */
static int parse_braces(struct parsing *p, struct hist_column_list *list, char *word)
{
	size_t len;
	int ret;

	if (*word == '{') {
		p->braces = true;
		word++;
	}
	len = strlen(word);
	if (len && word[len - 1] == '}') {
		p->braces = false;
		word[--len] = '\0';
	}
	ret = len ? parse_word(p, list, word) : 0;
	p->level += !p->braces;
	return ret;
}

/* Append the columns of a list "comm,{dso, symbol}"; modifies the list. */
static int parse_list(struct parsing *p, struct hist_column_list *list, char *text)
{
	char *word, *rest;
	int ret = 0;

	for (word = strtok_r(text, ", ", &rest); word && !ret; word = strtok_r(NULL, ", ", &rest))
		ret = parse_braces(p, list, word);
	return ret;
}

/* The column that decides the order has none to be seen in. */
static int add_compared_columns(struct hist_layout *layout, const struct hist_comparison *comparison)
{
	struct hist_column column;
	int ret = 0;

	if (hist_comparison__order_column(comparison, &column))
		ret = append(&layout->sort, &column);
	for (u32 i = 0; !ret && hist_comparison__column(comparison, i, &column); i++)
		ret = append(&layout->sort, &column) ?: append(&layout->columns, &column);
	return ret;
}

/* Without -F the percentages are the first columns and the primary sort keys. */
static int add_default_columns(struct hist_layout *layout, const struct hist_layout_opts *opts)
{
	struct hist_column_list sort = layout->sort, *columns = &layout->columns;
	bool first = opts->latency == HIST_LATENCY_FIRST;
	/* as in perf: who asks for latency among the keys does not get the overhead unasked */
	bool own = !first && (hist_column_list__has(&sort, "latency") || hist_column_list__has(&sort, "latency_children"));
	bool children = opts->children && !own, last = opts->latency == HIST_LATENCY_SHOWN && !own;
	const struct {
		const char *name;
		bool sorts, is_shown;
	} keys[] = {
		{ "latency_children", first && children, first && children },
		{ "overhead_children", children && !hist_column_list__has(&sort, "overhead_children"), children },
		{ "latency_children", false, last && children },
		{ "latency", first, first },
		{ "overhead", !own && !hist_column_list__has(&sort, "overhead"), !own },
		{ "latency", false, last },
	};
	int ret = 0;

	layout->sort.nr = 0;
	if (opts->comparison)
		return add_compared_columns(layout, opts->comparison) ?: append_all(&layout->sort, &sort);
	for (size_t i = 0; i < ARRAY_SIZE(keys) && !ret; i++) {
		if (keys[i].sorts)
			ret = append_key(&layout->sort, keys[i].name);
		if (keys[i].is_shown)
			ret = ret ?: append_key(columns, keys[i].name);
	}
	ret = ret ?: append_all(&layout->sort, &sort);
	if (opts->show_modes)
		ret = ret ?: append_key(columns, "overhead_sys") ?: append_key(columns, "overhead_us");
	if (opts->show_samples)
		ret = ret ?: append_key(columns, "sample");
	if (opts->show_period)
		ret = ret ?: append_key(columns, "period");
	return ret;
}

/* Assign a slot to each value of an entry; a column in both lists has one slot. */
static void number_slots(struct hist_layout *layout)
{
	layout->nr_values = 0;
	for (u32 i = 0; i < layout->sort.nr; i++) {
		struct hist_column *column = &layout->sort.at[i];

		layout->by_place |= column->key->flags & HIST_KEY_PLACE;
		if (column->key->kind == HIST_KEY_VALUE)
			column->slot = layout->nr_values++;
	}
	for (u32 i = 0; i < layout->columns.nr; i++)
		layout->has_modes |= layout->columns.at[i].key->flags & HIST_KEY_MODE;
	for (u32 i = 0; i < layout->columns.nr; i++)
		layout->columns.at[i].slot = hist_column_list__find(&layout->sort, &layout->columns.at[i])->slot;
}

/* Merge -s and -F into two strings, one after the other; defaults that "+" extends are spelled out. NULL: no memory. */
static char *copy_lists(const struct hist_layout_opts *opts)
{
	const char *first = opts->sort ?: "", *second = "", *more = opts->fields ?: "";
	char *lists;

	if (*first == '+' || (!opts->sort && (!opts->fields || *more == '+'))) {
		second = *first == '+' ? first + 1 : "";
		first = opts->default_sort;
	}
	return asprintf(&lists, "%s,%s%c%s", first, second, '\0', *more == '+' ? more + 1 : more) < 0 ? NULL : lists;
}

static int parse_lists(struct parsing *p, char *sort)
{
	struct hist_layout *layout = p->layout;
	char *fields = sort + strlen(sort) + 1;
	int ret;

	p->option = "--sort";
	ret = parse_list(p, &layout->sort, sort);
	if (!ret && !layout->own_columns)
		ret = add_default_columns(layout, p->opts);
	p->option = "--fields";
	ret = ret ?: parse_list(p, &layout->columns, fields);
	ret = ret ?: append_all(&layout->columns, &layout->sort);
	return ret ?: append_all(&layout->sort, &layout->columns);
}

static int finish(struct hist_layout *layout, int ret, struct errmsg *err)
{
	if (ret == -E2BIG)
		return errmsg__set(err, EINVAL, "too many columns: more than %d", HIST_MAX_COLUMNS);
	if (!ret)
		number_slots(layout);
	return ret;
}

int hist_layout__init(struct hist_layout *layout, const struct hist_layout_opts *opts, struct errmsg *err)
{
	struct parsing p = { .layout = layout, .opts = opts, .err = err };
	char *lists = copy_lists(opts);
	int ret;

	memset(layout, 0, sizeof(*layout));
	layout->own_columns = opts->fields && *opts->fields != '+';
	ret = lists ? parse_lists(&p, lists) : errmsg__set(err, ENOMEM, "out of memory");
	free(lists);
	return finish(layout, ret, err);
}

int hist_layout__add_key(struct hist_layout *layout, const char *key, struct errmsg *err)
{
	int ret = append_key(&layout->sort, key);

	return finish(layout, ret ?: append_key(&layout->columns, key), err);
}

static void drop_from(struct hist_column_list *list, const struct hist_layout_opts *opts)
{
	u32 nr = 0;

	for (u32 i = 0; i < list->nr; i++) {
		const struct hist_column *column = &list->at[i];

		if (column->key != &hist_field_key || opts->field_width(opts->data, column->event, column->field) >= 0)
			list->at[nr++] = *column;
	}
	list->nr = nr;
}

void hist_layout__drop_fields(struct hist_layout *layout, const struct hist_layout_opts *opts)
{
	drop_from(&layout->columns, opts);
	drop_from(&layout->sort, opts);
}

void hist_layout__set_widths(struct hist_layout *layout, const u16 *width, u32 nr)
{
	for (u32 i = 0; i < nr && i < layout->columns.nr; i++)
		layout->columns.at[i].user_width = width[i];
}

void hist_layout__hide(struct hist_layout *layout, const char *key)
{
	struct hist_column_list *list = &layout->columns;
	u32 nr = 0;

	for (u32 i = 0; i < list->nr; i++) {
		if (strcmp(list->at[i].key->name, key))
			list->at[nr++] = list->at[i];
	}
	list->nr = nr;
	for (u32 i = 0; i < layout->sort.nr; i++)
		layout->sort.at[i].hidden |= !strcmp(layout->sort.at[i].key->name, key);
}

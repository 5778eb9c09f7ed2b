// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "report"
#include "cmd/report/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/log.h"
#include "util/symbol/data-type.h"

#define DEFAULT_PARENT "^sys_|^do_page_fault" /* as perf */

/* The words of -g; they may be abbreviated, and the first match counts. */
static const struct chain_word {
	const char *word;
	enum { WORD_MODE, WORD_ORDER, WORD_VALUE, WORD_KEY, WORD_REFUSED } what;
	int value;
} chain_words[] = {
	{ "none", WORD_MODE, HIST_CHAIN_NONE },
	{ "graph", WORD_MODE, HIST_CHAIN_GRAPH },
	{ "flat", WORD_MODE, HIST_CHAIN_FLAT },
	{ "fractal", WORD_MODE, HIST_CHAIN_FRACTAL },
	{ "folded", WORD_MODE, HIST_CHAIN_FOLDED },
	{ "caller", WORD_ORDER, true },
	{ "callee", WORD_ORDER, false },
	{ "function", WORD_KEY, FRAME_BY_FUNCTION },
	{ "address", WORD_KEY, FRAME_BY_ADDRESS },
	{ "srcline", WORD_KEY, FRAME_BY_LINE },
	{ "branch", WORD_REFUSED, 0 },
	{ "percent", WORD_VALUE, HIST_CHAIN_PERCENT },
	{ "period", WORD_VALUE, HIST_CHAIN_PERIOD },
	{ "count", WORD_VALUE, HIST_CHAIN_COUNT },
};

void report_options__list_chain_words(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(chain_words); i++) {
		if (chain_words[i].what != WORD_REFUSED)
			printf("%s\n", chain_words[i].word);
	}
}

static const struct chain_word *find_word(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(chain_words); i++) {
		if (*text && !strncmp(chain_words[i].word, text, strlen(text)))
			return &chain_words[i];
	}
	return NULL;
}

/* The first number is the minimum percentage, the second the limit of branches of a node. */
static int parse_chain_number(struct report_options *o, const char *text, int *nr_numbers)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "%")) || !(number >= 0 && number <= ((*nr_numbers) ? UINT32_MAX : 100)))
		return -EINVAL;
	if ((*nr_numbers)++)
		o->chains.max_branches = number;
	else
		o->chains.min_percent = number;
	return 0;
}

static int parse_chain_word(struct report_options *o, const char *text, int *nr_numbers)
{
	const struct chain_word *word = find_word(text);

	if (!word)
		return parse_chain_number(o, text, nr_numbers);
	if (word->what == WORD_REFUSED)
		return -ENOTSUP;
	if (word->what == WORD_MODE)
		o->chains.mode = word->value;
	else if (word->what == WORD_VALUE)
		o->chains.value = word->value;
	else if (word->what == WORD_KEY)
		o->chains.key = word->value;
	else
		o->chains.order_given = true, o->chains.caller_first = word->value;
	return 0;
}

static void explain_chain_word(const char *arg, const char *word, int ret)
{
	if (ret == -ENOTSUP)
		pr_err("  Error: -g %s: branches are not joined to callchains here: take -b, or stock perf\n", arg);
	else
		pr_err("  Error: -g %s: '%s' is none of graph, fractal, flat, folded, none, caller, callee, function, address, "
		       "srcline, percent, period, count, a least percentage, a number of branches\n", arg, word);
}

int report_options__parse_chains(const struct option_row *row, const char *arg, bool unset)
{
	struct report_options *o = row->value;
	char *text, *word, *rest;
	int ret = 0, nr_numbers = 0;

	o->chains.asked = !unset;
	if (unset) {
		o->chains.mode = HIST_CHAIN_NONE;
		return 0;
	}
	text = strdup(arg ?: "graph,0.5,caller");
	if (!text) {
		pr_err("out of memory\n");
		return -1;
	}
	for (word = strtok_r(text, ",", &rest); word && !ret; word = strtok_r(NULL, ",", &rest)) {
		ret = parse_chain_word(o, word, &nr_numbers);
		if (ret)
			explain_chain_word(arg, word, ret);
	}
	free(text);
	return ret;
}

int report_options__parse_inverted(const struct option_row *row, const char *arg, bool unset)
{
	struct report_options *o = row->value;

	o->chains.order_given = o->chains.caller_first = !unset;
	return 0;
}

int report_options__parse_limit(const struct option_row *row, const char *arg, bool unset)
{
	struct report_options *o = row->value;
	char *end;

	if (unset) {
		o->min_percent = o->chains.min_percent = 0;
		return 0;
	}
	o->min_percent = strtod(arg, &end);
	if (end == arg || (*end && strcmp(end, "%")) || !isfinite(o->min_percent)) {
		pr_err("  Error: --percent-limit %s: not a number\n", arg);
		return -1;
	}
	o->chains.min_percent = o->min_percent;
	return 0;
}

int report_options__parse_percentage(const struct option_row *row, const char *arg, bool unset)
{
	struct report_options *o = row->value;

	o->relative = !unset && !strcmp(arg, "relative");
	if (unset || o->relative || !strcmp(arg, "absolute"))
		return 0;
	pr_err("  Error: --percentage %s: neither relative nor absolute\n", arg);
	return -1;
}

int report_options__parse_branches(const struct option_row *row, const char *arg, bool unset)
{
	struct report_options *o = row->value;

	o->branches = unset ? REPORT_BRANCHES_NONE : REPORT_BRANCHES_ALWAYS;
	return 0;
}

int report_options__parse_group(const struct option_row *row, const char *arg, bool unset)
{
	struct report_options *o = row->value;

	o->group = unset ? REPORT_GROUP_NONE : REPORT_GROUP_ALL;
	return 0;
}

static void report_regex__exit(struct report_regex *regex)
{
	if (regex->is_compiled)
		regfree(&regex->compiled);
	*regex = (struct report_regex){};
}

int report_options__parse_regex(const struct option_row *row, const char *arg, bool unset)
{
	struct report_regex *regex = row->value;
	char why[128];
	int ret;

	report_regex__exit(regex);
	if (unset)
		return 0;
	ret = regcomp(&regex->compiled, arg, REG_EXTENDED);
	if (!ret) {
		regex->text = arg;
		regex->is_compiled = true;
		return 0;
	}
	regerror(ret, &regex->compiled, why, sizeof(why));
	pr_err("  Error: --%s %s: %s\n", row->long_name, arg, why);
	return -1;
}

int report_options__compile_parent(struct report_options *o)
{
	if (o->parent.is_compiled)
		return 0;
	if (regcomp(&o->parent.compiled, DEFAULT_PARENT, REG_EXTENDED))
		return -ENOMEM;
	o->parent.is_compiled = true;
	return 0;
}

void report_options__list_keys(void)
{
	for (const struct hist_key *key = hist_keys; key->name; key++) {
		if (key->flags & HIST_KEY_DATA_TYPE && !data_types__available())
			continue;
		puts(key->name);
		if (key->alias)
			puts(key->alias);
	}
}

int report_options__check_color(const struct option_row *row, const char *arg, bool unset)
{
	if (unset || !strcmp(arg, "never") || !strcmp(arg, "auto"))
		return 0;
	pr_err("  Error: --%s %s: %s: take never or auto\n", row->long_name, arg, row->help);
	return -1;
}

int report_options__parse_timeline(const struct option_row *row, const char *arg, bool unset)
{
	struct report_options *o = row->value;

	o->view.timeline = !unset && !arg;
	o->view.profile[PROFILE_TIMELINE] = arg;
	return 0;
}

int report_options__parse_quantum(const struct option_row *row, const char *arg, bool unset)
{
	static const struct {
		const char *name;
		u64 ns;
	} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };
	struct report_options *o = row->value;
	char *end;
	u64 number;

	o->time_quantum = 0;
	if (unset)
		return 0;
	number = strtoull(arg, &end, 10);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (isdigit((unsigned char)*arg) && !strcmp(end, units[i].name) && number && number <= UINT64_MAX / units[i].ns) {
			o->time_quantum = number * units[i].ns;
			return 0;
		}
	}
	pr_err("  Error: --time-quantum %s: neither of s, ms, us and ns, such as 10ms\n", arg);
	return -1;
}

int report_options__parse_widths(const struct option_row *row, const char *arg, bool unset)
{
	struct report_options *o = row->value;
	char *end;

	o->widths.nr = 0;
	for (const char *at = arg; !unset; at = end + 1) {
		unsigned long width = strtoul(at, &end, 10);

		if (!isdigit((unsigned char)*at) || (*end && *end != ',') || width > UINT16_MAX || o->widths.nr == HIST_MAX_COLUMNS) {
			pr_err("  Error: -w %s: not a list of widths such as 0,10,20\n", arg);
			return -1;
		}
		o->widths.at[o->widths.nr++] = width;
		if (!*end)
			break;
	}
	return 0;
}

bool report_options__next(struct report_options *o)
{
	if (!o->next_input)
		return false;
	free(o->own_input);
	o->reading.input = o->own_input = o->next_input;
	o->next_input = NULL;
	selection__exit(&o->selection);
	return true;
}

void report_options__exit(struct report_options *o)
{
	free(o->own_input);
	free(o->next_input);
	report_regex__exit(&o->parent);
	report_regex__exit(&o->ignore_callees);
	selection__exit(&o->selection);
}

// SPDX-License-Identifier: GPL-2.0
#include "util/probe/definition.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/event/function-name.h"
#include "util/event/kind.h"
#include "util/event/symbols.h"
#include "util/lib/array.h"
#include "util/lib/text.h"
#include "util/probe/operand.h"

static char *find_special(char *text, const char *specials)
{
	return (char *)function_name__find(text, specials);
}

/* Numbers */

static int parse_line(const char *text, const char **end, u64 *line)
{
	char *after;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*line = strtoull(text, &after, 10);
	*end = after;
	return errno || *line > INT32_MAX ? -EINVAL : 0;
}

/* [[GROUP:]EVENT=] */

static bool is_event_word(const char *name)
{
	static const char *const words[] = { "mem", "uprobe", "uretprobe", "sdt", "kprobe", "kretprobe" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(name, words[i]))
			return true;
	}
	return tool_symbol__find(name) != TOOL_NONE || event_kind__of_word(name);
}

static int check_name(const char *what, const char *name, struct errmsg *err)
{
	if (!strcmp(what, "group") && is_event_word(name))
		return errmsg__set(err, EINVAL, "Semantic error :'%s' is bad for a group name: perf record -e and perf stat -e take it for another kind of event",
				   name);
	if (probe_name__is_valid(name))
		return 0;
	return errmsg__set(err, EINVAL, "Semantic error :'%s' is bad for %s name: it must be like a name in C, of at most 63 characters", name, what);
}

static int take_names(struct probe_definition *def, char **pos, struct errmsg *err)
{
	char *special = find_special(*pos, ";=@+%"), *colon;
	int ret = 0;

	if (!special || *special != '=')
		return 0;
	*special = '\0';
	colon = strchr(*pos, ':');
	if (colon) {
		*colon = '\0';
		def->group = strdup(*pos);
		ret = def->group ? check_name("group", def->group, err) : -ENOMEM;
		*pos = colon + 1;
	}
	if (ret)
		return ret;
	def->event = strdup(*pos);
	*pos = special + 1;
	return def->event ? check_name("event", def->event, err) : -ENOMEM;
}

/* The place */

static int refuse_twice(const char *what, struct errmsg *err)
{
	return errmsg__set(err, EINVAL, "Semantic error :%s is given twice", what);
}

static int take_part(struct probe_definition *def, char special, const char *begin, const char *end, struct errmsg *err)
{
	const char *after = begin;

	switch (special) {
	case ':':
		if (def->has_line)
			return refuse_twice("the line", err);
		def->has_line = true;
		if (parse_line(begin, &after, &def->line) || after != end)
			return errmsg__set(err, EINVAL, "Semantic error :There is no number of a line behind ':' at '%s'", begin);
		return 0;
	case '+':
		if (def->has_offset)
			return refuse_twice("the offset", err);
		def->has_offset = true;
		if (!function_name__parse_offset(begin, end, &def->offset) || def->offset > INT32_MAX)
			return errmsg__set(err, EINVAL, "Semantic error :There is no number of bytes behind '+' at '%s'", begin);
		return 0;
	case '@':
		if (def->file)
			return refuse_twice("the file", err);
		def->file = function_name__copy(begin, end);
		if (def->file && !*def->file)
			return errmsg__set(err, EINVAL, "Semantic error :SRC is missing behind '@'");
		return def->file ? 0 : -ENOMEM;
	case '%':
		if (def->is_return)
			return refuse_twice("%return", err);
		if (end - begin != 6 || strncmp(begin, "return", 6))
			return errmsg__set(err, EINVAL, "Semantic error :%%%.*s is not supported; write %%return", (int)(end - begin), begin);
		def->is_return = true;
		return 0;
	}
	def->pattern = strdup(begin);
	if (def->pattern && !def->pattern[strspn(def->pattern, " \t")])
		return errmsg__set(err, EINVAL, "Semantic error :The pattern is missing behind ';'");
	return def->pattern ? 0 : -ENOMEM;
}

static int take_parts(struct probe_definition *def, char *special, struct errmsg *err)
{
	int ret = 0;

	while (special && !ret) {
		char kind = *special, *begin = special + 1;

		special = kind == ';' ? NULL : find_special(begin, ";:+@%");
		ret = take_part(def, kind, begin, special ? special : begin + strlen(begin), err);
	}
	return ret;
}

/* A file has a dot in its name, and a line or a pattern behind it, and nothing that only functions have. */
static bool is_file(char *pos, const char *special)
{
	const char *dot = find_special(pos, ".");

	return special && (*special == ':' || *special == ';') && dot && dot < special &&
	       !memmem(pos, special - pos, "::", 2) && (*special == ';' || !find_special(pos, "+@%"));
}

static int parse_address(struct probe_definition *def, struct errmsg *err)
{
	char *end;

	if (strncmp(def->function, "0x", 2))
		return 0;
	errno = 0;
	def->address = strtoull(def->function, &end, 16);
	def->is_address = true;
	if (*end || errno || end == def->function + 2)
		return errmsg__set(err, EINVAL, "Semantic error :'%s' is no address", def->function);
	return 0;
}

static int check_place(const struct probe_definition *def, struct errmsg *err)
{
	if (def->is_return && (def->has_offset || def->has_line || def->pattern))
		return errmsg__set(err, EINVAL, "Semantic error :Offset/Line/Lazy pattern can't be used with return probe.");
	if (def->has_offset + def->has_line + !!def->pattern > 1)
		return errmsg__set(err, EINVAL, "Semantic error :Offset, line number and lazy pattern exclude each other.");
	if (!def->function && (def->has_offset || def->is_return))
		return errmsg__set(err, EINVAL, "Semantic error :An offset or %%return requires an entry function.");
	if (def->is_address && (def->has_line || def->pattern || def->file))
		return errmsg__set(err, EINVAL, "Semantic error :An address has no file, line or pattern.");
	return 0;
}

static int take_place(struct probe_definition *def, char *pos, struct errmsg *err)
{
	char *special = find_special(pos, ";:+@%");
	char *name = function_name__copy(pos, special ? special : pos + strlen(pos));
	int ret;

	if (!name)
		return -ENOMEM;
	if (is_file(pos, special))
		def->file = name;
	else
		def->function = name;
	if (!*name)
		return errmsg__set(err, EINVAL, "Semantic error :The name of a function or a file is missing.");
	ret = take_parts(def, special, err);
	if (!ret && def->function && !strchr("\"'\\", *pos))
		ret = parse_address(def, err);
	return ret ?: check_place(def, err);
}

/* %sdt_PROVIDER:NAME, sdt_PROVIDER:NAME, %NAME */
static int take_mark(struct probe_definition *def, char *pos, struct errmsg *err)
{
	char *colon;

	pos += *pos == '%';
	colon = strchr(pos, ':');
	if (colon) {
		*colon = '\0';
		if (strncmp(pos, "sdt_", 4) || !pos[4])
			return errmsg__set(err, EINVAL, "Semantic error :'%s' is no provider of SDT events: write %%sdt_PROVIDER:NAME", pos);
		def->provider = strdup(pos + 4);
		pos = colon + 1;
	}
	if (!*pos || strpbrk(pos, ";=@+%:"))
		return errmsg__set(err, EINVAL, "Semantic error :'%s' is no name of an SDT event: write %%sdt_PROVIDER:NAME", pos);
	def->mark = strdup(pos);
	return def->mark && (!colon || def->provider) ? 0 : -ENOMEM;
}

static bool is_mark(char *pos)
{
	return *pos == '%' || (!strncmp(pos, "sdt_", 4) && find_special(pos, ":") && !find_special(pos, "=;@+%"));
}

static int take_operands(struct probe_definition *def, char *rest, struct errmsg *err)
{
	char *save = NULL;

	for (char *word = strtok_r(rest, " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save)) {
		int ret;

		if (array__extend(def->operand, def->nr_operands))
			return -ENOMEM;
		ret = probe_operand__parse(&def->operand[def->nr_operands++], word, err);
		if (ret)
			return ret;
	}
	return 0;
}

/* A pattern may have blanks: it is the rest of the text, which then has no arguments. */
static char *split_off_operands(char *text)
{
	char *semicolon = find_special(text, ";"), *blank = find_special(text, " \t\n");

	if (!blank || (semicolon && semicolon < blank))
		return text + strlen(text);
	*blank = '\0';
	return blank + 1;
}

static int parse(struct probe_definition *def, char *text, struct errmsg *err)
{
	char *rest, *pos;
	int ret;

	text += strspn(text, " \t\n");
	rest = split_off_operands(text);
	pos = text;
	if (!*pos)
		return errmsg__set(err, EINVAL, "Semantic error :The definition is empty.");
	ret = is_mark(pos) ? 0 : take_names(def, &pos, err);
	if (!ret)
		ret = is_mark(pos) ? take_mark(def, pos, err) : take_place(def, pos, err);
	return ret ?: take_operands(def, rest, err);
}

static int check_text(const char *text, struct errmsg *err)
{
	for (; *text; text++) {
		if (iscntrl((unsigned char)*text) && !isspace((unsigned char)*text))
			return errmsg__set(err, EINVAL, "Semantic error :The definition has a control character.");
	}
	return 0;
}

int probe_definition__parse(struct probe_definition *def, const char *text, struct errmsg *err)
{
	char *copy = strdup(text);
	int ret;

	*def = (struct probe_definition){ 0 };
	ret = copy ? check_text(text, err) ?: parse(def, copy, err) : -ENOMEM;
	free(copy);
	return ret == -ENOMEM ? errmsg__set(err, ENOMEM, "out of memory") : ret;
}

void probe_definition__exit(struct probe_definition *def)
{
	for (unsigned int i = 0; i < def->nr_operands; i++)
		probe_operand__exit(&def->operand[i]);
	free(def->operand);
	free(def->group);
	free(def->event);
	free(def->function);
	free(def->file);
	free(def->pattern);
	free(def->provider);
	free(def->mark);
	*def = (struct probe_definition){ 0 };
}

bool probe_definition__has_variables(const struct probe_definition *def)
{
	for (unsigned int i = 0; i < def->nr_operands; i++) {
		if (def->operand[i].kind != OPERAND_RAW)
			return true;
	}
	return false;
}

bool probe_definition__needs_debug_info(const struct probe_definition *def)
{
	return def->has_line || def->file || def->pattern || probe_definition__has_variables(def);
}

char *probe_definition__place(const struct probe_definition *def)
{
	char behind[32] = "", *text;
	int ret;

	if (def->mark)
		return asprintf(&text, "%%%s", def->mark) < 0 ? NULL : text;
	if (def->has_line)
		snprintf(behind, sizeof(behind), ":%" PRIu64, def->line);
	else if (def->offset)
		snprintf(behind, sizeof(behind), "+%" PRIu64, def->offset);
	ret = asprintf(&text, "%s%s%s%s%s%s%s%s", def->function ?: "", def->function ? behind : "", def->file ? "@" : "", def->file ?: "",
		       def->function ? "" : behind, def->is_return ? "%return" : "", def->pattern ? ";" : "", def->pattern ?: "");
	return ret < 0 ? NULL : text;
}

char *probe_definition__operands(const struct probe_definition *def)
{
	struct text t = { 0 };

	for (unsigned int i = 0; i < def->nr_operands; i++)
		text__printf(&t, " %s", def->operand[i].text);
	text__char(&t, '\0');
	if (!t.failed)
		return t.buf;
	text__exit(&t);
	return NULL;
}

/* Ranges of lines */

static int parse_range(struct probe_line_range *range, const char *text, struct errmsg *err)
{
	const char *end = text;
	u64 other;

	if (parse_line(text, &end, &range->first))
		return errmsg__set(err, EINVAL, "Semantic error :'start line' is not a valid number.");
	if (!*end)
		return 0;
	if (*end != '-' && *end != '+')
		return errmsg__set(err, EINVAL, "Semantic error :Tailing with invalid str '%s'.", end);
	text = end + 1;
	if (parse_line(text, &end, &other) || *end)
		return errmsg__set(err, EINVAL, "Semantic error :'end line' is not a valid number.");
	range->last = text[-1] == '-' ? other : range->first + (other ? other - 1 : 0);
	if (range->last < range->first)
		return errmsg__set(err, EINVAL, "Semantic error :Start line must be smaller than end line.");
	return 0;
}

static int split_range(struct probe_line_range *range, const char *text, const char *end)
{
	const char *at = function_name__find(text, "@"), *dot = function_name__find(text, "./");

	if (at && at < end) {
		range->function = function_name__copy(text, at);
		range->file = function_name__copy(at + 1, end);
		return range->function && range->file ? 0 : -ENOMEM;
	}
	if (dot && dot < end && !memmem(text, end - text, "::", 2))
		range->file = function_name__copy(text, end);
	else
		range->function = function_name__copy(text, end);
	return range->function || range->file ? 0 : -ENOMEM;
}

int probe_line_range__parse(struct probe_line_range *range, const char *text, struct errmsg *err)
{
	const char *colon = function_name__find(text, ":"), *end = colon ? colon : text + strlen(text);
	const char *other = function_name__find(text, "+-;%=*?[] ");

	*range = (struct probe_line_range){ .last = UINT64_MAX };
	if (split_range(range, text, end))
		return errmsg__set(err, ENOMEM, "out of memory");
	if ((range->function && (!*range->function || (other && other < end))) || (range->file && !*range->file))
		return errmsg__set(err, EINVAL, "Semantic error :'%s' is not a valid function name.", range->function ?: "");
	return colon ? parse_range(range, colon + 1, err) : 0;
}

void probe_line_range__exit(struct probe_line_range *range)
{
	free(range->function);
	free(range->file);
	*range = (struct probe_line_range){ 0 };
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Turns the option table into getopt_long(3)'s two tables: each row's short name, long name and the negation of the long name. The
 * option string starts with '-', so that getopt returns words in their order and neither permutes argv nor uses POSIXLY_CORRECT;
 * collecting words at the front of argv is then safe, since they only move towards it.
 */
#include "util/lib/options.h"
#include "util/lib/near.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/types.h"

/* Values that getopt_long returns for long names: LONG_BASE + 2 * row + unset. Short names are below. */
#define LONG_BASE 256
#define WORD 1 /* getopt's return value for a word that is no option */

#define HELP_COLUMN 26
#define TEXT_WIDTH 24

struct parser {
	const struct option_row *rows;
	const char *const *usages;
	unsigned int nr_rows;
	struct option *longs;	/* ends with a row of zeros */
	unsigned int nr_longs;
	char *names;		/* memory for the "no-x" names in longs */
	char shorts[3 * UCHAR_MAX + 4];
};

static bool row__is_end(const struct option_row *row)
{
	return row->kind == OPTION_GROUP && !row->help;
}

static int row__has_arg(const struct option_row *row)
{
	if (row->kind == OPTION_BOOL || row->kind == OPTION_INCR || row->flags & OPTION_NOARG)
		return no_argument;
	if (row->flags & (OPTION_OPTARG | OPTION_OPTARG_NEXT))
		return optional_argument;
	return required_argument;
}

/* Help text */

static int row__print_arg(const struct option_row *row, FILE *fp)
{
	const char *argh = row->argh ? row->argh : row->kind == OPTION_STRING ? "text" : "n";

	if (row__has_arg(row) == no_argument)
		return 0;
	if (row->flags & OPTION_OPTARG)
		return fprintf(fp, row->long_name ? "[=<%s>]" : "[<%s>]", argh);
	if (row->flags & OPTION_OPTARG_NEXT)
		return fprintf(fp, " [<%s>]", argh);
	return fprintf(fp, " <%s>", argh);
}

static void row__print(const struct option_row *row, FILE *fp)
{
	const char *text = row->help, *end;
	int width;

	if (row->kind == OPTION_GROUP) {
		fprintf(fp, "\n%s\n", row->help);
		return;
	}
	width = fprintf(fp, "    ");
	if (row->short_name)
		width += fprintf(fp, "-%c", row->short_name);
	if (row->long_name)
		width += fprintf(fp, row->short_name ? ", --%s" : "    --%s", row->long_name);
	width += row__print_arg(row, fp);
	if (width > TEXT_WIDTH) {
		fputc('\n', fp);
		width = 0;
	}
	/* Align further lines of a help text to its column. */
	for (; (end = strchr(text, '\n')); text = end + 1, width = 0)
		fprintf(fp, "%*s%.*s\n", HELP_COLUMN - width, "", (int)(end - text), text);
	fprintf(fp, "%*s%s\n", HELP_COLUMN - width, "", text);
}

static void print_usages(const char *const *usages)
{
	const char *label = "Usage:";

	for (; *usages; usages++) {
		fprintf(stderr, " %6s %s\n", label, *usages);
		label = "   or:";
	}
	fputc('\n', stderr);
}

static void print_all(const struct option_row *rows, const char *const *usages)
{
	fputc('\n', stderr);
	print_usages(usages);
	for (; !row__is_end(rows); rows++) {
		if (!(rows->flags & OPTION_HIDDEN))
			row__print(rows, stderr);
	}
	fputc('\n', stderr);
}

void options__usage_exit(const struct option_row *rows, const char *const *usages)
{
	print_all(rows, usages);
	exit(EXIT_USAGE);
}

void options__refuse_exit(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	exit(EXIT_USAGE);
}

void options__check_exclusive(const struct option_use *uses, size_t nr)
{
	const char *first = NULL;

	for (size_t i = 0; i < nr; i++) {
		if (uses[i].given && first)
			options__refuse_exit("  Error: %s and %s exclude each other\n", first, uses[i].name);
		if (uses[i].given)
			first = uses[i].name;
	}
}

/* "perf record [<options>]": the command's words end before the rest of the usage. */
static int command_len(const char *usage)
{
	size_t len = strcspn(usage, " ");

	while (usage[len] && !strchr("[<-", usage[len + 1]))
		len += 1 + strcspn(usage + len + 1, " ");
	return len;
}

void options__error_exit(const char *const *usages, const char *fmt, ...)
{
	va_list ap;

	fputs("  Error: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "%s See %.*s --help\n", strchr(fmt, '?') ? "" : ".", command_len(*usages), *usages);
	exit(EXIT_USAGE);
}

/* For a wrong option print only its help, not that of all. */
static void __attribute__((noreturn)) row_usage_exit(const struct parser *p, const struct option_row *row)
{
	print_usages(p->usages);
	row__print(row, stderr);
	exit(EXIT_USAGE);
}

/* Tables for getopt_long */

static bool has_long_row(const struct parser *p, const char *name)
{
	unsigned int i;

	for (i = 0; i < p->nr_rows; i++) {
		if (p->rows[i].long_name && !strcmp(p->rows[i].long_name, name))
			return true;
	}
	return false;
}

static void add_long(struct parser *p, const char *name, int has_arg, int val)
{
	p->longs[p->nr_longs++] = (struct option){ .name = name, .has_arg = has_arg, .val = val };
}

static void add_negation(struct parser *p, const struct option_row *row, int val, char **names)
{
	const char *name;

	if (!strncmp(row->long_name, "no-", 3)) {
		name = row->long_name + 3;
	} else {
		name = *names;
		*names += sprintf(*names, "no-%s", row->long_name) + 1;
	}
	/* An own row takes precedence; two equal names would only make their abbreviations ambiguous. */
	if (!has_long_row(p, name))
		add_long(p, name, no_argument, val);
}

static void add_short(char **shorts, const struct option_row *row)
{
	static const char *const colons[] = { [no_argument] = "", [required_argument] = ":", [optional_argument] = "::" };

	*shorts += sprintf(*shorts, "%c%s", row->short_name, colons[row__has_arg(row)]);
}

static int help_value(const struct parser *p)
{
	return LONG_BASE + 2 * p->nr_rows;
}

static void parser__fill(struct parser *p)
{
	bool short_h = false;
	char *shorts = p->shorts, *names = p->names;
	unsigned int i;

	shorts += sprintf(shorts, "-:");
	for (i = 0; i < p->nr_rows; i++) {
		const struct option_row *row = &p->rows[i];
		int val = LONG_BASE + 2 * i;

		if (row->kind == OPTION_GROUP)
			continue;
		if (row->short_name)
			add_short(&shorts, row);
		short_h |= row->short_name == 'h';
		if (!row->long_name)
			continue;
		add_long(p, row->long_name, row__has_arg(row), val);
		add_negation(p, row, val + 1, &names);
	}
	if (!short_h)
		*shorts++ = 'h';
	*shorts = '\0';
	if (!has_long_row(p, "help"))
		add_long(p, "help", no_argument, help_value(p));
}

static int parser__init(struct parser *p, const struct option_row *rows, const char *const *usages)
{
	size_t name_bytes = 0;

	memset(p, 0, sizeof(*p));
	p->rows = rows;
	p->usages = usages;
	for (; !row__is_end(&rows[p->nr_rows]); p->nr_rows++)
		name_bytes += rows[p->nr_rows].long_name ? strlen(rows[p->nr_rows].long_name) + sizeof("no-") : 0;
	p->longs = calloc(2 * p->nr_rows + 2, sizeof(*p->longs));
	p->names = malloc(name_bytes + 1);
	if (!p->longs || !p->names)
		return -ENOMEM;
	parser__fill(p);
	return 0;
}

static void parser__exit(struct parser *p)
{
	free(p->longs);
	free(p->names);
}

/* Values. val is what getopt_long returned: a short name, or the number of a long one. */

static const struct option_row *find_row(const struct parser *p, int val)
{
	unsigned int i;

	if (val >= LONG_BASE)
		return &p->rows[(val - LONG_BASE) / 2];
	for (i = 0; i < p->nr_rows; i++) {
		if (p->rows[i].kind != OPTION_GROUP && p->rows[i].short_name == val)
			return &p->rows[i];
	}
	return NULL;
}

static const char *long_name(const struct parser *p, int val)
{
	unsigned int i;

	for (i = 0; i < p->nr_longs; i++) {
		if (p->longs[i].val == val)
			return p->longs[i].name;
	}
	return NULL;
}

/* Print one line " Error: switch `c' <what>", in perf's words. */
static int complain(const struct parser *p, int val, const char *what)
{
	if (val < LONG_BASE)
		fprintf(stderr, " Error: switch `%c' %s\n", val, what);
	else
		fprintf(stderr, " Error: option `%s' %s\n", long_name(p, val), what);
	return -1;
}

/* Parse an unsigned number that fills text, with a suffix from suffixes ("KMG" in steps of 1000, or ""); false: malformed. */
static bool parse_u64(const char *text, const char *suffixes, u64 *value)
{
	const char *suffix;
	char *end;
	u64 factor = 1;

	if (!isdigit((unsigned char)*text)) /* strtoull would accept blanks and a sign */
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	if (errno)
		return false;
	if (*end) {
		suffix = strchr(suffixes, toupper((unsigned char)*end));
		if (!suffix || end[1])
			return false;
		for (; suffix >= suffixes; suffix--)
			factor *= 1000;
	}
	return !__builtin_mul_overflow(*value, factor, value);
}

static bool parse_int(const char *text, int *value)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)text[*text == '-']))
		return false;
	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || *end || n < INT_MIN || n > INT_MAX)
		return false;
	*value = n;
	return true;
}

static int set_number(const struct parser *p, int val, const struct option_row *row, const char *arg)
{
	u64 n;

	switch (row->kind) {
	case OPTION_INT:
		if (!parse_int(arg, row->value))
			return complain(p, val, "expects a numerical value");
		return 0;
	case OPTION_UINT:
		if (!parse_u64(arg, "", &n) || n > UINT_MAX)
			return complain(p, val, "expects an unsigned numerical value");
		*(unsigned int *)row->value = n;
		return 0;
	default:
		if (!parse_u64(arg, "KMG", row->value))
			return complain(p, val, "expects an unsigned numerical value, which may end in K, M or G");
		if (row->flags & OPTION_NOT_ZERO && !*(u64 *)row->value)
			return complain(p, val, "takes a number of at least 1");
		return 0;
	}
}

static void clear_value(const struct option_row *row)
{
	switch (row->kind) {
	case OPTION_STRING:
		*(const char **)row->value = NULL;
		break;
	case OPTION_U64:
		*(u64 *)row->value = 0;
		break;
	default:
		*(int *)row->value = 0;
	}
}

/* Handle one option. 0, or -1 after printing one line with the error. */
static int set_value(const struct parser *p, int val, const struct option_row *row, const char *arg)
{
	bool unset = val >= LONG_BASE && (val - LONG_BASE) % 2;

	switch (row->kind) {
	case OPTION_BOOL:
		*(bool *)row->value = !unset;
		return 0;
	case OPTION_CALLBACK:
		return row->cb(row, arg, unset);
	default:
		break;
	}
	if (unset) {
		clear_value(row);
		return 0;
	}
	if (row->kind == OPTION_INCR) {
		++*(int *)row->value;
		return 0;
	}
	if (!arg)
		arg = row->defval;
	if (row->kind == OPTION_STRING) {
		*(const char **)row->value = arg;
		return 0;
	}
	return set_number(p, val, row, arg);
}

/* Which option did getopt_long refuse with '?' */

static void __attribute__((noreturn)) ambiguous_exit(const struct parser *p, const char *word)
{
	size_t len = strcspn(word, "=");
	const char *separator = "could be";
	unsigned int i;

	fprintf(stderr, " Error: ambiguous option `%.*s' (", (int)len, word);
	for (i = 0; i < p->nr_longs; i++) {
		if (!strncmp(p->longs[i].name, word, len)) {
			fprintf(stderr, "%s --%s", separator, p->longs[i].name);
			separator = " or";
		}
	}
	fprintf(stderr, ")\n\n");
	print_usages(p->usages);
	exit(EXIT_USAGE);
}

static bool is_prefix_of_any(const struct parser *p, const char *word)
{
	size_t len = strcspn(word, "=");
	unsigned int i;

	for (i = 0; i < p->nr_longs; i++) {
		if (!strncmp(p->longs[i].name, word, len))
			return true;
	}
	return false;
}

static void __attribute__((noreturn)) unknown_exit(const struct parser *p, const char *word)
{
	char name[NEAR_FAR + 1];
	struct near_name near = { .word = name };

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	for (unsigned int i = 0; i < p->nr_rows; i++) {
		if (p->rows[i].kind != OPTION_GROUP && p->rows[i].long_name && !(p->rows[i].flags & OPTION_HIDDEN))
			near_name__try(&near, p->rows[i].long_name);
	}
	if (*near.name)
		options__error_exit(p->usages, "unknown option `%s'; did you mean --%s?", word, near.name);
	options__error_exit(p->usages, "unknown option `%s'", word);
}

static void __attribute__((noreturn)) refused_exit(const struct parser *p, const char *word)
{
	if (optopt >= LONG_BASE) {
		complain(p, optopt, "takes no value");
		if (optopt == help_value(p))
			options__usage_exit(p->rows, p->usages);
		row_usage_exit(p, find_row(p, optopt));
	}
	if (optopt)
		options__error_exit(p->usages, "unknown switch `%c'", optopt);
	word += strlen("--");
	if (is_prefix_of_any(p, word))
		ambiguous_exit(p, word);
	unknown_exit(p, word);
}

static void handle_option(const struct parser *p, char **argv, int val)
{
	const struct option_row *row;
	const char *arg = optarg;

	if (val == '?')
		refused_exit(p, argv[optind - 1]);
	if (val == ':') {
		complain(p, optopt, "requires a value");
		row_usage_exit(p, find_row(p, optopt));
	}
	row = val == help_value(p) ? NULL : find_row(p, val);
	if (!row) /* ours: --help, or -h in a table without an h */
		options__usage_exit(p->rows, p->usages);
	if (val < LONG_BASE || (val - LONG_BASE) % 2 == 0) {
		if (row->flags & OPTION_OPTARG_NEXT && !arg && argv[optind] && argv[optind][0] != '-')
			arg = argv[optind++];
	}
	if (set_value(p, val, row, arg))
		row_usage_exit(p, row);
}

/* For shell completion, in the format of other perfs. */
static void __attribute__((noreturn)) list_options_exit(const struct option_row *rows)
{
	const char *sep = "";

	for (; !row__is_end(rows); rows++) {
		if (rows->kind == OPTION_GROUP || !rows->long_name || rows->flags & OPTION_HIDDEN)
			continue;
		printf("%s--%s", sep, rows->long_name);
		sep = " ";
	}
	putchar('\n');
	exit(0);
}

/* word: "-s" or "--sort" */
static void __attribute__((noreturn)) list_values_exit(const struct option_row *rows, const char *const *usages, const char *word)
{
	for (; !row__is_end(rows); rows++) {
		if (rows->kind == OPTION_GROUP)
			continue;
		if ((word[0] == '-' && word[1] && !word[2] && rows->short_name == word[1]) ||
		    (!strncmp(word, "--", 2) && rows->long_name && !strcmp(rows->long_name, word + 2))) {
			if (rows->list_values)
				rows->list_values();
			exit(0);
		}
	}
	options__error_exit(usages, "--list-values %s: there is no such option", word);
}

bool options__ask_for_list(int argc, char **argv)
{
	return (argc == 2 && !strcmp(argv[1], "--list-opts")) || (argc == 3 && !strcmp(argv[1], "--list-values"));
}

int options__parse(int argc, char **argv, const struct option_row *rows, const char *const *usages, bool stop_at_non_option)
{
	struct parser p;
	int val, words = 0;

	if (options__ask_for_list(argc, argv)) {
		if (argc == 2)
			list_options_exit(rows);
		list_values_exit(rows, usages, argv[2]);
	}
	if (parser__init(&p, rows, usages)) {
		fprintf(stderr, " Error: out of memory for the options\n");
		exit(EXIT_SETUP);
	}
	opterr = 0;
	optind = 0; /* glibc: restart with this option string */
	while ((val = getopt_long(argc, argv, p.shorts, p.longs, NULL)) != -1) {
		if (val != WORD) {
			handle_option(&p, argv, val);
		} else if (stop_at_non_option) {
			optind--;
			break;
		} else {
			argv[words++] = optarg;
		}
	}
	while (optind < argc)
		argv[words++] = argv[optind++];
	argv[words] = NULL;
	parser__exit(&p);
	return words;
}

int options__refuse(const struct option_row *row, const char *arg, bool unset)
{
	if (unset)
		return 0;
	fprintf(stderr, "  Error: --%s: %s\n", row->long_name, row->help);
	return -1;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Command-line options as a const table per command, with the habits of perf: short options bundle, every boolean has its
 * --no-NAME (and NAME "no-x" its --x), long names may be shortened while unambiguous, -h prints the usage and exits 129, an
 * unknown option prints one line, then the usage, exits 129. For the completion of shells --list-opts as the only word prints all long
 * names, and "--list-values OPTION" as the only ones what that option's value may consist of; they exit 0. Built on getopt_long(3).
 */
#ifndef PERF_LIB_OPTIONS_H
#define PERF_LIB_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#define EXIT_USAGE 129 /* wrong command line */
#define EXIT_SETUP 255 /* could not be set up: no permission, no such target, output not writable, ... */

struct option_row;
/* arg is NULL for a missing optional argument; unset for --no-NAME. Return 0, or -1 after printing one line (-> exit 129). */
typedef int (*option_cb)(const struct option_row *row, const char *arg, bool unset);

enum option_kind {
	OPTION_GROUP,	 /* a heading in the help text */
	OPTION_BOOL,	 /* bool *value */
	OPTION_INCR,	 /* int *value, counts repetitions (-v) */
	OPTION_INT,	 /* int *value, decimal */
	OPTION_UINT,	 /* unsigned int *value */
	OPTION_U64,	 /* u64 *value, suffixes K M G in steps of 1000 */
	OPTION_STRING,	 /* const char **value, points into argv */
	OPTION_CALLBACK, /* cb(row, arg, unset); only cb uses value */
};

enum option_flags {
	OPTION_NOARG = 1,	  /* callback that takes no argument */
	OPTION_NOT_ZERO = 16,	  /* a number of at least 1 */
	OPTION_OPTARG = 2,	  /* the argument may be missing; only -xARG or --name=ARG gives one */
	OPTION_OPTARG_NEXT = 4,	  /* the argument may be missing; the next word is it unless it starts with '-' */
	OPTION_HIDDEN = 8,	  /* works, not in the help text */
};

struct option_row {
	enum option_kind kind;
	char short_name;	/* 0: none */
	const char *long_name;	/* NULL: none */
	void *value;
	const char *argh;	/* name of the argument in the help text */
	const char *help;
	option_cb cb;
	unsigned int flags;
	const char *defval;	/* for OPTION_STRING with an optional argument */
	void (*list_values)(void); /* print to stdout what a value may consist of, one in a line; NULL: that cannot be listed */
};

#define OPT_GROUP(h) { .kind = OPTION_GROUP, .help = (h) }
#define OPT_BOOL(s, l, v, h) { OPTION_BOOL, (s), (l), (v), NULL, (h), NULL, 0, NULL, NULL }
#define OPT_INCR(s, l, v, h) { OPTION_INCR, (s), (l), (v), NULL, (h), NULL, 0, NULL, NULL }
#define OPT_INT(s, l, v, a, h) { OPTION_INT, (s), (l), (v), (a), (h), NULL, 0, NULL, NULL }
#define OPT_UINT(s, l, v, a, h) { OPTION_UINT, (s), (l), (v), (a), (h), NULL, 0, NULL, NULL }
#define OPT_U64(s, l, v, a, h) { OPTION_U64, (s), (l), (v), (a), (h), NULL, 0, NULL, NULL }
#define OPT_U64_FROM_1(s, l, v, a, h) { OPTION_U64, (s), (l), (v), (a), (h), NULL, OPTION_NOT_ZERO, NULL, NULL }
#define OPT_STRING_OF(s, l, v, a, h, list) { OPTION_STRING, (s), (l), (v), (a), (h), NULL, 0, NULL, (list) }
#define OPT_STRING(s, l, v, a, h) { OPTION_STRING, (s), (l), (v), (a), (h), NULL, 0, NULL, NULL }
#define OPT_CALLBACK(s, l, v, a, h, f) { OPTION_CALLBACK, (s), (l), (v), (a), (h), (f), 0, NULL, NULL }
#define OPT_CALLBACK_OF(s, l, v, a, h, f, list) { OPTION_CALLBACK, (s), (l), (v), (a), (h), (f), 0, NULL, (list) }
#define OPT_CALLBACK_FLAGS(s, l, v, a, h, f, fl) { OPTION_CALLBACK, (s), (l), (v), (a), (h), (f), (fl), NULL, NULL }
#define OPT_CALLBACK_FLAGS_OF(s, l, v, a, h, f, fl, list) { OPTION_CALLBACK, (s), (l), (v), (a), (h), (f), (fl), NULL, (list) }
/* An option of other perfs: it ends perf with the error why, which is given in place of the help; --no-NAME is accepted. fl: of its argument */
#define OPT_REFUSED(s, l, a, fl, why) OPT_CALLBACK_FLAGS(s, l, NULL, a, why, options__refuse, (fl) | OPTION_HIDDEN)
#define OPT_END() { .kind = OPTION_GROUP, .help = NULL }

/*
 * Parse argv[1..]. usages: NULL-terminated lines such as "perf record [<options>] [<command>]". Options end at the first
 * word that is not one (stop_at_non_option) or at "--"; otherwise words are collected. Returns how many words remain, moved to
 * argv[0..]; does not return on -h or a wrong command line.
 */
int options__parse(int argc, char **argv, const struct option_row *rows, const char *const *usages, bool stop_at_non_option);

/* Do the words ask for one of the lists of completion only? Nothing else is to be put between them then. */
bool options__ask_for_list(int argc, char **argv);
int options__refuse(const struct option_row *row, const char *arg, bool unset); /* the callback of OPT_REFUSED */

void options__usage_exit(const struct option_row *rows, const char *const *usages) __attribute__((noreturn)); /* print all of it; exits 129 */
/* Print "fmt" as " Error: ..." in one line that names "perf X --help"; exits 129. */
void options__error_exit(const char *const *usages, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));
/* Print "fmt", lines that say what is wrong and what to do; exits 129. */
void options__refuse_exit(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

struct option_use { /* of an output, or whatever else a command can do only one of */
	const char *name; /* as typed: "--folded" */
	bool given;
};

/* If two are given, print one line that names them; exits 129. */
void options__check_exclusive(const struct option_use *uses, size_t nr);

#endif

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/files.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/record/options.h"
#include "util/lib/comma-list.h"
#include "util/lib/log.h"
#include "util/perfdata/compress.h"
#include "util/record/reader-layout.h"

bool record_files__always;

int record_files__parse_level(const struct option_row *row, const char *arg, bool unset)
{
	struct record_opts *o = row->value;
	unsigned long level = COMPRESS_LEVEL;
	const char *rest;

	if (arg && (!record_options__parse_uint(arg, 22, &level, &rest) || *rest)) {
		pr_err("-z takes a level from 0, no compression, to 22: not \"%s\"\n", arg);
		return -1;
	}
	o->compression_level = unset ? 0 : level;
	return 0;
}

int record_files__parse_threads(const struct option_row *row, const char *arg, bool unset)
{
	struct record_opts *o = row->value;

	o->threads = unset ? NULL : arg ?: "";
	return 0;
}

void record_files__list_threads(void)
{
	for (unsigned int i = 0; reader_layout__name(i); i++)
		puts(reader_layout__name(i));
}

struct unit {
	char name;
	u64 factor;
};

static const struct unit bytes[] = { { 'B', 1 }, { 'K', 1ULL << 10 }, { 'M', 1ULL << 20 }, { 'G', 1ULL << 30 }, {} };
static const struct unit times[] = { { 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 }, { 'd', 86400000 }, {} };

/* Parse a number followed by one of the units, which is required. */
static bool parse_with_unit(const char *arg, const struct unit *unit, u64 *value)
{
	unsigned long number;
	const char *rest;

	if (!record_options__parse_uint(arg, ULONG_MAX, &number, &rest) || !number || !*rest || rest[1])
		return false;
	while (unit->name && unit->name != *rest)
		unit++;
	return unit->name && !__builtin_mul_overflow(number, unit->factor, value);
}

bool record_files__parse_bytes(const char *arg, u64 *value)
{
	return parse_with_unit(arg, bytes, value);
}

int record_files__parse_max_size(const struct option_row *row, const char *arg, bool unset)
{
	struct record_opts *o = row->value;

	if (unset || parse_with_unit(arg, bytes, &o->max_size))
		return 0;
	pr_err("--max-size takes a number with B, K, M or G behind it: not \"%s\"\n", arg);
	return -1;
}

int record_files__parse_switch(const struct option_row *row, const char *arg, bool unset)
{
	struct record_opts *o = row->value;
	struct record_switching *switching = &o->switching;

	switching->on = !unset;
	switching->signo = 0;
	switching->size = switching->ms = 0;
	if (unset)
		return 0;
	if (!arg || !strcmp(arg, "signal")) {
		switching->signo = SIGUSR2;
		return 0;
	}
	if (parse_with_unit(arg, bytes, &switching->size) || parse_with_unit(arg, times, &switching->ms))
		return 0;
	pr_err("--switch-output takes signal, a number with B, K, M or G, or one with s, m, h or d behind it: not \"%s\"\n", arg);
	return -1;
}

int record_files__parse_switch_event(const struct option_row *row, const char *arg, bool unset)
{
	struct record_switching *switching = row->value;
	struct errmsg err;

	if (unset)
		return record_options__refuse_unset(row);
	if (!switching->events)
		switching->events = evlist__new();
	if (!switching->events) {
		pr_err("out of memory\n");
		return -1;
	}
	if (evlist__parse(switching->events, arg, NULL, &err)) {
		pr_err("--switch-output-event: %s\n", err.text);
		return -1;
	}
	switching->on = true;
	switching->signo = SIGUSR2;
	return 0;
}

struct synth_word {
	const char *name;
	struct record_synth says; /* at_end is not used */
};

static const struct synth_word synth_words[] = { /* as in upstream: mmap includes the tasks */
	{ "no", { .no_tasks = true, .no_maps = true, .no_cgroups = true } },
	{ "none", { .no_tasks = true, .no_maps = true, .no_cgroups = true } },
	{ "all", {} },
	{ "task", { .no_maps = true, .no_cgroups = true } },
	{ "mmap", { .no_cgroups = true } },
	{ "cgroup", { .no_tasks = true, .no_maps = true } },
	{},
};

static const struct synth_word *find_synth_word(struct list_word arg)
{
	const struct synth_word *word = synth_words;

	while (word->name && !list_word__is(arg, word->name))
		word++;
	return word->name ? word : NULL;
}

int record_files__parse_synth(const struct option_row *row, const char *arg, bool unset)
{
	struct record_synth *synth = row->value;

	if (unset)
		return record_options__refuse_unset(row);
	synth->no_tasks = synth->no_maps = synth->no_cgroups = true;
	comma_list__for_each(arg, part) {
		const struct synth_word *word = find_synth_word(part);

		if (!word) {
			pr_err("--synth takes no, or task, mmap, cgroup or all, with commas between: not \"%.*s\"\n", (int)part.len, part.text);
			return -1;
		}
		synth->no_tasks &= word->says.no_tasks;
		synth->no_maps &= word->says.no_maps;
		synth->no_cgroups &= word->says.no_cgroups;
	}
	return 0;
}

void record_files__exit(struct record_opts *o)
{
	evlist__delete(o->switching.events);
}

/* As in other perfs: without a name the recording goes to a pipe if stdout is one. */
static bool stdout_is_pipe(void)
{
	struct stat st;

	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode);
}

/* A device would be renamed. */
static bool can_be_renamed(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

static int settle_threads(const struct record_opts *o)
{
	if (!o->threads)
		return 0;
	if (!strcmp(o->output, "-")) {
		pr_err("--threads writes a directory, which a pipe cannot take: name one with -o\n");
		return EXIT_USAGE;
	}
	if (!o->switching.on)
		return 0;
	pr_err("--threads writes one directory to the end: without it --switch-output and --switch-output-event write one file after the other\n");
	return EXIT_USAGE;
}

int record_files__settle(struct record_opts *o)
{
	if (!o->output)
		o->output = stdout_is_pipe() ? "-" : "perf.data";
	if (!(o->switching.on || o->timestamp_filename) || can_be_renamed(o->output))
		return settle_threads(o);
	pr_err("--switch-output, --switch-output-event and --timestamp-filename need a file that can have a name: give one with -o\n");
	return EXIT_USAGE;
}

// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/buildid/cache.h"
#include "cmd/common/build-id-dir.h"
#include "cmd/read/options.h"
#include "cmd/read/recorded-ids.h"
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/lib/words.h"
#include "util/symbol/build-id-cache.h"

#define EXIT_PART 1 /* some of the files could not be added, updated, removed, purged or listed */

static struct read_options reading = READ_OPTIONS_INIT("pager.buildid-cache");
static const char *to_add, *to_update, *to_remove, *to_purge;
static bool list, purge_all;

static const char *const cache_usage[] = {
	"perf buildid-cache [<options>]",
	NULL,
};

static const struct option_row cache_options[] = {
	OPT_STRING('a', "add", &to_add, "file,...", "copy these programs and libraries to the cache"),
	OPT_STRING('u', "update", &to_update, "file,...", "copy these files anew, in the place of copies with the same build-id"),
	OPT_STRING('r', "remove", &to_remove, "file,...", "remove the copies that have the build-ids of these files"),
	OPT_STRING('p', "purge", &to_purge, "file,...", "remove all copies of files that had these paths"),
	OPT_BOOL('P', "purge-all", &purge_all, "remove all copies"),
	OPT_STRING('M', "missing", &reading.input, "file", "list what this recording has mapped and the cache does not have"),
	OPT_BOOL('l', "list", &list, "list what the cache has"),
	OPT_STRING(0, "buildid-dir", &reading.build_id_dir, "directory", "use this cache ($HOME/.debug)"),
	OPT_BOOL('f', "force", &reading.force, "read files of other users, which is always done"),
	OPT_INCR('v', "verbose", &reading.verbose, "print each file that is added or removed"),
	OPT_REFUSED('k', "kcore", "file", 0, "copy it and /proc/kallsyms to a directory: 'perf annotate --kallsyms' reads both; kernel symbols are in a "
		    "vmlinux, which --add takes"),
	OPT_REFUSED(0, "debuginfod", "urls", OPTION_OPTARG, "report and script ask the servers with --debuginfod, and keep what they get"),
	OPT_REFUSED(0, "target-ns", "pid", 0, "give the path below /proc/PID/root"),
	OPT_END(),
};

/* Each of the files in the list, which may be NULL. */
static int for_each_file(const char *files, const char *cache, int (*command)(const char *cache, const char *file))
{
	struct words *words;
	struct errmsg err;
	int ret;

	if (!files)
		return 0;
	ret = words__parse(files, &words, &err);
	if (ret) {
		pr_err("  Error: %s: %s\n", files, err.text);
		return ret;
	}
	for (size_t i = 0; words__at(words, i); i++)
		ret = command(cache, words__at(words, i)) ?: ret;
	words__delete(words);
	return ret;
}

static bool is_cached(const char *cache, const struct dso *dso)
{
	static const char *const names[] = { "elf", "", "kallsyms", "vdso" };
	char *path = build_id_cache__find_kept(cache, &dso->build_id, dso->name);
	bool found;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !path; i++)
		path = build_id_cache__find(cache, &dso->build_id, names[i]);
	found = path;
	free(path);
	return found;
}

static void print_missing(const struct dso *dso, void *data)
{
	if (!is_cached(data, dso))
		recorded_id__print(dso, NULL);
}

static int list_missing(const char *cache)
{
	struct session *session = read_options__open(&reading, true);
	int ret;

	if (!session)
		return EXIT_SETUP;
	ret = recorded_ids__for_each(session, reading.input, false, print_missing, (void *)cache);
	ret = ret ? EXIT_SETUP : session__is_damaged(session) ? EXIT_DAMAGED : 0;
	session__delete(session);
	return ret;
}

static int change(const char *cache)
{
	int ret = for_each_file(to_add, cache, cache_command__add);

	ret = for_each_file(to_remove, cache, cache_command__remove) ?: ret;
	ret = for_each_file(to_purge, cache, cache_command__purge) ?: ret;
	ret = (purge_all ? cache_command__purge_all(cache) : 0) ?: ret;
	ret = for_each_file(to_update, cache, cache_command__update) ?: ret;
	return ret ? EXIT_PART : 0;
}

static void check_options(int argc, char **argv)
{
	bool changes = to_add || to_update || to_remove || to_purge || purge_all;

	if (argc)
		options__refuse_exit("  Error: unexpected argument `%s'\n", argv[0]);
	if (list && (changes || reading.input))
		options__refuse_exit("  Error: --list takes no other action beside it\n");
	if (!list && !changes && !reading.input)
		options__refuse_exit("  Error: name an action, such as --list or --add\n");
}

int cmd_buildid_cache(int argc, char **argv)
{
	const char *cache;
	int ret;

	argc = options__parse(argc, argv, cache_options, cache_usage, false);
	check_options(argc, argv);
	log__set_verbosity(reading.verbose);
	cache = build_id_dir(reading.build_id_dir);
	if (!cache) {
		pr_err("There is no build-id cache: neither --buildid-dir nor buildid.dir of perfconfig names one, and $HOME is not set\n");
		return EXIT_SETUP;
	}
	if (list) {
		ret = cache_command__list(cache);
		return ret < 0 ? EXIT_SETUP : ret ? EXIT_PART : 0;
	}
	ret = change(cache);
	return reading.input ? list_missing(cache) ?: ret : ret;
}

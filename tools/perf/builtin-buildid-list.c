// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/buildid/running.h"
#include "cmd/read/options.h"
#include "cmd/read/recorded-ids.h"
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/symbol/symtab.h"

static struct read_options reading = READ_OPTIONS_INIT("pager.buildid-list");
static bool hits_only, of_kernel, of_kernel_maps;

static const char *const list_usage[] = {
	"perf buildid-list [<options>]",
	NULL,
};

static const struct option_row list_options[] = {
	OPT_STRING('i', "input", &reading.input, "file", "read this recording, or program (stdin if it is a pipe, else perf.data)"),
	OPT_BOOL('H', "with-hits", &hits_only, "show only files that samples are in"),
	OPT_BOOL('k', "kernel", &of_kernel, "show the build-id of the running kernel"),
	OPT_BOOL('m', "kernel-maps", &of_kernel_maps, "show build-id, start, end and name of the running kernel and its modules"),
	OPT_BOOL('f', "force", &reading.force, "read files of other users, which is always done"),
	OPT_INCR('v', "verbose", &reading.verbose, "print more messages"),
	OPT_END(),
};

/* Of a program or library. False: it is none. */
static bool print_id_of_file(const char *path)
{
	struct build_id id;
	char hex[41];

	if (build_id__read(path, &id))
		return false;
	printf("%s\n", build_id__str(&id, hex));
	return true;
}

static int print_recorded(void)
{
	struct session *session;
	int ret;

	read_options__choose_input(&reading);
	if (strcmp(reading.input, "-") && print_id_of_file(reading.input))
		return 0;
	session = read_options__open(&reading, true);
	if (!session)
		return EXIT_SETUP;
	ret = recorded_ids__for_each(session, reading.input, hits_only, recorded_id__print, NULL);
	ret = ret ? EXIT_SETUP : session__is_damaged(session) ? EXIT_DAMAGED : 0;
	session__delete(session);
	return ret;
}

int cmd_buildid_list(int argc, char **argv)
{
	argc = options__parse(argc, argv, list_options, list_usage, false);
	if (argc)
		options__refuse_exit("  Error: unexpected argument `%s'\n", argv[0]);
	if (of_kernel)
		return running_kernel__print_id() ? EXIT_SETUP : 0;
	if (of_kernel_maps)
		return running_kernel__print_maps() ? EXIT_SETUP : 0;
	return print_recorded();
}

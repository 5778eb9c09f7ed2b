// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/common/own-file.h"
#include "cmd/common/pass-on.h"
#include "ui/pager.h"
#include "util/lib/options.h"
#include "util/lib/types.h"

static const char *const help_usage[] = {
	"perf help [<command> | filter]",
	NULL,
};

static const struct option_row help_options[] = {
	OPT_END(),
};

static int print_overview(void)
{
	const struct command *command;

	printf("\n usage: " PERF_USAGE "\n\n The perf commands are:\n");
	for (command = commands; command->name; command++)
		printf("   %-15s %s\n", command->name, command->help);
	printf("\n Other commands are passed on to the next perf on PATH.\n"
	       " See 'perf help COMMAND' for more information on a specific command.\n\n");
	return 0;
}

static int copy_to_stdout(FILE *page)
{
	char data[4096];
	size_t len;

	while ((len = fread(data, 1, sizeof(data), page)) > 0)
		fwrite(data, 1, len, stdout);
	return ferror(page) ? 1 : 0;
}

static char *find_page(const char *format, const char *name)
{
	char *file, *path;

	if (asprintf(&file, format, name) < 0)
		return NULL;
	path = own_file__find(file);
	free(file);
	return path;
}

/* Has man shown the page at path? */
static bool run_man(const char *path)
{
	char *argv[] = { (char *)"man", (char *)"-l", (char *)path, NULL };
	int status;
	pid_t pid;

	return !posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) && waitpid(pid, &status, 0) == pid && !status;
}

/* Show the manual page of perf-NAME, if man can. Use its path, as another perf may have a page with that name. */
static bool show_manual(const char *name)
{
	static const char *const formats[] = { "man/perf-%s.1", "man/perf-%s.7", "man/perf-%s.1.gz", "man/perf-%s.7.gz" };
	bool shown = false;

	for (size_t i = 0; i < ARRAY_SIZE(formats) && !shown; i++) {
		char *path = find_page(formats[i], name);

		shown = path && run_man(path);
		free(path);
	}
	return shown;
}

/* Show the page of a command or of a topic such as "filter". -1: there is none. */
static int show_page(const char *name)
{
	char *path;
	FILE *page = NULL;
	int status = -1;

	if (strchr(name, '/'))
		return -1;
	if (show_manual(name))
		return 0;
	path = find_page("help/perf-%s.txt", name);
	if (path)
		page = fopen(path, "re");
	if (page) {
		pager__start(NULL);
		status = copy_to_stdout(page);
		fclose(page);
	}
	free(path);
	return status;
}

int cmd_help(int argc, char **argv)
{
	const struct command *command;
	int status;

	argc = options__parse(argc, argv, help_options, help_usage, true);
	if (!argc)
		return print_overview();
	status = show_page(argv[0]);
	if (status >= 0)
		return status;
	command = command__find(argv[0]);
	if (command)
		return command->run(2, (char *[]){ argv[0], (char *)"-h", NULL });
	return pass_on((char *[]){ (char *)"perf", (char *)"help", argv[0], NULL });
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Runs commands that we lack by the next perf on PATH. That perf may be a copy of this one, or a script that calls this one again,
 * so an environment variable prevents a loop: a process that execs moves strictly forward along PATH, and a chain of processes ends
 * after MAX_DEPTH of them.
 */
#include "cmd/common/pass-on.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtin.h"
#include "util/lib/log.h"
#include "util/lib/near.h"
#include "util/lib/options.h"
#include "util/lib/types.h"

#define STATE_VARIABLE "PERF_PASSED_ON"
#define MAX_DEPTH 8

struct pass_state {
	int pid;	       /* the process of this state: programs that the next perf starts inherit the variable */
	unsigned int position; /* number of places in PATH already tried */
	unsigned int depth;
};

static struct pass_state pass_state__read(void)
{
	const char *text = getenv(STATE_VARIABLE);
	struct pass_state state;

	if (!text || sscanf(text, "%d %u %u", &state.pid, &state.position, &state.depth) != 3)
		return (struct pass_state){ .pid = getpid() };
	if (state.pid != getpid()) {
		state.pid = getpid();
		state.position = 0;
	}
	return state;
}

static bool pass_state__write(const struct pass_state *state)
{
	char text[64];

	snprintf(text, sizeof(text), "%d %u %u", state->pid, state->position, state->depth);
	return !setenv(STATE_VARIABLE, text, true);
}

/* Is it an executable other than the running one, under any name? */
static bool is_other_program(const char *path)
{
	struct stat self, st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || access(path, X_OK))
		return false;
	return stat("/proc/self/exe", &self) || self.st_dev != st.st_dev || self.st_ino != st.st_ino;
}

/* Try dir/perf; returns only if it is not suitable. */
static void try_directory(const char *dir, size_t len, char **argv, const struct pass_state *state)
{
	char *path, *own_name = argv[0];

	/* With an empty or relative place the current directory would choose the program. */
	if (!len || *dir != '/' || asprintf(&path, "%.*s/perf", (int)len, dir) < 0)
		return;
	if (is_other_program(path) && pass_state__write(state)) {
		argv[0] = path;
		execv(path, argv);
		argv[0] = own_name;
	}
	free(path);
}

static char *global_option[2]; /* and its argument; NULL: none was given */

void pass_on__add_option(char *option, char *value)
{
	global_option[0] = option;
	global_option[1] = value;
}

/* argv with the global option before the command. NULL: no memory, after saying so. */
static char **with_global_option(char **argv)
{
	unsigned int nr = 0, given = global_option[0] ? 2 : 0;
	char **all;

	while (argv[nr])
		nr++;
	all = calloc(nr + given + 1, sizeof(*all));
	if (!all) {
		pr_err("out of memory\n");
		return NULL;
	}
	all[0] = argv[0];
	memcpy(all + 1, global_option, given * sizeof(*all));
	memcpy(all + 1 + given, argv + 1, (nr - 1) * sizeof(*all));
	return all;
}

/* Returns only if there is none: 0, or negative after saying why. */
static int exec_next(char **argv)
{
	struct pass_state state = pass_state__read();
	const char *dir = getenv("PATH") ?: "";
	unsigned int position = 0;
	char **all;
	size_t len;

	if (++state.depth > MAX_DEPTH) {
		pr_err("perf: '%s' goes in a circle: the programs named perf on PATH pass it on to each other.\n", argv[1]);
		return -ELOOP;
	}
	all = with_global_option(argv);
	if (!all)
		return -ENOMEM;
	for (;; dir += len + 1, position++) {
		len = strcspn(dir, ":");
		if (position >= state.position) {
			state.position = position + 1;
			try_directory(dir, len, all, &state);
		}
		if (!dir[len])
			break;
	}
	free(all);
	return 0;
}

/* Commands of other perfs, up to 7.x. Ours are never looked up here. */
static const char *const others[] = {
	"annotate", "archive", "bench", "c2c", "daemon", "data", "diff", "ftrace", "inject", "iostat",
	"kallsyms", "kmem", "kvm", "kwork", "lock", "mem", "probe", "sched", "stat", "timechart", "top", "trace",
};

/* Commands that install perf, by ID and ID_LIKE of /etc/os-release. */
static const struct {
	const char *family, *command;
} installs[] = {
	{ "ubuntu", "apt install linux-tools-generic" }, { "debian", "apt install linux-perf" }, { "fedora", "dnf install perf" },
	{ "rhel", "dnf install perf" }, { "suse", "zypper install perf" }, { "arch", "pacman -S perf" }, { "alpine", "apk add perf" },
};

static const char *install_command(void)
{
	FILE *fp = fopen("/etc/os-release", "re");
	const char *command = NULL;
	char line[256];

	while (fp && !command && fgets(line, sizeof(line), fp)) {
		if (strncmp(line, "ID=", strlen("ID=")) && strncmp(line, "ID_LIKE=", strlen("ID_LIKE=")))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(installs) && !command; i++)
			command = strstr(line, installs[i].family) ? installs[i].command : NULL;
	}
	if (fp)
		fclose(fp);
	return command;
}

static void tell_missing(const char *what)
{
	const char *command = install_command();

	if (command)
		pr_err("perf: '%s' needs the perf of the distribution, and there is none on PATH: install it, as by '%s'\n", what, command);
	else
		pr_err("perf: '%s' needs the perf of the distribution, and there is none on PATH: install its package, perf or linux-perf\n",
		       what);
}

static bool is_others(const char *command)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (!strcmp(command, others[i]))
			return true;
	}
	return false;
}

static void tell_unknown(const char *command)
{
	struct near_name near = { .word = command };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		near_name__try(&near, others[i]);
	for (const struct command *ours = commands; ours->name; ours++)
		near_name__try(&near, ours->name);
	if (near.name)
		pr_err("perf: '%s' is not a perf-command; did you mean '%s'? See 'perf --help'.\n", command, near.name);
	else
		pr_err("perf: '%s' is not a perf-command. See 'perf --help'.\n", command);
}

int pass_on(char **argv)
{
	if (exec_next(argv))
		return 1;
	if (is_others(argv[1]))
		tell_missing(argv[1]);
	else
		tell_unknown(argv[1]);
	return 1;
}

int pass_on_part(int argc, char **argv, const char *part)
{
	char **all = calloc(argc + 2, sizeof(*all));
	char what[128];

	if (!all) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	all[0] = (char *)"perf";
	memcpy(all + 1, argv, argc * sizeof(*all));
	snprintf(what, sizeof(what), "%s %s", argv[0], part);
	if (!exec_next(all))
		tell_missing(what);
	free(all);
	return EXIT_SETUP;
}

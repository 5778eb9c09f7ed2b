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
#include "util/lib/failed-writes.h"
#include "util/lib/log.h"
#include "util/lib/near.h"
#include "util/lib/options.h"
#include "util/lib/program.h"
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

/* Does the perf at path list the command as one of its own? */
static bool has_command(const char *path, const char *command)
{
	char *list = program__output((char *[]){ (char *)path, (char *)"--list-cmds", NULL }), *rest = list, *word;
	bool has = false;

	while (!has && (word = strsep(&rest, " \n")))
		has = !strcmp(word, command);
	free(list);
	return has;
}

/* Try dir/perf; returns only if it is not suitable. */
static void try_directory(const char *dir, size_t len, char **argv, const struct pass_state *state, const char *misspelt)
{
	char *path, *own_name = argv[0];

	/* With an empty or relative place the current directory would choose the program. */
	if (!len || *dir != '/' || asprintf(&path, "%.*s/perf", (int)len, dir) < 0)
		return;
	if (is_other_program(path) && (!misspelt || has_command(path, misspelt)) && pass_state__write(state)) {
		argv[0] = path;
		failed_writes__as_given();
		execv(path, argv);
		failed_writes__end_perf();
		argv[0] = own_name;
	}
	free(path);
}

static struct {
	char *option, *value; /* value NULL: it has none */
} global_options[2];	      /* those of perf itself that are handed on */

void pass_on__add_option(char *option, char *value)
{
	size_t i = 0;

	while (global_options[i].option && strcmp(global_options[i].option, option))
		i++;
	global_options[i].option = option;
	global_options[i].value = value;
}

/* argv with the global options before the command. NULL: no memory, after saying so. */
static char **with_global_options(char **argv)
{
	unsigned int nr = 0, to = 0;
	char **all;

	while (argv[nr])
		nr++;
	all = calloc(nr + 2 * ARRAY_SIZE(global_options) + 1, sizeof(*all));
	if (!all) {
		pr_err("out of memory\n");
		return NULL;
	}
	all[to++] = argv[0];
	for (size_t i = 0; i < ARRAY_SIZE(global_options) && global_options[i].option; i++) {
		all[to++] = global_options[i].option;
		if (global_options[i].value)
			all[to++] = global_options[i].value;
	}
	memcpy(all + to, argv + 1, (nr - 1) * sizeof(*all));
	return all;
}

/*
 * misspelt: a command that is like the name of another one, so that only a perf is suitable that says that it has it; NULL: any perf is.
 * Returns only if there is none: 0, or negative after saying why.
 */
static int exec_next(char **argv, const char *misspelt)
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
	all = with_global_options(argv);
	if (!all)
		return -ENOMEM;
	for (;; dir += len + 1, position++) {
		len = strcspn(dir, ":");
		if (position >= state.position) {
			state.position = position + 1;
			try_directory(dir, len, all, &state, misspelt);
		}
		if (!dir[len])
			break;
	}
	free(all);
	return 0;
}

/* Commands of other perfs, up to 7.x. Ours are never looked up here. */
static const char *const others[] = {
	"archive", "bench", "c2c", "daemon", "data", "inject", "iostat",
	"kallsyms", "kmem", "kvm", "mem", "timechart",
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

/* Other perfs run programs named perf-COMMAND from PATH as theirs. */
static bool is_program(const char *command)
{
	char *name, *path;

	if (asprintf(&name, "perf-%s", command) < 0)
		return false;
	path = program__find(name);
	free(name);
	free(path);
	return path;
}

static void find_near(struct near_name *near)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		near_name__try(near, others[i]);
	for (const struct command *ours = commands; ours->name; ours++)
		near_name__try(near, ours->name);
}

int pass_on(char **argv)
{
	const char *command = argv[2] && !strcmp(argv[1], "help") ? argv[2] : argv[1];
	struct near_name near = { .word = command };
	bool known = is_others(command) || is_program(command);
	char hint[NEAR_FAR + 32];

	if (!known)
		find_near(&near);
	if (exec_next(argv, *near.name ? command : NULL))
		return 1;
	if (known)
		tell_missing(command);
	else
		pr_err("perf: '%s' is not a perf-command%s See 'perf --help'.\n", command,
		       *near.name ? near_name__text(&near, hint, sizeof(hint)) : ".");
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
	if (!exec_next(all, NULL))
		tell_missing(what);
	free(all);
	return EXIT_SETUP;
}

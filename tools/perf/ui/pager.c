// SPDX-License-Identifier: GPL-2.0
#include "ui/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/lib/config.h"
#include "util/lib/types.h"

static pid_t pager; /* 0: not started */
static bool shows_errors, preferred;

void pager__prefer(void)
{
	preferred = true;
}

static bool can_scroll(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

/* perfconfig's pager is a command, or says whether to use one. */
static const char *choose_configured(const char *configured)
{
	bool on;

	if (!configured || config__bool(configured, &on))
		return configured;
	return on || preferred ? NULL : "cat";
}

/* NULL: disabled, or not installed. */
static const char *choose_command(const char *configured)
{
	static const char *const installed[] = { "/usr/bin/pager", "/usr/bin/less" };
	const char *command = getenv("PERF_PAGER") ?: choose_configured(configured) ?: getenv("PAGER");

	for (size_t i = 0; !command && i < ARRAY_SIZE(installed); i++) {
		if (!access(installed[i], X_OK))
			command = installed[i];
	}
	return command && *command && strcmp(command, "cat") ? command : NULL;
}

/* Wait: the shell would write over the pager's screen if we ended before it. */
static void wait_for_pager(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	/* Other threads may still write, and the pager waits for the end of its input. */
	dup2(null, STDOUT_FILENO);
	if (shows_errors)
		dup2(null, STDERR_FILENO);
	waitpid(pager, NULL, 0);
}

static void wait_at_exit(void)
{
	fflush(stdout);
	wait_for_pager();
}

bool pager__shows_errors(void)
{
	return pager && shows_errors;
}

void pager__finish(void)
{
	if (pager)
		wait_for_pager();
}

static void wait_at_signal(int sig)
{
	wait_for_pager();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* The reading end of a pipe becomes its standard input. */
static int spawn(const char *command, int input)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
	posix_spawn_file_actions_t actions;
	int ret = posix_spawn_file_actions_init(&actions);

	if (ret)
		return ret;
	ret = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	ret = ret ?: posix_spawnp(&pager, "sh", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (ret)
		pager = 0;
	return ret;
}

static void redirect(int output)
{
	static const int signals[] = { SIGINT, SIGHUP, SIGTERM, SIGQUIT, SIGPIPE };

	fflush(stdout);
	shows_errors = isatty(STDERR_FILENO) && dup2(output, STDERR_FILENO) >= 0;
	dup2(output, STDOUT_FILENO);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], wait_at_signal);
	atexit(wait_at_exit);
}

void pager__start(const char *configured)
{
	const char *command = !pager && can_scroll() ? choose_command(configured) : NULL;
	int pipe_fd[2];

	if (!command || pipe2(pipe_fd, O_CLOEXEC))
		return;
	setenv("LESS", "FRSX", false); /* less quits by itself if one screen suffices, and leaves the text there */
	if (!spawn(command, pipe_fd[0]))
		redirect(pipe_fd[1]);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
}

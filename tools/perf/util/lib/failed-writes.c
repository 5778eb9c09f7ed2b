// SPDX-License-Identifier: GPL-2.0
#include "util/lib/failed-writes.h"

#include <signal.h>
#include <stdbool.h>

#define NR 2

static const int signals[NR] = { SIGPIPE, SIGXFSZ };
static struct sigaction given[NR];
static bool known;

/* Only the first time: afterwards they are perf's own. */
static void remember(void)
{
	for (int i = 0; i < NR && !known; i++)
		sigaction(signals[i], NULL, &given[i]);
	known = true;
}

static void set_all(void (*action)(int))
{
	for (int i = 0; i < NR; i++)
		signal(signals[i], action);
}

void failed_writes__end_perf(void)
{
	remember();
	signal(SIGPIPE, SIG_DFL);
}

void failed_writes__return_errors(void)
{
	remember();
	set_all(SIG_IGN);
}

void failed_writes__as_given(void)
{
	for (int i = 0; i < NR && known; i++)
		sigaction(signals[i], &given[i], NULL);
}

void failed_writes__end_program(void)
{
	set_all(SIG_DFL);
}

void failed_writes__end_now(void)
{
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
}

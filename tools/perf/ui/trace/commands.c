// SPDX-License-Identifier: GPL-2.0
#include "ui/trace/commands.h"

#include <fcntl.h>
#include <linux/prctl.h>
#include <string.h>
#include "util/lib/types.h"

struct trace_command {
	u32 number;
	u8 nr;	  /* arguments behind the command that it uses */
	u8 first; /* the one behind the command */
	bool points; /* that one is an address */
	const struct syscall_names *names[2], *result; /* of arguments behind the command, and of the result */
};

#define NAMES(list) &syscall_names_##list

/* Behind cmd. Numbers are those of include/uapi/linux/fcntl.h, for headers that lack them. */
#define FCNTL(command, nr_args, ...) { .number = command, .nr = nr_args, .first = 2, ##__VA_ARGS__ }
static const struct trace_command fcntl_commands[] = {
	FCNTL(F_GETFD, 0, .result = NAMES(fd_flags)), FCNTL(F_SETFD, 1, .names = { NAMES(fd_flags) }),
	FCNTL(F_GETFL, 0, .result = NAMES(open)), FCNTL(F_SETFL, 1, .names = { NAMES(open) }),
	FCNTL(F_GETLK, 1, .points = true), FCNTL(F_SETLK, 1, .points = true), FCNTL(F_SETLKW, 1, .points = true),
	FCNTL(12 /* F_GETLK64 */, 1, .points = true), FCNTL(13 /* F_SETLK64 */, 1, .points = true), FCNTL(14 /* F_SETLKW64 */, 1, .points = true),
	FCNTL(F_OFD_GETLK, 1, .points = true), FCNTL(F_OFD_SETLK, 1, .points = true), FCNTL(F_OFD_SETLKW, 1, .points = true),
	FCNTL(F_GETOWN, 0), FCNTL(F_SETSIG, 1, .names = { NAMES(signal) }), FCNTL(F_GETSIG, 0, .result = NAMES(signal)),
	FCNTL(F_SETLEASE, 1, .names = { NAMES(lock_type) }), FCNTL(F_GETLEASE, 0, .result = NAMES(lock_type)),
	FCNTL(F_NOTIFY, 1, .names = { NAMES(notify) }), FCNTL(1032 /* F_GETPIPE_SZ */, 0),
	FCNTL(1033 /* F_ADD_SEALS */, 1, .names = { NAMES(seal) }), FCNTL(1034 /* F_GET_SEALS */, 0, .result = NAMES(seal)),
};

/* Behind option. Others, as PR_SET_NO_NEW_PRIVS, want 0 in all arguments that they do not use: those show why they fail. */
#define PRCTL(command, nr_args, ...) { .number = command, .nr = nr_args, .first = 1, ##__VA_ARGS__ }
static const struct trace_command prctl_commands[] = {
	PRCTL(PR_SET_PDEATHSIG, 1, .names = { NAMES(signal) }), PRCTL(PR_GET_PDEATHSIG, 1, .points = true), PRCTL(PR_GET_DUMPABLE, 0),
	PRCTL(PR_SET_DUMPABLE, 1), PRCTL(PR_GET_KEEPCAPS, 0), PRCTL(PR_SET_KEEPCAPS, 1), PRCTL(PR_SET_NAME, 1, .points = true),
	PRCTL(PR_GET_NAME, 1, .points = true), PRCTL(PR_GET_SECCOMP, 0), PRCTL(PR_CAPBSET_READ, 1, .names = { NAMES(capability) }),
	PRCTL(PR_CAPBSET_DROP, 1, .names = { NAMES(capability) }), PRCTL(PR_GET_TSC, 1, .points = true), PRCTL(PR_SET_TSC, 1),
	PRCTL(PR_GET_SECUREBITS, 0), PRCTL(PR_SET_SECUREBITS, 1), PRCTL(PR_GET_TIMERSLACK, 0), PRCTL(PR_SET_TIMERSLACK, 1),
	PRCTL(PR_TASK_PERF_EVENTS_DISABLE, 0), PRCTL(PR_TASK_PERF_EVENTS_ENABLE, 0), PRCTL(PR_SET_CHILD_SUBREAPER, 1),
	PRCTL(PR_GET_CHILD_SUBREAPER, 1, .points = true), PRCTL(PR_GET_TID_ADDRESS, 1, .points = true), PRCTL(PR_SET_PTRACER, 1),
	PRCTL(PR_CAP_AMBIENT, 4, .names = { NAMES(cap_ambient), NAMES(capability) }),
};

static const struct {
	const char *call; /* the one of 64-bit programs */
	u8 arg;		  /* the command */
	const struct trace_command *row;
	size_t nr;
} calls[] = {
	{ "fcntl", 1, fcntl_commands, ARRAY_SIZE(fcntl_commands) },
	{ "prctl", 0, prctl_commands, ARRAY_SIZE(prctl_commands) },
};

const struct trace_command *trace_command__find(const struct syscall_format *format, const struct trace_call *call)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (strcmp(calls[i].call, format->like))
			continue;
		for (size_t j = 0; j < calls[i].nr; j++) {
			if (calls[i].row[j].number == (u32)call->arg[calls[i].arg])
				return &calls[i].row[j];
		}
	}
	return NULL;
}

bool trace_command__uses(const struct trace_command *command, int i)
{
	return !command || i < command->first + command->nr;
}

bool trace_command__points(const struct trace_command *command, int i)
{
	return command && command->points && i == command->first;
}

const struct syscall_names *trace_command__names(const struct trace_command *command, int i)
{
	const u32 behind = command ? (u32)(i - command->first) : UINT32_MAX;

	return behind < ARRAY_SIZE(command->names) ? command->names[behind] : NULL;
}

const struct syscall_names *trace_command__result(const struct trace_command *command)
{
	return command ? command->result : NULL;
}

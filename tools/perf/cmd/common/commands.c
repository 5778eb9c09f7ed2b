// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <string.h>

const struct command commands[] = {
	{ "annotate", cmd_annotate, "Show the code of functions, with the samples of each instruction" },
	{ "buildid-cache", cmd_buildid_cache, "Add files to the build-id cache, list and remove them" },
	{ "buildid-list", cmd_buildid_list, "List the build-ids of what a recording has mapped" },
	{ "check", cmd_check, "Tell whether perf was built with a feature" },
	{ "config", cmd_config, "Show or set what is in perfconfig files" },
	{ "diff", cmd_diff, "Compare recordings: where the samples of each fell" },
	{ "evlist", cmd_evlist, "List the events of a perf.data file" },
	{ "ftrace", cmd_ftrace, "Show how long functions of the kernel or of programs take" },
	{ "help", cmd_help, "Show the manual page or the usage of a command" },
	{ "kwork", cmd_kwork, "Sum up what interrupts, softirqs, works and tasks do" },
	{ "list", cmd_list, "List the events that can be recorded" },
	{ "lock", cmd_lock, "Show which locks of the kernel tasks wait for, where and how long" },
	{ "probe", cmd_probe, "Make events on functions, lines and variables of programs and the kernel" },
	{ "record", cmd_record, "Sample a command or the system into perf.data, through a filter" },
	{ "report", cmd_report, "Read perf.data and show where the samples fell" },
	{ "sample-bpf", cmd_bpfsample, "Count samples in the kernel: less data, the same report" },
	{ "sched", cmd_sched, "Show how long tasks wait for a CPU, when they run, and where" },
	{ "script", cmd_script, "Read perf.data and print each sample" },
	{ "stacks", cmd_stacks, "Show where each thread is now, without stopping it" },
	{ "stat", cmd_stat, "Count events of a command, of tasks or of the system" },
	{ "test", cmd_test, "Run the tests, or one of the built-in workloads" },
	{ "top", cmd_top, "Show live which functions are hit most" },
	{ "trace", cmd_trace, "Show the system calls of a command or the system" },
	{ "version", cmd_version, "Show the version of perf" },
	{ NULL, NULL, NULL },
};

const struct command *command__find(const char *name)
{
	const struct command *command;

	for (command = commands; command->name; command++) {
		if (!strcmp(command->name, name))
			return command;
	}
	return NULL;
}

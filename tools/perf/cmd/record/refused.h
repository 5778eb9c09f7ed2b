/* SPDX-License-Identifier: GPL-2.0 */
/* Options of upstream's perf record that this one lacks: it refuses each with a reason, which is given in place of the help. */
#ifndef PERF_CMD_RECORD_REFUSED_H
#define PERF_CMD_RECORD_REFUSED_H

#include "util/lib/options.h"

#define RECORD_REFUSED_OPTIONS \
	OPT_REFUSED(0, "affinity", "mode", 0, "the thread that empties ring buffers stays where it is: --threads has one on each CPU"), \
	OPT_REFUSED(0, "aio", "n", OPTION_OPTARG, "the file is written in order, not by several writes at a time: take -z for less to write"), \
	OPT_REFUSED(0, "mmap-flush", "size", 0, "all that is in a ring buffer is taken whenever perf wakes up: leave it out"), \
	OPT_REFUSED(0, "num-thread-synthesize", "n", 0, "running tasks are read by one thread: --synth=no leaves them out"), \
	OPT_REFUSED(0, "proc-map-timeout", "ms", 0, "maps of running processes are read to their end: --synth=no leaves them out"), \
	OPT_REFUSED(0, "kcore", NULL, OPTION_NOARG, "the code of the kernel is not copied: report finds its functions by the recording"), \
	OPT_REFUSED(0, "vmlinux", "file", 0, "no functions are looked up while recording: report -k takes the file"), \
	OPT_REFUSED(0, "debuginfod", "urls", OPTION_OPTARG, "no debug information is looked up while recording: report --debuginfod does"), \
	OPT_REFUSED('S', "snapshot", "options", OPTION_OPTARG, "there are no traces of the hardware (AUX) here: --overwrite keeps the last samples"), \
	OPT_REFUSED(0, "aux-sample", "options", OPTION_OPTARG, "there are no traces of the hardware (AUX) here")

#endif

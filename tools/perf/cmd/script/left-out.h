/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf script does not do itself: options that it passes on to another perf, and options that it refuses. Rows for a table of
 * options: o is a struct script_options with static storage.
 */
#ifndef PERF_CMD_SCRIPT_LEFT_OUT_H
#define PERF_CMD_SCRIPT_LEFT_OUT_H

#include "cmd/script/options.h"

#define SCRIPT_HANDED_ON(o, letter, name, argh, help, flags) \
	OPT_CALLBACK_FLAGS(letter, name, &(o), argh, help, script_options__hand_on, flags)
/* Options of other perfs; why is in place of the help, which is not shown. */
#define SCRIPT_REFUSED(o, name, argh, why, flags) \
	OPT_CALLBACK_FLAGS(0, name, &(o), argh, why, script_options__refuse, OPTION_HIDDEN | (flags))
#define SCRIPT_NO_DECODER "this perf decodes no hardware traces"
#define SCRIPT_NO_GUESTS "this perf does not tell guests from their host"

#define SCRIPT_HANDED_ON_OPTIONS(o) \
	SCRIPT_HANDED_ON(o, 's', "script", "name", "process the samples with this script", 0), \
	SCRIPT_HANDED_ON(o, 'g', "gen-script", "language", "write the frame of a script", 0), \
	SCRIPT_HANDED_ON(o, 'l', "list", NULL, "list the scripts there are", OPTION_NOARG), \
	SCRIPT_HANDED_ON(o, 0, "dlfilter", "file", "filter samples with this shared object", 0), \
	SCRIPT_HANDED_ON(o, 0, "dlarg", "argument", "an argument for it", 0), \
	SCRIPT_HANDED_ON(o, 0, "list-dlfilters", NULL, "list the shared objects there are", OPTION_NOARG)

#define SCRIPT_REFUSED_OPTIONS(o) \
	SCRIPT_REFUSED(o, "itrace", "opts", SCRIPT_NO_DECODER, OPTION_OPTARG), \
	SCRIPT_REFUSED(o, "call-trace", NULL, SCRIPT_NO_DECODER, OPTION_OPTARG), \
	SCRIPT_REFUSED(o, "call-ret-trace", NULL, SCRIPT_NO_DECODER, OPTION_OPTARG), \
	SCRIPT_REFUSED(o, "insn-trace", "raw|disasm", SCRIPT_NO_DECODER, OPTION_OPTARG), \
	SCRIPT_REFUSED(o, "xed", NULL, "instructions are shown as bytes (field insn), not in words", OPTION_OPTARG), \
	SCRIPT_REFUSED(o, "graph-function", "symbol", SCRIPT_NO_DECODER, 0), \
	SCRIPT_REFUSED(o, "max-blocks", "n", "it belongs to the field brstackinsn, which is not shown here", 0), \
	SCRIPT_REFUSED(o, "stitch-lbr", NULL, "callchains made of branch records are not stitched here", OPTION_NOARG), \
	SCRIPT_REFUSED(o, "dump-unsorted-raw-trace", NULL, "records are shown in the order of time only: use -D", OPTION_NOARG), \
	SCRIPT_REFUSED(o, "guest-code", NULL, SCRIPT_NO_GUESTS, OPTION_NOARG), \
	SCRIPT_REFUSED(o, "guestmount", "directory", SCRIPT_NO_GUESTS, 0), \
	SCRIPT_REFUSED(o, "guestvmlinux", "file", SCRIPT_NO_GUESTS, 0), \
	SCRIPT_REFUSED(o, "guestkallsyms", "file", SCRIPT_NO_GUESTS, 0), \
	SCRIPT_REFUSED(o, "guestmodules", "file", SCRIPT_NO_GUESTS, 0)

#endif

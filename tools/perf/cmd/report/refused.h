/* SPDX-License-Identifier: GPL-2.0 */
/* Options of other perf reports that this one lacks: it refuses them with the reason, which is in place of the help. */
#ifndef PERF_CMD_REPORT_REFUSED_H
#define PERF_CMD_REPORT_REFUSED_H

#include "cmd/report/options.h"

#define REPORT_REFUSED(name, argh, flags, why) OPT_REFUSED(0, name, argh, flags, why)
#define REPORT_REFUSED_OPTIONS                                                                                                     \
	REPORT_REFUSED("itrace", "options", OPTION_OPTARG, "traces of the hardware (AUX) are not decoded here: take stock perf"),  \
	REPORT_REFUSED("total-cycles", NULL, OPTION_NOARG, "blocks of branches are not put together here: take stock perf"),       \
	REPORT_REFUSED("branch-history", NULL, OPTION_NOARG, "branches are not joined to callchains here: take -b, or stock perf"), \
	REPORT_REFUSED("disable-order", NULL, OPTION_NOARG, "records are always read in the order of their times"), \
	REPORT_REFUSED("stitch-lbr", NULL, OPTION_NOARG, "callchains are not put together of several samples here: take stock perf"), \
	REPORT_REFUSED("show-ref-call-graph", NULL, OPTION_NOARG, "events do not show others' callchains here: take stock perf"), \
	REPORT_REFUSED("percent-type", "type", 0, "the keys p and b of code in the browser choose it, and 'perf annotate --percent-type'"), \
	REPORT_REFUSED("source", NULL, OPTION_NOARG, "the key s of code in the browser shows it, and 'perf annotate'"), \
	REPORT_REFUSED("samples", "n", 0, "samples of a row are not kept one by one: 'perf script' shows them"), \
	OPT_CALLBACK_FLAGS(0, "stdio-color", NULL, "mode", "text is printed without colours", report_options__check_color, \
			   OPTION_HIDDEN)

#endif

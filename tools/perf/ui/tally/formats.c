// SPDX-License-Identifier: GPL-2.0
#include "ui/tally/histogram-output.h"
#include "ui/tally/output.h"

const struct tally_format tally_formats[TALLY_NR_FORMATS] = {
	[TALLY_FOLDED] = { "folded", tally_folded__new },
	[TALLY_TOP] = { "top", tally_top__new },
	[TALLY_PUSH] = { "push", tally_push__new },
};

const struct histogram_format histogram_formats[HISTOGRAM_NR_FORMATS] = {
	[HISTOGRAM_TEXT] = { "text", histogram_text__new },
	[HISTOGRAM_JSON] = { "json", histogram_json__new },
};

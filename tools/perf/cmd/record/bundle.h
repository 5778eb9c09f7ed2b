/* SPDX-License-Identifier: GPL-2.0 */
/* perf record --bundle: the recording and the files that its names come from, in one file. */
#ifndef PERF_CMD_RECORD_BUNDLE_H
#define PERF_CMD_RECORD_BUNDLE_H

#include "util/lib/options.h"
#include "util/record/record.h"

struct record_bundle {
	bool wanted;
	u64 max_bytes; /* of files beside the recording */
	char *kept; /* the build-id cache of what perf does not see by its path, beside the output. NULL: the user's own */
};

#define RECORD_BUNDLE_MAX (2ULL << 30)
#define RECORD_BUNDLE_INIT { .max_bytes = RECORD_BUNDLE_MAX }

/* A row for a table of options; b is a struct record_bundle with static storage. */
#define RECORD_OPTION_BUNDLE(b) \
	OPT_CALLBACK_FLAGS(0, "bundle", &(b), "size", \
			   "make the output a tar archive, with the programs, libraries and symbols for reading it anywhere; add at most this size (2G)", \
			   record_bundle__parse, OPTION_OPTARG)

int record_bundle__parse(const struct option_row *row, const char *arg, bool unset);
/* Refuse what it does not go with, and let the recording keep files that will be gone. 0 or an exit status, after a message. */
int record_bundle__settle(struct record_bundle *b, struct record_opts *opts);
/* After the recording: turn the output into a bundle, and tell. 0 or an exit status, after a message: then the output is as it was. */
int record_bundle__make(const struct record_bundle *b, const struct record_opts *opts);
/* Remove what was kept. After settle(), whatever happened. */
void record_bundle__exit(struct record_bundle *b);

#endif

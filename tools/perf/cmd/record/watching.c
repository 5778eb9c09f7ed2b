// SPDX-License-Identifier: GPL-2.0
#include "cmd/record/watching.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "util/lib/failed-writes.h"
#include "util/lib/log.h"
#include "util/lib/stream.h"

static int take_no_row(void *data, unsigned int event, struct tally_row *row, struct errmsg *err)
{
	return 0; /* there are none */
}

static int end_round(void *data, struct errmsg *err)
{
	return 0;
}

void watching__settle(struct watching *w, struct record_options *recording)
{
	w->counting.key = TALLY_KEY_TID;
	w->sink = (struct record_rows){ .row = take_no_row, .round = end_round, .is_full = stream__stdout_has_failed };
	recording->opts.synth.no_maps = true;
	recording->opts.count = &w->counting;
	recording->opts.rows = &w->sink;
}

int watching__run(struct record_options *recording, char *const *argv, const char *hint, record_tell finish)
{
	int ret;

	failed_writes__return_errors(); /* the hint's reader may be gone, too */
	if (hint && !argv[0] && !recording->quiet)
		pr_info("%s\n", hint);
	ret = record_options__run(recording, finish);
	return !argv[0] && (ret == 128 + SIGINT || ret == 128 + SIGTERM) ? 0 : ret;
}

bool words__for_each(const char *list, bool (*take)(void *data, const char *word, size_t len), void *data, const char **word, size_t *len)
{
	for (*word = list + strspn(list, ", "); **word; *word += *len, *word += strspn(*word, ", ")) {
		*len = strcspn(*word, ", ");
		if (!take(data, *word, *len))
			return false;
	}
	return true;
}

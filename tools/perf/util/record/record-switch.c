// SPDX-License-Identifier: GPL-2.0
/* Decides when a file is complete: the next one begins, or the recording ends. */
#include <errno.h>
#include "util/record/record-state.h"

/* Repeat the records that resolving samples needs at the beginning of the next file. */
static int record__switch_file(struct record *rec)
{
	struct errmsg text;
	int ret = record__drain(rec);

	if (!ret)
		ret = record__complete(rec);
	if (!ret)
		ret = record__write_dropped(rec);
	record__sum_up(rec);
	if (!ret)
		ret = record__end_file(rec);
	if (!ret && rec->opts->run.note) {
		errmsg__set(&text, EINTR, "[ perf record: Dump %s ]", rec->last_path);
		rec->opts->run.note(rec->opts->run.note_data, text.text);
	}
	if (!ret)
		ret = record__begin_file(rec);
	return ret || rec->opts->synth.at_end ? ret : record__synthesize(rec);
}

int record__handle_output(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct record *rec = data;
	const struct record_switching *switching = &rec->opts->switching;
	u64 bytes = record__bytes(rec);

	if (rec->opts->max_size && bytes >= rec->opts->max_size) {
		struct errmsg text;

		errmsg__set(&text, EFBIG, "[ perf record: perf size limit reached (%llu KB), stopping session ]",
			    (unsigned long long)bytes >> 10);
		if (rec->opts->run.note && !run_loop__is_over(loop))
			rec->opts->run.note(rec->opts->run.note_data, text.text);
		run_loop__end(loop);
	}
	if (run_loop__is_over(loop) || !switching->on)
		return 0;
	if (rec->switch_wanted || (switching->size && bytes >= switching->size) ||
	    (switching->ms && run_loop__now() >= record__next_file_due(rec))) {
		rec->switch_wanted = false;
		return record__switch_file(rec);
	}
	return 0;
}

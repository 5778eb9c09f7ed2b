/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of synth/ share. */
#ifndef PERF_SYNTH_PRIVATE_H
#define PERF_SYNTH_PRIVATE_H

#include "util/lib/fs.h"
#include "util/perfdata/record.h"
#include "util/synth/build-ids.h"
#include "util/synth/synth.h"

struct synth {
	struct synth_opts opts;
	struct perf_event_attr attr;
	size_t tail_size;
	char *buf;		 /* whole records, to be written */
	size_t used;
	struct fs_text text;	 /* of the current file */
	struct build_ids *build_ids;
	u32 nr_closed;		 /* see synth__nr_closed() */
	bool kernel_hidden;
};

/*
 * Append a record: base_size bytes of record, name with its NUL padded to 8 bytes, the tail. The caller sets header.type and misc,
 * this function the size; pid and tid go into the tail. Truncates a name that does not fit.
 */
int synth__add(struct synth *synth, void *record, size_t base_size, const char *name, size_t name_len, u32 pid, u32 tid);

#endif

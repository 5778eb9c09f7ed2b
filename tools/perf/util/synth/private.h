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
	char *buf;		 /* whole records that wait to be written */
	size_t used;
	struct fs_text text;	 /* of the file at hand */
	struct build_ids *build_ids;
	u32 nr_closed;		 /* see synth__nr_closed() */
	bool kernel_hidden;
};

/*
 * Append a record: base_size bytes of record, name with its NUL padded to 8 bytes, the tail. header.type and misc are set by
 * the caller, the size here; pid and tid go into the tail. A name that does not fit in a record is cut.
 */
int synth__add(struct synth *synth, void *record, size_t base_size, const char *name, size_t name_len, u32 pid, u32 tid);

#endif

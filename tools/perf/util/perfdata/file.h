/* SPDX-License-Identifier: GPL-2.0 */
/* Inside perfdata/: the fixed parts of a perf.data file, in their layout on disk (Documentation/perf.data-format.txt). */
#ifndef PERF_PERFDATA_FILE_H
#define PERF_PERFDATA_FILE_H

#include "util/lib/types.h"
#include "util/perfdata/features.h"

#define PERFDATA_MAGIC "PERFILE2" /* in the byte order of the recording machine; 8 bytes, no NUL */
#define PERFDATA_SWAPPED_MAGIC "2ELIFREP"

struct file_section {
	u64 offset, size; /* bytes, from the start of the file */
};

struct file_header {
	char magic[8];
	u64 size;	/* of this header */
	u64 attr_size;	/* of one entry of attrs: a perf_event_attr and the file_section of its ids */
	struct file_section attrs;
	struct file_section data;
	struct file_section event_types; /* not used since 2.6.37 */
	u64 features[HEADER_FEAT_BITS / 64]; /* a file_section for each set bit follows the data, in the order of the bits */
};

#endif

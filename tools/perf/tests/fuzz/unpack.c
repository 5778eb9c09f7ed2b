// SPDX-License-Identifier: GPL-2.0
/* Compressed records: pieces of a stream, each behind two bytes with its length. */
#include "tests/fuzz/fuzz.h"
#include "util/perfdata/chunks.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct chunks *c = chunks__new();
	struct errmsg err;
	bool in_stream;
	u64 pos = 0;
	u16 len;

	if (!c)
		abort();
	while (size) {
		const union perf_record *record;

		fuzz__take(&data, &size, &len, sizeof(len));
		if (len > size)
			len = size;
		if (chunks__decompress(c, data, len, pos, &err))
			break;
		while ((record = chunks__next(c, &in_stream)))
			perf_record__check(record);
		data += len;
		size -= len;
		pos += len;
		chunks__release(c, pos);
	}
	chunks__is_torn(c);
	chunks__delete(c);
	return 0;
}

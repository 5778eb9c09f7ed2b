// SPDX-License-Identifier: GPL-2.0
/* One feature's section: its number, 1 for the other byte order, then its body. Behind NRCPUS, which CPU_TOPOLOGY needs. */
#include "tests/fuzz/fuzz.h"
#include "util/perfdata/features.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const u32 nrcpus[2] = { 4, 4 };
	struct perfdata_features f = {};
	struct errmsg err;
	u8 head[2], *body;

	fuzz__take(&data, &size, head, sizeof(head));
	body = malloc(size ?: 1); /* aligned, and with its end watched */
	if (!body || perfdata_features__decode(&f, HEADER_NRCPUS, nrcpus, sizeof(nrcpus), false, &err))
		abort();
	memcpy(body, data, size);
	if (!perfdata_features__decode(&f, head[0], body, size, head[1] & 1, &err)) {
		void *again = NULL;
		size_t again_size;

		if (!perfdata_features__encode(&f, head[0], &again, &again_size))
			free(again);
	}
	perfdata_features__exit(&f);
	free(body);
	return 0;
}

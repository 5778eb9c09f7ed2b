// SPDX-License-Identifier: GPL-2.0
#include "tests/workload.h"

#include <stdint.h>

/* Data type profiles look for its name and members. In other perfs this is Rust: the text is a String there, two words and a pointer. */
struct Buf {
	uint64_t data1;
	struct {
		uint64_t capacity;
		const char *text;
		uint64_t length;
	} data2;
	uint64_t data3;
};

WORKLOAD_FUNCTION void test_rs(unsigned long count)
{
	volatile struct Buf b = { 0, { 4, "data", 4 }, 0 };

	for (unsigned long i = 1; i < count; i++) {
		b.data1++;
		b.data3 += b.data1;
	}
}

int workload_code_with_type(int argc, char **argv)
{
	unsigned long loops = 100;

	if (argc > 1 && workload__parse_loops(argc - 1, argv + 1, &loops))
		return 1;
	if (workload__start(argc > 1 ? 1 : argc, argv))
		return 1;
	while (!workload_done)
		test_rs(loops);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/perfdata/features.h"

#define STRING(s) 8, (s)
struct string {
	u32 size;
	char text[8];
};

static const struct {
	u32 nr;
	struct {
		u32 number;
		u64 total, free;
		struct string cpus;
	} __attribute__((packed)) node[2];
} __attribute__((packed)) numa = { 2, { { 0, 1000, 400, { STRING("0-1") } }, { 4, 2000, 500, { STRING("2-3") } } } };

static const struct {
	u32 version, nr, level, line_size, sets, ways;
	struct string type, size, cpus;
} cache = { 1, 1, 2, 64, 1024, 16, { STRING("Unified") }, { STRING("2048K") }, { STRING("0-1") } };

static const u64 memory[] = { 1, 0x8000000, 2, 0, 2, 70, 0xff, 0x3f, 1, 1, 1, 1 };

static struct perfdata_features features;

static int decode(int feature, const void *body, size_t size)
{
	struct errmsg err;

	return perfdata_features__decode(&features, feature, body, size, false, &err);
}

static int clean_up(void **state)
{
	perfdata_features__exit(&features);
	return 0;
}

static void nodes_are_decoded(void **state)
{
	assert_int_equal(decode(HEADER_NUMA_TOPOLOGY, &numa, sizeof(numa)), 0);
	assert_int_equal(features.nr_numa, 2);
	assert_int_equal(features.numa[1].number, 4);
	assert_int_equal(features.numa[1].mem_total, 2000);
	assert_int_equal(features.numa[1].mem_free, 500);
	assert_string_equal(features.numa[1].cpus, "2-3");
}

static void caches_are_decoded(void **state)
{
	assert_int_equal(decode(HEADER_CACHE, &cache, sizeof(cache)), 0);
	assert_int_equal(features.nr_cache, 1);
	assert_int_equal(features.cache[0].level, 2);
	assert_int_equal(features.cache[0].ways, 16);
	assert_string_equal(features.cache[0].type, "Unified");
	assert_string_equal(features.cache[0].size, "2048K");
	assert_string_equal(features.cache[0].cpus, "0-1");
}

static void memory_is_decoded(void **state)
{
	assert_int_equal(decode(HEADER_MEM_TOPOLOGY, memory, sizeof(memory)), 0);
	assert_int_equal(features.memory_block_size, 0x8000000);
	assert_int_equal(features.nr_memory, 2);
	assert_int_equal(features.memory[0].nr_bits, 70);
	assert_int_equal(features.memory[0].bits[1], 0x3f);
	assert_int_equal(features.memory[1].node, 1);
	assert_int_equal(features.memory[1].bits[0], 1);
}

static void numbers_are_decoded(void **state)
{
	static const u32 machine[] = { 62, 5 }, line = 64;

	assert_int_equal(decode(HEADER_E_MACHINE, machine, sizeof(machine)), 0);
	assert_int_equal(features.e_machine, 62);
	assert_int_equal(features.e_flags, 5);
	assert_int_equal(decode(HEADER_CLN_SIZE, &line, sizeof(line)), 0);
	assert_int_equal(features.cacheline_size, 64);
}

static void encodes_the_same(int feature)
{
	struct perfdata_features again = { 0 };
	size_t size, again_size;
	void *body, *again_body;
	struct errmsg err;

	assert_int_equal(perfdata_features__encode(&features, feature, &body, &size), 0);
	assert_int_equal(perfdata_features__decode(&again, feature, body, size, false, &err), 0);
	assert_int_equal(perfdata_features__encode(&again, feature, &again_body, &again_size), 0);
	assert_int_equal(again_size, size);
	assert_memory_equal(again_body, body, size);
	free(again_body);
	free(body);
	perfdata_features__exit(&again);
}

static void what_was_decoded_is_encoded(void **state)
{
	size_t size;
	void *body;

	assert_int_equal(perfdata_features__encode(&features, HEADER_CACHE, &body, &size), -ENOENT);
	assert_int_equal(decode(HEADER_NUMA_TOPOLOGY, &numa, sizeof(numa)), 0);
	assert_int_equal(decode(HEADER_CACHE, &cache, sizeof(cache)), 0);
	assert_int_equal(decode(HEADER_MEM_TOPOLOGY, memory, sizeof(memory)), 0);
	encodes_the_same(HEADER_NUMA_TOPOLOGY);
	encodes_the_same(HEADER_CACHE);
	encodes_the_same(HEADER_MEM_TOPOLOGY);
	assert_int_equal(perfdata_features__encode(&features, HEADER_MEM_TOPOLOGY, &body, &size), 0);
	assert_memory_equal(body, memory, 3 * sizeof(u64));
	free(body);
}

static void refuses_each_cut(int feature, const void *body, size_t size)
{
	for (size_t cut = 0; cut < size; cut++) {
		assert_int_equal(decode(feature, body, cut), -EINVAL);
		assert_false(perfdata_features__has(&features, feature));
	}
	assert_null(features.numa);
	assert_null(features.cache);
	assert_null(features.memory);
}

static void cut_sections_are_refused(void **state)
{
	refuses_each_cut(HEADER_NUMA_TOPOLOGY, &numa, sizeof(numa));
	refuses_each_cut(HEADER_CACHE, &cache, sizeof(cache));
	refuses_each_cut(HEADER_MEM_TOPOLOGY, memory, sizeof(memory));
	refuses_each_cut(HEADER_E_MACHINE, memory, 8);
}

static void other_versions_are_refused(void **state)
{
	u64 other[ARRAY_SIZE(memory)];

	memcpy(other, memory, sizeof(memory));
	other[0] = 2;
	assert_int_equal(decode(HEADER_MEM_TOPOLOGY, other, sizeof(other)), -EINVAL);
	other[5] = UINT64_MAX; /* bits */
	other[0] = 1;
	assert_int_equal(decode(HEADER_MEM_TOPOLOGY, other, sizeof(other)), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(nodes_are_decoded, clean_up),
		cmocka_unit_test_teardown(caches_are_decoded, clean_up),
		cmocka_unit_test_teardown(memory_is_decoded, clean_up),
		cmocka_unit_test_teardown(numbers_are_decoded, clean_up),
		cmocka_unit_test_teardown(what_was_decoded_is_encoded, clean_up),
		cmocka_unit_test_teardown(cut_sections_are_refused, clean_up),
		cmocka_unit_test_teardown(other_versions_are_refused, clean_up),
	};

	return cmocka_run_group_tests_name("perfdata/features-system", tests, NULL, NULL);
}

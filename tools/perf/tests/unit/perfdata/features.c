// SPDX-License-Identifier: GPL-2.0
#include "tests/unit/perfdata/fixture.h"
#include <errno.h>

/* Those with members; the others are known by name only. */
static const int coded[] = {
	HEADER_NRCPUS, HEADER_TRACING_DATA, HEADER_BUILD_ID, HEADER_HOSTNAME, HEADER_OSRELEASE, HEADER_VERSION, HEADER_ARCH,
	HEADER_CPUDESC, HEADER_CPUID, HEADER_TOTAL_MEM, HEADER_CMDLINE, HEADER_EVENT_DESC, HEADER_CPU_TOPOLOGY,
	HEADER_BRANCH_STACK, HEADER_PMU_MAPPINGS, HEADER_GROUP_DESC, HEADER_SAMPLE_TIME, HEADER_COMPRESSED, HEADER_CLOCKID, HEADER_CLOCK_DATA,
};

static void *encode(const struct perfdata_features *f, int feature, size_t *size)
{
	void *body = NULL;

	assert_int_equal(perfdata_features__encode(f, feature, &body, size), 0);
	return body;
}

static void decode_all(struct perfdata_features *to, const struct perfdata_features *from)
{
	struct errmsg err;

	for (size_t i = 0; i < ARRAY_SIZE(coded); i++) {
		size_t size;
		void *body = encode(from, coded[i], &size);

		assert_int_equal(perfdata_features__decode(to, coded[i], body, size, false, &err), 0);
		assert_true(perfdata_features__has(to, coded[i]));
		free(body);
	}
}

/* Whatever comes out of the decoder must encode to the same bytes again. */
static void round_trip_keeps_every_byte(void **state)
{
	const struct perfdata_features *f = fixture_features();
	struct perfdata_features copy = { 0 };

	decode_all(&copy, f);
	for (size_t i = 0; i < ARRAY_SIZE(coded); i++) {
		size_t size, again_size;
		void *body = encode(f, coded[i], &size), *again = encode(&copy, coded[i], &again_size);

		assert_int_equal(size, again_size);
		assert_memory_equal(body, again, size);
		free(body);
		free(again);
	}
	perfdata_features__exit(&copy);
}

static void decoded_members_are_those_encoded(void **state)
{
	const struct perfdata_features *f = fixture_features();
	struct perfdata_features c = { 0 };

	decode_all(&c, f);
	assert_string_equal(c.hostname, "host");
	assert_string_equal(c.cpuid, f->cpuid);
	assert_int_equal(c.nrcpus_avail, 4);
	assert_int_equal(c.nrcpus_online, 3);
	assert_int_equal(c.total_mem, 1 << 20);
	assert_int_equal(c.nr_cmdline, 6);
	assert_string_equal(c.cmdline[5], "a b");
	assert_int_equal(c.nr_event_desc, 2);
	assert_string_equal(c.event_desc[1].name, "sched:sched_switch");
	assert_int_equal(c.event_desc[1].attr.config, 372);
	assert_int_equal(c.event_desc[1].attr.size, PERF_ATTR_SIZE_VER5);
	assert_int_equal(c.event_desc[1].ids[2], 23);
	assert_int_equal(c.nr_cpu_topology, 4);
	assert_int_equal(c.cpu_topology[3].core_id, 1);
	assert_int_equal(c.cpu_topology[3].die_id, 1);
	assert_string_equal(c.die_siblings[1], "2-3");
	assert_string_equal(c.group[0].name, "{anon_group}");
	assert_int_equal(c.group[0].nr_members, 2);
	assert_int_equal(c.nr_build_id, 2);
	assert_int_equal(c.build_id[0].misc, PERF_RECORD_MISC_KERNEL);
	assert_int_equal(c.build_id[0].pid, -1);
	assert_int_equal(c.build_id[0].id.data[19], 20);
	assert_int_equal(c.build_id[1].id.size, 8);
	assert_string_equal(c.build_id[1].filename, f->build_id[1].filename);
	assert_int_equal(c.clock_tod_ns, 1700000000123456789);
	assert_int_equal(c.sample_time_last, 9000);
	assert_int_equal(c.compressed.level, 3);
	assert_int_equal(c.compressed.room, 65536);
	perfdata_features__exit(&c);
}

/* A section groups formats by their system; ftrace's own come first. */
static void tracing_data_are_grouped_by_system(void **state)
{
	static const char *const order[][2] = {
		{ "ftrace", "name: function\n" }, { "sched", "name: sched_switch\n" },
		{ "sched", "name: sched_wakeup\n" }, { "irq", "name: irq_handler_entry\n" },
	};
	struct perfdata_features c = { 0 };

	decode_all(&c, fixture_features());
	assert_int_equal(c.nr_tracing, ARRAY_SIZE(order));
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		assert_string_equal(c.tracing[i].sys, order[i][0]);
		assert_string_equal(c.tracing[i].format, order[i][1]);
		assert_int_equal(c.tracing[i].size, strlen(order[i][1]));
	}
	assert_int_equal(c.tracing_long_size, 8);
	assert_int_equal(c.tracing_page_size, 4096);
	assert_string_equal(c.header_page, "field: u64 timestamp;\n");
	assert_string_equal(c.printk_formats, "0x1 : \"a\"\n");
	assert_string_equal(c.saved_cmdlines, "1 init\n");
	perfdata_features__exit(&c);
}

/* The layout that other readers of the format insist on. */
static void strings_are_counted_and_padded_to_64(void **state)
{
	static const struct {
		size_t len, padded;
	} cases[] = { { 0, 64 }, { 1, 64 }, { 63, 64 }, { 64, 128 }, { 200, 256 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[256] = "";
		struct perfdata_features f = { .hostname = text };
		size_t size;
		u32 counted;
		u8 *body;

		memset(text, 'x', cases[i].len);
		body = encode(&f, HEADER_HOSTNAME, &size);
		memcpy(&counted, body, sizeof(counted));
		assert_int_equal(counted, cases[i].padded);
		assert_int_equal(size, sizeof(u32) + cases[i].padded);
		for (size_t j = 0; j < cases[i].padded; j++)
			assert_int_equal(body[sizeof(u32) + j], j < cases[i].len ? 'x' : 0);
		free(body);
	}
}

static void nothing_to_encode_is_enoent(void **state)
{
	const struct perfdata_features none = { 0 };

	for (int feature = 0; feature < HEADER_FEAT_BITS; feature++) {
		size_t size;
		void *body;

		assert_int_equal(perfdata_features__encode(&none, feature, &body, &size), -ENOENT);
	}
}

/* What is known of the CPUs' siblings when the topology of one could not be had, as of one that is offline. */
static void siblings_without_their_cpus_are_not_encoded(void **state)
{
	struct perfdata_features f = *fixture_features();
	size_t size;
	void *body;

	f.nr_cpu_topology = 0;
	assert_int_equal(perfdata_features__encode(&f, HEADER_CPU_TOPOLOGY, &body, &size), -ENOENT);
}

static void contradictions_are_not_encoded(void **state)
{
	struct perfdata_features f = *fixture_features();
	size_t size;
	void *body;

	f.nrcpus_avail = 5;
	assert_int_equal(perfdata_features__encode(&f, HEADER_CPU_TOPOLOGY, &body, &size), -EINVAL);
}

/* Sections in which a cut at this length is a complete older form. */
static bool may_end_at(int feature, size_t length, size_t whole)
{
	if (feature == HEADER_CPU_TOPOLOGY) /* before cores and sockets (4 u32 pairs), before dies (2 strings, 4 u32) */
		return length == whole - 4 * 8 - 4 - 2 * 68 - 4 * 4 || length == whole - 4 - 2 * 68 - 4 * 4;
	if (feature == HEADER_BUILD_ID) /* no count: any number of entries will do; the second has 36 + 64 bytes */
		return length == 0 || length == whole - 36 - 64;
	return false;
}

static void every_cut_section_is_refused_and_leaves_nothing(void **state)
{
	static const struct perfdata_features zero;

	for (size_t i = 0; i < ARRAY_SIZE(coded); i++) {
		size_t whole;
		u8 *body = encode(fixture_features(), coded[i], &whole);

		for (size_t length = 0; length < whole; length++) {
			struct perfdata_features f = { .nrcpus_avail = coded[i] == HEADER_CPU_TOPOLOGY ? 4 : 0 };
			struct errmsg err = { "" };
			u8 *cut = malloc(length ?: 1); /* of just that size, for the sanitizer's sake */
			int ret;

			assert_non_null(cut);
			memcpy(cut, body, length);
			ret = perfdata_features__decode(&f, coded[i], cut, length, false, &err);
			assert_int_equal(ret, may_end_at(coded[i], length, whole) ? 0 : -EINVAL);
			if (ret) {
				assert_non_null(strstr(err.text, perfdata_feature__name(coded[i])));
				f.nrcpus_avail = 0;
				assert_memory_equal(&f, &zero, sizeof(f));
			}
			perfdata_features__exit(&f);
			free(cut);
		}
		free(body);
	}
}

static void strings_must_end_in_their_section(void **state)
{
	struct perfdata_features f = { 0 };
	struct errmsg err;
	u32 *body = malloc(68);

	assert_non_null(body);
	body[0] = 64;
	memset(body + 1, 'x', 64);
	assert_int_equal(perfdata_features__decode(&f, HEADER_ARCH, body, 68, false, &err), -EINVAL);
	assert_null(f.arch);
	free(body);
}

/* A system's name is copied for each of its formats, so it must not be as long as the file allows. */
static void a_system_has_a_short_name(void **state)
{
	char name[512];
	struct perfdata_tracing format = { name, "", 0 };
	struct perfdata_features f = { .tracing = &format, .nr_tracing = 1 }, decoded = { 0 };
	struct errmsg err;
	size_t size;
	void *body;

	memset(name, 'x', sizeof(name));
	name[256] = '\0';
	body = encode(&f, HEADER_TRACING_DATA, &size);
	assert_int_equal(perfdata_features__decode(&decoded, HEADER_TRACING_DATA, body, size, false, &err), -EINVAL);
	free(body);
	name[255] = '\0';
	body = encode(&f, HEADER_TRACING_DATA, &size);
	assert_int_equal(perfdata_features__decode(&decoded, HEADER_TRACING_DATA, body, size, false, &err), 0);
	perfdata_features__exit(&decoded);
	free(body);
}

static void claimed_counts_do_not_drive_memory(void **state)
{
	static const int counted[] = { HEADER_CMDLINE, HEADER_EVENT_DESC, HEADER_PMU_MAPPINGS, HEADER_GROUP_DESC };
	static const u32 body[16] = { UINT32_MAX, 128, 0, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
		struct perfdata_features f = { 0 };
		struct errmsg err;

		assert_int_equal(perfdata_features__decode(&f, counted[i], body, sizeof(body), false, &err), -EINVAL);
		perfdata_features__exit(&f);
	}
}

static void unknown_features_set_their_bit_only(void **state)
{
	struct perfdata_features f = { 0 };
	struct errmsg err;

	assert_int_equal(perfdata_features__decode(&f, 200, "x", 1, false, &err), 0);
	assert_int_equal(perfdata_features__decode(&f, HEADER_STAT, "x", 1, false, &err), 0);
	assert_true(perfdata_features__has(&f, 200));
	assert_true(perfdata_features__has(&f, HEADER_STAT));
	assert_null(perfdata_feature__name(200));
	assert_string_equal(perfdata_feature__name(HEADER_STAT), "STAT");
	assert_int_equal(perfdata_features__decode(&f, HEADER_FEAT_BITS, "x", 1, false, &err), -EINVAL);
	assert_int_equal(perfdata_features__decode(&f, -1, "x", 1, false, &err), -EINVAL);
	assert_int_equal(perfdata_features__decode(&f, 200, "x", 1, false, &err), -EINVAL); /* twice */
	perfdata_features__exit(&f);
}

/* Hotspot reads no other version. */
static void compressed_has_the_version_of_other_perfs(void **state)
{
	const struct perfdata_features f = { .compressed = { .type = 1, .level = 3, .ratio = 4, .room = 512 } };
	size_t size;
	u32 *body;

	assert_int_equal(perfdata_features__encode(&f, HEADER_COMPRESSED, (void **)&body, &size), 0);
	assert_int_equal(size, 5 * sizeof(*body));
	assert_int_equal(body[0], 0);
	assert_int_equal(body[1], 1);
	free(body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compressed_has_the_version_of_other_perfs),
		cmocka_unit_test(round_trip_keeps_every_byte),
		cmocka_unit_test(decoded_members_are_those_encoded),
		cmocka_unit_test(tracing_data_are_grouped_by_system),
		cmocka_unit_test(strings_are_counted_and_padded_to_64),
		cmocka_unit_test(nothing_to_encode_is_enoent),
		cmocka_unit_test(siblings_without_their_cpus_are_not_encoded),
		cmocka_unit_test(contradictions_are_not_encoded),
		cmocka_unit_test(every_cut_section_is_refused_and_leaves_nothing),
		cmocka_unit_test(strings_must_end_in_their_section),
		cmocka_unit_test(a_system_has_a_short_name),
		cmocka_unit_test(claimed_counts_do_not_drive_memory),
		cmocka_unit_test(unknown_features_set_their_bit_only),
	};

	return cmocka_run_group_tests_name("perfdata/features", tests, NULL, NULL);
}

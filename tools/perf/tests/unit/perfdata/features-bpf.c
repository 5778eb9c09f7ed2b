// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <linux/bpf.h>
#include <linux/btf.h>

#include "util/perfdata/features.h"

#define ARRAYS (1 << 3 | 1 << 4 | 1 << 5 | 1 << 8)

struct data { /* of a program of two functions */
	u64 ksyms[2];
	u32 lens[2];
	struct bpf_func_info func[2];
	u8 tag[2][8];
} __attribute__((packed));

static struct bpf_prog_info info;
static u64 arrays; /* bits: which of them the data has */
static struct data data;

static struct btf_section {
	u32 nr, id, size;
	struct btf_header header;
	struct {
		struct btf_type proto;
		struct btf_param param[2];
		struct btf_type func;
	} types;
	char strings[16];
} __attribute__((packed)) types;

static struct perfdata_features features;

static int decode_as(int feature, const void *body, size_t size, bool swap)
{
	struct errmsg err;

	return perfdata_features__decode(&features, feature, body, size, swap, &err);
}

static int decode(int feature, const void *body, size_t size)
{
	return decode_as(feature, body, size, false);
}

#define PROGRAM_SIZE (3 * sizeof(u32) + sizeof(arrays) + sizeof(info) + sizeof(data))

static int decode_program(size_t size)
{
	static const u32 head[] = { 1, sizeof(info), sizeof(data) };
	u8 body[PROGRAM_SIZE], *to = body;

	to = mempcpy(to, head, sizeof(head));
	to = mempcpy(to, &arrays, sizeof(arrays));
	to = mempcpy(to, &info, sizeof(info));
	memcpy(to, &data, sizeof(data));
	return decode(HEADER_BPF_PROG_INFO, body, size);
}

static int decode_types(size_t size)
{
	return decode(HEADER_BPF_BTF, &types, size);
}

static int set_up(void **state)
{
	arrays = ARRAYS;
	info = (struct bpf_prog_info){
		.id = 7, .btf_id = 9, .name = "own", .nr_jited_ksyms = 2, .nr_jited_func_lens = 2, .nr_prog_tags = 2,
		.func_info_rec_size = sizeof(struct bpf_func_info), .jited_ksyms = offsetof(struct data, ksyms),
		.jited_func_lens = offsetof(struct data, lens), .func_info = offsetof(struct data, func),
		.prog_tags = offsetof(struct data, tag),
	};
	data = (struct data){
		{ 0xffffffffc0001000, 0xffffffffc0002000 }, { 100, 200 }, { { 0, 2 }, { 8, 0 } }, { { 1, 2, 3 }, { 0xfe } },
	};
	types = (struct btf_section){
		1, 9, sizeof(types) - offsetof(struct btf_section, header),
		{ BTF_MAGIC, 1, 0, sizeof(struct btf_header), 0, sizeof(types.types), sizeof(types.types), sizeof(types.strings) },
		{ { .info = BTF_KIND_FUNC_PROTO << 24 | 2 }, { { 1, 0 }, { 1, 0 } }, { .name_off = 3, .info = BTF_KIND_FUNC << 24 } },
		"\0x\0count\x1b_it",
	};
	return 0;
}

static int clean_up(void **state)
{
	perfdata_features__exit(&features);
	return 0;
}

static void assert_names(const char *first, const char *second)
{
	char name[64];

	perfdata_bpf_program__name(&features, features.bpf_program, 0, name, sizeof(name));
	assert_string_equal(name, first);
	perfdata_bpf_program__name(&features, features.bpf_program, 1, name, sizeof(name));
	assert_string_equal(name, second);
}

static void functions_are_named_by_their_types(void **state)
{
	assert_int_equal(decode_program(PROGRAM_SIZE), 0);
	assert_int_equal(decode_types(sizeof(types)), 0);
	assert_int_equal(features.nr_bpf_program, 1);
	assert_int_equal(features.bpf_program->id, 7);
	assert_int_equal(features.bpf_program->nr_code, 2);
	assert_int_equal(features.bpf_program->code[1].addr, 0xffffffffc0002000);
	assert_int_equal(features.bpf_program->code[1].size, 200);
	assert_int_equal(features.nr_btf, 1);
	assert_int_equal(features.btf->id, 9);
	assert_names("bpf_prog_0102030000000000_count?_it", "bpf_prog_fe00000000000000_F");
}

static void without_types_a_program_of_one_function_has_its_own_name(void **state)
{
	char name[64];

	assert_int_equal(decode_program(PROGRAM_SIZE), 0);
	assert_names("bpf_prog_0102030000000000_F", "bpf_prog_fe00000000000000_F");
	perfdata_features__exit(&features);
	info.nr_jited_ksyms = info.nr_jited_func_lens = info.nr_prog_tags = 1;
	assert_int_equal(decode_program(PROGRAM_SIZE), 0);
	perfdata_bpf_program__name(&features, features.bpf_program, 0, name, sizeof(name));
	assert_string_equal(name, "bpf_prog_0102030000000000_own");
}

/* Each change makes an array that is not there or not whole. */
static void assert_no_code(void)
{
	assert_int_equal(decode_program(PROGRAM_SIZE), 0);
	assert_int_equal(features.nr_bpf_program, 1);
	assert_int_equal(features.bpf_program->nr_code, 0);
	perfdata_features__exit(&features);
	set_up(NULL);
}

static void programs_whose_arrays_are_not_there_have_no_code(void **state)
{
	arrays &= ~(1 << 3);
	assert_no_code();
	arrays = 0;
	assert_no_code();
	info.jited_ksyms = sizeof(struct data) - sizeof(u64);
	assert_no_code();
	info.prog_tags = UINT64_MAX;
	assert_no_code();
	info.nr_prog_tags = 1;
	assert_no_code();
	info.nr_jited_ksyms = info.nr_jited_func_lens = info.nr_prog_tags = UINT32_MAX;
	assert_no_code();
}

static void assert_no_names(void)
{
	assert_int_equal(decode_program(PROGRAM_SIZE), 0);
	assert_int_equal(decode_types(sizeof(types)), 0);
	assert_names("bpf_prog_0102030000000000_F", "bpf_prog_fe00000000000000_F");
	perfdata_features__exit(&features);
	set_up(NULL);
}

static void types_that_make_no_sense_name_nothing(void **state)
{
	types.types.proto.info = 31U << 24;
	assert_no_names();
	types.types.proto.info = BTF_KIND_STRUCT << 24 | 0xffff;
	assert_no_names();
	types.types.func.name_off = sizeof(types.strings);
	assert_no_names();
	types.header.magic = 0;
	assert_no_names();
	types.header.str_len = UINT32_MAX;
	assert_no_names();
	types.header.hdr_len = UINT32_MAX;
	assert_no_names();
}

static void the_other_byte_order_is_only_counted(void **state)
{
	static const u32 two = 0x02000000;

	assert_int_equal(decode_as(HEADER_BPF_PROG_INFO, &two, sizeof(two), true), 0);
	assert_int_equal(decode_as(HEADER_BPF_BTF, &two, sizeof(two), true), 0);
	assert_int_equal(features.nr_bpf_program, 0);
	assert_int_equal(features.nr_foreign_bpf, 2);
	assert_int_equal(features.nr_foreign_btf, 2);
}

static void what_is_cut_off_is_refused(void **state)
{
	for (size_t cut = 0; cut < PROGRAM_SIZE; cut++)
		assert_int_equal(decode_program(cut), -EINVAL);
	for (size_t cut = 0; cut < sizeof(types); cut++)
		assert_int_equal(decode_types(cut), -EINVAL);
	assert_false(perfdata_features__has(&features, HEADER_BPF_PROG_INFO));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, clean_up)
	const struct CMUnitTest tests[] = {
		TEST(functions_are_named_by_their_types),
		TEST(without_types_a_program_of_one_function_has_its_own_name),
		TEST(programs_whose_arrays_are_not_there_have_no_code),
		TEST(types_that_make_no_sense_name_nothing),
		TEST(the_other_byte_order_is_only_counted),
		TEST(what_is_cut_off_is_refused),
	};

	return cmocka_run_group_tests_name("perfdata/features-bpf", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* What filter programs know of the code and the data that a sample points to */
#include "tests/unit/judge/fault-run.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void address_range_splits_samples(void **state)
{
	struct filter_table table;
	struct run run;

	open_run(&run);
	table = range_of(FILTER_TERM_ADDR, (uintptr_t)run.memory + 3 * PAGE_SIZE, (uintptr_t)run.memory + 10 * PAGE_SIZE);
	run_filter(&run, &table, touch);
	assert_int_equal(run.kept, 7);
	assert_int_equal(run.sample.addr, (uintptr_t)run.memory + 9 * PAGE_SIZE);
	close_run(&run);
}

static void ip_in_a_function(void **state)
{
	struct filter_table table = range_of(FILTER_TERM_IP, (uintptr_t)__start_touch_text, (uintptr_t)__stop_touch_text);
	struct run run;

	open_run(&run);
	run_filter(&run, &table, touch);
	assert_int_equal(run.kept, NR_PAGES);
	close_run(&run);

	table = range_of(FILTER_TERM_IP, (uintptr_t)__stop_touch_text, ~0ULL);
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_int_equal(run.kept, run.events - NR_PAGES);
	close_run(&run);
}

static void set_of_addresses(void **state)
{
	struct filter_table table = table_of(test_of(FILTER_TERM_IP_SET, FILTER_EQ, 1));
	u64 start = (uintptr_t)__start_touch_text, stop = (uintptr_t)__stop_touch_text;
	struct run run;

	table.nr_sets = 2;
	table.nr_ranges = 10;
	table.entry[0].shift = 1;
	table.words.set[1] = (struct filter_set){ 1, 9 };
	for (u64 place = 0; place < 9; place++) { /* the function is in each place of the set once */
		for (u64 i = 0; i < 9; i++)
			table.words.range[1 + i] = (struct filter_range){ start + (i - place) * 4096,
									  stop - 1 + (i - place) * 4096 };
		open_run(&run);
		run_filter(&run, &table, touch);
		assert_int_equal(run.kept, NR_PAGES);
		close_run(&run);
	}
}

/* The file that the code of this test is in, by inode and by name; the kernel's code is in none. */
static void file_of_the_code(void **state)
{
	struct filter_table table = { .nr = 1 };
	char path[4096];
	struct stat st;
	struct run run;

	need_files();
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_in_range(readlink("/proc/self/exe", memset(path, 0, sizeof(path)), sizeof(path) - 1), 1, sizeof(path) - 2);
	table.entry[0] = test_of(FILTER_TERM_FILE_INO, FILTER_EQ, st.st_ino);
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_in_range(run.kept, NR_PAGES, run.events);
	close_run(&run);
	open_run(&run);
	run_filter(&run, &table, kernel_touch);
	assert_in_range(run.kept, 0, run.events - NR_PAGES);
	close_run(&run);

	table.nr_names = table.nr_globs = 1;
	strncpy(table.words.name[0], strrchr(path, '/') + 1, FILTER_FILE_LEN - 1);
	table.entry[0] = test_of(FILTER_TERM_FILE_NAME, FILTER_EQ, 1);
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_in_range(run.kept, NR_PAGES, run.events);
	close_run(&run);
	build_glob(&table.words.glob[0], "b?f-fil*-c*e");
	table.entry[0].term = FILTER_TERM_FILE_GLOB;
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_in_range(run.kept, NR_PAGES, run.events);
	close_run(&run);
	table.words.name[0][0]++;
	table.entry[0].term = FILTER_TERM_FILE_NAME;
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_in_range(run.kept, 0, run.events - NR_PAGES);
	close_run(&run);
}

/* The function's bytes are at its offset in the file; addresses are where the loader has put them. */
static void offset_in_the_file(void **state)
{
	struct filter_table table;
	unsigned long start = 0, end, offset = 0;
	char line[512];
	FILE *maps;
	u64 touch_at = (uintptr_t)__start_touch_text, size = __stop_touch_text - __start_touch_text;
	struct run run;

	need_files();
	maps = fopen("/proc/self/maps", "r");
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && touch_at >= start && touch_at < end)
			break;
	}
	fclose(maps);
	table = range_of(FILTER_TERM_FILE_OFFSET, touch_at - start + offset, touch_at - start + offset + size);
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_int_equal(run.kept, NR_PAGES);
	close_run(&run);
}

static void check_mode(void (*work)(volatile char *memory), u64 mode, u64 other)
{
	struct filter_table table = table_of(test_of(FILTER_TERM_MODE, FILTER_EQ, mode));
	struct run run;

	open_run(&run);
	run_filter(&run, &table, work);
	assert_in_range(run.kept, NR_PAGES, run.events);
	assert_int_equal(run.sample.header.misc & PERF_RECORD_MISC_CPUMODE_MASK, mode);
	close_run(&run);

	table = table_of(test_of(FILTER_TERM_MODE, FILTER_EQ, other));
	open_run(&run);
	run_filter(&run, &table, work);
	assert_in_range(run.kept, 0, run.events - NR_PAGES);
	if (run.kept)
		assert_int_equal(run.sample.header.misc & PERF_RECORD_MISC_CPUMODE_MASK, other);
	close_run(&run);
}

static void mode_is_the_records_cpumode(void **state)
{
	check_mode(touch, FILTER_MODE_USER, FILTER_MODE_KERNEL);
	check_mode(kernel_touch, FILTER_MODE_KERNEL, FILTER_MODE_USER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(address_range_splits_samples),
		cmocka_unit_test(ip_in_a_function),
		cmocka_unit_test(set_of_addresses),
		cmocka_unit_test(file_of_the_code),
		cmocka_unit_test(offset_in_the_file),
		cmocka_unit_test(mode_is_the_records_cpumode),
		old_unit_test(address_range_splits_samples),
		old_unit_test(ip_in_a_function),
		old_unit_test(set_of_addresses),
		old_unit_test(file_of_the_code),
		old_unit_test(offset_in_the_file),
		old_unit_test(mode_is_the_records_cpumode),
	};

	return cmocka_run_group_tests_name("bpf-filter-code", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* util/hist/paths.c: frames are stored shortly, and found again. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "util/hist/paths.h"

static struct dso file = { .name = "file", .kind = DSO_USER }, kernel = { .name = "kernel", .kind = DSO_KERNEL };
static const struct map map = { .start = 0x10000, .end = 0x20000, .pgoff = 0x3000, .dso = &file },
			again = { .start = 0x10000, .end = 0x30000, .pgoff = 0x3000, .dso = &file },
			of_kernel = { .start = 0xffff0000, .end = 0xffffffff, .dso = &kernel };
static const struct symbol sym = { .start = 0x3100, .end = 0x3200, .name = "f" };

static u32 frame_of(struct paths *paths, const struct location *loc)
{
	u32 path = paths__child(paths, PATH_ROOT, loc);

	assert_int_not_equal(path, PATH_NONE);
	return paths__frame(paths, path);
}

static void locations_come_back(void **state)
{
	const struct location loc[] = {
		{ .addr = 0x10100, .cpumode = PERF_RECORD_MISC_USER, .map = &map, .dso = &file, .sym_addr = 0x3100 },
		{ .addr = 0x10101, .cpumode = PERF_RECORD_MISC_USER, .map = &map, .dso = &file, .sym = &sym, .sym_addr = 0x3101 },
		{ .addr = 0x10102, .cpumode = PERF_RECORD_MISC_USER, .map = &map, .dso = &file, .sym_addr = 0x10102 }, /* not the map's */
		{ .addr = 0x10103, .cpumode = PERF_RECORD_MISC_GUEST_USER, .map = &map, .dso = &file, .sym_addr = 0x3103 },
		{ .addr = 0xffff0010, .cpumode = PERF_RECORD_MISC_KERNEL, .map = &of_kernel, .dso = &kernel, .sym_addr = 0xffff0010 },
		{ .addr = 0x10105, .cpumode = PERF_RECORD_MISC_USER, .sym_addr = 0x10105 },
	};
	struct paths *paths = paths__new(false);

	for (int round = 0; round < 2; round++) {
		for (u32 i = 0; i < ARRAY_SIZE(loc); i++) {
			struct location room;
			const struct location *found = paths__location(paths, frame_of(paths, &loc[i]), &room);

			assert_memory_equal(found, &loc[i], sizeof(loc[i]));
			assert_int_equal(paths__nr_frames(paths), round ? ARRAY_SIZE(loc) : i + 1);
		}
	}
	paths__delete(paths);
}

static void frames_do_not_depend_on_maps(void **state)
{
	struct location loc = { .addr = 0x10100, .cpumode = PERF_RECORD_MISC_USER, .map = &map, .dso = &file, .sym_addr = 0x3100 };
	struct paths *paths = paths__new(false);
	u32 frame = frame_of(paths, &loc);

	loc.map = &again;
	assert_int_equal(frame_of(paths, &loc), frame);
	loc.addr++;
	loc.sym_addr++;
	assert_int_not_equal(frame_of(paths, &loc), frame);
	paths__delete(paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locations_come_back),
		cmocka_unit_test(frames_do_not_depend_on_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

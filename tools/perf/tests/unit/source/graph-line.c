// SPDX-License-Identifier: GPL-2.0
/* Lines of the function_graph tracer, as kernels from 6.1 to 7.3 write them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "util/source/graph-line.h"

static void times(void **state)
{
	u64 ns = 0;

	assert_int_equal(graph_line__parse("   1.234 us    |  vfs_read();", &ns), GRAPH_LINE_TIME);
	assert_int_equal(ns, 1234);
	assert_int_equal(graph_line__parse(" 100654.3 us |  __x64_sys_clock_nanosleep();", &ns), GRAPH_LINE_TIME);
	assert_int_equal(ns, 100654300);
	assert_int_equal(graph_line__parse(" 12006549 us |  } /* vfs_read */", &ns), GRAPH_LINE_TIME);
	assert_int_equal(ns, 12006549000);
	assert_int_equal(graph_line__parse("   0.05 us    |    vfs_read();", &ns), GRAPH_LINE_TIME);
	assert_int_equal(ns, 50);
}

static void commands(void **state)
{
	u64 value = 0;

	assert_int_equal(graph_line__parse("               |  /* sched_process_exec: filename=/bin/true pid=98 old_pid=98 */", &value), GRAPH_LINE_EXEC);
	assert_int_equal(value, 98);
	assert_int_equal(graph_line__parse("               |  /* sched_process_exec: filename=/a pid=5 pid=98 old_pid=98 */", &value), GRAPH_LINE_EXEC);
	assert_int_equal(value, 98);
}

static void others(void **state)
{
	static const char *const lines[] = {
		"", "# tracer: function_graph", "#     |     DURATION                  FUNCTION CALLS", "               |  vfs_read() {",
		" 1)  true-98  =>  sh-97 ", " ------------------------------------------", "   ==========> |", "   1.234 us", "   1.234 ms    |  vfs_read();", "   us | x",
		"               |  /* sched_process_exec: filename=/bin/true */",
	};
	u64 value;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_int_equal(graph_line__parse(lines[i], &value), GRAPH_LINE_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),
		cmocka_unit_test(commands),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

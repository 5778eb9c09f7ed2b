/* SPDX-License-Identifier: GPL-2.0 */
/* For tests of ids that BPF programs read by themselves */
#ifndef PERF_TESTS_PID_NAMESPACE_H
#define PERF_TESTS_PID_NAMESPACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "util/bpf/first-namespace.h"

static inline void need_first_pid_namespace(void)
{
	if (pid_namespace__is_first())
		return;
	print_message("skipped: in this pid namespace tasks have other ids than BPF programs see\n");
	skip();
}

#endif

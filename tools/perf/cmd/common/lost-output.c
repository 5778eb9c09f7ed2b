// SPDX-License-Identifier: GPL-2.0
#include "cmd/common/lost-output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "ui/pager.h"
#include "util/lib/failed-writes.h"
#include "util/lib/log.h"
#include "util/lib/stream.h"

void lost_output__tell(const char *what, int error)
{
	if (error != EPIPE)
		pr_err("cannot write %s: %s\n", what, strerror(error));
}

int lost_output__end(int status)
{
	const int ret = stream__flush(stdout);

	if (stream__lost_reader()) {
		pager__finish();
		failed_writes__end_now();
	}
	if (!ret)
		return status;
	pr_err("perf: cannot write to the standard output: %s\n", strerror(-ret));
	return status ? status : 1;
}

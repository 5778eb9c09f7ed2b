// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "kwork"

#include "cmd/kwork/run.h"

#include "cmd/kwork/file.h"
#include "util/lib/log.h"

static int watch(struct kwork_options *o, char **argv)
{
	int ret = kwork_options__settle(o, argv);

	ret = ret ?: kwork_options__open_rows(o);
	if (ret)
		return ret;
	ret = watching__run(&o->recording, argv, "Starting trace, Hit <Ctrl+C> to stop and report", kwork_options__finish);
	return o->failed ? EXIT_SETUP : ret;
}

int kwork_run(struct kwork_options *o, int argc, char **argv, const struct option_row *rows, const char *const *usages)
{
	int ret = record_options__parse(&o->recording, argc, argv, rows, usages);

	if (!ret) {
		kwork_options__check(o);
		ret = kwork_file__wanted(o, argv) ? kwork_file__run(o, argv) : watch(o, argv);
	}
	kwork_options__exit(o);
	record_options__exit(&o->recording);
	return ret;
}

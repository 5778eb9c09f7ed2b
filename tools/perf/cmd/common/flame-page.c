// SPDX-License-Identifier: GPL-2.0
#include "cmd/common/flame-page.h"

#include <stdlib.h>
#include "cmd/common/own-file.h"

static const struct profile_format *const format = &profile_formats[PROFILE_FLAMEGRAPH];

int flame_page__check(const char *path, struct errmsg *err)
{
	char *page = own_file__find("flamegraph.html");
	const int ret = profile__check_file(format, path, page, err);

	free(page);
	return ret;
}

int flame_page__write(const struct profile_event *event, const char *path, struct errmsg *err)
{
	char *page = own_file__find("flamegraph.html");
	const struct profile profile = { .event = event, .nr_events = 1, .page = page };
	const int ret = profile__write_file(&profile, format, path, err);

	free(page);
	return ret;
}

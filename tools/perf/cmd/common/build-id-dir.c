// SPDX-License-Identifier: GPL-2.0
#include "cmd/common/build-id-dir.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/common/config-defaults.h"

const char *build_id_dir(const char *given)
{
	static char path[PATH_MAX];
	const char *home = getenv("HOME");

	if (!given)
		given = config_defaults__get((const char *const[]){ "buildid.dir", NULL });
	if (given)
		return *given ? given : NULL;
	return home && *home && (size_t)snprintf(path, sizeof(path), "%s/.debug", home) < sizeof(path) ? path : NULL;
}

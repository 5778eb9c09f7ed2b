/* SPDX-License-Identifier: GPL-2.0 */
/* What perf was built with, by the names and macros that scripts know from other perfs. */
#ifndef PERF_CMD_COMMON_BUILD_FEATURES_H
#define PERF_CMD_COMMON_BUILD_FEATURES_H

#include <stdbool.h>

struct build_feature {
	const char *name, *macro;
	bool is_on;
};

extern const struct build_feature build_features[]; /* by name; ends with a row whose name is NULL */

/* By name or macro, in any case; NULL: there is none. */
const struct build_feature *build_feature__find(const char *name);
/* "   zstd: [ on  ]  # HAVE_ZSTD_SUPPORT" to the standard output */
void build_feature__print(const struct build_feature *feature);

#endif

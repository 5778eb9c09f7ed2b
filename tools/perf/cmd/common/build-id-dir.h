/* SPDX-License-Identifier: GPL-2.0 */
/* Where the build-id cache is. */
#ifndef PERF_CMD_COMMON_BUILD_ID_DIR_H
#define PERF_CMD_COMMON_BUILD_ID_DIR_H

/*
 * given, what --buildid-dir names; without it (NULL) what buildid.dir of perfconfig does, else $HOME/.debug. NULL: there is none. Lives as
 * long as the program.
 */
const char *build_id_dir(const char *given);

#endif

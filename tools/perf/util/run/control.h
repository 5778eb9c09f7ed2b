/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands to a running recording (--control), one per line: enable, disable, both optionally followed by the name of an event,
 * evlist, ping, stop. Each command that was carried out is answered by "ack" and a newline.
 */
#ifndef PERF_RUN_CONTROL_H
#define PERF_RUN_CONTROL_H

#include "util/lib/errmsg.h"

struct run_control { /* the caller owns both descriptors */
	int fd;	    /* for reading commands */
	int ack_fd; /* for answers; -1: none */
};

/*
 * Parse "fd:IN[,ACK]", numbers of open descriptors, or "fifo:IN[,ACK]", paths, which are opened without waiting for the other side.
 * Negative: text is wrong, or they do not exist; err has a message that names the option.
 */
int run_control__open(struct run_control *control, const char *text, struct errmsg *err);

#endif

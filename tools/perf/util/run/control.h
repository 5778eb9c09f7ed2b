/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands to a run that is under way (--control), a line each: enable, disable, either with the name of an event behind it, evlist, ping,
 * stop. Each that was carried out is answered by "ack" and a newline.
 */
#ifndef PERF_RUN_CONTROL_H
#define PERF_RUN_CONTROL_H

#include "util/lib/errmsg.h"

struct run_control { /* both descriptors are the caller's */
	int fd;	    /* to be read */
	int ack_fd; /* -1: nobody waits for answers */
};

/*
 * "fd:IN[,ACK]", numbers of open descriptors, or "fifo:IN[,ACK]", paths that are opened so that nobody waits for the other side. Negative: text
 * is wrong, or there are none such; err has the text, which names the option.
 */
int run_control__open(struct run_control *control, const char *text, struct errmsg *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose fault is it that a profile cannot be sent? The profile's, if the receiver takes others between two tries. Such a profile stands
 * back, for as long again as it has failed so far, and is given up in the end.
 */
#ifndef PERF_PUSH_TRIES_H
#define PERF_PUSH_TRIES_H

#include "util/lib/types.h"

#define TRIES_MIN_DELAY_MS 1000
#define TRIES_MAX_DELAY_MS 300000
#define TRIES_GIVE_UP_MS 3600000

struct tries { /* of one profile; starts zeroed. Times in ns */
	u64 accepted; /* 1 + what the receiver had accepted at the last failure; 0: there was none */
	u64 since;    /* the first failure that was the profile's fault; 0: none */
	u64 retry_at; /* not before */
};

enum tries_verdict { TRIES_UNDECIDED, TRIES_STAND_BACK, TRIES_GIVE_UP };

/* It has failed. accepted: how many others the receiver has accepted so far. */
enum tries_verdict tries__failed(struct tries *tries, u64 accepted, u64 now);

#endif

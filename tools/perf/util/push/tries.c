// SPDX-License-Identifier: GPL-2.0
#include "util/push/tries.h"

#include <stdbool.h>

#define NS_PER_MS 1000000ULL

enum tries_verdict tries__failed(struct tries *tries, u64 accepted, u64 now)
{
	bool others_went = tries->accepted && tries->accepted != accepted + 1;
	u64 delay;

	tries->accepted = accepted + 1;
	if (!others_went)
		return TRIES_UNDECIDED;
	if (!tries->since)
		tries->since = now;
	delay = now - tries->since;
	if (delay >= TRIES_GIVE_UP_MS * NS_PER_MS)
		return TRIES_GIVE_UP;
	if (delay < TRIES_MIN_DELAY_MS * NS_PER_MS)
		delay = TRIES_MIN_DELAY_MS * NS_PER_MS;
	if (delay > TRIES_MAX_DELAY_MS * NS_PER_MS)
		delay = TRIES_MAX_DELAY_MS * NS_PER_MS;
	tries->retry_at = now + delay;
	return TRIES_STAND_BACK;
}

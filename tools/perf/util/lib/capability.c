// SPDX-License-Identifier: GPL-2.0
#include "util/lib/capability.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

bool capability__has(int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capget, &header, caps) || caps[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap);
}

// SPDX-License-Identifier: GPL-2.0
#include "util/event/breakpoint.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/types.h"

static int parse_access(u32 *type, const char *letters, const char **why)
{
	static const struct {
		char letter;
		u32 bit;
	} accesses[] = { { 'r', HW_BREAKPOINT_R }, { 'w', HW_BREAKPOINT_W }, { 'x', HW_BREAKPOINT_X } };

	for (*type = 0; *letters; letters++) {
		u32 bit = 0;

		for (size_t i = 0; i < ARRAY_SIZE(accesses); i++)
			bit |= *letters == accesses[i].letter ? accesses[i].bit : 0;
		if (!bit || *type & bit) {
			*why = "an access is made of r (read), w (write) and x (execute), each once";
			return -EINVAL;
		}
		*type |= bit;
	}
	return 0;
}

static bool is_number(const char *text)
{
	return *text >= '0' && *text <= '9';
}

int breakpoint__parse(struct perf_event_attr *attr, const char *text, const char **why)
{
	const char *at = text + strlen(BREAKPOINT_PREFIX);
	char *end;

	*why = "a breakpoint is mem:ADDRESS[/LENGTH][:ACCESS], as in mem:0x1000/8:rw";
	if (!is_number(at))
		return -EINVAL;
	errno = 0;
	attr->bp_addr = strtoull(at, &end, 0);
	attr->bp_len = 0;
	if (errno || (*end == '/' && !is_number(end + 1)))
		return -EINVAL;
	if (*end == '/') {
		attr->bp_len = strtoull(end + 1, &end, 0);
		if (attr->bp_len != 1 && attr->bp_len != 2 && attr->bp_len != 4 && attr->bp_len != 8) {
			*why = "the length of a breakpoint is 1, 2, 4 or 8";
			return -EINVAL;
		}
	}
	attr->bp_type = HW_BREAKPOINT_RW;
	if (*end == ':' ? parse_access(&attr->bp_type, end + 1, why) : *end)
		return -EINVAL;
	if (!attr->bp_len) /* the only length for execution in the kernel on x86 (arch/x86/kernel/hw_breakpoint.c) */
		attr->bp_len = attr->bp_type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	return 0;
}

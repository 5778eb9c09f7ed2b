// SPDX-License-Identifier: GPL-2.0
#include "util/event/regs.h"

#include <string.h>
#include <strings.h>

/* Segment registers but CS and SS are no part of samples on x86-64. */
static const char *const names[64] = {
#if defined(__x86_64__)
	"AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS",
	[16] = "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
#elif defined(__aarch64__)
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
	"x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr", "sp", "pc",
#endif
};

const char *reg__name(unsigned int bit)
{
	return bit < ARRAY_SIZE(names) ? names[bit] : NULL;
}

int reg__find(const char *name, size_t len)
{
	for (unsigned int bit = 0; bit < ARRAY_SIZE(names); bit++) {
		if (names[bit] && strlen(names[bit]) == len && !strncasecmp(names[bit], name, len))
			return bit;
	}
	return -1;
}

u64 regs__of_user(void)
{
	u64 regs = 0;

	for (unsigned int bit = 0; bit < ARRAY_SIZE(names); bit++) {
		if (names[bit])
			regs |= 1ULL << bit;
	}
	return regs;
}

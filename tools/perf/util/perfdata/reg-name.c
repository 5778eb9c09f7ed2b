// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/reg-name.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

/* arch/x86/include/uapi/asm/perf_regs.h */
static const char *x86_reg(u32 reg)
{
	static const char *const names[] = { "AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS", "DS", "ES",
					     "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15" };
	static const char *const wide[] = { "XMM0", "XMM1", "XMM2", "XMM3", "XMM4", "XMM5", "XMM6", "XMM7", "XMM8", "XMM9", "XMM10",
					    "XMM11", "XMM12", "XMM13", "XMM14", "XMM15" };

	if (reg < ARRAY_SIZE(names))
		return names[reg];
	return reg >= 32 ? wide[(reg - 32) / 2] : NULL; /* each takes two words */
}

/* arch/arm64/include/uapi/asm/perf_regs.h */
static const char *arm64_reg(u32 reg)
{
	static const char *const names[] = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
					     "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25",
					     "x26", "x27", "x28", "x29", "lr", "sp", "pc" };

	if (reg < ARRAY_SIZE(names))
		return names[reg];
	return reg == 46 ? "vg" : NULL;
}

const char *reg_name(const char *arch, u32 reg)
{
	const char *name = NULL;
	struct utsname here;

	if (!arch)
		arch = uname(&here) ? "" : here.machine;
	if (!strcmp(arch, "x86_64") || (strlen(arch) == 4 && !strcmp(arch + 2, "86")))
		name = x86_reg(reg);
	else if (!strcmp(arch, "aarch64") || !strcmp(arch, "arm64"))
		name = arm64_reg(reg);
	return name ?: "unknown";
}

u64 regs_of_user(void)
{
#if defined(__x86_64__)
	return 0xff0fff; /* no segments but code and stack */
#elif defined(__aarch64__)
	return (1ULL << 33) - 1;
#else
	return 0;
#endif
}

int reg_find(const char *name, size_t len)
{
	for (u32 reg = 0; reg < 64; reg++) {
		const char *known = regs_of_user() >> reg & 1 ? reg_name(NULL, reg) : "";

		if (len && strlen(known) == len && !strncasecmp(known, name, len))
			return reg;
	}
	return -1;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/call-site.h"

#include <string.h>

/* The size of a call through a register or memory that begins here: opcode ff /2. 0: it is none. */
static size_t indirect_call(const u8 *code)
{
	const u8 mod = code[1] >> 6, rm = code[1] & 7;
	const bool has_sib = mod != 3 && rm == 4;

	if (code[0] != 0xff || (code[1] >> 3 & 7) != 2)
		return 0;
	if (mod == 0)
		return rm == 5 ? 6 : has_sib && (code[2] & 7) == 5 ? 7 : 2 + has_sib;
	return mod == 1 ? 3 + has_sib : mod == 2 ? 6 + has_sib : 2;
}

bool call_site__ends_call(const struct call_site_bytes *code)
{
	const u8 *at = code->byte + CALL_SITE_BEFORE;

	if (at[-5] == 0xe8) /* call rel32 */
		return true;
	for (size_t size = 2; size <= 7; size++) {
		if (indirect_call(at - size) == size)
			return true;
	}
	return false;
}

/* The number of rt_sigreturn goes to rax, as 64 or 32 bits; then comes the system call. */
static const struct {
	u8 byte[9], size;
} sigreturn[] = {
	{ { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 9 },
	{ { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 7 },
};

bool call_site__is_sigreturn(const struct call_site_bytes *code)
{
	const u8 *at = code->byte + CALL_SITE_BEFORE;

	for (size_t i = 0; code->known && i < ARRAY_SIZE(sigreturn); i++) {
		const size_t size = sigreturn[i].size, before[] = { 0, size - 2, size };

		for (size_t k = 0; k < ARRAY_SIZE(before); k++) {
			if (!memcmp(at - before[k], sigreturn[i].byte, size))
				return true;
		}
	}
	return false;
}

static bool begins_with_one(const char *name, const char *const *prefix)
{
	for (; *prefix; prefix++) {
		if (!strncmp(name, *prefix, strlen(*prefix)))
			return true;
	}
	return false;
}

/* arch/x86/include/asm/idtentry.h, arch/arm64/kernel/entry.S; before Linux 5.8 arch/x86/entry/entry_64.S */
static const char *const entries[] = {
	"asm_sysvec_", "asm_exc_", "asm_common_interrupt", "asm_spurious_interrupt", "el1h_64_", "el1_irq", "el1_sync", "apic_timer_interrupt",
	"ret_from_intr", NULL,
};

/* C libraries, the vdso of other machines, Go */
static const char *const sigreturns[] = { "__restore_rt", "__kernel_rt_sigreturn", "__kernel_sigreturn", "runtime.sigreturn", NULL };

bool call_site__interrupts(const struct dso *dso, const struct symbol *sym)
{
	return sym && begins_with_one(sym->name, dso->kind == DSO_KERNEL ? entries : sigreturns);
}

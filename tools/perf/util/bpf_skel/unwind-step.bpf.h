/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * One step of unwinding: from a frame and its rule to the caller's frame. BPF programs and user space (util/unwind/walk.c) share this
 * code, so that the latter proves the former. Whoever includes it defines first:
 *
 *	UNWIND_READ(context, address, value)	read 8 bytes of the task's memory into *value; false: cannot
 *	UNWIND_REG(context, number, value)	read a register of the sample, by DWARF number; false: unknown. Only asked of sampled frames,
 *					and for rbx, which functions preserve
 *	UNWIND_ARM64				1: the task is an arm64 one, 0: x86-64
 *
 * ra_mask: bits to clear in return addresses: those of arm64's pointer authentication, or 0. Clearing them in unsigned addresses does no
 * harm, so rules do not say which addresses are signed.
 */
#ifndef PERF_BPF_UNWIND_STEP_H
#define PERF_BPF_UNWIND_STEP_H

#include "unwind.h"

#define UNWIND_SP_REG (UNWIND_ARM64 ? UNWIND_ARM64_SP : UNWIND_X86_SP)
#define UNWIND_BP_REG (UNWIND_ARM64 ? UNWIND_ARM64_BP : UNWIND_X86_BP)

static inline __attribute__((always_inline)) _Bool unwind__register(void *context, const struct unwind_frame *frame, __u32 reg, __u64 *value)
{
	if (reg == UNWIND_SP_REG) {
		*value = frame->sp;
		return 1;
	}
	if (reg == UNWIND_BP_REG) {
		*value = frame->bp;
		return frame->bp_known;
	}
	if (UNWIND_ARM64 && reg == UNWIND_ARM64_LR) {
		*value = frame->lr;
		return frame->lr_known;
	}
	if (!UNWIND_ARM64 && reg == UNWIND_X86_BX)
		return frame->bx_at ? frame->bx_at != UNWIND_BX_NOWHERE && UNWIND_READ(context, frame->bx_at, value) : UNWIND_REG(context, reg, value);
	return frame->sampled && UNWIND_REG(context, reg, value);
}

/* *base is what offsets of UNWIND_BP_BASE and UNWIND_RA_BASE count from. */
static inline __attribute__((always_inline)) enum unwind_end unwind__cfa(void *context, const struct unwind_frame *frame,
									 const struct unwind_rule *rule, __u64 *base, __u64 *cfa)
{
	__u32 reg = rule->cfa == UNWIND_CFA_BP ? UNWIND_BP_REG : UNWIND_SP_REG;

	if (rule->cfa == UNWIND_CFA_REG || rule->cfa == UNWIND_CFA_DEREF)
		reg = rule->reg;
	if (!unwind__register(context, frame, reg, base))
		return UNWIND_HARD;
	if (rule->cfa == UNWIND_CFA_DEREF) {
		if (!UNWIND_READ(context, *base + unwind_rule__at(rule), cfa))
			return UNWIND_MEMORY;
		*cfa += unwind_rule__add(rule);
	} else if (rule->cfa == UNWIND_CFA_PLT) {
		*cfa = *base + ((frame->ip & 15) >= (__u64)rule->cfa_off ? 16 : 8);
	} else {
		*cfa = *base + rule->cfa_off;
	}
	return UNWIND_GOES_ON;
}

/*
 * Replace frame by its caller. UNWIND_GOES_ON, or why there is none; then frame is undefined.
 * Stack pointers need not grow: signal handlers, coroutines and Go have several stacks. What bounds a walk is its depth.
 */
static inline __attribute__((always_inline)) enum unwind_end unwind__step(void *context, struct unwind_frame *frame,
									  const struct unwind_rule *found, __u64 ra_mask)
{
	struct unwind_rule with_pointers = UNWIND_BY_POINTERS, copy = *found, *rule = &copy;
	__u64 base, cfa, bp_at, ra_at = 0, ip, lr = 0;
	enum unwind_end end;

	if (unwind_rule__has_pointers(rule) && (!frame->exact || (frame->bp && frame->bp - frame->sp - rule->cfa_off >= UNWIND_MAX_GO_FRAME)))
		copy = with_pointers;
	if (rule->cfa <= UNWIND_CFA_END)
		return rule->cfa == UNWIND_CFA_END ? UNWIND_COMPLETE : rule->cfa == UNWIND_CFA_HARD ? UNWIND_HARD : UNWIND_NO_CFI;
	end = unwind__cfa(context, frame, rule, &base, &cfa);
	if (end)
		return end;
	/* ABIs have a thread's first function set its frame pointer to 0. In a sampled frame it may be any number that is 0. */
	if (rule->cfa == UNWIND_CFA_BP && !base && !frame->sampled)
		return UNWIND_ZERO;
	bp_at = (rule->bp == UNWIND_BP_BASE ? base : cfa) + 8 * (__s64)rule->bp_off;
	if (rule->ra == UNWIND_RA_REG) {
		if (!unwind__register(context, frame, rule->ra_off, &ip))
			return UNWIND_HARD;
	} else {
		ra_at = rule->ra == UNWIND_RA_PAIR ? bp_at + 8 : (rule->ra == UNWIND_RA_BASE ? base : cfa) + 8 * (__s64)rule->ra_off;
		if (!UNWIND_READ(context, ra_at, &ip))
			return UNWIND_MEMORY;
	}
	if (rule->bp == UNWIND_BP_CFA || rule->bp == UNWIND_BP_BASE) {
		if (!UNWIND_READ(context, bp_at, &frame->bp))
			return UNWIND_MEMORY;
		frame->bp_known = 1;
	} else if (rule->bp == UNWIND_BP_LOST) {
		frame->bp_known = 0;
	}
	/* struct sigcontext of arm64, arch/arm64/include/uapi/asm/sigcontext.h: regs[31], sp, pc. regs[30] is lr. */
	if (UNWIND_ARM64 && rule->signal && !UNWIND_READ(context, ra_at - 16, &lr))
		return UNWIND_MEMORY;
	ip &= ~ra_mask;
	if (ip >= UNWIND_NO_ADDRESS)
		return UNWIND_NO_MAPPING;
	if (ip == frame->ip && cfa == frame->sp)
		return UNWIND_LOOP;
	frame->ip = ip;
	frame->sp = cfa;
	if (!UNWIND_ARM64 && rule->bx)
		frame->bx_at = rule->bx == UNWIND_BX_LOST ? UNWIND_BX_NOWHERE : cfa - 8 * (rule->bx + 1);
	frame->lr = lr;
	frame->lr_known = UNWIND_ARM64 && rule->signal;
	frame->exact = rule->signal;
	frame->sampled = 0;
	return ip ? UNWIND_GOES_ON : UNWIND_ZERO;
}

#endif

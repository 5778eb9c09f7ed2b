// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/dwarf-walk.h"

#include <elf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include "util/symbol/elf-file.h"
#include "util/unwind/dwarf-expr.h"

struct dwarf_cfi {
	struct elf_file file;
	Dwarf_CFI *cfi;
};

int dwarf_cfi__open_fd(int fd, const char *path, struct dwarf_cfi **cfi, struct errmsg *err)
{
	struct dwarf_cfi *c = calloc(1, sizeof(*c));
	int ret;

	*cfi = NULL;
	if (!c)
		return errmsg__set(err, ENOMEM, "%s: out of memory", path);
	ret = elf_file__open_fd(&c->file, fd, path, err);
	if (ret) {
		free(c);
		return ret;
	}
	c->cfi = dwarf_getcfi_elf(c->file.elf);
	if (!c->cfi) {
		dwarf_cfi__delete(c);
		return errmsg__set(err, ENODATA, "%s: it has no .eh_frame", path);
	}
	*cfi = c;
	return 0;
}

void dwarf_cfi__delete(struct dwarf_cfi *cfi)
{
	if (!cfi)
		return;
	if (cfi->cfi)
		dwarf_cfi_end(cfi->cfi);
	elf_file__close(&cfi->file);
	free(cfi);
}

/* A step */

struct step {
	const struct dwarf_walk *walk;
	const struct dwarf_frame *frame;
	u32 ra; /* column of the return address */
};

static bool is_arm64(const struct dwarf_walk *walk)
{
	return unwind_rules__machine(walk->walk.rules) == EM_AARCH64;
}

static u32 sp_of(const struct dwarf_walk *walk)
{
	return is_arm64(walk) ? UNWIND_ARM64_SP : UNWIND_X86_SP;
}

static u32 bp_of(const struct dwarf_walk *walk)
{
	return is_arm64(walk) ? UNWIND_ARM64_BP : UNWIND_X86_BP;
}

static bool known_register(const struct dwarf_frame *frame, u64 number, u64 *value)
{
	if (number >= DWARF_NR_REGS || !(frame->known >> number & 1))
		return false;
	*value = frame->reg[number];
	return true;
}

static bool expr_register(void *context, u64 number, u64 *value)
{
	const struct step *s = context;

	if (number == s->ra && !is_arm64(s->walk)) { /* x86 has no other number for the address of the code */
		*value = s->frame->ip;
		return true;
	}
	return known_register(s->frame, number, value);
}

static bool expr_read(void *context, u64 address, u64 *value)
{
	const struct unwind_walk *walk = &((const struct step *)context)->walk->walk;

	return walk->ops->read(walk->context, address, value);
}

/* The caller's register */
static bool find_register(const struct dwarf_expr_env *env, Dwarf_Frame *frame, u32 number, u64 *value)
{
	const struct step *s = env->context;
	Dwarf_Op mem[3], *ops;
	bool is_value;
	size_t nr;

	if (dwarf_frame_register(frame, number, mem, &ops, &nr))
		return false;
	if (!nr) /* no operations at all: it is the same; none in mem: it is lost */
		return !ops && known_register(s->frame, number, value);
	if (!dwarf_expr__run(env, ops, nr, value, &is_value))
		return false;
	return is_value || expr_read(env->context, *value, value);
}

/* A frame without a return address is the outermost one. */
static bool is_outermost(Dwarf_Frame *frame, u32 ra)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	return !dwarf_frame_register(frame, ra, mem, &ops, &nr) && !nr && ops;
}

static bool find_cfa(const struct dwarf_expr_env *env, Dwarf_Frame *frame, u64 *cfa)
{
	bool is_value;
	Dwarf_Op *ops;
	size_t nr;

	return !dwarf_frame_cfa(frame, &ops, &nr) && nr && dwarf_expr__run(env, ops, nr, cfa, &is_value);
}

static enum unwind_end find_caller(struct step *s, Dwarf_Frame *of, bool is_signal, struct dwarf_frame *caller)
{
	struct dwarf_expr_env env = { .read = expr_read, .reg = expr_register, .context = s };
	const u32 sp = sp_of(s->walk);

	*caller = (struct dwarf_frame){ .exact = is_signal };
	if (is_outermost(of, s->ra))
		return UNWIND_COMPLETE;
	if (!find_cfa(&env, of, &env.cfa))
		return UNWIND_HARD;
	for (u32 i = 0; i < DWARF_NR_REGS; i++) {
		if (find_register(&env, of, i, &caller->reg[i]))
			caller->known |= 1ULL << i;
	}
	if (!known_register(caller, sp, &caller->reg[sp])) {
		caller->reg[sp] = env.cfa;
		caller->known |= 1ULL << sp;
	}
	if (!known_register(caller, s->ra, &caller->ip))
		return UNWIND_HARD;
	caller->ip &= ~s->walk->walk.ra_mask;
	if (caller->ip == s->frame->ip && caller->reg[sp] == s->frame->reg[sp])
		return UNWIND_LOOP;
	if (!is_signal)
		caller->known &= ~(1ULL << s->ra);
	return caller->ip ? UNWIND_GOES_ON : UNWIND_ZERO;
}

/* UNWIND_NO_CFI: the file says nothing of this code. */
static enum unwind_end step_by_cfi(const struct dwarf_walk *walk, struct dwarf_cfi *cfi, u64 offset, struct dwarf_frame *frame)
{
	struct step s = { .walk = walk, .frame = frame };
	Dwarf_Frame *of = NULL;
	struct dwarf_frame caller;
	enum unwind_end end;
	bool is_signal;
	u64 vaddr;
	int ra;

	if (!elf_file__vaddr(&cfi->file, offset, &vaddr) || dwarf_cfi_addrframe(cfi->cfi, vaddr, &of))
		return UNWIND_NO_CFI;
	ra = dwarf_frame_info(of, NULL, NULL, &is_signal);
	s.ra = ra;
	end = ra < 0 || ra >= DWARF_NR_REGS ? UNWIND_NO_CFI : find_caller(&s, of, is_signal, &caller);
	free(of);
	if (!end)
		*frame = caller;
	return end;
}

/* By the table */

static bool read_frame_register(void *context, u32 number, u64 *value)
{
	return known_register(((const struct step *)context)->frame, number, value);
}

static bool read_memory(void *context, u64 address, u64 *value)
{
	return expr_read(context, address, value);
}

static enum unwind_end find_rule(void *context, u64 ip, u32 *rule)
{
	const struct unwind_walk *walk = &((const struct step *)context)->walk->walk;

	return walk->ops->find(walk->context, ip, rule);
}

/* Jumps through a PLT change no register that a caller wants back. */
static bool keeps_registers(const struct unwind_rule *rule)
{
	return rule->cfa == UNWIND_CFA_PLT;
}

static enum unwind_end step_by_table(const struct dwarf_walk *walk, const struct unwind_rule *rule, struct dwarf_frame *frame)
{
	static const struct unwind_walk_ops ops = { .find = find_rule, .read = read_memory, .reg = read_frame_register };
	const u32 sp = sp_of(walk), bp = bp_of(walk);
	struct step s = { .walk = walk, .frame = frame };
	struct unwind_walk by_table = { .rules = walk->walk.rules, .ops = &ops, .context = &s, .ra_mask = walk->walk.ra_mask };
	struct unwind_frame now = {
		.ip = frame->ip, .sp = frame->reg[sp], .bp = frame->reg[bp], .lr = frame->reg[UNWIND_ARM64_LR],
		.exact = frame->exact, .sampled = 1, .bp_known = frame->known >> bp & 1, .lr_known = frame->known >> UNWIND_ARM64_LR & 1,
	};
	enum unwind_end end = unwind_walk__step(&by_table, &now);

	if (end)
		return end;
	frame->ip = now.ip;
	frame->exact = now.exact;
	frame->reg[sp] = now.sp;
	frame->reg[bp] = now.bp;
	frame->reg[UNWIND_ARM64_LR] = now.lr;
	if (!keeps_registers(rule))
		frame->known = 1ULL << sp | (u64)now.bp_known << bp | (u64)now.lr_known << UNWIND_ARM64_LR;
	return UNWIND_GOES_ON;
}

static enum unwind_end walk_step(const struct dwarf_walk *walk, struct dwarf_frame *frame)
{
	const u64 pc = frame->exact ? frame->ip : frame->ip - 1;
	const struct unwind_rule *rule;
	struct dwarf_cfi *cfi;
	u32 id = UNWIND_RULE_NONE;
	enum unwind_end end = walk->walk.ops->find(walk->walk.context, pc, &id);
	u64 offset;

	if (end)
		return end;
	rule = &unwind_rules__array(walk->walk.rules)[id];
	if (rule->cfa == UNWIND_CFA_END)
		return UNWIND_COMPLETE;
	cfi = walk->cfi(walk->walk.context, pc, &offset);
	end = cfi ? step_by_cfi(walk, cfi, offset, frame) : UNWIND_NO_CFI;
	return end == UNWIND_NO_CFI ? step_by_table(walk, rule, frame) : end;
}

enum unwind_end dwarf_walk__run(const struct dwarf_walk *walk, struct dwarf_frame frame, u64 *ips, u32 max, u32 *nr)
{
	enum unwind_end end = UNWIND_GOES_ON;

	for (*nr = 0; !end; end = walk_step(walk, &frame)) {
		if (*nr == max)
			return UNWIND_DEPTH;
		ips[(*nr)++] = frame.ip;
	}
	return end;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/insn.h"

#include <errno.h>

#ifdef HAVE_LIBCAPSTONE
#include <capstone/capstone.h>
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "util/symbol/insn-vector.h"

struct disasm {
	csh handle;
	cs_insn *insn;
};

/*
 * The library is loaded when an instruction is asked for: its tables of all processors have 80,000 relocations, which take longer than
 * the start of all else.
 */
#define TEXT(x) #x
#define NAME_OF(version) "libcapstone.so." TEXT(version)
#define LIBRARY NAME_OF(CS_API_MAJOR)
#define CALLS(x) \
	x(cs_open) x(cs_option) x(cs_malloc) x(cs_free) x(cs_close) x(cs_regs_access) x(cs_disasm_iter)
#define CALL_MEMBER(name) __typeof__(name) *name;
static struct {
	CALLS(CALL_MEMBER)
} lib;
static bool is_loaded;

static bool load_calls(void *handle)
{
	bool all = true;

#define LOAD_CALL(name) all &= !!(lib.name = (__typeof__(lib.name))dlsym(handle, #name));
	CALLS(LOAD_CALL)
	return all;
}

static void load(void)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	is_loaded = handle && load_calls(handle);
}

bool disasm__available(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	return !pthread_once(&once, load) && is_loaded;
}

const char *disasm__remedy(void)
{
	return "install the package that has " LIBRARY;
}

int disasm__new(u16 elf_machine, struct disasm **disasm)
{
	struct disasm *new;

	if (elf_machine != EM_X86_64 || !disasm__available())
		return -EOPNOTSUPP;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	if (lib.cs_open(CS_ARCH_X86, CS_MODE_64, &new->handle) != CS_ERR_OK) {
		free(new);
		return -ENOMEM;
	}
	lib.cs_option(new->handle, CS_OPT_DETAIL, CS_OPT_ON);
	new->insn = lib.cs_malloc(new->handle);
	if (!new->insn) {
		disasm__delete(new);
		return -ENOMEM;
	}
	*disasm = new;
	return 0;
}

void disasm__delete(struct disasm *disasm)
{
	if (!disasm)
		return;
	if (disasm->insn)
		lib.cs_free(disasm->insn, 1);
	lib.cs_close(&disasm->handle);
	free(disasm);
}

/* Numbers of the x86-64 psABI, which differ from those in the instructions. */
#define REG(number, r64, r32, r16, ...) { number, { X86_REG_##r64, X86_REG_##r32, X86_REG_##r16, __VA_ARGS__ } }
#define REG_BYTES(number, l, h) REG(number, R##l##X, E##l##X, l##X, X86_REG_##l##L, X86_REG_##h)
#define REG_NEW(number) REG(number, R##number, R##number##D, R##number##W, X86_REG_R##number##B)
static const struct {
	signed char number;
	u16 name[5];
} registers[INSN_REGS] = {
	REG_BYTES(0, A, AH), REG_BYTES(1, D, DH), REG_BYTES(2, C, CH), REG_BYTES(3, B, BH),
	REG(4, RSI, ESI, SI, X86_REG_SIL), REG(5, RDI, EDI, DI, X86_REG_DIL),
	REG(6, RBP, EBP, BP, X86_REG_BPL), REG(7, RSP, ESP, SP, X86_REG_SPL),
	REG_NEW(8), REG_NEW(9), REG_NEW(10), REG_NEW(11), REG_NEW(12), REG_NEW(13), REG_NEW(14), REG_NEW(15),
};

/* INSN_NO_REG: not a general register */
static int number_of(unsigned int reg)
{
	for (int i = 0; i < INSN_REGS; i++) {
		for (size_t j = 0; reg != X86_REG_INVALID && j < ARRAY_SIZE(registers[i].name); j++) {
			if (registers[i].name[j] == reg)
				return registers[i].number;
		}
	}
	return INSN_NO_REG;
}

/* 64-bit registers only. */
static int number_of_64(const cs_x86_op *op)
{
	return op->type == X86_OP_REG && op->size == 8 ? number_of(op->reg) : INSN_NO_REG;
}

static bool set_mem(struct insn *insn, const cs_x86_op *op)
{
	const x86_op_mem *mem = &op->mem;

	insn->mem = (struct insn_mem){ INSN_NO_REG, INSN_NO_REG, mem->scale, INSN_SEGMENT_NONE, mem->disp };
	if (mem->segment == X86_REG_FS)
		insn->mem.segment = INSN_SEGMENT_FS;
	else if (mem->segment == X86_REG_GS)
		insn->mem.segment = INSN_SEGMENT_GS;
	if (mem->base == X86_REG_RIP)
		insn->mem.disp += insn->addr + insn->size;
	else if (mem->base != X86_REG_INVALID)
		insn->mem.base = number_of(mem->base);
	if (mem->index != X86_REG_INVALID && mem->index != X86_REG_RIZ)
		insn->mem.index = number_of(mem->index);
	/* a register without a number (a vector of indices, half of an address) makes the location unknown */
	return (mem->base == X86_REG_RIP || (insn->mem.base == INSN_NO_REG) == (mem->base == X86_REG_INVALID)) &&
	       (insn->mem.index == INSN_NO_REG) == (mem->index == X86_REG_INVALID || mem->index == X86_REG_RIZ);
}

static bool is_in_group(const cs_insn *raw, u8 group)
{
	return memchr(raw->detail->groups, group, raw->detail->groups_count);
}

static bool is_stack_operation(const cs_insn *raw)
{
	switch (raw->id) {
	case X86_INS_PUSH:
	case X86_INS_PUSHF:
	case X86_INS_PUSHFQ:
	case X86_INS_POP:
	case X86_INS_POPF:
	case X86_INS_POPFQ:
		return true;
	}
	return is_in_group(raw, CS_GRP_CALL) || is_in_group(raw, CS_GRP_RET);
}

static bool may_fuse(const cs_insn *raw)
{
	switch (raw->id) {
	case X86_INS_CMP:
	case X86_INS_TEST:
	case X86_INS_ADD:
	case X86_INS_SUB:
	case X86_INS_AND:
	case X86_INS_INC:
	case X86_INS_DEC:
		return true;
	}
	return false;
}

/* Some instructions have a memory operand, but do not access it. */
static bool accesses_memory(const cs_insn *raw)
{
	switch (raw->id) {
	case X86_INS_NOP:
	case X86_INS_PREFETCH:
	case X86_INS_PREFETCHW:
	case X86_INS_PREFETCHNTA:
	case X86_INS_PREFETCHT0:
	case X86_INS_PREFETCHT1:
	case X86_INS_PREFETCHT2:
		return false;
	}
	return true;
}

static void set_control(struct insn *insn, const cs_insn *raw)
{
	const cs_x86_op *op = raw->detail->x86.operands;
	bool jumps = is_in_group(raw, CS_GRP_JUMP), direct = raw->detail->x86.op_count && op->type == X86_OP_IMM;

	insn->leaves = jumps || is_in_group(raw, CS_GRP_CALL) || is_in_group(raw, CS_GRP_RET) || is_in_group(raw, CS_GRP_INT) ||
		       is_in_group(raw, CS_GRP_IRET);
	insn->is_cond_jump = jumps && direct && raw->id != X86_INS_JMP;
	insn->is_indirect = jumps && !direct;
	insn->has_target = insn->leaves && direct;
	if (insn->has_target)
		insn->target = op->imm;
}

static u16 bit_of(int number)
{
	return number == INSN_NO_REG ? 0 : 1U << number;
}

/*
 * Treat every register operand as changed, except for the few instructions that are known to only read theirs: libcapstone's access
 * tables have gaps.
 */
static u16 changes_of(struct disasm *disasm, const cs_insn *raw)
{
	const cs_x86 *x86 = &raw->detail->x86;
	bool only_reads = raw->id == X86_INS_CMP || raw->id == X86_INS_TEST;
	cs_regs read, written;
	u8 nr_read, nr_written;
	u16 changes = 0;

	if (x86->prefix[0] == X86_PREFIX_REP || x86->prefix[0] == X86_PREFIX_REPNE)
		return INSN_ALL_REGS;
	if (raw->id == X86_INS_MOV && x86->op_count && x86->operands[0].type == X86_OP_MEM)
		only_reads = true;
	for (int i = 0; i < x86->op_count && !only_reads; i++) {
		if (x86->operands[i].type == X86_OP_REG)
			changes |= bit_of(number_of(x86->operands[i].reg));
	}
	if (lib.cs_regs_access(disasm->handle, raw, read, &nr_read, written, &nr_written) != CS_ERR_OK)
		return INSN_ALL_REGS;
	for (int i = 0; i < nr_written; i++)
		changes |= bit_of(number_of(written[i]));
	for (int i = 0; i < raw->detail->regs_write_count; i++)
		changes |= bit_of(number_of(raw->detail->regs_write[i]));
	return changes;
}

/* Set what the instruction puts into a register, if that is simple enough to follow. */
static void set_effect(struct insn *insn, const cs_insn *raw)
{
	const cs_x86 *x86 = &raw->detail->x86;
	const cs_x86_op *op = x86->operands;

	if (x86->op_count != 2)
		return;
	insn->to = number_of_64(&op[0]);
	if (insn->to == INSN_NO_REG)
		return;
	if (raw->id == X86_INS_LEA) {
		insn->kind = INSN_ADDRESS;
	} else if (raw->id == X86_INS_MOV || raw->id == X86_INS_MOVABS) {
		insn->from = number_of_64(&op[1]);
		if (op[1].type == X86_OP_MEM)
			insn->kind = INSN_LOAD;
		else if (insn->from != INSN_NO_REG)
			insn->kind = INSN_MOVE;
	} else if ((raw->id == X86_INS_ADD || raw->id == X86_INS_SUB) && op[1].type == X86_OP_IMM) {
		insn->kind = INSN_ADD;
		insn->imm = raw->id == X86_INS_ADD ? (u64)op[1].imm : -(u64)op[1].imm;
	}
}

static void set_operands(struct insn *insn, const cs_insn *raw)
{
	const cs_x86 *x86 = &raw->detail->x86;
	bool found = false;

	for (int i = 0; i < x86->op_count && !found; i++) {
		found = x86->operands[i].type == X86_OP_MEM;
		if (found)
			insn->has_mem = set_mem(insn, &x86->operands[i]) && accesses_memory(raw);
	}
	set_effect(insn, raw);
	if (found && !insn->has_mem) /* the location cannot be followed */
		insn->kind = INSN_OTHER;
	if (is_stack_operation(raw))
		insn->kind = INSN_STACK;
}

bool disasm__decode(struct disasm *disasm, const u8 *code, size_t size, u64 addr, struct insn *insn)
{
	const u64 start = addr;

	*insn = (struct insn){ .addr = start, .to = INSN_NO_REG, .from = INSN_NO_REG, .mem = { INSN_NO_REG, INSN_NO_REG } };
	if (!lib.cs_disasm_iter(disasm->handle, &code, &size, &addr, disasm->insn))
		return false;
	insn->size = disasm->insn->size;
	set_operands(insn, disasm->insn);
	set_control(insn, disasm->insn);
	insn->may_fuse = may_fuse(disasm->insn);
	insn->changes = changes_of(disasm, disasm->insn);
	return true;
}

u32 disasm__length(struct disasm *disasm, const u8 *code, size_t size)
{
	const u8 *at = code;
	size_t left = size;
	u64 addr = 0;

	return lib.cs_disasm_iter(disasm->handle, &at, &left, &addr, disasm->insn) ? disasm->insn->size : vector_insn__length(code, size);
}
#else
bool disasm__available(void)
{
	return false;
}

const char *disasm__remedy(void)
{
	return "build perf with libcapstone-dev";
}

int disasm__new(u16 elf_machine, struct disasm **disasm)
{
	return -EOPNOTSUPP;
}

void disasm__delete(struct disasm *disasm)
{
}

bool disasm__decode(struct disasm *disasm, const u8 *code, size_t size, u64 addr, struct insn *insn)
{
	return false;
}

u32 disasm__length(struct disasm *disasm, const u8 *code, size_t size)
{
	return 0;
}
#endif

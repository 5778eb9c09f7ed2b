// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/known-code.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "util/unwind/elf-frames.h"

#define START_SIZE 64	 /* of _start, at most */
#define MAX_INIT 64	 /* of .init and .fini, at most: they have a function of some ten instructions */
#define SIGRETURN_SCAN 8192 /* size of a vdso's code, at most */

static const struct unwind_rule end = { .cfa = UNWIND_CFA_END };

static struct unwind_rule x86_rule(s64 cfa_off)
{
	return (struct unwind_rule){ .cfa = UNWIND_CFA_SP, .cfa_off = cfa_off, .ra = UNWIND_RA_CFA, .ra_off = -1 };
}

/* The return address is still in lr. */
static const struct unwind_rule arm64_leaf = { .cfa = UNWIND_CFA_SP, .ra = UNWIND_RA_REG, .ra_off = UNWIND_ARM64_LR };
/* x16 and lr were pushed. */
static const struct unwind_rule arm64_plt0 = { .cfa = UNWIND_CFA_SP, .cfa_off = 16, .ra = UNWIND_RA_CFA, .ra_off = -1 };
/* x29 and lr were pushed. */
static const struct unwind_rule arm64_pair = { .cfa = UNWIND_CFA_SP, .cfa_off = 16, .bp = UNWIND_BP_CFA, .bp_off = -2, .ra = UNWIND_RA_CFA, .ra_off = -1 };
/*
 * struct rt_sigframe at sp: siginfo (128 bytes), then ucontext, which has sigcontext at 176: fault_address, regs[31], sp, pc
 * (arch/arm64/kernel/signal.c, arch/arm64/include/uapi/asm/{ucontext,sigcontext}.h). Kernels before 5.8 describe it as a frame of the
 * interrupted function's caller.
 */
#define ARM64_REGS (128 + 176 + 8)
static const struct unwind_rule arm64_sigreturn = {
	.cfa = UNWIND_CFA_DEREF, .reg = UNWIND_ARM64_SP, .cfa_off = (ARM64_REGS + 31 * 8) << 8, .signal = 1,
	.bp = UNWIND_BP_BASE, .bp_off = ARM64_REGS / 8 + 29, .ra = UNWIND_RA_BASE, .ra_off = ARM64_REGS / 8 + 32,
};

static struct known_block *add_block(struct known_code *known, u64 begin, u64 size)
{
	struct known_block *block = &known->block[known->nr];

	if (known->nr == KNOWN_MAX_BLOCKS || begin + size < begin)
		return NULL;
	known->nr++;
	*block = (struct known_block){ .begin = begin, .end = begin + size };
	return block;
}

static void add_row(struct known_block *block, u64 at, struct unwind_rule rule)
{
	if (!block || block->nr == KNOWN_MAX_ROWS)
		return;
	block->row[block->nr].at = at;
	block->row[block->nr++].rule = rule;
}

/* The size of the instruction that begins functions that may be jumped to, if it is there */
static size_t skip_endbr64(const u8 *code)
{
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	return memcmp(code, endbr64, sizeof(endbr64)) ? 0 : sizeof(endbr64);
}

/* Entries of 16 bytes. Those of a lazy .plt push their number, and jump to the first one, which pushes and jumps, too. */
static void x86_plt(struct known_code *known, const struct elf_file *file, const GElf_Shdr *shdr, bool lazy)
{
	static const u8 push_got[] = { 0xff, 0x35 };
	struct known_block *block = add_block(known, shdr->sh_offset, shdr->sh_size);
	u8 code[32];
	bool ibt;

	if (!lazy || !elf_file__read(file, shdr->sh_offset, code, sizeof(code)) || memcmp(code, push_got, sizeof(push_got))) {
		add_row(block, 0, x86_rule(8));
		return;
	}
	ibt = skip_endbr64(code + 16);
	add_row(block, 0, x86_rule(16));
	add_row(block, 6, x86_rule(24));
	add_row(block, 16, (struct unwind_rule){ .cfa = UNWIND_CFA_PLT, .cfa_off = ibt ? 9 : 11, .ra = UNWIND_RA_CFA, .ra_off = -1 });
}

/* Entries change no stack, except the first of a lazy .plt: [bti c] stp x16, x30, [sp, #-16]! ..., 32 bytes. */
static void arm64_plt(struct known_code *known, const struct elf_file *file, const GElf_Shdr *shdr, bool lazy)
{
	struct known_block *block = add_block(known, shdr->sh_offset, shdr->sh_size);
	u32 code[2];

	add_row(block, 0, arm64_leaf);
	if (!lazy || !elf_file__read(file, shdr->sh_offset, code, sizeof(code)))
		return;
	for (int i = 0; i < 2; i++) {
		if (le32toh(code[i]) == 0xa9bf7bf0) {
			add_row(block, 4 * i + 4, arm64_plt0);
			add_row(block, 32, arm64_leaf);
			return;
		}
	}
}

struct framed { /* a function that begins and ends with these instructions */
	u8 opens[4], closes[5];
	size_t nr_opens, nr_closes;
};

/* [endbr64] sub $8, %rsp ... add $8, %rsp; ret, or, in musl, push %rax ... pop %rax; ret */
static bool x86_init(struct known_block *block, const u8 *code, size_t size)
{
	static const struct framed kinds[] = {
		{ { 0x48, 0x83, 0xec, 8 }, { 0x48, 0x83, 0xc4, 8, 0xc3 }, 4, 5 },
		{ { 0x50 }, { 0x58, 0xc3 }, 1, 2 },
	};
	size_t at = size >= 4 ? skip_endbr64(code) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct framed *kind = &kinds[i];

		if (size < at + kind->nr_opens + kind->nr_closes || memcmp(code + at, kind->opens, kind->nr_opens) ||
		    memcmp(code + size - kind->nr_closes, kind->closes, kind->nr_closes))
			continue;
		add_row(block, 0, x86_rule(8));
		add_row(block, at + kind->nr_opens, x86_rule(16));
		add_row(block, size - 1, x86_rule(8)); /* the return */
		return true;
	}
	return false;
}

/* [paciasp] stp x29, x30, [sp, #-16]! ... ldp x29, x30, [sp], #16; [autiasp] ret */
static bool arm64_init(struct known_block *block, const u8 *bytes, size_t size)
{
	u32 code[MAX_INIT / 4];
	size_t nr = size / 4, pushed = 0, popped = 0;

	memcpy(code, bytes, nr * 4);
	for (size_t i = 0; i < nr; i++) {
		if (le32toh(code[i]) == 0xa9bf7bfd && i < 2)
			pushed = i + 1;
		else if (le32toh(code[i]) == 0xa8c17bfd && i + 3 >= nr)
			popped = i + 1;
	}
	if (!pushed || !popped || le32toh(code[nr - 1]) != 0xd65f03c0)
		return false;
	add_row(block, 0, arm64_leaf);
	add_row(block, 4 * pushed, arm64_pair);
	add_row(block, 4 * popped, arm64_leaf);
	return true;
}

static void find_init(struct known_code *known, const struct elf_file *file, const char *name)
{
	struct known_block *block;
	u8 code[MAX_INIT];
	GElf_Shdr shdr;
	bool found;

	if (!elf_file__section(file, name, &shdr) || shdr.sh_size > sizeof(code) || shdr.sh_type != SHT_PROGBITS ||
	    !elf_file__read(file, shdr.sh_offset, code, shdr.sh_size))
		return;
	block = add_block(known, shdr.sh_offset, shdr.sh_size);
	found = block && (file->ehdr.e_machine == EM_AARCH64 ? arm64_init : x86_init)(block, code, shdr.sh_size);
	if (block && !found)
		known->nr--;
}

#define END_SIZE 96    /* of __do_global_dtors_aux and frame_dummy, at most */
#define MAX_BEFORE 256 /* of the functions before them, which they call */

struct end_code { /* offsets from __do_global_dtors_aux */
	size_t push, pop; /* of its frame pointer */
	size_t end;	  /* behind its last instruction */
	s32 before;	  /* the function before it */
};

/* cmpb $0, completed(%rip); jne to a return; push %rbp: false: it is something else. */
static bool find_push(const u8 *code, struct end_code *found)
{
	const u8 *at = code + skip_endbr64(code);

	if (at[0] != 0x80 || at[1] != 0x3d || at[6] || at[7] != 0x75 || at[9] != 0x55)
		return false;
	found->push = at + 9 - code;
	found->end = found->push + (signed char)at[8] + 1;
	return (signed char)at[8] > 0;
}

/* call deregister_tm_clones; movb $1, completed(%rip); pop %rbp; ret */
static bool find_pop(const u8 *code, struct end_code *found)
{
	for (size_t i = found->push; i + 14 <= END_SIZE; i++) {
		if (code[i] != 0xe8 || code[i + 5] != 0xc6 || code[i + 6] != 0x05 || code[i + 11] != 1 || code[i + 12] != 0x5d || code[i + 13] != 0xc3)
			continue;
		memcpy(&found->before, code + i + 1, sizeof(found->before));
		found->before += i + 5;
		found->pop = i + 12;
		if (found->end < found->pop + 2)
			found->end = found->pop + 2;
		return found->before < 0 && found->before >= -MAX_BEFORE;
	}
	return false;
}

/* frame_dummy jumps to register_tm_clones. */
static void find_dummy(const u8 *code, u64 offset, struct end_code *found)
{
	const size_t at = ALIGN_UP(offset + found->end, 16) - offset;
	const size_t jump = at + 9 <= END_SIZE ? at + skip_endbr64(code + at) : END_SIZE;

	if (jump + 5 <= END_SIZE && code[jump] == 0xe9)
		found->end = jump + 5;
}

/* GCC's start file gives every program and library the same last function; all around it change no stack. */
static void find_end(struct known_code *known, const struct elf_file *file)
{
	struct unwind_rule framed = x86_rule(16);
	struct known_block *block;
	struct end_code found;
	u8 code[END_SIZE];
	GElf_Shdr shdr;
	u64 vaddr, offset;

	if (!elf_file__section(file, ".fini_array", &shdr) || !elf_file__read(file, shdr.sh_offset, &vaddr, sizeof(vaddr)) ||
	    !elf_file__offset(file, le64toh(vaddr), &offset) || !elf_file__read(file, offset, code, sizeof(code)) ||
	    !find_push(code, &found) || !find_pop(code, &found) || offset < MAX_BEFORE)
		return;
	find_dummy(code, offset, &found);
	framed.bp = UNWIND_BP_CFA;
	framed.bp_off = -2;
	block = add_block(known, offset + found.before, found.end - found.before);
	add_row(block, 0, x86_rule(8));
	add_row(block, found.push + 1 - found.before, framed);
	add_row(block, found.pop + 1 - found.before, x86_rule(8));
}

static void find_plts(struct known_code *known, const struct elf_file *file)
{
	static const char *const names[] = { ".plt", ".plt.got", ".plt.sec", ".iplt" };
	GElf_Shdr shdr;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (elf_file__section(file, names[i], &shdr) && shdr.sh_type == SHT_PROGBITS && shdr.sh_flags & SHF_EXECINSTR)
			(file->ehdr.e_machine == EM_AARCH64 ? arm64_plt : x86_plt)(known, file, &shdr, i == 0);
	}
}

/* mov x8, #139; svc #0: rt_sigreturn, in the vdso */
static void find_sigreturn(struct known_code *known, const struct elf_file *file)
{
	u32 code[SIGRETURN_SCAN / 4];
	size_t size;

	for (u32 i = 0; i < file->nr_load; i++) {
		const struct elf_load *load = &file->load[i];

		size = load->file_size < sizeof(code) ? load->file_size & ~3ULL : sizeof(code);
		if (!(load->flags & PF_X) || !elf_file__read(file, load->offset, code, size))
			continue;
		for (size_t k = 0; k + 1 < size / 4; k++) {
			if (le32toh(code[k]) == 0xd2801168 && le32toh(code[k + 1]) == 0xd4000001) {
				/* the handler returns to the first of them, and the instruction before it is asked for */
				add_row(add_block(known, load->offset + 4 * k - 4, 12), 0, arm64_sigreturn);
				known->has_sigreturn = true;
				return;
			}
		}
	}
}

/* A function that changes the stack only by x29 and lr, which it pushes first and pops last: stp x29, x30, [sp, #-8 * n]! */
static void add_plain_function(struct known_code *known, u64 begin, const u32 *code, size_t nr)
{
	struct known_block *block = add_block(known, begin, 4 * nr);
	struct unwind_rule framed = arm64_leaf;

	add_row(block, 0, arm64_leaf);
	for (size_t i = 0; i + 1 < nr; i++) {
		u32 insn = le32toh(code[i]);

		if ((insn & 0xffe07fff) == 0xa9a07bfd) {
			s64 n = 128 - (insn >> 15 & 127);

			framed = (struct unwind_rule){ .cfa = UNWIND_CFA_SP, .cfa_off = 8 * n, .bp = UNWIND_BP_CFA, .bp_off = -n, .ra_off = 1 - n };
			add_row(block, 4 * i + 4, framed);
		} else if ((insn & 0xffe07fff) == 0xa8c07bfd) { /* ldp x29, x30, [sp], #8 * n */
			add_row(block, 4 * i + 4, arm64_leaf);
		} else if (insn == 0xd65f03c0 && framed.cfa_off) { /* ret; what follows is entered by a branch */
			add_row(block, 4 * i + 4, framed);
		}
	}
}

/* The vdso of arm64 has symbols, but no call frame information. */
static void find_functions(struct known_code *known, const struct elf_file *file)
{
	u32 code[SIGRETURN_SCAN / 4];
	GElf_Shdr shdr;
	GElf_Sym sym;
	Elf_Scn *scn = elf_file__section(file, ".dynsym", &shdr);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	u64 offset;

	if (!data || elf_file__section(file, ".eh_frame", &shdr))
		return;
	for (int i = 1; known->nr < KNOWN_MAX_BLOCKS && gelf_getsym(data, i, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_size <= sizeof(code) && elf_file__offset(file, sym.st_value, &offset) &&
		    elf_file__read(file, offset, code, sym.st_size))
			add_plain_function(known, offset, code, sym.st_size / 4);
	}
}

/* Some linkers let a library begin at its .text, for want of a symbol _start. */
static void find_entry(struct known_code *known, const struct elf_file *file)
{
	u64 vaddr = file->ehdr.e_entry;
	GElf_Phdr phdr;
	GElf_Shdr shdr;
	bool is_program = file->ehdr.e_type == ET_EXEC || elf_file__phdr(file, PT_INTERP, &phdr);

	known->entry = UINT64_MAX;
	if (!vaddr || (!is_program && elf_file__section(file, ".text", &shdr) && shdr.sh_addr == vaddr))
		return;
	if (elf_file__offset(file, vaddr, &known->entry))
		add_row(add_block(known, known->entry, START_SIZE), 0, end);
	else
		known->entry = UINT64_MAX;
}

/* A dynamic symbol, or in static programs any */
static bool find_symbol(const struct elf_file *file, const char *name, GElf_Sym *sym)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(file, ".dynsym", &shdr) ?: elf_file__section(file, ".symtab", &shdr);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	const struct elf_strings strings = data ? elf_file__strings(file, shdr.sh_link) : (struct elf_strings){ NULL, 0 };
	const char *at;

	if (!strings.size || !memmem(strings.text, strings.size, name, strlen(name) + 1))
		return false;
	for (int i = 1; gelf_getsym(data, i, sym); i++) {
		at = elf_strings__at(&strings, sym->st_name);
		if (at && sym->st_shndx != SHN_UNDEF && !strcmp(at, name))
			return true;
	}
	return false;
}

#define MAX_MAKECONTEXT 512 /* bytes of makecontext() that are looked at */
#define LEA_SIZE 7	    /* lea offset(%rip), %register */

/* mov %rbx, %rsp; mov (%rsp), %rdi; test %rdi, %rdi */
static bool begins_context(const struct elf_file *file, u64 offset)
{
	static const u8 begin[] = { 0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff };
	u8 code[4 + sizeof(begin)];

	return elf_file__read(file, offset, code, sizeof(code)) && !memcmp(code + skip_endbr64(code), begin, sizeof(begin));
}

/*
 * __start_context() of glibc has no symbol in stripped files: makecontext() takes its address. There the chain of a coroutine ends: what
 * is above on its stack is no return address.
 */
static void find_context(struct known_code *known, const struct elf_file *file)
{
	u8 code[MAX_MAKECONTEXT];
	GElf_Sym sym;
	u64 offset;
	size_t size;
	s32 disp;

	if (known->is_go || !find_symbol(file, "makecontext", &sym) || !elf_file__offset(file, sym.st_value, &offset))
		return;
	size = sym.st_size < sizeof(code) ? sym.st_size : sizeof(code);
	if (!elf_file__read(file, offset, code, size))
		return;
	for (size_t i = 0; i + LEA_SIZE <= size; i++) {
		if ((code[i] & 0xfb) != 0x48 || code[i + 1] != 0x8d || (code[i + 2] & 0xc7) != 0x05)
			continue;
		memcpy(&disp, code + i + 3, sizeof(disp));
		if (elf_file__offset(file, sym.st_value + i + LEA_SIZE + (s64)(s32)le32toh(disp), &offset) && begins_context(file, offset)) {
			known->context = offset;
			return;
		}
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct known_block *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

void known_code__find(struct known_code *known, const struct elf_file *file)
{
	GElf_Shdr shdr;

	*known = (struct known_code){ .is_go = elf_file__section(file, ".gopclntab", &shdr), .context = UINT64_MAX };
	find_plts(known, file);
	find_init(known, file, ".init");
	find_init(known, file, ".fini");
	find_entry(known, file);
	if (file->ehdr.e_machine == EM_AARCH64)
		find_sigreturn(known, file);
	else
		find_end(known, file);
	if (file->ehdr.e_machine == EM_X86_64)
		find_context(known, file);
	if (known->has_sigreturn)
		find_functions(known, file);
	qsort(known->block, known->nr, sizeof(*known->block), by_begin);
}

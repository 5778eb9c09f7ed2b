// SPDX-License-Identifier: GPL-2.0
/* Tables of files whose call frame information is written by hand. */
#include <dwarf.h>
#include <errno.h>
#include "tests/unit/unwind/elf-maker.h"

static struct maker m;
static struct unwind_rules *rules;

static int setup(void **state)
{
	maker__init(&m, EM_X86_64);
	rules = unwind_rules__new(EM_X86_64);
	return rules ? 0 : -1;
}

static int setup_arm64(void **state)
{
	maker__init(&m, EM_AARCH64);
	rules = unwind_rules__new(EM_AARCH64);
	return rules ? 0 : -1;
}

static int teardown(void **state)
{
	unwind_rules__delete(rules);
	return 0;
}

static struct unwind_rule rule_at(const struct unwind_table *table, u64 offset)
{
	u32 id = unwind_table__rule(table, offset);

	assert_true(id < unwind_rules__nr(rules));
	return unwind_rules__array(rules)[id];
}

#define assert_id(table, offset, id) assert_int_equal(unwind_table__rule(table, offset), id)

/* The rule from an offset up to the last byte before the next one */
static void assert_rule(const struct unwind_table *table, u64 begin, u64 end, struct unwind_rule wanted)
{
	struct unwind_rule first = rule_at(table, begin), last = rule_at(table, end - 1);

	assert_memory_equal(&first, &wanted, sizeof(wanted));
	assert_memory_equal(&last, &wanted, sizeof(wanted));
}

/* What the other cases take for granted: rows are sorted, no two neighbours have one rule, and the index counts them. */
static void check_shape(const struct unwind_table *table)
{
	u64 last = 0;
	u32 page = 0;

	assert_int_equal(table->index[0], 0);
	assert_int_equal(table->index[table->nr_pages], table->nr_rows);
	for (u32 i = 0; i < table->nr_rows; i++) {
		u64 at;

		while (i >= table->index[page + 1])
			page++;
		at = (u64)page << UNWIND_PAGE_SHIFT | table->rows[i].low;
		assert_true(!i || at > last);
		assert_true(!i || table->rows[i].rule != table->rows[i - 1].rule);
		last = at;
	}
}

#define SP(off) { .cfa = UNWIND_CFA_SP, .cfa_off = off, .ra = UNWIND_RA_CFA, .ra_off = -1 }
#define RULE(...) ((struct unwind_rule){ __VA_ARGS__ })
#define SP_RULE(off) ((struct unwind_rule)SP(off))
#define BX_RULE(off, place) RULE(.cfa = UNWIND_CFA_SP, .cfa_off = off, .ra = UNWIND_RA_CFA, .ra_off = -1, .bx = place)

static void test_frame_pointer(void **state)
{
	struct unwind_table *table;

	X86_CIE(&m);
	/* push %rbp; mov %rsp, %rbp; ... pop %rbp; ret */
	PUT_FDE(&m, TEXT + 0x100, 0x80, DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2, DW_CFA_advance_loc | 3,
		DW_CFA_def_cfa_register, 6, DW_CFA_advance_loc1, 0x70, DW_CFA_def_cfa, 7, 8, DW_CFA_restore | 6);
	table = maker__table(&m, rules);
	check_shape(table);
	assert_int_equal(table->first_page, TEXT >> UNWIND_PAGE_SHIFT);
	assert_int_equal(table->nr_pages, TEXT_SIZE >> UNWIND_PAGE_SHIFT);
	assert_id(table, TEXT + 0xff, UNWIND_RULE_NONE);
	assert_rule(table, TEXT + 0x100, TEXT + 0x101, SP_RULE(8));
	assert_rule(table, TEXT + 0x101, TEXT + 0x104, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16, .bp = UNWIND_BP_CFA, .bp_off = -2, .ra_off = -1));
	assert_rule(table, TEXT + 0x104, TEXT + 0x174, RULE(.cfa = UNWIND_CFA_BP, .cfa_off = 16, .bp = UNWIND_BP_CFA, .bp_off = -2, .ra_off = -1));
	assert_rule(table, TEXT + 0x174, TEXT + 0x180, SP_RULE(8));
	assert_id(table, TEXT + 0x180, UNWIND_RULE_NONE);
	assert_id(table, 0, UNWIND_RULE_NONE);
	assert_id(table, UINT64_MAX, UNWIND_RULE_NONE);
	unwind_table__delete(table);
}

static void test_pages(void **state)
{
	struct unwind_table *table;

	X86_CIE(&m);
	/* across two page boundaries; a row at the begin of a page, and none in the page before it */
	PUT_FDE(&m, TEXT + 0xff0, 0x1020, DW_CFA_advance_loc2, 0x10, 0x10, DW_CFA_def_cfa_offset, 32);
	table = maker__table(&m, rules);
	check_shape(table);
	assert_rule(table, TEXT + 0xff0, TEXT + 0x2000, SP_RULE(8));
	assert_rule(table, TEXT + 0x2000, TEXT + 0x2010, SP_RULE(32));
	assert_id(table, TEXT + 0x2010, UNWIND_RULE_NONE);
	unwind_table__delete(table);
}

/* rbx is where functions push it, back in its register, or at no place that rules know. */
static void test_rbx(void **state)
{
	struct unwind_table *table;

	X86_CIE(&m);
	PUT_FDE(&m, TEXT, 0x60, DW_CFA_def_cfa_offset, 64, DW_CFA_offset | 3, 7, DW_CFA_advance_loc | 0x10, DW_CFA_offset | 3, 2, DW_CFA_advance_loc | 0x10,
		DW_CFA_offset | 3, 8, DW_CFA_advance_loc | 0x10, DW_CFA_restore | 3, DW_CFA_advance_loc | 0x10, DW_CFA_offset | 3, 1,
		DW_CFA_advance_loc | 0x10, DW_CFA_undefined, 3);
	table = maker__table(&m, rules);
	check_shape(table);
	assert_rule(table, TEXT, TEXT + 0x10, BX_RULE(64, 6));
	assert_rule(table, TEXT + 0x10, TEXT + 0x20, BX_RULE(64, 1));
	assert_rule(table, TEXT + 0x20, TEXT + 0x30, BX_RULE(64, UNWIND_BX_LOST));
	assert_rule(table, TEXT + 0x30, TEXT + 0x40, SP_RULE(64));
	assert_rule(table, TEXT + 0x40, TEXT + 0x60, BX_RULE(64, UNWIND_BX_LOST));
	unwind_table__delete(table);
}

static void test_remembered(void **state)
{
	struct unwind_table *table;

	X86_CIE(&m);
	PUT_FDE(&m, TEXT, 0x30, DW_CFA_def_cfa_offset, 48, DW_CFA_offset | 6, 4, DW_CFA_advance_loc | 8, DW_CFA_remember_state,
		DW_CFA_def_cfa_offset, 8, DW_CFA_restore | 6, DW_CFA_advance_loc | 8, DW_CFA_restore_state);
	table = maker__table(&m, rules);
	assert_rule(table, TEXT + 8, TEXT + 16, SP_RULE(8));
	assert_rule(table, TEXT + 16, TEXT + 0x30, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 48, .bp = UNWIND_BP_CFA, .bp_off = -4, .ra_off = -1));
	unwind_table__delete(table);
}

static void test_order_and_gaps(void **state)
{
	struct unwind_table *table;

	X86_CIE(&m);
	PUT_FDE(&m, TEXT + 0x200, 0x10, DW_CFA_def_cfa_offset, 24);
	PUT_FDE(&m, TEXT + 0x100, 0x0b, DW_CFA_def_cfa_offset, 32);
	PUT_FDE(&m, TEXT + 0x110, 0x0c, DW_CFA_def_cfa_offset, 40);
	PUT_FDE(&m, TEXT + 0x118, 0x20, DW_CFA_def_cfa_offset, 48);
	PUT_FDE(&m, TEXT + 0x118, 0x20, DW_CFA_def_cfa_offset, 48);
	table = maker__table(&m, rules);
	check_shape(table);
	assert_rule(table, TEXT + 0x100, TEXT + 0x110, SP_RULE(32)); /* with the padding behind it */
	assert_rule(table, TEXT + 0x110, TEXT + 0x118, SP_RULE(40)); /* up to the one that overlaps it */
	assert_rule(table, TEXT + 0x118, TEXT + 0x138, SP_RULE(48));
	assert_id(table, TEXT + 0x138, UNWIND_RULE_NONE);
	assert_rule(table, TEXT + 0x200, TEXT + 0x210, SP_RULE(24));
	unwind_table__delete(table);
}

static void test_signal_frame(void **state)
{
	struct unwind_table *table;

	/* as in the C library: CFA = *(rsp+160), rbp at rsp+120, rsp at rsp+160, rip at rsp+168 */
	PUT_CIE(&m, "zRS", 16, DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xa0, 1, DW_OP_deref);
	PUT_FDE(&m, TEXT, 0x10, DW_CFA_expression, 6, 3, DW_OP_breg7, 0xf8, 0, DW_CFA_expression, 7, 3, DW_OP_breg7, 0xa0, 1, DW_CFA_expression,
		16, 3, DW_OP_breg7, 0xa8, 1);
	/* the caller's stack pointer is not the CFA */
	PUT_FDE(&m, TEXT + 0x10, 0x10, DW_CFA_expression, 7, 3, DW_OP_breg7, 0xa8, 1);
	table = maker__table(&m, rules);
	assert_rule(table, TEXT, TEXT + 0x10, RULE(.cfa = UNWIND_CFA_DEREF, .reg = 7, .cfa_off = 160 << 8, .bp = UNWIND_BP_BASE, .bp_off = 15,
						   .ra = UNWIND_RA_BASE, .ra_off = 21, .signal = 1));
	assert_id(table, TEXT + 0x10, UNWIND_RULE_HARD);
	unwind_table__delete(table);
}

static void test_expressions(void **state)
{
	struct unwind_table *table;

	X86_CIE(&m);
	PUT_FDE(&m, TEXT, 0x10, DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, DW_OP_lit0 + 11, DW_OP_ge,
		DW_OP_lit3, DW_OP_shl, DW_OP_plus);
	PUT_FDE(&m, TEXT + 0x10, 0x10, DW_CFA_def_cfa_expression, 5, DW_OP_breg6, 0x58, DW_OP_deref, DW_OP_plus_uconst, 8, DW_CFA_expression, 6, 2,
		DW_OP_breg6, 0);
	PUT_FDE(&m, TEXT + 0x20, 0x10, DW_CFA_def_cfa_expression, 3, DW_OP_breg7, 8, DW_OP_dup);
	PUT_FDE(&m, TEXT + 0x30, 0x10, DW_CFA_val_expression, 6, 2, DW_OP_breg7, 8);
	PUT_FDE(&m, TEXT + 0x40, 0x10, DW_CFA_val_expression, 16, 2, DW_OP_breg7, 8);
	PUT_FDE(&m, TEXT + 0x50, 0x10, DW_CFA_def_cfa, 10, 0);
	PUT_FDE(&m, TEXT + 0x60, 0x10, DW_CFA_register, 16, 5);
	PUT_FDE(&m, TEXT + 0x70, 0x10, DW_CFA_undefined, 16);
	PUT_FDE(&m, TEXT + 0x80, 0x10, DW_CFA_same_value, 16);
	PUT_FDE(&m, TEXT + 0x90, 0x10, DW_CFA_def_cfa_offset, 0x80, 0x80, 0x80, 8);
	PUT_FDE(&m, TEXT + 0xa0, 0x10, DW_CFA_def_cfa_offset_sf, 0x70, DW_CFA_offset_extended_sf, 6, 0x7f);
	table = maker__table(&m, rules);
	assert_rule(table, TEXT, TEXT + 0x10, RULE(.cfa = UNWIND_CFA_PLT, .cfa_off = 11, .ra_off = -1));
	assert_rule(table, TEXT + 0x10, TEXT + 0x20, RULE(.cfa = UNWIND_CFA_DEREF, .reg = 6, .cfa_off = -40 * 256 + 8, .bp = UNWIND_BP_BASE, .ra_off = -1));
	assert_id(table, TEXT + 0x20, UNWIND_RULE_HARD);
	assert_rule(table, TEXT + 0x30, TEXT + 0x40, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 8, .bp = UNWIND_BP_LOST, .ra_off = -1));
	assert_id(table, TEXT + 0x40, UNWIND_RULE_HARD);
	assert_rule(table, TEXT + 0x50, TEXT + 0x60, RULE(.cfa = UNWIND_CFA_REG, .reg = 10, .ra_off = -1));
	assert_rule(table, TEXT + 0x60, TEXT + 0x70, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 8, .ra = UNWIND_RA_REG, .ra_off = 5));
	assert_id(table, TEXT + 0x70, UNWIND_RULE_END);
	assert_id(table, TEXT + 0x80, UNWIND_RULE_HARD);
	assert_id(table, TEXT + 0x90, UNWIND_RULE_HARD); /* 16 MiB */
	assert_rule(table, TEXT + 0xa0, TEXT + 0xb0, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 128, .bp = UNWIND_BP_CFA, .bp_off = 1, .ra_off = -1));
	unwind_table__delete(table);
}

static void test_damaged(void **state)
{
	struct unwind_table *table;

	X86_CIE(&m);
	PUT_FDE(&m, TEXT, 0x20, DW_CFA_advance_loc | 8, DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc | 8, 0x3f); /* an unknown instruction */
	PUT_FDE(&m, TEXT + 0x40, 0x20, DW_CFA_restore_state);						       /* nothing is remembered */
	PUT_FDE(&m, TEXT + 0x80, 0x20, DW_CFA_def_cfa_expression, 0x7f);				       /* beyond the end */
	PUT_FDE(&m, TEXT + TEXT_SIZE - 8, 0x20, DW_CFA_nop);						       /* beyond the code */
	PUT_FDE(&m, 0x100, 0x20, DW_CFA_nop);								       /* no code */
	maker__put32(&m, 0);										       /* a terminator in between */
	PUT_FDE(&m, TEXT + 0xc0, 0x20, DW_CFA_nop);
	maker__put32(&m, 0x1000); /* longer than the section */
	maker__put32(&m, 0);
	table = maker__table(&m, rules);
	check_shape(table);
	assert_rule(table, TEXT, TEXT + 8, SP_RULE(8));
	assert_rule(table, TEXT + 8, TEXT + 16, SP_RULE(16));
	assert_id(table, TEXT + 16, UNWIND_RULE_HARD);
	assert_id(table, TEXT + 0x1f, UNWIND_RULE_HARD);
	assert_id(table, TEXT + 0x20, UNWIND_RULE_NONE);
	assert_id(table, TEXT + 0x40, UNWIND_RULE_HARD);
	assert_id(table, TEXT + 0x80, UNWIND_RULE_HARD);
	assert_id(table, TEXT + TEXT_SIZE - 8, UNWIND_RULE_NONE);
	assert_rule(table, TEXT + 0xc0, TEXT + 0xe0, SP_RULE(8));
	unwind_table__delete(table);
}

static void test_entry(void **state)
{
	struct unwind_table *table;

	maker__ehdr(&m)->e_entry = BASE + TEXT + 0x100;
	maker__ehdr(&m)->e_type = ET_EXEC;
	X86_CIE(&m);
	PUT_FDE(&m, TEXT + 0x100, 0x20, DW_CFA_advance_loc | 8, DW_CFA_def_cfa_offset, 16);
	PUT_FDE(&m, TEXT + 0x180, 0x20, DW_CFA_nop);
	table = maker__table(&m, rules);
	assert_id(table, TEXT + 0x100, UNWIND_RULE_END);
	assert_id(table, TEXT + 0x11f, UNWIND_RULE_END);
	assert_id(table, TEXT + 0x120, UNWIND_RULE_NONE);
	unwind_table__delete(table);
	/* the file does not describe it */
	maker__ehdr(&m)->e_entry = BASE + TEXT + 0x140;
	assert_int_equal(maker__load(&m, rules, &table, NULL), 0);
	assert_rule(table, TEXT + 0x100, TEXT + 0x108, SP_RULE(8));
	assert_id(table, TEXT + 0x13f, UNWIND_RULE_NONE);
	assert_id(table, TEXT + 0x140, UNWIND_RULE_END);
	assert_id(table, TEXT + 0x17f, UNWIND_RULE_END);
	assert_rule(table, TEXT + 0x180, TEXT + 0x1a0, SP_RULE(8));
	unwind_table__delete(table);
}

/* A coroutine of makecontext() begins at __start_context(), whose address only makecontext() has. */
static void test_context(void **state)
{
	static const u8 makecontext[] = { 0x90, 0x48, 0x8d, 0x3d, 0xf8, 0, 0, 0, 0xc3 }; /* nop; lea 0xf8(%rip), %rdi; ret */
	static const u8 start[] = { 0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff, 0x74, 0x08 };
	static const Elf64_Sym syms[] = {
		{}, { .st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = BASE + TEXT + 0x40, .st_size = sizeof(makecontext) },
	};
	struct unwind_table *table;

	memcpy(m.image + TEXT + 0x40, makecontext, sizeof(makecontext));
	memcpy(m.image + TEXT + 0x140, start, sizeof(start));
	memcpy(m.image + TEXT + 0x800, syms, sizeof(syms));
	strcpy((char *)m.image + TEXT + 0x901, "makecontext");
	maker__add_section(&m, ".dynsym", SHT_DYNSYM, SHF_ALLOC, TEXT + 0x800, sizeof(syms));
	maker__shdr(&m, maker__ehdr(&m)->e_shnum - 1)->sh_entsize = sizeof(*syms);
	maker__shdr(&m, maker__ehdr(&m)->e_shnum - 1)->sh_link = maker__ehdr(&m)->e_shnum;
	maker__add_section(&m, ".dynstr", SHT_STRTAB, SHF_ALLOC, TEXT + 0x900, 13);
	X86_CIE(&m);
	PUT_FDE(&m, TEXT + 0x40, sizeof(makecontext), DW_CFA_nop);
	PUT_FDE(&m, TEXT + 0x120, 0x18, DW_CFA_nop);
	PUT_FDE(&m, TEXT + 0x140, 0x20, DW_CFA_nop);
	PUT_FDE(&m, TEXT + 0x160, 0x20, DW_CFA_nop);
	table = maker__table(&m, rules);
	assert_rule(table, TEXT + 0x120, TEXT + 0x13f, SP_RULE(8));
	assert_id(table, TEXT + 0x13f, UNWIND_RULE_END); /* a return address is looked up by the byte before it */
	assert_id(table, TEXT + 0x15f, UNWIND_RULE_END);
	assert_rule(table, TEXT + 0x160, TEXT + 0x180, SP_RULE(8));
	unwind_table__delete(table);
}

/* A library may begin at its .text, which says nothing. */
static void test_entry_of_library(void **state)
{
	struct unwind_table *table;

	maker__ehdr(&m)->e_entry = BASE + TEXT + 0x40;
	maker__add_section(&m, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT + 0x40, 0x1000);
	X86_CIE(&m);
	PUT_FDE(&m, TEXT + 0x100, 0x20, DW_CFA_nop);
	table = maker__table(&m, rules);
	assert_id(table, TEXT + 0x40, UNWIND_RULE_NONE);
	unwind_table__delete(table);
}

static void test_plt_and_init(void **state)
{
	static const u8 plt[] = { 0xff, 0x35, 0, 0, 0, 0, 0xff, 0x25, 0, 0, 0, 0, 0x0f, 0x1f, 0x40, 0, 0xff, 0x25, 0, 0, 0, 0, 0x68, 0, 0, 0, 0, 0xe9 };
	static const u8 init[] = { 0x48, 0x83, 0xec, 8, 0x90, 0x90, 0x48, 0x83, 0xc4, 8, 0xc3 };
	struct unwind_table *table;

	memcpy(m.image + TEXT, init, sizeof(init));
	memcpy(m.image + TEXT + 0x20, plt, sizeof(plt));
	maker__add_section(&m, ".init", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, sizeof(init));
	maker__add_section(&m, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT + 0x20, 0x40);
	maker__add_section(&m, ".plt.sec", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT + 0x60, 0x20);
	X86_CIE(&m);
	PUT_FDE(&m, TEXT + 0x100, 0x20, DW_CFA_nop);
	table = maker__table(&m, rules);
	check_shape(table);
	assert_rule(table, TEXT, TEXT + 4, SP_RULE(8));
	assert_rule(table, TEXT + 4, TEXT + 10, SP_RULE(16));
	assert_rule(table, TEXT + 10, TEXT + 11, SP_RULE(8));
	assert_id(table, TEXT + 11, UNWIND_RULE_NONE);
	assert_rule(table, TEXT + 0x20, TEXT + 0x26, SP_RULE(16));
	assert_rule(table, TEXT + 0x26, TEXT + 0x30, SP_RULE(24));
	assert_rule(table, TEXT + 0x30, TEXT + 0x60, RULE(.cfa = UNWIND_CFA_PLT, .cfa_off = 11, .ra_off = -1));
	assert_rule(table, TEXT + 0x60, TEXT + 0x80, SP_RULE(8));
	assert_id(table, TEXT + 0x80, UNWIND_RULE_NONE);
	unwind_table__delete(table);
}

/* .fini without any instruction between, and __do_global_dtors_aux with the functions around it, as GCC 12 writes them */
static void test_ends(void **state)
{
	static const u8 fini[] = { 0x48, 0x83, 0xec, 8, 0x48, 0x83, 0xc4, 8, 0xc3 };
	static const u8 end[] = {
		0xf3, 0x0f, 0x1e, 0xfa, 0x80, 0x3d, 1, 2, 3, 4, 0, 0x75, 0x2b, /* endbr64; cmpb; jne */
		0x55, 0x48, 0x83, 0x3d, 5, 6, 7, 8, 0, 0x48, 0x89, 0xe5, 0x74, 0x0c, /* push; cmpq; mov; je */
		0x48, 0x8b, 0x3d, 9, 10, 11, 12, 0xe8, 1, 0, 0, 0, 0xe8, 0x64, 0xff, 0xff, 0xff, /* mov; 2 calls, the second to -0x70 */
		0xc6, 0x05, 1, 2, 3, 4, 1, 0x5d, 0xc3, 0x0f, 0x1f, 0, 0xc3, /* movb; pop; ret; nop; ret */
		0x0f, 0x1f, 0x80, 0, 0, 0, 0, 0xf3, 0x0f, 0x1e, 0xfa, 0xe9, 0x77, 0xff, 0xff, 0xff, /* nop; endbr64; jmp */
	};
	const u64 at = TEXT + 0x200, place = BASE + at;
	struct unwind_table *table;

	memcpy(m.image + TEXT, fini, sizeof(fini));
	memcpy(m.image + at, end, sizeof(end));
	memcpy(m.image + 0x200, &place, sizeof(place));
	maker__add_section(&m, ".fini", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, sizeof(fini));
	maker__add_section(&m, ".fini_array", SHT_FINI_ARRAY, SHF_ALLOC | SHF_WRITE, 0x200, sizeof(place));
	X86_CIE(&m);
	PUT_FDE(&m, TEXT + 0x300, 0x20, DW_CFA_nop);
	table = maker__table(&m, rules);
	check_shape(table);
	assert_rule(table, TEXT, TEXT + 4, SP_RULE(8));
	assert_rule(table, TEXT + 4, TEXT + 8, SP_RULE(16));
	assert_rule(table, TEXT + 8, TEXT + 9, SP_RULE(8));
	assert_id(table, at - 0x71, UNWIND_RULE_NONE);
	assert_rule(table, at - 0x70, at + 14, SP_RULE(8));
	assert_rule(table, at + 14, at + 0x34, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16, .bp = UNWIND_BP_CFA, .bp_off = -2, .ra_off = -1));
	assert_rule(table, at + 0x34, at + 0x49, SP_RULE(8));
	assert_id(table, at + 0x49, UNWIND_RULE_NONE);
	unwind_table__delete(table);
	m.image[at + 13]++; /* other code */
	table = maker__table(&m, rules);
	assert_id(table, at - 0x70, UNWIND_RULE_NONE);
	assert_id(table, at + 14, UNWIND_RULE_NONE);
	unwind_table__delete(table);
}

/* .debug_frame with nr functions, 0x40 bytes apart, with frames of 24 bytes */
static void put_debug_frame(u64 nr)
{
	size_t begin, first = m.at;

	m.is_debug = true;
	PUT_CIE(&m, "", 16, DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1);
	for (u64 i = 0; i < nr; i++) {
		u64 code[] = { BASE + TEXT + 0x40 * i, 0x20 };

		begin = maker__begin_entry(&m, 0);
		maker__put(&m, code, sizeof(code));
		maker__put(&m, (u8[]){ DW_CFA_def_cfa_offset, 24 }, 2);
		maker__end_entry(&m, begin);
	}
	maker__add_section(&m, ".debug_frame", SHT_PROGBITS, 0, first, m.at - first);
}

static void test_debug_frame(void **state)
{
	struct unwind_table *table;

	X86_CIE(&m);
	PUT_FDE(&m, TEXT, 0x20, DW_CFA_def_cfa_offset, 16);
	maker__add_section(&m, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, FRAMES, m.at - FRAMES);
	put_debug_frame(2); /* the first one is in .eh_frame, too */
	assert_int_equal(maker__load(&m, rules, &table, NULL), 0);
	assert_rule(table, TEXT, TEXT + 0x20, SP_RULE(16));
	assert_rule(table, TEXT + 0x40, TEXT + 0x60, SP_RULE(24));
	unwind_table__delete(table);
}

static void test_two_segments(void **state)
{
	Elf64_Phdr *second = maker__phdr(&m, 2);
	struct unwind_table *table;

	maker__add_phdr(&m, PT_LOAD, PF_R | PF_X, TEXT + 0x2000, 0x1000);
	maker__phdr(&m, 1)->p_filesz = maker__phdr(&m, 1)->p_memsz = 0x1000;
	second->p_vaddr += 0x7000; /* elsewhere in memory */
	X86_CIE(&m);
	PUT_FDE(&m, TEXT, 0x20, DW_CFA_def_cfa_offset, 16);
	PUT_FDE(&m, TEXT + 0x2000 + 0x7000, 0x20, DW_CFA_def_cfa_offset, 24);
	table = maker__table(&m, rules);
	assert_rule(table, TEXT, TEXT + 0x20, SP_RULE(16));
	assert_rule(table, TEXT + 0x2000, TEXT + 0x2020, SP_RULE(24));
	assert_id(table, TEXT + 0x1800, UNWIND_RULE_NONE);
	unwind_table__delete(table);
}

static void test_no_section_headers(void **state)
{
	struct unwind_table *table;
	u32 hdr[2] = { 0x003b1b01, FRAMES - (0x300 + 4) };

	memcpy(m.image + 0x300, hdr, sizeof(hdr));
	maker__add_phdr(&m, PT_GNU_EH_FRAME, PF_R, 0x300, sizeof(hdr));
	X86_CIE(&m);
	PUT_FDE(&m, TEXT, 0x20, DW_CFA_def_cfa_offset, 16);
	maker__ehdr(&m)->e_shoff = maker__ehdr(&m)->e_shnum = maker__ehdr(&m)->e_shstrndx = 0;
	assert_int_equal(maker__load(&m, rules, &table, NULL), 0);
	assert_rule(table, TEXT, TEXT + 0x20, SP_RULE(16));
	unwind_table__delete(table);
}

static void test_go(void **state)
{
	struct unwind_table *table;

	maker__add_section(&m, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, TEXT + 0x2800, 0x10);
	assert_int_equal(maker__load(&m, rules, &table, NULL), -ENODATA);
	m.at = FRAMES;
	put_debug_frame(1);
	table = maker__table(&m, rules);
	assert_rule(table, TEXT, TEXT + 0x20, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 24, .reg = UNWIND_X86_BP, .ra_off = -1, .bx = UNWIND_BX_LOST));
	unwind_table__delete(table);
	m.at = FRAMES;
	m.is_debug = false;
	X86_CIE(&m);
	PUT_FDE(&m, TEXT, 0x20, DW_CFA_nop);
	table = maker__table(&m, rules);
	assert_rule(table, TEXT, TEXT + 0x20, SP_RULE(8));
	assert_id(table, TEXT + 0x400, UNWIND_RULE_FP);
	unwind_table__delete(table);
}

static void test_refused(void **state)
{
	struct unwind_table *table;
	struct errmsg err;

	assert_int_equal(maker__load(&m, rules, &table, &err), -ENODATA);
	assert_string_equal(err.text, "made: it has no call frame information");
	assert_null(table);
	X86_CIE(&m);
	PUT_FDE(&m, TEXT, 0x20, DW_CFA_nop);
	maker__add_section(&m, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, FRAMES, m.at - FRAMES);
	/* code whose index would take gigabytes */
	maker__phdr(&m, 1)->p_filesz = 1ULL << 42;
	assert_int_equal(maker__load(&m, rules, &table, &err), -E2BIG);
	maker__phdr(&m, 1)->p_filesz = TEXT_SIZE;
	maker__ehdr(&m)->e_machine = EM_AARCH64;
	assert_int_equal(maker__load(&m, rules, &table, &err), -ENOTSUP);
	assert_string_equal(err.text, "made: it is for another machine");
	assert_int_equal(unwind_table__load_memory("no ELF file", 11, "text", rules, &table, &err), -ENOEXEC);
	assert_int_equal(unwind_table__load("/nonexistent", rules, &table, &err), -ENOENT);
}

static void test_rule_limit(void **state)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP };

	unwind_rules__begin_file(rules);
	for (u32 i = 0; i < UNWIND_MAX_FILE_RULES; i++) {
		rule.cfa_off = i;
		assert_int_equal(unwind_rules__id(rules, &rule), UNWIND_NR_FIXED_RULES + i);
	}
	assert_int_equal(unwind_rules__id(rules, &rule), UNWIND_NR_FIXED_RULES + UNWIND_MAX_FILE_RULES - 1);
	rule.cfa_off = -1;
	assert_int_equal(unwind_rules__id(rules, &rule), UNWIND_RULE_HARD);
	assert_int_equal(unwind_rules__nr_refused(rules), 1);
	unwind_rules__begin_file(rules);
	assert_int_equal(unwind_rules__id(rules, &rule), UNWIND_NR_FIXED_RULES + UNWIND_MAX_FILE_RULES);
}

static void test_arm64(void **state)
{
	static const u32 sigreturn[] = { 0xd2801168, 0xd4000001 };
	struct unwind_table *table;

	memcpy(m.image + TEXT + 0x404, sigreturn, sizeof(sigreturn));
	ARM64_CIE(&m);
	/* paciasp; stp x29, x30, [sp, #-32]!; mov x29, sp */
	PUT_FDE(&m, TEXT, 0x40, DW_CFA_advance_loc | 4, 0x2d, DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 29, 4,
		DW_CFA_offset | 30, 3, DW_CFA_advance_loc | 4, DW_CFA_def_cfa_register, 29);
	/* a frame of 4 KiB, with the registers at its end */
	PUT_FDE(&m, TEXT + 0x40, 0x40, DW_CFA_def_cfa_offset, 0x80, 0x20, DW_CFA_offset | 29, 0x80, 4, DW_CFA_offset | 30, 0xff, 3);
	table = maker__table(&m, rules);
	assert_rule(table, TEXT, TEXT + 8, RULE(.cfa = UNWIND_CFA_SP, .ra = UNWIND_RA_REG, .ra_off = 30));
	assert_rule(table, TEXT + 8, TEXT + 12, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 32, .bp = UNWIND_BP_CFA, .bp_off = -4, .ra_off = -3));
	assert_rule(table, TEXT + 12, TEXT + 0x40, RULE(.cfa = UNWIND_CFA_BP, .cfa_off = 32, .bp = UNWIND_BP_CFA, .bp_off = -4, .ra_off = -3));
	assert_rule(table, TEXT + 0x40, TEXT + 0x80, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 4096, .bp = UNWIND_BP_CFA, .bp_off = -512, .ra = UNWIND_RA_PAIR));
	assert_id(table, TEXT + 0x3ff, UNWIND_RULE_NONE);
	/* the instruction before it counts, too: it is what is asked for */
	assert_rule(table, TEXT + 0x400, TEXT + 0x40c, RULE(.cfa = UNWIND_CFA_DEREF, .reg = 31, .cfa_off = 560 << 8, .bp = UNWIND_BP_BASE,
							    .bp_off = 544 / 8, .ra = UNWIND_RA_BASE, .ra_off = 568 / 8, .signal = 1));
	unwind_table__delete(table);
}

static void add_dynsym(const Elf64_Sym *syms, size_t size)
{
	maker__put(&m, syms, size);
	maker__add_section(&m, ".dynsym", SHT_DYNSYM, SHF_ALLOC, FRAMES, size);
	maker__shdr(&m, maker__ehdr(&m)->e_shnum - 1)->sh_entsize = sizeof(*syms);
}

/* The vdso: symbols, the return from a signal handler, and no call frame information */
static void test_arm64_vdso(void **state)
{
	/* paciasp; stp x29, x30, [sp, #-128]!; cbz x0, ...; ldp x29, x30, [sp], #128; autiasp; ret; b ... */
	static const u32 framed[] = { 0xd503233f, 0xa9b87bfd, 0xb4000080, 0xa8c87bfd, 0xd50323bf, 0xd65f03c0, 0x17fffffd };
	static const u32 leaf[] = { 0xd2800000, 0xd65f03c0 }, sigreturn[] = { 0xd503201f, 0xd2801168, 0xd4000001 };
	static const Elf64_Sym syms[] = {
		{},
		{ .st_info = STT_FUNC, .st_shndx = 1, .st_value = BASE + TEXT, .st_size = sizeof(framed) },
		{ .st_info = STT_FUNC, .st_shndx = 1, .st_value = BASE + TEXT + 0x40, .st_size = sizeof(leaf) },
	};
	const struct unwind_rule in_lr = { .cfa = UNWIND_CFA_SP, .ra = UNWIND_RA_REG, .ra_off = 30 };
	const struct unwind_rule pushed = { .cfa = UNWIND_CFA_SP, .cfa_off = 128, .bp = UNWIND_BP_CFA, .bp_off = -16, .ra_off = -15 };
	struct unwind_table *table;

	memcpy(m.image + TEXT, framed, sizeof(framed));
	memcpy(m.image + TEXT + 0x40, leaf, sizeof(leaf));
	memcpy(m.image + TEXT + 0x80, sigreturn, sizeof(sigreturn));
	add_dynsym(syms, sizeof(syms));
	assert_int_equal(maker__load(&m, rules, &table, NULL), 0);
	assert_rule(table, TEXT, TEXT + 8, in_lr);
	assert_rule(table, TEXT + 8, TEXT + 16, pushed);
	assert_rule(table, TEXT + 16, TEXT + 24, in_lr);
	assert_rule(table, TEXT + 24, TEXT + 28, pushed);
	assert_id(table, TEXT + 28, UNWIND_RULE_FP);
	assert_rule(table, TEXT + 0x40, TEXT + 0x48, in_lr);
	assert_id(table, TEXT + 0x7f, UNWIND_RULE_FP);
	assert_int_equal(unwind_rules__array(rules)[unwind_table__rule(table, TEXT + 0x80)].signal, 1);
	assert_id(table, TEXT + 0x8c, UNWIND_RULE_FP);
	unwind_table__delete(table);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_frame_pointer), CASE(test_pages), CASE(test_rbx), CASE(test_remembered), CASE(test_order_and_gaps), CASE(test_signal_frame), CASE(test_expressions),
		CASE(test_damaged), CASE(test_entry), CASE(test_context), CASE(test_entry_of_library), CASE(test_plt_and_init), CASE(test_ends), CASE(test_debug_frame), CASE(test_two_segments),
		CASE(test_no_section_headers), CASE(test_go), CASE(test_refused), CASE(test_rule_limit),
		cmocka_unit_test_setup_teardown(test_arm64, setup_arm64, teardown),
		cmocka_unit_test_setup_teardown(test_arm64_vdso, setup_arm64, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

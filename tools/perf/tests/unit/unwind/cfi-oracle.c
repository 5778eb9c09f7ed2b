// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of our tables against what libdw reads from the same files: at each row of ours, and at each row of libdw's. Differences are counted
 * by their cause; only those that have one are allowed. The files are programs and libraries of this machine; PERF_UNWIND_FILES says how many
 * (see make proof-unwind), PERF_UNWIND_FILE names one, and PERF_UNWIND_ROOT a directory with files for another machine.
 */
#include <dirent.h>
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/unwind/table.h"

#define FILES 20
#define ALIGNMENT 16 /* of functions */
#define START_SIZE 64 /* of _start */

#ifdef __aarch64__
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_X86_64
#endif

static struct { /* registers of the files' machine, by DWARF number */
	u16 machine;
	u32 sp, bp, ra, bx;
} cpu;

static void set_machine(u16 machine)
{
	cpu.machine = machine;
	cpu.sp = machine == EM_AARCH64 ? 31 : 7;
	cpu.bp = machine == EM_AARCH64 ? 29 : 6;
	cpu.ra = machine == EM_AARCH64 ? 30 : 16;
	cpu.bx = 3;
}

enum difference {
	SAME,
	HARD,	    /* libdw has an expression that is no rule: our table says so */
	LOST_BP,    /* the same for the frame pointer alone */
	PADDING,    /* libdw says nothing, and ours goes on to the next aligned function */
	KNOWN_CODE, /* libdw says nothing, and ours knows the code */
	ENTRY,	    /* the first function of a program or of a context is the outermost frame, whatever the file says */
	WRONG,
	NR_DIFFERENCES,
};

static const char *const names[NR_DIFFERENCES] = { "same", "no rule for it", "no rule for bp", "padding", "known code", "entry", "WRONG" };

struct oracle {
	const char *path;
	Elf *elf;
	Dwarf_CFI *cfi;
	const struct unwind_table *table;
	const struct unwind_rule *rules;
	u64 entry; /* vaddr */
	u64 count[NR_DIFFERENCES];
	u32 nr_files, nr_printed;
};

static bool is_expression(const Dwarf_Op *ops, size_t nr, const u8 *atoms, size_t nr_atoms)
{
	for (size_t i = 0; i < nr && i < nr_atoms; i++) {
		if (ops[i].atom != atoms[i])
			return false;
	}
	return nr == nr_atoms;
}

/* The register and offset that an expression begins with; libdw spells them in two ways. */
static bool base_of(const Dwarf_Op *op, u32 *reg, s64 *off)
{
	bool is_breg = op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31;

	*reg = is_breg ? op->atom - DW_OP_breg0 : (int)op->number;
	*off = is_breg ? op->number : op->number2;
	return is_breg || op->atom == DW_OP_bregx;
}

/* The CFA in our form, from libdw's operations. */
static struct unwind_rule cfa_rule(const Dwarf_Op *ops, size_t nr)
{
	static const u8 plt[] = { DW_OP_breg7, DW_OP_breg16, DW_OP_lit15, DW_OP_and, 0, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	struct unwind_rule rule = { .cfa = UNWIND_CFA_HARD };
	u8 shape[ARRAY_SIZE(plt)];
	u32 reg;
	s64 off;

	memcpy(shape, plt, sizeof(plt));
	if (nr == ARRAY_SIZE(plt))
		shape[4] = ops[4].atom;
	if (is_expression(ops, nr, shape, sizeof(shape)) && ops[4].atom >= DW_OP_lit0 && ops[4].atom <= DW_OP_lit15 && ops[0].number == 8)
		return (struct unwind_rule){ .cfa = UNWIND_CFA_PLT, .cfa_off = ops[4].atom - DW_OP_lit0 };
	if (!nr || !base_of(ops, &reg, &off) || reg > 31)
		return rule;
	if (nr == 1 && off >= -(1 << 23) && off < 1 << 23) {
		rule.cfa = reg == cpu.sp ? UNWIND_CFA_SP : reg == cpu.bp ? UNWIND_CFA_BP : UNWIND_CFA_REG;
		rule.reg = rule.cfa == UNWIND_CFA_REG ? reg : 0;
		rule.cfa_off = off;
	} else if (nr >= 2 && ops[1].atom == DW_OP_deref && off >= INT16_MIN && off <= INT16_MAX) {
		s64 add = nr == 3 && ops[2].atom == DW_OP_plus_uconst ? (s64)ops[2].number : 0;

		if (nr == 2 || (nr == 3 && ops[2].atom == DW_OP_plus_uconst && add < 128)) {
			rule.cfa = UNWIND_CFA_DEREF;
			rule.reg = reg;
			rule.cfa_off = off * 256 + add;
		}
	}
	return rule;
}

enum { P_CFA, P_BASE, P_REG, P_KEPT, P_UNDEFINED, P_ELSEWHERE };

/* Where libdw finds a register. base: the register that the CFA is computed from */
static int place_of(Dwarf_Frame *frame, int number, u32 base, s64 *off)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;
	u32 reg;

	if (dwarf_frame_register(frame, number, mem, &ops, &nr))
		return P_ELSEWHERE;
	if (!nr)
		return ops == mem ? P_UNDEFINED : P_KEPT;
	*off = 0;
	if (ops[0].atom == DW_OP_call_frame_cfa && nr == 1)
		return P_CFA;
	if (ops[0].atom == DW_OP_call_frame_cfa && nr == 2 && ops[1].atom == DW_OP_plus_uconst) {
		*off = ops[1].number;
		return P_CFA;
	}
	if (nr == 1 && (ops[0].atom == DW_OP_regx || (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31))) {
		*off = ops[0].atom == DW_OP_regx ? (s64)ops[0].number : ops[0].atom - DW_OP_reg0;
		return P_REG;
	}
	/* an expression begins with the CFA on the stack, which ours do not use */
	return nr == 2 && ops[0].atom == DW_OP_call_frame_cfa && base_of(&ops[1], &reg, off) && reg == base ? P_BASE : P_ELSEWHERE;
}

static u32 base_reg(const struct unwind_rule *rule)
{
	if (rule->cfa == UNWIND_CFA_BP)
		return cpu.bp;
	return rule->cfa == UNWIND_CFA_REG || rule->cfa == UNWIND_CFA_DEREF ? (u32)rule->reg : cpu.sp;
}

/* Is the caller's stack pointer the CFA? */
static bool sp_is_plain(Dwarf_Frame *frame, const struct unwind_rule *cfa)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;
	s64 off = 0;

	if (dwarf_frame_register(frame, cpu.sp, mem, &ops, &nr))
		return false;
	/* the CFA, by the ABI or by a rule */
	if (!nr || (nr == 2 && ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_stack_value))
		return true;
	return cfa->cfa == UNWIND_CFA_DEREF && place_of(frame, cpu.sp, cfa->reg, &off) == P_BASE && off == unwind_rule__at(cfa) &&
	       !unwind_rule__add(cfa);
}

static bool same_ra(const struct unwind_rule *rule, int where, s64 off)
{
	if (where == P_KEPT)
		return cpu.machine == EM_AARCH64 && rule->ra == UNWIND_RA_REG && rule->ra_off == (int)cpu.ra;
	if (where == P_REG)
		return rule->ra == UNWIND_RA_REG && rule->ra_off == off;
	if (rule->ra == UNWIND_RA_PAIR)
		return (where == P_CFA || where == P_BASE) && rule->bp == (where == P_CFA ? UNWIND_BP_CFA : UNWIND_BP_BASE) &&
		       rule->bp_off * 8 + 8 == off;
	return rule->ra == (where == P_CFA ? UNWIND_RA_CFA : where == P_BASE ? UNWIND_RA_BASE : UNWIND_RA_REG) && rule->ra_off * 8 == off;
}

/* May our table say that there is no rule? */
static bool is_hard(int ra, s64 ra_off, bool plain_sp, const struct unwind_rule *cfa)
{
	if (cfa->cfa == UNWIND_CFA_HARD || !plain_sp || ra == P_ELSEWHERE)
		return true;
	if (ra == P_KEPT)
		return cpu.machine != EM_AARCH64;
	return ra != P_REG && (ra_off % 8 || ra_off / 8 < INT8_MIN || ra_off / 8 > INT8_MAX);
}

/* Is rbx where the rule says, or at a place that rules have no words for? */
static bool same_bx(const struct unwind_rule *rule, Dwarf_Frame *frame)
{
	s64 off = 0;
	int where;

	if (cpu.machine == EM_AARCH64)
		return rule->bx == UNWIND_BX_SAME;
	where = place_of(frame, cpu.bx, cpu.sp, &off);
	if (rule->bx == UNWIND_BX_SAME) /* libdw takes a register that nobody speaks of for undefined, though the ABI preserves rbx */
		return where == P_KEPT || where == P_UNDEFINED;
	if (rule->bx == UNWIND_BX_LOST)
		return where != P_KEPT && (where != P_CFA || off % 8 || off > -16 || off < -56);
	return where == P_CFA && off == -8 * (rule->bx + 1);
}

static enum difference compare(const struct unwind_rule *rule, Dwarf_Frame *frame, bool is_signal)
{
	struct unwind_rule cfa = { .cfa = UNWIND_CFA_HARD };
	s64 bp_off = 0, ra_off = 0;
	int bp, ra;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_frame_cfa(frame, &ops, &nr))
		cfa = cfa_rule(ops, nr);
	ra = place_of(frame, cpu.ra, base_reg(&cfa), &ra_off);
	if (ra == P_UNDEFINED)
		return rule->cfa == UNWIND_CFA_END ? SAME : WRONG;
	if (rule->cfa == UNWIND_CFA_HARD)
		return is_hard(ra, ra_off, sp_is_plain(frame, &cfa), &cfa) ? HARD : WRONG;
	if (rule->cfa != cfa.cfa || rule->cfa_off != cfa.cfa_off || rule->reg != cfa.reg || rule->signal != is_signal ||
	    !same_ra(rule, ra, ra_off) || !sp_is_plain(frame, &cfa) || !same_bx(rule, frame))
		return WRONG;
	bp = place_of(frame, cpu.bp, base_reg(&cfa), &bp_off);
	switch (rule->bp) {
	case UNWIND_BP_SAME:
		return bp == P_KEPT ? SAME : WRONG;
	case UNWIND_BP_LOST:
		return bp == P_UNDEFINED ? SAME : bp == P_ELSEWHERE || bp == P_REG || bp_off % 8 ? LOST_BP : WRONG;
	default:
		return bp == (rule->bp == UNWIND_BP_CFA ? P_CFA : P_BASE) && bp_off == rule->bp_off * 8 ? SAME : WRONG;
	}
}

/* The first offset behind this one that has another rule in our table, or a row in it */
static u64 next_row(const struct unwind_table *table, u64 offset)
{
	u64 page = (offset >> UNWIND_PAGE_SHIFT) - table->first_page;
	u32 i = table->index[page];

	for (; i < table->nr_rows; i++) {
		u64 at;

		while (i >= table->index[page + 1])
			page++;
		at = ((page + table->first_page) << UNWIND_PAGE_SHIFT) + table->rows[i].low;
		if (at > offset)
			return at;
	}
	return (u64)(table->first_page + table->nr_pages) << UNWIND_PAGE_SHIFT;
}

static void count(struct oracle *o, enum difference what, u64 vaddr, u32 id)
{
	const struct unwind_rule *r = &o->rules[id];

	o->count[what]++;
	if (what != WRONG || o->nr_printed++ > 20)
		return;
	printf("# %s: %#llx: rule %u: cfa %d reg %d %+lld, bp %d %+lld, bx %d, ra %d %+lld, signal %d\n", o->path, (unsigned long long)vaddr, id, (int)r->cfa,
	       (int)r->reg, (long long)r->cfa_off, (int)r->bp, (long long)r->bp_off * 8, (int)r->bx, (int)r->ra, (long long)r->ra_off, (int)r->signal);
}

static bool says_something(const struct oracle *o, u64 vaddr)
{
	Dwarf_Frame *frame;

	if (dwarf_cfi_addrframe(o->cfi, vaddr, &frame))
		return false;
	free(frame);
	return true;
}

#define END_SIZE 256 /* of GCC's functions before its __do_global_dtors_aux, and behind its begin */

/* That function is the first one of .fini_array. */
static bool is_end(const struct oracle *o, u64 vaddr)
{
	size_t strings = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	elf_getshdrstrndx(o->elf, &strings);
	while ((scn = elf_nextscn(o->elf, scn))) {
		const char *name = gelf_getshdr(scn, &shdr) ? elf_strptr(o->elf, strings, shdr.sh_name) : NULL;
		Elf_Data *data = name && !strcmp(name, ".fini_array") ? elf_getdata(scn, NULL) : NULL;
		u64 begin;

		if (!data || data->d_size < sizeof(begin))
			continue;
		memcpy(&begin, data->d_buf, sizeof(begin));
		return vaddr - (begin - END_SIZE) < 2 * END_SIZE;
	}
	return false;
}

/* Code that our builder knows: that of the linker and of the C start files */
static bool is_known(const struct oracle *o, u64 vaddr)
{
	static const char *const sections[] = { ".plt", ".plt.got", ".plt.sec", ".iplt", ".init", ".fini" };
	Elf_Scn *scn = NULL;
	size_t strings = 0;
	GElf_Shdr shdr;

	elf_getshdrstrndx(o->elf, &strings);
	while ((scn = elf_nextscn(o->elf, scn))) {
		const char *name = gelf_getshdr(scn, &shdr) ? elf_strptr(o->elf, strings, shdr.sh_name) : NULL;

		for (size_t i = 0; name && i < ARRAY_SIZE(sections); i++) {
			if (!strcmp(name, sections[i]) && vaddr - shdr.sh_addr < shdr.sh_size)
				return true;
		}
	}
	return vaddr - o->entry < START_SIZE || is_end(o, vaddr);
}

/* Where libdw says nothing */
static enum difference compare_nothing(const struct oracle *o, u64 vaddr, u32 id)
{
	u64 aligned = ALIGN_UP(vaddr, ALIGNMENT);

	if (id == UNWIND_RULE_NONE || id == UNWIND_RULE_FP)
		return SAME;
	if (is_known(o, vaddr))
		return KNOWN_CODE;
	return aligned != vaddr && says_something(o, aligned) ? PADDING : WRONG;
}

/* glibc's __start_context(), which contexts of makecontext(3) return to. From glibc 2.41 on it is described as an ordinary function. */
static bool is_start_of_context(const struct oracle *o, u64 offset)
{
	static const u8 begin[] = { 0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff }; /* mov %rbx,%rsp; mov (%rsp),%rdi; test %rdi,%rdi */
	size_t size;
	const char *file = elf_rawfile(o->elf, &size);

	return cpu.machine == EM_X86_64 && file && size > sizeof(begin) && offset < size - sizeof(begin) && !memcmp(file + offset, begin, sizeof(begin));
}

static bool is_start(const struct oracle *o, u64 vaddr, u64 offset, Dwarf_Addr from)
{
	return vaddr - o->entry < START_SIZE || (o->entry >= from && o->entry <= vaddr) || is_start_of_context(o, offset);
}

static void compare_segment(struct oracle *o, const GElf_Phdr *phdr)
{
	u64 bias = phdr->p_vaddr - phdr->p_offset, end = phdr->p_vaddr + phdr->p_filesz, next;

	for (u64 vaddr = phdr->p_vaddr; vaddr < end; vaddr = next) {
		u32 id = unwind_table__rule(o->table, vaddr - bias);
		Dwarf_Addr from, to;
		Dwarf_Frame *frame;
		enum difference what;
		bool is_signal;

		next = next_row(o->table, vaddr - bias) + bias;
		if (dwarf_cfi_addrframe(o->cfi, vaddr, &frame)) {
			/* libdw does not say how far that goes */
			count(o, compare_nothing(o, vaddr, id), vaddr, id);
			next = next < ALIGN_UP(vaddr + 1, 4) ? next : ALIGN_UP(vaddr + 1, 4);
			continue;
		}
		if (dwarf_frame_info(frame, &from, &to, &is_signal) < 0)
			to = vaddr + 1;
		what = compare(&o->rules[id], frame, is_signal);
		if (what == WRONG && id == UNWIND_RULE_END && is_start(o, vaddr, vaddr - bias, from))
			what = ENTRY;
		count(o, what, vaddr, id);
		free(frame);
		next = to < next ? to : next;
	}
}

/* The machine of that file, or this one's */
static u16 machine_of(const char *path)
{
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	Elf64_Ehdr ehdr = { .e_machine = OWN_MACHINE };

	if (path)
		assert_int_equal(read(fd, &ehdr, sizeof(ehdr)), sizeof(ehdr));
	if (fd >= 0)
		close(fd);
	return ehdr.e_machine;
}

static bool compare_file(struct oracle *o, struct unwind_rules *rules, const char *path)
{
	struct unwind_table *table;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	GElf_Ehdr ehdr;
	GElf_Phdr phdr;
	bool compared = false;

	if (elf && gelf_getehdr(elf, &ehdr) && !unwind_table__load(path, rules, &table, NULL)) {
		o->path = path;
		o->elf = elf;
		o->table = table;
		o->rules = unwind_rules__array(rules);
		o->entry = ehdr.e_entry;
		o->cfi = dwarf_getcfi_elf(elf);
		for (int i = 0; o->cfi && gelf_getphdr(elf, i, &phdr); i++) {
			if (phdr.p_type == PT_LOAD && phdr.p_flags & PF_X)
				compare_segment(o, &phdr);
		}
		compared = o->cfi;
		dwarf_cfi_end(o->cfi);
		unwind_table__delete(table);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	o->nr_files += compared;
	return compared;
}

/* Every step-th file of a directory, without those that have no table, so that the files are of many kinds. */
static void compare_dir(struct oracle *o, struct unwind_rules *rules, const char *dir, u32 most)
{
	struct dirent **entry;
	int nr = scandir(dir, &entry, NULL, alphasort), step = nr / (int)most + 1;
	u32 limit = o->nr_files + most;
	char path[PATH_MAX];

	for (int first = 0; first < step; first++) {
		for (int i = first; i < nr && o->nr_files < limit; i += step) {
			snprintf(path, sizeof(path), "%s/%s", dir, entry[i]->d_name);
			if (entry[i]->d_type == DT_REG)
				compare_file(o, rules, path);
		}
	}
	for (int i = 0; i < nr; i++)
		free(entry[i]);
	if (nr >= 0)
		free(entry);
}

static void test_files(void **state)
{
	const char *const dirs[] = { "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/bin", "/usr/sbin" };
	const char *one = getenv("PERF_UNWIND_FILE"), *files = getenv("PERF_UNWIND_FILES"), *root = getenv("PERF_UNWIND_ROOT");
	u32 nr = files ? atoi(files) : FILES;
	struct unwind_rules *rules;
	struct oracle o = {};
	char path[PATH_MAX / 2];

	set_machine(machine_of(one));
	if (root) {
		snprintf(path, sizeof(path), "%s/usr/lib/aarch64-linux-gnu", root);
		set_machine(access(path, F_OK) ? EM_X86_64 : EM_AARCH64);
	}
	rules = unwind_rules__new(cpu.machine);
	assert_non_null(rules);
	elf_version(EV_CURRENT);
	if (one)
		assert_true(compare_file(&o, rules, one));
	for (size_t i = 0; !one && i < ARRAY_SIZE(dirs); i++) {
		snprintf(path, sizeof(path), "%s%s", root ?: "", dirs[i]);
		compare_dir(&o, rules, path, nr / 3 + 1);
	}
	if (!one && !root)
		assert_true(compare_file(&o, rules, "/proc/self/exe"));
	printf("# %u files, %u rules:", o.nr_files, unwind_rules__nr(rules));
	for (int i = 0; i < NR_DIFFERENCES; i++)
		printf(" %s %llu%s", names[i], (unsigned long long)o.count[i], i + 1 < NR_DIFFERENCES ? "," : "\n");
	assert_int_equal(o.count[WRONG], 0);
	assert_int_equal(unwind_rules__nr_refused(rules), 0);
	/* a small system may have few of them */
	assert_in_range(o.nr_files, files && !root ? nr : 1, UINT32_MAX);
	assert_true(o.count[SAME] > 0);
	assert_true(one || o.count[HARD] + o.count[LOST_BP] < o.count[SAME] / 20);
	unwind_rules__delete(rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

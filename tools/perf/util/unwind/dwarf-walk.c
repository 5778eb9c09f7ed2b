// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/dwarf-walk.h"

#include <elf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/symbol/elf-file.h"
#include "util/unwind/cfi-section.h"
#include "util/unwind/dwarf-expr.h"

/*
 * libdw runs an entry's program for each frame, some 30 ns a byte, which may also take 200 bytes of memory each, and keeps all operations of
 * expressions that it has met, some 64 bytes for each. So what a step and a walk may run is limited, and after so many operations libdw
 * begins anew.
 */
#define SHORT_ENTRY 1024 /* bytes: what a shorter entry counts. Compilers write some with 20 KiB */
#define MAX_ENTRY (1 << 15) /* of a file that libdwfl walks through, without a limit for a step */
#define MAX_STEP_BYTES (1 << 16)
#define MAX_WALK_BYTES (1 << 20) /* a walk through UNWIND_MAX_FRAMES short ones takes half of it */
#define MAX_KEPT_OPS (1 << 20)

struct long_entry { /* its code, by address, and its size in bytes */
	u64 begin, size;
	u32 cost;
};

struct dwarf_cfi {
	struct elf_file file;
	Dwarf_CFI *cfi; /* NULL: there is no memory for it now */
	u64 nr_ops;	/* of expressions since it was made; those that are met again count again */
	struct long_entry *entry; /* in any order: few files have one */
	u32 nr_long, nr_noted;
};

/* In the order of sections, libdw would find functions by the table of the last one before .eh_frame: at any place, entry or not. */
static void hide_search_tables(struct elf_file *file)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || strcmp(elf_file__section_name(file, &shdr), ".eh_frame_hdr"))
			continue;
		shdr.sh_name = 0;
		gelf_update_shdr(scn, &shdr); /* in memory only */
	}
}

/* false: there is none that libdw reads. Its bytes are the file's. */
static bool find_frames(struct elf_file *file, struct cfi_section *section)
{
	Elf_Data *data;
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(file, ".eh_frame", &shdr);

	*section = (struct cfi_section){ .machine = cfi_machine__of_elf(file->ehdr.e_machine) };
	if (!scn || shdr.sh_type != SHT_PROGBITS || !section->machine || file->ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    file->ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || data->d_size > UINT32_MAX)
		return false;
	section->data = data->d_buf;
	section->size = data->d_size;
	section->vaddr = shdr.sh_addr;
	return true;
}

struct noting {
	struct dwarf_cfi *cfi;
	const u8 *section;
};

static int note_long(void *context, const struct cfi_fde *fde, u32 position)
{
	const struct noting *n = context;
	const u32 cost = fde->program.end - (n->section + position);

	if (cost > SHORT_ENTRY && fde->cie->is_plain && n->cfi->nr_noted < n->cfi->nr_long)
		n->cfi->entry[n->cfi->nr_noted++] = (struct long_entry){ fde->begin, fde->size, cost };
	return 0;
}

/* An FDE that we read otherwise than libdw might is not noted: then its file is refused. */
static int dwarf_cfi__find_long(struct dwarf_cfi *c, struct cfi_section *section)
{
	struct noting noting = { c, section->data };
	int err;

	if (!c->nr_long)
		return 0;
	c->entry = calloc(c->nr_long, sizeof(*c->entry));
	if (!c->entry)
		return -ENOMEM;
	err = cfi_section__scan(section, &c->file.budget, note_long, &noting);
	cfi_section__exit(section);
	return err ?: c->nr_noted == c->nr_long ? 0 : -E2BIG;
}

static int dwarf_cfi__check(struct dwarf_cfi *c)
{
	struct cfi_section section;

	if (!find_frames(&c->file, &section))
		return -ENODATA;
	return cfi_section__check(&section, SHORT_ENTRY, &c->nr_long) ?: dwarf_cfi__find_long(c, &section);
}

int dwarf_cfi__check_file(struct elf_file *file)
{
	struct cfi_section section;
	u32 nr_long;
	int ret;

	if (!find_frames(file, &section))
		return 0;
	ret = cfi_section__check(&section, MAX_ENTRY, &nr_long);
	return ret ?: nr_long ? -E2BIG : 0;
}

static int dwarf_cfi__begin(struct dwarf_cfi *c, const char *path, struct errmsg *err)
{
	const int ret = dwarf_cfi__check(c);

	if (ret == -E2BIG)
		return errmsg__set(err, E2BIG, "%s: its .eh_frame would take libdw too long", path);
	if (ret == -ENOMEM)
		return errmsg__set(err, ENOMEM, "%s: out of memory", path);
	hide_search_tables(&c->file);
	c->cfi = ret ? NULL : dwarf_getcfi_elf(c->file.elf);
	return c->cfi ? 0 : errmsg__set(err, ENODATA, "%s: it has no .eh_frame", path);
}

static u32 dwarf_cfi__cost(const struct dwarf_cfi *c, u64 vaddr)
{
	u32 cost = SHORT_ENTRY;

	for (u32 i = 0; i < c->nr_long; i++) {
		if (vaddr - c->entry[i].begin < c->entry[i].size && c->entry[i].cost > cost)
			cost = c->entry[i].cost;
	}
	return cost;
}

static void dwarf_cfi__count(struct dwarf_cfi *c, u64 nr_ops)
{
	c->nr_ops += nr_ops;
	if (c->nr_ops <= MAX_KEPT_OPS)
		return;
	dwarf_cfi_end(c->cfi);
	c->cfi = dwarf_getcfi_elf(c->file.elf);
	c->nr_ops = 0;
}

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
	ret = dwarf_cfi__begin(c, path, err);
	if (ret)
		dwarf_cfi__delete(c);
	else
		*cfi = c;
	return ret;
}

void dwarf_cfi__delete(struct dwarf_cfi *cfi)
{
	if (!cfi)
		return;
	if (cfi->cfi)
		dwarf_cfi_end(cfi->cfi);
	elf_file__close(&cfi->file);
	free(cfi->entry);
	free(cfi);
}

/* A step */

struct step {
	const struct dwarf_walk *walk;
	const struct dwarf_frame *frame;
	u32 ra; /* column of the return address */
	u64 nr_ops; /* of expressions that libdw has read for it */
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
	struct step *s = env->context;
	Dwarf_Op mem[3], *ops;
	bool is_value;
	size_t nr;

	if (dwarf_frame_register(frame, number, mem, &ops, &nr))
		return false;
	s->nr_ops += nr;
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

	if (dwarf_frame_cfa(frame, &ops, &nr))
		return false;
	((struct step *)env->context)->nr_ops += nr;
	return nr && dwarf_expr__run(env, ops, nr, cfa, &is_value);
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
	if (caller->ip >= UNWIND_NO_ADDRESS)
		return UNWIND_NO_MAPPING;
	if (caller->ip == s->frame->ip && caller->reg[sp] == s->frame->reg[sp])
		return UNWIND_LOOP;
	if (!is_signal)
		caller->known &= ~(1ULL << s->ra);
	return caller->ip ? UNWIND_GOES_ON : UNWIND_ZERO;
}

/* UNWIND_NO_CFI: the file says nothing of this code. *left: bytes that libdw may run yet */
static enum unwind_end step_by_cfi(const struct dwarf_walk *walk, struct dwarf_cfi *cfi, u64 offset, struct dwarf_frame *frame, u32 *left)
{
	struct step s = { .walk = walk, .frame = frame };
	Dwarf_Frame *of = NULL;
	struct dwarf_frame caller;
	enum unwind_end end;
	bool is_signal;
	u64 vaddr;
	u32 cost;
	int ra;

	if (!cfi->cfi || !elf_file__vaddr(&cfi->file, offset, &vaddr))
		return UNWIND_NO_CFI;
	cost = dwarf_cfi__cost(cfi, vaddr);
	if (cost > MAX_STEP_BYTES || cost > *left)
		return UNWIND_HARD;
	*left -= cost;
	if (dwarf_cfi_addrframe(cfi->cfi, vaddr, &of))
		return UNWIND_NO_CFI;
	ra = dwarf_frame_info(of, NULL, NULL, &is_signal);
	s.ra = ra;
	end = ra < 0 || ra >= DWARF_NR_REGS ? UNWIND_NO_CFI : find_caller(&s, of, is_signal, &caller);
	free(of);
	dwarf_cfi__count(cfi, s.nr_ops);
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

static enum unwind_end walk_step(const struct dwarf_walk *walk, struct dwarf_frame *frame, u32 *left)
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
	end = cfi ? step_by_cfi(walk, cfi, offset, frame, left) : UNWIND_NO_CFI;
	return end == UNWIND_NO_CFI ? step_by_table(walk, rule, frame) : end;
}

enum unwind_end dwarf_walk__run(const struct dwarf_walk *walk, struct dwarf_frame frame, u64 *ips, u32 max, u32 *nr)
{
	enum unwind_end end = UNWIND_GOES_ON;
	u32 left = MAX_WALK_BYTES;

	for (*nr = 0; !end; end = walk_step(walk, &frame, &left)) {
		if (*nr == max)
			return UNWIND_DEPTH;
		ips[(*nr)++] = frame.ip;
	}
	return end;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/data-type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/hash.h"
#include "util/symbol/code-block.h"
#include "util/symbol/dwarf-type.h"
#include "util/symbol/dwarf-vars.h"

#define MAX_FUNCTION_RANGES 16
#define MAX_FOLLOWED 256 /* limit of instructions that are searched for the source of one pointer */
#define MAX_LOADS 16	 /* pointers that were loaded by pointers that were loaded ... */
#define REG_RBP 6
#define REG_RSP 7
#define CANARY 0x28 /* offset in the thread's control block or the CPU's area: fixed by the psABI and gcc */

struct found { /* result for one address */
	UT_hash_handle hh;
	u64 offset;
	const struct data_type *type; /* own, or one of the shared constants */
	struct data_type own;
	char *name, *member; /* own's */
	Dwarf_Die die;	     /* and what describes it */
};

struct data_types {
	struct elf_file file;
	struct disasm *disasm;
	struct dwarf_vars *vars;
	struct code_functions *functions;
	bool is_patched; /* the running code differs from the file, as in a kernel: jumps may be missing */
	bool lacked_memory;
	struct found *found;
};

const struct data_type data_type_unknown = { .name = "(unknown)" };
static const struct data_type stack_operation = { .name = "(stack operation)" };
static const struct data_type stack_canary = { .name = "(stack canary)" };
static const struct data_type previous_canary = { .name = "(stack canary)", .is_of_previous = true };

bool data_types__available(void)
{
	return disasm__available();
}

bool data_types__know(const char *arch)
{
	return !strcmp(arch, "x86_64");
}

static int data_types__begin(struct data_types *types, struct srclines *lines)
{
	const struct dwarf_file *debug = lines ? srclines__file(lines) : NULL;
	Elf *elf = types->file.elf;
	GElf_Shdr shdr;
	int ret = disasm__new(types->file.ehdr.e_machine, &types->disasm);

	if (ret)
		return ret;
	types->is_patched = elf_file__section(&types->file, ".altinstructions", &shdr);
	/* Without that section libdw 0.188 reads the whole file at once, and libelf then forgets what it has read before. */
	if (!elf_file__section(&types->file, ".eh_frame", &shdr))
		elf = NULL;
	types->vars = dwarf_vars__new(debug ? srclines__units(lines) : NULL, debug ? debug->dw : NULL, elf);
	types->functions = code_functions__new(types->disasm, &types->file);
	return types->vars && types->functions ? 0 : -ENOMEM;
}

int data_types__open(struct srclines *lines, const char *path, const struct build_id *want, const struct file_places *places,
		     struct data_types **types)
{
	struct data_types *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	ret = recorded_file__open(&new->file, path, want, places, NULL);
	if (ret) {
		free(new);
		return ret;
	}
	ret = data_types__begin(new, lines);
	if (ret) {
		data_types__delete(new);
		return ret;
	}
	*types = new;
	return 0;
}

static void found__delete(struct found *found)
{
	free(found->name);
	free(found->member);
	free(found);
}

void data_types__delete(struct data_types *types)
{
	struct found *found, *next;

	if (!types)
		return;
	HASH_ITER(hh, types->found, found, next) {
		HASH_DEL(types->found, found);
		found__delete(found);
	}
	code_functions__delete(types->functions);
	dwarf_vars__delete(types->vars);
	disasm__delete(types->disasm);
	elf_file__close(&types->file);
	free(types);
}

bool data_types__lacked_memory(const struct data_types *types)
{
	return types->lacked_memory || dwarf_vars__lacked_memory(types->vars);
}

struct walk { /* walks backwards from an instruction */
	const struct data_types *types;
	struct code_function function;
	u32 nr_followed, nr_loads;
};

static bool walk__place(struct walk *w, u32 at, const struct insn_mem *mem, s64 disp, struct dwarf_object *object);

/* Resolve the pointer that the instruction at that index loads. */
static bool walk__load(struct walk *w, u32 at, s64 disp, struct dwarf_object *object)
{
	struct dwarf_object from;
	Dwarf_Die target;

	if (w->nr_loads++ == MAX_LOADS || !walk__place(w, at, &w->function.insn[at].mem, 0, &from))
		return false;
	if (!dwarf_type__pointer_at(&from.type, from.offset, &target) || !dwarf_type__holds(&target, disp))
		return false;
	*object = (struct dwarf_object){ .type = target, .offset = disp };
	return true;
}

/* Is the previous instruction the only one that can run before this one? */
static bool follows_previous(const struct walk *w, u32 at)
{
	const struct code_function *f = &w->function;
	const struct insn *previous = at ? &f->insn[at - 1] : NULL;

	return previous && !f->jumps_anywhere && !f->is_target[at] && (!previous->leaves || previous->is_cond_jump);
}

/*
 * Get what a pointer points to before an instruction. As long as no instruction changes the register, its value is the same further
 * back. That does not apply to the frame and stack pointers: one stack slot holds one variable after the other.
 */
static bool walk__pointer(struct walk *w, u32 at, struct dwarf_pointer pointer, struct dwarf_object *object)
{
	while (w->nr_followed++ < MAX_FOLLOWED) {
		const struct insn *insn = &w->function.insn[at];
		bool of_frame = pointer.reg == REG_RBP || pointer.reg == REG_RSP;

		if (!(pointer.is_old && of_frame) && dwarf_vars__by_register(w->types->vars, insn->addr, &pointer, object))
			return true;
		if (!follows_previous(w, at))
			return false;
		insn = &w->function.insn[--at];
		pointer.is_old = true;
		if (!(insn->changes & 1U << pointer.reg))
			continue;
		if (insn->to != pointer.reg)
			return false;
		switch (insn->kind) {
		case INSN_MOVE:
			pointer.reg = insn->from;
			break;
		case INSN_ADD:
			pointer.disp += (u64)insn->imm;
			break;
		case INSN_ADDRESS:
			return walk__place(w, at, &insn->mem, pointer.disp, object);
		case INSN_LOAD:
			return walk__load(w, at, pointer.disp, object);
		default:
			return false;
		}
	}
	return false;
}

static bool walk__by_address(struct walk *w, u32 at, u64 addr, struct dwarf_object *object)
{
	return dwarf_vars__by_address(w->types->vars, w->function.insn[at].addr, addr, object);
}

/*
 * Get what is disp bytes after a memory operand. An index is ignored: the base is then an array, in which each element has the type
 * of the first. If two registers are just added, either may be the pointer.
 */
static bool walk__place(struct walk *w, u32 at, const struct insn_mem *mem, s64 disp, struct dwarf_object *object)
{
	const s64 sum = (u64)mem->disp + disp;

	if (mem->segment == INSN_SEGMENT_FS || (mem->segment == INSN_SEGMENT_GS && !w->types->is_patched))
		return false; /* thread-local; a kernel's per-CPU data has addresses of its own */
	if (mem->base == INSN_NO_REG)
		return walk__by_address(w, at, sum, object);
	if (walk__pointer(w, at, (struct dwarf_pointer){ .reg = mem->base, .disp = sum }, object))
		return true;
	return mem->index != INSN_NO_REG && mem->scale == 1 &&
	       walk__pointer(w, at, (struct dwarf_pointer){ .reg = mem->index, .disp = sum }, object);
}

static bool is_canary(const struct insn_mem *mem)
{
	return mem->segment != INSN_SEGMENT_NONE && mem->base == INSN_NO_REG && mem->index == INSN_NO_REG && mem->disp == CANARY;
}

/* Set the names in the result. */
static const struct data_type *found__set(struct found *found, struct data_types *types, struct dwarf_object *object)
{
	found->name = object->is_global ? dwarf_type__plain_name(&object->type) : dwarf_type__name(&object->type);
	found->member = dwarf_type__member_name(&object->type, object->offset);
	if (!found->name || !found->member) {
		types->lacked_memory = true;
		return &data_type_unknown;
	}
	found->own.name = found->name;
	found->own.member = found->member;
	found->own.offset = object->offset;
	found->own.described_at = dwarf_dieoffset(&object->type);
	if (!dwarf_type__size(&object->type, &found->own.size))
		found->own.size = 0;
	found->die = object->type;
	return &found->own;
}

/* Start in the instruction's function; code in no known function is a block of one instruction. */
static void walk__begin(struct walk *w, struct data_types *types, const struct insn *insn)
{
	static const bool anywhere = true;
	struct dwarf_code range[MAX_FUNCTION_RANGES];
	u32 nr = dwarf_vars__function(types->vars, insn->addr, range, MAX_FUNCTION_RANGES);
	int ret = nr && nr < MAX_FUNCTION_RANGES && !types->is_patched ?
			  code_functions__find(types->functions, range, nr, insn->addr, &w->function) : -ENOENT;

	types->lacked_memory |= ret == -ENOMEM;
	if (ret || code_function__at(&w->function, insn->addr) < 0)
		w->function = (struct code_function){ .insn = insn, .is_target = &anywhere, .nr = 1 };
}

/*
 * After a comparison or another simple calculation, an instruction without memory operand gets the type of that calculation, as in
 * perf: the CPU fuses it with a jump, and a timer interrupt is reported one instruction late.
 */
static const struct data_type *found__read(struct found *found, struct data_types *types, u64 vaddr)
{
	struct walk w = { .types = types };
	bool is_of_previous = false;
	struct dwarf_object object;
	u8 code[INSN_MAX_SIZE];
	struct insn insn;
	size_t size = elf_file__read_code(&types->file, vaddr, code, sizeof(code));
	u32 at;

	if (!disasm__decode(types->disasm, code, size, vaddr, &insn))
		return &data_type_unknown;
	if (insn.kind == INSN_STACK)
		return &stack_operation;
	if (insn.leaves && !insn.is_cond_jump)
		return &data_type_unknown;
	walk__begin(&w, types, &insn);
	at = code_function__at(&w.function, vaddr);
	for (; !insn.has_mem && follows_previous(&w, at) && w.function.insn[at - 1].may_fuse; is_of_previous = true)
		insn = w.function.insn[--at];
	if (!insn.has_mem || insn.kind == INSN_ADDRESS)
		return &data_type_unknown;
	if (is_canary(&insn.mem))
		return is_of_previous ? &previous_canary : &stack_canary;
	if (!walk__place(&w, at, &insn.mem, 0, &object))
		return &data_type_unknown;
	found->own.is_of_previous = is_of_previous;
	return found__set(found, types, &object);
}

const struct data_type *data_types__find(struct data_types *types, u64 offset)
{
	struct found *found;
	u64 vaddr;

	HASH_FIND(hh, types->found, &offset, sizeof(offset), found);
	if (found)
		return found->type;
	found = elf_file__vaddr(&types->file, offset, &vaddr) ? calloc(1, sizeof(*found)) : NULL;
	if (!found)
		return &data_type_unknown;
	found->offset = offset;
	dwarf_vars__begin(types->vars);
	found->type = found__read(found, types, vaddr);
	HASH_ADD(hh, types->found, offset, sizeof(found->offset), found);
	if (hash_added(found))
		return found->type;
	found__delete(found);
	types->lacked_memory = true;
	return &data_type_unknown;
}

int data_types__layout(struct data_types *types, u64 offset, struct data_layout *layout)
{
	struct found *found;
	int ret;

	HASH_FIND(hh, types->found, &offset, sizeof(offset), found);
	if (!found || found->type != &found->own)
		return -ENOENT;
	ret = dwarf_type__layout(&found->die, found->name, layout);
	if (ret)
		data_layout__exit(layout);
	return ret;
}

void data_layout__exit(struct data_layout *layout)
{
	for (u32 i = 0; i < layout->nr; i++) {
		free(layout->member[i].type);
		free(layout->member[i].name);
	}
	free(layout->member);
	*layout = (struct data_layout){};
}

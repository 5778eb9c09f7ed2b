// SPDX-License-Identifier: GPL-2.0
/*
 * How deep do the stacks of our BPF programs get, as older verifiers count? These refuse more than 512 bytes for a chain of calls, or more than
 * 8 functions in it (check_max_stack_depth() in kernel/bpf/verifier.c, until Linux 6.12). Newer ones accept more, so that a program may load here
 * and nowhere else. Each function counts in units of 16 bytes where programs are compiled (Linux 6.12), before in units of 32. Callbacks count as calls.
 * Code that a setting switches off counts here as well, but not for verifiers.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/lib/fs.h"
#include "util/lib/types.h"

#define MAX_STACK 512
#define MAX_FRAMES 8
#define MAX_CALLS 64 /* of different functions, by one */
#define MAX_FUNCTIONS 256

struct function {
	const char *name;
	u32 section, first, nr; /* instructions of the section */
	u32 own;		/* bytes of its own frame */
	u32 calls[MAX_CALLS], nr_calls;
	u32 total, frames; /* with what it calls at most; frames 0: not known yet */
	u32 deepest;	   /* the function that it calls for that; MAX_FUNCTIONS: none */
};

struct object {
	char *data;
	const Elf64_Shdr *sections;
	u32 nr_sections;
	const Elf64_Sym *symbols;
	u32 nr_symbols;
	const char *names;
	struct function function[MAX_FUNCTIONS];
	u32 nr, unit;
};

static char *place(const char *below)
{
	char self[PATH_MAX], *path;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(n > 0);
	self[n] = '\0';
	assert_true(asprintf(&path, "%s/../../../%s", dirname(self), below) > 0); /* of tests/unit/bpf */
	return path;
}

static const void *at(const struct object *o, u32 section)
{
	return o->data + o->sections[section].sh_offset;
}

static void object__open(struct object *o, const char *path, u32 unit)
{
	const Elf64_Ehdr *head;

	memset(o, 0, sizeof(*o));
	o->unit = unit;
	o->data = fs__read_file(AT_FDCWD, path, NULL);
	assert_non_null(o->data);
	head = (const void *)o->data;
	o->sections = (const void *)(o->data + head->e_shoff);
	o->nr_sections = head->e_shnum;
	for (u32 i = 0; i < o->nr_sections; i++) {
		if (o->sections[i].sh_type != SHT_SYMTAB)
			continue;
		o->symbols = at(o, i);
		o->nr_symbols = o->sections[i].sh_size / sizeof(*o->symbols);
		o->names = at(o, o->sections[i].sh_link);
	}
	for (u32 i = 0; i < o->nr_symbols; i++) {
		const Elf64_Sym *sym = &o->symbols[i];

		if (ELF64_ST_TYPE(sym->st_info) != STT_FUNC)
			continue;
		assert_in_range(o->nr, 0, MAX_FUNCTIONS - 1);
		o->function[o->nr++] = (struct function){
			.name = o->names + sym->st_name, .section = sym->st_shndx, .first = sym->st_value / sizeof(struct bpf_insn),
			.nr = sym->st_size / sizeof(struct bpf_insn), .deepest = MAX_FUNCTIONS,
		};
	}
	assert_true(o->nr);
}

static u32 find_function(const struct object *o, u32 section, u32 insn)
{
	for (u32 i = 0; i < o->nr; i++) {
		if (o->function[i].section == section && insn - o->function[i].first < o->function[i].nr)
			return i;
	}
	fail_msg("no function has instruction %u of section %u", insn, section);
	return 0;
}

/* The symbol that the instruction is relocated by; NULL: none */
static const Elf64_Sym *find_relocation(const struct object *o, u32 section, u32 insn)
{
	for (u32 i = 0; i < o->nr_sections; i++) {
		const Elf64_Rel *rel;

		if (o->sections[i].sh_type != SHT_REL || o->sections[i].sh_info != section)
			continue;
		rel = at(o, i);
		for (u32 k = 0; k < o->sections[i].sh_size / sizeof(*rel); k++) {
			if (rel[k].r_offset == insn * sizeof(struct bpf_insn))
				return &o->symbols[ELF64_R_SYM(rel[k].r_info)];
		}
	}
	return NULL;
}

static bool is_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
}

/* Which function does instruction i call, or pass on? -1: none */
static int target_of(const struct object *o, const struct function *f, const struct bpf_insn *insn, u32 i)
{
	const bool call = is_call(insn);
	const Elf64_Sym *sym;

	if (!call && insn->code != (BPF_LD | BPF_IMM | BPF_DW))
		return -1;
	sym = find_relocation(o, f->section, i);
	if (!sym)
		return call ? (int)find_function(o, f->section, i + insn->imm + 1) : -1;
	if (call && sym->st_shndx == SHN_UNDEF) /* the kernel's */
		return -1;
	if (call)
		return find_function(o, sym->st_shndx, sym->st_value / sizeof(*insn) + insn->imm + 1);
	if (sym->st_shndx >= o->nr_sections || !(o->sections[sym->st_shndx].sh_flags & SHF_EXECINSTR))
		return -1;
	return find_function(o, sym->st_shndx, (sym->st_value + insn->imm) / sizeof(*insn));
}

/* How far below the frame's end does an instruction reach? *pointers: a bit for each register that has the frame's address */
static u32 depth_of(const struct bpf_insn *insn, u32 *pointers)
{
	const u8 class = BPF_CLASS(insn->code);
	const u8 base = class == BPF_LDX ? insn->src_reg : insn->dst_reg;
	int low = 0;

	if (class == BPF_ALU64 && BPF_OP(insn->code) == BPF_ADD && BPF_SRC(insn->code) == BPF_K) {
		low = *pointers >> insn->dst_reg & 1 ? insn->imm : 0;
	} else if (class == BPF_STX || class == BPF_ST || class == BPF_LDX) {
		low = base == BPF_REG_10 ? insn->off : 0;
	}
	if (insn->code == (BPF_ALU64 | BPF_MOV | BPF_X) && insn->src_reg == BPF_REG_10)
		*pointers |= 1U << insn->dst_reg;
	else if (class == BPF_ALU64 || class == BPF_ALU || class == BPF_LDX || class == BPF_LD)
		*pointers &= ~(1U << insn->dst_reg);
	return low < 0 ? -low : 0;
}

static void add_call(struct function *f, u32 target)
{
	for (u32 i = 0; i < f->nr_calls; i++) {
		if (f->calls[i] == target)
			return;
	}
	assert_in_range(f->nr_calls, 0, MAX_CALLS - 1);
	f->calls[f->nr_calls++] = target;
}

static void read_function(struct object *o, struct function *f)
{
	const struct bpf_insn *insn = at(o, f->section);
	u32 pointers = 0;

	for (u32 i = f->first; i < f->first + f->nr; i++) {
		const u32 depth = depth_of(&insn[i], &pointers);
		const int target = target_of(o, f, &insn[i], i);

		if (depth > f->own)
			f->own = depth;
		if (target >= 0)
			add_call(f, target);
	}
}

/* Verifiers refuse recursion, so that there is an end. */
static void add_up(struct object *o, struct function *f)
{
	u32 below = 0, frames = 0;

	if (f->frames)
		return;
	for (u32 i = 0; i < f->nr_calls; i++) {
		struct function *called = &o->function[f->calls[i]];

		add_up(o, called);
		if (called->total > below) {
			below = called->total;
			f->deepest = f->calls[i];
		}
		if (called->frames > frames)
			frames = called->frames;
	}
	f->total = below + ALIGN_UP(o->unit == 32 && !f->own ? 1 : f->own, o->unit);
	f->frames = frames + 1;
}

static void object__read(struct object *o, const char *path, u32 unit)
{
	object__open(o, path, unit);
	for (u32 i = 0; i < o->nr; i++)
		read_function(o, &o->function[i]);
	for (u32 i = 0; i < o->nr; i++)
		add_up(o, &o->function[i]);
}

static const struct function *find_name(const struct object *o, const char *name)
{
	for (u32 i = 0; i < o->nr; i++) {
		if (!strcmp(o->function[i].name, name))
			return &o->function[i];
	}
	fail_msg("there is no %s()", name);
	return NULL;
}

static void calls_are_added_up(void **state)
{
	static struct object o;
	char *path = place("tests/bpf/deep-stack.bpf.o");
	const struct function *f;

	object__read(&o, path, 32);
	f = find_name(&o, "deep_main");
	assert_int_equal(f->own, 200);
	assert_int_equal(f->total, 224 + 128 + 64);
	assert_int_equal(f->frames, 3);
	assert_int_equal(find_name(&o, "deep_hundred")->own, 100);
	assert_int_equal(find_name(&o, "deep_forty")->total, 64);
	assert_int_equal(find_name(&o, "flat_main")->total, 256);
	free(o.data);
	object__read(&o, path, 16);
	assert_int_equal(find_name(&o, "deep_main")->total, 208 + 112 + 48);
	free(o.data);
	free(path);
}

static bool is_within(const struct object *o, const char *path, const struct function *f, u32 max)
{
	if (f->total <= max && f->frames <= MAX_FRAMES)
		return true;
	printf("%s: %s() needs %u bytes of stack in units of %u (at most %u), %u functions (at most %u):", strrchr(path, '/') + 1, f->name, f->total,
	       o->unit, max, f->frames, MAX_FRAMES);
	for (;; f = &o->function[f->deepest]) {
		printf(" %s %u", f->name, f->own);
		if (f->deepest == MAX_FUNCTIONS)
			break;
	}
	printf("\n");
	return false;
}

static bool are_within(const char *path, u32 unit, u32 max)
{
	static struct object o;
	bool within = true;

	object__read(&o, path, unit);
	for (u32 i = 0; i < o.nr; i++)
		within &= is_within(&o, path, &o.function[i], max);
	free(o.data);
	return within;
}

/*
 * Programs that need more in units of 32 bytes if a filter tests files, or hits with user stacks are filtered and counted: Linux 6.2 to 6.7 may
 * refuse them then. They must not grow. clang 19 needs more than clang 14 for those of system calls and for samples whose stacks are unwound.
 */
static u32 max_of(const char *path)
{
	static const struct {
		const char *name;
		u32 max;
	} large[] = {
		{ "tp-any-tables.bpf.o", 576 }, { "tp-probe-tables.bpf.o", 576 },
		{ "unwind-samples16.bpf.o", 576 }, { "unwind-samples64.bpf.o", 576 },
		{ "tp-enter-tables.bpf.o", 544 }, { "tp-enter-tables-event.bpf.o", 544 },
		{ "tp-exit-tables.bpf.o", 544 }, { "tp-exit-tables-event.bpf.o", 544 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(large); i++) {
		if (!strcmp(strrchr(path, '/') + 1, large[i].name))
			return large[i].max;
	}
	return MAX_STACK;
}

static void no_program_is_too_deep(void **state)
{
	char *pattern = place("util/bpf_skel/*.bpf.o");
	bool within = true;
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_true(found.gl_pathc > 20);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		within &= are_within(found.gl_pathv[i], 16, MAX_STACK);
		within &= are_within(found.gl_pathv[i], 32, max_of(found.gl_pathv[i]));
	}
	assert_true(within);
	globfree(&found);
	free(pattern);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_added_up),
		cmocka_unit_test(no_program_is_too_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

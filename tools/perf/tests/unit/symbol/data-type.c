// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "tests/unit/symbol/fixture.h"
#include "util/symbol/code-block.h"
#include "util/symbol/data-type.h"
#include "util/symbol/symtab.h"

#define MAX_SHOWN 64

/* Each function accesses what its name says, and nothing else but its own variables. */
static const char source[] =
	"#define KEEP __asm__ volatile(\"\" ::: \"memory\")\n"
	"#define NOINLINE __attribute__((noinline))\n"
	"typedef struct { int x, y; long z[8]; } plain_t;\n"
	"struct inner { int a, b; };\n"
	"struct node { long key; struct node *next; struct inner in; union { int u1; float f1; }; char name[20]; long hot; plain_t *plain;\n"
	"	unsigned int low : 3, high : 5; };\n"
	"struct node table[64];\n"
	"plain_t global_plain;\n"
	"long counter;\n"
	"extern struct node elsewhere;\n"
	"NOINLINE long chase(struct node *n) { long s = 0; for (; n; n = n->next) s += n->hot; return s; }\n"
	"NOINLINE void bump(void) { counter++; }\n"
	"NOINLINE void members(struct node *n) { n->in.b++; KEEP; n->u1++; KEEP; n->name[3]++; KEEP; n->low++; }\n"
	"NOINLINE void through(struct node *n) { n->next->plain->y++; }\n"
	"NOINLINE void element(void) { table[3].in.a++; }\n"
	"NOINLINE void indexed(plain_t *p, long i) { p->z[i] = 1; }\n"
	"NOINLINE void unnamed(void) { global_plain.y++; }\n"
	"NOINLINE void other_unit(void) { elsewhere.hot++; }\n"
	"NOINLINE void beyond(struct node *n) { n[1].hot = 0; KEEP; n[-1].hot = 0; KEEP; }\n"
	"NOINLINE void untyped(void *p) { *(int *)p = 1; }\n"
	"static inline __attribute__((always_inline)) void add(struct inner *in) { in->b++; }\n"
	"NOINLINE void inlined(struct inner *in) { add(in); }\n"
	"NOINLINE long on_stack(long i) { struct node local; plain_t p; local.hot = i; p.y = i;\n"
	"	__asm__ volatile(\"\" :: \"r\"(&local), \"r\"(&p) : \"memory\"); return local.hot; }\n"
	"NOINLINE long branch(struct node *n, plain_t *p, int k) { void *q; if (k) q = n; else q = p; KEEP; return *(int *)q; }\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	chase(table); bump(); members(table); through(table); element(); indexed(&global_plain, argc); unnamed(); other_unit();\n"
	"	beyond(table); untyped(table); inlined(&table[0].in); on_stack(argc); branch(table, &global_plain, argc);\n"
	"	return 0;\n"
	"}\n";

static const char other_source[] =
	"struct inner { int a, b; };\n"
	"struct node { long key; struct node *next; struct inner in; int u1; char name[20]; long hot; void *plain; unsigned int low : 3, high : 5; };\n"
	"struct node elsewhere;\n";

struct shown {
	char *text[MAX_SHOWN];
	u32 nr;
};

static bool shown__has(const struct shown *shown, const char *text)
{
	for (u32 i = 0; i < shown->nr; i++) {
		if (!strcmp(shown->text[i], text))
			return true;
	}
	return false;
}

static void shown__add(struct shown *shown, const struct data_type *type)
{
	char text[256];

	if (type->member)
		snprintf(text, sizeof(text), "%s +%llu (%s)", type->name, (unsigned long long)type->offset, type->member);
	else
		snprintf(text, sizeof(text), "%s", type->name);
	if (shown__has(shown, text))
		return;
	assert_true(shown->nr < MAX_SHOWN);
	shown->text[shown->nr++] = strdup(text);
}

static void shown__exit(struct shown *shown)
{
	while (shown->nr)
		free(shown->text[--shown->nr]);
}

struct program {
	const char *path;
	struct srclines *lines;
	struct data_types *types;
	struct symtab *tab;
	struct elf_file file;
	struct disasm *disasm;
};

static void program__open(struct program *p, const char *path)
{
	const struct dwarf_file_opts opts = { .locations = true };
	const struct file_places places = {};
	const struct symtab_opts tab_opts = {};

	p->path = path;
	assert_int_equal(srclines__open(path, NULL, &opts, false, &p->lines, NULL), 0);
	assert_int_equal(data_types__open(p->lines, path, NULL, &places, &p->types), 0);
	assert_int_equal(symtab__load_elf(path, NULL, &tab_opts, &p->tab, NULL), 0);
	assert_int_equal(elf_file__open(&p->file, path, NULL), 0);
	assert_int_equal(disasm__new(p->file.ehdr.e_machine, &p->disasm), 0);
}

static void program__close(struct program *p)
{
	assert_false(data_types__lacked_memory(p->types));
	disasm__delete(p->disasm);
	elf_file__close(&p->file);
	symtab__delete(p->tab);
	data_types__delete(p->types);
	srclines__delete(p->lines);
}

/* What the instructions of a function access. */
static void program__look(struct program *p, const char *function, struct shown *shown)
{
	const struct symbol *sym = symtab__find_name(p->tab, function);
	u64 vaddr;

	assert_non_null(sym);
	for (u64 at = sym->start; at < sym->end;) {
		const struct data_type *type = data_types__find(p->types, at);
		u8 code[INSN_MAX_SIZE];
		struct insn insn;

		assert_ptr_equal(type, data_types__find(p->types, at));
		shown__add(shown, type);
		assert_true(elf_file__vaddr(&p->file, at, &vaddr));
		assert_true(disasm__decode(p->disasm, code, elf_file__read_code(&p->file, vaddr, code, sizeof(code)), vaddr, &insn));
		at += insn.size;
	}
}

/* A variable of the function, which it has on its stack if it is not optimised. */
static bool is_variable(const char *text)
{
	static const char *const names[] = { "struct node* +0 (no field)", "plain_t* +0 (no field)", "struct inner* +0 (no field)",
					     "struct one* +0 (no field)", "struct two* +0 (no field)",
					     "void* +0 (no field)", "long int +0 (no field)", "long +0 (no field)",
					     "int +0 (no field)" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(text, names[i]))
			return true;
	}
	return *text == '(';
}

/* The function accesses these, up to NULL, and nothing else but variables. */
static void check(struct program *p, const char *function, const char *const *want)
{
	struct shown shown = {};
	u32 nr = 0;

	program__look(p, function, &shown);
	for (; *want; want++) {
		if (!shown__has(&shown, *want))
			fail_msg("%s: %s: no %s", p->path, function, *want);
		nr += !is_variable(*want);
	}
	for (u32 i = 0; i < shown.nr; i++) {
		if (!is_variable(shown.text[i]) && !nr--)
			fail_msg("%s: %s: %s or another one is too much", p->path, function, shown.text[i]);
	}
	shown__exit(&shown);
}

#define CHECK(function, ...) check(p, function, (const char *const[]){ __VA_ARGS__, NULL })

static void check_all(struct program *p, const char *c_long)
{
	CHECK("chase", "struct node +8 (next)", "struct node +48 (hot)", "(stack operation)");
	CHECK("bump", c_long);
	CHECK("members", "struct node +20 (in.b)", "struct node +24 (u1)", "struct node +31 (name)", "struct node +64 (low:3)");
	CHECK("through", "struct node +8 (next)", "struct node +56 (plain)", "plain_t +4 (y)");
	CHECK("element", "struct node[] +232 ([].in.a)");
	CHECK("indexed", "plain_t +8 (z)");
	CHECK("unnamed", "plain_t +4 (y)");
	CHECK("other_unit", "struct node +48 (hot)");
	CHECK("beyond", "(unknown)");
	CHECK("untyped", "(unknown)");
	CHECK("inlined", "struct inner +4 (b)");
	CHECK("on_stack", "struct node +48 (hot)", "plain_t +4 (y)");
	CHECK("branch", "(unknown)", "(stack operation)");
}

static void check_build(const char *compiler, const char *flags, const char *c_long)
{
	struct program p;

	if (!data_types__available())
		skip();
	run("%s %s -o prog prog.c other.c", compiler, flags);
	program__open(&p, in_scratch("prog"));
	check_all(&p, c_long);
	program__close(&p);
}

static int setup(void **state)
{
	if (scratch_setup(state))
		return -1;
	write_text("prog.c", source);
	write_text("other.c", other_source);
	return 0;
}

static void not_optimised(void **state)
{
	check_build("gcc", "-g -O0", "long int +0 (no field)");
	check_build("clang", "-g -O0", "long +0 (no field)");
}

static void optimised(void **state)
{
	check_build("gcc", "-g -O2", "long int +0 (no field)");
	check_build("clang", "-g -O2", "long +0 (no field)");
}

static void compressed(void **state)
{
	check_build("gcc", "-g -O2 -gz=zlib", "long int +0 (no field)");
	check_build("clang", "-g -O2 -gz=zlib", "long +0 (no field)");
}

/* Addresses that are in instructions as they are, and older debug information */
static void fixed_address(void **state)
{
	check_build("gcc", "-gdwarf-4 -O2 -no-pie -fno-pie", "long int +0 (no field)");
	check_build("clang", "-gdwarf-4 -O2 -no-pie -fno-pie", "long +0 (no field)");
}

static void debug_file(void **state)
{
	struct program p;

	if (!data_types__available())
		skip();
	run("gcc -g -O0 -o prog prog.c other.c && objcopy --only-keep-debug prog prog.debug && strip -g prog && "
	    "objcopy --add-gnu-debuglink=prog.debug prog");
	program__open(&p, in_scratch("prog"));
	check_all(&p, "long int +0 (no field)");
	program__close(&p);
}

static void canary(void **state)
{
	struct program p_, *p = &p_;

	if (!data_types__available())
		skip();
	run("gcc -g -O2 -fstack-protector-all -o prog prog.c other.c");
	program__open(p, in_scratch("prog"));
	CHECK("bump", "(stack canary)", "(stack operation)", "long int +0 (no field)");
	program__close(p);
}

/* What can be told from an instruction alone is told. */
static void no_debug_information(void **state)
{
	struct program p_, *p = &p_;

	if (!data_types__available())
		skip();
	run("gcc -O2 -o prog prog.c other.c");
	program__open(p, in_scratch("prog"));
	CHECK("chase", "(stack operation)", "(unknown)");
	CHECK("bump", "(unknown)");
	program__close(p);
}

/* The type that the function accesses, as lines "DEPTH OFFSET+SIZE TYPE NAME" */
static void check_layout(struct program *p, const char *function, const char *type, const char *want)
{
	const struct symbol *sym = symtab__find_name(p->tab, function);
	struct data_layout layout = {};
	char text[4096] = "";
	u64 at = sym->start;

	while (at < sym->end && strcmp(data_types__find(p->types, at)->name, type))
		at++;
	assert_true(at < sym->end);
	assert_int_equal(data_types__layout(p->types, at, &layout), 0);
	for (u32 i = 0; i < layout.nr; i++) {
		const struct data_member *m = &layout.member[i];

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u %llu+%llu %s|%s\n", m->depth, (unsigned long long)m->offset,
			 (unsigned long long)m->size, m->type, m->name);
	}
	assert_string_equal(text, want);
	data_layout__exit(&layout);
}

static void members_of_types(void **state)
{
	static const char text[] =
		"struct base { long id; };\n"
		"template <class T> struct holder : base { T value; static int shared; volatile int low : 3, high : 5; const char *text; };\n"
		"struct point { int x, y; };\n"
		"struct whole { union { long l; char raw[8]; }; struct { short u; } in; point at[2]; point p; int (*fn)(int);\n"
		"	struct { long l; struct { int x, y; } low; } mid; };\n"
		"__attribute__((noinline)) void derived(holder<double> *h) { h->value += 1; }\n"
		"__attribute__((noinline)) void nested(whole *w) { w->p.y++; }\n"
		"int main(void) { holder<double> h = {}; whole w = {}; derived(&h); nested(&w); return 0; }\n";
	struct program p_, *p = &p_;
	struct data_layout layout = {};

	if (!data_types__available())
		skip();
	write_text("layout.cc", text);
	run("g++ -g -O1 -o prog layout.cc");
	program__open(p, in_scratch("prog"));
	check_layout(p, "derived(holder<double>*)", "struct holder<double>",
		     "0 0+32 struct holder<double>|\n1 0+8 struct base|\n2 0+8 long int|id\n1 8+8 double|value\n1 16+1 int|low:3\n1 16+1 int|high:5\n"
		     "1 24+8 char*|text\n");
	check_layout(p, "nested(whole*)", "struct whole",
		     "0 0+64 struct whole|\n1 0+8 union |\n2 0+8 long int|l\n2 0+8 char[]|raw\n1 8+2 struct |in\n2 8+2 short int|u\n"
		     "1 12+16 struct point[]|at\n1 28+8 struct point|p\n2 28+4 int|x\n2 32+4 int|y\n1 40+8 (function_type)*|fn\n"
		     "1 48+16 struct |mid\n2 48+8 long int|l\n2 56+8 struct |low\n3 56+4 int|x\n3 60+4 int|y\n");
	assert_int_equal(data_types__layout(p->types, 1, &layout), -ENOENT);
	program__close(p);
}

/* A pointer that another branch may have set is not followed. Written as instructions: a compiler would say where the variable is. */
static void jump_targets(void **state)
{
	static const char text[] =
		"struct one { long a; }; struct two { long b; };\n"
		"struct one *first; struct two *second;\n"
		"__attribute__((naked)) void joined(void) { __asm__(\n"
		"	\"mov second(%rip), %rax\\n test %edi, %edi\\n je 1f\\n mov first(%rip), %rax\\n 1: mov (%rax), %rcx\\n ret\"); }\n"
		"__attribute__((naked)) void straight(void) { __asm__(\n"
		"	\"mov second(%rip), %rax\\n test %edi, %edi\\n je 1f\\n mov first(%rip), %rax\\n mov (%rax), %rcx\\n 1: ret\"); }\n"
		"int main(void) { joined(); straight(); return 0; }\n";
	struct program p_, *p = &p_;

	if (!data_types__available())
		skip();
	write_text("jump.c", text);
	run("gcc -g -O2 -o prog jump.c");
	program__open(p, in_scratch("prog"));
	CHECK("joined", "struct two* +0 (no field)", "struct one* +0 (no field)", "(unknown)");
	CHECK("straight", "struct two* +0 (no field)", "struct one* +0 (no field)", "struct one +0 (a)");
	program__close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_optimised), cmocka_unit_test(optimised),
		cmocka_unit_test(compressed),	 cmocka_unit_test(fixed_address),
		cmocka_unit_test(debug_file),	 cmocka_unit_test(canary),
		cmocka_unit_test(no_debug_information), cmocka_unit_test(members_of_types), cmocka_unit_test(jump_targets),
	};

	return cmocka_run_group_tests_name("data-type", tests, setup, scratch_teardown);
}

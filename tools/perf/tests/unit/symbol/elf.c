// SPDX-License-Identifier: GPL-2.0
/* Symbol tables of programs that are compiled here, against what binutils say of them. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "tests/unit/symbol/fixture.h"
#include "util/symbol/symtab.h"

static const char source[] =
	"#include <unistd.h>\n"
	"#include <stdlib.h>\n"
	"int variable[10] = { 1 };\n"
	"__attribute__((noinline)) static int local_fun(int x) { return x * variable[1]; }\n"
	"int global_fun(int x) { return local_fun(x) + 1; }\n"
	"int alias_of_it(int x) __attribute__((weak, alias(\"global_fun\")));\n"
	"int mangled(int) __asm__(\"_ZN2ns3Foo3barEi\");\n"
	"int mangled(int x) { return x; }\n"
	"__asm__(\".text\\n.globl unsized\\n.type unsized,%function\\nunsized: .zero 32\\n.globl label\\nlabel: .zero 32\\n\");\n"
	"int main(int argc, char **argv) { void *p = malloc(argc); int (*f)(void) = getpid;\n"
	"	pid_t (*volatile g)(void) = getppid; free(p);\n"
	"	return global_fun(argc) + mangled(argc) + getuid() + getppid() + f() + g(); }\n";

static int setup(void **state)
{
	if (scratch_setup(state))
		return -1;
	write_text("prog.c", source);
	run("gcc -O1 -fno-builtin -Wl,--build-id -o prog prog.c");
	return 0;
}

/* The segments of a program, as readelf tells them. */
struct segments {
	struct {
		u64 offset, vaddr, size;
	} at[16];
	int nr;
};

static void read_segments(struct segments *s, const char *path)
{
	char cmd[128];
	u64 off, vaddr, size;
	char line[256];
	FILE *f;

	s->nr = 0;
	snprintf(cmd, sizeof(cmd), "readelf -lW %s", path);
	f = popen(cmd, "r");
	while (f && fgets(line, sizeof(line), f) && s->nr < 16) {
		if (sscanf(line, " LOAD 0x%lx 0x%lx 0x%*x 0x%*x 0x%lx", &off, &vaddr, &size) != 3)
			continue;
		s->at[s->nr].offset = off;
		s->at[s->nr].vaddr = vaddr;
		s->at[s->nr++].size = size;
	}
	assert_non_null(f);
	pclose(f);
	assert_true(s->nr > 0);
}

static u64 offset_of(const struct segments *s, u64 vaddr)
{
	for (int i = 0; i < s->nr; i++) {
		if (vaddr >= s->at[i].vaddr && vaddr < s->at[i].vaddr + s->at[i].size)
			return vaddr - s->at[i].vaddr + s->at[i].offset;
	}
	fail_msg("no segment holds %#lx", vaddr);
	return 0;
}

static const char *name_at(const struct symtab *tab, u64 addr)
{
	const struct symbol *sym = symtab__find(tab, addr);

	return sym ? sym->name : "none";
}

static void load(const char *path, const struct symtab_opts *opts, struct symtab **tab)
{
	struct errmsg err = {};

	if (symtab__load_elf(path, NULL, opts, tab, &err))
		fail_msg("%s", err.text);
}

/* Each function that nm lists in prog is found in tab at its start, by that name or by an alias there. */
static void assert_like_nm(const struct symtab *tab, const char *cmd)
{
	static struct {
		u64 addr;
		char name[200];
	} sym[20000];
	struct segments segments;
	int nr = 0, nr_code = 0;
	char type[20000];
	FILE *f = popen(cmd, "r");

	read_segments(&segments, "prog");
	while (f && nr < 20000 && fscanf(f, "%lx %c %199[^\n]", &sym[nr].addr, &type[nr], sym[nr].name) == 3)
		nr++;
	assert_non_null(f);
	assert_int_equal(pclose(f), 0);
	for (int i = 0; i < nr; i++) {
		const struct symbol *found;
		bool alias = false;

		if (!strchr("tTwWi", type[i]))
			continue;
		found = symtab__find(tab, offset_of(&segments, sym[i].addr));
		assert_non_null(found);
		assert_int_equal(found->start, offset_of(&segments, sym[i].addr));
		for (int j = 0; j < nr && !alias; j++)
			alias = sym[j].addr == sym[i].addr && !strcmp(sym[j].name, found->name);
		if (!alias)
			fail_msg("%s is found as %s", sym[i].name, found->name);
		nr_code++;
	}
	assert_true(nr_code >= 5);
}

static void test_like_nm(void **state)
{
	static const char *const flags[] = { "-pie", "-no-pie", "-static", "-Wl,-z,noseparate-code" };
	struct symtab_opts opts = { .no_demangle = true };
	struct symtab *tab;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		run("gcc -O1 -fno-builtin -Wl,--build-id %s -o prog prog.c", flags[i]);
		load(in_scratch("prog"), &opts, &tab);
		assert_like_nm(tab, "nm --defined-only prog");
		symtab__delete(tab);
	}
	run("gcc -O1 -fno-builtin -Wl,--build-id -o prog prog.c");
}

static void test_kinds_of_symbols(void **state)
{
	struct symtab_opts opts = { .no_demangle = true }, short_names = { .short_names = true };
	const struct symbol *unsized, *global;
	struct symtab *tab;

	load(in_scratch("prog"), NULL, &tab);
	assert_non_null(symtab__find_name(tab, "local_fun"));
	assert_int_equal(symtab__find_name(tab, "local_fun")->binding, 'l');
	global = symtab__find_name(tab, "global_fun");
	assert_non_null(global);
	assert_int_equal(global->binding, 'g');
	assert_null(symtab__find_name(tab, "alias_of_it"));
	assert_non_null(symtab__find_name(tab, "ns::Foo::bar(int)"));
	assert_non_null(symtab__find_name(tab, "variable"));
	unsized = symtab__find_name(tab, "unsized");
	assert_non_null(unsized);
	assert_string_equal(name_at(tab, unsized->start + 31), "unsized");
	assert_string_equal(name_at(tab, unsized->start + 32), "label");
	assert_ptr_equal(symtab__at(tab, global->index), global);
	symtab__delete(tab);

	load(in_scratch("prog"), &opts, &tab);
	assert_non_null(symtab__find_name(tab, "_ZN2ns3Foo3barEi"));
	symtab__delete(tab);
	load(in_scratch("prog"), &short_names, &tab);
	assert_non_null(symtab__find_name(tab, "ns::Foo::bar"));
	symtab__delete(tab);
}

/* objdump names stubs, too, and finds them in another way. */
static void assert_stubs_like_objdump(const struct symtab *tab)
{
	FILE *f = popen("objdump -d prog | grep '@plt>:'", "r");
	struct segments segments;
	char name[200];
	int nr = 0;
	u64 addr;

	read_segments(&segments, "prog");
	while (f && fscanf(f, "%lx <%199[^>]>:\n", &addr, name) == 2) {
		u64 offset = offset_of(&segments, addr);

		if (!strncmp(name, "*ABS*", 5)) /* an IFUNC of a static program */
			continue;
		assert_string_equal(name_at(tab, offset), name);
		assert_string_equal(name_at(tab, offset + 7), name);
		assert_int_equal(symtab__find(tab, offset)->start, offset);
		nr++;
	}
	assert_non_null(f);
	pclose(f);
	assert_true(nr >= 3);
}

static void test_stubs(void **state)
{
	static const char *const flags[] = {
		"-Wl,-z,lazy", "-Wl,-z,now", "-no-pie",
#ifdef __x86_64__
		"-fcf-protection=full -Wl,-z,ibtplt",
#endif
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct symtab *tab;

		run("gcc -O1 -fno-builtin %s -o prog prog.c", flags[i]);
		load(in_scratch("prog"), NULL, &tab);
		assert_stubs_like_objdump(tab);
		symtab__delete(tab);
		run("objcopy --strip-all prog");
		load(in_scratch("prog"), NULL, &tab);
		assert_stubs_like_objdump(tab);
		symtab__delete(tab);
	}
	run("gcc -O1 -fno-builtin -Wl,--build-id -o prog prog.c");
}

static struct build_id id_of(const char *path)
{
	struct build_id id;

	assert_int_equal(build_id__read(path, &id), 0);
	return id;
}

static void strip_prog(void)
{
	run("objcopy --only-keep-debug prog prog.debug && cp prog stripped && "
	    "objcopy --strip-all --add-gnu-debuglink=prog.debug stripped");
}

static bool has_locals(const char *path, const struct build_id *want, const struct symtab_opts *opts)
{
	struct symtab *tab;
	bool has;

	assert_int_equal(symtab__load_elf(path, want, opts, &tab, NULL), 0);
	has = symtab__find_name(tab, "local_fun");
	if (has)
		assert_like_nm(tab, "nm --defined-only prog | grep -v '_ZN'");
	symtab__delete(tab);
	return has;
}

static void test_debuglink(void **state)
{
	struct build_id id = id_of("prog");

	strip_prog();
	assert_true(has_locals(in_scratch("stripped"), NULL, NULL));
	assert_true(has_locals(in_scratch("stripped"), &id, NULL));
	/* a link names a file: by a path it could lead anywhere */
	run("mkdir -p p && mv prog.debug p/.x.debug && sed 's#prog[.]debug#p/.x.debug#' stripped >linked");
	assert_false(has_locals(in_scratch("linked"), NULL, NULL));
	run("mv p/.x.debug prog.debug && rmdir p");
	run("mkdir .debug && mv prog.debug .debug/");
	assert_true(has_locals(in_scratch("stripped"), NULL, NULL));
	run("rm -r .debug");
	assert_false(has_locals(in_scratch("stripped"), NULL, NULL));

	/* of another build: refused by its build-id */
	run("sed 's/32/48/' prog.c >other.c && gcc -O1 -fno-builtin -Wl,--build-id -o other other.c && "
	    "objcopy --only-keep-debug other prog.debug");
	assert_false(has_locals(in_scratch("stripped"), NULL, NULL));
}

static void test_debuglink_by_checksum(void **state)
{
	run("gcc -O1 -fno-builtin -Wl,--build-id=none -o prog prog.c");
	strip_prog();
	assert_true(has_locals(in_scratch("stripped"), NULL, NULL));
	run("printf x >>prog.debug");
	assert_false(has_locals(in_scratch("stripped"), NULL, NULL));
	run("gcc -O1 -fno-builtin -Wl,--build-id -o prog prog.c");
}

static void test_debug_file_by_build_id(void **state)
{
	struct symtab_opts opts = { .symfs = scratch };
	struct build_id id = id_of("prog");
	struct symtab *tab;
	char hex[41];

	build_id__str(&id, hex);
	strip_prog();
	run("mkdir -p bin usr/lib/debug/.build-id/%.2s && mv stripped bin/ && mv prog.debug usr/lib/debug/.build-id/%.2s/%s.debug",
	    hex, hex, hex + 2);
	assert_true(has_locals("/bin/stripped", NULL, &opts));
	assert_true(has_locals("/bin/stripped", &id, &opts));
	/* the program itself was replaced: the debug file does not say where in the file its code was */
	run("gcc -O1 -Wl,--build-id=md5 -o bin/stripped prog.c");
	assert_int_equal(symtab__load_elf("/bin/stripped", &id, &opts, &tab, NULL), -ESTALE);
	run("rm -r bin usr");
}

/* As Fedora's find-debuginfo does it; more sections of the packed file may be missing. */
static void make_mini(const char *remove)
{
	run("gcc -O1 -fno-builtin -rdynamic -Wl,--build-id -o whole prog.c && strip -o mini whole && nm -D --format=posix --defined-only mini | "
	    "cut -d' ' -f1 | sort >dynamic && nm --format=posix --defined-only whole | awk '$2 ~ /^[tT]$/ { print $1 }' | sort >all && "
	    "comm -13 dynamic all >locals && objcopy --only-keep-debug whole whole.debug && "
	    "objcopy -S --remove-section .comment %s --keep-symbols=locals whole.debug packed 2>/dev/null", remove);
	run("xz -9 --keep --force packed && objcopy --add-section .gnu_debugdata=packed.xz mini");
}

static void assert_mini(bool has_locals)
{
	struct symtab *tab;

	load(in_scratch("mini"), NULL, &tab);
	assert_int_equal(!!symtab__find_name(tab, "local_fun"), has_locals);
	assert_non_null(symtab__find_name(tab, "global_fun"));
	if (has_locals)
		assert_null(symtab__left_out(tab));
	else
		assert_non_null(strstr(symtab__left_out(tab), "its section .gnu_debugdata"));
	symtab__delete(tab);
}

static void test_mini_debuginfo(void **state)
{
	struct symtab *tab;

	make_mini("");
	assert_mini(true);
	load(in_scratch("mini"), NULL, &tab);
	run("cp prog prog.plain && cp mini prog"); /* whose segments are read */
	assert_like_nm(tab, "nm --defined-only whole | grep -v '_ZN'");
	run("mv prog.plain prog");
	symtab__delete(tab);
	make_mini("--remove-section .interp"); /* its sections have other numbers than the program's */
	assert_mini(true);
}

/* The result would take more than the file may, is cut off, wrong, or no ELF file: the other symbols stay. */
static void test_bad_mini_debuginfo(void **state)
{
	make_mini("");
	run("cp mini good && head -c 300 packed.xz >cut && printf x | dd of=packed.xz bs=1 seek=500 conv=notrunc 2>/dev/null");
	run("objcopy --update-section .gnu_debugdata=cut mini");
	assert_mini(false);
	run("cp good mini && objcopy --update-section .gnu_debugdata=packed.xz mini");
	assert_mini(false);
	run("head -c 100M /dev/zero | xz -0 >zeros && cp good mini && objcopy --update-section .gnu_debugdata=zeros mini");
	assert_mini(false);
	run("echo no program | xz >text && cp good mini && objcopy --update-section .gnu_debugdata=text mini");
	assert_mini(false);
	run("echo | xz --lzma2=dict=256MiB >large && cp good mini && objcopy --update-section .gnu_debugdata=large mini");
	assert_mini(false);
}

static void test_mismatch(void **state)
{
	struct build_id id = id_of("prog"), padded = { .size = 20 };
	struct errmsg err;
	struct symtab *tab;

	assert_int_equal(symtab__load_elf(in_scratch("prog"), &id, NULL, &tab, NULL), 0);
	symtab__delete(tab);
	id.data[19] ^= 1;
	assert_int_equal(symtab__load_elf(in_scratch("prog"), &id, NULL, &tab, &err), -ESTALE);
	assert_non_null(strstr(err.text, "prog"));

	run("gcc -O1 -Wl,--build-id=md5 -o md5 prog.c");
	id = id_of("md5");
	assert_int_equal(id.size, 16);
	memcpy(padded.data, id.data, 16); /* as perf.data files without sizes have it */
	assert_int_equal(symtab__load_elf(in_scratch("md5"), &padded, NULL, &tab, NULL), 0);
	symtab__delete(tab);
	padded.data[17] = 1;
	assert_int_equal(symtab__load_elf(in_scratch("md5"), &padded, NULL, &tab, NULL), -ESTALE);
}

static void test_other_files(void **state)
{
	struct errmsg err;
	struct symtab *tab;

	assert_int_equal(mkfifo("fifo", 0600), 0);
	alarm(100); /* a FIFO without a writer would block for ever */
	assert_int_equal(symtab__load_elf(in_scratch("fifo"), NULL, NULL, &tab, &err), -ENOEXEC);
	alarm(0);
	assert_int_equal(symtab__load_elf(in_scratch(""), NULL, NULL, &tab, &err), -ENOEXEC);
	assert_int_equal(symtab__load_elf(in_scratch("prog.c"), NULL, NULL, &tab, &err), -ENOEXEC);
	assert_int_equal(symtab__load_elf(in_scratch("missing"), NULL, NULL, &tab, &err), -ENOENT);
	assert_non_null(strstr(err.text, "missing"));
	run("gcc -c -o prog.o prog.c && ar rc prog.a prog.o && : >empty");
	assert_int_equal(symtab__load_elf(in_scratch("prog.a"), NULL, NULL, &tab, &err), -ENOEXEC);
	assert_int_equal(symtab__load_elf(in_scratch("empty"), NULL, NULL, &tab, &err), -ENOEXEC);
	assert_int_equal(symtab__load_elf(in_scratch("prog.o"), NULL, NULL, &tab, NULL), 0);
	assert_non_null(symtab__find_name(tab, "global_fun"));
	symtab__delete(tab);
}

static char *read_file(const char *name, size_t *size)
{
	int fd = open(name, O_RDONLY);
	struct stat st;
	char *image;

	assert_int_equal(fstat(fd, &st), 0);
	image = malloc(st.st_size);
	assert_int_equal(read(fd, image, st.st_size), st.st_size);
	close(fd);
	*size = st.st_size;
	return image;
}

/* An object file with 5000 symbols, one of which has a name of 100,000 letters. */
static char *read_many(size_t *size)
{
	run("awk 'BEGIN { for (i = 0; i < 4999; i++) print \"s\" i \": nop\"; for (; i < 104999; i++) printf \"l\"; print \": nop\" }' "
	    ">many.s && as -o many.o many.s -L --keep-locals");
	return read_file("many.o", size);
}

static Elf64_Shdr *section_of(char *image, u32 type)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)image;
	Elf64_Shdr *section = (Elf64_Shdr *)(image + ehdr->e_shoff);

	while (section->sh_type != type)
		section++;
	return section;
}

/* Symbols that share a long name would take its length times their number. */
static void test_shared_names(void **state)
{
	size_t size, nr;
	char *image = read_many(&size);
	const Elf64_Shdr *table = section_of(image, SHT_SYMTAB);
	Elf64_Sym *sym = (Elf64_Sym *)(image + table->sh_offset);
	struct symtab *tab;

	nr = table->sh_size / sizeof(*sym);
	assert_in_range(nr, 5000, 5010);
	assert_int_equal(symtab__load_elf(in_scratch("many.o"), NULL, NULL, &tab, NULL), 0);
	assert_int_equal(symtab__nr(tab), 5000);
	symtab__delete(tab);
	for (size_t i = 1; i < nr; i++)
		sym[i].st_name = sym[nr - 1].st_name;
	write_file("shared", image, size);
	free(image);
	assert_int_equal(symtab__load_elf(in_scratch("shared"), NULL, NULL, &tab, NULL), -E2BIG);
}

/* The end of each name would be looked for from the end of the table on. */
static void test_names_without_end(void **state)
{
	const Elf64_Shdr *strings;
	struct symtab *tab;
	size_t size;
	char *image = read_many(&size);

	strings = section_of(image, SHT_STRTAB);
	image[strings->sh_offset + strings->sh_size - 1] = 'x';
	write_file("endless", image, size);
	free(image);
	assert_int_equal(symtab__load_elf(in_scratch("endless"), NULL, NULL, &tab, NULL), 0);
	assert_int_equal(symtab__nr(tab), 0);
	symtab__delete(tab);
}

/* A damaged table is not taken from the memory that may be used for names: those of the other table are there. */
static void test_names_beyond_the_file(void **state)
{
	Elf64_Shdr *sections, *table;
	struct symtab *tab;
	size_t size;
	char *image;

	write_text("both.c", "int exported(void) { return 1; }\n");
	run("gcc -shared -fPIC -o both both.c");
	image = read_file("both", &size);
	sections = (Elf64_Shdr *)(image + ((const Elf64_Ehdr *)image)->e_shoff);
	table = &sections[section_of(image, SHT_SYMTAB)->sh_link];
	table->sh_size = (256 << 10) + 14 * size; /* more than half of the memory that may be used, see elf-budget.c */
	write_file("beyond", image, size);
	free(image);
	assert_int_equal(symtab__load_elf(in_scratch("beyond"), NULL, NULL, &tab, NULL), 0);
	assert_non_null(symtab__find_name(tab, "exported"));
	symtab__delete(tab);
}

/* Each would be copied, and may be as long as the file. */
static void test_long_notes(void **state)
{
	struct build_id id;

	write_text("notes.s", ".section .note.a,\"a\",@note\n.zero 600000\n"
			      ".section .note.b,\"a\",@note\n.int 4, 20, 3\n.asciz \"GNU\"\n.fill 20, 1, 7\n.zero N\n");
	run("as --defsym N=300000 -o few.o notes.s && as --defsym N=600000 -o long.o notes.s");
	assert_int_equal(build_id__read(in_scratch("few.o"), &id), 0);
	assert_int_equal(id.data[19], 7);
	assert_int_equal(build_id__read(in_scratch("long.o"), &id), -ENOENT);
}

static void use_damaged(const char *path)
{
	struct symtab *tab;
	struct build_id id;

	build_id__read(path, &id);
	if (symtab__load_elf(path, NULL, NULL, &tab, NULL))
		return;
	for (u32 i = 0; i < symtab__nr(tab); i++)
		assert_true(strlen(symtab__at(tab, i)->name) < 1000000);
	for (u64 addr = 0; addr < 100000; addr += 100)
		symtab__find(tab, addr);
	symtab__delete(tab);
}

/* The file's own header, the section headers, or anywhere. */
static size_t place_to_damage(const char *good, size_t size)
{
	size_t shoff = ((const Elf64_Ehdr *)good)->e_shoff;

	switch (rand() % 3) {
	case 0:
		return rand() % 1024;
	case 1:
		return shoff + rand() % (size - shoff);
	}
	return rand() % size;
}

static void damage_and_use(const char *good, char *bad, size_t size)
{
	size_t bad_size = size;

	memcpy(bad, good, size);
	for (int n = rand() % 8; n >= 0; n--) {
		size_t at = place_to_damage(good, size);

		bad[at] = rand() % 2 ? rand() : bad[at] ^ 1 << rand() % 8;
	}
	if (rand() % 4 == 0)
		bad_size = rand() % size;
	write_file("damaged", bad, bad_size);
	use_damaged(in_scratch("damaged"));
}

static void test_damaged(void **state)
{
	static const char *const files[] = { "prog", "stripped", "mini" };

	strip_prog();
	make_mini("");
	srand(1);
	for (size_t f = 0; f < ARRAY_SIZE(files); f++) {
		struct stat st;
		int fd = open(files[f], O_RDONLY);
		char *good, *bad;

		assert_int_equal(fstat(fd, &st), 0);
		good = malloc(st.st_size);
		bad = malloc(st.st_size);
		assert_int_equal(read(fd, good, st.st_size), st.st_size);
		close(fd);
		for (int i = 0; i < 400; i++)
			damage_and_use(good, bad, st.st_size);
		free(good);
		free(bad);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like_nm),
		cmocka_unit_test(test_kinds_of_symbols),
		cmocka_unit_test(test_stubs),
		cmocka_unit_test(test_debuglink),
		cmocka_unit_test(test_debuglink_by_checksum),
		cmocka_unit_test(test_debug_file_by_build_id),
		cmocka_unit_test(test_mini_debuginfo),
		cmocka_unit_test(test_bad_mini_debuginfo),
		cmocka_unit_test(test_mismatch),
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_shared_names),
		cmocka_unit_test(test_names_without_end),
		cmocka_unit_test(test_names_beyond_the_file),
		cmocka_unit_test(test_long_notes),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("symbol/elf", tests, setup, scratch_teardown);
}

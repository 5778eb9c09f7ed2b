// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/symbol/fixture.h"
#include "util/symbol/srcline.h"

static const char source[] =
	"#include \"leaf.h\"\n"
	"namespace ns {\n"
	"template <typename T> struct sum {\n"
	"	T total;\n"
	"	inline __attribute__((always_inline)) void add(T x)\n"
	"	{\n"
	"		for (int i = 0; i < 5; i++)\n"
	"			total = leaf(total ^ i) + x;\n"
	"	}\n"
	"};\n"
	"int outline(int x) { return leaf(x) * 3; }\n"
	"static inline __attribute__((always_inline)) int middle(int n)\n"
	"{\n"
	"	sum<int> s = { n };\n"
	"	s.add(n);\n"
	"	return s.total;\n"
	"}\n"
	"}\n"
	"__attribute__((noinline)) int work(int n)\n"
	"{\n"
	"	int ret = ns::middle(n);\n"
	"	return ret + ns::outline(ret);\n"
	"}\n"
	"int main(int argc, char **argv) { return work(argc) + leaf(argc); }\n";

static const char leaf_source[] =
	"extern volatile int memory;\n"
	"volatile int memory __attribute__((weak));\n"
	"static inline __attribute__((always_inline)) int leaf(int x)\n"
	"{\n"
	"	memory = x;\n"
	"	return memory * 7;\n"
	"}\n";

static int setup(void **state)
{
	if (scratch_setup(state))
		return -1;
	run("mkdir inc");
	write_text("prog.cpp", source);
	write_text("inc/leaf.h", leaf_source);
	run("g++ -g -O2 -Iinc -Wl,--build-id -o prog prog.cpp");
	return 0;
}

static struct srclines *open_lines(const char *path, const struct dwarf_file_opts *opts)
{
	const struct dwarf_file_opts none = {};
	struct srclines *lines;
	struct errmsg err;

	if (srclines__open(path, NULL, opts ?: &none, true, &lines, &err))
		fail_msg("%s", err.text);
	return lines;
}

/* As llvm-addr2line -afi prints it. */
static void print_like_llvm(FILE *f, u64 vaddr, const struct srcline *line)
{
	char text[4096];

	fprintf(f, "0x%llx\n", (unsigned long long)vaddr);
	for (u32 i = 0; i < line->nr; i++) {
		const struct srcline_frame *frame = &line->frame[i];

		assert_int_equal(!frame->sym, i == line->nr - 1);
		srcline_frame__snprint(frame, true, text, sizeof(text));
		fprintf(f, "%s\n%s\n", frame->sym ? frame->sym->name : "base", text);
	}
}

static void start_of_code(const char *prog, u64 *offset, u64 *vaddr, u64 *size)
{
	struct elf_file file;
	GElf_Shdr shdr;

	assert_int_equal(elf_file__open(&file, prog, NULL), 0);
	assert_non_null(elf_file__section(&file, ".text", &shdr));
	*offset = shdr.sh_offset;
	*vaddr = shdr.sh_addr;
	*size = shdr.sh_size;
	elf_file__close(&file);
}

/* Every address of the code, also those inside of instructions. Returns how many had inlined functions. */
static int compare_with_llvm(struct srclines *lines, const char *prog, const char *debug)
{
	FILE *ours = fopen("ours", "w"), *addrs = fopen("addrs", "w");
	u64 offset, vaddr, size;
	int nr = 0, nr_inlined = 0;

	assert_non_null(ours);
	assert_non_null(addrs);
	start_of_code(prog, &offset, &vaddr, &size);
	for (u64 i = 0; i < size; i++) {
		const struct srcline *line = srclines__find(lines, offset + i, NULL);

		assert_int_equal(srclines__vaddr(lines, offset + i), vaddr + i);
		assert_ptr_equal(line, srclines__find(lines, offset + i, NULL));
		if (!line)
			continue;
		nr++;
		nr_inlined += line->nr > 1;
		print_like_llvm(ours, vaddr + i, line);
		fprintf(addrs, "%llx\n", (unsigned long long)vaddr + i);
	}
	fclose(ours);
	fclose(addrs);
	assert_true(nr > 50);
	/* the outermost function's name is not ours to tell; a line 0 is shown as '?' */
	run("llvm-addr2line -afie %s <addrs | sed -E 's/ \\(discriminator [0-9]+\\)$//; s/:\\?$/:0/' | awk '"
	    "function flush_last() { if (n) { for (i = 1; i <= n; i++) print i == n - 1 ? \"base\" : l[i] } n = 0 }"
	    "/^0x/ { flush_last(); print; next } { l[++n] = $0 } END { flush_last() }' >theirs && diff theirs ours >&2", debug);
	return nr_inlined;
}

static void test_like_llvm(void **state)
{
	static const char *const compilers[] = {
		"g++ -O2", "g++ -O2 -no-pie", "g++ -O2 -gdwarf-4", "g++ -O1 -gdwarf-2", "g++ -O3 -gz=zlib",
		"g++ -O2 -gsplit-dwarf", "g++ -O2 -Wl,-z,noseparate-code", "g++ -O2 -fdebug-types-section", "g++ -O2 -flto",
		"g++ -O2 -ffunction-sections -Wl,--gc-sections", "clang++ -O2", "clang++ -O2 -gdwarf-4",
	};

	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++) {
		struct srclines *lines;

		run("%s -g -Iinc -o other prog.cpp", compilers[i]);
		lines = open_lines(in_scratch("other"), NULL);
		if (compare_with_llvm(lines, "other", "other") < 20)
			fail_msg("%s: hardly anything is inlined", compilers[i]);
		srclines__delete(lines);
	}
}

/* llvm-addr2line of Debian 12 does not know the format, so it reads the plain file. */
static void test_zstd(void **state)
{
	struct srclines *lines;

	run("g++ -O2 -g -Iinc -o other prog.cpp && objcopy --compress-debug-sections=zstd other packed");
	lines = open_lines(in_scratch("packed"), NULL);
	assert_true(compare_with_llvm(lines, "other", "other") >= 20);
	srclines__delete(lines);
}

static const struct srcline *line_of(struct srclines *lines, const char *prog, const char *function)
{
	const struct symbol *sym;
	const struct srcline *line = NULL;
	struct symtab *tab;

	assert_int_equal(symtab__load_elf(prog, NULL, NULL, &tab, NULL), 0);
	sym = symtab__find_name(tab, function);
	assert_non_null(sym);
	for (u64 at = sym->start; at < sym->end && (!line || line->nr < 4); at++)
		line = srclines__find(lines, at, NULL);
	symtab__delete(tab);
	return line;
}

static void assert_frame(const struct srcline *line, u32 i, const char *name, const char *where)
{
	char text[256];

	assert_non_null(line);
	assert_true(i < line->nr);
	assert_string_equal(line->frame[i].sym ? line->frame[i].sym->name : "base", name);
	srcline_frame__snprint(&line->frame[i], false, text, sizeof(text));
	assert_string_equal(text, where);
}

static void test_frames(void **state)
{
	const struct dwarf_file_opts none = {};
	const struct srcline_frame unknown = {};
	struct srclines *lines;
	const struct srcline *line;
	char text[256], want[256];

	assert_int_equal(srclines__open(in_scratch("prog"), NULL, &none, false, &lines, NULL), 0);
	line = line_of(lines, in_scratch("prog"), "work(int)");
	assert_frame(line, 0, "leaf", line->frame[0].line == 5 ? "leaf.h:5" : "leaf.h:6");
	assert_frame(line, 1, "ns::sum<int>::add(int)", "prog.cpp:8");
	assert_frame(line, 2, "middle", "prog.cpp:15");
	assert_frame(line, 3, "base", "prog.cpp:21");
	assert_true(line->frame[0].sym->inlined);
	srcline_frame__snprint(&line->frame[3], true, text, sizeof(text));
	snprintf(want, sizeof(want), "%s/prog.cpp:21", scratch);
	assert_string_equal(text, want);
	srcline_frame__snprint(&unknown, false, text, sizeof(text));
	assert_string_equal(text, "??:0");

	assert_null(srclines__find(lines, 0, NULL));
	assert_null(srclines__find(lines, UINT64_MAX, NULL));
	srclines__delete(lines);
}

/* What is inlined into different symbols are different symbols, in the same one they are the same. */
static void test_symbols(void **state)
{
	struct srclines *lines = open_lines(in_scratch("prog"), NULL);
	const struct symbol base = { .start = 1, .end = 100, .index = 7, .binding = 'g', .name = "base" }, other = base;
	const struct srcline *line = NULL, *next;
	u64 offset, vaddr, size, i = 0;

	start_of_code("prog", &offset, &vaddr, &size);
	for (; i < size; i++) {
		line = srclines__find(lines, offset + i, &base);
		if (line && line->nr > 1)
			break;
	}
	assert_true(i < size);
	assert_int_equal(line->frame[0].sym->start, 1);
	assert_int_equal(line->frame[0].sym->end, 100);
	next = srclines__find(lines, offset + i + 1, &base);
	assert_non_null(next);
	assert_ptr_equal(line->frame[0].sym, next->frame[0].sym);
	next = srclines__find(lines, offset + i + 2, &other);
	assert_non_null(next);
	assert_ptr_not_equal(line->frame[0].sym, next->frame[0].sym);
	srclines__delete(lines);
}

static void assert_same_as_prog(const char *path, const struct dwarf_file_opts *opts)
{
	struct srclines *lines = open_lines(path, opts);

	assert_true(compare_with_llvm(lines, "prog", "prog") > 20);
	srclines__delete(lines);
}

/* Addresses are known without debug information, too. */
static void assert_no_lines(const char *path, const struct dwarf_file_opts *opts)
{
	struct srclines *lines = open_lines(path, opts);
	u64 offset, vaddr, size;

	start_of_code("prog", &offset, &vaddr, &size);
	for (u64 i = 0; i < size; i++) {
		assert_null(srclines__find(lines, offset + i, NULL));
		assert_int_equal(srclines__vaddr(lines, offset + i), vaddr + i);
	}
	srclines__delete(lines);
}

static void test_separate_debug_files(void **state)
{
	const struct dwarf_file_opts below = { .symfs = scratch }, none = {};
	struct srclines *lines;
	struct build_id id;
	struct errmsg err;
	char hex[41];

	assert_int_equal(build_id__read("prog", &id), 0);
	build_id__str(&id, hex);
	run("objcopy --only-keep-debug prog prog.debug && objcopy --strip-debug --add-gnu-debuglink=prog.debug prog stripped");
	assert_same_as_prog(in_scratch("stripped"), NULL);
	run("mkdir -p bin usr/lib/debug/.build-id/%.2s && mv prog.debug usr/lib/debug/.build-id/%.2s/%s.debug && cp stripped bin/",
	    hex, hex, hex + 2);
	assert_same_as_prog("/bin/stripped", &below);
	run("rm -r usr");
	assert_no_lines("/bin/stripped", &below);
	id.data[0] ^= 1;
	assert_int_equal(srclines__open(in_scratch("prog"), &id, &none, true, &lines, &err), -ESTALE);
	assert_int_equal(srclines__open(in_scratch("missing"), NULL, &none, true, &lines, &err), -ENOENT);
	assert_int_equal(srclines__open(in_scratch("prog.cpp"), NULL, &none, true, &lines, &err), -ENOEXEC);
}

/* A server that is a directory: libcurl, which libdebuginfod uses, knows file: URLs. */
static void test_debuginfod(void **state)
{
	const struct dwarf_file_opts none = {}, ask = { .debuginfod = true };
	struct build_id id;
	char hex[41], url[128];

	assert_int_equal(build_id__read("prog", &id), 0);
	build_id__str(&id, hex);
	run("mkdir -p server/buildid/%s && objcopy --only-keep-debug prog server/buildid/%s/debuginfo", hex, hex);
	run("objcopy --strip-debug prog alone");
	snprintf(url, sizeof(url), "file://%s/server", scratch);
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", in_scratch("cache"), 1);
	assert_no_lines(in_scratch("alone"), &none); /* not asked for */
	assert_same_as_prog(in_scratch("alone"), &ask);
	setenv("DEBUGINFOD_URLS", "", 1);
	assert_no_lines(in_scratch("alone"), &ask);
}

/* Returns how many addresses had a line nevertheless. */
static int use_damaged(const char *path, u64 offset, u64 size)
{
	const struct dwarf_file_opts none = {};
	struct srclines *lines;
	char text[4096];
	int nr = 0;

	if (srclines__open(path, NULL, &none, false, &lines, NULL))
		return 0;
	for (u64 i = 0; i < size; i += 3) {
		const struct srcline *line = srclines__find(lines, offset + i, NULL);

		nr += !!line;
		for (u32 n = 0; line && n < line->nr; n++)
			srcline_frame__snprint(&line->frame[n], i % 2, text, sizeof(text));
	}
	srclines__delete(lines);
	return nr;
}

/* Bytes of one of the sections with debug information. */
static void damage(char *bad, const struct elf_file *good)
{
	static const char *const sections[] = { ".debug_info", ".debug_abbrev", ".debug_line", ".debug_rnglists", ".debug_str",
						".debug_line_str" };
	GElf_Shdr shdr;

	if (!elf_file__section(good, sections[rand() % ARRAY_SIZE(sections)], &shdr))
		return;
	for (int n = rand() % 10; n >= 0; n--) {
		char *at = bad + shdr.sh_offset + rand() % shdr.sh_size;

		*at = rand() % 2 ? rand() : *at ^ 1 << rand() % 8;
	}
}

static void test_damaged(void **state)
{
	u64 offset, vaddr, size;
	struct elf_file file;
	struct stat st;
	char *good, *bad;
	int nr = 0;

	assert_int_equal(elf_file__open(&file, "prog", NULL), 0);
	start_of_code("prog", &offset, &vaddr, &size);
	assert_int_equal(fstat(file.fd, &st), 0);
	good = malloc(st.st_size);
	bad = malloc(st.st_size);
	assert_int_equal(pread(file.fd, good, st.st_size, 0), st.st_size);
	srand(1);
	alarm(300);
	for (int i = 0; i < 500; i++) {
		memcpy(bad, good, st.st_size);
		damage(bad, &file);
		write_file("damaged", bad, st.st_size);
		nr += use_damaged(in_scratch("damaged"), offset, size);
	}
	alarm(0);
	assert_true(nr > 1000);
	elf_file__close(&file);
	free(good);
	free(bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like_llvm),
		cmocka_unit_test(test_zstd),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_separate_debug_files),
		cmocka_unit_test(test_debuginfod),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("symbol/srcline", tests, setup, scratch_teardown);
}

// SPDX-License-Identifier: GPL-2.0
/* Functions of a stripped program, against what nm says of it before. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "tests/unit/symbol/fixture.h"
#include "util/symbol/unnamed-functions.h"

static const char source[] =
	"#define FUN(n) __attribute__((noinline, aligned(64))) static int f##n(int x) { return x * n + ({ volatile int y = n; y; }); }\n"
	"FUN(1) FUN(2) FUN(3)\n"
	"__attribute__((noinline)) static int g(int x) { return f1(x) + f2(x) + f3(x); }\n"
	"int main(int argc, char **argv) { return g(argc); }\n";

static int setup(void **state)
{
	if (scratch_setup(state))
		return -1;
	write_text("prog.c", source);
	run("gcc -O1 -no-pie -o whole prog.c && strip -o prog whole"); /* its addresses are not its offsets */
	return 0;
}

static struct unnamed_functions *open_functions(const char *path)
{
	static const struct file_places places;
	struct unnamed_functions *functions;

	assert_int_equal(unnamed_functions__open(in_scratch(path), NULL, &places, "a\033name", &functions), 0);
	return functions;
}

static void test_like_nm(void **state)
{
	struct unnamed_functions *functions = open_functions("prog");
	FILE *f = popen("nm -S whole", "r");
	const struct symbol *sym, *last = NULL;
	struct elf_file file;
	u64 vaddr, size, offset;
	char want[64], name[64], line[256];
	int nr = 0;

	assert_int_equal(elf_file__open(&file, in_scratch("whole"), NULL), 0);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %lx %*c %63s", &vaddr, &size, name) != 3 || (name[0] != 'f' && name[0] != 'g' && strcmp(name, "main")))
			continue;
		assert_true(elf_file__offset(&file, vaddr, &offset));
		sym = unnamed_functions__find(functions, offset + size - 1);
		assert_non_null(sym);
		snprintf(want, sizeof(want), "a?name+0x%lx", vaddr);
		assert_string_equal(sym->name, want);
		assert_int_equal(sym->start, offset);
		assert_int_equal(sym->end, offset + size);
		assert_ptr_equal(unnamed_functions__find(functions, offset), sym); /* the same one again */
		assert_ptr_not_equal(sym, last);
		assert_true(sym->is_unnamed);
		if (!strcmp(name, "f1")) /* followed by padding */
			assert_null(unnamed_functions__find(functions, offset + size));
		last = sym;
		nr++;
	}
	assert_int_equal(nr, 5);
	assert_null(unnamed_functions__find(functions, 0));
	assert_null(unnamed_functions__find(functions, UINT64_MAX));
	pclose(f);
	elf_file__close(&file);
	unnamed_functions__delete(functions);
}

static void test_without_frames(void **state)
{
	static const struct file_places places;
	struct unnamed_functions *functions;

	run("gcc -O1 -nostdlib -static -fno-asynchronous-unwind-tables -Wl,-e,main -o bare prog.c");
	assert_int_equal(unnamed_functions__open(in_scratch("bare"), NULL, &places, "x", &functions), -ENODATA);
	assert_int_equal(unnamed_functions__open(in_scratch("missing"), NULL, &places, "x", &functions), -ENOENT);
}

/* The tables lie: nothing is read beyond them. */
static void test_damaged(void **state)
{
	static const struct file_places places;
	struct stat st;
	int fd = open("prog", O_RDONLY);
	char *good, *bad;

	assert_int_equal(fstat(fd, &st), 0);
	good = malloc(st.st_size);
	bad = malloc(st.st_size);
	assert_int_equal(read(fd, good, st.st_size), st.st_size);
	close(fd);
	srand(1);
	for (int i = 0; i < 1000; i++) {
		struct unnamed_functions *functions;

		memcpy(bad, good, st.st_size);
		for (int n = 0; n < 400; n++)
			bad[0x40 + rand() % (st.st_size - 0x40)] = rand();
		write_file("bad", bad, st.st_size);
		if (unnamed_functions__open(in_scratch("bad"), NULL, &places, "x", &functions))
			continue;
		for (u64 at = 0; at < (u64)st.st_size; at += 16)
			unnamed_functions__find(functions, at);
		unnamed_functions__delete(functions);
	}
	free(good);
	free(bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like_nm),
		cmocka_unit_test(test_without_frames),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("symbol/unnamed-functions", tests, setup, scratch_teardown);
}

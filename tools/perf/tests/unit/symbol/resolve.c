// SPDX-License-Identifier: GPL-2.0
/* Resolves addresses of this very process, fed from /proc/self/maps. */
#include <dlfcn.h>
#include <errno.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include "tests/unit/symbol/fixture.h"
#include "util/symbol/resolve.h"

#define USER PERF_RECORD_MISC_USER
#define KERNEL PERF_RECORD_MISC_KERNEL

static int feed_mmap(struct machine *m, u16 misc, u32 pid, u64 start, u64 end, u64 pgoff, const char *name)
{
	size_t size = sizeof(struct record_mmap) + strlen(name) + 1;
	struct record_mmap *rec = calloc(1, size);
	int err;

	*rec = (struct record_mmap){
		.header = { .type = PERF_RECORD_MMAP, .misc = misc, .size = size },
		.pid = pid, .tid = pid, .start = start, .len = end - start, .pgoff = pgoff,
	};
	strcpy(rec->filename, name);
	err = machine__process(m, (const union perf_record *)rec);
	free(rec);
	return err;
}

static void feed_own_maps(struct machine *m)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char prot[5], name[256] = "//anon";
		u64 start, end, pgoff;

		assert_true(sscanf(line, "%lx-%lx %4s %lx %*s %*s %255[^\n]", &start, &end, prot, &pgoff, name) >= 4);
		assert_int_equal(feed_mmap(m, USER, getpid(), start, end, pgoff, name), 0);
	}
	fclose(f);
}

struct fixture {
	struct machine *machine;
	struct resolver *resolver;
	struct thread *thread;
};

static struct fixture fixture__new(const struct resolver_opts *opts)
{
	struct fixture f = { .machine = machine__new(resolver__free_dso) };

	assert_non_null(f.machine);
	f.resolver = resolver__new(f.machine, opts);
	f.thread = machine__thread(f.machine, getpid(), getpid());
	assert_non_null(f.resolver);
	assert_non_null(f.thread);
	return f;
}

static void fixture__delete(struct fixture *f)
{
	resolver__delete(f->resolver);
	machine__delete(f->machine);
}

static const char *resolve(struct fixture *f, u8 cpumode, u64 addr, u64 *off)
{
	struct location loc;

	resolver__resolve(f->resolver, f->thread, cpumode, addr, &loc);
	assert_int_equal(loc.addr, addr);
	assert_int_equal(loc.cpumode, cpumode);
	if (off && loc.sym)
		*off = loc.sym_addr - loc.sym->start;
	return loc.sym ? loc.sym->name : "none";
}

__attribute__((noinline)) static int static_function(int x)
{
	return x + getpid();
}

static void test_own_functions(void **state)
{
	struct fixture f = fixture__new(NULL);
	u64 off = 77;

	feed_own_maps(f.machine);
	assert_string_equal(resolve(&f, USER, (u64)(uintptr_t)static_function, &off), "static_function");
	assert_int_equal(off, 0);
	assert_string_equal(resolve(&f, USER, (u64)(uintptr_t)static_function + 2, &off), "static_function");
	assert_int_equal(off, 2);
	assert_string_equal(resolve(&f, USER, (u64)(uintptr_t)resolver__resolve, &off), "resolver__resolve");
	assert_string_equal(resolve(&f, USER, 1, &off), "none");
	assert_string_equal(resolve(&f, KERNEL, (u64)(uintptr_t)static_function, &off), "none");
	assert_int_not_equal(static_function(1), 0);
	fixture__delete(&f);
}

static void test_shared_library(void **state)
{
	struct fixture f = fixture__new(NULL);
	struct location loc;

	feed_own_maps(f.machine);
	resolver__resolve(f.resolver, f.thread, USER, (u64)(uintptr_t)dlsym(RTLD_DEFAULT, "hcreate"), &loc);
	assert_non_null(loc.dso);
	assert_non_null(strstr(loc.dso->short_name, "libc"));
	assert_non_null(loc.sym);
	assert_non_null(strstr(loc.sym->name, "hcreate"));
	assert_int_equal(loc.sym_addr, loc.sym->start);
	fixture__delete(&f);
}

/* Two processes map a file without symbols at different places. */
static void test_identity(void **state)
{
	struct fixture f = fixture__new(NULL);
	struct thread *other = machine__thread(f.machine, 5, 5);
	u64 own = (uintptr_t)static_function, first;
	struct location loc;

	feed_own_maps(f.machine);
	assert_int_equal(feed_mmap(f.machine, USER, getpid(), 0x1000, 0x9000, 0x3000, "/no/such/file"), 0);
	assert_int_equal(feed_mmap(f.machine, USER, 5, 0x21000, 0x29000, 0x4000, "/no/such/file"), 0);
	assert_int_equal(feed_mmap(f.machine, USER, 5, 0x31000, 0x39000, 0x4000, "/no/such/other"), 0);
	first = resolver__identity(f.resolver, f.thread, USER, 0x2010);
	assert_true(first > UINT32_MAX);
	assert_int_equal(resolver__identity(f.resolver, other, USER, 0x21010), first);
	assert_int_not_equal(resolver__identity(f.resolver, other, USER, 0x21011), first);
	assert_int_not_equal(resolver__identity(f.resolver, other, USER, 0x31010), first);
	assert_int_equal(resolver__identity(f.resolver, other, USER, 0x41010), 0);
	resolver__resolve(f.resolver, f.thread, USER, own, &loc);
	assert_string_equal(loc.sym->name, "static_function");
	assert_true(symbol__identity(loc.sym) > UINT32_MAX);
	assert_int_equal(resolver__identity(f.resolver, f.thread, USER, own), symbol__identity(loc.sym));
	assert_int_equal(resolver__identity(f.resolver, f.thread, USER, own + 1), symbol__identity(loc.sym));
	assert_int_equal(symbol__identity(NULL), 0);
	fixture__delete(&f);
}

/* Many at once, in files that are loaded, not loaded, without symbols, and in no file. */
static void test_fetched_places(void **state)
{
	struct fixture f = fixture__new(NULL);
	u64 own = (uintptr_t)static_function, of_libc = (uintptr_t)dlsym(RTLD_DEFAULT, "hcreate");
	const u64 addr[] = { own, of_libc, 0x2010, 0x41010, own + 1, 0x2011, 0 };
	struct place_fetch place[ARRAY_SIZE(addr)] = {};

	feed_own_maps(f.machine);
	assert_int_equal(feed_mmap(f.machine, USER, getpid(), 0x1000, 0x9000, 0x3000, "/no/such/file"), 0);
	resolver__identity(f.resolver, f.thread, USER, own);
	resolver__identity(f.resolver, f.thread, USER, 0x1000);
	for (size_t i = 0; i < ARRAY_SIZE(addr); i++)
		place[i] = (struct place_fetch){ .thread = f.thread, .addr = addr[i], .cpumode = USER, .in_chain = i % 2 };
	resolver__fetch_places(f.resolver, place, ARRAY_SIZE(addr));
	for (size_t i = 0; i < ARRAY_SIZE(addr); i++) {
		assert_int_equal(place[i].loaded, addr[i] != of_libc);
		if (place[i].loaded)
			assert_int_equal(resolver__identity_of(f.resolver, &place[i]), resolver__identity(f.resolver, f.thread, USER, addr[i]));
	}
	assert_int_equal(resolver__frames_at(f.resolver, f.thread, USER, of_libc).nr, 1);
	resolver__fetch_places(f.resolver, place, ARRAY_SIZE(addr));
	assert_true(place[1].loaded);
	assert_int_equal(resolver__identity_of(f.resolver, &place[1]), resolver__identity(f.resolver, f.thread, USER, of_libc));
	resolver__fetch_places(f.resolver, place, 0);
	fixture__delete(&f);
}

static void test_vdso(void **state)
{
	struct fixture f = fixture__new(NULL);
	u64 base = getauxval(AT_SYSINFO_EHDR);
	int named = 0;

	if (!base) {
		print_message("this kernel gives no vdso\n");
		skip();
	}
	feed_own_maps(f.machine);
	for (u64 addr = base; addr < base + 0x2000; addr += 16)
		named += !!strstr(resolve(&f, USER, addr, NULL), "clock_gettime");
	assert_true(named > 0);
	fixture__delete(&f);
}

static u32 insn_at(struct fixture *f, u8 cpumode, u64 addr, u8 code[INSN_MAX_SIZE])
{
	struct location loc;

	resolver__resolve(f->resolver, f->thread, cpumode, addr, &loc);
	return resolver__insn(f->resolver, &loc, code);
}

/* From the file there is what is in memory. */
static void test_insn(void **state)
{
	struct fixture f = fixture__new(NULL);
	u64 addr = (u64)(uintptr_t)static_function, base = getauxval(AT_SYSINFO_EHDR), end = addr + 12;
	u8 code[INSN_MAX_SIZE];
	u32 size;

	if (!disasm__available())
		skip();
	feed_own_maps(f.machine);
	for (; addr < end; addr += size) {
		size = insn_at(&f, USER, addr, code);
		assert_in_range(size, 1, INSN_MAX_SIZE);
		assert_memory_equal(code, (const void *)addr, size);
	}
	for (addr = base; base && addr < base + 0x2000 && !strstr(resolve(&f, USER, addr, NULL), "clock_gettime"); addr++)
		;
	size = base ? insn_at(&f, USER, addr, code) : 0;
	assert_int_equal(!base, !size);
	assert_memory_equal(code, (const void *)addr, size);
	assert_int_equal(insn_at(&f, USER, 1, code), 0);
	assert_int_equal(insn_at(&f, KERNEL, 0xffffffff81000000, code), 0);
	fixture__delete(&f);
}

static int count_failure(const struct dso *dso, const char *why, int error, void *data)
{
	assert_non_null(strstr(why, dso->name));
	++*(int *)data;
	return 0;
}

static void test_failures(void **state)
{
	struct fixture f = fixture__new(NULL);
	struct location loc;
	int failures = 0;

	assert_int_equal(mkfifo("fifo", 0600), 0);
	feed_mmap(f.machine, USER, getpid(), 0x1000, 0x2000, 0, in_scratch("fifo"));
	feed_mmap(f.machine, USER, getpid(), 0x2000, 0x3000, 0, "/no/such/file (deleted)");
	feed_mmap(f.machine, USER, getpid(), 0x3000, 0x4000, 0, "[heap]");
	feed_mmap(f.machine, USER, getpid(), 0x4000, 0x5000, 0, "//anon");
	feed_mmap(f.machine, USER, getpid(), 0x5000, 0x6000, 0, "/never/sampled");
	alarm(100); /* a FIFO without a writer would block for ever */
	for (u64 addr = 0x1000; addr < 0x5000; addr += 0x800) {
		resolver__resolve(f.resolver, f.thread, USER, addr, &loc);
		assert_non_null(loc.dso);
		assert_null(loc.sym);
	}
	alarm(0);
	resolver__for_each_failure(f.resolver, count_failure, &failures);
	assert_int_equal(failures, 2);
	fixture__delete(&f);
}

static void test_replaced_file(void **state)
{
	struct fixture f = fixture__new(NULL);
	struct build_id id = { .size = 20, .data = { 1 } };
	int failures = 0;
	char self[256] = {};

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	machine__set_build_id(f.machine, self, &id);
	feed_own_maps(f.machine);
	assert_string_equal(resolve(&f, USER, (u64)(uintptr_t)static_function, NULL), "none");
	resolver__for_each_failure(f.resolver, count_failure, &failures);
	assert_int_equal(failures, 1);
	fixture__delete(&f);
}

static void test_jit(void **state)
{
	struct fixture f = fixture__new(NULL);
	char path[64];
	u64 off;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	write_text(path, "100010 20 LazyCompile:~fast /home/x/app.js:1\nbroken line\n100030 0 empty\n\n100040 10 other\n");
	feed_mmap(f.machine, USER, getpid(), 0x100000, 0x101000, 0x5000, "//anon");
	assert_string_equal(resolve(&f, USER, 0x100018, &off), "LazyCompile:~fast /home/x/app.js:1");
	assert_int_equal(off, 8);
	assert_string_equal(resolve(&f, USER, 0x100030, &off), "none");
	assert_string_equal(resolve(&f, USER, 0x10004f, &off), "other");
	unlink(path);
	fixture__delete(&f);

	/* whoever planted a link there is not followed */
	f = fixture__new(NULL);
	write_text("planted", "100010 20 planted\n");
	assert_int_equal(symlink(in_scratch("planted"), path), 0);
	feed_mmap(f.machine, USER, getpid(), 0x100000, 0x101000, 0, "//anon");
	assert_string_equal(resolve(&f, USER, 0x100018, &off), "none");
	unlink(path);
	fixture__delete(&f);
}

static const char kallsyms[] = "ffffffff82000000 T _text\n"
			       "ffffffff82000100 T a_function\n"
			       "ffffffffc0200000 t mod_fun\t[ext4]\n";

static void test_kernel(void **state)
{
	struct resolver_opts opts = { .kallsyms = "kallsyms" };
	struct fixture f = fixture__new(&opts);
	u64 off;

	write_text("kallsyms", kallsyms);
	/* recorded 0x1000000 lower than it is now */
	feed_mmap(f.machine, KERNEL, -1, 0xffffffff81000000, 0xffffffff81800000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	feed_mmap(f.machine, KERNEL, -1, 0xffffffffc0200000, 0xffffffffc0201000, 0, "[ext4]");
	assert_string_equal(resolve(&f, KERNEL, 0xffffffff81000104, &off), "a_function");
	assert_int_equal(off, 4);
	assert_string_equal(resolve(&f, KERNEL, 0xffffffff82000104, &off), "none");
	assert_string_equal(resolve(&f, USER, 0xffffffff81000104, &off), "none");
	assert_string_equal(resolve(&f, KERNEL, 0xffffffffc0200004, &off), "none"); /* who knows where it was then */
	fixture__delete(&f);

	f = fixture__new(&opts);
	feed_mmap(f.machine, KERNEL, -1, 0xffffffff82000000, 0xffffffff82800000, 0xffffffff82000000, "[kernel.kallsyms]_text");
	feed_mmap(f.machine, KERNEL, -1, 0xffffffffc0200000, 0xffffffffc0201000, 0, "/lib/modules/6.1/kernel/fs/ext4.ko");
	assert_string_equal(resolve(&f, KERNEL, 0xffffffff82000104, &off), "a_function");
	assert_string_equal(resolve(&f, KERNEL, 0xffffffffc0200004, &off), "mod_fun");
	fixture__delete(&f);
}

static void test_end_of_kernel(void **state)
{
	struct resolver_opts opts = { .kallsyms = "kallsyms" };
	struct fixture f = fixture__new(&opts);
	struct location loc;

	write_text("kallsyms", kallsyms);
	feed_mmap(f.machine, KERNEL, -1, 0xffffffff82000000, 0xffffffffffffffff, 0xffffffff82000000, "[kernel.kallsyms]_text");
	/* the last symbol reaches to the end of its page and one more at most */
	resolver__resolve(f.resolver, f.thread, KERNEL, 0xffffffff82000fff, &loc);
	assert_non_null(loc.dso);
	resolver__resolve(f.resolver, f.thread, KERNEL, 0xffffffffc0025a91, &loc);
	assert_int_equal(loc.addr, 0xffffffffc0025a91);
	assert_null(loc.map);
	assert_null(loc.dso);
	fixture__delete(&f);
}

static u64 mapped_size(struct fixture *f, u64 addr)
{
	struct location loc;

	resolver__resolve(f->resolver, f->thread, KERNEL, addr, &loc);
	assert_non_null(loc.map);
	return resolver__mapped_size(f->resolver, loc.map);
}

static void feed_kernel_and_module(struct machine *m)
{
	feed_mmap(m, KERNEL, -1, 0xffffffff82000000, 0xffffffff82800000, 0xffffffff82000000, "[kernel.kallsyms]_text");
	feed_mmap(m, KERNEL, -1, 0xffffffffc0200000, 0xffffffffc0201000, 0, "[ext4]");
}

/* Of the kernel neither what was recorded nor the way to what lies behind it, unless its symbols are unknown. */
static void test_mapped_size(void **state)
{
	struct resolver_opts opts = { .kallsyms = "kallsyms" };
	struct fixture f = fixture__new(&opts);

	write_text("kallsyms", kallsyms);
	feed_kernel_and_module(f.machine);
	assert_int_equal(mapped_size(&f, 0xffffffff82000104), 0x2000);
	assert_int_equal(mapped_size(&f, 0xffffffffc0200004), 0x1000);
	fixture__delete(&f);

	opts.kallsyms = "nosuch";
	f = fixture__new(&opts);
	feed_kernel_and_module(f.machine);
	assert_int_equal(mapped_size(&f, 0xffffffff82000104), 0x800000);
	fixture__delete(&f);
}

static int other_kernel(const struct dso *dso, const char *why, int error, void *data)
{
	assert_non_null(strstr(why, "another kernel"));
	++*(int *)data;
	return 0;
}

static void test_other_kernel(void **state)
{
	struct fixture f = fixture__new(NULL);
	struct build_id id = { .size = 20, .data = { 1 } };
	int failures = 0;

	machine__set_build_id(f.machine, "[kernel.kallsyms]", &id);
	feed_mmap(f.machine, KERNEL, -1, 0xffffffff81000000, 0xffffffff82800000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	assert_string_equal(resolve(&f, KERNEL, 0xffffffff81000104, NULL), "none");
	resolver__for_each_failure(f.resolver, other_kernel, &failures);
	assert_int_equal(failures, 1);
	fixture__delete(&f);
}

static char copy_path[128];

/* Write a copy of /proc/kallsyms into the cache: filtered by a command, and with only_in_copy in place of a name. */
static void write_kernel_copy(const struct build_id *id, const char *name, const char *filter)
{
	char hex[41];

	build_id__str(id, hex);
	snprintf(copy_path, sizeof(copy_path), "cache/.build-id/%.2s/%s/kallsyms", hex, hex + 2);
	run("rm -rf cache");
	run("mkdir -p $(dirname %s)", copy_path);
	run("sed -n '/\\[/!s/ %s$/ only_in_copy/; /\\[/!p; $a ffffffffc0200000 t in_module\t[ext4]' /proc/kallsyms | %s >%s", name, filter, copy_path);
}

static const char *name_in_kernel(const struct build_id *id, u64 text, u64 at)
{
	struct resolver_opts opts = { .symtab.cache = "cache" };
	struct fixture f = fixture__new(&opts);
	static char name[128];

	if (id)
		machine__set_build_id(f.machine, "[kernel.kallsyms]", id);
	feed_mmap(f.machine, KERNEL, -1, text, text + 0x800000, text, "[kernel.kallsyms]_text");
	feed_mmap(f.machine, KERNEL, -1, 0xffffffffc0200000, 0xffffffffc0201000, 0, "[ext4]");
	snprintf(name, sizeof(name), "%s", resolve(&f, KERNEL, at, NULL));
	fixture__delete(&f);
	return name;
}

/* A function of the core kernel that has its address alone, behind what copies are compared by. */
#define COPIED "schedule"

/* NULL: the kernel shows no addresses. */
static const struct build_id *running_kernel(u64 addr[2])
{
	static const char *const names[] = { "_text", COPIED };
	static struct build_id id;

	return build_id__read(NULL, &id) || kallsyms__lookup(NULL, names, addr, 2) != 2 || !addr[0] ? NULL : &id;
}

/* The cache's copy of the running kernel's symbols is used, but not for modules, and only if that kernel was recorded. */
static void test_copy_of_running_kernel(void **state)
{
	u64 addr[2];
	const struct build_id *id = running_kernel(addr);

	if (!id)
		skip();
	write_kernel_copy(id, COPIED, "cat");
	assert_string_equal(name_in_kernel(id, addr[0], addr[1] + 4), "only_in_copy");
	assert_string_not_equal(name_in_kernel(id, addr[0], 0xffffffffc0200004), "in_module");
	assert_string_equal(name_in_kernel(NULL, addr[0], addr[1] + 4), "only_in_copy"); /* nothing contradicts it */
	assert_string_equal(name_in_kernel(id, addr[0] + 0x1000, addr[1] + 0x1004), "only_in_copy"); /* recorded before a reboot */
	write_kernel_copy(&(struct build_id){ .size = 20, .data = { 1 } }, COPIED, "cat");
	assert_string_equal(name_in_kernel(id, addr[0], addr[1] + 4), COPIED);
}

/* A copy that is not whole, or not this kernel's, is not used. */
static void test_wrong_copies(void **state)
{
	static const char *const filters[] = {
		"head -n -100", "head -c -3", "head -c 3000000", "head -n 1", "head -c 0", "sed 1d", "sed 's/^ffff/fffe/'", "sed '5s/. / /'",
		"sed 's/^[0-9a-f]*/0000000000000000/'",
	};
	u64 addr[2];
	const struct build_id *id = running_kernel(addr);

	if (!id)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		write_kernel_copy(id, COPIED, filters[i]);
		assert_string_equal(name_in_kernel(id, addr[0], addr[1] + 4), COPIED);
	}
}

static void assert_not_copy(const struct build_id *id, const u64 addr[2], const char *command)
{
	write_kernel_copy(id, COPIED, "cat");
	run("f=%s; %s", copy_path, command);
	assert_string_equal(name_in_kernel(id, addr[0], addr[1] + 4), COPIED);
}

/* Others may have put anything in place of the copy. */
static void test_strange_copies(void **state)
{
	u64 addr[2];
	const struct build_id *id = running_kernel(addr);

	if (!id)
		skip();
	alarm(60);
	assert_not_copy(id, addr, "rm $f; mkfifo $f");
	assert_not_copy(id, addr, "rm $f; mkdir $f");
	assert_not_copy(id, addr, "ln -sf /dev/zero $f");
	assert_not_copy(id, addr, "rm $f; ln -s kallsyms $f");
	assert_not_copy(id, addr, "ln -sf /proc/self/mem $f");
	if (!geteuid())
		assert_not_copy(id, addr, "chown 65534 $f");
	alarm(0);
}

/* A recording of another kernel must not wait either. */
static void test_strange_copy_of_other_kernel(void **state)
{
	const struct build_id id = { .size = 20, .data = { 1 } };

	alarm(60);
	write_kernel_copy(&id, COPIED, "cat");
	run("rm %s; mkfifo %s", copy_path, copy_path);
	assert_string_equal(name_in_kernel(&id, 0xffffffff81000000, 0xffffffff81000104), "none");
	alarm(0);
}

static void test_vmlinux(void **state)
{
	struct resolver_opts opts = { .vmlinux = "vmlinux" };
	struct fixture f = fixture__new(&opts);
	u64 off;

	write_text("k.s", ".text\n.globl _text\n_text: .zero 256\n.globl k_fun\n.type k_fun,%function\nk_fun: .zero 64\n"
			  ".size k_fun, 64\n");
	run("gcc -nostdlib -static -no-pie -Wl,-Ttext=0x40000000 -Wl,-e,_text -o vmlinux k.s 2>/dev/null");
	feed_mmap(f.machine, KERNEL, -1, 0xffffffff81000000, 0xffffffff82800000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	assert_string_equal(resolve(&f, KERNEL, 0xffffffff81000110, &off), "k_fun");
	assert_int_equal(off, 16);
	fixture__delete(&f);
}

static void test_bpf(void **state)
{
	struct fixture f = fixture__new(NULL);
	struct {
		struct record_ksymbol rec;
		char name[24];
	} ksymbol = {
		.rec = { .header = { .type = PERF_RECORD_KSYMBOL, .size = sizeof(ksymbol) },
			 .ksym_type = PERF_RECORD_KSYMBOL_TYPE_BPF, .len = 0x100 },
		.name = "bpf_prog_0123_filter",
	};
	u64 off;

	/* loaded twice: one name, two places */
	for (u64 addr = 0xffffffffc0000000; addr <= 0xffffffffc0001000; addr += 0x1000) {
		ksymbol.rec.addr = addr;
		assert_int_equal(machine__process(f.machine, (const union perf_record *)&ksymbol), 0);
	}
	for (u64 addr = 0xffffffffc0000000; addr <= 0xffffffffc0001000; addr += 0x1000) {
		assert_string_equal(resolve(&f, KERNEL, addr + 0x20, &off), "bpf_prog_0123_filter");
		assert_int_equal(off, 0x20);
	}
	fixture__delete(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_functions),
		cmocka_unit_test(test_shared_library),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_fetched_places),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_insn),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_replaced_file),
		cmocka_unit_test(test_jit),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_end_of_kernel),
		cmocka_unit_test(test_mapped_size),
		cmocka_unit_test(test_other_kernel),
		cmocka_unit_test(test_copy_of_running_kernel),
		cmocka_unit_test(test_wrong_copies),
		cmocka_unit_test(test_strange_copies),
		cmocka_unit_test(test_strange_copy_of_other_kernel),
		cmocka_unit_test(test_vmlinux),
		cmocka_unit_test(test_bpf),
	};

	return cmocka_run_group_tests_name("symbol/resolve", tests, scratch_setup, scratch_teardown);
}

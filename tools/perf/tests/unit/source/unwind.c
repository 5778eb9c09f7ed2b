// SPDX-License-Identifier: GPL-2.0
/* Tables in the kernel: what programs look up there is what the tables say, and memory has a limit. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>
#include <stdio.h>
#include <bpf/bpf.h>
#include "tests/unit/bpf/pid-namespace.h"
#include "util/bpf/kernel-table.h"
#include "util/source/unwind-feeder.h"
#include "util/source/unwind-store.h"

#define SEGMENT (UNWIND_SEGMENT_CHUNKS * UNWIND_CHUNK_WORDS * sizeof(u32))

#if defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

/* Of chunks that were read: Linux 6.1 waits for all CPUs at each look into unwind_segments. */
static struct {
	u32 end; /* number of the chunk, and 1; 0: none */
	u32 word[UNWIND_CHUNK_WORDS];
} copies[16];

static struct bpf_programs *load_for(u32 max_files)
{
	struct bpf_programs *p;

	if (geteuid()) /* loading BPF programs */
		skip();
	if (kernel_offer__probe(KERNEL_MAPLE_TREE) == KERNEL_LACKS) {
		char why[256];

		print_message("skipped: this needs %s\n", kernel_offer__explain(KERNEL_MAPLE_TREE, why, sizeof(why)));
		skip();
	}
	p = bpf_programs__open(&bpf_image_unwind_tables);
	assert_non_null(p);
	bpf_programs__resize(p, "unwind_files", max_files);
	assert_int_equal(bpf_programs__load(p), 0);
	memset(copies, 0, sizeof(copies));
	return p;
}

static struct bpf_programs *load(void)
{
	return load_for(UNWIND_MAX_FILES);
}

static u32 read_word(const struct bpf_programs *p, u32 word)
{
	u32 nr = word / UNWIND_CHUNK_WORDS, segment = nr / UNWIND_SEGMENT_CHUNKS, id, key = nr % UNWIND_SEGMENT_CHUNKS;
	const u32 slot = nr % ARRAY_SIZE(copies);
	int fd;

	if (copies[slot].end != nr + 1) {
		assert_int_equal(bpf_map_lookup_elem(bpf_programs__map(p, "unwind_segments"), &segment, &id), 0);
		fd = bpf_map_get_fd_by_id(id);
		assert_true(fd >= 0);
		assert_int_equal(bpf_map_lookup_elem(fd, &key, copies[slot].word), 0);
		close(fd);
		copies[slot].end = nr + 1;
	}
	return copies[slot].word[word % UNWIND_CHUNK_WORDS];
}

/* As a program does it, see unwind-sample.h */
static u32 look_up(const struct bpf_programs *p, const struct unwind_file *file, u64 offset)
{
	u32 page = (offset >> UNWIND_PAGE_SHIFT) - file->first_page, index, first, nr, rule = UINT32_MAX;

	assert_true(page < file->nr_pages);
	index = read_word(p, file->word + page);
	first = file->word + (index >> UNWIND_ROWS_BITS);
	nr = index & UNWIND_MAX_PAGE_ROWS;
	assert_int_not_equal(nr, 0);
	assert_int_equal(first / UNWIND_CHUNK_WORDS, (first + nr - 1) / UNWIND_CHUNK_WORDS);
	for (u32 i = 0; i < nr; i++) {
		u32 row = read_word(p, first + i);

		if ((row & 0xffff) <= (offset & UNWIND_PAGE_MASK))
			rule = row >> 16;
	}
	return rule;
}

/* Pages with many rows, few and none, with and without one at their begin; rows of one page in two chunks if nobody cared. */
#define PAGES 40
static void make_table(struct unwind_table *t)
{
	static u32 index[PAGES + 1];
	static struct unwind_row rows[PAGES * 1100];
	u32 nr = 0;

	for (u32 page = 0; page < PAGES; page++) {
		u32 here = page % 4 == 3 ? 0 : page * 131 % 1000;

		index[page] = nr;
		if (!page)
			rows[nr++] = (struct unwind_row){ 0, 9 };
		for (u32 i = 0; i < here; i++, nr++)
			rows[nr] = (struct unwind_row){ i + page % 3 + 1, 10 + (page * 1000 + i) % 50000 };
	}
	index[PAGES] = nr;
	*t = (struct unwind_table){ .first_page = 7, .nr_pages = PAGES, .nr_rows = nr, .index = index, .rows = rows };
}

static void put_is_what_the_table_says(void **state)
{
	struct bpf_programs *p = load();
	struct unwind_store *s = unwind_store__new(p, 4 * SEGMENT);
	struct unwind_file file[2];
	struct unwind_table t;

	assert_non_null(s);
	make_table(&t);
	assert_int_equal(unwind_store__put(s, &t, &file[0]), 0);
	assert_int_equal(unwind_store__put(s, &t, &file[1]), 0);
	assert_int_not_equal(file[0].word, file[1].word);
	for (u64 offset = 7 << UNWIND_PAGE_SHIFT; offset < (7 + PAGES) << UNWIND_PAGE_SHIFT; offset++) {
		u32 want = unwind_table__rule(&t, offset);

		if (look_up(p, &file[1], offset) != want)
			fail_msg("offset %llx: %u instead of %u", (unsigned long long)offset, look_up(p, &file[1], offset), want);
	}
	unwind_store__delete(s);
	bpf_programs__delete(p);
}

/* More rows in a page than an index word can count: no rule is better than a wrong one. */
static void a_crowded_page_has_no_rules(void **state)
{
	static struct unwind_row rows[UNWIND_MAX_PAGE_ROWS + 2];
	static const u32 index[] = { 0, ARRAY_SIZE(rows) - 1, ARRAY_SIZE(rows) };
	const struct unwind_table t = { .nr_pages = 2, .nr_rows = ARRAY_SIZE(rows), .index = index, .rows = rows };
	struct bpf_programs *p = load();
	struct unwind_store *s = unwind_store__new(p, SEGMENT);
	struct unwind_file file;

	for (u32 i = 0; i < ARRAY_SIZE(rows) - 1; i++)
		rows[i] = (struct unwind_row){ i, 10 };
	rows[ARRAY_SIZE(rows) - 1] = (struct unwind_row){ 5, 11 };
	assert_int_equal(unwind_store__put(s, &t, &file), 0);
	assert_int_equal(look_up(p, &file, 100), UNWIND_RULE_HARD);
	assert_int_equal(look_up(p, &file, UNWIND_PAGE_MASK + 1), 10);
	assert_int_equal(look_up(p, &file, UNWIND_PAGE_MASK + 6), 11);
	unwind_store__delete(s);
	bpf_programs__delete(p);
}

static void room_is_limited_and_reused(void **state)
{
	struct bpf_programs *p = load();
	struct unwind_store *s = unwind_store__new(p, 1); /* one segment */
	struct unwind_file file[UNWIND_SEGMENT_CHUNKS + 1], again;
	struct unwind_table t;
	u32 nr = 0;
	int ret;

	make_table(&t);
	while (!(ret = unwind_store__put(s, &t, &file[nr])))
		nr++;
	assert_int_equal(ret, -ENOSPC);
	assert_int_equal(nr, UNWIND_SEGMENT_CHUNKS / unwind_store__size(s, &file[0]));
	unwind_store__free(s, &file[1]);
	assert_int_equal(unwind_store__put(s, &t, &again), 0);
	assert_int_equal(again.word, file[1].word);
	assert_int_equal(unwind_store__put(s, &t, &again), -ENOSPC);
	unwind_store__delete(s);
	bpf_programs__delete(p);
}

static u64 nr_files(const struct bpf_programs *p, u32 state)
{
	const int fd = bpf_programs__map(p, "unwind_files");
	struct unwind_key key, *before = NULL;
	struct unwind_file file;
	u64 nr = 0;

	while (!bpf_map_get_next_key(fd, before, &key)) {
		if (!bpf_map_lookup_elem(fd, &key, &file))
			nr += file.state == state;
		before = &key;
	}
	return nr;
}

static void own_files_get_tables(void **state)
{
	struct bpf_programs *p = load();
	struct unwind_feeder_counts counts;
	struct unwind_feeder *f;
	struct errmsg err;

	assert_int_equal(unwind_feeder__new(p, 64 << 20, &f, &err), 0);
	assert_int_equal(unwind_feeder__add_process(f, getpid(), &err), 0);
	counts = unwind_feeder__counts(f);
	assert_true(counts.tables >= 4); /* this program, libc, ld.so, the vdso */
	assert_int_equal(counts.tables, nr_files(p, UNWIND_FILE_READY));
	assert_int_equal(counts.failed + counts.refused + counts.thrown_out, 0);
	/* they are known now */
	assert_int_equal(unwind_feeder__add_process(f, getpid(), &err), 0);
	assert_int_equal(unwind_feeder__counts(f).tables, counts.tables);
	unwind_feeder__delete(f);
	bpf_programs__delete(p);
}

/* Code in a mapping of /dev/zero belongs to no file that could have a table. */
static void a_device_is_bare(void **state)
{
	struct bpf_programs *p = load();
	const int fd = open("/dev/zero", O_RDWR);
	struct unwind_feeder_counts before;
	struct unwind_feeder *f;
	struct errmsg err;
	void *map;

	need_first_pid_namespace();
	assert_int_equal(unwind_feeder__new(p, 64 << 20, &f, &err), 0);
	assert_int_equal(unwind_feeder__add_process(f, getpid(), &err), 0);
	before = unwind_feeder__counts(f);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(unwind_feeder__add_process(f, getpid(), &err), 0);
	assert_int_equal(unwind_feeder__counts(f).failed, before.failed);
	assert_int_equal(unwind_feeder__counts(f).bare, before.bare + 1);
	assert_int_equal(nr_files(p, UNWIND_FILE_BARE), before.bare + 1);
	munmap(map, 4096);
	close(fd);
	unwind_feeder__delete(f);
	bpf_programs__delete(p);
}

#define COPIES (UNWIND_SEGMENT_CHUNKS + 16)

#if defined(__aarch64__)
#define SMALL_FILE "/lib/ld-linux-aarch64.so.1"
#else
#define SMALL_FILE "/lib64/ld-linux-x86-64.so.2"
#endif

/* Map copies of a file, each of which is another one. */
static void map_copies(const char *name, void **map, size_t *size)
{
	char dir[] = "/tmp/unwind-unit.XXXXXX";
	int from = open(name, O_RDONLY), fd;
	char path[80], *image;
	struct stat st;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(fstat(from, &st), 0);
	*size = st.st_size;
	image = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, from, 0);
	assert_ptr_not_equal(image, MAP_FAILED);
	for (unsigned int i = 0; i < COPIES; i++) {
		snprintf(path, sizeof(path), "%s/%u", dir, i);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0700);
		assert_int_equal(write(fd, image, *size), *size);
		map[i] = mmap(NULL, *size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		assert_ptr_not_equal(map[i], MAP_FAILED);
		close(fd);
		unlink(path);
	}
	rmdir(dir);
	munmap(image, *size);
	close(from);
}

static void unmap_copies(void **map, size_t size)
{
	for (unsigned int i = 0; i < COPIES; i++)
		munmap(map[i], size);
}

static void the_least_used_give_way(void **state)
{
	struct unwind_feeder_counts counts;
	struct bpf_programs *p = load();
	struct unwind_feeder *f;
	struct errmsg err;
	void *map[COPIES];
	size_t size;

	need_first_pid_namespace();
	map_copies(SMALL_FILE, map, &size);
	assert_int_equal(unwind_feeder__new(p, 1, &f, &err), 0);
	assert_int_equal(unwind_feeder__add_process(f, getpid(), &err), 0);
	counts = unwind_feeder__counts(f);
	assert_true(counts.thrown_out > 0);
	assert_true(counts.bytes <= SEGMENT);
	assert_int_equal(counts.tables, nr_files(p, UNWIND_FILE_READY));
	unmap_copies(map, size);
	unwind_feeder__delete(f);
	bpf_programs__delete(p);
}

#define FEW_FILES 48 /* more than twice the libraries of this program, which stay; fewer than COPIES */

static void make_and_map_more(const char *name, struct unwind_feeder *f)
{
	struct errmsg err;
	void *map[COPIES];
	size_t size;

	map_copies(name, map, &size);
	assert_int_equal(unwind_feeder__add_process(f, getpid(), &err), 0);
	unmap_copies(map, size);
}

/* The map of files has room for fewer than there are, with tables and without: older ones give way, and the last ones get in. */
static void the_map_of_files_never_stays_full(void **state)
{
	struct bpf_programs *p = load_for(FEW_FILES);
	struct unwind_feeder *f;
	struct errmsg err;

	need_first_pid_namespace();
	assert_int_equal(unwind_feeder__new(p, 64 << 20, &f, &err), 0);
	make_and_map_more("/etc/passwd", f);
	assert_int_equal(unwind_feeder__counts(f).refused, 0);
	assert_true(nr_files(p, UNWIND_FILE_BARE) > FEW_FILES / 2);
	make_and_map_more(SMALL_FILE, f);
	assert_int_equal(unwind_feeder__counts(f).refused, 0);
	assert_true(unwind_feeder__counts(f).thrown_out > 0);
	assert_int_equal(unwind_feeder__counts(f).tables, nr_files(p, UNWIND_FILE_READY));
	assert_true(nr_files(p, UNWIND_FILE_READY) > FEW_FILES / 2);
	unwind_feeder__delete(f);
	bpf_programs__delete(p);
}

/* As in a container that forbids it; for the rest of this process. */
static void forbid_membarrier(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { ARRAY_SIZE(code), code };

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

/* Replace the feeder's map for waiting by a file that is none. */
static void break_waiting(void)
{
	const int other = open("/dev/null", O_RDONLY);
	int nr_broken = 0;

	for (int fd = 3; fd < 256; fd++) {
		struct bpf_map_info info = { 0 };
		u32 size = sizeof(info);

		if (bpf_obj_get_info_by_fd(fd, &info, &size) || info.type != BPF_MAP_TYPE_ARRAY_OF_MAPS || info.max_entries != 1)
			continue;
		assert_int_equal(dup2(other, fd), fd);
		nr_broken++;
	}
	assert_int_equal(nr_broken, 1);
	close(other);
	forbid_membarrier();
}

/* What cannot be thrown out stays: programs find all that the feeder knows. */
static void a_failed_wait_hides_nothing(void **state)
{
	struct unwind_feeder_counts before, after;
	struct bpf_programs *p = load();
	struct unwind_feeder *f;
	struct errmsg err;

	need_first_pid_namespace();
	assert_int_equal(unwind_feeder__new(p, 1, &f, &err), 0);
	assert_int_equal(unwind_feeder__add_process(f, getpid(), &err), 0);
	before = unwind_feeder__counts(f);
	break_waiting();
	make_and_map_more(SMALL_FILE, f);
	after = unwind_feeder__counts(f);
	assert_true(after.refused > 0);
	assert_int_equal(after.thrown_out, before.thrown_out);
	assert_int_equal(after.tables, nr_files(p, UNWIND_FILE_READY));
	unwind_feeder__delete(f);
	bpf_programs__delete(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(put_is_what_the_table_says),
		cmocka_unit_test(a_crowded_page_has_no_rules),
		cmocka_unit_test(room_is_limited_and_reused),
		cmocka_unit_test(own_files_get_tables),
		cmocka_unit_test(a_device_is_bare),
		cmocka_unit_test(the_least_used_give_way),
		cmocka_unit_test(the_map_of_files_never_stays_full),
		cmocka_unit_test(a_failed_wait_hides_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

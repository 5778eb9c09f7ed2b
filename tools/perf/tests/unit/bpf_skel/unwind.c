// SPDX-License-Identifier: GPL-2.0
/* Unwinding in BPF: util/bpf_skel/unwind.bpf.h in user space, with a process that is made up. */
#include "tests/unit/bpf_skel/host-bpf.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "util/bpf_skel/unwind.bpf.h"

#define FIRST 0x10000 /* mappings: two of them, side by side */
#define SECOND 0x20000
#define END 0x30000

static struct host_task task_a;
static struct task_struct *a;
static struct mm_struct mm, other_mm;
static struct vm_area_struct first, second;
static _Alignas(256) struct maple_range_64 leaf;
static struct unwind_state *s;

static int setup(void **state)
{
	host_reset();
	a = host_task(&task_a, 10, 10, "a");
	a->mm = &mm;
	host.task = a;
	first = (struct vm_area_struct){
		.vm_start = FIRST, .vm_end = SECOND, .vm_mm = &mm, .vm_flags = VM_EXEC
	};
	second = (struct vm_area_struct){ .vm_start = SECOND, .vm_end = END, .vm_mm = &mm };
	/* Slots: the gap before the mappings, the mappings, and the gap behind them. A pivot is the last address of its slot. */
	leaf = (struct maple_range_64){ .pivot = { FIRST - 1, SECOND - 1, END - 1 },
					.slot = { NULL, &first, &second, NULL },
					.meta.end = 3 };
	mm.mm_mt.ma_root = (void *)((unsigned long)&leaf | MAPLE_LEAF_64 << 3 | 2);
	mm.context.vdso = NULL;
	s = unwind_state__get();
	s->mm = (unsigned long)&mm;
	s->root = (unsigned long)mm.mm_mt.ma_root;
	s->vdso = ~0ULL;
	s->before = 0;
	s->guess = 0;
	return 0;
}

static void mappings_are_found_by_address(void **state)
{
	assert_ptr_equal(vma_at(&s->maple, s->root, FIRST), &first);
	assert_ptr_equal(vma_at(&s->maple, s->root, SECOND - 1), &first);
	assert_int_equal(s->maple.last, SECOND - 1);
	assert_ptr_equal(vma_at(&s->maple, s->root, SECOND), &second);
	assert_false(vma_at(&s->maple, s->root, FIRST - 1));
	assert_false(vma_at(&s->maple, s->root, END));
	assert_false(vma_at(&s->maple, s->root, 1ULL << 63)); /* an address of the kernel */
	/* A tree with one entry: no process has one. */
	assert_false(vma_at(&s->maple, (unsigned long)&first, FIRST));
}

/* Inner nodes lead to the leaf, also if all of their slots are in use. */
static void trees_have_levels(void **state)
{
	static _Alignas(256) struct maple_arange_64 root;

	for (int i = 0; i < 9; i++) {
		root.pivot[i] = i < 8 ? 0x100 * (i + 1) : END - 1;
		root.slot[i] = NULL;
	}
	root.slot[8] = (void *)((unsigned long)&leaf | MAPLE_LEAF_64 << 3);
	root.slot[9] = NULL;
	s->root = (unsigned long)&root | MAPLE_ARANGE_64 << 3 | 2;
	assert_ptr_equal(vma_at(&s->maple, s->root, FIRST + 1), &first);
	assert_false(vma_at(&s->maple, s->root, END));
}

static void code_is_where_a_process_may_execute(void **state)
{
	assert_int_equal(unwind_find(s, FIRST + 8), UNWIND_GOES_ON);
	assert_int_equal(s->map_start, FIRST);
	assert_int_equal(s->map_size, SECOND - FIRST);
	assert_int_equal(s->guess, UNWIND_GENERATED); /* it is in no file */
	assert_int_equal(unwind_find(s, SECOND + 8), UNWIND_NO_MAPPING);
	assert_int_equal(s->map_size, 0);
	assert_int_equal(unwind_find(s, END), UNWIND_NO_MAPPING);
}

/* The memory of a mapping that is gone serves for another process's. */
static void mappings_of_others_are_none(void **state)
{
	first.vm_mm = &other_mm;
	assert_int_equal(unwind_find_map(s, FIRST + 8), UNWIND_NO_MAPPING);
	first.vm_mm = &mm;
	first.vm_start = FIRST + 0x100; /* or it has been moved */
	assert_int_equal(unwind_find_map(s, FIRST + 8), UNWIND_NO_MAPPING);
}

static void stacks_are_aligned(void **state)
{
	static _Alignas(8) __u64 stack[512];
	const __u64 at = (unsigned long)&stack[100];
	__u64 value;

	for (int i = 0; i < 512; i++)
		stack[i] = i;
	assert_true(unwind_read(s, at, &value));
	assert_int_equal(value, 100);
	assert_true(unwind_read(s, at - UNWIND_WINDOW_BELOW, &value)); /* without another reading */
	assert_int_equal(value, 100 - UNWIND_WINDOW_BELOW / 8);
	assert_true(unwind_read(s, at + 1024, &value));
	assert_int_equal(value, 228);
	assert_false(unwind_read(s, at + 4, &value));
	assert_false(unwind_read(s, 8, &value)); /* is not mapped */
}

/* What follows a frame pointer that was guessed is no fault of the stack. */
static void a_guess_is_the_cause_of_what_follows(void **state)
{
	s->guess = UNWIND_GENERATED;
	s->end = UNWIND_MEMORY;
	assert_int_equal(unwind_cause(s, a), UNWIND_GENERATED);
	s->end = UNWIND_LOOP;
	assert_int_equal(unwind_cause(s, a), UNWIND_GENERATED);
	s->end = UNWIND_DEPTH;
	assert_int_equal(unwind_cause(s, a), UNWIND_DEPTH);
	s->end = UNWIND_COMPLETE;
	assert_int_equal(unwind_cause(s, a), UNWIND_COMPLETE);
	s->guess = 0;
	s->end = UNWIND_MEMORY;
	assert_int_equal(unwind_cause(s, a), UNWIND_MEMORY);
	a->in_execve = 1;
	assert_int_equal(unwind_cause(s, a), UNWIND_EXECVE);
	s->end = UNWIND_COMPLETE;
	assert_int_equal(unwind_cause(s, a), UNWIND_COMPLETE);
}

/* A file that nobody has asked for is asked for once, and again when there was no room. */
static void tables_are_asked_for_once(void **state)
{
	static struct super_block sb = { .s_dev = 7 };
	static struct inode inode = { .i_sb = &sb, .i_ino = 42, .i_generation = 3 };
	static struct file file = { .f_inode = &inode };
	struct unwind_mapping *asked;

	first.vm_file = &file;
	assert_int_equal(unwind_find_map(s, FIRST + 8), UNWIND_NO_TABLE);
	assert_int_equal(host.nr_records, 1);
	asked = host.record[0].data;
	assert_int_equal(asked->pid, 10);
	assert_int_equal(asked->start, FIRST);
	assert_int_equal(asked->end, SECOND);
	assert_int_equal(asked->key.inode, 42);
	assert_int_equal(asked->key.dev, 7);
	assert_int_equal(asked->key.generation, 3);
	assert_int_equal(unwind_find_map(s, FIRST + 8), UNWIND_NO_TABLE);
	assert_int_equal(host.nr_records, 1);
	inode.i_generation = 4; /* another file with that number */
	host.ring_full = true;
	assert_int_equal(unwind_find_map(s, FIRST + 8), UNWIND_NO_TABLE);
	host.ring_full = false;
	assert_int_equal(unwind_find_map(s, FIRST + 8), UNWIND_NO_TABLE);
	assert_int_equal(host.nr_records, 2);
}

/* A program has moved its text to huge pages: the mapping before them tells the file, if it has code there. */
static void moved_text_is_the_programs(void **state)
{
	static struct super_block sb = { .s_dev = 7 };
	static struct inode inode = { .i_sb = &sb, .i_ino = 43 };
	static struct file file = { .f_inode = &inode };
	struct unwind_key key = { .inode = 43, .dev = 7 };
	struct unwind_file ready = { .state = UNWIND_FILE_READY, .first_page = 0x10000 >> UNWIND_PAGE_SHIFT, .nr_pages = 4, .id = 5 };

	first.vm_file = &file;
	first.vm_flags = 0;
	second.vm_flags = VM_EXEC;
	assert_int_equal(unwind_find(s, SECOND + 8), UNWIND_NO_TABLE);
	assert_int_equal(((struct unwind_mapping *)host.record[0].data)->start, FIRST);
	bpf_map_update_elem(&unwind_files, &key, &ready, 0);
	assert_int_equal(unwind_find(s, SECOND + 8), UNWIND_GOES_ON);
	assert_int_equal(s->file.id, 5);
	assert_int_equal(s->map_start, SECOND);
	assert_int_equal(s->map_offset, 0x10000);
	ready.first_page = 0; /* its code is elsewhere */
	bpf_map_update_elem(&unwind_files, &key, &ready, 0);
	assert_int_equal(unwind_find(s, SECOND + 8), UNWIND_GOES_ON);
	assert_int_equal(s->file.state, UNWIND_FILE_BARE);
	assert_int_equal(s->file.id, 0);
	assert_int_equal(s->guess, UNWIND_GENERATED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(mappings_are_found_by_address, setup),
		cmocka_unit_test_setup(trees_have_levels, setup),
		cmocka_unit_test_setup(code_is_where_a_process_may_execute, setup),
		cmocka_unit_test_setup(mappings_of_others_are_none, setup),
		cmocka_unit_test_setup(stacks_are_aligned, setup),
		cmocka_unit_test_setup(a_guess_is_the_cause_of_what_follows, setup),
		cmocka_unit_test_setup(moved_text_is_the_programs, setup),
		cmocka_unit_test_setup(tables_are_asked_for_once, setup),
	};

	return cmocka_run_group_tests_name("unwind", tests, NULL, NULL);
}

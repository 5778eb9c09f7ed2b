// SPDX-License-Identifier: GPL-2.0
/* Frames of interpreters in BPF: util/bpf_skel/interp-walk.bpf.h in user space, with a process that is made up, and with a second interpreter. */
#include "tests/unit/bpf_skel/host-bpf.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

struct interp_walk;
struct interp_file;
static void made_up_search(struct interp_walk *walk, const struct interp_file *f);
static int made_up_run(struct interp_walk *walk, const struct interp_file *f, __u64 *address);
#define MADE_UP 99
#define INTERP_MORE_WALKERS(row) row(MADE_UP, made_up)
#include "util/bpf_skel/unwind.bpf.h"

#define SELF 0x7000
#define AT(object) ((__u64)(unsigned long)(object))
#define STACK(i) AT(&stack[i])

/* A process with Python: its objects are words, by offset / 8 */
static _Alignas(16) __u64 runtime[64], interpreter[64], threads[3][64], frame[3][64], code[3][64], text[3][64], lines[64], stack[64];
static struct host_task task_a;
static struct task_struct *a;
static struct unwind_state *s;
static struct interp_walk *w;

static const struct python_layout layout = {
	.style = PYTHON_SHIMS, .lines = PYTHON_LOCATIONS, .threads = 8, .next = 8, .thread_id = 16, .current = 24, .code = 0, .previous = 8, .instr = 56, .owner = 70,
	.code_at = 64, .first_line = 4, .filename = 48, .name = 56, .qualname = 64, .linetable = 72, .bytecode = 192, .ascii = 40, .wide = 56,
};

static void make_text(__u64 *to, const char *what)
{
	to[2] = strlen(what);
	to[3] = 1000 + strlen(what); /* the hash */
	to[4] = 0x64; /* ASCII, compact, a byte for each character */
	strcpy((char *)(to + 5), what);
}

static void make_code(int i, const char *name, int first_line)
{
	make_text(text[i], name);
	code[i][2] = 20; /* units */
	((__u32 *)code[i])[17] = first_line;
	code[i][14] = AT(text[2]);
	code[i][15] = code[i][16] = AT(text[i]);
	code[i][17] = AT(lines);
}

static void make_frame(int i, int of, __u64 previous, int offset)
{
	memset(frame[i], 0, sizeof(frame[i]));
	frame[i][0] = AT(code[of]);
	frame[i][1] = previous;
	frame[i][7] = frame[i][0] + layout.bytecode + offset;
}

static void make_shim(__u64 *at, __u64 previous)
{
	at[1] = previous;
	((__u8 *)at)[70] = 3;
}

static struct interp_file *file_of(__u32 kind)
{
	static struct interp_file file;
	const __u32 number = 0;

	file = (struct interp_file){ .number = 0, .kind = kind, .loop = { { 0x100, 0x100 }, { 0x900, 0x10 } }, .python = layout };
	bpf_map_update_elem(&interp_files, &number, &file, BPF_ANY);
	return &file;
}

static void begin_stack(void)
{
	s->at = 0;
	s->nr = 0;
	s->max = 100;
	interp_begin(s);
}

/* Two activations: stack[0] to stack[20] runs f, which g has called, and stack[20] to stack[40] runs another g. */
static int setup(void **state)
{
	host_reset();
	a = host_task(&task_a, 10, 10, "a");
	a->thread.fsbase = SELF;
	host.task = a;
	s = unwind_state__get();
	w = &s->interp;
	interp_mode = INTERP_MERGED;
	memset(stack, 0, sizeof(stack));
	make_text(text[2], "/tmp/a.py");
	make_code(0, "f", 3);
	make_code(1, "g", 9);
	make_frame(0, 0, AT(frame[1]), 4);
	make_frame(1, 1, STACK(2), 6);
	make_shim(&stack[2], AT(frame[2]));
	make_frame(2, 1, STACK(22), 8);
	make_shim(&stack[22], 0);
	runtime[0] = AT(interpreter);
	interpreter[0] = 0;
	interpreter[1] = AT(threads[0]);
	for (int i = 0; i < 3; i++) {
		threads[i][1] = i < 2 ? AT(threads[i + 1]) : 0;
		threads[i][2] = i == 1 ? SELF : 1;
		threads[i][3] = i == 1 ? AT(frame[0]) : 8;
	}
	file_of(INTERP_PYTHON);
	begin_stack();
	return 0;
}

static void work(void)
{
	for (int i = 0; interp_is_at_work(s) && i < 3 * INTERP_MAX_STEPS && !interp_step(s); i++)
		;
}

/* The unwinder has gone from a native frame at this place in the file to its caller: its stack was from begin to end. */
static void native(__u64 place, __u64 begin, __u64 end)
{
	s->frame = (struct unwind_frame){ .ip = AT(runtime) + place, .sp = begin, .exact = 1 };
	s->file.interp = 1;
	s->map_start = AT(runtime);
	s->map_offset = 0;
	s->map_size = 0x10000;
	interp_note_native(s);
	s->frame.sp = end;
	interp_leave_native(s);
	work();
	assert_false(interp_is_at_work(s));
}

static bool is_python(__u32 i)
{
	return s->word[i] - INTERP_BASE < INTERP_MAX_BYTES;
}

static const struct interp_code *sent(__u32 i)
{
	assert_true(i < host.nr_records);
	return host.record[i].data;
}

static struct interp_counts counts(void)
{
	const __u32 zero = 0;
	const struct unwind_counts *c = bpf_map_lookup_elem(&unwind_counts, &zero);

	return c->interp;
}

static __u64 bytes_used(void)
{
	const __u32 zero = 0;
	const struct interp_share *used = bpf_map_lookup_elem(&interp_used, &zero);

	return used->bytes;
}

static __u64 functions_used(void)
{
	const __u32 zero = 0;
	const struct interp_share *used = bpf_map_lookup_elem(&interp_used, &zero);

	return used->functions;
}

static void set_share(__u64 whose, struct interp_share share)
{
	bpf_map_update_elem(&interp_shares, &whose, &share, BPF_ANY);
}

static void has_names(bool first, bool second)
{
	begin_stack();
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(s->word[0] > INTERP_BASE + INTERP_FIRST + INTERP_NAMELESS, first);
	assert_int_equal(s->word[1] > INTERP_BASE + INTERP_FIRST + INTERP_NAMELESS, second);
}

static void activations_are_replaced_by_what_they_run(void **state)
{
	native(0x50, STACK(0), STACK(1)); /* not the loop */
	native(0x110, STACK(1), STACK(20));
	native(0x50, STACK(20), STACK(21));
	native(0x908, STACK(21), STACK(40)); /* the other part of the loop */
	native(0x50, STACK(40), STACK(41));
	assert_int_equal(s->nr, 6);
	for (__u32 i = 0; i < s->nr; i++)
		assert_int_equal(is_python(i), i == 1 || i == 2 || i == 4);
	assert_int_equal(host.nr_records, 2); /* each function once */
	assert_string_equal((const char *)sent(0)->name_text, "f");
	assert_string_equal((const char *)sent(0)->path_text, "/tmp/a.py");
	assert_int_equal(sent(0)->first_line, 3);
	assert_int_equal(sent(0)->bytes, 40);
	assert_int_equal(s->word[1], INTERP_BASE + sent(0)->at + 4 + 1);
	assert_int_equal(s->word[2], INTERP_BASE + sent(1)->at + 6 + 1);
	assert_int_equal(s->word[4], INTERP_BASE + sent(1)->at + 8 + 1);
	assert_int_equal(counts().activations, 2);
	assert_int_equal(counts().frames, 3);
}

/* An activation that has no frames yet stays native, and the next one has its own. */
static void frames_belong_to_the_stack_that_their_shim_is_in(void **state)
{
	native(0x110, STACK(40), STACK(44));
	assert_int_equal(s->nr, 1);
	assert_int_equal(s->word[0], AT(runtime) + 0x110);
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(s->nr, 3);
	assert_true(is_python(1) && is_python(2));
	assert_int_equal(counts().unlinked, 1);
}

static void frames_belong_to_the_stack_that_their_cframe_is_in(void **state)
{
	struct interp_file *file = file_of(INTERP_PYTHON);
	const __u32 number = 0;

	file->python.style = PYTHON_CFRAMES;
	file->python.cframe_size = 24;
	file->python.cframe_current = 8;
	file->python.cframe_previous = 16;
	bpf_map_update_elem(&interp_files, &number, file, BPF_ANY);
	threads[1][3] = STACK(4);
	stack[5] = AT(frame[0]);
	stack[6] = STACK(24);
	stack[25] = AT(frame[2]);
	((__u8 *)frame[1])[70] = 1; /* the first one of its run */
	((__u8 *)frame[2])[70] = 1;
	native(0x110, STACK(44), STACK(48));
	native(0x110, STACK(0), STACK(20));
	native(0x110, STACK(20), STACK(40));
	assert_int_equal(s->nr, 4);
	assert_false(is_python(0));
	assert_true(is_python(1) && is_python(2) && is_python(3));
}

/* Python 3.8 to 3.10: f, whose caller is g, whose caller is another g; instr is in units of 2 bytes, as 3.10 has it. */
static void use_objects(void)
{
	static __u64 bytes[8] = { [2] = 40 };
	struct interp_file *file = file_of(INTERP_PYTHON);
	const __u32 number = 0;

	file->python.style = PYTHON_OBJECTS;
	file->python.unit = 2;
	file->python.instr = 96;
	file->python.bytecode = 18 * 8 - 64;
	bpf_map_update_elem(&interp_files, &number, file, BPF_ANY);
	for (int i = 0; i < 3; i++) {
		code[i][18] = AT(bytes);
		frame[i][1] = i < 2 ? AT(frame[i + 1]) : 0;
		frame[i][12] = (__u32)(i - 1); /* the last f has not begun */
	}
}

static void objects_are_of_one_activation_each(void **state)
{
	use_objects();
	native(0x110, STACK(0), STACK(20));
	native(0x50, STACK(20), STACK(21));
	native(0x110, STACK(21), STACK(30));
	native(0x110, STACK(30), STACK(40));
	s->end = UNWIND_COMPLETE;
	assert_false(interp_finish(s));
	assert_int_equal(s->nr, 4);
	assert_int_equal(s->word[0], INTERP_BASE + sent(0)->at + 1);
	assert_false(is_python(1));
	assert_int_equal(s->word[2], INTERP_BASE + sent(1)->at + 1);
	assert_int_equal(s->word[3], INTERP_BASE + sent(1)->at + 2 + 1);
	assert_int_equal(sent(0)->bytes, 40);
}

/* The innermost activation has not linked its frame yet, which shows at the end of the stack. */
static void objects_belong_to_the_activations_that_have_linked_them(void **state)
{
	use_objects();
	native(0x110, STACK(0), STACK(4));
	native(0x50, STACK(4), STACK(5));
	native(0x110, STACK(5), STACK(20));
	native(0x110, STACK(21), STACK(30));
	native(0x50, STACK(30), STACK(31));
	native(0x120, STACK(31), STACK(40));
	native(0x60, STACK(40), STACK(41));
	s->end = UNWIND_NO_CFI;
	assert_false(interp_finish(s)); /* nobody knows what is behind the stack's end */
	s->end = UNWIND_COMPLETE;
	assert_true(interp_finish(s));
	work();
	assert_int_equal(s->nr, 7);
	assert_int_equal(s->word[0], AT(runtime) + 0x110);
	assert_int_equal(s->word[1], AT(runtime) + 0x50);
	assert_int_equal(s->word[2], INTERP_BASE + sent(0)->at + 1);
	assert_int_equal(s->word[3], INTERP_BASE + sent(1)->at + 1);
	assert_int_equal(s->word[4], AT(runtime) + 0x50);
	assert_int_equal(s->word[5], INTERP_BASE + sent(1)->at + 2 + 1);
	assert_int_equal(s->word[6], AT(runtime) + 0x60);
	assert_int_equal(counts().unlinked, 1);
}

static void another_function_in_the_same_memory_is_another_one(void **state)
{
	native(0x110, STACK(0), STACK(20));
	make_text(text[0], "h");
	text[0][3] = 5; /* all else is as it was */
	begin_stack();
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(host.nr_records, 3);
	assert_string_equal((const char *)sent(2)->name_text, "h");
	assert_int_equal(s->word[0], INTERP_BASE + sent(2)->at + 4 + 1);
}

static void another_file_in_the_same_memory_is_another_one(void **state)
{
	text[2][3] = ~0ULL; /* Python has not made its hash yet */
	native(0x110, STACK(0), STACK(20));
	make_text(text[2], "/tmp/b.py");
	text[2][3] = ~0ULL;
	begin_stack();
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(host.nr_records, 4);
	assert_string_equal((const char *)sent(2)->path_text, "/tmp/b.py");
	assert_int_equal(s->word[0], INTERP_BASE + sent(2)->at + 4 + 1);
}

/* Processes that were forked from one have equal addresses, hashes of texts too; and so have programs that follow one another in a process. */
static void another_process_has_other_functions(void **state)
{
	for (int i = 0; i < 3; i++) {
		native(0x110, STACK(0), STACK(20));
		assert_int_equal(host.nr_records, i ? 2 + i : 2);
		assert_int_equal(s->word[0], INTERP_BASE + sent(i ? 1 + i : 0)->at + 4 + 1);
		strcpy((char *)(text[0] + 5), i ? "b" : "a"); /* with the hash of "f" */
		if (i)
			a->self_exec_id++;
		else
			a->tgid++;
		begin_stack();
	}
}

/* Equal functions, as of other processes, have the same place. */
static void functions_are_known_by_what_they_are(void **state)
{
	__u64 before;

	native(0x110, STACK(0), STACK(20));
	before = s->word[0];
	memcpy(code[2], code[0], sizeof(code[2]));
	make_frame(0, 2, AT(frame[1]), 4);
	begin_stack();
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(host.nr_records, 2);
	assert_int_equal(s->word[0], before);
}

static void only_frames_of_python_are_left(void **state)
{
	interp_mode = INTERP_ONLY;
	native(0x50, STACK(0), STACK(1));
	assert_int_equal(s->nr, 1);
	native(0x110, STACK(1), STACK(20));
	native(0x50, STACK(20), STACK(21));
	assert_int_equal(s->nr, 2);
	assert_true(is_python(0) && is_python(1));
	interp_mode = INTERP_OFF;
	begin_stack();
	native(0x110, STACK(1), STACK(20));
	assert_int_equal(s->nr, 1);
	assert_false(is_python(0));
}

/* Threads of C: looked for once in a while */
static void threads_without_a_state_are_remembered(void **state)
{
	threads[1][2] = 2;
	native(0x110, STACK(0), STACK(20));
	native(0x110, STACK(20), STACK(40));
	assert_int_equal(s->nr, 2);
	assert_int_equal(counts().no_thread, 1);
	threads[1][2] = SELF;
	begin_stack();
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(counts().no_thread, 2);
	host.now += 2 * PYTHON_NO_THREAD_NS;
	begin_stack();
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(counts().no_thread, 2);
	assert_int_equal(counts().activations, 1);
}

static void lists_that_are_circles_end(void **state)
{
	threads[2][1] = AT(threads[0]);
	threads[1][2] = 2;
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(s->nr, 1);
	assert_false(is_python(0));
	assert_int_equal(w->steps, INTERP_MAX_STEPS);
	setup(state);
	frame[1][1] = AT(frame[0]);
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(s->nr, s->max);
	setup(state);
	frame[0][1] = 8; /* no memory */
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(s->nr, 1);
	assert_false(is_python(0));
	assert_int_equal(counts().unreadable, 1);
}

static void names_that_cannot_be_had_are_missing(void **state)
{
	text[0][4] = 0; /* no str that code objects have */
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(s->word[0], INTERP_BASE + INTERP_FIRST + 1);
	assert_int_equal(counts().nameless, 1);
	setup(state);
	host.ring_full = true;
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(s->word[0], INTERP_BASE + INTERP_FIRST + 1);
	host.ring_full = false;
	begin_stack();
	native(0x110, STACK(0), STACK(20));
	assert_true(s->word[0] > INTERP_BASE + INTERP_FIRST + INTERP_NAMELESS);
}

/* A function that could not be sent is sent later, into the same range, also by those who met it before. */
static void functions_that_could_not_be_sent_are_sent_again(void **state)
{
	__u64 end;

	host.ring_full = true;
	for (int i = 0; i < 3; i++) {
		begin_stack();
		native(0x110, STACK(0), STACK(20));
		end = bytes_used();
		assert_int_equal(end, 2 * (40 + 8));
	}
	assert_int_equal(counts().unsent, 6);
	host.ring_full = false;
	begin_stack();
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(counts().unsent, 6);
	assert_int_equal(host.nr_records, 2);
	assert_int_equal(s->word[0], INTERP_BASE + sent(0)->at + 4 + 1);
	assert_int_equal(bytes_used(), end);
}

/* One process that makes functions all the time does not keep others of its user from sending theirs. */
static void a_quarter_of_the_ring_is_for_those_who_send_much(void **state)
{
	host.ring_waiting = INTERP_SENT_BYTES / 4 + 1;
	set_share(interp_process(), (struct interp_share){ .functions = INTERP_FEW_FUNCTIONS });
	has_names(false, false);
	host.ring_waiting = INTERP_SENT_BYTES / 4;
	has_names(true, true);
	host.ring_waiting = INTERP_SENT_BYTES - 8192;
	a->tgid++;
	has_names(true, true);
}

/* Nor do all processes of a user those of others. */
static void a_user_may_fill_half_of_what_others_leave_of_the_ring(void **state)
{
	const struct interp_share half = { .waiting = INTERP_SENT_BYTES / 2, .last = 1000 + INTERP_SENT_BYTES / 2 };

	host.ring_taken = 1000;
	host.ring_waiting = INTERP_SENT_BYTES / 2;
	host.uid = 5;
	set_share(INTERP_USER | 5, half);
	has_names(false, false);
	assert_int_equal(counts().unsent, 2);
	host.ring_taken = half.last - 1; /* all but the last one were taken: who has sent much waits for that, too */
	host.ring_waiting = INTERP_SENT_BYTES / 2 + 1;
	has_names(false, false);
	a->tgid++;
	host.uid = 6;
	has_names(true, true);
	setup(state);
	host.ring_taken = half.last;
	host.ring_waiting = INTERP_SENT_BYTES / 2 + 1;
	host.uid = 5;
	set_share(INTERP_USER | 5, half);
	has_names(true, true);
}

/* While one CPU is about to send a function, another one meets it: it must not count on the first one. */
static void nobody_counts_on_what_others_send(void **state)
{
	struct host_value *v;

	host.ring_full = true;
	native(0x110, STACK(0), STACK(20));
	host.ring_full = false;
	for (v = host.values; v; v = v->next)
		assert_true(v->map != &interp_codes);
	begin_stack();
	native(0x110, STACK(0), STACK(20));
	assert_true(s->word[0] > INTERP_BASE + INTERP_FIRST + INTERP_NAMELESS);
	assert_int_equal(host.nr_records, 2);
}

/* An interrupt may find no memory for one: the next time it has a name, and nothing was taken. */
static void functions_that_could_not_be_kept_are_kept_later(void **state)
{
	host.full = &interp_functions;
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(s->word[0], INTERP_BASE + INTERP_FIRST + 1);
	assert_int_equal(bytes_used(), 0);
	assert_int_equal(functions_used(), 0);
	assert_int_equal(counts().unsent, 2);
	host.full = NULL;
	begin_stack();
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(s->word[0], INTERP_BASE + sent(0)->at + 4 + 1);
	assert_int_equal(functions_used(), 2);
}

/* The entry that a function has was given to another one in the same moment: none gets the range of the other. */
static void entries_of_others_are_left_alone(void **state)
{
	struct interp_known known = { 0x1234500000000ULL };
	const __u64 process = 1, tag = 0x5432100000000ULL;
	__u64 word;

	assert_int_equal(interp_settle(&known, tag, 40, &process, &word), INTERP_UNSENT);
	assert_int_equal(known.word, 0x1234500000000ULL);
	known.word |= 0x2000 | INTERP_SENT;
	assert_int_equal(interp_settle(&known, tag, 40, &process, &word), INTERP_UNSENT);
	assert_int_equal(bytes_used(), 0);
	known.word = tag | 0x2000 | INTERP_SENT;
	assert_int_equal(interp_settle(&known, tag, 40, &process, &word), INTERP_HAS_RANGE);
	assert_int_equal(INTERP_AT(word), 0x2000);
}

/* A function that was forgotten gets a range once more: that of no other one. */
static void forgotten_functions_are_met_anew(void **state)
{
	native(0x110, STACK(0), STACK(20));
	for (struct host_value *v = host.values; v; v = v->next) {
		if (v->map == &interp_functions)
			memset((void *)v->key, 0, v->key_size);
	}
	a->self_exec_id++; /* nor does the process know it */
	begin_stack();
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(host.nr_records, 4);
	assert_string_equal((const char *)sent(2)->name_text, "f");
	assert_true(sent(2)->at > sent(1)->at);
	assert_int_equal(s->word[0], INTERP_BASE + sent(2)->at + 4 + 1);
}

static void ranges_end_where_the_file_does(void **state)
{
	const __u32 zero = 0;
	const __u64 last = INTERP_MAX_BYTES - 100; /* the share has room, the file has not */

	bpf_map_update_elem(&interp_used, &zero, &(struct interp_share){ .bytes = last }, BPF_ANY);
	for (int i = 0; i < 3; i++) {
		begin_stack();
		native(0x110, STACK(0), STACK(20));
		assert_int_equal(s->word[0], INTERP_BASE + INTERP_FIRST + 1);
	}
	assert_int_equal(bytes_used(), last + 2 * 48);
	assert_int_equal(counts().no_room, 6);
}

static void a_process_has_so_many_functions(void **state)
{
	set_share(interp_process(), (struct interp_share){ .functions = INTERP_OWN_FUNCTIONS - 1 });
	has_names(true, false); /* the last one */
	assert_int_equal(counts().no_room, 1);
	text[0][4] = text[1][4] = 0; /* nobody looks at the texts any more */
	has_names(true, false);
	assert_int_equal(counts().no_room, 2);
	text[0][4] = text[1][4] = 0x64;
	a->tgid++;
	has_names(true, true); /* another process has room */
	assert_int_equal(counts().no_room, 2);
}

/* All of its processes, which may follow one another, get as much as they leave to others. */
static void a_user_has_half_of_what_others_leave(void **state)
{
	static const struct interp_share taken[] = { { .functions = INTERP_ALL_FUNCTIONS / 2 }, { .bytes = INTERP_MAX_BYTES / 2 } };
	const __u32 zero = 0;

	for (int i = 0; i < 2; i++) {
		setup(state);
		bpf_map_update_elem(&interp_used, &zero, &taken[i], BPF_ANY);
		set_share(INTERP_USER | 5, taken[i]);
		host.uid = 5;
		has_names(false, false);
		a->tgid++;
		has_names(false, false);
		assert_int_equal(counts().no_room, 4);
		host.uid = 6;
		a->tgid++;
		has_names(true, true);
		assert_int_equal(counts().no_room, 4);
	}
}

static void functions_without_a_name_are_sent(void **state)
{
	make_text(text[0], "");
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(counts().nameless, 0);
	assert_int_equal(sent(0)->name.length, 0);
	assert_int_equal(s->word[0], INTERP_BASE + sent(0)->at + 4 + 1);
}

/* Another file has got the place of the one that this stack goes through. */
static void files_that_are_gone_have_native_frames(void **state)
{
	const __u32 place = 0;
	struct interp_file *now = bpf_map_lookup_elem(&interp_files, &place);

	now->number = INTERP_MAX_FILES;
	native(0x110, STACK(0), STACK(20));
	native(0x110, STACK(20), STACK(40));
	assert_int_equal(s->nr, 2);
	assert_false(is_python(0) || is_python(1));
	assert_int_equal(counts().unreadable, 0);
	assert_int_equal(counts().gone, 1);
	assert_int_equal(now->used, 0);
	now->number = 0;
	begin_stack();
	native(0x50, STACK(0), STACK(20));
	assert_int_equal(now->used, 0); /* it was not in the loop */
	native(0x110, STACK(0), STACK(20));
	assert_true(is_python(1));
	assert_int_equal(now->used, 1);
}

/* Until user space answers, nobody asks again. */
static void a_new_number_is_asked_for_once(void **state)
{
	const struct unwind_key key = { .inode = 7 };
	struct unwind_file *file = host_copy(&(struct unwind_file){ .interp = 1 + INTERP_MAX_FILES }, sizeof(*file));

	s->file = *file;
	host.ring_full = true;
	unwind_ask_number(s, file, &key);
	assert_int_equal(file->interp, 1 + INTERP_MAX_FILES);
	host.ring_full = false;
	unwind_ask_number(s, file, &key);
	assert_int_equal(file->interp, INTERP_NO_NUMBER);
	assert_int_equal(host.nr_records, 1);
	assert_memory_equal(&((const struct unwind_mapping *)host.record[0].data)->key, &key, sizeof(key));
	s->file = *file;
	unwind_ask_number(s, file, &key);
	assert_int_equal(host.nr_records, 1);
	file->interp = s->file.interp = 1; /* it has its place */
	unwind_ask_number(s, file, &key);
	assert_int_equal(file->interp, 1);
	assert_int_equal(host.nr_records, 1);
	free(file);
}

/* The second interpreter: an activation runs three frames. */

static __u32 made_up_left;

static void made_up_search(struct interp_walk *walk, const struct interp_file *f)
{
	walk->state = INTERP_RUN;
	made_up_left = 3;
}

static int made_up_run(struct interp_walk *walk, const struct interp_file *f, __u64 *address)
{
	*address = INTERP_BASE + 0x5000 + made_up_left;
	return --made_up_left ? INTERP_GOES_ON : INTERP_OWNS;
}

static void another_interpreter_is_a_row(void **state)
{
	file_of(MADE_UP);
	native(0x50, STACK(0), STACK(1));
	native(0x110, STACK(1), STACK(20));
	native(0x50, STACK(20), STACK(21));
	assert_int_equal(s->nr, 5);
	for (__u32 i = 1; i < 4; i++)
		assert_int_equal(s->word[i], INTERP_BASE + 0x5000 + 4 - i);
	setup(state);
	file_of(MADE_UP + 1); /* that nobody knows */
	native(0x110, STACK(0), STACK(20));
	assert_int_equal(s->nr, 1);
	assert_false(is_python(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(activations_are_replaced_by_what_they_run, setup),
		cmocka_unit_test_setup(frames_belong_to_the_stack_that_their_shim_is_in, setup),
		cmocka_unit_test_setup(frames_belong_to_the_stack_that_their_cframe_is_in, setup),
		cmocka_unit_test_setup(objects_are_of_one_activation_each, setup),
		cmocka_unit_test_setup(objects_belong_to_the_activations_that_have_linked_them, setup),
		cmocka_unit_test_setup(another_function_in_the_same_memory_is_another_one, setup),
		cmocka_unit_test_setup(another_file_in_the_same_memory_is_another_one, setup),
		cmocka_unit_test_setup(another_process_has_other_functions, setup),
		cmocka_unit_test_setup(functions_are_known_by_what_they_are, setup),
		cmocka_unit_test_setup(only_frames_of_python_are_left, setup),
		cmocka_unit_test_setup(threads_without_a_state_are_remembered, setup),
		cmocka_unit_test_setup(lists_that_are_circles_end, setup),
		cmocka_unit_test_setup(names_that_cannot_be_had_are_missing, setup),
		cmocka_unit_test_setup(functions_that_could_not_be_sent_are_sent_again, setup),
		cmocka_unit_test_setup(a_quarter_of_the_ring_is_for_those_who_send_much, setup),
		cmocka_unit_test_setup(a_user_may_fill_half_of_what_others_leave_of_the_ring, setup),
		cmocka_unit_test_setup(nobody_counts_on_what_others_send, setup),
		cmocka_unit_test_setup(functions_that_could_not_be_kept_are_kept_later, setup),
		cmocka_unit_test_setup(entries_of_others_are_left_alone, setup),
		cmocka_unit_test_setup(forgotten_functions_are_met_anew, setup),
		cmocka_unit_test_setup(ranges_end_where_the_file_does, setup),
		cmocka_unit_test_setup(a_process_has_so_many_functions, setup),
		cmocka_unit_test_setup(a_user_has_half_of_what_others_leave, setup),
		cmocka_unit_test_setup(functions_without_a_name_are_sent, setup),
		cmocka_unit_test_setup(files_that_are_gone_have_native_frames, setup),
		cmocka_unit_test_setup(a_new_number_is_asked_for_once, setup),
		cmocka_unit_test_setup(another_interpreter_is_a_row, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

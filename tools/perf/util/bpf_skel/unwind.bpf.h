/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Unwinds the current task's user stack by tables of .eh_frame, which user space makes (source/unwind-feeder.c): see unwind__run().
 *
 * The state is in a map, so that the verifier knows nothing of it and sees each step once. What has loops of its own, or is reached
 * on several paths, is a global function, which the verifier looks at once for the same reason. The includer must not be
 * interrupted by itself on one CPU, as tally.bpf.h says.
 */
#ifndef PERF_BPF_UNWIND_BPF_H
#define PERF_BPF_UNWIND_BPF_H

#include "unwind-sample.h"
#include "unwind-maps.bpf.h"
#include "unwind-tables.bpf.h"
#include "unwind-read.bpf.h"
#include "unwind-returns.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_counts);
} unwind_counts SEC(".maps");

#include "python.bpf.h"

#define UNWIND_WINDOW_WORDS 128 /* one read of 1 KiB takes as long as three of a word */
#define UNWIND_WINDOW_BELOW 64	/* bytes of the window below the word that is asked for: the caller's frame pointer is there */
#define UNWIND_STATE_WORDS 1024	/* a record with UNWIND_MAX_STACK frames of the kernel and UNWIND_MAX_FRAMES of the user; a power of two */

#define UNWIND_KNOWN_BITS 10	/* a value of a per-CPU map has 32 KiB at most */

#ifdef __TARGET_ARCH_arm64
#define UNWIND_ARM64 1
#else
#define UNWIND_ARM64 0
#endif

/* A rule that was found lately, since the same frames are in most samples: one look instead of some in the tables */
struct unwind_known {
	__u64 key; /* of its instruction, see unwind_known_key(); 0: none */
	struct unwind_rule rule;
};

struct unwind_state {
	struct unwind_frame frame;
	__u64 map_start, map_size; /* the mapping that the last frame was in; size 0: none */
	__u64 map_offset;	   /* its begin in the file */
	struct unwind_file file;   /* what is in it */
	__u64 regs[UNWIND_NR_REGS];
	__u64 window_at;
	__u64 window[UNWIND_WINDOW_WORDS];
	struct maple_search maple;
	struct vma_copy vma; /* of the mapping that was looked for last */
	__u64 mm;	     /* the process's memory */
	__u64 root;	     /* of the tree of its mappings */
	__u64 vdso;
	__u64 listed; /* address: the mappings before it are listed, see unwind-unfinished.bpf.h */
	__u64 handlers, handlers_size, interrupted; /* see unwind_find_interrupted() */
	__u64 ra_mask; /* see unwind-step.bpf.h */
	__u64 record;  /* where the record with the frames is, see unwind-unfinished.bpf.h */
	struct unwind_returns returns;
	__u32 at, nr, max, end;
	__u32 guess;		   /* UNWIND_GENERATED or UNWIND_NO_CFI: a frame had no table, and its frame pointer was trusted */
	__u32 before;		   /* unwind_find_map() looks for the file only, in the mapping before: see unwind_find() */
	__u64 code; /* at a sampled frame's ip; here, as the stack has no room */
	struct interp_walk interp;
	__u64 word[UNWIND_STATE_WORDS];
	struct unwind_known known[1 << UNWIND_KNOWN_BITS]; /* by a hash of the key */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_state);
} unwind_states SEC(".maps");

static const __u32 unwind_zero; /* unwind_next() has no room for it on the stack */

static __always_inline struct unwind_state *unwind_state__get(void)
{
	return bpf_map_lookup_elem(&unwind_states, &unwind_zero);
}

/* Read the window, or if it reaches beyond the stack's memory the one word. 0: it is the window's first one now, or in it. */
__noinline int unwind_fill(struct unwind_state *s, __u64 at)
{
	if (!s)
		return -1;
	s->window_at = (at & ~7ULL) - UNWIND_WINDOW_BELOW;
	if (!unwind_read_user(s->window, sizeof(s->window), s->window_at))
		return 0;
	s->window_at = at & ~7ULL;
	if (unwind_read_user(s->window, sizeof(s->window[0]), s->window_at)) {
		s->window_at = 0;
		return -1;
	}
	return 1;
}

/* Stacks are aligned to words; one that is not ends. */
static __always_inline bool unwind_read(struct unwind_state *s, __u64 at, __u64 *value)
{
	__u64 i = at - s->window_at;
	int single = 0;

	if (at & 7)
		return false;
	if (!s->window_at || i >= sizeof(s->window)) {
		single = unwind_fill(s, at);
		if (single < 0)
			return false;
		i = at - s->window_at;
	}
	*value = s->window[i / 8 % UNWIND_WINDOW_WORDS];
	if (single)
		s->window_at = 0;
	return true;
}

/* From a number of DWARF to the place in pt_regs: a digit for each, which are r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di. */
#define UNWIND_X86_PLACES 0x0123678904ed5bcaULL

static __always_inline bool unwind_reg(struct unwind_state *s, __u32 reg, __u64 *value)
{
	__u32 place = UNWIND_ARM64 ? reg & 31 : UNWIND_X86_PLACES >> 4 * (reg & 15) & 15;

	if (place >= UNWIND_NR_REGS || reg >= (UNWIND_ARM64 ? 31 : 16))
		return false;
	*value = s->regs[place];
	return true;
}

#define UNWIND_READ(context, address, value) unwind_read(context, address, value)
#define UNWIND_REG(context, number, value) unwind_reg(context, number, value)
#include "unwind-step.bpf.h"

/* Another file has the place of the interpreter in this one: ask for a new number, once. */
static __always_inline void unwind_ask_number(struct unwind_state *s, struct unwind_file *file, const struct unwind_key *key)
{
	const __u32 number = s->file.interp;

	if (!number || number == INTERP_NO_NUMBER || interp_file_at(number - 1))
		return;
	file->interp = INTERP_NO_NUMBER;
	if (!unwind_send_request(key, s->vma.start, s->vma.end))
		file->interp = number;
}

/*
 * What is mapped there? UNWIND_GOES_ON, or why nothing is known of it. The key is on the stack: Linux 6.1 refuses keys of maps in memory that
 * a function gets as an argument.
 */
static __always_inline int unwind_find_file(struct unwind_state *s)
{
	struct unwind_file *file;
	struct unwind_key key;

	if (!unwind_key__read(&key, s->vma.file, s->vma.start, s->vdso))
		return UNWIND_NO_FILE;
	s->file = (struct unwind_file){ .state = UNWIND_FILE_ASKED };
	file = bpf_map_lookup_elem(&unwind_files, &key);
	if (!file)
		unwind_ask(&key, s->vma.start, s->vma.end);
	if (!file || file->state == UNWIND_FILE_ASKED)
		return UNWIND_NO_TABLE;
	s->file = *file;
	file->used = bpf_ktime_get_ns();
	unwind_ask_number(s, file, &key);
	if (s->file.state >= UNWIND_FILE_REFUSED)
		return s->file.state == UNWIND_FILE_REFUSED ? UNWIND_NO_ROOM : UNWIND_NO_FILE;
	if (s->file.state == UNWIND_FILE_BARE)
		s->guess = UNWIND_NO_CFI;
	return UNWIND_GOES_ON;
}

/* Find the mapping and the file. UNWIND_GOES_ON, or why there is none. */
__noinline int unwind_find_map(struct unwind_state *s, __u64 pc)
{
	__u64 found;

	if (!s)
		return UNWIND_NO_MAPPING;
	found = vma_at(&s->maple, s->root, pc);
	if (!found || !vma_copy(&s->vma, found, s->mm) || pc - s->vma.start >= s->vma.end - s->vma.start || !(s->vma.flags & VM_EXEC || s->before))
		return UNWIND_NO_MAPPING;
	if (!s->before) {
		s->map_start = s->vma.start;
		s->map_size = s->vma.end - s->vma.start;
	}
	s->map_offset = s->map_start - s->vma.start + s->vma.offset;
	return unwind_find_file(s);
}

/*
 * A program may have moved its text to huge pages, which are in no file: then the mapping before it is of the program's file, and the
 * file has code at the offset that follows. Otherwise memory without a file is a JIT compiler's.
 */
static __always_inline int unwind_find(struct unwind_state *s, __u64 pc)
{
	int end;

	s->map_size = 0;
	s->before = 0;
	end = unwind_find_map(s, pc);
	if (!end || s->vma.file || !s->map_size)
		return end;
	s->before = 1;
	end = unwind_find_map(s, s->map_start - 1);
	if (!end && s->vma.file && (s->map_offset >> UNWIND_PAGE_SHIFT) - s->file.first_page < s->file.nr_pages)
		return UNWIND_GOES_ON;
	if (end == UNWIND_NO_TABLE && s->vma.file)
		return end;
	s->file = (struct unwind_file){ .state = UNWIND_FILE_BARE };
	s->map_offset = 0;
	s->guess = UNWIND_GENERATED;
	return UNWIND_GOES_ON;
}

static __always_inline struct unwind_chunk *unwind_chunk_of(__u32 word)
{
	__u32 chunk = word / UNWIND_CHUNK_WORDS, segment = chunk / UNWIND_SEGMENT_CHUNKS;
	void *map = bpf_map_lookup_elem(&unwind_segments, &segment);

	chunk %= UNWIND_SEGMENT_CHUNKS;
	return map ? bpf_map_lookup_elem(map, &chunk) : NULL;
}

/* 1: row i is one of nr, and not behind low. Without a branch, which would be two paths for the verifier; the barriers keep clang from making some. */
static __always_inline __u64 unwind_takes(const struct unwind_chunk *rows, __u32 first, __u32 nr, __u32 low, __u64 i)
{
	__u64 row = rows->word[(first + i) % UNWIND_CHUNK_WORDS] & 0xffff, takes = (i - nr) & (row - low - 1); /* is negative if both are */

	barrier_var(takes);
	takes >>= 63;
	barrier_var(takes);
	return takes;
}

/*
 * Search on from row i for the last of nr rows that is not behind low. Each step looks at three rows at once, which do not wait for one
 * another, and leaves a quarter; from, to: how many bits of i are found by the steps behind the first and the last one.
 */
static __always_inline __u64 unwind_search(const struct unwind_chunk *rows, __u32 first, __u32 nr, __u32 low, __u64 i, int from, int to)
{
#pragma unroll
	for (int bit = from; bit >= to; bit -= 2)
		i += (unwind_takes(rows, first, nr, low, i + (1 << bit)) + unwind_takes(rows, first, nr, low, i + (2 << bit)) +
		      unwind_takes(rows, first, nr, low, i + (3 << bit))) << bit;
	return i;
}

#define FEW_ROWS_BITS 6 /* nearly all pages have fewer rows than 64 */

static __always_inline __u32 unwind_find_rule(const struct unwind_chunk *rows, __u32 first, __u32 nr, __u32 low)
{
	__u64 i = 0;

	if (nr >> FEW_ROWS_BITS)
		i = unwind_search(rows, first, nr, low, i, UNWIND_ROWS_BITS - 2, FEW_ROWS_BITS);
	i = unwind_search(rows, first, nr, low, i, FEW_ROWS_BITS - 2, 0);
	return rows->word[(first + i) % UNWIND_CHUNK_WORDS] >> 16;
}

/*
 * Python 3.12 copies a trampoline for each function (-X perf), into memory without a file: sub $8,%rsp; call *%rcx; add $8,%rsp; ret. Its frame
 * has no frame pointer, and rbp is whatever Python's own functions, which have tables, keep there.
 */
#define UNWIND_TRAMPOLINE 0xc308c48348d1ffULL /* from the call on */

static __always_inline bool unwind_calls_at(__u64 ip)
{
	__u64 code;

	return !unwind_read_user(&code, sizeof(code), ip) && code << 8 == UNWIND_TRAMPOLINE << 8;
}

/* The rule for code in no file. A sample may be at each of the four instructions: the first and the last one have no word on the stack. */
static __always_inline int unwind_generated_rule(const struct unwind_frame *f)
{
	if (UNWIND_ARM64)
		return UNWIND_RULE_FP;
	if (unwind_calls_at(f->ip - 2))
		return UNWIND_RULE_WORD;
	if (!f->exact)
		return UNWIND_RULE_FP;
	if (unwind_calls_at(f->ip))
		return UNWIND_RULE_WORD;
	return unwind_calls_at(f->ip + 4) || unwind_calls_at(f->ip - 6) ? UNWIND_RULE_EMPTY : UNWIND_RULE_FP;
}

#define UNWIND_ENDBR64 0xfa1e0ff3
#define UNWIND_MOV_SP_BP 0xe58948 /* as GCC and clang write it, */
#define UNWIND_MOV_BP_SP 0xec8b48 /* and as V8 does */

/*
 * The rule for code with frame pointers. A sampled function has no frame yet at push %rbp and mov %rsp,%rbp, and no more at ret: there the
 * frame pointer is its caller's, which would leave the caller out.
 */
static __always_inline int unwind_pointer_rule(struct unwind_state *s)
{
	__u64 code;

	if (UNWIND_ARM64 || !s->frame.exact || unwind_read_user(&s->code, sizeof(s->code), s->frame.ip))
		return UNWIND_RULE_FP;
	code = s->code;
	if ((code & 0xffffff) == UNWIND_MOV_SP_BP || (code & 0xffffff) == UNWIND_MOV_BP_SP)
		return UNWIND_RULE_WORD;
	if ((code & 0xff) == 0xc3 || (code & 0xffff) == 0xc3f3) /* ret, repz ret */
		return UNWIND_RULE_EMPTY;
	if ((code & 0xffffffff) == UNWIND_ENDBR64)
		code >>= 32;
	return (code & 0xff) == 0x55 ? UNWIND_RULE_EMPTY : UNWIND_RULE_FP; /* push %rbp */
}

/* The id of the rule for the frame's code, or -enum unwind_end. */
__noinline int unwind_rule_id(struct unwind_state *s)
{
	struct unwind_chunk *chunk;
	__u32 page, index, first;
	__u64 pc, offset;
	int end;

	if (!s)
		return -UNWIND_NO_MAPPING;
	pc = s->frame.ip - !s->frame.exact;
	if (pc - s->map_start >= s->map_size) {
		end = unwind_find(s, pc);
		if (end)
			return -end;
	}
	if (s->file.state == UNWIND_FILE_BARE)
		return s->file.id ? UNWIND_RULE_FP : unwind_generated_rule(&s->frame);
	offset = pc - s->map_start + s->map_offset;
	page = (offset >> UNWIND_PAGE_SHIFT) - s->file.first_page;
	if (page >= s->file.nr_pages)
		return -UNWIND_NO_CFI;
	chunk = unwind_chunk_of(s->file.word + page);
	if (!chunk)
		return -UNWIND_NO_TABLE; /* it was thrown out */
	index = chunk->word[(s->file.word + page) % UNWIND_CHUNK_WORDS];
	first = s->file.word + (index >> UNWIND_ROWS_BITS);
	if (first / UNWIND_CHUNK_WORDS != (s->file.word + page) / UNWIND_CHUNK_WORDS)
		chunk = unwind_chunk_of(first);
	if (!chunk)
		return -UNWIND_NO_TABLE;
	return unwind_find_rule(chunk, first % UNWIND_CHUNK_WORDS, index & UNWIND_MAX_PAGE_ROWS, offset & UNWIND_PAGE_MASK);
}

const volatile bool unwind_by_file; /* note frames as places in files */

/* The address, if it is in no file. A file that user space does not know yet has the id 0: equal stacks are equal, but have no name. */
static __always_inline __u64 unwind_place(const struct unwind_state *s)
{
	const struct unwind_frame *f = &s->frame;

	if (!unwind_by_file || f->ip - !f->exact - s->map_start >= s->map_size || (s->file.state == UNWIND_FILE_BARE && !s->file.id))
		return f->ip;
	return UNWIND_PLACE | (__u64)s->file.id << UNWIND_PLACE_BITS | ((f->ip - s->map_start + s->map_offset) & UNWIND_PLACE_MASK);
}

/* The frame's instruction in its file's table. 0: it is in no file with a table, or in another mapping than the last frame. */
static __always_inline __u64 unwind_known_key(const struct unwind_state *s)
{
	__u64 at = s->frame.ip - !s->frame.exact - s->map_start;

	if (at >= s->map_size || !s->file.serial)
		return 0;
	return (__u64)s->file.serial << UNWIND_PLACE_BITS | ((at + s->map_offset) & UNWIND_PLACE_MASK);
}

static __always_inline struct unwind_known *unwind_known_at(struct unwind_state *s, __u64 key)
{
	return &s->known[key * 0x9e3779b97f4a7c15ULL >> (64 - UNWIND_KNOWN_BITS)];
}

/* Look up the rule of the frame's code, and note it among those that are known, at *k. UNWIND_GOES_ON, or why there is none. */
static __always_inline int unwind_look_up(struct unwind_state *s, struct unwind_known **k)
{
	int id = unwind_rule_id(s);
	struct unwind_rule *rule;
	bool guess = id == UNWIND_RULE_FP;
	__u64 key;

	if (id < 0)
		return -id;
	if (guess)
		id = unwind_pointer_rule(s);
	rule = bpf_map_lookup_elem(&unwind_rules, &id);
	if (!rule)
		return UNWIND_NO_CFI;
	guess |= unwind_rule__has_pointers(rule);
	if (guess && !s->guess)
		s->guess = UNWIND_NO_CFI;
	key = guess ? 0 : unwind_known_key(s); /* the next frame with it is to be a guess, too */
	*k = unwind_known_at(s, key);
	(*k)->rule = *rule;
	(*k)->key = key;
	return UNWIND_GOES_ON;
}

#include "interp-walk.bpf.h"

/* Note the frame, and replace it by its caller. UNWIND_GOES_ON, or why there is none. */
static __always_inline int unwind_one(struct unwind_state *s)
{
	struct unwind_known *k;
	int ret = UNWIND_GOES_ON;
	__u64 key;

	if (s->nr >= s->max)
		return UNWIND_DEPTH;
	key = unwind_known_key(s);
	k = unwind_known_at(s, key);
	if (!key || k->key != key)
		ret = unwind_look_up(s, &k);
	interp_note_native(s);
	ret = ret ?: unwind__step(s, &s->frame, &k->rule, s->ra_mask);
	if (!ret)
		interp_leave_native(s);
	return ret;
}

/*
 * The trampoline of x86-64 since Linux 6.11: push %rax; push %rcx; push %r11; mov $number,%rax; syscall; pop %r11; pop %rcx; ret. Behind
 * the call the return address is in the place of rax. Before, it was one instruction: int3.
 */
#define UNWIND_TRAMPOLINE_SIZE 17
#define UNWIND_TRAMPOLINE_PUSHES 0x53415150
#define UNWIND_TRAMPOLINE_WORDS 0x1bfffffe4ULL /* two bits for each byte: words on the stack, from rax's place on */

/* A sample on the trampoline: note it, and go on where the function has returned to. */
static __always_inline void unwind_leave_trampoline(struct unwind_state *s)
{
	const __u64 at = s->frame.ip - s->returns.trampoline;

	if (UNWIND_ARM64 || !s->returns.trampoline || at >= UNWIND_TRAMPOLINE_SIZE)
		return;
	interp_note(s, s->frame.ip);
	if (!unwind_read(s, s->returns.trampoline, &s->code))
		s->code = 0;
	s->code = (__u32)s->code == UNWIND_TRAMPOLINE_PUSHES ? UNWIND_TRAMPOLINE_WORDS >> 2 * at & 3 : 0;
	s->frame.sp += s->code * sizeof(__u64);
	s->frame.ip = s->returns.trampoline;
	s->frame.exact = 0;
}

/*
 * The frame has the return address of the trampoline: look for its own in the task's next entry. Behind the last one: a sample on the
 * trampoline may have it on the stack. Else the trampoline is taken for any code. Returns 0.
 */
static __always_inline int unwind_look_for_return(struct unwind_state *s)
{
	struct unwind_returns *r = &s->returns;

	if (!r->next) {
		r->next = r->first;
		if (!s->frame.sampled || !s->code || !unwind_read(s, s->frame.sp - UNWIND_RETURN_WORD, &s->frame.ip))
			r->trampoline = 0;
		return 0;
	}
	unwind_returns__read(r);
	if (r->stack == s->frame.sp - UNWIND_RETURN_WORD)
		s->frame.ip = r->address;
	return 0;
}

/* Not sooner: what calls bpf_loop() has no room on the stack. */
static __always_inline void unwind_begin_returns(struct unwind_state *s)
{
	unwind_returns__begin(&s->returns, (struct task_struct *)bpf_get_current_task(), (struct mm_struct *)s->mm);
	s->frame.ip = unwind_returns__original(&s->returns, s->frame.ip);
	unwind_leave_trampoline(s);
}

static long unwind_next(__u32 i, void *unused)
{
	struct unwind_state *s = unwind_state__get();

	if (!s)
		return 1;
	if (!i) {
		interp_begin(s);
		unwind_begin_returns(s);
	}
	if (interp_is_at_work(s))
		return interp_step(s) != 0;
	if (s->returns.trampoline && s->frame.ip == s->returns.trampoline)
		return unwind_look_for_return(s);
	s->end = unwind_one(s);
	return s->end != UNWIND_GOES_ON && !interp_finish(s);
}

#ifdef __TARGET_ARCH_arm64
#define UNWIND_REGS_IP(s) (s)->regs[32]
#define UNWIND_REGS_SP(s) (s)->regs[31]
#define UNWIND_REGS_BP(s) (s)->regs[29]
#define UNWIND_REGS_LR(s) (s)->regs[30]
#define UNWIND_REGS_COMPAT(s) ((s)->regs[33] & 0x10) /* PSR_MODE32_BIT */
/*
 * The signature of a return address is in the bits above those of the task's addresses. Their number depends on the kernel and the
 * processor: 36 to 52.
 */
#define UNWIND_RA_MASK(mm) ~(BPF_CORE_READ(mm, task_size) - 1)
#else
#define UNWIND_REGS_IP(s) (s)->regs[16]
#define UNWIND_REGS_SP(s) (s)->regs[19]
#define UNWIND_REGS_BP(s) (s)->regs[4]
#define UNWIND_REGS_LR(s) 0
#define UNWIND_REGS_COMPAT(s) (((s)->regs[17] & 0xffff) != 0x33) /* __USER_CS */
#define UNWIND_RA_MASK(mm) 0
#endif

#ifndef UNWIND_NO_COMPAT
/* A 32-bit program: its frame pointers are of another width, which the kernel knows. The number of frames */
__noinline __u32 unwind_compat(struct unwind_state *s)
{
	long size;

	if (!s)
		return 0;
	size = bpf_get_task_stack(bpf_get_current_task_btf(), &s->word[s->at % (UNWIND_STATE_WORDS / 2)],
				  (s->max & UNWIND_MAX_FRAMES) * sizeof(*s->word), BPF_F_USER_STACK);
	return size > 0 ? size / sizeof(*s->word) : 0;
}
#endif

/* Between its change of memory and its end execve(2) still has the registers of its caller. */
static __always_inline bool unwind_in_execve(struct task_struct *task)
{
	return bpf_core_field_exists(task->in_execve) && BPF_CORE_READ_BITFIELD_PROBED(task, in_execve);
}

/* What is behind an end: a frame pointer that was none makes the next frames any. */
static __always_inline __u32 unwind_cause(struct unwind_state *s, struct task_struct *task)
{
	const bool astray = s->end == UNWIND_NO_MAPPING || s->end == UNWIND_MEMORY || s->end == UNWIND_LOOP;

	if (s->end != UNWIND_COMPLETE && unwind_in_execve(task))
		return UNWIND_EXECVE;
	return astray && s->guess ? s->guess : s->end;
}

/*
 * Unwind the stack of a task that has one (no kernel thread), the current one: user_regs are its registers in user space, as the
 * kernel stored them. The frames, at most max, go to state->word[at] and behind; their number is state->nr. Returns how it ended.
 */
static __always_inline __u32 unwind__run(struct unwind_state *s, struct task_struct *task, const void *user_regs, __u32 at, __u32 max)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);

	s->nr = 0;
	if (!mm || bpf_probe_read_kernel(s->regs, sizeof(s->regs), user_regs))
		return UNWIND_EXITING;
	s->mm = (__u64)mm;
	s->root = (__u64)BPF_CORE_READ(mm, mm_mt.ma_root);
	s->vdso = (__u64)BPF_CORE_READ(mm, context.vdso);
	s->ra_mask = UNWIND_RA_MASK(mm);
	s->map_size = 0;
	s->window_at = 0;
	s->guess = 0;
	s->at = at;
	s->max = max;
	s->frame = (struct unwind_frame){
		.ip = UNWIND_REGS_IP(s), .sp = UNWIND_REGS_SP(s), .bp = UNWIND_REGS_BP(s), .lr = UNWIND_REGS_LR(s),
		.exact = 1, .sampled = 1, .bp_known = 1, .lr_known = UNWIND_ARM64,
	};
#ifndef UNWIND_NO_COMPAT
	if (UNWIND_REGS_COMPAT(s)) {
		s->nr = unwind_compat(s);
		return UNWIND_COMPAT;
	}
#endif
	s->end = UNWIND_GOES_ON;
	bpf_loop(2 * max + 1 + INTERP_MAX_STEPS + 2 * UNWIND_MAX_RETURNS, unwind_next, NULL, 0);
	if (s->end == UNWIND_GOES_ON)
		s->end = UNWIND_DEPTH;
	return unwind_cause(s, task);
}

/* The same for the current task, with counts of how it ended. Returns the number of frames. */
static __always_inline __u32 unwind__take(struct unwind_state *s, struct unwind_counts *counts, const void *user_regs, __u32 at, __u32 max)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u32 end;

	s->end = UNWIND_COMPLETE; /* no stack: nothing to finish */
	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return 0;
	end = unwind__run(s, task, user_regs, at, max);
	s->end = end;
	if (end < UNWIND_NR_ENDS)
		counts->ended[end]++;
	counts->frames += s->nr;
	return s->nr;
}

#endif

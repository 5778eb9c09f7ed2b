/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The frames of CPython 3.8 and later. A thread's state is found by pthread_self(), the base of FS on x86-64, in the lists of interpreters
 * and threads; it leads to the innermost frame. Offsets: struct python_layout, from util/interp/python-layout.c.
 */
#ifndef PERF_BPF_PYTHON_BPF_H
#define PERF_BPF_PYTHON_BPF_H

#include "interp-code.bpf.h"

#define PYTHON_THREAD_BYTES 192 /* of a thread state, those that we look at */
#define PYTHON_FRAME_BYTES 80
#define PYTHON_OBJECT_BYTES 112 /* of a frame that is an object */
#define PYTHON_CODE_BYTES 88
#define PYTHON_SHIM 3 /* owner of the frame that ends an activation's: this, or above since 3.14 */
#define PYTHON_STR_LENGTH 16
#define PYTHON_STR_STATE 32
#define PYTHON_STR_HEAD 40
#define PYTHON_BYTES_LENGTH 16
#define PYTHON_BYTES_TEXT 32
#define PYTHON_CODE_UNITS 16 /* ob_size: of two bytes */
#define PYTHON_MAX_CODE_UNITS (1U << 19)
#define PYTHON_NO_THREAD_NS 1000000000ULL /* for so long a thread without a state is not looked for again */

/* What is known of a thread; until: of one without a state, when that is looked for again */
struct python_thread {
	__u64 state, until;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct python_thread);
} python_threads SEC(".maps");

static __always_inline void python_remember(struct interp_walk *w)
{
	struct python_thread known = { .state = w->thread, .until = w->thread ? 0 : bpf_ktime_get_ns() + PYTHON_NO_THREAD_NS }, *old;

	old = bpf_task_storage_get(&python_threads, bpf_get_current_task_btf(), &known, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (old)
		*old = known;
}

/* Its innermost frame; the state was read. */
static __always_inline void python_begin(struct interp_walk *w, const struct python_layout *l)
{
	w->frame = interp_word(w, l->current);
	if (!l->cframe_size)
		return;
	w->cframe = w->frame;
	w->frame = interp_read(w, w->cframe, 24) ? interp_word(w, l->cframe_current) : 0;
}

/* Is w->thread the state of this thread? Then the frames of the activation are next. */
static __always_inline bool python_is_own(struct interp_walk *w, const struct python_layout *l)
{
	if (!interp_read(w, w->thread, PYTHON_THREAD_BYTES) || interp_word(w, l->thread_id) != w->self)
		return false;
	python_begin(w, l);
	w->state = INTERP_RUN;
	return true;
}

/* The first thread state of the interpreter whose address is at that address */
static __always_inline void python_open_interpreter(struct interp_walk *w, const struct python_layout *l, __u64 at)
{
	w->interpreter = interp_read(w, at, 8) ? w->read[0] : 0;
	w->thread = w->interpreter && interp_read(w, w->interpreter + l->threads, 8) ? w->read[0] : 0;
}

static __always_inline void python_begin_search(struct interp_walk *w, const struct python_layout *l)
{
	struct python_thread *known;

	w->begun = 1;
	w->interpreter = 0;
	known = bpf_task_storage_get(&python_threads, bpf_get_current_task_btf(), 0, 0);
	if (known && !known->state && bpf_ktime_get_ns() < known->until) {
		interp_count(no_thread);
		interp_lose(w);
		return;
	}
	w->thread = known ? known->state : 0;
	if (!w->thread || !python_is_own(w, l))
		python_open_interpreter(w, l, w->runtime + l->interpreters);
}

/* One thread state more */
static __always_inline void python_search(struct interp_walk *w, const struct interp_file *f)
{
	const struct python_layout *l = &f->python;

	if (!w->begun) {
		python_begin_search(w, l);
		if (w->state != INTERP_SEARCH || w->thread)
			return;
	}
	if (!w->thread) {
		python_remember(w);
		interp_count(no_thread);
		interp_lose(w);
		return;
	}
	if (python_is_own(w, l)) {
		python_remember(w);
		return;
	}
	w->thread = interp_word(w, l->next);
	if (!w->thread)
		python_open_interpreter(w, l, w->interpreter + l->next_interpreter);
}

/* A str; false: it cannot be read, or is none that code objects have. */
static __always_inline bool python_text(struct interp_walk *w, const struct python_layout *l, __u64 at, struct interp_text *text, __u8 *to,
					const __u32 room)
{
	__u32 state, bytes;
	__u64 length;

	if (!interp_read(w, at, PYTHON_STR_HEAD))
		return false;
	length = interp_word(w, PYTHON_STR_LENGTH);
	state = interp_half(w, PYTHON_STR_STATE);
	text->width = state >> 2 & 7;
	text->ascii = state >> 6 & 1;
	if (!(state >> 5 & 1) || length > 1 << 20 || (text->width != 1 && text->width != 2 && text->width != 4))
		return false;
	text->length = length;
	bytes = length * text->width;
	if (bytes > room)
		bytes = room;
	text->bytes = bytes;
	at += text->ascii ? l->ascii : l->wide;
	return !unwind_read_some(to, bytes, room, at);
}

static __always_inline bool python_lines(struct interp_walk *w, struct interp_code *m)
{
	__u32 bytes;

	m->lines_at = w->lines;
	m->nr_lines = 0;
	if (!interp_read(w, w->lines + PYTHON_BYTES_LENGTH, 8) || w->read[0] > 1 << 20)
		return false;
	m->lines_wanted = w->read[0];
	bytes = m->lines_wanted < INTERP_LINES_BYTES ? m->lines_wanted : INTERP_LINES_BYTES;
	barrier_var(bytes);
	if (bytes <= INTERP_LINES_BYTES && !unwind_read_long(m->lines, bytes, w->lines + PYTHON_BYTES_TEXT))
		m->nr_lines = bytes;
	return true;
}

/* Bytes of bytecode; 0: they cannot be read, or are more than any function has. bytes: the object that has them, PYTHON_OBJECTS only */
static __always_inline __u32 python_code_size(struct interp_walk *w, const struct python_layout *l, __u64 bytes)
{
	const bool has_object = l->style == PYTHON_OBJECTS;

	if (!interp_read(w, has_object ? bytes + PYTHON_BYTES_LENGTH : w->code + PYTHON_CODE_UNITS, 8))
		return 0;
	if (has_object)
		w->read[0] /= 2;
	return w->read[0] <= PYTHON_MAX_CODE_UNITS ? 2 * w->read[0] : 0;
}

/* What the members of w->code say that were read. */
static __always_inline bool python_describe(struct interp_walk *w, struct interp_code *m, const struct python_layout *l)
{
	__u64 path, name, bytes;

	interp_clear(m);
	m->file = w->file;
	m->pid = bpf_get_current_pid_tgid() >> 32;
	m->code = w->code;
	m->first_line = interp_half(w, l->first_line);
	path = interp_word(w, l->filename);
	name = interp_word(w, l->qualname);
	bytes = interp_word(w, l->bytecode);
	m->bytes = python_code_size(w, l, bytes);
	return m->bytes && python_text(w, l, name, &m->name, m->name_text, INTERP_NAME_BYTES) &&
	       python_text(w, l, path, &m->path, m->path_text, INTERP_PATH_BYTES) && python_lines(w, m);
}

static __always_inline enum interp_found python_new_code(struct interp_walk *w, const struct interp_file *f, const struct interp_code_key *key,
							 struct interp_range *range)
{
	__u32 zero = 0;
	struct interp_code *m = bpf_map_lookup_elem(&interp_message, &zero);
	enum interp_found found;

	if (!m || !python_describe(w, m, &f->python))
		return INTERP_UNREADABLE;
	found = interp_find_range(m, &key->process, range);
	if (found != INTERP_UNSENT)
		bpf_map_update_elem(&interp_codes, key, range, BPF_ANY);
	return found;
}

#define PYTHON_PRINT_WORDS 8 /* of a text's end */
#define PYTHON_PRINT_AT 16   /* the words of w->read from there on are free while those of a code object are in use */

/* The hash of a str, which Python makes when it needs one; before, its length and its end. */
static __always_inline __u64 python_text_print(struct interp_walk *w, const struct python_layout *l, __u64 at)
{
	__u64 *word = &w->read[PYTHON_PRINT_AT], print;
	__u32 state, bytes;

	if (unwind_read_user(word, PYTHON_STR_HEAD - PYTHON_STR_LENGTH, at + PYTHON_STR_LENGTH))
		return 0;
	if (word[1] != ~0ULL)
		return word[1];
	state = word[2];
	print = word[0];
	at += (state >> 6 & 1 ? l->ascii : l->wide) + print * (state >> 2 & 7);
	bytes = print < 8 * PYTHON_PRINT_WORDS ? print : 8 * PYTHON_PRINT_WORDS;
	for (__u32 i = 0; i < PYTHON_PRINT_WORDS; i++)
		word[i] = 0;
	if (unwind_read_some(word, bytes, 8 * PYTHON_PRINT_WORDS, at - bytes))
		return print;
	for (__u32 i = 0; i < PYTHON_PRINT_WORDS; i++)
		print = print * INTERP_PRIME_A ^ word[i];
	return print;
}

/* Code objects are freed and others made in their place: their strings, the texts of these, and lines are other ones. */
static __always_inline __u64 python_print(struct interp_walk *w, const struct python_layout *l)
{
	__u64 print = interp_word(w, l->filename);

	print = print * INTERP_PRIME_A ^ interp_word(w, l->qualname);
	print = print * INTERP_PRIME_A ^ interp_word(w, l->linetable);
	print = print * INTERP_PRIME_A ^ interp_half(w, l->first_line);
	print = print * INTERP_PRIME_A ^ python_text_print(w, l, interp_word(w, l->filename));
	return print * INTERP_PRIME_A ^ python_text_print(w, l, interp_word(w, l->qualname));
}

/* The address in all functions that have no name */
static __always_inline __u64 python_nameless(enum interp_found why)
{
	if (why == INTERP_NO_ROOM)
		interp_count(no_room);
	else if (why == INTERP_UNSENT)
		interp_count(unsent);
	else
		interp_count(nameless);
	return INTERP_BASE + INTERP_FIRST + 1;
}

/* The address for that offset in the bytecode of the code object w->code; 0: it is no function of the program. */
static __always_inline __u64 python_place(struct interp_walk *w, const struct interp_file *f, __u64 offset)
{
	const struct python_layout *l = &f->python;
	struct interp_code_key key = { .process = w->process, .code = w->code };
	struct interp_range *known, range;
	enum interp_found found;

	if (!interp_read(w, w->code + l->code_at, PYTHON_CODE_BYTES))
		return python_nameless(INTERP_UNREADABLE);
	if (!interp_half(w, l->first_line) && interp_word(w, l->filename) == interp_word(w, l->name))
		return 0;
	key.print = python_print(w, l);
	w->lines = interp_word(w, l->linetable);
	known = bpf_map_lookup_elem(&interp_codes, &key); /* the key is on the stack: Linux 6.1 takes none from memory that a function was given */
	if (known) {
		range = *known;
		found = range.at ? INTERP_HAS_RANGE : INTERP_NO_ROOM;
	} else {
		found = python_new_code(w, f, &key, &range);
	}
	if (found != INTERP_HAS_RANGE)
		return python_nameless(found);
	if ((__s64)offset < 0)
		offset = 0; /* it has not begun yet */
	else if (offset >= range.bytes)
		offset = range.bytes - 1;
	return INTERP_BASE + range.at + (offset & ~1ULL) + 1;
}

/* The frames before it are those of the activation whose stack it is in. */
static __always_inline enum interp_verdict python_end_by_shim(struct interp_walk *w, const struct python_layout *l)
{
	const __u64 shim = w->frame;

	if (shim - w->begin < w->end - w->begin) {
		w->frame = interp_word(w, l->previous);
		return INTERP_OWNS;
	}
	w->frame = w->first;
	return INTERP_OWNS_NOT;
}

static __always_inline enum interp_verdict python_end_by_cframe(struct interp_walk *w, const struct python_layout *l)
{
	w->cframe = interp_read(w, w->cframe, 24) ? interp_word(w, l->cframe_previous) : 0;
	w->frame = interp_read(w, w->cframe, 24) ? interp_word(w, l->cframe_current) : 0;
	return INTERP_OWNS;
}

/*
 * Python 3.12 links the _PyCFrame of an activation before it sets its frame. Until then the activation runs no frame, and the next frames are those of
 * the _PyCFrame before. false: it is no such case.
 */
static __always_inline bool python_skip_cframe(struct interp_walk *w, const struct python_layout *l)
{
	if (l->style != PYTHON_SHIMS || !l->cframe_size || w->frame != w->first || w->skipped)
		return false;
	w->skipped = 1;
	w->frame = interp_read(w, w->cframe + l->cframe_previous, 8) ? w->read[0] : 0;
	w->frame = w->frame && interp_read(w, w->frame + l->cframe_current, 8) ? w->read[0] : 0;
	return w->frame;
}

/*
 * The next frame is this activation's. If at the end there are more activations than frames, the innermost one had none yet, or no longer:
 * interp_finish() puts that right.
 */
static __always_inline enum interp_verdict python_run_object(struct interp_walk *w, const struct interp_file *f, __u64 *address)
{
	const struct python_layout *l = &f->python;
	__u64 previous;
	__s32 instr;

	if (!w->frame) {
		w->missing++;
		return INTERP_OWNS_NOT;
	}
	if (!interp_read(w, w->frame, PYTHON_OBJECT_BYTES)) {
		interp_count(unreadable);
		w->lost = 1;
		return INTERP_OWNS_NOT;
	}
	w->code = interp_word(w, l->code);
	instr = interp_half(w, l->instr);
	previous = interp_word(w, l->previous);
	*address = python_place(w, f, (__s64)instr * l->unit);
	w->frame = previous;
	return INTERP_OWNS;
}

/* Note one frame of the activation: its address, or 0: it has none. */
static __always_inline enum interp_verdict python_run(struct interp_walk *w, const struct interp_file *f, __u64 *address)
{
	const struct python_layout *l = &f->python;
	__u64 previous, instr;
	__u8 owner;

	*address = 0;
	if (l->style == PYTHON_OBJECTS)
		return python_run_object(w, f, address);
	if (l->style == PYTHON_CFRAMES && w->cframe - w->begin >= w->end - w->begin)
		return INTERP_OWNS_NOT;
	if (!w->frame || !interp_read(w, w->frame, PYTHON_FRAME_BYTES)) {
		if (python_skip_cframe(w, l))
			return INTERP_OWNS_NOT;
		interp_count(unreadable);
		w->lost = 1;
		return INTERP_OWNS_NOT;
	}
	owner = interp_byte(w, l->owner);
	if (l->style == PYTHON_SHIMS && owner >= PYTHON_SHIM)
		return python_end_by_shim(w, l);
	w->code = interp_word(w, l->code);
	instr = interp_word(w, l->instr);
	previous = interp_word(w, l->previous);
	*address = python_place(w, f, instr - w->code - l->bytecode);
	w->frame = previous;
	return l->style == PYTHON_CFRAMES && owner ? python_end_by_cframe(w, l) : INTERP_GOES_ON;
}

#endif

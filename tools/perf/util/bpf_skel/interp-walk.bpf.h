/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* The part of unwind.bpf.h that notes native frames, and those of interpreters: see interp.bpf.h. */
#ifndef PERF_BPF_INTERP_WALK_BPF_H
#define PERF_BPF_INTERP_WALK_BPF_H

static __always_inline void interp_note(struct unwind_state *s, __u64 word)
{
	s->word[(s->at + s->nr++) % UNWIND_STATE_WORDS] = word;
}

static __always_inline void interp_begin(struct unwind_state *s)
{
	s->interp.state = INTERP_IDLE;
	s->interp.steps = 0;
	s->interp.entered = 0;
	s->interp.lost = interp_mode == INTERP_OFF;
	s->interp.bare = 0;
	s->interp.file = 0;
	s->interp.missing = 0;
}

static __always_inline bool interp_is_at_work(const struct unwind_state *s)
{
	return s->interp.state != INTERP_IDLE;
}

/* Before the step to the caller. If the frame is in a file with an interpreter, interp_leave_native() is to know. */
static __always_inline void interp_note_native(struct unwind_state *s)
{
	struct interp_walk *w = &s->interp;

	w->slot = s->nr;
	w->word = unwind_place(s);
	if (!w->bare)
		interp_note(s, w->word);
	w->at = 0;
	if (!s->file.interp || w->lost)
		return;
	w->begin = s->frame.sp;
	w->runtime = s->map_start - s->map_offset;
	w->at = s->frame.ip - !s->frame.exact - w->runtime;
}

/* After the step: the frame's stack is known. The program has no room here to look into the map of files. */
static __always_inline void interp_leave_native(struct unwind_state *s)
{
	if (!s->interp.at)
		return;
	s->interp.file = s->file.interp - 1;
	s->interp.end = s->frame.sp;
	s->interp.state = INTERP_ENTER;
}

static __always_inline bool interp_is_loop(const struct interp_walk *w, const struct interp_file *f)
{
	return w->at - f->loop[0].begin < f->loop[0].size || w->at - f->loop[1].begin < f->loop[1].size;
}

static __always_inline void interp_begin_run(struct unwind_state *s)
{
	s->interp.state = INTERP_RUN;
	s->interp.first = s->interp.frame;
	s->nr = s->interp.slot;
}

/* The process, and the program that it runs: other numbers than those of all others that there were */
static __always_inline __u64 interp_process(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 program = (__u64)(__u32)task->tgid << 32 | (__u32)task->self_exec_id;

	return task->group_leader->start_boottime * INTERP_PRIME_A ^ program;
}

/* Is the last frame an activation of the loop? The frames of a stack are all of one interpreter; what others there are stays native. */
static __always_inline void interp_enter(struct unwind_state *s, struct interp_file *f)
{
	struct interp_walk *w = &s->interp;

	w->state = INTERP_IDLE;
	if (!interp_is_loop(w, f) || (w->entered && w->entered != w->file + 1))
		return;
	if (w->entered) {
		interp_begin_run(s);
		return;
	}
	w->entered = w->file + 1;
	w->first_word = w->word;
	if (!f->used)
		f->used = 1;
	w->runtime += f->data;
	w->begun = w->skipped = 0;
	w->self = bpf_get_current_task_btf()->thread.fsbase;
	w->process = interp_process();
	w->state = INTERP_SEARCH;
}

/* The frames that were noted since interp_begin_run() are the activation's, or not: then it stays a native one. */
static __always_inline void interp_leave(struct unwind_state *s, bool owns)
{
	struct interp_walk *w = &s->interp;

	w->state = INTERP_IDLE;
	if (owns) {
		interp_count(activations);
		return;
	}
	if (!w->lost)
		interp_count(unlinked);
	w->last_slot = w->slot;
	s->nr = w->slot;
	if (!w->bare)
		interp_note(s, w->word);
}

/* With INTERP_ONLY the first one takes the place of all native frames before it. */
static __always_inline void interp_note_frame(struct unwind_state *s, __u64 address)
{
	struct interp_walk *w = &s->interp;

	if (interp_mode == INTERP_ONLY && !w->bare) {
		w->bare = 1;
		w->slot = s->nr = 0;
	}
	if (s->nr < s->max)
		interp_note(s, address);
	else
		interp_lose(w);
}

/*
 * The walkers, by enum interp_kind. NAME_search() looks for the state of the thread. It takes one step each time, until w->state is INTERP_RUN or
 * w->lost is set. NAME_run() is called for each frame of an activation. Tests add walkers of their own by INTERP_MORE_WALKERS.
 */
#ifndef INTERP_MORE_WALKERS
#define INTERP_MORE_WALKERS(row)
#endif
#define INTERP_WALKERS(row) row(INTERP_PYTHON, python) INTERP_MORE_WALKERS(row)
#define INTERP_SEARCHES(kind, name) case kind: name##_search(w, f); break;
#define INTERP_RUNS(kind, name) case kind: return name##_run(w, f, address);

static __always_inline enum interp_verdict interp_run(struct interp_walk *w, const struct interp_file *f, __u64 *address)
{
	switch (f->kind) {
	INTERP_WALKERS(INTERP_RUNS)
	default:
		*address = 0;
		return INTERP_OWNS_NOT;
	}
}

static __always_inline void interp_search(struct unwind_state *s, const struct interp_file *f)
{
	struct interp_walk *w = &s->interp;

	switch (f->kind) {
	INTERP_WALKERS(INTERP_SEARCHES)
	default:
		interp_lose(w);
	}
	if (s->interp.state == INTERP_RUN)
		interp_begin_run(s);
}

/* The next word of the stack: see interp_finish(). 1: that was the last one. */
static __always_inline int interp_move(struct unwind_state *s)
{
	const __u32 i = s->interp.steps++;
	__u64 *word, was;

	if (i >= s->nr)
		return 1;
	word = &s->word[(s->at + i) % UNWIND_STATE_WORDS];
	was = *word;
	if (was - INTERP_BASE >= INTERP_MAX_BYTES && i != s->interp.last_slot)
		return 0;
	*word = s->interp.word;
	s->interp.word = was;
	return 0;
}

/* One step; returns 0, or 1 at the end of interp_finish(). */
__noinline int interp_step(struct unwind_state *s)
{
	struct interp_file *f;
	enum interp_verdict verdict;
	__u64 address;

	if (!s)
		return 0;
	if (s->interp.state == INTERP_FINISH)
		return interp_move(s);
	f = interp_file_at(s->interp.file);
	if (!f || s->interp.steps++ >= INTERP_MAX_STEPS - 1) {
		if (f)
			interp_count(unreadable);
		else
			interp_count(gone);
		s->interp.lost = 1;
		interp_leave(s, s->interp.state == INTERP_RUN);
		return 0;
	}
	if (s->interp.state == INTERP_ENTER) {
		interp_enter(s, f);
		return 0;
	}
	if (s->interp.state == INTERP_SEARCH) {
		interp_search(s, f);
		return 0;
	}
	verdict = interp_run(&s->interp, f, &address);
	if (address) {
		interp_count(frames);
		interp_note_frame(s, address);
	}
	if (verdict != INTERP_GOES_ON && interp_is_at_work(s))
		interp_leave(s, verdict == INTERP_OWNS);
	return 0;
}
/*
 * Frames were given to activations from the innermost on, and the outermost one got none: then the innermost one has none, and each frame is
 * the next activation's. That is only known of whole stacks. true: more steps are to do that.
 */
static __always_inline bool interp_finish(struct unwind_state *s)
{
	struct interp_walk *w = &s->interp;

	if (w->missing != 1 || w->lost || s->end != UNWIND_COMPLETE || interp_mode == INTERP_ONLY)
		return false;
	w->word = w->first_word;
	w->steps = 0;
	w->state = INTERP_FINISH;
	return true;
}

#endif

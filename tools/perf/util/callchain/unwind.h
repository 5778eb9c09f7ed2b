/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user part of callchains of samples that carry registers and a copy of the stack (perf record --call-graph dwarf), unwound
 * with the call frame information of the mapped files: by rules (rule-walk.h), and where these do not suffice, by libdwfl.
 */
#ifndef PERF_CALLCHAIN_UNWIND_H
#define PERF_CALLCHAIN_UNWIND_H

#include "util/bpf_skel/unwind.h"
#include "util/machine/machine.h"
#include "util/perfdata/sample.h"
#include "util/symbol/recorded-file.h"

struct unwinder;

/* What places points to must outlive the unwinder, and so must machine. NULL: -ENOMEM. */
struct unwinder *unwinder__new(struct machine *machine, const struct file_places *places);
void unwinder__delete(struct unwinder *u);

/* The memory of the thread, while it is still there: for words that a sample has no copy of. */
struct unwind_memory {
	bool (*read)(void *data, u64 address, void *to, size_t size); /* false: it cannot be read */
	void *data;
};
/* From now on, until it is set to NULL; must outlive that. Samples need no copy of the stack then. */
void unwinder__set_memory(struct unwinder *u, const struct unwind_memory *memory);
/* From now on return addresses stay as they are, behind PERF_CONTEXT_USER: as recordings have them. */
void unwinder__keep_returns(struct unwinder *u);
/*
 * From now on code without rules, as from a JIT compiler, is followed by frame pointers; and where a walk ends before the stack does, it goes on with
 * the user's part of the sample's callchain, if that has more. For stacks that are to be as good as those of frame pointers everywhere.
 */
void unwinder__assume_frame_pointers(struct unwinder *u);
/* From now on: may libdwfl help? It is a hundred times as slow. It may at first. */
void unwinder__let_dwarf(struct unwinder *u, bool may);
/* From now on libdwfl unwinds all: the oracle of the rules. */
void unwinder__drop_rules(struct unwinder *u);

/*
 * Replace the sample's callchain by its recorded one (with unwinder__assume_frame_pointers() by the kernel's part of that),
 * PERF_CONTEXT_USER_CALLS_ and at most max_frames user frames. Return addresses are
 * moved back into their call, as perf shows them. A sample without registers, or with neither a stack nor memory to read, stays unchanged.
 * The new callchain is valid until the next call. 0 or -ENOMEM.
 */
int unwinder__unwind(struct unwinder *u, struct thread *thread, struct perf_sample *sample, u32 max_frames);

/* How the last stack ended, before what frame pointers have added, and did libdwfl help? UNWIND_CUT: behind the sample's copy */
enum unwind_end unwinder__end(const struct unwinder *u);
bool unwinder__took_dwarf(const struct unwinder *u);

#endif

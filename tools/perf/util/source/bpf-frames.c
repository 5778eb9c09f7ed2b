// SPDX-License-Identifier: GPL-2.0
#include "util/source/bpf-frames.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"
#include "util/symbol/symtab.h"

/*
 * Prefixes of function names: the program, compiled (kernel/bpf/core.c, bpf_prog_ksym_set_name) or interpreted; the code between it
 * and the tracepoint (kernel/bpf/trampoline.c, kernel/trace/bpf_trace.c, include/trace/bpf_probe.h, include/linux/tracepoint.h,
 * include/trace/perf.h, kernel/trace/trace_syscalls.c); and the helpers, which some unwinders report.
 */
static const char *const plumbing[] = {
	"bpf_prog_", "___bpf_prog_run", "__bpf_prog_", "bpf_trampoline_", "bpf_dispatcher_", "bpf_trace_run", "__bpf_trace_",
	"__traceiter_", "trace_call_bpf", "perf_trace_", "perf_syscall_", "bpf_get_stack", "__bpf_get_stack", "bpf_get_task_stack",
	"__bpf_get_task_stack", "__probestub_",
};

struct start {
	u64 addr;
	bool plumbing;
};

struct range {
	u64 start, end; /* end excluded */
};

struct bpf_frames {
	struct range *range; /* ascending, disjoint */
	size_t nr;
};

struct reading {
	struct start *start;
	size_t nr, room;
	size_t nr_plumbing;
};

bool bpf_frames__is_one(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(plumbing); i++) {
		if (!strncmp(name, plumbing[i], strlen(plumbing[i])))
			return true;
	}
	return false;
}

static int add_start(void *data, u64 addr, char type, const char *name, const char *module)
{
	struct reading *r = data;

	if (!strchr("tTwW", type))
		return 0;
	if (array__grow(r->start, r->nr, r->room))
		return -ENOMEM;
	r->start[r->nr] = (struct start){ .addr = addr, .plumbing = bpf_frames__is_one(name) };
	r->nr_plumbing += r->start[r->nr++].plumbing;
	return 0;
}

/* Sort by address; if a function has two names, the one that matches a prefix comes last and starts the range. */
static int compare_starts(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->plumbing - y->plumbing;
}

/* A function reaches up to the next function of any kind; the last one has no known end and is left out. */
static int keep_plumbing(struct bpf_frames *frames, struct reading *r)
{
	size_t i;

	qsort(r->start, r->nr, sizeof(*r->start), compare_starts);
	frames->range = malloc((r->nr_plumbing + 1) * sizeof(*frames->range));
	if (!frames->range)
		return -ENOMEM;
	for (i = 0; i + 1 < r->nr; i++) {
		if (r->start[i].plumbing && r->start[i].addr < r->start[i + 1].addr)
			frames->range[frames->nr++] = (struct range){ r->start[i].addr, r->start[i + 1].addr };
	}
	return 0;
}

int bpf_frames__new(const char *path, struct bpf_frames **framesp, struct errmsg *err)
{
	struct bpf_frames *frames = calloc(1, sizeof(*frames));
	struct reading r = { 0 };
	int ret;

	if (!frames)
		return errmsg__set(err, ENOMEM, "out of memory for the kernel's symbols");
	ret = kallsyms__for_each(path, add_start, &r, err);
	if (!ret)
		ret = keep_plumbing(frames, &r);
	free(r.start);
	if (ret == -ENOMEM)
		errmsg__set(err, ENOMEM, "out of memory for the kernel's symbols");
	if (ret) {
		bpf_frames__delete(frames);
		return ret;
	}
	*framesp = frames;
	return 0;
}

static int compare_to_range(const void *key, const void *elt)
{
	const struct range *range = elt;
	u64 addr = *(const u64 *)key;

	return addr < range->start ? -1 : addr >= range->end;
}

unsigned int bpf_frames__leading(const struct bpf_frames *frames, const u64 *ips, unsigned int nr)
{
	unsigned int i = 0;

	while (frames && i < nr && bsearch(&ips[i], frames->range, frames->nr, sizeof(*frames->range), compare_to_range))
		i++;
	return i;
}

void bpf_frames__delete(struct bpf_frames *frames)
{
	if (!frames)
		return;
	free(frames->range);
	free(frames);
}

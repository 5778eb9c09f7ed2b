// SPDX-License-Identifier: GPL-2.0
#include "util/lib/task-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/lib/memory-reader.h"

#define WINDOW_PAGES 4
#define MAX_PAGE 65536
#define MAX_WINDOWS 4096 /* for one stack */
/* /proc/PID/pagemap: Documentation/admin-guide/mm/pagemap.rst */
#define PAGE_IS_PRESENT (1ULL << 63)
#define PAGE_IS_SWAPPED (1ULL << 62)
#define PAGE_IS_PROTECTED (1ULL << 57) /* by userfaultfd, also where there is no page, which is marked as swapped out then */

struct task_memory {
	pid_t tid;
	int pagemap;
	u64 page;	  /* size */
	u64 start, end;	  /* what the window has; equal: nothing */
	u32 nr_windows;	  /* that were read for this stack */
	bool lost;	  /* it did not answer */
	char window[WINDOW_PAGES * MAX_PAGE];
};

int task_memory__new(pid_t tid, struct task_memory **memory)
{
	struct task_memory *m = malloc(sizeof(*m));
	char path[64];
	int err;

	if (!m)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/%d/pagemap", tid);
	m->tid = tid;
	m->lost = false;
	m->page = sysconf(_SC_PAGESIZE);
	m->pagemap = m->page <= MAX_PAGE ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (m->pagemap < 0) {
		err = errno == ENOENT ? ESRCH : errno;
		free(m);
		return -err;
	}
	task_memory__forget(m);
	*memory = m;
	return 0;
}

void task_memory__delete(struct task_memory *m)
{
	if (!m)
		return;
	close(m->pagemap);
	free(m);
}

void task_memory__forget(struct task_memory *m)
{
	m->start = m->end = 0;
	m->nr_windows = 0;
}

static bool is_ready(u64 state)
{
	return state & PAGE_IS_PRESENT || (state & PAGE_IS_SWAPPED && !(state & PAGE_IS_PROTECTED));
}

/* How many of the pages from there on can be read without anybody's help? */
static u64 count_ready(const struct task_memory *m, u64 start)
{
	u64 state[WINDOW_PAGES], nr = 0;
	ssize_t size = pread(m->pagemap, state, sizeof(state), start / m->page * sizeof(*state));

	while (size >= (ssize_t)sizeof(*state) && is_ready(state[nr])) {
		size -= sizeof(*state);
		nr++;
	}
	return nr;
}

static bool fill_window(struct task_memory *m, u64 address)
{
	const u64 start = address / m->page * m->page;
	const u64 ready = m->lost ? 0 : count_ready(m, start) * m->page;
	ssize_t size;

	m->start = m->end = start;
	if (!ready || m->nr_windows++ >= MAX_WINDOWS)
		return false;
	size = memory_reader__read(m->tid, start, m->window, ready); /* who may have other pages meanwhile */
	m->lost = size == -ETIMEDOUT || size == -EAGAIN;
	if (size > 0)
		m->end += size;
	return size > 0;
}

static bool has(const struct task_memory *m, u64 address)
{
	return address >= m->start && address < m->end;
}

size_t task_memory__read_part(struct task_memory *m, u64 address, void *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const u64 at = address + done;
		u64 part;

		if (!has(m, at) && !(fill_window(m, at) && has(m, at)))
			break;
		part = m->end - at < size - done ? m->end - at : size - done;
		memcpy((char *)to + done, m->window + (at - m->start), part);
		done += part;
	}
	return done;
}

bool task_memory__read(struct task_memory *m, u64 address, void *to, size_t size)
{
	return task_memory__read_part(m, address, to, size) == size;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* What all programs have in common that light skeletons load (bpftool gen skeleton -L makes a type for each), and their counts. */
#ifndef PERF_SAMPLER_SKELETON_H
#define PERF_SAMPLER_SKELETON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct verifier_log {
	char *buf; /* NULL: none is wanted */
	size_t size;
};

int verifier_log__new(struct verifier_log *log); /* 0 or -ENOMEM */
/* Prints the last lines, which hold the reason of a refusal, as debug output, and frees the log. */
void verifier_log__tell(struct verifier_log *log);

/* The descriptor is the caller's from now on; 0 in the skeleton says that there is nothing to close. */
static inline int take_fd(int *from)
{
	int fd = *from;

	*from = 0;
	return fd;
}

/* Before the load: the entries of a filter (NULL: none), and where the verifier's words go. */
#define SKELETON_SET_TABLE(skel, table)								\
	do {											\
		if (table) {									\
			memcpy((skel)->rodata->filter_table, (table)->entry,			\
			       sizeof((skel)->rodata->filter_table));				\
			(skel)->rodata->filter_words = (table)->words;				\
		}										\
	} while (0)
#define SKELETON_SET_LOG(skel, log)								\
	do {											\
		(skel)->ctx.log_level = (log)->buf ? 1 : 0;					\
		(skel)->ctx.log_size = (log)->size;						\
		(skel)->ctx.log_buf = (uintptr_t)(log)->buf;					\
	} while (0)

/* Of programs that count by util/bpf_skel/count.h: counting is a struct count_setup, to a struct count_maps. */
#define SKELETON_SET_COUNTING(skel, counting)							\
	do {											\
		(skel)->rodata->count_config = (counting)->config;				\
		(skel)->maps.count_slots.max_entries = (counting)->nr_slots;			\
		(skel)->maps.count_ring.max_entries = (counting)->ring_size;			\
	} while (0)
#define SKELETON_TAKE_COUNT_MAPS(skel, to)							\
	do {											\
		(to)->slots_fd = take_fd(&(skel)->maps.count_slots.map_fd);			\
		(to)->ring_fd = take_fd(&(skel)->maps.count_ring.map_fd);			\
		(to)->control_fd = take_fd(&(skel)->maps.count_control.map_fd);			\
		(to)->scratch_fd = take_fd(&(skel)->maps.count_scratch.map_fd);			\
	} while (0)

/*
 * The entry of a map that has a value of so many bytes, a multiple of 8, for each possible CPU. To be freed. NULL: errno is set, and err says
 * why, with what in "cannot read %s".
 */
void *percpu_map__read(int map_fd, u32 key, size_t size, int *nr_cpus, const char *what, struct errmsg *err);

#endif

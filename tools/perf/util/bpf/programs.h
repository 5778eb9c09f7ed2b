/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs of an image, with their maps: opened, configured, loaded. A name that the image lacks ends perf: it is a bug. Order
 * of calls: open, var and resize as needed, load, then prog and map, or take; delete.
 */
#ifndef PERF_BPF_PROGRAMS_H
#define PERF_BPF_PROGRAMS_H

#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include "util/bpf/images.h"
#include "util/lib/types.h"

struct bpf_programs;

struct bpf_programs *bpf_programs__open(const struct bpf_image *image); /* NULL: no memory is left */
void bpf_programs__delete(struct bpf_programs *p); /* closes all descriptors that were not taken; NULL is fine */

/*
 * A variable of the programs; variants of one source may lack some variables and maps. Variables that are const there must be set
 * before the load and are read-only afterwards; others are shared with the programs from then on. *size may be NULL.
 */
void *bpf_programs__var(struct bpf_programs *p, const char *name, size_t *size);
bool bpf_programs__has_var(const struct bpf_programs *p, const char *name);
bool bpf_programs__has_map(const struct bpf_programs *p, const char *name);
/* The same for a variable of exactly this size */
void *bpf_programs__sized_var(struct bpf_programs *p, const char *name, size_t size);
#define bpf_programs__set(p, name, value)							\
	do {										\
		const __typeof__(value) value_ = (value);				\
											\
		memcpy(bpf_programs__sized_var(p, name, sizeof(value_)), &value_, sizeof(value_)); \
	} while (0)
#define bpf_programs__get(p, name, type) (*(type *)bpf_programs__sized_var(p, name, sizeof(type)))

/* Before the load: set the number of entries of a map, or the bytes of a ring buffer. */
void bpf_programs__resize(struct bpf_programs *p, const char *map, u32 max_entries);

/*
 * Before the load: use this loaded map of other programs, which have one of the same name and type, instead of one of its own. Each
 * of both has a descriptor. -errno
 */
int bpf_programs__share(struct bpf_programs *p, const char *map, const struct bpf_programs *other);

/*
 * Before the load: the programs as configured use this map nowhere, so put a small array in its place. It needs no right or kernel that
 * only the map needs. -errno
 */
int bpf_programs__leave_out(struct bpf_programs *p, const char *map);

/* 0 or -errno; -ENOTSUP: this build cannot share maps. With debug output, a failed load is repeated for the verifier's last messages. */
int bpf_programs__load(struct bpf_programs *p);

/* Descriptors, owned by p. */
int bpf_programs__prog(const struct bpf_programs *p, const char *name);
int bpf_programs__map(const struct bpf_programs *p, const char *name);
/*
 * attach_raw: attach a loaded program to its raw tracepoint until the returned descriptor is closed; -errno. attach_named: to the raw tracepoint
 * of this name, for programs of the type raw_tp, which can be attached to several. iterate: returns a
 * descriptor; reading it runs a program of an iterator, and returns its output. run_iterator: runs one without output to its end;
 * -errno.
 */
int bpf_programs__attach_raw(const struct bpf_programs *p, const char *prog);
int bpf_programs__attach_named(const struct bpf_programs *p, const char *prog, const char *tracepoint);
int bpf_programs__iterate(const struct bpf_programs *p, const char *prog);
/* The same for one process only, where the iterator is one of tasks: Linux 6.1 and newer. pid 0: for all; -ESRCH: it has ended */
int bpf_programs__iterate_process(const struct bpf_programs *p, const char *prog, pid_t pid);
int bpf_programs__iterate_thread(const struct bpf_programs *p, const char *prog, pid_t tid); /* the same for one thread */
int bpf_programs__run_iterator(const struct bpf_programs *p, const char *prog);
/* Descriptors that the caller owns from now on. */
int bpf_programs__take_prog(struct bpf_programs *p, const char *name);
int bpf_programs__take_map(struct bpf_programs *p, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* From a definition to events: finds the places and the arguments. */
#ifndef PERF_PROBE_CONVERT_H
#define PERF_PROBE_CONVERT_H

#include "util/probe/debug.h"
#include "util/probe/definition.h"
#include "util/probe/event.h"

struct probe_target {
	const char *exec;    /* path of a program or library, as it is printed; NULL: the kernel */
	const char *raw;     /* its bytes, by which the kernel finds it; NULL: as exec */
	const char *opened;  /* exec as it is read, "/proc/self/fd/3"; NULL: by its path */
	const char *module;  /* of the kernel; NULL: the core kernel */
	const char *vmlinux; /* NULL: that of the running kernel */
	const char *symfs;   /* NULL, or where files with debug information are looked for */
	const char *source;  /* NULL, or the directory of the kernel's sources */
	unsigned int max_points; /* of one definition */
	bool no_inlines;
	bool force; /* returns of functions of Go, too */
};

static inline struct probe_file probe_target__file(const struct probe_target *target)
{
	return (struct probe_file){ target->exec, target->opened };
}

/* Open the debug information of the target. *path: of what, malloc'ed, also after errors. -ENODATA: it has none; as probe_debug__open(). */
int probe_target__open_debug(const struct probe_target *target, struct probe_debug *debug, char **path, struct errmsg *err);

/*
 * Adds the events of def to events: one for each place, without names that are free: probe_names__choose() changes them. -errno as
 * the functions that find places; -EOPNOTSUPP: this is not built. number: of the definition.
 */
int probe_convert(const struct probe_target *target, const struct probe_definition *def, size_t number, struct probe_events *events,
		  struct errmsg *err);

#endif

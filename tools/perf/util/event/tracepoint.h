/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Facade over libtraceevent and tracefs. tracefs need not be mounted: if it is not, and we may, a private detached mount
 * (fsopen, fsmount) is used, which nobody else sees and which goes when its descriptor is closed.
 */
#ifndef PERF_EVENT_TRACEPOINT_H
#define PERF_EVENT_TRACEPOINT_H

#include <stdbool.h>
#include <stdio.h>
#include "util/bpf_skel/filter.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct tracepoint; /* one tracepoint of the running kernel or of a file */

/* -ENOENT: no such tracepoint; -EACCES: tracefs may not be read (err names the remedy) */
int tracepoint__new(const char *sys, const char *name, struct tracepoint **tp, struct errmsg *err);
/* One of another kernel, by its format file's text. -EINVAL: it is not understood; -ENOMEM */
int tracepoint__of_format(const char *sys, const char *name, const char *format, struct tracepoint **tp);
void tracepoint__delete(struct tracepoint *tp);

enum tp_kind {
	TP_SYSCALL_ENTER, /* syscalls:sys_enter_* */
	TP_SYSCALL_EXIT,  /* syscalls:sys_exit_* */
	TP_PROBE, /* of a function: a uprobe, or a kprobe, which BPF does not take here */
	TP_OTHER,
};
enum tp_kind tracepoint__kind(const struct tracepoint *tp);
/* What a syscall's tracepoint says behind sys_enter_ or sys_exit_; NULL for others */
const char *tracepoint__syscall(const struct tracepoint *tp);

const char *tracepoint__sys(const struct tracepoint *tp);
const char *tracepoint__name(const struct tracepoint *tp);
u64 tracepoint__id(const struct tracepoint *tp);
const char *tracepoint__format(const struct tracepoint *tp, size_t *size); /* text of its format file */
/* Is it one that somebody has set on a function, a uprobe or a kprobe? Their fields follow each other without gaps. */
bool tracepoint__is_probe(const struct tracepoint *tp);
/* What a field is and where, common_* fields too; -ENOENT: the tracepoint has none of this name. */
int tracepoint__find_field(const struct tracepoint *tp, const char *name, struct filter_field_desc *desc);
/* Is this field a pointer to characters? Whose memory that is depends on the tracepoint. */
bool tracepoint__points_to_text(const struct tracepoint *tp, const char *name);
/* Show the names of all fields to cb, common_* last, until it returns something else than 0, which is returned then. */
int tracepoint__for_each_field(const struct tracepoint *tp, int (*cb)(void *arg, const char *name), void *arg);

struct tracepoint_place { /* of a field in the records of a tracepoint */
	const char *name; /* the tracepoint's */
	u32 offset, size;
	u32 element;   /* size of what it is an array of, else its size */
	u32 copy;      /* a number of a probe that is not aligned: where BPF programs have a copy, behind the record; else 0 */
	bool dynamic;  /* its 4 bytes are offset | length << 16 of data behind the fields */
	bool relative; /* the same, with an offset from the end of these 4 bytes */
};

/* The same for the places of the fields that are not common to all tracepoints. -ENOENT: the format is not understood. */
int tracepoint__for_each_place(const struct tracepoint *tp, int (*cb)(void *arg, const struct tracepoint_place *place), void *arg);

/* Call cb for every tracepoint "sys:name" that matches the globs, in sorted order. Returns their number or -errno. */
int tracepoint__for_each(const char *sys_glob, const char *name_glob, int (*cb)(void *data, const char *sys, const char *name),
			 void *data, struct errmsg *err);

/* Text of a file below tracefs ("events/header_page", "printk_formats"); malloc'ed, *size without the added NUL. */
char *tracefs__read(const char *path, size_t *size);

/*
 * All formats of one recording, to print raw data by. Add formats and strings of printk, then print: once libtraceevent (1.7) has printed one
 * of these strings, it takes those that are added later for part of a list that does not have them.
 */
struct tp_formats;
struct tp_formats *tp_formats__new(bool file_bigendian, int long_size);
void tp_formats__delete(struct tp_formats *f);
int tp_formats__add(struct tp_formats *f, const char *sys, const char *format, size_t size);
/* Take the lines of a printk_formats file, so that %s of a kernel pointer shows the string that stood there. */
int tp_formats__add_printk_formats(struct tp_formats *f, const char *text);
/*
 * Name the function at *addr for %pS and its like: cb returns its name (which must live until the printing is done) and puts
 * its start into *addr and its module (or NULL) into *module; NULL: unknown. data is kept. 0 or -ENOMEM.
 */
int tp_formats__set_resolver(struct tp_formats *f, char *(*cb)(void *data, unsigned long long *addr, char **module),
			     void *data);
/* Print values as they are, not in the words of the formats: "flags=0x3", not "flags=READ|WRITE". */
void tp_formats__set_raw(struct tp_formats *f);
bool tp_formats__is_raw(const struct tp_formats *f);
/* "sys:name" of a tracepoint id, NULL if unknown */
const char *tp_formats__name(const struct tp_formats *f, u64 id);

struct tp_value { /* of a field of one record; valid until the next one is asked for */
	const u8 *bytes; /* in the record */
	u32 size;
	bool is_text;
	char shown[256];
};

/* Characters that the values of a field of the tracepoint ("sys:name"; "": any) want at least, as perf; -1: it has none. */
int tp_formats__field_width(const struct tp_formats *f, const char *event, const char *field);
/* Its value in a raw record. -ENOENT: the record is of another tracepoint, or lacks it. */
int tp_formats__value(const struct tp_formats *f, const void *raw, u32 size, const char *event, const char *field,
		      struct tp_value *value);
/* Print the fields of one raw record as trace output does ("prev_comm=..."), no newline */
void tp_formats__print(const struct tp_formats *f, FILE *fp, const void *raw, u32 size, int cpu);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Facade over libtraceevent and tracefs. tracefs need not be mounted: if it is not, and we have the privilege, a private detached
 * mount (fsopen, fsmount) is used, which nobody else sees and which ends when its descriptor is closed.
 */
#ifndef PERF_EVENT_TRACEPOINT_H
#define PERF_EVENT_TRACEPOINT_H

#include <stdbool.h>
#include <stdio.h>
#include "util/bpf_skel/filter.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct probe_place;
struct tracepoint; /* one tracepoint of the running kernel or of a file */

/* -ENOENT: no such tracepoint; -EACCES: tracefs is not readable (err has the remedy) */
int tracepoint__new(const char *sys, const char *name, struct tracepoint **tp, struct errmsg *err);
/* A tracepoint of another kernel, from the text of its format file. -EINVAL: cannot be parsed; -ENOMEM */
int tracepoint__of_format(const char *sys, const char *name, const char *format, struct tracepoint **tp);
/* An event on a function, which perf makes: probe.h. place is taken over, also after errors. -ENOMEM */
int tracepoint__of_probe(const char *sys, const char *name, unsigned int id, struct probe_place *place, struct tracepoint **tp);
const struct probe_place *tracepoint__probe(const struct tracepoint *tp); /* NULL: it is another kind */
void tracepoint__delete(struct tracepoint *tp);

enum tp_kind {
	TP_SYSCALL_ENTER, /* syscalls:sys_enter_* */
	TP_SYSCALL_EXIT,  /* syscalls:sys_exit_* */
	TP_PROBE, /* on a function: a uprobe or a kprobe */
	TP_OTHER,
};
enum tp_kind tracepoint__kind(const struct tracepoint *tp);
/* The part of a syscall tracepoint's name after sys_enter_ or sys_exit_; NULL for others */
const char *tracepoint__syscall(const struct tracepoint *tp);

const char *tracepoint__sys(const struct tracepoint *tp);
const char *tracepoint__name(const struct tracepoint *tp);
u64 tracepoint__id(const struct tracepoint *tp);
const char *tracepoint__format(const struct tracepoint *tp, size_t *size); /* text of its format file */
/*
 * Give its records in files these fields, in place of earlier ones: tracepoint__written_format() has them, and nothing else here knows
 * them. -EINVAL: its format has another form; -ENOMEM
 */
struct tp_added;
int tracepoint__add_fields(struct tracepoint *tp, const struct tp_added *added);
const char *tracepoint__written_format(const struct tracepoint *tp, size_t *size);
/* Did a user set it on a function (a uprobe or a kprobe)? Its fields follow each other without gaps. */
bool tracepoint__is_probe(const struct tracepoint *tp);
/* Look up a field, including common_* fields; -ENOENT: no field has this name. */
/* Not all hits have the fields that begin at this offset or later, each of 8 bytes: see struct filter_field_desc. */
void tracepoint__guard_fields(struct tracepoint *tp, u32 offset);
int tracepoint__find_field(const struct tracepoint *tp, const char *name, struct filter_field_desc *desc);
/* Is this field a pointer to characters? Whether to user or kernel memory depends on the tracepoint. */
bool tracepoint__points_to_text(const struct tracepoint *tp, const char *name);
/* Its type as in C; NULL: no field has this name. */
const char *tracepoint__field_type(const struct tracepoint *tp, const char *name);
/* Call cb for the names of all fields, common_* last, until it returns non-zero; returns that value. */
int tracepoint__for_each_field(const struct tracepoint *tp, int (*cb)(void *arg, const char *name), void *arg);

struct tracepoint_place { /* a field's place in the records of a tracepoint */
	const char *name; /* owned by the tracepoint */
	u32 offset, size;
	u32 element;   /* size of an array's elements, otherwise of the field */
	u32 copy;      /* for an unaligned number of a probe: offset of the programs' copy, after the record; otherwise 0 */
	bool dynamic;  /* its 4 bytes are offset | length << 16 of data after the fields */
	bool relative; /* the same, with an offset from the end of these 4 bytes */
};

/* The same for the places of the fields that are not common to all tracepoints. -ENOENT: the format cannot be parsed. */
int tracepoint__for_each_place(const struct tracepoint *tp, int (*cb)(void *arg, const struct tracepoint_place *place), void *arg);

/* Call cb for every tracepoint "sys:name" that matches the globs, in sorted order. Returns their number or -errno. */
int tracepoint__for_each(const char *sys_glob, const char *name_glob, int (*cb)(void *data, const char *sys, const char *name),
			 void *data, struct errmsg *err);

/* Text of a file below tracefs ("events/header_page", "printk_formats"); malloc'ed, *size without the added NUL. */
char *tracefs__read(const char *path, size_t *size);

/*
 * All formats of one recording, for printing raw data.
 */
struct tp_formats;
struct tp_formats *tp_formats__new(bool file_bigendian, int long_size);
void tp_formats__delete(struct tp_formats *f);
/*
 * Set the callback that knows the values of names that print formats contain, as of enumerators. false: it does not. It is called when
 * the first record of a tracepoint is printed. data is kept.
 */
typedef bool (*tp_constant_fn)(void *data, const char *name, u64 *value);
void tp_formats__set_constants(struct tp_formats *f, tp_constant_fn cb, void *data);
int tp_formats__add(struct tp_formats *f, const char *sys, const char *format, size_t size);
/* Add the lines of a printk_formats file, so that %s of a kernel pointer shows its string. */
int tp_formats__add_printk_formats(struct tp_formats *f, const char *text);
/*
 * Set the callback that names the function at *addr for %pS and the like: cb returns its name (valid until the end of printing) and
 * sets *addr to its start and *module to its module (or NULL); NULL: unknown. data is kept. 0 or -ENOMEM.
 */
int tp_formats__set_resolver(struct tp_formats *f, char *(*cb)(void *data, unsigned long long *addr, char **module),
			     void *data);
/* Print raw values, not the words of the formats: "flags=0x3", not "flags=READ|WRITE". */
void tp_formats__set_raw(struct tp_formats *f);
bool tp_formats__is_raw(const struct tp_formats *f);
/* "sys:name" of a tracepoint id, NULL if unknown */
const char *tp_formats__name(const struct tp_formats *f, u64 id);

struct tp_value { /* a field's value in one record; valid until the next one */
	const u8 *bytes; /* in the record */
	u32 size;
	bool is_text;
};

/* Minimum width of a field's values in the tracepoint ("sys:name"; "": any), as in perf; -1: no such field. */
int tp_formats__field_width(const struct tp_formats *f, const char *event, const char *field);
/* Get its value from a raw record. -ENOENT: the record is of another tracepoint, or lacks it. */
int tp_formats__value(const struct tp_formats *f, const void *raw, u32 size, const char *event, const char *field,
		      struct tp_value *value);
/* The same, as its tracepoint prints it, or cut after size - 1 bytes. */
int tp_formats__show(const struct tp_formats *f, const void *raw, u32 size, const char *event, const char *field, char *shown, size_t room);
/* The same for a number of 1 to 8 bytes; of one with a sign the bits of an s64. -ENOENT also if the field is no number. */
int tp_formats__number(const struct tp_formats *f, const void *raw, u32 size, const char *event, const char *field, u64 *number);
struct tep_format_field;
struct tp_field { /* a field of a record; valid during the callback */
	const char *name, *type; /* "prev_comm", "enum hrtimer_mode" */
	bool is_text, is_number, is_signed, is_address;
	bool is_fault;	 /* a text of a probe that the kernel could not read */
	char conversion; /* of a probe's argument: the one that the print format has for its type, as 'u', 'x' or 'c'; otherwise 0 */
	u64 number;	 /* if it is one; with a sign: the bits of an s64 */
	const u8 *bytes; /* of others, in the record */
	u32 size;
	u32 nr_elements; /* of an array of numbers or texts, for tp_formats__element() */
	const struct tep_format_field *place; /* these are private */
	const void *raw;
	u32 raw_size;
};
/* The element i of nr_elements: a number or a text without a name. */
void tp_formats__element(const struct tp_formats *f, const struct tp_field *array, u32 i, struct tp_field *element);
/* Call cb for each field of a raw record, without those common to all tracepoints, until it returns non-zero. -ENOENT: the record is of no known format */
int tp_formats__for_each_value(const struct tp_formats *f, const void *raw, u32 size, int (*cb)(void *arg, const struct tp_field *field), void *arg);
/* The fields of one raw record as trace output shows them ("prev_comm=..."), no newline; *len bytes and a NUL, valid until the next call */
const char *tp_formats__text(struct tp_formats *f, const void *raw, u32 size, int cpu, size_t *len);

#endif

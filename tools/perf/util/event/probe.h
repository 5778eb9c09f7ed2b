/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events on functions, which perf sets by itself, without the events that root makes in tracefs:
 *	uprobe:PATH:FUNCTION[+OFFSET]	uretprobe:PATH:FUNCTION		of a program or library; FUNCTION may be an address, 0x1234
 *	sdt:PATH:PROVIDER:NAME		a mark of its author (USDT)
 *	kprobe:FUNCTION[+OFFSET]	kretprobe:FUNCTION		of the kernel
 * Such an event is a tracepoint whose format perf makes. Only BPF programs can record or count it.
 */
#ifndef PERF_EVENT_PROBE_H
#define PERF_EVENT_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

enum probe_kind { PROBE_USER, PROBE_USER_RETURN, PROBE_SDT, PROBE_KERNEL, PROBE_KERNEL_RETURN };

struct probe_spec { /* what the user wrote */
	enum probe_kind kind;
	char *path;	/* NULL: the kernel */
	const char *opened; /* NULL, or what is read in place of path: "/proc/self/fd/3"; not owned */
	char *provider; /* of an sdt event, otherwise NULL */
	char *name;	/* of the function or the mark */
	bool is_symbol; /* the name is one of a function, also if it looks like an address */
	u64 offset;	/* from the function's begin */
	bool force;	/* the return of a function of Go, too */
};

#define PROBE_FRAME "frame" /* a field: the caller's stack. It is the same at the call and the return of a function, and differs for nested calls */

#define PROBE_NAME_LEN 64
#define PROBE_FETCH_LEN 64

struct probe_argument {
	char name[PROBE_NAME_LEN];   /* of the field */
	char alias[8];		     /* "arg1": another name for it in filters; "": none */
	char fetch[PROBE_FETCH_LEN]; /* as in tracefs: "%di", "+8(%sp)", "\5" */
	u8 size;		     /* 1, 2, 4 or 8 */
	bool is_signed;
	bool is_text;		     /* points to characters */
	bool is_hex;		     /* shown as such */
	bool is_hidden;		     /* for keys only */
};

#define PROBE_MAX_FIELDS 16
#define PROBE_MAX_OFFSETS 64
#define PROBE_MAX_MISSING 16
#define PROBE_MAX_FETCHES 32

/* What an argument of a mark is at some of its places, where they differ. */
struct probe_fetch {
	u64 places; /* bits of these, by their index in offset[] */
	u8 argument; /* index */
	u8 size;     /* 1, 2, 4 or 8: that of the field, or less */
	bool is_signed;
	char fetch[PROBE_FETCH_LEN];
};

/* An argument of a mark that a program cannot read */
struct probe_missing {
	unsigned int number; /* from 1 on */
	char why[120];
};

struct probe_place { /* what the kernel needs to know, and what is at hand at a hit */
	bool in_kernel, is_return;
	bool is_mark; /* its arguments have no types: one of 8 bytes may be a pointer */
	char *target;  /* file, as it is printed, or function of the kernel; owned */
	char *path;    /* the bytes of the file's path; owned, NULL: as target */
	char *opened;  /* of a file: "/proc/self/fd/3", the one that was read, by fd; owned, NULL: none is open */
	int fd;
	u64 offset[PROBE_MAX_OFFSETS]; /* in the file, or in the function: an sdt event may be at several places */
	unsigned int nr_offsets;
	u64 semaphore; /* offset in the file of an sdt event's counter of users; 0: none */
	struct probe_argument argument[PROBE_MAX_FIELDS];
	unsigned int nr_arguments;
	struct probe_fetch fetch[PROBE_MAX_FETCHES]; /* each argument has one for each place; then fetch of argument[] is not used */
	unsigned int nr_fetches; /* 0: all places are alike */
	struct probe_missing missing[PROBE_MAX_MISSING];
	unsigned int nr_missing;
};

/* Note why argument number of a mark is missing: the first reason counts. */
__attribute__((format(printf, 3, 4))) void probe_place__miss(struct probe_place *place, unsigned int number, const char *fmt, ...);
/* Why the field name, "arg3", is missing; NULL: it is not an argument of a mark, or it is there. */
const char *probe_place__why_missing(const struct probe_place *place, const char *name);

/* What an argument is at this place. *size and *is_signed as it is there. */
const char *probe_place__fetch(const struct probe_place *place, unsigned int argument, unsigned int at, u8 *size, bool *is_signed);

/*
 * Finds functions in files and in the kernel. Fills *place; -EINVAL: there is no such function or file, -ENOTUNIQ: there are
 * several, -EOPNOTSUPP: the kernel has no such probes.
 * The caller ends place by probe_place__exit(), also after errors.
 */
typedef int (*probe_finder)(const struct probe_spec *spec, struct probe_place *place, struct errmsg *err);

/* Is end the return of the function that begins at begin? */
bool probe_place__returns(const struct probe_place *begin, const struct probe_place *end);

bool probe_spec__is(const char *word); /* does it begin like one? */
/* -EINVAL: *why and *at, where in text; -ENOMEM. End it by probe_spec__exit(), also after errors. */
int probe_spec__parse(struct probe_spec *spec, const char *text, unsigned int *at, const char **why);
void probe_spec__exit(struct probe_spec *spec);
void probe_place__exit(struct probe_place *place);

/* "uprobe", "sdt_PROVIDER"; "FUNCTION": what can be names of a tracepoint. *system and *name are malloc'ed; -ENOMEM */
int probe_spec__names(const struct probe_spec *spec, char **system, char **name);
/* The text of the format, as tracefs would show it; malloc'ed, NULL: no memory. id: common_type */
char *probe_place__format(const struct probe_place *place, const char *name, unsigned int id);

#define PROBE_FIRST_ID 0xf000 /* ids of such events begin here; the kernel gives ids from 1 on to its own */

#endif

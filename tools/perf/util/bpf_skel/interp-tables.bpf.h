/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* The maps for frames of interpreters: those of unwind-tables.bpf.c, which all programs of a recording share. */
#ifndef PERF_BPF_INTERP_TABLES_BPF_H
#define PERF_BPF_INTERP_TABLES_BPF_H

#include "interp.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, INTERP_MAX_FILES);
	__type(key, __u32);
	__type(value, struct interp_file);
} interp_files SEC(".maps");

/*
 * A function of a process. Its address may be that of another one later, so the print tells them apart. Processes that were forked from one have
 * equal addresses and hashes, but not equal functions.
 */
struct interp_code_key {
	__u64 process; /* interp_process() */
	__u64 code, print;
};

/* The range of a function; at 0: there is no room for one */
struct interp_range {
	__u32 at, bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, INTERP_MAX_CODES);
	__type(key, struct interp_code_key);
	__type(value, struct interp_range);
} interp_codes SEC(".maps");

/*
 * What functions of all processes are: a hash of name, file, lines and size. One that was not met for long is forgotten; if it is met again,
 * it has another range.
 */
struct interp_digest {
	__u64 word[2];
};

/*
 * The function's range and more. The entry may become another function's while a program has its address: so that is in the same word, which
 * is only changed as a whole.
 */
struct interp_known {
	__u64 word;
};

#define INTERP_TAG(d) ((d)->word[1] >> 32 << 32) /* of the function, */
#define INTERP_AT(word) ((__u32)(word) & ~7U)	 /* where its range is; 0: it has none yet, */
#define INTERP_SENT 1ULL			 /* and user space has its name: frames may use the range */

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, INTERP_MAX_FUNCTIONS);
	__type(key, struct interp_digest);
	__type(value, struct interp_known);
} interp_functions SEC(".maps");

#define INTERP_USER (1ULL << 63)

/* What functions take: those of all processes, or those that one process, or user, was the first to meet */
struct interp_share {
	__u64 bytes, functions;
	__u64 waiting, last; /* of a user: bytes in the ring, at most, and the position behind the last ones */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct interp_share);
} interp_used SEC(".maps"); /* of all; the next range begins behind bytes */

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, INTERP_MAX_SHARES);
	__type(key, __u64); /* interp_process(), or INTERP_USER | uid */
	__type(value, struct interp_share);
} interp_shares SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, INTERP_SENT_BYTES);
} interp_sent SEC(".maps");

#endif

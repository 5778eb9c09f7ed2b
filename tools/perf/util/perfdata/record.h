/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of a perf.data file. Layouts of types below 64 are the kernel's (include/uapi/linux/perf_event.h,
 * perf_event_open(2)); 64 and above are written by perf itself (Documentation/perf.data-format.txt).
 */
#ifndef PERF_PERFDATA_RECORD_H
#define PERF_PERFDATA_RECORD_H

#include <linux/perf_event.h>
#include "util/lib/types.h"

/* Newer than the oldest headers we build with; values from the kernel's uapi header of 6.19 and 7.x. */
#define PERF_RECORD_CALLCHAIN_DEFERRED_ 22
#define PERF_RECORD_MISC_LOST_SAMPLES_BPF_ (1 << 15)
/* Ours: a SAMPLE that stands for several samples; its weight is their number (Documentation/perf.data-format.txt). */
#define PERF_RECORD_MISC_SAMPLES_COUNTED_ (1 << 15)
#define PERF_CONTEXT_USER_DEFERRED_ ((u64)-640)
/* Ours, in memory only: as PERF_CONTEXT_USER, but return addresses have been moved back into their calls. */
#define PERF_CONTEXT_USER_CALLS_ ((u64)-700)

enum perf_user_record {
	PERF_RECORD_HEADER_ATTR = 64,
	PERF_RECORD_HEADER_EVENT_TYPE = 65,
	PERF_RECORD_HEADER_TRACING_DATA = 66,
	PERF_RECORD_HEADER_BUILD_ID = 67,
	PERF_RECORD_FINISHED_ROUND = 68,
	PERF_RECORD_ID_INDEX = 69,
	PERF_RECORD_AUXTRACE_INFO = 70,
	PERF_RECORD_AUXTRACE = 71,
	PERF_RECORD_AUXTRACE_ERROR = 72,
	PERF_RECORD_THREAD_MAP = 73,
	PERF_RECORD_CPU_MAP = 74,
	PERF_RECORD_STAT_CONFIG = 75,
	PERF_RECORD_STAT = 76,
	PERF_RECORD_STAT_ROUND = 77,
	PERF_RECORD_EVENT_UPDATE = 78,
	PERF_RECORD_TIME_CONV = 79,
	PERF_RECORD_HEADER_FEATURE = 80,
	PERF_RECORD_COMPRESSED = 81,
	PERF_RECORD_FINISHED_INIT = 82,
	PERF_RECORD_COMPRESSED2 = 83,
	PERF_RECORD_BPF_METADATA = 84,
	PERF_RECORD_SCHEDSTAT_CPU = 85,
	PERF_RECORD_SCHEDSTAT_DOMAIN = 86,
	PERF_RECORD_USER_MAX,
};

struct record_mmap {
	struct perf_event_header header;
	u32 pid, tid;
	u64 start, len, pgoff;
	char filename[];
};

struct record_mmap2 {
	struct perf_event_header header;
	u32 pid, tid;
	u64 start, len, pgoff;
	union {
		struct {
			u32 maj, min;
			u64 ino, ino_generation;
		};
		struct { /* header.misc has PERF_RECORD_MISC_MMAP_BUILD_ID */
			u8 build_id_size;
			u8 reserved1;
			u16 reserved2;
			u8 build_id[20];
		};
	};
	u32 prot, flags;
	char filename[];
};

struct record_comm {
	struct perf_event_header header;
	u32 pid, tid;
	char comm[];
};

struct record_fork { /* EXIT too */
	struct perf_event_header header;
	u32 pid, ppid, tid, ptid;
	u64 time;
};

struct record_read {
	struct perf_event_header header;
	u32 pid, tid;
	u64 value;	/* with PERF_FORMAT_GROUP: number of values */
	u64 more[];	/* laid out by attr.read_format; followed by the sample_id tail */
};

struct record_lost {
	struct perf_event_header header;
	u64 id, lost;
};

struct record_lost_samples {
	struct perf_event_header header;
	u64 lost;
};

struct record_throttle { /* UNTHROTTLE too */
	struct perf_event_header header;
	u64 time, id, stream_id;
};

struct record_namespaces {
	struct perf_event_header header;
	u32 pid, tid;
	u64 nr;
	struct {
		u64 dev, ino;
	} link[];
};

struct record_cgroup {
	struct perf_event_header header;
	u64 id;
	char path[];
};

struct record_ksymbol {
	struct perf_event_header header;
	u64 addr;
	u32 len;
	u16 ksym_type, flags;
	char name[];
};

struct record_callchain_deferred { /* CALLCHAIN_DEFERRED: the user's part of callchains that end with its cookie */
	struct perf_event_header header;
	u64 cookie, nr;
	u64 ips[];
};

struct record_switch { /* SWITCH_CPU_WIDE */
	struct perf_event_header header;
	u32 next_prev_pid, next_prev_tid;
};

struct record_id_index { /* ID_INDEX */
	struct perf_event_header header;
	u64 nr;
	struct {
		u64 id, idx;
		s64 cpu, tid;
	} entry[];
};

struct record_thread_map { /* THREAD_MAP */
	struct perf_event_header header;
	u64 nr;
	struct {
		u64 pid;
		char comm[16];
	} entry[];
};

struct record_cpu_map { /* CPU_MAP */
	struct perf_event_header header;
	u16 type;
};

enum { STAT_CONFIG_AGGR_MODE, STAT_CONFIG_INTERVAL, STAT_CONFIG_SCALE, STAT_CONFIG_AGGR_LEVEL };

struct record_stat_config { /* STAT_CONFIG */
	struct perf_event_header header;
	u64 nr;
	struct {
		u64 tag, value;
	} entry[];
};

struct record_stat { /* STAT: a count since the beginning */
	struct perf_event_header header;
	u64 id;
	u32 cpu;	/* (u32)-1: any */
	u32 thread;	/* index in THREAD_MAP */
	u64 value, enabled, running;
};

enum { STAT_ROUND_INTERVAL, STAT_ROUND_FINAL };

struct record_stat_round { /* STAT_ROUND: the counts before it are of this time */
	struct perf_event_header header;
	u64 type;
	u64 time; /* ns since the beginning */
};

enum { EVENT_UPDATE_UNIT, EVENT_UPDATE_SCALE, EVENT_UPDATE_NAME, EVENT_UPDATE_CPUS };
/* Ours: a u64, the number of samples that the event's filter dropped. Other perfs skip unknown updates. */
#define EVENT_UPDATE_DROPPED_ 0x646570706f7264ULL
/* Ours, too: how the event's user stacks ended (stacks-update.h). */
#define EVENT_UPDATE_STACKS_ 0x736b63617473ULL

struct record_event_update { /* EVENT_UPDATE */
	struct perf_event_header header;
	u64 what, id;
	char data[];
};

struct record_aux {
	struct perf_event_header header;
	u64 offset, size, flags;
};

struct record_itrace_start {
	struct perf_event_header header;
	u32 pid, tid;
};

struct record_bpf_event {
	struct perf_event_header header;
	u16 bpf_type, flags;
	u32 id;
	u8 tag[8];
};

struct record_text_poke {
	struct perf_event_header header;
	u64 addr;
	u16 old_len, new_len;
	u8 bytes[]; /* the old ones, then the new ones */
};

struct record_aux_output_hw_id {
	struct perf_event_header header;
	u64 hw_id;
};

/* Any record; header.type selects the member. Only header.size bytes may be read. */
union perf_record {
	struct perf_event_header header;
	struct record_mmap mmap;
	struct record_mmap2 mmap2;
	struct record_comm comm;
	struct record_fork fork;
	struct record_read read;
	struct record_lost lost;
	struct record_lost_samples lost_samples;
	struct record_throttle throttle;
	struct record_namespaces namespaces;
	struct record_cgroup cgroup;
	struct record_ksymbol ksymbol;
	struct record_switch context_switch;
	struct record_callchain_deferred callchain_deferred;
	struct record_id_index id_index;
	struct record_thread_map thread_map;
	struct record_cpu_map cpu_map;
	struct record_stat_config stat_config;
	struct record_stat stat;
	struct record_stat_round stat_round;
	struct record_event_update event_update;
	struct record_aux aux;
	struct record_itrace_start itrace_start;
	struct record_bpf_event bpf_event;
	struct record_text_poke text_poke;
	struct record_aux_output_hw_id aux_output_hw_id;
};

/*
 * -EINVAL unless header.size covers all parts of the type: its fixed members, its counted entries, a string with its NUL. At least
 * header.size bytes must be readable. sample.h checks SAMPLE records and the sample_id tail; unknown types pass.
 */
int perf_record__check(const union perf_record *record);

/*
 * Size of a checked record with a sample_id tail of that many bytes, in bytes: less than header.size if the kernel has left old bytes
 * behind the tail. Linux (seen in 6.18, kernel/events/core.c: perf_event_ksymbol_output, perf_event_bpf_output) adds the size of the tail
 * to that of KSYMBOL and BPF_EVENT records once more for each further recording that asks for them.
 */
size_t perf_record__used_size(const union perf_record *record, size_t tail);

/* Length of the whole records in size bytes, by their sizes: less than size if what follows cannot be a record. */
size_t records__whole(const void *records, size_t size);

/* "MMAP2", "SAMPLE", "FINISHED_ROUND", ... as in report --stats and -D; NULL: unknown type. */
const char *perf_record__type_name(u32 type);

/* One event of a file: its attr, the ids of its descriptors, and its name (EVENT_DESC) if the file has one. */
struct perfdata_event {
	struct perf_event_attr attr; /* attr.size as in the file: may be smaller or larger than this struct */
	u64 *ids;
	u32 nr_ids;
	char *name; /* NULL: not recorded */
};

#endif

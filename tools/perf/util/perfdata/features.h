/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The feature sections of a perf.data file: a table row for each with its number, name, encoder and decoder. record/ collects the
 * values (from the system) and report --header prints them; nothing here does either.
 */
#ifndef PERF_PERFDATA_FEATURES_H
#define PERF_PERFDATA_FEATURES_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/perfdata/record.h"

enum perfdata_feature {
	HEADER_TRACING_DATA = 1,
	HEADER_BUILD_ID = 2,
	HEADER_HOSTNAME = 3,
	HEADER_OSRELEASE = 4,
	HEADER_VERSION = 5,
	HEADER_ARCH = 6,
	HEADER_NRCPUS = 7,
	HEADER_CPUDESC = 8,
	HEADER_CPUID = 9,
	HEADER_TOTAL_MEM = 10,
	HEADER_CMDLINE = 11,
	HEADER_EVENT_DESC = 12,
	HEADER_CPU_TOPOLOGY = 13,
	HEADER_NUMA_TOPOLOGY = 14,
	HEADER_BRANCH_STACK = 15,
	HEADER_PMU_MAPPINGS = 16,
	HEADER_GROUP_DESC = 17,
	HEADER_AUXTRACE = 18,
	HEADER_STAT = 19,
	HEADER_CACHE = 20,
	HEADER_SAMPLE_TIME = 21,
	HEADER_MEM_TOPOLOGY = 22,
	HEADER_CLOCKID = 23,
	HEADER_DIR_FORMAT = 24,
	HEADER_BPF_PROG_INFO = 25,
	HEADER_BPF_BTF = 26,
	HEADER_COMPRESSED = 27,
	HEADER_CPU_PMU_CAPS = 28,
	HEADER_CLOCK_DATA = 29,
	HEADER_HYBRID_TOPOLOGY = 30,
	HEADER_PMU_CAPS = 31,
	HEADER_CPU_DOMAIN_INFO = 32,
	HEADER_E_MACHINE = 33,
	HEADER_CLN_SIZE = 34,
	HEADER_USER_STACKS = 255, /* only in files of older versions of this perf, which other perfs' inject crashes on: see stacks-update.h */
	HEADER_FEAT_BITS = 256,
};

struct build_id {
	u8 size; /* 0: none */
	u8 data[20];
};

struct perfdata_build_id { /* one entry of HEADER_BUILD_ID */
	s32 pid;
	u16 misc; /* cpumode: PERF_RECORD_MISC_KERNEL or _USER */
	struct build_id id;
	char *filename;
};

struct perfdata_tracing { /* one event format of HEADER_TRACING_DATA */
	char *sys;	  /* "sched"; "ftrace" for its own events */
	char *format;
	size_t size;
};

struct perfdata_pmu {
	u32 type;
	char *name;
};

#define PERFDATA_ANON_GROUP "{anon_group}"

struct perfdata_group { /* one entry of HEADER_GROUP_DESC */
	char *name;	   /* PERFDATA_ANON_GROUP for a group without one */
	u32 leader;	   /* index of its first event */
	u32 nr_members;	   /* number of events, including the leader */
};

struct perfdata_numa_node {
	u32 number;
	u64 mem_total, mem_free; /* KiB */
	char *cpus;
};

struct perfdata_cache {
	u32 level, line_size, sets, ways;
	char *type, *size, *cpus;
};

struct perfdata_memory { /* memory blocks of a node */
	u64 node;
	u64 nr_bits, *bits;
};

struct perfdata_bpf_code { /* a function of a BPF program, as JIT-compiled */
	u64 addr;
	u32 size;
	u32 type_id; /* of the program's BTF; 0: unknown */
	u8 tag[8];
};

struct perfdata_bpf_program { /* one entry of HEADER_BPF_PROG_INFO */
	u32 id, btf_id; /* btf_id 0: it has no BTF */
	char name[16];
	u32 nr_code; /* 0: the arrays for it were not recorded */
	struct perfdata_bpf_code *code;
};

struct perfdata_btf { /* one entry of HEADER_BPF_BTF; only the names are decoded */
	u32 id;
	u32 nr_name, *name; /* offset in strings, by type id */
	u32 strings_size;
	char *strings;
};

struct perfdata_features {
	u64 present[HEADER_FEAT_BITS / 64]; /* bitmap by enum perfdata_feature */
	char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	u32 nrcpus_online, nrcpus_avail; /* written in the order avail, online */
	u64 total_mem;			 /* KiB */
	char **cmdline;			 /* nr_cmdline strings */
	u32 nr_cmdline;
	struct perfdata_event *event_desc; /* EVENT_DESC: attr, ids, name */
	u32 nr_event_desc;
	struct perfdata_pmu *pmu;	 /* PMU_MAPPINGS */
	u32 nr_pmu;
	struct perfdata_group *group; /* GROUP_DESC */
	u32 nr_group;
	u64 sample_time_first, sample_time_last;
	struct perfdata_compressed {
		u32 type;	/* 1: zstd; 0: nothing is compressed */
		u32 level, ratio;
		u32 room;	/* limit of the unpacked bytes of one record */
	} compressed;
	u64 clockid_res_ns;	     /* CLOCKID */
	u32 clockid;		     /* CLOCK_DATA: the clock of sample times, ... */
	u64 clock_tod_ns, clock_ns;  /* ... and the time of day and that clock at the same moment */
	struct perfdata_build_id *build_id;
	u32 nr_build_id;
	struct perfdata_tracing *tracing;
	u32 nr_tracing;
	bool tracing_bigendian;
	u8 tracing_long_size;
	u32 tracing_page_size;
	/* parts of TRACING_DATA, each may be NULL */
	char *header_page, *header_event, *printk_formats, *kallsyms, *saved_cmdlines;
	/* CPU_TOPOLOGY: sibling lists as text, then the place of each available CPU (nr_cpu_topology is 0 or nrcpus_avail) */
	char **core_siblings, **die_siblings, **thread_siblings;
	u32 nr_core_siblings, nr_die_siblings, nr_thread_siblings; /* nr_die_siblings 0: dies not recorded */
	struct {
		u32 core_id, socket_id, die_id;
	} *cpu_topology;
	u32 nr_cpu_topology;
	struct perfdata_numa_node *numa; /* NUMA_TOPOLOGY */
	u32 nr_numa;
	struct perfdata_cache *cache; /* CACHE */
	u32 nr_cache;
	struct perfdata_memory *memory; /* MEM_TOPOLOGY */
	u64 nr_memory, memory_block_size; /* bytes */
	u32 e_machine, e_flags; /* E_MACHINE */
	u32 cacheline_size;	/* CLN_SIZE, bytes */
	char *user_stacks;	/* USER_STACKS or records: a line for each event, without a newline at the end */
	struct perfdata_bpf_program *bpf_program; /* BPF_PROG_INFO */
	struct perfdata_btf *btf;		  /* BPF_BTF, by id */
	u32 nr_bpf_program, nr_btf;
	u32 nr_foreign_bpf, nr_foreign_btf, nr_cpu_pmu_caps, nr_pmu_caps; /* numbers of undecoded entries */
};

/* Frees all members of features. */
void perfdata_features__exit(struct perfdata_features *features);

/*
 * Encode one feature's section from features: *body is malloc'ed. -ENOENT if features has no value for it (BRANCH_STACK has no body
 * and depends on its bit in present, the others on their members), -EINVAL if members contradict each other.
 */
int perfdata_features__encode(const struct perfdata_features *features, int feature, void **body, size_t *size);
/*
 * Decode one section into features and set its bit; for an unknown feature only the bit. For a malformed section returns -EINVAL and
 * leaves its members and its bit 0. CPU_TOPOLOGY needs NRCPUS decoded before.
 */
int perfdata_features__decode(struct perfdata_features *features, int feature, const void *body, size_t size, bool swap,
			      struct errmsg *err);

/* "bpf_prog_TAG_function" of code i of one of features' programs, as snprintf(). */
int perfdata_bpf_program__name(const struct perfdata_features *features, const struct perfdata_bpf_program *program, u32 i, char *buf,
			       size_t size);

const char *perfdata_feature__name(int feature); /* "HOSTNAME", NULL if unknown */

static inline bool perfdata_features__has(const struct perfdata_features *f, int feature)
{
	return f->present[feature / 64] >> (feature % 64) & 1;
}

#endif

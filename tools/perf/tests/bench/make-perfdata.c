// SPDX-License-Identifier: GPL-2.0
/*
 * make-perfdata FILE SAMPLES: a recording of so many samples with callchains, the same one at each call on one machine. What it
 * imitates is perf record -a -g: processes with threads on several CPUs, rounds of time-ordered runs, one for each CPU, and
 * chains that walk fixed graphs of calls between real functions of this machine, so that their symbols are found. Few functions
 * are hot, most are not; a function that is met on the way down returns to the same address each time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "util/perfdata/features.h"
#include "util/perfdata/sample.h"
#include "util/perfdata/writer.h"
#include "util/symbol/elf-file.h"
#include "util/symbol/symtab.h"

#define NR_CPUS 8
#define NR_TASKS 6 /* processes */
#define NR_THREADS 4
#define NR_FUNCTIONS 300 /* of a process, and of the kernel */
#define NR_CALLEES 6
#define NR_PLACES 16 /* where a function is interrupted */
#define NR_PATHS 1000 /* of a process */
#define FIRST_PID 20001
#define ROUND 16384 /* samples */
#define MAX_FRAMES 30
#define MIN_FRAMES 5
#define START_TIME 1000000000000ULL
#define STEP 31250 /* ns between two samples of the machine */
#define USER_BASE 0x7f0000000000ULL
#define DSO_ROOM 0x10000000ULL

struct function {
	u64 start, size;
};

struct object {
	const char *path;
	struct symtab *tab;
	u64 text, text_end; /* offsets in the file */
};

struct graph { /* of calls: the callees of a function are picked by a hash, so there is nothing to store */
	struct function function[NR_FUNCTIONS];
	u32 nr;
};

struct making {
	struct perfdata_writer *w;
	struct perf_event_attr attr;
	struct graph user[NR_TASKS], kernel;
	struct object object[6];
	u64 random;
	u8 *buf; /* of one round */
	size_t used[NR_CPUS];
	size_t room; /* of each CPU in buf */
};

static const char *const comms[NR_TASKS] = { "bash", "python3", "nginx", "postgres", "worker/1", "a long name 15" };

static void die(const char *what, const struct errmsg *err)
{
	fprintf(stderr, "make-perfdata: %s%s%s\n", what, err ? ": " : "", err ? err->text : "");
	exit(1);
}

static u64 mix(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static u64 next_random(u64 *state)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return mix(*state);
}

/* 0 to limit - 1, small numbers much more often */
static u32 skewed(u64 *state, u32 limit)
{
	double x = (next_random(state) >> 11) * 0x1p-53;

	return x * x * x * limit;
}

/* Take functions of a table, spread over it; code is what lies from begin to end. */
static void take_functions(struct graph *graph, const struct symtab *tab, u64 begin, u64 end, u64 base, u32 nr)
{
	u32 all = symtab__nr(tab);

	for (u32 i = 0; i < nr && i < all && graph->nr < NR_FUNCTIONS; i++) {
		const struct symbol *sym = symtab__at(tab, (u64)i * all / nr);

		if (sym->start >= begin && sym->end <= end && sym->end - sym->start >= 16)
			graph->function[graph->nr++] = (struct function){ base + sym->start, sym->end - sym->start };
	}
}

static void load_object(struct object *object, const char *path)
{
	struct symtab_opts opts = {};
	struct elf_file file;
	struct errmsg err;
	GElf_Shdr text;

	object->path = path;
	if (elf_file__open(&file, path, &err))
		return; /* not on this machine */
	if (elf_file__section(&file, ".text", &text) && !symtab__load_elf(path, NULL, &opts, &object->tab, &err)) {
		object->text = text.sh_offset;
		object->text_end = text.sh_offset + text.sh_size;
	}
	elf_file__close(&file);
}

static void load_objects(struct making *m)
{
	static const char *const paths[] = { "/usr/bin/bash", "/usr/bin/python3.11", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
					     "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/usr/lib/x86_64-linux-gnu/libc.so.6",
					     "/usr/lib/x86_64-linux-gnu/libelf.so.1" };
	struct symtab *kernel;
	struct errmsg err;

	for (u32 i = 0; i < ARRAY_SIZE(m->object); i++)
		load_object(&m->object[i], paths[i]);
	for (u32 task = 0; task < NR_TASKS; task++) {
		for (u32 i = 0; i < ARRAY_SIZE(m->object); i++) {
			const struct object *o = &m->object[i];

			if (o->tab)
				take_functions(&m->user[task], o->tab, o->text, o->text_end, USER_BASE + i * DSO_ROOM,
					       80 + 10 * task);
		}
		if (!m->user[task].nr)
			die("none of the objects that it takes functions from is here", NULL);
	}
	if (!symtab__load_kallsyms(NULL, NULL, 0, &kernel, &err)) {
		take_functions(&m->kernel, kernel, 0, UINT64_MAX, 0, NR_FUNCTIONS);
		symtab__delete(kernel);
	}
}

static void put(struct making *m, const void *record)
{
	const struct perf_event_header *header = record;
	struct errmsg err;

	if (perfdata_writer__write(m->w, record, header->size, &err))
		die("cannot write", &err);
}

/* A record with a string at its end; its sample_id tail is that of a synthesized one: all zero. */
static void put_named(struct making *m, union perf_record *record, size_t fixed, const char *name)
{
	size_t size = fixed + ALIGN_UP(strlen(name) + 1, 8);

	strcpy((char *)record + fixed, name);
	record->header.size = size + sample_id__size(&m->attr);
	put(m, record);
}

union record_room {
	union perf_record record;
	u8 bytes[512];
};

static void put_kernel(struct making *m)
{
	static const char *const name = "_text";
	union record_room r = {};
	u64 text;

	if (kallsyms__lookup(NULL, &name, &text, 1) != 1)
		return;
	r.record.mmap = (struct record_mmap){ .header = { PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, 0 }, .pid = -1,
					      .start = text, .len = 0x2000000, .pgoff = text };
	put_named(m, &r.record, sizeof(r.record.mmap), "[kernel.kallsyms]_text");
}

static void put_maps(struct making *m, u32 pid)
{
	for (u32 i = 0; i < ARRAY_SIZE(m->object); i++) {
		union record_room r = {};

		if (!m->object[i].tab)
			continue;
		r.record.mmap2 = (struct record_mmap2){ .header = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, 0 }, .pid = pid,
							.tid = pid, .start = USER_BASE + i * DSO_ROOM, .len = DSO_ROOM,
							.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE };
		put_named(m, &r.record, sizeof(r.record.mmap2), m->object[i].path);
	}
}

static void put_task(struct making *m, u32 task)
{
	u32 pid = FIRST_PID + task * 100;

	for (u32 i = 0; i < NR_THREADS; i++) {
		union record_room fork = {}, comm = {};

		fork.record.fork = (struct record_fork){ .header = { PERF_RECORD_FORK, 0, 0 }, .pid = pid, .tid = pid + i,
							 .ppid = i ? pid : 1, .ptid = i ? pid : 1 };
		fork.record.header.size = sizeof(fork.record.fork) + sample_id__size(&m->attr);
		put(m, &fork);
		comm.record.comm = (struct record_comm){ .header = { PERF_RECORD_COMM, 0, 0 }, .pid = pid, .tid = pid + i };
		put_named(m, &comm.record, sizeof(comm.record.comm), comms[task]);
	}
	put_maps(m, pid);
}

static u32 nr_frames(u64 *state)
{
	u64 r = next_random(state);
	u32 nr = MIN_FRAMES;

	if (r % 100 < 6)
		return 8 + (r >> 32) % (MAX_FRAMES - 8 + 1);
	for (r >>= 32; r & 1 && nr < MAX_FRAMES; r >>= 1)
		nr++;
	return nr;
}

/*
 * Walk down a graph and leave the addresses in chain, the last called one first. Returns how many. Callers have the address of one
 * of their calls; what was interrupted (is_last) has some places where it mostly is.
 */
static u32 walk(struct making *m, u64 *path, const struct graph *graph, u32 depth, u64 *chain, bool is_last)
{
	u32 at = skewed(path, 8) % graph->nr;

	for (u32 i = 0; i < depth; i++) {
		const struct function *f = &graph->function[at];
		u32 call = skewed(is_last && i + 2 == depth ? &m->random : path, NR_CALLEES);
		u64 hash = mix(f->start * 64 + call);

		if (i + 1 < depth)
			chain[depth - 1 - i] = f->start + 1 + hash % (f->size - 1);
		else
			chain[0] = f->start + skewed(is_last ? &m->random : path, NR_PLACES) * (f->size / NR_PLACES);
		at = (hash >> 32) % graph->nr;
	}
	return depth;
}

/* One of the paths that the process is on again and again, up to its last call. */
static u32 make_chain(struct making *m, u32 task, u64 *chain)
{
	u64 path = mix(1 + task * NR_PATHS + skewed(&m->random, NR_PATHS));
	u32 depth = nr_frames(&path), in_kernel = 0, nr = 0;

	if (m->kernel.nr && next_random(&path) % 100 < 35) {
		in_kernel = 2 + next_random(&path) % (depth - 3);
		chain[nr++] = PERF_CONTEXT_KERNEL;
		nr += walk(m, &path, &m->kernel, in_kernel, chain + nr, true);
	}
	chain[nr++] = PERF_CONTEXT_USER;
	return nr + walk(m, &path, &m->user[task], depth - in_kernel, chain + nr, !in_kernel);
}

static void put_sample(struct making *m, u64 number)
{
	u64 chain[MAX_FRAMES + 2];
	u32 cpu = next_random(&m->random) % NR_CPUS, task = skewed(&m->random, NR_TASKS);
	u32 pid = FIRST_PID + task * 100;
	struct perf_sample sample = {
		.sample_type = m->attr.sample_type, .pid = pid, .tid = pid + next_random(&m->random) % NR_THREADS, .cpu = cpu,
		.time = START_TIME + number * STEP, .period = 250000 + next_random(&m->random) % 1000, .callchain = chain,
	};
	u8 *at = m->buf + cpu * m->room + m->used[cpu];

	sample.nr_callchain = make_chain(m, task, chain);
	sample.ip = chain[1];
	sample.misc = chain[0] == PERF_CONTEXT_KERNEL ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	perf_sample__encode(at, &m->attr, &sample);
	m->used[cpu] += perf_sample__size(&m->attr, &sample);
}

static void end_round(struct making *m)
{
	struct perf_event_header header = { PERF_RECORD_FINISHED_ROUND, 0, sizeof(header) };
	struct errmsg err;

	for (u32 cpu = 0; cpu < NR_CPUS; cpu++) {
		if (perfdata_writer__write(m->w, m->buf + cpu * m->room, m->used[cpu], &err))
			die("cannot write", &err);
		m->used[cpu] = 0;
	}
	put(m, &header);
}

static void begin(struct making *m, const char *path)
{
	struct perfdata_event event = {};
	struct errmsg err;

	m->attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .size = PERF_ATTR_SIZE_VER5, .config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 250000, .sample_id_all = 1, .exclude_guest = 1, .mmap = 1, .comm = 1, .task = 1, .mmap2 = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN,
	};
	event.attr = m->attr;
	m->room = (size_t)ROUND * (sizeof(struct perf_event_header) + (6 + MAX_FRAMES + 2) * sizeof(u64));
	m->buf = malloc(NR_CPUS * m->room);
	if (!m->buf)
		die("out of memory", NULL);
	if (perfdata_writer__open(path, &m->w, &err) || perfdata_writer__set_events(m->w, &event, 1, &err))
		die(path, &err);
}

/* What tells a finished file from one whose recording was killed is that it has a feature. Two words: online, available. */
static void put_features(struct making *m)
{
	static const u32 nr_cpus[] = { NR_CPUS, NR_CPUS };
	struct errmsg err;

	if (perfdata_writer__add_feature(m->w, HEADER_NRCPUS, nr_cpus, sizeof(nr_cpus), &err))
		die("cannot add a feature", &err);
}

int main(int argc, char **argv)
{
	static struct making m = { .random = 1 };
	u64 nr = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	struct errmsg err;

	if (!nr)
		die("usage: make-perfdata FILE SAMPLES", NULL);
	load_objects(&m);
	begin(&m, argv[1]);
	put_kernel(&m);
	for (u32 task = 0; task < NR_TASKS; task++)
		put_task(&m, task);
	for (u64 i = 0; i < nr; i++) {
		put_sample(&m, i);
		if (i % ROUND == ROUND - 1)
			end_round(&m);
	}
	end_round(&m);
	put_features(&m);
	if (perfdata_writer__finish(m.w, &err))
		die(argv[1], &err);
	perfdata_writer__delete(m.w);
	for (u32 i = 0; i < ARRAY_SIZE(m.object); i++)
		symtab__delete(m.object[i].tab);
	free(m.buf);
	return 0;
}

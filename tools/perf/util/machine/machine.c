// SPDX-License-Identifier: GPL-2.0
/*
 * Side-band records change the machine. Maps of a process go to the maps of its threads; the kernel, its modules and BPF programs go
 * to the machine's own maps.
 */
#include "util/machine/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/machine/cgroups.h"
#include "util/machine/dso.h"
#include "util/machine/maps.h"
#include "util/machine/thread.h"

/*
 * One bit with three meanings by record type (include/uapi/linux/perf_event.h); the last one is perf's own, for FORK records from
 * /proc: the child's maps follow as records.
 */
#define MISC_MMAP_DATA (1 << 13)
#define MISC_FORK_SYNTHESIZED (1 << 13)
#define MISC_MMAP_BUILD_ID (1 << 14)

struct machine {
	struct cgroups cgroups;
	void (*dso_priv_free)(struct dso *dso);
	struct threads threads;
	struct dsos dsos;
	struct map_pool pool;
	struct maps *kernel_maps;
	struct map kernel_map; /* the same as in kernel_maps; of NULL while unknown */
	u64 kernel_size; /* as recorded; kernel_map also covers what follows */
	char *kernel_ref_name;
	u64 kernel_ref_addr;
};

struct machine *machine__new(void (*dso_priv_free)(struct dso *dso))
{
	struct machine *machine = calloc(1, sizeof(*machine));

	if (!machine)
		return NULL;
	machine->dso_priv_free = dso_priv_free;
	machine->kernel_maps = maps__new();
	if (!machine->kernel_maps) {
		free(machine);
		errno = ENOMEM;
		return NULL;
	}
	return machine;
}

void machine__delete(struct machine *machine)
{
	if (!machine)
		return;
	threads__exit(&machine->threads);
	maps__put(machine->kernel_maps);
	map_pool__exit(&machine->pool);
	dsos__exit(&machine->dsos, machine->dso_priv_free);
	cgroups__exit(&machine->cgroups);
	free(machine->kernel_ref_name);
	free(machine);
}

/* A map from a record of any type. */
struct new_map {
	u16 cpumode;
	u32 pid, tid, prot, flags;
	u64 start, end, pgoff, ino;
	bool ino_known;
	struct build_id id;
	const char *name;
};

static int machine__set_kernel_map(struct machine *machine, u64 start, u64 end)
{
	int err;

	if (machine->kernel_map.end > machine->kernel_map.start) {
		err = maps__remove(machine->kernel_maps, &machine->pool, machine->kernel_map.start);
		if (err)
			return err;
	}
	machine->kernel_map.start = machine->kernel_map.pgoff = start;
	machine->kernel_map.end = end;
	return end > start ? maps__insert(machine->kernel_maps, &machine->pool, &machine->kernel_map) : 0;
}

/* Add a module or BPF program. The kernel's recorded end may be a guess beyond them: cut its map at the lowest one above it. */
static int machine__insert_kernel_side(struct machine *machine, const struct map *map)
{
	const struct map *kernel = &machine->kernel_map;

	if (kernel->of && map->start > kernel->start && map->start < kernel->end) {
		int err = machine__set_kernel_map(machine, kernel->start, map->start);

		if (err)
			return err;
	}
	return maps__insert(machine->kernel_maps, &machine->pool, map);
}

static int machine__set_kernel_ref(struct machine *machine, const char *name, u64 addr)
{
	char *copy;

	/* zero: the recording user could not see the addresses (kptr_restrict) */
	if (!*name || !addr)
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	free(machine->kernel_ref_name);
	machine->kernel_ref_name = copy;
	machine->kernel_ref_addr = addr;
	return 0;
}

/* Code of the kernel, of a module or a BPF program. dso may be NULL. NULL: no memory */
static const struct mapped *machine__mapped(struct machine *machine, struct dso *dso)
{
	return dso ? map_pool__share(&machine->pool, &(struct mapped){ .dso = dso, .prot = PROT_READ | PROT_EXEC }) : NULL;
}

static int machine__add_kernel(struct machine *machine, const struct new_map *new)
{
	const struct map *next;
	struct dso *dso = dsos__get(&machine->dsos, KERNEL_DSO_NAME, DSO_KERNEL, &new->id);
	u64 end;
	int err;

	if (!dso)
		return -ENOMEM;
	machine->kernel_map.of = machine__mapped(machine, dso);
	if (!machine->kernel_map.of)
		return -ENOMEM;
	machine->kernel_size = new->end - new->start;
	/* The recorded end is that of .text, or a guess, or 0: the code that starts CPUs follows it. Stock perf does the same. */
	next = maps__next(machine->kernel_maps, new->start);
	end = next ? next->start : UINT64_MAX;
	err = machine__set_kernel_map(machine, new->start, end);
	if (!err)
		err = machine__set_kernel_ref(machine, new->name + strlen(KERNEL_DSO_NAME), new->pgoff);
	return err;
}

static int machine__add_module(struct machine *machine, const struct new_map *new)
{
	struct map map = {
		.start = new->start, .end = new->end, .pgoff = new->pgoff,
		.of = machine__mapped(machine, dsos__get(&machine->dsos, new->name, DSO_MODULE, &new->id)),
	};

	if (!map.of)
		return -ENOMEM;
	return map.start < map.end ? machine__insert_kernel_side(machine, &map) : 0;
}

/* prefix has at least two letters, which mostly tell already. */
static inline bool starts_with(const char *s, const char *prefix)
{
	return s[0] == prefix[0] && s[1] == prefix[1] && !strncmp(s, prefix, strlen(prefix));
}

static inline bool is_text(const char *s, const char *other)
{
	return starts_with(s, other) && !s[strlen(other)];
}

static bool is_anon(const struct new_map *new)
{
	return new->flags & MAP_HUGETLB || is_text(new->name, "//anon") || starts_with(new->name, "/dev/zero") ||
	       starts_with(new->name, "/anon_hugepage");
}

static bool has_no_file(const struct new_map *new)
{
	return starts_with(new->name, "[stack") || starts_with(new->name, "/SYSV") || is_text(new->name, "[heap]");
}

static void dso__note_pid(struct dso *dso, u32 pid)
{
	unsigned int i;

	for (i = 0; i < DSO_PIDS && dso->pid[i] && dso->pid[i] != pid; i++)
		;
	if (i < DSO_PIDS && !dso->pid[i])
		__atomic_store_n(&dso->pid[i], pid, __ATOMIC_RELAXED);
}

/* The first map with code of a jitdump that starts in between; NULL: none. */
static const struct map *next_jitted(struct maps *maps, u64 addr, u64 end)
{
	const struct map *map = maps__next(maps, addr);

	while (map && map->start < end && !map->of->dso->is_jitdump)
		map = maps__next(maps, map->start);
	return map && map->start < end ? map : NULL;
}

/*
 * Memory for code made at run time: JIT compilers make it writable and executable again and again, and each time is recorded as a new map. Code
 * that a jitdump has named stays: map takes only the space between.
 */
static int machine__insert_around_code(struct machine *machine, struct maps *maps, struct map map)
{
	u64 end = map.end, start = map.start;
	const struct map *code = maps__find(maps, start);
	int ret = 0;

	if (!code || !code->of->dso->is_jitdump)
		code = next_jitted(maps, start, end);
	for (; code && !ret; code = next_jitted(maps, code->start, end)) {
		map.start = map.pgoff = start;
		map.end = code->start;
		start = code->end;
		if (map.start < map.end)
			ret = maps__insert(maps, &machine->pool, &map);
	}
	map.start = map.pgoff = start;
	map.end = end;
	return ret || map.start >= map.end ? ret : maps__insert(maps, &machine->pool, &map);
}

/*
 * A program has moved its own text to huge pages, which are in no file: the text is still the file's. It never unmaps it otherwise, so no
 * code that was generated comes there, unlike where a library was.
 */
static bool is_moved_text(struct maps *maps, const struct map *new)
{
	const struct map *map = maps__find(maps, new->start);
	const char *name = map ? map->of->dso->name : NULL;

	if (!map || !(map->of->prot & PROT_EXEC) || map->end < new->end || map->of->dso->is_jitdump)
		return false;
	return name[0] == '/' && !starts_with(name, "//") && !starts_with(name, "/memfd:") && !strstr(name, ".so") &&
	       !starts_with(map->of->dso->short_name, "[JIT]");
}

/* Each exec maps it anew: far above what 32 bits reach, unless the program has 32. */
static void take_vdso(struct maps *maps, struct map *map)
{
	map->pgoff = 0;
	maps__set_compat(maps, map->start <= UINT32_MAX);
}

static int machine__add_user_map(struct machine *machine, const struct new_map *new)
{
	struct mapped of = { .prot = new->prot, .flags = new->flags, .ino = new->ino, .ino_known = new->ino_known };
	struct map map = { .start = new->start, .end = new->end, .pgoff = new->pgoff };
	const char *name = new->name;
	struct thread *thread;
	char jit[32];

	if (map.start >= map.end)
		return 0;
	thread = machine__thread(machine, new->pid, new->tid);
	if (!thread)
		return -ENOMEM;
	if (is_anon(new) && new->prot & PROT_EXEC) {
		if (is_moved_text(thread->maps, &map))
			return 0;
		snprintf(jit, sizeof(jit), "/tmp/perf-%d.map", (int)new->pid);
		name = jit;
	}
	if (is_anon(new) || has_no_file(new))
		map.pgoff = map.start;
	else if (is_text(name, "[vdso]"))
		take_vdso(thread->maps, &map);
	of.dso = dsos__get(&machine->dsos, name, DSO_USER, &new->id);
	map.of = of.dso ? map_pool__share(&machine->pool, &of) : NULL;
	if (!map.of)
		return -ENOMEM;
	dso__note_pid(of.dso, new->pid);
	if (of.dso->is_jitdump && !of.dso->ino)
		of.dso->ino = of.ino;
	if (name == jit)
		return machine__insert_around_code(machine, thread->maps, map);
	return maps__insert(thread->maps, &machine->pool, &map);
}

static int machine__add_map(struct machine *machine, struct new_map *new)
{
	if (new->end < new->start) /* beyond the last address */
		new->end = UINT64_MAX;
	if (new->cpumode == PERF_RECORD_MISC_USER)
		return machine__add_user_map(machine, new);
	if (new->cpumode != PERF_RECORD_MISC_KERNEL)
		return 0;
	if (starts_with(new->name, KERNEL_DSO_NAME))
		return machine__add_kernel(machine, new);
	if (new->name[0] == '/' || new->name[0] == '[')
		return machine__add_module(machine, new);
	return 0;
}

/* Does text, the last member of a record, end with a NUL within it? */
static bool perf_record__has_string(const union perf_record *record, const char *text)
{
	size_t before = text - (const char *)record;

	return record->header.size > before && memchr(text, '\0', record->header.size - before);
}

static int machine__process_mmap(struct machine *machine, const union perf_record *record)
{
	const struct record_mmap *mmap = &record->mmap;
	struct new_map new = {
		.cpumode = mmap->header.misc & PERF_RECORD_MISC_CPUMODE_MASK,
		.pid = mmap->pid, .tid = mmap->tid, .name = mmap->filename,
		.prot = mmap->header.misc & MISC_MMAP_DATA ? 0 : PROT_EXEC,
		.start = mmap->start, .end = mmap->start + mmap->len, .pgoff = mmap->pgoff,
	};

	return perf_record__has_string(record, mmap->filename) ? machine__add_map(machine, &new) : -EINVAL;
}

static int machine__process_mmap2(struct machine *machine, const union perf_record *record)
{
	const struct record_mmap2 *mmap = &record->mmap2;
	struct new_map new = {
		.cpumode = mmap->header.misc & PERF_RECORD_MISC_CPUMODE_MASK,
		.pid = mmap->pid, .tid = mmap->tid, .name = mmap->filename, .prot = mmap->prot, .flags = mmap->flags,
		.start = mmap->start, .end = mmap->start + mmap->len, .pgoff = mmap->pgoff,
	};

	if (!perf_record__has_string(record, mmap->filename))
		return -EINVAL;
	if (mmap->header.misc & MISC_MMAP_BUILD_ID) {
		if (mmap->build_id_size > sizeof(new.id.data))
			return -EINVAL;
		new.id.size = mmap->build_id_size;
		memcpy(new.id.data, mmap->build_id, new.id.size);
	} else {
		new.ino = mmap->ino;
		new.ino_known = true;
	}
	return machine__add_map(machine, &new);
}

/*
 * An exec drops none of the old maps: those of the new image replace the ones that they overlap, and samples inside execve(2) after
 * the COMM record still have the caller's return address in their callchain.
 */
static int machine__process_comm(struct machine *machine, const union perf_record *record)
{
	const struct record_comm *comm = &record->comm;
	struct thread *thread;

	if (!perf_record__has_string(record, comm->comm))
		return -EINVAL;
	thread = machine__thread(machine, comm->pid, comm->tid);
	if (!thread)
		return -ENOMEM;
	return threads__set_comm(&machine->threads, thread, comm->comm);
}

/* Samples of the thread may follow, and a FORK announces the next thread with its tid. */
static int machine__process_exit(struct machine *machine, const union perf_record *record)
{
	struct thread *thread = machine__known_thread(machine, record->fork.tid);

	if (thread && thread->maps && thread->pid == record->fork.pid)
		maps__end(thread->maps);
	return 0;
}

static int machine__process_fork(struct machine *machine, const union perf_record *record)
{
	const struct record_fork *fork = &record->fork;
	struct thread *parent = machine__thread(machine, fork->ppid, fork->ptid);
	bool clone_maps = !(fork->header.misc & MISC_FORK_SYNTHESIZED);

	if (!parent || !threads__fork(&machine->threads, fork->pid, fork->tid, parent, clone_maps))
		return -ENOMEM;
	return 0;
}

static int machine__process_ksymbol(struct machine *machine, const union perf_record *record)
{
	const struct record_ksymbol *ksymbol = &record->ksymbol;
	struct map map = { .start = ksymbol->addr, .end = ksymbol->addr + ksymbol->len };

	if (!perf_record__has_string(record, ksymbol->name))
		return -EINVAL;
	if (ksymbol->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) {
		const struct map *old = maps__find(machine->kernel_maps, ksymbol->addr);

		return old && old->of->dso->kind == DSO_BPF ? maps__remove(machine->kernel_maps, &machine->pool, old->start) : 0;
	}
	if (map.start >= map.end)
		return 0;
	map.of = machine__mapped(machine, dsos__get(&machine->dsos, ksymbol->name, DSO_BPF, NULL));
	return map.of ? machine__insert_kernel_side(machine, &map) : -ENOMEM;
}

static int machine__process_cgroup(struct machine *machine, const union perf_record *record)
{
	if (!perf_record__has_string(record, record->cgroup.path))
		return -EINVAL;
	return cgroups__add(&machine->cgroups, record->cgroup.id, record->cgroup.path);
}

const char *machine__cgroup(const struct machine *machine, u64 id)
{
	return cgroups__find(&machine->cgroups, id);
}

static const struct {
	u32 min_size;
	int (*process)(struct machine *machine, const union perf_record *record);
} handlers[] = {
	[PERF_RECORD_MMAP] = { sizeof(struct record_mmap), machine__process_mmap },
	[PERF_RECORD_MMAP2] = { sizeof(struct record_mmap2), machine__process_mmap2 },
	[PERF_RECORD_COMM] = { sizeof(struct record_comm), machine__process_comm },
	[PERF_RECORD_EXIT] = { sizeof(struct record_fork), machine__process_exit },
	[PERF_RECORD_FORK] = { sizeof(struct record_fork), machine__process_fork },
	[PERF_RECORD_CGROUP] = { sizeof(struct record_cgroup), machine__process_cgroup },
	[PERF_RECORD_KSYMBOL] = { sizeof(struct record_ksymbol), machine__process_ksymbol },
};

int machine__process(struct machine *machine, const union perf_record *record)
{
	u32 type = record->header.type;

	if (type >= ARRAY_SIZE(handlers) || !handlers[type].process)
		return 0;
	if (record->header.size < handlers[type].min_size)
		return -EINVAL;
	return handlers[type].process(machine, record);
}

struct thread *machine__thread(struct machine *machine, u32 pid, u32 tid)
{
	return threads__get(&machine->threads, pid, tid);
}

struct thread *machine__known_thread(struct machine *machine, u32 tid)
{
	return threads__find(&machine->threads, tid);
}

int machine__for_each_thread(struct machine *machine, int (*cb)(const struct thread *thread, void *data), void *data)
{
	return threads__for_each(&machine->threads, cb, data);
}

const struct map *machine__next_map(const struct thread *thread, u64 addr)
{
	const struct map *map;

	if (!thread->maps)
		return NULL;
	map = maps__find(thread->maps, addr);
	return map ?: maps__next(thread->maps, addr);
}

const struct map *machine__find_map(struct machine *machine, struct thread *thread, u8 cpumode, u64 addr)
{
	const struct map *map = NULL;

	/* Where nobody may read the kernel's addresses, its map has all addresses: so programs come first. */
	if (thread && thread->maps && (cpumode == PERF_RECORD_MISC_USER || cpumode == PERF_RECORD_MISC_CPUMODE_UNKNOWN))
		map = maps__find(thread->maps, addr);
	if (!map && (cpumode == PERF_RECORD_MISC_KERNEL || cpumode == PERF_RECORD_MISC_CPUMODE_UNKNOWN))
		map = maps__find(machine->kernel_maps, addr);
	return map;
}

bool machine__has_code(struct machine *machine, struct thread *thread, u64 addr)
{
	const struct map *map = machine__find_map(machine, thread, PERF_RECORD_MISC_USER, addr);

	return map && map->of->prot & PROT_EXEC;
}

u64 machine__maps_version(const struct machine *machine, const struct thread *thread)
{
	return (u64)maps__version(machine->kernel_maps) << 32 | (thread && thread->maps ? maps__version(thread->maps) : 0);
}

u32 machine__nr_finds(const struct thread *thread)
{
	return thread->maps ? maps__nr_finds(thread->maps) : 0;
}

struct dso *machine__kernel(struct machine *machine)
{
	return machine->kernel_map.of ? machine->kernel_map.of->dso : NULL;
}

u64 machine__kernel_size(const struct machine *machine)
{
	return machine->kernel_size;
}

u64 machine__kernel_text(struct machine *machine, const char **ref_name)
{
	if (ref_name)
		*ref_name = machine->kernel_ref_name;
	return machine->kernel_ref_addr;
}

int machine__set_build_id(struct machine *machine, const char *name, const struct build_id *id)
{
	return dsos__note_build_id(&machine->dsos, name, id);
}

/* --- copies --- */

struct copying {
	struct machine *to;
	bool (*is_wanted)(const struct thread *thread, void *data);
	void *data;
};

static struct dso *copy_dso(struct machine *to, const struct dso *from)
{
	struct dso *dso = dsos__get(&to->dsos, from->name, from->kind, &from->build_id);

	for (unsigned int i = 0; dso && i < DSO_PIDS; i++) {
		if (dso__pid(from, i))
			dso__note_pid(dso, dso__pid(from, i));
	}
	if (dso && !dso->ino)
		dso->ino = from->ino;
	return dso;
}

static const struct mapped *copy_mapped(struct machine *to, const struct mapped *from)
{
	struct mapped copy = *from;

	copy.dso = copy_dso(to, from->dso);
	return copy.dso ? map_pool__share(&to->pool, &copy) : NULL;
}

static int copy_maps(struct machine *to, struct maps *maps, struct maps *from)
{
	for (const struct map *map = maps__first(from); map; map = maps__next(from, map->start)) {
		struct map copy = *map;
		int ret;

		copy.of = copy_mapped(to, map->of);
		ret = copy.of ? maps__insert(maps, &to->pool, &copy) : -ENOMEM;
		if (ret)
			return ret;
	}
	return 0;
}

static int copy_thread(const struct thread *from, void *data)
{
	const struct copying *copying = data;
	struct thread *thread;

	if (!copying->is_wanted(from, copying->data))
		return 0;
	thread = machine__thread(copying->to, from->pid, from->tid);
	if (!thread)
		return -ENOMEM;
	thread->ppid = from->ppid;
	if (from->comm_set && threads__set_comm(&copying->to->threads, thread, from->comm))
		return -ENOMEM;
	/* The threads of a process share them. */
	return from->maps && !maps__version(thread->maps) ? copy_maps(copying->to, thread->maps, from->maps) : 0;
}

static int copy_kernel(struct machine *to, const struct machine *from)
{
	if (!from->kernel_map.of)
		return copy_maps(to, to->kernel_maps, from->kernel_maps);
	to->kernel_map = from->kernel_map;
	to->kernel_map.of = copy_mapped(to, from->kernel_map.of);
	to->kernel_size = from->kernel_size;
	to->kernel_ref_addr = from->kernel_ref_addr;
	to->kernel_ref_name = from->kernel_ref_name ? strdup(from->kernel_ref_name) : NULL;
	if (!to->kernel_map.of || !to->kernel_ref_name != !from->kernel_ref_name)
		return -ENOMEM;
	return copy_maps(to, to->kernel_maps, from->kernel_maps);
}

int machine__copy(struct machine *to, struct machine *from, bool (*is_wanted)(const struct thread *thread, void *data), void *data)
{
	struct copying copying = { to, is_wanted, data };

	return copy_kernel(to, from) ?: machine__for_each_thread(from, copy_thread, &copying);
}

int machine__for_each_dso(struct machine *machine, int (*cb)(struct dso *dso, void *data), void *data)
{
	return dsos__for_each(&machine->dsos, cb, data);
}

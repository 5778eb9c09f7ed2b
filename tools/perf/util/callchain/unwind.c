// SPDX-License-Identifier: GPL-2.0
#include "util/callchain/unwind.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/callchain/rule-walk.h"
#include "util/callchain/unwind-file.h"
#include "util/callchain/unwind-regs.h"
#include "util/lib/array.h"
#include "util/machine/maps.h"
#include "util/unwind/dwarf-walk.h"

/*
 * libdwfl needs files at the addresses of one process, and is slow to prepare each. So a few processes are kept, and the least
 * recently used ones are dropped. Each of their files is open.
 */
#define MAX_PROCESSES 8

struct module { /* a file that is mapped into a process; the userdata of its Dwfl_Module */
	struct module *next;
	struct dso *dso;
	bool usable;
	u64 bias; /* what was added to the file's addresses */
	struct elf_file file; /* open if usable */
};

struct process {
	struct maps *maps; /* the process: a reference, so that no other maps get the same address */
	u64 last_use;
	Dwfl *dwfl; /* NULL: unused */
	struct module *modules;
	struct elf_file program; /* one of its files: shows the machine */
	bool has_program;
};

struct unwinder {
	struct machine *machine;
	struct file_places places;
	struct rule_walk *rules; /* NULL: dropped */
	const struct unwind_memory *memory; /* NULL: samples have copies only */
	bool keeps_returns;
	bool guesses;	/* see unwinder__assume_frame_pointers() */
	bool no_dwarf;	/* libdwfl may not help */
	struct process process[MAX_PROCESSES];
	u64 nr_uses;
	u64 *ips; /* the callchain of the last sample */
	size_t nr, alloc;
	/* of the current sample */
	struct process *now;
	struct thread *thread;
	const struct perf_sample *sample;
	struct unwind_regs regs;
	u64 max;    /* of nr */
	bool stale; /* a file is mapped where another one was before */
	bool unread; /* a word of memory is unknown */
	bool took_dwarf;
	enum unwind_end end;
	int err;
};

struct unwinder *unwinder__new(struct machine *machine, const struct file_places *places)
{
	struct unwinder *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->machine = machine;
	u->places = *places;
	u->rules = rule_walk__new(machine, places);
	if (!u->rules) {
		free(u);
		return NULL;
	}
	return u;
}

static void process__exit(struct process *p)
{
	dwfl_end(p->dwfl);
	maps__put(p->maps);
	if (p->has_program)
		elf_file__close(&p->program);
	while (p->modules) {
		struct module *next = p->modules->next;

		if (p->modules->usable)
			elf_file__close(&p->modules->file);
		free(p->modules);
		p->modules = next;
	}
	memset(p, 0, sizeof(*p));
}

void unwinder__delete(struct unwinder *u)
{
	if (!u)
		return;
	for (int i = 0; i < MAX_PROCESSES; i++)
		process__exit(&u->process[i]);
	rule_walk__delete(u->rules);
	free(u->ips);
	free(u);
}

void unwinder__set_memory(struct unwinder *u, const struct unwind_memory *memory)
{
	u->memory = memory;
	if (u->rules)
		rule_walk__set_memory(u->rules, memory);
}

void unwinder__keep_returns(struct unwinder *u)
{
	u->keeps_returns = true;
	if (u->rules)
		rule_walk__keep_returns(u->rules);
}

void unwinder__assume_frame_pointers(struct unwinder *u)
{
	u->guesses = true;
	if (u->rules)
		rule_walk__assume_frame_pointers(u->rules);
}

void unwinder__let_dwarf(struct unwinder *u, bool may)
{
	u->no_dwarf = !may;
}

void unwinder__drop_rules(struct unwinder *u)
{
	rule_walk__delete(u->rules);
	u->rules = NULL;
}

/* The module owns the file; libdwfl gets a reference that it closes itself. */
static int find_elf(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base, char **file_name, Elf **elf)
{
	struct module *module = *userdata;

	*file_name = NULL;
	*elf = elf_begin(module->file.fd, ELF_C_READ, module->file.elf);
	return -1;
}

/* Data for unwinding is in the file itself, as it is loaded with the code. */
static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base, const char *file_name,
			  const char *link, GElf_Word crc, char **found)
{
	return -1;
}

/* The address range of the file, as libdwfl computes it: the start is aligned like its first segment. */
static bool file_range(const struct elf_file *file, u64 *start, u64 *end)
{
	bool any = false;
	GElf_Phdr phdr;
	size_t nr;

	*start = *end = 0;
	if (elf_getphdrnum(file->elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(file->elf, i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		if (!any)
			*start = phdr.p_vaddr & -(phdr.p_align ?: 1);
		*end = phdr.p_vaddr + phdr.p_memsz;
		any = true;
	}
	return any && *start < *end;
}

static int process__report(struct process *p, struct module *module, const struct map *map, u64 ip)
{
	u64 vaddr, start, end;
	void **userdata;
	Dwfl_Module *mod;

	if (!elf_file__vaddr(&module->file, unwind_file__offset(map, ip), &vaddr) || !file_range(&module->file, &start, &end))
		return -ENOEXEC;
	module->bias = ip - vaddr;
	mod = dwfl_report_module(p->dwfl, map->of->dso->short_name, start + module->bias, end + module->bias);
	if (!mod || !dwfl_module_info(mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		return -ENOMEM;
	*userdata = module;
	return 0;
}

/* Add the file of ip to libdwfl. An unusable file is remembered, too, so that it is tried once. */
static int process__add_module(struct unwinder *u, const struct map *map, u64 ip)
{
	struct process *p = u->now;
	struct module *module;
	int ret;

	for (module = p->modules; module; module = module->next) {
		if (module->dso == map->of->dso && !module->usable)
			return -ENOENT;
	}
	module = calloc(1, sizeof(*module));
	if (!module)
		return -ENOMEM;
	module->dso = map->of->dso;
	ret = unwind_file__open(u->machine, &u->places, map->of->dso, &module->file);
	if (!ret) {
		ret = dwarf_cfi__check_file(&module->file) ?: process__report(p, module, map, ip);
		if (ret)
			elf_file__close(&module->file);
	}
	module->usable = !ret;
	module->next = p->modules;
	p->modules = module;
	return ret;
}

static bool module__has(const struct module *module, const struct map *map, u64 ip)
{
	u64 vaddr;

	return module->dso == map->of->dso && elf_file__vaddr(&module->file, unwind_file__offset(map, ip), &vaddr) &&
	       vaddr + module->bias == ip;
}

/* 0: libdwfl has the code at ip, or nothing is mapped there. -ENOENT and others: the file there is unusable. */
static int unwinder__prepare(struct unwinder *u, u64 ip)
{
	const struct map *map = machine__find_map(u->machine, u->thread, PERF_RECORD_MISC_USER, ip);
	Dwfl_Module *mod = dwfl_addrmodule(u->now->dwfl, ip);
	void **userdata;

	if (!map)
		return 0;
	if (!mod)
		return process__add_module(u, map, ip);
	if (dwfl_module_info(mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL) && *userdata && module__has(*userdata, map, ip))
		return 0;
	u->stale = true;
	return -ESTALE;
}

/* No code is there, and readers would take it for a mark of callchains: a stack ends before it. */
static bool is_marker(u64 ip)
{
	return ip >= (u64)PERF_CONTEXT_MAX;
}

static int unwinder__add(struct unwinder *u, u64 ip)
{
	if (array__grow(u->ips, u->nr, u->alloc))
		return -ENOMEM;
	u->ips[u->nr++] = ip;
	return 0;
}

static pid_t next_thread(Dwfl *dwfl, void *unwinder, void **thread)
{
	if (*thread)
		return 0;
	*thread = unwinder;
	return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *unwinder, void **thread)
{
	*thread = unwinder;
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *unwinder)
{
	const struct unwind_regs *regs = &((struct unwinder *)unwinder)->regs;

	for (u32 i = 0; i < regs->nr; i++) {
		if (regs->present & 1ULL << i && !dwfl_thread_state_registers(thread, i, 1, &regs->value[i]))
			return false;
	}
	dwfl_thread_state_register_pc(thread, regs->ip);
	return true;
}

/* Read constants from files: data that was written at run time is not available. */
static bool read_file(struct unwinder *u, u64 addr, void *word, size_t size)
{
	const struct map *map = machine__find_map(u->machine, u->thread, PERF_RECORD_MISC_USER, addr);

	if (!map || map->end - addr < size)
		return false;
	for (const struct module *module = u->now->modules; module; module = module->next) {
		if (module->usable && module->dso == map->of->dso && module->file.fd >= 0)
			return pread(module->file.fd, word, size, unwind_file__offset(map, addr)) == (ssize_t)size;
	}
	return false;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *result, void *unwinder)
{
	struct unwinder *u = unwinder;
	u64 size = u->regs.word_size, stack_size = u->sample->user_stack_size, offset = addr - u->regs.sp;
	u32 half;
	void *to = size == sizeof(half) ? (void *)&half : result;

	if (offset < stack_size && stack_size - offset >= size) {
		memcpy(to, (const u8 *)u->sample->user_stack + offset, size);
	} else if (!(u->memory && u->memory->read(u->memory->data, addr, to, size)) && !read_file(u, addr, to, size)) {
		u->unread = true;
		return false;
	}
	if (size == sizeof(half))
		*result = half;
	return true;
}

static int add_frame(Dwfl_Frame *frame, void *unwinder)
{
	struct unwinder *u = unwinder;
	bool is_activation;
	Dwarf_Addr pc;
	int unknown;

	/* to check whether pc is a return address libdwfl goes on to the next frame, so add its file before */
	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	unwinder__prepare(u, pc);
	if (u->stale || !dwfl_frame_pc(frame, &pc, &is_activation))
		return DWARF_CB_ABORT;
	/* the call may be the function's last instruction: then the return address is in the next function */
	unknown = unwinder__prepare(u, pc - !is_activation);
	if (u->stale || is_marker(pc))
		return DWARF_CB_ABORT;
	u->err = unwinder__add(u, pc - (!is_activation && !u->keeps_returns));
	if (u->nr >= u->max)
		u->end = UNWIND_DEPTH;
	else if (unknown)
		u->end = UNWIND_NO_FILE;
	/* The caller of unknown code could only be guessed. */
	return u->err || unknown || u->nr >= u->max ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static const Dwfl_Callbacks file_callbacks = { .find_elf = find_elf, .find_debuginfo = find_debuginfo };
static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread, .get_thread = get_thread, .memory_read = read_memory, .set_initial_registers = set_registers,
};

/* libdwfl gets the machine from a file: any one will do. */
static void process__attach(struct unwinder *u)
{
	struct process *p = u->now;
	const struct map *map = NULL;

	while (!p->has_program && (map = maps__next(u->thread->maps, map ? map->start : 0)))
		p->has_program = map->of->prot & PROT_EXEC && !unwind_file__open(u->machine, &u->places, map->of->dso, &p->program);
	if (p->has_program && dwfl_attach_state(p->dwfl, p->program.elf, u->thread->pid, &thread_callbacks, u))
		return;
	if (p->has_program)
		elf_file__close(&p->program);
	p->has_program = false;
}

/* Make the thread's process the current one. */
static int unwinder__enter(struct unwinder *u)
{
	struct process *oldest = &u->process[0];

	u->now = NULL;
	for (int i = 0; i < MAX_PROCESSES; i++) {
		if (u->process[i].dwfl && u->process[i].maps == u->thread->maps)
			u->now = &u->process[i];
		if (u->process[i].last_use < oldest->last_use)
			oldest = &u->process[i];
	}
	if (!u->now) {
		process__exit(oldest);
		oldest->dwfl = dwfl_begin(&file_callbacks);
		if (!oldest->dwfl)
			return -ENOMEM;
		oldest->maps = maps__get(u->thread->maps);
		u->now = oldest;
		process__attach(u);
	}
	u->now->last_use = ++u->nr_uses;
	return 0;
}

/* 0, -ENOMEM, or -ESTALE: try again with an empty cache. */
static int unwinder__frames(struct unwinder *u)
{
	if (unwinder__enter(u))
		return -ENOMEM;
	if (!u->now->has_program || !unwind_regs__of_sample(&u->regs, u->sample, u->now->program.ehdr.e_machine))
		return u->sample->cpumode == PERF_RECORD_MISC_USER ? unwinder__add(u, u->sample->ip) : 0;
	u->stale = u->unread = false;
	u->end = UNWIND_GOES_ON;
	u->err = 0;
	unwinder__prepare(u, u->regs.ip);
	/* an error means that the stack ends before its bottom, which is common: keep the frames found so far */
	if (!u->stale && !dwfl_getthread_frames(u->now->dwfl, 1, add_frame, u))
		u->end = UNWIND_COMPLETE;
	if (!u->stale)
		return u->err;
	process__exit(u->now);
	return -ESTALE;
}

/* Entries of the sample's callchain that stay: with frame pointers, those before its user's part */
static u64 nr_kept(const struct unwinder *u)
{
	u64 nr = 0;

	while (nr < u->sample->nr_callchain && !(u->guesses && u->sample->callchain[nr] == PERF_CONTEXT_USER))
		nr++;
	return nr;
}

static int unwinder__start(struct unwinder *u)
{
	u->nr = 0;
	for (u64 i = 0; i < nr_kept(u); i++) {
		if (unwinder__add(u, u->sample->callchain[i]))
			return -ENOMEM;
	}
	return unwinder__add(u, u->keeps_returns ? PERF_CONTEXT_USER : PERF_CONTEXT_USER_CALLS_);
}

static int unwinder__put(struct unwinder *u, const u64 *ips, u32 nr)
{
	int ret = unwinder__start(u);

	for (u32 i = 0; !ret && i < nr && !is_marker(ips[i]); i++)
		ret = unwinder__add(u, ips[i]);
	return ret;
}

/* By rules, without libdwfl. -EAGAIN: they do not suffice. */
static int unwinder__walk_rules(struct unwinder *u, u32 max_frames)
{
	const u64 *ips;
	ssize_t nr = rule_walk__run(u->rules, u->thread, u->sample, max_frames, &ips);

	u->end = rule_walk__end(u->rules);
	return nr < 0 ? nr : unwinder__put(u, ips, nr);
}

static int unwinder__walk_dwarf(struct unwinder *u, u32 max_frames)
{
	int ret = -ESTALE;

	for (int attempt = 0; attempt < 2 && ret == -ESTALE; attempt++) {
		ret = unwinder__start(u);
		u->max = u->nr + max_frames;
		if (!ret)
			ret = unwinder__frames(u);
	}
	u->took_dwarf = true;
	if (!u->end)
		u->end = u->unread ? UNWIND_MEMORY : UNWIND_HARD;
	return ret;
}

/* Where rules do not suffice. Those that assume frame pointers may have got further than libdwfl. */
static int unwinder__go_on(struct unwinder *u, u32 max_frames)
{
	const enum unwind_end end_by_rules = u->end;
	const u64 *ips;
	const u32 nr = u->guesses && u->rules ? rule_walk__found(u->rules, &ips) : 0;
	int ret = u->no_dwarf ? 0 : unwinder__walk_dwarf(u, max_frames);

	if (ret == -ENOMEM || (!u->no_dwarf && (u->end == UNWIND_COMPLETE || u->nr - nr_kept(u) > nr)))
		return ret;
	u->end = end_by_rules == UNWIND_NO_TABLE ? UNWIND_HARD : end_by_rules;
	return unwinder__put(u, ips, nr);
}

static bool is_whole(const struct unwinder *u)
{
	return u->end == UNWIND_COMPLETE || u->end == UNWIND_ZERO;
}

/* Callers in the sample's callchain from there on, up to its end or what is no code */
static int unwinder__add_callers(struct unwinder *u, u64 from, u64 max)
{
	int ret = 0;

	for (u64 i = from; i < u->sample->nr_callchain && u->nr < max && !ret; i++) {
		const u64 ip = u->sample->callchain[i];

		if (is_marker(ip) || !machine__has_code(u->machine, u->thread, ip - 1))
			break;
		ret = unwinder__add(u, ip);
	}
	return ret;
}

/*
 * The place in the chain of frame pointers of the frame at ips[i]; 0: none. In a recursion many frames are equal. The chain may lack frames, but has
 * none in addition: so it is the nearest equal one before.
 */
static u64 place_in_chain(const struct unwinder *u, u64 i, u64 first)
{
	const u64 end = u->sample->nr_callchain;

	for (u64 j = (i < end ? i : end - 1) + 1; j-- > first;) {
		if (u->sample->callchain[j] == u->ips[i])
			return j;
	}
	return 0;
}

/*
 * Go on with the chain of frame pointers behind the last frame that it shares with the stack. What was unwound stays: the chain lacks callers of
 * functions without a frame pointer. The sampled frame is in both, also where the register holds data: it proves the chain only if nothing else is known.
 */
static int unwinder__add_chain(struct unwinder *u, u32 max_frames)
{
	const u64 first = nr_kept(u) + 1; /* behind PERF_CONTEXT_USER in both */
	u64 shared = 0;

	if (u->sample->nr_callchain <= first)
		return 0;
	if (u->nr == first && unwinder__add(u, u->sample->callchain[first]))
		return -ENOMEM;
	if (u->nr == first + 1)
		shared = place_in_chain(u, first, first);
	for (u64 i = u->nr; i-- > first + 1 && !shared;)
		shared = place_in_chain(u, i, first + 1);
	return shared ? unwinder__add_callers(u, shared + 1, first + max_frames) : 0;
}

/* A word behind the copy is known only if the copy is the whole stack. */
static bool is_cut(const struct unwinder *u)
{
	return u->end == UNWIND_MEMORY && u->sample->user_stack_room && u->sample->user_stack_size >= u->sample->user_stack_room;
}

int unwinder__unwind(struct unwinder *u, struct thread *thread, struct perf_sample *sample, u32 max_frames)
{
	int ret;

	if (!sample->user_regs || (!sample->user_stack_size && !u->memory))
		return 0;
	u->thread = thread;
	u->sample = sample;
	u->took_dwarf = false;
	u->end = UNWIND_GOES_ON;
	ret = u->rules ? unwinder__walk_rules(u, max_frames) : -EAGAIN;
	if (ret == -EAGAIN)
		ret = unwinder__go_on(u, max_frames);
	if (is_cut(u))
		u->end = UNWIND_CUT;
	if (ret != -ENOMEM && u->guesses && !is_whole(u))
		ret = unwinder__add_chain(u, max_frames);
	if (ret == -ENOMEM)
		return ret;
	sample->callchain = u->ips;
	sample->nr_callchain = u->nr;
	return 0;
}

enum unwind_end unwinder__end(const struct unwinder *u)
{
	return u->end;
}

bool unwinder__took_dwarf(const struct unwinder *u)
{
	return u->took_dwarf;
}

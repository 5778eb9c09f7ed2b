// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/resolve.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/array.h"
#include "util/lib/fs.h"
#include "util/lib/jobs.h"
#include "util/symbol/build-id-cache.h"
#include "util/symbol/call-site.h"
#include "util/symbol/code-file.h"
#include "util/symbol/code-table.h"
#include "util/symbol/frame-table.h"
#include "util/symbol/jitdump.h"
#include "util/symbol/kernel-symbols.h"
#include "util/symbol/perf-map.h"
#include "util/symbol/recorded-file.h"
#include "util/symbol/running-kernel.h"
#include "util/symbol/symtab-build.h"
#include "util/symbol/symtab-elf.h"
#include "util/symbol/live-functions.h"
#include "util/symbol/unnamed-functions.h"

#define MAX_ONCE 4096 /* frames; the table stays in the CPU's caches */
#define LAST_ONCE (UINT32_MAX - (1u << 26)) /* no sample has that many frames */

struct once {
	struct once_frame {
		u64 addr;
		const struct map *map;
		u32 code; /* of code-table.h, if all else is there */
		u32 full; /* else index in loc, plus 1 */
		u8 cpumode;
		bool is_unnamed; /* code without a symbol */
	} *frame;
	struct location *loc;
	u32 nr, alloc, nr_locs, alloc_locs;
	u32 base; /* number of the first frame */
	u32 nr_emptied; /* how many times */
	struct location shown; /* the last one that was asked for */
};

struct resolver {
	struct machine *machine;
	struct resolver_opts opts;
	bool reads_types; /* so it needs the locations of variables */
	struct kernel_symbols kernel;
	struct jobs *jobs; /* NULL: nothing was loaded ahead so far */
	struct job *notice; /* the last notice; NULL: nobody waits for one */
	struct frame_table frames;
	struct once *once; /* changes when it is read, too */
	struct code_table codes;
};

struct dso_symbols { /* dso->priv */
	struct symtab *tab; /* NULL: none */
	char *why;	    /* what failed; NULL: nothing */
	int error, lines_error, types_error, code_error; /* -errno of the symbol table, the lines, the types, the code; 0: no error */
	struct srclines *lines; /* NULL: none, or not yet opened */
	bool lines_tried;
	struct data_types *types; /* NULL: the same */
	bool types_tried;
	struct code_file *code; /* NULL: the same */
	bool code_tried;
	struct unnamed_functions *unnamed; /* NULL: the same */
	bool unnamed_tried;
	/* The jobs that load ahead, and what they read. While a job is not NULL, it owns the members above that it fills. */
	struct job *tab_job, *lines_job;
	const struct resolver *resolver;
	struct dso *dso;
	s64 kernel_shift; /* of a kernel: offset of its addresses from those in its file */
};

/* Shared by all dsos for which memory ran out. */
static struct dso_symbols no_memory = { .error = -ENOMEM, .lines_tried = true, .types_tried = true, .code_tried = true,
					.unnamed_tried = true };

struct resolver *resolver__new(struct machine *machine, const struct resolver_opts *opts)
{
	struct resolver *r = calloc(1, sizeof(*r));
	struct once *once = calloc(1, sizeof(*once));

	if (!r || !once) {
		free(once);
		free(r);
		return NULL;
	}
	r->once = once;
	once->base = FRAMES_ONCE;
	r->machine = machine;
	if (opts)
		r->opts = *opts;
	kernel_symbols__init(&r->kernel, machine, &r->opts.symtab, r->opts.vmlinux, r->opts.kallsyms);
	return r;
}

static void once__delete(struct once *once)
{
	free(once->frame);
	free(once->loc);
	free(once);
}

void resolver__read_types(struct resolver *r)
{
	r->reads_types = true;
}

void resolver__delete(struct resolver *r)
{
	if (!r)
		return;
	jobs__delete(r->jobs);
	kernel_symbols__exit(&r->kernel);
	frame_table__exit(&r->frames);
	once__delete(r->once);
	code_table__exit(&r->codes);
	free(r);
}

void resolver__free_dso(struct dso *dso)
{
	struct dso_symbols *symbols = dso->priv;

	if (!symbols || symbols == &no_memory)
		return;
	symtab__delete(symbols->tab);
	data_types__delete(symbols->types);
	code_file__delete(symbols->code);
	unnamed_functions__delete(symbols->unnamed);
	srclines__delete(symbols->lines);
	free(symbols->why);
	free(symbols);
	dso->priv = NULL;
}

/* A BPF program is one function with the name in its record: its addresses start at the map's, see map__dso_addr(). */
static int load_bpf(struct dso *dso, struct symtab **tab)
{
	struct symtab_builder b = {};
	int err = symtab_builder__add(&b, 0, UINT64_MAX, STB_GLOBAL, STT_FUNC, dso->name);

	if (!err) {
		symtab_builder__settle(&b);
		err = symtab_builder__finish(&b, tab);
	}
	symtab_builder__exit(&b);
	return err;
}

static int resolver__load_vdso(struct resolver *r, struct dso *dso, struct symtab **tab, struct errmsg *err)
{
	size_t size;
	const void *image = running_kernel__vdso(r->machine, &size);
	int rc = image ? symtab__load_elf_image(image, size, &dso->build_id, tab) : -ENOENT;
	int fd = rc ? bundle__open_file(r->opts.symtab.bundle, &dso->build_id, dso->name, "vdso") : -1;
	char *cached = fd >= 0 ? fs__path_of_fd(fd) : rc ? build_id_cache__find(r->opts.symtab.cache, &dso->build_id, "vdso") : NULL;

	if (cached)
		rc = symtab__load_elf(cached, &dso->build_id, NULL, tab, err);
	free(cached);
	fs__close_many(&fd, 1);
	return rc ? errmsg__set(err, -rc, "%s: not that of the running kernel", dso->name) : 0;
}

static bool is_vdso(const struct dso *dso)
{
	return !strcmp(dso->name, "[vdso]");
}

static struct file_places resolver__places(const struct resolver *r, const struct dso *dso)
{
	const struct symtab_opts *o = &r->opts.symtab;

	return (struct file_places){ o->symfs, o->cache, o->bundle, dso, o->mapped };
}

static int resolver__load_user(struct resolver *r, struct dso *dso, struct symtab **tab, struct errmsg *err)
{
	const struct file_places places = resolver__places(r, dso);
	struct symtab_opts opts;
	int rc;

	if (is_vdso(dso))
		return resolver__load_vdso(r, dso, tab, err);
	if (perf_map__is_name(dso->name)) {
		rc = symtab__load_perf_map(dso->name, &places, tab, err);
		return rc == -ENOENT ? 0 : rc; /* most programs write no perf map */
	}
	if (dso->is_jitdump)
		return symtab__load_jitdump(dso->name, &places, tab, err);
	if (dso->name[0] == '/' && !live_functions__are_of(r->opts.symtab.live, dso)) {
		opts = r->opts.symtab;
		opts.dso = dso;
		return symtab__load_elf(dso->name, &dso->build_id, &opts, tab, err);
	}
	return 0; /* "[heap]", "anon_inode:...": no file, no symbols */
}

static int resolver__load(struct resolver *r, struct dso *dso, struct symtab **tab, s64 *shift, struct errmsg *err)
{
	switch (dso->kind) {
	case DSO_USER:
		return resolver__load_user(r, dso, tab, err);
	case DSO_KERNEL:
		return kernel_symbols__load(&r->kernel, dso, tab, shift, err);
	case DSO_MODULE:
		return kernel_symbols__load_module(&r->kernel, dso, tab, err);
	case DSO_BPF:
		return load_bpf(dso, tab);
	}
	return 0;
}

static void dso_symbols__set_tab(struct dso_symbols *symbols, int ret, struct symtab *tab, const struct errmsg *err)
{
	symbols->error = ret;
	if (ret)
		symbols->why = strdup(err->text);
	else
		symbols->tab = tab;
}

static void finish_job(struct resolver *r, struct job **job)
{
	if (!*job)
		return;
	jobs__finish(r->jobs, *job);
	*job = NULL;
}

static const struct symtab *resolver__load_symtab(struct resolver *r, struct dso *dso)
{
	struct dso_symbols *symbols = calloc(1, sizeof(*symbols));
	struct symtab *tab = NULL;
	struct errmsg err = {};
	int ret;

	if (!symbols) {
		dso->priv = &no_memory;
		return NULL;
	}
	ret = resolver__load(r, dso, &tab, &symbols->kernel_shift, &err);
	dso_symbols__set_tab(symbols, ret, tab, &err);
	dso->priv = symbols;
	return symbols->tab;
}

static const struct symtab *resolver__symtab(struct resolver *r, struct dso *dso)
{
	struct dso_symbols *symbols = dso->priv;

	if (!symbols)
		return resolver__load_symtab(r, dso);
	finish_job(r, &symbols->tab_job);
	return symbols->tab;
}

/*
 * In recordings the kernel's map may reach to the end of memory. What is after its last symbol belongs to something that was not
 * recorded, such as a BPF program.
 */
static bool is_behind_kernel(const struct symtab *tab, u64 addr)
{
	u32 nr = symtab__nr(tab);

	return nr && addr >= symtab__at(tab, nr - 1)->end;
}

/* User files only; a kernel's lines depend on where its symbols come from. */
static bool may_have_lines(const struct resolver *r, const struct dso *dso)
{
	return dso->kind == DSO_USER && !live_functions__are_of(r->opts.symtab.live, dso) && dso->name[0] == '/' && !dso->is_jitdump && !perf_map__is_name(dso->name);
}

/* Few files need it: it is read when the first address is in no symbol. */
static const struct symbol *find_unnamed(const struct resolver *r, const struct dso *dso, u64 addr)
{
	const struct file_places places = resolver__places(r, dso);
	struct dso_symbols *symbols = dso->priv;

	if (!symbols->unnamed_tried) {
		symbols->unnamed_tried = true;
		if (may_have_lines(r, dso) && unnamed_functions__open(dso->name, &dso->build_id, &places, dso->short_name, &symbols->unnamed))
			symbols->unnamed = NULL;
	}
	return symbols->unnamed ? unnamed_functions__find(symbols->unnamed, addr) : NULL;
}

static const struct symbol *find_live(const struct resolver *r, const struct dso *dso, u64 addr)
{
	struct live_functions *live = r->opts.symtab.live;

	return dso->kind == DSO_USER && live_functions__are_of(live, dso) ? live_functions__find(live, addr) : NULL;
}

static void look_at_code(struct resolver *r, struct dso *dso, u64 addr, struct code *code)
{
	const struct symtab *tab = resolver__symtab(r, dso);

	code->sym = tab ? symtab__find(tab, addr) : find_live(r, dso, addr);
	code->is_none = tab && !code->sym && dso->kind == DSO_KERNEL && is_behind_kernel(tab, addr);
	code->is_unnamed = !code->sym;
	if (!code->sym && dso->kind == DSO_USER && !r->opts.no_fde_names)
		code->sym = find_unnamed(r, dso, addr);
}

static struct code_file *resolver__code_file(struct resolver *r, const struct dso *dso);

static void read_code(struct resolver *r, const struct dso *dso, u64 addr, struct call_site_bytes *code)
{
	const struct code_file *file = dso->kind == DSO_USER && addr >= CALL_SITE_BEFORE ? resolver__code_file(r, dso) : NULL;

	code->known = file && code_file__read(file, addr - CALL_SITE_BEFORE, code->byte, sizeof(code->byte)) == sizeof(code->byte);
}

/* Is the return address in the function whose symbol is that of the byte before it? */
static bool is_within(const struct code *code)
{
	return !code->is_unnamed && code->addr < code->sym->end;
}

/*
 * Does a call end at the return address? It may be the last instruction of a function, and the address the first one of the next function. If
 * none does, the address is where code starts that nobody called.
 */
static void look_at_start(struct resolver *r, struct dso *dso, const struct call_site_bytes *bytes, struct code *code)
{
	struct code start = { .dso = dso };

	if (bytes->known && call_site__ends_call(bytes))
		return;
	look_at_code(r, dso, code->addr, &start);
	if (!bytes->known && (code->sym || !start.sym))
		return;
	code->sym = start.sym;
	code->is_none = start.is_none;
	code->back = 0;
}

/* code->addr as a return address, or as it is */
static void look_at_frame(struct resolver *r, struct dso *dso, struct code *code)
{
	struct call_site_bytes bytes;

	code->back = code->is_caller && code->addr;
	look_at_code(r, dso, code->addr - code->back, code);
	if (code->is_unnamed || (code->back && !is_within(code))) {
		read_code(r, dso, code->addr, &bytes);
		code->interrupts = call_site__is_sigreturn(&bytes);
		if (code->back)
			look_at_start(r, dso, &bytes, code);
	}
	code->interrupts |= call_site__interrupts(dso, code->sym);
}

/* Returns the number of the code; 0: it is unknown, or has none. */
static u32 resolver__find_code(struct resolver *r, struct dso *dso, u64 addr, bool is_caller, struct code *found)
{
	u32 hash = code_hash(dso, addr);
	const struct code *known = code_table__find(&r->codes, dso, addr, is_caller, hash);
	struct code *new;

	if (known) {
		*found = *known;
		return code_table__number(&r->codes, known);
	}
	*found = (struct code){ .dso = dso, .addr = addr, .is_caller = is_caller };
	look_at_frame(r, dso, found);
	new = code_table__add(&r->codes, dso, addr, hash);
	if (!new)
		return 0;
	*new = *found;
	return code_table__number(&r->codes, new);
}

static struct location no_location(u8 cpumode, u64 addr)
{
	return (struct location){ .addr = addr, .sym_addr = addr, .cpumode = cpumode };
}

static void set_code(struct location *loc, const struct map *map, const struct code *code)
{
	if (code->is_none)
		return;
	loc->map = map;
	loc->dso = map->of->dso;
	loc->sym = code->sym;
	loc->sym_addr = code->addr;
	loc->back = code->back;
}

static u8 cpumode_of(u8 mode)
{
	return mode & ~FRAME_CALLER;
}

/* A call may be the last instruction of its map. */
static const struct map *find_map(struct resolver *r, struct thread *thread, u8 mode, u64 addr)
{
	const struct map *map = machine__find_map(r->machine, thread, cpumode_of(mode), addr);
	const bool is_edge = mode & FRAME_CALLER && (!map || addr == map->start);

	return (is_edge ? machine__find_map(r->machine, thread, cpumode_of(mode), addr - 1) : NULL) ?: map;
}

/* Returns the number of the code; 0: it is unknown, or has none. */
static u32 resolver__look_up(struct resolver *r, struct thread *thread, u8 mode, u64 addr, struct location *loc, bool *interrupts)
{
	const struct map *map = find_map(r, thread, mode, addr);
	struct code code;
	u32 number;

	*loc = no_location(cpumode_of(mode), addr);
	*interrupts = false;
	if (!map)
		return 0;
	number = resolver__find_code(r, map->of->dso, map__dso_addr(map, addr), mode & FRAME_CALLER, &code);
	set_code(loc, map, &code);
	*interrupts = code.interrupts;
	return code.is_none ? 0 : number;
}

void resolver__resolve_data(struct resolver *r, struct thread *thread, u64 addr, struct location *loc)
{
	const struct symtab *tab;
	const struct symbol *sym;
	const struct map *file;

	resolver__resolve(r, thread, PERF_RECORD_MISC_USER, addr, loc);
	if (!loc->map || loc->sym || loc->map->of->ino)
		return;
	file = machine__find_map(r->machine, thread, PERF_RECORD_MISC_USER, loc->map->start - 1);
	if (!file || file->end != loc->map->start)
		return;
	tab = resolver__symtab(r, file->of->dso);
	sym = tab ? symtab__find(tab, map__dso_addr(file, addr)) : NULL;
	if (!sym || !sym->is_data)
		return;
	loc->dso = file->of->dso;
	loc->sym = sym;
	loc->sym_addr = map__dso_addr(file, addr);
}

/* Load the lines from the vmlinux with the kernel's symbols; uses exactly that path. */
static void load_kernel_lines(const struct resolver *r, const struct dso *dso, struct dso_symbols *symbols)
{
	const struct dwarf_file_opts opts = { .locations = r->reads_types, .debuginfod = r->opts.debuginfod };

	symbols->lines_error = srclines__open(r->kernel.vmlinux, &dso->build_id, &opts, !r->opts.symtab.demangle_kernel, &symbols->lines, NULL);
	if (symbols->lines_error)
		symbols->lines = NULL;
}

static void load_lines(const struct resolver *r, const struct dso *dso, struct dso_symbols *symbols)
{
	struct dwarf_file_opts opts = {
		.symfs = r->opts.symtab.symfs, .cache = r->opts.symtab.cache, .bundle = r->opts.symtab.bundle, .dso = dso,
		.mapped = r->opts.symtab.mapped,
		.locations = r->reads_types, .debuginfod = r->opts.debuginfod,
	};

	symbols->lines_tried = true;
	if (dso->kind == DSO_KERNEL && r->kernel.vmlinux && symbols->tab)
		load_kernel_lines(r, dso, symbols);
	if (!may_have_lines(r, dso))
		return;
	symbols->lines_error = srclines__open(dso->name, &dso->build_id, &opts, r->opts.symtab.no_demangle, &symbols->lines, NULL);
	if (symbols->lines_error)
		symbols->lines = NULL;
}

static struct srclines *resolver__lines(struct resolver *r, const struct location *loc)
{
	struct dso_symbols *symbols = loc->dso ? loc->dso->priv : NULL;

	if (!symbols)
		return NULL;
	finish_job(r, &symbols->lines_job);
	if (!symbols->lines_tried)
		load_lines(r, loc->dso, symbols);
	return symbols->lines;
}

/* Weights of jobs by duration: the kernel creates the text of kallsyms for each reader. */
enum { NOTICE_WEIGHT, TAB_WEIGHT, LINES_WEIGHT, KERNEL_WEIGHT };

/* Runs in a job: resolver and dso do not change in the members that it reads. */
static void load_user_tab(void *arg)
{
	struct dso_symbols *symbols = arg;
	const struct dso *dso = symbols->dso;
	struct symtab *tab = NULL;
	struct symtab_opts opts = symbols->resolver->opts.symtab;
	struct errmsg err = {};
	int ret;

	opts.dso = dso;
	ret = symtab__load_elf(dso->name, &dso->build_id, &opts, &tab, &err);
	dso_symbols__set_tab(symbols, ret, tab, &err);
}

static void load_kernel_tab(void *arg)
{
	struct dso_symbols *symbols = arg;
	struct symtab *tab = NULL;
	struct errmsg err = {};
	int ret = kernel_symbols__load_core(&symbols->resolver->kernel, symbols->kernel_shift, &tab, &err);

	dso_symbols__set_tab(symbols, ret, tab, &err);
}

static void load_user_lines(void *arg)
{
	struct dso_symbols *symbols = arg;

	load_lines(symbols->resolver, symbols->dso, symbols);
}

/* Only mapped files, and kallsyms if it belongs to the recorded kernel; all else loads faster than a thread wakes up. */
static bool can_load_ahead(struct resolver *r, const struct dso *dso)
{
	struct errmsg err;

	return (may_have_lines(r, dso) && !r->opts.symtab.debuginfod) || (dso->kind == DSO_KERNEL && !kernel_symbols__check_kallsyms(&r->kernel, &err) && !r->kernel.vmlinux);
}

static void resolver__add_jobs(struct resolver *r, struct dso *dso, bool with_lines)
{
	struct dso_symbols *symbols = can_load_ahead(r, dso) ? calloc(1, sizeof(*symbols)) : NULL;

	if (!symbols)
		return;
	symbols->resolver = r;
	symbols->dso = dso;
	if (dso->kind == DSO_KERNEL)
		symbols->kernel_shift = kernel_symbols__shift(&r->kernel, r->kernel.kallsyms);
	if (dso->kind == DSO_KERNEL)
		symbols->tab_job = jobs__add(r->jobs, load_kernel_tab, symbols, KERNEL_WEIGHT);
	else
		symbols->tab_job = jobs__add(r->jobs, load_user_tab, symbols, TAB_WEIGHT);
	if (!symbols->tab_job) {
		free(symbols);
		return;
	}
	dso->priv = symbols;
	if (with_lines && may_have_lines(r, dso)) /* otherwise lines are loaded on first use */
		symbols->lines_job = jobs__add(r->jobs, load_user_lines, symbols, LINES_WEIGHT);
}

void resolver__load_ahead(struct resolver *r, struct thread *thread, u8 cpumode, u64 addr, bool in_chain)
{
	const struct map *map = machine__find_map(r->machine, thread, cpumode, addr);

	if (!map || map->of->dso->priv)
		return;
	if (!r->jobs)
		r->jobs = jobs__new();
	if (r->jobs)
		resolver__add_jobs(r, map->of->dso, in_chain && !r->opts.no_inline && !r->opts.debuginfod);
}

void resolver__begin_loading(struct resolver *r)
{
	if (r->jobs)
		jobs__begin(r->jobs);
}

void resolver__notice_loaded(struct resolver *r, void (*run)(void *arg), void *arg)
{
	if (!r->jobs) {
		run(arg);
		return;
	}
	r->notice = jobs__add(r->jobs, run, arg, NOTICE_WEIGHT);
	jobs__begin(r->jobs);
}

void resolver__end_notice(struct resolver *r)
{
	finish_job(r, &r->notice);
}

/* The offset in the file of the instruction, or of its call. A kernel's symbols have addresses. */
static u64 lines_offset(const struct srclines *lines, const struct location *loc)
{
	const struct dso_symbols *symbols = loc->dso->priv;
	const u64 addr = location__code_addr(loc);

	return loc->dso->kind == DSO_KERNEL ? srclines__offset(lines, addr - symbols->kernel_shift) : addr;
}

const struct srcline *resolver__srcline(struct resolver *r, const struct location *loc)
{
	struct srclines *lines = resolver__lines(r, loc);

	return lines ? srclines__find(lines, lines_offset(lines, loc), loc->sym) : NULL;
}

const struct srcline_frame *resolver__code(struct resolver *r, const struct location *loc)
{
	const struct srcline *line;

	if (loc->code)
		return loc->code;
	line = resolver__srcline(r, loc);
	return line ? &line->frame[0] : NULL;
}

const struct srcline *resolver__inlined(struct resolver *r, const struct location *loc)
{
	struct srclines *lines = r->opts.no_inline || !loc->sym ? NULL : resolver__lines(r, loc);

	return lines ? srclines__inlined(lines, location__code_addr(loc), loc->sym) : NULL;
}

/* Open a kernel's code from the vmlinux of its lines. */
static void resolver__load_types(struct resolver *r, const struct dso *dso, struct dso_symbols *symbols)
{
	struct file_places places = resolver__places(r, dso);
	const char *path = dso->name;

	symbols->types_tried = true;
	if (dso->kind == DSO_KERNEL && symbols->lines) {
		path = r->kernel.vmlinux;
		places = (struct file_places){};
	} else if (!may_have_lines(r, dso)) {
		return;
	}
	symbols->types_error = data_types__open(symbols->lines, path, &dso->build_id, &places, &symbols->types);
	if (symbols->types_error)
		symbols->types = NULL;
}

/* NULL: those of its file are not known. *offset: of the instruction there */
static struct data_types *resolver__types(struct resolver *r, const struct location *loc, u64 *offset)
{
	struct srclines *lines = resolver__lines(r, loc);
	struct dso_symbols *symbols = loc->dso ? loc->dso->priv : NULL;

	if (!symbols)
		return NULL;
	if (!symbols->types_tried)
		resolver__load_types(r, loc->dso, symbols);
	if (symbols->types)
		*offset = lines ? lines_offset(lines, loc) : loc->sym_addr;
	return symbols->types;
}

const struct data_type *resolver__data_type(struct resolver *r, const struct location *loc)
{
	u64 offset;
	struct data_types *types = resolver__types(r, loc, &offset);

	return types ? data_types__find(types, offset) : &data_type_unknown;
}

int resolver__data_layout(struct resolver *r, const struct location *loc, struct data_layout *layout)
{
	u64 offset;
	struct data_types *types = resolver__types(r, loc, &offset);

	return types ? data_types__layout(types, offset, layout) : -ENOENT;
}

static void resolver__open_code(const struct resolver *r, const struct dso *dso, struct dso_symbols *symbols)
{
	const struct file_places places = resolver__places(r, dso);
	const void *vdso;
	size_t size;

	symbols->code_tried = true;
	if (may_have_lines(r, dso))
		symbols->code_error = code_file__open(dso->name, &dso->build_id, &places, &symbols->code);
	else if (is_vdso(dso) && (vdso = running_kernel__vdso(r->machine, &size)))
		symbols->code_error = code_file__open_image(vdso, size, &dso->build_id, &symbols->code);
	if (symbols->code_error)
		symbols->code = NULL;
}

/* NULL: it cannot be read. */
static struct code_file *resolver__code_file(struct resolver *r, const struct dso *dso)
{
	struct dso_symbols *symbols = dso->priv;

	if (symbols && !symbols->code_tried)
		resolver__open_code(r, dso, symbols);
	return symbols ? symbols->code : NULL;
}

u32 resolver__insn(struct resolver *r, const struct location *loc, u8 code[INSN_MAX_SIZE])
{
	const struct code_file *file = loc->dso ? resolver__code_file(r, loc->dso) : NULL;

	return file ? code_file__insn(file, loc->sym_addr, code) : 0;
}

u64 resolver__file_address(struct resolver *r, const struct location *loc)
{
	struct srclines *lines = resolver__lines(r, loc);
	const struct dso_symbols *symbols = loc->dso ? loc->dso->priv : NULL;

	if (lines)
		return srclines__vaddr(lines, lines_offset(lines, loc)) + loc->back;
	return r->kernel.vmlinux && symbols && loc->dso->kind == DSO_KERNEL ? loc->sym_addr - symbols->kernel_shift : loc->sym_addr;
}

u64 resolver__address_in_memory(struct resolver *r, const struct symbol *sym, const char *kallsyms)
{
	return kallsyms || running_kernel__is_recorded(r->machine) ? sym->start - kernel_symbols__shift(&r->kernel, kallsyms) : 0;
}

const char *resolver__kallsyms(const struct resolver *r)
{
	return r->kernel.bundled < 0 ? r->kernel.kallsyms : NULL;
}

u64 resolver__mapped_size(struct resolver *r, const struct map *map)
{
	const struct symtab *tab = map->of->dso->kind == DSO_KERNEL ? resolver__symtab(r, map->of->dso) : NULL;
	u32 nr = tab ? symtab__nr(tab) : 0;

	if (map->of->dso->kind != DSO_KERNEL)
		return map->end - map->start;
	return nr ? symtab__at(tab, nr - 1)->end - symtab__at(tab, 0)->start : machine__kernel_size(r->machine);
}

u64 resolver__maps_version(const struct resolver *r, const struct thread *thread)
{
	return machine__maps_version(r->machine, thread);
}

/* All threads share the kernel's maps, and user code depends on those of its process alone. */
static u64 version_for(u64 maps_version, u8 mode)
{
	const u8 cpumode = cpumode_of(mode);

	if (cpumode == PERF_RECORD_MISC_KERNEL)
		return maps_version >> 32 << 32;
	return cpumode == PERF_RECORD_MISC_USER ? (u32)maps_version : maps_version;
}

static void once__empty(struct once *once)
{
	once->base += once->nr;
	once->nr = once->nr_locs = 0;
	once->nr_emptied++;
}

/* Frames have numbers of codes, which are not valid any longer. */
static void empty_codes(struct resolver *r)
{
	code_table__empty(&r->codes);
	once__empty(r->once);
}

void resolver__begin(struct resolver *r)
{
	if (frame_table__is_full(&r->frames))
		frame_table__empty(&r->frames);
	if (code_table__is_full(&r->codes))
		empty_codes(r);
	if (r->once->nr >= MAX_ONCE)
		once__empty(r->once);
}

void resolver__release(struct resolver *r)
{
	frame_table__release(&r->frames);
	code_table__release(&r->codes);
	once__empty(r->once);
}

bool resolver__has_numbers(const struct resolver *r)
{
	return !r->frames.unnumbered;
}

u32 resolver__numbering(const struct resolver *r)
{
	return r->frames.nr_emptied + r->once->nr_emptied;
}

#define MANY_FINDS 1000 /* searches for maps: a process with that many will mostly have more */

bool resolver__numbers_once(const struct resolver *r, const struct thread *thread, u8 mode)
{
	return cpumode_of(mode) == PERF_RECORD_MISC_USER && machine__nr_finds(thread) < MANY_FINDS && r->once->base < LAST_ONCE;
}

/* Valid until the next call. NULL: no memory */
static struct frame_slot *resolver__find(struct resolver *r, struct thread *thread, u64 maps_version, u8 mode, u64 addr)
{
	u64 version = version_for(maps_version, mode);
	struct frame_slot *slot = frame_table__find(&r->frames, version, mode, addr);
	struct location loc;
	bool interrupts;
	u32 code;

	if (slot)
		return slot;
	code = resolver__look_up(r, thread, mode, addr, &loc, &interrupts);
	slot = frame_table__add(&r->frames, version, mode, addr, &loc, code);
	if (slot)
		slot->interrupts = interrupts;
	return slot;
}

/* Nobody asks for its number: a search in the dso's table is shorter than one in the table of codes, and the latter would not hold them all. */
static void resolve_in(struct resolver *r, const struct map *map, u8 cpumode, u64 addr, struct location *loc)
{
	struct code code = {};

	*loc = no_location(cpumode, addr);
	if (!map)
		return;
	code.addr = map__dso_addr(map, addr);
	look_at_code(r, map->of->dso, code.addr, &code);
	set_code(loc, map, &code);
}

void resolver__resolve(struct resolver *r, struct thread *thread, u8 cpumode, u64 addr, struct location *loc)
{
	resolve_in(r, machine__find_map(r->machine, thread, cpumode, addr), cpumode, addr, loc);
}

/* No pointer has these bits. */
#define UNNAMED (1ULL << 63)
#define NAMED (1ULL << 62) /* without UNNAMED */
#define OFFSET_BITS 47

u64 symbol__identity(const struct symbol *sym)
{
	return sym ? NAMED | (uintptr_t)sym : 0;
}

static u64 identity_in(struct resolver *r, const struct map *map, u8 cpumode, u64 addr)
{
	struct location loc;

	resolve_in(r, map, cpumode, addr, &loc);
	if (loc.sym || !loc.dso || loc.dso->index >> (63 - OFFSET_BITS) || loc.sym_addr >> OFFSET_BITS)
		return symbol__identity(loc.sym);
	return UNNAMED | (u64)loc.dso->index << OFFSET_BITS | loc.sym_addr;
}

u64 resolver__identity(struct resolver *r, struct thread *thread, u8 cpumode, u64 addr)
{
	return identity_in(r, machine__find_map(r->machine, thread, cpumode, addr), cpumode, addr);
}

static bool is_loaded(const struct place_fetch *place)
{
	const struct dso_symbols *symbols = place->map ? place->map->of->dso->priv : NULL;

	return !place->map || (symbols && !symbols->tab_job && !(place->in_chain && symbols->lines_job));
}

/* The table to search for an address in the map; NULL: none */
static const struct symtab *loaded_tab(const struct place_fetch *place)
{
	return place->map && place->loaded ? ((const struct dso_symbols *)place->map->of->dso->priv)->tab : NULL;
}

static void fetch_index(const struct resolver *r, const struct place_fetch *place)
{
	u64 version = version_for(resolver__maps_version(r, place->thread), place->cpumode);

	frame_table__prefetch_hash(&r->frames, frame_hash(version, place->cpumode, place->addr));
	hash_index__prefetch(&r->codes.index, code_hash(place->map->of->dso, map__dso_addr(place->map, place->addr)));
}

static void fetch_code(const struct resolver *r, const struct place_fetch *place)
{
	u32 hash = code_hash(place->map->of->dso, map__dso_addr(place->map, place->addr)), i = hash;
	const struct hash_slot *slot = hash_index__next(&r->codes.index, hash, &i);

	if (slot)
		__builtin_prefetch(&r->codes.code[slot->place - 1]);
}

/* Each step prefetches what the next one reads. */
void resolver__fetch_places(struct resolver *r, struct place_fetch *place, size_t nr)
{
	for (struct place_fetch *p = place; p < place + nr; p++) {
		p->map = machine__find_map(r->machine, p->thread, p->cpumode, p->addr);
		p->loaded = is_loaded(p);
		if (loaded_tab(p))
			symtab__prefetch_bucket(loaded_tab(p), map__dso_addr(p->map, p->addr));
		if (p->map && p->in_chain)
			fetch_index(r, p);
	}
	for (const struct place_fetch *p = place; p < place + nr; p++) {
		if (loaded_tab(p))
			symtab__prefetch_symbols(loaded_tab(p), map__dso_addr(p->map, p->addr));
		if (p->map && p->in_chain)
			fetch_code(r, p);
	}
}

u64 resolver__identity_of(struct resolver *r, const struct place_fetch *place)
{
	return identity_in(r, place->map, place->cpumode, place->addr);
}

static struct location inlined_frame(const struct location *base, const struct srcline_frame *code)
{
	struct location frame = *base;

	frame.number = 0; /* it is one of several */
	frame.code = code;
	if (code->sym)
		frame.sym = code->sym;
	return frame;
}

/* Add a frame for each function of the line. nr 0: no memory */
static struct frames add_inlined(struct frame_table *table, const struct location *base, const struct srcline *line)
{
	struct frames frames = { .nr = line->nr };

	for (u32 i = 0; i < line->nr; i++) {
		const struct location frame = inlined_frame(base, &line->frame[i]);
		u32 number = frame_table__add_location(table, &frame, 0);

		if (!number)
			return (struct frames){};
		if (!i)
			frames.first = number;
	}
	return frames;
}

/* Found once for each code, in whatever processes it is. */
static const struct srcline *inlined_at(struct resolver *r, const struct location *loc, u32 number)
{
	struct code *code = code_table__at(&r->codes, number);

	if (!code)
		return resolver__inlined(r, loc);
	if (!code->inlined_known)
		code->inlined = resolver__inlined(r, loc);
	code->inlined_known = true;
	return code->inlined;
}

static int find_inlined(struct resolver *r, struct frame_slot *slot)
{
	const struct location base = *frame_table__at(&r->frames, slot->number);
	const struct srcline *line = inlined_at(r, &base, frame_table__code(&r->frames, slot->number));

	if (line) {
		const struct frames frames = add_inlined(&r->frames, &base, line);

		slot->inlined = frames.first;
		slot->nr_inlined = frames.nr;
		if (!frames.nr)
			return -ENOMEM;
	}
	slot->inlined_known = true;
	return 0;
}

struct frames resolver__frames(struct resolver *r, struct thread *thread, u64 maps_version, u8 mode, u64 addr)
{
	struct frame_slot *slot = resolver__find(r, thread, maps_version, mode, addr);

	if (!slot || (!slot->inlined_known && find_inlined(r, slot)))
		return (struct frames){};
	return slot->nr_inlined ? (struct frames){ slot->inlined, slot->nr_inlined, slot->interrupts } :
				  (struct frames){ slot->number, 1, slot->interrupts };
}

static bool reserve_once(struct once *once, u32 nr)
{
	u32 alloc = once->alloc ?: MAX_ONCE;
	struct once_frame *more;

	if (once->nr + nr <= once->alloc)
		return true;
	while (alloc < once->nr + nr)
		alloc *= 2;
	more = reallocarray(once->frame, alloc, sizeof(*more));
	if (!more)
		return false;
	once->frame = more;
	once->alloc = alloc;
	return true;
}

/* With all that belongs to its location. */
static bool add_full(struct once *once, const struct location *loc)
{
	if (array__grow(once->loc, once->nr_locs, once->alloc_locs))
		return false;
	if (!reserve_once(once, 1))
		return false;
	once->loc[once->nr_locs++] = *loc;
	once->frame[once->nr++] = (struct once_frame){ .addr = loc->addr, .full = once->nr_locs };
	return true;
}

struct frames resolver__frames_once(struct resolver *r, struct thread *thread, u8 mode, u64 addr)
{
	struct location loc;
	bool interrupts;
	u32 code = resolver__look_up(r, thread, mode, addr, &loc, &interrupts), first = r->once->nr, nr;
	const struct srcline *line = inlined_at(r, &loc, code);
	bool added = true;

	if (!line && code && reserve_once(r->once, 1))
		r->once->frame[r->once->nr++] = (struct once_frame){ addr, loc.map, code, 0, loc.cpumode, !loc.sym };
	else if (!line)
		added = add_full(r->once, &loc);
	for (u32 i = 0; line && i < line->nr && added; i++) {
		const struct location frame = inlined_frame(&loc, &line->frame[i]);

		added = add_full(r->once, &frame);
	}
	nr = r->once->nr - first;
	return added ? (struct frames){ r->once->base + first, nr, interrupts } : (struct frames){};
}

struct frames resolver__frames_at(struct resolver *r, struct thread *thread, u8 cpumode, u64 addr)
{
	return resolver__numbers_once(r, thread, cpumode) ? resolver__frames_once(r, thread, cpumode, addr) :
							    resolver__frames(r, thread, resolver__maps_version(r, thread), cpumode, addr);
}

/* The code that stands alone there and is known already; NULL: none. */
static const struct code *known_code(const struct resolver *r, const struct map *map, u64 addr, bool is_caller)
{
	u64 at = map__dso_addr(map, addr);
	const struct code *code = code_table__find(&r->codes, map->of->dso, at, is_caller, code_hash(map->of->dso, at));

	return code && code->inlined_known && !code->inlined && !code->is_none && !code->interrupts ? code : NULL;
}

u32 resolver__known_once(struct resolver *r, struct thread *thread, u8 mode, const u64 *addr, u32 nr, u32 *number)
{
	struct once *once = r->once;
	const struct map *map = NULL;
	u32 i;

	if (!reserve_once(once, nr))
		return 0;
	for (i = 0; i < nr; i++) {
		const struct code *code;

		if (!map || addr[i] <= map->start || addr[i] >= map->end)
			map = find_map(r, thread, mode, addr[i]);
		code = map ? known_code(r, map, addr[i], mode & FRAME_CALLER) : NULL;
		if (!code)
			break;
		number[i] = once->base + once->nr;
		once->frame[once->nr++] = (struct once_frame){ addr[i], map, code_table__number(&r->codes, code), 0, cpumode_of(mode), !code->sym };
	}
	return i;
}

static const struct once_frame *once__at(const struct once *once, u32 number)
{
	return &once->frame[number - once->base];
}

const struct map *resolver__unnamed_once(const struct resolver *r, u32 number, u64 *addr)
{
	const struct once_frame *frame = once__at(r->once, number);

	*addr = frame->addr;
	return frame->is_unnamed ? frame->map : NULL;
}

static const struct location *frame_once(const struct resolver *r, u32 number)
{
	struct once *once = r->once;
	const struct once_frame *frame = once__at(once, number);
	const struct code *code;

	if (frame->full)
		return &once->loc[frame->full - 1];
	code = code_table__at(&r->codes, frame->code);
	once->shown = (struct location){ .addr = frame->addr, .cpumode = frame->cpumode, .map = frame->map, .dso = frame->map->of->dso,
					 .sym = code->sym, .sym_addr = code->addr, .back = code->back };
	return &once->shown;
}

void resolver__hash_frames(const struct resolver *r, u64 maps_version, u8 mode, const u64 *addr, u32 nr, u32 *hash)
{
	u64 version = version_for(maps_version, mode);

	for (u32 i = 0; i < nr; i++) {
		hash[i] = frame_hash(version, mode, addr[i]);
		frame_table__prefetch_hash(&r->frames, hash[i]);
	}
}

u32 resolver__known_frames(const struct resolver *r, u64 maps_version, u8 mode, const u64 *addr, const u32 *hash, u32 nr, u32 *number)
{
	u64 version = version_for(maps_version, mode);
	u32 i;

	for (i = 0; i < nr; i++) {
		const struct frame_slot *slot = frame_table__find_hash(&r->frames, hash[i], version, mode, addr[i]);

		if (!slot || !slot->inlined_known || slot->nr_inlined || slot->interrupts)
			break;
		number[i] = slot->number;
	}
	return i;
}

const struct location *resolver__frame(const struct resolver *r, u32 number)
{
	return frame_number__is_once(number) ? frame_once(r, number) : frame_table__at(&r->frames, number);
}

u32 resolver__frame_code(const struct resolver *r, u32 number, u64 *addr)
{
	if (frame_number__is_once(number)) {
		*addr = once__at(r->once, number)->addr;
		return once__at(r->once, number)->code;
	}
	*addr = frame_table__at(&r->frames, number)->addr;
	return frame_table__code(&r->frames, number);
}

bool resolver__has_symbols(struct resolver *r, const struct dso *dso)
{
	struct dso_symbols *symbols = dso->priv;

	if (symbols)
		finish_job(r, &symbols->tab_job);
	return symbols && symbols->tab && symtab__nr(symbols->tab);
}

int resolver__error(const struct resolver *r, const struct dso *dso)
{
	const struct dso_symbols *symbols = dso->priv;

	return symbols && !symbols->tab_job ? symbols->error : 0;
}

struct failure_cb {
	int (*cb)(const struct dso *dso, const char *why, int error, void *data);
	void *data;
};

static bool lacked_memory(const struct dso_symbols *symbols)
{
	return (symbols->lines && srclines__lacked_memory(symbols->lines)) || (symbols->types && data_types__lacked_memory(symbols->types));
}

static const char *left_out(const struct dso_symbols *symbols)
{
	const char *of_table = symbols->tab ? symtab__left_out(symbols->tab) : NULL;

	return of_table ?: symbols->lines ? srclines__left_out(symbols->lines) : NULL;
}

static int tell_failure(struct dso *dso, void *data)
{
	const struct dso_symbols *symbols = dso->priv;
	struct failure_cb *f = data;
	const char *why;
	int error;

	if (!symbols || symbols->tab_job)
		return 0;
	if (symbols->error)
		return f->cb(dso, symbols->why ?: strerror(-symbols->error), symbols->error, f->data);
	if (symbols->lines_job)
		return 0;
	why = left_out(symbols);
	if (why)
		return f->cb(dso, why, -E2BIG, f->data);
	error = lacked_memory(symbols) ? -ENOMEM : fs__own_error(symbols->lines_error) ?: fs__own_error(symbols->types_error) ?:
			 fs__own_error(symbols->code_error);
	return error ? f->cb(dso, strerror(-error), error, f->data) : 0;
}

int resolver__for_each_failure(struct resolver *r, int (*cb)(const struct dso *dso, const char *why, int error, void *data),
			       void *data)
{
	struct failure_cb f = { cb, data };

	return machine__for_each_dso(r->machine, tell_failure, &f);
}

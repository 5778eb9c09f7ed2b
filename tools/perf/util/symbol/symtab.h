/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbol tables: of ELF files (.symtab, .dynsym, PLT entries, separate debug files by build-id or .gnu_debuglink) and of the kernel
 * (kallsyms). Only one thread at a time may use a table: a symbol is made when it is looked up.
 */
#ifndef PERF_SYMBOL_SYMTAB_H
#define PERF_SYMBOL_SYMTAB_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/perfdata/features.h" /* struct build_id */

struct symbol {
	u64 start, end;	  /* file offsets for user ELF (see below), absolute addresses for the kernel; end excluded */
	const char *name; /* demangled (C++, Rust); owned by its table */
	char binding;	  /* 'g'lobal, 'l'ocal, 'w'eak, as perf script -v would show */
	bool is_data;	  /* a variable (STT_OBJECT) */
	bool is_unnamed;  /* not in a table; its name is made of the file's and its address, see unnamed-functions.h */
	bool inlined;	  /* not in a table; has the address of the symbol that the function was inlined into (srcline.h) */
	u32 index;	  /* index in the table, by start: stable identity */
};

struct symtab; /* sorted by start, overlaps resolved as upstream does (prefer global, shorter underscores, longer size) */

struct mapped_files;
struct live_functions;

struct symtab_opts {
	const char *opened; /* NULL, or what is read in place of path: an open file of it, "/proc/self/fd/3"; not with symfs */
	const char *symfs;   /* NULL or a root to look files up under */
	const char *cache;   /* NULL or a build-id cache, see recorded-file.h */
	const struct bundle *bundle; /* NULL or what the recording came with, see recorded-file.h */
	const struct dso *dso; /* NULL, or the dso whose processes may have the file, see recorded-file.h */
	struct mapped_files *mapped; /* NULL, or see recorded-file.h */
	struct live_functions *live; /* NULL, or those of a recording that runs, see live-functions.h */
	bool debuginfod; /* ask the servers in $DEBUGINFOD_URLS for the debug file of a stripped file: then only one thread may load */
	bool no_demangle;
	bool demangle_kernel; /* demangle names of a vmlinux, too: some kernels have C++ and Rust */
	bool short_names; /* demangle without parameters: the names that users write */
};

/*
 * User ELF: symbols keep file offsets (st_value - sh_addr + sh_offset of their section, as perf does), so that
 * map->pgoff + (ip - map->start) finds them whether or not the object is relocated. If want is not NULL and the file at
 * path has another build-id, it is refused (-ESTALE); a debug file alone would not do, as it lacks the offsets.
 */
int symtab__load_elf(const char *path, const struct build_id *want, const struct symtab_opts *opts, struct symtab **tab,
		     struct errmsg *err);
/* kallsyms text (path NULL: /proc/kallsyms). reloc is added to each address. Modules' symbols only if module is named, e.g.
 * "ext4"; NULL: the core kernel's. -EPERM if all addresses are zero (kptr_restrict). */
int symtab__load_kallsyms(const char *path, const char *module, s64 reloc, struct symtab **tab, struct errmsg *err);
/*
 * The core kernel's symbols from a copy of the running kernel's /proc/kallsyms, which is read in a tenth of the time: the kernel makes that text
 * anew for each reader. -ESTALE: the copy is not whole, of another kernel or boot, or of another user than root.
 */
int symtab__load_kallsyms_copy(const char *path, s64 reloc, struct symtab **tab);
void symtab__delete(struct symtab *tab);

const struct symbol *symtab__find(const struct symtab *tab, u64 addr);	     /* NULL if none covers addr */
/* Before many searches: prefetch what __prefetch_symbols() reads of each, and with that what __find() reads. */
void symtab__prefetch_bucket(const struct symtab *tab, u64 addr);
void symtab__prefetch_symbols(const struct symtab *tab, u64 addr);
const struct symbol *symtab__find_name(const struct symtab *tab, const char *name); /* exact */
u32 symtab__nr(const struct symtab *tab);
/* What did not fit into the budget, see elf-budget.h; NULL: nothing was left out. */
const char *symtab__left_out(const struct symtab *tab);
const struct symbol *symtab__at(const struct symtab *tab, u32 index);

/* Read addresses of a few symbols of the core kernel without loading the table: stops as soon as all are found. Returns how
 * many, or -errno. Those not found get 0, and so do all if the kernel hides its addresses. */
int kallsyms__lookup(const char *path, const char *const *names, u64 *addrs, int nr);

/*
 * Call cb for each line of kallsyms (path NULL: /proc/kallsyms), data symbols included, until it returns a negative value; returns
 * that value. type is a letter of nm(1); module is NULL for the core kernel. -EPERM if all addresses are hidden.
 */
int kallsyms__for_each(const char *path, int (*cb)(void *data, u64 addr, char type, const char *name, const char *module),
		       void *data, struct errmsg *err);

/* Build-id of an ELF file, of the running kernel (path NULL: /sys/kernel/notes) or -ENOENT. */
int build_id__read(const char *path, struct build_id *id);
int build_id__read_fd(int fd, struct build_id *id); /* takes over fd, see elf_file__open_fd() */
int build_id__from_notes(const void *notes, size_t size, struct build_id *id);
/* Files of old perf pad short ids with zeros: ignore the padding. */
bool build_id__equal(const struct build_id *a, const struct build_id *b);
char *build_id__str(const struct build_id *id, char buf[41]);

#define MAX_DEMANGLED 16384 /* bytes of a demangled name, including its NUL */
bool demangle__may(const char *name); /* false: it is certainly not mangled */
/* Demangled copy (malloc'ed) or NULL if name is not mangled. short_name: without parameters, return type and clone suffix. */
char *demangle(const char *name, bool short_name);

#endif

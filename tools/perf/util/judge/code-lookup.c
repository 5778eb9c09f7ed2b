// SPDX-License-Identifier: GPL-2.0
#include "util/judge/code-lookup.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>
#include "util/judge/code-files.h"
#include "util/lib/advice.h"
#include "util/lib/array.h"
#include "util/lib/fs.h"
#include "util/symbol/symtab.h"

#define FILTER_PAGE_SIZE 4096 /* BPF programs assume it for file offsets */

struct kernel_symbol {
	u64 addr;
	u64 seq; /* order in kallsyms, for equal addresses */
	char *name;
	char *module; /* NULL: the core kernel */
	bool code;
};

struct elf {
	struct elf *next;
	char *path;
	struct filter_file_id id;
	struct symtab *tab;
};

struct code_lookup {
	const struct code_scope *scope;
	struct kernel_symbol *sym; /* the kernel's symbols by address; NULL: not loaded yet */
	u64 nr, alloc;
	bool kernel_loaded;
	struct elf *elfs; /* loaded files */
	char text[256]; /* where names without a file are searched */
};

struct code_lookup *code_lookup__new(const struct code_scope *scope)
{
	struct code_lookup *l = calloc(1, sizeof(*l));

	if (l)
		l->scope = scope;
	return l;
}

void code_lookup__delete(struct code_lookup *l)
{
	struct elf *elf, *tmp;
	u64 i;

	if (!l)
		return;
	for (i = 0; i < l->nr; i++) {
		free(l->sym[i].name);
		free(l->sym[i].module);
	}
	LL_FOREACH_SAFE(l->elfs, elf, tmp) {
		symtab__delete(elf->tab);
		free(elf->path);
		free(elf);
	}
	free(l->sym);
	free(l);
}

/* The kernel */

#define PADDING "__pfx_" /* padding before a function, which has the function's name: nothing runs there */

static int add_kernel_symbol(void *data, u64 addr, char type, const char *name, const char *module)
{
	struct code_lookup *l = data;

	if (!strncmp(name, PADDING, strlen(PADDING)))
		return 0;
	if (array__grow(l->sym, l->nr, l->alloc))
		return -ENOMEM;
	l->sym[l->nr] = (struct kernel_symbol){
		.addr = addr, .seq = l->nr, .name = strdup(name), .module = module ? strdup(module) : NULL,
		.code = strchr("tTwW", type),
	};
	l->nr++;
	return l->sym[l->nr - 1].name && (!module || l->sym[l->nr - 1].module) ? 0 : -ENOMEM;
}

static int by_address(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int load_kernel(struct code_lookup *l, struct errmsg *err)
{
	int rc;

	if (l->kernel_loaded)
		return 0;
	rc = kallsyms__for_each(NULL, add_kernel_symbol, l, err);
	if (rc)
		return rc;
	if (l->nr)
		qsort(l->sym, l->nr, sizeof(*l->sym), by_address);
	l->kernel_loaded = true;
	return 0;
}

static bool is_of_module(const struct kernel_symbol *sym, const char *module, bool any)
{
	if (any)
		return true;
	return module ? sym->module && !strcmp(sym->module, module) : !sym->module;
}

/* A function ends where the next symbol begins; the last one ends with its page. */
static u64 last_byte(const struct code_lookup *l, u64 i)
{
	u64 next = i + 1;

	while (next < l->nr && l->sym[next].addr == l->sym[i].addr)
		next++;
	return next < l->nr ? l->sym[next].addr - 1 : l->sym[i].addr | 0xfff;
}

static int show_kernel(struct code_lookup *l, const char *module, bool any,
		       int (*cb)(void *arg, const struct filter_symbol *sym), void *arg)
{
	u64 i;
	int rc = 0;

	for (i = 0; i < l->nr && rc >= 0; i++) {
		const struct kernel_symbol *sym = &l->sym[i];
		struct filter_symbol shown = { .name = sym->name, .first = sym->addr };

		if (!sym->code || !is_of_module(sym, module, any))
			continue;
		shown.last = last_byte(l, i);
		rc = cb(arg, &shown);
	}
	return rc < 0 ? rc : 0;
}

/* "[ext4]", "[kernel.kallsyms]" */
static int show_kernel_dso(struct code_lookup *l, const char *dso, int (*cb)(void *arg, const struct filter_symbol *sym), void *arg,
			   struct errmsg *err)
{
	bool core = !strcmp(dso, "[kernel.kallsyms]") || !strcmp(dso, "[kernel]");
	char module[64];
	int rc = load_kernel(l, err);

	if (rc)
		return rc;
	snprintf(module, sizeof(module), "%.*s", (int)strcspn(dso + 1, "]"), dso + 1);
	return show_kernel(l, core ? NULL : module, false, cb, arg);
}

/* Files */

static struct elf *get_elf(struct code_lookup *l, const char *path, const struct filter_file_id *id, struct errmsg *err)
{
	static const struct symtab_opts opts = { .short_names = true };
	struct elf *elf;
	int rc;

	LL_FOREACH(l->elfs, elf) {
		if (elf->id.dev == id->dev && elf->id.ino == id->ino && !strcmp(elf->id.name, id->name) && !strcmp(elf->path, path))
			return elf;
	}
	elf = calloc(1, sizeof(*elf));
	if (elf)
		elf->path = strdup(path);
	if (!elf || !elf->path)
		rc = errmsg__set(err, ENOMEM, "out of memory");
	else
		rc = symtab__load_elf(path, NULL, &opts, &elf->tab, err);
	if (rc) {
		if (elf)
			free(elf->path);
		free(elf);
		errno = -rc;
		return NULL;
	}
	elf->id = *id;
	LL_PREPEND(l->elfs, elf);
	return elf;
}

struct shower {
	struct code_lookup *l;
	int (*cb)(void *arg, const struct filter_symbol *sym);
	void *arg;
	bool skip_others; /* skip what is no ELF file */
	unsigned int nr_files;
	struct errmsg *err;
};

static int show_file(void *arg, const char *path, const struct filter_file_id *id)
{
	struct shower *s = arg;
	struct elf *elf;
	int rc = 0;
	u32 i;

	if (sysconf(_SC_PAGESIZE) != FILTER_PAGE_SIZE)
		return errmsg__set(s->err, EOPNOTSUPP, "a filter finds functions of files only on kernels with pages of %d bytes; "
				   "those of this one have %ld", FILTER_PAGE_SIZE, sysconf(_SC_PAGESIZE));
	elf = get_elf(s->l, path, id, s->err);
	if (!elf)
		return errno == ENOEXEC && s->skip_others ? 0 : -errno;
	s->nr_files++;
	for (i = 0; i < symtab__nr(elf->tab) && rc >= 0; i++) {
		const struct symbol *sym = symtab__at(elf->tab, i);
		struct filter_symbol shown = { .name = sym->name, .first = sym->start, .last = sym->end - 1, .file = &elf->id };

		if (sym->end > sym->start)
			rc = s->cb(s->arg, &shown);
	}
	return rc < 0 ? rc : 0;
}

static int show_path(struct shower *s, const char *path)
{
	struct filter_file_id id;
	int rc = code_file__identify(path, NULL, &id);

	if (rc)
		return errmsg__set(s->err, -rc, "%s: %s", path, fs__why_missing(path, -rc));
	return show_file(s, path, &id);
}

static int show_named(struct shower *s, const char *name)
{
	const struct code_scope *scope = s->l->scope;
	int rc;

	s->skip_others = true; /* a script in PATH may have the same name */
	rc = code_files__find(name, scope->pids, scope->nr_pids, show_file, s, s->err);
	if (rc == -ENOMEM)
		errmsg__set(s->err, ENOMEM, "out of memory");
	if (rc || s->nr_files)
		return rc;
	return errmsg__set(s->err, ENOENT, "no process has mapped a file with the name %s, nor is it where libraries and programs are; "
			   "give its path", name);
}

/* Programs */

static void note_scope(struct code_lookup *l, const char *path)
{
	size_t len = strlen(l->text);

	snprintf(l->text + len, sizeof(l->text) - len, "%s%s", len ? " or of " : "", path);
}

/* Add the process's program: opened by its link in /proc, which works across mount namespaces, and named by the link's target. */
static int show_process(struct shower *s, pid_t pid)
{
	struct filter_file_id id;
	char link[64], path[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	len = readlink(link, path, sizeof(path) - 1);
	if (len <= 0)
		return 0; /* it has ended, is a kernel thread, or is not accessible */
	path[len] = '\0';
	if (code_file__identify(link, NULL, &id))
		return 0;
	note_scope(s->l, path);
	return show_file(s, link, &id);
}

static int show_programs(struct shower *s)
{
	const struct code_scope *scope = s->l->scope;
	char path[PATH_MAX];
	int i, rc = 0;

	if (scope->program && !code_files__program(scope->program, path, sizeof(path))) {
		note_scope(s->l, path);
		s->skip_others = true; /* it may be a script */
		rc = show_path(s, path);
	}
	for (i = 0; i < scope->nr_pids && !rc; i++)
		rc = show_process(s, scope->pids[i]);
	return rc;
}

static int show_kernel_and_programs(struct shower *s)
{
	int rc = load_kernel(s->l, s->err);

	if (rc == -ENOMEM)
		return rc;
	snprintf(s->l->text, sizeof(s->l->text), rc ? "the kernel (which hides its addresses: %s)" : "the kernel", advice__root_within());
	rc = rc ? 0 : show_kernel(s->l, NULL, true, s->cb, s->arg);
	return rc ? rc : show_programs(s);
}

int code_lookup__for_each_symbol(void *data, const char *dso, int (*cb)(void *arg, const struct filter_symbol *sym), void *arg,
				 const char **scope, struct errmsg *err)
{
	struct code_lookup *l = data;
	struct shower s = { .l = l, .cb = cb, .arg = arg, .err = err };

	*scope = l->text;
	if (!dso)
		return show_kernel_and_programs(&s);
	if (dso[0] == '[')
		return show_kernel_dso(l, dso, cb, arg, err);
	return strchr(dso, '/') ? show_path(&s, dso) : show_named(&s, dso);
}

int code_lookup__identify_file(void *data, const char *path, struct filter_file_id *id, struct errmsg *err)
{
	int rc = code_file__identify(path, NULL, id);

	return rc ? errmsg__set(err, -rc, "%s: %s", path, fs__why_missing(path, -rc)) : 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Text of kallsyms, one symbol per line, sorted by address for the core kernel:
 *	ffffffff81000000 T _text
 *	ffffffffc0201000 t ext4_sync_fs	[ext4]
 * (kernel/kallsyms.c). A capital letter is a global symbol.
 */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/lib/advice.h"
#include "util/lib/regular-file.h"
#include "util/symbol/symtab-build.h"
#include "util/symbol/text-lines.h"

#define PROC_KALLSYMS "/proc/kallsyms"
#define LAST_CODE "_einittext" /* end of the core kernel's code (include/asm-generic/vmlinux.lds.h) */
#define USUAL_LINE 40 /* bytes */
#define COMPARED 4096 /* bytes of a copy: what the kernel makes for one read */

struct kallsyms_line {
	u64 addr;
	char type;
	char *name;	    /* NUL-terminated in place */
	const char *module; /* "ext4]", NULL: the core kernel's */
};

/* The value of a hexadecimal digit, plus 1; 0: not a digit. A table, as the CPU cannot predict branches on random digits. */
static const u8 hex_digits[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
	['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* Parse one line; text has a NUL in place of the newline. false: not a symbol's line. Not by sscanf(), which takes ten times as long. */
static bool kallsyms_line__parse(struct kallsyms_line *line, char *text)
{
	char *p = text, *tab;
	u8 digit;

	line->addr = 0;
	while ((digit = hex_digits[(unsigned char)*p])) {
		line->addr = line->addr << 4 | (digit - 1);
		p++;
	}
	if (p == text || p[0] != ' ' || !isalpha((unsigned char)p[1]) || p[2] != ' ' || !p[3])
		return false;
	line->type = p[1];
	line->name = p + 3;
	line->module = NULL;
	tab = strchr(line->name, '\t');
	if (tab) {
		*tab = '\0';
		line->module = tab[1] == '[' ? tab + 2 : "";
	}
	return true;
}

static bool is_code(const struct kallsyms_line *line)
{
	return line->type == 'T' || line->type == 't' || line->type == 'W' || line->type == 'w';
}

static bool is_data(const struct kallsyms_line *line)
{
	return line->type == 'D' || line->type == 'd' || line->type == 'B' || line->type == 'b';
}

/* Code symbols, and data symbols for sampled data addresses. */
static bool kallsyms_line__wanted(const struct kallsyms_line *line, const char *module)
{
	size_t len = module ? strlen(module) : 0;

	if ((!is_code(line) && !is_data(line)) || line->name[0] == '$')
		return false;
	if (!module || !line->module)
		return !module && !line->module;
	return !strncmp(line->module, module, len) && !strcmp(line->module + len, "]");
}

/* Limit in bytes: the budget of a file on disk; none for files without a size, as in /proc, and for pipes that the user names. */
static u64 kallsyms__max(int fd)
{
	struct elf_budget budget;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return UINT64_MAX;
	elf_budget__init(&budget, fd);
	return budget.left;
}

static int kallsyms__read_lines(const char *path, int (*cb)(void *data, char *line), void *data)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = text_lines__for_each(fd, kallsyms__max(fd), cb, data);
	close(fd);
	return rc;
}

struct kallsyms_load {
	struct symtab_builder *b;
	const char *module;
	u32 lines, with_addr;
	bool has_last;
};

static int load_line(void *data, char *text)
{
	struct kallsyms_load *l = data;
	struct kallsyms_line line;
	int type, binding;

	if (!kallsyms_line__parse(&line, text))
		return 0;
	l->lines++;
	l->with_addr += line.addr != 0;
	if (!kallsyms_line__wanted(&line, l->module))
		return 0;
	l->has_last |= !strcmp(line.name, LAST_CODE);
	type = is_code(&line) ? STT_FUNC : STT_OBJECT;
	binding = line.type == 'W' ? STB_WEAK : isupper((unsigned char)line.type) ? STB_GLOBAL : STB_LOCAL;
	return symtab_builder__add(l->b, line.addr, 0, binding, type, line.name);
}

static int kallsyms__read(struct symtab_builder *b, const char *path, const char *module, struct errmsg *err)
{
	struct kallsyms_load load = { .b = b, .module = module };
	int rc = kallsyms__read_lines(path, load_line, &load);

	if (rc)
		return errmsg__set(err, -rc, "%s: cannot read the kernel's symbols: %s", path, strerror(-rc));
	if (load.lines && !load.with_addr)
		return errmsg__set(err, EPERM,
				   "%s: the kernel hides its addresses: %s, or set kernel.kptr_restrict to 0", path, advice__root_within());
	if (!b->nr)
		return errmsg__set(err, ENOENT, "%s: has no symbols of %s", path, module ? module : "the kernel");
	return 0;
}

static int finish(struct symtab_builder *b, s64 reloc, struct symtab **tab)
{
	symtab_builder__move(b, reloc);
	symtab_builder__settle(b);
	return symtab_builder__finish(b, tab);
}

int symtab__load_kallsyms(const char *path, const char *module, s64 reloc, struct symtab **tab, struct errmsg *err)
{
	struct symtab_builder b = {};
	int rc = kallsyms__read(&b, path ? path : PROC_KALLSYMS, module, err);

	if (!rc) {
		rc = finish(&b, reloc, tab);
		if (rc)
			errmsg__set(err, -rc, "out of memory for the kernel's symbols");
	}
	symtab_builder__exit(&b);
	return rc;
}

/* The first symbols differ in other kernels, and in other boots of this one that chose another address (KASLR). */
static bool begins_as_running(int copy)
{
	int proc = open(PROC_KALLSYMS, O_RDONLY | O_CLOEXEC);
	char now[COMPARED], then[COMPARED];
	ssize_t n = -1;

	if (proc >= 0) {
		n = read(proc, now, sizeof(now));
		close(proc);
	}
	return n > 0 && pread(copy, then, n, 0) == n && !memcmp(now, then, n);
}

/* Names that another user wrote are not shown in place of the kernel's. */
static bool is_own(const struct stat *st)
{
	return !st->st_uid || st->st_uid == geteuid();
}

static bool ends_with_line(int fd, const struct stat *st)
{
	char last;

	return pread(fd, &last, 1, st->st_size - 1) == 1 && last == '\n';
}

static int read_copy(int fd, struct symtab_builder *b)
{
	struct kallsyms_load load = { .b = b };
	struct stat st;
	int rc;

	if (fstat(fd, &st) || !is_own(&st) || !ends_with_line(fd, &st) || !begins_as_running(fd))
		return -ESTALE;
	symtab_builder__expect(b, st.st_size / USUAL_LINE, st.st_size);
	rc = text_lines__for_each(fd, kallsyms__max(fd), load_line, &load);
	return rc || (load.with_addr && load.has_last) ? rc : -ESTALE;
}

int symtab__load_kallsyms_copy(const char *path, s64 reloc, struct symtab **tab)
{
	int fd = regular_file__open(path, 0), rc;
	struct symtab_builder b = {};

	if (fd < 0)
		return fd;
	rc = read_copy(fd, &b);
	close(fd);
	if (!rc)
		rc = finish(&b, reloc, tab);
	symtab_builder__exit(&b);
	return rc;
}

struct showing {
	int (*cb)(void *data, u64 addr, char type, const char *name, const char *module);
	void *data;
};

static int show_line(void *data, char *text)
{
	const struct showing *showing = data;
	struct kallsyms_line line;
	char module[64]; /* MODULE_NAME_LEN */
	int rc;

	if (!kallsyms_line__parse(&line, text))
		return 0;
	if (line.module)
		snprintf(module, sizeof(module), "%.*s", (int)strcspn(line.module, "]"), line.module);
	rc = showing->cb(showing->data, line.addr, line.type, line.name, line.module ? module : NULL);
	return rc < 0 ? rc : 0;
}

int kallsyms__for_each(const char *path, int (*cb)(void *data, u64 addr, char type, const char *name, const char *module),
		       void *data, struct errmsg *err)
{
	static const char *const known[] = { "_text", "_stext" };
	struct showing showing = { cb, data };
	u64 addrs[ARRAY_SIZE(known)];
	int rc;

	path = path ? path : PROC_KALLSYMS;
	rc = kallsyms__lookup(path, known, addrs, ARRAY_SIZE(known));
	if (rc > 0 && !addrs[0] && !addrs[1])
		return errmsg__set(err, EPERM,
				   "%s: the kernel hides its addresses: %s, or set kernel.kptr_restrict to 0", path, advice__root_within());
	rc = kallsyms__read_lines(path, show_line, &showing);
	return rc ? errmsg__set(err, -rc, "%s: cannot read the kernel's symbols: %s", path, strerror(-rc)) : 0;
}

struct lookup {
	const char *const *names;
	u64 *addrs;
	bool *found;
	int nr, nr_found;
};

/* Returns 1 when all were found. */
static int look_up_line(void *data, char *text)
{
	struct lookup *l = data;
	struct kallsyms_line line;

	if (!kallsyms_line__parse(&line, text) || line.module)
		return 0;
	for (int i = 0; i < l->nr; i++) {
		if (!l->found[i] && !strcmp(l->names[i], line.name)) {
			l->addrs[i] = line.addr;
			l->found[i] = true;
			l->nr_found++;
		}
	}
	return l->nr_found == l->nr;
}

int kallsyms__lookup(const char *path, const char *const *names, u64 *addrs, int nr)
{
	struct lookup l = { .names = names, .addrs = addrs, .nr = nr, .found = calloc(nr + 1, sizeof(*l.found)) };
	int rc;

	if (!l.found)
		return -ENOMEM;
	memset(addrs, 0, nr * sizeof(*addrs));
	rc = kallsyms__read_lines(path ? path : PROC_KALLSYMS, look_up_line, &l);
	free(l.found);
	return rc < 0 ? rc : l.nr_found;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Text of kallsyms, one symbol a line, in order of address for the core kernel:
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
#include <unistd.h>

#include "util/lib/fs.h"
#include "util/symbol/symtab-build.h"

#define PROC_KALLSYMS "/proc/kallsyms"

struct kallsyms_line {
	u64 addr;
	char type;
	char *name;	    /* NUL-terminated in place */
	const char *module; /* "ext4]", NULL: the core kernel's */
};

/* The value of a hexadecimal digit, plus 1; 0: it is none. Letters and digits come in no order that a CPU could foresee. */
static const u8 hex_digits[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
	['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* text is one line without its newline, ended by a NUL. false: not a symbol's line. By hand: sscanf takes ten times as long. */
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

/* Code, and data for the sake of sampled data addresses. */
static bool kallsyms_line__wanted(const struct kallsyms_line *line, const char *module)
{
	size_t len = module ? strlen(module) : 0;

	if (!strchr("TWDB", toupper((unsigned char)line->type)) || line->name[0] == '$')
		return false;
	if (!module || !line->module)
		return !module && !line->module;
	return !strncmp(line->module, module, len) && !strcmp(line->module + len, "]");
}

struct kallsyms_load {
	struct symtab_builder *b;
	const char *module;
	u32 lines, with_addr;
};

static int load__line(struct kallsyms_load *l, char *text)
{
	struct kallsyms_line line;
	int type, binding;

	if (!kallsyms_line__parse(&line, text))
		return 0;
	l->lines++;
	l->with_addr += line.addr != 0;
	if (!kallsyms_line__wanted(&line, l->module))
		return 0;
	type = strchr("TtWw", line.type) ? STT_FUNC : STT_OBJECT;
	binding = line.type == 'W' ? STB_WEAK : isupper((unsigned char)line.type) ? STB_GLOBAL : STB_LOCAL;
	return symtab_builder__add(l->b, line.addr, 0, binding, type, line.name);
}

/* The whole lines in buf; the rest is moved to its start, and *size is the size of that then. */
static int load__lines(struct kallsyms_load *l, char *buf, size_t *size)
{
	char *line = buf, *end;
	int rc = 0;

	while (!rc && (end = memchr(line, '\n', buf + *size - line))) {
		*end = '\0';
		rc = load__line(l, line);
		line = end + 1;
	}
	*size -= line - buf;
	memmove(buf, line, *size);
	return rc;
}

/* As it comes: the text as a whole is several megabytes. */
static int load__fd(struct kallsyms_load *l, int fd)
{
	char buf[16384];
	size_t size = 0;
	int rc = 0;

	while (!rc) {
		ssize_t n = read(fd, buf + size, sizeof(buf) - 1 - size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		size += n;
		rc = load__lines(l, buf, &size);
		if (size == sizeof(buf) - 1) /* no line of kallsyms is that long */
			size = 0;
	}
	buf[size] = '\0';
	return rc ?: load__line(l, buf); /* the last line may lack a newline */
}

static int kallsyms__read(struct symtab_builder *b, const char *path, const char *module, struct errmsg *err)
{
	struct kallsyms_load load = { .b = b, .module = module };
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = fd < 0 ? -errno : load__fd(&load, fd);

	if (fd >= 0)
		close(fd);
	if (rc)
		return errmsg__set(err, -rc, "%s: cannot read the kernel's symbols: %s", path, strerror(-rc));
	if (load.lines && !load.with_addr)
		return errmsg__set(err, EPERM,
				   "%s: the kernel hides its addresses: run as root, or set kernel.kptr_restrict to 0", path);
	if (!b->nr)
		return errmsg__set(err, ENOENT, "%s: has no symbols of %s", path, module ? module : "the kernel");
	return 0;
}

int symtab__load_kallsyms(const char *path, const char *module, s64 reloc, struct symtab **tab, struct errmsg *err)
{
	struct symtab_builder b = {};
	int rc = kallsyms__read(&b, path ? path : PROC_KALLSYMS, module, err);

	if (!rc) {
		symtab_builder__move(&b, reloc);
		symtab_builder__settle(&b);
		rc = symtab_builder__finish(&b, tab);
		if (rc)
			errmsg__set(err, -rc, "out of memory for the kernel's symbols");
	}
	symtab_builder__exit(&b);
	return rc;
}

static int kallsyms__show(char *text, int (*cb)(void *data, u64 addr, char type, const char *name, const char *module),
			  void *data)
{
	char *next, module[64]; /* MODULE_NAME_LEN */
	int rc = 0;

	for (; *text && rc >= 0; text = next) {
		struct kallsyms_line line;

		next = strchrnul(text, '\n');
		if (*next)
			*next++ = '\0';
		if (!kallsyms_line__parse(&line, text))
			continue;
		if (line.module)
			snprintf(module, sizeof(module), "%.*s", (int)strcspn(line.module, "]"), line.module);
		rc = cb(data, line.addr, line.type, line.name, line.module ? module : NULL);
	}
	return rc < 0 ? rc : 0;
}

int kallsyms__for_each(const char *path, int (*cb)(void *data, u64 addr, char type, const char *name, const char *module),
		       void *data, struct errmsg *err)
{
	static const char *const known[] = { "_text", "_stext" };
	u64 addrs[ARRAY_SIZE(known)];
	struct fs_text text = {};
	int rc;

	path = path ? path : PROC_KALLSYMS;
	rc = kallsyms__lookup(path, known, addrs, ARRAY_SIZE(known));
	if (rc > 0 && !addrs[0] && !addrs[1])
		return errmsg__set(err, EPERM,
				   "%s: the kernel hides its addresses: run as root, or set kernel.kptr_restrict to 0", path);
	rc = fs_text__read(&text, AT_FDCWD, path);
	if (rc)
		errmsg__set(err, -rc, "%s: cannot read the kernel's symbols: %s", path, strerror(-rc));
	else
		rc = kallsyms__show(text.text, cb, data);
	fs_text__exit(&text);
	return rc;
}

struct lookup {
	const char *const *names;
	u64 *addrs;
	bool *found;
	int nr, nr_found;
};

static void lookup__line(struct lookup *l, char *text)
{
	struct kallsyms_line line;

	if (!kallsyms_line__parse(&line, text) || line.module)
		return;
	for (int i = 0; i < l->nr; i++) {
		if (!l->found[i] && !strcmp(l->names[i], line.name)) {
			l->addrs[i] = line.addr;
			l->found[i] = true;
			l->nr_found++;
		}
	}
}

/* Look at the whole lines in buf; the rest is moved to its start. Returns the size of that. */
static size_t lookup__lines(struct lookup *l, char *buf, size_t size)
{
	char *line = buf, *end;

	while (l->nr_found < l->nr && (end = memchr(line, '\n', buf + size - line))) {
		*end = '\0';
		lookup__line(l, line);
		line = end + 1;
	}
	size -= line - buf;
	memmove(buf, line, size);
	return size;
}

static int lookup__fd(struct lookup *l, int fd)
{
	char buf[16384];
	size_t size = 0;
	ssize_t n;

	while (l->nr_found < l->nr) {
		n = read(fd, buf + size, sizeof(buf) - 1 - size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		size = lookup__lines(l, buf, size + n);
		if (size == sizeof(buf) - 1) /* no line of kallsyms is that long */
			return -EINVAL;
	}
	buf[size] = '\0';
	lookup__line(l, buf); /* the last line may lack a newline */
	return l->nr_found;
}

int kallsyms__lookup(const char *path, const char *const *names, u64 *addrs, int nr)
{
	struct lookup l = { .names = names, .addrs = addrs, .nr = nr };
	int fd, rc;

	l.found = calloc(nr + 1, sizeof(*l.found));
	if (!l.found)
		return -ENOMEM;
	memset(addrs, 0, nr * sizeof(*addrs));
	fd = open(path ? path : PROC_KALLSYMS, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		free(l.found);
		return -errno;
	}
	rc = lookup__fd(&l, fd);
	close(fd);
	free(l.found);
	return rc;
}

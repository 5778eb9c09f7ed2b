// SPDX-License-Identifier: GPL-2.0
#include "util/annotate/code.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/annotate/kernel-code.h"
#include "util/lib/array.h"
#include "util/lib/printable.h"
#include "util/lib/program.h"

#define TAB_WIDTH 8

struct reading {
	struct code_text *code;
	const char *file; /* as objdump knows it */
	u64 end;
	int number;
	bool number_lines;
	u32 block; /* the first line of code that came after the last place */
	/* for code from memory, whose addresses objdump cannot name; else NULL */
	struct resolver *resolver;
	u64 shift; /* from addresses in memory to those of the recording */
};

char *code_line__clean(const char *text)
{
	size_t len, used = 0;
	char *out;

	text += strspn(text, " \t");
	len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	out = malloc(len * TAB_WIDTH + 1);
	for (size_t i = 0; out && i < len; i++) {
		if (text[i] != '\t') {
			out[used++] = text[i];
			continue;
		}
		do
			out[used++] = ' ';
		while (used % TAB_WIDTH);
	}
	if (!out)
		return NULL;
	out[used] = '\0';
	return printable__clean(out);
}

/* "/path:12": where the next lines come from */
static bool is_place(const char *text, int *number)
{
	const char *colon = *text == '/' ? strchr(text, ':') : NULL;

	if (!colon || colon == text + 1 || !isdigit((unsigned char)colon[1]))
		return false;
	*number = atoi(colon + 1);
	return true;
}

int code_text__add(struct code_text *code, const struct code_line *line)
{
	if (array__grow(code->line, code->nr, code->alloc)) {
		free(line->text);
		return -ENOMEM;
	}
	code->line[code->nr++] = *line;
	return 0;
}

/* The place before a block of source lines is that of its last one. */
static void number_block(struct reading *r)
{
	int number = r->number;

	for (u32 i = r->code->nr; i > r->block; i--)
		r->code->line[i - 1].number = number--;
	r->block = r->code->nr;
}

/* "hot():", which objdump -l prints above a place */
static bool names_function(const char *text)
{
	size_t len = strlen(text);

	return len > 3 && !strcmp(text + len - 3, "():");
}

static bool name_address(u64 addr, char *buf, size_t size, void *data)
{
	const struct reading *r = data;
	struct location loc;
	u64 offset;

	resolver__resolve(r->resolver, NULL, PERF_RECORD_MISC_KERNEL, addr + r->shift, &loc);
	if (!loc.sym)
		return false;
	offset = loc.sym_addr - loc.sym->start;
	if (offset)
		snprintf(buf, size, "%s+%#" PRIx64, loc.sym->name, (uint64_t)offset);
	else
		snprintf(buf, size, "%s", loc.sym->name);
	return true;
}

static int take_line(const char *raw, void *data)
{
	struct reading *r = data;
	const char *name = strstr(raw, r->file);
	struct code_line line = { .offset = -1, .number = r->number };
	char *text, *behind;
	u64 addr;

	if (name && name[strlen(r->file)] == ':') /* the format of the file */
		return 0;
	text = code_line__clean(raw);
	if (!text)
		return -ENOMEM;
	if (is_place(text, &r->number) || (r->number_lines && names_function(text))) {
		r->block = r->code->nr;
		free(text);
		return 0;
	}
	addr = strtoull(text, &behind, 16);
	if (behind != text && behind[0] == ':' && behind[1] && addr >= r->code->start && addr < r->end) {
		line.offset = addr - r->code->start;
		memmove(text, behind + 1, strlen(behind));
		if (r->number_lines)
			number_block(r);
		if (r->resolver)
			text = kernel_code__name_addresses(text, name_address, r);
		if (!text)
			return -ENOMEM;
	}
	line.text = text;
	r->number += !r->number_lines;
	return code_text__add(r->code, &line);
}

/* fd: the file with the code */
static int run_objdump(struct reading *r, const char *program, int fd, const struct location *loc, const struct code_opts *o, struct errmsg *err)
{
	char start[64], stop[64], prefix[4096], strip[64], path[64];
	const char *argv[16] = { program };
	int nr = 1, ret;

	/* the very file, wherever it lies */
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
	r->file = path;
	r->end = r->code->start + (loc->sym->end - loc->sym->start);
	if (o->style) {
		argv[nr++] = "-M";
		argv[nr++] = o->style;
	}
	snprintf(start, sizeof(start), "--start-address=0x%016" PRIx64, (uint64_t)r->code->start);
	snprintf(stop, sizeof(stop), "--stop-address=0x%016" PRIx64, (uint64_t)r->end);
	argv[nr++] = start;
	argv[nr++] = stop;
	argv[nr++] = "-d";
	argv[nr++] = "-C";
	if (!o->raw)
		argv[nr++] = "--no-show-raw-insn";
	if (!o->no_source)
		argv[nr++] = "-S";
	if (!o->no_source && o->number_lines)
		argv[nr++] = "-l";
	if (o->prefix) {
		snprintf(prefix, sizeof(prefix), "--prefix=%s", o->prefix);
		argv[nr++] = prefix;
	}
	if (o->prefix_strip) {
		snprintf(strip, sizeof(strip), "--prefix-strip=%s", o->prefix_strip);
		argv[nr++] = strip;
	}
	argv[nr++] = r->file;
	ret = program__for_each_line((char *const *)argv, take_line, r);
	if (ret < 0)
		return errmsg__set(err, -ret, "%s: %s", program, strerror(-ret));
	if (ret || !r->code->nr)
		return errmsg__set(err, EINVAL, "%s could not read it (exit status %d)", program, ret);
	return 0;
}

/* malloc'ed; NULL after setting err */
static char *find_objdump(const struct code_opts *o, struct errmsg *err)
{
	const char *name = o->objdump ?: "objdump";
	char *path = strchr(name, '/') ? strdup(name) : program__find(name);

	if (!path)
		errmsg__set(err, ENOENT, "there is no %s on PATH: it comes with the package binutils, or name one by --objdump", name);
	return path;
}

/* Kernels and modules have symbols, but no code, in files. */
static bool is_in_memory(const struct dso *dso, const struct code_opts *o)
{
	return (dso->kind == DSO_KERNEL && !o->vmlinux) || dso->kind == DSO_MODULE;
}

static int open_file(struct elf_file *file, const struct dso *dso, const struct code_opts *o, struct errmsg *err)
{
	const struct file_places places = { .symfs = o->symfs, .cache = o->cache, .dso = dso };
	int ret;

	if (dso->kind == DSO_KERNEL)
		return elf_file__open(file, o->vmlinux, err);
	if (dso->kind == DSO_BPF)
		return errmsg__set(err, ENOENT, "it was made at run time, and is in no file: 'bpftool prog dump jited' shows BPF programs");
	ret = recorded_file__open(file, dso->name, &dso->build_id, &places, err);
	if (!ret && file->fd < 0) {
		elf_file__close(file);
		return errmsg__set(err, ENOENT, "%s is only in the recording: unpack it", dso->name);
	}
	return ret;
}

/* Where the function begins in the file that objdump reads */
static u64 start_of(const struct elf_file *file, struct resolver *resolver, const struct location *loc)
{
	u64 start;

	if (loc->dso->kind != DSO_KERNEL && elf_file__vaddr(file, loc->sym->start, &start))
		return start;
	return resolver__file_address(resolver, loc) - (loc->sym_addr - loc->sym->start);
}

static int read_file(struct reading *r, const char *program, struct resolver *resolver, const struct location *loc, const struct code_opts *o,
		     struct errmsg *err)
{
	struct elf_file file;
	int ret = open_file(&file, loc->dso, o, err);

	if (ret)
		return ret;
	r->code->start = start_of(&file, resolver, loc);
	r->code->machine = file.ehdr.e_machine;
	ret = run_objdump(r, program, file.fd, loc, o, err);
	elf_file__close(&file);
	return ret;
}

/* The memory of the kernel with these kallsyms lies beside them: /proc/kcore, or a copy of both. malloc'ed; NULL: no memory */
static char *find_memory(const char *kallsyms)
{
	const char *slash = kallsyms ? strrchr(kallsyms, '/') : NULL;
	char *path;

	if (!kallsyms)
		return strdup("/proc/kcore");
	return asprintf(&path, "%.*skcore", slash ? (int)(slash + 1 - kallsyms) : 0, kallsyms) < 0 ? NULL : path;
}

static int read_memory(struct reading *r, const char *program, struct resolver *resolver, const struct location *loc, const struct code_opts *o,
		       struct errmsg *err)
{
	const char *kallsyms = resolver__kallsyms(resolver);
	char *path = find_memory(kallsyms);
	struct kernel_code code;
	int ret;

	if (path && kallsyms && access(path, F_OK)) { /* a copy of the symbols alone: the kernel may still be running */
		free(path);
		path = find_memory(kallsyms = NULL);
	}
	if (!path)
		return errmsg__set(err, ENOMEM, "out of memory");
	r->resolver = resolver;
	r->code->start = resolver__address_in_memory(resolver, loc->sym, kallsyms);
	r->shift = loc->sym->start - r->code->start;
	if (!r->code->start || (r->shift && loc->dso->kind == DSO_MODULE))
		ret = errmsg__set(err, ESTALE, "another kernel was recorded, or another boot of it: name its vmlinux by -k");
	else
		ret = kernel_code__open(&code, path, r->code->start, loc->sym->end - loc->sym->start, err);
	if (!ret) {
		r->code->machine = code.machine;
		ret = run_objdump(r, program, code.fd, loc, o, err);
		kernel_code__close(&code);
	}
	free(path);
	return ret;
}

int code_text__read(struct code_text *code, struct resolver *resolver, const struct location *loc, const struct code_opts *o,
		    struct errmsg *err)
{
	char *program = find_objdump(o, err);
	struct reading r = { .code = code, .number_lines = o->number_lines };
	int ret;

	if (!program)
		return -ENOENT;
	ret = (is_in_memory(loc->dso, o) ? read_memory : read_file)(&r, program, resolver, loc, o, err);
	free(program);
	return ret;
}

void code_text__exit(struct code_text *code)
{
	for (u32 i = 0; i < code->nr; i++)
		free(code->line[i].text);
	free(code->line);
	*code = (struct code_text){};
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "util/symbol/symtab.h"
#include "util/synth/private.h"

/* A map of the kernel: MMAP, or MMAP2 if its build-id is known. Has no task: pid -1, tid 0, as perf writes it. */
static int synth__kernel_map(struct synth *synth, u64 start, u64 len, u64 pgoff, const char *name, const struct build_id *id)
{
	struct record_mmap2 r = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_MMAP_BUILD_ID },
		.pid = -1,
		.start = start,
		.len = len,
		.pgoff = pgoff,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
	};
	struct record_mmap old = {
		.header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_KERNEL },
		.pid = -1,
		.start = start,
		.len = len,
		.pgoff = pgoff,
	};

	if (!id->size)
		return synth__add(synth, &old, sizeof(old), name, strlen(name), -1, 0);
	r.build_id_size = id->size;
	memcpy(r.build_id, id->data, sizeof(r.build_id));
	return synth__add(synth, &r, sizeof(r), name, strlen(name), -1, 0);
}

static void read_notes(struct synth *synth, const char *path, struct build_id *id)
{
	id->size = 0;
	if (synth->opts.build_ids && !fs_text__read(&synth->text, AT_FDCWD, path) &&
	    build_id__from_notes(synth->text.text, synth->text.size, id))
		id->size = 0;
}

struct module {
	char *name; /* within the line */
	u64 start, size;
};

/*
 * Parse a line of /proc/modules, "ext4 1036288 1 mbcache, Live 0xffffffffc0400000": name, size, users, dependents, state, address.
 * Writes NULs into the line. false if it is malformed or its address is hidden.
 */
static bool parse_module(char *line, struct module *m)
{
	char *save, *size, *addr = NULL;
	int i;

	m->name = strtok_r(line, " ", &save);
	size = strtok_r(NULL, " ", &save);
	for (i = 0; i < 4; i++)
		addr = strtok_r(NULL, " ", &save);
	if (!m->name || !size || !addr)
		return false;
	m->size = strtoull(size, NULL, 10);
	m->start = strtoull(addr, NULL, 16);
	return m->start && m->size;
}

static int synth__module(struct synth *synth, const struct module *m)
{
	char dso[PATH_MAX], notes[PATH_MAX];
	struct build_id id;

	snprintf(dso, sizeof(dso), "[%s]", m->name);
	snprintf(notes, sizeof(notes), "%s/module/%s/notes/.note.gnu.build-id", synth->opts.sys, m->name);
	read_notes(synth, notes, &id);
	return synth__kernel_map(synth, m->start, m->size, 0, dso, &id);
}

static int synth__modules(struct synth *synth, const struct module *modules, size_t nr)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = synth__module(synth, &modules[i]);
	return ret;
}

/* *modules is malloc'ed and points into text. A kernel without modules has no such file. */
static int read_modules(const struct synth *synth, struct fs_text *text, struct module **modules, size_t *nr)
{
	char path[PATH_MAX], *save, *line;
	size_t lines = 0;
	int ret;

	*modules = NULL;
	*nr = 0;
	snprintf(path, sizeof(path), "%s/modules", synth->opts.proc);
	ret = fs_text__read(text, AT_FDCWD, path);
	if (ret)
		return fs__own_error(ret);
	for (line = text->text; *line; line++)
		lines += *line == '\n';
	*modules = calloc(lines + 1, sizeof(**modules));
	if (!*modules)
		return -ENOMEM;
	for (line = strtok_r(text->text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		*nr += parse_module(line, &(*modules)[*nr]);
	return 0;
}

/*
 * Where code that is loaded later begins at the earliest. The kernel's map must not reach into it: perf 6.1 finds no BPF program there. On
 * x86-64 the image has 512 MiB, 16 of them before _text, or with KASLR what is left of 1 GiB (Documentation/arch/x86/x86_64/mm.rst).
 */
static u64 end_of_image(u64 start)
{
#ifdef __x86_64__
	const u64 longest = 0x1f000000, last = 0xffffffffc0000000;

	if (start >= 0xffffffff80000000 && start < last)
		return last - start < longest ? last : start + longest;
#endif
	return -1ULL;
}

/*
 * The core kernel, from _text to the first module after it at most: its exact end (_etext) is so late in kallsyms that reading up to there
 * takes longer than the rest of a short recording.
 */
static int synth__core(struct synth *synth, const struct module *modules, size_t nr_modules)
{
	static const char *const names[] = { "_text", "_stext" };
	u64 addr[ARRAY_SIZE(names)] = { 0 }, start, end;
	char path[PATH_MAX], name[64];
	struct build_id id;
	const char *ref;
	size_t i;
	int ret;

	snprintf(path, sizeof(path), "%s/kallsyms", synth->opts.proc);
	ret = kallsyms__lookup(path, names, addr, ARRAY_SIZE(names));
	if (ret < 0 && fs__own_error(ret))
		return ret;
	ref = addr[0] || !addr[1] ? names[0] : names[1];
	start = addr[0] ? addr[0] : addr[1];
	end = end_of_image(start);
	synth->kernel_hidden = ret > 0 && !start;
	for (i = 0; i < nr_modules; i++) {
		if (modules[i].start > start && modules[i].start < end)
			end = modules[i].start;
	}
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", ref);
	snprintf(path, sizeof(path), "%s/kernel/notes", synth->opts.sys);
	read_notes(synth, path, &id);
	/* pgoff is the address of the symbol in the name's suffix; 0: hidden (kptr_restrict). */
	return synth__kernel_map(synth, start, end - start, start, name, &id);
}

int synth__kernel(struct synth *synth)
{
	struct fs_text text = { 0 };
	struct module *modules;
	size_t nr;
	int ret;

	ret = read_modules(synth, &text, &modules, &nr);
	if (!ret)
		ret = synth__core(synth, modules, nr);
	if (!ret)
		ret = synth__modules(synth, modules, nr);
	free(modules);
	fs_text__exit(&text);
	return ret;
}

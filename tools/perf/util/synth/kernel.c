// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "util/symbol/symtab.h"
#include "util/synth/private.h"

/* A map of the kernel: MMAP, or MMAP2 when its build-id is known. Tasks are no matter: pid -1, tid 0, as perf writes it. */
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

/* "ext4 1036288 1 mbcache, Live 0xffffffffc0400000": name, size, users, dependents, state, address (0 if hidden) */
static int synth__module(struct synth *synth, char *line)
{
	char *save, *name = strtok_r(line, " ", &save), *size = strtok_r(NULL, " ", &save), *addr = NULL;
	char dso[PATH_MAX], notes[PATH_MAX];
	struct build_id id;
	u64 start;
	int i;

	for (i = 0; i < 4; i++)
		addr = strtok_r(NULL, " ", &save);
	if (!name || !size || !addr)
		return 0;
	start = strtoull(addr, NULL, 16);
	if (!start)
		return 0;
	snprintf(dso, sizeof(dso), "[%s]", name);
	snprintf(notes, sizeof(notes), "%s/module/%s/notes/.note.gnu.build-id", synth->opts.sys, name);
	read_notes(synth, notes, &id);
	return synth__kernel_map(synth, start, strtoull(size, NULL, 10), 0, dso, &id);
}

static int synth__modules(struct synth *synth)
{
	struct fs_text text = { 0 };
	char path[PATH_MAX], *save, *line;
	int ret;

	snprintf(path, sizeof(path), "%s/modules", synth->opts.proc);
	ret = fs_text__read(&text, AT_FDCWD, path);
	if (ret)
		return ret == -ENOMEM ? ret : 0; /* a kernel without modules has no such file */
	line = strtok_r(text.text, "\n", &save);
	for (; line && !ret; line = strtok_r(NULL, "\n", &save))
		ret = synth__module(synth, line);
	fs_text__exit(&text);
	return ret;
}

int synth__kernel(struct synth *synth)
{
	static const char *const names[] = { "_text", "_stext", "_etext" };
	u64 addr[ARRAY_SIZE(names)] = { 0 }, start, end;
	char path[PATH_MAX], name[64];
	struct build_id id;
	const char *ref;
	int ret;

	snprintf(path, sizeof(path), "%s/kallsyms", synth->opts.proc);
	kallsyms__lookup(path, names, addr, ARRAY_SIZE(names));
	ref = addr[0] || !addr[1] ? names[0] : names[1];
	start = addr[0] ? addr[0] : addr[1];
	end = start && addr[2] > start ? addr[2] : -1ULL;
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", ref);
	snprintf(path, sizeof(path), "%s/kernel/notes", synth->opts.sys);
	read_notes(synth, path, &id);
	/* pgoff is the address of the symbol that the name ends with; 0 says that it was hidden (kptr_restrict). */
	ret = synth__kernel_map(synth, start, end - start, start, name, &id);
	return ret ? ret : synth__modules(synth);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libelf behind a few questions about one ELF file. Files come from recordings and may be anything: only regular files are
 * opened, none is mapped (it might shrink meanwhile), and what libelf returns is checked.
 *
 * Sections that the file's budget has no room for have the type SHT_NOBITS, to libelf, libdw and libdwfl, too: they are in memory as a whole
 * if they are read. The budget says what was left out.
 */
#ifndef PERF_SYMBOL_ELF_FILE_H
#define PERF_SYMBOL_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/perfdata/features.h" /* struct build_id */
#include "util/symbol/elf-budget.h"

struct elf_load { /* a PT_LOAD header */
	u64 vaddr, size, offset;
	u64 file_size; /* of the segment's part that is in the file; size is at least that */
};

struct elf_strings { /* the contents of a string table */
	const char *text;
	size_t size; /* 0: there is none, or the last string has no end */
};

struct elf_unpacked; /* see elf-unpack.h */

struct elf_file {
	int fd; /* -1: in memory */
	Elf *elf;
	GElf_Ehdr ehdr;
	struct elf_strings section_names;
	struct elf_load *load;
	u32 nr_load;
	struct elf_unpacked *unpacked; /* contents of sections that were compressed, or NULL */
	struct elf_budget budget;
};

/* 0 or -errno (-ENOEXEC: not an ELF file); after an error there is nothing to close. */
int elf_file__open(struct elf_file *file, const char *path, struct errmsg *err);
/* Takes over fd, which was opened by regular-file.h; path is for messages. */
int elf_file__open_fd(struct elf_file *file, int fd, const char *path, struct errmsg *err);
int elf_file__open_memory(struct elf_file *file, const void *image, size_t size);
void elf_file__close(struct elf_file *file);
/* Close it, but for what elf_file__offset() and elf_file__vaddr() need. elf_file__close() is still to come. */
void elf_file__close_contents(struct elf_file *file);

/* From now on the section has no contents. */
void elf_file__hide(Elf_Scn *scn);
/* Whether there is room for the whole file. */
bool elf_file__may_read_whole(struct elf_file *file);
/* The first section of that name, or NULL. */
Elf_Scn *elf_file__section(const struct elf_file *file, const char *name, GElf_Shdr *shdr);

/* Of the section with this index; valid until close. */
struct elf_strings elf_file__strings(const struct elf_file *file, size_t index);
static inline const char *elf_strings__at(const struct elf_strings *s, size_t offset) /* NULL: outside */
{
	return offset < s->size ? s->text + offset : NULL;
}

static inline const char *elf_file__section_name(const struct elf_file *file, const GElf_Shdr *shdr) /* "" if there is none */
{
	return elf_strings__at(&file->section_names, shdr->sh_name) ?: "";
}

/* Where in the file the byte at vaddr is: false if no segment holds it. */
bool elf_file__offset(const struct elf_file *file, u64 vaddr, u64 *offset);
bool elf_file__vaddr(const struct elf_file *file, u64 offset, u64 *vaddr); /* the way back */
int elf_file__build_id(const struct elf_file *file, struct build_id *id); /* 0 or -ENOENT */
/* The name and checksum in .gnu_debuglink; the name is valid until close. 0 or -ENOENT. */
int elf_file__debuglink(const struct elf_file *file, const char **name, u32 *crc);

#endif

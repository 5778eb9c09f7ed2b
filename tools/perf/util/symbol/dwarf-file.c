// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/dwarf-file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/symbol/debug-file.h"
#include "util/symbol/debuginfod.h"
#include "util/symbol/dwarf-link.h"
#include "util/symbol/elf-unpack.h"
#include "util/symbol/recorded-file.h"
#include "util/symbol/symtab.h"

static bool has_debug_info(const struct elf_file *file)
{
	GElf_Shdr shdr;

	/* .zdebug_info: compressed the old way; libdw reads both */
	return (elf_file__section(file, ".debug_info", &shdr) && shdr.sh_type != SHT_NOBITS) ||
	       elf_file__section(file, ".zdebug_info", &shdr);
}

static int open_fetched(struct elf_file *debug, const struct build_id *id)
{
	char *path;
	int ret = debuginfod__find(id, &path);

	if (ret)
		return ret;
	ret = elf_file__open(debug, path, NULL);
	free(path);
	if (!ret && !has_debug_info(debug)) {
		elf_file__close(debug);
		ret = -ENODATA;
	}
	return ret;
}

static int dwarf_file__open_debug(struct dwarf_file *file, const char *path, const struct dwarf_file_opts *opts)
{
	struct build_id id;
	int ret;

	if (has_debug_info(&file->runtime))
		return 0;
	if (elf_file__build_id(&file->runtime, &id))
		id.size = 0;
	ret = debug_file__open(&file->debug, ".debug_info", path, &id, &file->runtime, opts->symfs);
	if (ret == -ENOENT && opts->debuginfod)
		ret = open_fetched(&file->debug, &id);
	file->has_debug = !ret;
	elf_file__close_contents(&file->runtime); /* there may be many files, and few descriptors */
	return ret;
}

/*
 * libdw 0.188 looks for the end of some strings without minding the end of their section. After dwarf_begin_elf() sections are no
 * longer compressed.
 */
static bool strings_end(const struct elf_file *file)
{
	static const char *const sections[] = { ".debug_str", ".debug_line_str" };
	GElf_Shdr shdr;

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		Elf_Scn *scn = elf_file__section(file, sections[i], &shdr);
		Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

		if (data && data->d_size && (!data->d_buf || ((const char *)data->d_buf)[data->d_size - 1]))
			return false;
	}
	return true;
}

/*
 * Below symfs, which libdw would not look under. If there is nothing, libdw tries for itself, and what it does not find makes
 * names unknown, no more.
 */
static void dwarf_file__open_shared(struct dwarf_file *file, const char *symfs)
{
	const char *name;
	const void *data;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(file->dw, &name, &data);
	struct build_id id, found;
	char *path, hex[41];

	if (size <= 0 || size > (ssize_t)sizeof(id.data) || !symfs)
		return;
	memset(&id, 0, sizeof(id));
	memcpy(id.data, data, size);
	id.size = size;
	build_id__str(&id, hex);
	if (asprintf(&path, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", symfs, hex, hex + 2) < 0)
		return;
	if (!elf_file__open(&file->shared, path, NULL)) {
		file->has_shared = true;
		if (!elf_file__build_id(&file->shared, &found) && build_id__equal(&id, &found))
			file->dw_shared = dwarf_begin_elf(file->shared.elf, DWARF_C_READ, NULL);
	}
	free(path);
	if (file->dw_shared && strings_end(&file->shared))
		dwarf_setalt(file->dw, file->dw_shared);
}

/* What libdw is asked for here. Of a hostile file that has more sections, or several of a name, no more is unpacked. */
static const char *const used[] = {
	".debug_info", ".debug_types", ".debug_abbrev", ".debug_addr", ".debug_aranges", ".debug_line", ".debug_line_str",
	".debug_str", ".debug_str_offsets", ".debug_ranges", ".debug_rnglists",
};
static const char *const unused[] = { ".debug_loc", ".debug_loclists" }; /* nobody asks where variables are */

/*
 * dwarf_begin_elf() unpacks all sections of debug information, which is most of its time: what has no contents it does not look at, what
 * is not compressed any more it takes as it is. What cannot be unpacked here is left to its judgement.
 */
static int prepare_sections(struct elf_file *file)
{
	GElf_Shdr shdr;
	Elf_Scn *scn;

	for (size_t i = 0; i < ARRAY_SIZE(unused); i++) {
		scn = elf_file__section(file, unused[i], &shdr);
		if (!scn || !(shdr.sh_flags & SHF_COMPRESSED))
			continue;
		shdr.sh_type = SHT_NOBITS;
		gelf_update_shdr(scn, &shdr); /* in memory only */
	}
	for (size_t i = 0; i < ARRAY_SIZE(used); i++) {
		scn = elf_file__section(file, used[i], &shdr);
		if (scn && elf_file__unpack(file, scn) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

static int dwarf_file__begin(struct dwarf_file *file, const struct dwarf_file_opts *opts)
{
	struct elf_file *from = file->has_debug ? &file->debug : &file->runtime;
	struct stat st;
	int ret = prepare_sections(from);

	if (ret)
		return ret;
	file->dw = dwarf_begin_elf(from->elf, DWARF_C_READ, NULL);
	if (!file->dw)
		return 0;
	if (!strings_end(from) || !dwarf_link__is_safe(from->fd, file->dw) || fstat(from->fd, &st)) {
		dwarf_end(file->dw);
		file->dw = NULL;
		return 0;
	}
	file->size = st.st_size;
	dwarf_file__open_shared(file, opts->symfs);
	return 0;
}

int dwarf_file__open(struct dwarf_file *file, const char *path, const struct build_id *want, const struct dwarf_file_opts *opts,
		     struct errmsg *err)
{
	const struct file_places places = { opts->symfs, opts->cache };
	int ret;

	memset(file, 0, sizeof(*file));
	ret = recorded_file__open(&file->runtime, path, want, &places, err);
	if (ret)
		return ret;
	ret = dwarf_file__open_debug(file, path, opts);
	if (ret != -ENOMEM && (file->has_debug || file->runtime.elf))
		ret = dwarf_file__begin(file, opts);
	if (ret != -ENOMEM)
		return 0;
	dwarf_file__close(file);
	return errmsg__set(err, ENOMEM, "%s: out of memory", path);
}

int dwarf_file__fd(const struct dwarf_file *file)
{
	return file->has_debug ? file->debug.fd : file->runtime.fd;
}

void dwarf_file__close(struct dwarf_file *file)
{
	dwarf_end(file->dw);
	dwarf_end(file->dw_shared);
	if (file->has_shared)
		elf_file__close(&file->shared);
	if (file->has_debug)
		elf_file__close(&file->debug);
	elf_file__close(&file->runtime);
}

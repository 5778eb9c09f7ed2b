// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/dwarf-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/symbol/debug-file.h"
#include "util/symbol/debuginfod.h"
#include "util/symbol/dwarf-cost.h"
#include "util/symbol/dwarf-link.h"
#include "util/symbol/elf-unpack.h"
#include "util/symbol/recorded-file.h"
#include "util/symbol/symtab.h"

/* A file with more bytes than on disk is compressed by its file system. */
#define MAX_STEPS_PER_BYTE 4

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
	ret = debug_file__open(&file->debug, ".debug_info", path, &id, &file->runtime, opts->symfs, opts->bundle);
	if (ret == -ENOENT && opts->debuginfod)
		ret = open_fetched(&file->debug, &id);
	file->has_debug = !ret;
	elf_file__close_contents(&file->runtime); /* close it early: files are many, descriptors few */
	return ret;
}

/* libdw 0.188 searches the end of some strings beyond their section. After dwarf_begin_elf() sections are no longer compressed. */
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

static const char *without_prefix(const char *name)
{
	name += *name == '.';
	return name + (*name == 'z');
}

/* Lists of where variables are, for each part of a function */
static bool has_locations(const char *name)
{
	name = without_prefix(name);
	return !strcmp(name, "debug_loc") || !strcmp(name, "debug_loclists");
}

/*
 * The sections that perf reads by libdw. The other sections, of which a hostile file may have many, are not unpacked.
 */
static bool is_used(const char *name)
{
	static const char *const used[] = {
		"debug_info", "debug_types", "debug_abbrev", "debug_addr", "debug_aranges", "debug_line", "debug_line_str", "debug_str",
		"debug_str_offsets", "debug_ranges", "debug_rnglists", "debug_frame",
	};

	name = without_prefix(name);
	for (size_t i = 0; i < ARRAY_SIZE(used); i++) {
		if (!strcmp(name, used[i]))
			return true;
	}
	return false;
}

/* Leave damaged sections, and those in other formats, to libelf. */
static int prepare_section(struct elf_file *file, Elf_Scn *scn)
{
	int ret = elf_file__unpack(file, scn);

	if (ret == -EFBIG || ((ret == -ENOTSUP || ret == -EBADMSG) && !elf_file__may_unpack(file, scn)))
		elf_file__hide(scn);
	return ret == -ENOMEM ? ret : 0;
}

/*
 * dwarf_begin_elf() reads and unpacks all sections of debug information, which takes most of its time. It skips sections without contents, and
 * uses those that are already unpacked. It would later follow a link to another file by itself.
 */
static int prepare_sections(struct elf_file *file, bool locations)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	int ret = 0;

	while (!ret && (scn = elf_nextscn(file->elf, scn))) {
		const char *name = gelf_getshdr(scn, &shdr) ? elf_file__section_name(file, &shdr) : "";
		bool packed = shdr.sh_flags & SHF_COMPRESSED || !strncmp(name, ".z", 2);

		if (!strcmp(name, ".gnu_debugaltlink") || (has_locations(name) ? !locations : packed && !is_used(name)))
			elf_file__hide(scn);
		else if (packed)
			ret = prepare_section(file, scn);
	}
	return ret;
}

/* NULL: none is usable. */
static Dwarf *begin(struct elf_file *file)
{
	Dwarf *dw = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);

	if (!dw || (strings_end(file) && dwarf_cost__take_units(dw, &file->budget)))
		return dw;
	dwarf_end(dw);
	return NULL;
}

/* A missing file only leaves names unknown. */
static int dwarf_file__open_shared(struct dwarf_file *file, const struct elf_file *from, const char *symfs)
{
	int ret = dwarf_link__open_shared(&file->shared, from, symfs);

	file->has_shared = !ret;
	if (!ret)
		ret = prepare_sections(&file->shared, false);
	if (!ret)
		file->dw_shared = begin(&file->shared);
	return ret == -ENOMEM ? ret : 0;
}

struct elf_file *dwarf_file__elf(struct dwarf_file *file)
{
	return file->has_debug ? &file->debug : &file->runtime;
}

static int dwarf_file__begin(struct dwarf_file *file, const struct dwarf_file_opts *opts)
{
	struct elf_file *from = dwarf_file__elf(file);
	u64 most = MAX_STEPS_PER_BYTE * from->budget.disk;
	int ret = dwarf_file__open_shared(file, from, opts->symfs);
	struct stat st;

	ret = ret ?: prepare_sections(from, opts->locations);
	if (ret || fstat(from->fd, &st))
		return ret;
	file->size = (u64)st.st_size < most ? (u64)st.st_size : most;
	file->dw = begin(from);
	if (file->dw && file->dw_shared)
		dwarf_setalt(file->dw, file->dw_shared);
	return 0;
}

const char *dwarf_file__left_out(struct dwarf_file *file)
{
	struct elf_budget *b = &file->runtime.budget;

	if (file->has_debug)
		elf_budget__note(b, "%s", file->debug.budget.left_out);
	if (file->has_shared)
		elf_budget__note(b, "%s", file->shared.budget.left_out);
	return b->left_out[0] ? b->left_out : NULL;
}

int dwarf_file__open(struct dwarf_file *file, const char *path, const struct build_id *want, const struct dwarf_file_opts *opts,
		     struct errmsg *err)
{
	const struct file_places places = { opts->symfs, opts->cache, opts->bundle, opts->dso, opts->mapped };
	int ret;

	memset(file, 0, sizeof(*file));
	ret = recorded_file__open(&file->runtime, opts->opened && !opts->symfs ? opts->opened : path, want, &places, err);
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

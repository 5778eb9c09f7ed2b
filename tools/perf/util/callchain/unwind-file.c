// SPDX-License-Identifier: GPL-2.0
#include "util/callchain/unwind-file.h"

#include <errno.h>
#include <string.h>

#include "util/symbol/elf-unpack.h"
#include "util/symbol/running-kernel.h"

static bool may_have_dwarf(const char *name)
{
	return !strncmp(name, ".debug", 6) || !strncmp(name, ".zdebug", 7) || !strncmp(name, ".gnu", 4);
}

/*
 * Of debug information libdwfl needs .debug_frame, and reads all. Without a section .eh_frame it searches the whole file. After an
 * error the file is closed.
 */
static int prepare_file(struct elf_file *file)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	int ret = 0;

	while (!ret && (scn = elf_nextscn(file->elf, scn))) {
		const char *name = gelf_getshdr(scn, &shdr) ? elf_file__section_name(file, &shdr) : "";
		bool is_frame = !strcmp(name, ".debug_frame");

		if (is_frame && shdr.sh_flags & SHF_COMPRESSED)
			ret = elf_file__unpack(file, scn);
		if (!file->section_names.size || (!is_frame && may_have_dwarf(name)) || (ret && ret != -ENOMEM))
			elf_file__hide(scn);
		ret = ret == -ENOMEM ? ret : 0;
	}
	if (!ret && !elf_file__section(file, ".eh_frame", &shdr) && !elf_file__may_read_whole(file))
		ret = -E2BIG;
	if (ret)
		elf_file__close(file);
	return ret;
}

static int open_bundled_vdso(const struct file_places *places, const struct dso *dso, struct elf_file *file)
{
	int fd = bundle__open_file(places->bundle, &dso->build_id, dso->name, "vdso");

	return fd < 0 ? fd : elf_file__open_fd(file, fd, dso->name, NULL);
}

int unwind_file__open(struct machine *machine, const struct file_places *usual, const struct dso *dso, struct elf_file *file)
{
	struct file_places places = *usual;
	const void *vdso;
	size_t size;
	int ret;

	if (!strcmp(dso->name, "[vdso]")) {
		vdso = running_kernel__vdso(machine, &size);
		return vdso ? elf_file__open_memory(file, vdso, size) : open_bundled_vdso(usual, dso, file);
	}
	if (dso->kind != DSO_USER || dso->name[0] != '/')
		return -ENOENT;
	places.dso = dso;
	ret = recorded_file__open(file, dso->name, &dso->build_id, &places, NULL);
	return ret ?: prepare_file(file);
}

// SPDX-License-Identifier: GPL-2.0
#include "util/synth/moved-text.h"

#include <sys/mman.h>
#include <unistd.h>
#include "util/symbol/elf-file.h"
#include "util/synth/build-ids.h"

/* What a mapping of the segment begins and ends with: whole pages */
static u64 page_begin(u64 at)
{
	return at & -sysconf(_SC_PAGESIZE);
}

static u64 page_end(u64 at)
{
	return page_begin(at + sysconf(_SC_PAGESIZE) - 1);
}

/* *bias: what is added to addresses of the file. false: no segment has this offset. */
static bool find_bias(const struct elf_file *file, const struct proc_map *map, u64 *bias)
{
	for (u32 i = 0; i < file->nr_load; i++) {
		const struct elf_load *load = &file->load[i];

		if (map->pgoff >= page_begin(load->offset) && map->pgoff - page_begin(load->offset) < load->file_size) {
			*bias = map->start - map->pgoff + load->offset - load->vaddr;
			return true;
		}
	}
	return false;
}

static bool find_offset(const struct elf_file *file, u64 bias, const struct proc_map *map, u64 *offset)
{
	for (u32 i = 0; i < file->nr_load; i++) {
		const struct elf_load *load = &file->load[i];

		if (load->flags & PF_X && map->start >= bias + page_begin(load->vaddr) && map->end <= bias + page_end(load->vaddr + load->file_size)) {
			*offset = map->start - bias - load->vaddr + load->offset;
			return true;
		}
	}
	return false;
}

bool moved_text__find(const char *dir, const struct proc_map *before, struct proc_map *map)
{
	struct elf_file file;
	struct errmsg err;
	u64 bias, offset;
	bool found;
	int fd;

	if (!(map->prot & PROT_EXEC) || map->ino || map->name_len || !before->ino || before->end != map->start)
		return false;
	fd = build_ids__open(dir, before);
	if (fd < 0 || elf_file__open_fd(&file, fd, before->name, &err))
		return false;
	found = find_bias(&file, before, &bias) && find_offset(&file, bias, map, &offset);
	elf_file__close(&file);
	if (!found)
		return false;
	map->pgoff = offset;
	map->ino = before->ino;
	map->maj = before->maj;
	map->min = before->min;
	map->generation = before->generation;
	map->name = before->name;
	map->name_len = before->name_len;
	return true;
}

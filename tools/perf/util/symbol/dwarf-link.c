// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/dwarf-link.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/symbol/dwarf-cost.h"
#include "util/symbol/elf-unpack.h"
#include "util/symbol/symtab.h"

/* The directory in libdw's form: with a slash at the end, "" if unknown. */
static void directory_of(int fd, char *dir, size_t size)
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, dir, size - 1);
	while (len > 0 && dir[len - 1] != '/')
		len--;
	dir[len > 0 ? len : 0] = '\0';
}

/*
 * Does the memory fit that libdw would take for the units of the file at path? It opens the file by itself and reads all of it into
 * memory.
 */
static bool fits(struct elf_file *file, struct elf_budget *b)
{
	u64 all = file->budget.left;
	Elf_Scn *scn = NULL;
	Dwarf *dw;
	bool ok;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!elf_file__may_unpack(file, scn))
			return false;
	}
	if (file->budget.left_out[0])
		return false;
	dw = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	ok = !dw || dwarf_cost__take_units(dw, &file->budget);
	dwarf_end(dw);
	return ok && elf_budget__take(b, all - file->budget.left, "its .dwo files");
}

/* Is there no file, or a regular one that fits into the budget? A name too long for a path cannot be opened either. */
static bool place_is_safe(const char *base, const char *dir, const char *name, struct elf_budget *b)
{
	char path[3 * PATH_MAX];
	struct elf_file file;
	struct stat st;
	bool ok;

	snprintf(path, sizeof(path), "%s%s%s%s", base, dir, *dir ? "/" : "", name);
	if (stat(path, &st))
		return true;
	if (!S_ISREG(st.st_mode) || elf_file__open(&file, path, NULL))
		return false;
	ok = fits(&file, b);
	elf_budget__note(b, "%s", file.budget.left_out);
	elf_file__close(&file);
	return ok;
}

/* Check the paths that libdw tries (__libdw_filepath): an absolute name as it is; a relative one below base and below dir. */
static bool name_is_safe(int fd, const char *dir, const char *name, struct elf_budget *b)
{
	char base[PATH_MAX];

	if (name[0] == '/')
		return place_is_safe("", "", name, b);
	directory_of(fd, base, sizeof(base));
	return place_is_safe(base, "", name, b) && place_is_safe(dir[0] == '/' ? "" : base, dir, name, b);
}

bool dwarf_link__unit_is_safe(int fd, Dwarf_Die *skeleton, struct elf_budget *b)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr(skeleton, DW_AT_dwo_name, &attr));
	const char *dir = dwarf_formstring(dwarf_attr(skeleton, DW_AT_comp_dir, &attr));

	if (!name)
		name = dwarf_formstring(dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &attr));
	return !name || name_is_safe(fd, dir ? dir : "", name, b);
}

static int open_beside(struct elf_file *shared, int fd, const char *name)
{
	char path[2 * PATH_MAX] = "";

	if (name[0] != '/')
		directory_of(fd, path, PATH_MAX);
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "%s", name);
	return elf_file__open(shared, path, NULL);
}

static bool has_id(const struct elf_file *file, const struct build_id *id)
{
	struct build_id found;

	return !elf_file__build_id(file, &found) && build_id__equal(id, &found);
}

/* The section has a name with its NUL, then the build-id of the file with that name. */
static bool read_link(const struct elf_file *file, const char **name, struct build_id *id)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(file, ".gnu_debugaltlink", &shdr);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	size_t len;

	if (!data || !data->d_buf || !memchr(data->d_buf, 0, data->d_size))
		return false;
	*name = data->d_buf;
	len = strlen(*name) + 1;
	*id = (struct build_id){ .size = data->d_size - len };
	if (id->size < 2 || data->d_size - len > sizeof(id->data))
		return false;
	memcpy(id->data, *name + len, id->size);
	return true;
}

int dwarf_link__open_shared(struct elf_file *shared, const struct elf_file *file, const char *symfs)
{
	char *path, hex[41];
	struct build_id id;
	const char *name;
	int ret;

	if (!read_link(file, &name, &id))
		return -ENOENT;
	build_id__str(&id, hex);
	if (asprintf(&path, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", symfs ?: "", hex, hex + 2) < 0)
		return -ENOMEM;
	ret = elf_file__open(shared, path, NULL);
	free(path);
	if (ret && !symfs)
		ret = open_beside(shared, file->fd, name);
	if (ret || has_id(shared, &id))
		return ret;
	elf_file__close(shared);
	return -ESTALE;
}

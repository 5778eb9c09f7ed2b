// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/dwarf-link.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The directory, as libdw has it: with a slash at its end, "" if it is not known. */
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

/* Nothing, or a regular file. What does not fit in a path cannot be opened either. */
static bool place_is_safe(const char *base, const char *dir, const char *name)
{
	char path[3 * PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s%s%s", base, dir, *dir ? "/" : "", name);
	return stat(path, &st) || S_ISREG(st.st_mode);
}

/* The places in which libdw looks (__libdw_filepath): an absolute name is one; a relative one is below base and below dir. */
static bool name_is_safe(int fd, const char *dir, const char *name)
{
	char base[PATH_MAX];

	if (name[0] == '/')
		return place_is_safe("", "", name);
	directory_of(fd, base, sizeof(base));
	return place_is_safe(base, "", name) && place_is_safe(dir[0] == '/' ? "" : base, dir, name);
}

bool dwarf_link__is_safe(int fd, Dwarf *dw)
{
	const char *name;
	const void *id;

	return dwelf_dwarf_gnu_debugaltlink(dw, &name, &id) <= 0 || name_is_safe(fd, "", name);
}

bool dwarf_link__unit_is_safe(int fd, Dwarf_Die *skeleton)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr(skeleton, DW_AT_dwo_name, &attr));
	const char *dir = dwarf_formstring(dwarf_attr(skeleton, DW_AT_comp_dir, &attr));

	if (!name)
		name = dwarf_formstring(dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &attr));
	return !name || name_is_safe(fd, dir ? dir : "", name);
}

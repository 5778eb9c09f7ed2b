// SPDX-License-Identifier: GPL-2.0
#include "util/source/unwind-files.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/lib/array.h"
#include "util/lib/hash.h"
#include "util/symbol/elf-file.h"

#define VDSO_SIZE 65536 /* at least that of any kernel */

struct numbered_file {
	UT_hash_handle hh;
	struct unwind_key key;
	u32 id;
};

struct unwind_files {
	struct numbered_file *by_key;
	struct unwind_named_file *file; /* by id - 1 */
	u32 nr, room;
};

struct unwind_files *unwind_files__new(void)
{
	return calloc(1, sizeof(struct unwind_files));
}

void unwind_files__delete(struct unwind_files *files)
{
	struct numbered_file *n, *tmp;

	if (!files)
		return;
	HASH_ITER(hh, files->by_key, n, tmp) {
		HASH_DEL(files->by_key, n);
		free(n);
	}
	for (u32 i = 0; i < files->nr; i++)
		free(files->file[i].name);
	free(files->file);
	free(files);
}

static struct build_id read_build_id(int fd, const char *name)
{
	struct build_id id = { 0 };
	struct elf_file elf;
	int own = dup(fd); /* it is closed with the file */

	if (own < 0 || elf_file__open_fd(&elf, own, name, NULL))
		return id;
	if (elf_file__build_id(&elf, &id))
		id.size = 0;
	elf_file__close(&elf);
	return id;
}

static int describe(struct unwind_named_file *file, int fd, const char *link)
{
	char name[PATH_MAX];
	struct stat st;
	ssize_t len;

	*file = (struct unwind_named_file){ .size = VDSO_SIZE };
	if (fd < 0) {
		file->name = strdup("[vdso]");
		return file->name ? 0 : -ENOMEM;
	}
	len = readlink(link, name, sizeof(name) - 1);
	name[len > 0 ? len : 0] = '\0';
	file->name = strdup(*name ? name : "[unknown]");
	file->size = fstat(fd, &st) ? 0 : st.st_size;
	file->build_id = read_build_id(fd, name);
	return file->name ? 0 : -ENOMEM;
}

static int unwind_files__grow(struct unwind_files *files)
{
	return array__grow(files->file, files->nr, files->room);
}

int unwind_files__add(struct unwind_files *files, const struct unwind_key *key, int fd, const char *link)
{
	struct numbered_file *n;

	if (unwind_files__id(files, key))
		return 0;
	n = calloc(1, sizeof(*n));
	if (!n || unwind_files__grow(files) || describe(&files->file[files->nr], fd, link)) {
		free(n);
		return -ENOMEM;
	}
	n->key = *key;
	n->id = files->nr + 1;
	HASH_ADD(hh, files->by_key, key, sizeof(n->key), n);
	if (!hash_added(n)) {
		free(files->file[files->nr].name);
		free(n);
		return -ENOMEM;
	}
	files->nr++;
	return 0;
}

u32 unwind_files__id(const struct unwind_files *files, const struct unwind_key *key)
{
	struct numbered_file *n;

	HASH_FIND(hh, files->by_key, key, sizeof(*key), n);
	return n ? n->id : 0;
}

const struct unwind_named_file *unwind_files__find(const struct unwind_files *files, u32 id)
{
	return id && id <= files->nr ? &files->file[id - 1] : NULL;
}

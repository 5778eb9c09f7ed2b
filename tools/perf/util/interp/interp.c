// SPDX-License-Identifier: GPL-2.0
#include "util/interp/interp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct interp_ops *const table[] = { &python_ops };

int interp__recognise(int fd, const char *name, struct interp_file *file, struct errmsg *err)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0), ret = -ENOENT;
	struct elf_file elf;

	if (own < 0)
		return -errno;
	if (elf_file__open_fd(&elf, own, name, NULL))
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(table) && ret == -ENOENT; i++) {
		*file = (struct interp_file){ .kind = table[i]->kind };
		ret = table[i]->recognise(&elf, name, file, err);
	}
	elf_file__close(&elf);
	return ret;
}

const struct interp_ops *interp__ops(enum interp_kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (table[i]->kind == kind)
			return table[i];
	}
	return NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void interp_function__put_label(const struct interp_function *fn, struct text *label)
{
	text__str(label, fn->name);
	text__str(label, " (");
	text__str(label, base_name(fn->path));
	text__char(label, ')');
}

void interp_function__exit(struct interp_function *fn)
{
	free(fn->name);
	free(fn->path);
	free(fn->line);
	*fn = (struct interp_function){ 0 };
}

// SPDX-License-Identifier: GPL-2.0
#include "util/lib/half-file.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Never freed: a signal handler in any thread may be reading them. */
struct half_file {
	struct half_file *next;
	atomic_bool done;
	char path[];
};

static _Atomic(struct half_file *) files;

struct half_file *half_file__new(const char *path)
{
	struct half_file *file = malloc(sizeof(*file) + strlen(path) + 1);

	if (!file)
		return NULL;
	strcpy(file->path, path);
	atomic_init(&file->done, false);
	file->next = atomic_load(&files);
	/* Another thread may add one in between: then next becomes that one. */
	while (!atomic_compare_exchange_weak(&files, &file->next, file))
		;
	return file;
}

void half_file__done(struct half_file *file)
{
	if (file)
		atomic_store(&file->done, true);
}

void half_files__remove(void)
{
	for (const struct half_file *file = atomic_load(&files); file; file = file->next) {
		if (!atomic_load(&file->done))
			unlink(file->path);
	}
}

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "script"
#include "cmd/script/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/lib/advice.h"
#include "util/lib/log.h"

/* Anybody may write to the directory, like /tmp: replace what is there, and never write through a link. */
static FILE *create_anew(const char *path)
{
	int fd = unlink(path) && errno != ENOENT ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	return fd < 0 ? NULL : fdopen(fd, "w");
}

/* The recording chooses names of events: none may lead to another directory. */
static int open_file(struct script_file *file, const char *input, const char *event, struct errmsg *err)
{
	char *name;

	if (asprintf(&file->path, "%s.%s.dump", input, event) < 0) {
		file->path = NULL;
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	for (name = file->path + strlen(input); *name; name++) {
		if (*name == '/')
			*name = '_';
	}
	file->fp = create_anew(file->path);
	if (!file->fp)
		return errmsg__set(err, errno, "cannot write to %s: %s", file->path, strerror(errno));
	file->half = half_file__new(file->path);
	return file->half ? 0 : errmsg__set(err, ENOMEM, "out of memory");
}

int script_files__open(struct script_files *files, struct session *s, const char *input, struct errmsg *err)
{
	u32 nr = session__nr_events(s);
	int ret = 0;

	files->file = calloc(nr, sizeof(*files->file));
	if (!files->file)
		return errmsg__set(err, ENOMEM, "out of memory");
	for (; files->nr < nr && !ret; files->nr++)
		ret = open_file(&files->file[files->nr], input, session__event(s, files->nr)->name, err);
	return ret;
}

static int close_file(struct script_file *file, struct errmsg *err)
{
	FILE *fp = file->fp;
	struct stat st = {};
	bool failed = fflush(fp) || fstat(fileno(fp), &st) || ferror(fp);

	file->fp = NULL;
	if (fclose(fp) || failed) {
		unlink(file->path);
		return errmsg__set(err, EIO, "cannot write to %s", file->path);
	}
	half_file__done(file->half);
	pr_info("[ perf script: Wrote %.3f MB %s (%llu sample%s) ]\n", st.st_size / 1024.0 / 1024.0, file->path,
		(unsigned long long)file->nr_samples, plural(file->nr_samples));
	return 0;
}

int script_files__close(struct script_files *files, struct errmsg *err)
{
	int ret = 0;

	for (u32 i = 0; i < files->nr && !ret; i++)
		ret = close_file(&files->file[i], err);
	return ret;
}

void script_files__exit(struct script_files *files)
{
	for (u32 i = 0; i < files->nr; i++) {
		if (files->file[i].fp) {
			unlink(files->file[i].path);
			fclose(files->file[i].fp);
		}
		half_file__done(files->file[i].half);
		free(files->file[i].path);
	}
	free(files->file);
}

// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/perf-map.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/lib/regular-file.h"
#include "util/symbol/symtab-build.h"
#include "util/symbol/text-lines.h"

bool perf_map__is_name(const char *path)
{
	int pid, used = 0;

	return sscanf(path, "/tmp/perf-%d.map%n", &pid, &used) == 1 && used && !path[used];
}

/* "START SIZE NAME", the numbers in hexadecimal; the name may hold blanks (tools/perf/Documentation/jit-interface.txt). */
static int perf_map__add_line(void *builder, char *line)
{
	char *end;
	u64 start, size;

	errno = 0;
	start = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || errno)
		return 0;
	line = end + 1;
	size = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || errno || !end[1] || !size)
		return 0;
	return symtab_builder__add(builder, start, size, STB_GLOBAL, STT_FUNC, end + 1);
}

bool perf_map__is_one(int fd)
{
	char text[128] = "", *size, *end;

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return false;
	strtoull(text, &size, 16);
	if (size == text || *size != ' ')
		return false;
	strtoull(size + 1, &end, 16);
	return end != size + 1 && *end == ' ';
}

int perf_map__inner_pid(int pid)
{
	static const char key[] = "NSpid:";
	char path[64], line[256];
	int inner = 0;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	fp = fopen(path, "re");
	while (fp && fgets(line, sizeof(line), fp)) {
		if (!strncmp(line, key, strlen(key)))
			inner = atoi(strrchr(line, '\t') + 1);
	}
	if (fp)
		fclose(fp);
	return inner;
}

/* A process in a container writes the file below its own root, named by its pid in there. A descriptor, or -errno. */
static int open_of_process(int pid)
{
	char root[64], name[64];
	int inner = perf_map__inner_pid(pid);

	if (inner <= 0)
		return -ENOENT;
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", inner);
	return regular_file__open_in(root, name, O_NOFOLLOW);
}

/* Anybody may write to /tmp: files of root, this user, or the user of the process while it lives (pid; 0: it does not). */
static bool is_trusted(int fd, int pid)
{
	struct stat st, process;
	char dir[32];

	if (fstat(fd, &st))
		return false;
	snprintf(dir, sizeof(dir), "/proc/%d", pid);
	return !st.st_uid || st.st_uid == geteuid() || (pid && !stat(dir, &process) && process.st_uid == st.st_uid);
}

int perf_map__open(const char *path, struct errmsg *err)
{
	int pid = 0, fd = sscanf(path, "/tmp/perf-%d.map", &pid) == 1 ? open_of_process(pid) : -ENOENT;

	if (fd < 0) {
		pid = 0;
		fd = regular_file__open(path, O_NOFOLLOW);
	}
	if (fd == -EINVAL)
		return errmsg__set(err, EPERM, "%s: is not read: it is no regular file", path);
	if (fd < 0)
		return errmsg__set(err, -fd, "%s: %s", path, strerror(-fd));
	if (!is_trusted(fd, pid)) {
		close(fd);
		return errmsg__set(err, EPERM, "%s: is not read: it belongs to neither you nor root nor its process. chown root %s, or report as its user",
				   path, path);
	}
	return fd;
}

int symtab__load_perf_map(const char *path, const struct file_places *places, struct symtab **tab, struct errmsg *err)
{
	struct elf_budget budget;
	struct symtab_builder b = { .budget = &budget };
	int fd = recorded_file__open_data(path, places && places->dso ? &places->dso->build_id : NULL, places), rc;

	if (fd < 0)
		fd = perf_map__open(path, err);
	if (fd < 0)
		return fd;
	elf_budget__init(&budget, fd);
	rc = text_lines__for_each(fd, budget.left, perf_map__add_line, &b);
	close(fd);
	if (!rc) {
		symtab_builder__settle(&b);
		rc = symtab_builder__finish(&b, tab);
	}
	symtab_builder__exit(&b);
	if (rc == -E2BIG)
		return errmsg__set(err, E2BIG, "%s: %s", path, budget.left_out[0] ? budget.left_out : "most of it is not on disk");
	return rc ? errmsg__set(err, -rc, "%s: cannot read its symbols: %s", path, strerror(-rc)) : 0;
}

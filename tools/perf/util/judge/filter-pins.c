// SPDX-License-Identifier: GPL-2.0
#include "util/judge/filter-pins.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/lib/advice.h"
#include "util/lib/fs.h"
#include "util/lib/types.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/pins-mount.h"
#include "util/judge/shared-program.h"

/* Is name a directory name of filter_owner__dir()? The kernel has files of its own there. */
static bool parse_owner(const char *name, struct filter_owner *owner)
{
	int end = 0;

	*owner = (struct filter_owner){ .group = !strncmp(name, "group-", 6) };
	return sscanf(name, owner->group ? "group-%u%n" : "user-%u%n", &owner->id, &end) == 1 && !name[end];
}

/* Call cb for each owner that has a directory. */
static int for_each_owner(int (*cb)(const struct filter_owner *owner, void *data, struct errmsg *err), void *data,
			  struct errmsg *err)
{
	DIR *dir = pins_mount__is_there() ? opendir(FILTER_PINS_DIR) : NULL;
	struct filter_owner owner;
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return pins_mount__is_there() ? errmsg__set(err, errno, "Cannot read " FILTER_PINS_DIR ": %s", strerror(errno)) : 0;
	while (!ret && (errno = 0, entry = readdir(dir))) {
		if (parse_owner(entry->d_name, &owner))
			ret = cb(&owner, data, err);
	}
	if (!ret && errno)
		ret = errmsg__set(err, errno, "Cannot read " FILTER_PINS_DIR ": %s", strerror(errno));
	closedir(dir);
	return ret;
}

/* One slot */

/* Only root can reach the directory while it is built, so the modes need not be right from the start. */
static int pin_object(int fd, const char *path, const struct filter_owner *owner, mode_t mode)
{
	uid_t uid = owner->group ? 0 : owner->id;
	gid_t gid = owner->group ? owner->id : 0;

	if (bpf_obj_pin(fd, path) || chown(path, uid, gid) || chmod(path, owner->group ? mode | mode >> 3 : mode))
		return -errno;
	return 0;
}

static char *cut_last(char *path)
{
	*strrchr(path, '/') = '\0';
	return path;
}

static int add_dir(const char *path)
{
	/* Do not use mkdir's mode: the umask clears bits of it. */
	return mkdir(path, 0700) || chmod(path, 0711) ? -errno : 0;
}

static int pin_program(const struct shared_program *program, const struct filter_owner *owner, unsigned int slot)
{
	char path[PATH_MAX];
	int ret;

	ret = add_dir(cut_last(filter_owner__object(owner, slot, "program", path)));
	if (!ret && bpf_map_freeze(program->counts_fd))
		ret = -errno;
	if (!ret)
		ret = pin_object(program->prog_fd, filter_owner__object(owner, slot, "program", path), owner, 0400);
	if (!ret)
		ret = pin_object(program->counts_fd, filter_owner__object(owner, slot, "counts", path), owner, 0400);
	if (!ret)
		ret = pin_object(program->table_fd, filter_owner__object(owner, slot, "table", path), owner, 0600);
	return ret;
}

static int add_slot(const struct filter_owner *owner, unsigned int slot, struct errmsg *err)
{
	struct shared_program program;
	int ret;

	ret = shared_program__load(&program, err);
	if (ret)
		return ret;
	ret = pin_program(&program, owner, slot);
	shared_program__close(&program);
	return ret ? errmsg__set(err, -ret, "Cannot pin the filters in " FILTER_PINS_DIR ": %s", strerror(-ret)) : 0;
}

/* One owner */

static int remove_name(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static int remove_tree(const char *path, struct errmsg *err)
{
	if (!nftw(path, remove_name, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT))
		return 0;
	return errmsg__set(err, errno, "Cannot remove filters in " FILTER_PINS_DIR ": %s%s%s", strerror(errno),
			   errno == EACCES || errno == EPERM ? ". " : "", errno == EACCES || errno == EPERM ? advice__root() : "");
}

static int add_slots(const struct filter_owner *owner, struct errmsg *err)
{
	char path[PATH_MAX];
	int ret;

	ret = add_dir(cut_last(cut_last(filter_owner__object(owner, 0, "program", path))));
	if (ret)
		return errmsg__set(err, -ret, "Cannot make a directory in " FILTER_PINS_DIR ": %s", strerror(-ret));
	for (unsigned int slot = 0; slot < FILTER_PINS_SLOTS && !ret; slot++)
		ret = add_slot(owner, slot, err);
	return ret;
}

static int add_owner(const struct filter_owner *owner, struct errmsg *err)
{
	char path[PATH_MAX];
	int ret;

	filter_owner__dir(owner, path);
	if (!access(path, F_OK)) {
		ret = remove_tree(path, err);
		if (ret)
			return ret;
	}
	if (mkdir(path, 0700))
		return errmsg__set(err, errno, "Cannot make a directory in " FILTER_PINS_DIR ": %s", strerror(errno));
	ret = add_slots(owner, err);
	if (!ret && (chown(path, 0, owner->group ? owner->id : 0) || chmod(path, owner->group ? 0750 : 0711)))
		ret = errmsg__set(err, errno, "Cannot open filters in " FILTER_PINS_DIR " to their owner: %s", strerror(errno));
	if (ret)
		remove_tree(path, NULL);
	return ret;
}

static int check_privilege(struct errmsg *err)
{
	const char *missing = bpf_filter__missing_capabilities();

	if (!*missing && !geteuid())
		return 0;
	return errmsg__set(err, EPERM, "Only root can prepare filters for others%s%s: sudo perf record --setup-filter ...",
			   *missing ? ", and this process lacks " : "", missing);
}

/* Call change with the owner's place in a writable mount. */
static int change_owner(const struct filter_owner *owner, int (*change)(const struct filter_owner *owner, struct errmsg *err),
			struct errmsg *err)
{
	struct filter_owner writable = *owner;
	int ret;

	writable.place = pins_mount__open_writable(err);
	if (writable.place < 0)
		return writable.place;
	ret = change(&writable, err);
	close(writable.place);
	return ret;
}

/*
 * Lock out other perfs that change pins: they wait. The lock file is not in the mount, which comes and goes. It is never removed:
 * others may be waiting for it. Returns a descriptor or -errno.
 */
static int lock_pins(struct errmsg *err)
{
	int fd = open(FILTER_PINS_LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), ret;

	if (fd < 0)
		return errmsg__set(err, errno, "Cannot open " FILTER_PINS_LOCK ": %s", strerror(errno));
	while ((ret = flock(fd, LOCK_EX)) && errno == EINTR)
		;
	if (!ret)
		return fd;
	ret = errmsg__set(err, errno, "Cannot lock " FILTER_PINS_LOCK ": %s", strerror(errno));
	close(fd);
	return ret;
}

/* check_privilege() comes first: without privilege there is nothing to lock. */
static int begin_change(struct errmsg *err)
{
	int ret = check_privilege(err);

	return ret ? ret : lock_pins(err);
}

static int add_locked(const struct filter_owner *owner, struct errmsg *err)
{
	int ret = pins_mount__add(err);

	if (ret)
		return ret;
	ret = change_owner(owner, add_owner, err);
	if (ret)
		pins_mount__remove_if_empty(NULL);
	return ret;
}

int filter_pins__add(const struct filter_owner *owner, struct errmsg *err)
{
	int lock = begin_change(err), ret;

	if (lock < 0)
		return lock;
	ret = add_locked(owner, err);
	close(lock);
	return ret;
}

static int remove_dir(const struct filter_owner *owner, struct errmsg *err)
{
	char path[PATH_MAX];

	return remove_tree(filter_owner__dir(owner, path), err);
}

static int remove_owner(const struct filter_owner *owner, void *data, struct errmsg *err)
{
	return change_owner(owner, remove_dir, err);
}

static int remove_locked(const struct filter_owner *owner, struct errmsg *err)
{
	char path[PATH_MAX], name[64];
	int ret;

	if (!pins_mount__is_there() || access(filter_owner__dir(owner, path), F_OK))
		return errmsg__set(err, ENOENT, "No filters are prepared for %s: perf record --setup-filter status lists who has some",
				   filter_owner__name(owner, name, sizeof(name)));
	ret = remove_owner(owner, NULL, err);
	return ret ? ret : pins_mount__remove_if_empty(err);
}

int filter_pins__remove(const struct filter_owner *owner, struct errmsg *err)
{
	int lock = begin_change(err), ret;

	if (lock < 0)
		return lock;
	ret = remove_locked(owner, err);
	close(lock);
	return ret;
}

int filter_pins__remove_all(struct errmsg *err)
{
	int lock = begin_change(err), ret;

	if (lock < 0)
		return lock;
	if (!pins_mount__is_there())
		rmdir(FILTER_PINS_DIR); /* remove a directory that is left over; if it is not empty it is not ours */
	ret = for_each_owner(remove_owner, NULL, err);
	ret = ret ? ret : pins_mount__remove_if_empty(err);
	close(lock);
	return ret;
}

/* Status */

struct status {
	FILE *fp;
	struct fs_text locks; /* /proc/locks */
	unsigned int nr;
};

/* The process that holds a lock on this file, from a line such as "7: FLOCK  ADVISORY  WRITE 27896 00:27:490016 0 EOF"; or 0 */
static pid_t lock_holder(const char *locks, const struct stat *st)
{
	unsigned int dev_major, dev_minor;
	unsigned long ino;
	int pid;

	for (const char *line = locks; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%*d: FLOCK ADVISORY WRITE %d %x:%x:%lu", &pid, &dev_major, &dev_minor, &ino) == 4 &&
		    ino == st->st_ino && dev_major == major(st->st_dev) && dev_minor == minor(st->st_dev))
			return pid;
	}
	return 0;
}

static void print_holder(FILE *fp, unsigned int slot, pid_t pid)
{
	struct fs_text comm = { 0 };
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (fs_text__read(&comm, -1, path))
		fprintf(fp, "  slot %u: process %d\n", slot, pid);
	else
		fprintf(fp, "  slot %u: process %d, %s", slot, pid, comm.text); /* ends in a newline */
	fs_text__exit(&comm);
}

static int print_owner(const struct filter_owner *owner, void *data, struct errmsg *err)
{
	pid_t holder[FILTER_PINS_SLOTS];
	struct status *status = data;
	char path[PATH_MAX], name[64];
	unsigned int nr = 0, nr_held = 0;
	struct stat st;

	status->nr++;
	filter_owner__name(owner, name, sizeof(name));
	while (nr < FILTER_PINS_SLOTS && !stat(filter_owner__object(owner, nr, "table", path), &st)) {
		holder[nr] = lock_holder(status->locks.text, &st);
		nr_held += holder[nr++] != 0;
	}
	if (nr) {
		fprintf(status->fp, "%s: %u of %u filters in use\n", name, nr_held, nr);
		for (unsigned int slot = 0; slot < nr; slot++) {
			if (holder[slot])
				print_holder(status->fp, slot, holder[slot]);
		}
	} else if (errno == EACCES) {
		fprintf(status->fp, "%s: not for others to look into\n", name);
	} else {
		fprintf(status->fp, "%s: filters of another build of perf, of no use to this one\n", name);
	}
	return 0;
}

int filter_pins__status(FILE *fp, struct errmsg *err)
{
	struct status status = { .fp = fp };
	int ret;

	ret = fs_text__read(&status.locks, -1, "/proc/locks");
	if (ret)
		return errmsg__set(err, -ret, "Cannot read /proc/locks: %s", strerror(-ret));
	ret = for_each_owner(print_owner, &status, err);
	if (!ret && !status.nr)
		fprintf(fp, "No filters are prepared. To prepare some: perf record --setup-filter pin=USER or pin=@GROUP\n");
	fs_text__exit(&status.locks);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/filter-pins.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/lib/fs.h"
#include "util/lib/types.h"
#include "util/sampler/bpf-filter.h"
#include "util/sampler/shared-program.h"

/* The mount */

static bool is_mounted(void)
{
	struct statfs fs;

	return !statfs(FILTER_PINS_DIR, &fs) && (u32)fs.f_type == BPF_FS_MAGIC;
}

static int mount_bpffs(struct errmsg *err)
{
	if (is_mounted())
		return 0;
	/* Only who has made the directory mounts: of two at once, the second would hide what the first has pinned. */
	if (mkdir(FILTER_PINS_DIR, 0755)) {
		if (errno != EEXIST)
			return errmsg__set(err, errno, "Cannot make the directory " FILTER_PINS_DIR ": %s", strerror(errno));
		return errmsg__set(err, EEXIST, FILTER_PINS_DIR " is there, but is no bpffs: another perf is preparing filters, or was "
				   "killed at it.\nTry again, or remove it: rmdir " FILTER_PINS_DIR);
	}
	if (mount("perf-filter", FILTER_PINS_DIR, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755")) {
		int error = errno;

		rmdir(FILTER_PINS_DIR);
		return errmsg__set(err, error, "Cannot mount bpffs at " FILTER_PINS_DIR ": %s\nRun perf as root, outside of containers "
				   "and user namespaces, on a kernel with CONFIG_BPF_SYSCALL.", strerror(error));
	}
	return 0;
}

/* Is name what filter_owner__dir() makes of some owner? The kernel has files of its own there. */
static bool parse_owner(const char *name, struct filter_owner *owner)
{
	int end = 0;

	owner->group = !strncmp(name, "group-", 6);
	return sscanf(name, owner->group ? "group-%u%n" : "user-%u%n", &owner->id, &end) == 1 && !name[end];
}

/* Call cb for each owner that has a directory. */
static int for_each_owner(int (*cb)(const struct filter_owner *owner, void *data, struct errmsg *err), void *data,
			  struct errmsg *err)
{
	DIR *dir = is_mounted() ? opendir(FILTER_PINS_DIR) : NULL;
	struct filter_owner owner;
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return is_mounted() ? errmsg__set(err, errno, "Cannot read " FILTER_PINS_DIR ": %s", strerror(errno)) : 0;
	while (!ret && (errno = 0, entry = readdir(dir))) {
		if (parse_owner(entry->d_name, &owner))
			ret = cb(&owner, data, err);
	}
	if (!ret && errno)
		ret = errmsg__set(err, errno, "Cannot read " FILTER_PINS_DIR ": %s", strerror(errno));
	closedir(dir);
	return ret;
}

/* Names with a dot are the kernel's alone (kernel/bpf/inode.c, bpf_lookup). All others count, be they ours or not. 1, 0 or -errno */
static int is_empty(void)
{
	DIR *dir = opendir(FILTER_PINS_DIR);
	struct dirent *entry;
	int ret;

	if (!dir)
		return -errno;
	do {
		errno = 0;
		entry = readdir(dir);
	} while (entry && strchr(entry->d_name, '.'));
	ret = errno ? -errno : !entry;
	closedir(dir);
	return ret;
}

/* Busy is what somebody looks into, or another perf is about to add to. */
static int unmount_if_empty(struct errmsg *err)
{
	int empty;

	if (!is_mounted())
		return 0;
	empty = is_empty();
	if (!empty)
		return 0;
	if (empty < 0)
		errno = -empty;
	if (empty < 0 || umount2(FILTER_PINS_DIR, UMOUNT_NOFOLLOW) || rmdir(FILTER_PINS_DIR))
		return errmsg__set(err, errno, "The filters are removed, but " FILTER_PINS_DIR " cannot be: %s\nWhen nobody looks into "
				   "it any more: perf record --setup-filter unpin", strerror(errno));
	return 0;
}

/* One slot */

/* Nobody but root can reach the place while it is built, so the modes need not be right from the first moment on. */
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
	/* Not by mkdir's mode: the umask takes from that. */
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
	return errmsg__set(err, errno, "Cannot remove %s: %s%s", path, strerror(errno),
			   errno == EACCES || errno == EPERM ? ". Run perf as root" : "");
}

static int add_slots(const struct filter_owner *owner, struct errmsg *err)
{
	char path[PATH_MAX];
	int ret;

	ret = add_dir(cut_last(cut_last(filter_owner__object(owner, 0, "program", path))));
	if (ret)
		return errmsg__set(err, -ret, "Cannot make %s: %s", path, strerror(-ret));
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
		return errmsg__set(err, errno, "Cannot make %s: %s", path, strerror(errno));
	ret = add_slots(owner, err);
	if (!ret && (chown(path, 0, owner->group ? owner->id : 0) || chmod(path, owner->group ? 0750 : 0711)))
		ret = errmsg__set(err, errno, "Cannot open %s to its owner: %s", path, strerror(errno));
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

int filter_pins__add(const struct filter_owner *owner, struct errmsg *err)
{
	int ret = check_privilege(err);

	if (!ret)
		ret = mount_bpffs(err);
	if (ret)
		return ret;
	ret = add_owner(owner, err);
	if (ret)
		unmount_if_empty(NULL);
	return ret;
}

static int remove_owner(const struct filter_owner *owner, void *data, struct errmsg *err)
{
	char path[PATH_MAX];

	return remove_tree(filter_owner__dir(owner, path), err);
}

int filter_pins__remove(const struct filter_owner *owner, struct errmsg *err)
{
	char path[PATH_MAX], name[64];
	int ret = check_privilege(err);

	if (ret)
		return ret;
	if (!is_mounted() || access(filter_owner__dir(owner, path), F_OK))
		return errmsg__set(err, ENOENT, "Nothing is prepared for %s: perf record --setup-filter status lists for whom",
				   filter_owner__name(owner, name, sizeof(name)));
	ret = remove_owner(owner, NULL, err);
	return ret ? ret : unmount_if_empty(err);
}

int filter_pins__remove_all(struct errmsg *err)
{
	int ret = check_privilege(err);

	if (!ret && !is_mounted())
		rmdir(FILTER_PINS_DIR); /* if it stayed behind alone; with something in it it is not ours */
	if (!ret)
		ret = for_each_owner(remove_owner, NULL, err);
	return ret ? ret : unmount_if_empty(err);
}

/* Status */

struct status {
	FILE *fp;
	struct fs_text locks; /* /proc/locks */
	unsigned int nr;
};

/* The process that holds a lock on this file, of a line such as "7: FLOCK  ADVISORY  WRITE 27896 00:27:490016 0 EOF"; or 0 */
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
		fprintf(fp, "No filters are prepared. For whom they shall be: perf record --setup-filter pin=USER or pin=@GROUP\n");
	fs_text__exit(&status.locks);
	return ret;
}

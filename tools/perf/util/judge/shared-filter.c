// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "shared-filter"
#include "util/judge/shared-filter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/lib/clock.h"
#include "util/lib/fs.h"
#include "util/lib/log.h"
#include "util/judge/filter-engine.h"
#include "util/judge/filter-pins.h"
#include "util/judge/old-kernel.h"
#include "util/judge/shared-program.h"

struct search { /* the search for a free slot */
	unsigned int busy;    /* slots in use */
	unsigned int refused; /* slots that this process may not use (any more) */
	bool other_build;
	struct old_kernel_refusal old; /* after -EOPNOTSUPP */
	struct errmsg lacks_term; /* after -EDOM */
};

static int get_pinned(const struct filter_owner *owner, unsigned int slot, const char *object, u32 flags)
{
	LIBBPF_OPTS(bpf_obj_get_opts, opts, .file_flags = flags);
	char path[PATH_MAX];

	return bpf_obj_get_opts(filter_owner__object(owner, slot, object, path), &opts);
}

/* An epoch that no other filter has had in this slot: the clock has advanced since the last one. */
static u64 new_epoch(void)
{
	return clock__ns(CLOCK_MONOTONIC);
}

/* Fill *filter from a slot that we have locked. 0 or -errno; the caller closes the descriptors. */
static int open_slot(const struct filter_owner *owner, unsigned int slot, const struct filter_table *table,
		     struct bpf_filter *filter, struct search *search)
{
	int table_fd, ret;

	filter->prog_fd = get_pinned(owner, slot, "program", BPF_F_RDONLY);
	if (filter->prog_fd < 0)
		return filter->prog_fd;
	if (shared_program__is_old(filter->prog_fd) && old_kernel__refuses(table, &search->old))
		return -EOPNOTSUPP;
	ret = shared_program__check(filter->prog_fd, table, &search->lacks_term);
	if (ret)
		return ret;
	filter->counts_fd = get_pinned(owner, slot, "counts", BPF_F_RDONLY);
	if (filter->counts_fd < 0)
		return filter->counts_fd;
	table_fd = get_pinned(owner, slot, "table", BPF_F_WRONLY);
	if (table_fd < 0)
		return table_fd;
	filter->epoch = new_epoch();
	ret = shared_program__write(table_fd, table, filter->epoch);
	close(table_fd);
	return ret;
}

/* Root may have replaced the slots between opening and locking this one; then our objects belong to two slots. */
static bool is_replaced(int slot_fd, const char *path)
{
	struct stat locked, now;

	return fstat(slot_fd, &locked) || stat(path, &now) || locked.st_ino != now.st_ino || locked.st_dev != now.st_dev;
}

/* 0: we have the slot. -ENOENT: this owner has no more slots. Otherwise try the next one. */
static int take_slot(const struct filter_owner *owner, unsigned int slot, const struct filter_table *table,
		     struct bpf_filter *filter, struct search *search)
{
	char path[PATH_MAX], name[64];
	int ret;

	*filter = (struct bpf_filter)BPF_FILTER_INIT;
	filter->slot_fd = open(filter_owner__object(owner, slot, "table", path), O_RDONLY | O_CLOEXEC);
	ret = filter->slot_fd < 0 || flock(filter->slot_fd, LOCK_EX | LOCK_NB) ? -errno : 0;
	if (!ret)
		ret = open_slot(owner, slot, table, filter, search);
	if (!ret && is_replaced(filter->slot_fd, path))
		ret = -ESTALE;
	if (!ret) {
		pr_debug("filter in slot %u of %s\n", slot, filter_owner__name(owner, name, sizeof(name)));
		return 0;
	}
	bpf_filter__close(filter);
	if (ret == -EWOULDBLOCK) {
		search->busy++;
	} else if (ret != -ENOENT) {
		pr_debug("slot %u of %s: %s\n", slot, filter_owner__name(owner, name, sizeof(name)), strerror(-ret));
		search->refused++;
	}
	return ret;
}

/* Other slots would fail, too. */
static bool is_final(int ret)
{
	return ret == -ENOMEM || ret == -EOPNOTSUPP || ret == -EDOM;
}

static int search_owner(const struct filter_owner *owner, const struct filter_table *table, struct bpf_filter *filter,
			struct search *search)
{
	char path[PATH_MAX];
	struct stat st;
	int ret = -EBUSY;

	for (unsigned int slot = 0; slot < FILTER_PINS_SLOTS && ret && ret != -ENOENT && !is_final(ret); slot++)
		ret = take_slot(owner, slot, table, filter, search);
	if (ret == -ENOENT && !stat(filter_owner__dir(owner, path), &st))
		search->other_build = true;
	return ret;
}

/* Try the user's own slots first: those of a group are for others, too. */
static int search_all(const struct filter_table *table, struct bpf_filter *filter, struct search *search)
{
	struct filter_owner owner = { .id = geteuid() };
	int nr = getgroups(0, NULL), ret = search_owner(&owner, table, filter, search);
	gid_t *groups;

	if (!ret || is_final(ret))
		return ret;
	groups = malloc((nr < 0 ? 1 : nr + 1) * sizeof(*groups));
	if (!groups)
		return -ENOMEM;
	nr = nr < 0 ? 0 : getgroups(nr, groups);
	if (nr < 0) /* the groups have changed in the meantime */
		nr = 0;
	groups[nr++] = getegid();
	owner.group = true;
	for (int i = 0; i < nr && ret && !is_final(ret); i++) {
		owner.id = groups[i];
		ret = search_owner(&owner, table, filter, search);
	}
	free(groups);
	return ret;
}

/* The sysctl's value if on this kernel it restricts all of bpf(2), as before Linux 5.19; newer kernels still let users open objects. */
static int closed_to_users(void)
{
	unsigned int major, minor;
	struct utsname uts;
	int value;

	if (uname(&uts) || sscanf(uts.release, "%u.%u", &major, &minor) != 2 || major > 5 || (major == 5 && minor >= 19) ||
	    fs__read_int("/proc/sys/kernel/unprivileged_bpf_disabled", &value))
		return 0;
	return value;
}

static int explain(int errnum, const struct search *search, struct errmsg *err)
{
	const struct filter_owner self = { .id = geteuid() };
	int closed = closed_to_users();
	char name[64];

	filter_owner__name(&self, name, sizeof(name));
	if (errnum == ENOMEM)
		return errmsg__set(err, ENOMEM, "No memory is left for the filter.");
	if (errnum == EDOM)
		return errmsg__set(err, EDOM, "%s", search->lacks_term.text);
	if (errnum == EOPNOTSUPP)
		return old_kernel__explain(&search->old, err);
	if (search->busy)
		return errmsg__set(err, EBUSY, "All %u filters that root has prepared for you are in use: each serves one event of "
				   "a recording.\nEnd a recording, or filter fewer events at once; perf record --setup-filter "
				   "status shows who uses them.", search->busy + search->refused);
	if (search->refused && closed)
		return errmsg__set(err, EPERM, "The filters that root has prepared cannot be used while kernel.unprivileged_bpf_disabled is %d, "
				   "as this is Linux before 5.19.\nUse a newer kernel, or run perf as root.", closed);
	if (search->refused)
		return errmsg__set(err, EPERM, "The filters that root has prepared cannot be used; perf record -v tells why.\n"
				   "Ask root to prepare them anew: perf record --setup-filter pin=%s", name);
	if (search->other_build)
		return errmsg__set(err, EPERM, "The filters that root has prepared are for another build of perf.\n"
				   "Ask root to run, with this one: perf record --setup-filter pin=%s", name);
	return errmsg__set(err, EPERM, "A filter needs %s, which this process lacks, or one that root has prepared for %s.\n"
			   "Ask root to run: perf record --setup-filter pin=%s", bpf_filter__missing_capabilities(), name, name);
}

int shared_filter__load(const struct filter_table *table, u32 nr_events, struct bpf_filter **filterp, struct errmsg *err)
{
	struct bpf_filter *filter = malloc(sizeof(*filter));
	struct search search = { 0 };
	int ret = -ENOMEM;

	*filterp = NULL;
	if (filter)
		ret = search_all(table, filter, &search);
	if (ret) {
		free(filter);
		return explain(-ret, &search, err);
	}
	*filterp = filter;
	return 0;
}

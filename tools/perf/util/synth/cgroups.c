// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <string.h>
#include "util/lib/cgroup-mount.h"
#include "util/synth/private.h"

/* The handle of a kernfs node is its 64 bit id (fs/kernfs/mount.c), as in samples. 0: not available. */
static u64 cgroup_id(const char *path)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(u64)];
	} h = { .handle.handle_bytes = sizeof(u64) };
	int mount_id;
	u64 id = 0;

	if (!name_to_handle_at(AT_FDCWD, path, &h.handle, &mount_id, 0) && h.handle.handle_bytes == sizeof(id))
		memcpy(&id, h.handle.f_handle, sizeof(id));
	return id;
}

/* name: below the mount */
static int synth__cgroup(struct synth *synth, const char *path, const char *name)
{
	struct record_cgroup r = { .header = { .type = PERF_RECORD_CGROUP }, .id = cgroup_id(path) };

	if (!r.id)
		return 0;
	return synth__add(synth, &r, sizeof(r), *name ? name : "/", *name ? strlen(name) : 1, 0, 0);
}

static int walk(struct synth *synth, char *mount)
{
	char *const roots[] = { mount, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	FTSENT *entry;
	int ret = 0;

	if (!fts)
		return errno == ENOMEM ? -ENOMEM : 0;
	while (ret >= 0 && (entry = fts_read(fts))) {
		if (entry->fts_info == FTS_D)
			ret = synth__cgroup(synth, entry->fts_path, entry->fts_path + strlen(mount));
	}
	fts_close(fts);
	return ret < 0 ? ret : 0;
}

int synth__cgroups(struct synth *synth)
{
	char mount[PATH_MAX];

	if (!synth->attr.cgroup)
		return 0;
	/* If the controller has a v1 hierarchy, samples have its ids. */
	if (cgroup__mount("perf_event", mount, sizeof(mount)) && cgroup__mount(NULL, mount, sizeof(mount)))
		return 0;
	return walk(synth, mount);
}

// SPDX-License-Identifier: GPL-2.0
/* One self-contained page: the frame that ui/profile/page/build.sh joined, with the profile as JSON in it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "ui/profile/profile-json.h"
#include "util/lib/fs.h"

/* The place in the frame where the profile goes. */
static const char mark[] = "@profile@";

int profile_page__check(const char *page, struct errmsg *err)
{
	return page ? 0 : errmsg__set(err, ENOENT, "flamegraph.html is not installed beside perf: install perf again with 'make install', "
						   "or use --folded, --pprof or --json");
}

int profile_page__write(const struct profile *profile, int (*write)(const struct profile *profile, FILE *fp, struct errmsg *err), FILE *fp,
			struct errmsg *err)
{
	char *frame, *hole;
	size_t size;
	int ret;

	ret = profile_page__check(profile->page, err);
	if (ret)
		return ret;
	frame = fs__read_file(AT_FDCWD, profile->page, &size);
	if (!frame)
		return errmsg__set(err, errno, "cannot read %s: %s", profile->page, strerror(errno));
	hole = memmem(frame, size, mark, strlen(mark));
	if (hole) {
		char *rest = hole + strlen(mark);

		fwrite(frame, 1, hole - frame, fp);
		ret = write(profile, fp, err);
		fwrite(rest, 1, frame + size - rest, fp);
	} else {
		ret = errmsg__set(err, EINVAL, "%s is not the page of this perf: install perf again with 'make install'", profile->page);
	}
	free(frame);
	return ret;
}

int profile__write_flamegraph(const struct profile *profile, FILE *fp, struct errmsg *err)
{
	return profile_page__write(profile, profile__write_json, fp, err);
}

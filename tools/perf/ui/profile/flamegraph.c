// SPDX-License-Identifier: GPL-2.0
/* One self-contained page: the frame that ui/flamegraph/build.sh joined, with the profile as JSON in it. */
#include <errno.h>
#include <string.h>
#include "ui/profile/profile.h"

/* FLAMEGRAPH_PAGE names the file that was built; it is empty where npm was missing. */
__asm__(".section .rodata\n"
	"flamegraph_page:\n"
	".incbin \"" FLAMEGRAPH_PAGE "\"\n"
	"flamegraph_page_end:\n"
	".previous\n");
extern const char flamegraph_page[], flamegraph_page_end[];

int profile__write_flamegraph(const struct profile *profile, FILE *fp, struct errmsg *err)
{
	static const char mark[] = "@profile@";
	size_t size = flamegraph_page_end - flamegraph_page;
	const char *hole = memmem(flamegraph_page, size, mark, strlen(mark)), *rest;
	int ret;

	if (!hole)
		return errmsg__set(err, EOPNOTSUPP, "this perf was built without npm, and so without the flame graph page.\n"
				   "Install nodejs and npm and build it again, or take --folded, --pprof or --json");
	fwrite(flamegraph_page, 1, hole - flamegraph_page, fp);
	ret = profile__write_json(profile, fp, err);
	rest = hole + strlen(mark);
	fwrite(rest, 1, flamegraph_page_end - rest, fp);
	return ret;
}

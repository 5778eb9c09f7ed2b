// SPDX-License-Identifier: GPL-2.0
/*
 * Loads libdebuginfod on first use, as libdw does: it needs an HTTP client with all its libraries, and most calls of perf query no
 * server.
 */
#include "util/symbol/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/lib/clock.h"

#define LIBRARY "libdebuginfod.so.1"

/*
 * The library has these limits, too, but a body whose length no header tells has no end, and neither has a server that sends us to itself. So both
 * are counted here: by the user's values if there are any.
 */
#define MAX_BYTES (4LL << 30)
#define MAX_SLOW_SECONDS 90
#define SLOW_BYTES (100 << 10) /* a second */

struct limits {
	u64 begin_ns;
	long long max_bytes, slow_seconds; /* 0: none */
};

/* from <elfutils/debuginfod.h>, where the client's type is opaque, too */
struct client_api {
	void *(*begin)(void);
	int (*find_debuginfo)(void *client, const unsigned char *build_id, int build_id_len, char **path);
	void (*end)(void *client);
	/* These came later, and may be missing. */
	void (*set_progress)(void *client, int (*progress)(void *client, long bytes, long all));
	void (*set_user_data)(void *client, void *data);
	void *(*user_data)(void *client);
};

static struct client_api api;

static bool client_api__load(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	api.begin = dlsym(library, "debuginfod_begin");
	api.find_debuginfo = dlsym(library, "debuginfod_find_debuginfo");
	api.end = dlsym(library, "debuginfod_end");
	api.set_progress = dlsym(library, "debuginfod_set_progressfn");
	api.set_user_data = dlsym(library, "debuginfod_set_user_data");
	api.user_data = dlsym(library, "debuginfod_get_user_data");
	return api.begin && api.find_debuginfo && api.end;
}

static long long setting(const char *name, long long usual)
{
	const char *text = getenv(name);
	char *end;
	long long value = text ? strtoll(text, &end, 10) : 0;

	return text && end != text && !*end && value >= 0 ? value : usual;
}

/* 1: give up. bytes: that have come */
static int check_limits(void *client, long bytes, long all)
{
	const struct limits *l = api.user_data(client);
	const long long seconds = (clock__ns(CLOCK_MONOTONIC) - l->begin_ns) / 1000000000;

	if (l->max_bytes && bytes > l->max_bytes)
		return 1;
	return l->slow_seconds && seconds > l->slow_seconds + (bytes > 0 ? bytes / SLOW_BYTES : 0);
}

static void limit(void *client, struct limits *l)
{
	l->begin_ns = clock__ns(CLOCK_MONOTONIC);
	l->max_bytes = setting("DEBUGINFOD_MAXSIZE", MAX_BYTES);
	l->slow_seconds = setting("DEBUGINFOD_TIMEOUT", MAX_SLOW_SECONDS);
	if (!api.set_progress || !api.set_user_data || !api.user_data)
		return;
	api.set_user_data(client, l);
	api.set_progress(client, check_limits);
}

int debuginfod__find(const struct build_id *id, char **path)
{
	static bool tried, present;
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct limits limits;
	void *client;
	int fd;

	if (!urls || !*urls || !id->size)
		return -ENOENT;
	if (!tried) {
		tried = true;
		present = client_api__load();
	}
	if (!present)
		return -ENOSYS;
	client = api.begin();
	if (!client)
		return -ENOMEM;
	limit(client, &limits);
	fd = api.find_debuginfo(client, id->data, id->size, path);
	api.end(client);
	if (fd < 0)
		return fd == -ENOMEM ? fd : -ENOENT;
	close(fd);
	return 0;
}

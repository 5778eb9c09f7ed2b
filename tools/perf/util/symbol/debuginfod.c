// SPDX-License-Identifier: GPL-2.0
/*
 * Loads libdebuginfod on first use, as libdw does: it needs an HTTP client with all its libraries, and most calls of perf query no
 * server.
 */
#include "util/symbol/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define LIBRARY "libdebuginfod.so.1"

/* from <elfutils/debuginfod.h>, where the client's type is opaque, too */
struct client_api {
	void *(*begin)(void);
	int (*find_debuginfo)(void *client, const unsigned char *build_id, int build_id_len, char **path);
	void (*end)(void *client);
};

static bool client_api__load(struct client_api *api)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	api->begin = dlsym(library, "debuginfod_begin");
	api->find_debuginfo = dlsym(library, "debuginfod_find_debuginfo");
	api->end = dlsym(library, "debuginfod_end");
	return api->begin && api->find_debuginfo && api->end;
}

int debuginfod__find(const struct build_id *id, char **path)
{
	static struct client_api api;
	static bool tried, present;
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *client;
	int fd;

	if (!urls || !*urls || !id->size)
		return -ENOENT;
	if (!tried) {
		tried = true;
		present = client_api__load(&api);
	}
	if (!present)
		return -ENOSYS;
	client = api.begin();
	if (!client)
		return -ENOMEM;
	fd = api.find_debuginfo(client, id->data, id->size, path);
	api.end(client);
	if (fd < 0)
		return fd == -ENOMEM ? fd : -ENOENT;
	close(fd);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Loads libdebuginfod on first use, as libdw does: it needs an HTTP client with all its libraries, and most calls of perf query no
 * server.
 */
#include "util/symbol/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/lib/clock.h"
#include "util/lib/log.h"

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
	bool too_large; /* perf gave up, as more came */
};

#define NOTES_SIZE 65536

/* What the library notes about one query. A server's headers are among it, so its size is fixed. */
struct notes {
	int fd; /* -1: none */
	char text[NOTES_SIZE];
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
	void (*set_verbose_fd)(void *client, int fd);
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
	api.set_verbose_fd = dlsym(library, "debuginfod_set_verbose_fd");
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
	struct limits *l = api.user_data(client);
	const long long seconds = (clock__ns(CLOCK_MONOTONIC) - l->begin_ns) / 1000000000;

	l->too_large = l->max_bytes && bytes > l->max_bytes;
	return l->too_large || (l->slow_seconds && seconds > l->slow_seconds + (bytes > 0 ? bytes / SLOW_BYTES : 0));
}

static void limit(void *client, struct limits *l)
{
	*l = (struct limits){ .begin_ns = clock__ns(CLOCK_MONOTONIC) };
	l->max_bytes = setting("DEBUGINFOD_MAXSIZE", MAX_BYTES);
	l->slow_seconds = setting("DEBUGINFOD_TIMEOUT", MAX_SLOW_SECONDS);
	if (!api.set_progress || !api.set_user_data || !api.user_data)
		return;
	api.set_user_data(client, l);
	api.set_progress(client, check_limits);
}

/* Of who sets DEBUGINFOD_VERBOSE, the notes go to the standard error. */
static void notes__begin(struct notes *n, void *client)
{
	n->fd = api.set_verbose_fd && !getenv("DEBUGINFOD_VERBOSE") ? memfd_create("debuginfod", MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1;
	if (n->fd >= 0 && !ftruncate(n->fd, NOTES_SIZE - 1) && !fcntl(n->fd, F_ADD_SEALS, F_SEAL_GROW))
		api.set_verbose_fd(client, n->fd);
}

#define RESPONSE "server response "

/*
 * Why the last server gave no file: in the line below its response, or if that says nothing, in the response. NULL: no notes
 *	server response SSL peer certificate or SSH remote key was not OK
 *	url 0 server certificate verification failed. CAfile: none CRLfile: none
 */
static const char *notes__end(struct notes *n)
{
	ssize_t size = n->fd < 0 ? 0 : pread(n->fd, n->text, NOTES_SIZE - 1, 0);
	char *cause = NULL, *more;

	n->text[size < 0 ? 0 : size] = '\0';
	close(n->fd);
	for (char *at = n->text; (at = strstr(at, RESPONSE));)
		cause = at += strlen(RESPONSE);
	if (!cause)
		return NULL;
	more = cause + strcspn(cause, "\n");
	if (!strncmp(more, "\nurl ", 5)) {
		strtoul(more + 5, &more, 10);
		cause = more + strspn(more, " ");
	}
	cause[strcspn(cause, "\r\n")] = '\0';
	return cause;
}

static bool ends_with(const char *text, const char *end)
{
	const size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

static bool is_about_size(const struct limits *l, int error, const char *cause)
{
	return l->max_bytes && (l->too_large || error == -EFBIG || error == -EIO || (cause && strstr(cause, "writing"))); /* as curl calls it */
}

#define NO_FILE "No debug file came from the servers in DEBUGINFOD_URLS"

/*
 * Queries that fail take DEBUGINFOD_TIMEOUT seconds in all, of however many files: then false, as no more are to be asked for. The first
 * cause is told. That a server does not have the file is no failure. error: the library's
 */
static bool note_failure(const struct limits *l, int error, const char *cause)
{
	static bool warned;
	static u64 lost_ns;

	const char *why = cause ?: strerror(-error);

	if (cause ? ends_with(cause, " 404") : error == -ENOENT)
		return true;
	lost_ns += clock__ns(CLOCK_MONOTONIC) - l->begin_ns;
	if (l->slow_seconds && lost_ns >= l->slow_seconds * 1000000000ULL) {
		pr_warn(NO_FILE " in %lld s, the last time as: %s. They are not asked any more. DEBUGINFOD_TIMEOUT sets other seconds.\n",
			l->slow_seconds, why);
		return false;
	}
	if (!warned && is_about_size(l, error, cause))
		pr_warn(NO_FILE ": %s. The disk may be full, or the file may have more than %lld bytes; DEBUGINFOD_MAXSIZE sets other limits.\n",
			why, l->max_bytes);
	else if (!warned)
		pr_warn(NO_FILE ": %s\n", why);
	warned = true;
	return true;
}

struct file_limit {
	struct rlimit size;
	void (*action)(int signal);
};

/*
 * check_limits() sees how much has come, not how large the file becomes if it was sent compressed. So the kernel limits the file: a write
 * beyond fails, and SIGXFSZ does not end perf.
 */
static struct file_limit begin_file_limit(const struct limits *l)
{
	struct file_limit old = { .action = signal(SIGXFSZ, SIG_IGN) };
	struct rlimit new;

	getrlimit(RLIMIT_FSIZE, &old.size);
	new = old.size;
	if (l->max_bytes && (rlim_t)l->max_bytes < new.rlim_cur)
		new.rlim_cur = l->max_bytes;
	setrlimit(RLIMIT_FSIZE, &new);
	return old;
}

static void end_file_limit(const struct file_limit *old)
{
	setrlimit(RLIMIT_FSIZE, &old->size);
	signal(SIGXFSZ, old->action);
}

/* Returns a descriptor, or what the library does. *go_on: is another file to be asked for? Only one thread asks. */
static int ask(void *client, const struct build_id *id, char **path, bool *go_on)
{
	static struct notes notes;
	struct limits limits;
	struct file_limit old;
	const char *cause;
	int fd;

	notes__begin(&notes, client);
	limit(client, &limits);
	old = begin_file_limit(&limits);
	fd = api.find_debuginfo(client, id->data, id->size, path);
	end_file_limit(&old);
	cause = notes__end(&notes);
	*go_on = fd >= 0 || note_failure(&limits, fd, cause);
	return fd;
}

int debuginfod__find(const struct build_id *id, char **path)
{
	static bool tried, present;
	const char *urls = getenv("DEBUGINFOD_URLS");
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
	fd = ask(client, id, path, &present);
	api.end(client);
	if (fd < 0)
		return fd == -ENOMEM ? fd : -ENOENT;
	close(fd);
	return 0;
}

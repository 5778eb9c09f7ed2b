// SPDX-License-Identifier: GPL-2.0
#include "util/push/http.h"

#include <errno.h>

#ifdef HAVE_LIBCURL
#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Started by itself, libcurl with all its libraries takes longer than all else that perf does before it records. */
#define LIBRARY "libcurl.so.4"
#define CALLS(x) \
	x(curl_global_init) x(curl_easy_init) x(curl_easy_setopt) x(curl_easy_perform) x(curl_easy_getinfo) x(curl_easy_strerror) \
	x(curl_easy_cleanup) x(curl_slist_append) x(curl_slist_free_all)
#define CALL_MEMBER(name) __typeof__(name) *name;
static struct {
	CALLS(CALL_MEMBER)
} lib;
static bool is_loaded;
/* curl.h has macros of these names, which only check types */
#undef curl_easy_setopt
#undef curl_easy_getinfo

struct http {
	CURL *curl;
	struct curl_slist *headers;
	const struct push_target *target;
	bool (*is_over)(void *data);
	void *data;
	char error[CURL_ERROR_SIZE];
	struct http_answer *answer; /* of the request under way */
	size_t received;	    /* of it, headers and all */
};

static void load(void)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	bool all = handle;

#define LOAD_CALL(name) all = all && (lib.name = (__typeof__(lib.name))dlsym(handle, #name));
	CALLS(LOAD_CALL)
	is_loaded = all && !lib.curl_global_init(CURL_GLOBAL_DEFAULT);
}

bool http__available(const char **why)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	*why = "install the package that has " LIBRARY " (libcurl4)";
	return is_loaded;
}

static bool take(struct http *http, size_t size)
{
	http->received += size;
	if (http->received > HTTP_ANSWER_BYTES)
		http->answer->cut = true;
	return !http->answer->cut;
}

static size_t take_header(char *text, size_t size, size_t nr, void *data)
{
	return take(data, size * nr) ? size * nr : 0;
}

static size_t take_body(char *text, size_t size, size_t nr, void *data)
{
	struct http *http = data;
	struct http_answer *answer = http->answer;
	size_t room = sizeof(answer->body) - answer->size, len = size * nr;

	if (!take(http, len))
		return 0;
	memcpy(answer->body + answer->size, text, len < room ? len : room);
	answer->size += len < room ? len : room;
	return len;
}

static int ask(void *data, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	struct http *http = data;

	return http->is_over && http->is_over(http->data);
}

static bool add_header(struct http *http, const char *text)
{
	struct curl_slist *more = lib.curl_slist_append(http->headers, text);

	if (more)
		http->headers = more;
	return more;
}

static bool add_headers(struct http *http, const struct push_secrets *secrets)
{
	char type[128];
	bool all;

	snprintf(type, sizeof(type), "Content-Type: %s", push_kind__content_type(http->target->kind));
	/* libcurl would wait a second for the permission to send a large body. */
	all = add_header(http, type) && add_header(http, "Expect:");
	if (push_kind__is_gzipped(http->target->kind))
		all = all && add_header(http, "Content-Encoding: gzip");
	if (http->target->kind == PUSH_PYROSCOPE)
		all = all && add_header(http, "Connect-Protocol-Version: 1");
	for (u32 i = 0; all && i < secrets->nr_headers; i++)
		all = add_header(http, secrets->header[i]);
	return all;
}

static void set_tls(CURL *curl, const struct push_secrets *secrets)
{
	struct stat st;

	if (secrets->ca)
		lib.curl_easy_setopt(curl, !stat(secrets->ca, &st) && S_ISDIR(st.st_mode) ? CURLOPT_CAPATH : CURLOPT_CAINFO, secrets->ca);
	if (secrets->cert) {
		lib.curl_easy_setopt(curl, CURLOPT_SSLCERT, secrets->cert);
		lib.curl_easy_setopt(curl, CURLOPT_SSLKEY, secrets->key);
	}
}

static void set_up(struct http *http, const struct push_secrets *secrets)
{
	CURL *curl = http->curl;

	lib.curl_easy_setopt(curl, CURLOPT_POST, 1L);
	lib.curl_easy_setopt(curl, CURLOPT_HTTPHEADER, http->headers);
	lib.curl_easy_setopt(curl, CURLOPT_USERAGENT, "perf");
	lib.curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	lib.curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->error);
	lib.curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)HTTP_CONNECT_SECONDS);
	lib.curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)HTTP_SECONDS);
	lib.curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, 16384L);
	lib.curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	lib.curl_easy_setopt(curl, CURLOPT_HEADERDATA, http);
	lib.curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	lib.curl_easy_setopt(curl, CURLOPT_WRITEDATA, http);
	lib.curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, ask);
	lib.curl_easy_setopt(curl, CURLOPT_XFERINFODATA, http);
	lib.curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	set_tls(curl, secrets);
}

int http__new(const struct push_target *target, const struct push_secrets *secrets, bool (*is_over)(void *data), void *data,
	      struct http **http, struct errmsg *err)
{
	const char *why;
	struct http *new;

	if (!http__available(&why))
		return errmsg__set(err, ENOSYS, "--push needs libcurl: %s", why);
	new = calloc(1, sizeof(*new));
	if (!new)
		return errmsg__set(err, ENOMEM, "out of memory");
	new->target = target;
	new->is_over = is_over;
	new->data = data;
	new->curl = lib.curl_easy_init();
	if (!new->curl || !add_headers(new, secrets)) {
		http__delete(new);
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	set_up(new, secrets);
	*http = new;
	return 0;
}

void http__delete(struct http *http)
{
	if (!http)
		return;
	if (http->curl)
		lib.curl_easy_cleanup(http->curl);
	lib.curl_slist_free_all(http->headers);
	free(http);
}

static int explain(const struct http *http, CURLcode code, struct errmsg *err)
{
	const char *why = *http->error ? http->error : lib.curl_easy_strerror(code);

	if (code == CURLE_ABORTED_BY_CALLBACK)
		return errmsg__set(err, ECANCELED, "perf has ended");
	if (http->answer->cut)
		return errmsg__set(err, EAGAIN, "the headers of its answer do not end");
	return errmsg__set(err, EAGAIN, "%s", why);
}

static int post(struct http *http, const void *body, size_t size, struct http_answer *answer, struct errmsg *err)
{
	curl_off_t wait = 0;
	long sent = 0;
	CURLcode code;

	*answer = (struct http_answer){ 0 };
	http->answer = answer;
	http->received = 0;
	http->error[0] = '\0';
	lib.curl_easy_setopt(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	lib.curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, body);
	code = lib.curl_easy_perform(http->curl);
	lib.curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &answer->status);
	lib.curl_easy_getinfo(http->curl, CURLINFO_RETRY_AFTER, &wait);
	lib.curl_easy_getinfo(http->curl, CURLINFO_REQUEST_SIZE, &sent);
	answer->retry_after = wait;
	answer->sent = sent;
	/* Whatever comes after it, a status is an answer; but 1xx are none. */
	if (code && (code == CURLE_ABORTED_BY_CALLBACK || answer->status < 200))
		return explain(http, code, err);
	answer->cut |= code != CURLE_OK;
	return 0;
}

int http__post(struct http *http, const char *query, const void *body, size_t size, struct http_answer *answer, struct errmsg *err)
{
	char *url;
	int ret;

	if (asprintf(&url, "%s%s%s", http->target->url, *query ? "?" : "", query) < 0)
		return errmsg__set(err, EAGAIN, "out of memory");
	lib.curl_easy_setopt(http->curl, CURLOPT_URL, url);
	ret = post(http, body, size, answer, err);
	free(url);
	return ret;
}

#else
bool http__available(const char **why)
{
	*why = "this perf was built without it: install libcurl4-openssl-dev and build again";
	return false;
}

int http__new(const struct push_target *target, const struct push_secrets *secrets, bool (*is_over)(void *data), void *data,
	      struct http **http, struct errmsg *err)
{
	const char *why;

	http__available(&why);
	return errmsg__set(err, ENOSYS, "--push needs libcurl: %s", why);
}

void http__delete(struct http *http)
{
}

int http__post(struct http *http, const char *query, const void *body, size_t size, struct http_answer *answer, struct errmsg *err)
{
	return errmsg__set(err, ENOSYS, "libcurl is missing");
}
#endif

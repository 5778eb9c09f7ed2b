/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sends bodies over HTTP, by libcurl, which is loaded when it is asked for. The receiver may be anybody: it is waited for and read from
 * within limits, redirections are not followed, and certificates are always checked.
 */
#ifndef PERF_PUSH_HTTP_H
#define PERF_PUSH_HTTP_H

#include "util/push/target.h"

#define HTTP_SECONDS 30		/* the most that one request takes */
#define HTTP_CONNECT_SECONDS 10
#define HTTP_ANSWER_BYTES 65536 /* the most that is read of an answer, headers and all */

struct http;

struct http_answer {
	long status;		/* 0: there was none */
	long retry_after;	/* seconds; 0: not said */
	bool sent;		/* somebody was reached, and at least a part of the request sent */
	bool cut;		/* the answer was longer than HTTP_ANSWER_BYTES, or did not end in time */
	size_t size;
	u8 body[4096];		/* the first part of it */
};

/* Can anything be sent? If not, why says what to install. */
bool http__available(const char **why);
/* The target and the secrets must outlive it. is_over: asked while sending; true: give up. 0 or -errno. */
int http__new(const struct push_target *target, const struct push_secrets *secrets, bool (*is_over)(void *data), void *data,
	      struct http **http, struct errmsg *err);
void http__delete(struct http *http);
/*
 * POST a body with that query. 0: the receiver has answered, with any status, even if the answer is cut. -ECANCELED: is_over;
 * -EAGAIN: other errors, which may pass: even a certificate may be renewed.
 */
int http__post(struct http *http, const char *query, const void *body, size_t size, struct http_answer *answer, struct errmsg *err);

#endif

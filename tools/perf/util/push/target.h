/* SPDX-License-Identifier: GPL-2.0 */
/* Who receives profiles: what a URL says, and what may not stand in one, as it is secret. */
#ifndef PERF_PUSH_TARGET_H
#define PERF_PUSH_TARGET_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

enum push_kind { /* what the receiver understands */
	PUSH_PYROSCOPE,	/* push.v1.PusherService/Push */
	PUSH_INGEST,	/* Pyroscope's /ingest: one pprof profile */
	PUSH_OTLP,	/* OpenTelemetry: /v1development/profiles */
	PUSH_NR_KINDS,
};

struct push_target {
	enum push_kind kind;
	bool tls;
	char *url;   /* http://... or https://..., without a query */
	char *shown; /* as the user wrote it, for messages */
};

/*
 * SCHEME://HOST[:PORT][/PATH] with one of the schemes that push_target__list() lists. A path that does not end with one of the receiver's
 * own is what stands before it. 0 or -EINVAL, -ENOMEM.
 */
int push_target__parse(struct push_target *target, const char *text, struct errmsg *err);
void push_target__exit(struct push_target *target);
const char *push_target__scheme(unsigned int i); /* NULL: there are no more */

/* The name of a kind: in the names of spooled files, and in messages */
const char *push_kind__name(enum push_kind kind);
const char *push_kind__content_type(enum push_kind kind);
bool push_kind__is_gzipped(enum push_kind kind); /* Is the body gzip'ed as a whole? */

/* From the environment; the strings of one are never printed. */
struct push_secrets {
	char **header; /* "NAME: VALUE" */
	u32 nr_headers;
	char *ca, *cert, *key; /* paths; NULL: not given */
};

/*
 * Read PERF_PUSH_HEADERS (NAME=VALUE[,NAME=VALUE...], with %XX for bytes), PERF_PUSH_CA, PERF_PUSH_CERT and PERF_PUSH_KEY, and take them
 * out of the environment, so that commands do not inherit them. 0 or -EINVAL, -ENOMEM.
 */
int push_secrets__take(struct push_secrets *secrets, struct errmsg *err);
void push_secrets__exit(struct push_secrets *secrets);
/* Does text contain the value of one of the headers? */
bool push_secrets__are_in(const struct push_secrets *secrets, const char *text);

#endif

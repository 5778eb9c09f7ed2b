/* SPDX-License-Identifier: GPL-2.0 */
/* A profile as JSON, for tools and for the page; what an event consists of is up to the caller. */
#ifndef PERF_UI_PROFILE_PROFILE_JSON_H
#define PERF_UI_PROFILE_PROFILE_JSON_H

#include "ui/json.h"
#include "ui/profile/profile.h"
#include "util/hist/stack-tree.h"

/* Put further members of the event's object. 0 or -ENOMEM. */
typedef int (*profile_json_cb)(yajl_gen gen, const struct profile *profile, const struct profile_event *event);

/* What JSON and the page call a node: as enum stack_kind, but code of JIT compilers and of interpreters is apart. */
enum {
	PROFILE_KIND_JIT = STACK_ADDRESS + 1,
	PROFILE_KIND_INTERPRETED,
};

u32 profile_node__kind(const struct stack_node *node);

int profile_json__write(const struct profile *profile, profile_json_cb put, FILE *fp, struct errmsg *err);

/* The page with what write puts out in its hole. */
int profile_page__write(const struct profile *profile, int (*write)(const struct profile *profile, FILE *fp, struct errmsg *err), FILE *fp,
			struct errmsg *err);

#endif

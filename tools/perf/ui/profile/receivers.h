/* SPDX-License-Identifier: GPL-2.0 */
/* A profile as the body of a request to a receiver of profiles. Each event has a .type, and profile->label says where it comes from. */
#ifndef PERF_UI_PROFILE_RECEIVERS_H
#define PERF_UI_PROFILE_RECEIVERS_H

#include "ui/profile/profile.h"

struct profile_body { /* both are malloc'ed */
	void *data;
	size_t size;
	char *query; /* of the URL; "" without one */
};

/* One pprof profile for each event: a PushRequest for Pyroscope. 0 or -errno. */
int profile__encode_push(const struct profile *profile, struct profile_body *body, struct errmsg *err);
/* An event as pprof, for Pyroscope's /ingest, which has the rest in its query. */
int profile__encode_ingest(const struct profile *profile, u32 event, struct profile_body *body, struct errmsg *err);
/* An ExportProfilesServiceRequest of OpenTelemetry, gzip'ed. */
int profile__encode_otlp(const struct profile *profile, struct profile_body *body, struct errmsg *err);
/* Of the answer to it: how many profiles were not taken. 0: all were, or that cannot be read. */
u64 profile__otlp_rejected(const u8 *answer, size_t size);

#endif

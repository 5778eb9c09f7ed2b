// SPDX-License-Identifier: GPL-2.0
#include "util/record/header.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "util/lib/clock.h"
#include "util/perfdata/key-texts.h"
#include "util/record/counted-samples.h"
#include "util/record/env.h"
#include "util/source/tally-values.h"

static void note(const struct record_opts *opts, const char *what, const char *why)
{
	struct errmsg text;

	if (!opts->run.note)
		return;
	errmsg__set(&text, EIO, "The header of the file has no %s: %s", what, why);
	opts->run.note(opts->run.note_data, text.text);
}

/* For readers that show the time of day. */
static void collect_clock(struct perfdata_features *f, const struct perf_event_attr *attr)
{
	struct timespec resolution;

	if (!attr->use_clockid || clock_getres(attr->clockid, &resolution))
		return;
	f->clockid_res_ns = resolution.tv_sec * 1000000000ULL + resolution.tv_nsec;
	f->clockid = attr->clockid;
	f->clock_tod_ns = clock__ns(CLOCK_REALTIME);
	f->clock_ns = clock__ns(attr->clockid);
}

void header__collect(struct perfdata_features *f, const struct evlist *evlist, const struct record_opts *opts)
{
	struct env_format made = { .sys = KEY_TEXTS_SYS };
	int ret = env__collect(f, opts->version, opts->cmdline_argc, opts->cmdline_argv);

	if (ret)
		note(opts, "complete description of the machine", strerror(-ret));
	collect_clock(f, &evlist->evsel[0]->attr);
	/* Events that only count have none of the fields, but perhaps texts of keys. */
	if (opts->count && opts->count->exprs && opts->count->exprs->nr)
		made.format = counted_samples__format(opts->count, &made.size);
	ret = env__collect_tracing(f, evlist, !opts->count || opts->count->both, &made);
	if (ret)
		note(opts, "formats of some tracepoints", strerror(-ret));
}

/* Leaves out a feature that cannot be encoded. A write error is returned: in a pipe the next records would follow a torn one. */
static int add_feature(struct perfdata_writer *w, const struct perfdata_features *f, int feature, const struct record_opts *opts,
		       struct errmsg *err)
{
	struct errmsg text;
	size_t size;
	void *body;
	int ret;

	ret = perfdata_features__encode(f, feature, &body, &size);
	if (ret == -ENOENT)
		return 0;
	if (ret) {
		note(opts, perfdata_feature__name(feature), strerror(-ret));
		return 0;
	}
	ret = perfdata_writer__add_feature(w, feature, body, size, &text);
	free(body);
	if (ret != -ENOMEM && ret != -E2BIG)
		return ret ? errmsg__set(err, -ret, "%s", text.text) : 0;
	note(opts, perfdata_feature__name(feature), text.text);
	return 0;
}

int header__add(struct perfdata_writer *w, const struct perfdata_features *f, bool pipe, const struct record_opts *opts,
		struct errmsg *err)
{
	static const int features[] = {
		HEADER_HOSTNAME, HEADER_OSRELEASE, HEADER_VERSION, HEADER_ARCH, HEADER_NRCPUS,
		HEADER_CPUDESC, HEADER_CPUID, HEADER_TOTAL_MEM, HEADER_CMDLINE, HEADER_EVENT_DESC, HEADER_CPU_TOPOLOGY, HEADER_NUMA_TOPOLOGY,
		HEADER_PMU_MAPPINGS, HEADER_GROUP_DESC, HEADER_STAT, HEADER_CACHE, HEADER_SAMPLE_TIME, HEADER_MEM_TOPOLOGY, HEADER_CLOCKID, HEADER_CLOCK_DATA,
		HEADER_COMPRESSED,
		HEADER_BUILD_ID, HEADER_TRACING_DATA, /* perf 7.3 fails on a pipe with other features after this one */
	};

	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(features) && !ret; i++) {
		if (!pipe || features[i] != HEADER_SAMPLE_TIME)
			ret = add_feature(w, f, features[i], opts, err);
	}
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "read"

#include "cmd/read/recorded-hits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/advice.h"
#include "util/lib/log.h"

static bool is_event(const char *name, const char *wanted)
{
	const size_t len = strlen(wanted);

	return !strncmp(name, wanted, len) && (!name[len] || name[len] == ':'); /* with a modifier */
}

int recorded_hits__find(struct recorded_hits *hits, const struct recorded_hit_name *names, unsigned int nr, struct errmsg *err)
{
	const u32 nr_events = session__nr_events(hits->session);

	hits->kind = calloc(nr_events + 1, sizeof(*hits->kind));
	hits->name = calloc(nr_events + 1, sizeof(*hits->name));
	if (!hits->kind || !hits->name)
		return errmsg__set(err, ENOMEM, "out of memory");
	for (u32 i = 0; i < nr_events; i++) {
		for (unsigned int n = 0; n < nr; n++) {
			if (!is_event(session__event(hits->session, i)->name, names[n].name))
				continue;
			hits->kind[i] = names[n].kind;
			hits->name[i] = names[n].name;
			hits->kinds |= 1U << names[n].kind;
		}
	}
	return 0;
}

bool recorded_hits__has(const struct recorded_hits *hits, const char *name)
{
	for (u32 i = 0; i < session__nr_events(hits->session); i++) {
		if (hits->name[i] && !strcmp(hits->name[i], name))
			return true;
	}
	return false;
}

void recorded_hits__ignore(struct recorded_hits *hits, const char *name)
{
	for (u32 i = 0; i < session__nr_events(hits->session); i++) {
		if (hits->name[i] && !strcmp(hits->name[i], name))
			hits->kind[i] = 0;
	}
}

int recorded_hits__check(const struct recorded_hits *hits, u64 sample_type, const char *lacking, struct errmsg *err)
{
	const u64 wanted = sample_type | PERF_SAMPLE_RAW;

	if (!session__formats(hits->session))
		return errmsg__set(err, ENOENT, "%s has no formats of tracepoints: record it with '%s'", hits->input, hits->command);
	for (u32 i = 0; i < session__nr_events(hits->session); i++) {
		if (hits->kind[i] && (session__event(hits->session, i)->event->attr.sample_type & wanted) != wanted)
			return errmsg__set(err, EINVAL, "the samples of %s lack %s or the fields of tracepoints: record it with '%s'", hits->input,
					   lacking, hits->command);
	}
	return 0;
}

void recorded_hits__exit(struct recorded_hits *hits)
{
	free(hits->kind);
	free(hits->name);
	hits->kind = NULL;
	hits->name = NULL;
}

bool recorded_hits__number(const struct recorded_hits *hits, const struct session_sample *sample, const char *field, u64 *value)
{
	const struct perf_sample *raw = sample->sample;

	return !tp_formats__number(session__formats(hits->session), raw->raw, raw->raw_size, hits->name[sample->evsel->idx], field, value);
}

bool recorded_hits__text(const struct recorded_hits *hits, const struct session_sample *sample, const char *field, char *buf, size_t size)
{
	const struct perf_sample *raw = sample->sample;
	struct tp_value value;

	if (tp_formats__value(session__formats(hits->session), raw->raw, raw->raw_size, hits->name[sample->evsel->idx], field, &value) ||
	    !value.is_text)
		return false;
	snprintf(buf, size, "%.*s", (int)strnlen((const char *)value.bytes, value.size), (const char *)value.bytes);
	return true;
}

void recorded_hits__warn(const struct recorded_hits *hits, u64 nr, const char *how)
{
	if (nr)
		pr_warn("Warning:\nleft out: %" PRIu64 " sample%s of %s %s\n", (uint64_t)nr, plural(nr), hits->input, how);
}

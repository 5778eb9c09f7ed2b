// SPDX-License-Identifier: GPL-2.0
/* For Grafana Pyroscope: each event becomes a pprof profile, whose labels stand beside it. */
#include "ui/profile/receivers.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "ui/profile/push.pb-c.h" /* generated */
#include "util/lib/text.h"

#define MAX_LABELS 64
#define UUID_SIZE 37

struct one_push { /* an event's series */
	Perf__Push__RawProfileSeries series;
	Perf__Push__RawSample sample, *samples;
	Perf__Push__LabelPair label[MAX_LABELS], *labels[MAX_LABELS];
	char id[UUID_SIZE];
};

/* The name of the profile, which comes first in what its type is called. */
static const char *metric_of(const struct profile_event *event)
{
	return strcmp(event->type, "cpu") ? event->type : "process_cpu";
}

static int encode_event(const struct profile *profile, u32 event, char **data, size_t *size, struct errmsg *err)
{
	struct profile one = *profile;
	FILE *fp = open_memstream(data, size);
	int ret;

	if (!fp)
		return errmsg__set(err, ENOMEM, "out of memory");
	one.event += event;
	one.nr_events = 1;
	ret = profile__write_pprof(&one, fp, err);
	if (text__close_stream(fp, data) && !ret)
		ret = errmsg__set(err, ENOMEM, "out of memory");
	if (ret) {
		free(*data);
		*data = NULL;
	}
	return ret;
}

static void make_uuid(char id[UUID_SIZE])
{
	u8 b[16] = { 0 };

	if (getrandom(b, sizeof(b), GRND_NONBLOCK) < 0)
		return;
	b[6] = (b[6] & 0x0f) | 0x40;
	b[8] = (b[8] & 0x3f) | 0x80;
	snprintf(id, UUID_SIZE, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3], b[4], b[5], b[6],
		 b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static void add_label(struct one_push *one, const char *name, const char *value)
{
	Perf__Push__LabelPair *label = &one->label[one->series.n_labels];

	if (one->series.n_labels == MAX_LABELS)
		return;
	*label = (Perf__Push__LabelPair)PERF__PUSH__LABEL_PAIR__INIT;
	label->name = (char *)name;
	label->value = (char *)value;
	one->labels[one->series.n_labels++] = label;
}

static int fill_one(struct one_push *one, const struct profile *profile, u32 event, struct errmsg *err)
{
	char *data;
	size_t size;
	int ret = encode_event(profile, event, &data, &size, err);

	if (ret)
		return ret;
	one->series = (Perf__Push__RawProfileSeries)PERF__PUSH__RAW_PROFILE_SERIES__INIT;
	one->sample = (Perf__Push__RawSample)PERF__PUSH__RAW_SAMPLE__INIT;
	one->samples = &one->sample;
	one->sample.raw_profile.data = (u8 *)data;
	one->sample.raw_profile.len = size;
	one->sample.id = one->id;
	make_uuid(one->id);
	one->series.samples = &one->samples;
	one->series.n_samples = 1;
	one->series.labels = one->labels;
	add_label(one, "__name__", metric_of(&profile->event[event]));
	for (u32 i = 0; i < profile->nr_labels; i++)
		add_label(one, profile->label[i].name, profile->label[i].value);
	return 0;
}

static int pack(const Perf__Push__PushRequest *request, struct profile_body *body, struct errmsg *err)
{
	body->size = perf__push__push_request__get_packed_size(request);
	body->data = malloc(body->size ?: 1);
	body->query = strdup("");
	if (!body->data || !body->query) {
		free(body->data);
		free(body->query);
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	perf__push__push_request__pack(request, body->data);
	return 0;
}

int profile__encode_push(const struct profile *profile, struct profile_body *body, struct errmsg *err)
{
	Perf__Push__PushRequest request = PERF__PUSH__PUSH_REQUEST__INIT;
	struct one_push *one = calloc(profile->nr_events ?: 1, sizeof(*one));
	Perf__Push__RawProfileSeries **series = calloc(profile->nr_events ?: 1, sizeof(*series));
	int ret = one && series ? 0 : errmsg__set(err, ENOMEM, "out of memory");

	for (u32 i = 0; i < profile->nr_events && !ret; i++) {
		ret = fill_one(&one[i], profile, i, err);
		series[i] = &one[i].series;
	}
	if (!ret) {
		request.series = series;
		request.n_series = profile->nr_events;
		ret = pack(&request, body, err);
	}
	for (u32 i = 0; one && i < profile->nr_events; i++)
		free(one[i].sample.raw_profile.data);
	free(series);
	free(one);
	return ret;
}

/* --- /ingest --- */

static void put_escaped(FILE *fp, const char *text)
{
	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || strchr("-._~", *text))
			fputc(*text, fp);
		else
			fprintf(fp, "%%%02X", (u8)*text);
	}
}

/* Values stand in braces without quotes: what separates them cannot be in them. */
static void put_value(FILE *fp, const char *value)
{
	char clean[1024];
	size_t i;

	for (i = 0; value[i] && i + 1 < sizeof(clean); i++)
		clean[i] = strchr("{},=\"", value[i]) ? '_' : value[i];
	clean[i] = '\0';
	put_escaped(fp, clean);
}

static const char *service_of(const struct profile *profile)
{
	for (u32 i = 0; i < profile->nr_labels; i++) {
		if (!strcmp(profile->label[i].name, "service_name"))
			return profile->label[i].value;
	}
	return "perf";
}

static void put_query(FILE *fp, const struct profile *profile)
{
	const u64 begin = profile->wall_clock, end = begin + (profile->time_last - profile->time_first);
	bool first = true;

	fputs("name=", fp);
	put_value(fp, service_of(profile));
	put_escaped(fp, "{");
	for (u32 i = 0; i < profile->nr_labels; i++) {
		if (!strcmp(profile->label[i].name, "service_name"))
			continue;
		put_escaped(fp, first ? "" : ",");
		put_escaped(fp, profile->label[i].name);
		put_escaped(fp, "=");
		put_value(fp, profile->label[i].value);
		first = false;
	}
	put_escaped(fp, "}");
	fprintf(fp, "&from=%" PRIu64 "&until=%" PRIu64 "&format=pprof&spyName=perf", begin / 1000000000, (end + 999999999) / 1000000000);
}

int profile__encode_ingest(const struct profile *profile, u32 event, struct profile_body *body, struct errmsg *err)
{
	size_t size;
	FILE *fp = open_memstream(&body->query, &size);
	char *data;
	int ret;

	if (!fp)
		return errmsg__set(err, ENOMEM, "out of memory");
	put_query(fp, profile);
	if (text__close_stream(fp, &body->query))
		return errmsg__set(err, ENOMEM, "out of memory");
	ret = encode_event(profile, event, &data, &body->size, err);
	body->data = data;
	if (ret)
		free(body->query);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "script"
#include "cmd/script/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ui/session-stdio.h"
#include "util/lib/log.h"

static const struct script_part_ops *const parts[] = { &script_dump, &script_order, &script_lines, &script_records, &script_counts };

_Static_assert(ARRAY_SIZE(parts) == ARRAY_SIZE(((struct script_output *)0)->part), "there is room for all parts");

FILE *script_output__begin(struct script_output *out)
{
	return script_writer__stream(out->text.writer);
}

void script_output__end(struct script_output *out, FILE *fp)
{
	fflush(fp);
	script_writer__end_record(out->text.writer);
}

static int process_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct script_output *out = data;
	int ret = 0;

	for (u32 i = 0; i < out->nr_parts && !ret; i++) {
		if (out->part[i]->ops->sample)
			ret = out->part[i]->ops->sample(out->part[i], s, sample);
	}
	return ret;
}

/* NOTHING is needed only for events that are shown, and whose output depends on place and callers, whatever else the sample contains. */
static int process_seen(struct session *s, struct session_brief *brief, void *data)
{
	struct script_output *out = data;
	enum session_need need = script__need(&out->text, brief);

	for (u32 i = 0; i < out->nr_parts && need == SESSION_NEEDS_NOTHING; i++) {
		if (out->part[i]->ops->known)
			out->part[i]->ops->known(out->part[i], brief);
	}
	return need;
}

static void look_ahead(struct session *s, struct session_brief *const *brief, size_t nr, void *data)
{
	script__look_ahead(&((struct script_output *)data)->text, brief, nr);
}

static void forget_ids(struct session *s, void *data)
{
	script__forget_ids(&((struct script_output *)data)->text);
}

static int process_record(struct session *s, const union perf_record *record, const struct perf_sample *id, u64 file_offset, void *data)
{
	struct script_output *out = data;
	int ret = 0;

	if (record->header.type == PERF_RECORD_COMPRESSED || record->header.type == PERF_RECORD_COMPRESSED2)
		return 0; /* the records in it come next */
	for (u32 i = 0; i < out->nr_parts && !ret; i++) {
		if (out->part[i]->ops->record)
			ret = out->part[i]->ops->record(out->part[i], s, record, id, file_offset);
	}
	return ret;
}

/* The selection may depend on more than places, callers and events. */
static bool needs_all(const struct script_output *out)
{
	const struct script_options *o = out->options;

	for (u32 i = 0; i < out->nr_parts; i++) {
		if (out->part[i]->ops->sample && !out->part[i]->ops->known)
			return true;
	}
	/* Frames of one part are dropped depending on the other. */
	if (o->reading.skip_frames || o->reading.hide_unresolved || o->reading.ignore_callees)
		return true;
	return o->selection.comms || !selection__ignores_rest(&o->selection);
}

static const struct session_ops *choose_ops(const struct script_output *out, struct session *s)
{
	static const struct session_ops all = { .sample = process_sample, .record = process_record },
					by_ids = { .sample = process_sample, .seen = process_seen, .look_ahead = look_ahead,
						   .forget_ids = forget_ids, .record = process_record };

	for (u32 i = 0; i < session__nr_events(s); i++) {
		if (!needs_all(out) && script__may_know(&out->text, session__event(s, i)))
			return &by_ids;
	}
	return &all;
}

static int longest_event_name(struct session *s)
{
	int longest = 0;

	for (u32 i = 0; i < session__nr_events(s); i++) {
		int len = strlen(session__event(s, i)->name);

		if (len > longest)
			longest = len;
	}
	return longest;
}

static int check_time_of_day(const struct script_output *out, struct session *s, struct errmsg *err)
{
	u64 all = 0;

	for (u32 i = 0; i < session__nr_events(s); i++)
		all |= out->mask[i];
	if (!(all & SCRIPT_TOD) || perfdata_features__has(perfdata_reader__features(session__reader(s)), HEADER_CLOCK_DATA))
		return 0;
	return errmsg__set(err, EINVAL, "Can't provide 'tod' time, missing clock data. Please record with -k/--clockid option.");
}

static struct script_style get_style(const struct script_output *out, struct session *s)
{
	const struct script_options *o = out->options;

	return (struct script_style){
		.full_paths = o->full_source_path,
		.ns = o->ns,
		.latency = o->latency,
		.hide_chains = o->hide_chains,
		.times = o->relative ? SCRIPT_TIMES_RELATIVE : o->delta ? SCRIPT_TIMES_DELTA : SCRIPT_TIMES_PLAIN,
		.stop_at = out->stop_at,
		.kernel_path = o->kernel_path ? o->reading.vmlinux : NULL,
		.features = perfdata_reader__features(session__reader(s)),
		.name_width = longest_event_name(s),
	};
}

static int init_text(struct script_output *out, struct session *s, struct errmsg *err)
{
	const struct script_options *o = out->options;
	struct script_style style;
	int ret;

	out->mask = calloc(session__nr_events(s), sizeof(*out->mask));
	if (!out->mask)
		return errmsg__set(err, ENOMEM, "out of memory");
	ret = script_fields__apply(&o->fields, s, o->hide_chains, out->mask, err);
	if (!ret && o->stop_at)
		ret = words__parse(o->stop_at, &out->stop_at, err);
	if (ret)
		return ret;
	style = get_style(out, s);
	ret = check_time_of_day(out, s, err);
	if (!ret && script__init(&out->text, stdout, out->mask, &style))
		return errmsg__set(err, ENOMEM, "out of memory");
	return ret;
}

static int init_parts(struct script_output *out, struct session *s, struct errmsg *err)
{
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts) && !ret; i++) {
		struct script_part *part;

		if (!parts[i]->wanted(out->options))
			continue;
		part = calloc(1, parts[i]->size);
		if (!part)
			return errmsg__set(err, ENOMEM, "out of memory");
		part->ops = parts[i];
		part->out = out;
		out->part[out->nr_parts++] = part;
		ret = part->ops->init ? part->ops->init(part, s, err) : 0;
	}
	return ret;
}

static int finish(struct script_output *out, struct errmsg *err)
{
	int ret = script_writer__drain(out->text.writer) ? errmsg__set(err, ENOMEM, "out of memory") : 0;

	for (u32 i = 0; i < out->nr_parts && !ret; i++) {
		if (out->part[i]->ops->finish)
			ret = out->part[i]->ops->finish(out->part[i], err);
	}
	return ret;
}

static void exit_all(struct script_output *out)
{
	for (u32 i = 0; i < out->nr_parts; i++) {
		if (out->part[i]->ops->exit)
			out->part[i]->ops->exit(out->part[i]);
		free(out->part[i]);
	}
	script__exit(&out->text);
	words__delete(out->stop_at);
	free(out->mask);
}

static int read_all(struct script_output *out, struct session *s, struct errmsg *err)
{
	const struct read_options *reading = &out->options->reading;
	int ret = init_text(out, s, err) ?: init_parts(out, s, err);

	if (ret)
		return ret;
	read_options__start_pager(reading);
	if (reading->header.shown)
		read_options__print_header(reading, s);
	session__want(s, out->options->hide_chains ? SESSION_PLACES : SESSION_CHAINS, SESSION_IDS_OF_CHAINS);
	session__want_numbers(s, true);
	ret = session__run(s, choose_ops(out, s), out, err);
	return ret ?: finish(out, err);
}

int script_output__run(struct script_options *o, struct session *s)
{
	struct script_output out = { .options = o };
	struct errmsg err = { "" };
	int ret = selection__init(&o->selection, s, &err), status = ret == -EINVAL ? EXIT_USAGE : EXIT_SETUP;

	ret = ret ?: read_all(&out, s, &err);
	exit_all(&out);
	selection__exit(&o->selection);
	if (!ret) {
		session__warn(s, o->reading.input);
		return session__is_damaged(s) ? EXIT_DAMAGED : 0;
	}
	pr_err("%s\n", err.text);
	return status;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/record/record-state.h"

#include "util/record/attrs.h"

int record__new_trigger(struct record *rec)
{
	struct evlist *events = rec->opts->switching.events;
	struct attr_opts opts = { .freq = rec->opts->attr.freq, .inherit = !rec->opts->no_inherit };

	if (!events)
		return 0;
	opts.enable_on_exec = run__follows_command(rec->run);
	evlist__config_attrs(events, &opts);
	for (unsigned int i = 0; i < events->nr; i++)
		events->evsel[i]->attr.wakeup_events = 1;
	return sampler__new(events, &rec->trigger, rec->err);
}

/* Its events count from the beginning, even if those of the recording start later: the recording may wait for them. */
int record__open_trigger(struct record *rec, const struct sampler_target *target)
{
	const struct sampler_opts opts = { .mmap_pages = 1 };
	int ret;

	if (!rec->trigger)
		return 0;
	sampler__close(rec->trigger);
	ret = sampler__open(rec->trigger, target, &opts, rec->err);
	return ret || run__follows_command(rec->run) ? ret : sampler__enable(rec->trigger, rec->err);
}

static int record__note_trigger(void *data, const void *records, size_t size)
{
	const size_t whole = records__whole(records, size);
	struct record *rec = data;

	for (size_t at = 0; at < whole;) {
		const struct perf_event_header *header = (const void *)((const char *)records + at);

		rec->switch_wanted |= header->type == PERF_RECORD_SAMPLE || header->type == PERF_RECORD_LOST;
		at += header->size;
	}
	return 0;
}

int record__handle_trigger(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct record *rec = data;

	return sampler__drain(rec->trigger, record__note_trigger, rec, NULL);
}

// SPDX-License-Identifier: GPL-2.0
#include "cmd/top/picture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ui/report/stdio.h"
#include "util/lib/text.h"

static int add_sample(const struct session_sample *sample, void *data)
{
	struct top_picture *picture = data;
	bool kernel = sample->sample->cpumode == PERF_RECORD_MISC_KERNEL;

	if (kernel ? picture->hide_kernel : picture->hide_user)
		return report_rows__hide(&picture->rows, sample);
	return report_rows__add(&picture->rows, sample);
}

static bool is_shown(const struct top_view *view, u32 event)
{
	for (u32 i = 0; i < view->nr_shown; i++) {
		if (view->shown[i] == event)
			return true;
	}
	return false;
}

/* Events stay where they were, also while they have no samples. */
static void find_events(struct top_view *view, const struct top_picture *picture)
{
	for (u32 i = 0; i < session__nr_events(view->session); i++) {
		if (picture->rows.hists[i].any_samples && !is_shown(view, i))
			view->shown[view->nr_shown++] = i;
	}
}

static char *title_of(const struct top_view *view, const struct hists *hists, u32 number)
{
	const struct session_event *event = session__event(view->session, number);
	const struct top_event *count = &view->count[number];
	char *title = NULL, unit;
	u64 nr = count_in_units(hists->nr_samples, &unit);
	size_t size;
	FILE *fp = open_memstream(&title, &size);

	if (!fp)
		return NULL;
	fprintf(fp, "Samples: %" PRIu64 "%.1s of event '%s', ", (uint64_t)nr, unit ? &unit : "", event->name);
	if (event->event->attr.freq)
		fprintf(fp, "%" PRIu64 " Hz, ", (uint64_t)event->event->attr.sample_freq);
	else
		fprintf(fp, "every %" PRIu64 ", ", (uint64_t)event->event->attr.sample_period);
	fprintf(fp, "lost: %" PRIu64 ", drop: %" PRIu64 ", Event count (approx.): %" PRIu64, (uint64_t)count->not_counted, (uint64_t)count->dropped,
		(uint64_t)hists->total_period);
	if (view->hide_kernel || view->hide_user)
		fprintf(fp, " [%s hidden]", view->hide_kernel ? "kernel" : "user");
	text__close_stream(fp, &title);
	return title;
}

static int make_events(struct top_picture *picture, struct top_view *view)
{
	find_events(view, picture);
	picture->event = calloc(view->nr_shown + 1, sizeof(*picture->event));
	picture->number = calloc(view->nr_shown + 1, sizeof(*picture->number));
	if (!picture->event || !picture->number)
		return -ENOMEM;
	for (; picture->nr < view->nr_shown; picture->nr++) {
		u32 i = picture->nr, number = view->shown[i];
		struct hists *hists = &picture->rows.hists[number];

		picture->number[i] = number;
		if (hists__sort(hists))
			return -ENOMEM;
		picture->event[i] = (struct browser_event){ title_of(view, hists, number), hists, &picture->number[i], 1 };
		if (!picture->event[i].title)
			return -ENOMEM;
	}
	return 0;
}

struct top_picture *top_picture__new(struct top_view *view, struct top_samples *samples, struct errmsg *err)
{
	struct top_picture *picture = calloc(1, sizeof(*picture));
	int ret = -ENOMEM;

	if (picture) {
		picture->rows = (struct report_rows){ .session = view->session, .options = view->report, .hits = &picture->hits, .has_frames = true };
		picture->hide_kernel = view->hide_kernel;
		picture->hide_user = view->hide_user;
		ret = report_rows__init(&picture->rows, err);
		if (ret) {
			top_picture__delete(picture);
			return NULL;
		}
		ret = top_samples__for_each(samples, add_sample, picture) ?: make_events(picture, view);
	}
	if (!ret)
		return picture;
	errmsg__set(err, ENOMEM, "out of memory");
	top_picture__delete(picture);
	return NULL;
}

void top_picture__delete(struct top_picture *picture)
{
	if (!picture)
		return;
	for (u32 i = 0; i < picture->nr; i++)
		free(picture->event[i].title);
	free(picture->event);
	free(picture->number);
	report_rows__exit(&picture->rows);
	code_hits__exit(&picture->hits);
	free(picture);
}

// SPDX-License-Identifier: GPL-2.0
/* -D: the bytes and the contents of each record, before its other output. */
#include <errno.h>

#include "cmd/script/output.h"
#include "ui/dump/record.h"

struct dump {
	struct script_part part;
	const union perf_record *last; /* see sample__fprintf_owner() */
};

static bool wanted(const struct script_options *o)
{
	return o->dump;
}

static int take_sample(struct script_part *p, struct session *s, const struct session_sample *sample)
{
	struct script_output *out = p->out;
	struct dump *dump = (struct dump *)p;
	FILE *fp = script_output__begin(out);

	if (!fp)
		return -ENOMEM;
	if (sample->record != dump->last) {
		perf_record__fprintf_raw(fp, out->options->reading.input, sample->record, sample->file_offset);
		sample__fprintf_dump(fp, sample, out->text.style.features->arch);
	}
	sample__fprintf_owner(fp, sample);
	script_output__end(out, fp);
	dump->last = sample->record;
	return 0;
}

static int take_record(struct script_part *p, struct session *s, const union perf_record *record, const struct perf_sample *id,
		       u64 file_offset)
{
	FILE *fp;

	script_writer__set_file(p->out->text.writer, stdout);
	fp = script_output__begin(p->out);
	if (!fp)
		return -ENOMEM;
	perf_record__fprintf_raw(fp, p->out->options->reading.input, record, file_offset);
	perf_record__fprintf_dump(fp, &session__event_of(s, id)->event->attr, record, id, file_offset);
	script_output__end(p->out, fp);
	return 0;
}

const struct script_part_ops script_dump = {
	.size = sizeof(struct dump),
	.wanted = wanted,
	.sample = take_sample,
	.record = take_record,
};

// SPDX-License-Identifier: GPL-2.0
/* The lines of each selected sample, on the standard output or in a file for its event. */
#include "cmd/script/files.h"
#include "cmd/script/output.h"

struct lines {
	struct script_part part;
	struct script_files files;
};

static struct lines *of(struct script_part *p)
{
	return (struct lines *)p;
}

static bool wanted(const struct script_options *o)
{
	return !o->check_order;
}

static int init(struct script_part *p, struct session *s, struct errmsg *err)
{
	const struct script_options *o = p->out->options;

	return o->per_event ? script_files__open(&of(p)->files, s, o->reading.input, err) : 0;
}

/* The event's file, if each event has one. */
static void choose_file(struct script_part *p, u32 event)
{
	struct script_file *file = of(p)->files.file;

	if (!file)
		return;
	file[event].nr_samples++;
	script_writer__set_file(p->out->text.writer, file[event].fp);
}

static int take_sample(struct script_part *p, struct session *s, const struct session_sample *sample)
{
	if (selection__judge(&p->out->options->selection, sample) != SAMPLE_SHOWN)
		return 0;
	choose_file(p, sample->evsel->idx);
	script__print_sample(&p->out->text, s, sample);
	return 0;
}

static void take_known(struct script_part *p, const struct session_brief *brief)
{
	choose_file(p, brief->evsel->idx);
	script__print_known(&p->out->text, brief);
}

static int finish(struct script_part *p, struct errmsg *err)
{
	return script_files__close(&of(p)->files, err);
}

static void exit_part(struct script_part *p)
{
	script_files__exit(&of(p)->files);
}

const struct script_part_ops script_lines = {
	.size = sizeof(struct lines),
	.wanted = wanted,
	.init = init,
	.sample = take_sample,
	.known = take_known,
	.finish = finish,
	.exit = exit_part,
};

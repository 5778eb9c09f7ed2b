// SPDX-License-Identifier: GPL-2.0
/* A perf.data file or what comes through a pipe, read as perf report and perf script read it, with all that they print. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/tp-trial.h"

#include <errno.h>
#include <sys/prctl.h>

#include "cmd/report/rows.h"
#include "ui/dump/header.h"
#include "ui/dump/record.h"
#include "ui/script/fields.h"
#include "ui/script/stdio.h"
#include "util/lib/threads.h"

/*
 * In place of util/lib/threads.c (whose object is then not linked), as on a machine with one CPU: small inputs would do little else than
 * start threads and wait for them, and what they do would not be the same twice.
 */
u32 threads__nr_cpus(void)
{
	return 1;
}

int threads__start(pthread_t *thread, void *(*run)(void *data), void *data)
{
	return -EAGAIN;
}

struct consumer {
	struct script_stdio script;
	struct report_rows rows;
};

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct consumer *c = data;

	/* report asks the session for numbers, and script prints frames */
	if (sample->chain && callchain__locate((struct callchain *)sample->chain, session__resolver(s)))
		return -ENOMEM;
	script__print_sample(&c->script, s, sample);
	sample__fprintf_dump(fuzz__sink(), sample, perfdata_reader__features(session__reader(s))->arch);
	return report_rows__add(&c->rows, sample);
}

static int take_seen(struct session *s, struct session_brief *brief, void *data)
{
	struct script_stdio *script = &((struct consumer *)data)->script;
	enum session_need need = script__need(script, brief);

	if (need == SESSION_NEEDS_NOTHING)
		script__print_known(script, brief);
	return need;
}

static void look_ahead(struct session *s, struct session_brief *const *brief, size_t nr, void *data)
{
	script__look_ahead(&((struct consumer *)data)->script, brief, nr);
}

static void forget_ids(struct session *s, void *data)
{
	script__forget_ids(&((struct consumer *)data)->script);
}

static int take_record(struct session *s, const union perf_record *record, const struct perf_sample *id, u64 offset, void *data)
{
	const struct session_event *event = session__event_of(s, id);

	perf_record__fprintf(fuzz__sink(), record, id);
	if (event)
		perf_record__fprintf_dump(fuzz__sink(), &event->event->attr, record, id, offset);
	return 0;
}

/* by_ids: samples whose parts are known are not delivered in full. */
static void read_all(struct session *s, const char *path, bool by_ids)
{
	const struct session_ops ops = { .sample = take_sample, .seen = by_ids ? take_seen : NULL, .look_ahead = look_ahead,
					 .forget_ids = forget_ids, .record = take_record };
	struct report_options options = REPORT_OPTIONS_INIT;
	struct consumer c = {
		.rows = { .session = s, .options = &options },
	};
	const struct script_style style = { .features = perfdata_reader__features(session__reader(s)) };
	struct script_fields fields;
	struct errmsg err;
	u64 *mask = calloc(session__nr_events(s) ?: 1, sizeof(*mask));

	if (!mask || script__init(&c.script, fuzz__sink(), mask, &style))
		abort();
	header__fprintf(fuzz__sink(), session__reader(s), path, true);
	script_fields__init(&fields);
	if (!script_fields__apply(&fields, s, false, mask, &err) && !report_rows__init(&c.rows, &err)) {
		session__want(s, SESSION_CHAINS, by_ids ? SESSION_IDS_OF_CHAINS : SESSION_NO_IDS);
		session__run(s, &ops, &c, &err);
		script_writer__drain(c.script.writer);
		report_rows__print(&c.rows, fuzz__sink());
	}
	report_rows__exit(&c.rows);
	report_options__exit(&options);
	script__exit(&c.script);
	free(mask);
}

/* Tables that are hardly touched by small inputs are not to cost two MiB of zeros each. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct session_opts opts = { .resolver = { .symtab.symfs = "/proc/self/fdinfo", .kallsyms = "/dev/null" } };
	struct session *s;
	struct errmsg err;
	char path[32];
	int fd = fuzz__open_file(data, size, path);

	opts.input = path;
	if (!session__open(&opts, &s, &err)) {
		read_all(s, path, size & 1);
		session__delete(s);
	}
	close(fd);
	return 0;
}

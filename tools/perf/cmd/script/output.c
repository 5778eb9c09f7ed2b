// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "script"
#include "cmd/script/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/dump/record.h"
#include "util/lib/half-file.h"
#include "util/lib/log.h"

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

/* The directory may be everybody's, like /tmp: what stands there is replaced, not written to, wherever a link may lead. */
static FILE *create_anew(const char *path)
{
	int fd = unlink(path) && errno != ENOENT ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	return fd < 0 ? NULL : fdopen(fd, "w");
}

/* Names of events are the recording's: none may lead to another directory. */
static int open_file(struct script_file *file, const char *input, const char *event, struct errmsg *err)
{
	char *name;

	if (asprintf(&file->path, "%s.%s.dump", input, event) < 0) {
		file->path = NULL;
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	for (name = file->path + strlen(input); *name; name++) {
		if (*name == '/')
			*name = '_';
	}
	file->fp = create_anew(file->path);
	if (!file->fp)
		return errmsg__set(err, errno, "cannot write to %s: %s", file->path, strerror(errno));
	file->half = half_file__new(file->path);
	return file->half ? 0 : errmsg__set(err, ENOMEM, "out of memory");
}

static int open_files(struct script_output *out, struct session *s, struct errmsg *err)
{
	int ret = 0;

	out->file = calloc(session__nr_events(s), sizeof(*out->file));
	if (!out->file)
		return errmsg__set(err, ENOMEM, "out of memory");
	for (; out->nr_files < session__nr_events(s) && !ret; out->nr_files++)
		ret = open_file(&out->file[out->nr_files], out->input, session__event(s, out->nr_files)->name, err);
	return ret;
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

static struct script_style get_style(const struct script_output *out, struct session *s, const char *kernel_path)
{
	const struct script_options *o = out->options;

	return (struct script_style){
		.full_paths = o->full_source_path,
		.ns = o->ns,
		.latency = o->latency,
		.hide_chains = o->hide_chains,
		.times = o->relative ? SCRIPT_TIMES_RELATIVE : o->delta ? SCRIPT_TIMES_DELTA : SCRIPT_TIMES_PLAIN,
		.stop_at = out->stop_at,
		.kernel_path = o->kernel_path ? kernel_path : NULL,
		.features = perfdata_reader__features(session__reader(s)),
		.name_width = longest_event_name(s),
	};
}

int script_output__init(struct script_output *out, struct session *s, const char *kernel_path, struct errmsg *err)
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
	style = get_style(out, s, kernel_path);
	ret = check_time_of_day(out, s, err);
	if (!ret && script__init(&out->text, stdout, out->mask, &style))
		return errmsg__set(err, ENOMEM, "out of memory");
	return !ret && o->per_event ? open_files(out, s, err) : ret;
}

/* The file of the event, where each has one. */
static void choose_file(struct script_output *out, u32 event)
{
	struct script_file *file = out->file ? &out->file[event] : NULL;

	if (!file)
		return;
	file->nr_samples++;
	script_writer__set_file(out->text.writer, file->fp);
}

static void check_order(struct script_output *out, u64 time)
{
	if (time < out->last_time) {
		pr_err("Samples misordered, previous: %llu this: %llu\n", (unsigned long long)out->last_time, (unsigned long long)time);
		out->nr_misordered++;
	}
	out->last_time = time;
}

static int dump_sample(struct script_output *out, const struct session_sample *sample)
{
	FILE *fp = script_writer__stream(out->text.writer);

	if (!fp)
		return -ENOMEM;
	if (sample->record != out->dumped) {
		perf_record__fprintf_raw(fp, out->input, sample->record, sample->file_offset);
		sample__fprintf_dump(fp, sample, out->text.style.features->arch);
	}
	sample__fprintf_owner(fp, sample);
	fflush(fp);
	script_writer__end_record(out->text.writer);
	out->dumped = sample->record;
	return 0;
}

static int process_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct script_output *out = data;

	if (out->options->dump && dump_sample(out, sample))
		return -ENOMEM;
	if (out->options->check_order)
		check_order(out, sample->sample->time);
	else if (selection__judge(&out->options->selection, sample) == SAMPLE_SHOWN) {
		choose_file(out, sample->evsel->idx);
		script__print_sample(&out->text, s, sample);
	}
	return 0;
}

/* Of an event that is shown, and in full, while it is nothing but a place with callers, whatever else the sample says. */
static int process_known(struct session *s, const struct session_known *known, void *data)
{
	struct script_output *out = data;

	choose_file(out, known->evsel->idx);
	script__print_known(&out->text, known);
	return 0;
}

static bool is_shown(const struct script_options *o, u32 type)
{
	static const u16 shown[PERF_RECORD_USER_MAX] = {
		[PERF_RECORD_COMM] = SCRIPT_SHOW_TASK,
		[PERF_RECORD_FORK] = SCRIPT_SHOW_TASK,
		[PERF_RECORD_EXIT] = SCRIPT_SHOW_TASK,
		[PERF_RECORD_MMAP] = SCRIPT_SHOW_MMAP,
		[PERF_RECORD_MMAP2] = SCRIPT_SHOW_MMAP,
		[PERF_RECORD_LOST] = SCRIPT_SHOW_LOST,
		[PERF_RECORD_LOST_SAMPLES] = SCRIPT_SHOW_LOST,
		[PERF_RECORD_SWITCH] = SCRIPT_SHOW_SWITCH,
		[PERF_RECORD_SWITCH_CPU_WIDE] = SCRIPT_SHOW_SWITCH,
		[PERF_RECORD_CGROUP] = SCRIPT_SHOW_CGROUP,
		[PERF_RECORD_NAMESPACES] = SCRIPT_SHOW_NAMESPACES,
		[PERF_RECORD_KSYMBOL] = SCRIPT_SHOW_BPF | SCRIPT_SHOW_TEXT_POKE,
		[PERF_RECORD_BPF_EVENT] = SCRIPT_SHOW_BPF,
		[PERF_RECORD_TEXT_POKE] = SCRIPT_SHOW_TEXT_POKE,
		[PERF_RECORD_FINISHED_ROUND] = SCRIPT_SHOW_ROUND,
		[PERF_RECORD_CALLCHAIN_DEFERRED_] = SCRIPT_SHOW_DEFERRED,
	};

	return type < PERF_RECORD_USER_MAX && o->shown & shown[type];
}

/* Whose line it is: the task that the record is about, else the one in which it was written. */
static void task_of(const union perf_record *record, const struct perf_sample *id, u32 *pid, u32 *tid)
{
	*pid = id->pid;
	*tid = id->tid;
	switch (record->header.type) {
	case PERF_RECORD_COMM:
		*pid = record->comm.pid;
		*tid = record->comm.tid;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		*pid = record->fork.pid;
		*tid = record->fork.tid;
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		*pid = record->mmap.pid;
		*tid = record->mmap.tid;
		break;
	case PERF_RECORD_NAMESPACES:
		*pid = record->namespaces.pid;
		*tid = record->namespaces.tid;
		break;
	}
}

static int dump_record(struct script_output *out, struct session *s, const union perf_record *record,
		       const struct perf_sample *id, u64 file_offset)
{
	FILE *fp = script_writer__stream(out->text.writer);

	if (!fp)
		return -ENOMEM;
	perf_record__fprintf_raw(fp, out->input, record, file_offset);
	perf_record__fprintf_dump(fp, &session__event_of(s, id)->event->attr, record, id, file_offset);
	fflush(fp);
	script_writer__end_record(out->text.writer);
	return 0;
}

static int print_record(struct script_output *out, struct session *s, const union perf_record *record,
			const struct perf_sample *id)
{
	const struct session_event *event = session__event_of(s, id);
	FILE *fp = script_writer__stream(out->text.writer);
	u32 type = record->header.type, pid, tid;
	struct thread *thread;

	if (!fp)
		return -ENOMEM;
	if (type < PERF_RECORD_HEADER_ATTR) { /* perf's own have no task and no time */
		task_of(record, id, &pid, &tid);
		thread = machine__thread(session__machine(s), pid, tid);
		if (!thread)
			return -ENOMEM;
		if (type == PERF_RECORD_CALLCHAIN_DEFERRED_)
			return script__print_deferred(&out->text, s, event, thread, record, id);
		script__print_start(&out->text, event, thread, id, type);
	}
	perf_record__fprintf(fp, record, id);
	fflush(fp);
	script_writer__end_record(out->text.writer);
	return 0;
}

static int process_record(struct session *s, const union perf_record *record, const struct perf_sample *id, u64 file_offset,
			  void *data)
{
	struct script_output *out = data;
	bool shown = is_shown(out->options, record->header.type);

	if (!out->options->dump && !shown)
		return 0;
	if (record->header.type == PERF_RECORD_COMPRESSED || record->header.type == PERF_RECORD_COMPRESSED2)
		return 0; /* what is in it comes next */
	script_writer__set_file(out->text.writer, stdout);
	if (out->options->dump && dump_record(out, s, record, id, file_offset))
		return -ENOMEM;
	return shown && selection__has_cpu(&out->options->selection, id->cpu) ? print_record(out, s, record, id) : 0;
}

/* Samples may be told apart by more than their places, callers and events. */
static bool needs_all(const struct script_output *out)
{
	const struct script_options *o = out->options;

	return o->dump || o->check_order || o->selection.comms || !selection__ignores_rest(&o->selection);
}

const struct session_ops *script_output__ops(const struct script_output *out, struct session *s)
{
	static const struct session_ops all = { .sample = process_sample, .record = process_record },
					known = { .sample = process_sample, .known = process_known, .record = process_record };

	for (u32 i = 0; i < session__nr_events(s); i++) {
		if (!needs_all(out) && script__may_know(&out->text, session__event(s, i)))
			return &known;
	}
	return &all;
}

static int close_file(struct script_file *file, struct errmsg *err)
{
	FILE *fp = file->fp;
	struct stat st = {};
	bool failed = fflush(fp) || fstat(fileno(fp), &st) || ferror(fp);

	file->fp = NULL;
	if (fclose(fp) || failed) {
		unlink(file->path);
		return errmsg__set(err, EIO, "cannot write to %s", file->path);
	}
	half_file__done(file->half);
	pr_info("[ perf script: Wrote %.3f MB %s (%llu samples) ]\n", st.st_size / 1024.0 / 1024.0, file->path,
		(unsigned long long)file->nr_samples);
	return 0;
}

int script_output__finish(struct script_output *out, struct errmsg *err)
{
	int ret = script_writer__drain(out->text.writer) ? errmsg__set(err, ENOMEM, "out of memory") : 0;

	for (u32 i = 0; i < out->nr_files && !ret; i++)
		ret = close_file(&out->file[i], err);
	if (out->options->check_order)
		pr_err("Misordered timestamps: %llu\n", (unsigned long long)out->nr_misordered);
	return ret;
}

void script_output__exit(struct script_output *out)
{
	for (u32 i = 0; i < out->nr_files; i++) {
		if (out->file[i].fp) {
			unlink(out->file[i].path);
			fclose(out->file[i].fp);
		}
		half_file__done(out->file[i].half);
		free(out->file[i].path);
	}
	free(out->file);
	script__exit(&out->text);
	words__delete(out->stop_at);
	free(out->mask);
}

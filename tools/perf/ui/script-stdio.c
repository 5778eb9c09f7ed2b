// SPDX-License-Identifier: GPL-2.0
#include "ui/script-stdio.h"

#include <errno.h>
#include <inttypes.h>

#include "ui/script-lines.h"
#include "ui/script-fields.h"
#include "ui/script-place.h"
#include "ui/script-values.h"

#define FLUSH_SIZE (256 << 10)
#define COMM_WIDTH 16
#define LATENCY_COMM_WIDTH 8

/* Shown instead of the time itself, if the style is so. */
static u64 shown_time(struct script_stdio *out, u64 time)
{
	u64 shown = time;

	if (out->style.times == SCRIPT_TIMES_PLAIN)
		return time;
	if (!out->any_time)
		out->first_time = out->previous_time = time;
	out->any_time = true;
	shown -= out->style.times == SCRIPT_TIMES_RELATIVE ? out->first_time : out->previous_time;
	out->previous_time = time;
	return shown;
}

static void print_time(struct script_stdio *out, u64 ns)
{
	u64 sec = ns / 1000000000, frac = ns % 1000000000;

	text__unsigned(&out->text, sec, 5, ' ');
	text__char(&out->text, '.');
	text__unsigned(&out->text, out->style.ns ? frac : frac / 1000, out->style.ns ? 9 : 6, '0');
	text__str(&out->text, ": ");
}

static void print_comm(struct script_stdio *out, const char *comm, bool chain)
{
	if (out->style.latency)
		text__printf(&out->text, "%*.*s", LATENCY_COMM_WIDTH, LATENCY_COMM_WIDTH, comm);
	else
		text__str_right(&out->text, comm, chain ? 0 : COMM_WIDTH);
	text__char(&out->text, ' ');
}

/* "    123/123     " */
static void print_pid_tid(struct text *text, s32 pid, s32 tid)
{
	size_t start;

	text__signed(text, pid, 7);
	text__char(text, '/');
	start = text->len;
	text__signed(text, tid, 0);
	do
		text__char(text, ' ');
	while (text->len - start < 8 && !text->failed);
}

static void print_cpu(struct script_stdio *out, s32 cpu)
{
	if (out->style.latency) {
		text__signed(&out->text, cpu, 3);
		text__char(&out->text, ' ');
		return;
	}
	text__char(&out->text, '[');
	if (cpu < 0)
		text__printf(&out->text, "%03d", cpu);
	else
		text__unsigned(&out->text, cpu, 3, '0');
	text__str(&out->text, "] ");
}

void script__print_start(struct script_stdio *out, const struct session_event *event, const struct thread *thread,
			 const struct perf_sample *sample, u32 record_type)
{
	bool chains = !out->style.hide_chains && event->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	u64 mask = out->mask[event->idx];
	struct text *text = &out->text;

	/* stackcollapse-perf.pl and others know the first line of a callchain by its name that is not aligned. */
	if (mask & SCRIPT_COMM)
		print_comm(out, thread->comm, mask & SCRIPT_IP && chains);
	if (mask & SCRIPT_PID && mask & SCRIPT_TID) {
		print_pid_tid(text, sample->pid, sample->tid);
	} else if (mask & (SCRIPT_PID | SCRIPT_TID)) {
		text__signed(text, (s32)(mask & SCRIPT_PID ? sample->pid : sample->tid), 7);
		text__char(text, ' ');
	}
	if (mask & SCRIPT_CPU)
		print_cpu(out, sample->cpu);
	if (mask & SCRIPT_MISC)
		script_value__misc(text, sample->misc, record_type);
	if (mask & SCRIPT_TOD)
		script_value__time_of_day(text, out->style.features, sample->time, out->style.ns);
	if (mask & SCRIPT_TIME)
		print_time(out, shown_time(out, sample->time));
}

/* libtraceevent prints to a file only. */
static void print_trace(struct script_stdio *out, const struct tp_formats *formats, const struct perf_sample *sample)
{
	script__flush(out);
	tp_formats__print(formats, out->fp, sample->raw, sample->raw_size, sample->cpu);
}

static void print_weight(struct text *text, u64 mask, const struct perf_sample *sample)
{
	const union perf_sample_weight weight = { .full = sample->weight };
	bool parts = sample->sample_type & PERF_SAMPLE_WEIGHT_STRUCT;

	if (mask & SCRIPT_WEIGHT)
		text__unsigned(text, parts ? weight.var1_dw : weight.full, 16, ' ');
	if (mask & SCRIPT_INS_LAT)
		text__unsigned(text, weight.var2_w, 16, ' ');
	if (mask & SCRIPT_RETIRE_LAT)
		text__unsigned(text, weight.var3_w, 16, ' ');
}

static void print_cgroup(struct text *text, struct session *session, u64 id)
{
	text__char(text, ' ');
	text__str(text, machine__cgroup(session__machine(session), id) ?: "unknown");
}

/* Between the event's name and the address. */
static void print_front(struct script_stdio *out, u64 mask, struct session *session, const struct session_sample *s)
{
	const struct tp_formats *formats = session__formats(session);

	if (mask & SCRIPT_TRACE && formats && s->sample->raw)
		print_trace(out, formats, s->sample);
	if (mask & SCRIPT_ADDR)
		script__print_addr(out, mask, session, s);
	if (mask & SCRIPT_DATA_SRC)
		script_value__data_src(&out->text, s->sample->data_src, &out->data_src_width);
	if (mask & (SCRIPT_WEIGHT | SCRIPT_INS_LAT | SCRIPT_RETIRE_LAT))
		print_weight(&out->text, mask, s->sample);
	if (mask & SCRIPT_CGROUP)
		print_cgroup(&out->text, session, s->sample->cgroup);
}

static bool is_bpf_output(const struct session_event *event)
{
	const struct perf_event_attr *attr = &event->event->attr;

	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* Behind the address or the callchain. */
static void print_back(struct script_stdio *out, u64 mask, struct session *session, const struct session_sample *s)
{
	const char *arch = out->style.features ? out->style.features->arch : NULL;
	const struct perf_sample *sample = s->sample;
	struct text *text = &out->text;

	if (mask & SCRIPT_IREGS)
		script_value__regs(text, arch, sample->intr_regs, sample->intr_regs_abi, sample->intr_regs_mask);
	if (mask & SCRIPT_UREGS)
		script_value__regs(text, arch, sample->user_regs, sample->user_regs_abi, sample->user_regs_mask);
	if (mask & (SCRIPT_BRSTACK | SCRIPT_BRSTACKSYM | SCRIPT_BRSTACKOFF))
		script__print_branches(out, mask, session, s);
	if (mask & SCRIPT_BPF_OUTPUT && sample->raw && is_bpf_output(s->evsel))
		script_value__bpf_output(text, sample->raw, sample->raw_size);
	if (mask & SCRIPT_PHYS_ADDR)
		text__hex(text, sample->phys_addr, 16);
	if (mask & SCRIPT_DATA_PAGE_SIZE)
		script_value__page_size(text, sample->data_page_size);
	if (mask & SCRIPT_CODE_PAGE_SIZE)
		script_value__page_size(text, sample->code_page_size);
}

void script__print_sample(struct script_stdio *out, struct session *session, const struct session_sample *s)
{
	u64 mask = out->mask[s->evsel->idx];
	struct text *text = &out->text;

	if (!mask) /* -F of another type only */
		return;
	script__print_start(out, s->evsel, s->thread, s->sample, PERF_RECORD_SAMPLE);
	if (mask & SCRIPT_PERIOD) {
		text__unsigned(text, s->sample->period, 10, ' ');
		text__char(text, ' ');
	}
	if (mask & SCRIPT_EVENT) {
		text__str_right(text, s->evsel->name, out->style.name_width);
		text__str(text, ": ");
	}
	print_front(out, mask, session, s);
	if (mask & SCRIPT_IP)
		script__print_ip(out, mask, session, s);
	print_back(out, mask, session, s);
	text__char(text, '\n');
	if (text->len >= FLUSH_SIZE)
		script__flush(out);
}

int script__print_deferred(struct script_stdio *out, struct session *session, const struct session_event *event,
			   struct thread *thread, const union perf_record *record, const struct perf_sample *id)
{
	u64 mask = out->mask[event->idx];
	const struct callchain *chain;

	if (!(mask & SCRIPT_IP))
		return 0;
	chain = session__resolve_deferred(session, thread, &record->callchain_deferred);
	if (!chain)
		return -ENOMEM;
	script__print_start(out, event, thread, id, record->header.type);
	text__printf(&out->text, "DEFERRED CALLCHAIN [cookie: %" PRIx64 "]\n", record->callchain_deferred.cookie);
	script__print_frames(out, mask, session__resolver(session), chain->frame, chain->nr);
	text__char(&out->text, '\n');
	return 0;
}

int script__flush(struct script_stdio *out)
{
	if (out->text.len)
		fwrite(out->text.buf, 1, out->text.len, out->fp);
	out->text.len = 0;
	return out->text.failed ? -ENOMEM : 0;
}

void script__exit(struct script_stdio *out)
{
	text__exit(&out->text);
	script_lines__delete(out->lines);
	out->lines = NULL;
}

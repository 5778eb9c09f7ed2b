// SPDX-License-Identifier: GPL-2.0
#include "ui/script/stdio.h"

#include <errno.h>
#include <inttypes.h>

#include "ui/script/fields.h"
#include "ui/script/values.h"

/* The numbers in mask. */
static void add_numbers(struct script_stdio *out, u64 mask, const struct script_numbers *values, const struct session_event *event,
			const struct thread *thread)
{
	struct script_numbers *numbers;

	if (!mask && !values->ends_line)
		return;
	numbers = script_writer__add_numbers(out->writer);
	*numbers = *values;
	numbers->mask = mask;
	numbers->event = event->name;
	numbers->comm = thread->comm; /* which lives as long as the machine */
}

_Static_assert(SCRIPT_NUMBERS <= UINT16_MAX, "they fit into struct script_numbers");

/* numbers: the fields up to the event's name that are numbers; other fields between them split the line. */
static void print_start(struct script_stdio *out, u64 mask, u64 numbers, const struct session_event *event,
			const struct thread *thread, const struct perf_sample *sample, u32 record_type)
{
	bool chains = !out->style.hide_chains && event->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	const struct script_numbers values = {
		.pid = sample->pid, .tid = sample->tid, .cpu = sample->cpu, .time = sample->time, .period = sample->period,
		/* stackcollapse-perf.pl and others recognize the first line of a callchain by its unaligned name. */
		.comm_is_free = mask & SCRIPT_IP && chains,
	};
	const u64 before = SCRIPT_COMM | SCRIPT_PID | SCRIPT_TID | SCRIPT_CPU;
	struct text *text;

	if (!(mask & (SCRIPT_MISC | SCRIPT_TOD))) {
		add_numbers(out, numbers, &values, event, thread);
		return;
	}
	add_numbers(out, numbers & before, &values, event, thread);
	text = script_writer__text(out->writer);
	if (mask & SCRIPT_MISC)
		script_value__misc(text, sample->misc, record_type);
	if (mask & SCRIPT_TOD)
		script_value__time_of_day(text, out->style.features, sample->time, out->style.ns);
	add_numbers(out, numbers & ~before, &values, event, thread);
}

void script__print_start(struct script_stdio *out, const struct session_event *event, const struct thread *thread,
			 const struct perf_sample *sample, u32 record_type)
{
	u64 mask = out->mask[event->idx];

	print_start(out, mask, mask & SCRIPT_START & SCRIPT_NUMBERS, event, thread, sample, record_type);
}

static void print_trace(struct text *text, struct tp_formats *formats, const struct perf_sample *sample)
{
	size_t len;
	const char *trace = tp_formats__text(formats, sample->raw, sample->raw_size, sample->cpu, &len);

	text__put(text, trace, len);
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

/* Print between the event's name and the address: SCRIPT_BEFORE_IP. */
static void print_front(struct script_stdio *out, const struct script_look *look, const struct session_sample *s)
{
	struct tp_formats *formats = session__formats(look->session);
	struct text *text = script_writer__text(out->writer);
	u64 mask = look->mask;

	if (mask & SCRIPT_TRACE && formats && s->sample->raw)
		print_trace(text, formats, s->sample);
	if (mask & SCRIPT_ADDR)
		script__print_addr(text, look, s);
	if (mask & SCRIPT_DATA_SRC)
		script_value__data_src(text, s->sample->data_src, &out->data_src_width);
	if (mask & (SCRIPT_WEIGHT | SCRIPT_INS_LAT | SCRIPT_RETIRE_LAT))
		print_weight(text, mask, s->sample);
	if (mask & SCRIPT_CGROUP)
		print_cgroup(text, look->session, s->sample->cgroup);
}

static bool is_bpf_output(const struct session_event *event)
{
	const struct perf_event_attr *attr = &event->event->attr;

	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* As in perf, an unknown instruction has no bytes, not even the field's name. */
static void print_insn(struct text *text, const struct script_look *look, const struct location *loc)
{
	struct resolver *resolver = session__resolver(look->session);
	u8 code[INSN_MAX_SIZE];
	u32 size = resolver ? resolver__insn(resolver, loc, code) : 0;

	if (look->mask & SCRIPT_INSNLEN)
		text__printf(text, " ilen: %u", size);
	if (!(look->mask & SCRIPT_INSN) || !size)
		return;
	text__str(text, " insn:");
	for (u32 i = 0; i < size; i++)
		text__printf(text, " %02x", code[i]);
}

/* Print after the address or the callchain: SCRIPT_BEHIND_PLACE. */
static void print_back(struct script_stdio *out, const struct script_look *look, const struct session_sample *s)
{
	struct text *text = script_writer__text(out->writer);
	const char *arch = out->style.features ? out->style.features->arch : NULL;
	const struct perf_sample *sample = s->sample;
	u64 mask = look->mask;

	if (mask & SCRIPT_IREGS)
		script_value__regs(text, arch, sample->intr_regs, sample->intr_regs_abi, sample->intr_regs_mask);
	if (mask & SCRIPT_UREGS)
		script_value__regs(text, arch, sample->user_regs, sample->user_regs_abi, sample->user_regs_mask);
	if (mask & (SCRIPT_BRSTACK | SCRIPT_BRSTACKSYM | SCRIPT_BRSTACKOFF))
		script__print_branches(text, look, s);
	if (mask & SCRIPT_BPF_OUTPUT && sample->raw && is_bpf_output(s->evsel))
		script_value__bpf_output(text, sample->raw, sample->raw_size);
	if (mask & (SCRIPT_INSNLEN | SCRIPT_INSN))
		print_insn(text, look, &s->loc);
	if (mask & SCRIPT_PHYS_ADDR)
		text__hex(text, sample->phys_addr, 16);
	if (mask & SCRIPT_DATA_PAGE_SIZE)
		script_value__page_size(text, sample->data_page_size);
	if (mask & SCRIPT_CODE_PAGE_SIZE)
		script_value__page_size(text, sample->code_page_size);
}

bool script__may_know(const struct script_stdio *out, const struct session_event *event)
{
	const u64 known = SCRIPT_NUMBERS | SCRIPT_IP | SCRIPT_PLACE | SCRIPT_BPF_OUTPUT; /* such samples have no output of BPF programs */
	u64 mask = out->mask[event->idx];

	return mask & SCRIPT_IP && !(mask & ~known) && !out->style.hide_chains && !out->style.stop_at;
}

static void print_in_full(struct script_stdio *out, const struct script_look *look, const struct session_sample *s)
{
	u64 mask = look->mask;

	print_start(out, mask, mask & SCRIPT_NUMBERS, s->evsel, s->thread, s->sample, PERF_RECORD_SAMPLE);
	if (mask & SCRIPT_BEFORE_IP)
		print_front(out, look, s);
	if (mask & SCRIPT_IP && s->chain && !out->style.hide_chains)
		script_chains__print(&out->chains, out->writer, look, s);
	else if (mask & SCRIPT_IP)
		script__print_ip(script_writer__text(out->writer), look, s);
	if (mask & SCRIPT_BEHIND_PLACE)
		print_back(out, look, s);
	text__char(script_writer__text(out->writer), '\n');
}

void script__print_sample(struct script_stdio *out, struct session *session, const struct session_sample *s)
{
	const struct script_look look = { .mask = out->mask[s->evsel->idx], .style = &out->style, .session = session };

	if (!look.mask) /* -F was given only for another type */
		return;
	if (s->ids.place && script__may_know(out, s->evsel)) {
		const struct script_numbers values = {
			.pid = s->sample->pid, .tid = s->sample->tid, .cpu = s->sample->cpu, .time = s->sample->time,
			.period = s->sample->period, .comm_is_free = true, .ends_line = true,
		};

		add_numbers(out, look.mask & SCRIPT_NUMBERS, &values, s->evsel, s->thread);
		script_chains__print_by_ids(&out->chains, out->writer, &look, s);
	} else {
		print_in_full(out, &look, s);
	}
	script_writer__end_record(out->writer);
}

void script__look_ahead(const struct script_stdio *out, struct session_brief *const *brief, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		script_chains__prefetch(&out->chains, &brief[i]->ids);
	for (size_t i = 0; i < nr; i++)
		brief[i]->need = script__need(out, brief[i]);
}

enum session_need script__need(const struct script_stdio *out, const struct session_brief *brief)
{
	if (!script__may_know(out, brief->evsel))
		return SESSION_NEEDS_ALL;
	return script_chains__need(&out->chains, &brief->ids);
}

void script__print_known(struct script_stdio *out, const struct session_brief *brief)
{
	*script_chains__print_known(&out->chains, out->writer, &brief->ids) = (struct script_numbers){
		.mask = out->mask[brief->evsel->idx] & SCRIPT_NUMBERS, .time = brief->time, .period = brief->period,
		.comm = brief->thread->comm, .event = brief->evsel->name, .pid = brief->pid, .tid = brief->tid, .cpu = brief->cpu,
		.comm_is_free = true, .ends_line = true, /* the lines of the callchain follow */
	};
	script_writer__end_record(out->writer);
}

void script__forget_ids(struct script_stdio *out)
{
	script_chains__forget(&out->chains);
}

int script__print_deferred(struct script_stdio *out, struct session *session, const struct session_event *event,
			   struct thread *thread, const union perf_record *record, const struct perf_sample *id)
{
	const struct script_look look = { .mask = out->mask[event->idx], .style = &out->style, .session = session };
	struct text *text = script_writer__text(out->writer);
	const struct callchain *chain;

	if (!(look.mask & SCRIPT_IP))
		return 0;
	chain = session__resolve_deferred(session, thread, &record->callchain_deferred);
	if (!chain)
		return -ENOMEM;
	script__print_start(out, event, thread, id, record->header.type);
	text__printf(text, "DEFERRED CALLCHAIN [cookie: %" PRIx64 "]\n", record->callchain_deferred.cookie);
	script__print_frames(text, &look, chain->frame, chain->nr);
	text__char(text, '\n');
	script_writer__end_record(out->writer);
	return 0;
}

int script__init(struct script_stdio *out, FILE *fp, const u64 *mask, const struct script_style *style)
{
	*out = (struct script_stdio){ .mask = mask, .style = *style };
	out->writer = script_writer__new(&out->style);
	if (!out->writer)
		return -ENOMEM;
	script_writer__set_file(out->writer, fp);
	return 0;
}

void script__exit(struct script_stdio *out)
{
	script_writer__delete(out->writer);
	out->writer = NULL;
	script_chains__exit(&out->chains);
}

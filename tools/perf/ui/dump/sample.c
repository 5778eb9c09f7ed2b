// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include "ui/branch-names.h"
#include "ui/dump/record.h"
#include "ui/script/values.h"
#include "util/perfdata/reg-name.h"

static const char *context_name(u64 marker)
{
	switch (marker) {
	case PERF_CONTEXT_HV:
		return " (PERF_CONTEXT_HV)";
	case PERF_CONTEXT_KERNEL:
		return " (PERF_CONTEXT_KERNEL)";
	case PERF_CONTEXT_USER:
		return " (PERF_CONTEXT_USER)";
	case PERF_CONTEXT_USER_DEFERRED_:
		return " (PERF_CONTEXT_USER_DEFERRED)";
	case PERF_CONTEXT_GUEST:
		return " (PERF_CONTEXT_GUEST)";
	case PERF_CONTEXT_GUEST_KERNEL:
		return " (PERF_CONTEXT_GUEST_KERNEL)";
	case PERF_CONTEXT_GUEST_USER:
		return " (PERF_CONTEXT_GUEST_USER)";
	}
	return "";
}

static void dump_chain(FILE *fp, const struct perf_sample *sample)
{
	fprintf(fp, "... FP chain: nr:%" PRIu64 "\n", sample->nr_callchain);
	for (u64 i = 0; i < sample->nr_callchain; i++)
		fprintf(fp, "..... %2" PRIu64 ": %016" PRIx64 "%s\n", i, sample->callchain[i], context_name(sample->callchain[i]));
}

static void dump_branches(FILE *fp, const struct perf_sample *sample)
{
	fprintf(fp, "... branch stack: nr:%" PRIu64 "\n", sample->nr_branch);
	for (u64 i = 0; i < sample->nr_branch; i++) {
		const struct perf_branch_entry *b = &sample->branch[i];

		fprintf(fp, "..... %2" PRIu64 ": %016" PRIx64 " -> %016" PRIx64 " %u cycles %c%c%c%c %x %s %s\n", i, (u64)b->from,
			(u64)b->to, (unsigned int)b->cycles, b->mispred ? 'M' : ' ', b->predicted ? 'P' : ' ', b->abort ? 'A' : ' ',
			b->in_tx ? 'T' : ' ', (unsigned int)b->reserved, branch__type(b), branch__speculation(b));
	}
}

static void dump_regs(FILE *fp, const char *which, const char *arch, const u64 *regs, u64 abi, u64 mask)
{
	if (!regs)
		return;
	fprintf(fp, "... %s regs: mask 0x%" PRIx64 " ABI %s\n", which, mask,
		abi == PERF_SAMPLE_REGS_ABI_64 ? "64-bit" : abi == PERF_SAMPLE_REGS_ABI_32 ? "32-bit" : "unknown");
	for (; mask; mask &= mask - 1)
		fprintf(fp, ".... %-5s 0x%016" PRIx64 "\n", reg_name(arch, __builtin_ctzll(mask)), *regs++);
}

static void dump_user_stack(FILE *fp, const struct session_sample *s)
{
	if (s->sample->user_stack_size)
		fprintf(fp, "... ustack: size %" PRIu64 ", offset 0x%zx\n", s->sample->user_stack_size,
			(const char *)s->sample->user_stack - (const char *)(&s->record->header + 1));
}

static void dump_weight(FILE *fp, const struct perf_sample *sample)
{
	const union perf_sample_weight weight = { .full = sample->weight };

	if (sample->sample_type & PERF_SAMPLE_WEIGHT_STRUCT)
		fprintf(fp, "... weight: %u,0x%x,0x%x\n", weight.var1_dw, weight.var2_w, weight.var3_w);
	else
		fprintf(fp, "... weight: %" PRIu64 "\n", sample->weight);
}

static void dump_page_size(FILE *fp, const char *which, u64 size)
{
	struct text text = {};

	script_value__page_size(&text, size);
	fprintf(fp, " .. %s page size:%.*s\n", which, (int)text.len, text.buf ?: "");
	text__exit(&text);
}

/* attr.read_format defines the words: perf_event_open(2), "Reading results". */
static void dump_read(FILE *fp, const struct perf_sample *sample, u64 format)
{
	const u64 *word = sample->read;
	u64 nr = 1;

	fputs("... sample_read:\n", fp);
	if (!word)
		return;
	if (format & PERF_FORMAT_GROUP)
		nr = *word++;
	else
		word++; /* the value precedes the times */
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		fprintf(fp, "...... time enabled %016" PRIx64 "\n", *word++);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		fprintf(fp, "...... time running %016" PRIx64 "\n", *word++);
	if (format & PERF_FORMAT_GROUP)
		fprintf(fp, ".... group nr %" PRIu64 "\n", nr);
	for (u64 i = 0; i < nr; i++) {
		u64 value = format & PERF_FORMAT_GROUP ? *word++ : *sample->read;

		fprintf(fp, "..... id %016" PRIx64 ", value %016" PRIx64, format & PERF_FORMAT_ID ? *word++ : 0, value);
		if (format & PERF_FORMAT_LOST)
			fprintf(fp, ", lost %" PRIu64, *word++);
		fputc('\n', fp);
	}
}

/* In the order of perf, not of the record. */
static void dump_parts(FILE *fp, const struct session_sample *s, const char *arch)
{
	const struct perf_sample *sample = s->sample;
	u64 type = sample->sample_type;

	if (type & PERF_SAMPLE_CALLCHAIN)
		dump_chain(fp, sample);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		dump_branches(fp, sample);
	dump_regs(fp, "user", arch, sample->user_regs, sample->user_regs_abi, sample->user_regs_mask);
	dump_regs(fp, "intr", arch, sample->intr_regs, sample->intr_regs_abi, sample->intr_regs_mask);
	dump_user_stack(fp, s);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		dump_weight(fp, sample);
	if (type & PERF_SAMPLE_DATA_SRC)
		fprintf(fp, " . data_src: 0x%" PRIx64 "\n", sample->data_src);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		fprintf(fp, " .. phys_addr: 0x%" PRIx64 "\n", sample->phys_addr);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		dump_page_size(fp, "data", sample->data_page_size);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		dump_page_size(fp, "code", sample->code_page_size);
	if (type & PERF_SAMPLE_TRANSACTION)
		fprintf(fp, "... transaction: %" PRIx64 "\n", sample->transaction);
	if (type & PERF_SAMPLE_READ)
		dump_read(fp, sample, s->evsel->event->attr.read_format);
}

void sample__fprintf_dump(FILE *fp, const struct session_sample *s, const char *arch)
{
	const struct perf_sample *sample = s->sample;

	perf_record__fprintf_place(fp, &s->evsel->event->attr, s->record, sample, s->file_offset);
	fprintf(fp, "PERF_RECORD_SAMPLE(IP, %#x): %d/%d: %#" PRIx64 " period: %" PRIu64 " addr: %#" PRIx64 "\n", sample->misc,
		sample->pid, sample->tid, sample->ip, s->recorded_period, sample->addr);
	dump_parts(fp, s, arch);
}

void perf_record__fprintf_read(FILE *fp, const struct session_event *event, const union perf_record *record, const struct perf_sample *id,
			u64 file_offset)
{
	static const struct {
		u64 bit;
		const char *name;
	} rows[] = {
		{ PERF_FORMAT_TOTAL_TIME_ENABLED, "time enabled" }, { PERF_FORMAT_TOTAL_TIME_RUNNING, "time running" },
		{ PERF_FORMAT_ID, "id          " }, { PERF_FORMAT_LOST, "lost        " },
	};
	const struct perf_event_attr *attr = &event->event->attr;
	const u64 *word = record->read.more, *end = (const u64 *)((const char *)record + record->header.size);

	perf_record__fprintf_place(fp, attr, record, id, file_offset);
	fprintf(fp, "PERF_RECORD_READ: %d %d %s %" PRIu64 "\n", record->read.pid, record->read.tid, event->name, record->read.value);
	for (size_t i = 0; i < ARRAY_SIZE(rows) && word < end && !(attr->read_format & PERF_FORMAT_GROUP); i++) {
		if (attr->read_format & rows[i].bit)
			fprintf(fp, "... %s : %" PRIu64 "\n", rows[i].name, *word++);
	}
}

void sample__fprintf_owner(FILE *fp, const struct session_sample *s)
{
	fprintf(fp, " ... thread: %s:%d\n ...... dso: %s\n", s->thread->comm, s->thread->tid,
		s->loc.dso ? s->loc.dso->shown : "<not found>");
}

// SPDX-License-Identifier: GPL-2.0
#include "ui/dump/record.h"

#include <ctype.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ui/dump/cpu-set.h"
#include "util/lib/printable.h"

#define BYTES_PER_LINE 16
#define NAMESPACES_PER_LINE 4

static void print_name(FILE *fp, const char *name)
{
	printable__fputs(name, fp);
	fputc('\n', fp);
}

static void print_comm(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	fputs(r->header.misc & PERF_RECORD_MISC_COMM_EXEC ? " exec: " : ": ", fp);
	printable__fputs(r->comm.comm, fp);
	fprintf(fp, ":%d/%d\n", r->comm.pid, r->comm.tid);
}

static void print_fork(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	fprintf(fp, "(%d:%d):(%d:%d)\n", r->fork.pid, r->fork.tid, r->fork.ppid, r->fork.ptid);
}

static void print_mmap(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	fprintf(fp, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64 "]: %c ", r->mmap.pid, r->mmap.tid, r->mmap.start,
		r->mmap.len, r->mmap.pgoff, r->header.misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x');
	print_name(fp, r->mmap.filename);
}

static void print_mmap2(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	const struct record_mmap2 *m = &r->mmap2;

	fprintf(fp, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64 " ", m->pid, m->tid, m->start, m->len, m->pgoff);
	if (r->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		fputc('<', fp);
		for (int i = 0; i < m->build_id_size && i < (int)sizeof(m->build_id); i++)
			fprintf(fp, "%02x", m->build_id[i]);
		fputc('>', fp);
	} else {
		fprintf(fp, "%02x:%02x %" PRIu64 " %" PRIu64, m->maj, m->min, m->ino, m->ino_generation);
	}
	fprintf(fp, "]: %c%c%c%c ", m->prot & PROT_READ ? 'r' : '-', m->prot & PROT_WRITE ? 'w' : '-',
		m->prot & PROT_EXEC ? 'x' : '-', m->flags & MAP_SHARED ? 's' : 'p');
	print_name(fp, m->filename);
}

static void print_lost(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	fprintf(fp, " lost %" PRIu64 "\n", r->lost.lost);
}

static void print_lost_samples(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	fprintf(fp, ": id:%" PRIu64 ": lost samples :%" PRIu64 "%s\n", id->id, r->lost_samples.lost,
		r->header.misc & PERF_RECORD_MISC_LOST_SAMPLES_BPF_ ? " (BPF)" : "");
}

static void print_ksymbol(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	const struct record_ksymbol *k = &r->ksymbol;

	fprintf(fp, " addr %" PRIx64 " len %u type %u flags 0x%x name ", k->addr, k->len, k->ksym_type, k->flags);
	print_name(fp, k->name);
}

static void print_cgroup(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	fprintf(fp, " cgroup: %" PRIu64 " ", r->cgroup.id);
	print_name(fp, r->cgroup.path);
}

static const char *switch_direction(const union perf_record *r)
{
	if (!(r->header.misc & PERF_RECORD_MISC_SWITCH_OUT))
		return "IN         ";
	return r->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? "OUT preempt" : "OUT        ";
}

static void print_switch(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	fprintf(fp, " %s\n", switch_direction(r));
}

static void print_switch_cpu_wide(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	fprintf(fp, " %s  %s pid/tid: %5d/%-5d\n", switch_direction(r),
		r->header.misc & PERF_RECORD_MISC_SWITCH_OUT ? "next" : "prev", r->context_switch.next_prev_pid,
		r->context_switch.next_prev_tid);
}

static void print_namespaces(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	const struct record_namespaces *n = &r->namespaces;

	fprintf(fp, " %d/%d - nr_namespaces: %" PRIu64 "\n\t\t[", n->pid, n->tid, n->nr);
	for (u64 i = 0; i < n->nr; i++)
		fprintf(fp, "%s%" PRIu64 "/%s: %" PRIu64 "/%#" PRIx64 "%s", i && i % NAMESPACES_PER_LINE == 0 ? "\n\t\t " : "", i,
			i < ARRAY_SIZE(names) ? names[i] : "UNKNOWN", n->link[i].dev, n->link[i].ino, i + 1 < n->nr ? ", " : "]\n");
	if (!n->nr)
		fputs("]\n", fp);
}

static void print_bpf_event(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	fprintf(fp, " type %u, flags %u, id %u\n", r->bpf_event.bpf_type, r->bpf_event.flags, r->bpf_event.id);
}

static void print_code(FILE *fp, const char *which, const u8 *bytes, u32 nr)
{
	if (!nr)
		return;
	fprintf(fp, "            %s bytes:", which);
	for (u32 i = 0; i < nr; i++)
		fprintf(fp, " %02x", bytes[i]);
	fputc('\n', fp);
}

static void print_text_poke(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	const struct record_text_poke *poke = &r->text_poke;

	fprintf(fp, " %" PRIx64 "  old len %u new len %u\n", poke->addr, poke->old_len, poke->new_len);
	print_code(fp, "Old", poke->bytes, poke->old_len);
	print_code(fp, "New", poke->bytes + poke->old_len, poke->new_len);
}

static void print_aux(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	const struct record_aux *aux = &r->aux;

	fprintf(fp, " offset: %#" PRIx64 " size: %#" PRIx64 " flags: %#" PRIx64 " [%s%s%s]\n", aux->offset, aux->size, aux->flags,
		aux->flags & PERF_AUX_FLAG_TRUNCATED ? "T" : "", aux->flags & PERF_AUX_FLAG_OVERWRITE ? "O" : "",
		aux->flags & PERF_AUX_FLAG_PARTIAL ? "P" : "");
}

static void print_itrace_start(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	fprintf(fp, " pid: %u tid: %u\n", r->itrace_start.pid, r->itrace_start.tid);
}

static void print_hw_id(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	fprintf(fp, " hw_id: %#" PRIx64 "\n", r->aux_output_hw_id.hw_id);
}

static void print_id_index(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	const struct record_id_index *index = &r->id_index;

	fprintf(fp, " nr: %" PRIu64 "\n", index->nr);
	for (u64 i = 0; i < index->nr; i++)
		fprintf(fp, " ... id: %" PRIu64 "  idx: %" PRIu64 "  cpu: %" PRId64 "  tid: %" PRId64 "\n", index->entry[i].id,
			index->entry[i].idx, index->entry[i].cpu, index->entry[i].tid);
}

static void print_thread_map(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	const struct record_thread_map *map = &r->thread_map;

	fprintf(fp, " nr: %" PRIu64 " thread%s: ", map->nr, map->nr > 1 ? "s" : "");
	for (u64 i = 0; i < map->nr; i++)
		fprintf(fp, "%s%d", i ? ", " : "", (int)map->entry[i].pid);
	fputc('\n', fp);
}

static void print_cpu_map(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	fputs(": ", fp);
	cpu_set__fprintf(fp, &r->cpu_map.type, r->header.size - sizeof(r->header));
	fputc('\n', fp);
}

/* A name that may lack a NUL */
static void print_bytes(FILE *fp, const char *name, size_t size)
{
	char *copy = strndup(name, size);

	print_name(fp, copy ?: "[out of memory]");
	free(copy);
}

/* EVENT_UPDATE: more about an event than its attr says. */
static void print_event_update(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	const struct record_event_update *update = &r->event_update;
	size_t size = r->header.size - sizeof(*update);
	double scale;
	u64 nr;

	fprintf(fp, "\n... id:    %" PRIu64 "\n", update->id);
	switch (update->what) {
	case EVENT_UPDATE_UNIT:
	case EVENT_UPDATE_NAME:
		fprintf(fp, "... %s  ", update->what == EVENT_UPDATE_UNIT ? "unit:" : "name:");
		print_bytes(fp, update->data, size);
		break;
	case EVENT_UPDATE_SCALE:
		if (size < sizeof(scale))
			break;
		memcpy(&scale, update->data, sizeof(scale));
		fprintf(fp, "... scale: %f\n", scale);
		break;
	case EVENT_UPDATE_DROPPED_:
		if (size < sizeof(nr))
			break;
		memcpy(&nr, update->data, sizeof(nr));
		fprintf(fp, "... dropped by the filter: %" PRIu64 "\n", nr);
		break;
	case EVENT_UPDATE_STACKS_:
		fputs("... user stacks: ", fp);
		print_bytes(fp, update->data, size);
		break;
	case EVENT_UPDATE_CPUS:
		fputs("... ", fp);
		cpu_set__fprintf(fp, update->data, size);
		fputc('\n', fp);
		break;
	}
}

static void print_finished_init(FILE *fp, const union perf_record *r, const struct perf_sample *id)
{
	fputs(": unhandled!\n", fp); /* perf's word for records that it ignores */
}

typedef void (*record_print)(FILE *fp, const union perf_record *r, const struct perf_sample *id);

/* The text after the type's name. Types without a row have only the name. */
static const record_print prints[PERF_RECORD_USER_MAX] = {
	[PERF_RECORD_MMAP] = print_mmap,
	[PERF_RECORD_LOST] = print_lost,
	[PERF_RECORD_COMM] = print_comm,
	[PERF_RECORD_EXIT] = print_fork,
	[PERF_RECORD_FORK] = print_fork,
	[PERF_RECORD_MMAP2] = print_mmap2,
	[PERF_RECORD_LOST_SAMPLES] = print_lost_samples,
	[PERF_RECORD_SWITCH] = print_switch,
	[PERF_RECORD_SWITCH_CPU_WIDE] = print_switch_cpu_wide,
	[PERF_RECORD_KSYMBOL] = print_ksymbol,
	[PERF_RECORD_CGROUP] = print_cgroup,
	[PERF_RECORD_NAMESPACES] = print_namespaces,
	[PERF_RECORD_BPF_EVENT] = print_bpf_event,
	[PERF_RECORD_TEXT_POKE] = print_text_poke,
	[PERF_RECORD_AUX] = print_aux,
	[PERF_RECORD_ITRACE_START] = print_itrace_start,
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = print_hw_id,
	[PERF_RECORD_ID_INDEX] = print_id_index,
	[PERF_RECORD_THREAD_MAP] = print_thread_map,
	[PERF_RECORD_CPU_MAP] = print_cpu_map,
	[PERF_RECORD_EVENT_UPDATE] = print_event_update,
	[PERF_RECORD_FINISHED_INIT] = print_finished_init,
};

void perf_record__fprintf(FILE *fp, const union perf_record *record, const struct perf_sample *id)
{
	u32 type = record->header.type;
	const char *name = perf_record__type_name(type);

	if (name)
		fprintf(fp, "PERF_RECORD_%s", name);
	else
		fprintf(fp, "PERF_RECORD_%u", type);
	if (type < PERF_RECORD_USER_MAX && prints[type])
		prints[type](fp, record, id);
	else
		fputc('\n', fp);
}

static void print_hex_line(FILE *fp, const u8 *bytes, u32 offset, u32 nr)
{
	fprintf(fp, ".  %04x: ", offset);
	for (u32 i = 0; i < BYTES_PER_LINE; i++) {
		if (i < nr)
			fprintf(fp, " %02x", bytes[i]);
		else
			fputs("   ", fp);
	}
	fputs("  ", fp);
	for (u32 i = 0; i < BYTES_PER_LINE; i++)
		fputc(i >= nr ? ' ' : isprint(bytes[i]) ? bytes[i] : '.', fp);
	fputc('\n', fp);
}

void perf_record__fprintf_raw(FILE *fp, const char *path, const union perf_record *record, u64 file_offset)
{
	const u8 *bytes = (const u8 *)record;
	u32 size = record->header.size;

	fprintf(fp, "\n%#" PRIx64 "@%s [%#x]: event: %u\n.\n. ... raw event: size %u bytes\n", file_offset, path, size,
		record->header.type, size);
	for (u32 i = 0; i < size; i += BYTES_PER_LINE)
		print_hex_line(fp, bytes + i, i, size - i < BYTES_PER_LINE ? size - i : BYTES_PER_LINE);
	fputc('\n', fp);
}

void perf_record__fprintf_place(FILE *fp, const struct perf_event_attr *attr, const union perf_record *record,
				const struct perf_sample *id, u64 file_offset)
{
	if (attr->sample_type & PERF_SAMPLE_CPU)
		fprintf(fp, "%u ", id->cpu);
	if (attr->sample_type & PERF_SAMPLE_TIME)
		fprintf(fp, "%" PRIu64 " ", id->time);
	fprintf(fp, "%#" PRIx64 " [%#x]: ", file_offset, record->header.size);
}

void perf_record__fprintf_dump(FILE *fp, const struct perf_event_attr *attr, const union perf_record *record,
			       const struct perf_sample *id, u64 file_offset)
{
	perf_record__fprintf_place(fp, attr, record, id, file_offset);
	switch (record->header.type) { /* types that perf prints differently here */
	case PERF_RECORD_LOST:
		fprintf(fp, "PERF_RECORD_LOST: id:%" PRIu64 ": lost:%" PRIu64 "\n", record->lost.id, record->lost.lost);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		fprintf(fp, "PERF_RECORD_%s: unhandled!\n", perf_record__type_name(record->header.type));
		break;
	default:
		perf_record__fprintf(fp, record, id);
	}
}

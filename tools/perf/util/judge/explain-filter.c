// SPDX-License-Identifier: GPL-2.0
/* Prints the stages of a filter, and what its tests did. */
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include "util/judge/event-filter.h"
#include "util/lib/advice.h"

/* Instructions of the specialised program: its frame around the table, and each entry, measured with common terms. */
#define BASE_INSNS 56
#define ENTRY_INSNS 20

static void dump_sample_bits(u64 bits, FILE *fp)
{
	static const struct {
		u64 bit;
		const char *name;
	} names[] = {
		{ PERF_SAMPLE_IDENTIFIER, "IDENTIFIER" }, { PERF_SAMPLE_IP, "IP" }, { PERF_SAMPLE_TID, "TID" },
		{ PERF_SAMPLE_TIME, "TIME" }, { PERF_SAMPLE_ADDR, "ADDR" }, { PERF_SAMPLE_CPU, "CPU" },
		{ PERF_SAMPLE_PERIOD, "PERIOD" }, { PERF_SAMPLE_DATA_SRC, "DATA_SRC" },
		{ PERF_SAMPLE_TRANSACTION, "TRANSACTION" }, { PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
		{ PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" }, { PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
		{ PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	};
	const char *joint = "";
	unsigned int i;

	fputs("sample: ", fp);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (bits & names[i].bit) {
			fprintf(fp, "%s%s", joint, names[i].name);
			joint = "|";
		}
	}
	fputs(*joint ? "\n" : "nothing more\n", fp);
}

/* 0: unknown. */
static unsigned int count_insns(const struct bpf_filter *filter)
{
	struct bpf_prog_info info = { 0 };
	u32 size = sizeof(info);

	return bpf_obj_get_info_by_fd(bpf_filter__prog_fd(filter), &info, &size) ? 0 : info.xlated_prog_len / 8;
}

/* A shared program is the same for every table; the number of entries says how much of it runs. */
void event_filter__dump_engine(const struct event_filter *f, FILE *fp)
{
	unsigned int insns = 0, nr = f->table->nr;
	struct bpf_filter *filter;

	fprintf(fp, "engine: %s, %u entr%s", f->engine->name, nr, plural_y(nr));
	if (f->engine->own_program) {
		if (!bpf_filter__load(f->table, 1, &filter, NULL)) {
			insns = count_insns(filter);
			bpf_filter__delete(filter);
		}
		fprintf(fp, ", %s%u instructions", insns ? "" : "about ", insns ? insns : BASE_INSNS + ENTRY_INSNS * nr);
	}
	fputc('\n', fp);
}

void event_filter__dump(const struct event_filter *f, FILE *fp)
{
	if (f->tree)
		filter__dump(f->tree, fp);
	if (f->kernel)
		fprintf(fp, "engine: the kernel's event filter: %s\n", f->kernel);
	if (f->tp_table)
		filter_table__dump(f->tp_table, fp);
	if (f->table) {
		filter_table__dump(f->table, fp);
		dump_sample_bits(f->table->sample_type, fp);
	}
}

struct clause_counts {
	u64 tested;	   /* samples that reached it */
	u64 dropped, kept; /* its final verdicts; other samples went on to another test */
};

/* nr samples went from entry from (-1: the start) to target. */
static void count_way(const struct filter_table *table, struct clause_counts *counts, int from, unsigned int target, u64 nr)
{
	if (target == FILTER_ACCEPT)
		counts[table->clause[from]].kept += nr;
	else if (target == FILTER_REJECT)
		counts[table->clause[from]].dropped += nr;
	else if (from < 0 || table->clause[from] != table->clause[target])
		counts[table->clause[target]].tested += nr;
}

static void print_clauses(const struct filter *tree, const struct clause_counts *counts, FILE *fp)
{
	unsigned int i, len;
	const char *text;

	fprintf(fp, "%12s %12s %12s  %s\n", "tested", "dropped", "kept", "by the test");
	for (i = 0; i < FILTER_MAX_ENTRIES; i++) {
		text = filter__clause(tree, i, &len);
		if (len)
			fprintf(fp, "%12" PRIu64 " %12" PRIu64 " %12" PRIu64 "  %.*s\n", counts[i].tested, counts[i].dropped,
				counts[i].kept, (int)len, text);
	}
}

int event_filter__dump_clauses(const struct event_filter *f, FILE *fp, struct errmsg *err)
{
	struct clause_counts counts[FILTER_MAX_ENTRIES] = { { 0 } };
	struct filter_hits hits[FILTER_MAX_ENTRIES];
	const struct filter_table *table = f->table;
	struct filter_counts judged;
	unsigned int i;
	int ret = bpf_filter__hits(f->bpf, event_filter__mark(f), hits, err);

	if (ret == -ENODATA) {
		fprintf(fp, "(what each test did is not counted by a %s)\n", f->engine->name);
		return 0;
	}
	if (!ret)
		ret = event_filter__counts(f, &judged, err);
	if (ret)
		return ret;
	count_way(table, counts, -1, 0, hits[0].runs);
	for (i = 0; i < table->nr; i++) {
		count_way(table, counts, i, table->entry[i].jt, hits[i].taken);
		count_way(table, counts, i, table->entry[i].jf, hits[i].runs - hits[i].taken);
	}
	print_clauses(f->tree, counts, fp);
	if (judged.undecided)
		fprintf(fp, "(%llu sample%s %s tested as code of no file, since it was not known yet which file their code is in)\n",
			judged.undecided, plural(judged.undecided), were(judged.undecided));
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
#include "ui/dump/header.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/event/attr-print.h"
#include "util/lib/text.h"

#define LAST_FEATURE HEADER_CLN_SIZE /* of those that every perf has */

typedef void (*feature_print)(FILE *fp, const struct perfdata_features *f);

static void print_hostname(FILE *fp, const struct perfdata_features *f)
{
	fprintf(fp, "# hostname : %s\n", f->hostname);
}

static void print_osrelease(FILE *fp, const struct perfdata_features *f)
{
	fprintf(fp, "# os release : %s\n", f->osrelease);
}

static void print_version(FILE *fp, const struct perfdata_features *f)
{
	fprintf(fp, "# perf version : %s\n", f->version);
}

static void print_arch(FILE *fp, const struct perfdata_features *f)
{
	fprintf(fp, "# arch : %s\n", f->arch);
}

static void print_nrcpus(FILE *fp, const struct perfdata_features *f)
{
	fprintf(fp, "# nrcpus online : %u\n# nrcpus avail : %u\n", f->nrcpus_online, f->nrcpus_avail);
}

static void print_cpudesc(FILE *fp, const struct perfdata_features *f)
{
	fprintf(fp, "# cpudesc : %s\n", f->cpudesc);
}

static void print_cpuid(FILE *fp, const struct perfdata_features *f)
{
	fprintf(fp, "# cpuid : %s\n", f->cpuid);
}

static void print_total_mem(FILE *fp, const struct perfdata_features *f)
{
	fprintf(fp, "# total memory : %llu kB\n", (unsigned long long)f->total_mem);
}

static void print_cmdline(FILE *fp, const struct perfdata_features *f)
{
	fputs("# cmdline : ", fp);
	for (u32 i = 0; i < f->nr_cmdline; i++)
		fprintf(fp, "%s ", f->cmdline[i]);
	fputc('\n', fp);
}

/* attr__fprintf() writes "name: value", as in perf evlist -v; convert it to "name = value". */
static void print_attr(FILE *fp, const struct perfdata_event *event)
{
	char *text = NULL;
	size_t size;
	FILE *mem = open_memstream(&text, &size);

	if (!mem)
		return;
	attr__fprintf(mem, &event->attr, event->name);
	if (!text__close_stream(mem, &text)) {
		const char *rest = text, *colon;

		while ((colon = strstr(rest, ": "))) {
			fprintf(fp, "%.*s = ", (int)(colon - rest), rest);
			rest = colon + 2;
		}
		fputs(rest, fp);
	}
	free(text);
}

static void print_event_desc(FILE *fp, const struct perfdata_features *f)
{
	for (u32 i = 0; i < f->nr_event_desc; i++) {
		const struct perfdata_event *event = &f->event_desc[i];

		fprintf(fp, "# event : name = %s, ", event->name);
		for (u32 k = 0; k < event->nr_ids; k++)
			fprintf(fp, "%s %llu", k ? "," : ", id = {", (unsigned long long)event->ids[k]);
		fputs(event->nr_ids ? " }, " : ", ", fp);
		print_attr(fp, event);
		fputc('\n', fp);
	}
}

static void print_branch_stack(FILE *fp, const struct perfdata_features *f)
{
	fputs("# contains samples with branch stack\n", fp);
}

static void print_pmu_mappings(FILE *fp, const struct perfdata_features *f)
{
	fputs("# pmu mappings: ", fp);
	for (u32 i = 0; i < f->nr_pmu; i++)
		fprintf(fp, "%s%s = %u", i ? ", " : "", f->pmu[i].name, f->pmu[i].type);
	fputc('\n', fp);
}

static void print_groups(FILE *fp, const struct perfdata_features *f)
{
	for (u32 i = 0; i < f->nr_group; i++) {
		const struct perfdata_group *group = &f->group[i];

		fprintf(fp, "# group: %s{", strcmp(group->name, PERFDATA_ANON_GROUP) ? group->name : "");
		for (u32 k = group->leader; k < group->leader + group->nr_members && k < f->nr_event_desc; k++)
			fprintf(fp, "%s%s", k > group->leader ? "," : "", f->event_desc[k].name);
		fputs("}\n", fp);
	}
}

static void print_time(FILE *fp, const char *which, u64 ns)
{
	fprintf(fp, "# time of %s sample : %llu.%06llu\n", which, (unsigned long long)ns / 1000000000,
		(unsigned long long)ns % 1000000000 / 1000);
}

static void print_sample_time(FILE *fp, const struct perfdata_features *f)
{
	print_time(fp, "first", f->sample_time_first);
	print_time(fp, "last", f->sample_time_last);
	fprintf(fp, "# sample duration : %10.3f ms\n", (f->sample_time_last - f->sample_time_first) / 1e6);
}

static void print_clockid(FILE *fp, const struct perfdata_features *f)
{
	fprintf(fp, "# clockid frequency: %llu MHz\n", (unsigned long long)f->clockid_res_ns * 1000);
}

static void print_lists(FILE *fp, const char *what, char *const *lists, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		fprintf(fp, "# sibling %s : %s\n", what, lists[i]);
}

static void print_cpu_topology(FILE *fp, const struct perfdata_features *f)
{
	print_lists(fp, "sockets", f->core_siblings, f->nr_core_siblings);
	print_lists(fp, "dies   ", f->die_siblings, f->nr_die_siblings);
	print_lists(fp, "threads", f->thread_siblings, f->nr_thread_siblings);
	for (u32 i = 0; i < f->nr_cpu_topology; i++) {
		fprintf(fp, "# CPU %u: Core ID %u, ", i, f->cpu_topology[i].core_id);
		if (f->nr_die_siblings)
			fprintf(fp, "Die ID %u, ", f->cpu_topology[i].die_id);
		fprintf(fp, "Socket ID %u\n", f->cpu_topology[i].socket_id);
	}
}

static void print_numa(FILE *fp, const struct perfdata_features *f)
{
	for (u32 i = 0; i < f->nr_numa; i++) {
		const struct perfdata_numa_node *node = &f->numa[i];

		fprintf(fp, "# node%u meminfo  : total = %llu kB, free = %llu kB\n# node%u cpu list : %s\n", node->number,
			(unsigned long long)node->mem_total, (unsigned long long)node->mem_free, node->number, node->cpus);
	}
}

static void print_caches(FILE *fp, const struct perfdata_features *f)
{
	fputs("# CPU cache info:\n", fp);
	for (u32 i = 0; i < f->nr_cache; i++)
		fprintf(fp, "#  L%u %-15s %8s [%s]\n", f->cache[i].level, f->cache[i].type, f->cache[i].size, f->cache[i].cpus);
}

static bool has_bit(const struct perfdata_memory *m, u64 bit)
{
	return bit < m->nr_bits && m->bits[bit / 64] >> bit % 64 & 1;
}

/* Print "0-23,32-199"; returns their number. */
static u64 print_bits(FILE *fp, const struct perfdata_memory *m)
{
	u64 nr = 0;

	for (u64 bit = 0; bit < m->nr_bits; bit++) {
		u64 first = bit;

		if (!has_bit(m, bit))
			continue;
		while (has_bit(m, bit + 1))
			bit++;
		fprintf(fp, "%s%llu", nr ? "," : "", (unsigned long long)first);
		if (bit > first)
			fprintf(fp, "-%llu", (unsigned long long)bit);
		nr += bit - first + 1;
	}
	return nr;
}

static void print_memory_node(FILE *fp, const struct perfdata_memory *m, u64 block_size)
{
	const char *unit = "BKMG";
	char *blocks = NULL;
	size_t len;
	FILE *mem = open_memstream(&blocks, &len);
	u64 size;

	if (!mem)
		return;
	size = print_bits(mem, m) * block_size;
	if (!text__close_stream(mem, &blocks)) {
		for (; unit[1] && size / 1024 > 1; unit++)
			size /= 1024;
		fprintf(fp, "#  %3llu [%llu%c]: %s\n", (unsigned long long)m->node, (unsigned long long)size, *unit, blocks);
	}
	free(blocks);
}

static void print_memory(FILE *fp, const struct perfdata_features *f)
{
	fprintf(fp, "# memory nodes (nr %llu, block size 0x%llx):\n", (unsigned long long)f->nr_memory,
		(unsigned long long)f->memory_block_size);
	for (u64 i = 0; i < f->nr_memory; i++)
		print_memory_node(fp, &f->memory[i], f->memory_block_size);
}

static void print_e_machine(FILE *fp, const struct perfdata_features *f)
{
	fprintf(fp, "# e_machine : %u\n#   e_flags : %u\n", f->e_machine, f->e_flags);
}

static void print_cacheline(FILE *fp, const struct perfdata_features *f)
{
	fprintf(fp, "# cacheline size: %u\n", f->cacheline_size);
}

static void print_number(FILE *fp, const char *feature, const char *none, u32 nr)
{
	if (nr)
		fprintf(fp, "# %s info available, but not shown here\n", feature);
	else
		fputs(none, fp);
}

static void print_bpf_code(FILE *fp, const struct perfdata_features *f, const struct perfdata_bpf_program *program, u32 i)
{
	const struct perfdata_bpf_code *code = &program->code[i];
	char name[512];

	perfdata_bpf_program__name(f, program, i, name, sizeof(name));
	fprintf(fp, "%s addr 0x%llx size %u\n", name, (unsigned long long)code->addr, code->size);
}

static void print_bpf_program(FILE *fp, const struct perfdata_features *f, const struct perfdata_bpf_program *program)
{
	if (!program->nr_code)
		return;
	fprintf(fp, "# bpf_prog_info %u:%s", program->id, program->nr_code > 1 ? "\n" : " ");
	for (u32 i = 0; i < program->nr_code; i++) {
		if (program->nr_code > 1)
			fprintf(fp, "# \tsub_prog %u: ", i);
		print_bpf_code(fp, f, program, i);
	}
}

static void print_bpf_programs(FILE *fp, const struct perfdata_features *f)
{
	if (!f->nr_bpf_program)
		print_number(fp, "BPF_PROG_INFO", "# bpf_prog_info empty\n", f->nr_foreign_bpf);
	for (u32 i = 0; i < f->nr_bpf_program; i++)
		print_bpf_program(fp, f, &f->bpf_program[i]);
}

static void print_btf(FILE *fp, const struct perfdata_features *f)
{
	if (!f->nr_btf)
		print_number(fp, "BPF_BTF", "# btf info empty\n", f->nr_foreign_btf);
	for (u32 i = 0; i < f->nr_btf; i++)
		fprintf(fp, "# btf info of id %u\n", f->btf[i].id);
}

static void print_cpu_pmu_caps(FILE *fp, const struct perfdata_features *f)
{
	print_number(fp, "CPU_PMU_CAPS", "# cpu pmu capabilities: not available\n", f->nr_cpu_pmu_caps);
}

static void print_pmu_caps(FILE *fp, const struct perfdata_features *f)
{
	print_number(fp, "PMU_CAPS", "", f->nr_pmu_caps);
}

/* A feature without a row here and without no_text is listed by name. */
static const struct {
	feature_print print;
	bool is_long; /* only in the full form */
} rows[LAST_FEATURE + 1] = {
	[HEADER_HOSTNAME] = { print_hostname, false },
	[HEADER_OSRELEASE] = { print_osrelease, false },
	[HEADER_VERSION] = { print_version, false },
	[HEADER_ARCH] = { print_arch, false },
	[HEADER_NRCPUS] = { print_nrcpus, false },
	[HEADER_CPUDESC] = { print_cpudesc, false },
	[HEADER_CPUID] = { print_cpuid, false },
	[HEADER_TOTAL_MEM] = { print_total_mem, false },
	[HEADER_CMDLINE] = { print_cmdline, false },
	[HEADER_EVENT_DESC] = { print_event_desc, false },
	[HEADER_CPU_TOPOLOGY] = { print_cpu_topology, true },
	[HEADER_BRANCH_STACK] = { print_branch_stack, false },
	[HEADER_PMU_MAPPINGS] = { print_pmu_mappings, false },
	[HEADER_GROUP_DESC] = { print_groups, false },
	[HEADER_SAMPLE_TIME] = { print_sample_time, false },
	[HEADER_CLOCKID] = { print_clockid, false },
	[HEADER_NUMA_TOPOLOGY] = { print_numa, true },
	[HEADER_CACHE] = { print_caches, true },
	[HEADER_MEM_TOPOLOGY] = { print_memory, true },
	[HEADER_BPF_PROG_INFO] = { print_bpf_programs, false },
	[HEADER_BPF_BTF] = { print_btf, false },
	[HEADER_CPU_PMU_CAPS] = { print_cpu_pmu_caps, false },
	[HEADER_PMU_CAPS] = { print_pmu_caps, false },
	[HEADER_E_MACHINE] = { print_e_machine, false },
	[HEADER_CLN_SIZE] = { print_cacheline, false },
};

static const u64 no_text = 1ULL << HEADER_TRACING_DATA | 1ULL << HEADER_BUILD_ID;

static void print_feature(FILE *fp, const struct perfdata_features *f, int feature, bool full)
{
	if (rows[feature].print && (full || !rows[feature].is_long))
		rows[feature].print(fp, f);
	else if (rows[feature].print)
		fprintf(fp, "# %s info available, use -I to display\n", perfdata_feature__name(feature));
	else if (!(no_text >> feature & 1))
		fprintf(fp, "# %s info available, but not shown here\n", perfdata_feature__name(feature));
}

static void print_user_stacks(FILE *fp, const struct perfdata_features *f)
{
	const char *line = f->user_stacks, *end;

	for (; line && *line; line = end + (*end != '\0')) {
		end = strchrnul(line, '\n');
		fputs("# user stacks: ", fp);
		for (; line < end; line++)
			fputc(isprint((unsigned char)*line) ? *line : '?', fp);
		fputc('\n', fp);
	}
}

/* When the file was last written; that of a pipe is when its last bytes came. */
static void print_date(FILE *fp, const char *path)
{
	struct stat st;
	char date[32];

	if ((strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st)) || !ctime_r(&st.st_mtime, date))
		return;
	fprintf(fp, "# captured on    : %s", date);
}

void header__fprintf(FILE *fp, struct perfdata_reader *reader, const char *path, bool full)
{
	const struct perfdata_features *f = perfdata_reader__features(reader);
	u64 offset = perfdata_reader__data_offset(reader), size = perfdata_reader__data_size(reader);

	fputs("# ========\n", fp);
	print_date(fp, path);
	fprintf(fp, "# header version : 1\n# data offset    : %llu\n# data size      : %llu\n# feat offset    : %llu\n",
		(unsigned long long)offset, (unsigned long long)size, (unsigned long long)(offset + size));
	for (int i = HEADER_TRACING_DATA; i <= LAST_FEATURE; i++) {
		if (perfdata_features__has(f, i))
			print_feature(fp, f, i, full);
	}
	print_user_stacks(fp, f);
	fputs("# missing features: ", fp);
	for (int i = HEADER_TRACING_DATA; i <= LAST_FEATURE; i++) {
		if (!perfdata_features__has(f, i))
			fprintf(fp, "%s ", perfdata_feature__name(i));
	}
	fputs("\n# ========\n#\n", fp);
}

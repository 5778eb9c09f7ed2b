// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/text.h"
#include "util/perfdata/attr.h"
#include "util/perfdata/features.h"
#include "util/perfdata/section.h"
#include "util/perfdata/swap.h"

/*
 * One feature. encode returns 0, -ENOENT (nothing to write) or -EINVAL; it need not check errors of out. decode returns 0 or -errno
 * and may leave its members half filled: reset frees and zeroes them, and must cope with that.
 */
struct feature_row {
	const char *name;
	int (*encode)(const struct feature_row *row, const struct perfdata_features *f, FILE *out);
	int (*decode)(const struct feature_row *row, struct perfdata_features *f, struct section *s);
	void (*reset)(const struct feature_row *row, struct perfdata_features *f);
	size_t member; /* offset of the char * or u64 for rows with a single one */
};

static void free_strings(char **strings, u32 nr)
{
	for (u32 i = 0; strings && i < nr; i++)
		free(strings[i]);
	free(strings);
}

static void put_strings(FILE *out, char *const *strings, u32 nr)
{
	put_u32(out, nr);
	for (u32 i = 0; i < nr; i++)
		put_string(out, strings[i]);
}

/* *nr counts the valid strings, also after an error. */
static int take_strings(struct section *s, char ***strings, u32 *nr)
{
	u32 total;
	int err = section__u32(s, &total);

	if (!err)
		err = section__array(s, total, sizeof(u32), sizeof(char *), strings);
	for (*nr = 0; !err && *nr < total; ++*nr)
		err = section__string(s, &(*strings)[*nr]);
	return err;
}

/* HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID, USER_STACKS: one string */

static int encode_string(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	const char *string = *(char *const *)((const char *)f + row->member);

	if (!string)
		return -ENOENT;
	put_string(out, string);
	return 0;
}

static int decode_string(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	return section__string(s, (char **)((char *)f + row->member));
}

static void reset_string(const struct feature_row *row, struct perfdata_features *f)
{
	char **string = (char **)((char *)f + row->member);

	free(*string);
	*string = NULL;
}

/* TOTAL_MEM, CLOCKID: one number */

static int encode_u64(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	u64 value = *(const u64 *)((const char *)f + row->member);

	if (!value)
		return -ENOENT;
	put_u64(out, value);
	return 0;
}

static int decode_u64(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	return section__u64(s, (u64 *)((char *)f + row->member));
}

static void reset_u64(const struct feature_row *row, struct perfdata_features *f)
{
	*(u64 *)((char *)f + row->member) = 0;
}

/* TRACING_DATA */

static int encode_tracing(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	return tracing__encode(f, out);
}

static int decode_tracing(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	return tracing__decode(f, s);
}

static void reset_tracing(const struct feature_row *row, struct perfdata_features *f)
{
	tracing__reset(f);
}

/* BUILD_ID: entries in the form of a record, each with a padded file name */

#define BUILD_ID_NAME_ALIGN 64
#define BUILD_ID_HAS_SIZE (1 << 15) /* misc: `size` is valid; older files lack it and mean 20 */

struct build_id_entry {
	struct perf_event_header header;
	s32 pid;
	u8 data[20];
	u8 size;
	u8 reserved[3];
	char filename[];
};

static int encode_build_id(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	static const char padding[BUILD_ID_NAME_ALIGN];

	for (u32 i = 0; i < f->nr_build_id; i++) {
		const struct perfdata_build_id *b = &f->build_id[i];
		size_t len = strlen(b->filename) + 1, padded = ALIGN_UP(len, BUILD_ID_NAME_ALIGN);
		struct build_id_entry entry = {
			.header.misc = b->misc | BUILD_ID_HAS_SIZE,
			.header.size = sizeof(entry) + padded,
			.pid = b->pid,
			.size = b->id.size,
		};

		if (sizeof(entry) + padded > UINT16_MAX || b->id.size > sizeof(entry.data))
			return -EINVAL;
		memcpy(entry.data, b->id.data, b->id.size);
		fwrite(&entry, sizeof(entry), 1, out);
		fwrite(b->filename, len, 1, out);
		fwrite(padding, padded - len, 1, out);
	}
	return f->nr_build_id ? 0 : -ENOENT;
}

static int take_build_id(struct section *s, struct perfdata_build_id *b)
{
	struct build_id_entry entry;
	struct section name;
	int err = section__bytes(s, &entry, sizeof(entry));

	if (err)
		return err;
	if (s->swap) {
		swap__record_header(&entry.header);
		swap_u32(&entry.pid);
	}
	name = (struct section){ .p = s->p, .left = entry.header.size - sizeof(entry) };
	if (entry.header.size <= sizeof(entry) || name.left > s->left)
		return -EINVAL;
	b->pid = entry.pid;
	b->misc = entry.header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	b->id.size = entry.header.misc & BUILD_ID_HAS_SIZE ? entry.size : sizeof(entry.data);
	if (b->id.size > sizeof(b->id.data))
		return -EINVAL;
	memcpy(b->id.data, entry.data, b->id.size);
	s->p += name.left;
	s->left -= name.left;
	return section__cstring(&name, &b->filename);
}

static int decode_build_id(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	size_t least = sizeof(struct build_id_entry) + 1;
	size_t most = s->left / least;
	int err = section__array(s, most, least, sizeof(*f->build_id), &f->build_id);

	while (!err && s->left)
		err = f->nr_build_id < most ? take_build_id(s, &f->build_id[f->nr_build_id++]) : -EINVAL;
	return err;
}

static void reset_build_id(const struct feature_row *row, struct perfdata_features *f)
{
	for (u32 i = 0; i < f->nr_build_id; i++)
		free(f->build_id[i].filename);
	free(f->build_id);
	f->build_id = NULL;
	f->nr_build_id = 0;
}

/* NRCPUS */

static int encode_nrcpus(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	if (!f->nrcpus_avail)
		return -ENOENT;
	put_u32(out, f->nrcpus_avail);
	put_u32(out, f->nrcpus_online);
	return 0;
}

static int decode_nrcpus(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	return section__u32(s, &f->nrcpus_avail) ?: section__u32(s, &f->nrcpus_online);
}

static void reset_nrcpus(const struct feature_row *row, struct perfdata_features *f)
{
	f->nrcpus_avail = f->nrcpus_online = 0;
}

/* CMDLINE */

static int encode_cmdline(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	if (!f->nr_cmdline)
		return -ENOENT;
	put_strings(out, f->cmdline, f->nr_cmdline);
	return 0;
}

static int decode_cmdline(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	return take_strings(s, &f->cmdline, &f->nr_cmdline);
}

static void reset_cmdline(const struct feature_row *row, struct perfdata_features *f)
{
	free_strings(f->cmdline, f->nr_cmdline);
	f->cmdline = NULL;
	f->nr_cmdline = 0;
}

/* EVENT_DESC: count, size of an attr, then for each event attr, number of ids, name, ids */

static int encode_event_desc(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	size_t attr_size = perfdata_attr__file_size(f->event_desc, f->nr_event_desc);

	if (!f->nr_event_desc)
		return -ENOENT;
	put_u32(out, f->nr_event_desc);
	put_u32(out, attr_size);
	for (u32 i = 0; i < f->nr_event_desc; i++) {
		const struct perfdata_event *event = &f->event_desc[i];
		struct perf_event_attr attr = perfdata_attr__for_file(&event->attr, attr_size);

		fwrite(&attr, attr_size, 1, out);
		put_u32(out, event->nr_ids);
		put_string(out, event->name);
		fwrite(event->ids, sizeof(u64), event->nr_ids, out);
	}
	return 0;
}

static int take_event(struct section *s, u32 attr_size, struct perfdata_event *event)
{
	bool newer = false;
	u32 nr_ids;
	u8 *attr = malloc(attr_size ?: 1); /* the section was longer than that at its start */
	int err = attr ? section__bytes(s, attr, attr_size) : -ENOMEM;

	if (!err && s->swap)
		swap__attr(attr, attr_size);
	if (!err)
		err = perfdata_attr__from_file(&event->attr, attr, attr_size, &newer);
	free(attr);
	if (err)
		return err;
	err = section__u32(s, &nr_ids);
	if (!err)
		err = section__string(s, &event->name);
	if (!err)
		err = section__array(s, nr_ids, sizeof(u64), sizeof(u64), &event->ids);
	if (!err)
		err = section__u64s(s, event->ids, nr_ids);
	event->nr_ids = err ? 0 : nr_ids;
	return err;
}

static int decode_event_desc(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	u32 nr, attr_size;
	int err = section__u32(s, &nr) ?: section__u32(s, &attr_size);

	if (!err)
		err = section__array(s, nr, (size_t)attr_size + 2 * sizeof(u32), sizeof(*f->event_desc), &f->event_desc);
	while (!err && f->nr_event_desc < nr)
		err = take_event(s, attr_size, &f->event_desc[f->nr_event_desc++]);
	return err;
}

static void reset_event_desc(const struct feature_row *row, struct perfdata_features *f)
{
	for (u32 i = 0; i < f->nr_event_desc; i++) {
		free(f->event_desc[i].name);
		free(f->event_desc[i].ids);
	}
	free(f->event_desc);
	f->event_desc = NULL;
	f->nr_event_desc = 0;
}

/* CPU_TOPOLOGY: core and thread siblings, {core, socket} of each CPU; since 5.2 die siblings and the die of each CPU */

static int encode_topology(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	if (!f->nr_cpu_topology) /* siblings alone, as in the oldest files, are not written */
		return -ENOENT;
	if (f->nr_cpu_topology != f->nrcpus_avail)
		return -EINVAL; /* readers expect as many as NRCPUS says */
	put_strings(out, f->core_siblings, f->nr_core_siblings);
	put_strings(out, f->thread_siblings, f->nr_thread_siblings);
	for (u32 i = 0; i < f->nr_cpu_topology; i++) {
		put_u32(out, f->cpu_topology[i].core_id);
		put_u32(out, f->cpu_topology[i].socket_id);
	}
	if (!f->nr_die_siblings)
		return 0;
	put_strings(out, f->die_siblings, f->nr_die_siblings);
	for (u32 i = 0; i < f->nr_cpu_topology; i++)
		put_u32(out, f->cpu_topology[i].die_id);
	return 0;
}

static int take_cpus(struct perfdata_features *f, struct section *s)
{
	u32 nr = f->nrcpus_avail;
	int err = section__array(s, nr, 2 * sizeof(u32), sizeof(*f->cpu_topology), &f->cpu_topology);

	for (u32 i = 0; !err && i < nr; i++)
		err = section__u32(s, &f->cpu_topology[i].core_id) ?: section__u32(s, &f->cpu_topology[i].socket_id);
	if (!err)
		f->nr_cpu_topology = nr;
	return err;
}

static int decode_topology(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	int err = take_strings(s, &f->core_siblings, &f->nr_core_siblings);

	if (!err)
		err = take_strings(s, &f->thread_siblings, &f->nr_thread_siblings);
	if (err || !s->left) /* the oldest files end here */
		return err;
	err = take_cpus(f, s);
	if (err || !s->left)
		return err;
	err = take_strings(s, &f->die_siblings, &f->nr_die_siblings);
	for (u32 i = 0; !err && i < f->nr_cpu_topology; i++)
		err = section__u32(s, &f->cpu_topology[i].die_id);
	return err;
}

static void reset_topology(const struct feature_row *row, struct perfdata_features *f)
{
	free_strings(f->core_siblings, f->nr_core_siblings);
	free_strings(f->die_siblings, f->nr_die_siblings);
	free_strings(f->thread_siblings, f->nr_thread_siblings);
	free(f->cpu_topology);
	f->core_siblings = f->die_siblings = f->thread_siblings = NULL;
	f->nr_core_siblings = f->nr_die_siblings = f->nr_thread_siblings = 0;
	f->cpu_topology = NULL;
	f->nr_cpu_topology = 0;
}

/* Their presence says it all. BRANCH_STACK: samples have branch stacks; STAT: the file has counts */

static int encode_branch_stack(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	return perfdata_features__has(f, HEADER_BRANCH_STACK) ? 0 : -ENOENT;
}

static int encode_stat(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	return perfdata_features__has(f, HEADER_STAT) ? 0 : -ENOENT;
}

/* PMU_MAPPINGS */

static int encode_pmu(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	if (!f->nr_pmu)
		return -ENOENT;
	put_u32(out, f->nr_pmu);
	for (u32 i = 0; i < f->nr_pmu; i++) {
		put_u32(out, f->pmu[i].type);
		put_string(out, f->pmu[i].name);
	}
	return 0;
}

static int decode_pmu(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	u32 nr;
	int err = section__u32(s, &nr);

	if (!err)
		err = section__array(s, nr, 2 * sizeof(u32), sizeof(*f->pmu), &f->pmu);
	while (!err && f->nr_pmu < nr) {
		struct perfdata_pmu *pmu = &f->pmu[f->nr_pmu++];

		err = section__u32(s, &pmu->type) ?: section__string(s, &pmu->name);
	}
	return err;
}

static void reset_pmu(const struct feature_row *row, struct perfdata_features *f)
{
	for (u32 i = 0; i < f->nr_pmu; i++)
		free(f->pmu[i].name);
	free(f->pmu);
	f->pmu = NULL;
	f->nr_pmu = 0;
}

/* GROUP_DESC */

static int encode_group(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	if (!f->nr_group)
		return -ENOENT;
	put_u32(out, f->nr_group);
	for (u32 i = 0; i < f->nr_group; i++) {
		put_string(out, f->group[i].name);
		put_u32(out, f->group[i].leader);
		put_u32(out, f->group[i].nr_members);
	}
	return 0;
}

static int decode_group(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	u32 nr;
	int err = section__u32(s, &nr);

	if (!err)
		err = section__array(s, nr, 3 * sizeof(u32), sizeof(*f->group), &f->group);
	while (!err && f->nr_group < nr) {
		struct perfdata_group *g = &f->group[f->nr_group++];

		err = section__string(s, &g->name) ?: section__u32(s, &g->leader) ?: section__u32(s, &g->nr_members);
	}
	return err;
}

static void reset_group(const struct feature_row *row, struct perfdata_features *f)
{
	for (u32 i = 0; i < f->nr_group; i++)
		free(f->group[i].name);
	free(f->group);
	f->group = NULL;
	f->nr_group = 0;
}

/* SAMPLE_TIME */

static int encode_sample_time(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	if (!f->sample_time_last)
		return -ENOENT;
	put_u64(out, f->sample_time_first);
	put_u64(out, f->sample_time_last);
	return 0;
}

static int decode_sample_time(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	return section__u64(s, &f->sample_time_first) ?: section__u64(s, &f->sample_time_last);
}

static void reset_sample_time(const struct feature_row *row, struct perfdata_features *f)
{
	f->sample_time_first = f->sample_time_last = 0;
}

/* COMPRESSED */

#define COMPRESSED_VERSION 0 /* others write 0, and hotspot reads nothing else */

static int encode_compressed(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	if (!f->compressed.type)
		return -ENOENT;
	put_u32(out, COMPRESSED_VERSION);
	put_u32(out, f->compressed.type);
	put_u32(out, f->compressed.level);
	put_u32(out, f->compressed.ratio);
	put_u32(out, f->compressed.room);
	return 0;
}

static int decode_compressed(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	u32 version;

	return section__u32(s, &version) ?: section__u32(s, &f->compressed.type) ?: section__u32(s, &f->compressed.level) ?:
	       section__u32(s, &f->compressed.ratio) ?: section__u32(s, &f->compressed.room);
}

static void reset_compressed(const struct feature_row *row, struct perfdata_features *f)
{
	f->compressed = (struct perfdata_compressed){ 0 };
}

/* CLOCK_DATA */

#define CLOCK_DATA_VERSION 1

static int encode_clock_data(const struct feature_row *row, const struct perfdata_features *f, FILE *out)
{
	if (!f->clock_tod_ns)
		return -ENOENT;
	put_u32(out, CLOCK_DATA_VERSION);
	put_u32(out, f->clockid);
	put_u64(out, f->clock_tod_ns);
	put_u64(out, f->clock_ns);
	return 0;
}

static int decode_clock_data(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	u32 version;
	int err = section__u32(s, &version);

	if (!err && version != CLOCK_DATA_VERSION)
		return -EINVAL;
	return err ?: section__u32(s, &f->clockid) ?: section__u64(s, &f->clock_tod_ns) ?: section__u64(s, &f->clock_ns);
}

static void reset_clock_data(const struct feature_row *row, struct perfdata_features *f)
{
	f->clockid = 0;
	f->clock_tod_ns = f->clock_ns = 0;
}

/* NUMA_TOPOLOGY, CACHE, MEM_TOPOLOGY: features-system.c; BPF_PROG_INFO, BPF_BTF: features-bpf.c */

#define SYSTEM_FUNCTIONS(what)                                                                              \
	static int decode_##what(const struct feature_row *row, struct perfdata_features *f, struct section *s) \
	{                                                                                                   \
		return what##__decode(f, s);                                                                \
	}                                                                                                   \
	static void reset_##what(const struct feature_row *row, struct perfdata_features *f)                \
	{                                                                                                   \
		what##__reset(f);                                                                           \
	}
#define ENCODE_SYSTEM(what)                                                                                        \
	static int encode_##what(const struct feature_row *row, const struct perfdata_features *f, FILE *out) \
	{                                                                                                     \
		return what##__encode(f, out);                                                                \
	}
ENCODE_SYSTEM(numa)
ENCODE_SYSTEM(cache)
ENCODE_SYSTEM(memory)
SYSTEM_FUNCTIONS(numa)
SYSTEM_FUNCTIONS(cache)
SYSTEM_FUNCTIONS(memory)
SYSTEM_FUNCTIONS(bpf_programs)
SYSTEM_FUNCTIONS(btf)

/* E_MACHINE */

static int decode_machine(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	return section__u32(s, &f->e_machine) ?: section__u32(s, &f->e_flags);
}

static void reset_machine(const struct feature_row *row, struct perfdata_features *f)
{
	f->e_machine = f->e_flags = 0;
}

/* CLN_SIZE; for other features only the count at their beginning */

static int decode_u32(const struct feature_row *row, struct perfdata_features *f, struct section *s)
{
	return section__u32(s, (u32 *)((char *)f + row->member));
}

static void reset_u32(const struct feature_row *row, struct perfdata_features *f)
{
	*(u32 *)((char *)f + row->member) = 0;
}

#define NUMBER_ROW(feature, m)                                                            \
	[HEADER_##feature] = { .name = #feature, .decode = decode_u32, .reset = reset_u32, \
			       .member = offsetof(struct perfdata_features, m) }
#define READ_ROW(feature, what) [HEADER_##feature] = { .name = #feature, .decode = decode_##what, .reset = reset_##what }
#define ROW(feature, what) \
	[HEADER_##feature] = { .name = #feature, .encode = encode_##what, .decode = decode_##what, .reset = reset_##what }
#define MEMBER_ROW(feature, what, m)                                                                              \
	[HEADER_##feature] = { .name = #feature, .encode = encode_##what, .decode = decode_##what, .reset = reset_##what, \
			       .member = offsetof(struct perfdata_features, m) }
#define NAME_ROW(feature) [HEADER_##feature] = { .name = #feature }

static const struct feature_row rows[] = {
	ROW(TRACING_DATA, tracing),
	ROW(BUILD_ID, build_id),
	MEMBER_ROW(HOSTNAME, string, hostname),
	MEMBER_ROW(OSRELEASE, string, osrelease),
	MEMBER_ROW(VERSION, string, version),
	MEMBER_ROW(ARCH, string, arch),
	ROW(NRCPUS, nrcpus),
	MEMBER_ROW(CPUDESC, string, cpudesc),
	MEMBER_ROW(CPUID, string, cpuid),
	MEMBER_ROW(TOTAL_MEM, u64, total_mem),
	ROW(CMDLINE, cmdline),
	ROW(EVENT_DESC, event_desc),
	ROW(CPU_TOPOLOGY, topology),
	ROW(NUMA_TOPOLOGY, numa),
	[HEADER_BRANCH_STACK] = { .name = "BRANCH_STACK", .encode = encode_branch_stack },
	ROW(PMU_MAPPINGS, pmu),
	ROW(GROUP_DESC, group),
	NAME_ROW(AUXTRACE),
	[HEADER_STAT] = { .name = "STAT", .encode = encode_stat },
	ROW(CACHE, cache),
	ROW(SAMPLE_TIME, sample_time),
	ROW(MEM_TOPOLOGY, memory),
	MEMBER_ROW(CLOCKID, u64, clockid_res_ns),
	NAME_ROW(DIR_FORMAT),
	READ_ROW(BPF_PROG_INFO, bpf_programs),
	READ_ROW(BPF_BTF, btf),
	ROW(COMPRESSED, compressed),
	NUMBER_ROW(CPU_PMU_CAPS, nr_cpu_pmu_caps),
	ROW(CLOCK_DATA, clock_data),
	NAME_ROW(HYBRID_TOPOLOGY),
	NUMBER_ROW(PMU_CAPS, nr_pmu_caps),
	NAME_ROW(CPU_DOMAIN_INFO),
	READ_ROW(E_MACHINE, machine),
	NUMBER_ROW(CLN_SIZE, cacheline_size),
	MEMBER_ROW(USER_STACKS, string, user_stacks),
};

static const struct feature_row *feature_row(int feature)
{
	return feature > 0 && (size_t)feature < ARRAY_SIZE(rows) && rows[feature].name ? &rows[feature] : NULL;
}

const char *perfdata_feature__name(int feature)
{
	const struct feature_row *row = feature_row(feature);

	return row ? row->name : NULL;
}

void perfdata_features__exit(struct perfdata_features *features)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].reset)
			rows[i].reset(&rows[i], features);
	}
	memset(features->present, 0, sizeof(features->present));
}

int perfdata_features__encode(const struct perfdata_features *features, int feature, void **body, size_t *size)
{
	const struct feature_row *row = feature_row(feature);
	char *text = NULL;
	FILE *out;
	int err;

	if (!row || !row->encode)
		return -ENOENT;
	out = open_memstream(&text, size);
	if (!out)
		return -ENOMEM;
	err = row->encode(row, features, out);
	err = text__close_stream(out, &text) ?: err;
	if (err)
		free(text);
	else
		*body = text;
	return err;
}

int perfdata_features__decode(struct perfdata_features *features, int feature, const void *body, size_t size,
			      bool swap, struct errmsg *err)
{
	const struct feature_row *row = feature_row(feature);
	struct section s = { body, size, swap };
	int ret = 0;

	if (feature <= 0 || feature >= HEADER_FEAT_BITS)
		return errmsg__set(err, EINVAL, "There is no feature %d", feature);
	if (perfdata_features__has(features, feature))
		return errmsg__set(err, EINVAL, "Feature %s is there twice", row ? row->name : "unknown");
	if (row && row->decode)
		ret = row->decode(row, features, &s);
	if (ret) {
		row->reset(row, features);
		return errmsg__set(err, -ret, "The file's %s section (%zu bytes) is %s", row->name, size,
				   ret == -ENOMEM ? "too large for the memory" : "malformed");
	}
	features->present[feature / 64] |= 1ULL << feature % 64;
	return 0;
}

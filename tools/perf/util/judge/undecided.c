// SPDX-License-Identifier: GPL-2.0
/*
 * A program sends what it could not judge before the kernel writes the sample. So after reading the programs' rings, the verdicts
 * are known for all samples that were visible in their rings before.
 */
#include "util/judge/undecided.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/bpf/ring.h"
#include "util/lib/array.h"
#include "util/lib/fs.h"
#include "util/lib/hash.h"
#include "util/synth/proc-maps.h"

/* Limit of verdicts that wait for their samples; the kernel may have lost the samples. */
#define MAX_REJECTED 65536

struct sample_key {
	u64 id; /* 0: samples have no id, as there is only one event */
	u64 time;
	u64 tid;
};

struct program {
	const struct bpf_filter *filter;
	const struct filter_table *table;
	struct bpf_ring ring;
	struct undecided_counts *counts; /* one per event */
};

struct rejected {
	struct sample_key key;
	struct undecided_counts *counts;
	UT_hash_handle hh;
};

struct process_maps { /* cache of one process's maps, for samples in a row */
	u64 pid; /* 0: empty */
	struct fs_text text;
	struct proc_map *map;
	unsigned int nr;
};

struct undecided {
	bool finds_samples;
	bool has_id; /* samples begin with their id */
	struct program **program;
	unsigned int nr;
	struct rejected *rejected; /* oldest first */
	struct process_maps maps;
};

struct undecided *undecided__new(const struct evlist *evlist)
{
	const u64 all = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME, place = all | PERF_SAMPLE_IDENTIFIER;
	const u64 first = evlist->evsel[0]->attr.sample_type & place;
	struct undecided *u = calloc(1, sizeof(*u));
	unsigned int i;

	if (!u)
		return NULL;
	u->has_id = first & PERF_SAMPLE_IDENTIFIER;
	u->finds_samples = (first & all) == all && (u->has_id || evlist->nr == 1);
	for (i = 0; i < evlist->nr; i++)
		u->finds_samples &= (evlist->evsel[i]->attr.sample_type & place) == first;
	return u;
}

static void program__delete(struct program *p)
{
	if (!p)
		return;
	bpf_ring__unmap(&p->ring);
	free(p->counts);
	free(p);
}

static int out_of_memory(struct errmsg *err)
{
	return errmsg__set(err, ENOMEM, "out of memory for samples that the filter's program could not judge");
}

int undecided__add(struct undecided *u, const struct bpf_filter *filter, const struct filter_table *table, struct errmsg *err)
{
	struct program *p;
	int ret;

	if (array__extend(u->program, u->nr))
		return out_of_memory(err);
	p = calloc(1, sizeof(*p));
	if (!p)
		return out_of_memory(err);
	p->filter = filter;
	p->table = table;
	p->counts = calloc(bpf_filter__nr_events(filter), sizeof(*p->counts));
	ret = p->counts ? bpf_ring__map(&p->ring, bpf_filter__undecided_fd(filter), FILTER_UNDECIDED_RING, err) : out_of_memory(err);
	if (ret)
		program__delete(p);
	else
		u->program[u->nr++] = p;
	return ret;
}

/* The file that contains the code */

static void process_maps__forget(struct process_maps *m)
{
	free(m->map);
	m->map = NULL;
	m->nr = 0;
	m->pid = 0;
}

static unsigned int count_lines(const char *text)
{
	unsigned int nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr + 1;
}

static bool process_maps__read(struct process_maps *m, u64 pid)
{
	char path[64], *at;
	int ret;

	if (m->pid == pid)
		return true;
	process_maps__forget(m);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	if (fs_text__read(&m->text, AT_FDCWD, path))
		return false;
	m->map = calloc(count_lines(m->text.text), sizeof(*m->map));
	if (!m->map)
		return false;
	m->pid = pid;
	for (at = m->text.text; (ret = proc_map__next(&at, &m->map[m->nr]));)
		m->nr += ret > 0;
	return true;
}

static const struct proc_map *process_maps__find(const struct process_maps *m, u64 ip)
{
	for (unsigned int i = 0; i < m->nr; i++) {
		if (ip >= m->map[i].start && ip < m->map[i].end)
			return &m->map[i];
	}
	return NULL;
}

/* As in the program: the kernel knows a file by its last name, even if it was deleted. */
static void set_file(struct filter_sample *sample, const struct proc_map *map)
{
	static const char deleted[] = " (deleted)";
	const char *name = strrchr(map->name, '/');
	size_t len;

	if (!map->ino)
		return;
	name = name ? name + 1 : map->name;
	len = strlen(name);
	if (len >= strlen(deleted) && !strcmp(name + len - strlen(deleted), deleted))
		len -= strlen(deleted);
	if (len > sizeof(sample->file) - 1)
		len = sizeof(sample->file) - 1;
	memcpy(sample->file, name, len);
	sample->value[FILTER_TERM_FILE_DEV] = (u64)map->maj << 20 | map->min;
	sample->value[FILTER_TERM_FILE_INO] = map->ino;
	sample->value[FILTER_TERM_FILE_OFFSET] = sample->value[FILTER_TERM_IP] - map->start + map->pgoff;
}

/* Verdicts */

/* Without memory the sample stays. */
static void undecided__reject(struct undecided *u, const struct sample_key *key, struct undecided_counts *counts)
{
	struct rejected *r = calloc(1, sizeof(*r)), *oldest = u->rejected;

	if (!r)
		return;
	r->key = *key;
	r->counts = counts;
	HASH_ADD(hh, u->rejected, key, sizeof(r->key), r);
	if (!hash_added(r)) {
		free(r);
		return;
	}
	if (HASH_COUNT(u->rejected) > MAX_REJECTED) {
		HASH_DEL(u->rejected, oldest);
		free(oldest);
	}
}

static void undecided__judge_one(struct undecided *u, struct program *p, const struct filter_undecided *sent)
{
	struct filter_sample sample = { .sample_flags = sent->sample_flags };
	struct undecided_counts *counts = &p->counts[sent->event];
	const struct sample_key key = {
		.id = u->has_id ? sent->value[FILTER_TERM_ID] : 0,
		.time = sent->value[FILTER_TERM_TIME],
		.tid = sent->value[FILTER_TERM_TID],
	};
	const struct proc_map *map;

	if (!process_maps__read(&u->maps, sent->value[FILTER_TERM_PID]))
		return;
	map = process_maps__find(&u->maps, sent->value[FILTER_TERM_IP]);
	if (!map)
		return;
	memcpy(sample.value, sent->value, sizeof(sent->value));
	memcpy(sample.cgroup_at, sent->cgroup_at, sizeof(sent->cgroup_at));
	set_file(&sample, map);
	if (filter_table__eval(p->table, &sample))
		counts->kept++;
	else
		undecided__reject(u, &key, counts);
}

struct judging {
	struct undecided *u;
	struct program *program;
};

static int take_sent(void *data, const void *records, size_t size)
{
	const struct judging *j = data;
	const char *at = records, *end = at + size;

	for (; at < end; at += ((const struct perf_event_header *)at)->size) {
		const struct filter_undecided *sent = (const void *)at;

		if (sent->size != sizeof(*sent) || sent->event >= bpf_filter__nr_events(j->program->filter))
			return -EIO;
		undecided__judge_one(j->u, j->program, sent);
	}
	return 0;
}

static int undecided__judge_program(struct undecided *u, struct program *p)
{
	struct judging judging = { u, p };
	int ret = bpf_ring__drain_all(&p->ring, take_sent, &judging);

	process_maps__forget(&u->maps);
	return ret;
}

int undecided__judge(struct undecided *u)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < u->nr && u->finds_samples && !ret; i++)
		ret = undecided__judge_program(u, u->program[i]);
	return ret;
}

/* Samples */

/* true, once: the record is a rejected sample. */
static bool undecided__takes_out(struct undecided *u, const struct perf_event_header *header)
{
	/* [identifier,] ip, pid and tid, time: see undecided__new() */
	const u64 *value = (const u64 *)(header + 1);
	struct sample_key key = { 0 };
	struct rejected *r;

	if (header->type != PERF_RECORD_SAMPLE || header->size < sizeof(*header) + (3 + u->has_id) * sizeof(u64))
		return false;
	if (u->has_id)
		key.id = *value++;
	key.tid = value[1] >> 32;
	key.time = value[2];
	HASH_FIND(hh, u->rejected, &key, sizeof(key), r);
	if (!r)
		return false;
	r->counts->dropped++;
	HASH_DEL(u->rejected, r);
	free(r);
	return true;
}

int undecided__sift(struct undecided *u, const void *records, size_t size, int (*cb)(void *data, const void *records, size_t size),
		    void *data)
{
	const char *from = records, *at = records, *end = at + size;
	int ret = undecided__judge(u);

	while (at < end && u->rejected && ret >= 0) {
		const struct perf_event_header *header = (const void *)at;

		if (header->size < sizeof(*header) || header->size > end - at)
			return -EIO;
		if (undecided__takes_out(u, header)) {
			ret = at > from ? cb(data, from, at - from) : 0;
			from = at + header->size;
		}
		at += header->size;
	}
	return ret >= 0 && from < end ? cb(data, from, end - from) : ret;
}

struct undecided_counts undecided__counts(const struct undecided *u, const struct bpf_filter *filter, u32 event)
{
	for (unsigned int i = 0; i < u->nr; i++) {
		if (u->program[i]->filter == filter)
			return u->program[i]->counts[event];
	}
	return (struct undecided_counts){ 0 };
}

void undecided__delete(struct undecided *u)
{
	struct rejected *r, *tmp;
	unsigned int i;

	if (!u)
		return;
	HASH_ITER(hh, u->rejected, r, tmp) {
		HASH_DEL(u->rejected, r);
		free(r);
	}
	for (i = 0; i < u->nr; i++)
		program__delete(u->program[i]);
	process_maps__forget(&u->maps);
	fs_text__exit(&u->maps.text);
	free(u->program);
	free(u);
}

// SPDX-License-Identifier: GPL-2.0
#include "util/record/counted-samples.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "util/bpf_skel/unwind-sample.h"
#include "util/lib/hash.h"
#include "util/perfdata/key-texts.h"
#include "util/perfdata/sample.h"
#include "util/perfdata/wall-state.h"
#include "util/source/lock-types.h"
#include "util/source/tally-values.h"
#include "util/source/value-names.h"

/* Sample types that the sample_id tail of the kernel's records contains, so they must stay as the event was opened. */
#define TAIL_TYPES (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

#define TALLY_TEXT_LEN 256 /* of a value: functions have the longest names */
#define WRITE_RUN (128 << 10) /* larger than any record */

struct counted_event {
	u64 id;
	struct perf_event_attr attr;
};

/*
 * Stands for a command if the key has no thread. Readers show the thread's name at that time, so each command gets a thread of its
 * own, with a number that the kernel never uses (PID_MAX_LIMIT, include/linux/threads.h).
 */
struct stand_in {
	UT_hash_handle hh;
	struct stand_in_key {
		u32 pid;
		char comm[16];
	} key;
	u32 tid;
	size_t name; /* in .place, where its name is recorded; NO_PLACE: in a round before */
	const struct counted_event *event; /* the name is a record of this one */
};

#define NO_PLACE SIZE_MAX
#define FIRST_STAND_IN (1U << 30)
static const char ALL_COMMANDS[16] = "[all]"; /* for places in files, which need a process */

/* A file that is mapped in the process of a stand-in, where the numbers of places in it are addresses */
struct mapping {
	UT_hash_handle hh;
	struct {
		u32 tid, file;
	} key;
};

struct place { /* of a record in the buffer */
	u64 time;
	size_t offset;
};

struct counted_samples {
	const struct tally_opts *opts;
	struct counted_totals totals;
	const struct counted_event *current; /* event of the current key */
	/* the current round */
	char *buffer;
	size_t used, size;
	struct place *place;
	size_t nr_places, alloc_places;
	u64 *chain; /* callchain of the current key */
	size_t alloc_chain;
	char text[TALLY_MAX_VALUES][TALLY_TEXT_LEN];
	void *raw; /* of the current key, if it has values that users name */
	struct stand_in *stand_ins; /* from all rounds, or with opts->anew from this one */
	u32 last_stand_in; /* number of the last one; 0: none yet */
	struct mapping *mappings;
	const struct unwind_files *files; /* for by_file */
	struct unwind_named_file names; /* of interpreters' functions, for the same; without a name: there is none */
	struct counted_event event[];
};

struct counted_samples *counted_samples__new(const struct tally_opts *opts, unsigned int nr_events)
{
	struct counted_samples *c = calloc(1, sizeof(*c) + nr_events * sizeof(c->event[0]));

	if (!c)
		return NULL;
	c->opts = opts;
	return c;
}

static void forget_stand_ins(struct counted_samples *c)
{
	struct stand_in *s, *tmp;
	struct mapping *m, *next;

	HASH_ITER(hh, c->mappings, m, next) {
		HASH_DEL(c->mappings, m);
		free(m);
	}
	HASH_ITER(hh, c->stand_ins, s, tmp) {
		HASH_DEL(c->stand_ins, s);
		free(s);
	}
}

void counted_samples__delete(struct counted_samples *c)
{
	if (!c)
		return;
	forget_stand_ins(c);
	free(c->buffer);
	free(c->place);
	free(c->chain);
	free(c->raw);
	free(c);
}

static bool names_values(const struct tally_opts *opts)
{
	return opts->exprs && opts->exprs->nr;
}

void counted_samples__describe(struct counted_samples *c, unsigned int event, u64 id, struct perf_event_attr *attr)
{
	unsigned int key = c->opts->key;
	const bool has_state = attr->type == PERF_TYPE_SOFTWARE && attr->sample_type & PERF_SAMPLE_RAW; /* wall-clock time */

	/* Raw data: counted samples lack the fields of a tracepoint's format, which readers would look for. */
	if (names_values(c->opts)) {
		attr->type = PERF_TYPE_TRACEPOINT;
		attr->config = KEY_TEXTS_ID;
	} else if (attr->type == PERF_TYPE_TRACEPOINT) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_BPF_OUTPUT;
	}
	attr->sample_type &= TAIL_TYPES;
	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT;
	if (key & (TALLY_KEY_KSTACK | TALLY_KEY_USTACK))
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (key & (TALLY_KEY_UID | TALLY_KEY_LOCK_TYPE) || has_state || names_values(c->opts))
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (key & TALLY_KEY_LOCK)
		attr->sample_type |= PERF_SAMPLE_ADDR;
	if (key & TALLY_KEY_CGROUP)
		attr->sample_type |= PERF_SAMPLE_CGROUP;
	c->event[event] = (struct counted_event){ .id = id, .attr = *attr };
}

/* Make room for `need` elements. Keeps the size for the next round. */
static void *grow(void *array, size_t *alloc, size_t need, size_t element)
{
	size_t size = *alloc ? *alloc : 256;
	void *grown;

	if (need <= *alloc)
		return array;
	while (size < need)
		size *= 2;
	grown = reallocarray(array, size, element);
	if (grown)
		*alloc = size;
	return grown;
}

static int add_frames(struct counted_samples *c, struct perf_sample *sample, u64 context, const u64 *frames, u32 nr)
{
	u64 *chain;

	if (!nr)
		return 0;
	chain = grow(c->chain, &c->alloc_chain, sample->nr_callchain + 1 + nr, sizeof(*chain));
	if (!chain)
		return -ENOMEM;
	c->chain = chain;
	chain[sample->nr_callchain++] = context;
	memcpy(chain + sample->nr_callchain, frames, nr * sizeof(*frames));
	sample->nr_callchain += nr;
	return 0;
}

/* Place of the samples, as the kernel would set it: the innermost frame. Keys without one have no place. */
static void set_place(struct perf_sample *sample, const struct tally_row *row, unsigned int key)
{
	if (key & TALLY_KEY_IP) {
		sample->ip = row->ip;
		sample->misc |= row->cpumode;
	} else if (row->nr_kstack) {
		sample->ip = row->kstack[0];
		sample->misc |= PERF_RECORD_MISC_KERNEL;
	} else if (row->nr_ustack) {
		sample->ip = row->ustack[0];
		sample->misc |= PERF_RECORD_MISC_USER;
	}
}

/* Allocate a record with that time; NULL: out of memory. */
static void *append(struct counted_samples *c, u64 time, size_t size)
{
	struct place *place;
	char *buffer;

	buffer = grow(c->buffer, &c->size, c->used + size, 1);
	if (!buffer)
		return NULL;
	c->buffer = buffer;
	place = grow(c->place, &c->alloc_places, c->nr_places + 1, sizeof(*place));
	if (!place)
		return NULL;
	c->place = place;
	place[c->nr_places++] = (struct place){ time, c->used };
	c->used += size;
	return buffer + c->used - size;
}

static int append_sample(struct counted_samples *c, const struct perf_sample *sample)
{
	size_t size = perf_sample__size(&c->current->attr, sample);
	void *record = size > PERF_RECORD_MAX_SIZE ? NULL : append(c, sample->time, size);

	if (!record)
		return size > PERF_RECORD_MAX_SIZE ? -EOVERFLOW : -ENOMEM;
	perf_sample__encode(record, &c->current->attr, sample);
	return 0;
}

/*
 * Its time is that of the first sample under this name, so that a process that began in this round has its maps by then: readers take the
 * thread's from there. A process of its own comes before all samples, at 0.
 */
static int append_comm(struct counted_samples *c, struct stand_in *s, u32 pid, u64 time)
{
	const struct perf_event_attr *attr = &c->current->attr;
	const struct perf_sample tail = { .pid = pid, .tid = s->tid, .id = c->current->id, .time = time };
	size_t body = sizeof(struct record_comm) + sizeof(s->key.comm), size = body + sample_id__size(attr);
	struct record_comm *record = append(c, time, size);

	if (!record)
		return -ENOMEM;
	s->name = c->nr_places - 1;
	s->event = c->current;
	*record = (struct record_comm){ .header = { PERF_RECORD_COMM, 0, size }, .pid = pid, .tid = s->tid };
	memcpy(record->comm, s->key.comm, sizeof(s->key.comm));
	sample_id__encode((char *)record + body, attr, &tail);
	return 0;
}

/* Rows come in any order. */
static void name_earlier(struct counted_samples *c, struct stand_in *s, u32 pid, u64 time)
{
	const struct perf_sample tail = { .pid = pid, .tid = s->tid, .id = s->event->id, .time = time };

	if (s->name == NO_PLACE || c->place[s->name].time <= time)
		return;
	c->place[s->name].time = time;
	sample_id__encode(c->buffer + c->place[s->name].offset + sizeof(struct record_comm) + sizeof(s->key.comm), &s->event->attr, &tail);
}

#define NAMES_ID 0 /* no file has that */

/* The whole file, at the address of its first place */
static int append_mmap(struct counted_samples *c, u32 tid, u32 id, const struct unwind_named_file *file)
{
	const struct perf_event_attr *attr = &c->current->attr;
	const struct perf_sample tail = { .pid = tid, .tid = tid, .id = c->current->id };
	const size_t name = ALIGN_UP(strlen(file->name) + 1, 8), body = sizeof(struct record_mmap2) + name, size = body + sample_id__size(attr);
	struct record_mmap2 *record = append(c, 0, size);

	if (!record)
		return -ENOMEM;
	memset(record, 0, body);
	record->header = (struct perf_event_header){ PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, size };
	record->pid = record->tid = tid;
	record->start = id == NAMES_ID ? INTERP_BASE : UNWIND_PLACE | (u64)id << UNWIND_PLACE_BITS;
	record->len = ALIGN_UP(file->size, 4096);
	record->prot = PROT_READ | PROT_EXEC;
	record->flags = MAP_PRIVATE;
	if (file->build_id.size) {
		record->header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		record->build_id_size = file->build_id.size;
		memcpy(record->build_id, file->build_id.data, sizeof(record->build_id));
	}
	strcpy(record->filename, file->name);
	sample_id__encode((char *)record + body, attr, &tail);
	return 0;
}

/* NULL: it has no name. */
static const struct unwind_named_file *find_file(const struct counted_samples *c, u32 id)
{
	if (id == NAMES_ID)
		return c->names.name ? &c->names : NULL;
	return unwind_files__find(c->files, id);
}

static int map_file(struct counted_samples *c, u32 tid, u32 id)
{
	const struct unwind_named_file *file = find_file(c, id);
	struct mapping wanted = { .key = { tid, id } }, *m;

	HASH_FIND(hh, c->mappings, &wanted.key, sizeof(wanted.key), m);
	if (m || !file)
		return 0;
	m = malloc(sizeof(*m));
	if (!m)
		return -ENOMEM;
	*m = wanted;
	HASH_ADD(hh, c->mappings, key, sizeof(m->key), m);
	if (hash_added(m))
		return append_mmap(c, tid, id, file);
	free(m);
	return -ENOMEM;
}

/* Map the files of a stack's places. */
static int map_files(struct counted_samples *c, u32 tid, const struct tally_row *row)
{
	int ret = 0;

	for (u32 i = 0; i < row->nr_ustack && c->files && !ret; i++) {
		if (row->ustack[i] & UNWIND_PLACE)
			ret = map_file(c, tid, (row->ustack[i] & ~UNWIND_PLACE) >> UNWIND_PLACE_BITS);
		else if (row->ustack[i] - INTERP_BASE < INTERP_MAX_BYTES)
			ret = map_file(c, tid, NAMES_ID);
	}
	return ret;
}

void counted_samples__set_names(struct counted_samples *c, const struct interp_names *names)
{
	c->names = (struct unwind_named_file){ .name = INTERP_NAMES_PATH, .size = INTERP_MAX_BYTES, .build_id = *interp_names__id(names) };
}

void counted_samples__set_files(struct counted_samples *c, const struct unwind_files *files)
{
	c->files = files;
}

/* A number comes again after three thousand million others, and -1 never. */
static u32 next_stand_in(struct counted_samples *c)
{
	c->last_stand_in = c->last_stand_in < FIRST_STAND_IN || c->last_stand_in == -2U ? FIRST_STAND_IN : c->last_stand_in + 1;
	return c->last_stand_in;
}

static int make_stand_in(struct counted_samples *c, const struct stand_in_key *key, bool own_process, u64 time, struct stand_in **sp)
{
	struct stand_in *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->key = *key;
	s->tid = next_stand_in(c);
	HASH_ADD(hh, c->stand_ins, key, sizeof(s->key), s);
	if (!hash_added(s)) {
		free(s);
		return -ENOMEM;
	}
	*sp = s;
	return append_comm(c, s, own_process ? s->tid : key->pid, own_process ? 0 : time);
}

/* The thread under which readers show a key. */
static int set_task(struct counted_samples *c, struct perf_sample *sample, const struct tally_row *row)
{
	unsigned int key = c->opts->key;
	struct stand_in_key wanted = { .pid = row->pid };
	struct stand_in *s;
	int ret = 0;

	sample->pid = key & TALLY_KEY_PID ? row->pid : -1U;
	sample->tid = key & TALLY_KEY_TID ? row->tid : sample->pid;
	if ((!(key & TALLY_KEY_COMM) && !c->opts->by_file) || key & TALLY_KEY_TID)
		return 0;
	memcpy(wanted.comm, key & TALLY_KEY_COMM ? row->comm : ALL_COMMANDS, sizeof(wanted.comm) - 1);
	HASH_FIND(hh, c->stand_ins, &wanted, sizeof(wanted), s);
	if (!s)
		ret = make_stand_in(c, &wanted, !(key & TALLY_KEY_PID), row->last_time, &s);
	if (ret)
		return ret;
	sample->tid = s->tid;
	if (!(key & TALLY_KEY_PID))
		sample->pid = s->tid;
	name_earlier(c, s, sample->pid, row->last_time);
	return c->opts->by_file ? map_files(c, s->tid, row) : 0;
}

static void add_to_totals(struct counted_totals *t, const struct tally_row *row)
{
	if (!t->nr_records++ || row->last_time < t->first_time)
		t->first_time = row->last_time;
	if (row->last_time > t->last_time)
		t->last_time = row->last_time;
	t->nr_samples += row->count;
}

/* The texts of values, after the number of the user if that is in the key. */
static int set_texts(struct counted_samples *c, struct perf_sample *sample, const struct tally_row *row)
{
	const char *texts[1 + TALLY_MAX_VALUES];
	unsigned int nr = 0;
	char uid[16];

	if (c->opts->key & TALLY_KEY_UID) {
		snprintf(uid, sizeof(uid), "%u", row->uid);
		texts[nr++] = uid;
	}
	for (unsigned int i = 0; i < tally_values__nr(row->values); i++, nr++) {
		tally_values__show(row->values, i, row->has, row->value, c->text[i], sizeof(c->text[i]));
		texts[nr] = c->text[i];
	}
	free(c->raw);
	c->raw = key_texts__encode(texts, nr, &sample->raw_size);
	sample->raw = c->raw;
	return c->raw ? 0 : -ENOMEM;
}

char *counted_samples__format(const struct tally_opts *opts, size_t *size)
{
	const unsigned int nr_uid = opts->key & TALLY_KEY_UID ? 1 : 0;
	char name[TALLY_MAX_VALUES][VALUE_NAME_LEN];
	const char *names[1 + TALLY_MAX_VALUES] = { "uid" }; /* a term, whose name no value gets */

	value_names__fill(name, opts->exprs->text, opts->exprs->nr, NULL, NULL);
	for (unsigned int i = 0; i < opts->exprs->nr; i++)
		names[nr_uid + i] = name[i];
	return key_texts__format(names, nr_uid + opts->exprs->nr, size);
}

/* A type's name with its NUL: readers show raw data as bytes, and as a text if it is one. */
static void set_raw(struct perf_sample *sample, const struct tally_row *row, unsigned int key)
{
	if (row->state) {
		sample->raw = wall_state__name(row->state);
		sample->raw_size = WALL_STATE_SIZE;
	} else if (key & TALLY_KEY_LOCK_TYPE) {
		sample->raw = lock_type__name(row->lock_type);
		sample->raw_size = strlen(sample->raw) + 1;
	} else {
		sample->raw = &row->uid;
		sample->raw_size = sizeof(row->uid);
	}
}

static int add_key(struct counted_samples *c, const struct tally_row *row)
{
	struct perf_sample sample = {
		.misc = PERF_RECORD_MISC_SAMPLES_COUNTED_,
		.id = c->current->id,
		.time = row->last_time,
		.cpu = row->cpu,
		.period = row->period,
		.weight = row->count,
		.cgroup = row->cgroup,
		.addr = row->lock,
	};
	int ret = set_task(c, &sample, row);

	if (!ret)
		ret = add_frames(c, &sample, PERF_CONTEXT_KERNEL, row->kstack, row->nr_kstack);
	if (!ret)
		ret = add_frames(c, &sample, PERF_CONTEXT_USER, row->ustack, row->nr_ustack);
	if (ret)
		return ret;
	sample.callchain = c->chain;
	if (names_values(c->opts))
		ret = set_texts(c, &sample, row);
	else
		set_raw(&sample, row, c->opts->key);
	if (ret)
		return ret;
	set_place(&sample, row, c->opts->key);
	ret = append_sample(c, &sample);
	if (!ret)
		add_to_totals(&c->totals, row);
	return ret;
}

int counted_samples__add(struct counted_samples *c, unsigned int event, const struct tally_row *row, struct errmsg *err)
{
	int ret;

	c->current = &c->event[event];
	ret = add_key(c, row);
	if (ret == -ENOMEM)
		errmsg__set(err, ENOMEM, "out of memory for what was counted: choose fewer keys (--key), or --max-keys");
	if (ret == -EOVERFLOW)
		errmsg__set(err, EOVERFLOW, "a stack of %u frames does not fit in a record of the file: lower --max-stack",
			    row->nr_kstack + row->nr_ustack);
	return ret;
}

static int compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : 1;
}

/* Sort them: stock perf's reader inserts each record into a list, starting at the last one, and would walk far for each unsorted one. */
/* In batches, since a write call for each record would take more time than everything else. */
static int write_places(const struct counted_samples *c, char *run, int (*write)(void *data, const void *records, size_t size),
			void *data)
{
	size_t used = 0;
	int ret = 0;

	for (size_t i = 0; i < c->nr_places && ret >= 0; i++) {
		const struct perf_event_header *record = (const void *)(c->buffer + c->place[i].offset);

		if (used + record->size > WRITE_RUN) {
			ret = write(data, run, used);
			used = 0;
		}
		memcpy(run + used, record, record->size);
		used += record->size;
	}
	return ret >= 0 && used ? write(data, run, used) : ret;
}

static void forget_places(struct counted_samples *c)
{
	struct stand_in *s, *tmp;

	HASH_ITER(hh, c->stand_ins, s, tmp)
		s->name = NO_PLACE;
}

int counted_samples__write(struct counted_samples *c, int (*write)(void *data, const void *records, size_t size), void *data,
			   struct errmsg *err)
{
	char *run;
	int ret;

	if (!c->nr_places)
		return 0;
	run = malloc(WRITE_RUN);
	if (!run)
		return errmsg__set(err, ENOMEM, "out of memory for what was counted");
	qsort(c->place, c->nr_places, sizeof(*c->place), compare);
	ret = write_places(c, run, write, data);
	free(run);
	c->used = 0;
	c->nr_places = 0;
	forget_places(c);
	if (c->opts->anew)
		forget_stand_ins(c);
	return ret < 0 ? ret : 0;
}

const struct counted_totals *counted_samples__totals(const struct counted_samples *c)
{
	return &c->totals;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Corrects the ids of samples. If several recordings, or several events of one, count the same software event, Linux makes one
 * sample for all of them (kernel/events/core.c, do_perf_sw_event()), and since 6.3 perf_prepare_sample() only fills in what is
 * missing: the ids, the time and the callchain of the first event stay for all. The same happened to tracepoints until 6.2; 6.18
 * still does it for software events.
 *
 * For an event with a filter, the program sends the right values: mends.h. Without a filter, the ring shows the event. Only one
 * software event writes to a ring, so a sample there with an id of none of the ring's other events belongs to it.
 */
#include "util/sampler/sampler-state.h"

#include <stdlib.h>
#include <string.h>
#include "util/perfdata/sample.h"
#include "util/bpf/kernel-table.h"

struct sampler_id {
	u64 id;
	unsigned int event;
	u64 known; /* what the recording has in its place */
};

struct sampler_ids { /* other threads may read it; it does not change */
	struct sampler_ids *older; /* that they may still read */
	unsigned int nr;
	struct sampler_id id[];
};

/*
 * The kernel writes registers and stack as our event wants them, into space for what the other event wanted (perf_prepare_sample(),
 * dyn_size): the excess goes beyond it, where the next record comes.
 */
#define OF_OTHER_SIZES (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR)

static bool shares_samples(const struct sampler *s, const struct evsel *evsel)
{
	return evsel__shares_samples(evsel) && s->event[evsel->idx].source->ops->mended;
}

/* Without ids there is only one event. */
static bool needs_ring(const struct sampler *s, const struct evsel *evsel)
{
	return shares_samples(s, evsel) && evsel->attr.sample_type & PERF_SAMPLE_IDENTIFIER;
}

/* The event of all samples in a set of rings; NULL: there may be several */
static const struct evsel *event_of_set(const struct sampler *s, unsigned int set)
{
	if (s->owner[set] != NO_OWNER)
		return s->evlist->evsel[s->owner[set]];
	return s->evlist->nr == 1 && shares_samples(s, s->evlist->evsel[0]) ? s->evlist->evsel[0] : NULL;
}

int sampler__choose_rings(struct sampler *s)
{
	unsigned int i;

	s->owner = malloc((RINGS_OWN + s->evlist->nr) * sizeof(*s->owner));
	if (!s->owner)
		return -ENOMEM;
	s->nr_sets = RINGS_OWN;
	s->owner[RINGS_SHARED] = s->owner[RINGS_OVERWRITTEN] = NO_OWNER;
	for (i = 0; i < s->evlist->nr; i++) {
		const struct evsel *evsel = s->evlist->evsel[i];
		unsigned int set = evsel->attr.write_backward ? RINGS_OVERWRITTEN : RINGS_SHARED;

		if (needs_ring(s, evsel)) {
			if (s->owner[set] != NO_OWNER)
				set = s->nr_sets++;
			s->owner[set] = i;
		}
		s->event[i].rings = set;
	}
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct sampler_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Rings that are written backwards have an older record there: user-controlled registers of a task would overwrite its header. */
int sampler__check_overwrite(const struct sampler *s, struct errmsg *err)
{
	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		const struct evsel *evsel = s->evlist->evsel[i];

		if (shares_samples(s, evsel) && evsel->attr.write_backward && evsel->attr.sample_type & OF_OTHER_SIZES &&
		    kernel_offer__probe(KERNEL_PREPARED_SAMPLES) != KERNEL_LACKS)
			return errmsg__set(err, EOPNOTSUPP, "cannot overwrite samples of %s that have registers or a user's stack: another "
					   "recording of the same event could spoil them.\nLeave out --overwrite, or take another --call-graph",
					   evsel->name);
	}
	return 0;
}

static void sampler__set_ids(struct sampler *s, struct sampler_ids *ids)
{
	qsort(ids->id, ids->nr, sizeof(*ids->id), compare_ids);
	ids->older = s->ids;
	__atomic_store_n(&s->ids, ids, __ATOMIC_RELEASE);
}

static struct sampler_ids *new_ids(unsigned int nr)
{
	return calloc(1, sizeof(struct sampler_ids) + nr * sizeof(struct sampler_id));
}

void sampler__delete_ids(struct sampler *s)
{
	while (s->ids) {
		struct sampler_ids *ids = s->ids;

		s->ids = ids->older;
		free(ids);
	}
}

int sampler__list_ids(struct sampler *s)
{
	unsigned int i, nr = 0;
	struct sampler_ids *ids;

	for (i = 0; i < s->evlist->nr; i++)
		nr += s->event[i].nr;
	sampler__delete_ids(s);
	ids = new_ids(nr);
	if (!ids)
		return -ENOMEM;
	for (i = 0; i < s->evlist->nr; i++) {
		for (u32 j = 0; j < s->event[i].nr; j++)
			ids->id[ids->nr++] = (struct sampler_id){ s->event[i].id[j], i, s->event[i].id[j] };
	}
	sampler__set_ids(s, ids);
	return 0;
}

static const struct sampler_id *find_id(const struct sampler *s, u64 id)
{
	const struct sampler_ids *ids = __atomic_load_n(&s->ids, __ATOMIC_ACQUIRE);
	const struct sampler_id key = { .id = id };

	return ids ? bsearch(&key, ids->id, ids->nr, sizeof(key), compare_ids) : NULL;
}

int sampler__add_id_of(struct sampler *s, u64 id, u64 old_id)
{
	const struct sampler_id *old = find_id(s, old_id);
	struct sampler_ids *ids = old ? new_ids(s->ids->nr + 1) : NULL;

	if (!ids)
		return old ? -ENOMEM : 0;
	ids->nr = s->ids->nr + 1;
	memcpy(ids->id, s->ids->id, s->ids->nr * sizeof(*ids->id));
	ids->id[s->ids->nr] = (struct sampler_id){ id, old->event, old->known };
	sampler__set_ids(s, ids);
	return 0;
}

u64 sampler__known_id(const struct sampler *s, u64 id)
{
	const struct sampler_id *found = find_id(s, id);

	return found ? found->known : id;
}

/* With a single event records have none. */
bool sampler__renames(const struct sampler *s)
{
	const struct sampler_ids *ids = __atomic_load_n(&s->ids, __ATOMIC_ACQUIRE);

	return ids && ids->older && s->evlist->evsel[0]->attr.sample_type & PERF_SAMPLE_IDENTIFIER;
}

unsigned int sampler__event_of(const void *sampler, u64 id)
{
	const struct sampler *s = sampler;
	const struct sampler_id *found = find_id(s, id);

	return found ? found->event : NO_OWNER;
}

struct mending {
	struct sampler *s;
	unsigned int set, ring;
	const struct evsel *evsel; /* see event_of_set() */
	unsigned int owner;	   /* index of event, or NO_OWNER: only its samples may need corrections */
	u64 right; /* the last valid id; 0: none */
	char *copy; /* copy of a run, as ids in the ring must not be changed: it may be mapped read-only */
	size_t copy_size;
	ring_cb cb;
	void *data;
};

static bool is_right(const struct mending *m, u64 id)
{
	const struct sampler_id *found = find_id(m->s, id);

	if (!found)
		return false;
	return m->set < RINGS_OWN ? m->s->event[found->event].rings == m->set : found->event == m->s->owner[m->set];
}

static int mending__copy(struct mending *m, const void *records, size_t size)
{
	if (size > m->copy_size) {
		free(m->copy);
		m->copy = malloc(size);
		m->copy_size = m->copy ? size : 0;
	}
	if (!m->copy)
		return -ENOMEM;
	memcpy(m->copy, records, size);
	return 0;
}

/* Is it a sample with the id of an event that does not write here? */
static bool has_wrong_id(struct mending *m, const struct perf_event_header *header)
{
	u64 id;

	if (m->s->owner[m->set] == NO_OWNER || header->type != PERF_RECORD_SAMPLE || header->size < sizeof(*header) + sizeof(id))
		return false;
	memcpy(&id, header + 1, sizeof(id)); /* PERF_SAMPLE_IDENTIFIER comes first */
	if (id == m->right)
		return false;
	if (!is_right(m, id))
		return true;
	m->right = id;
	return false;
}

static bool needs_mending(struct mending *m, const struct perf_event_header *header)
{
	return (m->s->mends && mends__are_left(m->s->mends) && mends__has(m->s->mends, header, m->owner)) || has_wrong_id(m, header);
}

/* The id of the ring's owner there; one of a task's if there are several. */
static u64 id_in_ring(const struct sampler *s, unsigned int set, unsigned int ring)
{
	const struct sampler_event *event = &s->event[s->owner[set]];
	u32 nr = 0;

	for (unsigned int i = 0; i < s->nr_slots; i++) {
		if (event->fd[i] >= 0 && s->slot[i].ring == ring)
			return event->id[nr];
		nr += event->fd[i] >= 0;
	}
	return event->id[0];
}

static void mend(const struct mending *m, struct perf_event_header *header)
{
	u64 id;

	if (m->s->mends && mends__apply(m->s->mends, header, m->owner))
		return;
	id = id_in_ring(m->s, m->set, m->ring);
	memcpy(header + 1, &id, sizeof(id));
}

/* Not the sample of another event that writes to the same ring? Its id is right: it shares its samples with none. */
static bool is_of_owner(const struct mending *m, const struct perf_event_header *header)
{
	const struct sampler_id *found;
	u64 id;

	if (m->set >= RINGS_OWN || m->s->evlist->nr == 1 || header->size < sizeof(*header) + sizeof(id))
		return true;
	memcpy(&id, header + 1, sizeof(id));
	found = find_id(m->s, id);
	return !found || found->event == m->owner || m->s->event[found->event].rings != m->set;
}

static bool is_cut(const struct mending *m, const struct perf_event_header *header)
{
	struct perf_sample sample;

	return header->type == PERF_RECORD_SAMPLE && m->evsel && m->evsel->attr.sample_type & OF_OTHER_SIZES && is_of_owner(m, header) &&
	       perf_sample__decode(&sample, &m->evsel->attr, (const union perf_record *)header) < 0;
}

static int hand_on(const struct mending *m, const char *run, size_t from, size_t to)
{
	return to > from ? m->cb(m->data, run + from, to - from) : 0;
}

/* cb refuses malformed records. */
static int mend_run(void *data, const void *records, size_t size)
{
	struct mending *m = data;
	const char *run = records;
	size_t at = 0, from = 0, record_size;
	int ret = m->s->mends ? mends__take(m->s->mends) : 0;

	for (; size - at >= sizeof(struct perf_event_header) && ret >= 0; at += record_size) {
		const struct perf_event_header *header = (const void *)(run + at);

		record_size = header->size;
		if (record_size < sizeof(*header) || record_size > size - at)
			break;
		if (is_cut(m, header)) {
			ret = hand_on(m, run, from, at);
			from = at + record_size;
			__atomic_add_fetch(&m->s->event[m->evsel->idx].nr_cut, 1, __ATOMIC_RELAXED);
			continue;
		}
		if (!needs_mending(m, header))
			continue;
		if (run == records && mending__copy(m, records, size))
			return -ENOMEM;
		run = m->copy;
		mend(m, (struct perf_event_header *)(m->copy + at));
	}
	return ret < 0 ? ret : hand_on(m, run, from, size);
}

int sampler__take_ring(struct sampler *s, unsigned int i, ring_cb cb, void *data, u64 *nr_bytes)
{
	struct mending m = { .s = s, .set = i / s->nr_rings, .ring = i % s->nr_rings, .cb = cb, .data = data };
	struct ring *ring = &s->ring[i];
	void *bounce;
	int ret;

	m.evsel = event_of_set(s, m.set);
	m.owner = m.evsel ? m.evsel->idx : NO_OWNER;
	if (m.evsel || s->mends) {
		cb = mend_run;
		data = &m;
	}
	ring->slow_reader = s->undecided;
	bounce = s->reader[ring->overwrite ? 0 : s->reader_of[m.ring]].bounce;
	ret = ring->overwrite ? ring__snapshot(ring, cb, data, bounce) : ring__drain(ring, cb, data, bounce, nr_bytes);
	free(m.copy);
	return ret;
}

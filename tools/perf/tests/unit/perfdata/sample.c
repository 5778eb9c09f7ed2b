// SPDX-License-Identifier: GPL-2.0
#include "tests/unit/perfdata/fixture.h"
#include <errno.h>

#define NR_SAMPLE_BITS 25
#define BRANCH_COUNTERS (1U << 19) /* kernel 6.8 */
#define ROUNDS 20000

/* A record under construction: the encoder is written from perf_event_open(2), apart from the decoder. */
struct maker {
	u64 words[512];
	u32 nr;
	u64 seed;
};

static u64 put(struct maker *m, u64 value)
{
	m->words[m->nr++] = value;
	return value;
}

static u64 put_random(struct maker *m)
{
	return put(m, random_u64(&m->seed));
}

static const void *put_words(struct maker *m, u64 nr)
{
	const void *start = &m->words[m->nr];

	while (nr--)
		put_random(m);
	return start;
}

static u64 few(struct maker *m)
{
	return random_u64(&m->seed) % 5;
}

static bool bit(u64 mask, u64 bits)
{
	return mask & bits;
}

static void make_read(struct maker *m, u64 format, struct perf_sample *s)
{
	u64 nr = format & PERF_FORMAT_GROUP ? few(m) : 1;

	s->read = &m->words[m->nr];
	if (format & PERF_FORMAT_GROUP)
		put(m, nr);
	else
		put_random(m); /* value */
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		put_random(m);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		put_random(m);
	for (u64 i = 0; i < nr; i++) {
		if (format & PERF_FORMAT_GROUP)
			put_random(m);
		if (format & PERF_FORMAT_ID)
			put_random(m);
		if (format & PERF_FORMAT_LOST)
			put_random(m);
	}
	s->nr_read = &m->words[m->nr] - s->read;
}

static void make_branches(struct maker *m, u64 type, struct perf_sample *s)
{
	s->nr_branch = put(m, few(m));
	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		s->branch_hw_idx = put_random(m);
	s->branch = put_words(m, 3 * s->nr_branch);
	if (type & BRANCH_COUNTERS)
		s->branch_counters = put_words(m, s->nr_branch);
}

static void make_raw(struct maker *m, struct perf_sample *s)
{
	u64 words = 1 + few(m);
	u32 size = words * 8 - 4; /* the kernel rounds it up so that the next part is aligned */
	u64 first = PAIR(size, random_u64(&m->seed));

	s->raw = (u8 *)&m->words[m->nr] + 4;
	s->raw_size = size;
	put(m, first);
	put_words(m, words - 1);
}

static const u64 *make_regs(struct maker *m, u64 mask, u64 *abi)
{
	*abi = put(m, random_u64(&m->seed) % 3);
	return *abi ? put_words(m, __builtin_popcountll(mask)) : NULL;
}

static void make_stack(struct maker *m, struct perf_sample *s)
{
	u64 words = few(m);

	put(m, words * 8);
	if (!words)
		return;
	s->user_stack = put_words(m, words);
	s->user_stack_size = put(m, random_u64(&m->seed) % (words * 8 + 1));
}

static void make_aux(struct maker *m, struct perf_sample *s)
{
	u64 words = few(m);

	s->aux_size = put(m, words * 8);
	s->aux = put_words(m, words);
}

static void make_first_half(struct maker *m, const struct perf_event_attr *attr, struct perf_sample *s)
{
	u64 type = attr->sample_type;

	if (bit(type, PERF_SAMPLE_IDENTIFIER))
		s->id = put_random(m);
	if (bit(type, PERF_SAMPLE_IP))
		s->ip = put_random(m);
	if (bit(type, PERF_SAMPLE_TID)) {
		u64 both = put_random(m);

		memcpy(&s->pid, &both, 4);
		memcpy(&s->tid, (u8 *)&both + 4, 4);
	}
	if (bit(type, PERF_SAMPLE_TIME))
		s->time = put_random(m);
	if (bit(type, PERF_SAMPLE_ADDR))
		s->addr = put_random(m);
	if (bit(type, PERF_SAMPLE_ID)) /* repeats the identifier */
		s->id = bit(type, PERF_SAMPLE_IDENTIFIER) ? put(m, s->id) : put_random(m);
	if (bit(type, PERF_SAMPLE_STREAM_ID))
		s->stream_id = put_random(m);
	if (bit(type, PERF_SAMPLE_CPU)) {
		u64 both = put_random(m);

		memcpy(&s->cpu, &both, 4);
	}
	s->period = bit(type, PERF_SAMPLE_PERIOD) ? put_random(m) : attr->sample_period;
	if (bit(type, PERF_SAMPLE_READ))
		make_read(m, attr->read_format, s);
	if (bit(type, PERF_SAMPLE_CALLCHAIN)) {
		s->nr_callchain = put(m, few(m));
		s->callchain = put_words(m, s->nr_callchain);
	}
}

static void make_second_half(struct maker *m, const struct perf_event_attr *attr, struct perf_sample *s)
{
	u64 type = attr->sample_type;

	if (bit(type, PERF_SAMPLE_RAW))
		make_raw(m, s);
	if (bit(type, PERF_SAMPLE_BRANCH_STACK))
		make_branches(m, attr->branch_sample_type, s);
	if (bit(type, PERF_SAMPLE_REGS_USER))
		s->user_regs = make_regs(m, attr->sample_regs_user, &s->user_regs_abi);
	if (bit(type, PERF_SAMPLE_STACK_USER))
		make_stack(m, s);
	if (bit(type, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		s->weight = put_random(m);
	if (bit(type, PERF_SAMPLE_DATA_SRC))
		s->data_src = put_random(m);
	if (bit(type, PERF_SAMPLE_TRANSACTION))
		s->transaction = put_random(m);
	if (bit(type, PERF_SAMPLE_REGS_INTR))
		s->intr_regs = make_regs(m, attr->sample_regs_intr, &s->intr_regs_abi);
	if (bit(type, PERF_SAMPLE_PHYS_ADDR))
		s->phys_addr = put_random(m);
	if (bit(type, PERF_SAMPLE_CGROUP))
		s->cgroup = put_random(m);
	if (bit(type, PERF_SAMPLE_DATA_PAGE_SIZE))
		s->data_page_size = put_random(m);
	if (bit(type, PERF_SAMPLE_CODE_PAGE_SIZE))
		s->code_page_size = put_random(m);
	if (bit(type, PERF_SAMPLE_AUX))
		make_aux(m, s);
}

static void finish_record(struct maker *m, u32 type, u32 nr_words)
{
	const struct perf_event_header header = { .type = type, .misc = PERF_RECORD_MISC_USER | 1 << 14, .size = nr_words * 8 };

	memcpy(m->words, &header, sizeof(header));
}

static void make_sample(struct maker *m, const struct perf_event_attr *attr, struct perf_sample *s)
{
	memset(s, 0, sizeof(*s));
	m->nr = 1;
	make_first_half(m, attr, s);
	make_second_half(m, attr, s);
	finish_record(m, PERF_RECORD_SAMPLE, m->nr);
}

static void random_attr(u64 *seed, u64 type, struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->sample_type = type;
	attr->sample_period = random_u64(seed);
	attr->read_format = random_u64(seed) & (PERF_FORMAT_MAX - 1);
	attr->sample_regs_user = random_u64(seed) & random_u64(seed);
	attr->sample_regs_intr = random_u64(seed) & random_u64(seed);
	attr->branch_sample_type = random_u64(seed) & (PERF_SAMPLE_BRANCH_HW_INDEX | BRANCH_COUNTERS);
}

#define SAME(member) assert_int_equal(is.member, should->member)
#define SAME_BYTES(member, size) same_bytes(is.member, should->member, size)

static void same_bytes(const void *is, const void *should, u64 size)
{
	if (size)
		assert_memory_equal(is, should, size);
	else
		assert_null(is);
}

/* Decode a copy that has just the record's size, so that the sanitizer sees reads behind it. */
static void check_decoded(const struct perf_event_attr *attr, const struct maker *m, const struct perf_sample *should)
{
	union perf_record *record = malloc(m->nr * 8);
	struct perf_sample is;

	assert_non_null(record);
	memcpy(record, m->words, m->nr * 8);
	assert_int_equal(perf_sample__decode(&is, attr, record), 0);
	assert_int_equal(is.sample_type, attr->sample_type);
	assert_int_equal(is.cpumode, PERF_RECORD_MISC_USER);
	assert_int_equal(is.misc, PERF_RECORD_MISC_USER | 1 << 14);
	SAME(ip), SAME(pid), SAME(tid), SAME(time), SAME(addr), SAME(id), SAME(stream_id), SAME(cpu), SAME(period);
	SAME(weight), SAME(data_src), SAME(transaction), SAME(phys_addr), SAME(cgroup), SAME(data_page_size);
	SAME(code_page_size), SAME(nr_callchain), SAME(raw_size), SAME(nr_branch), SAME(branch_hw_idx), SAME(nr_read);
	SAME(user_regs_abi), SAME(intr_regs_abi), SAME(user_stack_size), SAME(aux_size);
	SAME_BYTES(read, should->nr_read * 8);
	SAME_BYTES(callchain, should->nr_callchain * 8);
	SAME_BYTES(raw, should->raw_size);
	SAME_BYTES(branch, should->nr_branch * 24);
	if (attr->branch_sample_type & BRANCH_COUNTERS)
		SAME_BYTES(branch_counters, should->nr_branch * 8);
	SAME_BYTES(user_regs, should->user_regs ? __builtin_popcountll(attr->sample_regs_user) * 8 : 0);
	SAME_BYTES(intr_regs, should->intr_regs ? __builtin_popcountll(attr->sample_regs_intr) * 8 : 0);
	if (should->user_stack)
		assert_memory_equal(is.user_stack, should->user_stack, should->user_stack_size);
	SAME_BYTES(aux, should->aux_size);
	free(record);
}

/* An empty branch stack may lack its hw_idx, so a record with one may be a word shorter than it was made. */
static bool is_ambiguous(const struct perf_event_attr *attr, const struct perf_sample *s)
{
	return attr->sample_type & PERF_SAMPLE_BRANCH_STACK && attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX &&
	       !s->nr_branch;
}

static void check_cuts(const struct perf_event_attr *attr, struct maker *m)
{
	for (u32 nr = 1; nr < m->nr; nr++) {
		union perf_record *record = malloc(nr * 8);
		struct perf_sample s;

		assert_non_null(record);
		finish_record(m, PERF_RECORD_SAMPLE, nr);
		memcpy(record, m->words, nr * 8);
		assert_int_equal(perf_sample__decode(&s, attr, record), -EINVAL);
		free(record);
	}
}

static void check_types(u64 *seed, u64 type)
{
	struct maker m = { .seed = random_u64(seed) };
	struct perf_event_attr attr;
	struct perf_sample should;

	random_attr(seed, type, &attr);
	make_sample(&m, &attr, &should);
	check_decoded(&attr, &m, &should);
	if (!is_ambiguous(&attr, &should))
		check_cuts(&attr, &m);
}

static void decodes_each_part_alone(void **state)
{
	u64 seed = 1;

	for (int i = 0; i < NR_SAMPLE_BITS * 40; i++)
		check_types(&seed, 1ULL << i % NR_SAMPLE_BITS);
}

static void decodes_every_combination(void **state)
{
	u64 seed = 2;

	for (int i = 0; i < ROUNDS; i++)
		check_types(&seed, random_u64(&seed) & ((1ULL << NR_SAMPLE_BITS) - 1));
	check_types(&seed, (1ULL << NR_SAMPLE_BITS) - 1);
}

/* What was encoded decodes to what it was encoded from, and is as long as announced. */
static void encoded_samples_round_trip(void **state)
{
	u64 seed = 5;

	for (int i = 0; i < ROUNDS; i++) {
		struct maker m = { .seed = random_u64(&seed) }, encoded;
		struct perf_event_header header;
		struct perf_event_attr attr;
		struct perf_sample s;

		random_attr(&seed, random_u64(&seed) & SAMPLE_ENCODED_TYPES, &attr);
		make_sample(&m, &attr, &s);
		s.misc = PERF_RECORD_MISC_USER | 1 << 14;
		s.raw_size -= s.raw_size ? random_u64(&seed) % 5 : 0;
		memset(&encoded, 0xff, sizeof(encoded));
		perf_sample__encode(encoded.words, &attr, &s);
		encoded.nr = perf_sample__size(&attr, &s) / 8;
		memcpy(&header, encoded.words, sizeof(header));
		assert_int_equal(header.size, encoded.nr * 8);
		assert_int_equal(encoded.words[encoded.nr], UINT64_MAX);
		check_decoded(&attr, &encoded, &s);
	}
}

static u64 count_of(u64 sample_type, u16 misc, u64 value)
{
	const struct perf_event_attr attr = { .sample_type = sample_type };
	const struct {
		struct perf_event_header header;
		u64 value;
	} record = { { PERF_RECORD_SAMPLE, misc, sizeof(record) }, value };
	struct perf_sample s;

	assert_int_equal(perf_sample__decode(&s, &attr, (const void *)&record), 0);
	return s.count;
}

static void a_counted_sample_tells_its_count(void **state)
{
	assert_int_equal(count_of(PERF_SAMPLE_WEIGHT, PERF_RECORD_MISC_SAMPLES_COUNTED_, 77), 77);
	assert_int_equal(count_of(PERF_SAMPLE_WEIGHT, PERF_RECORD_MISC_SAMPLES_COUNTED_, 0), 1);
	assert_int_equal(count_of(PERF_SAMPLE_WEIGHT, PERF_RECORD_MISC_USER, 77), 1); /* a weight that the PMU gave */
	assert_int_equal(count_of(PERF_SAMPLE_IP, PERF_RECORD_MISC_SAMPLES_COUNTED_, 77), 1);
}

static void empty_branch_stack_may_lack_hw_idx(void **state)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_DATA_SRC,
		.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
	};
	struct perf_sample s;

	assert_int_equal(perf_sample__decode(&s, &attr, RECORD(PERF_RECORD_SAMPLE, 0, 77)), 0);
	assert_int_equal(s.data_src, 77);
	assert_int_equal(perf_sample__decode(&s, &attr, RECORD(PERF_RECORD_SAMPLE, 0, 88, 77)), 0);
	assert_int_equal(s.data_src, 77);
	assert_int_equal(s.branch_hw_idx, 88);
	assert_int_equal(perf_sample__decode(&s, &attr, RECORD(PERF_RECORD_SAMPLE, 0)), -EINVAL);
}

static void refuses_sizes_that_overflow(void **state)
{
	static const u64 types[] = {
		PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_RAW, PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_STACK_USER, PERF_SAMPLE_AUX,
		PERF_SAMPLE_READ,
	};
	/* The last one is 1 when it is multiplied by the three words of a branch entry. */
	static const u64 counts[] = { UINT64_MAX, UINT64_MAX - 6, 1ULL << 63, 1ULL << 61, UINT32_MAX, 4096, 0xaaaaaaaaaaaaaaab };

	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		const struct perf_event_attr attr = { .sample_type = types[t], .read_format = PERF_FORMAT_GROUP };

		for (size_t c = 0; c < ARRAY_SIZE(counts); c++) {
			struct perf_sample s;
			/* RAW looks at the low half only */
			u64 count = types[t] == PERF_SAMPLE_RAW ? UINT32_MAX - c : counts[c];

			assert_int_equal(perf_sample__decode(&s, &attr, RECORD(PERF_RECORD_SAMPLE, count, 1, 2)), -EINVAL);
		}
	}
}

static void refuses_a_stack_larger_than_its_room(void **state)
{
	const struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_STACK_USER };
	struct perf_sample s;

	assert_int_equal(perf_sample__decode(&s, &attr, RECORD(PERF_RECORD_SAMPLE, 8, 1, 8)), 0);
	assert_int_equal(perf_sample__decode(&s, &attr, RECORD(PERF_RECORD_SAMPLE, 8, 1, 9)), -EINVAL);
}

static void refuses_records_of_another_kind(void **state)
{
	const struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IP };
	struct perf_sample s;

	assert_int_equal(perf_sample__decode(&s, &attr, RECORD(PERF_RECORD_COMM, 1)), -EINVAL);
	assert_int_equal(perf_sample__decode_id(&s, &attr, RECORD(PERF_RECORD_SAMPLE, 1)), -EINVAL);
}

static void id_tail_round_trips(void **state)
{
	const u64 tail_types = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_IDENTIFIER;
	u64 seed = 3;

	for (int i = 0; i < 2000; i++) {
		const struct perf_event_attr attr = { .sample_type = random_u64(&seed), .sample_id_all = 1 };
		const struct perf_sample in = { .pid = 1, .tid = 2, .time = random_u64(&seed), .id = random_u64(&seed),
						.stream_id = 5, .cpu = 6 };
		size_t size = sample_id__size(&attr);
		u64 *words = calloc(1, 8 + size);
		struct perf_sample is;
		u64 types = attr.sample_type & tail_types;

		assert_int_equal(size, __builtin_popcountll(types) * 8);
		assert_non_null(words);
		sample_id__encode(words + 1, &attr, &in);
		perf_record__fill(words, PERF_RECORD_SWITCH, (u64[8]){ 0 }, 8);
		((struct perf_event_header *)words)->size = 8 + size;
		assert_int_equal(perf_sample__decode_id(&is, &attr, (void *)words), 0);
		assert_int_equal(is.sample_type, types);
		assert_int_equal(is.pid, types & PERF_SAMPLE_TID ? 1 : 0);
		assert_int_equal(is.tid, types & PERF_SAMPLE_TID ? 2 : 0);
		assert_int_equal(is.time, types & PERF_SAMPLE_TIME ? in.time : 0);
		assert_int_equal(is.id, types & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? in.id : 0);
		assert_int_equal(is.stream_id, types & PERF_SAMPLE_STREAM_ID ? 5 : 0);
		assert_int_equal(is.cpu, types & PERF_SAMPLE_CPU ? 6 : 0);
		if (sample_id__id_pos(types) > 0)
			assert_int_equal(words[1 + size / 8 - sample_id__id_pos(types)], in.id);
		else
			assert_int_equal(is.id, 0);
		if (size) {
			((struct perf_event_header *)words)->size = size; /* one word too few */
			assert_int_equal(perf_sample__decode_id(&is, &attr, (void *)words), -EINVAL);
		}
		free(words);
	}
}

static void records_without_a_tail_have_zeroes(void **state)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER };
	struct perf_sample s;

	assert_int_equal(sample_id__size(&attr), 0);
	assert_int_equal(perf_sample__decode_id(&s, &attr, RECORD(PERF_RECORD_LOST_SAMPLES, 3)), 0);
	assert_int_equal(s.time, 0);
	attr.sample_id_all = 1;
	assert_int_equal(perf_sample__decode_id(&s, &attr, RECORD(PERF_RECORD_FINISHED_ROUND)), 0);
	assert_int_equal(s.sample_type, 0);
	assert_int_equal(perf_sample__decode_id(&s, &attr, RECORD(PERF_RECORD_LOST_SAMPLES, 3, 44, 55)), 0);
	assert_int_equal(s.time, 44);
	assert_int_equal(s.id, 55);
}

/* What stands where sample__id_pos() and the others say is what decoding finds. */
static void positions_agree_with_decoding(void **state)
{
	u64 seed = 4;

	for (int i = 0; i < 2000; i++) {
		u64 type = random_u64(&seed) & ((1ULL << NR_SAMPLE_BITS) - 1);
		struct maker m = { .seed = random_u64(&seed) };
		struct perf_event_attr attr;
		struct perf_sample s;

		random_attr(&seed, type, &attr);
		make_sample(&m, &attr, &s);
		if (type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
			assert_int_equal(m.words[1 + sample__id_pos(type)], s.id);
		else
			assert_int_equal(sample__id_pos(type), -1);
		if (type & PERF_SAMPLE_TID)
			assert_int_equal(m.words[1 + sample__tid_pos(&attr)], (u64)s.tid << 32 | s.pid);
		else
			assert_int_equal(sample__tid_pos(&attr), -1);
		if (type & PERF_SAMPLE_TIME)
			assert_int_equal(m.words[1 + sample__time_pos(&attr)], s.time);
		else
			assert_int_equal(sample__time_pos(&attr), -1);
		if (sample__callchain_pos(&attr) >= 0)
			assert_int_equal(m.words[1 + sample__callchain_pos(&attr)], s.nr_callchain);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_each_part_alone),
		cmocka_unit_test(decodes_every_combination),
		cmocka_unit_test(encoded_samples_round_trip),
		cmocka_unit_test(a_counted_sample_tells_its_count),
		cmocka_unit_test(empty_branch_stack_may_lack_hw_idx),
		cmocka_unit_test(refuses_sizes_that_overflow),
		cmocka_unit_test(refuses_a_stack_larger_than_its_room),
		cmocka_unit_test(refuses_records_of_another_kind),
		cmocka_unit_test(id_tail_round_trips),
		cmocka_unit_test(records_without_a_tail_have_zeroes),
		cmocka_unit_test(positions_agree_with_decoding),
	};

	return cmocka_run_group_tests_name("perfdata/sample", tests, NULL, NULL);
}

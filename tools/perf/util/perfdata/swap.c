// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/swap.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/perfdata/sample.h"

/* Values may be unaligned. */
static void swap_u16(void *value)
{
	u16 v;

	memcpy(&v, value, sizeof(v));
	v = bswap_16(v);
	memcpy(value, &v, sizeof(v));
}

void swap_u32(void *value)
{
	u32 v;

	memcpy(&v, value, sizeof(v));
	v = bswap_32(v);
	memcpy(value, &v, sizeof(v));
}

void swap_u64(void *value)
{
	u64 v;

	memcpy(&v, value, sizeof(v));
	v = bswap_64(v);
	memcpy(value, &v, sizeof(v));
}

static u64 read_u64(const void *at)
{
	u64 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

/* The part that is not yet converted. Taking more than is left yields nothing, now and later. */
struct cursor {
	u8 *at;
	u64 left;
};

static u8 *take(struct cursor *c, u64 size)
{
	u8 *at = c->at;

	if (size > c->left) {
		c->left = 0;
		return NULL;
	}
	c->at += size;
	c->left -= size;
	return at;
}

static void turn(struct cursor *c, unsigned int size)
{
	u8 *at = take(c, size);

	if (!at)
		return;
	if (size == sizeof(u16))
		swap_u16(at);
	else if (size == sizeof(u32))
		swap_u32(at);
	else
		swap_u64(at);
}

/* '2', '4' and '8' are members of that many bytes. */
static void turn_members(struct cursor *c, const char *members)
{
	for (; *members; members++)
		turn(c, *members - '0');
}

static void turn_words(struct cursor *c, u64 nr)
{
	for (; nr && c->left; nr--)
		turn(c, sizeof(u64));
}

/* Convert a number, and return its value. */
static u64 turn_count(struct cursor *c)
{
	const u8 *at = c->at;

	if (c->left < sizeof(u64)) {
		c->left = 0;
		return 0;
	}
	turn(c, sizeof(u64));
	return read_u64(at);
}

/* Headers */

void swap__record_header(struct perf_event_header *header)
{
	turn_members(&(struct cursor){ (u8 *)header, sizeof(*header) }, "422");
}

void swap__section(struct file_section *section)
{
	swap_u64(&section->offset);
	swap_u64(&section->size);
}

void swap__header(struct file_header *h)
{
	swap_u64(h->magic);
	swap_u64(&h->size);
	swap_u64(&h->attr_size);
	swap__section(&h->attrs);
	swap__section(&h->data);
	swap__section(&h->event_types);
	for (size_t i = 0; i < ARRAY_SIZE(h->features); i++)
		swap_u64(&h->features[i]);
	/* The bits are longs of the machine that wrote them. All perfs are 64-bit. */
	for (size_t i = 0; !(h->features[0] & 1ULL << HEADER_HOSTNAME) && i < ARRAY_SIZE(h->features); i++)
		h->features[i] = h->features[i] << 32 | h->features[i] >> 32;
}

/* One-bit members are at the other end of each byte. */
static void swap_flags(u8 *flags)
{
	for (unsigned int i = 0; i < sizeof(u64); i++) {
		u8 byte = 0;

		for (unsigned int bit = 0; bit < 8; bit++)
			byte |= (flags[i] >> bit & 1) << (7 - bit);
		flags[i] = byte;
	}
}

void swap__attr(void *attr, size_t room)
{
	struct cursor c = { attr, room };
	u32 size;
	u8 *flags;

	turn_members(&c, "44"); /* type, size */
	if (!c.left)
		return;
	memcpy(&size, (u8 *)attr + sizeof(u32), sizeof(size));
	size = size ?: PERF_ATTR_SIZE_VER0;
	if (size < room)
		c.left = size > 8 ? size - 8 : 0;
	turn_members(&c, "8888"); /* config, sample_period, sample_type, read_format */
	flags = take(&c, sizeof(u64));
	if (flags)
		swap_flags(flags);
	/* wakeup_events, bp_type, config1, config2, branch_sample_type, sample_regs_user, sample_stack_user, clockid, sample_regs_intr,
	 * aux_watermark, sample_max_stack, reserved, aux_sample_size, reserved, sig_data, config3 */
	turn_members(&c, "4488884484224488");
}

/* First step */

static const char *const members[PERF_RECORD_USER_MAX] = {
	[PERF_RECORD_MMAP] = "44888", [PERF_RECORD_LOST] = "88", [PERF_RECORD_COMM] = "44", [PERF_RECORD_EXIT] = "44448",
	[PERF_RECORD_THROTTLE] = "888", [PERF_RECORD_UNTHROTTLE] = "888", [PERF_RECORD_FORK] = "44448", [PERF_RECORD_READ] = "44",
	[PERF_RECORD_MMAP2] = "44888", [PERF_RECORD_AUX] = "888", [PERF_RECORD_ITRACE_START] = "44", [PERF_RECORD_LOST_SAMPLES] = "8",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "44", [PERF_RECORD_NAMESPACES] = "44", [PERF_RECORD_KSYMBOL] = "8422",
	[PERF_RECORD_BPF_EVENT] = "224", [PERF_RECORD_CGROUP] = "8", [PERF_RECORD_TEXT_POKE] = "822", [PERF_RECORD_AUX_OUTPUT_HW_ID] = "8",
	[PERF_RECORD_CALLCHAIN_DEFERRED_] = "8", [PERF_RECORD_HEADER_TRACING_DATA] = "4", [PERF_RECORD_HEADER_BUILD_ID] = "4",
	[PERF_RECORD_AUXTRACE] = "8884444", [PERF_RECORD_THREAD_MAP] = "8", [PERF_RECORD_STAT_CONFIG] = "8",
	[PERF_RECORD_TIME_CONV] = "888", [PERF_RECORD_HEADER_FEATURE] = "8",
	[PERF_RECORD_COMPRESSED2] = "8",
};

static void turn_file(struct cursor *c, u16 misc)
{
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		take(c, 24);
	else
		turn_members(c, "4488");
	turn_members(c, "44"); /* prot, flags */
}

static void turn_contents(const struct perf_event_header *header, struct cursor c)
{
	bool is_number;
	u32 size;

	if (header->type < PERF_RECORD_USER_MAX && members[header->type])
		turn_members(&c, members[header->type]);
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		turn_file(&c, header->misc);
		break;
	case PERF_RECORD_NAMESPACES:
		turn_words(&c, 2 * turn_count(&c));
		break;
	case PERF_RECORD_CALLCHAIN_DEFERRED_:
		turn_words(&c, turn_count(&c));
		break;
	case PERF_RECORD_EVENT_UPDATE:
		is_number = turn_count(&c) == EVENT_UPDATE_DROPPED_;
		turn_words(&c, 1 + is_number);
		break;
	case PERF_RECORD_ID_INDEX:
		turn_words(&c, 4 * turn_count(&c));
		break;
	case PERF_RECORD_HEADER_ATTR:
		swap__attr(c.at, c.left);
		if (c.left < PERF_ATTR_SIZE_VER0)
			break;
		memcpy(&size, c.at + sizeof(u32), sizeof(size));
		if (take(&c, size ?: PERF_ATTR_SIZE_VER0))
			turn_words(&c, c.left / sizeof(u64));
		break;
	}
}

/* Size of the data that follows a record without being part of its size. */
static u64 payload(const struct perf_event_header *header, const u8 *body)
{
	u32 size;

	if (header->type == PERF_RECORD_AUXTRACE)
		return read_u64(body);
	if (header->type != PERF_RECORD_HEADER_TRACING_DATA)
		return 0;
	memcpy(&size, body, sizeof(size));
	return ALIGN_UP((u64)size, 8);
}

/* Find the next record; false: there is none. turn: convert its header, and its contents by the first step. */
static bool next_record(struct cursor *c, struct perf_event_header *header, struct cursor *body, bool turning)
{
	if (c->left < sizeof(*header))
		return false;
	if (turning)
		swap__record_header((void *)c->at);
	memcpy(header, c->at, sizeof(*header));
	if (header->size < sizeof(*header) || header->size > c->left)
		return false;
	*body = (struct cursor){ c->at + sizeof(*header), header->size - sizeof(*header) };
	if (turning)
		turn_contents(header, *body);
	take(c, header->size);
	if (body->left >= sizeof(u64))
		take(c, payload(header, body->at));
	return true;
}

void swap__records(void *data, u64 size)
{
	struct cursor c = { data, size }, body;
	struct perf_event_header header;

	while (next_record(&c, &header, &body, true))
		;
}

/* Second step */

struct id_of {
	u64 id;
	const struct perf_event_attr *attr;
};

struct layouts { /* of samples and tails */
	const struct perf_event_attr *first;
	struct id_of *by_id; /* ascending */
	size_t nr;
};

static int compare_ids(const void *a, const void *b)
{
	const struct id_of *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int layouts__init(struct layouts *l, const struct perfdata_event *events, u32 nr)
{
	size_t all = 0;

	for (u32 i = 0; i < nr; i++)
		all += events[i].nr_ids;
	l->first = &events[0].attr;
	l->by_id = calloc(all ?: 1, sizeof(*l->by_id));
	if (!l->by_id)
		return -ENOMEM;
	for (u32 i = 0; i < nr; i++) {
		for (u32 n = 0; n < events[i].nr_ids; n++)
			l->by_id[l->nr++] = (struct id_of){ events[i].ids[n], &events[i].attr };
	}
	qsort(l->by_id, l->nr, sizeof(*l->by_id), compare_ids);
	return 0;
}

/* id is not converted. */
static const struct perf_event_attr *layout_of(const struct layouts *l, const u8 *id)
{
	const struct id_of key = { .id = bswap_64(read_u64(id)) };
	const struct id_of *found = bsearch(&key, l->by_id, l->nr, sizeof(key), compare_ids);

	return found ? found->attr : l->first;
}

static void turn_tail(struct cursor *c, u64 type)
{
	static const struct {
		u64 bit;
		const char *members;
	} parts[] = { { PERF_SAMPLE_TID, "44" }, { PERF_SAMPLE_TIME, "8" }, { PERF_SAMPLE_ID, "8" }, { PERF_SAMPLE_STREAM_ID, "8" },
		      { PERF_SAMPLE_CPU, "44" }, { PERF_SAMPLE_IDENTIFIER, "8" } };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (type & parts[i].bit)
			turn_members(c, parts[i].members);
	}
}

/* PERF_RECORD_READ and PERF_SAMPLE_READ: words in the layout of read_format */
static void turn_read(struct cursor *c, u64 format)
{
	u64 nr = 1, words = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);

	if (format & PERF_FORMAT_GROUP)
		nr = turn_count(c);
	turn_words(c, !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
	turn_words(c, nr < c->left ? nr * words : 0);
}

/* struct perf_branch_entry: the flags are members of these widths, from the other end of their word. */
static void turn_branch_flags(struct cursor *c)
{
	static const u8 widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	u8 *at = take(c, sizeof(u64));
	u64 in, out = 0;
	unsigned int low = 0;

	if (!at)
		return;
	in = bswap_64(read_u64(at));
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		u64 mask = (1ULL << widths[i]) - 1;

		out |= (in >> (64 - low - widths[i]) & mask) << low;
		low += widths[i];
	}
	memcpy(at, &out, sizeof(out));
}

static void turn_branches(struct cursor *c, const struct perf_event_attr *attr)
{
	u64 nr = turn_count(c);

	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		turn(c, sizeof(u64));
	for (; nr && c->left; nr--) {
		turn_words(c, 2);
		turn_branch_flags(c);
	}
}

static void turn_raw(struct cursor *c)
{
	u8 *at = c->at;
	u32 size;

	turn(c, sizeof(u32));
	if (!c->left)
		return;
	memcpy(&size, at, sizeof(size));
	take(c, ALIGN_UP((u64)size + sizeof(size), 8) - sizeof(size)); /* raw data, whose format has its byte order */
}

static void turn_regs(struct cursor *c, u64 mask)
{
	if (turn_count(c))
		turn_words(c, __builtin_popcountll(mask));
}

/* Bytes, and with filled the number of valid ones. */
static void turn_bytes(struct cursor *c, bool filled)
{
	u64 size = turn_count(c);

	take(c, size);
	if (size && filled)
		turn(c, sizeof(u64));
}

static void turn_sample(const struct perf_event_attr *attr, struct cursor c)
{
	const u64 type = attr->sample_type;

	turn_words(&c, !!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_IP));
	if (type & PERF_SAMPLE_TID)
		turn_members(&c, "44");
	turn_words(&c, __builtin_popcountll(type & (PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID)));
	if (type & PERF_SAMPLE_CPU)
		turn_members(&c, "44");
	turn_words(&c, !!(type & PERF_SAMPLE_PERIOD));
	if (type & PERF_SAMPLE_READ)
		turn_read(&c, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		turn_words(&c, turn_count(&c));
	if (type & PERF_SAMPLE_RAW)
		turn_raw(&c);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		turn_branches(&c, attr);
	if (type & PERF_SAMPLE_REGS_USER)
		turn_regs(&c, attr->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		turn_bytes(&c, true);
	turn_words(&c, __builtin_popcountll(type & (PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION)));
	if (type & PERF_SAMPLE_REGS_INTR)
		turn_regs(&c, attr->sample_regs_intr);
	turn_words(&c, __builtin_popcountll(type & (PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
						    PERF_SAMPLE_CODE_PAGE_SIZE)));
	if (type & PERF_SAMPLE_AUX)
		turn_bytes(&c, false);
}

static void turn_by_layout(const struct layouts *l, const struct perf_event_header *header, struct cursor c)
{
	const struct perf_event_attr *attr = l->first;
	int pos;
	u64 tail;

	if (header->type == PERF_RECORD_SAMPLE) {
		pos = sample__id_pos(attr->sample_type);
		if (pos >= 0 && c.left >= (pos + 1) * sizeof(u64))
			attr = layout_of(l, c.at + pos * sizeof(u64));
		turn_sample(attr, c);
		return;
	}
	if (header->type >= PERF_RECORD_HEADER_ATTR || !attr->sample_id_all)
		return;
	pos = sample_id__id_pos(attr->sample_type);
	if (pos > 0 && c.left >= pos * sizeof(u64))
		attr = layout_of(l, c.at + c.left - pos * sizeof(u64));
	tail = sample_id__size(attr);
	if (header->type == PERF_RECORD_READ && take(&c, 2 * sizeof(u32)))
		turn_read(&c, attr->read_format);
	if (take(&c, c.left > tail ? c.left - tail : 0))
		turn_tail(&c, attr->sample_type);
}

int swap__samples(void *data, u64 size, const struct perfdata_event *events, u32 nr)
{
	struct cursor c = { data, size }, body;
	struct perf_event_header header;
	struct layouts layouts = {};

	if (layouts__init(&layouts, events, nr))
		return -ENOMEM;
	while (next_record(&c, &header, &body, false))
		turn_by_layout(&layouts, &header, body);
	free(layouts.by_id);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/cpu-set.h"

#include <stdlib.h>
#include <string.h>
#include "util/lib/types.h"

#define MAX_CPUS (1 << 16) /* the numbers have 16 bits */

enum { FORM_LIST, FORM_MASK, FORM_RANGE };

struct cpu_bits {
	u64 word[MAX_CPUS / 64];
};

static void add(struct cpu_bits *bits, u32 cpu)
{
	if (cpu < MAX_CPUS)
		bits->word[cpu / 64] |= 1ULL << cpu % 64;
}

static bool has(const struct cpu_bits *bits, u32 cpu)
{
	return cpu < MAX_CPUS && bits->word[cpu / 64] >> cpu % 64 & 1;
}

static u16 read_u16(const u8 *data, size_t size, size_t at)
{
	u16 value = 0;

	if (at + sizeof(value) <= size)
		memcpy(&value, data + at, sizeof(value));
	return value;
}

/* u16 form, nr, then the numbers; (u16)-1 is no CPU */
static void read_list(struct cpu_bits *bits, const u8 *data, size_t size)
{
	u16 nr = read_u16(data, size, 2);

	for (size_t i = 0; i < nr && 4 + 2 * i + 2 <= size; i++) {
		if (read_u16(data, size, 4 + 2 * i) != (u16)-1)
			add(bits, read_u16(data, size, 4 + 2 * i));
	}
}

/* u16 form, number of words, bytes of a word (4 or 8), padding before words of 8 bytes, then the words, little endian */
static void read_mask(struct cpu_bits *bits, const u8 *data, size_t size)
{
	u16 nr = read_u16(data, size, 2), bytes = read_u16(data, size, 4);
	size_t start = bytes == 8 ? 8 : 6;

	for (size_t i = 0; i < (size_t)nr * bytes * 8 && start + i / 8 < size; i++) {
		if (data[start + i / 8] >> i % 8 & 1)
			add(bits, i);
	}
}

/* u16 form, a byte that says whether it includes "any", an unused byte, first, last */
static void read_range(struct cpu_bits *bits, const u8 *data, size_t size)
{
	if (size < 8)
		return;
	for (u32 cpu = read_u16(data, size, 4); cpu <= read_u16(data, size, 6); cpu++)
		add(bits, cpu);
}

static struct cpumap *list(const struct cpu_bits *bits)
{
	struct cpumap *cpus;
	int nr = 0;

	for (size_t i = 0; i < MAX_CPUS / 64; i++)
		nr += __builtin_popcountll(bits->word[i]);
	cpus = malloc(sizeof(*cpus) + nr * sizeof(cpus->cpu[0]));
	if (!cpus)
		return NULL;
	cpus->nr = 0;
	for (u32 cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (has(bits, cpu))
			cpus->cpu[cpus->nr++] = cpu;
	}
	return cpus;
}

struct cpumap *cpu_set__read(const void *data, size_t size)
{
	struct cpu_bits bits = {};

	switch (read_u16(data, size, 0)) {
	case FORM_LIST:
		read_list(&bits, data, size);
		break;
	case FORM_MASK:
		read_mask(&bits, data, size);
		break;
	case FORM_RANGE:
		read_range(&bits, data, size);
		break;
	}
	return list(&bits);
}

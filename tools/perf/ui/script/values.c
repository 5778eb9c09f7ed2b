// SPDX-License-Identifier: GPL-2.0
#include "ui/script/values.h"

#include <inttypes.h>
#include <time.h>

#include "util/perfdata/data-src.h"
#include "util/perfdata/reg-name.h"

#define NSEC 1000000000ULL
#define BPF_BYTES_PER_LINE 8
#define DATA_SRC_MAX 99 /* perf truncates at this length */

void script_value__regs(struct text *text, const char *arch, const u64 *regs, u64 abi, u64 mask)
{
	if (!regs)
		return;
	text__printf(text, " ABI:%" PRIu64 " ", abi);
	for (; mask; mask &= mask - 1) {
		text__str_right(text, reg_name(arch, __builtin_ctzll(mask)), 5);
		text__str(text, ":0x");
		text__hex(text, *regs++, 0);
		text__char(text, ' ');
	}
}

/* In perf's order: flags of two bits come with those of one. */
static void put_if(struct text *text, u16 misc, u16 bits, const char *letter)
{
	if ((misc & bits) == bits)
		text__str(text, letter);
}

void script_value__misc(struct text *text, u16 misc, u32 record_type)
{
	size_t start = text->len;

	put_if(text, misc, PERF_RECORD_MISC_KERNEL, "K");
	put_if(text, misc, PERF_RECORD_MISC_USER, "U");
	put_if(text, misc, PERF_RECORD_MISC_HYPERVISOR, "H");
	put_if(text, misc, PERF_RECORD_MISC_GUEST_KERNEL, "G");
	put_if(text, misc, PERF_RECORD_MISC_GUEST_USER, "g");
	if (record_type == PERF_RECORD_MMAP || record_type == PERF_RECORD_MMAP2)
		put_if(text, misc, PERF_RECORD_MISC_MMAP_DATA, "M");
	else if (record_type == PERF_RECORD_COMM)
		put_if(text, misc, PERF_RECORD_MISC_COMM_EXEC, "E");
	else if (record_type == PERF_RECORD_SWITCH || record_type == PERF_RECORD_SWITCH_CPU_WIDE)
		put_if(text, misc, PERF_RECORD_MISC_SWITCH_OUT,
		       misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? "Sp" : "S");
	do
		text__char(text, ' ');
	while (text->len - start < 6 && !text->failed);
}

void script_value__time_of_day(struct text *text, const struct perfdata_features *features, u64 time, bool ns)
{
	u64 tod = features->clock_tod_ns + (time - features->clock_ns); /* u64: also right for times before that moment */
	time_t seconds = tod / NSEC;
	char date[64];
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(date, sizeof(date), "%F %H:%M:%S", &tm))
		*date = '\0';
	text__str(text, date);
	text__char(text, '.');
	text__unsigned(text, ns ? tod % NSEC : tod % NSEC / 1000, ns ? 9 : 6, '0');
	text__char(text, ' ');
}

void script_value__data_src(struct text *text, u64 data_src, size_t *width)
{
	const union perf_mem_data_src src = { .val = data_src };
	char words[64];
	const char *outcome = data_src__level(src, words, sizeof(words));
	size_t start = text->len;

	text__hex(text, data_src, 16);
	text__printf(text, " |OP %s|LVL %s%s%s", data_src__op(src), words, strcmp(words, "N/A") ? " " : "", outcome);
	data_src__snoop(src, words, sizeof(words));
	text__printf(text, "|SNP %s", words);
	data_src__tlb(src, words, sizeof(words));
	text__printf(text, "|TLB %s|LCK %s|BLK %s", words, data_src__lock(src), data_src__block(src));
	if (text->len - start > DATA_SRC_MAX)
		text->len = start + DATA_SRC_MAX;
	if (*width < text->len - start)
		*width = text->len - start;
	while (text->len - start < *width && !text->failed)
		text__char(text, ' ');
}

void script_value__page_size(struct text *text, u64 size)
{
	const char *unit = "BKMG";

	if (!size) {
		text__str(text, " N/A");
		return;
	}
	for (; unit[1] && size / 1024 > 1; unit++)
		size /= 1024;
	text__char(text, ' ');
	text__unsigned(text, size, 0, ' ');
	text__char(text, *unit);
}

/* perf's isprint() uses Latin-1 */
static bool is_printable(u8 c)
{
	return (c >= 0x20 && c < 0x7f) || c >= 0xa0;
}

/* Is it a string: printable characters, then only NULs, at least one? */
static bool is_string(const u8 *bytes, u32 size)
{
	u32 len = 0;

	while (len < size && is_printable(bytes[len]))
		len++;
	if (len == size)
		return false;
	for (u32 i = len; i < size; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

void script_value__bpf_output(struct text *text, const void *raw, u32 size)
{
	const u8 *bytes = raw;

	text__char(text, '\n');
	for (u32 line = 0; line < size; line += BPF_BYTES_PER_LINE) {
		text__str_right(text, line ? "" : "BPF output:", 17);
		text__printf(text, " %04x:", line);
		for (u32 i = line; i < line + BPF_BYTES_PER_LINE; i++) {
			if (i < size)
				text__printf(text, " %02x", bytes[i]);
			else
				text__str(text, "   ");
		}
		text__str(text, "  ");
		for (u32 i = line; i < line + BPF_BYTES_PER_LINE; i++)
			text__char(text, i >= size ? ' ' : is_printable(bytes[i]) ? bytes[i] : '.');
		text__char(text, '\n');
	}
	if (is_string(bytes, size))
		text__printf(text, "%17s \"%s\"\n", "BPF string:", (const char *)raw);
}

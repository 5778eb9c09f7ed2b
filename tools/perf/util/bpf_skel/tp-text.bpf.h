/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * What arguments of a syscall point to, in the form of records of Linux 6.19 and newer (kernel/trace/trace_syscalls.c,
 * sys_fault_user()). The kernel waits for pages that are not present; programs cannot, and write what the kernel writes for
 * unreadable memory: no bytes.
 */
#ifndef PERF_BPF_TP_TEXT_BPF_H
#define PERF_BPF_TP_TEXT_BPF_H

#define TP_TEXT_DOTS "..."

struct tp_string {
	__u64 word[(TP_TEXT_LEN + 1) / 8 + 1]; /* one byte more than fits, to detect longer texts */
};

#define EACH_BYTE(b) (0x0101010101010101ULL * (b))

/*
 * Replace bytes that the kernel's isprint() refuses by dots: 0-0x1f, 0x7f-0x9f. Works on eight bytes at a time: computes a high bit
 * for each byte whose other bits are less than 0x20, or which is 0x7f.
 */
static __always_inline __u64 printable_word(__u64 word)
{
	const __u64 low = word & EACH_BYTE(0x7f);
	const __u64 bad = (~(low + EACH_BYTE(0x60)) | ((low + EACH_BYTE(1)) & ~word)) & EACH_BYTE(0x80);
	const __u64 mask = (bad >> 7) * 0xff;

	return (word & ~mask) | (EACH_BYTE('.') & mask);
}

/* Writes up to sizeof(struct tp_string) bytes. */
static __always_inline __u32 put_string(char *to, const void *from)
{
	struct tp_string string = {};
	long size = bpf_probe_read_user_str(&string, TP_TEXT_LEN + 2, from); /* including the NUL */

	if (size <= 0)
		return 0;
	for (int i = 0; i < sizeof(string) / sizeof(*string.word); i++)
		string.word[i] = printable_word(string.word[i]);
	if (size > TP_TEXT_LEN + 1) {
		bpf_probe_read_kernel(to, TP_TEXT_LEN, &string);
		__builtin_memcpy(to + TP_TEXT_LEN, TP_TEXT_DOTS, sizeof(TP_TEXT_DOTS));
		return TP_TEXT_LEN + sizeof(TP_TEXT_DOTS);
	}
	bpf_probe_read_kernel(to, size, &string);
	to[size - 1] = '\0';
	return size;
}

static __always_inline __u32 put_bytes(char *to, const void *from, __u64 size)
{
	if (size > TP_TEXT_LEN)
		size = TP_TEXT_LEN;
	if (!size || bpf_probe_read_user(to, size, from))
		return 0;
	return size;
}

/* Returns the number of bytes written, at most TP_TEXT_LEN + 4. value: the syscall's arguments. */
static __always_inline __u32 tp_text__put(char *to, const volatile struct tp_text *text, const __u64 *value)
{
	const void *from = (const void *)value[text->value];

	return text->size == TP_TEXT_ENDS ? put_string(to, from) : put_bytes(to, from, value[text->size]);
}

#endif

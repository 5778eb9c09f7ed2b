// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include "util/synth/private.h"

/* The kernel's data about a program with nr functions; the arrays have nr members. */
struct prog_text {
	struct bpf_prog_info info;
	u64 *address;
	u32 *size;
	u8 (*tag)[BPF_TAG_SIZE];
	struct bpf_func_info *func; /* NULL: no types, no names */
	struct btf *btf;
};

static void prog_text__exit(struct prog_text *t)
{
	btf__free(t->btf);
	free(t->address);
	free(t->size);
	free(t->tag);
	free(t->func);
}

/* The program's BTF has the names of functions. */
static int prog_text__ask_names(struct prog_text *t, u32 nr)
{
	if (t->info.nr_func_info != nr || t->info.func_info_rec_size != sizeof(*t->func) || !t->info.btf_id)
		return 0;
	t->btf = btf__load_from_kernel_by_id(t->info.btf_id);
	if (!t->btf)
		return 0;
	t->func = calloc(nr, sizeof(*t->func));
	return t->func ? 0 : -ENOMEM;
}

/* 0, -ENOMEM, or another error: the program is gone, or has no machine code. */
static int prog_text__read(struct prog_text *t, int fd)
{
	u32 size = sizeof(t->info), nr;

	if (bpf_obj_get_info_by_fd(fd, &t->info, &size))
		return -errno;
	nr = t->info.nr_jited_ksyms;
	if (!nr || t->info.nr_jited_func_lens != nr)
		return -ENOENT;
	t->address = calloc(nr, sizeof(*t->address));
	t->size = calloc(nr, sizeof(*t->size));
	t->tag = calloc(nr, sizeof(*t->tag));
	if (!t->address || !t->size || !t->tag || prog_text__ask_names(t, nr))
		return -ENOMEM;
	t->info = (struct bpf_prog_info){
		.nr_jited_ksyms = nr, .jited_ksyms = (u64)(uintptr_t)t->address,
		.nr_jited_func_lens = nr, .jited_func_lens = (u64)(uintptr_t)t->size,
		.nr_prog_tags = nr, .prog_tags = (u64)(uintptr_t)t->tag,
		.nr_func_info = t->func ? nr : 0, .func_info_rec_size = t->func ? sizeof(*t->func) : 0,
		.func_info = (u64)(uintptr_t)t->func,
	};
	size = sizeof(t->info);
	if (bpf_obj_get_info_by_fd(fd, &t->info, &size))
		return -errno;
	return t->info.nr_jited_ksyms == nr && t->info.nr_jited_func_lens == nr ? 0 : -ENOENT;
}

static const char *function_name(const struct prog_text *t, u32 i)
{
	const struct btf_type *type = t->func && t->info.nr_func_info > i ? btf__type_by_id(t->btf, t->func[i].type_id) : NULL;
	const char *name = type ? btf__name_by_offset(t->btf, type->name_off) : NULL;

	if (name && *name)
		return name;
	return i ? "F" : t->info.name;
}

/* As the kernel names them (kernel/bpf/core.c, bpf_get_prog_name) */
static void symbol_name(const struct prog_text *t, u32 i, char *name, size_t size)
{
	const u8 *tag = i < t->info.nr_prog_tags ? t->tag[i] : t->info.tag;
	const char *function = function_name(t, i);
	size_t len = snprintf(name, size, "bpf_prog_");

	for (u32 b = 0; b < BPF_TAG_SIZE; b++)
		len += snprintf(name + len, size - len, "%02x", tag[b]);
	if (*function)
		snprintf(name + len, size - len, "_%s", function);
}

static int synth__prog(struct synth *synth, const struct prog_text *t)
{
	struct {
		struct perf_event_header header;
		u16 type, flags;
		u32 id;
		u8 tag[BPF_TAG_SIZE];
	} event = { .header = { .type = PERF_RECORD_BPF_EVENT }, .type = PERF_BPF_EVENT_PROG_LOAD, .id = t->info.id };
	char name[256];
	int ret = 0;

	for (u32 i = 0; i < t->info.nr_jited_ksyms && !ret; i++) {
		struct record_ksymbol symbol = { .header = { .type = PERF_RECORD_KSYMBOL }, .addr = t->address[i], .len = t->size[i],
						 .ksym_type = PERF_RECORD_KSYMBOL_TYPE_BPF };

		if (!symbol.addr) /* hidden from this user */
			return 0;
		symbol_name(t, i, name, sizeof(name));
		ret = synth__add(synth, &symbol, offsetof(struct record_ksymbol, name), name, strlen(name), 0, 0);
	}
	memcpy(event.tag, t->info.tag, sizeof(event.tag));
	return ret ? ret : synth__add(synth, &event, sizeof(event), NULL, 0, 0, 0);
}

int synth__bpf_progs(struct synth *synth)
{
	u32 id = 0;
	int ret = 0;

	/* Without the privilege to list programs, at least future ones are recorded. */
	while (synth->attr.bpf_event && !ret && !bpf_prog_get_next_id(id, &id)) {
		int fd = bpf_prog_get_fd_by_id(id);
		struct prog_text text = {};

		if (fd < 0) {
			ret = fs__own_error(fd);
			continue;
		}
		ret = prog_text__read(&text, fd);
		ret = ret ? fs__own_error(ret) : synth__prog(synth, &text);
		prog_text__exit(&text);
		close(fd);
	}
	return ret;
}

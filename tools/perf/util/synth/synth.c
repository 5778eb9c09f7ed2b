// SPDX-License-Identifier: GPL-2.0
#include "util/synth/synth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/perfdata/sample.h"
#include "util/synth/private.h"

#define BUF_SIZE (128 * 1024)
#define MAX_RECORD 65528 /* header.size has 16 bits; records are multiples of 8 bytes */

int synth__new(const struct synth_opts *opts, struct synth **out, struct errmsg *err)
{
	struct synth *synth = calloc(1, sizeof(*synth));

	if (!synth)
		goto out_of_memory;
	synth->opts = *opts;
	if (!synth->opts.proc)
		synth->opts.proc = "/proc";
	if (!synth->opts.sys)
		synth->opts.sys = "/sys";
	synth->attr = *opts->attr;
	synth->tail_size = opts->attr->sample_id_all ? sample_id__size(opts->attr) : 0;
	synth->buf = malloc(BUF_SIZE);
	synth->build_ids = opts->build_ids ? build_ids__new(opts->kept) : NULL;
	if (!synth->buf || (opts->build_ids && !synth->build_ids))
		goto out_of_memory;
	if (synth->build_ids && opts->names)
		build_ids__find_interpreters(synth->build_ids);
	*out = synth;
	return 0;
out_of_memory:
	synth__delete(synth);
	return errmsg__set(err, ENOMEM, "out of memory for the records of running tasks");
}

void synth__delete(struct synth *synth)
{
	if (!synth)
		return;
	build_ids__delete(synth->build_ids);
	fs_text__exit(&synth->text);
	free(synth->buf);
	free(synth);
}

u32 synth__nr_closed(const struct synth *synth)
{
	return synth->nr_closed;
}

bool synth__kernel_is_hidden(const struct synth *synth)
{
	return synth->kernel_hidden;
}

int synth__flush(struct synth *synth)
{
	size_t used = synth->used;

	synth->used = 0;
	return used ? synth->opts.write(synth->opts.data, synth->buf, used) : 0;
}

int synth__add(struct synth *synth, void *record, size_t base_size, const char *name, size_t name_len, u32 pid, u32 tid)
{
	struct perf_sample id = { .pid = pid, .tid = tid, .id = synth->opts.id };
	struct perf_event_header *header = record;
	size_t max_name = MAX_RECORD - base_size - synth->tail_size - 8, name_size = 0;
	char *dst;
	int ret;

	if (name) {
		name_len = name_len < max_name ? name_len : max_name;
		name_size = ALIGN_UP(name_len + 1, 8);
	}
	header->size = base_size + name_size + synth->tail_size;
	if (synth->used + header->size > BUF_SIZE) {
		ret = synth__flush(synth);
		if (ret < 0)
			return ret;
	}
	dst = synth->buf + synth->used;
	memset(dst, 0, header->size);
	memcpy(dst, record, base_size);
	if (name)
		memcpy(dst + base_size, name, name_len);
	if (synth->tail_size)
		sample_id__encode(dst + base_size + name_size, &synth->attr, &id);
	synth->used += header->size;
	return 0;
}

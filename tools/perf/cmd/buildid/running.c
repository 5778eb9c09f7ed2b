// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "buildid"
#include "cmd/buildid/running.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/lib/log.h"
#include "util/perfdata/record.h"
#include "util/symbol/symtab.h"
#include "util/synth/synth.h"

#define KERNEL "[kernel.kallsyms]"

int running_kernel__print_id(void)
{
	struct build_id id;
	char hex[41];
	int ret = build_id__read(NULL, &id);

	if (ret)
		pr_err("The running kernel's build-id cannot be read from /sys/kernel/notes: %s\n", strerror(-ret));
	else
		printf("%s\n", build_id__str(&id, hex));
	return ret;
}

static void print_map(const struct record_mmap2 *map, u64 kernel_end)
{
	bool is_kernel = !strncmp(map->filename, KERNEL, strlen(KERNEL)); /* the name of a symbol follows */
	struct build_id id = { .size = map->build_id_size };
	char hex[41];

	memcpy(id.data, map->build_id, sizeof(id.data));
	printf("%s %16llx %16llx %s\n", build_id__str(&id, hex), (unsigned long long)map->start,
	       (unsigned long long)(is_kernel && kernel_end ? kernel_end : map->start + map->len), is_kernel ? KERNEL : map->filename);
}

static int print_maps(void *data, const void *records, size_t size)
{
	const u64 *kernel_end = data;
	const union perf_record *record;

	for (size_t at = 0; at < size; at += record->header.size) {
		record = (const void *)((const char *)records + at);
		if (record->header.type == PERF_RECORD_MMAP2)
			print_map(&record->mmap2, *kernel_end);
	}
	return 0;
}

int running_kernel__print_maps(void)
{
	static const char *const end = "_etext";
	const struct perf_event_attr attr = {};
	u64 kernel_end = 0;
	const struct synth_opts opts = { .attr = &attr, .build_ids = true, .write = print_maps, .data = &kernel_end };
	struct synth *synth;
	struct errmsg err;
	int ret = synth__new(&opts, &synth, &err);

	if (ret) {
		pr_err("The kernel's maps cannot be read: %s\n", err.text);
		return ret;
	}
	kallsyms__lookup(NULL, &end, &kernel_end, 1);
	ret = synth__kernel(synth);
	ret = ret ?: synth__flush(synth);
	if (!ret && synth__kernel_is_hidden(synth))
		pr_warn("The kernel hides its addresses from this user (kernel.kptr_restrict): they are 0.\n");
	if (ret)
		pr_err("The kernel's maps cannot be read: %s\n", strerror(-ret));
	synth__delete(synth);
	return ret;
}

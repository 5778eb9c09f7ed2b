// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "shared-program"
#include "util/judge/shared-program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/kernel-btf.h"
#include "util/bpf/programs.h"
#include "util/lib/log.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/old-kernel.h"
#include "util/judge/program-table.h"

static int try_load(const struct bpf_image *image, const char *prog, struct shared_program *program)
{
	struct bpf_programs *p = bpf_programs__open(image);
	int ret;

	if (!p)
		return -ENOMEM;
	/* A failure does not matter: the writer of a table has called old_kernel__refuses(). */
	if (bpf_programs__has_var(p, "filter_offsets"))
		kernel_btf__filter_offsets(bpf_programs__var(p, "filter_offsets", NULL));
	ret = bpf_programs__load(p);
	if (!ret) {
		program->prog_fd = bpf_programs__take_prog(p, prog);
		program->table_fd = bpf_programs__take_map(p, "shared_table");
		program->counts_fd = bpf_programs__take_map(p, "shared_counts");
	}
	bpf_programs__delete(p);
	return ret;
}

/* The program for old kernels always looks up files, as it does not know the future tables. */
static bool cannot_find_files(void)
{
	return !*bpf_filter__missing_capabilities() && kernel_offer__probe(KERNEL_BTF) == KERNEL_HAS &&
	       kernel_offer__probe(KERNEL_FIND_VMA) == KERNEL_LACKS;
}

/* Kernels before 6.9 refuse the loop of the first program; the others take about ten times as long to load. */
int shared_program__load(struct shared_program *program, struct errmsg *err)
{
	char why[256];
	int ret;

	*program = (struct shared_program){ -1, -1, -1 };
	ret = try_load(&bpf_image_filter_shared, "shared_filter", program);
	if (ret && ret != -ENOMEM && ret != -EPERM) {
		bool old = old_kernel__is();

		if (old && cannot_find_files())
			return errmsg__set(err, EOPNOTSUPP, "Filters of users without privilege need %s.",
					   kernel_offer__explain(KERNEL_FIND_VMA, why, sizeof(why)));
		pr_debug("the shared program is refused (%s): trying that for kernels before %s\n", strerror(-ret),
			 old ? "6.3" : "6.9");
		ret = old ? try_load(&bpf_image_filter_shared_old, "shared_filter_o", program)
			  : try_load(&bpf_image_filter_shared_bounded, "shared_filter", program);
	}
	return ret ? bpf_filter__explain_load(-ret, err) : 0;
}

/* Use its name, which any user can read fast: reading the kernel's types takes 20 ms. */
bool shared_program__is_old(int prog_fd)
{
	struct bpf_prog_info info = { 0 };
	u32 size = sizeof(info);

	return !bpf_obj_get_info_by_fd(prog_fd, &info, &size) && !strcmp(info.name, "shared_filter_o");
}

void shared_program__close(const struct shared_program *program)
{
	close(program->prog_fd);
	close(program->table_fd);
	close(program->counts_fd);
}

int shared_program__check(int prog_fd, const struct filter_table *table, struct errmsg *err)
{
	struct bpf_programs *p = bpf_programs__open(shared_program__is_old(prog_fd) ? &bpf_image_filter_shared_old : &bpf_image_filter_shared);
	struct filter_table *prepared = NULL;
	int ret = p ? program_table__new(table, &prepared, err) : -ENOMEM;

	if (!ret)
		ret = program_table__check(prepared, p, err);
	free(prepared);
	bpf_programs__delete(p);
	return ret;
}

int shared_program__write(int table_fd, const struct filter_table *table, u64 epoch)
{
	struct filter_shared_table *shared = calloc(1, sizeof(*shared));
	struct filter_table *prepared = malloc(sizeof(*prepared));
	u32 key = 0;
	int ret = -ENOMEM;

	if (shared && prepared) {
		program_table__prepare(table, prepared);
		shared->epoch = epoch;
		memcpy(shared->entry, prepared->entry, sizeof(shared->entry));
		shared->words = prepared->words;
		ret = bpf_map_update_elem(table_fd, &key, shared, BPF_ANY);
	}
	free(prepared);
	free(shared);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A light skeleton is a BPF program, the loader, that calls bpf(2) with attributes in the skeleton's data. The libbpf that generated
 * it makes the loader pass CO-RE relocations (Linux 5.17) for each program, even without any, and older kernels return E2BIG for an
 * unknown attribute unless it is 0. It also makes the loader create each map, even one that the skeleton has a descriptor of already,
 * because it is shared with another skeleton. The loader is changed for both before it runs.
 */
#include "util/bpf/skeleton-run.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/loader-run.h"
#include "util/bpf/token.h"
#include "util/lib/types.h"

#define TRIES 100 /* of loading; a signal seldom comes in one of them */

/* What libbpf's gen_loader.c emits for a call: command, address of the attributes in the data (two slots), their size, the call */
enum {
	CALL_COMMAND,
	CALL_ADDRESS,
	CALL_OFFSET,
	CALL_SIZE,
	CALL_CALL,
	CALL_LENGTH,
};

static bool is_move(const struct bpf_insn *insn, u8 reg)
{
	return insn->code == (BPF_ALU64 | BPF_MOV | BPF_K) && insn->dst_reg == reg;
}

static bool is_call(const struct bpf_insn *insn, s32 command)
{
	return is_move(&insn[CALL_COMMAND], BPF_REG_1) && insn[CALL_COMMAND].imm == command &&
	       insn[CALL_ADDRESS].code == (BPF_LD | BPF_IMM | BPF_DW) && insn[CALL_ADDRESS].dst_reg == BPF_REG_2 &&
	       is_move(&insn[CALL_SIZE], BPF_REG_3) && insn[CALL_CALL].code == (BPF_JMP | BPF_CALL) &&
	       insn[CALL_CALL].imm == BPF_FUNC_sys_bpf;
}

static bool has_relocations(const char *data, size_t data_size, u32 offset)
{
	const size_t end = offsetofend(union bpf_attr, core_relo_cnt);
	union bpf_attr attr;

	if (offset > data_size || end > data_size - offset)
		return true;
	memcpy(&attr, data + offset, end);
	return attr.core_relo_cnt;
}

bool skeleton__fit_old_kernel(const void *data, size_t data_size, void *insns, size_t insns_size)
{
	const size_t known = offsetofend(union bpf_attr, fd_array); /* what Linux 5.14 to 5.16 know */
	struct bpf_insn *insn = insns;
	size_t nr = insns_size / sizeof(*insn);
	bool fits = false;

	for (size_t i = 0; i + CALL_LENGTH <= nr; i++) {
		if (!is_call(&insn[i], BPF_PROG_LOAD) || insn[i + CALL_SIZE].imm <= (s32)known)
			continue;
		if (has_relocations(data, data_size, insn[i + CALL_OFFSET].imm))
			return false;
		insn[i + CALL_SIZE].imm = known;
		fits = true;
	}
	return fits;
}

/* Before it creates a map of a skeleton, it reads the number of entries there: five slots, the first of which is the read. */
#define READ_LENGTH 5

int *skeleton__map_fd(const struct bpf_loader_ctx *ctx, const struct bpf_insn *insn, size_t nr, size_t call)
{
	const struct bpf_insn *read = call >= READ_LENGTH ? &insn[call - READ_LENGTH] : NULL;
	long desc;

	if (call + CALL_LENGTH > nr || !is_call(&insn[call], BPF_MAP_CREATE) || !read || read->src_reg != BPF_REG_6 ||
	    read->code != (BPF_LDX | BPF_MEM | BPF_W) || read[1].code != (BPF_JMP | BPF_JEQ | BPF_K))
		return NULL;
	desc = read->off - (long)offsetof(struct bpf_map_desc, max_entries);
	if (desc < (long)sizeof(*ctx) || desc + sizeof(struct bpf_map_desc) > ctx->sz)
		return NULL;
	return &((struct bpf_map_desc *)((char *)ctx + desc))->map_fd;
}

static u32 map_id(int fd)
{
	struct bpf_map_info info = { 0 };
	u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) ? 0 : info.id;
}

struct shared_map {
	int fd;	  /* of the skeleton */
	int copy; /* that the loader gets */
};

struct loader {
	struct bpf_load_and_run_opts opts;
	struct bpf_insn *insn;
	struct shared_map map[SKELETON_MAX_SHARED];
	unsigned int nr_maps;
};

/* A loader that fails closes the maps that it has come to. */
static void loader__close_copies(const struct loader *l)
{
	for (unsigned int i = 0; i < l->nr_maps; i++) {
		if (map_id(l->map[i].copy) == map_id(l->map[i].fd))
			close(l->map[i].copy);
	}
}

/* Instead of the call that creates the map, it loads the copy. */
static int loader__share_map(struct loader *l, struct bpf_insn *call, int fd)
{
	int copy = l->nr_maps < SKELETON_MAX_SHARED ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;

	if (copy < 0)
		return l->nr_maps < SKELETON_MAX_SHARED ? -errno : -E2BIG;
	l->map[l->nr_maps++] = (struct shared_map){ fd, copy };
	*call = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = copy };
	return 0;
}

static int loader__share_maps(struct loader *l)
{
	const size_t nr = l->opts.insns_sz / sizeof(*l->insn);
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		const int *fd = skeleton__map_fd(l->opts.ctx, l->insn, nr, i);

		if (fd && *fd > 0)
			ret = loader__share_map(l, &l->insn[i + CALL_CALL], *fd);
	}
	return ret;
}

static int run(struct bpf_load_and_run_opts *opts)
{
	struct loader l = { .opts = *opts, .insn = malloc(opts->insns_sz) };
	int ret;

	if (!l.insn)
		return -ENOMEM;
	memcpy(l.insn, opts->insns, opts->insns_sz);
	l.opts.insns = l.insn;
	ret = loader__share_maps(&l) ?: bpf_token__used() ? loader__run(&l.opts) : bpf_load_and_run(&l.opts);
	opts->errstr = l.opts.errstr;
	if (ret < 0)
		loader__close_copies(&l);
	free(l.insn);
	return ret;
}

static int run_fitted(struct bpf_load_and_run_opts *opts)
{
	struct bpf_load_and_run_opts fitted = *opts;
	void *insns = malloc(opts->insns_sz);
	int ret = -E2BIG;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, opts->insns, opts->insns_sz);
	if (skeleton__fit_old_kernel(opts->data, opts->data_sz, insns, opts->insns_sz)) {
		fitted.insns = insns;
		ret = run(&fitted);
		opts->errstr = fitted.errstr;
	}
	free(insns);
	return ret;
}

/* The verifier also returns E2BIG for programs that are too long; trying those twice does no harm. */
static int run_once(struct bpf_load_and_run_opts *opts)
{
	int ret = run(opts);

	return ret == -E2BIG ? run_fitted(opts) : ret;
}

/* The verifier gives up with EAGAIN when a signal comes, also one that stops or continues the process: then it is called again. */
int skeleton__run(struct bpf_load_and_run_opts *opts)
{
	int ret;

	for (int i = 0; i < TRIES; i++) {
		ret = run_once(opts);
		if (ret != -EAGAIN)
			break;
	}
	return ret;
}

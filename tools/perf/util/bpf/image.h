/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The BPF programs that are built into perf. An image is built from one source of util/bpf_skel: programs, maps and variables, each
 * with its name in that source. The makefile makes one from each light skeleton (bpf_skel.mak); images.h lists them.
 */
#ifndef PERF_BPF_IMAGE_H
#define PERF_BPF_IMAGE_H

#include <stddef.h>

struct bpf_image_part {
	const char *name;
	size_t offset; /* map or program: of its struct bpf_map_desc or bpf_prog_desc in the skeleton; variable: in its section */
	size_t size;   /* for variables */
};

struct bpf_image_section { /* a section of variables */
	size_t offset; /* of its pointer in the skeleton */
	const struct bpf_image_part *vars; /* ends with a row without a name, as do the next arrays */
};

struct bpf_image {
	const char *name;
	const struct bpf_image_part *maps, *progs;
	const struct bpf_image_section *sections; /* ends with a row without vars */
	/* The skeleton: its first member is a struct bpf_loader_ctx. */
	void *(*open)(void);	/* NULL: no memory is left */
	int (*load)(void *skel); /* -errno */
	void (*destroy)(void *skel);
};

#endif

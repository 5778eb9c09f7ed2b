/* SPDX-License-Identifier: GPL-2.0 */
/* The dsos of a machine, one for each name, kind and build-id, and the build-ids that a file's header has for names. */
#ifndef PERF_MACHINE_DSO_H
#define PERF_MACHINE_DSO_H

#include <stdbool.h>
#include "util/lib/hash-index.h"
#include "util/machine/machine.h"

#define DSO_KINDS (DSO_BPF + 1)
#define KERNEL_DSO_NAME "[kernel.kallsyms]"

struct dsos {
	struct dso_node **node; /* in the order of their creation */
	u32 nr, alloc;
	struct hash_index by_key; /* of node */
	struct noted_id *ids;
};

/* May the path be that of a jitdump file? "/tmp/jit-1234.dump" */
bool dso_name__is_jitdump(const char *name);

void dsos__exit(struct dsos *dsos, void (*priv_free)(struct dso *dso));

/* Get the dso with that name and build-id (NULL: the one noted for the name, if any), or create it. NULL: -ENOMEM. */
struct dso *dsos__get(struct dsos *dsos, const char *name, enum dso_kind kind, const struct build_id *id);

/* Note the build-id of a name, for present and future dsos that were recorded without one. 0 or -ENOMEM. */
int dsos__note_build_id(struct dsos *dsos, const char *name, const struct build_id *id);

int dsos__for_each(struct dsos *dsos, int (*cb)(struct dso *dso, void *data), void *data);

#endif

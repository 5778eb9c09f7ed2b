// SPDX-License-Identifier: GPL-2.0
#include "util/machine/dso.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/array.h"
#include "util/lib/hash-index.h"
#include "util/lib/hash.h"
#include "util/lib/printable.h"

struct dso_key { /* what tells dsos apart */
	const char *name;
	enum dso_kind kind;
	struct build_id id; /* as recorded */
};

struct dso_node {
	struct dso dso;
	struct build_id recorded_id;
};

struct noted_id {
	UT_hash_handle hh;
	struct build_id id;
	char name[];
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "/lib/modules/6.1.0/kernel/fs/nf-x.ko.xz" -> "[nf_x]": the kernel spells module names with '_' only. */
static char *module_short_name(const char *name)
{
	const char *base = base_name(name), *end = strstr(base, ".ko");
	char *s;

	if (base[0] == '[')
		return strdup(base);
	if (asprintf(&s, "[%.*s]", (int)(end ? (size_t)(end - base) : strlen(base)), base) < 0)
		return NULL;
	for (char *p = s; *p; p++) {
		if (*p == '-')
			*p = '_';
	}
	return s;
}

bool dso_name__is_jitdump(const char *name)
{
	const char *base = strrchr(name, '/');
	int pid, used = 0;

	if (!base || strncmp(base, "/jit-", 5)) /* of each map: without sscanf(3) */
		return false;
	return sscanf(base, "/jit-%d.dump%n", &pid, &used) == 1 && used && !base[used] && pid > 0;
}

/* The PID of "/tmp/perf-1234.map", which has the names of code that a JIT compiler made in memory without a file; 0: it is another name */
static int pid_of_jit_map(const char *name)
{
	int pid, used = 0;

	return sscanf(name, "/tmp/perf-%d.map%n", &pid, &used) == 1 && used && !name[used] ? pid : 0;
}

static char *short_name(const char *name, enum dso_kind kind)
{
	int pid = kind == DSO_USER ? pid_of_jit_map(name) : 0;
	char *s;

	if (kind == DSO_MODULE)
		return module_short_name(name);
	if (pid)
		return asprintf(&s, "[JIT] tid %d", pid) < 0 ? NULL : s;
	return strdup(kind == DSO_USER ? base_name(name) : name);
}

static void dso_node__delete(struct dso_node *node)
{
	if (!node)
		return;
	free(node->dso.name);
	free(node->dso.shown);
	free(node->dso.short_name);
	free(node);
}

static struct dso_node *dso_node__new(const struct dso_key *key)
{
	struct dso_node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	node->recorded_id = key->id;
	node->dso.kind = key->kind;
	node->dso.name = strdup(key->name);
	node->dso.shown = strdup(key->name);
	node->dso.short_name = short_name(key->name, key->kind);
	node->dso.is_generated = key->kind == DSO_USER && pid_of_jit_map(key->name);
	node->dso.is_jitdump = key->kind == DSO_USER && dso_name__is_jitdump(key->name);
	if (!node->dso.name || !node->dso.shown || !node->dso.short_name) {
		dso_node__delete(node);
		return NULL;
	}
	printable__clean(node->dso.shown);
	printable__clean(node->dso.short_name);
	node->dso.name_hash = hash_text(node->dso.short_name);
	return node;
}

static struct dso_key dso_key(const char *name, enum dso_kind kind, const struct build_id *id)
{
	struct dso_key key = { .name = name, .kind = kind };

	if (id) {
		key.id.size = id->size;
		memcpy(key.id.data, id->data, id->size);
	}
	return key;
}

static u32 dso_key__hash(const struct dso_key *key)
{
	u64 hash = hash_mix(hash_text(key->name), key->kind), start;

	memcpy(&start, key->id.data, sizeof(start)); /* a build-id is a hash itself */
	return hash_mix(hash, start);
}

void dsos__exit(struct dsos *dsos, void (*priv_free)(struct dso *dso))
{
	struct noted_id *noted, *next;

	for (u32 i = 0; i < dsos->nr; i++) {
		struct dso_node *node = dsos->node[i];

		if (node->dso.priv && priv_free)
			priv_free(&node->dso);
		dso_node__delete(node);
	}
	free(dsos->node);
	hash_index__exit(&dsos->by_key);
	HASH_ITER(hh, dsos->ids, noted, next) {
		HASH_DEL(dsos->ids, noted);
		free(noted);
	}
}

static const struct build_id *dsos__noted_id(struct dsos *dsos, const char *name)
{
	struct noted_id *noted;

	HASH_FIND_STR(dsos->ids, name, noted);
	return noted ? &noted->id : NULL;
}

static struct dso_node *dsos__find(const struct dsos *dsos, const struct dso_key *key, u32 hash)
{
	const struct hash_slot *slot;
	u32 i = hash;

	while ((slot = hash_index__next(&dsos->by_key, hash, &i))) {
		struct dso_node *node = dsos->node[slot->place - 1];

		if (node->dso.kind == key->kind && !memcmp(&node->recorded_id, &key->id, sizeof(key->id)) && !strcmp(node->dso.name, key->name))
			return node;
	}
	return NULL;
}

static bool reserve_node(struct dsos *dsos)
{
	return !array__grow(dsos->node, dsos->nr, dsos->alloc);
}

static struct dso_node *dsos__add(struct dsos *dsos, const struct dso_key *key, u32 hash)
{
	struct dso_node *node = reserve_node(dsos) ? dso_node__new(key) : NULL;
	const struct build_id *id = key->id.size ? &key->id : dsos__noted_id(dsos, key->name);

	if (!node)
		return NULL;
	if (hash_index__add(&dsos->by_key, hash, dsos->nr)) {
		dso_node__delete(node);
		return NULL;
	}
	if (id)
		node->dso.build_id = *id;
	node->dso.index = dsos->nr;
	return dsos->node[dsos->nr++] = node;
}

struct dso *dsos__get(struct dsos *dsos, const char *name, enum dso_kind kind, const struct build_id *id)
{
	const struct dso_key key = dso_key(name, kind, id);
	u32 hash = dso_key__hash(&key);
	struct dso_node *node = dsos__find(dsos, &key, hash) ?: dsos__add(dsos, &key, hash);

	return node ? &node->dso : NULL;
}

static int dsos__set_noted(struct dsos *dsos, const char *name, const struct build_id *id)
{
	struct noted_id *noted;

	HASH_FIND_STR(dsos->ids, name, noted);
	if (!noted) {
		noted = calloc(1, sizeof(*noted) + strlen(name) + 1);
		if (!noted)
			return -ENOMEM;
		strcpy(noted->name, name);
		HASH_ADD_STR(dsos->ids, name, noted);
		if (!hash_added(noted)) {
			free(noted);
			return -ENOMEM;
		}
	}
	noted->id = *id;
	return 0;
}

int dsos__note_build_id(struct dsos *dsos, const char *name, const struct build_id *id)
{
	for (int kind = 0; kind < DSO_KINDS; kind++) {
		const struct dso_key key = dso_key(name, kind, NULL);
		struct dso_node *node = dsos__find(dsos, &key, dso_key__hash(&key));

		if (node)
			node->dso.build_id = *id;
	}
	return dsos__set_noted(dsos, name, id);
}

int dsos__for_each(struct dsos *dsos, int (*cb)(struct dso *dso, void *data), void *data)
{
	int rc = 0;

	for (u32 i = 0; i < dsos->nr && !rc; i++)
		rc = cb(&dsos->node[i]->dso, data);
	return rc;
}

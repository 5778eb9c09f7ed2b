// SPDX-License-Identifier: GPL-2.0
#include "util/machine/dso.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/hash-index.h"
#include "util/lib/hash.h"
#include "util/lib/printable.h"

struct dso_node {
	struct dso dso;
	UT_hash_handle hh;
	size_t key_len;
	char key[]; /* the name with its NUL, a byte for the kind, then the build-id as recorded */
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

static char *short_name(const char *name, enum dso_kind kind)
{
	int pid, used = 0;
	char *s;

	if (kind == DSO_MODULE)
		return module_short_name(name);
	if (kind == DSO_USER && sscanf(name, "/tmp/perf-%d.map%n", &pid, &used) == 1 && used && !name[used])
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

static struct dso_node *dso_node__new(const char *key, size_t key_len, enum dso_kind kind)
{
	struct dso_node *node = calloc(1, sizeof(*node) + key_len);

	if (!node)
		return NULL;
	memcpy(node->key, key, key_len);
	node->key_len = key_len;
	node->dso.kind = kind;
	node->dso.name = strdup(key);
	node->dso.shown = strdup(key);
	node->dso.short_name = short_name(key, kind);
	node->dso.is_jitdump = kind == DSO_USER && dso_name__is_jitdump(key);
	if (!node->dso.name || !node->dso.shown || !node->dso.short_name) {
		dso_node__delete(node);
		return NULL;
	}
	printable__clean(node->dso.shown);
	printable__clean(node->dso.short_name);
	node->dso.name_hash = hash_text(node->dso.short_name);
	return node;
}

static char *dso_key(const char *name, enum dso_kind kind, const struct build_id *id, size_t *len)
{
	size_t name_size = strlen(name) + 1, id_size = id ? id->size : 0;
	char *key = malloc(name_size + 1 + id_size);

	if (!key)
		return NULL;
	memcpy(key, name, name_size);
	key[name_size] = kind;
	if (id_size)
		memcpy(key + name_size + 1, id->data, id_size);
	*len = name_size + 1 + id_size;
	return key;
}

void dsos__exit(struct dsos *dsos, void (*priv_free)(struct dso *dso))
{
	struct dso_node *node, *tmp;
	struct noted_id *noted, *next;

	HASH_ITER(hh, dsos->nodes, node, tmp) {
		HASH_DEL(dsos->nodes, node);
		if (node->dso.priv && priv_free)
			priv_free(&node->dso);
		dso_node__delete(node);
	}
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

static struct dso_node *dsos__add(struct dsos *dsos, const char *key, size_t key_len, enum dso_kind kind)
{
	struct dso_node *node = dso_node__new(key, key_len, kind);

	if (!node)
		return NULL;
	HASH_ADD(hh, dsos->nodes, key[0], key_len, node);
	if (!hash_added(node)) {
		dso_node__delete(node);
		return NULL;
	}
	node->dso.index = HASH_COUNT(dsos->nodes) - 1;
	return node;
}

struct dso *dsos__get(struct dsos *dsos, const char *name, enum dso_kind kind, const struct build_id *id)
{
	struct dso_node *node;
	size_t key_len;
	char *key = dso_key(name, kind, id, &key_len);

	if (!key)
		return NULL;
	HASH_FIND(hh, dsos->nodes, key, key_len, node);
	if (!node) {
		node = dsos__add(dsos, key, key_len, kind);
		if (!id || !id->size)
			id = dsos__noted_id(dsos, name);
		if (node && id)
			node->dso.build_id = *id;
	}
	free(key);
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
		struct dso_node *node;
		size_t key_len;
		char *key = dso_key(name, kind, NULL, &key_len);

		if (!key)
			return -ENOMEM;
		HASH_FIND(hh, dsos->nodes, key, key_len, node);
		free(key);
		if (node)
			node->dso.build_id = *id;
	}
	return dsos__set_noted(dsos, name, id);
}

int dsos__for_each(struct dsos *dsos, int (*cb)(struct dso *dso, void *data), void *data)
{
	struct dso_node *node, *tmp;
	int rc = 0;

	HASH_ITER(hh, dsos->nodes, node, tmp) {
		rc = cb(&node->dso, data);
		if (rc)
			break;
	}
	return rc;
}

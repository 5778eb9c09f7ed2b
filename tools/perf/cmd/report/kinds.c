// SPDX-License-Identifier: GPL-2.0
#include "cmd/report/kinds.h"

#include <errno.h>
#include <stdlib.h>

#include "util/lib/hash.h"

/* A thread together with its name: the owner of kinds by thread */
struct thread_name {
	struct thread_name_key {
		const struct thread *thread;
		const char *comm;
	} key;
	UT_hash_handle hh;
};

int report_kinds__init(struct report_kinds *k, bool by_function, stack_counts_cb cb, void *data)
{
	k->counts = stack_counts__new(cb, data);
	k->by_function = by_function;
	return k->counts ? 0 : -ENOMEM;
}

void report_kinds__exit(struct report_kinds *k)
{
	struct thread_name *name, *next;

	stack_counts__delete(k->counts);
	k->counts = NULL;
	HASH_ITER(hh, k->names, name, next) {
		HASH_DEL(k->names, name);
		free(name);
	}
	k->last_name = NULL;
}

static bool is_of(const struct thread_name *name, const struct thread *thread)
{
	return name && name->key.thread == thread && name->key.comm == thread->comm;
}

static struct thread_name *add_name(struct report_kinds *k, const struct thread_name_key *key)
{
	struct thread_name *name = calloc(1, sizeof(*name));

	if (!name)
		return NULL;
	name->key = *key;
	HASH_ADD(hh, k->names, key, sizeof(name->key), name);
	if (hash_added(name))
		return name;
	free(name);
	return NULL;
}

const void *report_kinds__owner(struct report_kinds *k, const struct thread *thread)
{
	const struct thread_name_key key = { thread, thread->comm };
	struct thread_name *name;

	if (!k->max_threads)
		return thread->comm;
	if (is_of(k->last_name, thread))
		return k->last_name;
	HASH_FIND(hh, k->names, &key, sizeof(key), name);
	if (!name && HASH_COUNT(k->names) >= k->max_threads)
		return thread->comm;
	k->last_name = name ?: add_name(k, &key);
	return k->last_name;
}

static struct sample_kind kind_of(struct report_kinds *k, const struct session_brief *brief, u64 identity)
{
	const void *owner = k->max_threads ? report_kinds__owner(k, brief->thread) : brief->thread->comm;

	return (struct sample_kind){ .owner = owner, .place = stack_place(brief->ids.place, identity), .callers = brief->ids.callers };
}

int report_kinds__seen(struct report_kinds *k, struct session *s, struct session_brief *brief)
{
	u32 handle = brief->known;

	if (!handle) {
		k->last = kind_of(k, brief, k->by_function ? session__identity(s, brief) : 0);
		handle = stack_counts__find(k->counts, &k->last, brief->handle);
	}
	if (!handle)
		return SESSION_NEEDS_ALL;
	if (handle != brief->handle)
		session__set_handle(s, brief, handle);
	stack_counts__count(k->counts, handle, brief->period);
	return SESSION_NEEDS_NOTHING;
}

static void look_ahead(struct report_kinds *k, struct session_brief *const *brief, size_t nr)
{
	struct kind_search search[STACK_SEARCHES];

	for (size_t i = 0; i < nr; i++) {
		search[i].kind = kind_of(k, brief[i], k->by_function ? brief[i]->identity : 0);
		search[i].hint = brief[i]->handle;
	}
	stack_counts__find_all(k->counts, search, nr);
	for (size_t i = 0; i < nr; i++) {
		brief[i]->known = search[i].found;
		brief[i]->need = brief[i]->known ? SESSION_NEEDS_NOTHING : SESSION_NEEDS_ALL;
	}
}

void report_kinds__look_ahead(struct report_kinds *k, struct session *s, struct session_brief *const *brief, size_t nr)
{
	if (k->by_function)
		session__identify(s, brief, nr);
	if (stack_counts__are_full(k->counts))
		stack_counts__flush(k->counts);
	for (size_t i = 0; i < nr; i += STACK_SEARCHES)
		look_ahead(k, brief + i, nr - i < STACK_SEARCHES ? nr - i : STACK_SEARCHES);
}

void report_kinds__flush(struct report_kinds *k)
{
	if (k->counts)
		stack_counts__flush(k->counts);
}

void report_kinds__keep_seen(struct report_kinds *k, u64 where)
{
	if (k->counts && k->last.owner && where)
		stack_counts__keep(k->counts, &k->last, where);
}

void report_kinds__keep(struct report_kinds *k, const struct session_sample *sample, u64 where)
{
	if (sample->ids.place)
		report_kinds__keep_seen(k, where);
}

// SPDX-License-Identifier: GPL-2.0
#include "ui/profile/numbers.h"

#include <stdlib.h>
#include <string.h>
#include "util/lib/pages.h"
#include "util/lib/printable.h"
#include "util/symbol/recorded-file.h"
#include "util/symbol/symtab.h"

#define PAGE 4096 /* the unit of mappings */
#define TASK_COMM_LEN 16 /* with the NUL: include/linux/sched.h */

/* --- texts --- */

/* Negative: it has none so far. */
static s64 find_text(const struct profile_numbers *n, const char *text, u32 hash)
{
	const struct hash_slot *slot;
	u32 i = hash;

	while ((slot = hash_index__next(&n->texts, hash, &i))) {
		const char *found = n->text[slot->place - 1].text;

		if (found == text || !strcmp(found, text))
			return slot->place - 1;
	}
	return -1;
}

static bool reserve_text(struct profile_numbers *n)
{
	u32 alloc = n->alloc_texts ? 2 * n->alloc_texts : 256;
	struct numbered_text *more;

	if (n->nr_texts < n->alloc_texts)
		return true;
	more = alloc > n->nr_texts ? pages__grow(n->text, n->alloc_texts * sizeof(*more), alloc * sizeof(*more)) : NULL;
	if (!more)
		return false;
	n->text = more;
	n->alloc_texts = alloc;
	return true;
}

static char *cleaned(struct profile_numbers *n, const char *text)
{
	char *clean;

	if (utf8__is_valid(text))
		return NULL;
	clean = strdup(text);
	if (clean)
		utf8__clean(clean);
	n->no_memory |= !clean;
	return clean;
}

static s64 add_text(struct profile_numbers *n, const char *text, u32 hash)
{
	if (!text || !reserve_text(n) || hash_index__add(&n->texts, hash, n->nr_texts)) {
		n->no_memory = true;
		return 0;
	}
	n->text[n->nr_texts] = (struct numbered_text){ text, cleaned(n, text) };
	return n->nr_texts++;
}

s64 profile_numbers__text(struct profile_numbers *n, const char *text)
{
	u32 hash = hash_text(text);
	s64 number = find_text(n, text, hash);

	return number >= 0 ? number : add_text(n, text, hash);
}

s64 profile_numbers__copy(struct profile_numbers *n, const char *text, size_t len)
{
	char *copy = strndup(text, len), *kept;
	u32 hash = copy ? hash_text(copy) : 0;
	s64 number = copy ? find_text(n, copy, hash) : -1;

	if (number < 0) {
		kept = copy && len < PAGE ? arena__add(&n->copies, len + 1) : NULL;
		number = add_text(n, kept ? memcpy(kept, copy, len + 1) : NULL, hash);
	}
	free(copy);
	return number;
}

/* --- files and functions --- */

static s64 number_build_id(struct profile_numbers *n, const struct build_id *id)
{
	char text[2 * sizeof(id->data) + 1] = "";

	for (u32 i = 0; i < id->size && i < sizeof(id->data); i++)
		sprintf(text + 2 * i, "%02x", id->data[i]);
	return *text ? profile_numbers__copy(n, text, strlen(text)) : 0;
}

static struct numbered_mapping *find_mapping(struct profile_numbers *n, const struct dso *dso)
{
	struct numbered_mapping *mapping;

	HASH_FIND_PTR(n->mappings, &dso, mapping);
	if (mapping)
		return mapping;
	mapping = calloc(1, sizeof(*mapping));
	if (mapping) {
		mapping->dso = dso;
		mapping->id = HASH_COUNT(n->mappings) + 1;
		mapping->low = UINT64_MAX;
		mapping->build_id = number_build_id(n, &dso->build_id);
		HASH_ADD_PTR(n->mappings, dso, mapping);
		if (hash_added(mapping))
			return mapping;
		free(mapping);
	}
	n->no_memory = true;
	return NULL;
}

struct numbered_frame *profile_numbers__frame(const struct profile_numbers *n, const struct stack_node *node)
{
	const __typeof__(n->frames->key) key = { .name = node->name, .dso = node->dso };
	struct numbered_frame *frame;

	HASH_FIND(hh, n->frames, &key, sizeof(key), frame);
	return frame;
}

static void note_unnamed(struct numbered_frame *frame)
{
	struct numbered_mapping *mapping = frame->mapping;

	frame->unnamed = true;
	frame->offset = strtoull(frame->key.name, NULL, 16);
	mapping->unnamed = true;
	if (frame->offset < mapping->low)
		mapping->low = frame->offset;
	if (frame->offset > mapping->high)
		mapping->high = frame->offset;
}

void profile_numbers__add_frame(struct profile_numbers *n, const struct stack_node *node)
{
	struct numbered_frame *frame;

	if (profile_numbers__frame(n, node))
		return;
	frame = calloc(1, sizeof(*frame));
	if (frame) {
		frame->key.name = node->name;
		frame->key.dso = node->dso;
		frame->id = HASH_COUNT(n->frames) + 1;
		HASH_ADD(hh, n->frames, key, sizeof(frame->key), frame);
	}
	if (!frame || !hash_added(frame)) {
		n->no_memory = true;
		free(frame);
		return;
	}
	if (node->dso) {
		profile_numbers__text(n, node->dso->name);
		frame->mapping = find_mapping(n, node->dso);
	}
	if (node->kind == STACK_ADDRESS && frame->mapping)
		note_unnamed(frame);
	else
		profile_numbers__text(n, node->name);
}

/* The kernel cuts names of commands. */
static bool is_named(const struct dso *dso, const char *comm)
{
	const size_t len = strlen(comm);

	return len && !strncmp(dso->short_name, comm, len) && (len == TASK_COMM_LEN - 1 || !dso->short_name[len]);
}

void profile_numbers__note_program(struct profile_numbers *n, const struct stack_node *stack)
{
	const struct stack_node *owner = stack, *node;
	const struct dso *dso = NULL;
	struct numbered_mapping *mapping;

	while (!stack_node__is_owner(owner))
		owner = owner->parent;
	if (owner->kind != STACK_COMM)
		return;
	for (node = stack; node != owner; node = node->parent) {
		if (node->dso && node->dso->kind == DSO_USER && is_named(node->dso, owner->name))
			dso = node->dso;
	}
	HASH_FIND_PTR(n->mappings, &dso, mapping);
	if (mapping)
		mapping->own += stack->period;
}

/* By its file: threads may have names of their own. */
static bool may_be_program(const struct dso *dso)
{
	return dso->kind == DSO_USER && dso->name[0] == '/' && !strstr(dso->short_name, ".so");
}

static int by_own(const struct numbered_mapping *a, const struct numbered_mapping *b)
{
	if (a->own != b->own)
		return a->own > b->own ? -1 : 1;
	return may_be_program(b->dso) - may_be_program(a->dso);
}

/* Where the file cannot be read, addresses are offsets. */
static void settle_mapping(struct numbered_mapping *mapping)
{
	const struct file_places places = { .dso = mapping->dso };
	struct elf_file file;
	u64 vaddr;

	if (!recorded_file__open(&file, mapping->dso->name, &mapping->dso->build_id, &places, NULL)) {
		if (elf_file__vaddr(&file, mapping->low, &vaddr))
			mapping->bias = vaddr - mapping->low;
		elf_file__close(&file);
	}
	mapping->low -= mapping->low % PAGE;
}

void profile_numbers__settle(struct profile_numbers *n)
{
	u64 id = 1;

	HASH_SORT(n->mappings, by_own);
	for (struct numbered_mapping *mapping = n->mappings; mapping; mapping = mapping->hh.next) {
		mapping->id = id++;
		if (mapping->unnamed)
			settle_mapping(mapping);
	}
}

void profile_numbers__exit(struct profile_numbers *n)
{
	struct numbered_mapping *mapping, *next_mapping;
	struct numbered_frame *frame, *next_frame;

	HASH_ITER(hh, n->mappings, mapping, next_mapping) {
		HASH_DEL(n->mappings, mapping);
		free(mapping);
	}
	HASH_ITER(hh, n->frames, frame, next_frame) {
		HASH_DEL(n->frames, frame);
		free(frame);
	}
	for (u32 i = 0; i < n->nr_texts; i++)
		free(n->text[i].clean);
	pages__delete(n->text, n->alloc_texts * sizeof(*n->text));
	hash_index__exit(&n->texts);
	arena__exit(&n->copies);
}

const struct stack_node *profile__next_stack(const struct stack_node *node)
{
	do
		node = stack_node__next(node);
	while (node && !node->nr);
	return node;
}

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "list"

#include "cmd/list/types.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/bpf/kernel-btf.h"
#include "util/lib/log.h"
#include "util/lib/near.h"
#include "util/types/arguments.h"
#include "util/types/members.h"

#define SHOWN 96

static const char *name_in(const char *word, u32 *kind)
{
	static const struct {
		const char *prefix;
		u32 kind;
	} kinds[] = { { "struct ", BTF_KIND_STRUCT }, { "union ", BTF_KIND_UNION } };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strncmp(word, kinds[i].prefix, strlen(kinds[i].prefix)))
			continue;
		*kind = kinds[i].kind;
		return word + strlen(kinds[i].prefix);
	}
	return NULL;
}

bool list_types__is_type(const char *word)
{
	u32 kind;

	return name_in(word, &kind);
}

struct listing {
	struct list_output *out;
	const char *word;
	int nr;
};

static int put_member(void *data, const struct type_member *member)
{
	struct listing *list = data;
	char kind[SHOWN], type[SHOWN], place[2 * SHOWN];

	snprintf(kind, sizeof(kind), "Member of %s", list->word);
	btf_type__text(kernel_btf__types(), member->type, type, sizeof(type));
	if (member->bits)
		snprintf(place, sizeof(place), "%s, %u bits at +%u.%u", type, member->bits, member->at / 8, member->at % 8);
	else
		snprintf(place, sizeof(place), "%s at +%u", type, member->at / 8);
	list_output__put(list->out, &(struct list_event){ .name = member->name, .kind = kind, .help = place });
	list->nr++;
	return 0;
}

static void tell_unknown(const char *word, const char *name, u32 kind)
{
	const struct btf *btf = kernel_btf__types();
	struct near_name near = { .word = name };
	char hint[NEAR_FAR + 32];

	for (u32 id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_kind(t) == kind && t->name_off)
			near_name__try(&near, btf__name_by_offset(btf, t->name_off));
	}
	pr_err("'%s' is no type of this kernel%s\n", word, near_name__text(&near, hint, sizeof(hint)));
}

int list_types__members(struct list_output *out, const char *word)
{
	struct listing list = { out, word, 0 };
	const char *name;
	u32 kind;
	int id;

	if (!kernel_btf__exists()) {
		pr_err("the kernel's type information cannot be read (/sys/kernel/btf/vmlinux)\n");
		return -ENOENT;
	}
	name = name_in(word, &kind);
	id = kernel_btf__find(name, kind);
	if (id <= 0) {
		tell_unknown(word, name, kind);
		return -ENOENT;
	}
	btf_type__for_each_member(kernel_btf__types(), id, put_member, &list);
	list_output__end_kind(out);
	return list.nr;
}

char *list_types__arguments(const char *event)
{
	struct type_arguments *args = type_arguments__new(event);
	const struct walk_roots *roots = args ? type_arguments__roots(args) : NULL;
	char type[SHOWN], *text = NULL;
	size_t size;
	FILE *fp;

	if (!args || !type_arguments__nr(args)) {
		type_arguments__delete(args);
		return NULL;
	}
	fp = open_memstream(&text, &size);
	for (unsigned int i = 0; fp && i < type_arguments__nr(args); i++) {
		btf_type__text(roots->btf, roots->root[i].type, type, sizeof(type));
		fprintf(fp, "%s%s%s%s", i ? ", " : "arguments: ", type, type[strlen(type) - 1] == '*' ? "" : " ", roots->root[i].name);
	}
	if (fp && fclose(fp)) {
		free(text);
		text = NULL;
	}
	type_arguments__delete(args);
	return text;
}

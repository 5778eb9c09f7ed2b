// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/rules.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/hash-index.h"

_Static_assert(sizeof(struct unwind_rule) == sizeof(u64), "a rule is one word");

struct unwind_rules {
	unsigned int machine;
	u32 nr, nr_refused;
	u32 limit; /* of nr, for the present file */
	struct hash_index index;
	struct unwind_rule array[UNWIND_MAX_RULES];
};

static u64 word_of(const struct unwind_rule *rule)
{
	u64 word;

	memcpy(&word, rule, sizeof(word));
	return word;
}

static const struct unwind_rule fixed[UNWIND_NR_FIXED_RULES] = {
	[UNWIND_RULE_NONE] = { .cfa = UNWIND_CFA_NONE },
	[UNWIND_RULE_HARD] = { .cfa = UNWIND_CFA_HARD },
	[UNWIND_RULE_END] = { .cfa = UNWIND_CFA_END },
	[UNWIND_RULE_FP] = UNWIND_BY_POINTERS,
	[UNWIND_RULE_WORD] = { .cfa = UNWIND_CFA_SP, .cfa_off = 16, .ra = UNWIND_RA_CFA, .ra_off = -1 },
	[UNWIND_RULE_EMPTY] = { .cfa = UNWIND_CFA_SP, .cfa_off = 8, .ra = UNWIND_RA_CFA, .ra_off = -1 },
};

struct unwind_rules *unwind_rules__new(unsigned int elf_machine)
{
	struct unwind_rules *rules = calloc(1, sizeof(*rules));

	if (!rules)
		return NULL;
	rules->machine = elf_machine;
	unwind_rules__begin_file(rules);
	for (u32 i = 0; i < UNWIND_NR_FIXED_RULES; i++) {
		if (unwind_rules__id(rules, &fixed[i]) != i) {
			unwind_rules__delete(rules);
			return NULL;
		}
	}
	return rules;
}

void unwind_rules__delete(struct unwind_rules *rules)
{
	if (!rules)
		return;
	hash_index__exit(&rules->index);
	free(rules);
}

void unwind_rules__begin_file(struct unwind_rules *rules)
{
	u32 left = UNWIND_MAX_RULES - rules->nr;

	rules->limit = rules->nr + (left < UNWIND_MAX_FILE_RULES ? left : UNWIND_MAX_FILE_RULES);
}

u32 unwind_rules__id(struct unwind_rules *rules, const struct unwind_rule *rule)
{
	u64 word = word_of(rule);
	u32 hash = hash_mix(0, word), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&rules->index, hash, &i))) {
		if (word_of(&rules->array[slot->place - 1]) == word)
			return slot->place - 1;
	}
	if (rules->nr >= rules->limit || hash_index__add(&rules->index, hash, rules->nr)) {
		rules->nr_refused++;
		return UNWIND_RULE_HARD;
	}
	rules->array[rules->nr] = *rule;
	return rules->nr++;
}

const struct unwind_rule *unwind_rules__array(const struct unwind_rules *rules)
{
	return rules->array;
}

u32 unwind_rules__nr(const struct unwind_rules *rules)
{
	return rules->nr;
}

u32 unwind_rules__nr_refused(const struct unwind_rules *rules)
{
	return rules->nr_refused;
}

unsigned int unwind_rules__machine(const struct unwind_rules *rules)
{
	return rules->machine;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* The set of unwinding rules that all tables of a recording share; see util/bpf_skel/unwind.h. Ids are indices, and stay valid. */
#ifndef PERF_UNWIND_RULES_H
#define PERF_UNWIND_RULES_H

#include "util/bpf_skel/unwind.h"
#include "util/lib/types.h"

struct unwind_rules;

/* It begins with the UNWIND_NR_FIXED_RULES rules. elf_machine: EM_X86_64 or EM_AARCH64. NULL: no memory. */
struct unwind_rules *unwind_rules__new(unsigned int elf_machine);
void unwind_rules__delete(struct unwind_rules *rules);

/* A new file's rules follow. One file may add UNWIND_MAX_FILE_RULES only, so that a forged one leaves room for others. */
#define UNWIND_MAX_FILE_RULES 4096
void unwind_rules__begin_file(struct unwind_rules *rules);
/* The id of that rule, which is added if it is new. UNWIND_RULE_HARD: there is no room, or no memory; counted as refused. */
u32 unwind_rules__id(struct unwind_rules *rules, const struct unwind_rule *rule);

/* An array that grows at its end and never moves. */
const struct unwind_rule *unwind_rules__array(const struct unwind_rules *rules);
u32 unwind_rules__nr(const struct unwind_rules *rules);
u32 unwind_rules__nr_refused(const struct unwind_rules *rules);
unsigned int unwind_rules__machine(const struct unwind_rules *rules);

#endif

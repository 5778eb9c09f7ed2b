/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kind of data an instruction accesses: its operand in memory, found in the debug information as a variable, or as what a pointer
 * in a register points to. Where no variable is in the register, the instructions before it in its basic block tell where the pointer comes
 * from. What cannot be told exactly is unknown. Not for several threads at a time.
 */
#ifndef PERF_SYMBOL_DATA_TYPE_H
#define PERF_SYMBOL_DATA_TYPE_H

#include "util/symbol/elf-file.h"
#include "util/symbol/recorded-file.h"
#include "util/symbol/srcline.h"

struct data_type {
	const char *name;   /* "struct node", "char*"; or what it is in parentheses: "(unknown)", "(stack operation)", "(stack canary)" */
	const char *member; /* "in.b", "no field"; NULL: it is none of the debug information */
	u64 offset;	    /* in the type */
};

struct data_types; /* of one object */

extern const struct data_type data_type_unknown;

/* Is there a disassembler? */
bool data_types__available(void);
/* Does it know the instructions of this machine, as uname(2) names it? */
bool data_types__know(const char *arch);

/*
 * lines: of the object's debug information, NULL if there is none; must outlive them. path, want and places: as recorded_file__open(). 0 or
 * -errno.
 */
int data_types__open(struct srclines *lines, const char *path, const struct build_id *want, const struct file_places *places,
		     struct data_types **types);
void data_types__delete(struct data_types *types);

/* offset is that of the instruction in the file. Never NULL; lives as long as types, and one of the same place is the same. */
const struct data_type *data_types__find(struct data_types *types, u64 offset);
bool data_types__lacked_memory(const struct data_types *types); /* some are unknown for lack of memory */

#endif

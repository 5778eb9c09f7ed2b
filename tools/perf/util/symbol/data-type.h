/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The type of data that an instruction accesses. Its memory operand is looked up in the debug information: as a variable, or as the
 * target of a pointer in a register. If no variable is in the register, the instructions before it in its basic block show where the
 * pointer comes from. Ambiguous results are unknown. Not thread-safe.
 */
#ifndef PERF_SYMBOL_DATA_TYPE_H
#define PERF_SYMBOL_DATA_TYPE_H

#include "util/symbol/elf-file.h"
#include "util/symbol/recorded-file.h"
#include "util/symbol/srcline.h"

struct data_type {
	const char *name;   /* "struct node", "char*"; or the kind in parentheses: "(unknown)", "(stack operation)", "(stack canary)" */
	const char *member; /* "in.b", "no field"; NULL: name is no type of the debug information */
	u64 offset;	    /* in the type */
	u64 size;	    /* of the type, in bytes; 0: unknown */
	u64 described_at;   /* in the debug information: tells types without a name apart */
	bool is_of_previous; /* the access is that of the instruction before, which runs as one with this */
};

struct data_member { /* of a type; the first one is the type itself */
	char *type, *name; /* "char*", "text"; empty: it has none */
	u64 offset, size;  /* bytes, from the start of the outermost type */
	u32 bits;	   /* of a bit-field; 0: it is none */
	u32 depth;	   /* 0: the type; 1: its members; 2: their members, which follow right behind each */
};

struct data_layout { /* starts zeroed */
	struct data_member *member;
	u32 nr;
};

struct data_types; /* of one object */

extern const struct data_type data_type_unknown;

/* Is there a disassembler? */
bool data_types__available(void);
/* Does it support the instructions of this machine, as in uname(2)? */
bool data_types__know(const char *arch);

/*
 * lines: from the object's debug information, NULL if it has none; must outlive them. path, want and places: as
 * recorded_file__open(). 0 or -errno.
 */
int data_types__open(struct srclines *lines, const char *path, const struct build_id *want, const struct file_places *places,
		     struct data_types **types);
void data_types__delete(struct data_types *types);

/* offset: of the instruction, in the file. Never NULL. The result lives as long as types; equal offsets return the same pointer. */
const struct data_type *data_types__find(struct data_types *types, u64 offset);
/* All members of the type of that instruction, which is one of the debug information. 0, -ENOENT: it is none; -E2BIG: it has too many; -ENOMEM */
int data_types__layout(struct data_types *types, u64 offset, struct data_layout *layout);
void data_layout__exit(struct data_layout *layout);
bool data_types__lacked_memory(const struct data_types *types); /* some are unknown because memory ran out */

#endif

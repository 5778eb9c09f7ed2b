/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What formats with tables refer to by number: texts, files, and functions, which are the same if they have the same name in the same
 * file. Numbers are given before anything is written, so that tables can follow what refers to them.
 */
#ifndef PERF_UI_PROFILE_NUMBERS_H
#define PERF_UI_PROFILE_NUMBERS_H

#include "ui/profile/profile.h"
#include "util/lib/arena.h"
#include "util/lib/hash-index.h"
#include "util/lib/hash.h"

struct numbered_text {
	const char *text; /* lives as long as the profile, or in the arena */
	char *clean;	  /* its cleaned copy; NULL: text is clean */
};

struct numbered_mapping { /* a file */
	const struct dso *dso; /* the key */
	u64 id;		       /* from 1 on */
	bool unnamed;	       /* some of its functions have no name: the next three are valid */
	u64 low, high;	       /* the first and the last offset in the file that functions without a name have */
	u64 bias;	       /* address in the file, as debuggers see it, minus the offset */
	u64 own;	       /* periods of samples whose command has the file's name: it is their program */
	s64 build_id;	       /* number of its text, in hexadecimal; 0: unknown */
	UT_hash_handle hh;
};

struct numbered_frame { /* a location and its function, which share a number */
	struct { /* the key */
		const char *name;
		const struct dso *dso;
	} key;
	u64 id; /* from 1 on */
	struct numbered_mapping *mapping; /* NULL: it is in no file */
	bool unnamed;
	u64 offset; /* in the file, if it is unnamed */
	UT_hash_handle hh;
};

struct profile_numbers { /* starts zeroed */
	struct numbered_text *text; /* by number */
	u32 nr_texts, alloc_texts;
	struct hash_index texts;
	struct numbered_frame *frames; /* in the order of their numbers, by hh.next */
	struct numbered_mapping *mappings; /* the same */
	struct arena copies;
	bool no_memory; /* the numbers are incomplete: write nothing */
};

void profile_numbers__exit(struct profile_numbers *n);
/* The number of a text, which must live as long as the numbers. 0 without memory. */
s64 profile_numbers__text(struct profile_numbers *n, const char *text);
/* The same for a text of that length that may change: it is copied. */
s64 profile_numbers__copy(struct profile_numbers *n, const char *text, size_t len);
/* The text with that number, as valid UTF-8. */
static inline const char *profile_numbers__text_at(const struct profile_numbers *n, u32 number)
{
	return n->text[number].clean ?: n->text[number].text;
}

void profile_numbers__add_frame(struct profile_numbers *n, const struct stack_node *node);
/* After the frames of a stack: find the program among its files, by the name of its command. */
void profile_numbers__note_program(struct profile_numbers *n, const struct stack_node *stack);
/* After the above */
struct numbered_frame *profile_numbers__frame(const struct profile_numbers *n, const struct stack_node *node);
static inline u64 numbered_frame__address(const struct numbered_frame *frame)
{
	return frame->unnamed ? frame->offset + frame->mapping->bias : 0;
}

/*
 * After the last frame: find out how addresses in files relate to offsets, and give the first mapping to the program that has most of the samples,
 * as pprof wants it. If all threads have other names than their program's, that is a file that is no library.
 */
void profile_numbers__settle(struct profile_numbers *n);

/* Walk the stacks of samples: start with the root; NULL after the last one. */
const struct stack_node *profile__next_stack(const struct stack_node *node);

#endif

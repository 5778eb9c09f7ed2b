/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the name of a function ends in what users write. Demangled names of C++ and Rust have blanks, colons, commas
 * and signs of operators in them. These belong to the name
 *	in closed brackets:		A<B, C>  (anonymous namespace)  {lambda(int)#1}  [abi:cxx11]  <S as T>
 *	as "::":			ns::f
 *	as an operator:			operator+=  operator new[]  A::operator char const*
 *	before what a compiler made:	virtual thunk to A::f()
 *	in quotes, or behind a backslash.
 * An operator ends before a letter or digit: operator+4 is the function "operator" and an offset.
 */
#ifndef PERF_EVENT_FUNCTION_NAME_H
#define PERF_EVENT_FUNCTION_NAME_H

#include <stdbool.h>
#include "util/lib/types.h"

/* The first of the characters ends that belongs to no name; NULL: none. Names begin at text, or behind '=', '@', ':'. */
const char *function_name__find(const char *text, const char *ends);
/* The name from begin to end without quotes and backslashes; malloc'ed, NULL: no memory */
char *function_name__copy(const char *begin, const char *end);
/* The number from begin to end, decimal or 0x...: bytes behind a function's begin. false: it is none */
bool function_name__parse_offset(const char *begin, const char *end, u64 *offset);
bool function_name__is_glob(const char *name); /* it has a character of globs; names of C++ may have them, too */
/* It is no word of C, and may be a demangled name. */
bool function_name__is_demangled(const char *name);

#endif

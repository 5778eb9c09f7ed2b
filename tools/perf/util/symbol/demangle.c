// SPDX-License-Identifier: GPL-2.0
#include <libiberty/demangle.h>
#undef ARRAY_SIZE /* that of libiberty */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "util/symbol/symtab.h"

/*
 * A name of a few hundred bytes can expand to gigabytes, as each substitution may double the text so far. libiberty passes the text
 * on piece by piece and holds no memory of its own in the meantime, so stop it when the text becomes too long.
 */
struct demangled {
	jmp_buf too_long;
	size_t len;
	char text[MAX_DEMANGLED];
};

static void demangled__append(const char *piece, size_t len, void *opaque)
{
	struct demangled *d = opaque;

	if (len >= sizeof(d->text) - d->len)
		longjmp(d->too_long, 1);
	memcpy(d->text + d->len, piece, len);
	d->len += len;
}

/* A fast check: most names are C names. */
bool demangle__may(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "_GLOBAL_", 8);
}

/* Only names with a hash may be Rust's in its old form, and trying that takes as long as a quarter of demangling. */
static bool may_be_rust(const char *name)
{
	return strncmp(name, "_Z", 2) || strstr(name, "17h");
}

/* Does not return if the text becomes too long. Not inlined: longjmp() may lose variables of its caller. */
static __attribute__((noinline)) bool demangled__fill(struct demangled *d, const char *name, int flags)
{
	d->len = 0;
	if (may_be_rust(name) && rust_demangle_callback(name, DMGL_NO_OPTS, demangled__append, d))
		return true;
	d->len = 0;
	return cplus_demangle_v3_callback(name, flags, demangled__append, d);
}

/* Hide the hash of Rust names in any case. */
char *demangle(const char *name, bool short_name)
{
	struct demangled d;

	if (!demangle__may(name) || setjmp(d.too_long))
		return NULL;
	if (!demangled__fill(&d, name, short_name ? DMGL_NO_OPTS : DMGL_PARAMS | DMGL_ANSI))
		return NULL;
	d.text[d.len] = '\0';
	return strdup(d.text);
}

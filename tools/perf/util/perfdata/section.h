/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside perfdata/: decodes the body of a feature section, checking every step against its end, and encodes one into a stream of
 * open_memstream(3), whose errors are checked once, at its end.
 */
#ifndef PERF_PERFDATA_SECTION_H
#define PERF_PERFDATA_SECTION_H

#include <stdbool.h>
#include <stdio.h>
#include "util/lib/types.h"
#include "util/perfdata/features.h"

struct section { /* the part that was not taken yet */
	const u8 *p;
	size_t left;
	bool swap; /* numbers are in the other byte order */
};

/* 0, or -EINVAL if the section is too short, -ENOMEM. The caller frees strings and arrays. */
int section__bytes(struct section *s, void *dst, size_t size);
int section__u32(struct section *s, u32 *value);
int section__u64(struct section *s, u64 *value);
int section__u64s(struct section *s, u64 *value, u64 nr); /* into an existing array */
int section__string(struct section *s, char **string);	/* with its length, and padded */
int section__cstring(struct section *s, char **string); /* ends at its NUL */
int section__text(struct section *s, u64 size, char **text); /* size bytes; adds a NUL */
/*
 * Allocate an array of nr zeroed members, each of which takes at least `least` bytes of the section: -EINVAL if the section is too
 * short for them.
 */
int section__array(struct section *s, u64 nr, size_t least, size_t member_size, void *array);

void put_u32(FILE *out, u32 value);
void put_u64(FILE *out, u64 value);
void put_string(FILE *out, const char *string); /* with its length, and padded; NULL as "" */

int tracing__encode(const struct perfdata_features *f, FILE *out);
int tracing__decode(struct perfdata_features *f, struct section *s);
void tracing__reset(struct perfdata_features *f);

/* Data about the recording system. encode: -ENOENT if there is none */
int numa__encode(const struct perfdata_features *f, FILE *out);
int cache__encode(const struct perfdata_features *f, FILE *out);
int memory__encode(const struct perfdata_features *f, FILE *out);
int numa__decode(struct perfdata_features *f, struct section *s);
void numa__reset(struct perfdata_features *f);
int cache__decode(struct perfdata_features *f, struct section *s);
void cache__reset(struct perfdata_features *f);
int memory__decode(struct perfdata_features *f, struct section *s);
void memory__reset(struct perfdata_features *f);
int bpf_programs__decode(struct perfdata_features *f, struct section *s);
void bpf_programs__reset(struct perfdata_features *f);
int btf__decode(struct perfdata_features *f, struct section *s);
void btf__reset(struct perfdata_features *f);

#endif

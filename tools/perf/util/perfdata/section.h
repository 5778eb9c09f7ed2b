/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside perfdata/: taking the body of a feature section apart, with every step checked against its end, and composing one on
 * a stream from open_memstream(3), whose errors are looked at once, at its end.
 */
#ifndef PERF_PERFDATA_SECTION_H
#define PERF_PERFDATA_SECTION_H

#include <stdbool.h>
#include <stdio.h>
#include "util/lib/types.h"
#include "util/perfdata/features.h"

struct section { /* what is not yet taken */
	const u8 *p;
	size_t left;
	bool swap; /* numbers are in the other byte order */
};

/* 0, or -EINVAL if the section is too short, -ENOMEM. Strings and arrays are the caller's to free. */
int section__bytes(struct section *s, void *dst, size_t size);
int section__u32(struct section *s, u32 *value);
int section__u64(struct section *s, u64 *value);
int section__u64s(struct section *s, u64 *value, u64 nr); /* an array that is there */
int section__string(struct section *s, char **string);	/* counted and padded */
int section__cstring(struct section *s, char **string); /* up to its NUL */
int section__text(struct section *s, u64 size, char **text); /* size bytes, a NUL is added */
/* An array of nr zeroed members, each of which takes at least `least` bytes of the section: -EINVAL if they cannot be there. */
int section__array(struct section *s, u64 nr, size_t least, size_t member_size, void *array);

void put_u32(FILE *out, u32 value);
void put_u64(FILE *out, u64 value);
void put_string(FILE *out, const char *string); /* counted and padded; NULL as "" */

int tracing__encode(const struct perfdata_features *f, FILE *out);
int tracing__decode(struct perfdata_features *f, struct section *s);
void tracing__reset(struct perfdata_features *f);

/* Of the system where the file was made. encode: -ENOENT if there is nothing */
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

// SPDX-License-Identifier: GPL-2.0
/*
 * Marks that authors of programs have set (USDT, <sys/sdt.h>): notes of ELF with the address, the address of a section for files
 * that were moved since (prelink), that of a counter of users, and the names and arguments as texts.
 */
#include "util/symbol/probe-finder.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/near.h"

#define NOTE_OWNER "stapsdt"
#define NOTE_TYPE 3

struct mark {
	u64 pc, base, semaphore;
	const char *provider, *name, *arguments;
};

static u64 read_u64(const char *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Three addresses, three texts. */
static bool mark__read(struct mark *mark, const char *desc, size_t size)
{
	const char **texts[] = { &mark->provider, &mark->name, &mark->arguments };
	const char *end = desc + size;

	if (size < 3 * sizeof(u64))
		return false;
	mark->pc = read_u64(desc);
	mark->base = read_u64(desc + 8);
	mark->semaphore = read_u64(desc + 16);
	desc += 3 * sizeof(u64);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const char *nul = memchr(desc, '\0', end - desc);

		if (!nul)
			return false;
		*texts[i] = desc;
		desc = nul + 1;
	}
	return true;
}

/* Arguments: "-4@%edi 8@16(%rsp) 4@$10" */

#if defined(__x86_64__)
/* "edi", "rdi", "dil" are %di; "r8d" is %r8. */
static bool put_register(char *to, size_t size, const char *name, size_t len)
{
	static const char *const names[] = { "ax", "bx", "cx", "dx", "si", "di", "bp", "sp" };
	char digits[3] = "";

	if (len >= 2 && name[0] == 'r' && isdigit((unsigned char)name[1])) {
		digits[0] = name[1];
		if (len > 2 && isdigit((unsigned char)name[2]))
			digits[1] = name[2];
		snprintf(to, size, "%%r%s", digits);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const bool is_wide = len == 3 && strchr("er", name[0]) && !strncmp(name + 1, names[i], 2);
		const bool is_short = len == 2 && !strncmp(name, names[i], 2);
		const bool is_byte = (len == 2 && name[1] == 'l' && name[0] == names[i][0] && names[i][1] == 'x') ||
				     (len == 3 && name[2] == 'l' && !strncmp(name, names[i], 2));

		if (is_wide || is_short || is_byte) {
			snprintf(to, size, "%%%s", names[i]);
			return true;
		}
	}
	return false;
}

static bool put_operand(struct probe_argument *arg, const char *text, size_t len)
{
	char reg[8], *end;
	long long disp;

	if (len > 1 && text[0] == '$') {
		snprintf(arg->fetch, sizeof(arg->fetch), "\\%.*s", (int)len - 1, text + 1);
		return true;
	}
	if (len > 1 && text[0] == '%')
		return put_register(arg->fetch, sizeof(arg->fetch), text + 1, len - 1);
	disp = strtoll(text, &end, 0);
	if (len < 4 || end[0] != '(' || end[1] != '%' || text[len - 1] != ')' || memchr(text, ',', len))
		return false;
	if (!put_register(reg, sizeof(reg), end + 2, text + len - 1 - (end + 2)))
		return false;
	snprintf(arg->fetch, sizeof(arg->fetch), "%+lld(%s)", disp, reg);
	return true;
}
#elif defined(__aarch64__)
static bool put_register(char *to, size_t size, const char *name, size_t len)
{
	if (len == 2 && !strncmp(name, "sp", 2))
		snprintf(to, size, "%%sp");
	else if (len >= 2 && strchr("xw", name[0]) && isdigit((unsigned char)name[1]))
		snprintf(to, size, "%%x%.*s", (int)len - 1, name + 1);
	else
		return false;
	return true;
}

/* "x0", "10", "[sp, 16]", whose comma has no blank in notes */
static bool put_operand(struct probe_argument *arg, const char *text, size_t len)
{
	const char *comma = memchr(text, ',', len);
	char reg[8];

	if (text[0] != '[') {
		if (put_register(arg->fetch, sizeof(arg->fetch), text, len))
			return true;
		snprintf(arg->fetch, sizeof(arg->fetch), "\\%.*s", (int)len, text);
		return isdigit((unsigned char)text[0]) || text[0] == '-';
	}
	if (text[len - 1] != ']' || !put_register(reg, sizeof(reg), text + 1, (comma ?: text + len - 1) - text - 1))
		return false;
	snprintf(arg->fetch, sizeof(arg->fetch), "%+lld(%s)", comma ? strtoll(comma + 1, NULL, 0) : 0LL, reg);
	return true;
}
#endif

/* false: one that is not understood, and is left out. */
static bool read_argument(struct probe_argument *arg, unsigned int nr, const char *text, size_t len)
{
	char *at;
	long size = strtol(text, &at, 10);

	*arg = (struct probe_argument){ .size = labs(size), .is_signed = size < 0 };
	snprintf(arg->name, sizeof(arg->name), "arg%u", nr);
	if (*at != '@' || at == text || (labs(size) != 1 && labs(size) != 2 && labs(size) != 4 && labs(size) != 8))
		return false;
	at++;
	return at < text + len && len < PROBE_FETCH_LEN && put_operand(arg, at, text + len - at);
}

static unsigned int read_arguments(struct probe_argument arg[PROBE_MAX_FIELDS], const char *text)
{
	unsigned int nr = 0, kept = 0;

	while (*(text += strspn(text, " ")) && kept < PROBE_MAX_FIELDS) {
		const size_t len = strcspn(text, " ");

		if (read_argument(&arg[kept], ++nr, text, len))
			kept++;
		text += len;
	}
	return kept;
}

/* Marks of this name */

struct finding {
	const struct probe_spec *spec;
	const struct elf_file *file;
	struct probe_place *place;
	struct near_name near;
	u64 base; /* address of the section .stapsdt.base; 0: there is none */
	bool any, too_many;
};

static bool equal_arguments(const struct probe_place *place, const struct probe_argument *arg, unsigned int nr)
{
	bool equal = place->nr_arguments == nr;

	for (unsigned int i = 0; equal && i < nr; i++)
		equal = !strcmp(place->argument[i].fetch, arg[i].fetch) && place->argument[i].size == arg[i].size &&
			place->argument[i].is_signed == arg[i].is_signed && !strcmp(place->argument[i].name, arg[i].name);
	return equal;
}

/* A mark may be at several places. What is not the same at all of them cannot be read. */
static void take_arguments(struct finding *f, const char *text)
{
	struct probe_argument arg[PROBE_MAX_FIELDS];
	const unsigned int nr = read_arguments(arg, text);

	if (f->place->nr_offsets == 1) {
		memcpy(f->place->argument, arg, nr * sizeof(*arg));
		f->place->nr_arguments = nr;
	} else if (!equal_arguments(f->place, arg, nr)) {
		f->place->nr_arguments = 0;
	}
}

static void take_mark(struct finding *f, const struct mark *mark)
{
	const u64 moved = f->base && mark->base ? f->base - mark->base : 0;
	u64 offset;

	f->any = true;
	near_name__try(&f->near, mark->name);
	if (strcmp(mark->provider, f->spec->provider) || strcmp(mark->name, f->spec->name))
		return;
	if (!elf_file__offset(f->file, mark->pc + moved, &offset))
		return;
	if (f->place->nr_offsets == PROBE_MAX_OFFSETS) {
		f->too_many = true;
		return;
	}
	f->place->offset[f->place->nr_offsets++] = offset;
	if (mark->semaphore && !elf_file__offset(f->file, mark->semaphore + moved, &f->place->semaphore))
		f->place->semaphore = 0;
	take_arguments(f, mark->arguments);
}

static void read_notes(struct finding *f, Elf_Data *data)
{
	size_t at = 0, next, name_at, desc_at;
	GElf_Nhdr note;
	struct mark mark;

	while (at < data->d_size && (next = gelf_getnote(data, at, &note, &name_at, &desc_at))) {
		const char *bytes = data->d_buf;

		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(NOTE_OWNER) &&
		    !memcmp(bytes + name_at, NOTE_OWNER, sizeof(NOTE_OWNER)) && mark__read(&mark, bytes + desc_at, note.n_descsz))
			take_mark(f, &mark);
		at = next;
	}
}

int probe_sdt__find(const struct probe_spec *spec, const struct elf_file *file, struct probe_place *place, struct errmsg *err)
{
	struct finding f = { .spec = spec, .file = file, .place = place, .near = { .word = spec->name } };
	char hint[NEAR_FAR + 32];
	GElf_Shdr shdr;
	Elf_Scn *scn;
	Elf_Data *data;

	if (elf_file__section(file, ".stapsdt.base", &shdr))
		f.base = shdr.sh_addr;
	scn = elf_file__section(file, ".note.stapsdt", &shdr);
	data = scn && shdr.sh_type == SHT_NOTE ? elf_getdata(scn, NULL) : NULL;
	if (data)
		read_notes(&f, data);
	if (f.too_many)
		return errmsg__set(err, EINVAL, "%s has the mark %s:%s at more than %d places", place->target, spec->provider, spec->name,
				   PROBE_MAX_OFFSETS);
	if (place->nr_offsets)
		return 0;
	if (!f.any)
		return errmsg__set(err, EINVAL, "%s has no marks (USDT)", place->target);
	return errmsg__set(err, EINVAL, "%s has no mark '%s:%s'%s", place->target, spec->provider, spec->name,
			   near_name__text(&f.near, hint, sizeof(hint)));
}

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

/* Arguments: "-4@%edi 8@16(%rsp) 4@$10 -4@count+4(%rip)" */

/* The one that is read: its mark, and what finds global variables */
struct operand {
	const char *text;
	size_t len;
	const struct elf_file *file;
	u64 pc; /* of the mark */
};

/* A number of 64 bits, with or without a sign */
static bool is_number(const char *text, size_t len)
{
	char *end;

	errno = 0;
	if (*text == '-')
		strtoll(text, &end, 0);
	else
		strtoull(text, &end, 0);
	return isdigit((unsigned char)text[*text == '-']) && !errno && end == text + len;
}

#if defined(__x86_64__)
/* The address of a variable. false: there is none of this name, or several */
static bool find_variable(const struct elf_file *file, const char *section, const char *name, size_t len, u64 *vaddr)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(file, section, &shdr);
	Elf_Data *data = scn && (shdr.sh_type == SHT_SYMTAB || shdr.sh_type == SHT_DYNSYM) ? elf_getdata(scn, NULL) : NULL;
	struct elf_strings names = { 0 };
	bool found = false;
	GElf_Sym sym;

	if (data)
		names = elf_file__strings(file, shdr.sh_link);
	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		const char *other = sym.st_shndx != SHN_UNDEF ? elf_strings__at(&names, sym.st_name) : NULL;

		if (!other || strncmp(other, name, len) || other[len])
			continue;
		if (found && *vaddr != sym.st_value)
			return false;
		found = true;
		*vaddr = sym.st_value;
	}
	return found;
}

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
		return atoi(digits) >= 8 && atoi(digits) <= 15;
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

/* "count(%rip)", "count+4(%rip)", "4+count(%rip)": at that distance from the mark, wherever the file is loaded */
static bool put_variable(struct probe_argument *arg, const struct operand *o)
{
	static const char suffix[] = "(%rip)";
	size_t len = o->len - strlen(suffix), name_len;
	const char *name = o->text;
	long long disp = 0, more;
	char *end;
	u64 vaddr;

	if (o->len <= strlen(suffix) || memcmp(o->text + len, suffix, strlen(suffix)))
		return false;
	if (isdigit((unsigned char)*name) || *name == '-') {
		errno = 0;
		disp = strtoll(name, &end, 0);
		if (errno || *end != '+')
			return false;
		len -= end + 1 - name;
		name = end + 1;
	}
	name_len = strcspn(name, "+-(");
	if (name_len < len) {
		errno = 0;
		more = strtoll(name + name_len, &end, 0);
		if (errno || end != name + len || __builtin_add_overflow(disp, more, &disp))
			return false;
	}
	if (!find_variable(o->file, ".symtab", name, name_len, &vaddr) && !find_variable(o->file, ".dynsym", name, name_len, &vaddr))
		return false;
	snprintf(arg->fetch, sizeof(arg->fetch), "%+lld(%%ip)", (long long)(vaddr - o->pc) + disp);
	return true;
}

static bool put_operand(struct probe_argument *arg, const struct operand *o)
{
	const char *text = o->text;
	const size_t len = o->len;
	char reg[8], *end;
	long long disp;

	if (len > 1 && text[0] == '$' && is_number(text + 1, len - 1)) {
		snprintf(arg->fetch, sizeof(arg->fetch), "\\%.*s", (int)len - 1, text + 1);
		return true;
	}
	if (len > 1 && text[0] == '%')
		return put_register(arg->fetch, sizeof(arg->fetch), text + 1, len - 1);
	if (put_variable(arg, o))
		return true;
	errno = 0;
	disp = strtoll(text, &end, 0);
	if (errno || len < 4 || end[0] != '(' || end[1] != '%' || text[len - 1] != ')' || memchr(text, ',', len))
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
static bool put_operand(struct probe_argument *arg, const struct operand *o)
{
	const char *text = o->text;
	const size_t len = o->len;
	const char *comma = memchr(text, ',', len);
	long long disp = 0;
	char reg[8];

	if (text[0] != '[') {
		if (put_register(arg->fetch, sizeof(arg->fetch), text, len))
			return true;
		snprintf(arg->fetch, sizeof(arg->fetch), "\\%.*s", (int)len, text);
		return is_number(text, len);
	}
	if (text[len - 1] != ']' || !put_register(reg, sizeof(reg), text + 1, (comma ?: text + len - 1) - text - 1))
		return false;
	if (comma && !is_number(comma + 1, text + len - 1 - (comma + 1)))
		return false;
	errno = 0;
	disp = comma ? strtoll(comma + 1, NULL, 0) : 0;
	if (errno)
		return false;
	snprintf(arg->fetch, sizeof(arg->fetch), "%+lld(%s)", disp, reg);
	return true;
}
#endif

/* false: one that is not understood, and is left out. */
static bool read_argument(struct probe_argument *arg, unsigned int nr, const struct operand *o)
{
	char *at;
	long size = strtol(o->text, &at, 10);
	struct operand value = *o;

	*arg = (struct probe_argument){ .size = labs(size), .is_signed = size < 0 };
	snprintf(arg->name, sizeof(arg->name), "arg%u", nr);
	if (*at != '@' || at == o->text || (labs(size) != 1 && labs(size) != 2 && labs(size) != 4 && labs(size) != 8))
		return false;
	value.text = at + 1;
	value.len = o->text + o->len - value.text;
	return at + 1 < o->text + o->len && o->len < PROBE_FETCH_LEN && put_operand(arg, &value);
}

/* o: the texts of all */
static unsigned int read_arguments(struct probe_place *place, struct probe_argument arg[PROBE_MAX_FIELDS], struct operand o)
{
	unsigned int nr = 0, kept = 0;

	while (*(o.text += strspn(o.text, " ")) && kept < PROBE_MAX_FIELDS) {
		o.len = strcspn(o.text, " ");
		if (read_argument(&arg[kept], ++nr, &o))
			kept++;
		else
			probe_place__miss(place, nr, "perf does not know what '%.*s' is", (int)(o.len < 60 ? o.len : 60), o.text);
		o.text += o.len;
	}
	if (*o.text)
		probe_place__miss(place, nr + 1, "perf reads %u arguments of a mark", PROBE_MAX_FIELDS);
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

static bool is_equal(const struct probe_fetch *f, const struct probe_argument *arg)
{
	return f->size == arg->size && f->is_signed == arg->is_signed && !strcmp(f->fetch, arg->fetch);
}

static int find_argument(const struct probe_place *place, const char *name)
{
	for (unsigned int i = 0; i < place->nr_arguments; i++) {
		if (!strcmp(place->argument[i].name, name))
			return i;
	}
	return -1;
}

/* At place nr an argument is this. false: there is no room for another way to fetch it */
static bool add_fetch(struct probe_place *place, unsigned int argument, const struct probe_argument *arg, unsigned int nr)
{
	for (unsigned int i = 0; i < place->nr_fetches; i++) {
		struct probe_fetch *f = &place->fetch[i];

		if (f->argument != argument || !is_equal(f, arg))
			continue;
		f->places |= 1ULL << nr;
		return true;
	}
	if (place->nr_fetches == PROBE_MAX_FETCHES)
		return false;
	place->fetch[place->nr_fetches] = (struct probe_fetch){
		.places = 1ULL << nr, .argument = argument, .size = arg->size, .is_signed = arg->is_signed,
	};
	snprintf(place->fetch[place->nr_fetches++].fetch, PROBE_FETCH_LEN, "%s", arg->fetch);
	return true;
}

/* Its field is as large as the largest, and signed if one is. */
static void add_argument(struct probe_place *place, const struct probe_argument *arg, unsigned int nr)
{
	const unsigned int number = atoi(arg->name + strlen("arg"));
	int argument = find_argument(place, arg->name);

	if (argument < 0 && (nr || place->nr_arguments == PROBE_MAX_FIELDS)) {
		probe_place__miss(place, number, "some places of the mark do not have it");
		return;
	}
	if (argument < 0) {
		argument = place->nr_arguments++;
		place->argument[argument] = *arg;
	}
	if (!add_fetch(place, argument, arg, nr))
		probe_place__miss(place, number, "its values are at more than %d different places", PROBE_MAX_FETCHES);
	if (arg->size > place->argument[argument].size)
		place->argument[argument].size = arg->size;
	place->argument[argument].is_signed |= arg->is_signed;
}

/* A mark may be at several places, with the same value in another register at each. */
static void take_arguments(struct finding *f, const struct mark *mark, u64 pc)
{
	const struct operand all = { .text = mark->arguments, .file = f->file, .pc = pc };
	struct probe_argument arg[PROBE_MAX_FIELDS];
	const unsigned int nr = read_arguments(f->place, arg, all);

	for (unsigned int i = 0; i < nr; i++)
		add_argument(f->place, &arg[i], f->place->nr_offsets - 1);
}

static void remove_argument(struct probe_place *place, unsigned int argument)
{
	unsigned int nr = 0;

	place->nr_arguments--;
	memmove(place->argument + argument, place->argument + argument + 1, (place->nr_arguments - argument) * sizeof(*place->argument));
	for (unsigned int i = 0; i < place->nr_fetches; i++) {
		struct probe_fetch f = place->fetch[i];

		if (f.argument == argument)
			continue;
		f.argument -= f.argument > argument;
		place->fetch[nr++] = f;
	}
	place->nr_fetches = nr;
}

/* An argument that cannot be read at all places would be wrong at some: it is left out. Most marks need no more than one way for all places. */
static void settle_arguments(struct probe_place *place)
{
	const u64 all = place->nr_offsets == 64 ? ~0ULL : (1ULL << place->nr_offsets) - 1;

	for (unsigned int i = 0; i < place->nr_arguments;) {
		u64 places = 0;

		for (unsigned int j = 0; j < place->nr_fetches; j++)
			places |= place->fetch[j].argument == i ? place->fetch[j].places : 0;
		if (places == all) {
			i++;
			continue;
		}
		probe_place__miss(place, atoi(place->argument[i].name + strlen("arg")), "some places of the mark do not have it");
		remove_argument(place, i);
	}
	if (place->nr_fetches == place->nr_arguments)
		place->nr_fetches = 0;
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
	f->place->is_mark = true;
	f->place->offset[f->place->nr_offsets++] = offset;
	if (mark->semaphore && !elf_file__offset(f->file, mark->semaphore + moved, &f->place->semaphore))
		f->place->semaphore = 0;
	take_arguments(f, mark, mark->pc + moved);
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
	settle_arguments(place);
	if (place->nr_offsets)
		return 0;
	if (!f.any)
		return errmsg__set(err, EINVAL, "%s has no marks (USDT)", place->target);
	return errmsg__set(err, EINVAL, "%s has no mark '%s:%s'%s", place->target, spec->provider, spec->name,
			   near_name__text(&f.near, hint, sizeof(hint)));
}

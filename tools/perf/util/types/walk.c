// SPDX-License-Identifier: GPL-2.0
#include "util/types/walk.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include "util/lib/near.h"
#include "util/types/members.h"

#define MAX_CASTS 8

/* The value that has been reached: an argument itself, or what is at an offset from the pointer that the steps have read. */
struct place {
	u32 type;    /* not stripped */
	u32 pointee; /* of a pointer that a cast has made; otherwise 0 */
	u32 at;	     /* in bits */
	u32 bits;    /* of a bit field, otherwise 0 */
	bool is_direct;
};

struct walker {
	const struct walk_roots *roots;
	const struct btf *btf;
	const char *text, *end, *pos;
	struct walk_error *error;
	struct type_walk *out;
	struct place place;
};

#define SHOWN 80 /* bytes of a type's text */

static int __attribute__((format(printf, 4, 5))) refuse(struct walker *w, const char *from, const char *to, const char *fmt, ...)
{
	va_list ap;

	w->error->at = from - w->text;
	w->error->len = to - from;
	va_start(ap, fmt);
	vsnprintf(w->error->why, sizeof(w->error->why), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Tokens */

static void skip_blanks(struct walker *w)
{
	while (w->pos < w->end && isspace((unsigned char)*w->pos))
		w->pos++;
}

static bool take(struct walker *w, const char *token)
{
	const size_t len = strlen(token);

	skip_blanks(w);
	if ((size_t)(w->end - w->pos) < len || memcmp(w->pos, token, len))
		return false;
	w->pos += len;
	return true;
}

/* Returns its length; 0: there is no name. */
static size_t take_name(struct walker *w, const char **name)
{
	skip_blanks(w);
	*name = w->pos;
	if (w->pos < w->end && isdigit((unsigned char)*w->pos))
		return 0;
	while (w->pos < w->end && (isalnum((unsigned char)*w->pos) || *w->pos == '_'))
		w->pos++;
	return w->pos - *name;
}

static bool take_word(struct walker *w, const char *word)
{
	const char *begin = w->pos, *name;
	const size_t len = take_name(w, &name);

	if (len == strlen(word) && !memcmp(name, word, len))
		return true;
	w->pos = begin;
	return false;
}

/* Types */

static const struct btf_type *type_of(const struct walker *w, u32 type)
{
	return btf__type_by_id(w->btf, btf_type__strip(w->btf, type));
}

static const char *shown(const struct walker *w, char buf[SHOWN])
{
	if (!w->place.pointee)
		return btf_type__text(w->btf, w->place.type, buf, SHOWN);
	btf_type__text(w->btf, w->place.pointee, buf, SHOWN - 2);
	return strcat(buf, " *");
}

static bool is_pointer(const struct walker *w)
{
	const struct btf_type *t = type_of(w, w->place.type);

	return w->place.pointee || (t && btf_is_ptr(t));
}

static u32 pointee_of(const struct walker *w)
{
	return w->place.pointee ?: type_of(w, w->place.type)->type;
}

/* Pointers with a tag lead to memory that is read in another way: that of a task, or of each CPU. */
static const char *other_memory(const struct walker *w, u32 type)
{
	const struct btf_type *t = btf__type_by_id(w->btf, type);

	for (; t && (btf_is_mod(t) || btf_is_type_tag(t)); t = btf__type_by_id(w->btf, t->type)) {
		const char *name = btf__name_by_offset(w->btf, t->name_off);

		if (btf_is_type_tag(t) && !strcmp(name, "user"))
			return "points to the memory of a task, which is not the kernel's";
		if (btf_is_type_tag(t) && !strcmp(name, "percpu"))
			return "points to data of which each CPU has its own; walks read none of these";
	}
	return NULL;
}

/* The way */

/* Read the pointer at the place; afterwards the place is what it points to. */
static int follow(struct walker *w, const char *from)
{
	const u32 pointee = pointee_of(w);
	const char *why = other_memory(w, pointee);
	struct filter_walk *walk = &w->out->walk;

	if (why)
		return refuse(w, from, w->pos, "%s", why);
	if (!w->place.is_direct && walk->nr_steps == FILTER_WALK_STEPS)
		return refuse(w, from, w->pos, "is one pointer too many: a walk follows at most %d", FILTER_WALK_STEPS);
	if (!w->place.is_direct)
		walk->step[walk->nr_steps++] = w->place.at / 8;
	w->place = (struct place){ .type = pointee };
	return 0;
}

static int try_name(void *near, const struct type_member *member)
{
	near_name__try(near, member->name);
	return 0;
}

/* For messages: the first names of a list. */
struct names {
	char text[160];
	size_t len;
	bool full;
};

static void names__add(struct names *names, const char *name)
{
	const size_t room = sizeof(names->text) - names->len;

	if (names->full)
		return;
	names->full = strlen(name) + sizeof(", ...") + 2 > room;
	names->len += snprintf(names->text + names->len, room, "%s%s", names->len ? ", " : "", names->full ? "..." : name);
}

/* Without the marks of the kernel's own layout, which hold nothing. */
static int add_name(void *names, const struct type_member *member)
{
	if (strncmp(member->name, "__cacheline_group_", strlen("__cacheline_group_")))
		names__add(names, member->name);
	return 0;
}

static int unknown_member(struct walker *w, const char *name, size_t len)
{
	struct near_name near = { 0 };
	struct names names = { 0 };
	char copy[NEAR_FAR], hint[NEAR_FAR + 32], type[SHOWN];

	snprintf(copy, sizeof(copy), "%.*s", (int)len, name);
	near.word = copy;
	btf_type__for_each_member(w->btf, w->place.type, try_name, &near);
	btf_type__for_each_member(w->btf, w->place.type, add_name, &names);
	if (*near.name)
		return refuse(w, name, name + len, "is no member of %s%s", shown(w, type), near_name__text(&near, hint, sizeof(hint)));
	return refuse(w, name, name + len, "is no member of %s, which has: %s", shown(w, type), names.text);
}

/* The place is a structure: go to its member. */
static int enter_member(struct walker *w)
{
	const struct btf_type *t = type_of(w, w->place.type);
	struct type_member member;
	const char *name;
	const size_t len = take_name(w, &name);
	char type[SHOWN];

	if (!len)
		return refuse(w, name, name, "expected the name of a member");
	if (t && btf_is_fwd(t))
		return refuse(w, name, name + len, "is a member of %s, whose members the kernel's type information does not have", shown(w, type));
	if (!t || !btf_is_composite(t))
		return refuse(w, name, name + len, "is no member: %s has none", shown(w, type));
	if (!btf_type__find_member(w->btf, w->place.type, name, len, &member))
		return unknown_member(w, name, len);
	w->place.type = member.type;
	w->place.pointee = 0;
	w->place.at += member.at;
	w->place.bits = member.bits;
	return 0;
}

static int take_arrow(struct walker *w, const char *from)
{
	char type[SHOWN];

	if (!is_pointer(w))
		return refuse(w, from, w->pos, "follows %s, which is no pointer%s", shown(w, type),
			      btf_is_composite(type_of(w, w->place.type)) ? ": write '.'" : "");
	return follow(w, from) ?: enter_member(w);
}

static int take_dot(struct walker *w, const char *from)
{
	char type[SHOWN];

	if (is_pointer(w))
		return refuse(w, from, w->pos, "follows %s, which is a pointer: write '->'", shown(w, type));
	if (w->place.is_direct)
		return refuse(w, from, w->pos, "follows %s, which is passed by value; its members cannot be read", shown(w, type));
	return enter_member(w);
}

static int take_index(struct walker *w, const char *from)
{
	const struct btf_type *t = type_of(w, w->place.type);
	char *end, type[SHOWN];
	u32 element, nr;
	s64 size;

	skip_blanks(w);
	if (w->pos == w->end || !isdigit((unsigned char)*w->pos))
		return refuse(w, w->pos, w->pos, "expected a number after '['");
	errno = 0;
	nr = strtoul(w->pos, &end, 0);
	w->pos = end < w->end ? end : w->end;
	if (!take(w, "]"))
		return refuse(w, w->pos, w->pos, "expected ']'");
	if (!is_pointer(w) && (!t || !btf_is_array(t)))
		return refuse(w, from, w->pos, "follows %s, which is neither an array nor a pointer", shown(w, type));
	if (!is_pointer(w) && btf_array(t)->nelems && nr >= btf_array(t)->nelems)
		return refuse(w, from, w->pos, "is behind the end of %s", shown(w, type));
	element = is_pointer(w) ? pointee_of(w) : btf_array(t)->type;
	size = btf__resolve_size(w->btf, element);
	if (size <= 0 || nr > INT32_MAX / 8 / size)
		return refuse(w, from, w->pos, "is an element without a size, or too far away");
	if (is_pointer(w) && follow(w, from))
		return -EINVAL;
	w->place.type = element;
	w->place.at += nr * size * 8;
	return 0;
}

static int take_postfixes(struct walker *w)
{
	const char *from;
	int ret = 0;

	while (!ret) {
		skip_blanks(w);
		from = w->pos;
		if (take(w, "->"))
			ret = take_arrow(w, from);
		else if (take(w, "."))
			ret = take_dot(w, from);
		else if (take(w, "["))
			ret = take_index(w, from);
		else
			return 0;
	}
	return ret;
}

/* Roots */

static int unknown_root(struct walker *w, const char *name, size_t len)
{
	struct names names = { 0 };

	for (unsigned int i = 0; i < w->roots->nr; i++)
		names__add(&names, w->roots->root[i].name);
	refuse(w, name, name + len, "is nothing to begin with here; there are: %s", names.text);
	return -ENOENT;
}

static int take_root(struct walker *w)
{
	const char *name;
	const size_t len = take_name(w, &name);

	for (unsigned int i = 0; i < w->roots->nr && len; i++) {
		const struct walk_root *root = &w->roots->root[i];

		if (strncmp(root->name, name, len) || root->name[len])
			continue;
		w->out->walk.source = root->source;
		w->place = (struct place){ .type = root->type, .is_direct = true };
		return 0;
	}
	return unknown_root(w, name, len);
}

static bool holds_address(const struct walker *w)
{
	const struct btf_type *t = type_of(w, w->place.type);

	return is_pointer(w) || (t && btf_is_int(t) && t->size == 8 && !w->place.bits);
}

static int take_walk(struct walker *w, unsigned int casts);

/* After "((": struct NAME *) walk ) */
static int take_cast(struct walker *w, unsigned int casts)
{
	const char *from, *name;
	const bool is_union = take_word(w, "union");
	size_t len;
	char copy[128], type[SHOWN];
	int id, ret;

	if (casts == MAX_CASTS)
		return refuse(w, w->pos, w->pos, "more than %d casts", MAX_CASTS);
	if (!is_union && !take_word(w, "struct"))
		return refuse(w, w->pos, w->pos, "expected 'struct', as in ((struct sock *)pointer)->member");
	len = take_name(w, &name);
	snprintf(copy, sizeof(copy), "%.*s", (int)len, name);
	id = btf__find_by_name_kind(w->btf, copy, is_union ? BTF_KIND_UNION : BTF_KIND_STRUCT);
	if (!len || id <= 0)
		return refuse(w, name, name + len, "is no %s of this kernel", is_union ? "union" : "struct");
	if (!take(w, "*") || !take(w, ")"))
		return refuse(w, w->pos, w->pos, "expected '*)' of a cast");
	skip_blanks(w);
	from = w->pos;
	ret = take_walk(w, casts + 1);
	if (ret)
		return ret;
	if (!holds_address(w))
		return refuse(w, from, w->pos, "is %s, which holds no address", shown(w, type));
	if (!take(w, ")"))
		return refuse(w, w->pos, w->pos, "expected ')' after the pointer of a cast");
	w->place.pointee = id;
	return 0;
}

static int take_walk(struct walker *w, unsigned int casts)
{
	const char *begin = w->pos;
	int ret;

	if (take(w, "(") && take(w, "(")) {
		ret = take_cast(w, casts);
	} else {
		w->pos = begin;
		ret = take_root(w);
	}
	return ret ?: take_postfixes(w);
}

/* The value */

/* A structure of a single member stands for it. */
static void enter_single_members(struct walker *w)
{
	const struct btf_type *t = type_of(w, w->place.type);

	while (!w->place.pointee && t && btf_is_composite(t) && btf_vlen(t) == 1 && !btf_member_bitfield_size(t, 0)) {
		w->place.type = btf_members(t)[0].type;
		w->place.at += btf_member_bit_offset(t, 0);
		t = type_of(w, w->place.type);
	}
}

static bool is_int_named(const struct walker *w, u32 type, const char *name)
{
	const struct btf_type *t = type_of(w, type);

	return t && btf_is_int(t) && t->size == 1 && !strcmp(btf__name_by_offset(w->btf, t->name_off), name);
}

static bool is_char(const struct walker *w, u32 type)
{
	return is_int_named(w, type, "char");
}

/* Names of files are unsigned char *; a u8 * is no text. */
static bool points_to_text(const struct walker *w, u32 type)
{
	return is_char(w, type) || (is_int_named(w, type, "unsigned char") && !btf_type__is_named(w->btf, type, "u8") &&
				    !btf_type__is_named(w->btf, type, "__u8"));
}

static bool is_of_network(const struct walker *w)
{
	return btf_type__is_named(w->btf, w->place.type, "__be16") || btf_type__is_named(w->btf, w->place.type, "__be32") ||
	       btf_type__is_named(w->btf, w->place.type, "__be64");
}

static void set_last(struct walker *w, enum filter_walk_kind kind, u32 size)
{
	struct filter_walk *walk = &w->out->walk;

	walk->kind = kind == FILTER_WALK_NUMBER && w->place.is_direct ? FILTER_WALK_DIRECT : kind;
	walk->size = size;
	walk->last = w->place.at / 8;
	if (w->place.bits) { /* read a whole number of the declared type if the bits are in one, as compilers do */
		walk->last = w->place.at / (size * 8) * size;
		if (w->place.at + w->place.bits > (walk->last + size) * 8)
			walk->last = w->place.at / 8;
		w->out->shift = w->place.at - walk->last * 8;
		w->out->bits = w->place.bits;
	}
	walk->swap = is_of_network(w) && size > 1;
}

static int refuse_value(struct walker *w)
{
	const struct btf_type *t = type_of(w, w->place.type);
	struct names names = { 0 };
	char type[SHOWN];

	shown(w, type);
	if (t && btf_is_array(t))
		return refuse(w, w->text, w->pos, "is %s: name one of its elements, as in [0]", type);
	if (!t || !btf_is_composite(t))
		return refuse(w, w->text, w->pos, "is %s, which is neither a number nor a text", type);
	btf_type__for_each_member(w->btf, w->place.type, add_name, &names);
	return refuse(w, w->text, w->pos, "is %s, which is no number: name a member of it, of %s", type, names.text);
}

static int set_number(struct walker *w, const struct btf_type *t)
{
	char type[SHOWN];

	if (t->size != 1 && t->size != 2 && t->size != 4 && t->size != 8)
		return refuse(w, w->text, w->pos, "is %s of %u bytes, which is too large for a number", shown(w, type), t->size);
	w->out->is_signed = btf_is_int(t) ? btf_int_encoding(t) & BTF_INT_SIGNED : btf_kflag(t);
	set_last(w, FILTER_WALK_NUMBER, t->size);
	if (w->out->shift + w->out->bits > t->size * 8 || (w->out->bits && w->out->is_signed && w->out->bits != t->size * 8))
		return refuse(w, w->text, w->pos, "is a bit field that walks cannot read: it has a sign, or it is not inside of one number");
	return 0;
}

static int set_value(struct walker *w)
{
	const struct btf_type *t;

	enter_single_members(w);
	w->out->type = w->place.type;
	t = type_of(w, w->place.type);
	if (is_pointer(w)) {
		const bool is_text = !w->place.pointee && points_to_text(w, t->type) && !other_memory(w, t->type);

		set_last(w, is_text ? FILTER_WALK_STRING : FILTER_WALK_NUMBER, sizeof(void *));
		if (is_text && w->place.is_direct) /* the pointer is the source itself: nothing is read before the text */
			w->out->walk.kind = FILTER_WALK_CHARS, w->out->walk.size = FILTER_WALK_TEXT_LEN;
		return 0;
	}
	if (t && btf_is_array(t) && is_char(w, btf_array(t)->type) && !w->place.is_direct) {
		set_last(w, FILTER_WALK_CHARS, btf_array(t)->nelems ?: FILTER_WALK_TEXT_LEN);
		return 0;
	}
	if (t && (btf_is_int(t) || btf_is_any_enum(t)))
		return set_number(w, t);
	return refuse_value(w);
}

int type_walk__resolve(const struct walk_roots *roots, const char *text, size_t len, struct type_walk *walk, struct walk_error *error)
{
	struct walker w = {
		.roots = roots, .btf = roots->btf, .text = text, .pos = text, .end = text + len, .error = error, .out = walk,
	};
	int ret;

	memset(walk, 0, sizeof(*walk));
	memset(error, 0, sizeof(*error));
	ret = take_walk(&w, 0);
	if (ret)
		return ret;
	skip_blanks(&w);
	if (w.pos < w.end)
		return refuse(&w, w.pos, w.end, "does not continue a walk: expected '->', '.' or '['");
	return set_value(&w);
}

bool type_walk__is_number(const struct type_walk *walk)
{
	return walk->walk.kind == FILTER_WALK_NUMBER || walk->walk.kind == FILTER_WALK_DIRECT;
}

/* Names of values */

bool walk_enum__exists(const struct btf *btf, u32 type)
{
	const struct btf_type *t = btf__type_by_id(btf, btf_type__strip(btf, type));

	return t && btf_is_any_enum(t);
}

static s64 value_of(const struct btf_type *t, u32 i, const struct btf *btf, const char **name)
{
	if (btf_is_enum64(t)) {
		*name = btf__name_by_offset(btf, btf_enum64(t)[i].name_off);
		return btf_enum64_value(&btf_enum64(t)[i]);
	}
	*name = btf__name_by_offset(btf, btf_enum(t)[i].name_off);
	return btf_kflag(t) ? btf_enum(t)[i].val : (s64)(u32)btf_enum(t)[i].val;
}

const char *walk_enum__name(const struct btf *btf, u32 type, s64 value)
{
	const struct btf_type *t = btf__type_by_id(btf, btf_type__strip(btf, type));
	const char *name;

	for (u32 i = 0; t && btf_is_any_enum(t) && i < btf_vlen(t); i++) {
		const s64 its = value_of(t, i, btf, &name);

		if (t->size == 8 ? its == value : (u32)its == (u32)value)
			return name;
	}
	return NULL;
}

u32 walk_enum__find(const struct btf *btf, const char *type)
{
	static const char word[] = "enum ";
	s32 id;

	if (strncmp(type, word, strlen(word)))
		return 0;
	id = btf__find_by_name_kind(btf, type + strlen(word), BTF_KIND_ENUM);
	if (id <= 0)
		id = btf__find_by_name_kind(btf, type + strlen(word), BTF_KIND_ENUM64);
	return id > 0 ? id : 0;
}

bool walk_value__is_pointer(const struct btf *btf, u32 type)
{
	const struct btf_type *t = btf__type_by_id(btf, btf_type__strip(btf, type));

	return t && btf_is_ptr(t);
}

/* The names and numbers of a walk, one after the other, without the types of its casts; false: there are no more. */
static bool next_part(const char **text, const char **part, size_t *len)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *at = *text + strcspn(*text, letters);

	*part = at;
	*len = strspn(at, letters);
	*text = at + *len;
	if ((*len == 6 && !memcmp(at, "struct", 6)) || (*len == 5 && !memcmp(at, "union", 5))) {
		*text += strcspn(*text, ")");
		return next_part(text, part, len);
	}
	return *len;
}

void walk__field_name(const char *text, bool whole, char *name, size_t size)
{
	size_t used = 0, len, nr = 0;
	const char *part;

	*name = '\0';
	while (next_part(&text, &part, &len) && used < size) {
		if (nr++ < 2 && !whole) /* what it begins with is gone once there is more */
			used = 0;
		used += snprintf(name + used, size - used, "%s%.*s", used ? "_" : "", (int)len, part);
	}
}

int walk_enum__value(const struct btf *btf, u32 type, const char *name, size_t len, s64 *value, char *why, size_t size)
{
	const struct btf_type *t = btf__type_by_id(btf, btf_type__strip(btf, type));
	struct near_name near = { 0 };
	struct names names = { 0 };
	char copy[NEAR_FAR], hint[NEAR_FAR + 32];
	const char *its;

	snprintf(copy, sizeof(copy), "%.*s", (int)len, name);
	near.word = copy;
	for (u32 i = 0; i < btf_vlen(t); i++) {
		const s64 v = value_of(t, i, btf, &its);

		if (!strncmp(its, name, len) && !its[len]) {
			*value = v;
			return 0;
		}
		near_name__try(&near, its);
		names__add(&names, its);
	}
	if (*near.name)
		snprintf(why, size, "is no value of enum %s%s", btf__name_by_offset(btf, t->name_off), near_name__text(&near, hint, sizeof(hint)));
	else
		snprintf(why, size, "is no value of enum %s, which has: %s", btf__name_by_offset(btf, t->name_off), names.text);
	return -ENOENT;
}

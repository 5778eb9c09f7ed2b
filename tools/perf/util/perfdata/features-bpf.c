// SPDX-License-Identifier: GPL-2.0
/*
 * BPF_PROG_INFO and BPF_BTF, which other perfs write: the loaded programs, and the types that name their functions. Each program is
 * the kernel's struct bpf_prog_info of its time, with offsets into the data after it instead of pointers
 * (tools/perf/util/bpf-utils.h of the kernel's sources); BTF has the format of Documentation/bpf/btf.rst there.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/printable.h"
#include "util/perfdata/section.h"

/* Bits for the arrays in the data */
enum { ARRAY_KSYMS = 3, ARRAY_LENS = 4, ARRAY_FUNCS = 5, ARRAY_TAGS = 8 };

struct program_data {
	u64 arrays; /* bits */
	const u8 *data;
	u32 size;
};

/* Member i of an array at offset; NULL: missing. */
static const u8 *member(const struct program_data *d, int array, u64 offset, u32 size, u32 i)
{
	u64 end = ((u64)i + 1) * size;

	return d->arrays >> array & 1 && offset <= d->size && end <= d->size - offset ? d->data + offset + end - size : NULL;
}

static bool take_code(const struct program_data *d, const struct bpf_prog_info *info, u32 i, struct perfdata_bpf_code *code)
{
	const u8 *addr = member(d, ARRAY_KSYMS, info->jited_ksyms, sizeof(code->addr), i);
	const u8 *size = member(d, ARRAY_LENS, info->jited_func_lens, sizeof(code->size), i);
	const u8 *tag = member(d, ARRAY_TAGS, info->prog_tags, sizeof(code->tag), i);
	const u8 *func = member(d, ARRAY_FUNCS, info->func_info, info->func_info_rec_size, i);

	if (!addr || !size || !tag)
		return false;
	memcpy(&code->addr, addr, sizeof(code->addr));
	memcpy(&code->size, size, sizeof(code->size));
	memcpy(code->tag, tag, sizeof(code->tag));
	if (func && info->func_info_rec_size >= sizeof(struct bpf_func_info))
		memcpy(&code->type_id, func + offsetof(struct bpf_func_info, type_id), sizeof(code->type_id));
	return true;
}

/* A program without all arrays has no code here: its writer was not allowed to see them. */
static int take_codes(const struct program_data *d, const struct bpf_prog_info *info, struct perfdata_bpf_program *program)
{
	u32 nr = info->nr_jited_ksyms;

	if (!nr || nr != info->nr_prog_tags || nr != info->nr_jited_func_lens || nr > d->size / sizeof(u64))
		return 0;
	program->code = calloc(nr, sizeof(*program->code));
	if (!program->code)
		return -ENOMEM;
	while (program->nr_code < nr && take_code(d, info, program->nr_code, &program->code[program->nr_code]))
		program->nr_code++;
	if (program->nr_code < nr)
		program->nr_code = 0;
	return 0;
}

static int take_program(struct section *s, struct perfdata_bpf_program *program)
{
	struct bpf_prog_info info = {};
	struct program_data d;
	u32 info_size;
	int err = section__u32(s, &info_size) ?: section__u32(s, &d.size) ?: section__u64(s, &d.arrays);

	if (err)
		return err;
	if (info_size > s->left || d.size > s->left - info_size)
		return -EINVAL;
	memcpy(&info, s->p, info_size < sizeof(info) ? info_size : sizeof(info));
	d.data = s->p + info_size;
	s->p += info_size + d.size;
	s->left -= info_size + d.size;
	program->id = info.id;
	program->btf_id = info.btf_id;
	memcpy(program->name, info.name, sizeof(info.name) - 1);
	printable__clean(program->name);
	return take_codes(&d, &info, program);
}

#define PROGRAM_LEAST (2 * sizeof(u32) + sizeof(u64)) /* bytes in the section */

/* For a machine with the other byte order only count the programs. */
int bpf_programs__decode(struct perfdata_features *f, struct section *s)
{
	u32 total;
	int err = section__u32(s, &total);

	if (err || s->swap) {
		f->nr_foreign_bpf = err ? 0 : total;
		return err;
	}
	err = section__array(s, total, PROGRAM_LEAST, sizeof(*f->bpf_program), &f->bpf_program);
	while (!err && f->nr_bpf_program < total)
		err = take_program(s, &f->bpf_program[f->nr_bpf_program++]);
	return err;
}

void bpf_programs__reset(struct perfdata_features *f)
{
	for (u32 i = 0; i < f->nr_bpf_program; i++)
		free(f->bpf_program[i].code);
	free(f->bpf_program);
	f->bpf_program = NULL;
	f->nr_bpf_program = f->nr_foreign_bpf = 0;
}

/* How many bytes follow a type's struct btf_type; -1: unknown kind. */
static long more_of_type(const struct btf_type *type)
{
	u32 nr = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
		return sizeof(u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return nr * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return nr * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return nr * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return nr * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return nr * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return -1;
	}
}

/* Offsets of the type names from type 1 on, up to the first unknown kind. */
static int take_types(struct section s, struct perfdata_btf *btf)
{
	struct btf_type type;
	long more;

	btf->name = calloc(s.left / sizeof(type) + 1, sizeof(*btf->name));
	if (!btf->name)
		return -ENOMEM;
	btf->nr_name = 1; /* void */
	while (!section__bytes(&s, &type, sizeof(type))) {
		btf->name[btf->nr_name++] = type.name_off;
		more = more_of_type(&type);
		if (more < 0 || (size_t)more > s.left)
			break;
		s.p += more;
		s.left -= more;
	}
	return 0;
}

/* Malformed BTF has no names, which are its only use here. */
static int take_btf_data(struct section s, struct perfdata_btf *btf)
{
	const u8 *begin = s.p;
	size_t size = s.left;
	struct btf_header h;

	if (section__bytes(&s, &h, sizeof(h)) || h.magic != BTF_MAGIC || h.hdr_len > size)
		return 0;
	size -= h.hdr_len;
	begin += h.hdr_len;
	if (h.type_off > size || h.type_len > size - h.type_off || h.str_off > size || h.str_len > size - h.str_off)
		return 0;
	s = (struct section){ begin + h.str_off, h.str_len, false };
	btf->strings_size = h.str_len;
	return section__text(&s, h.str_len, &btf->strings) ?:
	       take_types((struct section){ begin + h.type_off, h.type_len, false }, btf);
}

static int take_btf(struct section *s, struct perfdata_btf *btf)
{
	u32 size;
	int err = section__u32(s, &btf->id) ?: section__u32(s, &size);

	if (err || size > s->left)
		return err ?: -EINVAL;
	err = take_btf_data((struct section){ s->p, size, false }, btf);
	s->p += size;
	s->left -= size;
	return err;
}

static int cmp_btf(const void *a, const void *b)
{
	u32 l = ((const struct perfdata_btf *)a)->id, r = ((const struct perfdata_btf *)b)->id;

	return (l > r) - (l < r);
}

int btf__decode(struct perfdata_features *f, struct section *s)
{
	u32 total;
	int err = section__u32(s, &total);

	if (err || s->swap) {
		f->nr_foreign_btf = err ? 0 : total;
		return err;
	}
	err = section__array(s, total, 2 * sizeof(u32), sizeof(*f->btf), &f->btf);
	while (!err && f->nr_btf < total)
		err = take_btf(s, &f->btf[f->nr_btf++]);
	if (!err)
		qsort(f->btf, f->nr_btf, sizeof(*f->btf), cmp_btf);
	return err;
}

void btf__reset(struct perfdata_features *f)
{
	for (u32 i = 0; i < f->nr_btf; i++) {
		free(f->btf[i].name);
		free(f->btf[i].strings);
	}
	free(f->btf);
	f->btf = NULL;
	f->nr_btf = f->nr_foreign_btf = 0;
}

static const char *type_name(const struct perfdata_features *f, u32 btf_id, u32 type_id)
{
	const struct perfdata_btf key = { .id = btf_id };
	const struct perfdata_btf *btf = f->nr_btf ? bsearch(&key, f->btf, f->nr_btf, sizeof(key), cmp_btf) : NULL;

	if (!btf || type_id >= btf->nr_name || btf->name[type_id] >= btf->strings_size)
		return "";
	return btf->strings + btf->name[type_id];
}

int perfdata_bpf_program__name(const struct perfdata_features *f, const struct perfdata_bpf_program *program, u32 i, char *buf, size_t size)
{
	const char *name = type_name(f, program->btf_id, program->code[i].type_id);
	const u8 *tag = program->code[i].tag;
	int len;

	if (!*name)
		name = program->nr_code == 1 && *program->name ? program->name : "F";
	len = snprintf(buf, size, "bpf_prog_%02x%02x%02x%02x%02x%02x%02x%02x_%s", tag[0], tag[1], tag[2], tag[3], tag[4], tag[5], tag[6],
		       tag[7], name);
	printable__clean(buf);
	return len;
}

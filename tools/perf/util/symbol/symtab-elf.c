// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/symbol/debug-file.h"
#include "util/symbol/debuginfod.h"
#include "util/symbol/elf-file.h"
#include "util/symbol/elf-plt.h"
#include "util/symbol/mini-debuginfo.h"
#include "util/symbol/recorded-file.h"
#include "util/symbol/symtab-build.h"
#include "util/symbol/symtab-elf.h"

/*
 * Symbols and code may be in different files: then only the code's file (runtime) has valid program headers and section contents,
 * and the debug file has the rest.
 */
struct elf_loader {
	const struct elf_file *syms, *runtime;
	bool absolute; /* a kernel: addresses, not offsets */
	struct symtab_builder *b;
	struct section { /* indexed by the section number in syms */
		bool alloc;
		bool code_or_data; /* by its name: labels in other sections are marks of the linker */
		u64 to_offset;	   /* offset to add to an address in it if no segment contains it */
	} *section;
	size_t nr_sections;
};

/* Is word in the first bytes of name? Many sections may have the same endless name. */
static bool has_word(const char *name, const char *word)
{
	return memmem(name, strnlen(name, NAME_MAX), word, strlen(word));
}

static bool section_at(const struct elf_file *file, size_t index, u64 addr, GElf_Shdr *shdr)
{
	Elf_Scn *scn = elf_getscn(file->elf, index);

	return scn && gelf_getshdr(scn, shdr) && shdr->sh_addr == addr;
}

static int elf_loader__read_sections(struct elf_loader *l)
{
	Elf_Scn *scn = NULL;

	if (elf_getshdrnum(l->syms->elf, &l->nr_sections))
		return -ENOEXEC;
	l->section = calloc(l->nr_sections + 1, sizeof(*l->section));
	if (!l->section)
		return -ENOMEM;
	while ((scn = elf_nextscn(l->syms->elf, scn))) {
		size_t index = elf_ndxscn(scn);
		GElf_Shdr shdr, there;
		const char *name;

		if (index >= l->nr_sections || !gelf_getshdr(scn, &shdr))
			continue;
		name = elf_file__section_name(l->syms, &shdr);
		if (shdr.sh_type == SHT_NOBITS && l->runtime != l->syms && section_at(l->runtime, index, shdr.sh_addr, &there))
			shdr.sh_offset = there.sh_offset;
		l->section[index] = (struct section){
			.alloc = shdr.sh_flags & SHF_ALLOC,
			.code_or_data = has_word(name, "text") || has_word(name, "data"),
			.to_offset = shdr.sh_offset - shdr.sh_addr,
		};
	}
	return 0;
}

/* "$x", "$d.1" and the like mark where code and data begin within sections (ELF for the Arm and RISC-V architectures). */
static bool is_mapping_symbol(const GElf_Ehdr *ehdr, const char *name)
{
	if (ehdr->e_machine != EM_ARM && ehdr->e_machine != EM_AARCH64 && ehdr->e_machine != EM_RISCV)
		return false;
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (name[2] == '\0' || name[2] == '.');
}

/* Accept functions, variables, and labels that others may refer to. */
static bool elf_loader__wants(const struct elf_loader *l, const GElf_Sym *sym, size_t index)
{
	int visibility = GELF_ST_VISIBILITY(sym->st_other);

	if (sym->st_name == 0 || index == SHN_UNDEF || index >= l->nr_sections || !l->section[index].alloc)
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	case STT_NOTYPE:
		return visibility != STV_HIDDEN && visibility != STV_INTERNAL && l->section[index].code_or_data;
	default:
		return false;
	}
}

static int elf_loader__add(struct elf_loader *l, const GElf_Sym *sym, size_t section, u32 name)
{
	struct symbol_place place = { 0, sym->st_size, GELF_ST_BIND(sym->st_info), GELF_ST_TYPE(sym->st_info) };
	u64 value = sym->st_value;

	/* the lowest bit of a Thumb function's address is a flag */
	if (l->syms->ehdr.e_machine == EM_ARM && GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		value &= ~1ull;
	if (l->absolute)
		place.start = value;
	else if (!elf_file__offset(l->runtime, value, &place.start))
		place.start = value + l->section[section].to_offset;
	return symtab_builder__add_at(l->b, &place, name);
}

/* names->size 0: there are none. Valid until the next name is added. */
static int elf_loader__read_names(struct elf_loader *l, size_t section, struct elf_strings *names, u32 *at)
{
	size_t size = elf_file__strings_size(l->syms, section);
	int err = size ? symtab_builder__add_room(l->b, size, at) : 0;

	if (!err && size && elf_file__read_strings(l->syms, section, l->b->names + *at, size))
		*names = (struct elf_strings){ l->b->names + *at, size };
	return err;
}

static int elf_loader__read_table(struct elf_loader *l, const char *section, u32 type)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(l->syms, section, &shdr);
	Elf_Data *data = scn && shdr.sh_type == type ? elf_getdata(scn, NULL) : NULL;
	struct elf_strings names = {};
	GElf_Sym sym;
	u32 at = 0;
	int err = 0;

	if (data) {
		err = elf_loader__read_names(l, shdr.sh_link, &names, &at);
		symtab_builder__expect(l->b, names.size && shdr.sh_entsize ? data->d_size / shdr.sh_entsize : 0, 0);
	}
	for (int i = 0; data && !err && gelf_getsym(data, i, &sym); i++) {
		const char *name;

		if (!elf_loader__wants(l, &sym, sym.st_shndx))
			continue;
		name = elf_strings__at(&names, sym.st_name);
		if (name && *name && !is_mapping_symbol(&l->syms->ehdr, name))
			err = elf_loader__add(l, &sym, sym.st_shndx, at + sym.st_name);
	}
	return err;
}

static int elf_loader__run(struct elf_loader *l)
{
	int err = elf_loader__read_sections(l);

	if (!err)
		err = elf_loader__read_table(l, ".symtab", SHT_SYMTAB);
	if (!err && !l->absolute)
		err = elf_loader__read_table(l, ".dynsym", SHT_DYNSYM);
	free(l->section);
	return err;
}

static bool has_symtab(const struct elf_file *file)
{
	GElf_Shdr shdr;

	return elf_file__section(file, ".symtab", &shdr) && shdr.sh_type == SHT_SYMTAB;
}

static int add_mini_debuginfo(struct symtab_builder *b, struct elf_file *runtime)
{
	struct mini_debuginfo mini;
	struct elf_loader loader = { .syms = &mini.elf, .runtime = runtime, .b = b };
	int err = mini_debuginfo__open(&mini, runtime);

	if (err)
		return err == -ENOENT ? 0 : err;
	err = elf_loader__run(&loader);
	mini_debuginfo__close(&mini);
	return err;
}

static int load_user(struct elf_file *syms, struct elf_file *runtime, const struct symtab_opts *opts, struct symtab **tab)
{
	struct symtab_builder b = { .demangle = !opts || !opts->no_demangle, .short_names = opts && opts->short_names,
				    .budget = &syms->budget };
	struct elf_loader loader = { .syms = syms, .runtime = runtime, .b = &b };
	int err = elf_loader__run(&loader);

	if (!err && !has_symtab(syms))
		err = add_mini_debuginfo(&b, runtime);
	if (!err) {
		symtab_builder__settle(&b);
		err = elf_plt__add(&b, runtime);
	}
	if (!err) {
		symtab_builder__settle(&b);
		err = symtab_builder__finish(&b, tab);
	}
	symtab_builder__exit(&b);
	return err;
}

static int tell_failure(int error, const char *path, const char *whose, const struct elf_budget *budget, struct errmsg *err)
{
	if (error == -E2BIG)
		return errmsg__set(err, E2BIG, "%s: %s", path, budget->left_out[0] ? budget->left_out : "has too many symbols");
	return errmsg__set(err, -error, "%s: cannot read %s symbols: %s", path, whose, strerror(-error));
}

/* 0, -ENOENT, -ENOMEM and others */
static int open_fetched(struct elf_file *debug, const struct build_id *id)
{
	char *path;
	int err = debuginfod__find(id, &path);

	if (err)
		return err;
	err = elf_file__open(debug, path, NULL);
	free(path);
	if (!err && !has_symtab(debug)) {
		elf_file__close(debug);
		err = -ENOENT;
	}
	return err;
}

int symtab__load_elf(const char *path, const struct build_id *want, const struct symtab_opts *opts, struct symtab **tab,
		     struct errmsg *err)
{
	static const struct symtab_opts none;
	const struct symtab_opts *o = opts ?: &none;
	const struct file_places places = { o->symfs, o->cache, o->bundle, o->dso, o->mapped };
	struct elf_file runtime, debug;
	bool has_debug = false;
	struct build_id id;
	int rc = recorded_file__open(&runtime, o->opened && !o->symfs ? o->opened : path, want, &places, err);

	if (rc)
		return rc;
	if (!has_symtab(&runtime)) {
		if (elf_file__build_id(&runtime, &id))
			id.size = 0;
		rc = debug_file__open(&debug, ".symtab", path, &id, &runtime, places.symfs, places.bundle);
		if (rc == -ENOENT && o->debuginfod)
			rc = open_fetched(&debug, &id);
		has_debug = !rc;
	}
	if (rc != -ENOMEM)
		rc = load_user(has_debug ? &debug : &runtime, &runtime, opts, tab);
	if (has_debug) {
		elf_budget__note(&runtime.budget, "%s", debug.budget.left_out);
		elf_file__close(&debug);
	}
	elf_file__close(&runtime);
	if (rc)
		return tell_failure(rc, path, "its", &runtime.budget, err);
	symtab__set_left_out(*tab, runtime.budget.left_out);
	return 0;
}

int symtab__load_elf_image(const void *image, size_t size, const struct build_id *want, struct symtab **tab)
{
	struct elf_file file;
	struct build_id id;
	int err = elf_file__open_memory(&file, image, size);

	if (err)
		return err;
	if (want && want->size && (elf_file__build_id(&file, &id) || !build_id__equal(&id, want)))
		err = -ESTALE;
	else
		err = load_user(&file, &file, NULL, tab);
	elf_file__close(&file);
	return err;
}

/* The address of a symbol in a builder before it is settled. */
static bool find_raw(const struct symtab_builder *b, const char *name, u64 *addr)
{
	for (u32 i = 0; i < b->nr; i++) {
		if (!strcmp(b->names + b->sym[i].name, name)) {
			*addr = b->sym[i].start;
			return true;
		}
	}
	return false;
}

int symtab__load_vmlinux(const char *path, const struct build_id *want, const char *ref_name, u64 ref_addr,
			 const struct symtab_opts *opts, struct symtab **tab, s64 *shift, struct errmsg *err)
{
	static const struct file_places as_named;
	struct symtab_builder b = { .demangle = opts && opts->demangle_kernel };
	struct elf_file file;
	struct elf_loader loader = { .syms = &file, .runtime = &file, .absolute = true, .b = &b };
	int rc = recorded_file__open(&file, path, want, &as_named, err);
	u64 addr;

	if (rc)
		return rc;
	b.budget = &file.budget;
	rc = elf_loader__run(&loader);
	elf_file__close(&file);
	*shift = !rc && ref_name && find_raw(&b, ref_name, &addr) ? ref_addr - addr : 0;
	if (*shift)
		symtab_builder__move(&b, *shift);
	if (!rc) {
		symtab_builder__settle(&b);
		rc = b.nr ? symtab_builder__finish(&b, tab) : -ENOENT;
	}
	symtab_builder__exit(&b);
	if (rc)
		return tell_failure(rc, path, "a kernel's", &file.budget, err);
	symtab__set_left_out(*tab, file.budget.left_out);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/probe-finder.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/lib/advice.h"
#include "util/lib/fs.h"
#include "util/lib/near.h"
#include "util/lib/printable.h"
#include "util/lib/regular-file.h"
#include "util/symbol/debug-file.h"
#include "util/symbol/mini-debuginfo.h"
#include "util/symbol/probe-args.h"
#include "util/symbol/symtab.h"

/* Files */

static char *first_match(const char *dir, size_t len, const char *name, const char *suffix)
{
	char pattern[PATH_MAX], *path = NULL;
	glob_t found;

	if (snprintf(pattern, sizeof(pattern), "%.*s/%s%s", (int)len, dir, name, suffix) >= (int)sizeof(pattern))
		return NULL;
	if (!glob(pattern, 0, NULL, &found) && found.gl_pathc)
		path = fs__real_path(found.gl_pathv[0]);
	globfree(&found);
	return path;
}

/* In the directories of a list as $PATH. */
static char *search(const char *dirs, const char *name, const char *suffix)
{
	char *path = NULL;

	for (const char *dir = dirs; *dir && !path; dir += strcspn(dir, ":"), dir += *dir == ':')
		path = first_match(dir, strcspn(dir, ":"), name, suffix);
	return path;
}

#define LIBRARIES "/usr/local/lib:/lib64:/usr/lib64:/lib:/usr/lib:/lib/*-linux-gnu:/usr/lib/*-linux-gnu"

/* A name without a slash is a program, or a library: libc.so.6, libc. */
char *probe_finder__file(const char *written)
{
	char *path = *written ? fs__real_path(written) : NULL;

	if (path || !*written || strchr(written, '/') || written[strcspn(written, "*?[")])
		return path;
	return search(getenv("PATH") ?: "", written, "") ?: search(LIBRARIES, written, "") ?: search(LIBRARIES, written, ".so.[0-9]*");
}

const char *probe_finder__why_no_file(const char *written, int error)
{
	if (!*written)
		return "the name is empty";
	if (!strchr(written, '/'))
		return strerror(ENOENT);
	return error == EINVAL ? "not a regular file" : fs__why_missing(written, error ?: ENOENT);
}

/* Functions */

struct function {
	const char *wanted;
	u64 wanted_at;		     /* 0, or the address of the function whose name is looked for instead */
	struct near_name near;	     /* has a word while names like the wanted one are looked for */
	const struct elf_file *code; /* the file with the segments */
	char name[256];		     /* in the symbol table */
	u64 vaddr, size;
	bool found, is_ifunc;
	u64 other;		     /* another one of this name; 0: none */
	char other_name[256];	     /* in the symbol table */
};

static bool is_function(const GElf_Sym *sym)
{
	const int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_value && (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static bool is_demangled_to(const char *name, const char *wanted, bool short_name)
{
	char *plain = demangle(name, short_name);
	const bool equal = plain && !strcmp(plain, wanted);

	free(plain);
	return equal;
}

/* "malloc" is also malloc@@GLIBC_2.2.5 of .symtab. Names of C++ may have their parameters. */
static bool is_named(const char *name, const char *wanted)
{
	const size_t len = strlen(wanted);

	if (!strncmp(name, wanted, len) && (!name[len] || name[len] == '@'))
		return true;
	return is_demangled_to(name, wanted, true) || (strchr(wanted, '(') && is_demangled_to(name, wanted, false));
}

static void function__take(struct function *f, const GElf_Sym *sym, const char *name)
{
	if (f->found && f->vaddr != sym->st_value) {
		f->other = sym->st_value;
		snprintf(f->other_name, sizeof(f->other_name), "%s", name);
	}
	if (f->found)
		return;
	f->found = true;
	f->vaddr = sym->st_value;
	f->size = sym->st_size;
	f->is_ifunc = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC;
	snprintf(f->name, sizeof(f->name), "%s", name);
}

static void function__search_table(struct function *f, const struct elf_file *file, const char *section)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(file, section, &shdr);
	Elf_Data *data = scn && (shdr.sh_type == SHT_SYMTAB || shdr.sh_type == SHT_DYNSYM) ? elf_getdata(scn, NULL) : NULL;
	struct elf_strings names = { 0 };
	GElf_Sym sym;

	if (data)
		names = elf_file__strings(file, shdr.sh_link);
	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		const char *name = is_function(&sym) ? elf_strings__at(&names, sym.st_name) : NULL;

		if (!name || !*name)
			continue;
		if (f->near.word)
			near_name__try(&f->near, name);
		else if (f->wanted_at ? sym.st_value == f->wanted_at : is_named(name, f->wanted))
			function__take(f, &sym, name);
	}
}

static void function__search(struct function *f, const char *path)
{
	struct build_id id = { 0 };
	struct mini_debuginfo mini;
	struct elf_file debug;

	function__search_table(f, f->code, ".symtab");
	function__search_table(f, f->code, ".dynsym");
	if (!f->found && !mini_debuginfo__open(&mini, (struct elf_file *)f->code)) {
		function__search_table(f, &mini.elf, ".symtab");
		mini_debuginfo__close(&mini);
	}
	if (f->found || elf_file__build_id(f->code, &id))
		return;
	if (debug_file__open(&debug, ".symtab", path, &id, (struct elf_file *)f->code, NULL, NULL))
		return;
	function__search_table(f, &debug, ".symtab");
	elf_file__close(&debug);
}

/* The symbol is a compiler's clone (f.constprop.0), a member of a class, or it was stripped. */
static int refuse_other_name(struct function *f, const char *path, u64 vaddr, struct errmsg *err)
{
	char *plain;

	f->wanted_at = vaddr;
	function__search(f, path);
	if (!f->found)
		return errmsg__set(err, EINVAL, "%s has no symbol '%s': take its address, 0x%" PRIx64, path, f->wanted, vaddr);
	plain = demangle(f->name, true);
	errmsg__set(err, EINVAL, "%s has no symbol '%s': its code is '%s', at 0x%" PRIx64, path, f->wanted, plain ?: f->name, vaddr);
	free(plain);
	return -EINVAL;
}

/* All names are compared for a message only, as that takes longer than all the rest. */
static int refuse_missing(struct function *f, const char *path, const char *opened, struct errmsg *err)
{
	char hint[NEAR_FAR + 32];
	u64 vaddr = 0;
	const bool known = probe_args__find(&(struct probe_file){ path, opened }, f->wanted, &vaddr);

	if (known && vaddr && probe_finder__is_code(f->code, vaddr))
		return refuse_other_name(f, path, vaddr, err);
	if (known && !vaddr)
		return errmsg__set(err, EINVAL, "'%s' of %s has no code of its own: the compiler has inlined it everywhere. perf probe -x can set an event "
				   "on each of its copies", f->wanted, path);
	f->near.word = f->wanted;
	function__search(f, path);
	return errmsg__set(err, EINVAL, "%s has no function '%s'%s", path, f->wanted, near_name__text(&f->near, hint, sizeof(hint)));
}

static int refuse_several(const struct function *f, const char *path, struct errmsg *err)
{
	char *one = demangle(f->name, false), *other = demangle(f->other_name, false);

	if (one && other && strcmp(one, other))
		errmsg__set(err, ENOTUNIQ,
			    "%s has several functions '%s': add the parameters of one, '%s' or '%s', or take its "
			    "address, 0x%" PRIx64 " or 0x%" PRIx64,
			    path, f->wanted, one, other, f->vaddr, f->other);
	else
		errmsg__set(err, ENOTUNIQ,
			    "%s has several functions '%s': take the address of one, 0x%" PRIx64 " or 0x%" PRIx64, path,
			    f->wanted, f->vaddr, f->other);
	free(one);
	free(other);
	return -ENOTUNIQ;
}

static int check_function(struct function *f, const struct probe_spec *spec, const char *path, const char *opened, struct errmsg *err)
{
	if (!f->found)
		return refuse_missing(f, path, opened, err);
	if (f->other)
		return refuse_several(f, path, err);
	if (f->is_ifunc)
		return errmsg__set(err, EINVAL, "'%s' of %s only chooses one of several functions when a program is loaded: take that one", spec->name,
				   path);
	if (spec->offset && spec->offset >= f->size)
		return errmsg__set(err, EINVAL, "'%s' of %s has %" PRIu64 " byte%s only", spec->name, path, f->size,
				   plural(f->size));
	return 0;
}

/* "0x401136" */
static bool parse_address(const char *name, u64 *vaddr)
{
	char *end;

	if (strncmp(name, "0x", 2))
		return false;
	errno = 0;
	*vaddr = strtoull(name, &end, 16);
	return !*end && !errno && end > name + 2;
}

bool probe_finder__is_code(const struct elf_file *file, u64 vaddr)
{
	for (u32 i = 0; i < file->nr_load; i++) {
		if (vaddr >= file->load[i].vaddr && vaddr - file->load[i].vaddr < file->load[i].file_size)
			return file->load[i].flags & PF_X;
	}
	return false;
}

static int check_place(const struct elf_file *file, const struct probe_spec *spec, u64 vaddr, struct errmsg *err)
{
	if (!probe_finder__is_code(file, vaddr))
		return errmsg__set(err, EINVAL, "'%s' is at 0x%" PRIx64 ", where the file has no code", spec->name, vaddr);
#if defined(__aarch64__)
	if (vaddr % 4)
		return errmsg__set(err, EINVAL, "0x%" PRIx64 " is no multiple of 4: no instruction begins there", vaddr);
#endif
	return 0;
}

static int find_function(const struct probe_spec *spec, struct elf_file *file, struct probe_place *place, struct errmsg *err)
{
	const struct probe_file at = { place->target, place->opened };
	struct function f = { .wanted = spec->name, .code = file, .name = "?" };
	const bool by_address = !spec->is_symbol && parse_address(spec->name, &f.vaddr);
	struct probe_code code;
	int ret = 0;

	if (!by_address) {
		function__search(&f, place->target);
		ret = check_function(&f, spec, place->target, place->opened, err);
	}
	code = (struct probe_code){
		.file = &at,
		.name = f.name,
		.vaddr = f.vaddr + spec->offset,
		.at_begin = !spec->offset,
		.is_return = place->is_return,
	};
	if (!ret)
		ret = check_place(file, spec, code.vaddr, err);
	if (ret)
		return ret;
	if (!elf_file__offset(file, code.vaddr, &place->offset[0]))
		return errmsg__set(err, EINVAL, "'%s' is in no part of %s that is loaded", spec->name, place->target);
	if (by_address)
		ret = probe_finder__check_address(file, &at, code.vaddr, place->is_return, err);
	else
		ret = probe_finder__check_instruction(&at, place->offset[0] - spec->offset, spec->offset, err);
	if (ret)
		return ret;
	place->nr_offsets = 1;
	probe_args__add(place, &code);
	return 0;
}

int probe_finder__check_machine(const struct elf_file *file, const char *path, struct errmsg *err)
{
#if defined(__x86_64__)
	const int own = EM_X86_64;
#else
	const int own = EM_AARCH64;
#endif

	if (file->ehdr.e_machine == own && file->ehdr.e_ident[EI_CLASS] == ELFCLASS64)
		return 0;
	return errmsg__set(err, EINVAL, "%s is no program of 64 bits for this machine", path);
}

int probe_finder__check_return(const struct elf_file *file, const char *path, const char *force, struct errmsg *err)
{
	GElf_Shdr shdr;

	if (!elf_file__section(file, ".note.go.buildid", &shdr))
		return 0;
	return errmsg__set(err, EINVAL, "%s is a Go program. A return probe changes return addresses on its stacks, and Go's runtime, which reads "
			   "them, would end it: \"unexpected return pc\". %s sets the probe nevertheless", path, force);
}

static int check_return(const struct elf_file *file, const struct probe_spec *spec, const char *path, struct errmsg *err)
{
	if (spec->kind != PROBE_USER_RETURN || spec->force)
		return 0;
	return probe_finder__check_return(file, path, "uretprobe-force: (of perf ftrace: --force)", err);
}

/* Of a file that was cut, as by a copy that did not end, only names or code might be left. */
static int check_whole(const struct elf_file *elf, const char *path, struct errmsg *err)
{
	u64 end = elf->ehdr.e_shoff ? elf->ehdr.e_shoff + (u64)elf->ehdr.e_shnum * elf->ehdr.e_shentsize : 0;
	struct stat st;

	if (fstat(elf->fd, &st))
		return errmsg__set(err, errno, "%s: %s", path, strerror(errno));
	for (u32 i = 0; i < elf->nr_load; i++) {
		const u64 end_of_load = elf->load[i].offset + elf->load[i].file_size;

		end = end_of_load > end ? end_of_load : end;
	}
	if (end <= (u64)st.st_size)
		return 0;
	return errmsg__set(err, ENOEXEC, "%s is cut short: it has %" PRIu64 " bytes, and by its headers %" PRIu64, path, (u64)st.st_size, end);
}

int probe_finder__open(const struct probe_file *file, struct elf_file *elf, struct errmsg *err)
{
	int fd = file->opened ? regular_file__open(file->opened, 0) : 0, ret;

	if (fd < 0)
		return errmsg__set(err, -fd, "%s: %s", file->path, strerror(-fd));
	ret = file->opened ? elf_file__open_fd(elf, fd, file->path, err) : elf_file__open(elf, file->path, err);
	if (ret)
		return ret;
	ret = check_whole(elf, file->path, err);
	if (ret)
		elf_file__close(elf);
	return ret;
}

/* Whatever gets the path in the meantime, the kernel sets the probe in the file that was read. Ends file on errors. */
static int keep_open(struct probe_place *place, struct elf_file *file, struct errmsg *err)
{
	place->fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	place->path = strdup(place->target);
	if (place->fd >= 0 && place->path && asprintf(&place->opened, "/proc/self/fd/%d", place->fd) >= 0) {
		printable__clean(place->target); /* from here on a name only */
		return 0;
	}
	place->opened = NULL;
	errmsg__set(err, errno, "%s: %s", place->target, strerror(errno));
	if (place->fd >= 0)
		close(place->fd);
	elf_file__close(file);
	return -EINVAL;
}

static int find_in_file(const struct probe_spec *spec, struct probe_place *place, struct errmsg *err)
{
	struct elf_file file;
	int ret;

	place->target = spec->opened ? strdup(spec->path) : probe_finder__file(spec->path);
	if (!place->target)
		return errmsg__set(err, EINVAL, "'%s' is no file: %s", printable__clean(strdupa(spec->path)),
				   probe_finder__why_no_file(spec->path, errno));
	ret = probe_finder__open(&(struct probe_file){ place->target, spec->opened }, &file, err) ?: keep_open(place, &file, err);
	if (ret)
		return ret == -ENOMEM ? ret : -EINVAL;
	ret = probe_finder__check_machine(&file, place->target, err) ?: check_return(&file, spec, place->target, err);
	if (!ret && spec->kind == PROBE_SDT)
		ret = probe_sdt__find(spec, &file, place, err);
	else if (!ret)
		ret = find_function(spec, &file, place, err);
	elf_file__close(&file);
	return ret;
}

int probe_finder__find(const struct probe_spec *spec, struct probe_place *place, struct errmsg *err)
{
	*place = (struct probe_place){
		.in_kernel = spec->kind == PROBE_KERNEL || spec->kind == PROBE_KERNEL_RETURN,
		.is_return = spec->kind == PROBE_USER_RETURN || spec->kind == PROBE_KERNEL_RETURN,
	};
	return place->in_kernel ? probe_kernel__find(spec, place, err) : find_in_file(spec, place, err);
}

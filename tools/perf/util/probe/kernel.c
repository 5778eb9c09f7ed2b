// SPDX-License-Identifier: GPL-2.0
#include "util/probe/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "util/lib/array.h"
#include "util/lib/fs.h"
#include "util/lib/types.h"
#include "util/probe/debug.h"
#include "util/symbol/symtab.h"

struct collecting {
	struct probe_kernel_functions *functions;
	const char *wanted, *module;
};

static int collect(void *data, u64 addr, char type, const char *name, const char *module)
{
	struct collecting *c = data;
	struct probe_kernel_function *function;

	if (!module && !strcmp(name, "_text"))
		c->functions->text = addr;
	if (!strchr("tTwW", type) || (module ? !c->module || strcmp(module, c->module) : !!c->module) || !probe_name__fits(name, c->wanted))
		return 0;
	if (array__extend(c->functions->function, c->functions->nr))
		return -ENOMEM;
	function = &c->functions->function[c->functions->nr];
	*function = (struct probe_kernel_function){ .name = strdup(name), .addr = addr };
	if (!function->name)
		return -ENOMEM;
	c->functions->nr++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct probe_kernel_function *l = a, *r = b;

	return strcmp(l->name, r->name) ?: (l->addr > r->addr) - (l->addr < r->addr);
}

static void mark_ambiguous(struct probe_kernel_functions *functions)
{
	for (size_t i = 1; i < functions->nr; i++) {
		struct probe_kernel_function *f = &functions->function[i];

		if (!strcmp(f[-1].name, f->name))
			f[-1].is_ambiguous = f->is_ambiguous = true;
	}
}

int probe_kernel_functions__find(struct probe_kernel_functions *functions, const char *wanted, const char *module, struct errmsg *err)
{
	struct collecting c = { functions, wanted, module };
	int ret;

	*functions = (struct probe_kernel_functions){ 0 };
	ret = kallsyms__for_each(NULL, collect, &c, err);
	if (ret)
		return ret;
	if (functions->nr)
		qsort(functions->function, functions->nr, sizeof(*functions->function), compare);
	mark_ambiguous(functions);
	return 0;
}

void probe_kernel_functions__exit(struct probe_kernel_functions *functions)
{
	for (size_t i = 0; i < functions->nr; i++)
		free(functions->function[i].name);
	free(functions->function);
	*functions = (struct probe_kernel_functions){ 0 };
}

/* Lines are "0xSTART-0xEND<tab>NAME". Without debugfs nothing is known, and the kernel refuses by itself. */
bool probe_kernel__is_blacklisted(const char *function)
{
	struct fs_text text = { 0 };
	char *save = NULL;
	bool found = false;

	if (!fs_text__read(&text, AT_FDCWD, "/sys/kernel/debug/kprobes/blacklist") && text.size) {
		for (char *line = strtok_r(text.text, "\n", &save); line && !found; line = strtok_r(NULL, "\n", &save)) {
			const char *tab = strchr(line, '\t');

			found = tab && !strcmp(tab + 1, function);
		}
	}
	fs_text__exit(&text);
	return found;
}

/* Debug information */

static bool is_running(const char *path, const struct build_id *running)
{
	struct build_id id;

	return !build_id__read(path, &id) && build_id__equal(&id, running);
}

char *probe_kernel__find_vmlinux(void)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux", "/lib/modules/%s/build/vmlinux", "/boot/vmlinux-%s",
		"/usr/lib/debug/boot/vmlinux-%s.debug",
	};
	struct build_id running;
	struct utsname name;
	char hex[41], *path;

	if (build_id__read(NULL, &running) || uname(&name)) {
		errno = ENOENT;
		return NULL;
	}
	build_id__str(&running, hex);
	if (asprintf(&path, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2) < 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(places) && !is_running(path, &running); i++) {
		free(path);
		if (asprintf(&path, places[i], name.release) < 0)
			return NULL;
	}
	if (is_running(path, &running))
		return path;
	free(path);
	errno = ENOENT;
	return NULL;
}

u64 probe_kernel__text_of(const char *vmlinux)
{
	struct elf_file file;
	GElf_Shdr shdr;
	Elf_Scn *scn;
	Elf_Data *data;
	struct elf_strings names;
	GElf_Sym sym;
	u64 text = 0;

	if (elf_file__open(&file, vmlinux, NULL))
		return 0;
	scn = elf_file__section(&file, ".symtab", &shdr);
	data = scn && shdr.sh_type == SHT_SYMTAB ? elf_getdata(scn, NULL) : NULL;
	if (data)
		names = elf_file__strings(&file, shdr.sh_link);
	for (int i = 0; data && !text && gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strings__at(&names, sym.st_name);

		if (name && (!strcmp(name, "_text") || !strcmp(name, "_stext")))
			text = sym.st_value;
	}
	elf_file__close(&file);
	return text;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/kernel-symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/lib/fs.h"
#include "util/machine/dso.h"
#include "util/symbol/build-id-cache.h"
#include "util/symbol/bundle.h"
#include "util/symbol/running-kernel.h"
#include "util/symbol/symtab-elf.h"

void kernel_symbols__init(struct kernel_symbols *k, struct machine *machine, const struct symtab_opts *opts, const char *vmlinux, const char *kallsyms)
{
	*k = (struct kernel_symbols){ .machine = machine, .opts = opts, .vmlinux = vmlinux, .kallsyms = kallsyms, .bundled = -1 };
}

void kernel_symbols__exit(struct kernel_symbols *k)
{
	free(k->cached);
	free(k->core_copy);
	fs__close_many(&k->bundled, 1);
}

/* Offset of the recorded kernel from the one in path: each boot may choose another address (KASLR). */
s64 kernel_symbols__shift(const struct kernel_symbols *k, const char *path)
{
	const char *ref_name;
	u64 recorded = machine__kernel_text(k->machine, &ref_name), addr;

	if (!recorded || kallsyms__lookup(path, &ref_name, &addr, 1) != 1 || !addr)
		return 0;
	return recorded - addr;
}

/* The bundle knows where that boot had the kernel and its modules; the running kernel may be the same in another boot. */
static void take_bundled(struct kernel_symbols *k, const struct dso *kernel)
{
	k->bundled = bundle__open_file(k->opts->bundle, &kernel->build_id, KERNEL_DSO_NAME, "kallsyms");
	k->kallsyms = k->cached = fs__path_of_fd(k->bundled);
}

/* The cache may have the recorded kernel even if another one is running. */
static void look_up(struct kernel_symbols *k)
{
	const struct dso *kernel = machine__kernel(k->machine);
	const char *cache = k->opts->cache;

	if (k->looked_up || !kernel)
		return;
	k->looked_up = true;
	if (!k->vmlinux && !k->kallsyms)
		take_bundled(k, kernel);
	if (k->vmlinux || k->kallsyms)
		return;
	if (running_kernel__is_recorded(k->machine)) {
		k->core_copy = running_kernel__copy(k->machine, cache);
		return;
	}
	k->kallsyms = k->cached = build_id_cache__find(cache, &kernel->build_id, "kallsyms");
	if (!k->kallsyms)
		k->vmlinux = k->cached = build_id_cache__find(cache, &kernel->build_id, "elf");
}

int kernel_symbols__check_kallsyms(struct kernel_symbols *k, struct errmsg *err)
{
	look_up(k);
	if (k->kallsyms || running_kernel__is_recorded(k->machine))
		return 0;
	return errmsg__set(err, ESTALE,
			   "the recording was made under another kernel than the running one: its symbols are in that kernel's "
			   "vmlinux or kallsyms");
}

/* Load the core kernel's symbols. A copy that cannot be used is no loss. */
int kernel_symbols__load_core(const struct kernel_symbols *k, s64 shift, struct symtab **tab, struct errmsg *err)
{
	if (k->core_copy && !symtab__load_kallsyms_copy(k->core_copy, shift, tab))
		return 0;
	return symtab__load_kallsyms(k->kallsyms, NULL, shift, tab, err);
}

int kernel_symbols__load(struct kernel_symbols *k, const struct dso *dso, struct symtab **tab, s64 *shift, struct errmsg *err)
{
	const char *ref_name;
	u64 recorded = machine__kernel_text(k->machine, &ref_name);
	int rc;

	look_up(k);
	if (k->vmlinux)
		return symtab__load_vmlinux(k->vmlinux, &dso->build_id, ref_name, recorded, k->opts, tab, shift, err);
	rc = kernel_symbols__check_kallsyms(k, err);
	if (rc)
		return rc;
	return kernel_symbols__load_core(k, kernel_symbols__shift(k, k->kallsyms), tab, err);
}

int kernel_symbols__load_module(struct kernel_symbols *k, const struct dso *dso, struct symtab **tab, struct errmsg *err)
{
	char name[64];
	int rc = kernel_symbols__check_kallsyms(k, err);

	if (rc)
		return rc;
	/* each boot loads each module at another address */
	if (kernel_symbols__shift(k, k->kallsyms))
		return errmsg__set(err, ESTALE, "%s: was loaded elsewhere since the recording", dso->short_name);
	if (sscanf(dso->short_name, "[%63[^]]", name) != 1)
		return errmsg__set(err, ENOENT, "%s: not a module's name", dso->name);
	return symtab__load_kallsyms(k->kallsyms, name, 0, tab, err);
}

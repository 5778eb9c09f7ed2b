// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/running-kernel.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "util/symbol/build-id-cache.h"
#include "util/symbol/symtab.h"

bool running_kernel__is_recorded(struct machine *machine)
{
	struct dso *kernel = machine__kernel(machine);
	struct build_id running;

	if (!kernel || !kernel->build_id.size)
		return true;
	return !build_id__read(NULL, &running) && build_id__equal(&running, &kernel->build_id);
}

char *running_kernel__copy(struct machine *machine, const char *cache)
{
	struct build_id running;

	if (!running_kernel__is_recorded(machine) || build_id__read(NULL, &running))
		return NULL;
	return build_id_cache__find(cache, &running, "kallsyms");
}

const void *running_kernel__vdso(struct machine *machine, size_t *size)
{
	const Elf64_Ehdr *image = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (!image || image->e_ident[EI_CLASS] != ELFCLASS64 || !running_kernel__is_recorded(machine))
		return NULL;
	/* the section headers are at its end: elf(5), arch/x86/entry/vdso */
	*size = image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
	return image;
}

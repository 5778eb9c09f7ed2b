/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the functions and marks that events are set on: in files by their symbols and notes, in the kernel by kallsyms and BTF. */
#ifndef PERF_SYMBOL_PROBE_FINDER_H
#define PERF_SYMBOL_PROBE_FINDER_H

#include "util/event/probe.h"
#include "util/symbol/elf-file.h"

struct probe_file { /* the file of a program or library */
	const char *path;   /* its name, for messages and links */
	const char *opened; /* what is read: "/proc/self/fd/3", whatever has that name now; NULL: path */
};

int probe_finder__find(const struct probe_spec *spec, struct probe_place *place, struct errmsg *err); /* a probe_finder */

/* The parts of it for one kind. */
int probe_sdt__find(const struct probe_spec *spec, const struct elf_file *file, struct probe_place *place, struct errmsg *err);
int probe_kernel__find(const struct probe_spec *spec, struct probe_place *place, struct errmsg *err);
/* The arguments of a function of the kernel, by BTF; by the rules for calls where that does not know it. */
void probe_kernel__add_arguments(const struct probe_spec *spec, struct probe_place *place);
int probe_finder__open(const struct probe_file *file, struct elf_file *elf, struct errmsg *err); /* as elf_file__open() */
/* Does an instruction begin offset bytes behind begin, the offset in the file of a function? -EINVAL: none does; err names the next ones. */
int probe_finder__check_instruction(const struct probe_file *file, u64 begin, u64 offset, struct errmsg *err);
/* The same for an address that was written as such; elf is the open file. -EINVAL also if it is unknown, and for a return inside a function. */
int probe_finder__check_address(struct elf_file *elf, const struct probe_file *file, u64 vaddr, bool is_return, struct errmsg *err);
int probe_finder__check_machine(const struct elf_file *file, const char *path, struct errmsg *err); /* -EINVAL: its registers are others */
/* -EINVAL: a return probe would end the program. force: what err names as the way to set it nevertheless */
int probe_finder__check_return(const struct elf_file *file, const char *path, const char *force, struct errmsg *err);
bool probe_finder__is_code(const struct elf_file *file, u64 vaddr);
/* A program by its path or name, a library by its name; malloc'ed, NULL: there is none, errno */
char *probe_finder__file(const char *written);
const char *probe_finder__why_no_file(const char *written, int error); /* error: the errno of that */

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The part of the loop that compilers put elsewhere, as it is rarely executed. */
#ifndef PERF_INTERP_PYTHON_LOOP_H
#define PERF_INTERP_PYTHON_LOOP_H

#include "util/bpf_skel/interp.h"
#include "util/symbol/elf-file.h"

/* Set file->loop[1], if there is such a part. 0, -ENOMEM or -E2BIG. */
int python_loop__find_cold(struct elf_file *elf, const GElf_Sym *loop, struct interp_file *file);

#endif

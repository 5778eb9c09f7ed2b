/* SPDX-License-Identifier: GPL-2.0 */
/* What walks begin with: the current task, and the arguments of a tracepoint of the running kernel or of one of its modules. */
#ifndef PERF_TYPES_ARGUMENTS_H
#define PERF_TYPES_ARGUMENTS_H

#include "util/types/walk.h"

/* The kernel's name of the current task; "task" is the same unless an argument of the tracepoint has that name. */
#define WALK_CURRENT "current"
#define WALK_TASK "task"

struct type_arguments;

/*
 * event NULL: the current task only. Arguments whose names the kernel does not tell are arg1, arg2 and so on. NULL, with errno: ENOENT: the
 * kernel has no type information; ENOMEM.
 */
struct type_arguments *type_arguments__new(const char *event);
void type_arguments__delete(struct type_arguments *args); /* NULL is fine */

const struct walk_roots *type_arguments__roots(const struct type_arguments *args);
unsigned int type_arguments__nr(const struct type_arguments *args); /* of the tracepoint; they are the first roots */

#endif

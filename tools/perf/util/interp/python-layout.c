// SPDX-License-Identifier: GPL-2.0
/*
 * From the headers of each version, on x86-64: Include/cpython/pystate.h, Include/internal/pycore_{runtime,interp,frame,pystate}.h,
 * Include/cpython/{code,frameobject,unicodeobject}.h. Releases of one minor version do not differ.
 */
#include "util/interp/python-layout.h"

#include <stddef.h>

#define CODE_AT 64 /* of a code object we read from here on, */
#define OLD_CODE_AT 40 /* up to 3.10 */

/* What is at the same place in all of them, but for the first line */
#define CODE_OBJECT(line)											\
	.code_at = CODE_AT, .first_line = (line) - CODE_AT, .filename = 112 - CODE_AT, .name = 120 - CODE_AT,	\
	.qualname = 128 - CODE_AT, .linetable = 136 - CODE_AT, .lines = PYTHON_LOCATIONS

/* What 3.8 to 3.10 have in common. Functions have a name without that of their class. */
#define OLD_PYTHON											\
	.style = PYTHON_OBJECTS, .interpreters = 32, .threads = 8, .next_interpreter = 0,		\
	.next = 8, .thread_id = 176, .current = 24, .code = 32, .previous = 24,			\
	.code_at = OLD_CODE_AT, .first_line = 40 - OLD_CODE_AT, .filename = 104 - OLD_CODE_AT,		\
	.name = 112 - OLD_CODE_AT, .qualname = 112 - OLD_CODE_AT, .linetable = 120 - OLD_CODE_AT,	\
	.bytecode = 48 - OLD_CODE_AT, .ascii = 48, .wide = 72

static const struct {
	u32 version;
	struct python_layout layout;
} layouts[] = {
	{ 0x308, { OLD_PYTHON, .instr = 104, .unit = 1, .lines = PYTHON_LNOTAB } },
	{ 0x309, { OLD_PYTHON, .instr = 104, .unit = 1, .lines = PYTHON_LNOTAB } },
	{ 0x30a, { OLD_PYTHON, .instr = 96, .unit = 2, .lines = PYTHON_LINETABLE } },
	{ 0x30b, {
		.style = PYTHON_CFRAMES,
		.interpreters = 40, .threads = 16, .next_interpreter = 0,
		.next = 8, .thread_id = 152, .current = 56, .cframe_size = 24, .cframe_current = 8, .cframe_previous = 16,
		.code = 32, .previous = 48, .instr = 56, .owner = 68, /* is_entry */
		CODE_OBJECT(72), .bytecode = 184,
		.ascii = 48, .wide = 72,
	} },
	{ 0x30c, {
		.style = PYTHON_SHIMS,
		.interpreters = 40, .threads = 72, .next_interpreter = 0,
		.next = 8, .thread_id = 136, .current = 56, .cframe_size = 16, .cframe_current = 0, .cframe_previous = 8,
		.code = 0, .previous = 8, .instr = 56, .owner = 70,
		CODE_OBJECT(68), .bytecode = 192,
		.ascii = 40, .wide = 56,
	} },
	{ 0x30d, {
		.style = PYTHON_SHIMS,
		.interpreters = 632, .threads = 7344, .next_interpreter = 7264,
		.next = 8, .thread_id = 152, .current = 72,
		.code = 0, .previous = 8, .instr = 56, .owner = 70,
		CODE_OBJECT(68), .bytecode = 200,
		.ascii = 40, .wide = 56,
	} },
};

const struct python_layout *python_layout__of(u32 version)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		if (layouts[i].version == version)
			return &layouts[i].layout;
	}
	return NULL;
}

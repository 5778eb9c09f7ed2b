// SPDX-License-Identifier: GPL-2.0
/* CPython: an executable or a libpython that exports _PyRuntime and the loop. */
#include "util/interp/interp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/interp/dynsym.h"
#include "util/interp/python-code.h"
#include "util/interp/python-layout.h"
#include "util/interp/python-loop.h"

#define RUNTIME "_PyRuntime"
#define LOOP "_PyEval_EvalFrameDefault"
#define VERSION "Py_Version" /* since 3.11: PY_VERSION_HEX */

static bool read_at(const struct elf_file *elf, u64 vaddr, void *to, size_t size)
{
	u64 offset;

	return elf_file__offset(elf, vaddr, &offset) && elf_file__read(elf, offset, to, size);
}

/* _PyRuntime of 3.13 begins with offsets, which say whether objects are those of the free-threaded build. */
static bool is_free_threaded(const struct elf_file *elf, u64 runtime)
{
	struct {
		char cookie[8];
		u64 version, free_threaded;
	} debug;

	return read_at(elf, runtime, &debug, sizeof(debug)) && !memcmp(debug.cookie, "xdebugpy", sizeof(debug.cookie)) && debug.free_threaded;
}

/* Before 3.11 only functions that a version was the first to export tell it. 0: older than all that we know */
static u32 version_by_functions(const struct elf_file *elf)
{
	static const struct {
		u32 version;
		const char *first;
	} by_function[] = {
		{ 0x30a00f0, "Py_NewRef" }, { 0x30900f0, "PyFrame_GetCode" }, { 0x30800f0, "PyCode_NewWithPosOnlyArgs" },
	};
	GElf_Sym sym;

	for (size_t i = 0; i < ARRAY_SIZE(by_function); i++) {
		if (dynsym__find(elf, by_function[i].first, &sym) && sym.st_value)
			return by_function[i].version;
	}
	return 0;
}

static u32 version_of(const struct elf_file *elf)
{
	GElf_Sym sym;
	u32 version;

	if (dynsym__find(elf, VERSION, &sym))
		return read_at(elf, sym.st_value, &version, sizeof(version)) ? version : 0;
	return version_by_functions(elf);
}

static int find_layout(const struct elf_file *elf, u64 runtime, const char *name, struct interp_file *file, struct errmsg *err)
{
	const struct python_layout *layout;
	const u32 version = version_of(elf);

	if (elf->ehdr.e_machine != EM_X86_64)
		return errmsg__set(err, ENOTSUP, "%s: frames of Python are found on x86-64 only", name);
	if (!version)
		return errmsg__set(err, ENOTSUP, "%s: this Python is older than 3.8", name);
	layout = python_layout__of(version >> 16);
	if (!layout)
		return errmsg__set(err, ENOTSUP, "%s: Python %u.%u is not known to this perf", name, version >> 24, version >> 16 & 0xff);
	if (is_free_threaded(elf, runtime))
		return errmsg__set(err, ENOTSUP, "%s: Python without the GIL is not known to this perf", name);
	file->python = *layout;
	return 0;
}

/* Where an address of the file would be, if all of it were mapped as the code is: programs know the mapping of the code. */
static bool find_data(const struct elf_file *elf, u64 code, u64 data, u64 *from_begin)
{
	u64 offset;

	if (!elf_file__offset(elf, code, &offset))
		return false;
	*from_begin = data - code + offset;
	return true;
}

static int recognise(struct elf_file *elf, const char *name, struct interp_file *file, struct errmsg *err)
{
	GElf_Sym runtime, loop;
	u64 begin, data;
	int ret;

	if (!dynsym__find(elf, RUNTIME, &runtime) || !dynsym__find(elf, LOOP, &loop))
		return -ENOENT;
	ret = find_layout(elf, runtime.st_value, name, file, err);
	if (ret)
		return ret;
	if (!elf_file__offset(elf, loop.st_value, &begin) || !find_data(elf, loop.st_value, runtime.st_value, &data))
		return errmsg__set(err, ENOTSUP, "%s: its Python is in no segment", name);
	file->data = data;
	file->loop[0].begin = begin;
	file->loop[0].size = loop.st_size;
	return python_loop__find_cold(elf, &loop, file);
}

const struct interp_ops python_ops = {
	.kind = INTERP_PYTHON,
	.name = "python",
	.recognise = recognise,
	.describe = python_code__describe,
};

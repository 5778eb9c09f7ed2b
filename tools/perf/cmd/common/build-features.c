// SPDX-License-Identifier: GPL-2.0
#include "cmd/common/build-features.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_LIBCAPSTONE
#define HAS_CAPSTONE true
#else
#define HAS_CAPSTONE false
#endif
#ifdef HAVE_LIBCURL
#define HAS_CURL true
#else
#define HAS_CURL false
#endif

/*
 * Only libcapstone and libcurl can be missing from a build: libdebuginfod is found at run time, and needs no header. Features count, not the
 * libraries that other perfs take for them: zlib is its formats, which libdeflate reads and writes here; libbpf-strings are the names that BPF
 * programs have for themselves, which are not recorded.
 */
const struct build_feature build_features[] = {
	{ "aio", "HAVE_AIO_SUPPORT", false },
	{ "auxtrace", "HAVE_AUXTRACE_SUPPORT", false },
	{ "bpf", "HAVE_LIBBPF_SUPPORT", true },
	{ "bpf_skeletons", "HAVE_BPF_SKEL", true },
	{ "debuginfod", "HAVE_DEBUGINFOD_SUPPORT", true },
	{ "dwarf", "HAVE_LIBDW_SUPPORT", true },
	{ "dwarf-unwind", "HAVE_DWARF_UNWIND_SUPPORT", true },
	{ "dwarf-unwind-support", "HAVE_DWARF_UNWIND_SUPPORT", true },
	{ "dwarf_getlocations", "HAVE_LIBDW_SUPPORT", true },
	{ "libLLVM", "HAVE_LIBLLVM_SUPPORT", false },
	{ "libaudit", "HAVE_LIBAUDIT_SUPPORT", false },
	{ "libbfd", "HAVE_LIBBFD_SUPPORT", false },
	{ "libbpf-strings", "HAVE_LIBBPF_STRINGS_SUPPORT", false },
	{ "libcapstone", "HAVE_LIBCAPSTONE_SUPPORT", HAS_CAPSTONE },
	{ "libcrypto", "HAVE_LIBCRYPTO_SUPPORT", false },
	{ "libcurl", "HAVE_LIBCURL_SUPPORT", HAS_CURL },
	{ "libdw", "HAVE_LIBDW_SUPPORT", true },
	{ "libdw-dwarf-unwind", "HAVE_LIBDW_SUPPORT", true },
	{ "libelf", "HAVE_LIBELF_SUPPORT", true },
	{ "libiberty", "HAVE_CPLUS_DEMANGLE_SUPPORT", true },
	{ "libnuma", "HAVE_LIBNUMA_SUPPORT", false },
	{ "libopencsd", "HAVE_CSTRACE_SUPPORT", false },
	{ "libperl", "HAVE_LIBPERL_SUPPORT", false },
	{ "libpfm4", "HAVE_LIBPFM", false },
	{ "libpython", "HAVE_LIBPYTHON_SUPPORT", false },
	{ "libslang", "HAVE_SLANG_SUPPORT", false },
	{ "libtraceevent", "HAVE_LIBTRACEEVENT", true },
	{ "libunwind", "HAVE_LIBUNWIND_SUPPORT", false },
	{ "lzma", "HAVE_LZMA_SUPPORT", true },
	{ "numa_num_possible_cpus", "HAVE_LIBNUMA_SUPPORT", false },
	{ "zlib", "HAVE_ZLIB_SUPPORT", true },
	{ "zstd", "HAVE_ZSTD_SUPPORT", true },
	{ NULL, NULL, false },
};

/* Of several names of a macro all are on, or none is. */
const struct build_feature *build_feature__find(const char *name)
{
	const struct build_feature *feature;

	for (feature = build_features; feature->name; feature++) {
		if (!strcasecmp(feature->name, name) || !strcasecmp(feature->macro, name))
			return feature;
	}
	return NULL;
}

void build_feature__print(const struct build_feature *feature)
{
	printf("%22s: [ %-3s ]  # %s\n", feature->name, feature->is_on ? "on" : "OFF", feature->macro);
}

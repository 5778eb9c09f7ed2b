/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands that read a recording share: options, and opening it. */
#ifndef PERF_CMD_READ_OPTIONS_H
#define PERF_CMD_READ_OPTIONS_H

#include "ui/tally/output.h"
#include "util/annotate/code.h"
#include "util/lib/options.h"
#include "util/session/session.h"

#define EXIT_DAMAGED 1 /* the file is damaged: what could be read was shown */

struct read_options {
	const char *input; /* NULL before read_options__choose_input(): not given */
	const char *vmlinux, *kallsyms, *symfs;
	const char *build_id_dir; /* NULL: see build-id-dir.h */
	unsigned int max_stack;
	unsigned int skip_frames; /* SKIP_ bits */
	bool demangle, demangle_kernel, inlined, debuginfod, fde_names;
	bool merge_callchains; /* join deferred user callchains with their samples */
	bool force; /* accepted, but has no effect */
	int verbose;
	struct {
		bool shown, only, full;
	} header; /* facts about the recording */
	const char *pager; /* perfconfig's key for the command's pager, such as "pager.report" */
	/* for some commands only */
	bool hide_unresolved, raw_trace;
	const regex_t *ignore_callees; /* NULL: none */
};

#define READ_OPTIONS_INIT(pager_) READ_OPTIONS_BEGIN(pager_, true)
#define READ_OPTIONS_BEGIN(pager_, fde_names_) \
	{ .demangle = true, .fde_names = (fde_names_), .inlined = true, .merge_callchains = true, .pager = (pager_) }

/* Rows for a table of options; o is a struct read_options with static storage. */
#define READ_OPTIONS(o)                                                                                                  \
	OPT_STRING('i', "input", &(o).input, "file", "read this recording (stdin if it is a pipe, else perf.data)"),                               \
	OPT_UINT(0, "max-stack", &(o).max_stack, "frames", "read at most this many frames of a callchain (127)"),                  \
	OPT_CALLBACK(0, "skip-frames", &(o).skip_frames, "kind,...",                                                     \
		     "skip such frames at the start of kernel callchains: bpf, sched, lock",                 \
		     read_options__parse_skip),                                                                          \
	READ_SYMBOL_OPTIONS(o)

/* Options about symbols, and the common ones. */
#define READ_SYMBOL_OPTIONS(o)                                                                                           \
	OPT_STRING('k', "vmlinux", &(o).vmlinux, "file", "take the kernel's symbols from this ELF file"),                \
	OPT_STRING(0, "kallsyms", &(o).kallsyms, "file", "take the kernel's symbols from this copy of /proc/kallsyms"),  \
	OPT_STRING(0, "symfs", &(o).symfs, "directory", "look for programs and libraries below this directory"),             \
	OPT_STRING(0, "buildid-dir", &(o).build_id_dir, "directory", "take replaced or missing files from this cache ($HOME/.debug)"), \
	OPT_BOOL(0, "demangle", &(o).demangle, "show C++ and Rust names as in the source (default)"),                    \
	OPT_BOOL(0, "demangle-kernel", &(o).demangle_kernel, "demangle names of the kernel, too"),                      \
	OPT_BOOL(0, "inline", &(o).inlined, "show inlined functions as frames of callchains (default)"),                 \
	OPT_BOOL(0, "fde-names", &(o).fde_names, "call functions without symbols by file and address: libz.so.1+0x4a00"), \
	OPT_BOOL(0, "debuginfod", &(o).debuginfod, "ask the servers in $DEBUGINFOD_URLS for missing debug information"), \
	OPT_CALLBACK_FLAGS(0, "addr2line", NULL, "path", "not used: perf reads source lines itself",               \
			   read_options__note_unused, OPTION_HIDDEN),                                                    \
	OPT_CALLBACK_FLAGS(0, "addr2line-style", NULL, "style,...", "choose what finds source lines: libdw",                     \
			   read_options__check_style, OPTION_HIDDEN),                                                    \
	OPT_CALLBACK_FLAGS(0, "unwind-style", NULL, "style,...", "choose what unwinds copied stacks: libdw",                      \
			   read_options__check_style, OPTION_HIDDEN),                                                    \
	OPT_BOOL('f', "force", &(o).force, "do nothing: the file may belong to anybody"),   \
	OPT_INCR('v', "verbose", &(o).verbose, "print more messages")

#define READ_HEADER_OPTIONS(o)                                                                                           \
	OPT_BOOL(0, "header", &(o).header.shown, "show the header of the recording first"),                            \
	OPT_BOOL(0, "header-only", &(o).header.only, "show only the header of the recording"),                     \
	OPT_BOOL('I', "show-info", &(o).header.full, "show all of the header with --header or --header-only")

/* Rows for the code of functions; c is a struct code_opts with static storage. */
#define READ_CODE_OPTIONS(c)                                                                                             \
	OPT_BOOL(0, "asm-raw", &(c).raw, "show the bytes of instructions"),                                              \
	OPT_STRING('M', "disassembler-style", &(c).style, "style", "show instructions in this style: intel, att"),       \
	OPT_STRING(0, "objdump", &(c).objdump, "path", "read code by this objdump"),                                     \
	OPT_STRING(0, "prefix", &(c).prefix, "path", "look for sources below this directory"),                           \
	OPT_STRING(0, "prefix-strip", &(c).prefix_strip, "n", "with --prefix: leave out the first n names of their paths")

/* For options that tell other perfs what this one finds out by itself: prints the row's help. */
int read_options__note_unused(const struct option_row *row, const char *arg, bool unset);
/* For a list of methods, best first: it must contain ours, libdw. */
int read_options__check_style(const struct option_row *row, const char *arg, bool unset);
int read_options__parse_skip(const struct option_row *row, const char *arg, bool unset);

/* Without -i read a pipe on stdin, otherwise perf.data. */
void read_options__choose_input(struct read_options *o);

/* Open the session, with symbols unless no_symbols; NULL after a message. */
struct session *read_options__open(const struct read_options *o, bool no_symbols);

/* Set where the code of functions is read from. A wrong command line ends perf. */
void read_options__place_code(const struct read_options *o, struct code_opts *code);

void read_options__start_pager(const struct read_options *o);
/* Print the facts about the recording, all of them if o says so. */
void read_options__print_header(const struct read_options *o, struct session *s);
/* --header-only: the same, even for a file that cannot be read as a recording. Returns the exit status. */
int read_options__print_header_only(const struct read_options *o);

/* If there are no samples at all, print the reason if it is known: after session__run(). */
void read_options__explain_no_samples(const struct read_options *o, struct session *s);

/* The argument of --folded, for an enum folded_weight. */
int read_options__parse_folded(const struct option_row *row, const char *arg, bool unset);

#endif

// SPDX-License-Identifier: GPL-2.0
#include "cmd/read/options.h"

#include <string.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/common/build-id-dir.h"
#include "cmd/common/config-defaults.h"
#include "ui/dump/header.h"
#include "ui/pager.h"
#include "ui/session-stdio.h"
#include "util/callchain/skip-frames.h"
#include "util/event/kind.h"
#include "util/lib/advice.h"
#include "util/lib/log.h"
#include "util/lib/words.h"

int read_options__parse_skip(const struct option_row *row, const char *arg, bool unset)
{
	struct errmsg err;
	u32 *classes = row->value;

	*classes = 0;
	if (unset || !skip_frames__parse(arg, classes, &err))
		return 0;
	pr_err("  Error: --skip-frames %s: %s\n", arg, err.text);
	return -1;
}

int read_options__note_unused(const struct option_row *row, const char *arg, bool unset)
{
	if (!unset)
		pr_warn("--%s %s: %s\n", row->long_name, arg, row->help);
	return 0;
}

int read_options__check_style(const struct option_row *row, const char *arg, bool unset)
{
	struct words *styles;
	struct errmsg err;
	bool known;

	if (unset)
		return 0;
	if (words__parse(arg, &styles, &err)) {
		pr_err("  Error: --%s %s: %s\n", row->long_name, arg, err.text);
		return -1;
	}
	known = words__has(styles, "libdw");
	words__delete(styles);
	if (!known)
		pr_err("  Error: --%s %s: libdw is not among them, the only one that this perf knows\n", row->long_name, arg);
	return known ? 0 : -1;
}

void read_options__choose_input(struct read_options *o)
{
	struct stat st;

	if (!o->input)
		o->input = !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

/* Who names a file wants its names: it is too late to say after minutes of reading that there were none. */
static bool can_read(const char *option, const char *path)
{
	if (!path || !eaccess(path, R_OK))
		return true;
	pr_err("Invalid file: %s: %m\nWithout %s the kernel's symbols are taken from where it runs.\n", path, option);
	return false;
}

struct session *read_options__open(const struct read_options *o, bool no_symbols)
{
	struct session_opts opts = {
		.input = o->input,
		.resolver = {
			.symtab = { .symfs = o->symfs, .cache = build_id_dir(o->build_id_dir), .no_demangle = !o->demangle, .demangle_kernel = o->demangle_kernel,
				    .debuginfod = o->debuginfod },
			.kallsyms = o->kallsyms,
			.vmlinux = o->vmlinux,
			.debuginfod = o->debuginfod,
			.no_fde_names = !o->fde_names,
			.no_inline = !o->inlined,
		},
		.max_stack = o->max_stack,
		.skip_frames = o->skip_frames,
		.hide_unresolved = o->hide_unresolved,
		.ignore_callees = o->ignore_callees,
		.no_merge_callchains = !o->merge_callchains,
		.no_resolve = no_symbols,
	};
	struct session *session;
	struct errmsg err;
	int ret;

	log__set_verbosity(o->verbose);
	if (!can_read("--vmlinux", o->vmlinux) || !can_read("--kallsyms", o->kallsyms))
		return NULL;
	ret = session__open(&opts, &session, &err);
	if (!ret && o->raw_trace && session__formats(session))
		tp_formats__set_raw(session__formats(session));
	if (!ret)
		return session;
	session__explain_open(o->input, ret, &err);
	return NULL;
}

void read_options__place_code(const struct read_options *o, struct code_opts *code)
{
	if (code->prefix_strip && !code->prefix)
		options__refuse_exit("  Error: --prefix-strip: it goes with --prefix\n");
	code->symfs = o->symfs;
	code->cache = build_id_dir(o->build_id_dir);
	code->vmlinux = o->vmlinux;
}

void read_options__start_pager(const struct read_options *o)
{
	pager__start(config_defaults__get((const char *const[]){ o->pager, NULL }));
}

void read_options__print_header(const struct read_options *o, struct session *s)
{
	header__fprintf(stdout, session__reader(s), o->input, o->header.full);
}

int read_options__print_header_only(const struct read_options *o)
{
	struct perfdata_reader *reader;
	struct errmsg err;
	int ret = perfdata_reader__open(o->input, &reader, &err);

	if (ret) {
		session__explain_open(o->input, ret, &err);
		return EXIT_SETUP;
	}
	read_options__start_pager(o);
	header__fprintf(stdout, reader, o->input, o->header.full);
	perfdata_reader__delete(reader);
	return 0;
}

static void explain_off_cpu(struct session *s)
{
	for (u32 i = 0; i < session__nr_events(s); i++) {
		if (event_kind__of_name(session__event(s, i)->name) != &off_cpu_kind)
			continue;
		pr_err("Off-CPU time begins when a thread goes to sleep, and none did. What slept before is recorded with -p and -t only.\n");
		return;
	}
}

void read_options__explain_no_samples(const struct read_options *o, struct session *s)
{
	u64 dropped = session__stats(s)->dropped_samples;

	if (!dropped) {
		pr_err("Error:\nThe %s data has no samples!\n", o->input);
		explain_off_cpu(s);
		return;
	}
	pr_err("Error:\nThe %s data has no samples: the filter dropped all %llu:\n", o->input, (unsigned long long)dropped);
	for (u32 i = 0; i < session__nr_events(s); i++) {
		const struct session_event *event = session__event(s, i);

		if (event->dropped_samples)
			pr_err("\t%llu of event '%s'\n", (unsigned long long)event->dropped_samples, event->name);
	}
}

int read_options__parse_folded(const struct option_row *row, const char *arg, bool unset)
{
	enum folded_weight *weight = row->value;

	if (unset) {
		*weight = FOLDED_NONE;
	} else if (!arg || !strcmp(arg, "period")) {
		*weight = FOLDED_PERIODS;
	} else if (!strcmp(arg, "samples")) {
		*weight = FOLDED_SAMPLES;
	} else {
		pr_err("--folded takes samples or period: not \"%s\"\n", arg);
		return -1;
	}
	return 0;
}

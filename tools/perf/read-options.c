// SPDX-License-Identifier: GPL-2.0
#include "read-options.h"

#include <signal.h>

#include "ui/session-stdio.h"
#include "util/lib/log.h"

struct session *read_options__open(const struct read_options *o, bool no_symbols)
{
	struct session_opts opts = {
		.input = o->input,
		.resolver = {
			.symtab = { .symfs = o->symfs, .no_demangle = !o->demangle },
			.kallsyms = o->kallsyms,
			.vmlinux = o->vmlinux,
			.debuginfod = o->debuginfod,
			.no_inline = !o->inlined,
		},
		.max_stack = o->max_stack,
		.no_resolve = no_symbols,
	};
	struct session *session;
	struct errmsg err;
	int ret;

	log__set_verbosity(o->verbose);
	signal(SIGPIPE, SIG_DFL); /* a pager that was left ends us without a word */
	ret = session__open(&opts, &session, &err);
	if (!ret)
		return session;
	session__explain_open(o->input, ret, &err);
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "session"
#include "ui/session-stdio.h"

#include <errno.h>
#include <string.h>

#include "util/lib/advice.h"
#include "util/lib/fs.h"
#include "util/lib/log.h"
#include "util/symbol/perf-map.h"

#define LOST_SAMPLES_WARN 5.0 /* percent; as perf */

void session__explain_open(const char *path, int ret, const struct errmsg *err)
{
	if (ret == -ENOENT)
		pr_err("failed to open %s: %s%s\n", path, strerror(ENOENT),
		       strcmp(path, "perf.data") ? "" : "  (try 'perf record' first)");
	else
		pr_err("%s\n", err->text);
}

static void warn_losses(const struct session_stats *stats)
{
	u64 all = stats->nr_samples + stats->lost_samples;
	double rate = all ? stats->lost_samples * 100.0 / all : 0;

	if (stats->nr[PERF_RECORD_LOST])
		pr_warn("Warning:\nProcessed %llu events and lost %llu chunks!\n\nCheck IO/CPU overload!\n\n",
			(unsigned long long)stats->nr_events, (unsigned long long)stats->nr[PERF_RECORD_LOST]);
	if (rate > LOST_SAMPLES_WARN)
		pr_warn("Warning:\nProcessed %llu samples and lost %3.2f%%!\n\n", (unsigned long long)all, rate);
}

static void warn_left_out(const struct session_stats *stats, const char *path)
{
	if (stats->nr_unknown_id)
		pr_warn("Warning:\nleft out: %llu sample%s of %s with an id that belongs to none of its events\n",
			(unsigned long long)stats->nr_unknown_id, plural(stats->nr_unknown_id), path);
	if (stats->nr_invalid)
		pr_warn("Warning:\nleft out: %llu malformed record%s of %s\n",
			(unsigned long long)stats->nr_invalid, plural(stats->nr_invalid), path);
}

struct replaced { /* files that differ from the recorded ones */
	const struct dso *first;
	u32 nr;
};

static int warn_symbols(const struct dso *dso, const char *why, int error, void *data)
{
	struct replaced *replaced = data;

	if (error == -ESTALE && dso->kind == DSO_USER) {
		replaced->first = replaced->first ?: dso;
		replaced->nr++;
	}
	if (error == -E2BIG)
		pr_warn("Warning:\nA part of what %s tells is left out: %s\n", dso->name, why);
	else if (dso->kind == DSO_KERNEL)
		pr_warn("Warning:\nKernel addresses are shown without symbols: %s\n", why);
	else if (error == -EPERM && perf_map__is_name(dso->name))
		pr_warn("Warning:\nCode made at run time has no names: %s\n", why);
	else if (fs__own_error(error))
		pr_warn("Warning:\nAddresses in %s are shown without what its file tells: %s\n", dso->name, why);
	else
		pr_debug("no symbols of %s: %s\n", dso->name, why);
	return 0;
}

/* One message for all: a recording of another machine has many. */
static void warn_replaced(const struct replaced *replaced)
{
	char more[32] = "";

	if (!replaced->nr)
		return;
	if (replaced->nr > 1)
		snprintf(more, sizeof(more), " and %u more", replaced->nr - 1);
	pr_warn("Warning:\n%u file%s from the recorded one%s (%s%s): addresses there have no symbols.\n"
		"%s was built anew, or belongs to another system or to a container that is gone. Record again (with --keep-files), or see "
		"--buildid-dir and --symfs%s.\n",
		replaced->nr, replaced->nr == 1 ? " differs" : "s differ", plural(replaced->nr), replaced->first->shown, more,
		replaced->nr == 1 ? "It" : "Each", replaced->nr > 1 ? "; -v names all" : "");
}

void session__warn(struct session *s, const char *path)
{
	struct replaced replaced = {};
	const struct perfdata_reader *reader = session__reader(s);
	const char *opening = reader ? perfdata_reader__warnings(reader) : NULL, *damage = session__damage(s);
	const char *jit = session__jit_notes(s);

	if (!strcmp(path, "-"))
		path = "the standard input";
	if (opening)
		pr_warn("Warning:\n%s\n", opening);
	if (damage)
		pr_warn("Warning:\n%s: %s\n", path, damage);
	if (jit)
		pr_warn("Warning:\n%s\n", jit);
	warn_losses(session__stats(s));
	warn_left_out(session__stats(s), path);
	if (session__resolver(s))
		resolver__for_each_failure(session__resolver(s), warn_symbols, &replaced);
	warn_replaced(&replaced);
}
